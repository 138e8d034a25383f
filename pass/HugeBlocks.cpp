//===- HugeBlocks.cpp - limits the size of basic blocks -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HugeBlocks.h"
#include "emit/Runtime.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral NotVectorised = "verso-not-vectorised";

/// Where \p Block is to be cut, in order. Allocas stay in its first piece, and
/// what has to stand together with the terminator in the last one.
static SmallVector<Instruction *, 16> placesOfCuts(BasicBlock &Block,
                                                   unsigned MaxSize) {
  SmallVector<Instruction *, 16> Places;
  unsigned Size = 0;
  for (Instruction &I : Block) {
    if (isa<AllocaInst>(I))
      Places.clear();
    if (++Size < MaxSize || isa<PHINode, AllocaInst>(I) || I.isEHPad())
      continue;
    Places.push_back(&I);
    Size = 0;
  }
  // A last piece of a few instructions is worth nothing, and a musttail call
  // has to stand before its return.
  if (!Places.empty() && Size < MaxSize / 4)
    Places.pop_back();
  return Places;
}

SmallVector<BasicBlock *, 0> verso::cutHugeBlocks(Function &F, unsigned Huge,
                                                  unsigned MaxSize) {
  SmallVector<BasicBlock *, 0> Pieces;
  for (BasicBlock &Block : make_early_inc_range(F)) {
    if (Block.size() < Huge)
      continue;
    SmallVector<Instruction *, 16> Places = placesOfCuts(Block, MaxSize);
    // From the end: a cut moves all that follows it.
    for (Instruction *At : reverse(Places))
      Pieces.push_back(Block.splitBasicBlock(At));
  }
  return Pieces;
}

void verso::separateHugeBlocks(Function &F) {
  // Few programs have such blocks but those that were generated.
  constexpr unsigned Huge = 4000, MaxSize = 500;
  auto *Nothing =
      FunctionType::get(Type::getVoidTy(F.getContext()), /*isVarArg=*/false);
  auto Pieces = cutHugeBlocks(F, Huge, MaxSize);
  for (BasicBlock *Piece : Pieces) {
    Instruction *Branch = Piece->getSinglePredecessor()->getTerminator();
    auto *Fence = CallBrInst::Create(
        Nothing, InlineAsm::get(Nothing, "", "", /*hasSideEffects=*/true),
        Piece, {}, {}, "", Branch->getIterator());
    Fence->setDoesNotThrow();
    Fence->setDoesNotAccessMemory();
    Branch->eraseFromParent();
  }
  // InstCombine sinks from piece to piece, so that some grow again, and the SLP
  // vectoriser took 400 us an instruction there. It asks for this attribute.
  if (!Pieces.empty() && !F.hasFnAttribute(Attribute::NoImplicitFloat)) {
    F.addFnAttr(Attribute::NoImplicitFloat);
    F.addFnAttr(NotVectorised);
  }
}

void verso::keepLoopsOfLarge(Function &F) {
  constexpr unsigned Large = 15000;
  if (F.getInstructionCount() < Large)
    return;
  const DominatorTree DT(F);
  LoopInfo LI(DT);
  for (Loop *L : LI.getLoopsInPreorder())
    addStringMetadataToLoop(L, "llvm.loop.unroll.runtime.disable", 1);
}

void verso::revisitChangedBlocksOnly() {
  cl::Option *Huge = cl::getRegisteredOptions().lookup("cgpp-huge-func");
  if (Huge && !Huge->getNumOccurrences())
    Huge->addOccurrence(0, Huge->ArgStr, "100");
}

/// Whether code generation takes the short way with \p F. The verifier knows
/// attributes that do not go with it.
static bool takesShortWay(Function &F) {
  constexpr unsigned Seconds = 16000; // of work for code generation
  // Where LLVM's CodeGenPrepare goes over all blocks for each change.
  constexpr unsigned ManyBlocks = 10000;
  if (F.hasFnAttribute(Attribute::AlwaysInline) || F.hasOptSize())
    return false;
  return F.size() >= ManyBlocks || (F.getInstructionCount() >= Seconds &&
                                    LoopInfo(DominatorTree(F)).empty());
}

PreservedAnalyses AfterVectorizersPass::run(Module &M,
                                            ModuleAnalysisManager &) {
  for (Function &F : M) {
    const bool IsCut = F.hasFnAttribute(NotVectorised);
    if (IsCut) {
      F.removeFnAttr(Attribute::NoImplicitFloat);
      F.removeFnAttr(NotVectorised);
    }
    if ((IsCut || isGenerated(F)) && takesShortWay(F)) {
      F.addFnAttr(Attribute::OptimizeNone);
      F.addFnAttr(Attribute::NoInline);
    }
  }
  return PreservedAnalyses::all();
}
