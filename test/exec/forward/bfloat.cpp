//===- bfloat.cpp - numbers of two bytes --------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bfloat by value.
//
//===----------------------------------------------------------------------===//

// LIBS: -rtlib=compiler-rt

#include "forward.h"

extern "C" __bf16 __verso_jvp_bfloat(void *, ...);

// libgcc has it from version 13 on.
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  bits += 0x7fff + (bits >> 16 & 1);
  unsigned short high = (unsigned short)(bits >> 16);
  __bf16 result;
  memcpy(&result, &high, 2);
  return result;
}

static __bf16 quadratic(__bf16 x) { return x * x + x; }

int main() {
  CHECK_EQUAL((float)__verso_jvp_bfloat((void *)quadratic, verso_dup,
                                        (__bf16)1.5f, (__bf16)2.0f),
              8);
  return check_status();
}
