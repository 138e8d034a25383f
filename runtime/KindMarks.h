//===- KindMarks.h - what bytes are at the moment ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured code marks local memory (verso_mark) in which numbers and other
// things take turns, in a window of tangents. What emitted code does not do by
// itself: new memory, and copies, whose reverse hands on the adjoints of the
// numbers that were among the bytes. A part of a number that is copied by
// itself is lost: who loads it ends in an error, if its derivative is asked
// for.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_KINDMARKS_H
#define VERSO_RUNTIME_KINDMARKS_H

#include "Arena.h"
#include "Tangents.h"

namespace verso {

struct MarkedCopy {
  char *To, *From;
  uint64_t Bytes;
};

struct MarksNote;

void newMarks(Tangents &T, char *P, uint64_t Bytes);

/// To be called before the bytes are moved.
MarksNote *copyMarks(Tangents &T, const MarkedCopy &Copy, Arena &Kept);

/// \p FromShadow is null where nobody is to get anything.
void reverseMarked(const MarksNote &Note, char *ToShadow, char *FromShadow,
                   Arena &Kept);

} // namespace verso

#endif // VERSO_RUNTIME_KINDMARKS_H
