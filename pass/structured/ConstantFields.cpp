//===- ConstantFields.cpp - what local variables hold all along -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/ConstantFields.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <memory>
#include <set>
#include <vector>

using namespace llvm;
using namespace verso;

namespace {

/// Where a pointer leads within a variable, as far as it is known.
struct Offset {
  uint64_t Least = 0;
  bool IsExact = true;
};

/// What is known of a place: nothing yet, one constant, or that there are more.
struct Held {
  Constant *Only = nullptr;
  bool IsOpen = false;

  void add(Held More) {
    IsOpen |= More.IsOpen || (Only && More.Only && Only != More.Only);
    if (!Only)
      Only = More.Only;
  }
};

/// All accesses to one variable.
struct Fields {
  explicit Fields(AllocaInst &A) : DL(A.getDataLayout()), Variable(A) {
    IsClosed = visit(A, {});
  }

  /// A store of a value, or a copy of bytes from a global or a variable. What
  /// is written is unknown where there is neither.
  struct Write {
    Offset At;
    uint64_t Size;
    Value *Stored = nullptr;
    Value *Source = nullptr;
    uint64_t SourceOffset = 0;
  };

  const DataLayout &DL;
  AllocaInst &Variable;
  bool IsClosed; ///< Nobody else comes to it.
  SmallVector<Write, 16> Writes;
  SmallVector<std::pair<LoadInst *, uint64_t>, 16> Loads;

private:
  /// False if others may come to the variable.
  bool visit(Value &Pointer, Offset At);
  bool visitUse(Use &U, Offset At);
  Offset step(const GEPOperator &GEP, Offset At) const;

  DenseMap<const User *, uint64_t> Chosen; ///< The least offset so far.
};

/// The variables of a function, which are copied to one another.
class Variables {
public:
  explicit Variables(Function &F) : DL(F.getDataLayout()) {
    for (Instruction &I : F.getEntryBlock())
      if (auto *A = dyn_cast<AllocaInst>(&I))
        All.push_back(std::make_unique<Fields>(*A));
    for (auto &V : All)
      if (V->IsClosed) {
        ByVariable[&V->Variable] = V.get();
        for (auto [Load, At] : V->Loads)
          PlaceOf[Load] = {V.get(), At};
      }
  }

  bool fold() {
    SmallVector<std::pair<LoadInst *, Constant *>, 16> Known;
    for (auto [Load, Place] : PlaceOf) {
      Asked.clear();
      Held Found = at(*Place.first, Place.second, Load->getType());
      if (Found.Only && !Found.IsOpen && !isa<UndefValue>(Found.Only))
        Known.push_back({Load, Found.Only});
    }
    for (auto [Load, Constant] : Known)
      Load->replaceAllUsesWith(Constant);
    return !Known.empty();
  }

private:
  Held at(const Fields &V, uint64_t At, Type *T);
  Held written(const Fields::Write &W, uint64_t At, Type *T);
  Held valueOf(Value *X, uint64_t At, Type *T);

  const DataLayout &DL;
  std::vector<std::unique_ptr<Fields>> All;
  DenseMap<const Value *, const Fields *> ByVariable;
  MapVector<LoadInst *, std::pair<const Fields *, uint64_t>> PlaceOf;
  /// What comes round says nothing new.
  std::set<std::tuple<const void *, uint64_t, Type *>> Asked;
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
    Writes.push_back({At, DL.getTypeStoreSize(Stored->getType()), Stored});
    return true;
  }
  if (auto *Bulk = dyn_cast<AnyMemIntrinsic>(By)) {
    auto *Length = dyn_cast<ConstantInt>(Bulk->getLength());
    if (&Bulk->getRawDestUse() != &U)
      return true;
    Write W = {At, Length ? Length->getZExtValue() : ~uint64_t(0) / 2};
    if (auto *Copy = dyn_cast<AnyMemTransferInst>(Bulk)) {
      APInt From(DL.getIndexTypeSizeInBits(Copy->getRawSource()->getType()), 0);
      Value *Source = Copy->getRawSource()->stripAndAccumulateConstantOffsets(
          DL, From, /*AllowNonInbounds=*/true);
      if (!From.isNegative()) {
        W.Source = Source;
        W.SourceOffset = From.getZExtValue();
      }
    }
    Writes.push_back(W);
    return true;
  }
  if (auto *I = dyn_cast<IntrinsicInst>(By); I && I->isLifetimeStartOrEnd())
    return true;
  return isa<ICmpInst>(By);
}

/// The part \p At bytes into \p X.
Held Variables::valueOf(Value *X, uint64_t At, Type *T) {
  if (auto *C = dyn_cast<Constant>(X)) {
    Constant *Part = ConstantFoldLoadFromConst(C, T, APInt(64, At), DL);
    if (Part && isa<UndefValue>(Part))
      return {};
    return {Part, !Part};
  }
  if (At != 0 || X->getType() != T)
    return {nullptr, true};
  if (auto *Load = dyn_cast<LoadInst>(X))
    if (auto Place = PlaceOf.find(Load); Place != PlaceOf.end())
      return at(*Place->second.first, Place->second.second, T);
  if (!isa<PHINode, SelectInst>(X))
    return {nullptr, true};
  Held Result;
  if (!Asked.insert({X, 0, T}).second)
    return Result;
  for (Value *Op :
       drop_begin(cast<User>(X)->operand_values(), isa<SelectInst>(X) ? 1 : 0))
    Result.add(valueOf(Op, 0, T));
  return Result;
}

Held Variables::written(const Fields::Write &W, uint64_t At, Type *T) {
  if (!W.At.IsExact || W.At.Least > At ||
      W.At.Least + W.Size < At + DL.getTypeStoreSize(T))
    return {nullptr, true};
  uint64_t Into = At - W.At.Least;
  if (W.Stored)
    return valueOf(W.Stored, Into, T);
  if (auto *G = dyn_cast_or_null<GlobalVariable>(W.Source);
      G && G->isConstant() && G->hasDefinitiveInitializer())
    return valueOf(G->getInitializer(), W.SourceOffset + Into, T);
  auto From = ByVariable.find(W.Source);
  return From == ByVariable.end() ? Held{nullptr, true}
                                  : at(*From->second, W.SourceOffset + Into, T);
}

/// What is ever written there.
Held Variables::at(const Fields &V, uint64_t At, Type *T) {
  Held Result;
  if (!Asked.insert({&V, At, T}).second)
    return Result;
  const uint64_t Size = DL.getTypeStoreSize(T);
  for (const Fields::Write &W : V.Writes)
    if (W.At.Least < At + Size && (!W.At.IsExact || W.At.Least + W.Size > At))
      Result.add(written(W, At, T));
  return Result;
}

bool verso::foldConstantFields(Function &F) { return Variables(F).fold(); }
