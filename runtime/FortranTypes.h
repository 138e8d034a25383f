//===- FortranTypes.h - the types of flang's elements -----------*- C -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Codes of intrinsic types are those of ISO_Fortran_binding.h (Fortran 2018,
// 18.5). flang describes a derived type by a constant table, which an array's
// descriptor leads to.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_FORTRANTYPES_H
#define VERSO_RUNTIME_FORTRANTYPES_H

#include <stddef.h>
#include <stdint.h>

enum Types {
  Integer1 = 7,
  Integer2 = 8,
  Integer4 = 9,
  Integer8 = 10,
  FirstReal = 25, // Of two bytes.
  Real4 = 27,
  Real8 = 28,
  Complex4 = 34,
  Complex8 = 35,
  LastComplex = 38,
  Text1 = 40,
  Derived = 42,
  Text2 = 43,
  Text4 = 44
};

/// What is for values of derived type has such a name, and is inlined once it
/// is known that there are some (pass/structured/Flatten.cpp).
#define VERSO_LATE static __attribute__((noinline, unused))

/// Before a loop over components: their number is constant where the type is
/// known, and little of what is done with each of them is left then.
#define VERSO_UNROLL _Pragma("clang loop unroll(full)")

//===----------------------------------------------------------------------===//
// Derived types
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

typedef struct {
  char Name[24];
  int64_t Offset;
  const char *Initial;
} ProcedurePointer;

enum Genres { IsData = 1, PointsElsewhere = 2, IsAllocated = 3 };
enum Categories {
  OfIntegers = 0,
  OfUnsigned = 1,
  OfReals = 2,
  OfComplex = 3,
  OfText = 4,
  OfLogical = 5,
  OfDerived = 6
};

/// The code of a type, for a descriptor.
static inline int8_t codeOf(uint8_t Category, int Kind) {
  const int Log = Kind == 8 ? 3 : Kind == 4 ? 2 : Kind == 2 ? 1 : 0;
  switch (Category) {
  case OfReals:
    return Kind == 10 ? 29 : Kind == 16 ? 31 : Kind == 2 ? 25 : 25 + Log;
  case OfComplex:
    return Kind == 10 ? 36 : Kind == 16 ? 38 : Kind == 2 ? 32 : 32 + Log;
  case OfText:
    return Kind == 4 ? Text4 : Kind == 2 ? Text2 : Text1;
  case OfLogical:
    return Kind == 1 ? 39 : 12 + Log;
  case OfUnsigned:
    return 45 + Log;
  case OfDerived:
    return Derived;
  default:
    return Kind == 16 ? 11 : Integer1 + Log;
  }
}

struct DerivedType {
  char Before[24 + 24 + 16 + 24];
  int64_t Bytes;
  char AfterBytes[24 + 16 + 48 + 48];
  const Component *Components;
  char AfterComponents[24];
  int64_t ComponentCount;
  char AfterCount[8 + 16];
  const ProcedurePointer *Procedures;
  char AfterProcedures[24];
  int64_t ProcedureCount;
  char AfterProcedureCount[8 + 16 + 64];
  int SpecialBits;
  int8_t HasParent, NoInitialization, NoDestruction, NoFinalization,
      NoAssignment;
};

/// Whether the type itself, not a component, has procedures that are called
/// when a value ends, or for an assignment (bits of flang's SpecialBinding).
static inline _Bool hasFinaliser(const DerivedType *T) {
  return T->SpecialBits >> 7;
}
static inline _Bool hasAssignment(const DerivedType *T) {
  return T->SpecialBits & 6;
}
/// Whether something is to be done when a value ends.
static inline _Bool needsEnd(const DerivedType *T) {
  return !(T->NoDestruction && T->NoFinalization);
}
/// Whether a component that is allocated may have another type than it was
/// declared with.
static inline _Bool mayDiffer(const DerivedType *T) {
  return !T->NoFinalization;
}

static inline int64_t elementBytesOf(const Component *C) {
  return C->Category == OfDerived   ? C->Type->Bytes
         : C->Category == OfText    ? C->Kind * C->Length.Number
         : C->Category == OfComplex ? 2 * C->Kind
                                    : C->Kind;
}

/// Bytes that a pointer or an allocatable component has: its descriptor.
static inline int64_t descriptorBytesOf(const Component *C) {
  return 24 + C->Rank * 24 + (C->Category == OfDerived ? 16 : 0);
}

static inline int64_t bytesOf(const Component *C) {
  if (C->Genre != IsData)
    return descriptorBytesOf(C);
  int64_t Bytes = elementBytesOf(C);
  for (int K = 0; K < C->Rank; ++K)
    Bytes *= C->Bounds[K][1].Number - C->Bounds[K][0].Number + 1;
  return Bytes;
}

/// The code of a number; 0 of anything else, and of numbers whose size is not
/// their kind.
static inline int8_t typeOfNumber(const Component *C) {
  switch (C->Category) {
  case OfReals:
    return C->Kind == 8 ? Real8 : C->Kind == 4 ? Real4 : 0;
  case OfComplex:
    return C->Kind == 8 ? Complex8 : C->Kind == 4 ? Complex4 : 0;
  default:
    return 0;
  }
}

/// Whether all that a value of \p T holds is in numbers of such codes,
/// integers, text, pointers, what is allocated and what consists of these.
static inline _Bool hasSimpleParts(const DerivedType *T) {
  VERSO_UNROLL
  for (int64_t K = 0; K < T->ComponentCount; ++K) {
    const Component *C = &T->Components[K];
    if (C->Genre == PointsElsewhere)
      continue;
    if ((C->Genre != IsData && C->Genre != IsAllocated) ||
        (C->Category == OfDerived && !C->Type) ||
        ((C->Category == OfReals || C->Category == OfComplex) &&
         !typeOfNumber(C)))
      return 0;
  }
  return 1;
}

#endif // VERSO_RUNTIME_FORTRANTYPES_H
