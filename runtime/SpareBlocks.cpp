//===- SpareBlocks.cpp - memory that is taken again -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Differentiated transforms work on blocks (runtime/Fftw.c) that they take and
// give back each time. malloc would return them to the system, and the pages of
// 1 MB cost as much as a transform of them. So some are kept.
//
//===----------------------------------------------------------------------===//

#include "Fatal.h"
#include "Interface.h"
#include "Mutex.h"

#include <stdlib.h>

using namespace verso;

namespace {

struct alignas(64) Header {
  size_t Bytes;
};

} // namespace

static constexpr size_t Most = 8, MostBytes = size_t(32) << 20;
static constinit Mutex Lock;
static Header *Spare[Most];

/// A spare one that is not much too large, or null.
static Header *takeSpare(size_t Bytes) {
  Guard G(Lock);
  for (Header *&H : Spare)
    if (H && H->Bytes >= Bytes && H->Bytes / 2 <= Bytes) {
      Header *Found = H;
      H = nullptr;
      return Found;
    }
  return nullptr;
}

void *__verso_take_block(uint64_t Bytes) {
  Bytes = (Bytes + alignof(Header)) & ~(alignof(Header) - 1);
  Header *H = takeSpare(Bytes);
  if (!H) {
    H = static_cast<Header *>(
        aligned_alloc(alignof(Header), sizeof(Header) + Bytes));
    if (!H)
      fatal(nullptr, "no memory for copies of the arrays of a transform");
    H->Bytes = Bytes;
  }
  return H + 1;
}

void __verso_give_block(void *Block) {
  Header *H = static_cast<Header *>(Block) - 1;
  if (H->Bytes <= MostBytes) {
    Guard G(Lock);
    for (Header *&Place : Spare)
      if (!Place) {
        Place = H;
        return;
      }
  }
  free(H);
}
