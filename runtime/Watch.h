//===- Watch.h - memory that is watched -------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranges that a thread watches. When an outermost request starts, every
// granule of them becomes a raw leaf whose adjoint lies in a window of
// adjoints, which was cleared. Ranges may overlap: those of one thread share
// the adjoints, and where another thread watches the same memory, each has a
// window for it.
//
// As long as there are enough of them a thread has a window of its own. In it a
// structured request adds to the adjoints of all that it reads, watched or not:
// what lies outside of the ranges means nothing, and a request that stores
// there clears it before (pass/structured/WatchedMemory.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_WATCH_H
#define VERSO_RUNTIME_WATCH_H

#include "AddressSpace.h"
#include "Request.h"
#include "ShadowMap.h"

namespace verso {

class WatchList {
public:
  void watch(void *Memory, size_t Bytes);
  /// Ends the watching of ranges that start at \p Memory.
  void unwatch(void *Memory);
  /// Where the adjoint of watched memory is; null for other memory.
  void *adjointOf(const void *Memory) const;
  /// The watched address whose adjoint is at \p Adjoint; 0 if there is none.
  uint64_t watchedAt(const void *Adjoint) const;

  bool empty() const { return Ranges.empty(); }
  /// Whether any of this memory is watched.
  bool overlaps(Range Memory) const;
  /// Those that adjoints are in.
  WindowSet windows() const;
  void makeLeaves(Request &R) const;
  /// All adjoints are zero when somebody asks for them: the last request came
  /// to none.
  void forgetAdjoints() { AreOld = true; }
  /// For a structured request, which adds to the adjoints of all memory: those
  /// of watched memory become zero. The distance of a window that no other
  /// thread adds to; 0 if there is none.
  int64_t beginStructured() const;
  int64_t distance() const { return shadowMap().distance(Own); }
  /// At the end of the thread.
  void release();

private:
  struct Watched {
    Range Of;
    unsigned Window; ///< Of its adjoints.

    Range adjoints() const;
  };

  /// Whether adjoints of \p R in \p Window would be those of another thread.
  bool isTaken(Range R, unsigned Window) const;
  void clearAdjoints() const;
  void clearUnwatched(Watched New, size_t Count) const;
  unsigned takeOwn() const;
  unsigned findWindow(Range R);
  void unlink();

  /// Changed by the thread itself, under the mutex of all lists.
  Vector<Watched> Ranges;
  mutable bool AreOld = false;    ///< Adjoints, of a request before the last.
  WatchList *Following = nullptr; ///< The next one that is not empty.
  unsigned Own = 0;               ///< A window of the thread; 0 if it has none.
};

} // namespace verso

#endif // VERSO_RUNTIME_WATCH_H
