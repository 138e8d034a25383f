//===- DisjointArguments.h - arguments told apart at run time ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers without `restrict` may overlap, so that what one writes may have
// changed what another read, which then has to be recorded. Where the ranges
// of addresses that a flattened function comes to by each of its arguments can
// be computed at its entry, this says how: then there are two versions of the
// reversed function, and the one that is taken as if all were `restrict` runs
// when they are. Then shadows of what is written are apart from other shadows,
// too, or it does not run.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_DISJOINTARGUMENTS_H
#define VERSO_STRUCTURED_MEMORY_DISJOINTARGUMENTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"

namespace verso {

struct DisjointArguments {
  /// `i1 (parameters of the function)`; null if the ranges are not known, or
  /// nothing is written that another argument may lead to.
  llvm::Function *Test = nullptr;
  /// The numbers of the arguments, shadows among them, that are disjoint if the
  /// test holds.
  llvm::SmallVector<unsigned, 8> Arguments;
  /// Whether the test holds for few arrays, since an index may be anything.
  bool IsUnlikely = false;
};

/// \p F is as it was afterwards.
DisjointArguments findDisjointArguments(
    llvm::Function &F,
    const llvm::DenseMap<llvm::Value *, llvm::Value *> &Shadows,
    llvm::ScalarEvolution &SE, const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_DISJOINTARGUMENTS_H
