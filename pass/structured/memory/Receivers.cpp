//===- Receivers.cpp - what a function says of its object -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/Receivers.h"

#include "llvm/IR/InstIterator.h"
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
    Fact What{{}, Callee, true};
    // What leads to its table, and the object, which leads to that.
    constexpr unsigned MaxLoads = 2;
    while (Load && What.Way.size() != MaxLoads) {
      int64_t Distance = 0;
      Value *Base = baseOf(Load->getPointerOperand(), Distance, DL);
      What.Way.insert(What.Way.begin(), {Load, Distance});
      for (const User *U : I.users())
        if (auto *Branch = dyn_cast<BranchInst>(U))
          noteBehind(*Branch, *Base, What, *DT);
      Load = dyn_cast<LoadInst>(Base);
    }
  }
}

/// Both ways behind \p Branch, which is taken to the left if a comparison
/// holds.
void Receivers::noteBehind(const BranchInst &Branch, const Value &Object,
                           Fact What, const DominatorTree &DT) {
  auto *Compare = dyn_cast<ICmpInst>(Branch.getCondition());
  if (!Compare || Branch.getSuccessor(0) == Branch.getSuccessor(1))
    return;
  for (unsigned K : {0, 1}) {
    What.IsCallee = (Compare->getPredicate() == CmpInst::ICMP_EQ) == (K == 0);
    noteUses(Object, {Branch.getParent(), Branch.getSuccessor(K)}, What, DT);
  }
}

void Receivers::noteUses(const Value &P, const BasicBlockEdge &Behind,
                         Fact What, const DominatorTree &DT) {
  const int64_t Distance = What.Way[0].Distance;
  for (const Use &U : P.uses()) {
    auto *User = dyn_cast<Instruction>(U.getUser());
    if (!User)
      continue;
    What.Way[0].Distance = Distance;
    if (DT.dominates(Behind, U)) {
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
    noteUses(*Member, Behind, What, DT);
  }
}

ArrayRef<Receivers::Fact> Receivers::factsAt(const Use &U) const {
  auto It = Facts.find(&U);
  return It == Facts.end() ? ArrayRef<Fact>() : ArrayRef<Fact>(It->second);
}
