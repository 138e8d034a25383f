//===- InactiveBodies.cpp - inactive functions as code --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/InactiveBodies.h"
#include "Diagnostics.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"
#include "prepare/OpenMP.h"
#include "prepare/Prepare.h"
#include "prepare/Threads.h"
#include "rules/Detached.h"
#include "rules/KnownCalls.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

InactiveBodies::~InactiveBodies() {
  for (auto &[F, Copy] : Copies)
    Copy->dropAllReferences();
  for (auto &[F, Copy] : Copies) {
    FAM.clear(*Copy, Copy->getName());
    Copy->eraseFromParent();
  }
}

Function *InactiveBodies::get(Function &F) {
  if (Function *Known = Copies.lookup(&F))
    return Known;
  size_t First = Copies.size();
  Function *Result = copy(F);
  for (size_t K = First; K != Copies.size() && !Refused; ++K)
    redirect(*(Copies.begin() + K)->second);
  for (size_t K = First; K != Copies.size() && !Refused; ++K)
    detach(*(Copies.begin() + K)->second);
  return Refused ? nullptr : Result;
}

Function *InactiveBodies::copy(Function &F) {
  if (Function *Known = Copies.lookup(&F))
    return Known;
  ValueToValueMapTy Values;
  Function *Copy = CloneFunction(&F, Values);
  // The name may be the mark.
  Copy->setName("verso.body");
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::OptimizeNone);
  Copy->removeFnAttr(Attribute::NoInline);
  removeInactiveMarks(*Copy);
  answerIsDifferentiated(*Copy);
  replaceLibrary(*Copy, /*IsFlattened=*/true);
  serializeTeams(*Copy);
  guardThreads(*Copy);
  Copies[&F] = Copy;
  return Copy;
}

/// Whether a function of the library does nothing with numbers in memory, or
/// what detach() sees of it.
static bool isUnderstood(const KnownCall &K) {
  return K.FirstScanned < 0 && K.K != KnownCall::Sort &&
         K.K != KnownCall::Reallocate &&
         (K.K != KnownCall::Copy || K.Size >= 0);
}

void InactiveBodies::redirect(Function &Copy) {
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(Copy);
  SmallVector<CallBase *, 16> Calls;
  for (Instruction &I : instructions(Copy))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !isInert(I))
      Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    if (const Function *Callee = Call->getCalledFunction();
        Callee && Callee->getName() == "verso_forget") {
      // Whatever it held before, it is constant.
      IRBuilder<> B(Call);
      emitDetachNumbers(B, Call->getArgOperand(0), Call->getArgOperand(1));
      if (auto *Invoke = dyn_cast<InvokeInst>(Call))
        Call = changeToCall(Invoke);
      Call->eraseFromParent();
      continue;
    }
    CallModel M = modelCall(*Call, TLI);
    bool IsBody = M.K == CallModel::Direct || M.K == CallModel::Silent;
    if (!IsBody) {
      if (M.K == CallModel::Indirect || (M.Known && !isUnderstood(*M.Known)))
        return Refused.add("an inactive function that may overwrite numbers",
                           Call);
      continue;
    }
    if (M.Callee->isVarArg() ||
        M.Callee->getFunctionType() != Call->getFunctionType())
      return Refused.add("an inactive function that may overwrite numbers",
                         Call);
    Call->setCalledOperand(copy(*M.Callee));
  }
}

/// Whether what \p I does at once is a load, a store, or a change of an integer
/// (a counter, the level of a log): no number is exchanged.
static bool isDetachedAtomic(const Instruction &I) {
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return Update->getType()->isIntegerTy() &&
           Update->getOperation() != AtomicRMWInst::Xchg;
  return isa<LoadInst, StoreInst>(I);
}

void InactiveBodies::detach(Function &Copy) {
  // What goes through local variables alone was detached when it came.
  FunctionPassManager Simplify;
  Simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
  Simplify.addPass(EarlyCSEPass());
  Simplify.addPass(SimplifyCFGPass());
  Simplify.run(Copy, FAM);
  FAM.invalidate(Copy, PreservedAnalyses::none());
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(Copy);
  SmallVector<Instruction *, 32> Work;
  for (Instruction &I : instructions(Copy))
    if (!isInert(I) && I.mayReadOrWriteMemory())
      Work.push_back(&I);
  auto Replace = [](IRBuilderBase &B, Value *X) {
    SmallVector<Use *, 8> Uses;
    for (Use &U : X->uses())
      Uses.push_back(&U);
    Value *Detached = emitDetached(B, X);
    for (Use *U : Uses)
      U->set(Detached);
  };
  IRBuilder<> B(Copy.getContext());
  for (Instruction *I : Work) {
    auto *Call = dyn_cast<CallBase>(I);
    if (Call && !isa<IntrinsicInst>(Call)) {
      CallModel M = modelCall(*Call, TLI);
      if (!M.Known || M.Known->K != KnownCall::Copy)
        continue;
    }
    if (isa<InvokeInst>(I) || (I->isAtomic() && !isDetachedAtomic(*I)))
      return Refused.add("an inactive function that may overwrite numbers", I);
    B.SetInsertPoint(I->getNextNode());
    B.SetCurrentDebugLocation(I->getDebugLoc());
    if (Call)
      if (CallModel M = modelCall(*Call, TLI);
          M.Known && M.Known->K == KnownCall::Copy) {
        emitDetachNumbers(B, Call->getArgOperand(M.Known->Destination),
                          bytesOfCall(B, *Call, *M.Known));
        continue;
      }
    if (!I->isTerminator() && mayBeDetached(I->getType()))
      Replace(B, I);
  }
  B.SetInsertPoint(&*Copy.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(DebugLoc());
  for (Argument &A : Copy.args())
    if (mayBeDetached(A.getType()) && !A.use_empty())
      Replace(B, &A);
}
