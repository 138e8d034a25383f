//===- ReversedKernels.cpp - kernels in the reverse sweep -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run is repeated on the copy that its record has, and reversed, with
// adjoints in the tape behind the record, which is not needed any more.
//
//===----------------------------------------------------------------------===//

#include "KernelRecord.h"
#include "Kernels.h"
#include "SweepTypes.h"

#include <string.h>

using namespace verso;
using namespace verso::kernel;

namespace {

/// The adjoints of a row of IDs move to \p To; whether there are any.
template <typename NumberT>
INLINE bool take(double *From, NumberT *To, uint64_t Count) {
  uint64_t Any = 0;
  for (uint64_t I = 0; I != Count; ++I) {
    double A = From[I];
    From[I] = 0;
    To[I] = NumberT(A);
    Any |= A != 0;
  }
  return Any != 0;
}

WIDE bool takeWide(double *From, double *To, uint64_t Count) {
  return take(From, To, Count);
}

bool takeAdjoints(Request &R, const Stretch &P, char *To) {
  double *From = R.adj + P.First;
  if (P.Kind == VERSO_CELL_FLOAT)
    return take(From, reinterpret_cast<float *>(To), P.cells());
  auto *Doubles = reinterpret_cast<double *>(To);
  return HAS_WIDE_VECTORS ? takeWide(From, Doubles, P.cells())
                          : take(From, Doubles, P.cells());
}

void addTo(Request &R, uint32_t Id, double A) {
  if (Id & VERSO_ID_DIRECT)
    reinterpret_cast<double *>(R.direct)[Id & ~VERSO_ID_DIRECT] += A;
  else
    R.adj[Id] += A;
}

/// Adds \p Adjoints to the cells of these IDs. What has none goes to that of
/// constants.
template <typename NumberT>
INLINE void give(double *Adj, double *Direct, const uint32_t *Ids,
                 const NumberT *Adjoints, uint64_t Count) {
  for (uint64_t I = 0; I != Count;) {
    // What a loop wrote in order has IDs in a row.
    uint32_t Id = Ids[I];
    uint64_t Here = 1;
    while (I + Here != Count && Ids[I + Here] == Id + Here)
      ++Here;
    double *__restrict To =
        (Id & VERSO_ID_DIRECT ? Direct : Adj) + (Id & ~VERSO_ID_DIRECT);
    const NumberT *__restrict From = Adjoints + I;
    for (uint64_t K = 0; K != Here; ++K)
      To[K] += From[K];
    I += Here;
  }
}

WIDE void giveWide(double *Adj, double *Direct, const uint32_t *Ids,
                   const double *Adjoints, uint64_t Count) {
  give(Adj, Direct, Ids, Adjoints, Count);
}

void giveAdjoints(Request &R, const Stretch &P, const uint32_t *Ids,
                  const char *From) {
  auto *Direct = reinterpret_cast<double *>(R.direct);
  if (P.Kind == VERSO_CELL_FLOAT)
    return give(R.adj, Direct, Ids, reinterpret_cast<const float *>(From),
                P.cells());
  auto *Doubles = reinterpret_cast<const double *>(From);
  if (HAS_WIDE_VECTORS)
    giveWide(R.adj, Direct, Ids, Doubles, P.cells());
  else
    give(R.adj, Direct, Ids, Doubles, P.cells());
}

} // namespace

void verso::reverseKernel(Request &R, char *End) {
  uint64_t Words = reinterpret_cast<const UnalignedWord *>(End)[-3];
  auto *H = reinterpret_cast<Head *>(End - 12 - 4 * Words);
  const verso_kernel &K = *H->Kernel;
  uint64_t Free = (uint64_t(End) + Line - 1) & -Line;
  char *Adjoints[MostParameters];
  bool Any = false;
  for (unsigned I = 0; I != H->NumStretches; ++I) {
    const Stretch &P = H->stretches()[I];
    if (!P.isOfNumbers())
      continue;
    Free = placeLike(Free, uint64_t(P.Low));
    Adjoints[I] = reinterpret_cast<char *>(Free);
    Free += P.Bytes;
    if (!P.First)
      memset(Adjoints[I], 0, P.Bytes);
    else
      Any |= takeAdjoints(R, P, Adjoints[I]);
  }
  if (!Any)
    return;
  uint64_t Slots[2 * MostParameters];
  for (unsigned Q = 0; Q != K.parameters; ++Q) {
    Slots[Q] = H->Arguments[Q];
    Slots[K.parameters + Q] = 0;
    if (isNumber(K, Q) || !H->Companions[Q])
      continue;
    unsigned I = H->Companions[Q] - 1;
    const Stretch &P = H->stretches()[I];
    uint64_t Distance = H->Arguments[Q] - uint64_t(P.Low);
    Slots[Q] = uint64_t(H->copy(P)) + Distance;
    if (P.isOfNumbers())
      Slots[K.parameters + Q] = uint64_t(Adjoints[I]) + Distance;
  }
  K.reverse(Slots);
  for (unsigned Q = 0; Q != K.parameters; ++Q)
    if (isNumber(K, Q)) {
      double A;
      memcpy(&A, &Slots[K.parameters + Q], sizeof(A));
      if (H->Companions[Q] && A != 0)
        addTo(R, H->Companions[Q], A);
    }
  for (unsigned I = 0; I != H->NumStretches; ++I) {
    const Stretch &P = H->stretches()[I];
    if (!P.isOfNumbers())
      continue;
    giveAdjoints(R, P, H->ids(P), Adjoints[I]);
  }
}
