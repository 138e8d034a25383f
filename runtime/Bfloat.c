//===- Bfloat.c - conversions to bfloat -----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compilers call where a float or a double becomes a bfloat and the
// processor has no instruction for it. libgcc has them from version 13 on; a
// program that keeps bfloats by hand (pass/prepare/BfloatsByHand.h) never asked
// for them. Weak: those of the program's own library are as good.
//
// A bfloat is returned in the lower half of the register that a float is
// returned in. Rounded to nearest, ties to even; NaNs are quiet.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <string.h>

float __truncsfbf2(float X);
float __truncdfbf2(double X);

__attribute__((weak)) float __truncsfbf2(float X) {
  uint32_t Bits;
  memcpy(&Bits, &X, sizeof Bits);
  Bits = X != X ? Bits | UINT32_C(0x400000) : Bits + 0x7fff + (Bits >> 16 & 1);
  Bits >>= 16;
  memcpy(&X, &Bits, sizeof Bits);
  return X;
}

/// By way of a float that is rounded to odd, so that only one rounding counts.
__attribute__((weak)) float __truncdfbf2(double X) {
  float Near = (float)X;
  uint32_t Bits;
  memcpy(&Bits, &Near, sizeof Bits);
  if (X == X && (double)Near != X && (Bits & 1) == 0) {
    // Towards X: away from zero if Near is nearer to it.
    int Grows = (X < 0 ? -X : X) > (Near < 0 ? -(double)Near : (double)Near);
    Bits += Grows ? 1 : -1;
    memcpy(&Near, &Bits, sizeof Bits);
  }
  return __truncsfbf2(Near);
}
