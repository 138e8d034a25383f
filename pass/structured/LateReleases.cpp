//===- LateReleases.cpp - memory that the verso still needs ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/LateReleases.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// Whether it may be called with null, to no effect.
static bool acceptsNull(const Function &F) {
  return F.getName() == "free" || F.getName().starts_with("_Zd");
}

/// Whether all that \p L does beside arithmetic is to read, write and release
/// memory.
static bool allocatesNothing(const Loop &L, const TargetLibraryInfo *TLI) {
  return all_of(L.blocks(), [&](const BasicBlock *Block) {
    return all_of(*Block, [&](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(Call))
        return true;
      CallModel Model = modelCall(*Call, TLI);
      return Model.K == CallModel::Operation ||
             (Model.K == CallModel::Library && Model.Known &&
              Model.Known->K == KnownCall::Free);
    });
  });
}

/// What the runtime can call later: a pointer, and up to two sizes.
static bool canBeListed(const CallInst &Call) {
  return Call.getType()->isVoidTy() && Call.arg_size() <= 3 &&
         all_of(enumerate(Call.args()), [](const auto &Each) {
           Type *T = Each.value()->getType();
           return Each.index() ? T->isIntegerTy(64) : T->isPointerTy();
         });
}

void LateReleases::deferInLoop(CallInst &Call, Slots &S) {
  IRBuilder<> B(&Call);
  IRBuilder<> Entry(
      &*Call.getFunction()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *List = S.create(B.getPtrTy(), "released");
  Slots::set(Entry, List, ConstantPointerNull::get(B.getPtrTy()));
  SmallVector<Value *, 4> Arguments{Slots::get(B, List)};
  append_range(Arguments, Call.args());
  Arguments.resize(4, B.getInt64(0));
  Slots::set(B, List, callRuntime(B, RuntimeFunction::ReleaseLater, Arguments));
  Lists.push_back({List, Call.getCalledOperand(), Call.arg_size()});
  Call.eraseFromParent();
}

void LateReleases::Listed::release(IRBuilderBase &B) const {
  callRuntime(B, RuntimeFunction::ReleaseListed,
              {Slots::get(B, List), Release, B.getInt32(Arguments)});
}

void LateReleases::defer(Function &F, const LoopInfo &LI,
                         const DominatorTree &DT, const TargetLibraryInfo *TLI,
                         Slots &S, bool MayList) {
  const BasicBlock *Last = nullptr;
  for (BasicBlock &Block : F)
    if (isa<ReturnInst>(Block.getTerminator()))
      Last = &Block;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !Last)
      continue;
    CallModel Model = modelCall(*Call, TLI);
    if (Model.K != CallModel::Library || !Model.Known ||
        Model.Known->K != KnownCall::Free)
      continue;
    if (const Loop *Inner = LI.getLoopFor(I.getParent())) {
      if (MayList && canBeListed(*Call) &&
          allocatesNothing(*Inner->getOutermostLoop(), TLI))
        deferInLoop(*Call, S);
      continue;
    }
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
  for (const Listed &Each : Lists)
    Each.release(B);
}

Instruction *verso::wayOut(BasicBlock &Block) {
  Instruction *T = Block.getTerminator();
  if (isa<ResumeInst>(T))
    return T;
  // Those that are unreachable may have been joined.
  auto *Branch = dyn_cast<BranchInst>(T);
  const Instruction *Next = Branch && Branch->isUnconditional()
                                ? &Branch->getSuccessor(0)->front()
                                : T;
  auto *Call = dyn_cast_or_null<CallInst>(T->getPrevNode());
  return isa<UnreachableInst>(Next) && Call && !Call->doesNotThrow() ? Call
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
      for (const Listed &Each : Lists)
        Each.release(B);
    }
}

void LateReleases::discard() {
  for (Release &Late : All)
    if (!Late.Call->getParent())
      Late.Call->deleteValue();
  All.clear();
}
