//===- Mutex.h - a mutex without the C++ library ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_MUTEX_H
#define VERSO_RUNTIME_MUTEX_H

#include <pthread.h>

namespace verso {

/// Never destroyed: threads may still run while the program ends.
class Mutex {
public:
  void lock() { pthread_mutex_lock(&M); }
  void unlock() { pthread_mutex_unlock(&M); }

private:
  pthread_mutex_t M = PTHREAD_MUTEX_INITIALIZER;
};

/// Read by whoever holds a mutex, written by whoever forks: a copy of the
/// process finds no mutex held by a thread that it has not. Prefers readers, so
/// mutexes may be nested.
inline constinit pthread_rwlock_t ForkLock = PTHREAD_RWLOCK_INITIALIZER;

inline void lockForFork() { pthread_rwlock_wrlock(&ForkLock); }
inline void unlockAfterFork() { pthread_rwlock_unlock(&ForkLock); }
/// In the copy: its thread has another number, and the lock would not know it.
inline void resetAfterFork() { ForkLock = PTHREAD_RWLOCK_INITIALIZER; }

/// Holds a mutex for as long as it lives.
class Guard {
public:
  explicit Guard(Mutex &M) : M(M) {
    pthread_rwlock_rdlock(&ForkLock);
    M.lock();
  }
  ~Guard() {
    M.unlock();
    pthread_rwlock_unlock(&ForkLock);
  }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

private:
  Mutex &M;
};

} // namespace verso

#endif // VERSO_RUNTIME_MUTEX_H
