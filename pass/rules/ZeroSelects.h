//===- ZeroSelects.h - a test of zero for each choice -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a zero adjoint is multiplied by may be infinite, so products are chosen,
// often several by one adjoint (both of a quotient's, say):
//
//   c = t == 0;  a = c ? 0 : t * p;  b = c ? 0 : t * q
//
// x86 compares into a mask that is made for one choice. A comparison that has
// several goes through the flags and integer registers, or becomes branches,
// and all that comes after it waits: so each choice gets a comparison of its
// own, in words that nobody makes one again.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_ZEROSELECTS_H
#define VERSO_RULES_ZEROSELECTS_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// At the end of the optimiser.
class ZeroSelectsPass : public llvm::PassInfoMixin<ZeroSelectsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace verso

#endif // VERSO_RULES_ZEROSELECTS_H
