//===- Threads.cpp - what threads of differentiated code must not ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/Threads.h"

#include "emit/Location.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

static bool isWait(StringRef Name) {
  static const StringSet<> Waits = {
      "pthread_cond_wait",
      "pthread_cond_timedwait",
      "pthread_cond_clockwait",
      "pthread_barrier_wait",
      "cnd_wait",
      "cnd_timedwait",
      "sem_wait",
      "sem_timedwait",
      "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
      "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono"
      "8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
      "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6"
      "chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"};
  return Waits.contains(Name);
}

/// The program's own; the libraries' are right for one thread.
static bool isVariableOfThread(const Instruction &I) {
  auto *Address = dyn_cast<IntrinsicInst>(&I);
  if (!Address || Address->getIntrinsicID() != Intrinsic::threadlocal_address)
    return false;
  StringRef Name = Address->getArgOperand(0)->getName();
  return !Name.starts_with("_ZSt") && !Name.starts_with("__verso_");
}

static void checkBefore(Instruction &I, StringRef Name) {
  auto *Before = dyn_cast_or_null<CallInst>(I.getPrevNode());
  if (Before && Before->getCalledFunction() &&
      Before->getCalledFunction()->getName() == Name)
    return;
  IRBuilder<> B(&I);
  FunctionCallee Check = I.getModule()->getOrInsertFunction(
      Name, FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
  B.CreateCall(Check, {emitLocation(B, I)});
}

void verso::guardThreads(Function &F) {
  SmallVector<Instruction *, 4> Variables;
  SmallVector<CallBase *, 4> Waits;
  for (Instruction &I : instructions(F)) {
    if (isVariableOfThread(I))
      Variables.push_back(&I);
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && Callee->isDeclaration() && isWait(Callee->getName()))
      Waits.push_back(Call);
  }
  for (Instruction *Variable : Variables)
    checkBefore(*Variable, "__verso_check_thread_local");
  for (CallBase *Wait : Waits) {
    checkBefore(*Wait, "__verso_check_wait");
    if (!Wait->getType()->isVoidTy())
      Wait->replaceAllUsesWith(Constant::getNullValue(Wait->getType()));
    if (auto *Invoke = dyn_cast<InvokeInst>(Wait))
      Wait = changeToCall(Invoke);
    Wait->eraseFromParent();
  }
}

bool verso::mixesThreads(const Function &F) {
  return any_of(instructions(F), isVariableOfThread) &&
         any_of(instructions(F), [](const Instruction &I) {
           auto *Call = dyn_cast<CallBase>(&I);
           return Call && Call->getCalledFunction() &&
                  Call->getCalledFunction()->getName() ==
                      "__verso_begin_thread";
         });
}
