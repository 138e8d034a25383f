//===- Releasers.h - functions that only release memory ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Destructors of trees call themselves and one another at so many places that
// the call tree is large by them alone; there is nothing in them to
// differentiate. A *releaser* is a function that
//   - returns nothing, throws nothing, and has no numbers;
//   - releases memory that its arguments lead to, counts references, and clears
//     pointers and integers there, but stores no address of memory and no
//     integer that comes from elsewhere;
//   - calls nothing but releasers, of virtual functions perhaps.
// Where the call tree is too large, calls of such stay calls (isRelease), made
// as they are: for memory that their arguments lead to (Objects::mayLeadTo)
// they are writes, for everything else nothing. Which virtual functions they
// call is known once the objects are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RELEASERS_H
#define VERSO_STRUCTURED_RELEASERS_H

#include "structured/Refusal.h"
#include "structured/memory/Objects.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"

namespace verso {

class Releasers {
public:
  explicit Releasers(const llvm::TargetLibraryInfo *TLI) : TLI(TLI) {}

  bool contains(const llvm::Function &F) { return find(F).IsOne; }
  /// Refuses \p F if one of its calls that stay may come to a virtual function
  /// that does more.
  void refuseOtherTargets(const llvm::Function &F, const Objects &O,
                          Refusals &Refused);

private:
  /// Where in tables of virtual functions what is called is, in bytes.
  using Slots = llvm::SmallSetVector<uint64_t, 2>;
  struct Known {
    bool IsOne = false;
    Slots Called = {};
  };
  const Known &find(const llvm::Function &F);
  bool doesOnlyThat(const llvm::Instruction &I, Slots &Called,
                    llvm::SmallSetVector<const llvm::Function *, 8> &Callees);

  const llvm::TargetLibraryInfo *TLI;
  llvm::DenseMap<const llvm::Function *, Known> All;
};

} // namespace verso

#endif // VERSO_STRUCTURED_RELEASERS_H
