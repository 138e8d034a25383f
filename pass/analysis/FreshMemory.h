//===- FreshMemory.h - loads of what a request did not write ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When a request begins, mapped tangents are zero in forward mode, and on the
// tape cells have no image. So what the function that the request calls reads
// where it has written nothing yet, itself, has no tangent unless it has a
// shadow of its own: the model and the data that are passed beside the
// parameters, mostly. And on the tape it has the ID of its cell in the user's
// shadow; nobody need look for an image.
//
// Only whole objects are told apart; what callees write is known by parameter
// (CalleeWrites.h). A callee is told which of its arguments are *quiet*: as
// long as it runs nobody writes, or has written since the request began, what
// such a parameter points into. Invalidated by any change of a function.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_FRESHMEMORY_H
#define VERSO_ANALYSIS_FRESHMEMORY_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class CallBase;
class LoadInst;
class TargetLibraryInfo;
} // namespace llvm

namespace verso {

/// What is not there before anybody has written it.
enum class MemoryTrait { MappedTangents, Images };

class FreshMemory {
public:
  /// What is known when a function begins.
  struct Beginning {
    bool Everywhere;       ///< Nobody has written anything yet.
    llvm::BitVector Quiet; ///< Parameters; of images only.
  };
  /// \p VariedArguments: those that have a shadow of the user's.
  FreshMemory(llvm::Function &F, MemoryTrait Of,
              const llvm::BitVector &VariedArguments, const Beginning &Begins,
              llvm::AAResults &AA, const llvm::TargetLibraryInfo *TLI);

  /// Whether there are none where \p Load reads.
  bool isFresh(const llvm::LoadInst &Load) const {
    return Fresh.contains(&Load);
  }
  /// The arguments of \p Call that are quiet.
  llvm::BitVector quietArguments(const llvm::CallBase &Call) const {
    return QuietArguments.lookup(&Call);
  }
  /// Loads and calls become those of a clone.
  void follow(const llvm::ValueToValueMapTy &Clones);
  /// Whether that holds of all memory as long as the function runs.
  bool isAll() const { return All; }

private:
  llvm::DenseSet<const llvm::LoadInst *> Fresh;
  llvm::DenseMap<const llvm::CallBase *, llvm::BitVector> QuietArguments;
  bool All;
};

/// Whether the function that \p Call, in a function that a request calls,
/// calls in turn finds mapped tangents as the request did, and no pointer with
/// a mapped shadow among those arguments that are \p Varied: it may be taken
/// for the function that the request calls. \p VariedArguments is as above.
/// For the tape what pointers lead to makes no difference.
bool startsFresh(const llvm::CallBase &Call, MemoryTrait Of,
                 const llvm::BitVector &Varied,
                 const llvm::BitVector &VariedArguments,
                 const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_ANALYSIS_FRESHMEMORY_H
