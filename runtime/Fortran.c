//===- Fortran.c - arrays and derived types that flang's library keeps ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assignments of arrays, their allocation and what flang does not compute in
// line (FortranIntrinsics.c) are calls with descriptors. In a differentiated
// function they are these bodies, whose names are __verso_body_ and what they
// stand for; what the functions mean is in the standard.
//
// Derived types are copied as they are: those with components that are
// allocated, or have a finaliser or an assignment of their own, are an error
// when the program runs.
//
//===----------------------------------------------------------------------===//

#include "FortranCopies.h"

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

static void requirePlain(const Descriptor *D, const char *File) {
  const DerivedType *T = typeOf(D);
  if (T && !(T->NoDestruction && T->NoFinalization))
    __verso_fail("a Fortran derived type with components that are allocated, "
                 "or with a finaliser, is assigned or allocated as a whole; "
                 "assign its components one by one",
                 File);
}

/// A component that is allocatable, and not allocated.
static void establish(const Component *C, Descriptor *D, const char *File) {
  D->Base = 0;
  D->ElementBytes = elementBytesOf(C);
  D->Version = 20240719;
  D->Rank = C->Rank;
  D->Attribute = IsAllocatable;
  D->Extra = C->Category == OfDerived;
  if (C->Category == OfDerived) {
    D->Type = Derived;
    *(const DerivedType **)&D->Dimensions[C->Rank] = C->Type;
  } else if (C->Category == OfReals && (C->Kind == 8 || C->Kind == 4)) {
    D->Type = C->Kind == 8 ? Real8 : Real4;
  } else if (C->Category == OfComplex && (C->Kind == 8 || C->Kind == 4)) {
    D->Type = C->Kind == 8 ? Complex8 : Complex4;
  } else if (C->Category == OfIntegers && (C->Kind == 8 || C->Kind == 4)) {
    D->Type = C->Kind == 8 ? Integer8 : Integer4;
  } else {
    __verso_fail("a Fortran derived type with a component that is allocatable "
                 "and neither of real, complex or integer numbers nor of a "
                 "derived type has no rule",
                 File);
  }
}

/// Components of derived type, of which a parent is one, have their values from
/// their own type. By levels, since what recurs is harder to differentiate.
static void fillDeeper(const DerivedType *T, char *At, const char *File) {
  __verso_fail("a Fortran derived type whose components have values from the "
               "start is nested more than three deep, and is allocated",
               File);
}
#define VERSO_FILL(NAME, NESTED)                                               \
  static void NAME(const DerivedType *T, char *At, const char *File) {         \
    VERSO_UNROLL                                                               \
    for (int64_t K = 0; K < T->ComponentCount; ++K) {                          \
      const Component *C = &T->Components[K];                                  \
      if (C->Initial) {                                                        \
        memcpy(At + C->Offset, C->Initial, bytesOf(C));                        \
      } else if (C->Genre == IsAllocated) {                                    \
        establish(C, (Descriptor *)(At + C->Offset), File);                    \
      } else if (C->Genre == IsData && C->Category == OfDerived &&             \
                 !C->Type->NoInitialization) {                                 \
        const int64_t Bytes = bytesOf(C);                                      \
        for (int64_t I = 0; I < Bytes; I += C->Type->Bytes)                    \
          NESTED(C->Type, At + C->Offset + I, File);                           \
      }                                                                        \
    }                                                                          \
  }
VERSO_FILL(fillNested, fillDeeper)
VERSO_FILL(fillInner, fillNested)
VERSO_FILL(fill, fillInner)

/// The values that components have from the start.
static void initialize(const Descriptor *D, const char *File) {
  const DerivedType *T = typeOf(D);
  if (!T || T->NoInitialization)
    return;
  const int64_t Count = elementsOf(D);
  const _Bool Whole = isContiguous(D);
  for (int64_t I = 0; I < Count; ++I)
    fill(T, elementOf(D, Whole, I), File);
}

void __verso_body__FortranAInitialize(const Descriptor *D, const char *File,
                                      int Line) {
  initialize(D, File);
}

/// What components have allocated, when the variable ends.
static void emptyDeeper(const DerivedType *T, char *At) {
  __verso_fail("a Fortran derived type whose components are allocated is "
               "nested more than three deep; deallocate them",
               0);
}
#define VERSO_EMPTY(NAME, NESTED)                                              \
  static void NAME(const DerivedType *T, char *At) {                           \
    VERSO_UNROLL                                                               \
    for (int64_t K = 0; K < T->ComponentCount; ++K) {                          \
      const Component *C = &T->Components[K];                                  \
      const _Bool Nests =                                                      \
          C->Category == OfDerived && C->Type && !C->Type->NoDestruction;      \
      if (C->Genre == IsAllocated) {                                           \
        Descriptor *D = (Descriptor *)(At + C->Offset);                        \
        if (!D->Base)                                                          \
          continue;                                                            \
        if (Nests)                                                             \
          for (int64_t I = 0, N = elementsOf(D); I < N; ++I)                   \
            NESTED(C->Type, D->Base + I * (int64_t)D->ElementBytes);           \
        free(D->Base);                                                         \
        D->Base = 0;                                                           \
      } else if (C->Genre == IsData && Nests) {                                \
        const int64_t Bytes = bytesOf(C);                                      \
        for (int64_t I = 0; I < Bytes; I += C->Type->Bytes)                    \
          NESTED(C->Type, At + C->Offset + I);                                 \
      }                                                                        \
    }                                                                          \
  }
VERSO_EMPTY(emptyNested, emptyDeeper)
VERSO_EMPTY(emptyInner, emptyNested)
VERSO_EMPTY(empty, emptyInner)

void __verso_body__FortranADestroy(const Descriptor *D) {
  const DerivedType *T = typeOf(D);
  if (!T || T->NoDestruction || !D->Base)
    return;
  if (!T->NoFinalization)
    __verso_fail("a Fortran derived type with a finaliser ends", 0);
  const int64_t Count = elementsOf(D);
  const _Bool Whole = isContiguous(D);
  for (int64_t I = 0; I < Count; ++I)
    empty(T, elementOf(D, Whole, I));
}

/// Of what is allocated already, `allocate` is about to fail.
void __verso_body__FortranAAllocatableSetBounds(Descriptor *D, int K,
                                                int64_t Lower, int64_t Upper) {
  if (!D->Base)
    setBounds(D, K, Lower, Upper);
}
void __verso_body__FortranAPointerSetBounds(Descriptor *D, int K, int64_t Lower,
                                            int64_t Upper) {
  setBounds(D, K, Lower, Upper);
}

/// What `stat=` gives, as flang's library does; without it the program ends.
/// There is none for a lack of memory: there the program ends in any case.
enum Status { Done = 0, IsNotAllocated = 11, IsAlreadyAllocated = 12 };

static int fail(enum Status S, _Bool HasStatus, const char *File) {
  if (!HasStatus)
    __verso_fail(S == IsNotAllocated
                     ? "what is deallocated is not allocated (Fortran)"
                     : "what is allocated is allocated already (Fortran)",
                 File);
  return S;
}

int __verso_body__FortranAAllocatableAllocate(Descriptor *D, int64_t *Stream,
                                              _Bool HasStatus,
                                              const Descriptor *Message,
                                              const char *File, int Line,
                                              const Descriptor *Source) {
  if (D->Base)
    return fail(IsAlreadyAllocated, HasStatus, File);
  requirePlain(D, File);
  allocate(D);
  initialize(D, File);
  return 0;
}
int __verso_body__FortranAPointerAllocate(Descriptor *D, _Bool HasStatus,
                                          const Descriptor *Message,
                                          const char *File, int Line,
                                          const Descriptor *Source) {
  requirePlain(D, File);
  allocate(D);
  initialize(D, File);
  return 0;
}
static int release(Descriptor *D, _Bool HasStatus, const char *File) {
  if (!D->Base)
    return fail(IsNotAllocated, HasStatus, File);
  requirePlain(D, File);
  free(D->Base);
  D->Base = 0;
  return 0;
}
int __verso_body__FortranAAllocatableDeallocate(Descriptor *D, _Bool HasStatus,
                                                const Descriptor *Message,
                                                const char *File, int Line) {
  return release(D, HasStatus, File);
}
int __verso_body__FortranAPointerDeallocate(Descriptor *D, _Bool HasStatus,
                                            const Descriptor *Message,
                                            const char *File, int Line) {
  return release(D, HasStatus, File);
}

/// No element moves.
int __verso_body__FortranAMoveAlloc(Descriptor *To, Descriptor *From,
                                    const DerivedType *Type, _Bool HasStatus,
                                    const Descriptor *Message, const char *File,
                                    int Line) {
  __verso_body__FortranADestroy(To);
  free(To->Base);
  To->Base = From->Base;
  To->ElementBytes = From->ElementBytes;
  for (int K = 0; K < From->Rank; ++K)
    To->Dimensions[K] = From->Dimensions[K];
  From->Base = 0;
  return 0;
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

/// The first byte of an array and the one behind its last.
static void extentOf(const Descriptor *D, char **First, char **End) {
  int64_t Below = 0, Above = D->ElementBytes;
  for (int K = 0; K < D->Rank; ++K) {
    int64_t Last = (D->Dimensions[K].Extent - 1) * D->Dimensions[K].Stride;
    *(Last < 0 ? &Below : &Above) += Last;
  }
  *First = D->Base + Below;
  *End = D->Base + Above;
}

static _Bool haveEqualStrides(const Descriptor *A, const Descriptor *B) {
  if (A->Rank != B->Rank)
    return 0;
  _Bool Are = 1;
  for (int K = 0; K < A->Rank; ++K)
    Are &= (A->Dimensions[K].Extent == 1) |
           (A->Dimensions[K].Stride == B->Dimensions[K].Stride);
  return Are;
}

static _Bool mayOverlap(const Descriptor *A, const Descriptor *B) {
  if (A->Base == B->Base && haveEqualStrides(A, B))
    return 0; // Element by element the same.
  char *FirstA, *EndA, *FirstB, *EndB;
  extentOf(A, &FirstA, &EndA);
  extentOf(B, &FirstB, &EndB);
  return FirstA < EndB && FirstB < EndA;
}

static int allocateFrom(Descriptor *D, const Descriptor *Source,
                        const char *File) {
  requirePlain(D, File);
  allocate(D);
  copyElements(D, Source);
  return 0;
}
int __verso_body__FortranAAllocatableAllocateSource(
    Descriptor *D, const Descriptor *Source, _Bool HasStatus,
    const Descriptor *Message, const char *File, int Line) {
  if (D->Base)
    return fail(IsAlreadyAllocated, HasStatus, File);
  return allocateFrom(D, Source, File);
}
int __verso_body__FortranAPointerAllocateSource(Descriptor *D,
                                                const Descriptor *Source,
                                                _Bool HasStatus,
                                                const Descriptor *Message,
                                                const char *File, int Line) {
  return allocateFrom(D, Source, File);
}

static _Bool haveEqualShapes(const Descriptor *A, const Descriptor *B) {
  _Bool Are = 1;
  for (int K = 0; K < A->Rank; ++K)
    Are &= A->Dimensions[K].Extent == B->Dimensions[K].Extent;
  return Are;
}

static void assign(Descriptor *To, const Descriptor *From, _Bool HasLength,
                   const char *File) {
  // Read first, it is known to the optimiser: what follows writes beside it.
  const int8_t Type = From->Type;
  const DerivedType *T = typeOf(From);
  requirePlain(To, File);
  char *Before = 0;
  _Bool IsOfLength = HasLength || !characterBytes(To) ||
                     To->ElementBytes == From->ElementBytes;
  if (To->Attribute == IsAllocatable &&
      (!To->Base || !IsOfLength ||
       (From->Rank && !haveEqualShapes(To, From)))) {
    Before = To->Base; // What is assigned may lie there.
    for (int K = 0; K < To->Rank && From->Rank; ++K) {
      To->Dimensions[K].Lower = From->Dimensions[K].Lower;
      To->Dimensions[K].Extent = From->Dimensions[K].Extent;
    }
    if (!IsOfLength)
      To->ElementBytes = From->ElementBytes;
    allocate(To);
  } else if (elementsOf(To) > 0 && mayOverlap(To, From)) {
    Descriptor Copy;
    begin(&Copy, From, From->Rank);
    for (int K = 0; K < From->Rank; ++K)
      setBounds(&Copy, K, 1, From->Dimensions[K].Extent);
    allocate(&Copy);
    copyElementsAs(Type, T, &Copy, From);
    copyElementsAs(Type, T, To, &Copy);
    free(Copy.Base);
    return;
  }
  copyElementsAs(Type, T, To, From);
  free(Before);
}

void __verso_body__FortranAAssign(Descriptor *To, const Descriptor *From,
                                  const char *File, int Line) {
  assign(To, From, /*HasLength=*/0, File);
}
/// To an allocatable text that keeps its length.
void __verso_body__FortranAAssignExplicitLengthCharacter(Descriptor *To,
                                                         const Descriptor *From,
                                                         const char *File,
                                                         int Line) {
  assign(To, From, /*HasLength=*/1, File);
}

/// [a, b, ...]: a vector to which elements are added. It is allocated if its
/// length is known; else it grows. These functions alone know the structure.
typedef struct {
  Descriptor *To;
  int64_t Next, Room;
} Constructor;

static void makeRoom(Constructor *C, int64_t More) {
  Descriptor *To = C->To;
  int64_t Wanted = C->Next + More;
  if (Wanted <= C->Room)
    return;
  C->Room = Wanted > 2 * C->Room ? Wanted : 2 * C->Room;
  Descriptor Before;
  begin(&Before, To, 1);
  Before.Base = To->Base;
  Before.Dimensions[0] = To->Dimensions[0];
  setBounds(To, 0, 1, C->Room);
  allocate(To);
  for (int64_t I = 0; I < C->Next; ++I)
    copyElement(elementOf(To, 1, I), elementOf(&Before, 1, I), To);
  free(Before.Base);
  setBounds(To, 0, 1, C->Next);
}

static void added(Constructor *C) {
  if (C->To->Dimensions[0].Extent < C->Next)
    C->To->Dimensions[0].Extent = C->Next;
}

void __verso_body__FortranAInitArrayConstructorVector(Constructor *C,
                                                      Descriptor *To,
                                                      _Bool TakesLengths,
                                                      const char *File,
                                                      int Line) {
  requirePlain(To, File);
  C->To = To;
  C->Next = 0;
  C->Room = To->Base ? To->Dimensions[0].Extent : 0;
  if (!To->Base)
    setBounds(To, 0, 1, 0);
}
void __verso_body__FortranAPushArrayConstructorValue(Constructor *C,
                                                     const Descriptor *From) {
  const int64_t Count = elementsOf(From);
  const _Bool Whole = isContiguous(From);
  makeRoom(C, Count);
  for (int64_t I = 0; I < Count; ++I)
    copyElement(elementOf(C->To, 1, C->Next++), elementOf(From, Whole, I),
                C->To);
  added(C);
}
void __verso_body__FortranAPushArrayConstructorSimpleScalar(Constructor *C,
                                                            const char *From) {
  makeRoom(C, 1);
  copyElement(elementOf(C->To, 1, C->Next++), From, C->To);
  added(C);
}

_Bool __verso_body__FortranAIsContiguous(const Descriptor *D) {
  return isContiguous(D);
}

/// A contiguous copy of an actual argument, and back.
void __verso_body__FortranACopyInAssign(Descriptor *Copy, const Descriptor *Of,
                                        const char *File, int Line) {
  begin(Copy, Of, Of->Rank);
  for (int K = 0; K < Of->Rank; ++K)
    setBounds(Copy, K, 1, Of->Dimensions[K].Extent);
  allocate(Copy);
  copyElements(Copy, Of);
}
void __verso_body__FortranACopyOutAssign(Descriptor *Of, Descriptor *Copy,
                                         const char *File, int Line) {
  if (Of)
    copyElements(Of, Copy);
  free(Copy->Base);
  Copy->Base = 0;
}
