//===- PackedNumbers.h - numbers at any address -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers at addresses that are no multiples of 4, as packed structs have them.
// Their images are pieces (Pieces.h); copies and clears of parts of granules,
// and copies from one place in a granule to another, go byte by byte. Whole
// granules are copied as ever.
//
// Where such a number of tracked memory is read for the first time, its
// granules have raw leaves, and it gets a leaf of its own; PIECES records of
// the raw leaves say so, wherever their images were copied to.
//
// Only programs that say so hold such numbers (__verso_register_packed).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_PACKEDNUMBERS_H
#define VERSO_RUNTIME_PACKEDNUMBERS_H

#include "Images.h"
#include "Pieces.h"

namespace verso {

void registerPacked();
bool anyPacked();

/// What the image of the byte at \p P says.
Piece pieceAt(const Request &R, const char *P);

/// Whether the image \p Word is that of a granule of pieces.
bool arePieces(const Request &R, uint32_t Word);

/// copyImages, byte by byte; the two may overlap.
void copyByBytes(Request &R, const ImageCopy &Copy);

/// clearImages of less than a granule: the bytes beside these stay what they
/// are.
void clearByBytes(Request &R, char *P, uint64_t Bytes, int64_t Offset);

/// The ID of the number at \p P, of any kind, or the handle of the pointer; a
/// first read makes a leaf where the offset is not zero.
uint32_t loadPacked(Request &R, char *P, int64_t Offset, verso_cell_kind Kind);

/// settle, where a granule of the image at \p P, which begins with one, holds
/// pieces, such as of a number that was copied from another place in a granule.
/// False if none does.
bool settlesPacked(Request &R, char *P, verso_cell_kind Kind, uint32_t &Id);

/// A number or pointer was stored at \p P; the image of one at \p Slot is its.
void storePacked(Request &R, char *P, int64_t Offset, const char *Slot,
                 verso_cell_kind Kind);

/// The same of the number \p Id of two bytes.
void storeByBytes(Request &R, char *P, int64_t Offset, uint32_t Id,
                  verso_cell_kind Kind);

/// An integer of less than four bytes was stored, with this image; not 0 in
/// tracked memory.
void storePart(Request &R, char *P, int64_t Offset, uint64_t Bytes,
               uint32_t Image);

/// As loadHalf says it of RAW.
uint32_t inspectPacked(const Request &R, const char *P, uint64_t Bytes);

/// copyImages, keepPointers and clearImages where they do not go by whole
/// granules: false if they do, and nothing was done. What is copied has its
/// leaves already.
bool copyPacked(Request &R, const ImageCopy &Copy);
bool keepPackedPointers(Request &R, char *P, uint64_t Bytes, int64_t Offset);
bool clearPacked(Request &R, char *P, uint64_t Bytes, int64_t Offset);

} // namespace verso

#endif // VERSO_RUNTIME_PACKEDNUMBERS_H
