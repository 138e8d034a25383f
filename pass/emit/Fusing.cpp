//===- Fusing.cpp - whether products and sums may be one ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Fusing.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace verso;

bool verso::mayFuse(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    return (Call && Call->getIntrinsicID() == Intrinsic::fmuladd) ||
           (isa<FPMathOperator>(I) && I.hasAllowContract());
  });
}
