//===- FreshMemory.h - loads of what a request did not write ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mapped tangents are zero when a forward request begins. So in the function
// that the request calls, what is read where the function itself has written no
// number or pointer yet has no tangent, unless it has a shadow of its own: the
// model and the data that are passed beside the parameters, mostly.
//
// Only whole objects are told apart; what callees write they may write anywhere
// that alias analysis allows. Invalidated by any change of the function.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_FRESHMEMORY_H
#define VERSO_ANALYSIS_FRESHMEMORY_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/AliasAnalysis.h"

namespace llvm {
class CallBase;
class LoadInst;
class TargetLibraryInfo;
} // namespace llvm

namespace verso {

class FreshMemory {
public:
  /// \p VariedArguments: those that have a shadow of the user's.
  FreshMemory(llvm::Function &F, const llvm::BitVector &VariedArguments,
              llvm::AAResults &AA, const llvm::TargetLibraryInfo *TLI);

  /// Whether the mapped tangents of what \p Load reads are zero.
  bool isFresh(const llvm::LoadInst &Load) const {
    return Fresh.contains(&Load);
  }

private:
  llvm::DenseSet<const llvm::LoadInst *> Fresh;
};

/// Whether the function that \p Call, in a function that a request calls,
/// calls in turn finds mapped tangents as the request did, and no pointer with
/// a mapped shadow among those arguments that are \p Varied: it may be taken
/// for the function that the request calls. \p VariedArguments is as above.
bool startsFresh(const llvm::CallBase &Call, const llvm::BitVector &Varied,
                 const llvm::BitVector &VariedArguments,
                 const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_ANALYSIS_FRESHMEMORY_H
