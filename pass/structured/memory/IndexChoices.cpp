//===- IndexChoices.cpp - what an index comes to --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/IndexChoices.h"
#include "LLVMCompat.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantFold.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

using Choices = SmallVector<APInt, 4>;
static constexpr unsigned MaxChoices = IndexChoices::MaxChoices;
static constexpr unsigned MaxBytesOfNumber = 16, MaxBytesOfRow = 64;

struct Counters::Loops {
  Loops(Function &F, const TargetLibraryInfo &Known)
      : TLI(Known), AC(F), DT(F), LI(DT), SE(F, TLI, AC, DT, LI) {}

  TargetLibraryInfo TLI;
  AssumptionCache AC;
  DominatorTree DT;
  LoopInfo LI;
  ScalarEvolution SE;
};

Counters::Counters(Function &F, const TargetLibraryInfo *TLI)
    : F(F), TLI(TLI) {}
Counters::~Counters() = default;

Choices Counters::valuesOf(const PHINode &Counter) {
  if (!TLI || !Counter.getType()->isIntegerTy())
    return {};
  if (!Its)
    Its = std::make_unique<Loops>(F, *TLI);
  const Loop *L = Its->LI.getLoopFor(Counter.getParent());
  if (!L || L->getHeader() != Counter.getParent())
    return {};
  auto *Evolution = dyn_cast<SCEVAddRecExpr>(
      Its->SE.getSCEV(const_cast<PHINode *>(&Counter)));
  auto *Again =
      dyn_cast<SCEVConstant>(Its->SE.getConstantMaxBackedgeTakenCount(L));
  if (!Evolution || !Again || Again->getAPInt().uge(MaxChoices))
    return {};
  auto *First = dyn_cast<SCEVConstant>(Evolution->getStart());
  auto *Step = dyn_cast<SCEVConstant>(Evolution->getStepRecurrence(Its->SE));
  if (!First || !Step)
    return {};
  Choices Result;
  for (uint64_t K = 0; K <= Again->getAPInt().getZExtValue(); ++K)
    Result.push_back(First->getAPInt() + Step->getAPInt() * K);
  return Result;
}

/// The few constants that \p V can be; empty if there is no saying. Null for \p
/// Counting if it is to be no counter.
static Choices choicesOf(const Value *V, Counters *Counting,
                         unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 6;
  if (auto *C = dyn_cast<ConstantInt>(V))
    return {C->getValue()};
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == MaxDepth)
    return {};
  auto Of = [&](unsigned K) {
    return choicesOf(I->getOperand(K), Counting, Depth + 1);
  };
  Choices Result;
  bool IsKnown = true;
  auto Add = [&](const Choices &Some) {
    IsKnown = IsKnown && !Some.empty();
    for (const APInt &C : Some)
      if (!is_contained(Result, C))
        Result.push_back(C);
  };
  switch (I->getOpcode()) {
  case Instruction::Select:
    Add(Of(1));
    Add(Of(2));
    break;
  case Instruction::PHI:
    if (Counting)
      if (Choices Counted = Counting->valuesOf(cast<PHINode>(*I));
          !Counted.empty())
        return Counted;
    for (unsigned K = 0; K != I->getNumOperands() && IsKnown; ++K)
      Add(Of(K));
    break;
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc: {
    const unsigned Bits = I->getType()->getScalarSizeInBits();
    Choices From = Of(0);
    if (I->getOperand(0)->getType()->isIntegerTy(1))
      From = {APInt(1, 0), APInt(1, 1)};
    for (const APInt &C : From)
      Add({isa<SExtInst>(I) ? C.sext(Bits) : C.zextOrTrunc(Bits)});
    break;
  }
  default: {
    if (!isa<BinaryOperator>(I))
      return {};
    const Choices Right = Of(1);
    for (const APInt &A : Right.empty() ? Choices() : Of(0))
      for (const APInt &B : Right)
        if (auto *C =
                dyn_cast_or_null<ConstantInt>(ConstantFoldBinaryInstruction(
                    I->getOpcode(), ConstantInt::get(I->getType(), A),
                    ConstantInt::get(I->getType(), B))))
          Add({C->getValue()});
        else
          return {};
    break;
  }
  }
  return IsKnown && Result.size() <= MaxChoices ? Result : Choices();
}

/// \p V times \p Scale, taken apart into terms; constants go to \p Constant.
/// What wraps around stays whole, since it is a multiple of nothing but powers
/// of two (Objects::divisor). \p IsSigned: whether a sum may be negative.
static void addTerms(const Value *V, APInt Scale, APInt &Constant,
                     SmallVectorImpl<IndexChoices::Term> &Terms, bool &IsSigned,
                     unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 4;
  auto *O = dyn_cast<OverflowingBinaryOperator>(V);
  const bool MayWrap = O && !O->hasNoUnsignedWrap() && !O->hasNoSignedWrap();
  auto Add = [&](const Value *Part, APInt By) {
    IsSigned |= O && !O->hasNoUnsignedWrap();
    addTerms(Part, By, Constant, Terms, IsSigned, Depth + 1);
  };
  const Value *A, *B;
  const APInt *C;
  if (match(V, m_APInt(C)) && C->getBitWidth() == Scale.getBitWidth()) {
    Constant += *C * Scale;
  } else if (V->getType()->getScalarSizeInBits() != Scale.getBitWidth() ||
             Depth == MaxDepth || MayWrap) {
    Terms.push_back({V, Scale});
  } else if (match(V, m_AddLike(m_Value(A), m_Value(B)))) {
    Add(A, Scale);
    Add(B, Scale);
  } else if (match(V, m_Mul(m_Value(A), m_APInt(C)))) {
    Add(A, Scale * *C);
  } else if (match(V, m_Shl(m_Value(A), m_APInt(C))) &&
             C->ult(Scale.getBitWidth())) {
    Add(A, Scale.shl(*C));
  } else {
    Terms.push_back({V, Scale});
  }
}

/// Structures of an array are places enough as they are: what is copied of each
/// repeats itself.
static bool stepsOverStructures(const GEPOperator &GEP, const Value *Index) {
  for (auto It = gep_type_begin(GEP); It != gep_type_end(GEP); ++It) {
    if (It.getOperand() != Index || !It.isSequential())
      continue;
    Type *Element = It.getIndexedType();
    while (Element->isArrayTy())
      Element = Element->getArrayElementType();
    if (Element->isStructTy())
      return true;
  }
  return false;
}

IndexChoices::IndexChoices(const GEPOperator &GEP, const DataLayout &DL,
                           Counters &Counting) {
  const unsigned Bits = DL.getIndexTypeSizeInBits(GEP.getType());
  compat::VariableOffsets Variable;
  APInt Constant(Bits, 0);
  if (!GEP.collectOffset(DL, Bits, Variable, Constant))
    return;
  APInt Apart = Constant;
  SmallVector<Term, 4> Terms, OverStructures;
  for (auto &[V, Scale] : Variable)
    addTerms(V, Scale, Apart,
             stepsOverStructures(GEP, V) ? OverStructures : Terms, IsSigned);
  // The cells of a matrix before its rows.
  sort(Terms, [](const Term &A, const Term &B) {
    return A.second.abs().ult(B.second.abs());
  });
  const size_t InArrays = Terms.size();
  append_range(Terms, OverStructures);
  Sums = {Apart};
  for (const auto &[K, Each] : enumerate(Terms)) {
    const auto &[V, Scale] = Each;
    const bool MayCount =
        Scale.abs().ule(K < InArrays ? MaxBytesOfRow : MaxBytesOfNumber);
    const Choices Some = choicesOf(V, MayCount ? &Counting : nullptr);
    if (Some.empty() || Sums.size() * Some.size() > MaxChoices) {
      Rest.push_back({V, Scale});
      continue;
    }
    SmallVector<APInt, 4> Longer;
    for (const APInt &Sum : Sums)
      for (const APInt &C : Some)
        if (APInt Each = Sum + C.sextOrTrunc(Bits) * Scale;
            !is_contained(Longer, Each))
          Longer.push_back(Each);
    Sums = std::move(Longer);
  }
  // Nothing was found: of a whole index more may be known than of its parts.
  if (Rest.size() != Terms.size() || Apart != Constant)
    return;
  IsSigned = false;
  Rest.clear();
  for (auto &[V, Scale] : Variable)
    Rest.push_back({V, Scale});
}

bool IndexChoices::restIsUpwards(const GEPOperator &GEP,
                                 const DataLayout &DL) const {
  return GEP.isInBounds() &&
         ((!IsSigned && GEP.hasNoUnsignedWrap()) ||
          all_of(Rest, [&](const Term &Each) {
            return Each.second.isNonNegative() &&
                   isKnownNonNegative(Each.first, SimplifyQuery(DL));
          }));
}
