//===- EntryChoice.h - which version of a request runs ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request whose structured versions are not right at all times chooses at its
// entry:
//
//   nothing is watched, and assumptions hold  ? ordinary(arguments)
//   : the thread has adjoints of all memory, and assumptions hold
//                                             ? watched(arguments)
//                                             : gradient by tape
//
// The latter is a request of the new function's own. Either of the others may
// be missing.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_ENTRYCHOICE_H
#define VERSO_STRUCTURED_ENTRYCHOICE_H

#include "structured/GradientFunction.h"
#include "structured/StructuredRequest.h"
#include "structured/Targets.h"
#include "structured/Versions.h"

namespace verso {

class EntryChoice {
public:
  /// Functions that are called besides the first are added to \p Others.
  EntryChoice(const Request &R, const GradientFunction &Work,
              llvm::SmallVectorImpl<llvm::Function *> &Others)
      : R(R), Work(Work), Others(Others) {}

  /// In this order: the version for threads that watch memory
  /// (WatchedMemory.h), or why there is none; the ordinary one, which may not
  /// see what is watched.
  void addWatched(llvm::Function &F, llvm::ArrayRef<Assumption> Assumed);
  void refuseWatched(const Refusals &Why);
  void addOrdinary(llvm::Function &F, llvm::ArrayRef<Assumption> Assumed,
                   bool AsksForWatched);

  /// What chooses; null if nothing was added.
  llvm::Function *first() const { return First; }
  /// The request that is left to the tape, and when it is.
  void finish(Lowered &Result) const;

private:
  void add(llvm::Function &Version, EmitFor Condition,
           llvm::ArrayRef<Assumption> Assumed);
  llvm::Value *callTape(llvm::IRBuilderBase &B);
  llvm::Function *taped(llvm::Function &Version);

  const Request &R;
  const GradientFunction &Work;
  llvm::SmallVectorImpl<llvm::Function *> &Others;
  llvm::Function *First = nullptr;
  /// Where the tape's request is to be made.
  llvm::CallInst *Place = nullptr;
  bool HasOrdinary = false, Assumes = false, AssumesStatics = false;
  std::string WhileWatched; ///< When it is taped; empty: never for that.
};

} // namespace verso

#endif // VERSO_STRUCTURED_ENTRYCHOICE_H
