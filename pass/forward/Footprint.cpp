//===- Footprint.cpp - what a function reads and writes -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/Footprint.h"
#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "analysis/ArgumentAccesses.h"
#include "analysis/CallModel.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace verso;

namespace {

/// A copy of a function, with what it calls inlined, simplified; for looking
/// at. With \p AllApart, as if no two of its arguments overlapped.
class InlinedCopy {
public:
  InlinedCopy(Function &Original, FunctionAnalysisManager &FAM, bool AllApart);
  ~InlinedCopy();

  Function &function() { return *F; }
  ScalarEvolution &evolution() {
    return FAM.getResult<ScalarEvolutionAnalysis>(*F);
  }
  AAResults &aliases() { return FAM.getResult<AAManager>(*F); }
  LoopInfo &loops() { return FAM.getResult<LoopAnalysis>(*F); }
  const TargetLibraryInfo *library() {
    return &FAM.getResult<TargetLibraryAnalysis>(*F);
  }

private:
  void inlineCalls();

  Function *F;
  FunctionAnalysisManager &FAM;
};

} // namespace

InlinedCopy::InlinedCopy(Function &Original, FunctionAnalysisManager &FAM,
                         bool AllApart)
    : FAM(FAM) {
  ValueToValueMapTy Map;
  F = CloneFunction(&Original, Map);
  F->setLinkage(GlobalValue::InternalLinkage);
  if (AllApart)
    for (Argument &A : F->args())
      if (A.getType()->isPointerTy())
        A.addAttr(Attribute::NoAlias);
  inlineCalls();
  // Local variables go, but no other store: what is put back later has been
  // overwritten all the same, in the functions that are differentiated.
  FunctionPassManager Simplify;
  Simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
  Simplify.addPass(InstSimplifyPass());
  Simplify.addPass(SimplifyCFGPass());
  Simplify.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  Simplify.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  FAM.invalidate(*F, PreservedAnalyses::none());
  FAM.invalidate(*F, Simplify.run(*F, FAM));
}

InlinedCopy::~InlinedCopy() {
  FAM.clear(*F, F->getName());
  F->eraseFromParent();
}

/// Calls that are left over, of functions that call themselves say, are found
/// in the way later.
void InlinedCopy::inlineCalls() {
  constexpr unsigned MostCalls = 500, MostInstructions = 20000;
  SmallVector<CallBase *, 16> Work;
  for (Instruction &I : instructions(*F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Work.push_back(Call);
  for (unsigned N = 0; !Work.empty() && N != MostCalls; ++N) {
    CallBase *Call = Work.pop_back_val();
    CallModel M = modelCall(*Call, library());
    if (M.K != CallModel::Direct || M.Callee->isVarArg() ||
        Call->getCalledOperand() != M.Callee ||
        Call->getFunctionType() != M.Callee->getFunctionType() ||
        !isInlineViable(*M.Callee).isSuccess() ||
        F->getInstructionCount() > MostInstructions)
      continue;
    InlineFunctionInfo Info;
    if (InlineFunction(*Call, Info, /*MergeAttributes=*/false,
                       /*CalleeAAR=*/nullptr, /*InsertLifetime=*/false)
            .isSuccess())
      append_range(Work, Info.InlinedCallSites);
  }
}

bool verso::mayComeToErrno(const Instruction &I, AAResults &AA,
                           ScalarEvolution &SE) {
  auto MayBe = [&](const MemoryLocation &Place) {
    return (!Place.Size.hasValue() ||
            Place.Size.getValue().getKnownMinValue() <= sizeof(int)) &&
           compat::mayBeErrno(AA, Place, *I.getModule());
  };
  if (isa<LoadInst, StoreInst>(I))
    return MayBe(MemoryLocation::get(&I));
  auto *Bulk = dyn_cast<MemIntrinsic>(&I);
  if (!Bulk ||
      SE.getConstantMultiple(SE.getSCEV(Bulk->getLength())).ugt(sizeof(int)))
    return false;
  auto *Copy = dyn_cast<MemTransferInst>(Bulk);
  return MayBe(MemoryLocation::getForDest(Bulk)) ||
         (Copy && MayBe(MemoryLocation::getForSource(Copy)));
}

/// Whether local variables take so little that there is room for those of
/// several directions.
static bool isSmallOnStack(const Function &F) {
  constexpr uint64_t MostBytes = 64 << 10;
  uint64_t Bytes = 0;
  for (const Instruction &I : instructions(F))
    if (auto *Local = dyn_cast<AllocaInst>(&I)) {
      std::optional<TypeSize> Size =
          Local->getAllocationSize(F.getDataLayout());
      if (!Size || Size->isScalable() || *Size > MostBytes)
        return false;
      Bytes += *Size;
    }
  return Bytes <= MostBytes;
}

/// About how many loads and stores a run makes, as an i64. A loop of unknown
/// count is taken for one iteration.
static Value *countAccesses(Function &F, LoopInfo &LI, ScalarEvolution &SE,
                            AddressRanges &Bounds) {
  IRBuilder<> &B = Bounds.builder();
  auto Wide = [&](uint64_t N) { return ConstantInt::get(B.getInt128Ty(), N); };
  Value *Most = Wide(uint64_t(1) << 40);
  DenseMap<const Loop *, Value *> Times{{nullptr, Wide(1)}};
  for (const Loop *L : LI.getLoopsInPreorder()) {
    Value *N = Times[L->getParentLoop()];
    const SCEV *Count = SE.getBackedgeTakenCount(L);
    std::optional<Interval> I;
    if (!isa<SCEVCouldNotCompute>(Count) &&
        SE.getTypeSizeInBits(Count->getType()) <= 64)
      I = Bounds.interval(SE.getNoopOrZeroExtend(Count, B.getInt64Ty()));
    if (I)
      N = B.CreateMul(N, B.CreateAdd(I->High, Wide(1)));
    Times[L] = B.CreateBinaryIntrinsic(Intrinsic::umin, N, Most);
  }
  Value *Sum = Wide(0);
  for (BasicBlock &Block : F)
    if (uint64_t Here = count_if(Block, [](const Instruction &I) {
          return I.mayReadOrWriteMemory();
        }))
      Sum = B.CreateAdd(Sum,
                        B.CreateMul(Times[LI.getLoopFor(&Block)], Wide(Here)));
  return B.CreateTrunc(B.CreateBinaryIntrinsic(Intrinsic::umin, Sum, Most),
                       B.getInt64Ty());
}

/// What makes of a run more than what is written; null if nothing does.
static const Instruction *findEffect(Function &F,
                                     const TargetLibraryInfo *TLI) {
  for (Instruction &I : instructions(F)) {
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && !Call->doesNotThrow() && !isa<IntrinsicInst>(I) &&
        modelCall(*Call, TLI).K != CallModel::Operation)
      return &I;
    // Local memory that others come to know would be another one each time.
    if (isa<AllocaInst>(I) || isNoAliasCall(&I)) {
      if (compat::pointerMayBeCaptured(I, /*ReturnCaptures=*/true))
        return &I;
    } else if (I.isVolatile() || I.isAtomic()) {
      return &I;
    } else if (isa<ResumeInst, CallBrInst>(I)) {
      return &I;
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (Store->getValueOperand()->getType()->isPtrOrPtrVectorTy())
        return &I;
    }
  }
  return nullptr;
}

static std::string describe(const Instruction &I) {
  std::string Where = I.getDebugLoc() ? " at " + describeLocation(I) : "";
  if (auto *Call = dyn_cast<CallBase>(&I))
    if (const Function *Callee = Call->getCalledFunction())
      return "it calls '" + sourceName(*Callee) + "'" + Where;
  if (isa<CallBase>(I))
    return "it calls through a pointer" + Where;
  if (isa<AllocaInst>(I))
    return "it hands on pointers to its local variables";
  return "it reaches memory in a way that is not known" + Where;
}

/// Whether \p F writes everything that it reads of these parts before, if no
/// two of them overlap.
static bool writesFirst(Function &F, FunctionAnalysisManager &FAM,
                        ArrayRef<unsigned> Arguments) {
  InlinedCopy Copy(F, FAM, /*AllApart=*/true);
  ArgumentAccesses Found(Copy.function(), Copy.evolution(), Copy.library());
  return !Found.unknown() && all_of(Arguments, [&](unsigned K) {
    auto It = Found.byBase().find(Copy.function().getArg(K));
    return It == Found.byBase().end() || !It->second.IsRead;
  });
}

Footprint verso::findFootprint(Function &F, FunctionAnalysisManager &FAM) {
  Footprint Result;
  InlinedCopy Copy(F, FAM, /*AllApart=*/false);
  Function &G = Copy.function();
  ArgumentAccesses Found(G, Copy.evolution(), Copy.library());
  const Instruction *InTheWay = Found.unknown();
  if (!InTheWay)
    InTheWay = findEffect(G, Copy.library());
  if (InTheWay) {
    Result.Why = "'" + sourceName(F) +
                 "' may not be run once for several: " + describe(*InTheWay);
    return Result;
  }
  Result.MaySetErrno = any_of(instructions(G), [](const Instruction &I) {
    return isa<CallBase>(I) && !isa<IntrinsicInst>(I) && I.mayWriteToMemory();
  });
  if (Result.MaySetErrno && any_of(instructions(G), [&](const Instruction &I) {
        return I.mayReadFromMemory() &&
               mayComeToErrno(I, Copy.aliases(), Copy.evolution());
      })) {
    Result.Why = "'" + sourceName(F) + "' may read errno, and set it";
    return Result;
  }
  if (!isSmallOnStack(G)) {
    Result.Why = "'" + sourceName(F) +
                 "' has local variables of a size that is large or not known";
    return Result;
  }
  AddressRanges Bounds(Copy.evolution(),
                       &*G.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  IRBuilder<> &B = Bounds.builder();
  SmallVector<Value *, 16> Numbers;
  SmallVector<unsigned, 4> MustWriteFirst;
  for (auto &[Base, A] : Found.byBase()) {
    Footprint::Part P{Base, A.IsWritten, std::nullopt};
    auto *Parameter = dyn_cast<Argument>(Base);
    if (Parameter)
      P.Base = F.getArg(Parameter->getArgNo());
    if (A.IsRead && A.IsWritten) {
      if (!Parameter) {
        Result.Why = "'" + sourceName(F) + "' reads and writes '" +
                     Base->getName().str() + "'";
        return Result;
      }
      MustWriteFirst.push_back(Parameter->getArgNo());
    }
    if (std::optional<Interval> I = ArgumentAccesses::offsets(A, Bounds)) {
      P.Low = Numbers.size();
      Numbers.push_back(B.CreateTrunc(I->Low, B.getInt64Ty()));
      Numbers.push_back(B.CreateTrunc(I->High, B.getInt64Ty()));
    }
    Result.Parts.push_back(P);
  }
  if (!MustWriteFirst.empty() && !writesFirst(F, FAM, MustWriteFirst)) {
    Result.Why = "'" + sourceName(F) + "' may read what it has written before";
    return Result;
  }
  Result.Accesses = Numbers.size();
  Numbers.push_back(countAccesses(G, Copy.loops(), Copy.evolution(), Bounds));
  Value *All = PoisonValue::get(ArrayType::get(B.getInt64Ty(), Numbers.size()));
  for (auto [K, V] : enumerate(Numbers))
    All = B.CreateInsertValue(All, B.CreateFreeze(V), K);
  Result.Bounds = asFunctionOfArguments(G, All, ".bounds");
  return Result;
}
