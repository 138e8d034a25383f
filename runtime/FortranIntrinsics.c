//===- FortranIntrinsics.c - Fortran's intrinsic functions of arrays ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those that flang does not compute in line: reductions, remainders,
// rearrangements and the places of extremes. See Fortran.c.
//
//===----------------------------------------------------------------------===//

#include "FortranCopies.h"

double sqrt(double);
float sqrtf(float);
double fmod(double, double);
float fmodf(float, float);

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
    if (X->Type == Real##BYTES && Y->Type == Real##BYTES)                      \
      for (int64_t I = 0; I < Count; ++I)                                      \
        Sum += *(const T *)(X->Base + I * X->Dimensions[0].Stride) *           \
               *(const T *)(Y->Base + I * Y->Dimensions[0].Stride);            \
    else                                                                       \
      for (int64_t I = 0; I < Count; ++I)                                      \
        Sum += (T)realOf(X, X->Base + I * X->Dimensions[0].Stride) *           \
               (T)realOf(Y, Y->Base + I * Y->Dimensions[0].Stride);            \
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
    allocateNew(Result, 0);                                                    \
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
  }
VERSO_REDUCTIONS(double, 8, sqrt, 0x1.fffffffffffffp1023)
VERSO_REDUCTIONS(float, 4, sqrtf, 0x1.fffffep127f)

/// Of an array of one dimension less.
static void beginAlong(Descriptor *Result, const Descriptor *X, int Dim) {
  begin(Result, X, X->Rank - 1);
  for (int K = 0; K < X->Rank - 1; ++K)
    setBounds(Result, K, 1, X->Dimensions[K < Dim - 1 ? K : K + 1].Extent);
  allocateNew(Result, 0);
}

/// Each step is of what there is so far, Value, and the next element.
#define VERSO_ALONG(NAME, T, FIRST, STEP)                                      \
  static void NAME(Descriptor *Result, const Descriptor *X, int K,             \
                   const Descriptor *Mask) {                                   \
    int64_t Inner = 1, Length = X->Dimensions[K].Extent;                       \
    for (int J = 0; J < K; ++J)                                                \
      Inner *= X->Dimensions[J].Extent;                                        \
    const int64_t Count = elementsOf(Result);                                  \
    const _Bool Whole = isContiguous(X);                                       \
    for (int64_t I = 0; I < Count; ++I) {                                      \
      T Value = FIRST, Lost = 0; /* Sums are compensated. */                   \
      (void)Lost;                                                              \
      for (int64_t L = 0; L < Length; ++L) {                                   \
        int64_t At = I % Inner + (I / Inner * Length + L) * Inner;             \
        if (!isTrue(Mask, At))                                                 \
          continue;                                                            \
        T Each = *(const T *)elementOf(X, Whole, At);                          \
        STEP;                                                                  \
      }                                                                        \
      ((T *)Result->Base)[I] = Value;                                          \
    }                                                                          \
  }
#define VERSO_DIM(FUNCTION, FIRST8, FIRST4, STEP)                              \
  VERSO_ALONG(along##FUNCTION##8, double, FIRST8, STEP)                        \
  VERSO_ALONG(along##FUNCTION##4, float, FIRST4, STEP)                         \
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
/// As above, Kahan's.
#define VERSO_SUM_STEP                                                         \
  __typeof__(Value) Term = Each - Lost;                                        \
  __typeof__(Value) Next = Value + Term;                                       \
  Lost = (Next - Value) - Term;                                                \
  Value = Next

VERSO_DIM(Sum, 0, 0, VERSO_SUM_STEP)
VERSO_DIM(Product, 1, 1, Value *= Each)
VERSO_DIM(Maxval, -0x1.fffffffffffffp1023, -0x1.fffffep127f,
          Value = Each > Value ? Each : Value)
VERSO_DIM(Minval, 0x1.fffffffffffffp1023, 0x1.fffffep127f,
          Value = Each < Value ? Each : Value)

/// The root of the sum of squares, which is that of the column's norms.
void __verso_body__FortranANorm2Dim(Descriptor *Result, const Descriptor *X,
                                    int Dim, const char *File, int Line) {
  beginAlong(Result, X, Dim);
  const int K = Dim - 1;
  const int64_t Length = X->Dimensions[K].Extent;
  const _Bool Whole = isContiguous(X);
  int64_t Inner = 1;
  for (int J = 0; J < K; ++J)
    Inner *= X->Dimensions[J].Extent;
  if (X->Type != Real8 && X->Type != Real4)
    __verso_fail("NORM2 of this type along a dimension has no rule", File);
  for (int64_t I = 0, Count = elementsOf(Result); I < Count; ++I) {
    double Sum = 0;
    for (int64_t L = 0; L < Length; ++L) {
      double Each = realOf(
          X, elementOf(X, Whole, I % Inner + (I / Inner * Length + L) * Inner));
      Sum += Each * Each;
    }
    if (X->Type == Real8)
      ((double *)Result->Base)[I] = sqrt(Sum);
    else
      ((float *)Result->Base)[I] = sqrt(Sum);
  }
}

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
  beginOwn(&Turned, X, 2);
  Turned.Base = X->Base;
  begin(Result, X, 2);
  for (int K = 0; K < 2; ++K) {
    Turned.Dimensions[K] = X->Dimensions[1 - K];
    setBounds(Result, K, 1, X->Dimensions[1 - K].Extent);
  }
  allocateNew(Result, 0);
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
  allocateNew(Result, 0);
  // The result as it is filled: the first of Order varies first.
  Descriptor Filled;
  beginOwn(&Filled, Result, Rank);
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
  beginOwn(&Repeated, Source, Source->Rank + 1);
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
  allocateNew(Result, 0);
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
  allocateNew(Result, 0);
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

//===----------------------------------------------------------------------===//
// Places of the largest and the least
//===----------------------------------------------------------------------===//

static void findPlace(Descriptor *Result, int ResultRank, const Descriptor *X,
                      int Kind, int Sign, const Descriptor *Mask, _Bool Last,
                      const char *File) {
  if (X->Type != Real8 && X->Type != Real4)
    __verso_fail("the place of a largest or least element of this type has no "
                 "rule",
                 File);
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
  setPlace(Result, ResultRank, X, Kind, Found);
}

/// The same in each row along dimension \p Dim.
static void findPlacesAlong(Descriptor *Result, const Descriptor *X, int Kind,
                            int Dim, int Sign, const Descriptor *Mask,
                            _Bool Last, const char *File) {
  if (X->Type != Real8 && X->Type != Real4)
    __verso_fail("the places of largest or least elements of this type have no "
                 "rule",
                 File);
  begin(Result, X, X->Rank - 1);
  Result->ElementBytes = Kind;
  Result->Type = codeOf(OfIntegers, Kind);
  int64_t Inner = 1;
  for (int K = 0; K < X->Rank - 1; ++K)
    setBounds(Result, K, 1, X->Dimensions[K < Dim - 1 ? K : K + 1].Extent);
  for (int K = 0; K < Dim - 1; ++K)
    Inner *= X->Dimensions[K].Extent;
  allocate(Result);
  const int64_t Length = X->Dimensions[Dim - 1].Extent;
  const _Bool Whole = isContiguous(X);
  for (int64_t I = 0, Count = elementsOf(Result); I < Count; ++I) {
    int64_t Found = -1;
    double Best = 0;
    for (int64_t L = 0; L < Length; ++L) {
      const int64_t At = I % Inner + (I / Inner * Length + L) * Inner;
      if (!isTrue(Mask, At))
        continue;
      double Each = Sign * realOf(X, elementOf(X, Whole, At));
      if (Found < 0 || Each > Best || (Last && Each == Best)) {
        Found = L;
        Best = Each;
      }
    }
    setInteger(Result, I, Found + 1);
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
    if (X->Rank == 1)                                                          \
      findPlace(Result, 0, X, Kind, SIGN, Mask, Last, File);                   \
    else                                                                       \
      findPlacesAlong(Result, X, Kind, Dim, SIGN, Mask, Last, File);           \
  }
VERSO_PLACES(Maxloc, 1)
VERSO_PLACES(Minloc, -1)

//===----------------------------------------------------------------------===//
// By a function of the program
//===----------------------------------------------------------------------===//

#define VERSO_REDUCE(NAME, T, OPERAND, GIVEN)                                  \
  T __verso_body__FortranAReduce##NAME(                                        \
      const Descriptor *X, T (*Combine)(OPERAND, OPERAND), const char *File,   \
      int Line, int Dim, const Descriptor *Mask, const T *Identity,            \
      _Bool Ordered) {                                                         \
    const int64_t Count = elementsOf(X);                                       \
    const _Bool Whole = isContiguous(X);                                       \
    T Value = Identity ? *Identity : 0;                                        \
    _Bool Any = 0;                                                             \
    for (int64_t I = 0; I < Count; ++I) {                                      \
      if (!isTrue(Mask, I))                                                    \
        continue;                                                              \
      T Each = *(const T *)elementOf(X, Whole, I);                             \
      Value = Any ? Combine(GIVEN Value, GIVEN Each) : Each;                   \
      Any = 1;                                                                 \
    }                                                                          \
    if (!Any && !Identity)                                                     \
      __verso_fail("REDUCE of no elements has no IDENTITY", File);             \
    return Value;                                                              \
  }
VERSO_REDUCE(Real8Value, double, double, )
VERSO_REDUCE(Real8Ref, double, const double *, &)
VERSO_REDUCE(Real4Value, float, float, )
VERSO_REDUCE(Real4Ref, float, const float *, &)

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

void __verso_forget_bytes(void *, size_t);
/// flang's function itself (pass/prepare/Prepare.h).
void __verso_library__FortranARandomNumber(const Descriptor *D,
                                           const char *File, int Line);

/// They are constants, whatever was there before.
void __verso_body__FortranARandomNumber(const Descriptor *D, const char *File,
                                        int Line) {
  __verso_library__FortranARandomNumber(D, File, Line);
  const int64_t Count = elementsOf(D);
  const _Bool Whole = isContiguous(D);
  if (Whole)
    __verso_forget_bytes(D->Base, Count * (int64_t)D->ElementBytes);
  else
    for (int64_t I = 0; I < Count; ++I)
      __verso_forget_bytes(elementOf(D, Whole, I), D->ElementBytes);
}
