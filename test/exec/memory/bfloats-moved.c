//===- bfloats-moved.c - __bf16, moved in part ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __bf16 that are moved in part; see halves-moved.h.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

typedef __bf16 number;

#include "halves-moved.h"

int main(void) {
  test_moves();
  return check_status();
}
