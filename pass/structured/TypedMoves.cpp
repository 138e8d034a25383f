//===- TypedMoves.cpp - what is moved as integers and is none -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/TypedMoves.h"
#include "structured/memory/AccessTypes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

namespace {

/// The numbers and pointers of the function, by object.
class Typed {
public:
  Typed(Function &F, const Objects &O) : O(O), DL(F.getDataLayout()) {
    for (Instruction &I : instructions(F)) {
      const Value *P = getLoadStorePointerOperand(&I);
      Type *T = P ? getLoadStoreType(&I) : nullptr;
      if (!T || !(T->isFloatingPointTy() || T->isPointerTy()))
        continue;
      for (const Place &Q : O.placesOf(P)) {
        auto &Cells = ByObject[Q.Object];
        Cell New{T, DL.getTypeStoreSize(T), Q.At};
        if (!is_contained(Cells, New))
          Cells.push_back(New);
      }
    }
  }

  /// Votes on the type of Bytes bytes at P: returns false on a conflict.
  bool vote(const Value *P, uint64_t Bytes, Type *&T) const {
    for (const Place &Q : O.placesOf(P)) {
      auto It = ByObject.find(Q.Object);
      if (It == ByObject.end())
        continue;
      for (const Cell &C : It->second) {
        if (!C.At.overlaps(C.Size, Q.At, Bytes))
          continue;
        if ((T && T != C.T) || !C.At.isFilledBy(C.Size, Q.At, Bytes))
          return false;
        T = C.T;
      }
    }
    return true;
  }

private:
  struct Cell {
    Type *T;
    uint64_t Size;
    OffsetClass At;
    bool operator==(const Cell &) const = default;
  };
  const Objects &O;
  const DataLayout &DL;
  DenseMap<unsigned, SmallVector<Cell, 4>> ByObject;
};

} // namespace

/// Stored, and nothing else.
static bool isMove(const LoadInst &Load) {
  return Load.isSimple() && Load.getType()->isIntegerTy() &&
         !isIntegerForCertain(Load) && !Load.use_empty() &&
         all_of(Load.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->isSimple() &&
                  Store->getPointerOperand() != &Load;
         });
}

/// load i64 ... store i64   =>   load double ... store double, or two floats
static void retype(LoadInst &Load, Type *T, unsigned Count, uint64_t Size) {
  SmallVector<Value *, 2> Parts;
  IRBuilder<> B(&Load);
  auto Address = [&](Value *P, unsigned K) {
    return K ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, K * Size) : P;
  };
  for (unsigned K = 0; K != Count; ++K)
    Parts.push_back(
        B.CreateAlignedLoad(T, Address(Load.getPointerOperand(), K),
                            commonAlignment(Load.getAlign(), K * Size)));
  for (User *U : make_early_inc_range(Load.users())) {
    auto *Store = cast<StoreInst>(U);
    B.SetInsertPoint(Store);
    for (unsigned K = 0; K != Count; ++K)
      B.CreateAlignedStore(Parts[K], Address(Store->getPointerOperand(), K),
                           commonAlignment(Store->getAlign(), K * Size));
    Store->eraseFromParent();
  }
  Load.eraseFromParent();
}

void verso::typeMoves(Function &F, const Objects &O) {
  Typed N(F, O);
  const DataLayout &DL = F.getDataLayout();
  SmallVector<std::pair<LoadInst *, Type *>, 8> Moves;
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !isMove(*Load))
      continue;
    uint64_t Bytes = DL.getTypeStoreSize(Load->getType());
    Type *T = nullptr;
    bool Agrees = N.vote(Load->getPointerOperand(), Bytes, T);
    for (User *U : Load->users())
      Agrees =
          Agrees && N.vote(cast<StoreInst>(U)->getPointerOperand(), Bytes, T);
    if (Agrees && T && Bytes % DL.getTypeStoreSize(T) == 0)
      Moves.push_back({Load, T});
  }
  for (auto [Load, T] : Moves) {
    uint64_t Size = DL.getTypeStoreSize(T);
    retype(*Load, T, DL.getTypeStoreSize(Load->getType()) / Size, Size);
  }
}
