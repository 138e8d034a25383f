//===- ArgumentAccesses.h - what is reached by each argument ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of a function into which all that it calls was inlined, by the
// argument or global variable that leads to them. Local variables and blocks of
// the heap that the function allocates are left out. A function that follows
// pointers in memory, or that calls what nobody knows, has no such list.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_ARGUMENTACCESSES_H
#define VERSO_ANALYSIS_ARGUMENTACCESSES_H

#include "analysis/AddressRanges.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"

namespace verso {

class ArgumentAccesses {
public:
  struct Accesses {
    /// Offsets, and bytes there.
    llvm::SmallSetVector<std::pair<const llvm::SCEV *, const llvm::SCEV *>, 8>
        At;
    bool IsRead = false, IsWritten = false;
  };

  ArgumentAccesses(llvm::Function &F, llvm::ScalarEvolution &SE,
                   const llvm::TargetLibraryInfo *TLI);

  /// What is in the way of such a list; null if nothing is.
  const llvm::Instruction *unknown() const { return Unknown; }
  const llvm::MapVector<llvm::Value *, Accesses> &byBase() const {
    return ByBase;
  }
  /// The offsets of all these bytes, if they are bounded where the function
  /// begins.
  static std::optional<Interval> offsets(const Accesses &A,
                                         AddressRanges &Bounds);

private:
  bool collect(llvm::Instruction &I);
  bool add(const llvm::Value *P, const llvm::SCEV *Bytes, bool IsWrite);
  bool addCall(llvm::CallBase &Call);

  llvm::ScalarEvolution &SE;
  const llvm::TargetLibraryInfo *TLI;
  llvm::Type *Int64;
  llvm::MapVector<llvm::Value *, Accesses> ByBase;
  const llvm::Instruction *Unknown = nullptr;
};

/// Memory of the function itself, or that nobody writes.
bool isOfFunction(const llvm::Value *Object);

/// `T (parameters of F)`, which returns \p Result. F's entry computes that of
/// its parameters and of nothing else.
llvm::Function *asFunctionOfArguments(llvm::Function &F, llvm::Value *Result,
                                      const llvm::Twine &Suffix);

} // namespace verso

#endif // VERSO_ANALYSIS_ARGUMENTACCESSES_H
