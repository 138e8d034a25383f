//===- FortranArray.h - flang's arrays and their elements -------*- C -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts are those of ISO_Fortran_binding.h (Fortran 2018, 18.5) as flang has
// them; what elements are, FortranTypes.h says.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_FORTRANARRAY_H
#define VERSO_RUNTIME_FORTRANARRAY_H

#include "FortranTypes.h"

#include <stddef.h>

void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void __verso_fail(const char *Reason, const char *Where);

typedef struct {
  int64_t Lower, Extent, Stride; // The last in bytes.
} Dimension;

typedef struct {
  char *Base;
  size_t ElementBytes;
  int Version;
  int8_t Rank, Type, Attribute;
  uint8_t Extra; // Bit 0: there is an addendum behind the dimensions.
  Dimension Dimensions[15];
} Descriptor;

enum Attributes { IsPointer = 1, IsAllocatable = 2 };

/// Null but for derived types that are described.
static inline const DerivedType *typeOf(const Descriptor *D) {
  return D->Type == Derived && (D->Extra & 1)
             ? *(DerivedType *const *)&D->Dimensions[D->Rank]
             : 0;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static inline int64_t elementsOf(const Descriptor *D) {
  int64_t Count = 1;
  for (int K = 0; K < D->Rank; ++K)
    Count *= D->Dimensions[K].Extent;
  return Count;
}

/// (Without an end before the last dimension: the number of iterations is known
/// where the rank is.)
static inline _Bool isContiguous(const Descriptor *D) {
  int64_t Bytes = D->ElementBytes;
  _Bool Is = 1;
  for (int K = 0; K < D->Rank; ++K) {
    Is &= (D->Dimensions[K].Extent == 1) | (D->Dimensions[K].Stride == Bytes);
    Bytes *= D->Dimensions[K].Extent;
  }
  return Is;
}

static inline _Bool haveEqualShapes(const Descriptor *A, const Descriptor *B) {
  _Bool Are = 1;
  for (int K = 0; K < A->Rank; ++K)
    Are &= A->Dimensions[K].Extent == B->Dimensions[K].Extent;
  return Are;
}

/// Element \p I in the order of arrays: the first subscript varies first.
static inline char *elementOf(const Descriptor *D, _Bool Contiguous,
                              int64_t I) {
  if (D->Rank == 0)
    return D->Base;
  if (Contiguous)
    return D->Base + I * (int64_t)D->ElementBytes;
  int64_t Offset = 0;
  for (int K = 0; K < D->Rank; ++K) {
    Offset += I % D->Dimensions[K].Extent * D->Dimensions[K].Stride;
    I /= D->Dimensions[K].Extent;
  }
  return D->Base + Offset;
}

/// Whether the logical element \p I of \p Mask, which may be one for all, or
/// null, is true.
static inline _Bool isTrue(const Descriptor *Mask, int64_t I) {
  if (!Mask || !Mask->Base)
    return 1;
  const char *At = elementOf(Mask, isContiguous(Mask), I);
  switch (Mask->ElementBytes) {
  case 1:
    return *(const int8_t *)At & 1;
  case 2:
    return *(const int16_t *)At & 1;
  case 4:
    return *(const int32_t *)At & 1;
  default:
    return *(const int64_t *)At & 1;
  }
}

static inline int64_t integerAt(size_t Bytes, const char *At) {
  switch (Bytes) {
  case 1:
    return *(const int8_t *)At;
  case 2:
    return *(const int16_t *)At;
  case 4:
    return *(const int32_t *)At;
  default:
    return *(const int64_t *)At;
  }
}

/// A number of any type that is neither complex nor longer than 8 bytes.
static inline double realOf(const Descriptor *X, const char *At) {
  switch (X->Type) {
  case Real8:
    return *(const double *)At;
  case Real4:
    return *(const float *)At;
  case Integer1:
    return *(const int8_t *)At;
  case Integer2:
    return *(const int16_t *)At;
  case Integer4:
    return *(const int32_t *)At;
  case Integer8:
    return *(const int64_t *)At;
  default:
    __verso_fail("numbers of this type have no rule (Fortran)", 0);
    return 0;
  }
}

static inline int64_t integerOf(const Descriptor *D, int64_t I) {
  return integerAt(D->ElementBytes, elementOf(D, isContiguous(D), I));
}

static inline void setInteger(const Descriptor *D, int64_t I, int64_t Value) {
  char *At = D->Base + I * (int64_t)D->ElementBytes;
  if (D->ElementBytes == 4)
    *(int32_t *)At = Value;
  else if (D->ElementBytes == 8)
    *(int64_t *)At = Value;
  else if (D->ElementBytes == 2)
    *(int16_t *)At = Value;
  else
    *(int8_t *)At = Value;
}

/// The bytes of a character; 0 if the elements are no text.
static inline int64_t characterBytes(const Descriptor *D) {
  return D->Type == Text1 ? 1 : D->Type == Text2 ? 2 : D->Type == Text4 ? 4 : 0;
}

//===----------------------------------------------------------------------===//
// New arrays
//===----------------------------------------------------------------------===//

static inline void setBounds(Descriptor *D, int K, int64_t Lower,
                             int64_t Upper) {
  Dimension *At = &D->Dimensions[K];
  At->Lower = Lower;
  At->Extent = Upper >= Lower ? Upper - Lower + 1 : 0;
}

/// Of the extents, that lie one behind the other.
static inline void allocate(Descriptor *D) {
  int64_t Bytes = D->ElementBytes;
  for (int K = 0; K < D->Rank; ++K) {
    D->Dimensions[K].Stride = Bytes;
    Bytes *= D->Dimensions[K].Extent;
  }
  D->Base = malloc(Bytes > 0 ? Bytes : 1);
}

/// Makes \p D an array of a derived type; does nothing if \p T is null.
static inline void setType(Descriptor *D, const DerivedType *T) {
  if (!T)
    return;
  D->ElementBytes = T->Bytes;
  D->Type = Derived;
  D->Extra |= 1;
  *(const DerivedType **)&D->Dimensions[D->Rank] = T;
}

/// A new array of \p Rank dimensions, whose extents are set next.
static inline void begin(Descriptor *Result, const Descriptor *Like, int Rank) {
  Result->ElementBytes = Like->ElementBytes;
  Result->Version = Like->Version;
  Result->Rank = Rank;
  Result->Type = Like->Type;
  Result->Attribute = IsAllocatable;
}

/// The same of one that nobody else sees.
static inline void beginOwn(Descriptor *Own, const Descriptor *Like, int Rank) {
  begin(Own, Like, Rank);
  Own->Extra = 0;
  setType(Own, typeOf(Like));
}

/// The subscripts of element \p Found of \p X, as integers of \p Kind bytes:
/// they are counted from one, and are zero where it is less than zero.
static inline void setPlace(Descriptor *Result, int Rank, const Descriptor *X,
                            int Kind, int64_t Found) {
  begin(Result, X, Rank);
  Result->ElementBytes = Kind;
  Result->Type = codeOf(OfIntegers, Kind);
  if (Rank)
    setBounds(Result, 0, 1, X->Rank);
  allocate(Result);
  for (int K = 0; K < X->Rank; ++K) {
    setInteger(Result, K, Found < 0 ? 0 : Found % X->Dimensions[K].Extent + 1);
    Found = Found < 0 ? Found : Found / X->Dimensions[K].Extent;
  }
}

#endif // VERSO_RUNTIME_FORTRANARRAY_H
