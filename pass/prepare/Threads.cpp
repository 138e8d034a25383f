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

#include <optional>

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
      "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
      "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono"
      "8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
      "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6"
      "chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"};
  return Waits.contains(Name);
}

static bool isSemaphoreWait(StringRef Name) {
  return Name == "sem_wait" || Name == "sem_timedwait" ||
         Name == "sem_clockwait";
}

/// What std::atomic::wait, latches and semaphores of the library ask the
/// kernel for: FUTEX_WAIT and the like, without flags.
static std::optional<uint64_t> futexOperation(const CallBase &Call) {
  constexpr uint64_t Futex = 202; // SYS_futex of x86-64.
  constexpr uint64_t Flags = 128 | 256;
  auto Constant = [&](unsigned K) {
    return Call.arg_size() > K ? dyn_cast<ConstantInt>(Call.getArgOperand(K))
                               : nullptr;
  };
  const ConstantInt *Number = Constant(0), *Operation = Constant(2);
  if (Call.arg_size() < 4 || !Number || Number->getZExtValue() != Futex ||
      !Operation || !Call.getArgOperand(1)->getType()->isPointerTy() ||
      !Call.getArgOperand(3)->getType()->isIntegerTy())
    return std::nullopt;
  return Operation->getZExtValue() & ~Flags;
}

/// The program's own; the libraries' are right for one thread.
static bool isVariableOfThread(const Instruction &I) {
  auto *Address = dyn_cast<IntrinsicInst>(&I);
  if (!Address || Address->getIntrinsicID() != Intrinsic::threadlocal_address)
    return false;
  StringRef Name = Address->getArgOperand(0)->getName();
  return !Name.starts_with("_ZSt") && !Name.starts_with("__verso_");
}

static CallInst *callBefore(Instruction &I, StringRef Name,
                            ArrayRef<Value *> Arguments) {
  IRBuilder<> B(&I);
  SmallVector<Type *, 3> Types;
  for (Value *A : Arguments)
    Types.push_back(A->getType());
  return B.CreateCall(I.getModule()->getOrInsertFunction(
                          Name, FunctionType::get(B.getVoidTy(), Types, false)),
                      Arguments);
}

static Value *place(Instruction &I) {
  IRBuilder<> B(&I);
  return emitLocation(B, I);
}

static void checkVariable(Instruction &Variable) {
  constexpr StringLiteral Name = "__verso_check_thread_local";
  auto *Before = dyn_cast_or_null<CallInst>(Variable.getPrevNode());
  if (!Before || !Before->getCalledFunction() ||
      Before->getCalledFunction()->getName() != Name)
    callBefore(Variable, Name, {place(Variable)});
}

/// Puts the runtime's call before one that waits or wakes. Returns whether it
/// is in its place.
static bool callInPlaceOf(CallBase &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  if (isWait(Name)) {
    callBefore(Call, "__verso_check_wait", {place(Call)});
    return true;
  }
  if (isSemaphoreWait(Name)) {
    callBefore(Call, "__verso_wait_for_semaphore",
               {Call.getArgOperand(0), place(Call)});
    return true;
  }
  constexpr uint64_t Wait = 0, Wake = 1, WaitBits = 9, WakeBits = 10;
  std::optional<uint64_t> Futex;
  if (Name == "syscall")
    Futex = futexOperation(Call);
  auto Int = [&](unsigned K) {
    IRBuilder<> B(&Call);
    return B.CreateZExtOrTrunc(Call.getArgOperand(K), B.getInt32Ty());
  };
  if (Futex == Wait || Futex == WaitBits) {
    callBefore(Call, "__verso_wait_for_word",
               {Call.getArgOperand(1), Int(3), place(Call)});
    return true;
  }
  if (Futex == Wake || Futex == WakeBits) {
    callBefore(Call, "__verso_wake_word",
               {Call.getArgOperand(1), Int(2), Int(3)});
    return true;
  }
  return false;
}

void verso::guardThreads(Function &F) {
  SmallVector<Instruction *, 4> Variables;
  SmallVector<CallBase *, 4> Calls;
  for (Instruction &I : instructions(F)) {
    if (isVariableOfThread(I))
      Variables.push_back(&I);
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && Callee->isDeclaration())
      Calls.push_back(Call);
  }
  for (Instruction *Variable : Variables)
    checkVariable(*Variable);
  for (CallBase *Call : Calls) {
    if (!callInPlaceOf(*Call))
      continue;
    if (!Call->getType()->isVoidTy())
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Invoke);
    Call->eraseFromParent();
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
