//===- LateReleases.cpp - memory that the verso still needs ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/LateReleases.h"
#include "analysis/CallModel.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

/// Whether it may be called with null, to no effect.
static bool acceptsNull(const Function &F) {
  return F.getName() == "free" || F.getName().starts_with("_Zd");
}

void LateReleases::defer(Function &F, const LoopInfo &LI,
                         const DominatorTree &DT, const TargetLibraryInfo *TLI,
                         Slots &S) {
  const BasicBlock *Last = nullptr;
  for (BasicBlock &Block : F)
    if (isa<ReturnInst>(Block.getTerminator()))
      Last = &Block;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || LI.getLoopFor(I.getParent()) || !Last)
      continue;
    CallModel Model = modelCall(*Call, TLI);
    if (Model.K != CallModel::Library || !Model.Known ||
        Model.Known->K != KnownCall::Free)
      continue;
    bool Always = DT.dominates(I.getParent(), Last);
    if (!Always && (!acceptsNull(*Model.Callee) ||
                    !isPotentiallyReachable(I.getParent(), Last)))
      continue;
    IRBuilder<> B(Call);
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Release Late{Call};
    for (unsigned N = 0; N != Call->arg_size(); ++N) {
      // It may be called with null now.
      Call->removeParamAttrs(N, AttributeFuncs::getUBImplyingAttributes());
      Call->removeParamAttr(N, Attribute::NonNull);
      Value *A = Call->getArgOperand(N);
      if (isa<llvm::Constant>(A))
        continue;
      AllocaInst *Slot = S.create(A->getType(), "released");
      Slots::set(Entry, Slot, llvm::Constant::getNullValue(A->getType()));
      Slots::set(B, Slot, A);
      Call->setArgOperand(N, UndefValue::get(A->getType()));
      Late.Arguments.push_back({N, Slot});
    }
    Call->removeFromParent();
    All.push_back(std::move(Late));
  }
}

void LateReleases::emit(BasicBlock &End) {
  IRBuilder<> B(&End);
  for (Release &Late : All) {
    Late.setArguments(*Late.Call, B);
    B.Insert(Late.Call);
  }
}

Instruction *verso::wayOut(BasicBlock &Block) {
  Instruction *T = Block.getTerminator();
  if (isa<ResumeInst>(T))
    return T;
  auto *Call = dyn_cast_or_null<CallInst>(T->getPrevNode());
  return isa<UnreachableInst>(T) && Call && !Call->doesNotThrow() ? Call
                                                                  : nullptr;
}

void LateReleases::emitWhereExceptionsLeave(Function &F) {
  for (BasicBlock &Block : F)
    if (Instruction *Way = wayOut(Block)) {
      IRBuilder<> B(Way);
      for (const Release &Late : All)
        if (acceptsNull(*Late.Call->getCalledFunction())) {
          auto *Copy = cast<CallInst>(Late.Call->clone());
          Late.setArguments(*Copy, B);
          B.Insert(Copy);
        }
    }
}

void LateReleases::discard() {
  for (Release &Late : All)
    if (!Late.Call->getParent())
      Late.Call->deleteValue();
  All.clear();
}
