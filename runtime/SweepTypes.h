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
typedef long double AliasingLongDouble __attribute__((may_alias));
/// An adjoint that holds bits of something else.
typedef uint64_t AdjointBits __attribute__((may_alias));

/// The relative ID that an image word stands for; 0 when it is stale.
INLINE uint32_t relative(const Context *C, uint32_t Word) {
  uint32_t Id = Word - C->base;
  return Id < C->next ? Id : 0;
}

#endif // VERSO_RUNTIME_SWEEPTYPES_H
