//===- Permutations.cpp - whether indices are a permutation ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interface.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace {

constexpr int64_t None = INT64_MIN;

template <typename Index> struct Indices {
  const char *First;
  int64_t Stride;
  uint64_t Count;

  int64_t operator[](uint64_t K) const {
    Index I;
    memcpy(&I, First + int64_t(K) * Stride, sizeof(I));
    return int64_t(I);
  }

  /// Whether cells that are come to one after the other share a set of a
  /// cache.
  bool collide() const {
    constexpr uint64_t Some = 16, Set = 512;
    if (Count < Some)
      return false;
    unsigned Colliding = 0;
    for (uint64_t K = 1; K < Some; ++K)
      Colliding += (uint64_t((*this)[K]) - uint64_t((*this)[0])) % Set == 0;
    return Colliding >= Some / 2 - 1;
  }

  /// Whether each of Least ... Least + Count - 1 is there once.
  bool arePermuted(int64_t Least) const {
    auto *Seen = static_cast<unsigned char *>(calloc(Count, 1));
    bool Are = Seen != nullptr;
    for (uint64_t K = 0; Are && K < Count; ++K) {
      const uint64_t I = uint64_t((*this)[K]) - uint64_t(Least);
      Are = I < Count && !Seen[I];
      if (Are)
        Seen[I] = 1;
    }
    free(Seen);
    return Are;
  }

  int64_t leastOfPermutation() const {
    if (!collide())
      return None;
    if (arePermuted(0))
      return 0;
    int64_t Least = (*this)[0];
    for (uint64_t K = 1; K < Count; ++K)
      Least = (*this)[K] < Least ? (*this)[K] : Least;
    return Least != 0 && arePermuted(Least) ? Least : None;
  }
};

} // namespace

namespace verso::entry {

I64 __verso_least_of_permutation(Ptr First, I64 Stride, I64 Count, I32 Kind) {
  const char *P = static_cast<const char *>(First);
  const uint64_t N = uint64_t(Count);
  if (N == 0)
    return None;
  switch (Kind) {
  case 32:
    return Indices<uint32_t>{P, Stride, N}.leastOfPermutation();
  case 31:
    return Indices<int32_t>{P, Stride, N}.leastOfPermutation();
  default:
    return Indices<int64_t>{P, Stride, N}.leastOfPermutation();
  }
}

} // namespace verso::entry
