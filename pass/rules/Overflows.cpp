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
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

static constexpr char Mark[] = "verso.overflow";
static constexpr char ExponentMark[] = "verso.exponent";
static constexpr char LimitMark[] = "verso.limit";
static constexpr char LogarithmMark[] = "verso.logarithm";
static constexpr char UnseenMark[] = "verso.unseen";

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
bool verso::isOfUnseen(const Value *V) { return hasMark(V, UnseenMark); }

bool verso::comesToLimit(const Instruction &I, const Operation &Op,
                         unsigned K) {
  return I.hasMetadata(LimitMark) ||
         (isOverflow(Op.operands()[K]) && makesZero(Op, K));
}

using Found = DenseMap<const Instruction *, Operation>;

namespace {

/// Finds and marks what comes to exponentials, and the poles that may.
class Exponents {
public:
  Exponents(Function &F, const Found &Operations);
  void mark();

private:
  using Set = SmallSetVector<Instruction *, 16>;

  bool computes(const Instruction &I) const {
    return I.getType()->isFloatingPointTy() &&
           (Operations.contains(&I) || isa<SelectInst>(I));
  }
  bool passesOn(const Instruction &I) const {
    return computes(I) || isa<PHINode>(I);
  }
  bool keepsInfinity(const Instruction &I) const;
  Set reachedFrom(Set Reached, bool WhileInfinite = false) const;
  bool leavesRegisters(const Instruction &I) const;
  Set before(const Set &Ends, const Set *Within) const;
  void mark(const Set &Marked, StringRef Kind);
  void markExponents();
  void markLimits();
  void markPoles();

  const Found &Operations;
  MDNode *Node;
  Set Exponentials, Tested, Logarithms, Returned, Unseen;
};

} // namespace

Exponents::Exponents(Function &F, const Found &Operations)
    : Operations(Operations), Node(MDNode::get(F.getContext(), {})) {
  for (Argument &X : F.args())
    for (User *U : X.users())
      if (X.getType()->isFloatingPointTy() && passesOn(*cast<Instruction>(U)))
        Unseen.insert(cast<Instruction>(U));
  for (Instruction &I : instructions(F)) {
    for (StringRef Kind : {ExponentMark, LimitMark, LogarithmMark, UnseenMark})
      I.setMetadata(Kind, nullptr);
    auto Op = Operations.find(&I);
    if (I.getType()->isFloatingPointTy() && Op == Operations.end()) {
      if (isa<CallBase>(I))
        Returned.insert(&I);
      else if (!passesOn(I))
        Unseen.insert(&I);
    }
    if (Op == Operations.end() || (isa<FPMathOperator>(I) && I.hasNoInfs()))
      continue;
    if (isExponential(Op->second))
      Exponentials.insert(&I);
    if (is_contained({"atan", "limit"}, Op->second.name()) ||
        (isExponential(Op->second) && Op->second.name() != "tanh"))
      Tested.insert(&I);
    if (isLogarithm(Op->second))
      Logarithms.insert(&I);
  }
}

/// Sums, products and choices.
bool Exponents::keepsInfinity(const Instruction &I) const {
  return !isa<CallBase>(I) || Operations.at(&I).chooses() ||
         is_contained({"fma", "fmuladd"}, Operations.at(&I).name());
}

/// All that \p Reached comes to in registers, itself among it.
Exponents::Set Exponents::reachedFrom(Set Reached, bool WhileInfinite) const {
  for (unsigned K = 0; K != Reached.size(); ++K)
    for (User *U : Reached[K]->users())
      if (auto *By = cast<Instruction>(U);
          passesOn(*By) && (!WhileInfinite || keepsInfinity(*By)))
        Reached.insert(By);
  return Reached;
}

/// Not where it is returned: who called takes it for a logarithm's.
bool Exponents::leavesRegisters(const Instruction &I) const {
  return any_of(I.users(), [&](const User *U) {
    auto &By = *cast<Instruction>(U);
    return !passesOn(By) && !isa<ReturnInst, FCmpInst>(By);
  });
}

/// What comes to \p Ends, up to what is handed from one iteration to the next,
/// where a sum would have a test in each of its summands.
Exponents::Set Exponents::before(const Set &Ends, const Set *Within) const {
  Set Found;
  auto AddOperands = [&](Instruction &Of) {
    for (Value *X : Of.operands())
      if (auto *I = dyn_cast<Instruction>(X);
          I && computes(*I) && (!Within || Within->contains(I)))
        Found.insert(I);
  };
  for (Instruction *End : Ends)
    AddOperands(*End);
  for (unsigned K = 0; K != Found.size(); ++K)
    AddOperands(*Found[K]);
  return Found;
}

void Exponents::mark(const Set &Marked, StringRef Kind) {
  for (Instruction *I : Marked)
    I->setMetadata(Kind, Node);
}

/// Of what comes to an exponential that overflows divisions only: a layer of a
/// network has a product for each weight.
void Exponents::markExponents() {
  Set Overflowing;
  for (Instruction *I : Tested)
    if (isOverflow(I))
      Overflowing.insert(I);
  Set Others = Tested;
  Others.set_subtract(Overflowing);
  mark(before(Others, nullptr), ExponentMark);
  for (Instruction *I : before(Overflowing, nullptr))
    if (I->getOpcode() == Instruction::FDiv)
      I->setMetadata(ExponentMark, Node);
}

/// Those of logarithms that go to memory or to a function, and what is as
/// infinite as they are on that way.
void Exponents::markPoles() {
  Set Infinite = reachedFrom(Logarithms, /*WhileInfinite=*/true), Ends;
  for (Instruction *I : Infinite)
    if (computes(*I) && leavesRegisters(*I))
      Ends.insert(I);
  mark(Ends, LogarithmMark);
  mark(before(Ends, &Infinite), LogarithmMark);
}

/// Exponentials have limits, but for those of what a function returns.
void Exponents::markLimits() {
  const Set OfReturned = reachedFrom(Returned),
            OfLogarithms = reachedFrom(Logarithms),
            OfUnseen = reachedFrom(Unseen);
  Set Ends;
  for (Instruction *I : Exponentials) {
    if (OfLogarithms.contains(I))
      Ends.insert(I);
    if (OfReturned.contains(I))
      continue;
    I->setMetadata(LimitMark, Node);
    if (OfUnseen.contains(I) || OfLogarithms.contains(I))
      I->setMetadata(UnseenMark, Node);
  }
  mark(before(Ends, &OfLogarithms), LogarithmMark);
}

void Exponents::mark() {
  markPoles();
  markExponents();
  if (!Exponentials.empty())
    markLimits();
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
