//===- Records.cpp - what an operation writes to the tape -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Companion.h"
#include "rules/CutOff.h"
#include "rules/Overflows.h"
#include "rules/Zero.h"
#include "taped/Instrumenter.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

namespace {

/// Sums and products of adjoints, in the type \p Real, that fold 0 and 1.
class AdjointBuilder {
public:
  /// \p IsInner: an outer request may differentiate what is emitted.
  AdjointBuilder(IRBuilderBase &B, Type *Real, bool IsInner)
      : B(B), Real(Real), IsInner(IsInner) {}

  Value *toReal(Value *V) { return B.CreateFPCast(V, Real); }

  Value *add(Value *Sum, Value *Term) {
    return Sum ? B.CreateFAdd(Sum, Term) : Term;
  }

  /// Adjoint times Partial, the one by operand K of Op. Where the partial may
  /// be infinite, a zero adjoint gives zero: the adjoint of a zero is dead
  /// code. So it does where a choice may have thrown the result away, or what
  /// is infinite comes to a limit (\p IsChosen): then a factor may be infinite
  /// by its value.
  Value *multiply(Value *Adjoint, Value *Partial, const Operation &Op,
                  unsigned K, bool IsChosen) {
    if (match(Adjoint, m_FPOne()))
      return Partial;
    if (match(Partial, m_FPOne()))
      return Adjoint;
    if (isa<ConstantFP>(Adjoint))
      return B.CreateFMul(Adjoint, Partial);
    Adjoint = Op.emitCutOff(B, Partial, Adjoint);
    auto *Known = dyn_cast<ConstantFP>(Partial);
    if (IsChosen && !(Known && Known->getValueAPF().isFinite()))
      return emitProduct(B, Partial, Adjoint);
    // The tangent of the partial may be infinite, as the partial may be where
    // the operation has a pole.
    if (IsInner && !Known && Op.isPlain(K))
      return emitWeighted(B, Partial, Adjoint);
    return Op.emitScaled(B, K, Partial, Adjoint);
  }

private:
  IRBuilderBase &B;
  Type *Real;
  const bool IsInner;
};

} // namespace

/// What the partials in the cone of \p Root are multiplied in: double, or the
/// widest number in it. A long double may be beyond the range of doubles, as in
/// a continued fraction that begins with the root of the smallest number, where
/// the result's derivative is not.
static Type *typeOfPartials(const Cones &C, Instruction &Root) {
  Type *Widest = Type::getDoubleTy(Root.getContext());
  auto Widen = [&](Type *T) {
    if (T->isFloatingPointTy() &&
        T->getPrimitiveSizeInBits() > Widest->getPrimitiveSizeInBits())
      Widest = T;
  };
  for (Instruction *I : C.members(&Root)) {
    Widen(I->getType());
    for (Value *X : I->operands())
      Widen(X->getType());
  }
  return Widest;
}

/// Whether the partial has a factor that no operation computes, or an infinite
/// constant.
static bool hasForeignFactor(const Operation &Op, unsigned K) {
  return any_of(enumerate(Op.operands()), [&](auto X) {
    if (auto *C = dyn_cast<ConstantFP>(X.value()))
      return !C->getValueAPF().isFinite();
    return (Op.uses(K).Operands >> X.index() & 1) &&
           !isa<BinaryOperator, UnaryOperator, CastInst>(X.value());
  });
}

/// The local reverse sweep: adjoints of the cone's members, the root first,
/// collected by source.
Value *Instrumenter::emitContributions(Instruction &Root,
                                       SmallVectorImpl<Contribution> &Terms,
                                       IRBuilderBase &B) {
  AdjointBuilder Sum(B, typeOfPartials(C, Root), Registry.isNested());
  DenseMap<Value *, Value *> Adjoint;
  // What minima and maxima are computed from, and exponentials; what else has a
  // limit at infinity, where only what comes from elsewhere is taken as
  // infinite.
  SmallPtrSet<Value *, 8> Chosen, Divided;
  MapVector<Value *, Value *> Sources;
  Value *One = Sum.toReal(ConstantFP::get(B.getDoubleTy(), 1));
  Adjoint[&Root] = One;
  for (Instruction *I : C.members(&Root)) {
    Value *Bar = Adjoint.lookup(I);
    if (!Bar)
      continue;
    const Operation &Op = *A.operation(I);
    FastMathFlags Flags;
    if (isa<FPMathOperator>(I))
      Flags = I->getFastMathFlags();
    for (auto [K, X] : enumerate(Op.operands())) {
      Operation::Shape Shape = Op.shape(K);
      if (Shape == Operation::Shape::Zero || !A.isActive(X))
        continue;
      B.setFastMathFlags(Flags);
      Value *Partial = Shape == Operation::Shape::One
                           ? One
                           : Sum.toReal(Op.emitPartial(B, K));
      bool IsChosen = Chosen.contains(I) ||
                      (Divided.contains(I) && hasForeignFactor(Op, K));
      Value *Term = Sum.multiply(Bar, Partial, Op, K, IsChosen);
      const bool IsQuotient = Op.name() == "fdiv" || Op.name() == "pow";
      if (Op.chooses() || (makesZero(Op, K) && !IsQuotient) ||
          Chosen.contains(I))
        Chosen.insert(X);
      if (makesZero(Op, K) || Divided.contains(I))
        Divided.insert(X);
      Value *&Slot = C.isInside(X, &Root) ? Adjoint[X] : Sources[X];
      Slot = Sum.add(Slot, Term);
      B.clearFastMathFlags();
    }
  }
  if (Sources.size() == 1 && match(Sources.front().second, m_FPOne()))
    return companion(Sources.front().first);
  const Loop *L = LoopOf.lookup(&Root);
  auto Repeats = [&](Value *X) {
    const Loop *Home = LoopOf.lookup(X);
    return L && !(Home && L->contains(Home));
  };
  const bool MayMeetAPole = isCutOff(&Root);
  for (auto &[X, Partial] : Sources) {
    if (match(Partial, m_AnyZeroFP()))
      continue;
    Value *Id = companion(X);
    // What is cut off is constant: the sweep would multiply its zeros by an
    // infinite adjoint.
    if (MayMeetAPole && !isa<Constant>(Partial))
      Id = B.CreateSelect(emitIsZero(B, Partial), zeroCompanion(X->getType()),
                          Id);
    Terms.push_back({B.CreateFPCast(Partial, B.getDoubleTy()), Id, Repeats(X)});
  }
  return nullptr;
}

/// The entry of the outermost loop around \p Root in which all partials are the
/// same, with their computations moved before it; null if there is none. What
/// may move is what was emitted since \p Root.
Instruction *Instrumenter::shareable(Instruction &Root,
                                     ArrayRef<Contribution> Terms,
                                     IRBuilderBase &B) {
  constexpr unsigned MostShared = 64;
  const Loop *L = LoopOf.lookup(&Root);
  if (!L || Terms.size() > MostShared ||
      (Terms.size() == 1 && match(Terms[0].Partial, m_FPOne())))
    return nullptr;
  SmallPtrSet<Value *, 16> Fresh;
  for (auto It = B.GetInsertPoint(); It != B.GetInsertBlock()->begin();) {
    if (&*--It == &Root)
      break;
    Fresh.insert(&*It);
  }
  SmallSetVector<Value *, 16> Moving;
  SmallVector<const Loop *, 4> Levels; // Innermost first.
  for (; L && LoopEntry.lookup(L); L = L->getParentLoop())
    Levels.push_back(L);
  size_t Reach = Levels.size(); // How many of them the partials do not vary in.
  std::function<bool(Value *)> Visit = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Moving.contains(I))
      return true;
    if (!Fresh.contains(I)) {
      if (!LoopOf.contains(I))
        return false;
      const Loop *Home = LoopOf.lookup(I);
      while (Reach && Levels[Reach - 1]->contains(Home))
        --Reach;
      return Reach != 0;
    }
    if (isa<PHINode>(I) || I->mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(I) || !all_of(I->operands(), Visit))
      return false;
    Moving.insert(I);
    return true;
  };
  if (Levels.empty() || !all_of(Terms, [&](const Contribution &Term) {
        return Visit(Term.Partial);
      }))
    return nullptr;
  Instruction *Entry = LoopEntry.lookup(Levels[Reach - 1]);
  for (Value *V : Moving) { // Operands first.
    auto *I = cast<Instruction>(V);
    if (B.GetInsertPoint() == I->getIterator())
      B.SetInsertPoint(I->getNextNode());
    I->moveBefore(*Entry->getParent(), Entry->getIterator());
  }
  return Entry;
}

/// A recorded result. A sum with a constant, a widening and the like has the ID
/// of its operand; everything else gets a record.
void Instrumenter::emitRecord(Instruction &Root) {
  BuilderAfter B(Root);
  SmallVector<Contribution, 8> Terms;
  Value *Id = emitContributions(Root, Terms, B);
  if (!Id) {
    Id = zeroCompanion(Root.getType());
    if (!Terms.empty()) {
      Instruction *Entry = shareable(Root, Terms, B);
      RecordIds.insert(Id = Entry ? Tape.recordShared(B, Terms, Entry)
                                  : Tape.record(B, Terms));
    }
  }
  setCompanion(&Root, Id);
}
