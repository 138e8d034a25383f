//===- Memory.cpp - address space and limits of memory --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Fatal.h"
#include "Flags.h"
#include "ShadowMap.h"

#include <atomic>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace verso;

/// In all reservations, and of what threads are about to reserve.
static std::atomic<size_t> Reserved = 0;

static size_t wholePages(size_t Bytes) {
  return (Bytes + PageBytes - 1) & -PageBytes;
}

/// Whether there is a place that has a shadow; fatal when there is none at all.
bool Reservation::map(size_t Wanted, const char *What, const char *Where) {
  void *P = mmap(nullptr, Wanted, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    fatal(Where,
          "cannot reserve %zu MiB of address space for the %s (%s); is "
          "it limited (ulimit -v, or vm.overcommit_memory=2)?",
          Wanted >> 20, What, strerror(errno));
  uint64_t Begin = reinterpret_cast<uint64_t>(P);
  if (!shadowMap().covers({Begin, Begin + Wanted})) {
    munmap(P, Wanted);
    return false;
  }
  if (flags().HugePages)
    madvise(P, Wanted, MADV_HUGEPAGE);
  madvise(P, Wanted, MADV_DONTDUMP);
  Data = static_cast<char *>(P);
  Bytes = Wanted;
  return true;
}

[[noreturn]] static void failWithoutShadow(size_t Bytes, const char *What,
                                           const char *Where) {
  fatal(Where,
        "the program has mapped so much address space that the %s, %zu "
        "MiB, has no shadow; VERSO_TAPE_LIMIT makes tapes smaller",
        What, Bytes >> 20);
}

void Reservation::reserve(size_t Wanted, const char *What, const char *Where) {
  Wanted = wholePages(Wanted);
  if (!map(Wanted, What, Where))
    failWithoutShadow(Wanted, What, Where);
  Reserved.fetch_add(Bytes, std::memory_order_relaxed);
}

/// What a reservation gets when \p Used bytes are reserved.
static size_t share(size_t Used) {
  size_t Growth = shadowMap().growth(), Budget = Growth / 2;
  size_t Share = Used < Budget ? (Budget - Used) / 8 : 0;
  size_t Least = Growth / 256;
  return Share < Least ? Least : Share;
}

void Reservation::reserveShare(size_t Most, const char *What,
                               const char *Where) {
  const size_t Least = size_t(512) << 20;
  // Threads that reserve at once see what the others take.
  size_t Used = Reserved.load(std::memory_order_relaxed), Wanted;
  do {
    size_t Share = share(Used);
    Wanted = wholePages(Most < Share ? Most : Share);
  } while (!Reserved.compare_exchange_weak(Used, Used + Wanted,
                                           std::memory_order_relaxed));
  for (; !map(Wanted, What, Where); Wanted = wholePages(Wanted / 2)) {
    if (Wanted <= Least)
      failWithoutShadow(Wanted, What, Where);
    Reserved.fetch_sub(Wanted - wholePages(Wanted / 2),
                       std::memory_order_relaxed);
  }
}

void Reservation::release() {
  if (!Data)
    return;
  munmap(Data, Bytes);
  Reserved.fetch_sub(Bytes, std::memory_order_relaxed);
  Data = nullptr;
  Bytes = 0;
}

void verso::discard(void *Memory, size_t Bytes) {
  char *Begin = static_cast<char *>(Memory), *End = Begin + Bytes;
  auto RoundUp = [](char *P) {
    return P + (-reinterpret_cast<uint64_t>(P) & (PageBytes - 1));
  };
  char *Pages = RoundUp(Begin);
  if (Bytes < 64 * PageBytes) {
    memset(Begin, 0, Bytes);
    return;
  }
  char *PagesEnd = RoundUp(End) - (RoundUp(End) == End ? 0 : PageBytes);
  memset(Begin, 0, Pages - Begin);
  madvise(Pages, PagesEnd - Pages, MADV_DONTNEED);
  memset(PagesEnd, 0, End - PagesEnd);
}

/// 0: VERSO_TAPE_LIMIT counts.
static std::atomic<size_t> LimitSet = 0;

size_t verso::tapeLimit() {
  size_t Set = LimitSet.load(std::memory_order_relaxed);
  return Set ? Set : flags().TapeLimit;
}

void verso::setTapeLimit(size_t Bytes) {
  LimitSet.store(Bytes, std::memory_order_relaxed);
}

size_t verso::physicalMemory() {
  return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
}

size_t verso::availableMemory() {
  int File = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return SIZE_MAX;
  char Text[512];
  ssize_t N = read(File, Text, sizeof(Text) - 1);
  close(File);
  Text[N > 0 ? N : 0] = '\0';
  const char *Found = strstr(Text, "MemAvailable:");
  return Found ? strtoull(Found + strlen("MemAvailable:"), nullptr, 10) << 10
               : SIZE_MAX;
}
