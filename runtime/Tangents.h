//===- Tangents.h - the tangent memory of a forward request -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a forward request keeps the tangents of memory that has no shadow of
// the user's: at p + delta[lane], in windows that it has for itself. Whatever
// it did not write there is zero, so a page that is written for the first time
// is noted, and cleared when the request ends.
//
// When requests are nested, the tangent memory of the inner one is memory of
// the outer one, with tangents (or images) of its own: windows are taken for
// those as well, and they are cleared together.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_TANGENTS_H
#define VERSO_RUNTIME_TANGENTS_H

#include "GivenMemory.h"
#include "ShadowMap.h"
#include "Vector.h"
#include "verso/Layout.h"

namespace verso {

class Tangents : public verso_tangents {
public:
  GivenMemory Given;

  static Tangents &of(void *Context) {
    return *static_cast<Tangents *>(static_cast<verso_tangents *>(Context));
  }

  /// \p Data: the windows that hold what the request may touch. Waits for
  /// requests of other threads if these have all the windows; fatal if there
  /// are too few.
  void start(unsigned Width, WindowSet Data, const char *Where, uint64_t Frame);
  void finish();
  void release() {
    Given.release();
    Pages.release();
  }

  /// Notes the pages of [P, P + Bytes), which are about to be written.
  void touch(uint64_t P, uint64_t Bytes);
  /// [P, P + Bytes) is new memory: its tangents become zero.
  void clear(uint64_t P, uint64_t Bytes);

  /// The windows with tangents of what lies in \p Data, and \p Data.
  WindowSet reach() const { return Reach; }
  const char *where() const { return Where; }
  uint64_t frame() const { return Frame; }

private:
  bool takeWindows(bool &OfOthers);
  void clearEverywhere(uint64_t P, uint64_t Bytes);

  WindowSet Data = 0, Reach = 0, Taken = 0;
  Vector<uint64_t> Pages; ///< Of the primal.
  const char *Where = nullptr;
  uint64_t Frame = 0;
};

} // namespace verso

#endif // VERSO_RUNTIME_TANGENTS_H
