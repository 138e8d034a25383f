//===- ArgumentAccesses.cpp - what is reached by each argument ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ArgumentAccesses.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace verso;

bool verso::isOfFunction(const Value *Object) {
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return G->isConstant();
  auto *Call = dyn_cast<CallBase>(Object);
  return isa<AllocaInst, ConstantPointerNull, UndefValue, Function>(Object) ||
         isNoAliasCall(Object) ||
         (Call && calls(*Call, RuntimeFunction::ArenaTake));
}

bool ArgumentAccesses::add(const Value *P, const SCEV *Bytes, bool IsWrite) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
  if (all_of(Objects, isOfFunction))
    return true;
  const SCEV *Address = SE.getSCEV(const_cast<Value *>(P));
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base || !isa<Argument, GlobalVariable>(Base->getValue()))
    return false;
  constexpr unsigned MostAccesses = 128;
  Accesses &A = ByBase[Base->getValue()];
  A.At.insert({SE.removePointerBase(Address), Bytes});
  (IsWrite ? A.IsWritten : A.IsRead) = true;
  return A.At.size() <= MostAccesses;
}

bool ArgumentAccesses::addCall(CallBase &Call) {
  if (!Call.mayReadOrWriteMemory() || isa<DbgInfoIntrinsic>(Call) ||
      (isa<IntrinsicInst>(Call) &&
       cast<IntrinsicInst>(Call).isAssumeLikeIntrinsic()) ||
      calls(Call, RuntimeFunction::ArenaTake))
    return true;
  if (auto *Bulk = dyn_cast<AnyMemIntrinsic>(&Call)) {
    const SCEV *Bytes = SE.getSCEV(Bulk->getLength());
    auto *Copy = dyn_cast<AnyMemTransferInst>(Bulk);
    return add(Bulk->getRawDest(), Bytes, /*IsWrite=*/true) &&
           (!Copy || add(Copy->getRawSource(), Bytes, /*IsWrite=*/false));
  }
  CallModel M = modelCall(Call, TLI);
  if (M.K == CallModel::Operation)
    return none_of(Call.args(),
                   [](const Use &U) { return U->getType()->isPointerTy(); });
  if (M.K != CallModel::Library || !M.Known)
    return false;
  switch (M.Known->K) {
  case KnownCall::Allocate:
  case KnownCall::AllocateZeroed:
    return true;
  case KnownCall::Free:
    return isOfFunction(
        getUnderlyingObject(Call.getArgOperand(M.Known->Source)));
  default:
    return false;
  }
}

bool ArgumentAccesses::collect(Instruction &I) {
  if (const Value *P = getLoadStorePointerOperand(&I)) {
    uint64_t Bytes = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
    return add(P, SE.getConstant(Int64, Bytes), isa<StoreInst>(I));
  }
  if (auto *Call = dyn_cast<CallBase>(&I))
    return addCall(*Call);
  return !I.mayReadOrWriteMemory();
}

ArgumentAccesses::ArgumentAccesses(Function &F, ScalarEvolution &SE,
                                   const TargetLibraryInfo *TLI)
    : SE(SE), TLI(TLI), Int64(Type::getInt64Ty(F.getContext())) {
  for (Instruction &I : instructions(F))
    if (!collect(I)) {
      Unknown = &I;
      return;
    }
}

std::optional<Interval> ArgumentAccesses::offsets(const Accesses &A,
                                                  AddressRanges &Bounds) {
  std::optional<Interval> All;
  for (auto [Offset, Bytes] : A.At) {
    auto From = Bounds.interval(Offset), Size = Bounds.interval(Bytes);
    if (!From || !Size)
      return std::nullopt;
    Interval I = Bounds.bytes(*From, *Size);
    All = All ? Bounds.together(*All, I) : I;
  }
  return All;
}

Function *verso::asFunctionOfArguments(Function &F, Value *Result,
                                       const Twine &Suffix) {
  SmallVector<Type *, 8> Types;
  for (Argument &A : F.args())
    Types.push_back(A.getType());
  Function *New = Function::Create(
      FunctionType::get(Result->getType(), Types, false),
      GlobalValue::InternalLinkage, F.getName() + Suffix, F.getParent());
  ValueToValueMapTy Map;
  for (auto [Mine, Its] : zip(F.args(), New->args()))
    Map[&Mine] = &Its;
  SmallPtrSet<const Instruction *, 32> Slice;
  SmallVector<Instruction *, 64> Work;
  auto Push = [&](Value *V) {
    if (auto *I = dyn_cast<Instruction>(V); I && Slice.insert(I).second)
      Work.push_back(I);
  };
  Push(Result);
  while (!Work.empty())
    for (Value *Op : Work.pop_back_val()->operands())
      Push(Op);
  IRBuilder<> Body(BasicBlock::Create(F.getContext(), "entry", New));
  for (Instruction &I : F.getEntryBlock())
    if (Slice.contains(&I)) {
      Instruction *Copy = Body.Insert(I.clone());
      RemapInstruction(Copy, Map, RF_NoModuleLevelChanges);
      Map[&I] = Copy;
    }
  Body.CreateRet(MapValue(Result, Map, RF_NoModuleLevelChanges));
  return New;
}
