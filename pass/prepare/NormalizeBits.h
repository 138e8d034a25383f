//===- NormalizeBits.h - signs that are changed in the bits -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A real number whose bits go through an integer operation with a mask of which
// only the sign bit is unknown comes back as that number, its negative or its
// absolute value:
//
//   bits(x) ^ m   m < 0 ? -x : x           where m is 0 but for the sign
//   bits(x) & m   m < 0 ? x : |x|          where m is all ones but for the sign
//   bits(x) | m   m < 0 ? -|x| : x         where m is 0 but for the sign
//
// It is rewritten so, which changes no bit. (With constant masks InstCombine
// does the same.) What is chosen and then cast to a number is cast before.
// Intrinsics are spelled out (IntegerIntrinsics.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_NORMALIZEBITS_H
#define VERSO_PREPARE_NORMALIZEBITS_H

#include "llvm/IR/PassManager.h"

namespace verso {

void normalizeBits(llvm::Function &F);

/// Signs alone, of vectors too, before LLVM stores as integers what is computed
/// of bits and cast: without types nothing else tells that it is a number.
struct SignChangesPass : llvm::PassInfoMixin<SignChangesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
};

/// Replaces indirect branches by switches over numbers given to the blocks
/// whose address is taken; a clone could not refer to its own blocks otherwise.
/// In \p F itself, before it is cloned: the addresses may stand in tables.
/// Returns whether there were any.
bool expandIndirectBranches(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_NORMALIZEBITS_H
