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

static constinit Mutex OfAll;
/// The lists that are not empty.
static constinit WatchList *First = nullptr;
/// Windows that threads without one of their own share, for other memory each.
static constinit Vector<unsigned> Shared;
/// How many threads may have one, how many were made, and those of threads that
/// ended.
static constexpr unsigned MostOwn = 4;
static constinit unsigned CountOwn = 0;
static constinit Vector<unsigned> Left;

Range WatchList::Watched::adjoints() const {
  return Of + shadowMap().distance(Window);
}

bool WatchList::isTaken(Range R, unsigned Window) const {
  for (const WatchList *Other = First; Other; Other = Other->Following)
    for (const Watched &W : Other->Ranges)
      if (Other != this && W.Window == Window && W.Of.overlaps(R))
        return true;
  return false;
}

/// A window that no other thread adds to; 0 if there are too few.
unsigned WatchList::takeOwn() const {
  if (!Ranges.empty())
    return 0;
  if (!Left.empty()) {
    unsigned Window = Left.back();
    Left.erase(Left.size() - 1);
    return Window;
  }
  if (CountOwn == MostOwn || !shadowMap().hasMany())
    return 0;
  unsigned Window = CountOwn ? shadowMap().openForThreads()
                             : shadowMap().adjoints("verso_watch");
  CountOwn += Window != 0;
  return Window;
}

unsigned WatchList::findWindow(Range R) {
  if (!Own)
    Own = takeOwn();
  if (Own)
    return Own;
  if (Shared.empty() && !CountOwn)
    Shared.push_back(shadowMap().adjoints("verso_watch"));
  for (unsigned Window : Shared)
    if (!isTaken(R, Window))
      return Window;
  unsigned Window = shadowMap().openForThreads();
  if (!Window)
    Window = shadowMap().open();
  if (!Window)
    fatal("verso_watch",
          "%zu threads watch this memory at once, and there is no room for the "
          "adjoints of one more",
          Shared.size() + CountOwn);
  Shared.push_back(Window);
  return Window;
}

/// Clears what a structured request left in the window where none of the first
/// \p Count ranges is: those have their adjoints until the next request.
void WatchList::clearUnwatched(Watched New, size_t Count) const {
  for (; Count--;) {
    const Range Old = Ranges[Count].Of;
    if (!Old.overlaps(New.Of))
      continue;
    if (New.Of.Begin < Old.Begin)
      clearUnwatched({{New.Of.Begin, Old.Begin}, New.Window}, Count);
    if (New.Of.End <= Old.End)
      return;
    New.Of.Begin = Old.End;
  }
  memset(reinterpret_cast<void *>(New.adjoints().Begin), 0, New.Of.bytes());
}

void WatchList::watch(void *Memory, size_t Bytes) {
  uint64_t Begin = reinterpret_cast<uint64_t>(Memory);
  Range R = {Begin, Begin + Bytes};
  if (!Bytes)
    return;
  shadowMap().prepare("verso_watch");
  if (R.End < R.Begin || !shadowMap().covers(R))
    fatal("verso_watch", "[%p, %p) is not memory of the program", Memory,
          reinterpret_cast<void *>(R.End));
  Guard G(OfAll);
  unsigned Window = findWindow(R);
  if (Ranges.empty()) {
    Following = First;
    First = this;
  }
  clearUnwatched({R, Window}, Ranges.size());
  Ranges.push_back({R, Window});
}

/// Leaves the lists that others look at.
void WatchList::unlink() {
  WatchList **Link = &First;
  while (*Link != this)
    Link = &(*Link)->Following;
  *Link = Following;
}

void WatchList::unwatch(void *Memory) {
  Guard G(OfAll);
  if (Ranges.empty())
    return;
  uint64_t Begin = reinterpret_cast<uint64_t>(Memory);
  for (size_t I = Ranges.size(); I--;)
    if (Ranges[I].Of.Begin == Begin)
      Ranges.erase(I);
  if (Ranges.empty())
    unlink();
}

void WatchList::release() {
  Guard G(OfAll);
  if (!Ranges.empty())
    unlink();
  Ranges.release();
  if (Own) {
    shadowMap().drop(Own);
    Left.push_back(Own);
    Own = 0;
  }
}

void *WatchList::adjointOf(const void *Memory) const {
  if (AreOld)
    clearAdjoints();
  uint64_t Address = reinterpret_cast<uint64_t>(Memory);
  for (const Watched &W : Ranges)
    if (W.Of.contains({Address, Address + 1}))
      return reinterpret_cast<void *>(
          verso_displaced(Address, shadowMap().distance(W.Window)));
  return nullptr;
}

uint64_t WatchList::watchedAt(const void *Adjoint) const {
  uint64_t Address = reinterpret_cast<uint64_t>(Adjoint);
  for (const Watched &W : Ranges)
    if (W.adjoints().contains({Address, Address + 1}))
      return verso_displaced(Address, -shadowMap().distance(W.Window));
  return 0;
}

bool WatchList::overlaps(Range Memory) const {
  for (const Watched &W : Ranges)
    if (W.Of.overlaps(Memory))
      return true;
  return false;
}

WindowSet WatchList::windows() const {
  WindowSet All = 0;
  for (const Watched &W : Ranges)
    All |= WindowSet(1) << W.Window;
  return All;
}

void WatchList::clearAdjoints() const {
  AreOld = false;
  for (const Watched &W : Ranges)
    memset(reinterpret_cast<void *>(W.adjoints().Begin), 0, W.Of.bytes());
}

int64_t WatchList::beginStructured() const {
  // Where it has one, all ranges are in it.
  if (!Own || shadowMap().mayWrap())
    return 0;
  clearAdjoints();
  return distance();
}

void WatchList::makeLeaves(Request &R) const {
  clearAdjoints();
  for (const Watched &W : Ranges)
    touchRange(R, reinterpret_cast<char *>(W.Of.Begin),
               int64_t(W.adjoints().Begin - W.Of.Begin), W.Of.bytes());
}
