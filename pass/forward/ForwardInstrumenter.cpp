//===- ForwardInstrumenter.cpp - the walk, moves --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/ForwardInstrumenter.h"
#include "analysis/EarlierPointers.h"
#include "emit/BuilderAfter.h"
#include "emit/Companion.h"
#include "emit/Fusing.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "forward/LanesApart.h"
#include "rules/Overflows.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// A partial that may be infinite makes zero of zero tangents: of those of its
/// own operand, not of those of the sources of a cone; so does one that is zero
/// since another operand was chosen. A cone is of one type.
static bool standsAlone(const Instruction &I, const Operation &Op) {
  if (Op.chooses() || isOverflow(&I) || isOfLogarithm(&I))
    return true;
  for (unsigned K = 0, N = Op.operands().size(); K != N; ++K)
    if (Op.isSingular(K) || comesToLimit(I, Op, K) ||
        Op.operands()[K]->getType() != I.getType())
      return true;
  return false;
}

ForwardInstrumenter::ForwardInstrumenter(Function &F, Value *Context,
                                         ArrayRef<Value *> Tangents,
                                         const Activity &A,
                                         const TargetLibraryInfo *TLI,
                                         Twins &Registry, Diagnostics &D)
    : F(F), Context(Context), A(A), TLI(TLI), Registry(Registry), D(D),
      Width(Registry.mode().Width), Fuses(mayFuse(F)), Sides(F, A, Width),
      AreLanesApart(
          Width > 1 && (Width <= MostApart || Sides.isEmpty()) &&
          prefersLanesApart(F, A, Registry.analyses(),
                            [&](Value *P) { return isNeverMapped(P); })),
      C(F, A, Registry.analyses().getResult<LoopAnalysis>(F), standsAlone),
      Setup(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
      Deltas(Width, nullptr) {
  if (AreLanesApart) {
    Sides.giveUp();
    markLanesApart(F);
  }
  for (Argument &Arg : F.args())
    if (Arg.getArgNo() < Tangents.size() && Tangents[Arg.getArgNo()])
      setTangent(&Arg, Tangents[Arg.getArgNo()]);
}

/// A pointer without a shadow leads into no argument that has one.
void ForwardInstrumenter::checkEarlier(const EarlierPointer &Pointer) {
  auto &Load = *cast<LoadInst>(Pointer.Load);
  auto *Last = A.isActive(&Load)
                   ? dyn_cast_or_null<Instruction>(TangentOf.lookup(&Load))
                   : nullptr;
  BuilderAfter B(Last ? *Last : Load);
  Value *Doubtful =
      A.isActive(&Load)
          ? B.CreateSelect(
                B.CreateICmpEQ(lanes(B, &Load)[0], mapped(B, &Load, 0)), &Load,
                ConstantPointerNull::get(B.getPtrTy()))
          : &Load;
  if (CallBase *Row = arraysOfPlan(Load)) {
    Value *Holder = Row->getArgOperand(1);
    Value *HasShadow = A.isActive(Holder) ? B.CreateICmpNE(lanes(B, Holder)[0],
                                                           mapped(B, Holder, 0))
                                          : B.getFalse();
    callRuntime(B, RuntimeFunction::CheckPlan,
                {Context, Doubtful, Row->getArgOperand(0),
                 B.CreateZExt(HasShadow, B.getInt32Ty()), Row->getArgOperand(2),
                 B.getInt32(1)});
    return;
  }
  Value *Where = emitLocation(B, Load);
  for (ByteRange Range : Pointer.Ranges)
    callRuntime(B, RuntimeFunction::CheckPointer,
                {Context, B.CreatePtrAdd(Doubtful, B.getInt64(Range.Begin)),
                 B.getInt64(Range.End - Range.Begin), Where, B.getInt32(1)});
}

void ForwardInstrumenter::run() {
  SmallVector<EarlierPointer, 4> Earlier = earlierPointers(F);
  // Reverse post-order: definitions come before uses, but for phis.
  SmallVector<Instruction *, 64> Order;
  for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F))
    for (Instruction &I : *Block)
      if (auto *Call = dyn_cast<CallBase>(&I);
          !isInert(I) || (Call && takesOfArena(*Call)))
        Order.push_back(&I);
  if (preaccumulatesAll())
    findLoopSums(Order);
  for (Instruction *I : Order) {
    const Operation *Op = A.operation(I);
    if (!Op || isa<SIToFPInst, UIToFPInst>(I))
      visit(*I);
    else if (A.isActive(I) && !isPreaccumulated(*C.rootOf(*I)))
      emitOperation(*I, *Op);
    else if (C.isRecorded(I))
      emitCone(*I);
  }
  fillPhis();
  Lost.fill([&](IRBuilderBase &B, Value *Number, unsigned K) -> Value * {
    return A.isActive(Number) ? B.CreateFCmpUNE(lanes(B, Number)[K],
                                                llvm::Constant::getNullValue(
                                                    Number->getType()))
                              : nullptr;
  });
  for (const EarlierPointer &Pointer : Earlier)
    checkEarlier(Pointer);
  for (Instruction *I : Replaced)
    I->eraseFromParent();
}

void ForwardInstrumenter::findLoopSums(ArrayRef<Instruction *> Order) {
  const LoopInfo &Loops = Registry.analyses().getResult<LoopAnalysis>(F);
  for (Instruction *I : Order)
    if (C.isRecorded(I))
      if (std::optional<LoopSum> S = matchLoopSum(*I, C, A, Sides, Loops))
        Sums.try_emplace(I, std::move(*S));
}

void ForwardInstrumenter::fail(Instruction &I, const Twine &Message,
                               StringRef Remedy) {
  Registry.fail(I, Message, Remedy);
}

//===----------------------------------------------------------------------===//
// Tangents of values
//===----------------------------------------------------------------------===//

Value *ForwardInstrumenter::tangent(IRBuilderBase &B, Value *V) {
  if (!A.isActive(V))
    return V->getType()->isPointerTy() ? packLanes(B, V->getType(), lanes(B, V))
                                       : zeroTangent(V->getType(), Width);
  Value *T = TangentOf.lookup(V);
  // After an error some values have none; the module is not used any more.
  if (!T) {
    assert(D.hadError() && "an active value without a tangent");
    return zeroTangent(V->getType(), Width);
  }
  return T;
}

ForwardInstrumenter::Lanes ForwardInstrumenter::lanes(IRBuilderBase &B,
                                                      Value *V) {
  Lanes Each;
  bool IsMapped = V->getType()->isPointerTy() && !A.isActive(V);
  Value *Whole = IsMapped ? nullptr : tangent(B, V);
  for (unsigned K = 0; K != Width; ++K)
    Each.push_back(IsMapped ? mapped(B, V, K) : takeLane(B, Whole, Width, K));
  return Each;
}

void ForwardInstrumenter::setTangent(Value *V, Value *T) {
  assert(T->getType() == tangentType(V->getType(), Width) && "tangent's type");
  bool New = TangentOf.try_emplace(V, T).second;
  (void)New;
  assert(New && "a value has one tangent");
}

void ForwardInstrumenter::setLanes(IRBuilderBase &B, Value *V,
                                   const Lanes &Each) {
  setTangent(V, packLanes(B, V->getType(), Each));
}

void ForwardInstrumenter::mapLanes(
    Instruction &I, function_ref<Value *(IRBuilderBase &, unsigned)> Emit) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  Lanes Each;
  for (unsigned K = 0; K != Width; ++K)
    Each.push_back(Emit(B, K));
  setLanes(B, &I, Each);
}

//===----------------------------------------------------------------------===//
// Values that only move
//===----------------------------------------------------------------------===//

void ForwardInstrumenter::visitPHINode(PHINode &I) {
  // The result of a sum has its tangent.
  if (!A.isActive(&I) || TangentOf.contains(&I) || stepSide(I))
    return;
  PHINode *Phi =
      PHINode::Create(tangentType(I.getType(), Width), I.getNumIncomingValues(),
                      "", I.getParent()->begin());
  setTangent(&I, Phi);
  Phis.emplace_back(&I, Phi);
}

void ForwardInstrumenter::fillPhis() {
  for (auto [I, Phi] : Phis)
    for (auto [K, Block] : enumerate(I->blocks())) {
      // One entry for each edge, the same for all edges from one block.
      int Before = Phi->getBasicBlockIndex(Block);
      IRBuilder<> B(Block->getTerminator());
      Value *From = I->getIncomingValue(K);
      auto Sum = NextOfSum.find(I);
      bool IsNext = Sum != NextOfSum.end() && Sum->second.first == From;
      Phi->addIncoming(Before >= 0 ? Phi->getIncomingValue(Before)
                       : IsNext    ? Sum->second.second
                                   : tangent(B, From),
                       Block);
    }
  for (auto [I, Phi] : SidePhis)
    for (auto [From, Block] : zip(I->incoming_values(), I->blocks()))
      Phi->addIncoming(SideOf.lookup(From), Block);
}

void ForwardInstrumenter::visitSelectInst(SelectInst &I) {
  if (!A.isActive(&I) || stepSide(I))
    return;
  BuilderAfter B(I);
  Value *True = tangent(B, I.getTrueValue());
  Value *False = tangent(B, I.getFalseValue());
  setTangent(&I, B.CreateSelect(I.getCondition(), True, False));
}

void ForwardInstrumenter::visitFreezeInst(FreezeInst &I) {
  BuilderAfter B(I);
  if (A.isActive(&I))
    setTangent(&I, B.CreateFreeze(tangent(B, I.getOperand(0))));
}

void ForwardInstrumenter::visitGetElementPtrInst(GetElementPtrInst &I) {
  if (stepSide(I))
    return;
  if (A.isActive(&I) && I.getType()->isVectorTy())
    return fail(I, "cannot follow a scalable vector of tracked pointers",
                "compile the function with -fno-vectorize");
  SmallVector<Value *, 4> Indices(I.indices());
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Base = takeLane(B, tangent(B, I.getPointerOperand()), Width, K);
    return B.CreateGEP(I.getSourceElementType(), Base, Indices, "",
                       I.getNoWrapFlags());
  });
}

/// The shadow of \p P by what stands beside it in memory: see pointerBits().
Value *ForwardInstrumenter::shadowOfBits(IRBuilderBase &B, Value *Bits,
                                         Value *P, unsigned Lane) {
  if (!P->getType()->isPointerTy())
    return Bits;
  Value *Itself =
      B.CreateICmpEQ(B.CreatePtrToInt(Bits, B.getInt64Ty()),
                     B.CreateOr(B.CreatePtrToInt(P, B.getInt64Ty()),
                                B.getInt64(VERSO_SHADOW_IS_ITSELF)));
  Value *None = B.CreateOr(B.CreateIsNull(Bits), B.CreateICmpEQ(Bits, P));
  return B.CreateSelect(None, mapped(B, P, Lane),
                        B.CreateSelect(Itself, P, Bits));
}

/// Nobody knows the shadow of a pointer that was in an aggregate without
/// tangents: it is the mapped one.
Value *ForwardInstrumenter::orMapped(IRBuilderBase &B, Value *Shadow, Value *P,
                                     unsigned Lane) {
  if (!P->getType()->isPointerTy())
    return Shadow;
  return B.CreateSelect(B.CreateIsNull(Shadow), mapped(B, P, Lane), Shadow);
}

void ForwardInstrumenter::visitExtractValueInst(ExtractValueInst &I) {
  Value *From = I.getAggregateOperand();
  if (Twins::isTwinCall(From)) {
    BuilderAfter B(I);
    if (A.isActive(&I))
      setTangent(&I, B.CreateExtractValue(From, 1));
    return;
  }
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Whole = takeLane(B, tangent(B, From), Width, K);
    return orMapped(B, B.CreateExtractValue(Whole, I.getIndices()), &I, K);
  });
}

void ForwardInstrumenter::visitInsertValueInst(InsertValueInst &I) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Whole = takeLane(B, tangent(B, I.getAggregateOperand()), Width, K);
    Value *Part = lanes(B, I.getInsertedValueOperand())[K];
    return B.CreateInsertValue(Whole, Part, I.getIndices());
  });
}

void ForwardInstrumenter::visitExtractElementInst(ExtractElementInst &I) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Whole = takeLane(B, tangent(B, I.getVectorOperand()), Width, K);
    return orMapped(B, B.CreateExtractElement(Whole, I.getIndexOperand()), &I,
                    K);
  });
}

void ForwardInstrumenter::visitInsertElementInst(InsertElementInst &I) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Whole = takeLane(B, tangent(B, I.getOperand(0)), Width, K);
    Value *Part = lanes(B, I.getOperand(1))[K];
    return B.CreateInsertElement(Whole, Part, I.getOperand(2));
  });
}

void ForwardInstrumenter::visitShuffleVectorInst(ShuffleVectorInst &I) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    return B.CreateShuffleVector(
        takeLane(B, tangent(B, I.getOperand(0)), Width, K),
        takeLane(B, tangent(B, I.getOperand(1)), Width, K), I.getShuffleMask());
  });
}

void ForwardInstrumenter::visitReturnInst(ReturnInst &I) {
  Value *V = I.getReturnValue();
  if (!V || !Twins::returnsCompanion(V->getType()))
    return;
  IRBuilder<> B(&I);
  Value *Pair = PoisonValue::get(F.getReturnType());
  Pair = B.CreateInsertValue(Pair, V, 0);
  Pair = B.CreateInsertValue(Pair, tangent(B, V), 1);
  B.CreateRet(Pair);
  Replaced.push_back(&I);
}

void ForwardInstrumenter::visitInstruction(Instruction &I) {
  if (isa<VAArgInst>(I))
    return fail(I, "cannot differentiate va_arg",
                "pass the numbers as an array");
  if (A.isActive(&I))
    fail(I, Twine("cannot differentiate a ") + I.getOpcodeName(),
         "mark the function verso_inactive if it carries no derivative");
}
