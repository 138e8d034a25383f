//===- CertainCells.cpp - what accesses say of a copy, for certain --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/CertainCells.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

using namespace llvm;
using namespace verso;

CertainCells::CertainCells(const Objects &O) : O(O), Leaders(O.size()) {
  std::iota(Leaders.begin(), Leaders.end(), 0u);
  Cells.resize(O.size());
  joinLoads();
}

unsigned CertainCells::leader(unsigned Object) const {
  while (Leaders[Object] != Object)
    Object = Leaders[Object] = Leaders[Leaders[Object]];
  return Object;
}

/// The load whose pointers lead to \p Of; null for all other objects, those
/// among them that stand for pointers which a copy moves.
static const LoadInst *loadOf(const Object &Of) {
  return Of.K == Object::Loaded ? dyn_cast_or_null<LoadInst>(Of.Base) : nullptr;
}

void CertainCells::joinLoads() {
  unsigned Comparisons = 0;
  for (bool Changed = true; Changed;) {
    Changed = false;
    // By what they are loaded from.
    std::map<unsigned, SmallVector<std::pair<OffsetClass, unsigned>, 4>> Loads;
    for (unsigned K = 0; K != O.size(); ++K)
      if (const LoadInst *Load = loadOf(O[K]))
        for (const Place &Q : O.placesOf(Load->getPointerOperand()))
          if (O[Q.Object].K != Object::Loaded || loadOf(O[Q.Object]))
            Loads[leader(Q.Object)].push_back({Q.At, K});
    for (auto &[From, All] : Loads)
      for (size_t J = 1; J < All.size(); ++J)
        for (size_t K = 0; K != J; ++K) {
          if (++Comparisons > MaxComparisons)
            return;
          unsigned A = leader(All[J].second), B = leader(All[K].second);
          if (A == B || !All[J].first.overlaps(1, All[K].first, 1))
            continue;
          Leaders[A] = B;
          Changed = true;
        }
  }
}

bool CertainCells::add(unsigned Object, Cell C) {
  auto &Here = Cells[leader(Object)];
  // Those of a class that is there say nothing new.
  if (Here.size() == MaxCells || any_of(Here, [&](const Cell &D) {
        return D.T == C.T && D.At.joined(C.At) == D.At;
      }))
    return false;
  Here.push_back(C);
  return true;
}

void CertainCells::addAccess(const Value *P, Type *T, uint64_t Size) {
  for (const Place &Q : O.placesOf(P))
    add(Q.Object, {T, Size, Q.At});
}

bool CertainCells::addCopy(const Value *To, const Value *From, uint64_t Bytes) {
  bool Changed = false;
  for (auto [P, Q] : {std::pair(To, From), std::pair(From, To)})
    for (const Cell &C : at(P, Bytes))
      for (const Place &There : O.placesOf(Q))
        Changed |= add(There.Object, {C.T, C.Size, C.At.moved({}, There.At)});
  return Changed;
}

SmallVector<CertainCells::Cell, 4> CertainCells::at(const Value *P,
                                                    uint64_t Bytes) const {
  SmallVector<SmallVector<Cell, 4>, 2> ByPlace;
  for (const Place &Q : O.placesOf(P)) {
    ByPlace.emplace_back();
    for (const Cell &C : Cells[leader(Q.Object)])
      if (C.At.overlaps(C.Size, Q.At, Bytes))
        ByPlace.back().push_back({C.T, C.Size, C.At.moved(Q.At, {})});
  }
  SmallVector<Cell, 4> Certain;
  for (const auto &Here : ByPlace)
    for (const Cell &C : Here)
      if (!is_contained(Certain, C) && all_of(ByPlace, [&](const auto &There) {
            return any_of(There, [&](const Cell &D) {
              return D.T == C.T && D.At.joined(C.At) == D.At;
            });
          }))
        Certain.push_back(C);
  return Certain;
}
