//===- Overflows.cpp - what overflows and is divided by -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/Overflows.h"
#include "rules/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

static constexpr char Mark[] = "verso.overflow";
static constexpr char ExponentMark[] = "verso.exponent";
static constexpr char LimitMark[] = "verso.limit";
static constexpr char LogarithmMark[] = "verso.logarithm";

/// An exponential, a hyperbolic function, a power: where it, or its partial,
/// overflows, its operands are finite and may vary.
static bool mayOverflow(const Operation &Op, unsigned K) {
  return !Op.isSingular(K) && (Op.mayOverflow(K) || Op.uses(K).Result);
}

/// What comes to a limit at infinity, too, and powers, whose exponents may be
/// negative.
bool verso::makesZero(const Operation &Op, unsigned K) {
  return (Op.name() == "fdiv" && K == 1) || mayOverflow(Op, K) ||
         (Op.name() == "pow" && K == 0) || (Op.name() == "limit" && K == 1) ||
         is_contained({"atan", "erf", "erfc"}, Op.name());
}

/// Its derivative vanishes at infinity faster than any power grows.
static bool isExponential(const Operation &Op) {
  return is_contained({"exp", "exp2", "exp10", "pow10", "expm1", "exp2m1",
                       "exp10m1", "tanh", "erf", "erfc"},
                      Op.name());
}

static bool isLogarithm(const Operation &Op) {
  return (Op.name().contains("log") && Op.name() != "logb") ||
         is_contained({"lgamma", "lgamma_r", "atanh", "catanh", "y0", "yn"},
                      Op.name());
}

static bool hasMark(const Value *V, StringRef Kind) {
  auto *I = dyn_cast<Instruction>(V);
  return I && I->hasMetadata(Kind);
}

bool verso::isOverflow(const Value *V) { return hasMark(V, Mark); }
bool verso::isExponent(const Value *V) { return hasMark(V, ExponentMark); }
bool verso::isOfLogarithm(const Value *V) { return hasMark(V, LogarithmMark); }

bool verso::comesToLimit(const Instruction &I, const Operation &Op,
                         unsigned K) {
  return I.hasMetadata(LimitMark) ||
         (isOverflow(Op.operands()[K]) && makesZero(Op, K));
}

using Found = DenseMap<const Instruction *, Operation>;

namespace {

/// Finds and marks what comes to exponentials.
class Exponents {
public:
  Exponents(Function &F, const Found &Operations);
  void mark();

private:
  bool computes(const Instruction &I) const {
    return I.getType()->isFloatingPointTy() &&
           (Operations.contains(&I) || isa<SelectInst>(I));
  }
  void markBefore(Instruction &Exponential, StringRef Kind);

  const Found &Operations;
  MDNode *Node;
  SmallVector<Instruction *, 16> Exponentials, Tested;
  DenseSet<const Instruction *> OfLogarithms;
};

} // namespace

Exponents::Exponents(Function &F, const Found &Operations)
    : Operations(Operations), Node(MDNode::get(F.getContext(), {})) {
  SmallVector<const Instruction *, 16> Work;
  for (Instruction &I : instructions(F)) {
    for (StringRef Kind : {ExponentMark, LimitMark, LogarithmMark})
      I.setMetadata(Kind, nullptr);
    auto Op = Operations.find(&I);
    // What a function returns may be a logarithm's.
    if (Op == Operations.end() && isa<CallBase>(I) &&
        I.getType()->isFloatingPointTy())
      Work.push_back(&I);
    if (Op == Operations.end() || (isa<FPMathOperator>(I) && I.hasNoInfs()))
      continue;
    if (isExponential(Op->second))
      Exponentials.push_back(&I);
    if (isExponential(Op->second) && Op->second.name() != "tanh" &&
        !isOverflow(&I))
      Tested.push_back(&I);
    else if (is_contained({"atan", "limit"}, Op->second.name()))
      Tested.push_back(&I);
    if (isLogarithm(Op->second))
      Work.push_back(&I);
  }
  while (!Exponentials.empty() && !Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (!OfLogarithms.insert(I).second)
      continue;
    for (const User *U : I->users())
      if (auto *By = cast<Instruction>(U); computes(*By) || isa<PHINode>(By))
        Work.push_back(By);
  }
}

/// Up to what is handed from one iteration to the next, where a sum would have
/// a test in each of its summands.
void Exponents::markBefore(Instruction &Exponential, StringRef Kind) {
  SmallVector<Instruction *, 16> Work{&Exponential};
  while (!Work.empty())
    for (Value *X : Work.pop_back_val()->operands())
      if (auto *I = dyn_cast<Instruction>(X);
          I && computes(*I) && !I->hasMetadata(Kind) &&
          (Kind != LogarithmMark || OfLogarithms.contains(I))) {
        I->setMetadata(Kind, Node);
        Work.push_back(I);
      }
}

void Exponents::mark() {
  for (Instruction *I : Tested)
    markBefore(*I, ExponentMark);
  for (Instruction *I : Exponentials)
    if (OfLogarithms.contains(I))
      markBefore(*I, LogarithmMark);
    else
      I->setMetadata(LimitMark, Node);
}

/// All between \p Sources and \p Ends.
static void markBetween(Function &F, const Found &Operations,
                        SmallVectorImpl<Instruction *> &Sources,
                        SmallVectorImpl<Instruction *> &Ends) {
  if (Sources.empty() || Ends.empty())
    return;
  auto IsOnTheWay = [&](const Instruction &I) {
    return I.getType()->isFloatingPointTy() &&
           (Operations.contains(&I) || isa<PHINode, SelectInst>(I));
  };
  DenseSet<const Instruction *> Infinite;
  while (!Sources.empty()) {
    Instruction *I = Sources.pop_back_val();
    if (!IsOnTheWay(*I) || !Infinite.insert(I).second)
      continue;
    for (User *U : I->users())
      Sources.push_back(cast<Instruction>(U));
  }
  MDNode *Node = MDNode::get(F.getContext(), {});
  while (!Ends.empty()) {
    Instruction *I = Ends.pop_back_val();
    if (!Infinite.contains(I) || I->hasMetadata(Mark))
      continue;
    I->setMetadata(Mark, Node);
    for (Value *X : I->operands())
      if (auto *From = dyn_cast<Instruction>(X))
        Ends.push_back(From);
  }
}

void verso::markOverflows(Function &F, const TargetLibraryInfo *TLI) {
  Found Operations;
  SmallVector<Instruction *, 16> Sources, Ends;
  for (Instruction &I : instructions(F)) {
    I.setMetadata(Mark, nullptr);
    std::optional<Operation> Op = Operation::match(I, TLI);
    if (!Op)
      continue;
    for (unsigned K = 0, E = Op->operands().size(); K != E; ++K) {
      if (I.getType()->isFloatingPointTy() && mayOverflow(*Op, K))
        Sources.push_back(&I);
      if (auto *X = dyn_cast<Instruction>(Op->operands()[K]);
          X && makesZero(*Op, K))
        Ends.push_back(X);
    }
    Operations.try_emplace(&I, *Op);
  }
  markBetween(F, Operations, Sources, Ends);
  Exponents(F, Operations).mark();
}
