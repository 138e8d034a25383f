//===- Halves.h - two-byte numbers in memory --------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A granule has room for one ID. That of two half or bfloat numbers is the ID
// of a HALVES record, which has theirs (Layout.h); where whole granules are
// copied it goes along like any other. Each store makes a record. Copies and
// clears of parts of granules take halves out of records and make new ones.
//
// Where they are copied byte by byte, or lie at odd addresses, a granule holds
// pieces (Pieces.h).
//
// A raw leaf turns into two leaves when one of its halves is read, or copied
// alone. Then the kind has to be known: modules that hold two-byte numbers in
// memory say which (__verso_register_half).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_HALVES_H
#define VERSO_RUNTIME_HALVES_H

#include "Images.h"

namespace verso {

/// The program has numbers of this kind in memory.
void registerHalf(verso_cell_kind Kind);

/// Whether any module of the program has.
bool anyHalves();

/// Whether the program has numbers of two bytes of which two may have these
/// bits: none of them subnormal, as derivatives hardly ever are.
bool mayBeTwoHalves(uint32_t Bits);

/// The value of a two-byte number, and the two bytes nearest to \p X.
double readHalf(const char *At, verso_cell_kind Kind);
void writeHalf(char *At, verso_cell_kind Kind, double X);

/// The ID of the number at \p P; see __verso_load_half.
uint32_t loadHalf(Request &R, char *P, int64_t Offset, verso_cell_kind Kind);
void storeHalf(Request &R, char *P, int64_t Offset, verso_cell_kind Kind,
               uint32_t Id);

/// A leaf for the two bytes at \p P, if their granule is untouched: the others
/// in it may be of something else, with another shadow.
void touchHalf(Request &R, char *P, int64_t Offset);

/// touchRange, where half of a granule has an ID: the other one gets a leaf.
void touchHalves(Request &R, char *P, int64_t Offset, uint64_t Bytes);

/// What \p Word, of a granule that is copied, is in tracked memory: half of a
/// granule without an ID is a constant there.
uint32_t wordInTracked(Request &R, uint32_t Word);

/// copyImages and clearImages, where halves of granules are concerned: false
/// if none are, and nothing was done. What is copied has its leaves already.
bool copyHalves(Request &R, const ImageCopy &Copy);
bool clearHalves(Request &R, char *P, uint64_t Bytes, int64_t Offset);

} // namespace verso

#endif // VERSO_RUNTIME_HALVES_H
