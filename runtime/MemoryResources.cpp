//===- MemoryResources.cpp - std::pmr's functions without names -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The resource behind new and delete is of a class that has no name outside of
// libstdc++, and the virtual functions of others are not exported. Programs
// call them through tables, whose layout is the C++ ABI's: two destructors,
// allocate, deallocate, is_equal. The functions here have names, and hand on.
//
//===----------------------------------------------------------------------===//

#include "MemoryResources.h"

#include <stdint.h>

extern "C" {
// Of the C++ library, if the program has one.
__attribute__((weak)) void *_ZNSt3pmr19new_delete_resourceEv();
__attribute__((weak)) void *_ZNSt3pmr20null_memory_resourceEv();
__attribute__((weak)) extern void *_ZTVNSt3pmr25monotonic_buffer_resourceE[];

void *__verso_resource_allocate(void *Resource, uint64_t Bytes,
                                uint64_t Alignment);
void __verso_resource_deallocate(void *Resource, void *Block, uint64_t Bytes,
                                 uint64_t Alignment);
bool __verso_resource_is_equal(void *Resource, void *Other);
}

/// Where they are in a table.
enum Virtual { Allocate = 2, Deallocate = 3, IsEqual = 4 };

template <class Signature>
static Signature *virtualOf(void *Object, Virtual V) {
  return reinterpret_cast<Signature *>((*static_cast<void ***>(Object))[V]);
}

void *__verso_resource_allocate(void *Resource, uint64_t Bytes,
                                uint64_t Alignment) {
  return virtualOf<void *(void *, uint64_t, uint64_t)>(Resource, Allocate)(
      Resource, Bytes, Alignment);
}

void __verso_resource_deallocate(void *Resource, void *Block, uint64_t Bytes,
                                 uint64_t Alignment) {
  virtualOf<void(void *, void *, uint64_t, uint64_t)>(Resource, Deallocate)(
      Resource, Block, Bytes, Alignment);
}

bool __verso_resource_is_equal(void *Resource, void *Other) {
  return virtualOf<bool(void *, void *)>(Resource, IsEqual)(Resource, Other);
}

void *verso::namedResourceFunction(const void *Function) {
  void *const *Tables[3] = {};
  if (_ZNSt3pmr19new_delete_resourceEv)
    Tables[0] = *static_cast<void ***>(_ZNSt3pmr19new_delete_resourceEv());
  if (_ZNSt3pmr20null_memory_resourceEv)
    Tables[1] = *static_cast<void ***>(_ZNSt3pmr20null_memory_resourceEv());
  if (_ZTVNSt3pmr25monotonic_buffer_resourceE) // Behind offset and type.
    Tables[2] = _ZTVNSt3pmr25monotonic_buffer_resourceE + 2;
  for (void *const *Table : Tables) {
    if (!Table)
      continue;
    if (Table[Allocate] == Function)
      return reinterpret_cast<void *>(__verso_resource_allocate);
    if (Table[Deallocate] == Function)
      return reinterpret_cast<void *>(__verso_resource_deallocate);
    if (Table[IsEqual] == Function)
      return reinterpret_cast<void *>(__verso_resource_is_equal);
  }
  return nullptr;
}
