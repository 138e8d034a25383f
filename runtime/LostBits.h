//===- LostBits.h - numbers all of whose bytes were computed ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What integer arithmetic makes of less than a word of an image are bytes of their
// own where it was not zero (pass/taped/BitArithmetic.cpp). No two words of such
// bytes beside each other are a double's (id, -id), a pointer's (-id, id) or raw
// leaves (id, id + 1). In C, for runtime/Sweep.c, and in C++.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_LOSTBITS_H
#define VERSO_RUNTIME_LOSTBITS_H

#include "verso/Layout.h"

/// Whether each byte is zero or VERSO_LOST_BYTE.
static inline int isOfLostBytes(uint32_t Word) {
  return Word == (Word & UINT32_C(0x01010101)) * VERSO_LOST_BYTE;
}

/// Whether what is left of a double with this image went through arithmetic, or
/// beside something that was written over the rest of it.
static inline int isLostImage(uint32_t Low, uint32_t High) {
  return (Low || High) && isOfLostBytes(Low) && isOfLostBytes(High);
}

#endif // VERSO_RUNTIME_LOSTBITS_H
