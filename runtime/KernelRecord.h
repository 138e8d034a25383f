//===- KernelRecord.h - what one run of a kernel leaves on tape -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of a run, from a multiple of 64 bytes of the tape on:
//
//   Head: the arguments, the IDs of those that are numbers
//   a Stretch for each contiguous part of memory, from the least to the
//     greatest address that the run comes to in it
//   for each of them a copy, as it was before the run, and the ID of each cell
//     that is read; how many words that all is
//
// What its cells hold after the run has consecutive IDs; those that are
// not stored to keep the ID that they had, and their new one is nobody's. They
// are of a RUN record before this one, which takes their adjoints.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_KERNELRECORD_H
#define VERSO_RUNTIME_KERNELRECORD_H

#include "verso/Layout.h"

namespace verso::kernel {

inline constexpr unsigned MostParameters = VERSO_KERNEL_MOST_PARAMETERS;
inline constexpr uint64_t Line = 64;

inline uint64_t sizeOf(uint32_t Kind) {
  return Kind == VERSO_CELL_FLOAT ? 4 : 8;
}

inline bool isNumber(const verso_kernel &K, unsigned Parameter) {
  uint32_t Kind = VERSO_KERNEL_KIND(K.parameter[Parameter]);
  return Kind == VERSO_KERNEL_FLOAT || Kind == VERSO_KERNEL_DOUBLE;
}

/// The first address from \p From on that lies in its cache line as \p Like
/// does: what the program says of alignment holds there, too.
inline uint64_t placeLike(uint64_t From, uint64_t Like) {
  return From + (Like - From) % Line;
}

struct Stretch {
  char *Low; ///< In the program's memory.
  uint64_t Bytes;
  uint64_t Copy;  ///< Where that is, from the head on.
  uint64_t Ids;   ///< Likewise; nowhere for integers.
  uint32_t First; ///< Of the new IDs; 0 if nothing is stored there.
  uint32_t Kind;

  bool isOfNumbers() const { return Kind != VERSO_CELL_RAW; }
  uint64_t cells() const { return Bytes / sizeOf(Kind); }
};

struct Head {
  const verso_kernel *Kernel;
  uint64_t NumStretches;
  uint64_t Arguments[MostParameters];
  /// Of numbers their IDs; of pointers 1 + the index of a stretch, or 0.
  uint32_t Companions[MostParameters];

  Stretch *stretches() { return reinterpret_cast<Stretch *>(this + 1); }
  char *copy(const Stretch &P) {
    return reinterpret_cast<char *>(this) + P.Copy;
  }
  uint32_t *ids(const Stretch &P) {
    return reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(this) + P.Ids);
  }
};

} // namespace verso::kernel

#endif // VERSO_RUNTIME_KERNELRECORD_H
