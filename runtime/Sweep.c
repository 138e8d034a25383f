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

#include "verso/Layout.h"

typedef struct verso_context Context;
typedef struct verso_cell Cell;

/// Unaligned accesses: the tape packs records, a user's cells may be packed.
typedef double UnalignedDouble __attribute__((aligned(1), may_alias));
typedef float UnalignedFloat __attribute__((aligned(1), may_alias));
typedef uint32_t UnalignedWord __attribute__((aligned(1), may_alias));
typedef long double AliasingLongDouble __attribute__((may_alias));

/// The relative ID that an image word stands for; 0 when it is stale.
static inline uint32_t relative(const Context *C, uint32_t Word) {
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

/// An untyped range: the images say what the cells hold now. Bytes without an
/// ID hold something inactive, so their adjoint ends here.
static void releaseRange(Context *C, const Cell *E) {
  const char *Images = E->primal + C->delta;
  for (uint64_t I = 0; I + 4 <= E->bytes;) {
    uint32_t Low = *(const UnalignedWord *)(Images + I);
    uint32_t High =
        I + 8 <= E->bytes ? *(const UnalignedWord *)(Images + I + 4) : 0;
    uint32_t Id = relative(C, Low);
    if (relative(C, High) && Low == ~High) { // A pointer: no adjoint.
      I += 8;
    } else if (Id && High == ~Low) {
      // Still the leaf that this entry made, settled as a double?
      if (!E->leaf || Id != E->leaf + (uint32_t)(I / 4))
        RELEASE(UnalignedDouble, C->adj, Id, E->adjoint + I);
      I += 8;
    } else {
      if (!Id)
        *(UnalignedWord *)(E->adjoint + I) = 0;
      else if (!E->leaf || Id != E->leaf + (uint32_t)(I / 4))
        RELEASE(UnalignedFloat, C->adj, Id, E->adjoint + I);
      I += 4;
    }
  }
}

/// Every cell that a store reached gives its adjoint to what was stored last.
static void releaseOutputs(Context *C) {
  for (const Cell *E = C->log_begin; E != C->log; ++E) {
    if (E->kind == VERSO_CELL_RAW) {
      releaseRange(C, E);
      continue;
    }
    const char *Image = E->primal + C->delta;
    uint32_t Low = *(const UnalignedWord *)Image;
    uint32_t Id = relative(C, Low);
    if (E->kind == VERSO_CELL_X86_FP80) {
      if (*(const UnalignedWord *)(Image + 4) != ~Low)
        Id = 0;
      if (!Id || Id != E->leaf)
        RELEASE(AliasingLongDouble, C->adj, Id, E->adjoint);
    } else if (!Id || Id != E->leaf) {
      Cell Overwritten = *E;
      Overwritten.leaf = 0;
      releaseRange(C, &Overwritten);
    }
  }
}

/// Walks the tape from its end; each left-hand side is resolved exactly once,
/// since a record refers to smaller IDs only. Adjoints of leaves are kept.
static void resolve(Context *C) {
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
      Adj[Id] = 0;
      if (A != 0) {
        const UnalignedDouble *Partial = (const UnalignedDouble *)P;
        const UnalignedWord *Operand = (const UnalignedWord *)(Partial + N);
        for (uint32_t I = 0; I != N; ++I) {
          uint32_t Op = Operand[I];
          double *Cells = Op & VERSO_ID_DIRECT ? Direct : Adj;
          Cells[Op & ~VERSO_ID_DIRECT] += A * Partial[I];
        }
      }
    } else if (Kind == VERSO_RECORD_LEAF) {
      --Id;
    } else if (Kind == VERSO_RECORD_HANDLE) {
      Adj[--Id] = 0;
    } else {
      Id -= N;
    }
  }
}

/// Adds the adjoints of raw leaves to their cells. A granule that was read as a
/// double carries its adjoint in the first slot and VERSO_SETTLED_* as the bits
/// of the second one.
static void addRawLeaves(Context *C, const Cell *E) {
  for (uint64_t I = 0; I + 4 <= E->bytes; I += 4) {
    double *Slot = C->adj + E->leaf + (uint32_t)(I / 4);
    double A = *Slot;
    *Slot = 0;
    uint64_t Settled = 0;
    if (I + 8 <= E->bytes)
      Settled = *(const uint64_t *)(Slot + 1);
    if (Settled == VERSO_SETTLED_DOUBLE || Settled == VERSO_SETTLED_X86_FP80) {
      *(uint64_t *)(Slot + 1) = 0;
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
static void addLeaves(Context *C) {
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

/// The reverse sweep of one request. The seeds of returned values are in adj.
void __verso_sweep(Context *C) {
  releaseOutputs(C);
  resolve(C);
  addLeaves(C);
  C->adj[0] = 0;
}
