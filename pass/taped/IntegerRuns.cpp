//===- IntegerRuns.cpp - integers that hold no number's bits --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation does to the image of an integer takes ten times as many
// instructions as the operation. But images are rare where programs compute
// with integers (hashes, random numbers, indices, flags), and of integers
// without one nothing has one. So a run of such operations asks once:
//
//   if (image(a) | image(b) | ...)     ; all that comes from outside of the run
//     images of what each of them computes
//   else all of them are zero
//
// A run lies in one block, and ends where somebody wants an image of it.
//
//===----------------------------------------------------------------------===//

#include "emit/Companion.h"
#include "taped/Instrumenter.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

/// Whether \p I makes integers of integers, which have no image if those have
/// none. Where granules are shared, images are put together in memory.
bool Instrumenter::joinsRun(const Instruction &I) const {
  return isa<BinaryOperator, SelectInst, TruncInst, ZExtInst, SExtInst>(I) &&
         I.getType()->isIntegerTy() && A.isActive(&I) &&
         !Registry.sharesGranules();
}

/// Whether \p I may want the image of something in \p Run.
static bool endsRun(Instruction &I, const SmallSetVector<Value *, 16> &Run) {
  if (I.isTerminator() || isa<CallBase>(I))
    return true;
  return !isa<ICmpInst, GetElementPtrInst>(I) &&
         any_of(I.operands(), [&](Value *V) { return Run.contains(V); });
}

void Instrumenter::visitInRuns(ArrayRef<Instruction *> Block) {
  SmallSetVector<Value *, 16> Run;
  for (Instruction *I : Block) {
    if (isInert(*I))
      continue;
    if (joinsRun(*I)) {
      Run.insert(I);
      continue;
    }
    if (!Run.empty() && endsRun(*I, Run)) {
      visitRun(Run, *I);
      Run.clear();
    }
    if (!A.operation(I) || isa<SIToFPInst, UIToFPInst>(I))
      visit(*I);
    else if (A.isActive(I) && C.isRecorded(I))
      emitRecord(*I);
  }
}

/// The companions of \p Run, which all that is before \p Before may use.
void Instrumenter::visitRun(const SmallSetVector<Value *, 16> &Run,
                            Instruction &Before) {
  SmallSetVector<Value *, 8> Given;
  for (Value *I : Run)
    for (Value *V : cast<Instruction>(I)->operands())
      if (A.isActive(V) && !Run.contains(V)) {
        Given.insert(companion(V));
        Given.insert(imageByBytes(V));
      }
  auto VisitAll = [&] {
    for (Value *I : Run)
      visit(*cast<Instruction>(I));
  };
  constexpr unsigned LeastOperations = 2;
  if (count_if(Run, IsaPred<BinaryOperator>) < LeastOperations || Given.empty())
    return VisitAll();

  IRBuilder<> B(&Before);
  B.SetCurrentDebugLocation(cast<Instruction>(Run.front())->getDebugLoc());
  Value *Any = B.getFalse();
  for (Value *Image : Given)
    Any = B.CreateOr(Any, B.CreateIsNotNull(Image));
  BasicBlock *Head = Before.getParent();
  RunEnd = SplitBlockAndInsertIfThen(
      Any, &Before, /*Unreachable=*/false,
      MDBuilder(F.getContext()).createUnlikelyBranchWeights());
  // What is written to the tape there is written there alone.
  auto StartSegment = [&](Instruction *At) {
    IRBuilder<> Here(At);
    Tape.startSegment(cast<Instruction>(Tape.next(Here)));
  };
  StartSegment(RunEnd);
  VisitAll();
  BasicBlock *Then = RunEnd->getParent();
  RunEnd = nullptr;
  StartSegment(&Before);

  auto OrNone = [&](Value *&Image) {
    if (isa<Constant>(Image))
      return;
    PHINode *Phi =
        PHINode::Create(Image->getType(), 2, "", Before.getParent()->begin());
    Phi->addIncoming(Constant::getNullValue(Image->getType()), Head);
    Phi->addIncoming(Image, Then);
    Image = Phi;
  };
  for (Value *I : Run) {
    OrNone(CompanionOf[I]);
    if (auto Uncut = UncutImages.find(I); Uncut != UncutImages.end())
      OrNone(Uncut->second);
  }
}
