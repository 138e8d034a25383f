//===- WatchedMemory.h - adjoints of all that was there before --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The version of a request that runs while its thread watches memory: the
// adjoint of every number that was in memory before, at whatever address, is at
// p + distance, in the window that verso_adjoint_of leads to (runtime/Watch.h).
// So no pointer needs a shadow pointer, and what is watched is not asked for.
//
// What is watched is zero there when the request begins. What else is read gets
// adjoints that mean nothing and stay. They would come to life where a number
// is stored: the recto clears the cells that it stores to, before the verso
// comes to them. (A cell that is not stored to hands its adjoint to nobody.)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_WATCHEDMEMORY_H
#define VERSO_STRUCTURED_WATCHEDMEMORY_H

#include "structured/memory/Varied.h"

#include "llvm/IR/IRBuilder.h"

namespace verso {

class WatchedMemory {
public:
  explicit WatchedMemory(llvm::Function &F) : F(F) {}

  /// What leads to memory that was there before: arguments, and the
  /// variables that the function names.
  static llvm::SmallVector<llvm::Value *, 8> roots(llvm::Function &F);

  /// At the entry, and on every way out.
  void begin();
  static void end(llvm::IRBuilderBase &B);

  /// Where the adjoints of what \p P points to are; for a root, at the entry.
  llvm::Value *shadowOf(llvm::Value *P);

  /// Emits the clearing of what \p Accesses, of the program, store to; \p
  /// CellOf gives the shadow of a pointer.
  void
  clearStored(llvm::ArrayRef<llvm::Instruction *> Accesses,
              const VariedMemory &V,
              llvm::function_ref<llvm::Value *(llvm::Value *Pointer)> CellOf);
  /// What was emitted for that, and where the program stores.
  llvm::ArrayRef<std::pair<llvm::Instruction *, llvm::Value *>>
  cleared() const {
    return Cleared;
  }

private:
  llvm::Function &F;
  llvm::Instruction *Distance = nullptr;
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::Value *>, 16> Cleared;
};

} // namespace verso

#endif // VERSO_STRUCTURED_WATCHEDMEMORY_H
