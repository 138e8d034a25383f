//===- ConstantFields.cpp - what local variables hold all along -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/ConstantFields.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace verso;

namespace {

/// Where a pointer leads within a variable, as far as it is known.
struct Offset {
  uint64_t Least = 0;
  bool IsExact = true;
};

/// All accesses to one variable.
class Fields {
public:
  explicit Fields(AllocaInst &A) : DL(A.getDataLayout()) {
    IsClosed = visit(A, {});
  }

  bool fold() {
    if (!IsClosed)
      return false;
    bool Changed = false;
    for (auto [Load, At] : Loads)
      if (Constant *Held = constantAt(At, Load->getType())) {
        Load->replaceAllUsesWith(Held);
        Changed = true;
      }
    return Changed;
  }

private:
  /// A store, or a copy. What is written is unknown where there is no constant.
  struct Write {
    Offset At;
    uint64_t Size;
    Constant *Value;
    uint64_t ValueOffset; ///< Of what is written, in Value.
  };

  /// False if others may come to the variable.
  bool visit(Value &Pointer, Offset At);
  bool visitUse(Use &U, Offset At);
  Offset step(const GEPOperator &GEP, Offset At) const;
  Constant *constantAt(uint64_t At, Type *T) const;

  const DataLayout &DL;
  bool IsClosed;
  DenseMap<const User *, uint64_t> Chosen; ///< The least offset so far.
  SmallVector<Write, 16> Writes;
  SmallVector<std::pair<LoadInst *, uint64_t>, 16> Loads;
};

} // namespace

Offset Fields::step(const GEPOperator &GEP, Offset At) const {
  unsigned Bits = DL.getIndexTypeSizeInBits(GEP.getType());
  APInt Constant(Bits, 0);
  if (!GEP.accumulateConstantOffset(DL, Constant))
    return {GEP.hasNoUnsignedWrap() ? At.Least : 0, false};
  int64_t Step = Constant.getSExtValue();
  // Back from where one is not known to be is anywhere.
  if (Step < 0 && (!At.IsExact || uint64_t(-Step) > At.Least))
    return {0, false};
  return {At.Least + Step, At.IsExact};
}

bool Fields::visit(Value &Pointer, Offset At) {
  return all_of(Pointer.uses(), [&](Use &U) { return visitUse(U, At); });
}

bool Fields::visitUse(Use &U, Offset At) {
  User *By = U.getUser();
  if (auto *GEP = dyn_cast<GEPOperator>(By))
    return visit(*GEP, step(*GEP, At));
  if (isa<PHINode, SelectInst>(By)) {
    auto [Known, IsNew] = Chosen.try_emplace(By, At.Least);
    if (!IsNew && Known->second <= At.Least)
      return true;
    Known->second = At.Least;
    return visit(*By, {At.Least, false});
  }
  if (auto *Load = dyn_cast<LoadInst>(By)) {
    if (Load->isSimple() && At.IsExact && Load->getType()->isIntOrPtrTy())
      Loads.push_back({Load, At.Least});
    return true;
  }
  if (auto *Store = dyn_cast<StoreInst>(By)) {
    Value *Stored = Store->getValueOperand();
    if (U.getOperandNo() != StoreInst::getPointerOperandIndex())
      return false;
    Writes.push_back({At, DL.getTypeStoreSize(Stored->getType()),
                      dyn_cast<Constant>(Stored), 0});
    return true;
  }
  if (auto *Bulk = dyn_cast<AnyMemIntrinsic>(By)) {
    auto *Length = dyn_cast<ConstantInt>(Bulk->getLength());
    if (&Bulk->getRawDestUse() != &U)
      return true;
    Write W = {At, Length ? Length->getZExtValue() : ~uint64_t(0) / 2, nullptr,
               0};
    if (auto *Copy = dyn_cast<AnyMemTransferInst>(Bulk)) {
      APInt Offset(DL.getIndexTypeSizeInBits(Copy->getRawSource()->getType()),
                   0);
      auto *From = dyn_cast<GlobalVariable>(
          Copy->getRawSource()->stripAndAccumulateConstantOffsets(
              DL, Offset, /*AllowNonInbounds=*/true));
      if (From && From->isConstant() && From->hasDefinitiveInitializer() &&
          !Offset.isNegative()) {
        W.Value = From->getInitializer();
        W.ValueOffset = Offset.getZExtValue();
      }
    }
    Writes.push_back(W);
    return true;
  }
  if (auto *I = dyn_cast<IntrinsicInst>(By); I && I->isLifetimeStartOrEnd())
    return true;
  return isa<ICmpInst>(By);
}

/// What all that is ever written there is; null if it is not one constant.
Constant *Fields::constantAt(uint64_t At, Type *T) const {
  const uint64_t Size = DL.getTypeStoreSize(T);
  Constant *Held = nullptr;
  for (const Write &W : Writes) {
    if (W.At.Least >= At + Size || (W.At.IsExact && W.At.Least + W.Size <= At))
      continue;
    if (!W.At.IsExact || W.At.Least > At || W.At.Least + W.Size < At + Size ||
        !W.Value)
      return nullptr;
    Constant *Part = ConstantFoldLoadFromConst(
        W.Value, T, APInt(64, At - W.At.Least + W.ValueOffset), DL);
    if (!Part || isa<UndefValue>(Part) || (Held && Part != Held))
      return nullptr;
    Held = Part;
  }
  return Held;
}

bool verso::foldConstantFields(Function &F) {
  bool Changed = false;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I))
      Changed |= Fields(*A).fold();
  return Changed;
}
