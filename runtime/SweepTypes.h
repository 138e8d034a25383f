//===- SweepTypes.h - how sweeps access memory ------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_SWEEPTYPES_H
#define VERSO_RUNTIME_SWEEPTYPES_H

#include "verso/Layout.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct verso_context Context;
typedef struct verso_cell Cell;

/// Unaligned accesses: the tape packs records, a user's cells may be packed.
typedef double UnalignedDouble __attribute__((aligned(1), may_alias));
typedef float UnalignedFloat __attribute__((aligned(1), may_alias));
typedef void *UnalignedPointer __attribute__((aligned(1), may_alias));
typedef uint32_t UnalignedWord __attribute__((aligned(1), may_alias));
typedef uint64_t UnalignedLong __attribute__((aligned(1), may_alias));
typedef long double AliasingLongDouble __attribute__((may_alias));
/// An adjoint that holds bits of something else.
typedef uint64_t AdjointBits __attribute__((may_alias));

/// The relative ID that an image word stands for; 0 when it is stale.
INLINE uint32_t relative(const Context *C, uint32_t Word) {
  uint32_t Id = Word - C->base;
  return Id < C->next ? Id : 0;
}

/// Whether the shadow at \p At, of a cell of this kind, holds an integer and
/// not a derivative: shadow structures are often copies of the primal ones. As
/// a number it is subnormal or, if negative, a NaN that no arithmetic makes.
/// Asked only of cells whose bits went through integer arithmetic.
INLINE int holdsInteger(enum verso_cell_kind Kind, const char *At) {
  if (Kind == VERSO_CELL_FLOAT) {
    uint32_t Bits = *(const UnalignedWord *)At;
    return Bits << 1 < UINT32_C(1) << 24 || Bits > UINT32_C(0xffc00000);
  }
  if (Kind == VERSO_CELL_DOUBLE) {
    uint64_t Bits = *(const UnalignedLong *)At;
    return Bits << 1 < UINT64_C(1) << 53 || Bits > UINT64_C(0xfff8) << 48;
  }
  return 0;
}

#endif // VERSO_RUNTIME_SWEEPTYPES_H
