//===- Lookup.h - images and raw leaves -------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C: both the reverse sweep, which becomes bitcode, and the runtime
// proper ask where the image of a cell is, and which entry of the log gave out
// the ID of a granule.
//
// Shadow addresses wrap around at the end of user space (VERSO_ADDRESS_MASK):
// low addresses and the stack, at opposite ends, then have free places at a
// common distance, which executables that are not position-independent need.
// Position-independent code leaves the mask out: see VERSO_FRAME_MAY_WRAP.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_LOOKUP_H
#define VERSO_RUNTIME_LOOKUP_H

#include "verso/Layout.h"

/// What lies \p Delta behind \p Address.
static inline uint64_t verso_displaced(uint64_t Address, int64_t Delta) {
  return (Address + (uint64_t)Delta) & VERSO_ADDRESS_MASK;
}

/// The image of the cell at \p P.
static inline char *verso_image_of(const struct verso_context *Context,
                                   const char *P) {
  return (char *)verso_displaced((uint64_t)P, Context->delta);
}

/// Whether \p Id is the ID of a granule of \p Entry.
static inline int verso_is_raw_leaf_of(const struct verso_cell *Entry,
                                       uint32_t Id) {
  return Entry->kind == VERSO_CELL_RAW && Entry->leaf && Id >= Entry->leaf &&
         Id - Entry->leaf < Entry->bytes / 4;
}

/// The last entry from \p Low to \p E that has a leaf; \p Low if none has.
static inline const struct verso_cell *
verso_entry_with_leaf(const struct verso_cell *Low,
                      const struct verso_cell *E) {
  while (E != Low && !E->leaf)
    E -= E->back < E - Low ? E->back : E - Low;
  return E;
}

/// What a new entry behind the last one has for `back`.
static inline uint32_t verso_way_back(const struct verso_context *Context) {
  const struct verso_cell *Last = Context->log - 1;
  if (Context->log == Context->log_begin || Last->leaf)
    return 1;
  return Last->back < VERSO_CELL_FARTHEST_BACK ? Last->back + 1
                                               : VERSO_CELL_FARTHEST_BACK;
}

/// The raw entry that gave out \p Id, or null. Leaves grow from entry to entry,
/// but entries without a leaf lie between.
static inline const struct verso_cell *
verso_find_raw_entry(const struct verso_context *Context, uint32_t Id) {
  const struct verso_cell *Low = Context->log_begin, *High = Context->log;
  while (Low != High) {
    const struct verso_cell *Middle = Low + (High - Low) / 2,
                            *E = verso_entry_with_leaf(Low, Middle);
    if (verso_is_raw_leaf_of(E, Id))
      return E;
    if (E->leaf && Id < E->leaf)
      High = E;
    else
      Low = Middle + 1;
  }
  return 0;
}

/// The entry of the log whose own ID is \p Leaf, or null.
static inline const struct verso_cell *
verso_find_leaf(const struct verso_context *Context, uint32_t Leaf) {
  const struct verso_cell *Low = Context->log_begin, *High = Context->log;
  while (Low != High) {
    const struct verso_cell *Middle = Low + (High - Low) / 2,
                            *E = verso_entry_with_leaf(Low, Middle);
    if (E->leaf == Leaf)
      return E;
    if (E->leaf && Leaf < E->leaf)
      High = E;
    else
      Low = Middle + 1;
  }
  return 0;
}

#endif // VERSO_RUNTIME_LOOKUP_H
