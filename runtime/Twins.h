//===- Twins.h - functions and their instrumented twins ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls through pointers look up the instrumented twin of their callee here.
// The table is read without a lock; modules that are loaded later add to it. An
// address that is registered again, since another module was loaded there, gets
// the new twin.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_TWINS_H
#define VERSO_RUNTIME_TWINS_H

#include "Mutex.h"

#include <atomic>
#include <stddef.h>
#include <stdint.h>

namespace verso {

class TwinTable {
public:
  /// \p Kind: see VERSO_TWIN_KIND.
  void add(void *Function, uint32_t Kind, void *Twin);
  struct Found {
    void *Twin; ///< Null if there is none of that width.
    bool HasType;
  };
  Found find(void *Function, uint32_t Kind) const;

private:
  struct Entry {
    std::atomic<void *> Function;
    std::atomic<uint64_t> Twin; ///< Its type in the upper bits.
  };
  /// Open addressing, never more than half full. Older tables stay: another
  /// thread may be reading.
  struct Table {
    size_t Mask;
    Table *Older;
    Entry Entries[1];
  };

  /// Addresses of functions leave the upper bits free for the width.
  static void *key(void *Function, uint32_t Width) {
    uint64_t Address = reinterpret_cast<uint64_t>(Function);
    return reinterpret_cast<void *>(Address | uint64_t(Width) << 48);
  }
  static size_t slotOf(void *Function, size_t Mask);
  static Entry &place(Table &T, void *Function);
  Table &grown();

  std::atomic<Table *> Newest = nullptr;
  size_t Used = 0;
  Mutex M;
};

TwinTable &twins();

/// The twin of \p Function, or a fatal error that describes it.
void *twinOf(void *Function, uint32_t Kind, const char *Where);

} // namespace verso

#endif // VERSO_RUNTIME_TWINS_H
