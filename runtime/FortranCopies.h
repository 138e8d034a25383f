//===- FortranCopies.h - copies of flang's arrays ---------------*- C -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are moved as what they are: those of a derived type component by
// component, by the constant tables that describe it. What is asked of types
// and shapes is asked before the elements' loops; once such a function is
// inlined where it is known, nothing but the loops is left.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_FORTRANCOPIES_H
#define VERSO_RUNTIME_FORTRANCOPIES_H

#include "FortranValues.h"

/// \p Count elements, or a part of each, at equal distances.
typedef struct {
  char *To;
  int64_t ToStep;
  const char *From;
  int64_t FromStep;
  int64_t Count;
} Run;

/// The parts that lie \p Bytes further on.
static inline Run partOf(Run R, int64_t Bytes) {
  R.To += Bytes;
  R.From += Bytes;
  return R;
}

#define VERSO_COPY_EACH(TYPE)                                                  \
  for (int64_t I = 0; I < R.Count; ++I)                                        \
  *(TYPE *)(R.To + I * R.ToStep) = *(TYPE const *)(R.From + I * R.FromStep)

static inline void copyNumbers(int8_t Type, Run R) {
  switch (Type) {
  case Complex8:
    VERSO_COPY_EACH(double);
    R = partOf(R, sizeof(double));
    __attribute__((fallthrough));
  case Real8:
    VERSO_COPY_EACH(double);
    return;
  case Complex4:
    VERSO_COPY_EACH(float);
    R = partOf(R, sizeof(float));
    __attribute__((fallthrough));
  case Real4:
    VERSO_COPY_EACH(float);
    return;
  }
}

static inline void copyPointers(Run R) { VERSO_COPY_EACH(void *); }

static inline void copyBytes(Run R, int64_t Bytes) {
  if (R.ToStep == Bytes && R.FromStep == Bytes) {
    memcpy(R.To, R.From, Bytes * R.Count);
    return;
  }
  for (int64_t I = 0; I < R.Count; ++I)
    memcpy(R.To + I * R.ToStep, R.From + I * R.FromStep, Bytes);
}

/// A component of type \p T that is assigned to one of type \p U.
static inline void requireOrdinary(const DerivedType *T, const DerivedType *U) {
  if (hasAssignment(T) || hasFinaliser(U))
    __verso_fail("a Fortran derived type is assigned as a whole, which has a "
                 "component with a finaliser or an assignment of its own; "
                 "assign its components one by one",
                 0);
}

/// What is not looked into.
static inline void copyOpaque(const DerivedType *T, Run R) {
  if (!T->NoDestruction)
    __verso_fail("a Fortran derived type is assigned as a whole, whose "
                 "components are allocated and nested more than three deep, or "
                 "beside numbers of an unusual kind; assign its components one "
                 "by one",
                 0);
  copyBytes(R, T->Bytes);
}

/// Values of derived type. By levels, as what recurs is harder to
/// differentiate. \p T is the type of an allocated component in \p From, U that
/// in \p To.
#define VERSO_COPY_PARTS(NAME, NESTED)                                         \
  /* A component that is allocated, or is not. What it held is released last:  \
     what is copied may lie there. */                                          \
  VERSO_LATE void NAME##Allocated(const Component *C, const DerivedType *T,    \
                                  const DerivedType *U, Descriptor *To,        \
                                  const Descriptor *From) {                    \
    const _Bool Nests = C->Category == OfDerived;                              \
    const int64_t Step = From->ElementBytes, Count = elementsOf(From);         \
    const Block Before = blockOf(To);                                          \
    const _Bool Fits = To->Base && From->Base && haveEqualShapes(To, From) &&  \
                       To->ElementBytes == From->ElementBytes && T == U;       \
    if (To->Base == From->Base)                                                \
      return;                                                                  \
    if (Nests)                                                                 \
      requireOrdinary(T, U);                                                   \
    if (!Fits)                                                                 \
      To->Base = 0;                                                            \
    if (!Fits && From->Base) {                                                 \
      for (int K = 0; K < C->Rank; ++K)                                        \
        To->Dimensions[K] = From->Dimensions[K];                               \
      To->ElementBytes = Step;                                                 \
      if (T != U)                                                              \
        setType(To, T);                                                        \
      allocate(To);                                                            \
      for (int64_t I = 0; Nests && I < Count; ++I)                             \
        fortran_late_fill(T, To->Base + I * Step, 0);                          \
    }                                                                          \
    const Run R = {To->Base, Step, From->Base, Step, Count};                   \
    if (From->Base && Nests)                                                   \
      NESTED(T, R);                                                            \
    else if (From->Base && typeOfNumber(C))                                    \
      copyNumbers(typeOfNumber(C), R);                                         \
    else if (From->Base)                                                       \
      copyBytes(R, Step);                                                      \
    if (!Fits)                                                                 \
      endBlock(Nests ? U : 0, Before);                                         \
  }                                                                            \
  VERSO_LATE void NAME(const DerivedType *T, Run R) {                          \
    if (!hasSimpleParts(T)) {                                                  \
      copyOpaque(T, R);                                                        \
      return;                                                                  \
    }                                                                          \
    VERSO_UNROLL                                                               \
    for (int64_t K = 0; K < T->ComponentCount; ++K) {                          \
      const Component *C = &T->Components[K];                                  \
      const int64_t End = C->Offset + bytesOf(C), Step = elementBytesOf(C);    \
      if (C->Genre == PointsElsewhere) {                                       \
        copyPointers(partOf(R, C->Offset));                                    \
        copyBytes(partOf(R, C->Offset + 8), End - C->Offset - 8);              \
      } else if (C->Genre == IsAllocated) {                                    \
        for (int64_t I = 0; I < R.Count; ++I) {                                \
          Descriptor *To = (Descriptor *)(R.To + I * R.ToStep + C->Offset);    \
          const Descriptor *From =                                             \
              (const Descriptor *)(R.From + I * R.FromStep + C->Offset);       \
          const _Bool Asks = mayDiffer(T);                                     \
          NAME##Allocated(C, Asks ? typeOf(From) : C->Type,                    \
                          Asks ? typeOf(To) : C->Type, To, From);              \
        }                                                                      \
      } else if (C->Category == OfDerived) {                                   \
        requireOrdinary(C->Type, C->Type);                                     \
        for (int64_t At = C->Offset; At < End; At += Step)                     \
          NESTED(C->Type, partOf(R, At));                                      \
      } else if (typeOfNumber(C)) {                                            \
        for (int64_t At = C->Offset; At < End; At += Step)                     \
          copyNumbers(typeOfNumber(C), partOf(R, At));                         \
      } else {                                                                 \
        copyBytes(partOf(R, C->Offset), End - C->Offset);                      \
      }                                                                        \
    }                                                                          \
    for (int64_t K = 0; K < T->ProcedureCount; ++K)                            \
      copyPointers(partOf(R, T->Procedures[K].Offset));                        \
  }
VERSO_COPY_PARTS(fortran_late_copy_nested, copyOpaque)
VERSO_COPY_PARTS(fortran_late_copy_inner, fortran_late_copy_nested)
VERSO_COPY_PARTS(fortran_late_copy, fortran_late_copy_inner)

/// \p T is null but for derived types that are described.
static inline void copyRun(int8_t Type, const DerivedType *T, size_t Bytes,
                           Run R) {
  if (Type == Real8 || Type == Real4 || Type == Complex8 || Type == Complex4)
    copyNumbers(Type, R);
  else if (Type == Derived && T)
    fortran_late_copy(T, R);
  else
    copyBytes(R, Bytes);
}

static inline void copyElement(char *To, const char *From,
                               const Descriptor *D) {
  copyRun(D->Type, typeOf(D), D->ElementBytes, (Run){To, 0, From, 0, 1});
}

/// Of another length: what does not fit is cut off, blanks are added.
static inline void copyTexts(const Descriptor *To, const Descriptor *From) {
  const int64_t Count = elementsOf(To), Bytes = characterBytes(To);
  const int64_t ToBytes = To->ElementBytes, FromBytes = From->ElementBytes;
  const int64_t Common = ToBytes < FromBytes ? ToBytes : FromBytes;
  const _Bool ToWhole = isContiguous(To), FromWhole = isContiguous(From);
  for (int64_t I = 0; I < Count; ++I) {
    char *At = elementOf(To, ToWhole, I);
    memcpy(At, elementOf(From, FromWhole, I), Common);
    for (int64_t K = Common; K < ToBytes; ++K)
      At[K] = K % Bytes ? 0 : ' ';
  }
}

/// Whether all elements lie at equal distances, of \p Step bytes.
static inline _Bool isEven(const Descriptor *D, int64_t *Step) {
  *Step = D->Rank == 0   ? 0
          : D->Rank == 1 ? D->Dimensions[0].Stride
                         : (int64_t)D->ElementBytes;
  return D->Rank <= 1 || isContiguous(D);
}

static inline void copyElementsAs(int8_t Type, const DerivedType *T,
                                  const Descriptor *To,
                                  const Descriptor *From) {
  if (characterBytes(To) && To->ElementBytes != From->ElementBytes)
    return copyTexts(To, From);
  const int64_t Count = elementsOf(To);
  Run R = {To->Base, 0, From->Base, 0, Count};
  // Else column by column.
  const _Bool IsEven = isEven(To, &R.ToStep) & (int)isEven(From, &R.FromStep);
  if (!IsEven) {
    R.Count = To->Dimensions[0].Extent;
    R.ToStep = To->Dimensions[0].Stride;
    R.FromStep = From->Rank ? From->Dimensions[0].Stride : 0;
  }
  for (int64_t I = 0; I < Count; I += R.Count) {
    if (!IsEven) {
      R.To = elementOf(To, 0, I);
      R.From = elementOf(From, 0, I);
    }
    copyRun(Type, T, To->ElementBytes, R);
  }
}

/// Copies all elements, which do not overlap but where they are the same. One
/// element may stand for all.
static inline void copyElements(const Descriptor *To, const Descriptor *From) {
  copyElementsAs(From->Type, typeOf(From), To, From);
}

#endif // VERSO_RUNTIME_FORTRANCOPIES_H
