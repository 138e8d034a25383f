//===- ContextStack.h - the requests of a thread ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests of a thread are nested: the innermost one has the lowest frame. A
// request that an exception leaves is dropped on its way; one that a longjmp
// left, when the thread starts its next request, from a frame that is not below
// the recorded one. Frames of different stacks (coroutines) cannot be compared,
// and such requests count as alive.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_CONTEXTSTACK_H
#define VERSO_RUNTIME_CONTEXTSTACK_H

#include "Arena.h"
#include "Request.h"
#include "ShadowMap.h"
#include "Tangents.h"
#include "Watch.h"

namespace verso {

class ContextStack {
public:
  /// The calling thread's; made at its first use, freed at the thread's end.
  static ContextStack &ofThread();

  Request *begin(const char *Where, uint64_t Frame);
  void end(Request &R);

  /// Ends the requests whose frames are gone when the one at \p Frame is left,
  /// or starts a request.
  void dropAbandoned(uint64_t Frame);
  bool isOver(uint64_t Recorded, uint64_t Frame) const;

  Tangents *beginTangents(const char *Where, uint64_t Frame, unsigned Width);
  void end(Tangents &T);

  /// A structured request that adds to adjoints of watched memory: their
  /// distance, and 0 if it has to be taped. What it calls is no outermost
  /// request until it ended.
  int64_t beginWatched(uint64_t Frame);
  int64_t enterWatched(uint64_t Frame);
  void endWatched() { WatchedFrame = 0; }

  unsigned depth() const { return Depth; }
  /// Whether any request of the thread is running.
  bool isBusy() const { return Depth || ForwardDepth || WatchedFrame; }
  /// Whether the running request is the one that watched memory belongs to.
  bool isOutermost() const {
    return Depth == 1 && !ForwardDepth && !WatchedFrame;
  }
  /// What the tape of the last request that ended took.
  size_t LastTapeBytes = 0;

  /// The place of the innermost request; null if there is none.
  const char *where() const {
    return Depth ? Slots[Depth - 1].where() : nullptr;
  }
  WatchList Watched;
  /// Of structured requests.
  Arena Kept;
  /// Whether memory is there as long as the calling function: what requests
  /// keep, and what its callers have on the thread's own stack.
  bool holds(const void *Memory, size_t Bytes) const;
  /// No request in flight knows what this memory holds.
  void forget(char *Memory, uint64_t Bytes);

private:
  static ContextStack *create();
  static void destroy(void *Stack);
  void learnStack();
  static void stayAlone();
  void dropInnermost();
  void dropInnermostTangents();
  WindowSet dataWindows() const;

  Request Slots[ShadowMap::MaxDepth];
  unsigned Depth = 0;
  Tangents Forward[ShadowMap::MaxDepth];
  unsigned ForwardDepth = 0;
  uint64_t WatchedFrame = 0; ///< Of the one that runs; there is no other.
  Participant Self;
  Range Stack = {0, 0}; ///< The thread's own stack.
};

} // namespace verso

#endif // VERSO_RUNTIME_CONTEXTSTACK_H
