//===- Circles.h - who calls whom in a circle -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A circle are functions that all reach one another by direct calls, and by
// calls through pointers if there is somebody to say where they may lead.
//
// Invalidated by any change of the functions that were asked for.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECURSION_CIRCLES_H
#define VERSO_STRUCTURED_RECURSION_CIRCLES_H

#include "structured/recursion/LikelyTargets.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// Functions of one circle of calls.
using Circle = llvm::SmallSetVector<llvm::Function *, 4>;

class Circles {
public:
  explicit Circles(llvm::FunctionAnalysisManager &FAM,
                   const LikelyTargets *Likely = nullptr)
      : FAM(FAM), Likely(Likely) {}

  /// The functions that reach \p F and are reached from it; empty if it does
  /// not reach itself. A dispatcher is in that of what it calls.
  Circle circleOf(llvm::Function &F);
  bool isRecursive(llvm::Function &F) { return !circleOf(F).empty(); }
  /// Whether \p F, or a function that it reaches, is recursive.
  bool reachesRecursion(llvm::Function &F);

private:
  using Callees = llvm::SmallSetVector<llvm::Function *, 8>;
  const Callees &calleesOf(llvm::Function &F);
  const Callees &reachableFrom(llvm::Function &F);

  llvm::FunctionAnalysisManager &FAM;
  const LikelyTargets *Likely;
  llvm::DenseMap<llvm::Function *, Callees> Direct;
  llvm::DenseMap<llvm::Function *, Callees> Reachable;
};

} // namespace verso

#endif // VERSO_STRUCTURED_RECURSION_CIRCLES_H
