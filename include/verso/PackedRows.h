//===- PackedRows.h - rows whose operands follow one another ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of Layout.h. In a *packed* row each operand of an element is the next
// number of that of the element before: those of the first element stand once,
// in the place of all elements. Its header has VERSO_ROW_IS_PACKED. No partial
// varies in it, and none of its elements is an operand of another.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PACKEDROWS_H
#define VERSO_PACKEDROWS_H

#include "verso/Layout.h"

#define VERSO_ROW_IS_PACKED VERSO_RECORD_MAY_BE_DIRECT
/// Of fewer elements it would not be shorter.
#define VERSO_ROW_LEAST_PACKED 16

/// The shapes that may be packed: elements are operands alone.
#define VERSO_ROW_MAY_BE_PACKED(SHAPE)                                         \
  (!VERSO_ROW_BOTH(SHAPE) && !VERSO_ROW_PARTIAL(SHAPE) &&                      \
   VERSO_ROW_OPERAND(SHAPE) + VERSO_ROW_SUMMAND(SHAPE) != 0)

#endif // VERSO_PACKEDROWS_H
