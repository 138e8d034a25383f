//===- ForwardOperations.cpp - tangents of operations ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/BuilderAfter.h"
#include "emit/Tangent.h"
#include "forward/ForwardInstrumenter.h"
#include "rules/Overflows.h"
#include "rules/Zero.h"

#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

/// The sum of partial times tangent. Where the partial may be infinite, a zero
/// tangent gives zero: the tangent of a constant is dead code.
void ForwardInstrumenter::emitOperation(Instruction &I, const Operation &Op) {
  BuilderAfter B(I);
  if (isa<FPMathOperator>(I))
    B.setFastMathFlags(I.getFastMathFlags());
  Type *T = tangentType(I.getType(), Width);
  Value *Sum = nullptr;
  auto Add = [&](Value *Term) { Sum = Sum ? B.CreateFAdd(Sum, Term) : Term; };
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  // A product is added to the summand's tangent at once. Two of them apart, so
  // that a sum in a loop waits for one addition, not for two.
  bool SummandFirst =
      Call && Call->getIntrinsicID() == Intrinsic::fmuladd &&
      A.isActive(Op.operands()[0]) != A.isActive(Op.operands()[1]);
  for (unsigned J = 0, N = Op.operands().size(); J != N; ++J) {
    unsigned K = SummandFirst ? N - 1 - J : J;
    Value *X = Op.operands()[K];
    Operation::Shape Shape = Op.shape(K);
    if (Shape == Operation::Shape::Zero || !A.isActive(X))
      continue;
    Value *Dot = tangent(B, X);
    if (Dot->getType() != T)
      Dot = B.CreateFPCast(Dot, T);
    if (Shape == Operation::Shape::One) {
      Add(Dot);
      continue;
    }
    Value *Partial = Op.emitPartial(B, K);
    bool MeetsAPole = Op.isSingular(K) && Op.name() != "fdiv";
    if (auto *C = dyn_cast<ConstantFP>(Partial); C && C->isExactlyValue(-1.0)) {
      Sum = Sum ? B.CreateFSub(Sum, Dot) : B.CreateFNeg(Dot);
      continue;
    }
    if (Width != 1)
      Partial =
          B.CreateVectorSplat(cast<VectorType>(T)->getElementCount(), Partial);
    if (comesToLimit(I, Op, K)) {
      Add(emitLimit(B, Partial, Dot,
                    /*OfBoth=*/Op.isSingular(K) || isOverflow(&I),
                    isOfUnseen(&I)));
      continue;
    }
    if (isOfLogarithm(&I)) {
      // A factor may be a logarithm's infinity, beside which zero stays zero.
      bool IsProduct = isa<BinaryOperator>(I) || (Call && !Op.chooses());
      Value *Term = IsProduct ? emitProduct(B, Partial, Dot)
                              : Op.emitScaled(B, K, Partial, Dot);
      Add(MeetsAPole ? emitPole(B, Term) : Term);
      continue;
    }
    if (Fuses && Sum && !Op.isSingular(K) && !Op.chooses() && !isOverflow(&I)) {
      Sum = B.CreateIntrinsic(Intrinsic::fmuladd, {T}, {Partial, Dot, Sum});
      continue;
    }
    Add(Op.emitScaled(B, K, Partial, Dot));
  }
  setTangent(&I, Sum ? Sum : Constant::getNullValue(T));
}

//===----------------------------------------------------------------------===//
// Cones
//===----------------------------------------------------------------------===//

/// Whether the tangent of the cone's root takes fewer operations by way of its
/// partials, in one direction. A product of tangents and partials, or of
/// partials, is one operation, and so is a sum; a difference is a sum. A few
/// less are no gain: values of the primal are needed for longer.
bool ForwardInstrumenter::costsLessByPartials(const Instruction &Root) const {
  unsigned ByTangents = 0, ByPartials = 0;
  auto IsUnit = [](const Instruction &I, const Operation &Op, unsigned K) {
    return Op.shape(K) == Operation::Shape::One ||
           I.getOpcode() == Instruction::FSub ||
           I.getOpcode() == Instruction::FNeg;
  };
  // Whether there is an adjoint; whether it is one or minus one.
  DenseMap<const Value *, bool> Adjoints{{&Root, true}};
  unsigned Sources = 0;
  for (const Instruction *I : C.members(&Root)) {
    if (!Adjoints.contains(I))
      continue;
    const Operation &Op = *A.operation(I);
    bool IsFirst = true;
    for (auto [K, X] : enumerate(Op.operands())) {
      if (Op.shape(K) == Operation::Shape::Zero || !A.isActive(X))
        continue;
      bool Unit = IsUnit(*I, Op, K);
      ByTangents += Unit ? !IsFirst : IsFirst || Fuses ? 1 : 2;
      IsFirst = false;
      bool BarIsUnit = Adjoints.lookup(I);
      auto [It, New] = Adjoints.try_emplace(X, Unit && BarIsUnit);
      bool Multiplies = !Unit && !BarIsUnit;
      ByPartials += New ? Multiplies : 1 + (Multiplies && !Fuses);
      It->second &= New;
      Sources += New && !C.isInside(X, &Root);
    }
  }
  ByPartials += Fuses ? Sources : 2 * Sources - 1;
  return ByPartials < ByTangents - ByTangents / 8;
}

bool ForwardInstrumenter::isPreaccumulated(Instruction &Root) {
  if (preaccumulatesAll())
    return true;
  auto [It, New] = Preaccumulated.try_emplace(&Root, false);
  if (New)
    It->second = costsLessByPartials(Root);
  return It->second;
}

/// The partials of a cone's root by the sources of the cone, by a local reverse
/// sweep, which is the same for all directions.
ForwardInstrumenter::Partials
ForwardInstrumenter::partialsOf(Instruction &Root, IRBuilderBase &B) {
  Value *One = ConstantFP::get(Root.getType(), 1);
  DenseMap<Value *, Value *> Adjoint;
  Partials Sources;
  Adjoint[&Root] = One;
  for (Instruction *I : C.members(&Root)) {
    Value *Bar = Adjoint.lookup(I);
    if (!Bar)
      continue;
    const Operation &Op = *A.operation(I);
    for (auto [K, X] : enumerate(Op.operands())) {
      if (Op.shape(K) == Operation::Shape::Zero || !A.isActive(X))
        continue;
      bool IsOne = Op.shape(K) == Operation::Shape::One;
      Value *Term = IsOne ? Bar : Op.emitPartial(B, K);
      bool Inside = C.isInside(X, &Root);
      if (!Inside)
        Sources.try_emplace(X, Source{nullptr, I});
      Value *&Slot = Inside ? Adjoint[X] : Sources[X].Partial;
      if (IsOne || Bar == One)
        Slot = Slot ? B.CreateFAdd(Slot, Term) : Term;
      else
        Slot = addProduct(B, Slot, Bar, Term);
    }
  }
  return Sources;
}

/// Sum + Partial * Dot; \p Sum may be null.
Value *ForwardInstrumenter::addProduct(IRBuilderBase &B, Value *Sum,
                                       Value *Partial, Value *Dot) const {
  Type *T = Dot->getType();
  if (auto *Vector = dyn_cast<VectorType>(T))
    Partial = B.CreateVectorSplat(Vector->getElementCount(), Partial);
  if (Sum && Fuses)
    return B.CreateIntrinsic(Intrinsic::fmuladd, {T}, {Partial, Dot, Sum});
  Value *Term = B.CreateFMul(Partial, Dot);
  return Sum ? B.CreateFAdd(Sum, Term) : Term;
}

/// The tangents of a cone's root from those of its sources:
///   tangents = partial0 * tangents0 + partial1 * tangents1 + ...
/// Operations within the cone have none. Of a sum over a loop's iterations,
/// what has a weight is added behind the loop.
void ForwardInstrumenter::emitCone(Instruction &Root) {
  if (C.members(&Root).size() == 1)
    return emitOperation(Root, *A.operation(&Root));
  BuilderAfter B(Root);
  Partials Sources = partialsOf(Root, B);
  auto IsOne = [](Value *Partial) {
    return PatternMatch::match(Partial, PatternMatch::m_FPOne());
  };
  LoopSum *S = nullptr;
  if (auto It = this->Sums.find(&Root); It != this->Sums.end())
    if (auto Phi = Sources.find(It->second.Phi);
        Phi != Sources.end() && IsOne(Phi->second.Partial))
      S = &It->second;
  // Several sums, each of which waits for itself: fewer where a vector is many
  // registers. In one direction an operation's terms are in one sum, in the
  // program's order: what the primal has just used is at hand. (With weights,
  // that order is slower.) What is only added comes last: in a loop that may be
  // the sum so far, and the rest need not wait for it.
  Type *T = tangentType(Root.getType(), Width);
  SmallVector<Value *, 5> Parts(preaccumulatesAll() && Width <= 8 ? 4 : 2,
                                nullptr);
  Value *Rest = nullptr;
  unsigned Next = 0;
  const Instruction *Last = nullptr;
  Weights WeightsOf;
  auto Terms = Sources.takeVector();
  if (!preaccumulatesAll())
    std::reverse(Terms.begin(), Terms.end());
  for (auto &[X, Of] : Terms) {
    Value *Partial = Of.Partial;
    if (S && X != S->Phi && addWeight(B, *S, X, Partial, WeightsOf))
      continue;
    Value *Dot = tangent(B, X);
    if (IsOne(Partial)) {
      Rest = Rest ? B.CreateFAdd(Rest, Dot) : Dot;
      continue;
    }
    if (preaccumulatesAll() || std::exchange(Last, Of.Taker) != Of.Taker)
      ++Next;
    Value *&Part = Parts[Next % Parts.size()];
    Part = addProduct(B, Part, Partial, Dot);
  }
  Value *Tangents = nullptr;
  Parts.push_back(Rest);
  for (Value *Part : Parts)
    if (Part)
      Tangents = Tangents ? B.CreateFAdd(Tangents, Part) : Part;
  if (!Tangents)
    Tangents = Constant::getNullValue(T);
  if (!WeightsOf.empty()) {
    NextOfSum[S->Phi] = {&Root, Tangents};
    IRBuilder<> Behind(S->Behind);
    Tangents = useWeights(Behind, *S, Tangents, WeightsOf);
    for (PHINode *Result : S->Results)
      setTangent(Result, Tangents);
  }
  setTangent(&Root, Tangents);
}

//===----------------------------------------------------------------------===//
// Weights: LoopSums.h
//===----------------------------------------------------------------------===//

/// weight(Source) += Partial, if \p Source has one.
bool ForwardInstrumenter::addWeight(IRBuilderBase &B, LoopSum &S, Value *Source,
                                    Value *Partial, Weights &Of) {
  Type *T = Source->getType();
  AllocaInst *Object = nullptr;
  if (auto *I = dyn_cast<Instruction>(Source); I && S.Inside.contains(I)) {
    auto *Load = dyn_cast<LoadInst>(I);
    Object = Load ? objectBehindSteps(Load->getPointerOperand()) : nullptr;
    if (!Object || !S.Weighted.contains(Object))
      return false;
  }
  const DataLayout &DL = F.getDataLayout();
  AllocaInst *&Weight = Of[Object ? (Value *)Object : Source];
  if (!Weight) {
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
    TypeSize Bytes =
        Object ? *Object->getAllocationSize(DL) : DL.getTypeStoreSize(T);
    Weight =
        Entry.CreateAlloca(ArrayType::get(T, Bytes / DL.getTypeStoreSize(T)));
    IRBuilder<> Before(S.Before);
    Before.CreateMemSet(Weight, Before.getInt8(0), Bytes, Weight->getAlign());
  }
  Value *At = Weight;
  if (Object)
    for (Value *P = cast<LoadInst>(Source)->getPointerOperand(); P != Object;) {
      auto *Step = cast<GetElementPtrInst>(P);
      At = B.CreateGEP(B.getInt8Ty(), At, emitGEPOffset(&B, DL, Step));
      P = Step->getPointerOperand();
    }
  B.CreateStore(B.CreateFAdd(B.CreateLoad(T, At), Partial), At);
  return true;
}

/// Tangents + weight(X) * tangents(X) + ..., over all cells with weights.
Value *ForwardInstrumenter::useWeights(IRBuilderBase &B, LoopSum &S,
                                       Value *Tangents, const Weights &Of) {
  Type *T = Tangents->getType();
  for (auto [Source, Weight] : Of) {
    Type *Cell = Weight->getAllocatedType()->getArrayElementType();
    uint64_t N = Weight->getAllocatedType()->getArrayNumElements();
    if (!isa<AllocaInst>(Source)) {
      Value *Sum = B.CreateLoad(Cell, Weight);
      Tangents = addProduct(B, Tangents, Sum, tangent(B, Source));
      continue;
    }
    // for (Index = 0; Index != N; ++Index) Sum += Weight[Index] * Side[Index]
    Type *Wide = tangentType(Cell, Width);
    BasicBlock *Before = B.GetInsertBlock();
    BasicBlock *After = SplitBlock(Before, B.GetInsertPoint());
    auto *Body = BasicBlock::Create(F.getContext(), "", &F, After);
    Before->getTerminator()->setSuccessor(0, Body);
    IRBuilder<> Inner(Body);
    PHINode *Index = Inner.CreatePHI(Inner.getInt64Ty(), 2);
    PHINode *Sum = Inner.CreatePHI(T, 2);
    Value *W = Inner.CreateLoad(Cell, Inner.CreateGEP(Cell, Weight, Index));
    Value *Dot = Inner.CreateLoad(
        Wide, Inner.CreateGEP(Wide, SideOf.lookup(Source), Index));
    Value *Next = addProduct(Inner, Sum, W, Dot);
    Value *NextIndex = Inner.CreateAdd(Index, Inner.getInt64(1));
    Inner.CreateCondBr(Inner.CreateICmpEQ(NextIndex, Inner.getInt64(N)), After,
                       Body);
    Index->addIncoming(Inner.getInt64(0), Before);
    Index->addIncoming(NextIndex, Body);
    Sum->addIncoming(Tangents, Before);
    Sum->addIncoming(Next, Body);
    Tangents = Next;
    B.SetInsertPoint(S.Behind);
  }
  return Tangents;
}
