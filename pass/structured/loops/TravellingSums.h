//===- TravellingSums.h - sums that go along ------------------ -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Additions of one loop whose cells are a few iterations apart meet in every
// cell. Instead of one load and one store for each of them, what a cell is to
// get is carried along in registers until the last of them has come by:
//
//   for i:  x'[i-1] += a;  x'[i] += b;  x'[i+1] += c
//   =>
//   p = q = nothing
//   for i:  x'[i-1] += a + p;  p = b + q;  q = c
//   x'[n-1] += p;  x'[n] += q                         with i = n - 1 at last
//
// Every contribution is computed once, in its own iteration, so nothing is
// assumed of what it is computed from; only sums are added up in another order.
// The vectoriser takes such recurrences.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_TRAVELLINGSUMS_H
#define VERSO_STRUCTURED_LOOPS_TRAVELLINGSUMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace verso {

/// cell += something: a load and a store of one address in one block, where
/// what is stored is the load plus something.
struct CellAddition {
  llvm::LoadInst *Load;
  llvm::StoreInst *Store;
};

/// The load of Store's cell, if what is stored is that plus something; null
/// otherwise.
llvm::LoadInst *loadAddedTo(llvm::StoreInst &Store);

/// What \p A adds to its cell; its load and store are gone then.
llvm::Value *takeContribution(const CellAddition &A);

/// How many iterations of \p L after B, at the same number of the iteration, A
/// is in its cells; negative: before; none if that is not a constant.
std::optional<int64_t> iterationsBetween(const CellAddition &A,
                                         const CellAddition &B,
                                         const llvm::Loop &L,
                                         llvm::ScalarEvolution &SE);

/// Whether A adds the same in every iteration of \p L. The vectoriser takes no
/// recurrence of that.
bool addsInvariant(const CellAddition &A, const llvm::Loop &L);

/// Makes one addition of \p Additions, which are a constant number of
/// iterations apart. \p L is one block with one exit; nothing else in it
/// touches the cells.
void letSumsTravel(llvm::Loop &L, llvm::ArrayRef<CellAddition> Additions,
                   llvm::ScalarEvolution &SE);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_TRAVELLINGSUMS_H
