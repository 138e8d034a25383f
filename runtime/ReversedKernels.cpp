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

#include "Fatal.h"
#include "KernelRecord.h"
#include "Kernels.h"
#include "SweepTypes.h"

#include <stdlib.h>
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

/// A record, and where its adjoints are.
class Reversed {
public:
  /// Of the record that ends at \p End, with adjoints from \p Free on.
  Reversed(char *End, char *Free);
  /// How much that takes, at most.
  static uint64_t bytesOf(char *End);

  Head &head() { return *H; }
  char *adjoints(unsigned I) { return Adjoints[I]; }
  template <typename VisitT> void forEachStretch(VisitT Visit) {
    for (unsigned I = 0; I != H->NumStretches; ++I)
      if (const Stretch &P = H->stretches()[I]; P.isOfNumbers())
        Visit(P, Adjoints[I]);
  }
  void run();
  /// Calls Visit(its ID, its adjoint) for each argument that is a number.
  template <typename VisitT> void forEachNumber(VisitT Visit) {
    for (unsigned Q = 0; Q != H->Kernel->parameters; ++Q)
      if (isNumber(*H->Kernel, Q)) {
        double A;
        memcpy(&A, &Slots[H->Kernel->parameters + Q], sizeof(A));
        if (H->Companions[Q] && A != 0)
          Visit(H->Companions[Q], A);
      }
  }

private:
  Head *H;
  char *Adjoints[MostParameters];
  uint64_t Slots[2 * MostParameters];
};

} // namespace

static Head *headOf(char *End) {
  uint64_t Words = reinterpret_cast<const UnalignedWord *>(End)[-3];
  return reinterpret_cast<Head *>(End - 12 - 4 * Words);
}

uint64_t Reversed::bytesOf(char *End) {
  Head *H = headOf(End);
  uint64_t Bytes = Line;
  for (unsigned I = 0; I != H->NumStretches; ++I)
    Bytes += H->stretches()[I].Bytes + Line;
  return Bytes;
}

Reversed::Reversed(char *End, char *From) : H(headOf(End)) {
  uint64_t Free = (uint64_t(From) + Line - 1) & -Line;
  for (unsigned I = 0; I != H->NumStretches; ++I) {
    const Stretch &P = H->stretches()[I];
    if (!P.isOfNumbers())
      continue;
    Free = placeLike(Free, uint64_t(P.Low));
    Adjoints[I] = reinterpret_cast<char *>(Free);
    Free += P.Bytes;
  }
}

void Reversed::run() {
  const verso_kernel &K = *H->Kernel;
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
}

void verso::reverseKernel(Request &R, char *End) {
  Reversed Run(End, End);
  bool Any = false;
  Run.forEachStretch([&](const Stretch &P, char *Adjoints) {
    if (!P.First)
      memset(Adjoints, 0, P.Bytes);
    else
      Any |= takeAdjoints(R, P, Adjoints);
  });
  if (!Any && !Run.head().Kernel->communicates)
    return;
  Run.run();
  Run.forEachNumber([&](uint32_t Id, double A) { addTo(R, Id, A); });
  Run.forEachStretch([&](const Stretch &P, char *Adjoints) {
    giveAdjoints(R, P, Run.head().ids(P), Adjoints);
  });
}

//===----------------------------------------------------------------------===//
// As rows of a Jacobian
//===----------------------------------------------------------------------===//

static double adjointOf(const Stretch &P, const char *Adjoints, uint64_t Cell) {
  if (P.Kind == VERSO_CELL_FLOAT)
    return reinterpret_cast<const float *>(Adjoints)[Cell];
  return reinterpret_cast<const double *>(Adjoints)[Cell];
}

static void seed(const Stretch &P, char *Adjoints, uint64_t Cell) {
  if (P.Kind == VERSO_CELL_FLOAT)
    reinterpret_cast<float *>(Adjoints)[Cell] = 1;
  else
    reinterpret_cast<double *>(Adjoints)[Cell] = 1;
}

void verso::readRowsOfKernel(const Request &R, char *End,
                             const KernelRows &To) {
  // Nobody on the other side knows how many rows there are.
  if (headOf(End)->Kernel->communicates)
    fatal(R.where(),
          "a function that communicates with others has no Jacobian that is "
          "kept: ask for a gradient or a product (__verso_vjp, __verso_jvp), "
          "not for a map, its sparsity or -verso-check");
  auto *Memory = static_cast<char *>(malloc(Reversed::bytesOf(End)));
  if (!Memory)
    fatal(R.where(), "out of memory");
  Reversed Run(End, Memory);
  Run.forEachStretch([&](const Stretch &P, char *Adjoints) {
    for (uint64_t Cell = P.First ? P.cells() : 0; Cell--;) {
      if (!To.Wants(To.Who, P.First + uint32_t(Cell)))
        continue;
      Run.forEachStretch(
          [](const Stretch &Each, char *Its) { memset(Its, 0, Each.Bytes); });
      seed(P, Adjoints, Cell);
      Run.run();
      Run.forEachNumber(
          [&](uint32_t Id, double A) { To.AddTerm(To.Who, A, Id); });
      Run.forEachStretch([&](const Stretch &Each, char *Its) {
        const uint32_t *Ids = Run.head().ids(Each);
        // Zeros, too: the pattern is the same at all points.
        for (uint64_t I = 0; I != Each.cells(); ++I)
          if (Ids[I])
            To.AddTerm(To.Who, adjointOf(Each, Its, I), Ids[I]);
      });
      To.EndRow(To.Who, P.First + uint32_t(Cell));
    }
  });
  free(Memory);
}
