//===- ShadowPointers.h - where the adjoint of a cell is --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside a pointer of the recto stands, on demand, the pointer to its adjoint
// cell: the same GEP, phi or select of shadows; the user's shadow of an
// argument; a zeroed sibling of a local variable or of an allocation; what is
// found in the shadow structure where a pointer is loaded, and for that, a
// store of the shadow into the sibling of a local object where a pointer is
// stored.
//
// A pointer to memory that has no shadow is its own shadow: an access that may
// meet such memory compares the two.
//
// Shadow pointers are ordinary values of the recto, in LCSSA form.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_SHADOWPOINTERS_H
#define VERSO_STRUCTURED_SHADOWPOINTERS_H

#include "emit/Companion.h"
#include "structured/MappedConstants.h"
#include "structured/Slots.h"
#include "structured/WatchedMemory.h"
#include "structured/memory/Varied.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

#include <functional>
#include <string>

namespace verso {

class ShadowPointers {
public:
  /// \p Given maps arguments to their shadows. \p Allocate emits zeroed memory
  /// of a number of bytes that lasts as long as the request.
  ShadowPointers(
      llvm::Function &F, const VariedMemory &V,
      llvm::DenseMap<llvm::Value *, llvm::Value *> Given,
      std::function<llvm::Value *(llvm::IRBuilderBase &, llvm::Value *Bytes)>
          Allocate,
      MappedConstants *Mapped, const llvm::TargetLibraryInfo *TLI, Slots &S,
      Refusals &Refused)
      : F(F), V(V), Watched(F), Shadows(std::move(Given)),
        Allocate(std::move(Allocate)), Mapped(Mapped), TLI(TLI), S(S),
        Refused(Refused) {}

  llvm::Value *get(llvm::Value *Pointer);

  WatchedMemory &watched() { return Watched; }
  const VariedMemory &memory() const { return V; }
  /// Somebody else loads the shadow of what \p Load loads beside it.
  void mirrorFor(llvm::LoadInst &Load);

  /// Zeroed memory that lasts as long as the request.
  llvm::Value *allocate(llvm::IRBuilderBase &B, llvm::Value *Bytes) {
    return Allocate(B, Bytes);
  }

  /// Notes the losses of pointers that lead into globals by surprise.
  void checkStrangers();
  /// Of numbers with a shadow: handlers get them, not the exception.
  void refuseThrownPointers();
  /// Emits the stores of shadows that the loads so far rely on; to be called
  /// when all pointers were asked for.
  void mirrorStores();

  /// The load of the primal pointer that a load of a shadow stands beside.
  const llvm::LoadInst *primalOf(const llvm::Value *ShadowLoad) const {
    return Twins.lookup(ShadowLoad);
  }
  /// At a store of a pointer to memory of the caller: its shadow goes into the
  /// shadow structure, and at \p Verso what was there comes back.
  void reversePointerStore(llvm::StoreInst &Store, llvm::IRBuilderBase &Verso);
  /// At a copy that is untyped: the same for all of its pointers, and adjoints
  /// of bytes that are not known as numbers are handed on.
  void reverseUntyped(const BulkAccess &Copy, llvm::IRBuilderBase &Verso);
  /// Whether there was such a store: then this has to be emitted at the end of
  /// the request, whose blocks of the arena begin at \p Mark.
  bool movesPointers() const { return Moved; }
  void followPointers(llvm::IRBuilderBase &B, llvm::Value *Mark);

  /// A condition of the recto under which a shadow would be lost, or another
  /// memory's.
  struct Loss {
    llvm::Instruction *Condition;
    std::string Why;
  };
  llvm::ArrayRef<Loss> losses() const { return Losses; }

  /// Of the shadow of the cell that \p Access loads or stores.
  static llvm::Align alignmentFor(const llvm::Instruction &Access) {
    return shadowAlignment(
        getLoadStoreType(const_cast<llvm::Instruction *>(&Access)),
        getLoadStoreAlignment(const_cast<llvm::Instruction *>(&Access)),
        Access.getDataLayout());
  }

  /// What was emitted: loads and stores of shadow memory.
  void markOurs(llvm::Instruction *I) { Ours.insert(I); }
  bool isOurs(const llvm::Instruction *I) const { return Ours.contains(I); }

private:
  llvm::Value *create(llvm::Value *Pointer);
  void checkDistances(llvm::GetElementPtrInst &I);
  llvm::Value *ofMapped(llvm::Value *Pointer);
  llvm::Value *ofFrame(llvm::Value *Pointer);
  llvm::Value *ofAlloca(llvm::AllocaInst &A);
  llvm::Value *ofConstant(llvm::Constant &C);
  void noteExceptions();
  llvm::Value *ofCaught(llvm::CallBase &Call);
  llvm::Value *ofCall(llvm::CallBase &Call);
  llvm::Value *ofLoad(llvm::LoadInst &Load);
  void refuseOld(const llvm::Value *P, const llvm::Instruction &At);
  void noteMoved(llvm::IRBuilderBase &Verso, llvm::StoreInst &Store,
                 llvm::Value *Cell);
  llvm::AllocaInst *listOfMoved();
  llvm::Value *nowhere();
  llvm::Value *cellOrNowhere(llvm::IRBuilderBase &B, llvm::StoreInst &Store,
                             llvm::Value *Shadow, llvm::Value *Cell);
  bool isMirrored(const llvm::Value *P) const;
  void mirror(llvm::StoreInst &Store);
  void endPointer(llvm::StoreInst &Store);
  void mirror(const BulkAccess &Bulk);

  llvm::Function &F;
  const VariedMemory &V;
  WatchedMemory Watched;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Shadows;
  std::function<llvm::Value *(llvm::IRBuilderBase &, llvm::Value *)> Allocate;
  MappedConstants *Mapped; ///< Null where there is nothing such.
  const llvm::TargetLibraryInfo *TLI;
  Slots &S;
  Refusals &Refused;
  /// The list of the exceptions that were made, the last one first.
  llvm::AllocaInst *Exceptions = nullptr;
  llvm::AllocaInst *Nowhere = nullptr;
  /// The list of what the verso put back, the last one first.
  llvm::AllocaInst *Moved = nullptr;
  llvm::SmallVector<Loss, 2> Losses;
  llvm::SmallSetVector<unsigned, 4> Mirrored;
  llvm::DenseMap<const llvm::Value *, const llvm::LoadInst *> Twins;
  llvm::DenseSet<const llvm::Instruction *> Ours;
  llvm::DenseSet<const llvm::Instruction *> Done;
};

} // namespace verso

#endif // VERSO_STRUCTURED_SHADOWPOINTERS_H
