//===- WideIndices.h - indices that are computed in 64 bits -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C's index `i * n + j` is computed in `int` and extended. That it does not
// overflow is in the flags of its operations, until LLVM puts them in another
// order (j * n + j is j * (n + 1), without flags): then nobody knows which
// cells the next iterations come to, and all that is loaded there is recorded.
// So the operands are extended, as if the program had been written with `long`:
//
//   sext (add nsw (mul nsw %i, %n), %j)
//     =>   add nsw (mul nsw (sext %i), (sext %n)), (sext %j)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_WIDEINDICES_H
#define VERSO_PREPARE_WIDEINDICES_H

#include "llvm/IR/Function.h"

namespace verso {

/// Before anything is reordered. Returns whether \p F changed.
bool widenIndices(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_WIDEINDICES_H
