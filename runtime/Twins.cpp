//===- Twins.cpp - functions and their instrumented twins -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Twins.h"
#include "Fatal.h"
#include "MemoryResources.h"
#include "verso/Layout.h"

#include <dlfcn.h>
#include <stdlib.h>

using namespace verso;

/// Addresses of functions leave the bits from here on free.
static constexpr unsigned TypeShift = 48;

TwinTable &verso::twins() {
  static constinit TwinTable TheTable;
  return TheTable;
}

size_t TwinTable::slotOf(void *Function, size_t Mask) {
  uint64_t Hash = reinterpret_cast<uint64_t>(Function) * 0x9e3779b97f4a7c15;
  return (Hash >> 32) & Mask;
}

/// Where \p Function is, or would be.
TwinTable::Entry &TwinTable::place(Table &T, void *Function) {
  size_t I = slotOf(Function, T.Mask);
  for (;; I = (I + 1) & T.Mask) {
    void *There = T.Entries[I].Function.load(std::memory_order_acquire);
    if (!There || There == Function)
      return T.Entries[I];
  }
}

/// The table, with room for one more.
TwinTable::Table &TwinTable::grown() {
  Table *Old = Newest.load(std::memory_order_relaxed);
  if (Old && 2 * (Used + 1) <= Old->Mask + 1)
    return *Old;
  size_t Entries = Old ? 2 * (Old->Mask + 1) : 64;
  void *Memory = calloc(1, sizeof(Table) + Entries * sizeof(Entry));
  if (!Memory)
    fatal(nullptr, "out of memory");
  auto *New = static_cast<Table *>(Memory);
  New->Mask = Entries - 1;
  New->Older = Old;
  for (size_t I = 0; Old && I <= Old->Mask; ++I) {
    void *Function = Old->Entries[I].Function.load(std::memory_order_relaxed);
    if (!Function)
      continue;
    Entry &E = place(*New, Function);
    E.Twin.store(Old->Entries[I].Twin.load(std::memory_order_relaxed),
                 std::memory_order_relaxed);
    E.Function.store(Function, std::memory_order_relaxed);
  }
  Newest.store(New, std::memory_order_release);
  return *New;
}

void TwinTable::add(void *Address, uint32_t Kind, void *Twin) {
  Guard G(M);
  void *Function = key(Address, VERSO_TWIN_WIDTH(Kind));
  Entry &E = place(grown(), Function);
  E.Twin.store(reinterpret_cast<uint64_t>(Twin) |
                   uint64_t(VERSO_TWIN_TYPE(Kind)) << TypeShift,
               std::memory_order_release);
  if (!E.Function.load(std::memory_order_relaxed)) {
    E.Function.store(Function, std::memory_order_release);
    ++Used;
  }
}

TwinTable::Found TwinTable::find(void *Address, uint32_t Kind) const {
  Table *T = Newest.load(std::memory_order_acquire);
  if (!T || !Address)
    return {};
  void *Function = key(Address, VERSO_TWIN_WIDTH(Kind));
  Entry &E = place(*T, Function);
  // An empty place may just have become another function's.
  if (E.Function.load(std::memory_order_acquire) != Function)
    return {};
  uint64_t Twin = E.Twin.load(std::memory_order_acquire);
  return {reinterpret_cast<void *>(Twin & ((UINT64_C(1) << TypeShift) - 1)),
          Twin >> TypeShift == VERSO_TWIN_TYPE(Kind)};
}

void *verso::twinOf(void *Function, uint32_t Kind, const char *Where) {
  TwinTable::Found F = twins().find(Function, Kind);
  if (F.HasType)
    return F.Twin;
  if (!Function)
    fatal(Where, "a null pointer is called");
  if (void *Named = namedResourceFunction(Function))
    if (F = twins().find(Named, Kind); F.HasType)
      return F.Twin;
  const char *Remedy =
      F.Twin
          ? "it has other parameters or another result than the call; call "
            "it through a pointer of its own type"
          : "call it through a pointer of its own type, compile the file "
            "that defines it with Verso and -mllvm -verso-all-twins, or mark "
            "it verso_inactive";
  Dl_info Info;
  if (!dladdr(Function, &Info) || !Info.dli_fname)
    fatal(Where,
          "the function at %p, called through a pointer, cannot be "
          "differentiated: %s",
          Function, Remedy);
  if (Info.dli_sname && Info.dli_saddr == Function)
    fatal(Where,
          "'%s' (in %s), called through a pointer, cannot be "
          "differentiated: %s",
          Info.dli_sname, Info.dli_fname, Remedy);
  fatal(Where,
        "a function at %s+0x%llx, called through a pointer, cannot be "
        "differentiated: %s",
        Info.dli_fname,
        (unsigned long long)(static_cast<char *>(Function) -
                             static_cast<char *>(Info.dli_fbase)),
        Remedy);
}
