//===- FortranElementals.c - functions of numbers in flang's library ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Powers of complex numbers, parts of a number's representation, ERFC_SCALED
// and sequences of Bessel functions (Fortran 2018, 16.9), as Fortran.c has it
// for arrays. What they are made of has rules.
//
//===----------------------------------------------------------------------===//

#include "FortranArray.h"

double erfc(double);
double exp(double);
double frexp(double, int *);
double nextafter(double, double);
double scalbln(double, long);
float frexpf(float, int *);
float nextafterf(float, float);
float scalblnf(float, long);

//===----------------------------------------------------------------------===//
// Complex numbers to an integer power
//===----------------------------------------------------------------------===//

/// By squares; a negative power is the quotient of one by the other.
#define VERSO_POWER(NAME, T, INTEGER)                                          \
  T _Complex __verso_body__FortranA##NAME(T _Complex Z, INTEGER Power) {       \
    T X = __real__ Z, Y = __imag__ Z, A = 1, B = 0;                            \
    for (INTEGER N = Power; N != 0; N /= 2) {                                  \
      if (N % 2 != 0) {                                                        \
        const T Real = A * X - B * Y;                                          \
        B = A * Y + B * X;                                                     \
        A = Real;                                                              \
      }                                                                        \
      const T Real = X * X - Y * Y;                                            \
      Y = 2 * X * Y;                                                           \
      X = Real;                                                                \
    }                                                                          \
    if (Power < 0) {                                                           \
      const T Square = A * A + B * B;                                          \
      A = A / Square;                                                          \
      B = -B / Square;                                                         \
    }                                                                          \
    T _Complex Result;                                                         \
    __real__ Result = A;                                                       \
    __imag__ Result = B;                                                       \
    return Result;                                                             \
  }
VERSO_POWER(zpowi, double, int)
VERSO_POWER(zpowk, double, int64_t)
VERSO_POWER(cpowi, float, int)
VERSO_POWER(cpowk, float, int64_t)

//===----------------------------------------------------------------------===//
// The representation of a number
//===----------------------------------------------------------------------===//

#define VERSO_REPRESENTATION(T, BYTES, SUFFIX)                                 \
  T __verso_body__FortranAScale##BYTES(T X, int64_t Power) {                   \
    return scalbln##SUFFIX(X, Power);                                          \
  }                                                                            \
  T __verso_body__FortranAFraction##BYTES(T X) {                               \
    int Exponent;                                                              \
    return frexp##SUFFIX(X, &Exponent);                                        \
  }                                                                            \
  T __verso_body__FortranASetExponent##BYTES(T X, int64_t Power) {             \
    int Exponent;                                                              \
    return scalbln##SUFFIX(frexp##SUFFIX(X, &Exponent), Power);                \
  }                                                                            \
  T __verso_body__FortranANearest##BYTES(T X, _Bool Upwards) {                 \
    return nextafter##SUFFIX(X, Upwards ? __builtin_inf() : -__builtin_inf()); \
  }
VERSO_REPRESENTATION(double, 8, )
VERSO_REPRESENTATION(float, 4, f)

//===----------------------------------------------------------------------===//
// Special functions
//===----------------------------------------------------------------------===//

/// exp(x^2) erfc(x); for a large x by the asymptotic series (Abramowitz and
/// Stegun, 7.1.23), whose terms are below 1e-16 by then.
static double erfcScaled(double X) {
  if (X < 10)
    return exp(X * X) * erfc(X);
  const double Half = 1 / (2 * X * X), InverseRootOfPi = 0.56418958354775628695;
  double Sum = 1, Term = 1;
  for (int K = 1; K != 16; ++K) {
    Term *= -(2 * K - 1) * Half;
    Sum += Term;
  }
  return InverseRootOfPi / X * Sum;
}
double __verso_body__FortranAErfcScaled8(double X) { return erfcScaled(X); }
float __verso_body__FortranAErfcScaled4(float X) { return erfcScaled(X); }

static void beginSequence(Descriptor *Result, int First, int Last, int Bytes) {
  Result->ElementBytes = Bytes;
  Result->Version = 20240719;
  Result->Rank = 1;
  Result->Type = Bytes == 8 ? Real8 : Real4;
  Result->Attribute = IsAllocatable;
  setBounds(Result, 0, 1, Last - First + 1);
  allocate(Result);
}

/// Of the orders \p First to \p Last. Those of the first kind run down from the
/// last two, those of the second up from the first two: so they are stable.
#define VERSO_BESSEL(T, BYTES)                                                 \
  void __verso_body__FortranABesselJn_##BYTES(                                 \
      Descriptor *Result, int First, int Last, T X, T OfLast, T BeforeLast,    \
      const char *File, int Line) {                                            \
    beginSequence(Result, First, Last, BYTES);                                 \
    T *Of = (T *)Result->Base;                                                 \
    for (int K = Last - First; K >= 0; --K)                                    \
      Of[K] = K == Last - First ? OfLast                                       \
              : K == Last - First - 1                                          \
                  ? BeforeLast                                                 \
                  : 2 * (First + K + 1) / X * Of[K + 1] - Of[K + 2];           \
  }                                                                            \
  void __verso_body__FortranABesselYn_##BYTES(                                 \
      Descriptor *Result, int First, int Last, T X, T OfFirst, T AfterFirst,   \
      const char *File, int Line) {                                            \
    beginSequence(Result, First, Last, BYTES);                                 \
    T *Of = (T *)Result->Base;                                                 \
    for (int K = 0; K <= Last - First; ++K)                                    \
      Of[K] = K == 0   ? OfFirst                                               \
              : K == 1 ? AfterFirst                                            \
                       : 2 * (First + K - 1) / X * Of[K - 1] - Of[K - 2];      \
  }                                                                            \
  void __verso_body__FortranABesselJnX0_##BYTES(                               \
      Descriptor *Result, int First, int Last, const char *File, int Line) {   \
    beginSequence(Result, First, Last, BYTES);                                 \
    for (int K = 0; K <= Last - First; ++K)                                    \
      ((T *)Result->Base)[K] = First + K == 0;                                 \
  }                                                                            \
  void __verso_body__FortranABesselYnX0_##BYTES(                               \
      Descriptor *Result, int First, int Last, const char *File, int Line) {   \
    beginSequence(Result, First, Last, BYTES);                                 \
    for (int K = 0; K <= Last - First; ++K)                                    \
      ((T *)Result->Base)[K] = -__builtin_inf();                               \
  }
VERSO_BESSEL(double, 8)
VERSO_BESSEL(float, 4)
