//===- ScalarizeVectors.cpp - takes vectors apart -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/ScalarizeVectors.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

void verso::separateInvokes(Function &F) {
  SmallVector<InvokeInst *, 8> Invokes;
  for (BasicBlock &Block : F)
    if (auto *I = dyn_cast<InvokeInst>(Block.getTerminator()))
      Invokes.push_back(I);
  for (InvokeInst *I : Invokes) {
    BasicBlock *Normal = I->getNormalDest();
    if (!Normal->getSinglePredecessor())
      SplitEdge(I->getParent(), Normal);
    else
      FoldSingleEntryPHINodes(Normal);
  }
}

/// Whether \p I gives a vector, or a pointer that a vector is accessed by.
static bool givesVector(const InvokeInst &I) {
  if (I.getType()->isVectorTy())
    return true;
  return any_of(I.users(), [&](const User *U) {
    return getLoadStorePointerOperand(U) == &I &&
           getLoadStoreType(const_cast<User *>(U))->isVectorTy();
  });
}

PreservedAnalyses ScalarizeVectorsPass::run(Function &F,
                                            FunctionAnalysisManager &FAM) {
  SmallVector<InvokeInst *, 4> Invokes;
  for (BasicBlock &Block : F)
    if (auto *I = dyn_cast<InvokeInst>(Block.getTerminator());
        I && givesVector(*I))
      Invokes.push_back(I);
  // What comes after inserts code behind invokes, too.
  separateInvokes(F);
  for (InvokeInst *I : Invokes) {
    BasicBlock *Normal = I->getNormalDest();
    IRBuilder<> B(Normal, Normal->getFirstInsertionPt());
    Value *Struct = PoisonValue::get(StructType::get(I->getType()));
    Value *Wrapped = B.CreateInsertValue(Struct, I, 0);
    Value *Copy = B.CreateExtractValue(Wrapped, 0);
    I->replaceUsesWithIf(Copy, [&](Use &U) { return U.getUser() != Wrapped; });
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  ScalarizerPassOptions Options;
  Options.ScalarizeLoadStore = true;
  ScalarizerPass(Options).run(F, FAM);
  return PreservedAnalyses::none();
}
