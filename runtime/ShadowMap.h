//===- ShadowMap.h - windows of shadow memory -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shadow(p) = p + delta, with a delta of its own for each depth of nesting, and
// one more for the adjoints of watched memory. The ranges that hold the
// program's data (AddressSpace.h) are learnt when the first window is asked
// for, the distances of all windows are chosen then, and a window is reserved,
// without memory behind it, when it is first asked for. Fixed from then on:
// neither windows nor deltas ever change, and every thread uses the same.
//
// What is mapped later lies inside the learnt ranges, since these include the
// region that the kernel fills next. When the windows cannot be had, because of
// a limit on address space or because the executable is not
// position-independent, the program ends with a fatal error that says so: a
// distance that moves both low addresses and the stack, at the end of user
// space, to free places does not exist.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_SHADOWMAP_H
#define VERSO_RUNTIME_SHADOWMAP_H

#include "AddressSpace.h"
#include "Mutex.h"

#include <atomic>

namespace verso {

class ShadowMap {
public:
  /// How deep requests may be nested.
  static constexpr unsigned MaxDepth = 4;

  /// The delta of the images of requests at \p Depth; \p Where names the
  /// request in an error.
  int64_t images(unsigned Depth, const char *Where) {
    return window(Depth, Where);
  }
  /// The distance from watched memory to its adjoints.
  int64_t adjoints(const char *Where) { return window(MaxDepth, Where); }

  /// Gives the memory of all images back: they read as zero.
  void dropImages();

  /// Whether \p R has a shadow. Only after a window was asked for.
  bool covers(Range R) const { return Space.Data.contains(R); }

  /// How much the program may map beyond what it had at first.
  uint64_t growth() const { return Growth; }

private:
  static constexpr unsigned Windows = MaxDepth + 1;

  int64_t window(unsigned I, const char *Where) {
    int64_t D = Deltas[I].load(std::memory_order_acquire);
    return __builtin_expect(D != 0, 1) ? D : openWindow(I, Where);
  }
  int64_t openWindow(unsigned I, const char *Where);
  void plan(const char *Where);
  bool reserve(int64_t Delta);
  int64_t planAgain(unsigned I);

  std::atomic<int64_t> Deltas[Windows] = {};
  int64_t Planned[Windows] = {};
  AddressSpace Space;
  uint64_t Growth = 0;
  Mutex M;
};

ShadowMap &shadowMap();

} // namespace verso

#endif // VERSO_RUNTIME_SHADOWMAP_H
