//===- AddressRanges.cpp - bounds of what loops come to -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/AddressRanges.h"
#include "LLVMCompat.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

AddressRanges::AddressRanges(ScalarEvolution &SE, Instruction *At,
                             unsigned Bits)
    : SE(SE), Expander(compat::scevExpander(SE, "bound")), B(At), At(At),
      Wide(B.getIntNTy(Bits)), Exact(B.getTrue()) {}

/// As in the integers; what is not, in 64 bits, is not Exact.
Value *AddressRanges::exactly(Instruction::BinaryOps Op, Value *X, Value *Y) {
  if (Wide->getIntegerBitWidth() > 64 || (isa<Constant>(X) && isa<Constant>(Y)))
    return B.CreateBinOp(Op, X, Y);
  Intrinsic::ID ID = Op == Instruction::Add   ? Intrinsic::sadd_with_overflow
                     : Op == Instruction::Sub ? Intrinsic::ssub_with_overflow
                                              : Intrinsic::smul_with_overflow;
  Value *Both = B.CreateBinaryIntrinsic(ID, X, Y);
  Exact = B.CreateAnd(Exact, B.CreateNot(B.CreateExtractValue(Both, 1)));
  return B.CreateExtractValue(Both, 0);
}

Value *AddressRanges::smaller(Value *X, Value *Y) {
  return B.CreateBinaryIntrinsic(Intrinsic::smin, X, Y);
}

Value *AddressRanges::larger(Value *X, Value *Y) {
  return B.CreateBinaryIntrinsic(Intrinsic::smax, X, Y);
}

/// Products and sums of what it returns are exact.
Value *AddressRanges::limit(Value *X) {
  if (Wide->getIntegerBitWidth() <= 64)
    return X;
  Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
  return larger(smaller(X, Most), B.CreateNeg(Most));
}

/// Whether it can be computed here.
bool AddressRanges::isKnown(const SCEV *S) const {
  if (SCEVExprContains(S, [&](const SCEV *Part) {
        auto *E = dyn_cast<SCEVAddRecExpr>(Part);
        return isa<SCEVCouldNotCompute>(Part) ||
               (E && !E->getLoop()->contains(At));
      }))
    return false;
  return Expander.isSafeToExpandAt(S, At);
}

/// How often L's back edge is taken, at most.
const SCEV *AddressRanges::count(const Loop &L) {
  const SCEV *Count = SE.getSymbolicMaxBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return nullptr;
  return SE.getNoopOrZeroExtend(Count, B.getInt64Ty());
}

/// N such that S is N * T; 0 if there is none that is known.
static int64_t timesOf(const SCEV *S, const SCEV *T, ScalarEvolution &SE) {
  auto Split = [&](const SCEV *X) -> std::pair<int64_t, const SCEV *> {
    auto *C = dyn_cast<SCEVConstant>(X);
    const SCEV *Rest = SE.getOne(X->getType());
    if (auto *Product = dyn_cast<SCEVMulExpr>(X)) {
      C = dyn_cast<SCEVConstant>(Product->getOperand(0));
      if (C) {
        SmallVector<const SCEV *, 4> Others(drop_begin(Product->operands()));
        Rest = SE.getMulExpr(Others);
      }
    }
    return C ? std::pair(C->getAPInt().getSExtValue(), Rest)
             : std::pair(int64_t(1), X);
  };
  if (S->getType() != T->getType() || SE.getTypeSizeInBits(S->getType()) > 64)
    return 0;
  auto [N, A] = Split(S);
  auto [M, C] = Split(T);
  return A == C && M > 0 && N % M == 0 ? N / M : 0;
}

/// Whether each iteration of \p L comes to \p Block, at least where \p Step is
/// not zero.
bool AddressRanges::isAlways(const BasicBlock *Block, const Loop &L,
                             const SCEV *Step) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch)
    return false;
  if (DT->dominates(Block, Latch))
    return true;
  return any_of(L.blocks(), [&](const BasicBlock *From) {
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    auto *Compared = Branch && Branch->isConditional()
                         ? dyn_cast<ICmpInst>(Branch->getCondition())
                         : nullptr;
    if (!Compared || !Compared->isEquality() ||
        !match(Compared->getOperand(1), m_ZeroInt()) ||
        !DT->dominates(From, Latch))
      return false;
    Value *X = Compared->getOperand(0);
    bool GoesIfZero = Compared->getPredicate() == ICmpInst::ICMP_EQ;
    return SE.isSCEVable(X->getType()) &&
           timesOf(Step, SE.getSCEV(X), SE) > 0 &&
           PDT->dominates(Block, Branch->getSuccessor(GoesIfZero ? 1 : 0));
  });
}

/// N such that each iteration of \p L comes to memory that is N * \p Step
/// further than in the iteration before; 0 if none is known.
int64_t AddressRanges::wayThroughMemory(const Loop &L, const SCEV *Step) {
  if (!DT) {
    Function &F = *L.getHeader()->getParent();
    DT.emplace(F);
    PDT.emplace(F);
  }
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      const Value *P = getLoadStorePointerOperand(&I);
      if (!P || !isAlways(Block, L, Step))
        continue;
      auto *E = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(P)));
      // In the first iterations of the loops in between.
      while (E && E->getLoop() != &L && L.contains(E->getLoop()) &&
             isAlways(Block, *E->getLoop(), Step))
        E = dyn_cast<SCEVAddRecExpr>(E->getStart());
      if (!E || E->getLoop() != &L || !E->isAffine())
        continue;
      if (int64_t N = timesOf(E->getStepRecurrence(SE), Step, SE); N > 0)
        return N;
    }
  return 0;
}

std::optional<AddressRanges::End> AddressRanges::endOf(const Loop &L) {
  BasicBlock *Latch = L.getLoopLatch();
  auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Compared = Branch && Branch->isConditional()
                       ? dyn_cast<ICmpInst>(Branch->getCondition())
                       : nullptr;
  if (!Compared || L.getExitingBlock() != Latch || !Compared->isEquality() ||
      !Compared->getOperand(0)->getType()->isIntegerTy(64) ||
      (Compared->getPredicate() == ICmpInst::ICMP_EQ) ==
          L.contains(Branch->getSuccessor(0)))
    return std::nullopt;
  for (unsigned K = 0; K != 2; ++K) {
    auto *E = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Compared->getOperand(K)));
    const SCEV *Bound = SE.getSCEV(Compared->getOperand(1 - K));
    if (!E || E->getLoop() != &L || !E->isAffine() ||
        !SE.isLoopInvariant(Bound, &L))
      continue;
    const SCEV *Step = E->getStepRecurrence(SE);
    if (int64_t Way = wayThroughMemory(L, Step))
      return End{E->getStart(), Step, Bound, Way};
  }
  return std::nullopt;
}

/// {Start,+,Step}<L> is Start + Step * k, k = 0 ... count of L's back edge.
std::optional<Interval> AddressRanges::intervalOfLoop(const SCEVAddRecExpr &S) {
  const Loop &L = *S.getLoop();
  if (!S.isAffine() || L.contains(At))
    return std::nullopt;
  const SCEV *Step = S.getStepRecurrence(SE);
  auto Start = interval(S.getStart());
  if (!Start)
    return std::nullopt;
  Value *Zero = ConstantInt::get(Wide, 0);
  if (const SCEV *Count = count(L)) {
    auto By = interval(Step), Times = interval(Count);
    if (!By || !Times)
      return std::nullopt;
    // No loop goes on for 2^63 iterations.
    const bool OnlyUp = SE.isKnownNonNegative(Step),
               OnlyDown = !OnlyUp && SE.isKnownNonPositive(Step);
    return Interval{
        OnlyUp ? Start->Low
               : sum(Start->Low, smaller(product(By->Low, Times->High), Zero)),
        OnlyDown
            ? Start->High
            : sum(Start->High, larger(product(By->High, Times->High), Zero))};
  }
  std::optional<End> E = endOf(L);
  int64_t Times = E ? timesOf(Step, E->Step, SE) : 0;
  if (Times <= 0)
    return std::nullopt;
  auto By = interval(E->Step), First = interval(E->First),
       Bound = interval(E->Bound);
  if (!By || !First || !Bound)
    return std::nullopt;
  Value *Way = product(limit(difference(Bound->High, First->Low)),
                       ConstantInt::get(Wide, uint64_t(Times)));
  // Backwards, or by steps that are too long to be met with in between.
  Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
  Value *Longest = ConstantInt::get(Wide, uint64_t(std::max(Times, E->Way)));
  Value *IsSure =
      B.CreateAnd(B.CreateICmpSGE(By->Low, Zero),
                  B.CreateICmpSLT(product(By->High, Longest), Most));
  return Interval{
      B.CreateSelect(IsSure, Start->Low, B.CreateNeg(Most)),
      B.CreateSelect(IsSure, sum(Start->High, larger(Way, Zero)), Most)};
}

/// What \p S is when its loop is left, an expression of what is around the
/// loop; null if that is not known.
const SCEV *AddressRanges::inLastIteration(const SCEVAddRecExpr &S) {
  if (const SCEV *Count = count(*S.getLoop()))
    return S.evaluateAtIteration(Count, SE);
  std::optional<End> E = endOf(*S.getLoop());
  int64_t Times = E ? timesOf(S.getStepRecurrence(SE), E->Step, SE) : 0;
  if (Times <= 0)
    return nullptr;
  return SE.getAddExpr(
      S.getStart(), SE.getMulExpr(SE.getConstant(S.getType(), uint64_t(Times)),
                                  SE.getMinusSCEV(E->Bound, E->First)));
}

/// \p I, which takes what \p S is made of for independent, or less. Where I is
/// no more than what an address may be, nothing has wrapped around.
Interval AddressRanges::withoutExcess(const SCEVAddRecExpr &S, Interval I) {
  const SCEV *Count = count(*S.getLoop());
  if (Count && isKnown(Count) && isKnown(S.getStart()) &&
      isKnown(S.getStepRecurrence(SE)))
    return I;
  const SCEV *Last = inLastIteration(S);
  if (!Last || isa<SCEVCouldNotCompute>(Last) ||
      SE.isKnownNegative(S.getStepRecurrence(SE)))
    return I;
  auto By = interval(S.getStepRecurrence(SE)), AtLast = interval(Last);
  if (!By || !AtLast)
    return I;
  Value *Zero = ConstantInt::get(Wide, 0);
  Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
  Value *IsSure =
      B.CreateAnd(B.CreateAnd(B.CreateICmpSGE(By->Low, Zero),
                              B.CreateICmpSGE(AtLast->High, I.Low)),
                  B.CreateAnd(B.CreateICmpSGT(I.Low, B.CreateNeg(Most)),
                              B.CreateICmpSLT(I.High, Most)));
  return {I.Low, B.CreateSelect(IsSure, smaller(I.High, AtLast->High), I.High)};
}

/// The greatest power of two that is not greater than \p X.
Value *AddressRanges::powerBelow(Value *X) {
  Value *Narrow = B.CreateTrunc(X, B.getInt64Ty());
  Value *Zeros = B.CreateBinaryIntrinsic(Intrinsic::ctlz, Narrow, B.getFalse());
  Value *Power = B.CreateLShr(B.getInt64(uint64_t(1) << 63),
                              B.CreateAnd(Zeros, B.getInt64(63)));
  return B.CreateSelect(B.CreateICmpSGT(X, ConstantInt::get(Wide, 0)),
                        B.CreateZExt(Power, Wide), X);
}

/// What \p V is if control comes from \p From to \p To: V < bound, without a
/// sign.
std::optional<Interval> AddressRanges::onEdge(Value *V, BasicBlock *From,
                                              BasicBlock *To) {
  auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
  auto *Compared = Branch && Branch->isConditional() &&
                           Branch->getSuccessor(0) != Branch->getSuccessor(1)
                       ? dyn_cast<ICmpInst>(Branch->getCondition())
                       : nullptr;
  if (!Compared)
    return std::nullopt;
  ICmpInst::Predicate P = Compared->getPredicate();
  if (Branch->getSuccessor(0) != To)
    P = ICmpInst::getInversePredicate(P);
  Value *Bound = Compared->getOperand(1);
  if (Compared->getOperand(0) != V) {
    if (Bound != V)
      return std::nullopt;
    Bound = Compared->getOperand(0);
    P = ICmpInst::getSwappedPredicate(P);
  }
  const SCEV *S = SE.getSCEV(Bound);
  if ((P != ICmpInst::ICMP_ULT && P != ICmpInst::ICMP_ULE) || !isKnown(S))
    return std::nullopt;
  auto I = interval(S);
  if (!I)
    return std::nullopt;
  Value *High = I->High;
  if (P == ICmpInst::ICMP_ULT)
    High = difference(High, ConstantInt::get(Wide, 1));
  // A bound that is negative is none.
  Value *Zero = ConstantInt::get(Wide, 0);
  Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
  Value *IsBound = B.CreateICmpSGE(I->Low, Zero);
  return Interval{B.CreateSelect(IsBound, Zero, B.CreateNeg(Most)),
                  B.CreateSelect(IsBound, larger(High, Zero), Most)};
}

/// A number that is one of several, each of which is known or was compared on
/// its way.
std::optional<Interval> AddressRanges::intervalOfPhi(PHINode &Phi) {
  std::optional<Interval> All;
  for (auto [V, From] : zip(Phi.incoming_values(), Phi.blocks())) {
    const SCEV *S = SE.getSCEV(V);
    auto I = isKnown(S) ? interval(S) : onEdge(V, From, Phi.getParent());
    if (!I)
      return std::nullopt;
    All = All ? together(*All, *I) : *I;
  }
  if (All && isKnownToBeAPowerOfTwo(&Phi, SE.getDataLayout(), /*OrZero=*/true))
    All->High = powerBelow(All->High);
  return All;
}

/// A number that is made of others' bits, which go down only: no bit is above
/// the highest of theirs.
std::optional<Interval> AddressRanges::intervalOfBits(Value *V) {
  constexpr unsigned MostValues = 32;
  // By how much bits on their way to V are shifted at least.
  SmallDenseMap<Value *, uint64_t, MostValues> Shifts{{V, 0}};
  SmallVector<Value *, MostValues> Work{V};
  SmallSetVector<Value *, 4> Sources;
  while (!Work.empty()) {
    Value *X = Work.pop_back_val();
    uint64_t Shift = Shifts.lookup(X);
    auto Follow = [&](Value *Y, uint64_t By) {
      auto [It, IsNew] = Shifts.insert({Y, By});
      if (!IsNew && It->second <= By)
        return;
      It->second = By;
      Work.push_back(Y);
    };
    if (Shifts.size() > MostValues)
      return std::nullopt;
    if (isKnown(SE.getSCEV(X))) {
      Sources.insert(X);
      continue;
    }
    auto *I = dyn_cast<Instruction>(X);
    const APInt *By;
    if (I && match(I, m_LShr(m_Value(), m_APInt(By))) && By->ult(64))
      Follow(I->getOperand(0),
             std::min<uint64_t>(Shift + By->getZExtValue(), 63));
    else if (I && (isa<PHINode>(I) || I->getOpcode() == Instruction::And ||
                   I->getOpcode() == Instruction::Or ||
                   I->getOpcode() == Instruction::Xor))
      for (Value *Op : I->operands())
        Follow(Op, Shift);
    else
      return std::nullopt;
  }
  Value *Zero = ConstantInt::get(Wide, 0);
  Interval All{Zero, Zero};
  for (Value *X : Sources) {
    const SCEV *S = SE.getSCEV(X);
    auto I = interval(S);
    if (!I)
      return std::nullopt;
    Value *Down =
        B.CreateLShr(Expander.expandCodeFor(S, S->getType(), At->getIterator()),
                     Shifts.lookup(X));
    Value *Zeros = B.CreateBinaryIntrinsic(Intrinsic::ctlz, Down, B.getFalse());
    Value *Mask =
        B.CreateSelect(B.CreateIsNull(Down), Down,
                       B.CreateLShr(B.getInt64(~uint64_t(0)),
                                    B.CreateAnd(Zeros, B.getInt64(63))));
    // The highest bit is the sign.
    Value *IsSigned = B.CreateICmpSLT(Mask, B.getInt64(0));
    Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
    All.Low = B.CreateSelect(IsSigned, B.CreateNeg(Most), All.Low);
    All.High =
        larger(All.High,
               limit(B.CreateSelect(IsSigned, Most, B.CreateZExt(Mask, Wide))));
  }
  return All;
}

/// A part of an address may be any number modulo 2^64, and sums of such come
/// back to small ones: u + v, of u = 2^60 - 1 and v = 3 - u. Limits would take
/// from each what they have in common, so what is that large is anything.
Interval AddressRanges::intervalOfKnown(const SCEV &S) {
  constexpr unsigned MostPartBits = 56;
  Value *X = Expander.expandCodeFor(&S, S.getType(), At->getIterator());
  Value *Extended = B.CreateSExt(X, Wide);
  if (bits() <= 64 || SE.getSignedRange(&S).getMinSignedBits() <= MostPartBits)
    return {Extended, Extended};
  Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
  X = B.CreateSExt(X, B.getInt64Ty());
  Value *IsPart =
      B.CreateICmpULT(B.CreateAdd(X, B.getInt64(uint64_t(1) << MostPartBits)),
                      B.getInt64(uint64_t(2) << MostPartBits));
  return {B.CreateSelect(IsPart, Extended, B.CreateNeg(Most)),
          B.CreateSelect(IsPart, Extended, Most)};
}

/// \p S, an evolution in fewer bits, as it would be in \p T.
static const SCEV *evolutionIn(Type *T, const SCEV *S, ScalarEvolution &SE) {
  auto *E = dyn_cast<SCEVAddRecExpr>(S);
  if (!E)
    return SE.getSignExtendExpr(S, T);
  SmallVector<const SCEV *, 2> Parts;
  for (const SCEV *Part : E->operands())
    Parts.push_back(evolutionIn(T, Part, SE));
  return SE.getAddRecExpr(Parts, E->getLoop(), SCEV::FlagAnyWrap);
}

/// An index in fewer bits, of which LLVM does not know whether it wraps around.
/// It does not if what it would be without is in the range of its type.
std::optional<Interval>
AddressRanges::intervalOfCast(const SCEVIntegralCastExpr &S) {
  const SCEV *Narrow = S.getOperand();
  if (isa<SCEVTruncateExpr>(S) || !isa<SCEVAddRecExpr>(Narrow))
    return std::nullopt;
  auto I = interval(evolutionIn(S.getType(), Narrow, SE));
  if (!I)
    return std::nullopt;
  const unsigned From = SE.getTypeSizeInBits(Narrow->getType());
  const bool IsSigned = isa<SCEVSignExtendExpr>(S);
  APInt Min = IsSigned ? APInt::getSignedMinValue(From).sext(bits())
                       : APInt::getZero(bits());
  APInt Max = IsSigned ? APInt::getSignedMaxValue(From).sext(bits())
                       : APInt::getMaxValue(From).zext(bits());
  Value *Fits = B.CreateAnd(B.CreateICmpSGE(I->Low, B.getInt(Min)),
                            B.CreateICmpSLE(I->High, B.getInt(Max)));
  return Interval{B.CreateSelect(Fits, I->Low, B.getInt(Min)),
                  B.CreateSelect(Fits, I->High, B.getInt(Max))};
}

std::optional<Interval> AddressRanges::interval(const SCEV *S) {
  if (auto It = Known.find(S); It != Known.end())
    return It->second;
  auto I = compute(S);
  if (I)
    I = Interval{limit(I->Low), limit(I->High)};
  Known[S] = I;
  return I;
}

std::optional<Interval> AddressRanges::compute(const SCEV *S) {
  constexpr unsigned MostAddressBits = 48;
  unsigned Bits = SE.getTypeSizeInBits(S->getType());
  if (Bits > 64)
    return std::nullopt;
  if (isKnown(S))
    return intervalOfKnown(*S);
  // An expression of fewer bits may wrap around where it is none of the
  // program's.
  if (Bits == 64) {
    if (auto *Loop = dyn_cast<SCEVAddRecExpr>(S))
      if (auto I = intervalOfLoop(*Loop))
        return withoutExcess(*Loop, {limit(I->Low), limit(I->High)});
    if (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
      if (auto I = intervalOfCast(*Cast))
        return I;
    if (auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
      std::optional<Interval> All;
      for (const SCEV *Part : Sum->operands()) {
        auto I = interval(Part);
        if (!I)
          return std::nullopt;
        All =
            All ? Interval{sum(All->Low, I->Low), sum(All->High, I->High)} : *I;
      }
      return All;
    }
    if (auto *Product = dyn_cast<SCEVMulExpr>(S);
        Product && Product->getNumOperands() == 2 &&
        isKnown(Product->getOperand(0))) {
      auto Factor = interval(Product->getOperand(0)),
           I = interval(Product->getOperand(1));
      if (!Factor || !I)
        return std::nullopt;
      Value *X = product(Factor->Low, I->Low),
            *Y = product(Factor->Low, I->High);
      return Interval{smaller(X, Y), larger(X, Y)};
    }
    if (auto *Number = dyn_cast<SCEVUnknown>(S);
        Number && Number->getType()->isIntegerTy()) {
      auto *Phi = dyn_cast<PHINode>(Number->getValue());
      if (auto I = Phi ? intervalOfPhi(*Phi) : std::nullopt)
        return I;
      if (isa<PHINode, BinaryOperator>(Number->getValue()))
        if (auto I = intervalOfBits(Number->getValue()))
          return I;
    }
  }
  ConstantRange Range = SE.getSignedRange(S);
  const APInt Values =
      Range.getSignedMax().sext(128) - Range.getSignedMin().sext(128);
  if (Values.getActiveBits() > MostAddressBits)
    return std::nullopt;
  // An index of 32 bits out of memory.
  IsGuess |= Values.getActiveBits() > 30;
  auto Bound = [&](const APInt &C) {
    return ConstantInt::get(Wide, C.sext(Wide->getIntegerBitWidth()));
  };
  return Interval{Bound(Range.getSignedMin()), Bound(Range.getSignedMax())};
}

Interval AddressRanges::addresses(Value *Base, Interval Offsets) {
  Value *Address = B.CreateZExt(B.CreatePtrToInt(Base, B.getInt64Ty()), Wide);
  return {sum(Address, limit(Offsets.Low)), sum(Address, limit(Offsets.High))};
}

Interval AddressRanges::together(Interval I, Interval J) {
  return {smaller(I.Low, J.Low), larger(I.High, J.High)};
}

Interval AddressRanges::bytes(Interval From, Interval Size) {
  return {From.Low, limit(sum(From.High, Size.High))};
}

Interval AddressRanges::inBoth(Interval I, Interval J) {
  return {larger(I.Low, J.Low), smaller(I.High, J.High)};
}

Value *AddressRanges::areApart(Interval I, Interval J) {
  return B.CreateOr(B.CreateICmpSLE(I.High, J.Low),
                    B.CreateICmpSLE(J.High, I.Low));
}

Value *AddressRanges::areAddresses(Interval I) {
  if (bits() <= 64)
    return B.getTrue();
  Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
  return B.CreateAnd(B.CreateICmpSGE(I.Low, ConstantInt::get(Wide, 0)),
                     B.CreateICmpSLT(I.High, Most));
}
