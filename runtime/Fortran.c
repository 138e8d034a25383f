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
// Values of derived type are copied component by component, with what these
// have allocated. Types that have a finaliser or an assignment of their own are
// an error when the program runs.
//
//===----------------------------------------------------------------------===//

#include "FortranCopies.h"

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

void __verso_body__FortranAInitialize(const Descriptor *D, const char *File,
                                      int Line) {
  initialize(D, File);
}

void __verso_body__FortranADestroy(const Descriptor *D) {
  const DerivedType *T = typeOf(D);
  if (!T || !D->Base)
    return;
  if (needsEnd(T))
    emptyAll(T, D);
}

/// Not of what a function of the program still needs.
void __verso_body__FortranADestroyWithoutFinalization(const Descriptor *D) {
  __verso_body__FortranADestroy(D);
}

static void end(const Descriptor *D) { endBlock(typeOf(D), blockOf(D)); }

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
  allocateNew(D, File);
  return 0;
}
int __verso_body__FortranAPointerAllocate(Descriptor *D, _Bool HasStatus,
                                          const Descriptor *Message,
                                          const char *File, int Line,
                                          const Descriptor *Source) {
  allocateNew(D, File);
  return 0;
}
static int release(Descriptor *D, _Bool HasStatus, const char *File) {
  if (!D->Base)
    return fail(IsNotAllocated, HasStatus, File);
  end(D);
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
  end(To);
  setType(To, typeOf(From));
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
  allocateNew(D, File);
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

static void assign(Descriptor *To, const Descriptor *From, _Bool HasLength,
                   const char *File) {
  // Read first, it is known to the optimiser: what follows writes beside it.
  const int8_t Type = From->Type;
  // Of an extension, the target takes what it is itself.
  const DerivedType *T = typeOf(To) ? typeOf(To) : typeOf(From);
  const DerivedType *U = typeOf(To);
  Block Before = {0, 0, 0};
  _Bool IsOfLength = HasLength || !characterBytes(To) ||
                     To->ElementBytes == From->ElementBytes;
  if (To->Attribute == IsAllocatable &&
      (!To->Base || !IsOfLength ||
       (From->Rank && !haveEqualShapes(To, From)))) {
    Before = blockOf(To); // What is assigned may lie there.
    for (int K = 0; K < To->Rank && From->Rank; ++K) {
      To->Dimensions[K].Lower = From->Dimensions[K].Lower;
      To->Dimensions[K].Extent = From->Dimensions[K].Extent;
    }
    if (!IsOfLength)
      To->ElementBytes = From->ElementBytes;
    allocateNew(To, File);
  } else if (elementsOf(To) > 0 && mayOverlap(To, From)) {
    Descriptor Copy;
    beginOwn(&Copy, From, From->Rank);
    for (int K = 0; K < From->Rank; ++K)
      setBounds(&Copy, K, 1, From->Dimensions[K].Extent);
    allocateNew(&Copy, File);
    copyElementsAs(Type, T, &Copy, From);
    copyElementsAs(Type, T, To, &Copy);
    end(&Copy);
    return;
  }
  copyElementsAs(Type, T, To, From);
  endBlock(U, Before);
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

//===----------------------------------------------------------------------===//
// Polymorphic variables
//===----------------------------------------------------------------------===//

/// What is allocated next; nothing if something is, as the allocation fails.
void __verso_body__FortranAAllocatableInitDerivedForAllocate(
    Descriptor *D, const DerivedType *T, int Rank, int CoRank) {
  if (D->Base)
    return;
  D->Rank = Rank;
  setType(D, T);
}
void __verso_body__FortranAAllocatableInitIntrinsicForAllocate(
    Descriptor *D, int Category, int Kind, int Rank, int CoRank) {
  if (D->Base)
    return;
  D->Rank = Rank;
  D->Type = codeOf(Category, Kind);
  D->ElementBytes = Category == OfComplex ? 2 * Kind : Kind;
}
void __verso_body__FortranAPointerNullifyDerived(Descriptor *D,
                                                 const DerivedType *T, int Rank,
                                                 int CoRank) {
  D->Base = 0;
  D->Rank = Rank;
  setType(D, T);
}

/// The dynamic type is the declared one, \p T, again.
int __verso_body__FortranAAllocatableDeallocatePolymorphic(
    Descriptor *D, const DerivedType *T, _Bool HasStatus,
    const Descriptor *Message, const char *File, int Line) {
  int Result = release(D, HasStatus, File);
  setType(D, T);
  return Result;
}
int __verso_body__FortranAPointerDeallocatePolymorphic(
    Descriptor *D, const DerivedType *T, _Bool HasStatus,
    const Descriptor *Message, const char *File, int Line) {
  return __verso_body__FortranAAllocatableDeallocatePolymorphic(
      D, T, HasStatus, Message, File, Line);
}

static const DerivedType *parentOf(const DerivedType *T) {
  return T->HasParent ? T->Components[0].Type : 0;
}
static _Bool extends(const DerivedType *T, const DerivedType *Base) {
  for (; T; T = parentOf(T))
    if (T == Base)
      return 1;
  return 0;
}
_Bool __verso_body__FortranAClassIs(const Descriptor *D, const DerivedType *T) {
  return extends(typeOf(D), T);
}
_Bool __verso_body__FortranASameTypeAs(const Descriptor *A,
                                       const Descriptor *B) {
  return A->Type == B->Type && typeOf(A) == typeOf(B);
}
_Bool __verso_body__FortranAExtendsTypeOf(const Descriptor *A,
                                          const Descriptor *Mold) {
  return extends(typeOf(A), typeOf(Mold));
}

void __verso_body__FortranAAssignPolymorphic(Descriptor *To,
                                             const Descriptor *From,
                                             const char *File, int Line) {
  const DerivedType *U = typeOf(To);
  Block Before = {0, 0, 0};
  if (To->Base && U != typeOf(From)) {
    Before = blockOf(To); // What is assigned may lie there.
    To->Base = 0;
  }
  if (!To->Base) {
    To->Type = From->Type;
    To->ElementBytes = From->ElementBytes;
    setType(To, typeOf(From));
  }
  assign(To, From, /*HasLength=*/0, File);
  endBlock(U, Before);
}
/// To what was not initialised.
void __verso_body__FortranAAssignTemporary(Descriptor *To,
                                           const Descriptor *From,
                                           const char *File, int Line) {
  if (To->Base)
    initialize(To, File);
  assign(To, From, /*HasLength=*/0, File);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static void associate(Descriptor *D, const Descriptor *Target) {
  D->Base = Target->Base;
  D->ElementBytes = Target->ElementBytes;
  for (int K = 0; K < Target->Rank; ++K)
    D->Dimensions[K] = Target->Dimensions[K];
  setType(D, typeOf(Target));
}

void __verso_body__FortranAPointerAssociate(Descriptor *D,
                                            const Descriptor *Target) {
  associate(D, Target);
}
void __verso_body__FortranAPointerAssociateScalar(Descriptor *D, char *Target) {
  D->Base = Target;
}
void __verso_body__FortranAPointerAssociateLowerBounds(
    Descriptor *D, const Descriptor *Target, const Descriptor *Bounds) {
  associate(D, Target);
  for (int K = 0; K < Target->Rank; ++K)
    D->Dimensions[K].Lower = integerOf(Bounds, K);
}
/// \p Bounds are pairs. The target is a vector, or contiguous.
void __verso_body__FortranAPointerAssociateRemapping(Descriptor *D,
                                                     const Descriptor *Target,
                                                     const Descriptor *Bounds,
                                                     const char *File,
                                                     int Line) {
  D->Base = Target->Base;
  D->ElementBytes = Target->ElementBytes;
  int64_t Stride = Target->Rank == 1 ? Target->Dimensions[0].Stride
                                     : (int64_t)Target->ElementBytes;
  for (int K = 0; K < D->Rank; ++K) {
    setBounds(D, K, integerOf(Bounds, 2 * K), integerOf(Bounds, 2 * K + 1));
    D->Dimensions[K].Stride = Stride;
    Stride *= D->Dimensions[K].Extent;
  }
  setType(D, typeOf(Target));
}
_Bool __verso_body__FortranAPointerIsAssociatedWith(const Descriptor *D,
                                                    const Descriptor *Target) {
  if (!Target)
    return D->Base != 0;
  return D->Base && D->Base == Target->Base && elementsOf(D) != 0 &&
         haveEqualStrides(D, Target) && haveEqualShapes(D, Target);
}
/// Bounds and type of what is allocated next.
void __verso_body__FortranAAllocatableApplyMold(Descriptor *D,
                                                const Descriptor *Mold,
                                                int Rank) {
  if (D->Base)
    return;
  D->Type = Mold->Type;
  D->ElementBytes = Mold->ElementBytes;
  for (int K = 0; K < Mold->Rank && K < Rank; ++K)
    D->Dimensions[K] = Mold->Dimensions[K];
  setType(D, typeOf(Mold));
}
void __verso_body__FortranAPointerApplyMold(Descriptor *D,
                                            const Descriptor *Mold, int Rank) {
  D->Base = 0;
  __verso_body__FortranAAllocatableApplyMold(D, Mold, Rank);
}

//===----------------------------------------------------------------------===//
// Constructors of arrays
//===----------------------------------------------------------------------===//

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
  const Block Before = blockOf(To);
  setBounds(To, 0, 1, C->Room);
  allocateNew(To, 0);
  for (int64_t I = 0; I < C->Next; ++I)
    copyElement(elementOf(To, 1, I), Before.Base + I * Before.Bytes, To);
  endBlock(typeOf(To), Before);
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
  C->To = To;
  C->Next = 0;
  C->Room = To->Base ? To->Dimensions[0].Extent : 0;
  if (To->Base)
    initialize(To, File);
  else
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
  setType(Copy, typeOf(Of));
  allocateNew(Copy, File);
  copyElements(Copy, Of);
}
void __verso_body__FortranACopyOutAssign(Descriptor *Of, Descriptor *Copy,
                                         const char *File, int Line) {
  if (Of)
    copyElements(Of, Copy);
  end(Copy);
  Copy->Base = 0;
}
