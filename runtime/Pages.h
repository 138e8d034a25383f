//===- Pages.h - which pages there are --------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether there is memory at an address. The kernel is asked once for a page:
// what it said of pages that are there is remembered, in tables that forget.
// So a page that was unmapped may still count as mapped (but not as one that
// can be read).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_PAGES_H
#define VERSO_RUNTIME_PAGES_H

#include <stddef.h>
#include <stdint.h>

namespace verso {

/// Whether something is, or was, mapped at the address.
bool isMapped(uint64_t Address);

/// Whether memory is, or was, in use there. (Most of what is only mapped is
/// ours.)
bool isResident(uint64_t Address);

/// Whether the page of the address is known to be one that can be read, now as
/// before.
bool isKnownReadable(uint64_t Address);

/// How many pages can be read now from that one on, of \p Most; not all are
/// looked at.
size_t countReadable(uint64_t Page, size_t Most);

/// Whether all \p Bytes at \p Memory can be read now.
bool canBeRead(const void *Memory, size_t Bytes);

} // namespace verso

#endif // VERSO_RUNTIME_PAGES_H
