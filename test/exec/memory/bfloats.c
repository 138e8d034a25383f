//===- bfloats.c - __bf16 in memory ----------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __bf16 in memory; see halves.h.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

typedef __bf16 number;

#include "halves.h"

int main(void) {
  test_halves();
  return check_status();
}
