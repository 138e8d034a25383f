//===- Activity.h - which values can have a derivative ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two flow-insensitive fixpoints over the SSA values of one prepared function.
// *Varied*: its companion may be other than zero. *Useful*: somebody needs its
// companion. Active is both. Memory is not tracked: a load may be varied (but
// see FreshMemory.h), a store is a use.
//
// Invalidated by any change of the function.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_ACTIVITY_H
#define VERSO_ANALYSIS_ACTIVITY_H

#include "analysis/FreshMemory.h"
#include "rules/Operation.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"

namespace verso {

class Activity {
public:
  /// What varies in the request that a function is part of.
  struct Scope {
    bool PointersTracked; ///< Some pointer has a shadow.
    bool IsSilent;        ///< No number varies, only pointers (TwinMode).
  };
  /// \p VariedArguments has a bit for each parameter of \p F; \p Fresh may be
  /// null.
  Activity(llvm::Function &F, const llvm::BitVector &VariedArguments,
           Scope Around, const llvm::TargetLibraryInfo *TLI,
           const FreshMemory *Fresh = nullptr);

  bool isVaried(const llvm::Value *V) const { return Varied.contains(V); }
  bool isUseful(const llvm::Value *V) const { return Useful.contains(V); }
  bool isActive(const llvm::Value *V) const {
    return isVaried(V) && isUseful(V);
  }
  /// The rule of \p I, or null.
  const Operation *operation(const llvm::Instruction *I) const {
    auto It = Operations.find(I);
    return It == Operations.end() ? nullptr : &It->second;
  }

private:
  void matchOperations(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);
  void findVaried(llvm::Function &F, const llvm::BitVector &VariedArguments);
  bool becomesVaried(const llvm::Instruction &I) const;
  bool loadMayVary(const llvm::Instruction &I) const;
  void findUseful(llvm::Function &F);
  void addRoots(const llvm::Instruction &I,
                llvm::SmallVectorImpl<const llvm::Value *> &Roots) const;
  void addOperands(const llvm::Instruction &I,
                   llvm::SmallVectorImpl<const llvm::Value *> &Needed) const;

  bool mayVary(llvm::Type *T) const;
  /// Where no pointer has a shadow, what is loaded as one, passed and returned
  /// may still be a number.
  bool pointersMayVary() const {
    return Around.PointersTracked || !Around.IsSilent;
  }

  const Scope Around;
  const llvm::TargetLibraryInfo *TLI;
  const FreshMemory *Fresh;
  llvm::DenseMap<const llvm::Instruction *, Operation> Operations;
  llvm::DenseSet<const llvm::Value *> Varied;
  llvm::DenseSet<const llvm::Value *> Useful;
};

/// Whether \p Object, a variable, is a constant of the program or by the user's
/// word.
bool isConstantObject(const llvm::Value &Object);

/// The pointer that an inttoptr was computed from by integer arithmetic, or
/// null.
llvm::Value *pointerBehindInteger(const llvm::Value *Integer);

} // namespace verso

#endif // VERSO_ANALYSIS_ACTIVITY_H
