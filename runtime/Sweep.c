//===- Sweep.c - the reverse sweep over tape and cells --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of the runtime that touches real numbers. It is compiled to bitcode,
// embedded in the plugin and linked into every module that holds a request, so
// that a request inside a differentiated function can itself be differentiated.
//
// The images are read through the context's delta; those reads are of integers
// that have no derivative.
//
//===----------------------------------------------------------------------===//

#include "Lookup.h"
#include "verso/Layout.h"

void __verso_fail(void *Reason, void *Where);

/// An ID that is passed to a function would count as a value that moves.
#define INLINE static inline __attribute__((always_inline))

typedef struct verso_context Context;
typedef struct verso_cell Cell;

/// Unaligned accesses: the tape packs records, a user's cells may be packed.
typedef double UnalignedDouble __attribute__((aligned(1), may_alias));
typedef float UnalignedFloat __attribute__((aligned(1), may_alias));
typedef uint32_t UnalignedWord __attribute__((aligned(1), may_alias));
typedef long double AliasingLongDouble __attribute__((may_alias));
/// An adjoint that holds bits of something else.
typedef uint64_t AdjointBits __attribute__((may_alias));

/// The relative ID that an image word stands for; 0 when it is stale.
INLINE uint32_t relative(const Context *C, uint32_t Word) {
  uint32_t Id = Word - C->base;
  return Id < C->next ? Id : 0;
}

/// Moves the adjoint of an overwritten cell to the ID that the cell now holds.
#define RELEASE(TYPE, ADJ, ID, CELL)                                           \
  do {                                                                         \
    TYPE *Cell_ = (TYPE *)(CELL);                                              \
    (ADJ)[ID] += (double)*Cell_;                                               \
    *Cell_ = 0;                                                                \
  } while (0)

/// The raw leaf \p Id and its neighbour are one number of type \p Settled
/// (VERSO_SETTLED_*), if they are of one entry and not known otherwise.
INLINE int settlePair(Context *C, const Cell *Raw, uint32_t Id,
                      uint64_t Settled) {
  AdjointBits *Bits = (AdjointBits *)(C->adj + Id + 1);
  if (!verso_is_raw_leaf_of(Raw, Id + 1) || (*Bits && *Bits != Settled))
    return 0;
  *Bits = Settled;
  return 1;
}

/// What a cell \p At got that holds a raw leaf of unknown type, copied there
/// and never read as a number: it goes to the cell that the leaf stands for,
/// bit by bit, which is exact where nothing has to be added. Kept behind the
/// adjoints in use until all cells are released; the word of ID 0 says that
/// there is any.
INLINE void deferBits(Context *C, uint32_t Id, UnalignedWord *At) {
  uint32_t Bits = *At;
  *At = 0;
  if (!Bits)
    return;
  UnalignedWord *Kept = (UnalignedWord *)(C->adj + C->next + Id);
  if (*Kept || C->next > UINT32_C(1) << 30)
    __verso_fail("memory that is copied but never read as a number has two "
                 "adjoints, and their type is not known; copy it as numbers",
                 0);
  *Kept = Bits;
  *(UnalignedWord *)(C->adj + C->next) = 1;
}

INLINE void placeDeferredBits(Context *C) {
  UnalignedWord *Any = (UnalignedWord *)(C->adj + C->next);
  if (!*Any)
    return;
  *Any = 0;
  for (const Cell *E = C->log_begin; E != C->log; ++E) {
    if (E->kind != VERSO_CELL_RAW || !E->leaf)
      continue;
    for (uint64_t I = 0; I + 4 <= E->bytes; I += 4) {
      UnalignedWord *Kept =
          (UnalignedWord *)(C->adj + C->next + E->leaf + (uint32_t)(I / 4));
      UnalignedWord *At = (UnalignedWord *)(E->adjoint + I);
      if (!*Kept)
        continue;
      if (*At)
        __verso_fail("memory that is copied but never read as a number has an "
                     "adjoint already, and its type is not known; copy it as "
                     "numbers, or start with a shadow of zeros",
                     0);
      *At = *Kept;
      *Kept = 0;
    }
  }
}

/// The granule at \p I holds \p Id, and the next one \p Next; they are not the
/// halves of a double. Returns how far to go on.
INLINE uint64_t releaseGranule(Context *C, const Cell *E, uint64_t I,
                               uint32_t Id, uint32_t Next) {
  char *At = E->adjoint + I;
  if (!Id) {
    *(UnalignedWord *)At = 0;
    return 4;
  }
  if (E->leaf && Id == E->leaf + (uint32_t)(I / 4))
    return 4;
  const Cell *Raw = verso_find_raw_entry(C, Id);
  if (!Raw) {
    RELEASE(UnalignedFloat, C->adj, Id, At);
    return 4;
  }
  uint64_t Own = *(AdjointBits *)(C->adj + Id);
  if (Own == VERSO_SETTLED_DOUBLE || Own == VERSO_SETTLED_X86_FP80)
    return 4; // The upper half of a number that its lower half stands for.
  if (Next == Id + 1 && verso_is_raw_leaf_of(Raw, Next)) {
    uint64_t Settled = *(AdjointBits *)(C->adj + Next);
    if ((Settled == VERSO_SETTLED_DOUBLE || E->kind == VERSO_CELL_DOUBLE) &&
        settlePair(C, Raw, Id, VERSO_SETTLED_DOUBLE)) {
      RELEASE(UnalignedDouble, C->adj, Id, At);
      return 8;
    }
    if (Settled == VERSO_SETTLED_X86_FP80 && I + 16 <= E->bytes) {
      RELEASE(AliasingLongDouble, C->adj, Id, At);
      return 16;
    }
  }
  if (E->kind == VERSO_CELL_FLOAT) {
    RELEASE(UnalignedFloat, C->adj, Id, At);
    return 4;
  }
  deferBits(C, Id, (UnalignedWord *)At);
  return 4;
}

/// An untyped range: the images say what the cells hold now. Bytes without an
/// ID hold something inactive, so their adjoint ends here.
INLINE void releaseRange(Context *C, const Cell *E) {
  const char *Images = verso_image_of(C, E->primal);
  for (uint64_t I = 0; I + 4 <= E->bytes;) {
    // A pair may end behind the entry: what was stored last had another size.
    uint32_t Low = *(const UnalignedWord *)(Images + I);
    uint32_t High = *(const UnalignedWord *)(Images + I + 4);
    uint32_t Id = relative(C, Low);
    if (I == 0) {
      uint32_t Below = *(const UnalignedWord *)(Images - 4);
      if (relative(C, Below) && Low == ~Below) {
        I = 4; // The entry of the lower half moves the double.
        continue;
      }
    }
    if (relative(C, High) && Low == ~High) { // A pointer: no adjoint.
      I += 8;
    } else if (Id && High == ~Low) {
      // Still the leaf that this entry made, settled as a double?
      if (!E->leaf || Id != E->leaf + (uint32_t)(I / 4))
        RELEASE(UnalignedDouble, C->adj, Id, E->adjoint + I);
      I += 8;
    } else {
      I += releaseGranule(C, E, I, Id, relative(C, High));
    }
  }
}

/// A cell that was stored to or read as long double.
INLINE void releaseLongDouble(Context *C, const Cell *E) {
  const char *Image = verso_image_of(C, E->primal);
  uint32_t Low = *(const UnalignedWord *)Image;
  uint32_t High = *(const UnalignedWord *)(Image + 4);
  uint32_t Id = relative(C, Low);
  if (Id && High != ~Low) {
    const Cell *Raw = verso_find_raw_entry(C, Id);
    if (!Raw || relative(C, High) != Id + 1 ||
        !settlePair(C, Raw, Id, VERSO_SETTLED_X86_FP80))
      Id = 0;
  }
  if (!Id || Id != E->leaf)
    RELEASE(AliasingLongDouble, C->adj, Id, E->adjoint);
}

/// Every cell that a store reached gives its adjoint to what was stored last.
INLINE void releaseOutputs(Context *C) {
  for (const Cell *E = C->log_begin; E != C->log; ++E) {
    if (E->kind == VERSO_CELL_RAW) {
      releaseRange(C, E);
    } else if (E->kind == VERSO_CELL_X86_FP80) {
      releaseLongDouble(C, E);
    } else {
      uint32_t Low = *(const UnalignedWord *)verso_image_of(C, E->primal);
      if (E->leaf && relative(C, Low) == E->leaf)
        continue;
      Cell Overwritten = *E;
      Overwritten.leaf = 0;
      releaseRange(C, &Overwritten);
    }
  }
  placeDeferredBits(C);
}

/// Walks the tape from its end; each left-hand side is resolved exactly once,
/// since a record refers to smaller IDs only. Adjoints of leaves are kept.
/// (Keeping the adjoint of the next record in a register when an operand is that
/// record was slower: the test is mispredicted.)
INLINE void resolve(Context *C) {
  const char *P = C->cursor, *Begin = C->tape_begin;
  double *Adj = C->adj, *Direct = (double *)C->direct;
  uint32_t Id = C->next;
  while (P != Begin) {
    uint32_t Header = *(const UnalignedWord *)(P - 4);
    uint32_t N = Header >> 2, Kind = Header & 3;
    P -= 4;
    if (Kind == VERSO_RECORD_CONTRIBUTIONS) {
      P -= 12 * (uint64_t)N;
      double A = Adj[--Id];
      if (A == 0)
        continue;
      Adj[Id] = 0;
      const UnalignedDouble *Partial = (const UnalignedDouble *)P;
      const UnalignedWord *Operand = (const UnalignedWord *)(Partial + N);
      for (uint32_t I = 0; I != N; ++I) {
        uint32_t Op = Operand[I];
        double *Cells = Op & VERSO_ID_DIRECT ? Direct : Adj;
        Cells[Op & ~VERSO_ID_DIRECT] += A * Partial[I];
      }
    } else if (Kind == VERSO_RECORD_LEAF)
      --Id;
    else if (Kind == VERSO_RECORD_HANDLE)
      Adj[--Id] = 0;
    else
      Id -= N;
  }
}

/// Adds the adjoints of raw leaves to their cells. A granule that was read as a
/// double carries its adjoint in the first slot and VERSO_SETTLED_* as the bits
/// of the second one.
INLINE void addRawLeaves(Context *C, const Cell *E) {
  for (uint64_t I = 0; I + 4 <= E->bytes; I += 4) {
    double *Slot = C->adj + E->leaf + (uint32_t)(I / 4);
    double A = *Slot;
    *Slot = 0;
    uint64_t Settled = 0;
    if (I + 8 <= E->bytes)
      Settled = *(const AdjointBits *)(Slot + 1);
    if (Settled == VERSO_SETTLED_DOUBLE || Settled == VERSO_SETTLED_X86_FP80) {
      *(AdjointBits *)(Slot + 1) = 0;
      if (A != 0 && Settled == VERSO_SETTLED_DOUBLE)
        *(UnalignedDouble *)(E->adjoint + I) += A;
      else if (A != 0)
        *(AliasingLongDouble *)(E->adjoint + I) += A;
      I += 4;
    } else if (A != 0) {
      *(UnalignedFloat *)(E->adjoint + I) += (float)A;
    }
  }
}

/// Adds the adjoints of the leaves to the user's cells and clears them.
INLINE void addLeaves(Context *C) {
  for (const Cell *E = C->log_begin; E != C->log; ++E) {
    if (!E->leaf)
      continue;
    if (E->kind == VERSO_CELL_RAW) {
      addRawLeaves(C, E);
      continue;
    }
    double A = C->adj[E->leaf];
    C->adj[E->leaf] = 0;
    if (E->kind == VERSO_CELL_FLOAT)
      *(UnalignedFloat *)E->adjoint += (float)A;
    else if (E->kind == VERSO_CELL_DOUBLE)
      *(UnalignedDouble *)E->adjoint += A;
    else
      *(AliasingLongDouble *)E->adjoint += A;
  }
}

/// Gives the entries behind \p Before that lie in [Primal, Primal + Bytes), which
/// the runtime made, the shadow that they have: the address is the same, but here
/// an outer request sees where it comes from.
void __verso_claim(Context *C, Cell *Before, char *Primal, char *Shadow,
                   uint64_t Bytes) {
  // A granule that is touched in part is logged as a whole.
  uint64_t Begin = (uint64_t)Primal & ~UINT64_C(3);
  uint64_t End = (uint64_t)Primal + Bytes;
  for (Cell *E = Before; E < C->log; ++E)
    if ((uint64_t)E->primal - Begin < End - Begin)
      E->adjoint = Shadow + (E->primal - Primal);
}

/// The first half of the reverse sweep: what the user seeded in shadows goes to
/// the IDs that the cells hold now. Seeds of returned values come after it: a
/// returned value may be a direct one, whose cell was overwritten.
void __verso_release(Context *C) { releaseOutputs(C); }

/// The second half: from the seeds to the leaves.
void __verso_resolve(Context *C) {
  resolve(C);
  addLeaves(C);
  if (C->adj[VERSO_ID_LOST] != 0)
    __verso_fail("the result depends on a number whose bits went through "
                 "integer arithmetic or were overwritten in part; write it "
                 "with floating-point operations (copysign, ldexp, ...)",
                 0);
  C->adj[VERSO_ID_LOST] = 0;
  C->adj[0] = 0;
}
