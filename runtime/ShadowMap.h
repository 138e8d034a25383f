//===- ShadowMap.h - windows of shadow memory -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shadow memory comes in windows on a lattice: window i mirrors the program's
// data at the distance i * spacing. Window 0 is the data itself. So the shadow
// in window j of what lies in window i is in window i + j, and sets of windows
// are bit masks that are shifted.
//
// The ranges that hold the program's data (AddressSpace.h) are learnt when the
// first window is asked for, the spacing is chosen then, and a window is
// reserved, without memory behind it, when it is first asked for.
//
//   images    a window for each reverse request that runs (ImageWindows.h)
//   adjoints  a window for watched memory, more where several threads watch
//   tangents  windows that a forward request has for itself as long as it runs
//
// What is mapped later lies inside the learnt ranges, since these include the
// region that the kernel fills next. When windows cannot be had, because of a
// limit on address space or because the executable is not position-independent,
// the program ends with a fatal error that says so: a distance that moves both
// low addresses and the stack, at the end of user space, to free places exists
// only if addresses wrap around.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_SHADOWMAP_H
#define VERSO_RUNTIME_SHADOWMAP_H

#include "AddressSpace.h"
#include "Mutex.h"

#include <atomic>

namespace verso {

/// Bit i: the window at i * spacing.
using WindowSet = uint64_t;

class ShadowMap {
public:
  /// How deep requests may be nested.
  static constexpr unsigned MaxDepth = 4;

  /// Learns the address space, if nobody did. \p Where names the request in an
  /// error, here and below.
  void prepare(const char *Where) { images(0, Where); }

  /// The window that images at \p Depth and adjoints of watched memory are in
  /// first.
  unsigned images(unsigned Depth, const char *Where) {
    return fixed(Depth, Where);
  }
  unsigned adjoints(const char *Where) { return fixed(MaxDepth, Where); }
  /// One more window for what threads do at once, which is not closed again; 0
  /// where the others would become too few.
  unsigned openForThreads();
  /// One that is closed again; 0 if there is none. Reads as zero.
  unsigned open();
  void close(unsigned Window);

  /// A window for the tangents of everything in the windows \p Data, for the
  /// caller alone: returns its distance and adds what has to be given back to
  /// \p Taken. 0 if there is no room; \p OfOthers tells whether there would be
  /// if other requests ended.
  int64_t takeTangents(WindowSet Data, WindowSet &Taken, bool &OfOthers,
                       const char *Where);
  void giveBack(WindowSet Taken);
  int64_t distance(unsigned Window) const { return Window * Spacing; }

  /// Gives the memory of a window back: it reads as zero.
  void drop(unsigned Window);

  /// Whether \p R has a shadow. Only after a window was asked for.
  bool covers(Range R) const { return Space.Data.contains(R); }

  /// Whether a thread may keep a window for itself.
  bool hasMany() const { return Count >= 24; }

  /// Whether shadow addresses may wrap around: emitted code has to mask them.
  bool mayWrap() const { return Wraps; }

  /// How much the program may map beyond what it had at first.
  uint64_t growth() const { return Growth; }

private:
  static constexpr unsigned FixedWindows = MaxDepth + 1;

  unsigned fixed(unsigned I, const char *Where) {
    unsigned Window = Fixed[I].load(std::memory_order_acquire);
    return __builtin_expect(Window != 0, 1) ? Window : openFixed(I, Where);
  }
  unsigned openFixed(unsigned I, const char *Where);
  void plan(const char *Where);
  unsigned findRoom(WindowSet Data);
  unsigned inUse() const { return unsigned(__builtin_popcountll(InUse)); }
  bool open(WindowSet Windows);
  bool reserve(int64_t Delta);

  std::atomic<unsigned> Fixed[FixedWindows] = {}; ///< 0 until opened.
  AddressSpace Space;
  uint64_t Growth = 0;
  int64_t Spacing = 0;
  bool Wraps = false;
  unsigned Count = 0;     ///< Windows 1 to Count exist.
  unsigned OfThreads = 0; ///< Opened for threads.
  WindowSet Opened = 0;   ///< Reserved.
  WindowSet InUse = 1;    ///< Not to be given to a forward request.
  WindowSet Lent = 0;     ///< In use for a time.
  Mutex M;
};

ShadowMap &shadowMap();

} // namespace verso

#endif // VERSO_RUNTIME_SHADOWMAP_H
