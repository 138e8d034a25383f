//===- Overwritten.c - tangents of numbers that were overwritten in part --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer without tangent was stored over bytes of which nobody knows the
// type: nothing, part of a number, or all of a float. Where tangents were, the
// granules are marked (Layout.h), and the load that reads a number there knows
// which of the three it was. This is bitcode in the module of whoever needs it,
// as Sweep.c is.
//
//===----------------------------------------------------------------------===//

#include "verso/Layout.h"

#include <stdint.h>

typedef uint32_t Granule __attribute__((aligned(1), may_alias));

/// Less than this is a small integer: an integer's place in a shadow that the
/// user made as a copy of the primal is not for us to mark.
#define SMALL (UINT32_C(1) << 20)

/// The upper half of the double of which \p at may be the lower one.
static uint32_t upperHalf(const char *at, uint32_t looksBeside) {
  return looksBeside && ((uintptr_t)at & 7) == 0 ? *(const Granule *)(at + 4)
                                                 : 0;
}

// `looksBeside`: the tangent memory is Verso's, so a mark in bytes that are no
// number's hurts nobody. A tangent such as 1.0 has a lower half of zeros.
void __verso_overwrite_part(char *shadow, uint32_t bytes, uint32_t looksBeside);
__attribute__((noinline, no_sanitize("address"))) void
__verso_overwrite_part(char *shadow, uint32_t bytes, uint32_t looksBeside) {
  const uint32_t least = looksBeside ? 1 : SMALL;
  if (bytes == 4) {
    uint32_t old = *(Granule *)shadow | upperHalf(shadow, looksBeside);
    *(Granule *)shadow = old < least ? 0 : VERSO_OVERWRITTEN;
    return;
  }
  for (char *end = shadow + bytes; shadow != end; ++shadow) {
    uintptr_t place = (uintptr_t)shadow & 3;
    char *at = shadow - place;
        uint32_t old = *(Granule *)at, byte = UINT32_C(1) << place;
    // The bytes beside it may be those of another number, of a packed struct.
    if ((old & ~UINT32_C(15)) == VERSO_OVERWRITTEN_IN_PART)
      *(Granule *)at = old | byte;
    else
      *shadow = 0;
  }
}

// The four bytes that are stored have tangents of their own, `bits`. If these
// are zero, they are half of a number such as 1.0, which moves, or of something
// inactive. They are marked as overwritten in no byte until the upper half
// follows, which tells.
void __verso_move_part(char *shadow, uint32_t bits, uint32_t looksBeside);
__attribute__((noinline, no_sanitize("address"))) void
__verso_move_part(char *shadow, uint32_t bits, uint32_t looksBeside) {
  const uint32_t least = looksBeside ? 1 : SMALL;
  uint32_t old = *(Granule *)shadow | upperHalf(shadow, looksBeside);
  *(Granule *)shadow = bits || old < least ? bits : VERSO_OVERWRITTEN_IN_PART;
  if (bits && ((uintptr_t)shadow & 7) == 4 &&
      *(Granule *)(shadow - 4) == VERSO_OVERWRITTEN_IN_PART)
    *(Granule *)(shadow - 4) = 0;
}
