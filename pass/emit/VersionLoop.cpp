//===- VersionLoop.cpp - a loop in two versions ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/VersionLoop.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

Loop &verso::versionLoop(Loop &L, Value *Condition, StringRef Suffix,
                         ValueToValueMapTy &Map, LoopInfo &LI,
                         DominatorTree &DT, ScalarEvolution &SE) {
  BasicBlock *Exit = L.getExitBlock(), *Latch = L.getLoopLatch();
  BasicBlock *Check = L.getLoopPreheader();
  assert(Exit && Check && L.getExitingBlock() == Latch && "the loop's form");
  BasicBlock *Preheader = SplitBlock(Check, Check->getTerminator(), &DT, &LI);
  SmallVector<BasicBlock *, 8> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Preheader, Check, &L, Map, Suffix, &LI,
                                      &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  IRBuilder<> B(Check->getTerminator());
  // What is compared may be poison where the loop is; a branch may not.
  Value *Test = Condition ? B.CreateFreeze(Condition) : B.getTrue();
  B.CreateCondBr(Test, Preheader, Copy->getLoopPreheader());
  Check->getTerminator()->eraseFromParent();
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValueForBlock(Latch);
    auto It = Map.find(V);
    Phi.addIncoming(It == Map.end() ? V : static_cast<Value *>(It->second),
                    cast<BasicBlock>(Map[Latch]));
  }
  DT.changeImmediateDominator(Exit, Check);
  SE.forgetLoop(&L);
  formDedicatedExitBlocks(&L, &DT, &LI, nullptr, /*PreserveLCSSA=*/true);
  formDedicatedExitBlocks(Copy, &DT, &LI, nullptr, /*PreserveLCSSA=*/true);
  return *Copy;
}
