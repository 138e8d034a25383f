//===- FiniteValues.cpp - which numbers may be infinite -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/FiniteValues.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <cmath>

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {

/// What a number that is no NaN lies between.
struct Bounds {
  double Low = -HUGE_VAL, High = HUGE_VAL;
};

} // namespace

/// What is closer to zero may be rounded to it, in another type than double.
static constexpr double Smallest = 1e-9;

static Bounds settled(double Low, double High) {
  if (std::isnan(Low) || std::isnan(High))
    return {};
  return {Low > 0 && Low < Smallest ? 0 : Low,
          High < 0 && High > -Smallest ? 0 : High};
}

/// Where \p X and \p Y cancel, what is left of them was rounded.
static double sumDown(double X, double Y) {
  return X * Y < 0 ? X + Y - 1e-6 * (std::fabs(X) + std::fabs(Y)) : X + Y;
}

static Bounds negated(Bounds X) { return {-X.High, -X.Low}; }

static Bounds sum(Bounds X, Bounds Y) {
  return settled(sumDown(X.Low, Y.Low), -sumDown(-X.High, -Y.High));
}

static Bounds product(Bounds X, Bounds Y) {
  double Ends[] = {X.Low * Y.Low, X.Low * Y.High, X.High * Y.Low,
                   X.High * Y.High};
  Bounds Result = {HUGE_VAL, -HUGE_VAL};
  for (double &End : Ends) {
    // Zero times infinity: of what is finite, zero.
    End = std::isnan(End) ? 0 : End;
    Result = {std::min(Result.Low, End), std::max(Result.High, End)};
  }
  return settled(Result.Low, Result.High);
}

static Bounds boundsOf(const Value *X, const VariedMemory &V, unsigned Depth);

static Bounds boundsOfProduct(const Value *X, const Value *Y,
                              const VariedMemory &V, unsigned Depth) {
  if (X == Y) {
    Bounds Each = boundsOf(X, V, Depth);
    double Least = Each.Low > 0 ? Each.Low : Each.High < 0 ? -Each.High : 0;
    return settled(Least * Least, HUGE_VAL);
  }
  return product(boundsOf(X, V, Depth), boundsOf(Y, V, Depth));
}

static Bounds boundsOf(const Value *X, const VariedMemory &V, unsigned Depth) {
  Type *T = X->getType();
  if (!T->isFloatTy() && !T->isDoubleTy() && !T->isX86_FP80Ty())
    return {};
  if (auto *C = dyn_cast<ConstantFP>(X)) {
    APFloat Known = C->getValueAPF();
    bool Loses;
    Known.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &Loses);
    return settled(Known.convertToDouble(), Known.convertToDouble());
  }
  auto *I = dyn_cast<Instruction>(X);
  if (!I || !Depth--)
    return {};
  auto Of = [&](const Value *Y) { return boundsOf(Y, V, Depth); };
  if (isa<UIToFPInst>(I))
    return {0, HUGE_VAL};
  if (isa<SelectInst>(I)) {
    Bounds A = Of(I->getOperand(1)), B = Of(I->getOperand(2));
    return {std::min(A.Low, B.Low), std::max(A.High, B.High)};
  }
  const Operation *Op = V.operation(I);
  if (!Op)
    return {};
  StringRef Name = Op->name();
  ArrayRef<Value *> Operands = Op->operands();
  if (Name == "fneg")
    return negated(Of(Operands[0]));
  if (Name == "fadd")
    return sum(Of(Operands[0]), Of(Operands[1]));
  if (Name == "fsub")
    return sum(Of(Operands[0]), negated(Of(Operands[1])));
  if (Name == "fmul")
    return boundsOfProduct(Operands[0], Operands[1], V, Depth);
  if (Name == "fma" || Name == "llvm_fmuladd")
    return sum(boundsOfProduct(Operands[0], Operands[1], V, Depth),
               Of(Operands[2]));
  if (Name == "fpext" || Name == "fptrunc")
    return Of(Operands[0]);
  if (Name == "sin" || Name == "cos" || Name == "tanh")
    return {-1, 1};
  if (Name == "fabs") {
    Bounds Each = Of(Operands[0]);
    return settled(Each.Low > 0    ? Each.Low
                   : Each.High < 0 ? -Each.High
                                   : 0,
                   HUGE_VAL);
  }
  if (Name == "sqrt") {
    double Low = Of(Operands[0]).Low;
    return settled(Low > 0 ? std::sqrt(Low) : 0, HUGE_VAL);
  }
  if (Name == "cosh")
    return {1, HUGE_VAL};
  bool IsPositive = Name == "exp" || Name == "exp2" || Name == "hypot" ||
                    (Name == "pow" && Of(Operands[0]).Low >= 0);
  return IsPositive ? Bounds{0, HUGE_VAL} : Bounds();
}

static Bounds boundsOf(const Value *X, const VariedMemory &V) {
  constexpr unsigned MaxDepth = 6;
  return boundsOf(X, V, MaxDepth);
}

static bool isAwayFromZero(Bounds X) { return X.Low > 0 || X.High < 0; }

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// isnan(x) and its like.
static bool isNaNTest(const Instruction &I) {
  if (auto *Call = dyn_cast<IntrinsicInst>(&I))
    return Call->getIntrinsicID() == Intrinsic::is_fpclass;
  auto *Test = dyn_cast<FCmpInst>(&I);
  return Test && (Test->getPredicate() == FCmpInst::FCMP_UNO ||
                  Test->getPredicate() == FCmpInst::FCMP_ORD ||
                  Test->getOperand(0) == Test->getOperand(1));
}

bool verso::asksForNaNs(const Function &F) {
  return any_of(instructions(F), isNaNTest);
}

void FiniteValues::find(Function &F) {
  auto IsComputed = [&](const Instruction &Each) {
    return Each.getType()->isFloatingPointTy() &&
           (V.operation(&Each) || isa<SelectInst, PHINode>(Each));
  };
  SmallSetVector<const Instruction *, 32> Work;
  for (const Instruction &Each : instructions(F))
    if (IsComputed(Each))
      Work.insert(&Each);
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    unsigned &Known = States[I], Now = Known | compute(*I);
    if (Now == Known)
      continue;
    Known = Now;
    for (const User *U : I->users())
      if (auto *By = cast<Instruction>(U); IsComputed(*By))
        Work.insert(By);
  }
}

unsigned FiniteValues::stateOf(const Value *X) const {
  if (auto *C = dyn_cast<ConstantFP>(X)) {
    const APFloat &Known = C->getValueAPF();
    return Known.isNaN()        ? Nan
           : Known.isFinite()   ? None
           : Known.isNegative() ? Minus
                                : Plus;
  }
  return States.lookup(X);
}

unsigned FiniteValues::compute(const Instruction &I) const {
  if (auto *Select = dyn_cast<SelectInst>(&I))
    return ofChoice(*Select);
  if (const Operation *Op = V.operation(&I))
    return ofOperation(*Op);
  unsigned Result = None;
  for (const Value *X : I.operands())
    Result |= stateOf(X);
  return Result;
}

/// Which of \p States \p X may have where \p P holds of it and a constant.
static unsigned where(FCmpInst::Predicate P, const APFloat &C,
                      unsigned States) {
  const APFloat Values[] = {APFloat::getInf(C.getSemantics()),
                            APFloat::getInf(C.getSemantics(), true),
                            APFloat::getNaN(C.getSemantics())};
  for (unsigned K : {0, 1, 2})
    if (!FCmpInst::compare(Values[K], C, P))
      States &= ~(1u << K);
  return States;
}

/// For x > 5 ? 5 : x
unsigned FiniteValues::ofChoice(const SelectInst &I) const {
  auto *Test = dyn_cast<FCmpInst>(I.getCondition());
  auto Of = [&](const Value *X, bool Holds) {
    unsigned Known = stateOf(X);
    auto *C = Test ? dyn_cast<ConstantFP>(Test->getOperand(1)) : nullptr;
    if (!Known || !C || Test->getOperand(0) != X)
      return Known;
    return where(Holds ? Test->getPredicate() : Test->getInversePredicate(),
                 C->getValueAPF(), Known);
  };
  return Of(I.getTrueValue(), true) | Of(I.getFalseValue(), false);
}

static bool isSmall(const APFloat &C) {
  constexpr double Largest = 3;
  APFloat Bound(Largest);
  bool Loses;
  Bound.convert(C.getSemantics(), APFloat::rmNearestTiesToEven, &Loses);
  return C.compare(Bound) != APFloat::cmpGreaterThan && !C.isNaN();
}

unsigned FiniteValues::ofOperation(const Operation &Op) const {
  StringRef Name = Op.name();
  ArrayRef<Value *> X = Op.operands();
  auto Swapped = [](unsigned S) {
    return (S & Nan) | (S & Plus ? Minus : 0u) | (S & Minus ? Plus : 0u);
  };
  unsigned Any = None;
  for (const Value *Each : X)
    Any |= stateOf(Each);
  auto IsRegular = [&](unsigned K) { return !Any && isRegular(Op, K); };
  if (Name == "fneg")
    return Swapped(Any);
  if (Name == "fabs")
    return (Any & Nan) | (Any & (Plus | Minus) ? Plus : 0u);
  if (Name == "fadd" || Name == "fsub") {
    unsigned A = stateOf(X[0]), B = stateOf(X[1]);
    B = Name == "fsub" ? Swapped(B) : B;
    bool Cancel = (A & Plus && B & Minus) || (A & Minus && B & Plus);
    return A | B | (Cancel ? Nan : None);
  }
  if (Name == "fmul")
    if (auto *C = dyn_cast<ConstantFP>(X[1]);
        C && C->getValueAPF().isFiniteNonZero())
      return C->isNegative() ? Swapped(stateOf(X[0])) : stateOf(X[0]);
  // A quotient of what is infinite may be finite.
  if (Name == "fdiv" && isRegular(Op, 1))
    return None;
  if (Name == "fdiv" && isRegular(Op, 0) && !stateOf(X[1]))
    return stateOf(X[0]) | Swapped(stateOf(X[0]));
  if (Name == "sqrt" && boundsOf(X[0], V).Low >= 0)
    return Any;
  // A small exponent makes no more of what is large than a product does.
  if (Name == "pow" && !Any && boundsOf(X[0], V).Low >= 0)
    if (auto *C = dyn_cast<ConstantFP>(X[1]))
      return !C->isNegative() && isSmall(C->getValueAPF()) ? None : Plus;
  bool IsSource = any_of(seq<unsigned>(X.size()), [&](unsigned K) {
    return (Op.isSingular(K) && !IsRegular(K)) || Op.mayOverflow(K) ||
           Op.uses(K).Result;
  });
  if (Name == "exp" || Name == "exp2")
    return Plus | (Any & Nan);
  return Any || IsSource ? All : None;
}

bool FiniteValues::isRegular(const Operation &Op, unsigned K) const {
  if (MemoryHasNaNs)
    return false;
  StringRef Name = Op.name();
  ArrayRef<Value *> X = Op.operands();
  // The partial by what is divided by holds the quotient.
  if (Name == "fdiv")
    return isAwayFromZero(boundsOf(X[1], V)) && !(stateOf(X[1]) & Nan) &&
           (K == 0 || !stateOf(X[0]));
  if (Name == "sqrt" || Name == "log" || Name == "log2" || Name == "log10" ||
      (Name == "pow" && K == 0))
    return boundsOf(X[0], V).Low > 0 &&
           all_of(X, [&](const Value *Each) { return !stateOf(Each); });
  return false;
}
