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

/// Whether \p Root, a sum, has a term that is one address combined with another
/// by their bits; or whether addresses are left over of those that cancel out.
/// (What comes out of memory or is chosen may be one: that is not told.)
static bool isOddSum(const Value &Root) {
  constexpr unsigned MaxTerms = 64;
  int Addresses = 0;
  bool AllKnown = true;
  SmallVector<std::pair<const Value *, int>, 8> Terms{{&Root, 1}};
  for (unsigned N = 0; N != Terms.size(); ++N) {
    auto [V, Sign] = Terms[N];
    if (isa<PtrToIntOperator>(V)) {
      Addresses += Sign;
      continue;
    }
    auto *I = dyn_cast<Instruction>(V);
    if (!I || N >= MaxTerms) {
      AllKnown &= isa<ConstantInt>(V);
      continue;
    }
    auto *C = dyn_cast<ConstantInt>(I->getOperand(I->getNumOperands() - 1));
    switch (I->getOpcode()) {
    case Instruction::Sub:
      Terms.push_back({I->getOperand(1), -Sign});
      Terms.push_back({I->getOperand(0), Sign});
      break;
    case Instruction::Add:
      Terms.push_back({I->getOperand(1), Sign});
      Terms.push_back({I->getOperand(0), Sign});
      break;
    case Instruction::Freeze:
      Terms.push_back({I->getOperand(0), Sign});
      break;
    case Instruction::And: // An address that is aligned, or its low bits.
      if (C && C->isNegative())
        Terms.push_back({I->getOperand(0), Sign});
      break;
    case Instruction::Or:
    case Instruction::Xor:
      if (C)
        Terms.push_back({I->getOperand(0), Sign});
      else if (holdsAddress(*I))
        return true;
      break;
    default:
      AllKnown &= isa<BinaryOperator>(I);
    }
  }
  return Addresses != 0 && AllKnown;
}

bool OddIndices::isIn(const GetElementPtrInst &GEP) const {
  return any_of(GEP.indices(), [&](const Use &Index) {
    return isa<Instruction>(Index) && Index->getType()->isIntegerTy() &&
           ((Foreign.contains(Index) && !pointerDistance(Index)) ||
            isOddSum(*Index));
  });
}
