//===- ImageWindows.cpp - the windows that hold images --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageWindows.h"

#include <sched.h>
#include <time.h>

using namespace verso;

ImageWindows &verso::imageWindows() {
  static constinit ImageWindows TheWindows;
  return TheWindows;
}

static uint64_t milliseconds() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return uint64_t(Now.tv_sec) * 1000 + uint64_t(Now.tv_nsec) / 1000000;
}

/// The window of a slot that the caller made busy; 0 if there is none more.
unsigned ImageWindows::open(unsigned Depth, unsigned Slot, const char *Where) {
  std::atomic<unsigned> &Window = Slots[Depth][Slot].Window;
  if (!Window.load(std::memory_order_relaxed))
    Window.store(Slot ? shadowMap().openForThreads()
                      : shadowMap().images(Depth, Where),
                 std::memory_order_relaxed);
  return Window.load(std::memory_order_relaxed);
}

ImageWindow ImageWindows::find(unsigned Depth, const char *Where) {
  constexpr uint64_t Patience = 100; // Milliseconds.
  uint64_t Began = 0, Seen = 0;
  for (;;) {
    for (unsigned Slot = 0; Slot != MostOfDepth; ++Slot) {
      if (!makeBusy(Slots[Depth][Slot]))
        continue;
      ImageWindow Window = {open(Depth, Slot, Where), Slot};
      if (Window.Index)
        return Window;
      Slots[Depth][Slot].Busy.store(false, std::memory_order_release);
    }
    uint64_t Now = milliseconds();
    if (uint64_t Count = GivenBack.load(std::memory_order_relaxed);
        !Began || Count != Seen) {
      Seen = Count;
      Began = Now;
    } else if (Now - Began >= Patience) {
      if (unsigned Index = shadowMap().open())
        return {Index, ImageWindow::ForOneRequest};
    }
    sched_yield();
  }
}

void ImageWindows::drop() {
  for (auto &OfDepth : Slots)
    for (Slot &S : OfDepth)
      if (unsigned Window = S.Window.load(std::memory_order_relaxed))
        shadowMap().drop(Window);
}

void ImageWindows::freeAll() {
  for (auto &OfDepth : Slots)
    for (Slot &S : OfDepth)
      S.Busy.store(false, std::memory_order_relaxed);
}
