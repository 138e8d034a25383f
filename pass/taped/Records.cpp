//===- Records.cpp - what an operation writes to the tape -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Companion.h"
#include "taped/Instrumenter.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

namespace {

/// Sums and products of adjoints, in double, that fold 0 and 1.
class AdjointBuilder {
public:
  explicit AdjointBuilder(IRBuilderBase &B) : B(B) {}

  Value *toDouble(Value *V) {
    Type *T = V->getType();
    if (T->isDoubleTy())
      return V;
    if (T->getPrimitiveSizeInBits() > 64)
      return B.CreateFPTrunc(V, B.getDoubleTy());
    return B.CreateFPExt(V, B.getDoubleTy());
  }

  Value *add(Value *Sum, Value *Term) {
    return Sum ? B.CreateFAdd(Sum, Term) : Term;
  }

  /// Adjoint times Partial. Where the partial may be infinite, a zero adjoint
  /// gives zero: the adjoint of a zero is dead code.
  Value *multiply(Value *Adjoint, Value *Partial, bool Singular) {
    if (match(Adjoint, m_FPOne()))
      return Partial;
    if (match(Partial, m_FPOne()))
      return Adjoint;
    Value *Product = B.CreateFMul(Adjoint, Partial);
    if (!Singular || isa<ConstantFP>(Adjoint))
      return Product;
    Value *Zero = ConstantFP::get(B.getDoubleTy(), 0);
    // The choice is ours: under nnan it would be poison where it is needed.
    IRBuilderBase::FastMathFlagGuard Guard(B);
    B.clearFastMathFlags();
    return B.CreateSelect(B.CreateFCmpOEQ(Adjoint, Zero), Zero, Product);
  }

private:
  IRBuilderBase &B;
};

} // namespace

/// The local reverse sweep: adjoints of the cone's members, the root first,
/// collected by source.
Value *Instrumenter::emitContributions(Instruction &Root,
                                       SmallVectorImpl<Contribution> &Terms,
                                       IRBuilderBase &B) {
  AdjointBuilder Sum(B);
  DenseMap<Value *, Value *> Adjoint;
  MapVector<Value *, Value *> Sources;
  Constant *One = ConstantFP::get(B.getDoubleTy(), 1);
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
                           : Sum.toDouble(Op.emitPartial(B, K));
      Value *Term = Sum.multiply(Bar, Partial, Op.isSingular(K));
      Value *&Slot = C.isInside(X, &Root) ? Adjoint[X] : Sources[X];
      Slot = Sum.add(Slot, Term);
      B.clearFastMathFlags();
    }
  }
  if (Sources.size() == 1 && match(Sources.front().second, m_FPOne()))
    return companion(Sources.front().first);
  for (auto &[X, Partial] : Sources)
    if (!match(Partial, m_AnyZeroFP()))
      Terms.push_back({Partial, companion(X)});
  return nullptr;
}

/// A recorded result. A sum with a constant, a widening and the like has the ID
/// of its operand; everything else gets a record.
void Instrumenter::emitRecord(Instruction &Root) {
  BuilderAfter B(Root);
  SmallVector<Contribution, 8> Terms;
  Value *Id = emitContributions(Root, Terms, B);
  if (!Id) {
    Id = zeroCompanion(Root.getType());
    if (!Terms.empty())
      RecordIds.insert(Id = Tape.record(B, Terms));
  }
  setCompanion(&Root, Id);
}
