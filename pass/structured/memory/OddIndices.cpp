//===- OddIndices.cpp - addresses in sums of integers ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/OddIndices.h"
#include "analysis/PointerDistance.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace verso;

/// Whether \p I subtracts the addresses of objects that are not the same.
bool OddIndices::isForeignDistance(const Instruction &I) const {
  if (I.getOpcode() != Instruction::Sub)
    return false;
  Places Left = O.placesOf(I.getOperand(0)),
         Right = O.placesOf(I.getOperand(1));
  return !Left.empty() && !Right.empty() && none_of(Left, [&](const Place &P) {
    return any_of(Right, [&](const Place &Q) {
      return P.Object == Q.Object ||
             (O[P.Object].isExternal() && O[Q.Object].isExternal());
    });
  });
}

OddIndices::OddIndices(Function &F, const Objects &O) : O(O) {
  SmallVector<const Value *, 8> Work;
  auto Add = [&](const Value *V) {
    if (Foreign.insert(V).second)
      Work.push_back(V);
  };
  for (const Instruction &I : instructions(F))
    if (isForeignDistance(I))
      Add(&I);
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      if (U->getType()->isIntegerTy() && !U->getType()->isIntegerTy(1) &&
          isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst>(U))
        Add(U);
}

/// Whether the address of something is among what \p V is computed from: not of
/// its low bits only, or of a hash.
static bool holdsAddress(const Value &V) {
  SmallSetVector<const Value *, 8> Web;
  Web.insert(&V);
  for (unsigned N = 0; N != Web.size(); ++N) {
    if (isa<PtrToIntOperator>(Web[N]))
      return true;
    auto *I = dyn_cast<Instruction>(Web[N]);
    if (!I || !I->getType()->isIntegerTy())
      continue;
    auto *C = dyn_cast<ConstantInt>(I->getOperand(I->getNumOperands() - 1));
    switch (I->getOpcode()) {
    case Instruction::And:
      if (!C || !C->isNegative())
        continue;
      break;
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::Freeze:
    case Instruction::PHI:
    case Instruction::Select:
      break;
    default:
      continue;
    }
    Web.insert(I->op_begin(), I->op_end());
  }
  return false;
}

/// How many addresses there are in the sum \p V, subtracted ones counted as -1;
/// none if that cannot be told.
static std::optional<int> addressesIn(const Value &V, unsigned Depth) {
  if (isa<PtrToIntOperator>(V))
    return 1;
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || !Depth)
    return 0;
  auto Of = [&](unsigned K) {
    return addressesIn(*I->getOperand(K), Depth - 1);
  };
  auto *C = dyn_cast<ConstantInt>(I->getOperand(I->getNumOperands() - 1));
  switch (I->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub: {
    std::optional<int> Left = Of(0), Right = Of(1);
    if (!Left || !Right)
      return std::nullopt;
    return I->getOpcode() == Instruction::Add ? *Left + *Right : *Left - *Right;
  }
  case Instruction::And: // Aligned.
    return C && C->isNegative() ? Of(0) : 0;
  case Instruction::Or:
  case Instruction::Xor:
    if (C)
      return Of(0);
    break;
  case Instruction::Freeze:
    return Of(0);
  default:
    return 0;
  }
  return holdsAddress(V) ? std::nullopt : std::optional<int>(0);
}

bool OddIndices::isIn(const GetElementPtrInst &GEP) const {
  constexpr unsigned MaxDepth = 8;
  return any_of(GEP.indices(), [&](const Use &Index) {
    if (!isa<Instruction>(Index) || !Index->getType()->isIntegerTy())
      return false;
    if (Foreign.contains(Index) && !pointerDistance(Index))
      return true;
    // Of integers out of memory, or chosen, it is not known whether they are.
    return !addressesIn(*Index, MaxDepth);
  });
}
