//===- Activity.cpp - which values can have a derivative ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Activity.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "analysis/MovedBytes.h"
#include "analysis/PointerDistance.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "rules/Zero.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace verso;

Activity::Activity(Function &F, const BitVector &VariedArguments, Scope Around,
                   const TargetLibraryInfo *TLI, const FreshMemory *Fresh)
    : Around(Around), TLI(TLI), Fresh(Fresh) {
  matchOperations(F, TLI);
  findVaried(F, VariedArguments);
  findUseful(F);
}

/// The numbers that are lost in \p I if it takes the value of an integer that
/// is computed of their bits.
static SmallVector<Value *, 2> lostIn(const Instruction &I) {
  if (!isa<SIToFPInst, UIToFPInst>(I) || isOfPartAlone(cast<CastInst>(I)))
    return {};
  return numbersInPart(cast<CastInst>(I));
}

void Activity::matchOperations(Function &F, const TargetLibraryInfo *TLI) {
  for (Instruction &I : instructions(F)) {
    if (isInert(I) || !lostIn(I).empty())
      continue;
    if (std::optional<Operation> Op = Operation::match(I, TLI))
      Operations.try_emplace(&I, std::move(*Op));
  }
}

bool Activity::mayVary(Type *T) const {
  return canCarry(T) &&
         (!Around.IsSilent || (Around.PointersTracked && canCarryPointer(T)));
}

void Activity::findVaried(Function &F, const BitVector &VariedArguments) {
  for (Argument &A : F.args())
    if (VariedArguments.test(A.getArgNo()) && mayVary(A.getType()))
      Varied.insert(&A);
  SmallVector<const Instruction *, 64> Work;
  // Pointers made of integers become varied by a pointer that is no operand of
  // theirs. The integers between the two may be varied before it, by a
  // distance.
  DenseMap<const Value *, SmallVector<const Instruction *, 1>> MadeOf;
  for (const Instruction &I : instructions(F)) {
    Work.push_back(&I);
    if (isa<IntToPtrInst>(I))
      if (const Value *P = pointerBehindInteger(I.getOperand(0)))
        MadeOf[P].push_back(&I);
  }
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (Varied.contains(I) || !mayVary(I->getType()) ||
        (isInert(*I) && !hasSibling(*I)) || !becomesVaried(*I))
      continue;
    Varied.insert(I);
    if (auto It = MadeOf.find(I); It != MadeOf.end())
      append_range(Work, It->second);
    for (const User *U : I->users()) {
      Work.push_back(cast<Instruction>(U));
      // What is extracted from a call is an operation on the call's arguments.
      if (isa<CallBase>(U))
        for (const User *Extract : U->users())
          Work.push_back(cast<Instruction>(Extract));
    }
  }
}

bool verso::isConstantObject(const Value &Object) {
  if (auto *G = dyn_cast<GlobalVariable>(&Object))
    return G->isConstant() || isMarkedInactive(*G);
  return isa<AllocaInst>(Object) && any_of(Object.users(), [](const User *U) {
           auto *Call = dyn_cast<CallBase>(U);
           return Call && isInactiveAnnotation(*Call);
         });
}

bool Activity::loadMayVary(const Instruction &I) const {
  if (isConstantObject(*getUnderlyingObject(getLoadStorePointerOperand(&I))))
    return false;
  // Asked again if the pointer turns out to be varied.
  auto &Load = cast<LoadInst>(I);
  if (Fresh && Fresh->isFresh(Load) && !isVaried(Load.getPointerOperand()))
    return false;
  return Around.PointersTracked || !I.getType()->isPtrOrPtrVectorTy() ||
         (pointersMayVary() && !isPointerForCertain(I));
}

/// Integer operations move the bytes of their operands about, and so images,
/// or lose them (Instrumenter::visitBinaryOperator).
static bool touchesBytes(const Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return byteCall(*Call) != ByteCall::None;
  return I.getType()->isIntegerTy() &&
         isa<BinaryOperator, TruncInst, ZExtInst, SExtInst>(I);
}

bool Activity::becomesVaried(const Instruction &I) const {
  if (hasSibling(I))
    return true;
  if (isa<SIToFPInst, UIToFPInst>(I))
    return any_of(lostIn(I), [&](const Value *V) { return isVaried(V); });
  if (const Operation *Op = operation(&I)) {
    for (unsigned K = 0, E = Op->operands().size(); K != E; ++K)
      if (Op->shape(K) != Operation::Shape::Zero && isVaried(Op->operands()[K]))
        return true;
    return false;
  }
  if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(I))
    return isa<LoadInst>(I) ? loadMayVary(I) : true;
  if (auto *Call = dyn_cast<CallBase>(&I); Call && !touchesBytes(I)) {
    CallModel M = modelCall(*Call, TLI);
    if (M.K == CallModel::Twin)
      return false; // Its results are what is extracted.
    if (M.K == CallModel::Library)
      return Around.PointersTracked && I.getType()->isPointerTy() &&
             M.Known->returnsArgument() >= 0 &&
             isVaried(Call->getArgOperand(M.Known->returnsArgument()));
    if (M.K == CallModel::Silent)
      return Around.PointersTracked && canCarryPointer(I.getType());
    return (M.K == CallModel::Direct || M.K == CallModel::Indirect) &&
           (pointersMayVary() || !I.getType()->isPtrOrPtrVectorTy());
  }
  if (auto *C = dyn_cast<IntToPtrInst>(&I)) {
    const Value *P = pointerBehindInteger(C->getOperand(0));
    return P ? isVaried(P) : pointersMayVary() && isVaried(C->getOperand(0));
  }
  if (auto *E = dyn_cast<ExtractValueInst>(&I))
    if (auto *Call = dyn_cast<CallBase>(E->getAggregateOperand());
        Call && modelCall(*Call, TLI).K == CallModel::Twin)
      return pointersMayVary() || !I.getType()->isPtrOrPtrVectorTy();
  if (isa<GetElementPtrInst>(I))
    return isVaried(I.getOperand(0));
  if (auto *S = dyn_cast<SelectInst>(&I))
    return isVaried(S->getTrueValue()) || isVaried(S->getFalseValue());
  if (isa<PHINode, FreezeInst, BitCastInst, AddrSpaceCastInst, PtrToIntInst,
          ExtractValueInst, InsertValueInst, ExtractElementInst,
          InsertElementInst, ShuffleVectorInst>(I) ||
      touchesBytes(I))
    return any_of(I.operands(), [&](const Use &U) { return isVaried(U); });
  return isa<VAArgInst>(I);
}

void Activity::addRoots(const Instruction &I,
                        SmallVectorImpl<const Value *> &Roots) const {
  if (isInert(I))
    return;
  if (isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst, ReturnInst, ResumeInst>(
          I)) {
    Roots.append(I.op_begin(), I.op_end());
    return;
  }
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return;
  CallModel M = modelCall(*Call, TLI);
  if (M.K == CallModel::Direct || M.K == CallModel::Indirect ||
      isZeroTest(*Call) || M.K == CallModel::Library || M.K == CallModel::Twin)
    Roots.append(Call->arg_begin(), Call->arg_end());
  if (M.K == CallModel::Silent)
    copy_if(Call->args(), std::back_inserter(Roots),
            [](const Use &U) { return canCarryPointer(U->getType()); });
}

void Activity::addOperands(const Instruction &I,
                           SmallVectorImpl<const Value *> &Needed) const {
  if (isa<SIToFPInst, UIToFPInst>(I))
    return append_range(Needed, lostIn(I));
  if (const Operation *Op = operation(&I)) {
    for (unsigned K = 0, E = Op->operands().size(); K != E; ++K)
      if (Op->shape(K) != Operation::Shape::Zero)
        Needed.push_back(Op->operands()[K]);
    return;
  }
  if (isa<CallBase>(I) && !touchesBytes(I)) // Its arguments are roots.
    return;
  if (auto *C = dyn_cast<IntToPtrInst>(&I))
    if (const Value *P = pointerBehindInteger(C->getOperand(0))) {
      Needed.push_back(P);
      return;
    }
  if (auto *GEP = dyn_cast<GetElementPtrInst>(&I)) {
    // Of an index the distance of two arrays alone matters.
    Needed.push_back(GEP->getPointerOperand());
    for (const Value *Index : GEP->indices())
      if (const BinaryOperator *Distance = pointerDistance(Index))
        for (const Value *Address : Distance->operands())
          Needed.push_back(
              cast<PtrToIntOperator>(Address)->getPointerOperand());
    return;
  }
  Needed.append(I.op_begin(), I.op_end());
}

void Activity::findUseful(Function &F) {
  SmallVector<const Value *, 64> Work;
  for (const Instruction &I : instructions(F))
    addRoots(I, Work);
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!isVaried(V) || !Useful.insert(V).second)
      continue;
    if (auto *I = dyn_cast<Instruction>(V))
      addOperands(*I, Work);
  }
}

static const Value *pointerBehind(const Value *V, unsigned Depth) {
  if (auto *P = dyn_cast<PtrToIntOperator>(V))
    return P->getPointerOperand();
  auto *B = dyn_cast<BinaryOperator>(V);
  if (!B || Depth == 0)
    return nullptr;
  const Value *Left = pointerBehind(B->getOperand(0), Depth - 1);
  if (B->getOpcode() == Instruction::Sub)
    return Left;
  const Value *Right = pointerBehind(B->getOperand(1), Depth - 1);
  return Left && Right ? nullptr : Left ? Left : Right;
}

Value *verso::pointerBehindInteger(const Value *Integer) {
  return const_cast<Value *>(pointerBehind(Integer, /*Depth=*/8));
}
