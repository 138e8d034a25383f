//===- StaticGuards.h - static variables are initialised --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   static const std::function<double(double)> rate = choose();
//
// in a function is initialised by its first call (Itanium C++ ABI, 3.3.3): what
// it leads to may change on the way. All later calls only read it, as they read
// a variable that is initialised before main. So the branches that initialise
// such variables are left out, and the caller has to make sure that they would
// not be taken: an Assumption (Targets.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_STATICGUARDS_H
#define VERSO_STRUCTURED_STATICGUARDS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Module.h"

namespace verso {

/// Whether \p F, or what it calls by name, has static variables that its first
/// call initialises.
bool readsGuards(llvm::Function &F);

class StaticGuards {
public:
  explicit StaticGuards(llvm::Module &M);
  /// Takes variables of \p F for initialised, and deletes the blocks that
  /// nothing leads to, after \p Forget was told.
  /// Returns whether there were any.
  bool
  assume(llvm::Function &F,
         llvm::function_ref<void(llvm::ArrayRef<llvm::BasicBlock *>)> Forget);
  /// What says of each such variable whether it is initialised: its first byte
  /// is not zero.
  llvm::ArrayRef<llvm::GlobalVariable *> assumed() const {
    return Assumed.getArrayRef();
  }

private:
  llvm::SmallVector<llvm::GlobalVariable *, 8> All;
  llvm::SmallSetVector<llvm::GlobalVariable *, 8> Assumed;
};

} // namespace verso

#endif // VERSO_STRUCTURED_STATICGUARDS_H
