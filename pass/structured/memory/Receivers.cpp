//===- Receivers.cpp - what a function says of its object -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/Receivers.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;
using namespace verso;

/// \p P without constant distances, which are \p Distance.
static Value *baseOf(Value *P, int64_t &Distance, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
  P = P->stripAndAccumulateConstantOffsets(DL, Offset,
                                           /*AllowNonInbounds=*/true);
  Distance = Offset.getSExtValue();
  return P;
}

const Function *verso::comparedFunction(const Instruction &I,
                                        LoadInst *&Loaded) {
  auto *Compare = dyn_cast<ICmpInst>(&I);
  if (!Compare || !Compare->isEquality())
    return nullptr;
  for (unsigned K : {0, 1}) {
    Loaded = dyn_cast<LoadInst>(Compare->getOperand(K));
    auto *Callee = dyn_cast<Function>(Compare->getOperand(1 - K));
    // Others may be one function in the end, if they are equal.
    if (Loaded && Callee && !Callee->hasAtLeastLocalUnnamedAddr())
      return Callee;
  }
  return nullptr;
}

Receivers::Receivers(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  std::optional<DominatorTree> DT;
  for (Instruction &I : instructions(F)) {
    LoadInst *Load = nullptr;
    const Function *Callee = comparedFunction(I, Load);
    if (!Callee)
      continue;
    if (!DT)
      DT.emplace(F);
    const bool IsEqual = cast<ICmpInst>(I).getPredicate() == CmpInst::ICMP_EQ;
    Fact What{{}, Callee};
    // What leads to its table, and the object, which leads to that.
    constexpr unsigned MaxLoads = 2;
    while (Load && What.Way.size() != MaxLoads) {
      int64_t Distance = 0;
      Value *Base = baseOf(Load->getPointerOperand(), Distance, DL);
      What.Way.insert(What.Way.begin(), {Load, Distance});
      for (const User *U : I.users()) {
        auto *Branch = dyn_cast<BranchInst>(U);
        auto *Assumption = dyn_cast<AssumeInst>(U);
        if (Branch && Branch->getSuccessor(0) != Branch->getSuccessor(1)) {
          const BasicBlockEdge Taken{Branch->getParent(),
                                     Branch->getSuccessor(IsEqual ? 0 : 1)};
          noteUses(
              *Base, [&](const Use &At) { return DT->dominates(Taken, At); },
              What);
        } else if (Assumption && IsEqual) { // Of the last one of a chain.
          noteUses(
              *Base,
              [&](const Use &At) { return DT->dominates(Assumption, At); },
              What);
        }
      }
      Load = dyn_cast<LoadInst>(Base);
    }
  }
}

void Receivers::noteUses(const Value &P,
                         function_ref<bool(const Use &)> IsBehind, Fact What) {
  const int64_t Distance = What.Way[0].Distance;
  for (const Use &U : P.uses()) {
    auto *User = dyn_cast<Instruction>(U.getUser());
    if (!User)
      continue;
    What.Way[0].Distance = Distance;
    if (IsBehind(U)) {
      Facts[&U].push_back(What);
      Users.insert(User);
    }
    // A member's address may have been computed before.
    auto *Member = dyn_cast<GetElementPtrInst>(User);
    if (!Member)
      continue;
    const DataLayout &DL = User->getDataLayout();
    APInt Offset(DL.getIndexTypeSizeInBits(Member->getType()), 0);
    if (!Member->accumulateConstantOffset(DL, Offset))
      continue;
    What.Way[0].Distance = Distance - Offset.getSExtValue();
    noteUses(*Member, IsBehind, What);
  }
}

ArrayRef<Receivers::Fact> Receivers::factsAt(const Use &U) const {
  auto It = Facts.find(&U);
  return It == Facts.end() ? ArrayRef<Fact>() : ArrayRef<Fact>(It->second);
}
