//===- Tangents.cpp - the tangent memory of a forward request -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tangents.h"
#include "Fatal.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

using namespace verso;

/// From this many pages on their memory is given back instead of cleared.
static constexpr size_t ManyPages = 1 << 14;

/// How many seconds a nested request waits for others.
static constexpr time_t LongestWait = 20;

/// A byte for each page of user space.
static unsigned char *dirtyPages(const char *Where) {
  static constinit Mutex M;
  static constinit std::atomic<unsigned char *> Plane = nullptr;
  if (unsigned char *P = Plane.load(std::memory_order_acquire))
    return P;
  Guard G(M);
  if (unsigned char *P = Plane.load(std::memory_order_relaxed))
    return P;
  void *P = mmap(nullptr, UserEnd / PageBytes + 1, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    fatal(Where,
          "no room for the table of pages with tangents (error %d); is "
          "address space limited (ulimit -v, or "
          "vm.overcommit_memory=2)?",
          errno);
  madvise(P, UserEnd / PageBytes + 1, MADV_DONTDUMP);
  Plane.store(static_cast<unsigned char *>(P), std::memory_order_release);
  return static_cast<unsigned char *>(P);
}

bool Tangents::takeWindows(bool &OfOthers) {
  Taken = 0;
  Reach = Data;
  for (unsigned K = 0; K != width; ++K) {
    delta[K] = shadowMap().takeTangents(Data, Taken, OfOthers, Where);
    if (!delta[K]) {
      shadowMap().giveBack(Taken);
      return false;
    }
  }
  Reach |= Taken;
  return true;
}

void Tangents::start(unsigned Width, WindowSet D, const char *W, uint64_t F) {
  Where = W;
  Frame = F;
  Data = D;
  Given.clear();
  width = Width;
  bool OfOthers = false;
  time_t Began = 0;
  while (!takeWindows(OfOthers)) {
    if (!Began)
      Began = time(nullptr);
    if (!OfOthers)
      fatal(Where,
            "no room for the tangents of %u directions at this depth of "
            "nesting; compute fewer at once (verso_width)",
            Width);
    // A nested request holds what its outer one has; if others do the same, all
    // of them could wait for each other.
    if (Data != 1 && time(nullptr) - Began > LongestWait)
      fatal(Where,
            "requests of other threads hold the room for the tangents of "
            "this nested one; run fewer at once, or fewer directions "
            "(verso_width)");
    sched_yield();
  }
  dirty = dirtyPages(Where);
}

void Tangents::clearEverywhere(uint64_t P, uint64_t Bytes) {
  for (WindowSet Left = Taken; Left; Left &= Left - 1)
    memset(reinterpret_cast<void *>(
               verso_displaced(P, shadowMap().distance(__builtin_ctzll(Left)))),
           0, Bytes);
}

void Tangents::finish() {
  bool Many = Pages.size() * width > ManyPages;
  for (uint64_t Page : Pages) {
    dirty[verso_displaced(Page, delta[0]) / PageBytes] = 0;
    if (!Many)
      clearEverywhere(Page, PageBytes);
  }
  for (size_t I = 0, J; Many && I != Pages.size(); I = J) {
    for (J = I + 1; J != Pages.size() && Pages[J] == Pages[J - 1] + PageBytes;)
      ++J;
    for (unsigned W = 1; W < 64; ++W)
      if (Taken >> W & 1)
        madvise(reinterpret_cast<void *>(
                    verso_displaced(Pages[I], shadowMap().distance(W))),
                (J - I) * PageBytes, MADV_DONTNEED);
  }
  if (Many)
    Pages.release();
  Pages.clear();
  shadowMap().giveBack(Taken);
}

void Tangents::touch(uint64_t P, uint64_t Bytes) {
  for (uint64_t Page = P & -PageBytes; Page < P + Bytes; Page += PageBytes) {
    unsigned char &Dirty = dirty[verso_displaced(Page, delta[0]) / PageBytes];
    if (!Dirty)
      Pages.push_back(Page);
    Dirty = 1;
  }
}

void Tangents::clear(uint64_t P, uint64_t Bytes) {
  for (uint64_t Page = P & -PageBytes; Page < P + Bytes; Page += PageBytes) {
    if (!dirty[verso_displaced(Page, delta[0]) / PageBytes])
      continue;
    uint64_t Begin = Page < P ? P : Page, End = Page + PageBytes;
    clearEverywhere(Begin, (End < P + Bytes ? End : P + Bytes) - Begin);
  }
}
