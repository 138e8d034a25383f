//===- byte-copies-packed.c - pieces of numbers beside packed structs -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies of byte-copies.c in a file that holds packed numbers.
//
//===----------------------------------------------------------------------===//

struct __attribute__((packed)) record {
  char kind;
  double x;
} record;

#include "byte-copies.c"
