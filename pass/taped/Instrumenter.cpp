//===- Instrumenter.cpp - the walk, and values that only move -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/Instrumenter.h"
#include "analysis/EarlierPointers.h"
#include "analysis/MovedBytes.h"
#include "analysis/PointerDistance.h"
#include "emit/Companion.h"
#include "emit/Location.h"
#include "prepare/OutlineAccesses.h"
#include "prepare/StagedProducts.h"
#include "taped/Halves.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

Instrumenter::Instrumenter(Function &F, Value *Context,
                           ArrayRef<Value *> Companions, const Activity &A,
                           const FreshMemory *Fresh,
                           const TargetLibraryInfo *TLI, Twins &Registry,
                           Diagnostics &D)
    : F(F), A(A), Fresh(Fresh),
      C(F, A, Registry.analyses().getResult<LoopAnalysis>(F)), TLI(TLI),
      Registry(Registry), D(D),
      Setup(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
      Tape(F, Context, Setup) {
  const LoopInfo &Loops = Registry.analyses().getResult<LoopAnalysis>(F);
  for (BasicBlock &Block : F) {
    const Loop *L = Loops.getLoopFor(&Block);
    for (Instruction &I : Block)
      LoopOf[&I] = L;
    if (L && L->getHeader() == &Block && L->getLoopPreheader())
      LoopEntry[L] = L->getLoopPreheader()->getTerminator();
  }
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<CastInst>(&I)) {
      if (SmallVector<Value *, 2> Numbers = numbersInPart(*Cast);
          !Numbers.empty())
        NumbersIn[Cast] = std::move(Numbers);
      if (losesRealBits(*Cast, A))
        LosesBits.insert(Cast);
    }
  for (Argument &Arg : F.args())
    if (Arg.getArgNo() < Companions.size() && Companions[Arg.getArgNo()])
      setCompanion(&Arg, Companions[Arg.getArgNo()]);
}

/// A pointer without a shadow leads into no argument that has one.
void Instrumenter::checkEarlier(const EarlierPointer &Pointer) {
  auto &Load = *cast<LoadInst>(Pointer.Load);
  Value *Shadow = companion(&Load);
  auto *Last = dyn_cast<Instruction>(Shadow);
  BuilderAfter B(Last ? *Last : Load);
  Value *Doubtful =
      Shadow == &Load ? &Load
                      : B.CreateSelect(B.CreateICmpEQ(Shadow, &Load), &Load,
                                       ConstantPointerNull::get(B.getPtrTy()));
  if (CallBase *Row = arraysOfPlan(Load)) {
    Value *Holder = Row->getArgOperand(1);
    Value *HasShadow = B.CreateICmpNE(companion(Holder), Holder);
    callRuntime(B, RuntimeFunction::CheckPlan,
                {Tape.context(), Doubtful, Row->getArgOperand(0),
                 B.CreateZExt(HasShadow, B.getInt32Ty()), Row->getArgOperand(2),
                 B.getInt32(0)});
    return;
  }
  Value *Where = emitLocation(B, Load);
  for (ByteRange Range : Pointer.Ranges)
    callRuntime(B, RuntimeFunction::CheckPointer,
                {Tape.context(),
                 B.CreatePtrAdd(Doubtful, B.getInt64(Range.Begin)),
                 B.getInt64(Range.End - Range.Begin), Where, B.getInt32(0)});
}

void Instrumenter::run() {
  SmallVector<EarlierPointer, 4> Earlier = earlierPointers(F);
  // Reverse post-order: definitions come before uses, but for phis.
  SmallVector<SmallVector<Instruction *, 16>, 16> Blocks;
  ReversePostOrderTraversal<Function *> Order(&F);
  for (BasicBlock *Block : Order) {
    Blocks.emplace_back();
    for (Instruction &I : *Block)
      Blocks.back().push_back(&I);
  }
  for (ArrayRef<Instruction *> Block : Blocks) {
    bool IsEntry = Block.front()->getParent() == &F.getEntryBlock();
    Tape.startSegment(IsEntry ? Setup : *find_if(Block, [](Instruction *I) {
      return !isa<PHINode>(I) && !I->isEHPad();
    }));
    visitInRuns(Block);
  }
  fillPhis();
  Lost.fill([&](IRBuilderBase &B, Value *Number, unsigned) -> Value * {
    if (!A.isActive(Number) || Registry.isSilent())
      return nullptr;
    Value *Id = companion(Number);
    return B.CreateICmpUGT(Id,
                           ConstantInt::get(Id->getType(), VERSO_ID_CONSTANT));
  });
  for (const EarlierPointer &Pointer : Earlier)
    checkEarlier(Pointer);
  for (Instruction *I : Replaced)
    I->eraseFromParent();
  Tape.finish(Registry.pointersTracked());
  stageOnlyPlainly(F, Tape.context());
}

/// An untracked pointer is its own shadow.
Value *Instrumenter::companion(Value *V) {
  if (!A.isActive(V))
    return V->getType()->isPointerTy() ? V : zeroCompanion(V->getType());
  Value *X = CompanionOf.lookup(V);
  // After an error some values have none; the module is not used any more.
  if (!X) {
    assert(D.hadError() && "an active value without a companion");
    return zeroCompanion(V->getType());
  }
  return X;
}

void Instrumenter::setCompanion(Value *V, Value *X) {
  assert(X->getType() == companionType(V->getType()) && "companion's type");
  bool New = CompanionOf.try_emplace(V, X).second;
  (void)New;
  assert(New && "a value has one companion");
}

void Instrumenter::fail(Instruction &I, const Twine &Message,
                        StringRef Remedy) {
  Registry.fail(I, Message, Remedy);
}

//===----------------------------------------------------------------------===//
// Values that only move
//===----------------------------------------------------------------------===//

void Instrumenter::visitPHINode(PHINode &I) {
  if (!A.isActive(&I))
    return;
  PHINode *Phi =
      PHINode::Create(companionType(I.getType()), I.getNumIncomingValues(), "",
                      I.getParent()->begin());
  setCompanion(&I, Phi);
  Phis.emplace_back(&I, Phi);
}

void Instrumenter::fillPhis() {
  for (auto [I, Phi] : Phis)
    for (auto [K, Block] : enumerate(I->blocks()))
      Phi->addIncoming(companion(I->getIncomingValue(K)), Block);
}

void Instrumenter::visitSelectInst(SelectInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I, RunEnd);
  setCompanion(&I, B.CreateSelect(I.getCondition(), companion(I.getTrueValue()),
                                  companion(I.getFalseValue())));
}

void Instrumenter::visitFreezeInst(FreezeInst &I) {
  if (A.isActive(&I))
    setCompanion(&I, companion(I.getOperand(0)));
}

/// if (Condition) a fatal error, at run time.
void Instrumenter::failIf(IRBuilderBase &B, Value *Condition, Instruction &I,
                          StringRef Reason) {
  verso::emitIf(B, Condition, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
    callRuntime(Then, RuntimeFunction::Fail,
                {Then.CreateGlobalString(Reason, "verso.reason"),
                 emitLocation(Then, I)});
  });
}

/// \p Id, the companion of \p I; a check wants to know where a number is lost.
Value *Instrumenter::noteIfLost(Instruction &I, Value *Id) {
  auto *Last = dyn_cast<Instruction>(Id);
  if (!Registry.notesLost() || !Last || !Id->getType()->isIntegerTy(32) ||
      !I.getType()->isFloatingPointTy())
    return Id;
  IRBuilder<> B(Last->getParent(), *Last->getInsertionPointAfterDef());
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Value *IsLost = B.CreateICmpEQ(Id, B.getInt32(VERSO_ID_LOST));
  verso::emitIf(B, IsLost, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
    callRuntime(Then, RuntimeFunction::SawLost, {emitLocation(Then, I)});
  });
  return Id;
}

/// shadow(a) - a != shadow(b) - b: in different arrays, whose distance says
/// nothing about that of their shadows.
void Instrumenter::refuseForeignDistance(IRBuilderBase &B,
                                         GetElementPtrInst &I) {
  // Code of ours may have lost sight of one of the two, and means it.
  if (Registry.isOfGenerated())
    return;
  for (const Use &Index : I.indices()) {
    const BinaryOperator *Distance = pointerDistance(Index);
    if (!Distance)
      continue;
    Value *Offsets[2];
    for (unsigned K : {0, 1}) {
      Value *P =
          cast<PtrToIntOperator>(Distance->getOperand(K))->getPointerOperand();
      Offsets[K] =
          offsetOf(B, {P, placeOf(P).Shadow ? addressShadow(B, P) : nullptr});
    }
    if (Offsets[0] != Offsets[1])
      failIf(B, B.CreateICmpNE(Offsets[0], Offsets[1]), I,
             "a pointer with a shadow was computed from the distance of two "
             "arrays; keep the pointers");
  }
}

void Instrumenter::visitGetElementPtrInst(GetElementPtrInst &I) {
  if (!A.isActive(&I))
    return;
  if (I.getType()->isVectorTy()) // A scalable one: others are taken apart.
    return fail(I, "cannot follow a scalable vector of tracked pointers",
                "compile the function with -fno-vectorize");
  BuilderAfter B(I);
  refuseForeignDistance(B, I);
  SmallVector<Value *, 4> Indices(I.indices());
  setCompanion(&I, B.CreateGEP(I.getSourceElementType(),
                               companion(I.getPointerOperand()), Indices, "",
                               I.getNoWrapFlags()));
}

/// \p Shadow, or \p P itself where that is null: a pointer out of an aggregate
/// without companions, or without a handle.
Value *Instrumenter::orItself(IRBuilderBase &B, Value *Shadow, Value *P) {
  if (!P->getType()->isPointerTy())
    return Shadow;
  return B.CreateSelect(B.CreateIsNull(Shadow), P, Shadow);
}

void Instrumenter::visitExtractValueInst(ExtractValueInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  Value *From = I.getAggregateOperand();
  if (Twins::isTwinCall(From))
    setCompanion(&I, B.CreateExtractValue(From, 1));
  else
    setCompanion(
        &I,
        orItself(B, B.CreateExtractValue(companion(From), I.getIndices()), &I));
}

void Instrumenter::visitInsertValueInst(InsertValueInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I, B.CreateInsertValue(companion(I.getAggregateOperand()),
                                       companion(I.getInsertedValueOperand()),
                                       I.getIndices()));
}

void Instrumenter::visitExtractElementInst(ExtractElementInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I,
               orItself(B,
                        B.CreateExtractElement(companion(I.getVectorOperand()),
                                               I.getIndexOperand()),
                        &I));
}

void Instrumenter::visitInsertElementInst(InsertElementInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I, B.CreateInsertElement(companion(I.getOperand(0)),
                                         companion(I.getOperand(1)),
                                         I.getOperand(2)));
}

void Instrumenter::visitShuffleVectorInst(ShuffleVectorInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I, B.CreateShuffleVector(companion(I.getOperand(0)),
                                         companion(I.getOperand(1)),
                                         I.getShuffleMask()));
}

void Instrumenter::visitReturnInst(ReturnInst &I) {
  IRBuilder<> B(&I);
  if (isAccessor(F)) {
    // Callers count on room, so that none of them has to check it.
    auto *Here = cast<Instruction>(Tape.next(B));
    Tape.startSegment(Here);
    Tape.reserve(Here, 1);
  }
  Tape.spill(B);
  Value *V = I.getReturnValue();
  if (!V || !Twins::returnsCompanion(V->getType()))
    return;
  Value *Pair = PoisonValue::get(F.getReturnType());
  Pair = B.CreateInsertValue(Pair, V, 0);
  Pair = B.CreateInsertValue(Pair, companion(V), 1);
  B.CreateRet(Pair);
  Replaced.push_back(&I);
}

void Instrumenter::visitResumeInst(ResumeInst &I) {
  IRBuilder<> B(&I);
  Tape.spill(B);
}

void Instrumenter::visitInstruction(Instruction &I) {
  if (isa<VAArgInst>(I))
    return fail(I, "cannot differentiate va_arg",
                "pass the numbers as an array");
  if (A.isActive(&I))
    fail(I, Twine("cannot differentiate a ") + I.getOpcodeName(),
         "mark the function verso_inactive if it carries no derivative");
}
