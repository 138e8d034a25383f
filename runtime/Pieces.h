//===- Pieces.h - what the image of a single byte says ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of a packed struct may lie at any address, so that a granule holds
// pieces of several numbers: its word is the partner of the ID of a PIECES
// record, which no load takes for a live one. The record says of each byte
// which number it is a piece of (Layout.h). A raw leaf of which a number at
// such an address was read has a PIECES record, too: its adjoint slot says
// where.
//
// Plain C, for the sweep and the runtime proper.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_PIECES_H
#define VERSO_RUNTIME_PIECES_H

#include "Lookup.h"
#include "LostBits.h"
#include "SweepTypes.h"

/// Byte `Index` of the number or pointer, or of the raw leaf, with this ID.
/// ID 0: of nothing that has a derivative.
typedef struct {
  uint32_t Id;
  uint8_t Kind; ///< verso_cell_kind
  uint8_t Index;
} Piece;

/// How many bytes of a number of this kind have pieces: as many as its image.
INLINE uint32_t bytesWithPieces(uint32_t Kind) {
  if (Kind == VERSO_CELL_HALF || Kind == VERSO_CELL_BFLOAT)
    return 2;
  return Kind == VERSO_CELL_FLOAT || Kind == VERSO_CELL_RAW ? 4 : 8;
}

/// The relative ID of an image's word.
typedef uint32_t LiveId(const Context *C, uint32_t Word);

INLINE const UnalignedWord *piecesOf(const Context *C, uint32_t Id) {
  uint64_t Slot = *(const AdjointBits *)(C->adj + Id);
  return (Slot & VERSO_HALVES_MASK) == VERSO_PIECES
             ? (const UnalignedWord *)(C->tape_begin +
                                       (Slot & ~VERSO_HALVES_MASK))
             : 0;
}

INLINE Piece makePiece(uint32_t Id, uint32_t Kind, uint32_t Index) {
  Piece P;
  P.Id = Id > VERSO_ID_CONSTANT ? Id : 0;
  P.Kind = (uint8_t)(P.Id ? Kind : 0);
  P.Index = (uint8_t)(P.Id ? Index : 0);
  return P;
}

INLINE Piece pieceOfRecord(const UnalignedWord *Record, uint32_t Byte) {
  uint32_t Code = Record[4] >> (8 * Byte) & 0xff;
  return makePiece(Record[Byte], Code & 15, Code >> 4);
}

/// Byte \p Byte of a granule that holds two halves. What is of an unknown kind
/// is lost.
INLINE Piece pieceOfHalves(const UnalignedWord *Halves, uint32_t Byte) {
  uint32_t N = Halves[2] >> VERSO_RECORD_KIND_BITS;
  uint32_t Id = Halves[Byte / 2], Kind = VERSO_HALVES_KIND(N, Byte / 2);
  if (Kind == VERSO_CELL_HALF || Kind == VERSO_CELL_BFLOAT)
    return makePiece(Id, Kind, Byte % 2);
  return makePiece(Id ? VERSO_ID_LOST : 0, VERSO_CELL_FLOAT, Byte);
}

/// Byte \p Byte of the raw leaf \p Id, of entry \p Raw: a piece of the number
/// that was read there, if one was.
INLINE Piece pieceOfRaw(const Context *C, const Cell *Raw, uint32_t Id,
                        uint32_t Byte) {
  const AdjointBits *Slots = (const AdjointBits *)C->adj;
  const UnalignedWord *Record = piecesOf(C, Id);
  const UnalignedWord *Halves = halvesOf(C, Id);
  if (Record)
    return pieceOfRecord(Record, Byte);
  if (Halves)
    return pieceOfHalves(Halves, Byte);
  uint64_t Own = Slots[Id];
  uint64_t Next = verso_is_raw_leaf_of(Raw, Id + 1) ? Slots[Id + 1] : 0;
  if (Own == VERSO_SETTLED_DOUBLE)
    return makePiece(Id - 1, VERSO_CELL_DOUBLE, 4 + Byte);
  if (Own == VERSO_SETTLED_X86_FP80)
    return makePiece(Id - 1, VERSO_CELL_X86_FP80, 4 + Byte);
  if (Next == VERSO_SETTLED_DOUBLE)
    return makePiece(Id, VERSO_CELL_DOUBLE, Byte);
  if (Next == VERSO_SETTLED_X86_FP80)
    return makePiece(Id, VERSO_CELL_X86_FP80, Byte);
  return makePiece(Id, VERSO_CELL_RAW, Byte);
}

/// What a record says of a byte, and then the raw leaf that it is of.
INLINE Piece resolvedPiece(const Context *C, const UnalignedWord *Record,
                           uint32_t Byte) {
  Piece P = pieceOfRecord(Record, Byte);
  const Cell *Raw =
      P.Kind == VERSO_CELL_RAW ? verso_find_raw_entry(C, P.Id) : 0;
  return Raw ? pieceOfRaw(C, Raw, P.Id, P.Index) : P;
}

/// The PIECES record of a granule whose image is \p Word, or null.
INLINE const UnalignedWord *piecesOfWord(const Context *C, uint32_t Word,
                                         LiveId *Live) {
  uint32_t Id = Live(C, VERSO_IMAGE_PARTNER(Word));
  return Id ? piecesOf(C, Id) : 0;
}

/// What the image of the byte at \p P says.
INLINE Piece pieceAt(const Context *C, const char *P, LiveId *Live) {
  uint32_t Byte = (uint32_t)((uint64_t)P & 3);
  const UnalignedWord *Image =
      (const UnalignedWord *)verso_image_of(C, P - Byte);
  uint32_t Word = Image[0], Id = Live(C, Word);
  uint32_t Below = Image[-1], Above = Image[1];
  const UnalignedWord *Record = piecesOfWord(C, Word, Live);
  if (Record)
    return resolvedPiece(C, Record, Byte);
  if (Id) {
    const UnalignedWord *Halves = halvesOf(C, Id);
    if (Halves)
      return pieceOfHalves(Halves, Byte);
    if (Above == VERSO_IMAGE_PARTNER(Word))
      return makePiece(
          Id, Image[2] == Above ? VERSO_CELL_X86_FP80 : VERSO_CELL_DOUBLE,
          Byte);
    if (Below == VERSO_IMAGE_PARTNER(Word) && Image[-2] != Word)
      return makePiece(Id, VERSO_CELL_POINTER, 4 + Byte);
    const Cell *Raw = verso_find_raw_entry(C, Id);
    if (!Raw)
      return makePiece(Id, VERSO_CELL_FLOAT, Byte);
    Piece Of = pieceOfRaw(C, Raw, Id, Byte);
    // What was read there as eight bytes gave its ID to a float, which is
    // alone.
    return bytesWithPieces(Of.Kind) == 8 && Of.Id == Id && Above != Word + 1
               ? makePiece(Id, VERSO_CELL_FLOAT, Byte)
               : Of;
  }
  Id = Live(C, VERSO_IMAGE_PARTNER(Word));
  if (!Id) // Bytes that went through arithmetic?
    return makePiece(
        isOfLostBytes(Word) && Word >> (8 * Byte) & 0xff ? VERSO_ID_LOST : 0,
        VERSO_CELL_FLOAT, Byte);
  if (Below == VERSO_IMAGE_PARTNER(Word))
    return makePiece(
        Id, Above == Word ? VERSO_CELL_X86_FP80 : VERSO_CELL_DOUBLE, 4 + Byte);
  if (Below == Word && Image[-2] == VERSO_IMAGE_PARTNER(Word))
    return makePiece(0, 0, 0); // The last bytes of a long double.
  if (Above == VERSO_IMAGE_PARTNER(Word))
    return makePiece(Id, VERSO_CELL_POINTER, Byte);
  // Half of a number, beside something else.
  return makePiece(VERSO_ID_LOST, VERSO_CELL_FLOAT, Byte);
}

#endif // VERSO_RUNTIME_PIECES_H
