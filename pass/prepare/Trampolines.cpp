//===- Trampolines.cpp - nested functions as arguments --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/Trampolines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

static bool is(const Value *V, Intrinsic::ID Id) {
  auto *Call = dyn_cast<IntrinsicInst>(V);
  return Call && Call->getIntrinsicID() == Id;
}

bool verso::takesTrampoline(const CallBase &Call) {
  return any_of(Call.args(), [](const Use &U) {
    return is(U->stripPointerCasts(), Intrinsic::adjust_trampoline);
  });
}

bool verso::dropTrampolines(Function &F) {
  SmallVector<Instruction *, 4> Dead;
  for (Instruction &I : instructions(F))
    if (is(&I, Intrinsic::adjust_trampoline) && I.use_empty())
      Dead.push_back(&I);
  for (Instruction *I : Dead)
    I->eraseFromParent();
  bool Changed = !Dead.empty();
  Dead.clear();
  for (Instruction &I : instructions(F)) {
    if (!is(&I, Intrinsic::init_trampoline))
      continue;
    auto *Code = dyn_cast<AllocaInst>(I.getOperand(0)->stripPointerCasts());
    if (Code && all_of(Code->users(), [](const User *U) {
          return is(U, Intrinsic::init_trampoline) ||
                 cast<Instruction>(U)->isLifetimeStartOrEnd();
        }))
      Dead.push_back(&I);
  }
  for (Instruction *I : Dead)
    I->eraseFromParent();
  return Changed || !Dead.empty();
}
