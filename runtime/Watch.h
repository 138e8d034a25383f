//===- Watch.h - memory that is watched -------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranges that a thread watches. When an outermost request starts, every
// granule of them becomes a raw leaf whose adjoint lies in the adjoint window,
// which was cleared. The ranges of one thread may overlap; two threads that run
// requests at the same time must not watch the same memory.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_WATCH_H
#define VERSO_RUNTIME_WATCH_H

#include "AddressSpace.h"
#include "Request.h"

namespace verso {

class WatchList {
public:
  void watch(void *Memory, size_t Bytes);
  /// Ends the watching of ranges that start at \p Memory.
  void unwatch(void *Memory);
  /// Where the adjoint of watched memory is; null for other memory.
  /// The watched address whose adjoint is at \p Adjoint; 0 if there is none.
  uint64_t watchedAt(const void *Adjoint) const;
  void *adjointOf(const void *Memory) const;

  bool empty() const { return Ranges.empty(); }
  void makeLeaves(Request &R) const;
  void release() { Ranges.release(); }

private:
  Vector<Range> Ranges;
  int64_t Delta = 0;
};

} // namespace verso

#endif // VERSO_RUNTIME_WATCH_H
