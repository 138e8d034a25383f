//===- MaskedAccesses.cpp - masked loads and stores -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/MaskedAccesses.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"

using namespace llvm;
using namespace verso;

void verso::scalarizeMaskedAccesses(Function &F) {
  static constexpr Intrinsic::ID Masked[] = {
      Intrinsic::masked_load,       Intrinsic::masked_store,
      Intrinsic::masked_gather,     Intrinsic::masked_scatter,
      Intrinsic::masked_expandload, Intrinsic::masked_compressstore};
  if (none_of(instructions(F), [](const Instruction &I) {
        auto *Call = dyn_cast<IntrinsicInst>(&I);
        return Call && is_contained(Masked, Call->getIntrinsicID());
      }))
    return;
  FunctionAnalysisManager NoTarget;
  PassBuilder().registerFunctionAnalyses(NoTarget);
  NoTarget.registerPass([] { return PassInstrumentationAnalysis(); });
  ScalarizeMaskedMemIntrinPass().run(F, NoTarget);
}
