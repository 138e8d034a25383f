//===- Left.h - what undone stores leave in memory --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry of the log of structured code's stores that the verso takes back:
// the cell, and what was there before, to be put back in the end. Emitted code
// writes the log, runtime/Transpose.c reads it.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_LEFT_H
#define VERSO_LEFT_H

#include <stdint.h>

struct verso_left {
  void *cell;
  uint64_t left;
};

#endif // VERSO_LEFT_H
