//===- Arena.h - what structured sweeps keep --------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One contiguous region of a thread, reserved at its first use and kept. A
// request takes blocks from its top and gives all of them back at its end; so
// nested requests lie on one another, and memory that was touched once is there
// for the next request. The user's limit of a tape holds for it.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_ARENA_H
#define VERSO_RUNTIME_ARENA_H

#include "Memory.h"

#include <stddef.h>

namespace verso {

class Arena {
public:
  /// Starts a request; the result is to be given to end().
  char *begin(const char *Where);
  void end(char *Mark);
  /// Fresh memory, aligned to a cache line.
  char *take(size_t Bytes);
  /// Memory that is free again as soon as the next block is taken.
  char *room(size_t Bytes);
  /// Whether there is room for so many blocks of Each bytes, and as much is left.
  bool hasRoom(size_t Count, size_t Each);
  /// Whether that many blocks of Each bytes would leave most of the room.
  bool affords(size_t Count, size_t Each) const {
    return Count <= size_t(End - Top) / 16 / Each;
  }
  /// A block of OldBytes becomes one of NewBytes: where it is, if it is the
  /// last one; else a fresh one, into which the caller copies.
  char *extend(char *Old, size_t OldBytes, size_t NewBytes);
  size_t bytesSince(const char *Mark) const { return size_t(Top - Mark); }
  /// Whether all that is in blocks.
  bool holds(const char *Begin, size_t Bytes) const {
    return Begin >= Memory.data() && Begin <= Top &&
           Bytes <= size_t(Top - Begin);
  }
  /// The last request that began.
  const char *where() const { return Where; }
  void release() { Memory.release(); }

private:
  Reservation Memory;
  char *Top = nullptr;
  char *End = nullptr;
  const char *Where = nullptr;
  size_t LimitInForce = 0;
};

} // namespace verso

#endif // VERSO_RUNTIME_ARENA_H
