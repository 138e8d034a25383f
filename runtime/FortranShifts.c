//===- FortranShifts.c - array intrinsics that move elements --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What flang's library does for CSHIFT, EOSHIFT, UNPACK, FINDLOC and TRANSFER
// (Fortran 2018, 16.9), as Fortran.c has it for others.
//
//===----------------------------------------------------------------------===//

#include "FortranCopies.h"

/// A new array of \p Source's shape.
static void beginLike(Descriptor *Result, const Descriptor *Source) {
  begin(Result, Source, Source->Rank);
  for (int K = 0; K < Source->Rank; ++K)
    setBounds(Result, K, 1, Source->Dimensions[K].Extent);
  allocateNew(Result, 0);
}

/// Element \p I of what is one for all, or of an array.
static char *elementOrAll(const Descriptor *D, int64_t I) {
  return elementOf(D, 0, D->Rank ? I : 0);
}

/// All elements along dimension \p Dim by a shift for each line. Where they do
/// not come round, those that are left have the value of the boundary, or zero.
static void shift(Descriptor *Result, const Descriptor *Source,
                  const Descriptor *Shift, const Descriptor *Boundary, int Dim,
                  _Bool Round) {
  const int64_t Length = Source->Dimensions[Dim - 1].Extent;
  const int64_t Count = elementsOf(Source);
  const _Bool Whole = isContiguous(Source);
  int64_t Inner = 1;
  for (int K = 0; K < Dim - 1; ++K)
    Inner *= Source->Dimensions[K].Extent;
  beginLike(Result, Source);
  for (int64_t I = 0; I < Count; ++I) {
    const int64_t At = I / Inner % Length;
    const int64_t Line = I % Inner + I / (Inner * Length) * Inner;
    const int64_t Step =
        integerAt(Shift->ElementBytes, elementOrAll(Shift, Line));
    int64_t From = At + Step;
    if (Round)
      From = (From % Length + Length) % Length;
    char *To = elementOf(Result, 1, I);
    if (From >= 0 && From < Length)
      copyElement(To, elementOf(Source, Whole, I + (From - At) * Inner),
                  Source);
    else if (Boundary && Boundary->Base)
      copyElement(To, elementOrAll(Boundary, Line), Source);
    else
      for (size_t K = 0; K < Source->ElementBytes; ++K)
        To[K] = characterBytes(Source) ? ' ' : 0;
  }
}

void __verso_body__FortranACshift(Descriptor *Result, const Descriptor *Source,
                                  const Descriptor *Shift, int Dim,
                                  const char *File, int Line) {
  shift(Result, Source, Shift, 0, Dim, /*Round=*/1);
}
void __verso_body__FortranAEoshift(Descriptor *Result, const Descriptor *Source,
                                   const Descriptor *Shift,
                                   const Descriptor *Boundary, int Dim,
                                   const char *File, int Line) {
  shift(Result, Source, Shift, Boundary, Dim, /*Round=*/0);
}
/// \p By, as an array of one for all.
static Descriptor scalar(int64_t *By) {
  Descriptor D;
  D.Base = (char *)By;
  D.ElementBytes = sizeof(*By);
  D.Rank = 0;
  D.Type = Integer8;
  D.Extra = 0;
  return D;
}
void __verso_body__FortranACshiftVector(Descriptor *Result,
                                        const Descriptor *Source, int64_t Shift,
                                        const char *File, int Line) {
  const Descriptor By = scalar(&Shift);
  shift(Result, Source, &By, 0, 1, /*Round=*/1);
}
void __verso_body__FortranAEoshiftVector(Descriptor *Result,
                                         const Descriptor *Source,
                                         int64_t Shift,
                                         const Descriptor *Boundary,
                                         const char *File, int Line) {
  const Descriptor By = scalar(&Shift);
  shift(Result, Source, &By, Boundary, 1, /*Round=*/0);
}

void __verso_body__FortranAUnpack(Descriptor *Result, const Descriptor *Vector,
                                  const Descriptor *Mask,
                                  const Descriptor *Field, const char *File,
                                  int Line) {
  begin(Result, Vector, Mask->Rank);
  for (int K = 0; K < Mask->Rank; ++K)
    setBounds(Result, K, 1, Mask->Dimensions[K].Extent);
  allocateNew(Result, 0);
  const int64_t Count = elementsOf(Result);
  int64_t Next = 0;
  for (int64_t I = 0; I < Count; ++I)
    copyElement(elementOf(Result, 1, I),
                isTrue(Mask, I) ? elementOf(Vector, 0, Next++)
                                : elementOrAll(Field, I),
                Vector);
}

//===----------------------------------------------------------------------===//
// Places of a value
//===----------------------------------------------------------------------===//

/// Numbers as numbers; all else as integers.
static _Bool areEqual(const Descriptor *X, const char *At,
                      const Descriptor *Y) {
  if (X->Type == Real8 || X->Type == Real4 || Y->Type == Real8 ||
      Y->Type == Real4)
    return realOf(X, At) == realOf(Y, Y->Base);
  return integerAt(X->ElementBytes, At) == integerAt(Y->ElementBytes, Y->Base);
}

static void findLocation(Descriptor *Result, int ResultRank,
                         const Descriptor *X, const Descriptor *Target,
                         int Kind, const Descriptor *Mask, _Bool Last,
                         const char *File) {
  if (X->ElementBytes > 8 || characterBytes(X))
    __verso_fail("FINDLOC of this type has no rule", File);
  const int64_t Count = elementsOf(X);
  const _Bool Whole = isContiguous(X);
  int64_t Found = -1;
  for (int64_t I = 0; I < Count; ++I)
    if (isTrue(Mask, I) && areEqual(X, elementOf(X, Whole, I), Target) &&
        (Last || Found < 0))
      Found = I;
  setPlace(Result, ResultRank, X, Kind, Found);
}
void __verso_body__FortranAFindloc(Descriptor *Result, const Descriptor *X,
                                   const Descriptor *Target, int Kind,
                                   const char *File, int Line,
                                   const Descriptor *Mask, _Bool Last) {
  findLocation(Result, 1, X, Target, Kind, Mask, Last, File);
}
void __verso_body__FortranAFindlocDim(Descriptor *Result, const Descriptor *X,
                                      const Descriptor *Target, int Kind,
                                      int Dim, const char *File, int Line,
                                      const Descriptor *Mask, _Bool Last) {
  if (X->Rank != 1)
    __verso_fail("the places of a value along a dimension have no rule", File);
  findLocation(Result, 0, X, Target, Kind, Mask, Last, File);
}

//===----------------------------------------------------------------------===//
// The same bytes as another type
//===----------------------------------------------------------------------===//

static void transfer(Descriptor *Result, const Descriptor *Source,
                     const Descriptor *Mold, int Rank, int64_t Count) {
  begin(Result, Mold, Rank);
  if (Rank)
    setBounds(Result, 0, 1, Count);
  allocateNew(Result, 0);
  const int64_t Bytes = (Rank ? Count : 1) * (int64_t)Mold->ElementBytes;
  const int64_t Each = Source->ElementBytes, Elements = elementsOf(Source);
  const _Bool Whole = isContiguous(Source);
  for (int64_t I = 0, At = 0; I < Elements && At < Bytes; ++I, At += Each)
    memcpy(Result->Base + At, elementOf(Source, Whole, I),
           Bytes - At < Each ? Bytes - At : Each);
}
void __verso_body__FortranATransfer(Descriptor *Result,
                                    const Descriptor *Source,
                                    const Descriptor *Mold, const char *File,
                                    int Line) {
  const int64_t Bytes = elementsOf(Source) * (int64_t)Source->ElementBytes;
  const int64_t Each = Mold->ElementBytes;
  transfer(Result, Source, Mold, Mold->Rank ? 1 : 0,
           Each ? (Bytes + Each - 1) / Each : 0);
}
void __verso_body__FortranATransferSize(Descriptor *Result,
                                        const Descriptor *Source,
                                        const Descriptor *Mold,
                                        const char *File, int Line,
                                        int64_t Size) {
  transfer(Result, Source, Mold, 1, Size);
}
