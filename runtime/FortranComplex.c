//===- FortranComplex.c - complex numbers and mixed types, in arrays ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of complex numbers and products of matrices of whatever numbers.
//
//===----------------------------------------------------------------------===//

#include "FortranArray.h"

#pragma STDC CX_LIMITED_RANGE ON

typedef _Complex double Z8;
typedef _Complex float Z4;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static Z8 numberAt(const Descriptor *X, const char *At) {
  return X->Type == Complex8   ? *(const Z8 *)At
         : X->Type == Complex4 ? *(const Z4 *)At
                               : realOf(X, At);
}

/// Sums are compensated, as those of flang's library are: Kahan, CACM 8 (1965).
#define VERSO_COMPLEX(T, BYTES)                                                \
  void __verso_body__FortranACppSumComplex##BYTES(                             \
      T *Result, const Descriptor *X, const char *File, int Line, int Dim,     \
      const Descriptor *Mask) {                                                \
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
    *Result = Sum;                                                             \
  }                                                                            \
  void __verso_body__FortranACppProductComplex##BYTES(                         \
      T *Result, const Descriptor *X, const char *File, int Line, int Dim,     \
      const Descriptor *Mask) {                                                \
    const int64_t Count = elementsOf(X);                                       \
    const _Bool Whole = isContiguous(X);                                       \
    T Product = 1;                                                             \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (isTrue(Mask, I))                                                     \
        Product *= *(const T *)elementOf(X, Whole, I);                         \
    *Result = Product;                                                         \
  }                                                                            \
  void __verso_body__FortranACppDotProductComplex##BYTES(                      \
      T *Result, const Descriptor *X, const Descriptor *Y, const char *File,   \
      int Line) {                                                              \
    const int64_t Count = X->Dimensions[0].Extent;                             \
    T Sum = 0;                                                                 \
    if (X->Type == Complex##BYTES && Y->Type == Complex##BYTES)                \
      for (int64_t I = 0; I < Count; ++I)                                      \
        Sum += ~*(const T *)(X->Base + I * X->Dimensions[0].Stride) *          \
               *(const T *)(Y->Base + I * Y->Dimensions[0].Stride);            \
    else                                                                       \
      for (int64_t I = 0; I < Count; ++I)                                      \
        Sum += ~(T)numberAt(X, X->Base + I * X->Dimensions[0].Stride) *        \
               (T)numberAt(Y, Y->Base + I * Y->Dimensions[0].Stride);          \
    *Result = Sum;                                                             \
  }
VERSO_COMPLEX(Z8, 8)
VERSO_COMPLEX(Z4, 4)

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// A vector is a row on the left and a column on the right. Of a transposed
/// \p X, the dimensions are exchanged.
typedef struct {
  Dimension I, OfX, OfY, J;
  _Bool Row, Column;
} Shapes;

static inline Shapes shapesOf(const Descriptor *X, const Descriptor *Y,
                              _Bool Turned) {
  const Dimension One = {1, 1, 0};
  const _Bool Row = X->Rank == 1, Column = Y->Rank == 1;
  Shapes S = {Row ? One : X->Dimensions[Turned],
              X->Dimensions[!Row && !Turned],
              Y->Dimensions[0],
              Column ? One : Y->Dimensions[1],
              Row,
              Column};
  return S;
}

static inline void beginProduct(Descriptor *Result, const Descriptor *X,
                                int8_t Type, int64_t Bytes, Shapes S) {
  begin(Result, X, 2 - S.Row - S.Column);
  Result->Type = Type;
  Result->ElementBytes = Bytes;
  if (!S.Row)
    setBounds(Result, 0, 1, S.I.Extent);
  if (!S.Column)
    setBounds(Result, !S.Row, 1, S.J.Extent);
  allocate(Result);
}

/// Into what is allocated, by its strides.
#define VERSO_MULTIPLY(T, TX, TY)                                              \
  const int64_t StepI = S.Row ? 0 : Result->Dimensions[0].Stride;              \
  const int64_t StepJ = S.Column ? 0 : Result->Dimensions[!S.Row].Stride;      \
  for (int64_t B = 0; B < S.J.Extent; ++B) {                                   \
    char *To = Result->Base + B * StepJ;                                       \
    for (int64_t A = 0; A < S.I.Extent; ++A)                                   \
      *(T *)(To + A * StepI) = 0;                                              \
    for (int64_t K = 0; K < S.OfX.Extent; ++K) {                               \
      T Factor = *(const TY *)(Y->Base + K * S.OfY.Stride + B * S.J.Stride);   \
      for (int64_t A = 0; A < S.I.Extent; ++A)                                 \
        *(T *)(To + A * StepI) +=                                              \
            *(const TX *)(X->Base + A * S.I.Stride + K * S.OfX.Stride) *       \
            Factor;                                                            \
    }                                                                          \
  }

#define VERSO_PRODUCT(NAME, TURNED, T, TYPE, TX, TY)                           \
  static void multiply##NAME(const Descriptor *Result, const Descriptor *X,    \
                             const Descriptor *Y, Shapes S) {                  \
    VERSO_MULTIPLY(T, TX, TY)                                                  \
  }                                                                            \
  void __verso_body__FortranA##NAME(Descriptor *Result, const Descriptor *X,   \
                                    const Descriptor *Y, const char *File,     \
                                    int Line) {                                \
    const Shapes S = shapesOf(X, Y, TURNED);                                   \
    beginProduct(Result, X, TYPE, sizeof(T), S);                               \
    multiply##NAME(Result, X, Y, S);                                           \
  }

#define VERSO_DIRECT(NAME, TURNED, T, TX, TY)                                  \
  void __verso_body__FortranA##NAME(const Descriptor *Result,                  \
                                    const Descriptor *X, const Descriptor *Y,  \
                                    const char *File, int Line) {              \
    const Shapes S = shapesOf(X, Y, TURNED);                                   \
    VERSO_MULTIPLY(T, TX, TY)                                                  \
  }

/// (That of real matrices of one kind is in FortranIntrinsics.c.)
#define VERSO_OTHERS(PAIR, T, TYPE, TX, TY)                                    \
  VERSO_PRODUCT(MatmulTranspose##PAIR, 1, T, TYPE, TX, TY)                     \
  VERSO_DIRECT(MatmulDirect##PAIR, 0, T, TX, TY)                               \
  VERSO_DIRECT(MatmulTransposeDirect##PAIR, 1, T, TX, TY)
#define VERSO_PAIR(PAIR, T, TYPE, TX, TY)                                      \
  VERSO_PRODUCT(Matmul##PAIR, 0, T, TYPE, TX, TY)                              \
  VERSO_OTHERS(PAIR, T, TYPE, TX, TY)

VERSO_OTHERS(Real8Real8, double, Real8, double, double)
VERSO_OTHERS(Real4Real4, float, Real4, float, float)
VERSO_PAIR(Real8Real4, double, Real8, double, float)
VERSO_PAIR(Real4Real8, double, Real8, float, double)
VERSO_PAIR(Real8Integer4, double, Real8, double, int32_t)
VERSO_PAIR(Integer4Real8, double, Real8, int32_t, double)
VERSO_PAIR(Real8Integer8, double, Real8, double, int64_t)
VERSO_PAIR(Integer8Real8, double, Real8, int64_t, double)
VERSO_PAIR(Real4Integer4, float, Real4, float, int32_t)
VERSO_PAIR(Integer4Real4, float, Real4, int32_t, float)
VERSO_PAIR(Complex8Complex8, Z8, Complex8, Z8, Z8)
VERSO_PAIR(Complex4Complex4, Z4, Complex4, Z4, Z4)
VERSO_PAIR(Complex8Complex4, Z8, Complex8, Z8, Z4)
VERSO_PAIR(Complex4Complex8, Z8, Complex8, Z4, Z8)
VERSO_PAIR(Complex8Real8, Z8, Complex8, Z8, double)
VERSO_PAIR(Real8Complex8, Z8, Complex8, double, Z8)
VERSO_PAIR(Complex8Real4, Z8, Complex8, Z8, float)
VERSO_PAIR(Real4Complex8, Z8, Complex8, float, Z8)
VERSO_PAIR(Complex4Real4, Z4, Complex4, Z4, float)
VERSO_PAIR(Real4Complex4, Z4, Complex4, float, Z4)
