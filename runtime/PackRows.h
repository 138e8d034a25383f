//===- PackRows.h - makes packed rows ---------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one loop wrote another reads, mostly in the same order: the IDs of
// neighbours are neighbours. A row of a stencil is written with all its
// operands, since each might be any; when the loop is left, the elements whose
// operands follow those of the element before become a packed row, and those at
// the edges, which do not, rows of their own. Part of Sweep.c: plain C.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_PACKROWS_H
#define VERSO_RUNTIME_PACKROWS_H

#include "SweepTypes.h"

/// A row whose elements are taken one after the other and written again, each
/// where it was or before.
typedef struct {
  RowView Row;
  uint32_t Words;   ///< Of an element.
  uint32_t FirstId; ///< Of the first element.
  char *Out;
  uint64_t EndBytes; ///< Of what stands behind a row, without the header.
  char AtEnd[12 * VERSO_ROW_MAX_TERMS + 4];
} RowPacker;

INLINE const UnalignedWord *elementAt(const RowPacker *P, uint32_t I) {
  return (const UnalignedWord *)P->Row.Begin + (uint64_t)I * P->Words;
}

/// How much the words at \p At differ from those of the element before plus
/// one: 0 if not at all.
INLINE uint32_t differ(const UnalignedWord *At, uint32_t Words, uint32_t N) {
  const UnalignedWord *Before = At - Words;
  uint32_t Any = 0;
  for (uint32_t K = 0; K != N; ++K)
    Any |= At[K] - Before[K] - 1;
  return Any;
}

/// The first element behind \p I that does not follow the one before it, or
/// \p End. Words are compared in vectors, whatever element they are of.
INLINE uint32_t endOfRun(const RowPacker *P, uint32_t I, uint32_t End) {
  const uint32_t AtOnce = 32, Few = 8;
  if (++I >= End)
    return End;
  const UnalignedWord *At = elementAt(P, I);
  const uint64_t Count = (uint64_t)(End - I) * P->Words;
  uint64_t K = 0;
  // Most runs that do not go on do not even begin.
  while (K != P->Words && !differ(At + K, P->Words, 1))
    ++K;
  if (K != P->Words)
    return I;
  while (Count - K >= AtOnce && !differ(At + K, P->Words, AtOnce))
    K += AtOnce;
  while (Count - K >= Few && !differ(At + K, P->Words, Few))
    K += Few;
  while (K != Count && !differ(At + K, P->Words, 1))
    ++K;
  return I + (uint32_t)(K / P->Words);
}

/// How many of \p N elements from \p I on would be no operand of another of
/// them if their operands followed one another.
INLINE uint32_t countApart(const RowPacker *P, uint32_t I, uint32_t N) {
  const UnalignedWord *First = elementAt(P, I);
  for (uint32_t K = 0; K != P->Words; ++K) {
    uint32_t Distance = P->FirstId + I - First[K];
    if (!(First[K] & VERSO_ID_DIRECT) && Distance < N)
      N = Distance;
  }
  return N;
}

INLINE void put(RowPacker *P, const void *From, uint64_t Bytes) {
  __builtin_memmove(P->Out, From, Bytes);
  P->Out += Bytes;
}

INLINE void putEnd(RowPacker *P, uint32_t N, uint32_t Flag) {
  uint32_t Header =
      VERSO_RECORD_HEADER(N, VERSO_RECORD_RUN) | VERSO_RECORD_REPEATS | Flag;
  put(P, P->AtEnd, P->EndBytes);
  put(P, &Header, 4);
}

/// \p N elements from \p I on stay as they are.
INLINE void keepElements(RowPacker *P, uint32_t I, uint32_t N) {
  if (!N)
    return;
  put(P, elementAt(P, I), 4 * (uint64_t)N * P->Words);
  putEnd(P, N, 0);
}

INLINE void packElements(RowPacker *P, const UnalignedWord *First, uint32_t N) {
  put(P, First, 4 * (uint64_t)P->Words);
  putEnd(P, N, VERSO_ROW_IS_PACKED);
}

/// Packs what can be packed of the row that ends at \p End, whose shape may be;
/// \p Next is the ID behind it. Returns where its pieces end. Sixteen elements
/// are longer than a packed row and the end of what was kept before it: nothing
/// is overwritten that was not read.
INLINE char *packRow(char *End, uint32_t Next) {
  RowPacker P;
  P.Row = viewRow(End);
  P.Words = (uint32_t)rowOperandBytes(P.Row.Shape) / 4;
  P.FirstId = Next - P.Row.N;
  P.Out = (char *)P.Row.Begin;
  P.EndBytes = (uint64_t)(End - 4 - (const char *)P.Row.Partial);
  __builtin_memcpy(P.AtEnd, P.Row.Partial, P.EndBytes);
  // Operands that follow nothing, those of a gather, are not worth the time.
  const uint32_t MostTries = 4;
  uint32_t Kept = 0, Tries = 0;
  for (uint32_t I = 0; P.Row.N - I >= VERSO_ROW_LEAST_PACKED;) {
    uint32_t Last = endOfRun(&P, I, I + countApart(&P, I, P.Row.N - I));
    uint32_t N = Last - I;
    if (N < VERSO_ROW_LEAST_PACKED) {
      if (++Tries == MostTries)
        break;
      I = Last;
      continue;
    }
    UnalignedWord First[VERSO_ROW_MAX_TERMS];
    __builtin_memcpy(First, elementAt(&P, I), 4 * (uint64_t)P.Words);
    keepElements(&P, Kept, I - Kept);
    packElements(&P, First, N);
    Kept = I = Last;
    Tries = 0;
  }
  if (!Kept)
    return End;
  keepElements(&P, Kept, P.Row.N - Kept);
  return P.Out;
}

WIDE char *packRowWide(char *End, uint32_t Next) { return packRow(End, Next); }

#endif // VERSO_RUNTIME_PACKROWS_H
