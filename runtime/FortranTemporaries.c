//===- FortranTemporaries.c - what flang keeps on the way -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies (Fortran.c) of the stacks in which a FORALL, or an assignment to what
// a vector subscript selects, keeps values and places until all of them are
// computed; of the descriptors that SELECT RANK makes; and of what reads an
// array: numbers out of a file, or out of text, are constants.
//
//===----------------------------------------------------------------------===//

#include "FortranCopies.h"

static void copyDescriptor(Descriptor *To, const Descriptor *From) {
  To->Base = From->Base;
  To->ElementBytes = From->ElementBytes;
  To->Version = From->Version;
  To->Rank = From->Rank;
  To->Type = From->Type;
  To->Attribute = From->Attribute;
  To->Extra = From->Extra;
  for (int K = 0; K < From->Rank; ++K)
    To->Dimensions[K] = From->Dimensions[K];
  if (From->Extra & 1)
    *(const DerivedType **)&To->Dimensions[From->Rank] =
        *(const DerivedType *const *)&From->Dimensions[From->Rank];
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

typedef struct {
  Descriptor Array;
  char Addendum[16]; // Behind the most dimensions that there are.
} Entry;

typedef struct {
  Entry **Entries;
  int64_t Count, Room;
} Stack;

static Stack *create(void) {
  Stack *S = malloc(sizeof *S);
  S->Entries = 0;
  S->Count = S->Room = 0;
  return S;
}

static Descriptor *push(Stack *S, const Descriptor *Array) {
  if (S->Count == S->Room) {
    const int64_t Room = S->Room ? 2 * S->Room : 8;
    Entry **Entries = malloc((size_t)Room * sizeof *Entries);
    for (int64_t I = 0; I < S->Count; ++I)
      Entries[I] = S->Entries[I];
    free(S->Entries);
    S->Entries = Entries;
    S->Room = Room;
  }
  Entry *New = malloc(sizeof *New);
  copyDescriptor(&New->Array, Array);
  S->Entries[S->Count++] = New;
  return &New->Array;
}

static void destroy(Stack *S, _Bool HoldsValues) {
  for (int64_t I = 0; I < S->Count; ++I) {
    const Descriptor *D = &S->Entries[I]->Array;
    if (HoldsValues)
      endBlock(typeOf(D), blockOf(D));
    free(S->Entries[I]);
  }
  free(S->Entries);
  free(S);
}

void *__verso_body__FortranACreateValueStack(const char *File, int Line) {
  return create();
}
void __verso_body__FortranAPushValue(void *S, const Descriptor *Value) {
  Descriptor *Copy = push(S, Value);
  Copy->Attribute = IsAllocatable;
  for (int K = 0; K < Value->Rank; ++K) {
    const Dimension *D = &Value->Dimensions[K];
    setBounds(Copy, K, D->Lower, D->Lower + D->Extent - 1);
  }
  allocateNew(Copy, 0);
  copyElements(Copy, Value);
}
void __verso_body__FortranAValueAt(void *S, uint64_t I, Descriptor *Value) {
  copyDescriptor(Value, &((Stack *)S)->Entries[I]->Array);
}
void __verso_body__FortranADestroyValueStack(void *S) {
  destroy(S, /*HoldsValues=*/1);
}

void *__verso_body__FortranACreateDescriptorStack(const char *File, int Line) {
  return create();
}
void __verso_body__FortranAPushDescriptor(void *S, const Descriptor *Array) {
  push(S, Array);
}
void __verso_body__FortranADescriptorAt(void *S, uint64_t I,
                                        Descriptor *Array) {
  copyDescriptor(Array, &((Stack *)S)->Entries[I]->Array);
}
void __verso_body__FortranADestroyDescriptorStack(void *S) {
  destroy(S, /*HoldsValues=*/0);
}

//===----------------------------------------------------------------------===//
// The same array, described anew
//===----------------------------------------------------------------------===//

enum LowerBounds { AsTheyAre = 0, Ones = 1, Zeros = 2 };

void __verso_body__FortranACopyAndUpdateDescriptor(Descriptor *To,
                                                   const Descriptor *From,
                                                   const DerivedType *Type,
                                                   uint8_t Attribute,
                                                   int Lower) {
  copyDescriptor(To, From);
  if (Type)
    setType(To, Type);
  To->Attribute = (int8_t)Attribute;
  if (Lower != AsTheyAre)
    for (int K = 0; K < To->Rank; ++K)
      To->Dimensions[K].Lower = Lower == Ones;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Where the text ends too early, is none of a number, or says nothing of it
/// (two commas, a slash), the variable stays what it was: what is read comes to
/// a place that holds what no text stands for, a signalling NaN. (The library's
/// are flang's functions themselves, pass/prepare/Prepare.h.)
#define VERSO_INPUT(NAME, T, BITS, NOTHING, COUNT)                             \
  _Bool __verso_library__FortranAioInput##NAME(void *Statement, T *Numbers);   \
  _Bool __verso_body__FortranAioInput##NAME(void *Statement, T *Numbers) {     \
    union {                                                                    \
      T Numbers[COUNT];                                                        \
      BITS Words[COUNT];                                                       \
    } Read;                                                                    \
    for (int K = 0; K < COUNT; ++K)                                            \
      Read.Words[K] = NOTHING;                                                 \
    if (!__verso_library__FortranAioInput##NAME(Statement, Read.Numbers))      \
      return 0;                                                                \
    if (Read.Words[0] != NOTHING)                                              \
      for (int K = 0; K < COUNT; ++K)                                          \
        Numbers[K] = Read.Numbers[K];                                          \
    return 1;                                                                  \
  }
#define VERSO_NO_DOUBLE UINT64_C(0x7ff4c0de5eadbeef)
#define VERSO_NO_FLOAT UINT32_C(0x7fa5eadb)
VERSO_INPUT(Real64, double, uint64_t, VERSO_NO_DOUBLE, 1)
VERSO_INPUT(Real32, float, uint32_t, VERSO_NO_FLOAT, 1)
VERSO_INPUT(Complex64, double, uint64_t, VERSO_NO_DOUBLE, 2)
VERSO_INPUT(Complex32, float, uint32_t, VERSO_NO_FLOAT, 2)

static _Bool inputNumber(void *Statement, int8_t Type, char *At) {
  switch (Type) {
  case Real8:
    return __verso_body__FortranAioInputReal64(Statement, (double *)At);
  case Real4:
    return __verso_body__FortranAioInputReal32(Statement, (float *)At);
  case Complex8:
    return __verso_body__FortranAioInputComplex64(Statement, (double *)At);
  default:
    return __verso_body__FortranAioInputComplex32(Statement, (float *)At);
  }
}

void __verso_forget_bytes(void *, size_t);
_Bool __verso_library__FortranAioInputDescriptor(void *Statement,
                                                 const Descriptor *D);

_Bool __verso_body__FortranAioInputDescriptor(void *Statement,
                                              const Descriptor *D) {
  const int64_t Count = elementsOf(D);
  const _Bool Whole = isContiguous(D);
  const int8_t Type = D->Type;
  if (Type == Real8 || Type == Real4 || Type == Complex8 || Type == Complex4) {
    for (int64_t I = 0; I < Count; ++I)
      if (!inputNumber(Statement, Type, elementOf(D, Whole, I)))
        return 0;
    return 1;
  }
  if (Type == Derived || (FirstReal <= Type && Type <= LastComplex))
    __verso_fail("arrays of this type are not read as a whole (Fortran); read "
                 "their numbers one by one",
                 0);
  const _Bool IsDone = __verso_library__FortranAioInputDescriptor(Statement, D);
  for (int64_t I = 0; I < Count; ++I)
    __verso_forget_bytes(elementOf(D, Whole, I), D->ElementBytes);
  return IsDone;
}
