//===- IterationPaths.h - paths within an iteration -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which blocks of a loop may follow another in the same iteration; loops within
// that loop may go round.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_ITERATIONPATHS_H
#define VERSO_STRUCTURED_ITERATIONPATHS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"

namespace verso {

class IterationPaths {
public:
  /// Whether a path within an iteration of \p L leads from the end of \p From
  /// to \p To.
  bool lead(const llvm::BasicBlock *From, const llvm::BasicBlock *To,
            const llvm::Loop &L) {
    auto [It, New] = Following.try_emplace({From, &L});
    if (New) {
      llvm::SmallVector<const llvm::BasicBlock *, 16> Work{From};
      while (!Work.empty())
        for (const llvm::BasicBlock *Next : successors(Work.pop_back_val()))
          if (L.contains(Next) && Next != L.getHeader() &&
              It->second.insert(Next).second)
            Work.push_back(Next);
    }
    return It->second.contains(To);
  }

private:
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::Loop *>,
                 llvm::SmallPtrSet<const llvm::BasicBlock *, 16>>
      Following;
};

} // namespace verso

#endif // VERSO_STRUCTURED_ITERATIONPATHS_H
