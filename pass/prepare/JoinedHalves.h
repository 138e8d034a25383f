//===- JoinedHalves.h - words that LLVM keeps in pieces ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A union with a member that is shorter than the others (a float or an int
// beside a pointer) is split by SROA where that member ends. What is chosen is
// chosen piece by piece then, and put together at the end:
//
//   %lo = phi i32 [bits of a float], [trunc %p]
//   %hi = phi i32 [poison],          [trunc (%p >> 32)]
//   or (zext %lo), (shl (zext %hi), 32)
//     =>   phi i64 [zext (bits of a float)], [%p]
//
// A piece of a pointer has no shadow, and a piece of a double no derivative:
// the whole of one is chosen here. And what is loaded piece by piece and put
// together is loaded as a whole, where the language leaves open what it is.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_JOINEDHALVES_H
#define VERSO_PREPARE_JOINEDHALVES_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Changes no bit but of what is poison. Before LinearBits.h, which would take
/// a piece for a float.
struct JoinHalvesPass : llvm::PassInfoMixin<JoinHalvesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
};

} // namespace verso

#endif // VERSO_PREPARE_JOINEDHALVES_H
