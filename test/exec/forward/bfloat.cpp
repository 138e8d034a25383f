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

#include "forward.h"

extern "C" __bf16 __verso_jvp_bfloat(void *, ...);

static __bf16 quadratic(__bf16 x) { return x * x + x; }

int main() {
  CHECK_EQUAL((float)__verso_jvp_bfloat((void *)quadratic, verso_dup,
                                        (__bf16)1.5f, (__bf16)2.0f),
              8);
  return check_status();
}
