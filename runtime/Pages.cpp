//===- Pages.cpp - which pages there are ----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pages.h"
#include "AddressSpace.h"

#include <atomic>
#include <errno.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace verso;

namespace {

/// Pages that the kernel has said something of.
class PageTable {
public:
  bool has(uint64_t Page) const {
    return Entries[index(Page)].load(std::memory_order_relaxed) == (Page | 1);
  }
  void add(uint64_t Page) {
    Entries[index(Page)].store(Page | 1, std::memory_order_relaxed);
  }

private:
  static constexpr unsigned Count = 1u << 15;
  static unsigned index(uint64_t Page) { return Page / PageBytes % Count; }

  std::atomic<uint64_t> Entries[Count] = {}; ///< Zero is no page.
};

} // namespace

static constinit PageTable Mapped, Resident, Readable;

static bool isOfUser(uint64_t Address) {
  return Address >= UserBegin && Address < UserEnd;
}

bool verso::isMapped(uint64_t Address) {
  if (!isOfUser(Address))
    return false;
  const uint64_t Page = Address & -PageBytes;
  if (Mapped.has(Page))
    return true;
  unsigned char Unused;
  if (mincore(reinterpret_cast<void *>(Page), 1, &Unused))
    return false;
  Mapped.add(Page);
  return true;
}

bool verso::isResident(uint64_t Address) {
  if (!isOfUser(Address))
    return false;
  const uint64_t Page = Address & -PageBytes;
  if (Resident.has(Page))
    return true;
  unsigned char InUse = 0;
  if (mincore(reinterpret_cast<void *>(Page), 1, &InUse) || !(InUse & 1))
    return false;
  Resident.add(Page);
  return true;
}

/// Whether the page stays as it is once it is there: the executable, and the
/// heap behind it as far as it reaches now.
static bool isBelowBreak(uint64_t Page) {
  return Page + PageBytes <= reinterpret_cast<uint64_t>(sbrk(0));
}

bool verso::isKnownReadable(uint64_t Address) {
  const uint64_t Page = Address & -PageBytes;
  return Readable.has(Page) && isBelowBreak(Page);
}

/// The kernel is asked for a byte of each page; where it gives none to anybody,
/// they cannot be read.
size_t verso::countReadable(uint64_t Page, size_t Most) {
  constexpr size_t Some = 64;
  char Read[Some];
  iovec From[Some];
  const iovec To = {Read, Some};
  const size_t Count = Most < Some ? Most : Some;
  for (size_t I = 0; I != Count; ++I)
    From[I] = {reinterpret_cast<void *>(Page + I * PageBytes), 1};
  const int Before = errno; // The program's.
  const ssize_t Got = process_vm_readv(getpid(), &To, 1, From, Count, 0);
  errno = Before;
  const size_t Result = Got < 0 ? 0 : size_t(Got);
  for (size_t I = 0; I != Result; ++I)
    Readable.add(Page + I * PageBytes);
  return Result;
}

bool verso::canBeRead(const void *Memory, size_t Bytes) {
  const uint64_t Begin = reinterpret_cast<uint64_t>(Memory);
  const uint64_t End = Begin + Bytes;
  if (End < Begin)
    return false;
  for (uint64_t Page = Begin & -PageBytes; Page < End;) {
    if (isKnownReadable(Page)) {
      Page += PageBytes;
      continue;
    }
    const size_t Count =
        countReadable(Page, size_t((End - 1 - Page) / PageBytes + 1));
    if (!Count)
      return false;
    Page += Count * PageBytes;
  }
  return true;
}
