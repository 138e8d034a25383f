//===- ShadowMap.cpp - windows of shadow memory ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShadowMap.h"
#include "Flags.h"

#include <errno.h>
#include <sys/mman.h>

using namespace verso;

ShadowMap &verso::shadowMap() {
  static constinit ShadowMap TheMap;
  return TheMap;
}

static void *pointer(uint64_t Address) {
  return reinterpret_cast<void *>(Address);
}

int64_t ShadowMap::openWindow(unsigned I, const char *Where) {
  Guard G(M);
  if (int64_t D = Deltas[I].load(std::memory_order_relaxed))
    return D;
  if (!Growth)
    plan(Where);
  // Somebody may have mapped something at a fixed address meanwhile.
  if (!reserve(Planned[I]) && !(planAgain(I) && reserve(Planned[I])))
    fatal(Where, "no room for shadow memory: window %u of %llu GiB cannot be "
                 "reserved (error %d); is address space limited (ulimit -v, "
                 "or vm.overcommit_memory=2)?",
          I, (unsigned long long)(Growth >> 30), errno);
  if (flags().Verbose)
    note("shadow window %u is at distance %lld GiB", I,
         (long long)(Planned[I] / (1 << 30)));
  Deltas[I].store(Planned[I], std::memory_order_release);
  return Planned[I];
}

/// Room for as much growth as all windows together allow.
void ShadowMap::plan(const char *Where) {
  const uint64_t TiB = UINT64_C(1) << 40;
  const char *Reason = nullptr;
  for (uint64_t G = 16 * TiB; G >= TiB / 4; G /= 2) {
    Space.Data.clear();
    Space.Other.clear();
    Reason = learnAddressSpace(G, Space);
    if (!Reason && findDistances(Space, Windows, Planned)) {
      Growth = G;
      break;
    }
  }
  if (!Growth && Reason)
    fatal(Where, "no room for shadow memory: %s", Reason);
  if (!Growth && Space.LowExecutable)
    fatal(Where, "no room for shadow memory: the executable is not "
                 "position-independent; link it with -pie (and without "
                 "-no-pie or -static)");
  if (!Growth)
    fatal(Where, "no room for shadow memory: what the process has mapped "
                 "leaves no free windows (see /proc/self/maps)");
  if (flags().Verbose)
    for (const Range &R : Space.Data)
      note("data may be at %012llx-%012llx", (unsigned long long)R.Begin,
           (unsigned long long)R.End);
}

/// All or nothing. Without memory, out of core dumps, and in small pages: the
/// images of scattered data are scattered.
bool ShadowMap::reserve(int64_t Delta) {
  size_t Done = 0;
  for (const Range &R : Space.Data) {
    void *Wanted = pointer((R + Delta).Begin);
    void *Got = mmap(Wanted, R.bytes(), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                         MAP_FIXED_NOREPLACE,
                     -1, 0);
    if (Got != Wanted) {
      int Error = errno;
      if (Got != MAP_FAILED) // A kernel that takes the address for a hint.
        munmap(Got, R.bytes());
      for (size_t I = 0; I != Done; ++I)
        munmap(pointer((Space.Data.begin()[I] + Delta).Begin),
               Space.Data.begin()[I].bytes());
      errno = Error;
      return false;
    }
    madvise(Got, R.bytes(), MADV_NOHUGEPAGE);
    madvise(Got, R.bytes(), MADV_DONTDUMP);
    ++Done;
  }
  return true;
}

/// Another place for window I, in view of what is mapped now.
int64_t ShadowMap::planAgain(unsigned I) {
  RangeSet Occupied;
  int Error = errno;
  bool Read = forEachMapping(
      [](Range R, void *Set) { static_cast<RangeSet *>(Set)->add(R); },
      &Occupied);
  for (const Range &R : Space.Data) {
    Occupied.add(R);
    for (unsigned J = 0; J != Windows; ++J)
      if (J != I)
        Occupied.add(R + Planned[J]);
  }
  int64_t Found = Read ? findDistance(Space.Data, Occupied) : 0;
  Occupied.release();
  errno = Error;
  if (Found)
    Planned[I] = Found;
  return Found;
}

void ShadowMap::dropImages() {
  for (unsigned I = 0; I != MaxDepth; ++I)
    if (int64_t D = Deltas[I].load(std::memory_order_acquire))
      for (const Range &R : Space.Data)
        madvise(pointer((R + D).Begin), R.bytes(), MADV_DONTNEED);
}
