//===- AliasScopes.cpp - what never is at the same place ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/AliasScopes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

void verso::dropScopesOfIterations(Function &F, const LoopInfo &LI) {
  SmallPtrSet<const Metadata *, 8> OfIterations;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Scope = dyn_cast<NoAliasScopeDeclInst>(&I);
        Scope && LI.getLoopFor(I.getParent())) {
      for (const MDOperand &Op : Scope->getScopeList()->operands())
        OfIterations.insert(Op);
      I.eraseFromParent();
    }
  if (OfIterations.empty())
    return;
  for (Instruction &I : instructions(F)) {
    bool Drops = false;
    for (unsigned Kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
      if (MDNode *List = I.getMetadata(Kind))
        Drops |= any_of(List->operands(), [&](const MDOperand &Op) {
          return OfIterations.contains(Op);
        });
    if (Drops) {
      I.setMetadata(LLVMContext::MD_alias_scope, nullptr);
      I.setMetadata(LLVMContext::MD_noalias, nullptr);
    }
  }
}

bool AliasScopes::isMarked(const Instruction &I, Kind K) {
  MDNode *List = I.getMetadata(LLVMContext::MD_alias_scope);
  return List && any_of(List->operands(), [&](const MDOperand &Op) {
           return AliasScopeNode(cast<MDNode>(Op)).getName() == Names[K];
         });
}
