//===- bfloat.cpp - bfloat16 ----------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __bf16 arguments and results through an entry point with a fixed signature.
// The points are such that all results are exact.
// (In memory: see memory/bfloats.c.)
//
//
//===----------------------------------------------------------------------===//

#include "../check.h"

extern "C" __bf16 __verso_grad_bfloat(void *, __bf16);

static __bf16 quadratic(__bf16 x) { return x * x + x; }

int main() {
  CHECK_EQUAL((float)__verso_grad_bfloat((void *)quadratic, (__bf16)1.5f), 4);
  return check_status();
}
