//===- Identifiers.cpp - the hand-out of absolute IDs ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Identifiers.h"
#include "Flags.h"
#include "Fatal.h"
#include "ImageWindows.h"

#include <time.h>

using namespace verso;

IdPool &verso::idPool() {
  static constinit IdPool ThePool;
  return ThePool;
}

void IdPool::join(Participant &P) {
  Guard G(M);
  P.Following = First;
  First = &P;
}

void IdPool::quit(Participant &P) {
  Guard G(M);
  Participant **Link = &First;
  while (*Link != &P)
    Link = &(*Link)->Following;
  *Link = P.Following;
}

void IdPool::keepOnly(Participant *P) {
  First = P;
  if (P)
    P->Following = nullptr;
}

IdChunk IdPool::take(uint32_t Count, uint32_t Minimum) {
  uint32_t Begin = Counter.load(std::memory_order_relaxed);
  for (;;) {
    uint32_t Left = Begin < EndOfIds ? EndOfIds - Begin : 0;
    if (Left < Minimum)
      return {};
    uint32_t End = Begin + (Count < Left ? Count : Left);
    if (Counter.compare_exchange_weak(Begin, End, std::memory_order_relaxed))
      return {Begin, End, epoch()};
  }
}

/// P.Running and Restarting are each written before the other is read, so a
/// request does not start unseen while images are dropped.
void IdPool::announce(Participant &P) {
  for (;;) {
    P.Running.store(true, std::memory_order_seq_cst);
    if (__builtin_expect(!Restarting.load(std::memory_order_seq_cst), 1))
      return;
    P.Running.store(false, std::memory_order_release);
    Guard G(M); // Held until the restart is over.
  }
}

/// Whether no other thread runs a request, after at most a second.
bool IdPool::quiet(const Participant &Except, bool Wait) const {
  for (unsigned Attempts = Wait ? 10000 : 1; Attempts; --Attempts) {
    bool Quiet = true;
    for (const Participant *P = First; P; P = P->Following)
      Quiet &= P == &Except || !P->Running.load(std::memory_order_seq_cst);
    if (Quiet)
      return true;
    if (Wait) {
      timespec Pause = {0, 100 * 1000};
      nanosleep(&Pause, nullptr);
    }
  }
  return false;
}

void IdPool::considerRestart(Participant &P) {
  leave(P);
  {
    Guard G(M);
    uint32_t Now = Counter.load(std::memory_order_relaxed);
    if (Now >= RestartAt.load(std::memory_order_relaxed)) {
      const uint32_t Quarter = EndOfIds / 4, Last = EndOfIds - ChunkIds;
      Restarting.store(true, std::memory_order_seq_cst);
      if (quiet(P, /*Wait=*/Now >= 3 * Quarter)) {
        imageWindows().drop();
        Counter.store(FirstId, std::memory_order_relaxed);
        Epoch.fetch_add(1, std::memory_order_relaxed);
        RestartAt.store(2 * Quarter, std::memory_order_relaxed);
        if (flags().Verbose)
          note("identifiers start anew");
      } else {
        // Not before some more have been used.
        uint32_t Later = Now < 3 * Quarter ? 16 * ChunkIds : 64 * ChunkIds;
        RestartAt.store(Now < Last - Later ? Now + Later : Last,
                        std::memory_order_relaxed);
      }
      Restarting.store(false, std::memory_order_seq_cst);
    }
  }
  announce(P);
}
