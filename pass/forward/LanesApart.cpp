//===- LanesApart.cpp - several directions in loops over arrays -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/LanesApart.h"

#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral Mark = "verso-lanes-apart";

/// Whether the processor may have vectors of what the call computes.
static bool isPlainArithmetic(const CallBase &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::sqrt:
  case Intrinsic::fabs:
  case Intrinsic::copysign:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::assume:
  case Intrinsic::experimental_noalias_scope_decl:
    return true;
  default:
    return isa<DbgInfoIntrinsic>(Call);
  }
}

/// Whether \p L carries counters and pointers, what it read an iteration
/// before, and no sums but those that may be added up in any order.
static bool hasFreeIterations(Loop &L, DominatorTree &DT) {
  return all_of(L.getHeader()->phis(), [&](PHINode &Phi) {
    auto *Next =
        dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    return Phi.getType()->isIntegerTy() || Phi.getType()->isPointerTy() ||
           (Next && isa<FPMathOperator>(Next) && Next->hasAllowReassoc()) ||
           RecurrenceDescriptor::isFixedOrderRecurrence(&Phi, &L, &DT);
  });
}

static bool mayBeVectorised(Loop &L, LoopAccessInfoManager &Accesses,
                            DominatorTree &DT,
                            function_ref<bool(Value *)> IsNeverMapped) {
  if (!L.isInnermost() || !L.isLoopSimplifyForm() || !hasFreeIterations(L, DT))
    return false;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      auto *Call = dyn_cast<CallBase>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      if ((Call && !isPlainArithmetic(*Call)) ||
          (Store && !IsNeverMapped(Store->getPointerOperand())))
        return false;
    }
  return Accesses.getInfo(L).canVectorizeMemory();
}

bool verso::prefersLanesApart(Function &F, const Activity &A,
                              FunctionAnalysisManager &FAM,
                              function_ref<bool(Value *)> IsNeverMapped) {
  LoopInfo &Loops = FAM.getResult<LoopAnalysis>(F);
  auto &Accesses = FAM.getResult<LoopAccessAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  unsigned InVectors = 0, Elsewhere = 0;
  for (Loop *L : Loops.getLoopsInPreorder()) {
    unsigned Operations = 0;
    for (BasicBlock *Block : L->blocks())
      if (Loops.getLoopFor(Block) == L)
        for (Instruction &I : *Block)
          Operations += A.operation(&I) && A.isActive(&I);
    if (Operations)
      (mayBeVectorised(*L, Accesses, DT, IsNeverMapped) ? InVectors
                                                        : Elsewhere) +=
          Operations;
  }
  return InVectors > Elsewhere;
}

void verso::markLanesApart(Function &F) { F.addFnAttr(Mark); }

void verso::takeLanesApart(Function &F, FunctionAnalysisManager &FAM) {
  if (F.hasFnAttribute(Mark))
    FAM.invalidate(F, ScalarizerPass().run(F, FAM));
}
