//===- UpdatedCells.cpp - adjoints of what is updated in place ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/UpdatedCells.h"
#include "structured/loops/TravellingSums.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/ValueHandle.h"

using namespace llvm;
using namespace verso;

namespace {

constexpr unsigned MostSteps = 512;

/// A cell that is cleared, and added to again in the same block.
class UpdatedCell {
public:
  UpdatedCell(StoreInst &Clear, AAResults &AA)
      : Clear(Clear), Cell(MemoryLocation::get(&Clear)), AA(AA) {}

  bool find();
  void setAtOnce();

private:
  bool onlyAddsBetween() const;
  bool isKnownBefore(Value *V, const Instruction *Except) const;
  SmallSetVector<Instruction *, 16> computedFrom(Value *V) const;

  StoreInst &Clear;
  const MemoryLocation Cell;
  AAResults &AA;
  CellAddition Addition = {};
};

} // namespace

/// Whether nothing between the two but other additions may be to the cell.
bool UpdatedCell::onlyAddsBetween() const {
  SmallPtrSet<const Instruction *, 8> Begun;
  for (Instruction *I = Clear.getNextNode(); I != Addition.Store;
       I = I->getNextNode()) {
    if (!isGuaranteedToTransferExecutionToSuccessor(I))
      return false;
    if (I == Addition.Load || !I->mayReadOrWriteMemory() ||
        !isModOrRefSet(AA.getModRefInfo(I, Cell)))
      continue;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      Begun.insert(Load);
      continue;
    }
    auto *Store = dyn_cast<StoreInst>(I);
    LoadInst *Load = Store && Store->isSimple() ? loadAddedTo(*Store) : nullptr;
    if (!Load || !Load->isSimple() || !Begun.erase(Load) ||
        Load->getType() != Addition.Load->getType() ||
        !cast<Instruction>(Store->getValueOperand())->hasNoSignedZeros())
      return false;
  }
  return Begun.empty();
}

/// What V is computed from behind the cell's clearing.
SmallSetVector<Instruction *, 16> UpdatedCell::computedFrom(Value *V) const {
  SmallSetVector<Instruction *, 16> Result;
  auto Add = [&](Value *Of) {
    auto *I = dyn_cast<Instruction>(Of);
    if (I && I->getParent() == Clear.getParent() && !isa<PHINode>(I) &&
        Clear.comesBefore(I))
      Result.insert(I);
  };
  Add(V);
  for (unsigned K = 0; K != Result.size(); ++K)
    for (Value *Op : Result[K]->operands())
      Add(Op);
  return Result;
}

/// Whether what V is computed from is the same where the cell is cleared.
bool UpdatedCell::isKnownBefore(Value *V, const Instruction *Except) const {
  for (Instruction *I : computedFrom(V)) {
    if (I == Except)
      continue;
    if (I->mayWriteToMemory() || I->mayThrow())
      return false;
    if (!I->mayReadFromMemory())
      continue;
    auto *Load = dyn_cast<LoadInst>(I);
    if (!Load || !Load->isSimple())
      return false;
    MemoryLocation From = MemoryLocation::get(Load);
    for (Instruction *J = &Clear; J != Load; J = J->getNextNode())
      if (J->mayWriteToMemory() && isModSet(AA.getModRefInfo(J, From)))
        return false;
  }
  return true;
}

bool UpdatedCell::find() {
  Type *T = Clear.getValueOperand()->getType();
  unsigned Steps = 0;
  for (Instruction *I = Clear.getNextNode(); I && ++Steps != MostSteps;
       I = I->getNextNode()) {
    auto *Store = dyn_cast<StoreInst>(I);
    if (!Store || Store->getPointerOperand() != Clear.getPointerOperand())
      continue;
    LoadInst *Load = Store->isSimple() ? loadAddedTo(*Store) : nullptr;
    if (!Load || !Load->isSimple() || Load->getType() != T ||
        !Clear.comesBefore(Load) ||
        !cast<Instruction>(Store->getValueOperand())->hasNoSignedZeros())
      return false;
    Addition = {Load, Store};
    return onlyAddsBetween() && isKnownBefore(Store->getValueOperand(), Load);
  }
  return false;
}

void UpdatedCell::setAtOnce() {
  Value *V = takeContribution(Addition);
  SmallVector<Instruction *, 16> Earlier = computedFrom(V).takeVector();
  sort(Earlier, [](const Instruction *A, const Instruction *B) {
    return A->comesBefore(B);
  });
  for (Instruction *I : Earlier)
    I->moveBefore(*Clear.getParent(), Clear.getIterator());
  Clear.setOperand(0, V);
}

bool verso::setUpdatedCells(BasicBlock &Block, AAResults &AA) {
  SmallVector<WeakVH, 8> Clears;
  for (Instruction &I : Block)
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
      if (auto *Zero = dyn_cast<ConstantFP>(Store->getValueOperand());
          Zero && Zero->isZero())
        Clears.push_back(Store);
  bool Changed = false;
  for (WeakVH &Each : Clears) {
    auto *Clear = dyn_cast_or_null<StoreInst>(static_cast<Value *>(Each));
    if (!Clear)
      continue;
    UpdatedCell Cell(*Clear, AA);
    if (!Cell.find())
      continue;
    Cell.setAtOnce();
    Changed = true;
  }
  return Changed;
}
