//===- DisjointArguments.cpp - arguments told apart at run time -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/DisjointArguments.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace verso;

namespace {

/// An interval of integers, as values of 128 bits.
struct Interval {
  Value *Low, *High;
};

class Ranges {
public:
  Ranges(Function &F, ScalarEvolution &SE, const TargetLibraryInfo *TLI)
      : F(F), SE(SE), TLI(TLI), Expander(compat::scevExpander(SE, "bound")),
        B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
        Wide(B.getInt128Ty()) {}

  DisjointArguments find();

private:
  /// What is accessed from one pointer: offsets, and bytes there.
  struct Accesses {
    SmallSetVector<std::pair<const SCEV *, const SCEV *>, 8> At;
    bool IsWritten = false;
  };

  bool collect();
  bool add(const Value *P, const SCEV *Bytes, bool IsWrite);
  bool addCall(CallBase &Call);
  bool isAtEntry(const SCEV *S) const;
  std::optional<Interval> interval(const SCEV *S);
  std::optional<Interval> intervalOfLoop(const SCEVAddRecExpr &S);
  std::optional<Interval> addresses(Value *Base, const Accesses &A);
  Value *smaller(Value *X, Value *Y) {
    return B.CreateBinaryIntrinsic(Intrinsic::smin, X, Y);
  }
  Value *larger(Value *X, Value *Y) {
    return B.CreateBinaryIntrinsic(Intrinsic::smax, X, Y);
  }
  /// Products and sums of what it returns are exact.
  Value *limit(Value *X) {
    Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
    return larger(smaller(X, Most), B.CreateNeg(Most));
  }
  Function *asFunction(Value *Condition);

  Function &F;
  ScalarEvolution &SE;
  const TargetLibraryInfo *TLI;
  SCEVExpander Expander;
  IRBuilder<> B;
  Type *Wide;
  MapVector<Value *, Accesses> ByBase;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is accessed
//===----------------------------------------------------------------------===//

/// Memory that no argument leads to, or that nobody writes.
static bool isApart(const Value *Object) {
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return G->isConstant();
  auto *Call = dyn_cast<CallBase>(Object);
  return isa<AllocaInst, ConstantPointerNull, UndefValue, Function>(Object) ||
         isNoAliasCall(Object) ||
         (Call && calls(*Call, RuntimeFunction::ArenaTake));
}

bool Ranges::add(const Value *P, const SCEV *Bytes, bool IsWrite) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
  if (all_of(Objects, isApart))
    return true;
  const SCEV *Address = SE.getSCEV(const_cast<Value *>(P));
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base || !isa<Argument, GlobalVariable>(Base->getValue()))
    return false;
  constexpr unsigned MostAccesses = 128;
  Accesses &A = ByBase[Base->getValue()];
  A.At.insert({SE.removePointerBase(Address), Bytes});
  A.IsWritten |= IsWrite;
  return A.At.size() <= MostAccesses;
}

bool Ranges::addCall(CallBase &Call) {
  if (!Call.mayReadOrWriteMemory() || isa<DbgInfoIntrinsic>(Call) ||
      Call.isLifetimeStartOrEnd() || isa<NoAliasScopeDeclInst>(Call) ||
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
    return isApart(getUnderlyingObject(Call.getArgOperand(M.Known->Source)));
  default:
    return false;
  }
}

bool Ranges::collect() {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : instructions(F)) {
    if (const Value *P = getLoadStorePointerOperand(&I)) {
      uint64_t Bytes = DL.getTypeStoreSize(getLoadStoreType(&I));
      if (!add(P, SE.getConstant(B.getInt64Ty(), Bytes), isa<StoreInst>(I)))
        return false;
    } else if (auto *Call = dyn_cast<CallBase>(&I)) {
      if (!addCall(*Call))
        return false;
    } else if (I.mayReadOrWriteMemory()) {
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

/// Whether the function's entry can compute it.
bool Ranges::isAtEntry(const SCEV *S) const {
  if (SCEVExprContains(S, [](const SCEV *Part) {
        auto *V = dyn_cast<SCEVUnknown>(Part);
        return isa<SCEVAddRecExpr, SCEVCouldNotCompute>(Part) ||
               (V && !isa<Argument, Constant>(V->getValue()));
      }))
    return false;
  return Expander.isSafeToExpand(S);
}

/// {Start,+,Step}<L> is Start + Step * k, k = 0 ... count of L's back edge.
std::optional<Interval> Ranges::intervalOfLoop(const SCEVAddRecExpr &S) {
  const SCEV *Step = S.getStepRecurrence(SE);
  const SCEV *Count = SE.getSymbolicMaxBackedgeTakenCount(S.getLoop());
  if (!S.isAffine() || !isAtEntry(Step) || isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return std::nullopt;
  auto Start = interval(S.getStart()), By = interval(Step),
       Times = interval(SE.getNoopOrZeroExtend(Count, B.getInt64Ty()));
  if (!Start || !By || !Times)
    return std::nullopt;
  Value *Way = B.CreateMul(By->Low, Times->High);
  Value *Zero = ConstantInt::get(Wide, 0);
  return Interval{B.CreateAdd(Start->Low, smaller(Way, Zero)),
                  B.CreateAdd(Start->High, larger(Way, Zero))};
}

/// The values that S may have, as a signed integer.
std::optional<Interval> Ranges::interval(const SCEV *S) {
  unsigned Bits = SE.getTypeSizeInBits(S->getType());
  if (Bits > 64)
    return std::nullopt;
  auto Limited = [&](std::optional<Interval> I) {
    if (I)
      I = Interval{limit(I->Low), limit(I->High)};
    return I;
  };
  if (isAtEntry(S)) {
    Value *X = Expander.expandCodeFor(S, S->getType(), B.GetInsertPoint());
    X = limit(B.CreateSExt(X, Wide));
    return Interval{X, X};
  }
  // An expression of fewer bits may wrap around where it is none of the
  // program's.
  if (Bits == 64) {
    if (auto *Loop = dyn_cast<SCEVAddRecExpr>(S))
      if (auto I = Limited(intervalOfLoop(*Loop)))
        return I;
    if (auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
      std::optional<Interval> All;
      for (const SCEV *Part : Sum->operands()) {
        auto I = interval(Part);
        if (!I)
          return std::nullopt;
        All = All ? Interval{B.CreateAdd(All->Low, I->Low),
                             B.CreateAdd(All->High, I->High)}
                  : *I;
      }
      return Limited(All);
    }
    if (auto *Product = dyn_cast<SCEVMulExpr>(S);
        Product && Product->getNumOperands() == 2 &&
        isAtEntry(Product->getOperand(0))) {
      auto Factor = interval(Product->getOperand(0)),
           I = interval(Product->getOperand(1));
      if (!Factor || !I)
        return std::nullopt;
      Value *X = B.CreateMul(Factor->Low, I->Low),
            *Y = B.CreateMul(Factor->Low, I->High);
      return Limited(Interval{smaller(X, Y), larger(X, Y)});
    }
  }
  ConstantRange Known = SE.getSignedRange(S);
  if (Known.isFullSet())
    return std::nullopt;
  auto Bound = [&](const APInt &C) {
    return limit(ConstantInt::get(Wide, C.sext(128)));
  };
  return Interval{Bound(Known.getSignedMin()), Bound(Known.getSignedMax())};
}

/// From the first byte to behind the last.
std::optional<Interval> Ranges::addresses(Value *Base, const Accesses &A) {
  std::optional<Interval> All;
  for (auto [Offset, Bytes] : A.At) {
    auto From = interval(Offset), Size = interval(Bytes);
    if (!From || !Size)
      return std::nullopt;
    Interval I{From->Low, B.CreateAdd(From->High, Size->High)};
    All =
        All ? Interval{smaller(All->Low, I.Low), larger(All->High, I.High)} : I;
  }
  Value *Address = B.CreateZExt(B.CreatePtrToInt(Base, B.getInt64Ty()), Wide);
  return Interval{B.CreateAdd(Address, limit(All->Low)),
                  B.CreateAdd(Address, limit(All->High))};
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

/// Moves what \p Condition is computed from into a function.
Function *Ranges::asFunction(Value *Condition) {
  SmallVector<Type *, 8> Types;
  for (Argument &A : F.args())
    Types.push_back(A.getType());
  Function *Test = Function::Create(
      FunctionType::get(B.getInt1Ty(), Types, false),
      GlobalValue::InternalLinkage, F.getName() + ".disjoint", F.getParent());
  ValueToValueMapTy Map;
  for (auto [Mine, Its] : zip(F.args(), Test->args()))
    Map[&Mine] = &Its;
  SmallPtrSet<const Instruction *, 32> Slice;
  SmallVector<Instruction *, 64> Work;
  auto Push = [&](Value *V) {
    if (auto *I = dyn_cast<Instruction>(V); I && Slice.insert(I).second)
      Work.push_back(I);
  };
  Push(Condition);
  while (!Work.empty())
    for (Value *Op : Work.pop_back_val()->operands())
      Push(Op);
  IRBuilder<> Body(BasicBlock::Create(F.getContext(), "entry", Test));
  for (Instruction &I : F.getEntryBlock())
    if (Slice.contains(&I)) {
      Instruction *Copy = Body.Insert(I.clone());
      RemapInstruction(Copy, Map, RF_NoModuleLevelChanges);
      Map[&I] = Copy;
    }
  Body.CreateRet(MapValue(Condition, Map, RF_NoModuleLevelChanges));
  return Test;
}

DisjointArguments Ranges::find() {
  constexpr unsigned MostPointers = 16;
  if (!collect() || ByBase.size() < 2 || ByBase.size() > MostPointers ||
      none_of(ByBase, [](const auto &A) { return A.second.IsWritten; }))
    return {};
  SmallPtrSet<const Instruction *, 32> Before;
  for (Instruction &I : F.getEntryBlock())
    Before.insert(&I);
  DisjointArguments Result;
  SmallVector<std::pair<Interval, bool>, 8> Found;
  Value *Condition = B.getTrue();
  bool IsKnown = true;
  for (auto &[Base, A] : ByBase) {
    std::optional<Interval> I = addresses(Base, A);
    if (!I) {
      IsKnown = false;
      break;
    }
    for (auto &[J, IsWritten] : Found)
      if (IsWritten || A.IsWritten)
        Condition =
            B.CreateAnd(Condition, B.CreateOr(B.CreateICmpSLE(I->High, J.Low),
                                              B.CreateICmpSLE(J.High, I->Low)));
    // Addresses, not what wraps around to them.
    Condition = B.CreateAnd(
        Condition,
        B.CreateAnd(B.CreateICmpSGE(I->Low, ConstantInt::get(Wide, 0)),
                    B.CreateICmpSLT(
                        I->High, ConstantInt::get(Wide, uint64_t(1) << 62))));
    Found.push_back({*I, A.IsWritten});
    if (auto *P = dyn_cast<Argument>(Base))
      Result.Arguments.push_back(P->getArgNo());
  }
  if (IsKnown)
    Result.Test = asFunction(Condition);
  else
    Result.Arguments.clear();
  Expander.clear();
  SmallVector<Instruction *, 64> Mine;
  for (Instruction &I : F.getEntryBlock())
    if (!Before.contains(&I))
      Mine.push_back(&I);
  for (Instruction *I : reverse(Mine)) {
    SE.forgetValue(I);
    I->eraseFromParent();
  }
  return Result;
}

DisjointArguments verso::findDisjointArguments(Function &F, ScalarEvolution &SE,
                                               const TargetLibraryInfo *TLI) {
  return Ranges(F, SE, TLI).find();
}
