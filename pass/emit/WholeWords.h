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

/// Whether \p T is an integer of whole words, and not of more bytes than a mask
/// of 64 bits tells of.
inline bool hasWords(const llvm::Type *T) {
  return T->isIntegerTy() && T->getIntegerBitWidth() % WordBits == 0 &&
         T->getIntegerBitWidth() <= 512;
}

/// i1: \p Mask has all bits or none.
inline llvm::Value *keepsAllOrNothing(llvm::IRBuilderBase &B,
                                      llvm::Value *Mask) {
  llvm::Value *One = llvm::ConstantInt::get(Mask->getType(), 1);
  return B.CreateICmpULE(B.CreateAdd(Mask, One), One);
}

/// i1: the integer \p Mask has all bits or none of each word, or of itself if
/// it has none.
inline llvm::Value *keepsWholeWords(llvm::IRBuilderBase &B, llvm::Value *Mask) {
  if (!hasWords(Mask->getType()))
    return keepsAllOrNothing(B, Mask);
  llvm::Value *All = B.getTrue();
  for (unsigned W = 0; W != Mask->getType()->getIntegerBitWidth() / WordBits;
       ++W)
    All = B.CreateAnd(All, keepsAllOrNothing(B, wordOf(B, Mask, W)));
  return All;
}

} // namespace verso

#endif // VERSO_EMIT_WHOLEWORDS_H
