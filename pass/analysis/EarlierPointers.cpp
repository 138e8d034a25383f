//===- EarlierPointers.cpp - where variables led before -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/EarlierPointers.h"
#include "analysis/AccessTypes.h"
#include "analysis/PlacedAccesses.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "prepare/FourierPlans.h"
#include "request/Request.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace verso;

static bool isArraysOfPlan(const Value *V) {
  auto *Call = dyn_cast<CallBase>(V);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  std::optional<KnownCall> K = F ? classifyCall(*F) : std::nullopt;
  return K && K->K == KnownCall::ArraysOfPlan;
}

CallBase *verso::arraysOfPlan(const LoadInst &Load) {
  const Value *Row = getUnderlyingObject(Load.getPointerOperand());
  return isArraysOfPlan(Row) ? const_cast<CallBase *>(cast<CallBase>(Row))
                             : nullptr;
}

/// Whether \p P is in a variable, or where such a pointer led. Unoptimised code
/// keeps pointers in local variables.
static bool isInVariable(const Value *P, unsigned MaxLoads = 6) {
  const Value *Object = getUnderlyingObject(P, /*MaxLookup=*/0);
  if (auto *II = dyn_cast<IntrinsicInst>(Object);
      II && II->getIntrinsicID() == Intrinsic::threadlocal_address)
    Object = getUnderlyingObject(II->getArgOperand(0));
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return !G->isConstant();
  if (isArraysOfPlan(Object))
    return true;
  if (!MaxLoads)
    return false;
  if (auto *Load = dyn_cast<LoadInst>(Object)) {
    const Value *From = Load->getPointerOperand();
    if (!isa<AllocaInst>(From))
      return isInVariable(From, MaxLoads - 1);
    return any_of(From->users(), [&](const User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      auto *Stored =
          Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
      return Stored && Store->getPointerOperand() == From &&
             isInVariable(Stored->getPointerOperand(), MaxLoads - 1);
    });
  }
  return false;
}

void verso::appendRange(SmallVectorImpl<ByteRange> &Ranges, ByteRange New) {
  if (!Ranges.empty() && New.Begin <= Ranges.back().End)
    Ranges.back().End = std::max(Ranges.back().End, New.End);
  else
    Ranges.push_back(New);
}

/// Of an array that goes on, its first element: where its end is nobody knows.
static SmallVector<ByteRange, 4> rangesOf(const PlacedAccesses &Accesses) {
  SmallVector<ByteRange, 8> All{{0, 1}};
  for (const PlacedAccess &P : Accesses.Places)
    if (P.IsNumber)
      All.push_back(P.Begin == INT64_MIN || P.End == INT64_MAX
                        ? ByteRange{P.Fixed, P.Fixed + 1}
                        : ByteRange{P.Begin, P.End});
  llvm::sort(All, [](ByteRange X, ByteRange Y) { return X.Begin < Y.Begin; });
  SmallVector<ByteRange, 4> Ranges;
  for (ByteRange R : All)
    appendRange(Ranges, R);
  return Ranges;
}

SmallVector<EarlierPointer, 4> verso::earlierPointers(Function &F) {
  SmallVector<EarlierPointer, 4> Result;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Load->getType()->isPointerTy() && !isInert(I) &&
        isInVariable(Load->getPointerOperand()))
      if (PlacedAccesses Behind = accessesBehind(Load, F.getDataLayout());
          Behind.AnyNumber)
        Result.push_back({Load, rangesOf(Behind)});
  return Result;
}

bool verso::mayUseEarlierPointers(Function &F) {
  SmallPtrSet<Function *, 16> Seen{&F};
  SmallVector<Function *, 16> Work{&F};
  while (!Work.empty()) {
    Function *G = Work.pop_back_val();
    if (!earlierPointers(*G).empty())
      return true;
    for (Instruction &I : instructions(*G)) {
      auto *Call = dyn_cast<CallBase>(&I);
      // What that leads to may be in another file.
      if (Call && Call->isIndirectCall() && !isInert(I))
        return true;
      for (Value *Op : I.operands())
        if (auto *Named = dyn_cast<Function>(Op)) {
          if (executesPlan(*Named))
            return true;
          if (!Named->isDeclaration() && Seen.insert(Named).second)
            Work.push_back(Named);
        }
    }
  }
  return false;
}

Value *verso::overlap(IRBuilderBase &B, Value *Base, ByteRange Range,
                      Value *Begin, uint64_t Bytes) {
  Value *From = B.CreateSub(B.CreateAdd(B.CreatePtrToInt(Base, B.getInt64Ty()),
                                        B.getInt64(Range.Begin)),
                            B.CreatePtrToInt(Begin, B.getInt64Ty()));
  // The other way round: -From < Range's size.
  return B.CreateOr(
      B.CreateICmpULT(From, B.getInt64(Bytes)),
      B.CreateICmpULT(B.CreateNeg(From), B.getInt64(Range.End - Range.Begin)));
}

/// Of the variable that \p P is in, from there.
static std::optional<uint64_t> extentOf(const Value *P, const DataLayout &DL,
                                        const TargetLibraryInfo *TLI) {
  uint64_t Bytes = 0;
  if (P->getType()->isPointerTy() && getObjectSize(P, Bytes, DL, TLI))
    return Bytes;
  return std::nullopt;
}

/// A reference says how much lies there at least.
static uint64_t referredTo(const Value *P, const DataLayout &DL) {
  APInt At(DL.getIndexTypeSizeInBits(P->getType()), 0);
  const Value *Base =
      P->stripAndAccumulateConstantOffsets(DL, At, /*AllowNonInbounds=*/true);
  bool MayBeNull = false, MayBeFreed = false;
  const uint64_t Bytes =
      Base->getPointerDereferenceableBytes(DL, MayBeNull, MayBeFreed);
  return MayBeNull || At.ugt(Bytes) ? 0 : Bytes - At.getZExtValue();
}

uint64_t verso::leastExtent(const RequestArgument &A, const DataLayout &DL,
                            const TargetLibraryInfo *TLI) {
  if (Value *Extent = A.Extent)
    if (auto *C = dyn_cast<ConstantInt>(Extent))
      return C->getZExtValue();
  if (std::optional<uint64_t> Extent = extentOf(A.Primal, DL, TLI))
    return *Extent;
  return std::max<uint64_t>(sizeof(float), referredTo(A.Primal, DL));
}

uint64_t verso::mostExtent(const RequestArgument &A, const DataLayout &DL,
                           const TargetLibraryInfo *TLI) {
  uint64_t Most = UINT64_MAX;
  for (Value *P :
       {static_cast<Value *>(A.Primal), static_cast<Value *>(A.Shadow)})
    if (P)
      Most = std::min(Most, extentOf(P, DL, TLI).value_or(Most));
  return Most;
}

/// Up to where there is something in an object of a type of TBAA: {name,
/// parent, 0}, whose size is not said, or {name, member, offset, member,
/// offset...} of a structure, which may have one member.
static uint64_t endOfMembers(const MDNode *Type, uint64_t PointerBytes,
                             unsigned MaxDepth = 16) {
  constexpr unsigned OfScalar = 3;
  const unsigned Count = Type->getNumOperands();
  auto *Name = Count ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
  uint64_t End = 0;
  if (Name && Count >= OfScalar)
    End = isPointerName(Name->getString()) ? PointerBytes : 1;
  for (unsigned K = 1; MaxDepth && K + 1 < Count; K += 2) {
    auto *Member = dyn_cast_or_null<MDNode>(Type->getOperand(K));
    auto *At =
        mdconst::dyn_extract_or_null<ConstantInt>(Type->getOperand(K + 1));
    if (!Member || !At)
      return 0;
    if (uint64_t OfMember = endOfMembers(Member, PointerBytes, MaxDepth - 1))
      End = std::max(End, At->getZExtValue() + OfMember);
  }
  return End;
}

/// Optimised code has no types in its steps, but in its accesses: how far from
/// the access the object goes on that it is said to be of.
static uint64_t typedExtent(const Instruction &Access, const DataLayout &DL) {
  const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3)
    return 0;
  auto *Object = dyn_cast_or_null<MDNode>(Tag->getOperand(0));
  auto *At = mdconst::dyn_extract_or_null<ConstantInt>(Tag->getOperand(2));
  if (!Object || !At)
    return 0;
  const uint64_t End = endOfMembers(Object, DL.getPointerSize());
  return End > At->getZExtValue() ? End - At->getZExtValue() : 0;
}

/// Unoptimised code has the types of structures in its steps, and keeps the
/// parameters of what it calls in local variables.
static uint64_t placedExtent(const Argument &Parameter) {
  constexpr unsigned MaxPointers = 256;
  const DataLayout &DL = Parameter.getParent()->getDataLayout();
  SmallPtrSet<const Value *, 16> Seen{&Parameter};
  SmallVector<std::pair<const Value *, uint64_t>, 16> Work{{&Parameter, 0}};
  uint64_t Most = 0;
  auto Reach = [&](const Value *P, uint64_t At) {
    if (Seen.size() < MaxPointers && Seen.insert(P).second)
      Work.push_back({P, At});
  };
  auto Access = [&](uint64_t At, TypeSize Bytes) {
    if (!Bytes.isScalable())
      Most = std::max(Most, At + Bytes.getFixedValue());
  };
  while (!Work.empty()) {
    auto [P, At] = Work.pop_back_val();
    if (auto *A = dyn_cast<Argument>(P))
      Most = std::max(Most, At + A->getDereferenceableBytes());
    for (const Use &U : P->uses()) {
      const User *By = U.getUser();
      if (auto *Load = dyn_cast<LoadInst>(By)) {
        Access(At, DL.getTypeStoreSize(Load->getType()));
        Most = std::max(Most, At + typedExtent(*Load, DL));
      } else if (auto *Store = dyn_cast<StoreInst>(By)) {
        if (U.getOperandNo() == Store->getPointerOperandIndex()) {
          Access(At, DL.getTypeStoreSize(Store->getValueOperand()->getType()));
          Most = std::max(Most, At + typedExtent(*Store, DL));
        } else if (isa<AllocaInst>(Store->getPointerOperand()))
          for (const User *Again : Store->getPointerOperand()->users())
            if (isa<LoadInst>(Again) && Again->getType()->isPointerTy())
              Reach(Again, At);
      } else if (auto *Step = dyn_cast<GEPOperator>(By)) {
        APInt Distance(DL.getIndexTypeSizeInBits(Step->getType()), 0);
        if (!Step->accumulateConstantOffset(DL, Distance) ||
            Distance.isNegative())
          continue;
        if (isa<StructType>(Step->getSourceElementType()))
          Access(At, DL.getTypeAllocSize(Step->getSourceElementType()));
        Reach(Step, At + Distance.getZExtValue());
      } else if (auto *Call = dyn_cast<CallBase>(By)) {
        const Function *Callee = Call->getCalledFunction();
        if (!Call->isArgOperand(&U))
          continue;
        const unsigned K = Call->getArgOperandNo(&U);
        Most = std::max(Most, At + Call->getParamDereferenceableBytes(K));
        if (Callee && K < Callee->arg_size())
          Reach(Callee->getArg(K), At);
      }
    }
  }
  return Most;
}

SmallVector<uint64_t, 8> verso::placedExtents(Function &F,
                                              FunctionAnalysisManager &FAM) {
  // Parameters go through local variables, and references to these.
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  SROAPass(SROAOptions::PreserveCFG).run(*Copy, FAM);
  SmallVector<uint64_t, 8> Ends;
  for (const Argument &A : Copy->args())
    Ends.push_back(A.getType()->isPointerTy() ? placedExtent(A) : 0);
  FAM.clear(*Copy, Copy->getName());
  Copy->eraseFromParent();
  return Ends;
}
