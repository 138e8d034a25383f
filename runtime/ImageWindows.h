//===- ImageWindows.h - the windows that hold images ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request has a window of images (ShadowMap.h) for itself as long as it runs.
// So threads may read the same memory: each gives it leaves of its own, and no
// thread meets the IDs of a request that runs in another. What older requests
// left in a window is stale, since IDs are unique in the process.
//
// The first window of each depth of nesting is always there; some others are
// opened when threads need them at once. A request for which there is none
// waits until another one ends. Whoever waits at one depth holds windows of
// lower depths alone; but the others may wait for something that this thread
// has locked. So where none is given back, one more is opened for one request.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_IMAGEWINDOWS_H
#define VERSO_RUNTIME_IMAGEWINDOWS_H

#include "ShadowMap.h"

#include <atomic>

namespace verso {

/// A window that a request holds.
struct ImageWindow {
  unsigned Index = 0; ///< Among the shadow map's; 0 if none was taken yet.
  unsigned Slot = 0;  ///< Among those of its depth, or ForOneRequest.

  static constexpr unsigned ForOneRequest = ~0u;
};

class ImageWindows {
public:
  /// A window for a request at \p Depth; \p Before is the one that the thread
  /// had last at this depth, whose memory is warm. \p Where names the request
  /// in an error.
  ImageWindow take(unsigned Depth, ImageWindow Before, const char *Where) {
    if (__builtin_expect(Before.Index &&
                             Before.Slot != ImageWindow::ForOneRequest &&
                             makeBusy(Slots[Depth][Before.Slot]),
                         1))
      return Before;
    return find(Depth, Where);
  }
  void giveBack(unsigned Depth, ImageWindow Window) {
    if (__builtin_expect(Window.Slot == ImageWindow::ForOneRequest, 0))
      shadowMap().close(Window.Index);
    else
      Slots[Depth][Window.Slot].Busy.store(false, std::memory_order_release);
    GivenBack.fetch_add(1, std::memory_order_relaxed);
  }

  /// Gives the memory of all images back: they read as zero.
  void drop();
  /// In a copy of the process, whose other threads are gone: all windows are
  /// free, but what its own thread then says that it holds.
  void freeAll();
  void hold(unsigned Depth, ImageWindow Window) {
    if (Window.Slot != ImageWindow::ForOneRequest)
      Slots[Depth][Window.Slot].Busy.store(true, std::memory_order_relaxed);
  }

private:
  static constexpr unsigned MostOfDepth = 8;

  /// On a cache line of its own.
  struct alignas(64) Slot {
    std::atomic<bool> Busy = false;
    std::atomic<unsigned> Window = 0; ///< 0 until opened, by who made it busy.
  };

  static bool makeBusy(Slot &S) {
    return !S.Busy.load(std::memory_order_relaxed) &&
           !S.Busy.exchange(true, std::memory_order_acquire);
  }
  ImageWindow find(unsigned Depth, const char *Where);
  unsigned open(unsigned Depth, unsigned Slot, const char *Where);

  Slot Slots[ShadowMap::MaxDepth][MostOfDepth];
  std::atomic<uint64_t> GivenBack = 0;
};

ImageWindows &imageWindows();

} // namespace verso

#endif // VERSO_RUNTIME_IMAGEWINDOWS_H
