//===- Coroutines.cpp - coroutines as functions ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/Coroutines.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroConditionalWrapper.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"

using namespace llvm;

void verso::splitCoroutines(Module &M, ModuleAnalysisManager &AM) {
  CGSCCPassManager Split;
  Split.addPass(CoroSplitPass());
  ModulePassManager All;
  All.addPass(CoroEarlyPass());
  All.addPass(createModuleToPostOrderCGSCCPassAdaptor(std::move(Split)));
  All.addPass(CoroCleanupPass());
  AM.invalidate(M, CoroConditionalWrapper(std::move(All)).run(M, AM));
}
