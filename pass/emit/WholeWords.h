//===- WholeWords.h - masks that keep words of four bytes -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands beside an integer's bytes, an image or tangents, goes through a
// mask or under a tag as long as each word of it is kept as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_WHOLEWORDS_H
#define VERSO_EMIT_WHOLEWORDS_H

#include "llvm/IR/IRBuilder.h"

namespace verso {

inline constexpr unsigned WordBits = 32;

/// Word \p W of the integer \p V.
inline llvm::Value *wordOf(llvm::IRBuilderBase &B, llvm::Value *V, unsigned W) {
  return B.CreateTrunc(B.CreateLShr(V, WordBits * W), B.getInt32Ty());
}

/// i1: the integer \p Mask has all bits or none of each word, or of itself if
/// it has none.
inline llvm::Value *keepsWholeWords(llvm::IRBuilderBase &B, llvm::Value *Mask) {
  auto AllOrNothing = [&](llvm::Value *V) {
    return B.CreateICmpULE(
        B.CreateAdd(V, llvm::ConstantInt::get(V->getType(), 1)),
        llvm::ConstantInt::get(V->getType(), 1));
  };
  const unsigned N = Mask->getType()->getScalarSizeInBits();
  if (Mask->getType()->isVectorTy() || N % WordBits)
    return AllOrNothing(Mask);
  llvm::Value *All = B.getTrue();
  for (unsigned W = 0; W != N / WordBits; ++W)
    All = B.CreateAnd(All, AllOrNothing(wordOf(B, Mask, W)));
  return All;
}

} // namespace verso

#endif // VERSO_EMIT_WHOLEWORDS_H
