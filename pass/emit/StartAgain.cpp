//===- StartAgain.cpp - a request that goes on by its tape ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/StartAgain.h"
#include "LLVMCompat.h"
#include "emit/Runtime.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

static constexpr StringLiteral Name = "__verso_start_again";

CallInst *verso::emitStartAgain(IRBuilderBase &B, Value *Exception,
                                Value *Handlers) {
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Callee =
      M.getOrInsertFunction(Name, B.getVoidTy(), B.getPtrTy(), B.getInt64Ty());
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotReturn();
  F->addFnAttr(Attribute::Cold);
  // What was written until then is this function's own.
  F->setMemoryEffects(MemoryEffects::readOnly() |
                      MemoryEffects::inaccessibleMemOnly());
  return inert(B.CreateCall(Callee, {Exception, Handlers}));
}

bool verso::startsAgain(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName() == Name;
}

static void emitCatch(IRBuilderBase &B, Value *Exception) {
  Module &M = *B.GetInsertBlock()->getModule();
  B.CreateCall(
       M.getOrInsertFunction("__cxa_begin_catch", B.getPtrTy(), B.getPtrTy()),
       Exception)
      ->setDoesNotThrow();
}

static void emitEndCatch(IRBuilderBase &B) {
  Module &M = *B.GetInsertBlock()->getModule();
  B.CreateCall(M.getOrInsertFunction("__cxa_end_catch", B.getVoidTy()))
      ->setDoesNotThrow();
}

/// Catches the exception that is on its way, if there is one, and leaves all
/// handlers.
static void endExceptions(CallInst &Before) {
  Value *Exception = Before.getArgOperand(0),
        *Handlers = Before.getArgOperand(1);
  IRBuilder<> B(&Before);
  if (!isa<ConstantPointerNull>(Exception)) {
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Exception),
                                               Before.getIterator(),
                                               /*Unreachable=*/false));
    emitCatch(B, Exception);
    emitEndCatch(B);
  }
  if (!match(Handlers, m_ZeroInt())) {
    B.SetInsertPoint(&Before);
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Handlers),
                                               Before.getIterator(),
                                               /*Unreachable=*/false));
    B.SetInsertPoint(compat::insertLoop(Handlers, &*B.GetInsertPoint()));
    emitEndCatch(B);
  }
}

GlobalVariable *verso::lowerStartAgain(Module &M, Function &Other) {
  LLVMContext &C = M.getContext();
  Type *Byte = Type::getInt8Ty(C);
  auto *Flag = new GlobalVariable(M, Byte, /*isConstant=*/false,
                                  GlobalValue::InternalLinkage,
                                  ConstantInt::get(Byte, 0), "verso.strayed");
  Function *F = M.getFunction(Name);
  while (F && !F->use_empty()) {
    auto *Call = cast<CallInst>(F->user_back());
    SmallVector<Value *, 16> Arguments;
    for (Argument &A : Call->getFunction()->args())
      Arguments.push_back(&A);
    endExceptions(*Call);
    IRBuilder<> B(Call);
    B.CreateAlignedStore(B.getInt8(1), Flag, Align(1))
        ->setAtomic(AtomicOrdering::Monotonic);
    CallInst *Result = B.CreateCall(&Other, Arguments);
    Result->setCallingConv(Other.getCallingConv());
    Instruction *End =
        Result->getType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Result);
    changeToUnreachable(End->getNextNode());
    End->getNextNode()->eraseFromParent();
  }
  if (F)
    F->eraseFromParent();
  return Flag;
}
