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
/// What was opened for memory that several threads watch.
static constinit Vector<unsigned> MoreWindows;

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

unsigned WatchList::findWindow(Range R) const {
  unsigned Usual = shadowMap().adjoints("verso_watch");
  if (!isTaken(R, Usual))
    return Usual;
  for (unsigned Window : MoreWindows)
    if (!isTaken(R, Window))
      return Window;
  unsigned Window = shadowMap().openForThreads();
  if (!Window)
    Window = shadowMap().open();
  if (!Window)
    fatal("verso_watch",
          "%zu threads watch this memory at once, and there is no room for the "
          "adjoints of one more",
          MoreWindows.size() + 1);
  MoreWindows.push_back(Window);
  return Window;
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
}

void *WatchList::adjointOf(const void *Memory) const {
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

void WatchList::makeLeaves(Request &R) const {
  for (const Watched &W : Ranges)
    memset(reinterpret_cast<void *>(W.adjoints().Begin), 0, W.Of.bytes());
  for (const Watched &W : Ranges)
    touchRange(R, reinterpret_cast<char *>(W.Of.Begin),
               int64_t(W.adjoints().Begin - W.Of.Begin), W.Of.bytes());
}
