//===- WideLoop.cpp - a loop of requests becomes one of wide ones ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (test && (copies = malloc(width * stride)))
//     for (k = 0; k + width <= n; k += width) {
//       body of k + 0 without results; copy v to copies[0]
//       ...
//       r = wide request(x, copies[0], ...)
//       J[k + 0] = r[0]; ...
//     }
//     remaining iterations, as they were
//     free(copies)
//   else
//     the loop as it was
//
//===----------------------------------------------------------------------===//

#include "forward/WideLoop.h"
#include "LLVMCompat.h"
#include "emit/VersionLoop.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace verso;

/// On what is in WideLoop::Later, and on copies of it.
static constexpr StringLiteral LaterKind = "verso.later";

namespace {

class Widening {
public:
  Widening(const Request &R, Loop &L, const WideLoop &Plan,
           FunctionAnalysisManager &FAM, std::vector<Request> &Out)
      : R(R), Mark(*R.Call->getCalledFunction()), L(L), Plan(Plan), FAM(FAM),
        F(*R.Call->getFunction()), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), Out(Out) {}

  void run();

private:
  void version();
  void allocateCopies(BasicBlock *Otherwise);
  SmallVector<CallInst *, 8> unroll();
  void copyDirections(ArrayRef<CallInst *> Lanes);
  void mergeLanes(ArrayRef<CallInst *> Lanes);
  SmallVector<Instruction *, 16> dependents(ArrayRef<CallInst *> Lanes);
  Request requestOf(CallInst &Call) const;

  const Request &R;
  Function &Mark;
  Loop &L;
  const WideLoop &Plan;
  FunctionAnalysisManager &FAM;
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  std::vector<Request> &Out;
  CallInst *InCopy = nullptr; ///< The mark in the loop as it was.
  struct Place {
    Value *Start, *Stride;
  };
  SmallVector<Place, 2> Starts; ///< Where copies are.
  SmallPtrSet<const BasicBlock *, 8> InRemainder;
};

} // namespace

/// preheader: if (test) goto the loop, else to a copy of it
void Widening::version() {
  ValueToValueMapTy Map;
  Loop &Copy = versionLoop(L, Plan.Test, ".single", Map, LI, DT, SE);
  InCopy = cast<CallInst>(Map[R.Call]);
  if (!Plan.Copies.empty())
    allocateCopies(Copy.getLoopPreheader());
}

/// Copies are as far from lines of the cache as what they are copies of, so
/// that they are aligned as well.
static constexpr uint64_t Line = 64;

void Widening::allocateCopies(BasicBlock *Otherwise) {
  BasicBlock *Taking = L.getLoopPreheader();
  BasicBlock *Preheader = SplitBlock(Taking, Taking->getTerminator(), &DT, &LI);
  IRBuilder<> B(Taking->getTerminator());
  Type *Int64 = B.getInt64Ty();
  Value *Total = B.getInt64(0);
  for (const WideLoop::Copy &C : Plan.Copies) {
    Value *Stride = B.CreateAnd(B.CreateAdd(C.Bytes, B.getInt64(3 * Line - 1)),
                                B.getInt64(-Line));
    Starts.push_back({Total, Stride});
    Total = B.CreateAdd(Total, B.CreateMul(Stride, B.getInt64(Plan.Width)));
  }
  Module &M = *F.getParent();
  Value *Taken =
      B.CreateCall(M.getOrInsertFunction("malloc", B.getPtrTy(), Int64),
                   {B.CreateAdd(Total, B.getInt64(Line))});
  Value *Memory = B.CreateIntrinsic(
      Intrinsic::ptrmask, {B.getPtrTy(), Int64},
      {B.CreatePtrAdd(Taken, B.getInt64(Line - 1)), B.getInt64(-Line)});
  for (Place &P : Starts)
    P.Start = B.CreatePtrAdd(Memory, P.Start);
  B.CreateCondBr(B.CreateIsNull(Taken), Otherwise, Preheader);
  Taking->getTerminator()->eraseFromParent();
  for (PHINode &Phi : Otherwise->phis())
    Phi.addIncoming(Phi.getIncomingValue(0), Taking);
  DT.insertEdge(Taking, Otherwise);
  BasicBlock *Exit = L.getExitBlock();
  IRBuilder<>(Exit, Exit->getFirstInsertionPt())
      .CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()),
                  {Taken});
}

/// The marks of one new iteration in their order; none if they are not one
/// after the other.
SmallVector<CallInst *, 8> Widening::unroll() {
  UnrollLoopOptions Options{};
  Options.Count = Plan.Width;
  Options.Force = true;
  Options.Runtime = true;
  Options.AllowExpensiveTripCount = true;
  Options.ForgetAllSCEV = true;
  Loop *Remainder = nullptr;
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  UnrollLoop(&L, Options, &LI, &SE, &DT, &AC, &TTI, &ORE,
             /*PreserveLCSSA=*/true, &Remainder);
  if (Remainder)
    compat::insertRange(InRemainder, Remainder->blocks());
  DominatorTree NewDT(F);
  PostDominatorTree PDT(F);
  SmallVector<CallInst *, 8> Lanes;
  for (User *U : Mark.users())
    if (auto *Call = cast<CallInst>(U);
        Call != InCopy && !InRemainder.contains(Call->getParent()))
      Lanes.push_back(Call);
  sort(Lanes, [&](CallInst *A, CallInst *B) {
    return A != B && NewDT.dominates(A, B);
  });
  bool InOrder = Lanes.size() == Plan.Width;
  for (unsigned K = 1; InOrder && K != Lanes.size(); ++K)
    InOrder = NewDT.dominates(Lanes[K - 1], Lanes[K]) &&
              PDT.dominates(Lanes[K]->getParent(), Lanes[K - 1]->getParent());
  if (!InOrder)
    Lanes.clear();
  return Lanes;
}

/// The operand of a mark that is the tangent of argument K.
static unsigned operandOf(const Request &R, unsigned K) {
  return count_if(ArrayRef(R.Arguments).take_front(K),
                  [](const RequestArgument &A) {
                    return A.Activity != ArgumentActivity::Const;
                  });
}

void Widening::copyDirections(ArrayRef<CallInst *> Lanes) {
  for (auto [C, First] : zip_equal(Plan.Copies, Starts)) {
    unsigned Operand = operandOf(R, C.Argument);
    Value *Start = First.Start;
    for (CallInst *Lane : Lanes) {
      IRBuilder<> B(Lane);
      Value *From = B.CreatePtrAdd(Lane->getArgOperand(Operand), C.Low);
      Value *Beyond = B.CreateAnd(B.CreatePtrToInt(From, B.getInt64Ty()),
                                  B.getInt64(Line - 1));
      Value *To = B.CreatePtrAdd(Start, Beyond);
      B.CreateMemCpy(To, MaybeAlign(), From, MaybeAlign(), C.Bytes);
      Lane->setArgOperand(Operand, B.CreatePtrAdd(To, B.CreateNeg(C.Low)));
      Start = B.CreatePtrAdd(Start, First.Stride);
    }
  }
}

/// What waits for results and stands before the last of \p Lanes, in its order.
SmallVector<Instruction *, 16>
Widening::dependents(ArrayRef<CallInst *> Lanes) {
  DominatorTree NewDT(F);
  SmallVector<Instruction *, 16> Found;
  for (Instruction &I : instructions(F))
    if (I.hasMetadata(LaterKind) && !InRemainder.contains(I.getParent()) &&
        NewDT.dominates(&I, Lanes.back()))
      Found.push_back(&I);
  sort(Found, [&](Instruction *A, Instruction *B) {
    return A != B && NewDT.dominates(A, B);
  });
  return Found;
}

/// The request of one mark.
Request Widening::requestOf(CallInst &Call) const {
  Request Single = R;
  Single.Call = &Call;
  unsigned Operand = 0;
  for (RequestArgument &A : Single.Arguments)
    if (A.Activity != ArgumentActivity::Const)
      A.Shadow = Call.getArgOperand(Operand++);
  return Single;
}

void Widening::mergeLanes(ArrayRef<CallInst *> Lanes) {
  SmallVector<Instruction *, 16> Later = dependents(Lanes);
  CallInst &Last = *Lanes.back();
  Request Wide = requestOf(*Lanes.front());
  Wide.Width = Lanes.size();
  Wide.AsOne = true;
  for (CallInst *Lane : Lanes.drop_front())
    for (auto [All, One] : zip(Wide.Arguments, requestOf(*Lane).Arguments))
      if (All.Activity != ArgumentActivity::Const)
        All.OtherShadows.push_back(One.Shadow);
  bool IsUsed = any_of(Lanes, [](CallInst *C) { return !C->use_empty(); });
  Type *Void = Type::getVoidTy(F.getContext());
  Wide.ResultType =
      IsUsed ? ArrayType::get(Last.getType(), Lanes.size()) : Void;
  SmallVector<Value *, 32> Operands;
  for (CallInst *Lane : Lanes)
    append_range(Operands, Lane->args());
  SmallVector<Type *, 32> Types;
  for (Value *V : Operands)
    Types.push_back(V->getType());
  auto *Callee = Function::Create(
      FunctionType::get(Wide.ResultType, Types, false),
      GlobalValue::ExternalLinkage, "verso.directions", F.getParent());
  IRBuilder<> B(&Last);
  Wide.Call = B.CreateCall(Callee, Operands);
  if (IsUsed)
    for (auto [K, Lane] : enumerate(Lanes))
      Lane->replaceAllUsesWith(B.CreateExtractValue(Wide.Call, K));
  for (Instruction *I : Later)
    I->moveBefore(*Last.getParent(), Last.getIterator());
  for (CallInst *Lane : Lanes)
    Lane->eraseFromParent();
  Out.push_back(std::move(Wide));
}

void Widening::run() {
  for (Instruction *I : Plan.Later)
    I->setMetadata(LaterKind, MDNode::get(F.getContext(), {}));
  // There may be no memory for copies.
  if (Plan.Test || !Plan.Copies.empty())
    version();
  SmallVector<CallInst *, 8> Lanes = unroll();
  if (!Lanes.empty()) {
    copyDirections(Lanes);
    mergeLanes(Lanes);
  }
  for (Instruction &I : instructions(F))
    I.setMetadata(LaterKind, nullptr);
  for (User *U : Mark.users())
    Out.push_back(requestOf(*cast<CallInst>(U)));
  if (Mark.use_empty())
    Mark.eraseFromParent();
}

void verso::widen(const Request &R, Loop &L, const WideLoop &Plan,
                  FunctionAnalysisManager &FAM, std::vector<Request> &Out) {
  Widening(R, L, Plan, FAM, Out).run();
}
