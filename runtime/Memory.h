//===- Memory.h - address space and limits of memory ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reservations hold address space and get memory as they are touched; they lie
// inside the ranges that have shadows, since a request inside a differentiated
// function keeps numbers on its tape that an outer request differentiates. So
// that the tapes of many threads leave the program room, a reservation whose
// size the user did not set takes an eighth of what half of the growth has left.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_MEMORY_H
#define VERSO_RUNTIME_MEMORY_H

#include <stddef.h>

namespace verso {

class Reservation {
public:
  /// Fatal, naming \p What and \p Where, when there is no room.
  void reserve(size_t Bytes, const char *What, const char *Where);
  /// \p Most bytes, or less if that is more than a thread should have. Fatal
  /// only when there is hardly any room.
  void reserveShare(size_t Most, const char *What, const char *Where);
  void release();

  char *data() const { return Data; }
  size_t bytes() const { return Bytes; }

private:
  bool map(size_t Wanted, const char *What, const char *Where);

  char *Data = nullptr;
  size_t Bytes = 0;
};

/// Makes memory of a reservation zero; whole pages are given back.
void discard(void *Memory, size_t Bytes);

/// The limit of a tape in bytes that the user set, or 0.
size_t tapeLimit();
void setTapeLimit(size_t Bytes);

size_t physicalMemory();
/// What the system can still give, or SIZE_MAX when it does not say.
size_t availableMemory();

} // namespace verso

#endif // VERSO_RUNTIME_MEMORY_H
