//===- CommonBlocks.h - variables of Fortran's COMMON blocks ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A COMMON block is one global variable of bytes. Which of its variables an
// access is of, flang says by a TBAA type whose name has the bytes of the
// variable, "global data/block_/bytes_0_to_3199"; below a root for each
// procedure, so that nothing is known of two accesses once their procedures are
// inlined into one function.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_COMMONBLOCKS_H
#define VERSO_STRUCTURED_COMMONBLOCKS_H

#include "llvm/IR/Function.h"

namespace verso {

/// Gives accesses of several procedures to a block types below one root, if the
/// procedures of \p F agree on what the variables of the block are. (What they
/// say of their dummy arguments and the block is lost then.) Whether it did.
bool uniteCommonBlocks(llvm::Function &F);

} // namespace verso

#endif // VERSO_STRUCTURED_COMMONBLOCKS_H
