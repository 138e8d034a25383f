//===- Release.h - what the cells of a request hold in the end --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When a request's function has run, the log says which cells of the user it
// touched, and the images which IDs they hold now. Reverse mode moves the
// adjoint of each cell to that ID (Sweep.c); __verso_linearize keeps the list
// of moves (LinearMap.cpp). Whoever includes this defines first
//
//   Sink                        who hears about it
//   moveAdjoint(Sink *, kind, id, at)
//                               the cell of this kind at `at` holds `id`
//   endAdjoint(Sink *, at)      the four bytes at `at` hold a constant
//   deferBits(Sink *, id, at)   they hold a raw leaf of unknown type
//   endByte(Sink *, at), deferByte(Sink *, context, id, byte, at)
//                               the same of a byte, of that one of the raw leaf
//   loseByte(Sink *, at)        the byte at `at` is of a number that was
//                               overwritten in part
//   movePointer(Sink *, context, handle, at)
//                               the eight bytes at `at` hold a pointer
//
// Plain C, all inline: an ID that is passed to a function would count as a
// value that moves, to an outer request.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_RELEASE_H
#define VERSO_RUNTIME_RELEASE_H

#include "Lookup.h"
#include "Pieces.h"
#include "SweepTypes.h"

/// The raw leaf \p Id and its neighbour are one number of type \p Settled
/// (VERSO_SETTLED_*), if they are of one entry and not known otherwise.
INLINE int settlePair(Context *C, const Cell *Raw, uint32_t Id,
                      uint64_t Settled) {
  AdjointBits *Bits = (AdjointBits *)(C->adj + Id + 1);
  if (!verso_is_raw_leaf_of(Raw, Id + 1) || (*Bits && *Bits != Settled))
    return 0;
  *Bits = Settled;
  return 1;
}

/// The cell at \p At holds half \p K of a granule. Nothing is known of what has
/// no ID: it may not be the user's.
INLINE void releaseHalf(Sink *S, Context *C, const UnalignedWord *Halves,
                        uint32_t K, const Cell *E, char *At) {
  uint32_t N = Halves[2] >> VERSO_RECORD_KIND_BITS;
  uint32_t Kind = VERSO_HALVES_KIND(N, K), Id = Halves[K];
  if (Kind == VERSO_CELL_RAW) { // Of a kind that its leaf knows, if anybody.
    const Cell *Leaf = verso_find_leaf(C, Id);
    Kind = Leaf ? Leaf->kind : VERSO_CELL_RAW;
    if (Kind == VERSO_CELL_RAW) {
      Kind = VERSO_CELL_HALF;
      Id = VERSO_ID_LOST;
    }
  }
  if (Halves[K] && (Halves[K] != E->leaf || E->adjoint != At))
    moveAdjoint(S, (enum verso_cell_kind)Kind, Id, At);
}

/// The cell at \p At, of the byte at \p P, is the one that \p Leaf was made
/// for.
INLINE int isOwnLeaf(const Context *C, Piece Leaf, const char *P,
                     const char *At) {
  if (Leaf.Kind == VERSO_CELL_RAW) {
    const Cell *Raw = verso_find_raw_entry(C, Leaf.Id);
    uint64_t Byte = 4 * (uint64_t)(Leaf.Id - Raw->leaf) + Leaf.Index;
    return Raw->primal + Byte == P && Raw->adjoint + Byte == At;
  }
  const Cell *E = verso_find_leaf(C, Leaf.Id);
  return E && E->primal == P && E->adjoint == At;
}

INLINE int isPieceOf(Piece Number, Piece Byte) {
  return Byte.Id == Number.Id && Byte.Kind == Number.Kind;
}

/// Whether all bytes of \p Number, which begins at \p P, are there.
APART int isWhole(const Context *C, Piece Number, const char *P) {
  int All = 1;
  for (uint32_t B = 0; B != bytesWithPieces(Number.Kind); ++B) {
    Piece Byte = pieceAt(C, P + B, relative);
    All &= isPieceOf(Number, Byte) && Byte.Index == B;
  }
  return All;
}

/// A number that begins at \p P was overwritten in part; what went through
/// arithmetic is of it, too.
APART void loseNumber(Sink *S, Context *C, Piece Number, const char *P,
                      char *At) {
  for (uint32_t B = 0; B != bytesWithPieces(Number.Kind); ++B) {
    Piece Byte = pieceAt(C, P + B, relative);
    if (isPieceOf(Number, Byte) || Byte.Id == VERSO_ID_LOST)
      loseByte(S, At + B);
  }
}

/// Whether the byte at \p P is one of the two of a long double that have no
/// piece: its first byte moves them.
APART int endsLongDouble(Context *C, const char *P) {
  Piece Low = pieceAt(C, P - 8, relative), Next = pieceAt(C, P - 9, relative);
  return (Low.Kind == VERSO_CELL_X86_FP80 && !Low.Index) ||
         (Next.Kind == VERSO_CELL_X86_FP80 && !Next.Index);
}

/// \p Bytes of a granule at \p I, which holds pieces of numbers; each number is
/// moved where its first byte is.
APART void releasePieces(Sink *S, Context *C, const Cell *E, uint64_t I,
                         uint32_t Bytes) {
  for (uint64_t K = I; K != I + Bytes; ++K) {
    const char *P = E->primal + K;
    char *At = E->adjoint + K;
    Piece Here = pieceAt(C, P, relative);
    if (!Here.Id) {
      endByte(S, At);
    } else if (Here.Kind == VERSO_CELL_RAW) {
      if (!endsLongDouble(C, P) && !isOwnLeaf(C, Here, P, At)) {
        if (verso_find_raw_entry(C, Here.Id)->integers)
          endByte(S, At);
        else
          deferByte(S, C, Here.Id, Here.Index, At);
      }
    } else if (!isWhole(C, Here, P - Here.Index)) {
      if (Here.Id == VERSO_ID_LOST)
        endByte(S, At);
      else if (Here.Kind != VERSO_CELL_POINTER)
        loseNumber(S, C, Here, P - Here.Index, At - Here.Index);
    } else if (!Here.Index && !isOwnLeaf(C, Here, P, At)) {
      if (Here.Kind != VERSO_CELL_POINTER)
        moveAdjoint(S, (enum verso_cell_kind)Here.Kind, Here.Id, At);
      else if (Here.Id != VERSO_ID_LOST)
        movePointer(S, C, Here.Id, At);
    }
  }
}

/// A cell that was stored to or read as a half. If another number was written
/// over it, the entry of that has it.
APART void releaseHalfCell(Sink *S, Context *C, const Cell *E) {
  if (!E->bytes) // The raw leaves that it is in say what it holds.
    return;
  uint32_t K = (uint64_t)E->primal % 4 / 2;
  uint32_t Word = *(const UnalignedWord *)verso_image_of(C, E->primal - 2 * K);
  uint32_t Id = relative(C, Word);
  const UnalignedWord *Halves = Id ? halvesOf(C, Id) : 0;
  if (Halves)
    releaseHalf(S, C, Halves, K, E, E->adjoint);
  else if (Id == VERSO_ID_CONSTANT)
    moveAdjoint(S, (enum verso_cell_kind)E->kind, Id, E->adjoint);
  else if (piecesOfWord(C, Word, relative))
    releasePieces(S, C, E, 0, 2);
}

/// Whether the raw leaf \p Id and the next three were read as a long double.
INLINE int isSettledLongDouble(const Context *C, uint32_t Id) {
  return ((const AdjointBits *)C->adj)[Id + 1] == VERSO_SETTLED_X86_FP80;
}

/// The granule at \p At holds one half of a double, and the other is not where
/// it was.
APART void loseHalf(Sink *S, char *At) {
  for (uint32_t B = 0; B != 4; ++B)
    loseByte(S, At + B);
}

/// What moved eight bytes got that were read as a double, and maybe as floats as
/// well, of a union: nobody knows as what it is to be added.
INLINE void deferMember(Sink *S, uint32_t Id, char *At) {
  deferBits(S, Id, At);
  deferBits(S, Id + 1, At + 4);
}

/// The granule at \p I holds \p Id, and the next one \p Next; they are not the
/// halves of a double. Returns how far to go on; 0 if it holds pieces.
APART uint64_t releaseGranule(Sink *S, Context *C, const Cell *E, uint64_t I,
                              uint32_t Id, uint32_t Next) {
  char *At = E->adjoint + I;
  if (!Id) {
    endAdjoint(S, At);
    return 4;
  }
  if (E->leaf && Id == E->leaf + (uint32_t)(I / 4))
    return 4;
  if (piecesOf(C, Id))
    return 0;
  const UnalignedWord *Halves = halvesOf(C, Id);
  if (Halves) {
    releaseHalf(S, C, Halves, 0, E, At);
    releaseHalf(S, C, Halves, 1, E, At + 2);
    return 4;
  }
  const Cell *Raw = verso_find_raw_entry(C, Id);
  if (!Raw) {
    moveAdjoint(S, VERSO_CELL_FLOAT, Id, At);
    return 4;
  }
  uint64_t Own = *(AdjointBits *)(C->adj + Id);
  const uint32_t Lower = relative(
      C, *(const UnalignedWord *)verso_image_of(C, E->primal + I - 4));
  if (Own == VERSO_SETTLED_DOUBLE && Lower != Id - 1) {
    loseHalf(S, At);
    return 4;
  }
  if (Own == VERSO_SETTLED_DOUBLE || Own == VERSO_SETTLED_X86_FP80)
    return 4; // The upper half of a number that its lower half stands for.
  if ((verso_is_raw_leaf_of(Raw, Id - 2) && isSettledLongDouble(C, Id - 2)) ||
      (verso_is_raw_leaf_of(Raw, Id - 3) && isSettledLongDouble(C, Id - 3)))
    return 4; // So are the last eight bytes of this one.
  if (Next == Id + 1 && verso_is_raw_leaf_of(Raw, Next)) {
    uint64_t Settled = *(AdjointBits *)(C->adj + Next);
    if ((Settled == VERSO_SETTLED_DOUBLE ||
         (E->kind == VERSO_CELL_DOUBLE && !Raw->integers)) &&
        settlePair(C, Raw, Id, VERSO_SETTLED_DOUBLE)) {
      if (C->members)
        deferMember(S, Id, At);
      else
        moveAdjoint(S, VERSO_CELL_DOUBLE, Id, At);
      return 8;
    }
    if (Settled == VERSO_SETTLED_X86_FP80) {
      moveAdjoint(S, VERSO_CELL_X86_FP80, Id, At);
      return 16;
    }
  } else if (verso_is_raw_leaf_of(Raw, Id + 1) &&
             *(AdjointBits *)(C->adj + Id + 1) == VERSO_SETTLED_DOUBLE) {
    loseHalf(S, At);
    return 4;
  }
  if (Raw->integers) {
    endAdjoint(S, At);
    return 4;
  }
  if (E->kind == VERSO_CELL_FLOAT) {
    moveAdjoint(S, VERSO_CELL_FLOAT, Id, At);
    return 4;
  }
  uint32_t Before =
      relative(C, *(const UnalignedWord *)verso_image_of(C, E->primal + I - 8));
  if (Before && piecesOf(C, Before) && endsLongDouble(C, E->primal + I))
    return 4;
  deferBits(S, Id, At);
  return 4;
}

/// Whether \p Image, a pair, is that of a long double. A raw leaf knows it from
/// whoever read it.
INLINE int isLongDouble(const Context *C, const char *Image) {
  uint32_t Low = *(const UnalignedWord *)Image;
  uint32_t High = *(const UnalignedWord *)(Image + 4);
  uint32_t Next = *(const UnalignedWord *)(Image + 8);
  return Next == High ||
         (Next == Low + 2 && isSettledLongDouble(C, relative(C, Low)));
}

/// What the image at \p I says that the cell holds is moved. Returns how far to
/// go on; 0 if the granule holds pieces.
INLINE uint64_t releaseWord(Sink *S, Context *C, const Cell *E, uint64_t I) {
  // A pair may end behind the entry: what was stored last had another size.
  const char *Image = verso_image_of(C, E->primal) + I;
  uint32_t Low = *(const UnalignedWord *)Image;
  uint32_t High = *(const UnalignedWord *)(Image + 4);
  uint32_t Id = relative(C, Low);
  if (I == 0) {
    uint32_t Below = *(const UnalignedWord *)(Image - 4);
    // Not two copies of a pointer side by side.
    if (relative(C, Below) && Low == VERSO_IMAGE_PARTNER(Below) &&
        *(const UnalignedWord *)(Image - 8) != Low)
      return 4; // The entry of the lower half moves the double.
    if (Low == Below && relative(C, VERSO_IMAGE_PARTNER(Low)) &&
        *(const UnalignedWord *)(Image - 8) == VERSO_IMAGE_PARTNER(Low))
      return 8; // And that of the first eight bytes the long double.
  }
  if (piecesOfWord(C, Low, relative))
    return 0;
  uint32_t Handle = relative(C, High);
  if (Handle && Low == VERSO_IMAGE_PARTNER(High)) {
    if (Handle != VERSO_ID_LOST) // The shadow structure follows.
      movePointer(S, C, Handle, E->adjoint + I);
    return 8;
  }
  if (!Id || High != VERSO_IMAGE_PARTNER(Low))
    return releaseGranule(S, C, E, I, Id, Handle);
  // Still the leaf that this entry made, settled as a double?
  if (E->leaf && Id == E->leaf + (uint32_t)(I / 4))
    return 8;
  if (C->members && verso_find_raw_entry(C, Id)) {
    deferMember(S, Id, E->adjoint + I);
    return 8;
  }
  int IsLong = isLongDouble(C, Image);
  moveAdjoint(S, IsLong ? VERSO_CELL_X86_FP80 : VERSO_CELL_DOUBLE, Id,
              E->adjoint + I);
  return IsLong ? 16 : 8;
}

/// An untyped range: the images say what the cells hold now. Bytes without an
/// ID hold something inactive, so their adjoint ends here.
INLINE void releaseRange(Sink *S, Context *C, const Cell *E) {
  for (uint64_t I = 0, Step; I + 4 <= E->bytes; I += Step) {
    Step = releaseWord(S, C, E, I);
    if (!Step) {
      releasePieces(S, C, E, I, 4);
      Step = 4;
    }
  }
}

/// A cell that was stored to or read as long double.
APART void releaseLongDouble(Sink *S, Context *C, const Cell *E) {
  if (!E->bytes) // The raw leaves that it is in say what it holds.
    return;
  const char *Image = verso_image_of(C, E->primal);
  uint32_t Low = *(const UnalignedWord *)Image;
  uint32_t High = *(const UnalignedWord *)(Image + 4);
  uint32_t Id = relative(C, Low);
  if (Id && High != VERSO_IMAGE_PARTNER(Low)) {
    const Cell *Raw = verso_find_raw_entry(C, Id);
    if (!Raw || relative(C, High) != Id + 1 ||
        !settlePair(C, Raw, Id, VERSO_SETTLED_X86_FP80))
      Id = 0;
  }
  if (!Id || Id != E->leaf)
    moveAdjoint(S, VERSO_CELL_X86_FP80, Id, E->adjoint);
}

/// Every cell that a store reached gives its adjoint to what was stored last.
INLINE void releaseOutputs(Sink *S, Context *C) {
  for (const Cell *E = C->log_begin; E != C->log; ++E) {
    if (E->kind == VERSO_CELL_HALF || E->kind == VERSO_CELL_BFLOAT) {
      releaseHalfCell(S, C, E);
    } else if (E->kind == VERSO_CELL_X86_FP80) {
      releaseLongDouble(S, C, E);
    } else {
      Cell Range = *E;
      if (E->kind != VERSO_CELL_RAW) {
        uint32_t Low = *(const UnalignedWord *)verso_image_of(C, E->primal);
        if (E->leaf && relative(C, Low) == E->leaf)
          continue;
        Range.leaf = 0; // Overwritten.
      }
      releaseRange(S, C, &Range);
    }
  }
}

#endif // VERSO_RUNTIME_RELEASE_H
