//===- GivenRanges.h - arguments that have a shadow -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of where the arguments of a request lie, for requests whose
// functions follow pointers of global variables (pass/analysis/
// EarlierPointers.h). Others note nothing.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_GIVENRANGES_H
#define VERSO_RUNTIME_GIVENRANGES_H

#include <stdint.h>

namespace verso {

class GivenRanges {
public:
  void clear() { Count = 0; }
  /// Of more arguments than these the first are known.
  void note(uint64_t Begin, uint64_t Bytes) {
    if (Begin && Count != Most)
      Ranges[Count++] = {Begin, Bytes};
  }
  bool contain(uint64_t Address) const {
    for (unsigned K = 0; K != Count; ++K)
      if (Address - Ranges[K].Begin < Ranges[K].Bytes)
        return true;
    return false;
  }

  bool overlap(uint64_t Begin, uint64_t End) const {
    for (unsigned K = 0; K != Count; ++K)
      if (Begin < Ranges[K].Begin + Ranges[K].Bytes && Ranges[K].Begin < End)
        return true;
    return false;
  }

private:
  static constexpr unsigned Most = 16;
  struct Given {
    uint64_t Begin, Bytes;
  };
  Given Ranges[Most];
  unsigned Count = 0;
};

/// Those of a request.
GivenRanges &givenTo(void *Context, bool IsForward);

} // namespace verso

#endif // VERSO_RUNTIME_GIVENRANGES_H
