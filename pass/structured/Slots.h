//===- Slots.h - variables of the emitted sweeps ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adjoints of values, counters and whatever crosses from the recto to the
// verso are emitted as loads and stores of local variables, which become SSA
// values at the end. So nobody has to place phis.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_SLOTS_H
#define VERSO_STRUCTURED_SLOTS_H

#include "emit/Variables.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace verso {

class Slots {
public:
  explicit Slots(llvm::Function &F) : F(F) {}

  llvm::AllocaInst *create(llvm::Type *T, const llvm::Twine &Name) {
    llvm::IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    All.insert(B.CreateAlloca(T, nullptr, Name));
    return All.back();
  }
  /// Whether \p I is an access of a variable.
  bool owns(const llvm::Instruction &I) const {
    auto *A = llvm::dyn_cast_or_null<llvm::AllocaInst>(
        llvm::getLoadStorePointerOperand(&I));
    return A && All.contains(const_cast<llvm::AllocaInst *>(A));
  }
  /// All variables become values.
  void promote() {
    llvm::DominatorTree DT(F);
    promoteVariables(All.getArrayRef(), DT);
    All.clear();
  }

  static llvm::Value *get(llvm::IRBuilderBase &B, llvm::AllocaInst *Slot) {
    return B.CreateLoad(Slot->getAllocatedType(), Slot);
  }
  static void set(llvm::IRBuilderBase &B, llvm::AllocaInst *Slot,
                  llvm::Value *V) {
    B.CreateStore(V, Slot);
  }

private:
  llvm::Function &F;
  llvm::SetVector<llvm::AllocaInst *> All;
};

} // namespace verso

#endif // VERSO_STRUCTURED_SLOTS_H
