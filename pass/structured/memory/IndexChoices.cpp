//===- IndexChoices.cpp - what an index comes to --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/IndexChoices.h"
#include "LLVMCompat.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantFold.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

using Choices = SmallVector<APInt, 4>;
static constexpr unsigned MaxChoices = 8;
/// Objects keep as many places of one object apart.
static constexpr unsigned MaxCounted = 4;
static constexpr unsigned MaxBytesOfNumber = 16;

/// What a counter with constant bounds comes to in its loop: a loop over the
/// three coordinates of a point, say. Empty if there is no saying.
static Choices counted(const PHINode &Counter) {
  BinaryOperator *Next;
  Value *First, *Step;
  if (!matchSimpleRecurrence(&Counter, Next, First, Step) ||
      Next->getOpcode() != Instruction::Add)
    return {};
  auto *Start = dyn_cast<ConstantInt>(First);
  auto *By = dyn_cast<ConstantInt>(Step);
  // Another iteration begins where a comparison at the end of this one says so.
  const BasicBlock *Latch =
      Counter.getIncomingBlock(Counter.getIncomingValue(0) == Next ? 0 : 1);
  auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
  auto *Compare = Branch && Branch->isConditional()
                      ? dyn_cast<ICmpInst>(Branch->getCondition())
                      : nullptr;
  auto *Bound =
      Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
  if (!Start || !By || !Bound ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return {};
  const bool ByNext = Compare->getOperand(0) == Next;
  if (!ByNext && Compare->getOperand(0) != &Counter)
    return {};
  const bool GoesOnIf = Branch->getSuccessor(0) == Counter.getParent();
  Choices Result;
  APInt Each = Start->getValue();
  while (Result.size() != MaxCounted) {
    Result.push_back(Each);
    APInt Then = Each + By->getValue();
    if (ICmpInst::compare(ByNext ? Then : Each, Bound->getValue(),
                          Compare->getPredicate()) != GoesOnIf)
      return Result;
    Each = std::move(Then);
  }
  return {};
}

/// The few constants that \p V can be, as a counter as well if \p MayCount;
/// empty if there is no saying.
static Choices choicesOf(const Value *V, bool MayCount, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 6;
  if (auto *C = dyn_cast<ConstantInt>(V))
    return {C->getValue()};
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == MaxDepth)
    return {};
  auto Of = [&](unsigned K) {
    return choicesOf(I->getOperand(K), MayCount, Depth + 1);
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
    if (MayCount)
      if (Choices Counted = counted(cast<PHINode>(*I)); !Counted.empty())
        return Counted;
    for (unsigned K = 0; K != I->getNumOperands() && IsKnown; ++K)
      Add(Of(K));
    break;
  case Instruction::ZExt:
  case Instruction::SExt: {
    unsigned Bits = I->getType()->getScalarSizeInBits();
    Choices From = Of(0);
    if (I->getOperand(0)->getType()->isIntegerTy(1))
      From = {APInt(1, 0), APInt(1, 1)};
    for (const APInt &C : From)
      Add({isa<ZExtInst>(I) ? C.zext(Bits) : C.sext(Bits)});
    break;
  }
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::Xor:
  case Instruction::Or:
    for (const APInt &A : Of(0))
      for (const APInt &B : Of(1))
        if (auto *C =
                dyn_cast_or_null<ConstantInt>(ConstantFoldBinaryInstruction(
                    I->getOpcode(), ConstantInt::get(I->getType(), A),
                    ConstantInt::get(I->getType(), B))))
          Add({C->getValue()});
        else
          return {};
    break;
  default:
    return {};
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

IndexChoices::IndexChoices(const GEPOperator &GEP, const DataLayout &DL) {
  const unsigned Bits = DL.getIndexTypeSizeInBits(GEP.getType());
  compat::VariableOffsets Variable;
  APInt Constant(Bits, 0);
  if (!GEP.collectOffset(DL, Bits, Variable, Constant))
    return;
  APInt Apart = Constant;
  SmallVector<Term, 4> Terms;
  for (auto &[V, Scale] : Variable)
    addTerms(V, Scale, Apart, Terms, IsSigned);
  Sums = {Apart};
  for (auto &[V, Scale] : Terms) {
    // Steps over structures are places enough as they are.
    const Choices Some = choicesOf(V, Scale.abs().ule(MaxBytesOfNumber));
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
