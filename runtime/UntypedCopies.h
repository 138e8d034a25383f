//===- UntypedCopies.h - copies whose bytes nobody knows --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured code copies memory of the caller, and not every byte is accessed
// there. What such bytes are is decided as on the tape (touchRange in Cells.h):
//   - where the shadow has a pointer beside a pointer, one: its shadow follows;
//   - a mark (-1), and an integer that the shadow repeats, is nothing of ours
//     (but the copy's shadow repeats it until the request ends);
//   - the rest may be numbers. The reverse hands the bits of their adjoints on,
//     which is exact where nothing has to be added. Else it is a fatal error,
//     unless the program says the type.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_UNTYPEDCOPIES_H
#define VERSO_RUNTIME_UNTYPEDCOPIES_H

#include "Arena.h"
#include "verso/Layout.h"

namespace verso {

struct UntypedCopy {
  char *To, *From, *ToShadow, *FromShadow;
  uint64_t Bytes;
  const char *Kinds; ///< verso_copied_kind, Period of them, again and again.
  uint64_t Period;
};

struct UntypedNote;

/// To be called before the bytes are moved.
UntypedNote *noteUntyped(const UntypedCopy &Copy, Arena &Kept);

/// Puts back the shadows of pointers, adding them to \p Moved, and hands
/// adjoints on. Returns the list.
verso_moved *reverseUntyped(UntypedNote *Note, verso_moved *Moved, Arena &Kept);

} // namespace verso

#endif // VERSO_RUNTIME_UNTYPEDCOPIES_H
