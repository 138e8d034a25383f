//===- JoinedPieces.h - numbers that are moved in pieces --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that is written, or read, in pieces which lie side by side, with
// nothing between that may come to these bytes, is written or read as a whole:
//
//   store i32 lo, p; store i32 hi, p + 4   =>   store i64 hi:lo, p
//   zext (load i32 p) | zext (load i32 p + 4) << 32   =>   load i64 p
//
// where the bytes are accessed as such a number elsewhere, or copied to where
// they are, or all pieces are of one number. TypedMoves makes numbers of these
// integers. What is volatile is stored and loaded in pieces as well; such a
// store is marked, since what it writes is written again at once.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_JOINEDPIECES_H
#define VERSO_STRUCTURED_JOINEDPIECES_H

#include "structured/memory/Objects.h"

#include "llvm/Analysis/AliasAnalysis.h"

namespace verso {

void joinPieces(llvm::Function &F, llvm::AAResults &AA,
                llvm::function_ref<Objects()> FindObjects);

/// Whether what \p I stores is written again, as a whole, before anybody reads.
bool isPiece(const llvm::Instruction &I);

/// In the end: what is optimised may be in another order.
void forgetPieces(llvm::Function &F);

} // namespace verso

#endif // VERSO_STRUCTURED_JOINEDPIECES_H
