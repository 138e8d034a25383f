//===- Watch.cpp - memory that is watched ---------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watch.h"
#include "Cells.h"
#include "ShadowMap.h"

#include <string.h>

using namespace verso;

void WatchList::watch(void *Memory, size_t Bytes) {
  uint64_t Begin = reinterpret_cast<uint64_t>(Memory);
  Range R = {Begin, Begin + Bytes};
  if (!Bytes)
    return;
  Delta = shadowMap().adjoints("verso_watch");
  if (R.End < R.Begin || !shadowMap().covers(R))
    fatal("verso_watch", "[%p, %p) is not memory of the program", Memory,
          reinterpret_cast<void *>(R.End));
  Ranges.push_back(R);
}

void WatchList::unwatch(void *Memory) {
  uint64_t Begin = reinterpret_cast<uint64_t>(Memory);
  for (size_t I = Ranges.size(); I--;)
    if (Ranges[I].Begin == Begin)
      Ranges.erase(I);
}

void *WatchList::adjointOf(const void *Memory) const {
  uint64_t Address = reinterpret_cast<uint64_t>(Memory);
  for (const Range &R : Ranges)
    if (R.contains({Address, Address + 1}))
      return reinterpret_cast<void *>(verso_displaced(Address, Delta));
  return nullptr;
}

uint64_t WatchList::watchedAt(const void *Adjoint) const {
  uint64_t Address =
      verso_displaced(reinterpret_cast<uint64_t>(Adjoint), -Delta);
  for (const Range &R : Ranges)
    if (R.contains({Address, Address + 1}))
      return Address;
  return 0;
}

void WatchList::makeLeaves(Request &R) const {
  for (const Range &W : Ranges)
    memset(reinterpret_cast<void *>((W + Delta).Begin), 0, W.bytes());
  for (const Range &W : Ranges)
    touchRange(R, reinterpret_cast<char *>(W.Begin),
               int64_t((W + Delta).Begin - W.Begin), W.bytes());
}
