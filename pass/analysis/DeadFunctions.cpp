//===- DeadFunctions.cpp - what nothing leads to --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/DeadFunctions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

SmallPtrSet<const Function *, 16> verso::findDeadFunctions(const Module &M) {
  SmallPtrSet<const Constant *, 32> Live;
  SmallVector<const Constant *, 32> Work;
  auto Reach = [&](const Value *V) {
    if (auto *C = dyn_cast<Constant>(V); C && Live.insert(C).second)
      Work.push_back(C);
  };
  for (const GlobalValue &G : M.global_values())
    if (!G.isDeclaration() && !G.isDiscardableIfUnused())
      Reach(&G);
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    for (const Value *Operand : C->operands())
      Reach(Operand);
    if (auto *F = dyn_cast<Function>(C))
      for (const Instruction &I : instructions(*F))
        for (const Value *Operand : I.operands())
          Reach(Operand);
  }
  SmallPtrSet<const Function *, 16> Dead;
  for (const Function &F : M)
    if (!F.isDeclaration() && !Live.contains(&F))
      Dead.insert(&F);
  return Dead;
}
