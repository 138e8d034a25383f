//===- Cells.h - memory of the user that has a shadow -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leaves are made when tracked memory is first read. Where it is read as bytes,
// the leaf is *raw*, an ID for each granule, and settled when its image is
// first read as a number or a pointer.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_CELLS_H
#define VERSO_RUNTIME_CELLS_H

#include "Request.h"

namespace verso {

/// A read through a tracked pointer found no ID in the current run: the ID from
/// an older run, or a new leaf whose adjoint is at P + Offset.
uint32_t firstTouch(Request &R, char *P, int64_t Offset, verso_cell_kind Kind);

/// Raw leaves for each granule of [P, P + Bytes) that has no image.
void touchRange(Request &R, char *P, int64_t Offset, uint64_t Bytes);

/// The same, where it is known that they hold no pointers.
void touchUntouched(Request &R, char *P, int64_t Offset, uint64_t Bytes);

/// The same for numbers, FLOAT or DOUBLE, one behind the other.
void touchNumbers(Request &R, char *P, int64_t Offset, uint64_t Bytes,
                  verso_cell_kind Kind);

/// Whether the granule at \p P is no number that somebody keeps in an integer:
/// small or negative integers are none, and adjoints are hardly ever repeated.
bool looksLikeInteger(const char *P, int64_t Offset);

/// The same for integers, or what lies between members, by a declaration; not
/// where their bits look like those of a number that is not its own adjoint: a
/// program may keep one there.
void touchIntegers(Request &R, char *P, int64_t Offset, uint64_t Bytes);

/// Whatever \p F is of the record at \p P.
void touchField(Request &R, char *P, int64_t Offset,
                const verso_copied_field &F);

/// The image at shadow(P) has a live word, but is not that of a \p Kind. For
/// VERSO_CELL_POINTER, the result is a handle; it is 0 when nothing is known,
/// and VERSO_ID_CONSTANT for what is known to be inactive.
uint32_t settle(Request &R, char *P, verso_cell_kind Kind);

/// The ID of the number whose granules are these two raw leaves, neighbours.
uint32_t settleRawPair(Request &R, uint32_t Low, uint32_t High,
                       verso_cell_kind Kind);

/// The handle of the pointer at \p P whose shadow the user has at \p Adjoint; 0
/// if there is none. No image is written.
uint32_t handleOfPointer(Request &R, const char *P, const char *Adjoint);

/// Whether untyped eight bytes are those of a pointer, and those of its shadow
/// beside them: adjoints are no pointers.
bool arePointers(uint64_t Primal, uint64_t Shadow);

/// Whether the shadow, at \p Offset from the granule at \p P, repeats an
/// integer.
bool isIntegerAt(const char *P, int64_t Offset);

/// The eight bytes at \p P; those of the next page are taken for zero. They may
/// lie behind an object, so no library function is asked, which a sanitizer
/// would watch.
uint64_t eightBytesAt(const char *P);

/// Whether eight bytes are a mark in the place of a pointer, such as -1: a NaN
/// that no arithmetic gives.
inline bool isMark(uint64_t Bits) { return Bits > UINT64_C(-4096); }

/// Where the adjoint is of the eight bytes whose granules are the raw leaves
/// \p Low and \p High; null if they are none, or not beside each other.
const char *adjointOfRawPair(const Request &R, uint32_t Low, uint32_t High);

} // namespace verso

#endif // VERSO_RUNTIME_CELLS_H
