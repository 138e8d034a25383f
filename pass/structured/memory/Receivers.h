//===- Receivers.h - what a function says of its object ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind a comparison of a function that was loaded through an object,
//
//   if (p->table[2] == f) ... p ...
//
// p is an object whose table leads to f. (Where it is another one nothing is
// known: it may be null, or no function.) So a virtual function that was
// inlined (Targets.h) has objects of its own class only: others have numbers
// where it has pointers. The same where the function lies in the object itself
// (closures).
//
// Invalidated by any change of the function but the insertion of values.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_RECEIVERS_H
#define VERSO_STRUCTURED_MEMORY_RECEIVERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace verso {

/// The function that a loaded one, \p Loaded, is compared with for equality;
/// null if \p I is nothing like that.
const llvm::Function *comparedFunction(const llvm::Instruction &I,
                                       llvm::LoadInst *&Loaded);

class Receivers {
public:
  /// What is known of the object that a pointer leads to, at one use of it.
  struct Fact {
    struct Step {
      llvm::LoadInst *Load;
      /// How far behind the pointer, then behind what was loaded before, it
      /// reads, in bytes.
      int64_t Distance;
    };
    llvm::SmallVector<Step, 2> Way; ///< The last one loads a function.
    const llvm::Function *Callee;
  };

  explicit Receivers(llvm::Function &F);
  llvm::ArrayRef<Fact> factsAt(const llvm::Use &U) const;
  /// Whether there are facts at any operand of \p I.
  bool knowsOperandOf(const llvm::Instruction &I) const {
    return Users.contains(&I);
  }

private:
  void noteUses(const llvm::Value &P,
                llvm::function_ref<bool(const llvm::Use &)> IsBehind,
                Fact What);

  llvm::DenseMap<const llvm::Use *, llvm::SmallVector<Fact, 2>> Facts;
  llvm::DenseSet<const llvm::Instruction *> Users;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_RECEIVERS_H
