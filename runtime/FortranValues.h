//===- FortranValues.h - values of derived types ----------------*- C -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What components hold from the start and what is released in the end.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_FORTRANVALUES_H
#define VERSO_RUNTIME_FORTRANVALUES_H

#include "FortranArray.h"

/// A component that is allocatable, and is not allocated.
static inline void establish(const Component *C, Descriptor *D) {
  D->Base = 0;
  D->ElementBytes = elementBytesOf(C);
  D->Version = 20240719;
  D->Rank = C->Rank;
  D->Attribute = IsAllocatable;
  D->Extra = C->Category == OfDerived;
  D->Type = codeOf(C->Category, C->Kind);
  if (C->Category == OfDerived)
    *(const DerivedType **)&D->Dimensions[C->Rank] = C->Type;
}

/// Components of derived type, of which a parent is one, have their values from
/// their own type. By levels, since what recurs is harder to differentiate.
static inline void fillDeeper(const DerivedType *T, char *At,
                              const char *File) {
  __verso_fail("a Fortran derived type whose components have values from the "
               "start is nested more than three deep, and is allocated",
               File);
}
#define VERSO_FILL(NAME, NESTED)                                               \
  VERSO_LATE void NAME(const DerivedType *T, char *At, const char *File) {     \
    VERSO_UNROLL                                                               \
    for (int64_t K = 0; K < T->ComponentCount; ++K) {                          \
      const Component *C = &T->Components[K];                                  \
      if (C->Initial) {                                                        \
        memcpy(At + C->Offset, C->Initial, bytesOf(C));                        \
      } else if (C->Genre == IsAllocated) {                                    \
        establish(C, (Descriptor *)(At + C->Offset));                          \
      } else if (C->Genre == IsData && C->Category == OfDerived &&             \
                 !C->Type->NoInitialization) {                                 \
        const int64_t Bytes = bytesOf(C);                                      \
        for (int64_t I = 0; I < Bytes; I += C->Type->Bytes)                    \
          NESTED(C->Type, At + C->Offset + I, File);                           \
      }                                                                        \
    }                                                                          \
  }
VERSO_FILL(fortran_late_fill_nested, fillDeeper)
VERSO_FILL(fortran_late_fill_inner, fortran_late_fill_nested)
VERSO_FILL(fortran_late_fill, fortran_late_fill_inner)

/// The values that components have from the start.
static inline void initialize(const Descriptor *D, const char *File) {
  const DerivedType *T = typeOf(D);
  if (!T || T->NoInitialization)
    return;
  const int64_t Count = elementsOf(D);
  const _Bool Whole = isContiguous(D);
  for (int64_t I = 0; I < Count; ++I)
    fortran_late_fill(T, elementOf(D, Whole, I), File);
}

static inline void allocateNew(Descriptor *D, const char *File) {
  allocate(D);
  initialize(D, File);
}

/// What components have allocated, when the variable ends.
static inline void emptyDeeper(const DerivedType *T, char *At) {
  __verso_fail("a Fortran derived type whose components are allocated is "
               "nested more than three deep; deallocate them",
               0);
}
#define VERSO_EMPTY(NAME, NESTED)                                              \
  VERSO_LATE void NAME(const DerivedType *T, char *At) {                       \
    if (hasFinaliser(T))                                                       \
      __verso_fail("a value of a Fortran derived type with a finaliser ends; " \
                   "do without",                                               \
                   0);                                                         \
    VERSO_UNROLL                                                               \
    for (int64_t K = 0; K < T->ComponentCount; ++K) {                          \
      const Component *C = &T->Components[K];                                  \
      const _Bool Nests = C->Category == OfDerived && C->Type;                 \
      if (C->Genre == IsAllocated) {                                           \
        Descriptor *D = (Descriptor *)(At + C->Offset);                        \
        if (!D->Base)                                                          \
          continue;                                                            \
        const DerivedType *U = Nests && mayDiffer(T) ? typeOf(D) : C->Type;    \
        if (Nests && needsEnd(U))                                              \
          for (int64_t I = 0, N = elementsOf(D); I < N; ++I)                   \
            NESTED(U, D->Base + I * (int64_t)D->ElementBytes);                 \
        free(D->Base);                                                         \
        D->Base = 0;                                                           \
      } else if (C->Genre == IsData && Nests && needsEnd(C->Type)) {           \
        const int64_t Bytes = bytesOf(C);                                      \
        for (int64_t I = 0; I < Bytes; I += C->Type->Bytes)                    \
          NESTED(C->Type, At + C->Offset + I);                                 \
      }                                                                        \
    }                                                                          \
  }
VERSO_EMPTY(fortran_late_empty_nested, emptyDeeper)
VERSO_EMPTY(fortran_late_empty_inner, fortran_late_empty_nested)
VERSO_EMPTY(fortran_late_empty, fortran_late_empty_inner)

static inline void emptyAll(const DerivedType *T, const Descriptor *D) {
  const int64_t Count = elementsOf(D);
  const _Bool Whole = isContiguous(D);
  for (int64_t I = 0; I < Count; ++I)
    fortran_late_empty(T, elementOf(D, Whole, I));
}

/// A contiguous array, or none.
typedef struct {
  char *Base;
  int64_t Bytes, Count; // Of elements.
} Block;

static inline Block blockOf(const Descriptor *D) {
  return (Block){D->Base, D->ElementBytes, elementsOf(D)};
}
/// Releases it and what it leads to.
static inline void endBlock(const DerivedType *T, Block B) {
  if (B.Base && T && needsEnd(T))
    for (int64_t I = 0; I < B.Count; ++I)
      fortran_late_empty(T, B.Base + I * B.Bytes);
  free(B.Base);
}

#endif // VERSO_RUNTIME_FORTRANVALUES_H
