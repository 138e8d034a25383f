//===- Fortran.c - bodies of what flang keeps in its library --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assignments of arrays, their allocation and what flang does not compute in
// line are calls with descriptors. In a differentiated function they are these
// bodies, whose names are __verso_body_ and what they stand for. Layouts and
// codes of types are those of ISO_Fortran_binding.h (Fortran 2018, 18.5) as
// flang has them; what the functions mean is in the standard.
//
// Derived types are copied as they are: those with components that are
// allocated, or have a finaliser or an assignment of their own, are an error
// when the program runs.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
double sqrt(double);
float sqrtf(float);
double fmod(double, double);
float fmodf(float, float);
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
enum Types {
  Integer4 = 9,
  Integer8 = 10,
  Real4 = 27,
  Real8 = 28,
  Complex4 = 34,
  Complex8 = 35,
  Derived = 42
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static int64_t elementsOf(const Descriptor *D) {
  int64_t Count = 1;
  for (int K = 0; K < D->Rank; ++K)
    Count *= D->Dimensions[K].Extent;
  return Count;
}

static _Bool isContiguous(const Descriptor *D) {
  int64_t Bytes = D->ElementBytes;
  for (int K = 0; K < D->Rank; ++K) {
    if (D->Dimensions[K].Extent != 1 && D->Dimensions[K].Stride != Bytes)
      return 0;
    Bytes *= D->Dimensions[K].Extent;
  }
  return 1;
}

/// Element \p I in the order of arrays: the first subscript varies first.
static char *elementOf(const Descriptor *D, _Bool Contiguous, int64_t I) {
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

static void copyElement(char *To, const char *From, const Descriptor *D) {
  switch (D->Type) {
  case Real8:
    *(double *)To = *(const double *)From;
    return;
  case Real4:
    *(float *)To = *(const float *)From;
    return;
  case Complex8:
    ((double *)To)[0] = ((const double *)From)[0];
    ((double *)To)[1] = ((const double *)From)[1];
    return;
  case Complex4:
    ((float *)To)[0] = ((const float *)From)[0];
    ((float *)To)[1] = ((const float *)From)[1];
    return;
  default:
    memcpy(To, From, D->ElementBytes);
  }
}

/// Whether the logical element \p I of \p Mask, which may be one for all, or
/// null, is true.
static _Bool isTrue(const Descriptor *Mask, int64_t I) {
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

static int64_t integerOf(const Descriptor *D, int64_t I) {
  const char *At = elementOf(D, isContiguous(D), I);
  switch (D->ElementBytes) {
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

/// Copies all elements, which do not overlap but where they are the same. One
/// element may stand for all.
static void copyElements(const Descriptor *To, const Descriptor *From) {
  const int64_t Count = elementsOf(To);
  const _Bool ToWhole = isContiguous(To), FromWhole = isContiguous(From);
  for (int64_t I = 0; I < Count; ++I)
    copyElement(elementOf(To, ToWhole, I), elementOf(From, FromWhole, I), To);
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

/// What flang knows of a derived type and of its components, in so far as it is
/// of interest.
typedef struct DerivedType DerivedType;

typedef struct {
  int8_t Kind;
  int64_t Number;
} Constant;

typedef struct {
  char Name[24];
  uint8_t Genre, Category, Kind, Rank;
  int64_t Offset;
  Constant Length; // Of text.
  const DerivedType *Type;
  char AfterType[40 - 8 + 64];
  const Constant (*Bounds)[2];
  char AfterBounds[88 - 8];
  const char *Initial; // Null if it has no value from the start.
} Component;

enum Genres { IsData = 1, PointsElsewhere = 2, IsAllocated = 3 };
enum Categories {
  OfIntegers = 0,
  OfReals = 2,
  OfComplex = 3,
  OfText = 4,
  OfDerived = 6
};

struct DerivedType {
  char Before[24 + 24 + 16 + 24];
  int64_t Bytes;
  char AfterBytes[24 + 16 + 48 + 48];
  const Component *Components;
  char AfterComponents[24];
  int64_t ComponentCount;
  char AfterCount[8 + 16 + 2 * 64];
  int SpecialBits;
  int8_t HasParent, NoInitialization, NoDestruction, NoFinalization,
      NoAssignment;
};

static const DerivedType *typeOf(const Descriptor *D) {
  return D->Type == Derived && (D->Extra & 1)
             ? *(DerivedType *const *)&D->Dimensions[D->Rank]
             : 0;
}

static void requirePlain(const Descriptor *D, const char *File) {
  const DerivedType *T = typeOf(D);
  if (T && !(T->NoDestruction && T->NoFinalization))
    __verso_fail("a Fortran derived type with components that are allocated, "
                 "or with a finaliser, is assigned or allocated as a whole; "
                 "assign its components one by one",
                 File);
}

static void setBounds(Descriptor *D, int K, int64_t Lower, int64_t Upper) {
  Dimension *At = &D->Dimensions[K];
  At->Lower = Lower;
  At->Extent = Upper >= Lower ? Upper - Lower + 1 : 0;
}

/// Of the extents, that lie one behind the other.
static void allocate(Descriptor *D) {
  int64_t Bytes = D->ElementBytes;
  for (int K = 0; K < D->Rank; ++K) {
    D->Dimensions[K].Stride = Bytes;
    Bytes *= D->Dimensions[K].Extent;
  }
  D->Base = malloc(Bytes > 0 ? Bytes : 1);
}

static int64_t elementBytesOf(const Component *C) {
  return C->Category == OfDerived   ? C->Type->Bytes
         : C->Category == OfText    ? C->Kind * C->Length.Number
         : C->Category == OfComplex ? 2 * C->Kind
                                    : C->Kind;
}

static int64_t bytesOf(const Component *C) {
  if (C->Genre == PointsElsewhere) // Its descriptor.
    return 24 + C->Rank * sizeof(Dimension) +
           (C->Category == OfDerived ? 16 : 0);
  int64_t Bytes = elementBytesOf(C);
  for (int K = 0; K < C->Rank; ++K)
    Bytes *= C->Bounds[K][1].Number - C->Bounds[K][0].Number + 1;
  return Bytes;
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

/// A new array of \p Rank dimensions, whose extents are set next.
static void begin(Descriptor *Result, const Descriptor *Like, int Rank) {
  Result->ElementBytes = Like->ElementBytes;
  Result->Version = Like->Version;
  Result->Rank = Rank;
  Result->Type = Like->Type;
  Result->Attribute = IsAllocatable;
}

void __verso_body__FortranAAllocatableSetBounds(Descriptor *D, int K,
                                                int64_t Lower, int64_t Upper) {
  setBounds(D, K, Lower, Upper);
}
void __verso_body__FortranAPointerSetBounds(Descriptor *D, int K, int64_t Lower,
                                            int64_t Upper) {
  setBounds(D, K, Lower, Upper);
}
/// The status is 0: where there is no memory the program ends.
int __verso_body__FortranAAllocatableAllocate(Descriptor *D, int64_t *Stream,
                                              _Bool HasStatus,
                                              const Descriptor *Message,
                                              const char *File, int Line,
                                              const Descriptor *Source) {
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
static int release(Descriptor *D, const char *File) {
  requirePlain(D, File);
  free(D->Base);
  D->Base = 0;
  return 0;
}
int __verso_body__FortranAAllocatableDeallocate(Descriptor *D, _Bool HasStatus,
                                                const Descriptor *Message,
                                                const char *File, int Line) {
  return release(D, File);
}
int __verso_body__FortranAPointerDeallocate(Descriptor *D, _Bool HasStatus,
                                            const Descriptor *Message,
                                            const char *File, int Line) {
  return release(D, File);
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
  for (int K = 0; K < A->Rank; ++K)
    if (A->Dimensions[K].Extent != 1 &&
        A->Dimensions[K].Stride != B->Dimensions[K].Stride)
      return 0;
  return 1;
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
  for (int K = 0; K < A->Rank; ++K)
    if (A->Dimensions[K].Extent != B->Dimensions[K].Extent)
      return 0;
  return 1;
}

void __verso_body__FortranAAssign(Descriptor *To, const Descriptor *From,
                                  const char *File, int Line) {
  requirePlain(To, File);
  char *Before = 0;
  _Bool IsFresh = !To->Base;
  if (To->Attribute == IsAllocatable &&
      (IsFresh || (From->Rank && !haveEqualShapes(To, From)))) {
    Before = To->Base; // What is assigned may lie there.
    for (int K = 0; K < To->Rank; ++K) {
      if (!From->Rank)
        continue;
      To->Dimensions[K].Lower = IsFresh ? From->Dimensions[K].Lower : 1;
      To->Dimensions[K].Extent = From->Dimensions[K].Extent;
    }
    allocate(To);
  } else if (elementsOf(To) > 0 && mayOverlap(To, From)) {
    Descriptor Copy;
    begin(&Copy, From, From->Rank);
    for (int K = 0; K < From->Rank; ++K)
      setBounds(&Copy, K, 1, From->Dimensions[K].Extent);
    allocate(&Copy);
    copyElements(&Copy, From);
    copyElements(To, &Copy);
    free(Copy.Base);
    return;
  }
  copyElements(To, From);
  free(Before);
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

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Sums are compensated, as those of flang's library are: Kahan, CACM 8 (1965).
#define VERSO_REDUCTIONS(T, BYTES, ROOT, LARGEST)                              \
  T __verso_body__FortranASumReal##BYTES(const Descriptor *X,                  \
                                         const char *File, int Line, int Dim,  \
                                         const Descriptor *Mask) {             \
    const int64_t Count = elementsOf(X);                                       \
    const _Bool Whole = isContiguous(X);                                       \
    T Sum = 0, Lost = 0;                                                       \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (isTrue(Mask, I)) {                                                   \
        T Term = *(const T *)elementOf(X, Whole, I) - Lost;                    \
        T Next = Sum + Term;                                                   \
        Lost = (Next - Sum) - Term;                                            \
        Sum = Next;                                                            \
      }                                                                        \
    return Sum;                                                                \
  }                                                                            \
  T __verso_body__FortranAProductReal##BYTES(                                  \
      const Descriptor *X, const char *File, int Line, int Dim,                \
      const Descriptor *Mask) {                                                \
    const int64_t Count = elementsOf(X);                                       \
    const _Bool Whole = isContiguous(X);                                       \
    T Product = 1;                                                             \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (isTrue(Mask, I))                                                     \
        Product *= *(const T *)elementOf(X, Whole, I);                         \
    return Product;                                                            \
  }                                                                            \
  T __verso_body__FortranAMaxvalReal##BYTES(const Descriptor *X,               \
                                            const char *File, int Line,        \
                                            int Dim, const Descriptor *Mask) { \
    const int64_t Count = elementsOf(X);                                       \
    const _Bool Whole = isContiguous(X);                                       \
    T Most = -LARGEST;                                                         \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (isTrue(Mask, I)) {                                                   \
        T Each = *(const T *)elementOf(X, Whole, I);                           \
        Most = Each > Most ? Each : Most;                                      \
      }                                                                        \
    return Most;                                                               \
  }                                                                            \
  T __verso_body__FortranAMinvalReal##BYTES(const Descriptor *X,               \
                                            const char *File, int Line,        \
                                            int Dim, const Descriptor *Mask) { \
    const int64_t Count = elementsOf(X);                                       \
    const _Bool Whole = isContiguous(X);                                       \
    T Least = LARGEST;                                                         \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (isTrue(Mask, I)) {                                                   \
        T Each = *(const T *)elementOf(X, Whole, I);                           \
        Least = Each < Least ? Each : Least;                                   \
      }                                                                        \
    return Least;                                                              \
  }                                                                            \
  T __verso_body__FortranANorm2_##BYTES(const Descriptor *X, const char *File, \
                                        int Line, int Dim) {                   \
    const int64_t Count = elementsOf(X);                                       \
    const _Bool Whole = isContiguous(X);                                       \
    T Largest = 0, Sum = 0;                                                    \
    for (int64_t I = 0; I < Count; ++I) {                                      \
      T Each = *(const T *)elementOf(X, Whole, I);                             \
      Each = Each < 0 ? -Each : Each;                                          \
      Largest = Each > Largest ? Each : Largest;                               \
    }                                                                          \
    if (!(Largest > 0 && Largest <= LARGEST))                                  \
      return Largest;                                                          \
    for (int64_t I = 0; I < Count; ++I) {                                      \
      T Part = *(const T *)elementOf(X, Whole, I) / Largest;                   \
      Sum += Part * Part;                                                      \
    }                                                                          \
    return Largest * ROOT(Sum);                                                \
  }                                                                            \
  T __verso_body__FortranADotProductReal##BYTES(                               \
      const Descriptor *X, const Descriptor *Y, const char *File, int Line) {  \
    const int64_t Count = X->Dimensions[0].Extent;                             \
    T Sum = 0;                                                                 \
    for (int64_t I = 0; I < Count; ++I)                                        \
      Sum += *(const T *)(X->Base + I * X->Dimensions[0].Stride) *             \
             *(const T *)(Y->Base + I * Y->Dimensions[0].Stride);              \
    return Sum;                                                                \
  }                                                                            \
  /* A vector is a row on the left and a column on the right. */               \
  void __verso_body__FortranAMatmulReal##BYTES##Real##BYTES(                   \
      Descriptor *Result, const Descriptor *X, const Descriptor *Y,            \
      const char *File, int Line) {                                            \
    const _Bool Row = X->Rank == 1, Column = Y->Rank == 1;                     \
    const Dimension One = {1, 1, 0};                                           \
    const Dimension I = Row ? One : X->Dimensions[0];                          \
    const Dimension OfX = X->Dimensions[!Row], OfY = Y->Dimensions[0];         \
    const Dimension J = Column ? One : Y->Dimensions[1];                       \
    begin(Result, X, 2 - Row - Column);                                        \
    if (!Row)                                                                  \
      setBounds(Result, 0, 1, I.Extent);                                       \
    if (!Column)                                                               \
      setBounds(Result, !Row, 1, J.Extent);                                    \
    allocate(Result);                                                          \
    T *To = (T *)Result->Base;                                                 \
    for (int64_t B = 0; B < J.Extent; ++B) {                                   \
      for (int64_t A = 0; A < I.Extent; ++A)                                   \
        To[A + B * I.Extent] = 0;                                              \
      for (int64_t K = 0; K < OfX.Extent; ++K) {                               \
        T Factor = *(const T *)(Y->Base + K * OfY.Stride + B * J.Stride);      \
        for (int64_t A = 0; A < I.Extent; ++A)                                 \
          To[A + B * I.Extent] +=                                              \
              *(const T *)(X->Base + A * I.Stride + K * OfX.Stride) * Factor;  \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  static void sumDim##BYTES(Descriptor *Result, const Descriptor *X, int K,    \
                            const Descriptor *Mask) {                          \
    int64_t Inner = 1, Length = X->Dimensions[K].Extent;                       \
    for (int J = 0; J < K; ++J)                                                \
      Inner *= X->Dimensions[J].Extent;                                        \
    const int64_t Count = elementsOf(Result);                                  \
    const _Bool Whole = isContiguous(X);                                       \
    for (int64_t I = 0; I < Count; ++I) {                                      \
      T Sum = 0, Lost = 0;                                                     \
      for (int64_t L = 0; L < Length; ++L) {                                   \
        int64_t At = I % Inner + (I / Inner * Length + L) * Inner;             \
        if (!isTrue(Mask, At))                                                 \
          continue;                                                            \
        T Term = *(const T *)elementOf(X, Whole, At) - Lost;                   \
        T Next = Sum + Term;                                                   \
        Lost = (Next - Sum) - Term;                                            \
        Sum = Next;                                                            \
      }                                                                        \
      ((T *)Result->Base)[I] = Sum;                                            \
    }                                                                          \
  }
VERSO_REDUCTIONS(double, 8, sqrt, 0x1.fffffffffffffp1023)
VERSO_REDUCTIONS(float, 4, sqrtf, 0x1.fffffep127f)

/// Of an array of one dimension less.
static void beginAlong(Descriptor *Result, const Descriptor *X, int Dim) {
  begin(Result, X, X->Rank - 1);
  for (int K = 0; K < X->Rank - 1; ++K)
    setBounds(Result, K, 1, X->Dimensions[K < Dim - 1 ? K : K + 1].Extent);
  allocate(Result);
}

void __verso_body__FortranASumDim(Descriptor *Result, const Descriptor *X,
                                  int Dim, const char *File, int Line,
                                  const Descriptor *Mask) {
  beginAlong(Result, X, Dim);
  if (X->Type == Real8)
    sumDim8(Result, X, Dim - 1, Mask);
  else if (X->Type == Real4)
    sumDim4(Result, X, Dim - 1, Mask);
  else
    __verso_fail("SUM of this type along a dimension has no rule", File);
}

#define VERSO_ALONG(NAME, T, FIRST, NEXT)                                      \
  static void NAME(Descriptor *Result, const Descriptor *X, int K,             \
                   const Descriptor *Mask) {                                   \
    int64_t Inner = 1, Length = X->Dimensions[K].Extent;                       \
    for (int J = 0; J < K; ++J)                                                \
      Inner *= X->Dimensions[J].Extent;                                        \
    const int64_t Count = elementsOf(Result);                                  \
    const _Bool Whole = isContiguous(X);                                       \
    for (int64_t I = 0; I < Count; ++I) {                                      \
      T Value = FIRST;                                                         \
      for (int64_t L = 0; L < Length; ++L) {                                   \
        int64_t At = I % Inner + (I / Inner * Length + L) * Inner;             \
        if (!isTrue(Mask, At))                                                 \
          continue;                                                            \
        T Each = *(const T *)elementOf(X, Whole, At);                          \
        Value = NEXT;                                                          \
      }                                                                        \
      ((T *)Result->Base)[I] = Value;                                          \
    }                                                                          \
  }
#define VERSO_DIM(FUNCTION, FIRST8, FIRST4, NEXT)                              \
  VERSO_ALONG(along##FUNCTION##8, double, FIRST8, NEXT)                        \
  VERSO_ALONG(along##FUNCTION##4, float, FIRST4, NEXT)                         \
  void __verso_body__FortranA##FUNCTION##Dim(                                  \
      Descriptor *Result, const Descriptor *X, int Dim, const char *File,      \
      int Line, const Descriptor *Mask) {                                      \
    beginAlong(Result, X, Dim);                                                \
    if (X->Type == Real8)                                                      \
      along##FUNCTION##8(Result, X, Dim - 1, Mask);                            \
    else if (X->Type == Real4)                                                 \
      along##FUNCTION##4(Result, X, Dim - 1, Mask);                            \
    else                                                                       \
      __verso_fail(#FUNCTION " of this type along a dimension has no rule",    \
                   File);                                                      \
  }
VERSO_DIM(Product, 1, 1, Value *Each)
VERSO_DIM(Maxval, -0x1.fffffffffffffp1023, -0x1.fffffep127f,
          Each > Value ? Each : Value)
VERSO_DIM(Minval, 0x1.fffffffffffffp1023, 0x1.fffffep127f,
          Each < Value ? Each : Value)

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// MOD has the sign of its first argument, MODULO that of its second.
#define VERSO_REMAINDERS(T, BYTES, REMAINDER)                                  \
  T __verso_body__FortranAModReal##BYTES(T X, T Y, const char *File,           \
                                         int Line) {                           \
    return REMAINDER(X, Y);                                                    \
  }                                                                            \
  T __verso_body__FortranAModuloReal##BYTES(T X, T Y, const char *File,        \
                                            int Line) {                        \
    T Rest = REMAINDER(X, Y);                                                  \
    return Rest != 0 && (Rest < 0) != (Y < 0) ? Rest + Y : Rest;               \
  }
VERSO_REMAINDERS(double, 8, fmod)
VERSO_REMAINDERS(float, 4, fmodf)

//===----------------------------------------------------------------------===//
// Elements that change places
//===----------------------------------------------------------------------===//

void __verso_body__FortranATranspose(Descriptor *Result, const Descriptor *X,
                                     const char *File, int Line) {
  Descriptor Turned;
  begin(&Turned, X, 2);
  Turned.Base = X->Base;
  begin(Result, X, 2);
  for (int K = 0; K < 2; ++K) {
    Turned.Dimensions[K] = X->Dimensions[1 - K];
    setBounds(Result, K, 1, X->Dimensions[1 - K].Extent);
  }
  allocate(Result);
  copyElements(Result, &Turned);
}

void __verso_body__FortranAReshape(Descriptor *Result, const Descriptor *Source,
                                   const Descriptor *Shape,
                                   const Descriptor *Pad,
                                   const Descriptor *Order, const char *File,
                                   int Line) {
  const int Rank = Shape->Dimensions[0].Extent;
  begin(Result, Source, Rank);
  for (int K = 0; K < Rank; ++K)
    setBounds(Result, K, 1, integerOf(Shape, K));
  allocate(Result);
  // The result as it is filled: the first of Order varies first.
  Descriptor Filled;
  begin(&Filled, Result, Rank);
  Filled.Base = Result->Base;
  for (int K = 0; K < Rank; ++K)
    Filled.Dimensions[K] =
        Result->Dimensions[Order && Order->Base ? integerOf(Order, K) - 1 : K];
  const int64_t Count = elementsOf(Result), Given = elementsOf(Source);
  const _Bool Whole = isContiguous(&Filled), FromWhole = isContiguous(Source);
  for (int64_t I = 0; I < Count; ++I) {
    const char *From = I < Given ? elementOf(Source, FromWhole, I)
                                 : elementOf(Pad, isContiguous(Pad),
                                             (I - Given) % elementsOf(Pad));
    copyElement(elementOf(&Filled, Whole, I), From, Result);
  }
}

void __verso_body__FortranASpread(Descriptor *Result, const Descriptor *Source,
                                  int Dim, int64_t Copies, const char *File,
                                  int Line) {
  Descriptor Repeated;
  begin(&Repeated, Source, Source->Rank + 1);
  Repeated.Base = Source->Base;
  begin(Result, Source, Source->Rank + 1);
  for (int K = 0; K < Source->Rank + 1; ++K) {
    Dimension *D = &Repeated.Dimensions[K];
    if (K == Dim - 1) {
      D->Extent = Copies > 0 ? Copies : 0;
      D->Stride = 0;
    } else {
      *D = Source->Dimensions[K < Dim - 1 ? K : K - 1];
    }
    setBounds(Result, K, 1, D->Extent);
  }
  allocate(Result);
  copyElements(Result, &Repeated);
}

void __verso_body__FortranAPack(Descriptor *Result, const Descriptor *Source,
                                const Descriptor *Mask,
                                const Descriptor *Vector, const char *File,
                                int Line) {
  const int64_t Count = elementsOf(Source);
  int64_t Taken = 0;
  for (int64_t I = 0; I < Count; ++I)
    Taken += isTrue(Mask, I);
  const _Bool HasVector = Vector && Vector->Base;
  begin(Result, Source, 1);
  setBounds(Result, 0, 1, HasVector ? Vector->Dimensions[0].Extent : Taken);
  allocate(Result);
  const _Bool Whole = isContiguous(Source);
  int64_t At = 0;
  for (int64_t I = 0; I < Count; ++I)
    if (isTrue(Mask, I))
      copyElement(elementOf(Result, 1, At++), elementOf(Source, Whole, I),
                  Result);
  if (HasVector)
    for (; At < Vector->Dimensions[0].Extent; ++At)
      copyElement(elementOf(Result, 1, At), elementOf(Vector, 0, At), Result);
}

void __verso_body__FortranACshiftVector(Descriptor *Result,
                                        const Descriptor *Source, int64_t Shift,
                                        const char *File, int Line) {
  const int64_t Count = Source->Dimensions[0].Extent;
  begin(Result, Source, 1);
  setBounds(Result, 0, 1, Count);
  allocate(Result);
  for (int64_t I = 0; I < Count; ++I) {
    int64_t From = (I + Shift) % Count;
    copyElement(elementOf(Result, 1, I),
                elementOf(Source, 0, From < 0 ? From + Count : From), Result);
  }
}

//===----------------------------------------------------------------------===//
// Places of the largest and the least
//===----------------------------------------------------------------------===//

static double realOf(const Descriptor *X, const char *At) {
  return X->Type == Real8 ? *(const double *)At : *(const float *)At;
}

static void setInteger(const Descriptor *D, int64_t I, int64_t Value) {
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

/// Subscripts are counted from one; zeros where there is no element.
static void findPlace(Descriptor *Result, int ResultRank, const Descriptor *X,
                      int Kind, int Sign, const Descriptor *Mask, _Bool Last,
                      const char *File) {
  if (X->Type != Real8 && X->Type != Real4)
    __verso_fail("the place of a largest or least element of this type has no "
                 "rule",
                 File);
  begin(Result, X, ResultRank);
  Result->ElementBytes = Kind;
  Result->Type = Kind == 8 ? 10 : Kind == 4 ? 9 : Kind == 2 ? 8 : 7;
  if (ResultRank)
    setBounds(Result, 0, 1, X->Rank);
  allocate(Result);
  const int64_t Count = elementsOf(X);
  const _Bool Whole = isContiguous(X);
  int64_t Found = -1;
  double Best = 0;
  for (int64_t I = 0; I < Count; ++I) {
    if (!isTrue(Mask, I))
      continue;
    double Each = Sign * realOf(X, elementOf(X, Whole, I));
    if (Found < 0 || Each > Best || (Last && Each == Best)) {
      Found = I;
      Best = Each;
    }
  }
  for (int K = 0; K < X->Rank; ++K) {
    setInteger(Result, K, Found < 0 ? 0 : Found % X->Dimensions[K].Extent + 1);
    Found = Found < 0 ? Found : Found / X->Dimensions[K].Extent;
  }
}

#define VERSO_PLACES(NAME, SIGN)                                               \
  void __verso_body__FortranA##NAME##Real8(                                    \
      Descriptor *Result, const Descriptor *X, int Kind, const char *File,     \
      int Line, const Descriptor *Mask, _Bool Last) {                          \
    findPlace(Result, 1, X, Kind, SIGN, Mask, Last, File);                     \
  }                                                                            \
  void __verso_body__FortranA##NAME##Real4(                                    \
      Descriptor *Result, const Descriptor *X, int Kind, const char *File,     \
      int Line, const Descriptor *Mask, _Bool Last) {                          \
    findPlace(Result, 1, X, Kind, SIGN, Mask, Last, File);                     \
  }                                                                            \
  void __verso_body__FortranA##NAME##Dim(                                      \
      Descriptor *Result, const Descriptor *X, int Kind, int Dim,              \
      const char *File, int Line, const Descriptor *Mask, _Bool Last) {        \
    if (X->Rank != 1)                                                          \
      __verso_fail("the places of largest or least elements along a "          \
                   "dimension have no rule",                                   \
                   File);                                                      \
    findPlace(Result, 0, X, Kind, SIGN, Mask, Last, File);                     \
  }
VERSO_PLACES(Maxloc, 1)
VERSO_PLACES(Minloc, -1)
