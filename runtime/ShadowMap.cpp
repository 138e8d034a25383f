//===- ShadowMap.cpp - windows of shadow memory ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShadowMap.h"
#include "Flags.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

using namespace verso;

ShadowMap &verso::shadowMap() {
  static constinit ShadowMap TheMap;
  return TheMap;
}

static void *pointer(uint64_t Address) {
  return reinterpret_cast<void *>(Address);
}

/// Room for as much growth as the windows allow. More windows come first: they
/// are what a wide or nested forward request needs. A plan has to stand the
/// test of its first window: an emulator (valgrind) has room that it does not
/// give.
void ShadowMap::plan(const char *Where) {
  const uint64_t TiB = UINT64_C(1) << 40;
  const char *Reason = nullptr;
  for (unsigned N : {40, 24, 12, int(FixedWindows)}) {
    for (uint64_t G = 16 * TiB; G >= LeastGrowth && !Growth; G /= 2) {
      Space.Data.clear();
      Space.Other.clear();
      Reason = learnAddressSpace(G, Space);
      Spacing = Reason ? 0 : findSpacing(Space, N);
      Count = N;
      if (!Spacing || !reserve(Spacing))
        continue;
      Growth = G;
      Opened |= WindowSet(1) << 1;
    }
    if (Growth)
      break;
  }
  if (!Growth && Reason)
    fatal(Where, "no room for shadow memory: %s", Reason);
  if (!Growth)
    fatal(Where, "no room for shadow memory: what the process has mapped "
                 "leaves no free windows (see /proc/self/maps)");
  for (const Range &R : Space.Data)
    Wraps |= (R + distance(Count)).Begin != R.Begin + uint64_t(distance(Count));
  if (!flags().Verbose)
    return;
  for (const Range &R : Space.Data)
    note("data may be at %012llx-%012llx", (unsigned long long)R.Begin,
         (unsigned long long)R.End);
  note("%u shadow windows, %lld GiB apart", Count,
       llabs(Spacing / (1 << 30)));
}

/// The index of a window at whose distance \p Data has a place among free
/// windows; 0 if there is none. The windows are reserved.
unsigned ShadowMap::findRoom(WindowSet Data) {
  for (unsigned I = 1; I <= Count; ++I) {
    WindowSet Wanted = Data << I;
    bool TooFar = Wanted >> I != Data || Wanted >> Count > 1;
    if (!TooFar && !(Wanted & InUse) && open(Wanted))
      return I;
  }
  return 0;
}

/// Somebody may have mapped something at a fixed address meanwhile: then the
/// window is never used.
bool ShadowMap::open(WindowSet Windows) {
  for (unsigned I = 1; I <= Count; ++I) {
    WindowSet Bit = WindowSet(1) << I;
    if (!(Windows & Bit) || Opened & Bit)
      continue;
    if (!reserve(distance(I))) {
      InUse |= Bit;
      return false;
    }
    Opened |= Bit;
  }
  return true;
}

unsigned ShadowMap::openFixed(unsigned I, const char *Where) {
  Guard G(M);
  if (unsigned Window = Fixed[I].load(std::memory_order_relaxed))
    return Window;
  if (!Growth)
    plan(Where);
  unsigned Index = findRoom(1);
  if (!Index)
    fatal(Where,
          "no room for shadow memory: a window of %llu GiB cannot be "
          "reserved (error %d); is address space limited (ulimit -v, "
          "or vm.overcommit_memory=2)?",
          (unsigned long long)(Growth >> 30), errno);
  InUse |= WindowSet(1) << Index;
  Fixed[I].store(Index, std::memory_order_release);
  return Index;
}

unsigned ShadowMap::openForThreads() {
  Guard G(M);
  // Most are left to forward requests: nested ones need many at once.
  unsigned Index = OfThreads < Count / 8 ? findRoom(1) : 0;
  if (!Index)
    return 0;
  ++OfThreads;
  InUse |= WindowSet(1) << Index;
  return Index;
}

unsigned ShadowMap::open() {
  Guard G(M);
  // Half of them are left.
  unsigned Index = inUse() <= Count / 2 ? findRoom(1) : 0;
  WindowSet Taken = Index ? WindowSet(1) << Index : 0;
  InUse |= Taken;
  Lent |= Taken;
  return Index;
}

void ShadowMap::close(unsigned Window) {
  drop(Window);
  giveBack(WindowSet(1) << Window);
}

int64_t ShadowMap::takeTangents(WindowSet Data, WindowSet &Taken,
                                bool &OfOthers, const char *Where) {
  // The fixed windows are opened first: they are not exclusive.
  for (unsigned I = 0; I != FixedWindows; ++I)
    fixed(I, Where);
  Guard G(M);
  // What is nested in requests that run comes before another outermost one.
  const bool IsOutermost = Data == 1;
  if (IsOutermost && Lent & ~Taken && inUse() > 2 * Count / 3) {
    OfOthers = true;
    return 0;
  }
  unsigned Index = findRoom(Data);
  // What this request or one around it holds is not going to be given back.
  OfOthers = !Index && (Lent & ~(Taken | Data));
  if (!Index)
    return 0;
  Taken |= Data << Index;
  InUse |= Data << Index;
  Lent |= Data << Index;
  return distance(Index);
}

void ShadowMap::giveBack(WindowSet Taken) {
  Guard G(M);
  InUse &= ~Taken;
  Lent &= ~Taken;
}

/// All or nothing. Without memory, out of core dumps, and in small pages: the
/// images of scattered data are scattered.
bool ShadowMap::reserve(int64_t Delta) {
  size_t Done = 0;
  for (const Range &R : Space.Data) {
    void *Wanted = pointer((R + Delta).Begin);
    void *Got =
        mmap(Wanted, R.bytes(), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
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

void ShadowMap::drop(unsigned Window) {
  for (const Range &R : Space.Data)
    madvise(pointer((R + distance(Window)).Begin), R.bytes(), MADV_DONTNEED);
}
