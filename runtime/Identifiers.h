//===- Identifiers.h - the hand-out of absolute IDs -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Absolute IDs are unique in the process, below 2^31, and given to threads in
// chunks. They come to an end; then all images are dropped and counting starts
// anew, in a new *epoch*, at a moment when no request is running. Such a moment
// is looked for at the start of outermost requests, from half of the IDs on
// without waiting, from three quarters on by letting requests that run finish
// first. So a single request may take 2^30 IDs whenever it starts, and a
// request that meets the end itself is a fatal error.
//
// A chunk of an older epoch is void.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_IDENTIFIERS_H
#define VERSO_RUNTIME_IDENTIFIERS_H

#include "Mutex.h"
#include "verso/Layout.h"

#include <atomic>
#include <stdint.h>

namespace verso {

/// IDs [Next, End) that a thread may give out.
struct IdChunk {
  uint32_t Next = 0;
  uint32_t End = 0;
  uint32_t Epoch = 0;

  uint32_t left() const { return End - Next; }
};

/// A thread, as far as others have to know when it runs a request.
struct Participant {
  std::atomic<bool> Running = false;
  Participant *Following = nullptr;
};

class IdPool {
public:
  /// The byte at the top of an ID, or of its partner, is neither zero nor
  /// VERSO_LOST_BYTE: no image of a number looks like lost bytes (LostBits.h).
  /// Zero means inactive.
  static constexpr uint32_t FirstId = UINT32_C(1) << 24;
  static constexpr uint32_t EndOfIds = uint32_t(VERSO_LOST_BYTE) << 24;
  static constexpr uint32_t ChunkIds = UINT32_C(1) << 20;

  void join(Participant &P);
  void quit(Participant &P);
  /// In a copy of the process: the threads of all others are gone.
  void keepOnly(Participant *P);

  /// Brackets the outermost requests of a thread.
  void enter(Participant &P) {
    announce(P);
    if (__builtin_expect(Counter.load(std::memory_order_relaxed) >=
                             RestartAt.load(std::memory_order_relaxed),
                         0))
      considerRestart(P);
  }
  void leave(Participant &P) {
    P.Running.store(false, std::memory_order_release);
  }

  uint32_t epoch() const { return Epoch.load(std::memory_order_relaxed); }

  /// \p Count more IDs, or as many as are left; at least \p Minimum, else an
  /// empty chunk.
  IdChunk take(uint32_t Count, uint32_t Minimum);

  /// For tests: as if all IDs below \p Next had been given out.
  void skipTo(uint32_t Next) { Counter.store(Next); }

private:
  void announce(Participant &P);
  void considerRestart(Participant &P);
  bool quiet(const Participant &Except, bool Wait) const;

  std::atomic<uint32_t> Counter = FirstId;
  std::atomic<uint32_t> Epoch = 1;
  std::atomic<uint32_t> RestartAt = EndOfIds / 2;
  std::atomic<bool> Restarting = false;
  Participant *First = nullptr;
  Mutex M;
};

IdPool &idPool();

} // namespace verso

#endif // VERSO_RUNTIME_IDENTIFIERS_H
