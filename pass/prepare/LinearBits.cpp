//===- LinearBits.cpp - numbers computed through their bits ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/LinearBits.h"
#include "analysis/AccessTypes.h"
#include "prepare/MagicRounding.h"
#include "prepare/Rounded.h"
#include "rules/Operation.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

static bool isReal(const Type *T) { return T->isFloatTy() || T->isDoubleTy(); }

/// The bits of a number of this type that are not sign or exponent.
static unsigned mantissaBits(const Type *T) {
  return APFloat::semanticsPrecision(T->getFltSemantics()) - 1;
}

/// Where so many bits of a mantissa are left, what is cut off does not matter.
/// Fewer are the index of a table, or a piece that is moved.
static constexpr unsigned MinLeft = 16;

/// Larger steps of an integer, as bits of a number, are no mantissa's.
static double maxStep(const Type *Real) {
  return std::ldexp(1.0, int(mantissaBits(Real)) - int(MinLeft));
}

namespace {

/// The number that an integer is rounded from: \c X, or this element of it.
struct Rounding {
  Value *X = nullptr;
  std::optional<uint64_t> Element = std::nullopt;
};

} // namespace

/// Processor's conversions, of vectors or of a vector's first element.
static Rounding roundingOnProcessor(const Value *V) {
  const Value *Result = V;
  uint64_t Lane = 0;
  match(V, m_ExtractElt(m_Value(Result), m_ConstantInt(Lane)));
  auto *Call = dyn_cast<IntrinsicInst>(Result);
  if (!Call)
    return {};
  StringRef Name = Call->getCalledFunction()->getName();
  if (!Name.consume_front("llvm.x86.") || !Name.contains("cvt") ||
      !(Name.contains("2dq") || Name.contains("2si")) || Call->arg_size() != 1)
    return {}; // Others have masks.
  Value *X = Call->getArgOperand(0);
  auto *From = dyn_cast<FixedVectorType>(X->getType());
  return From && isReal(From->getElementType()) && Lane < From->getNumElements()
             ? Rounding{X, Lane}
             : Rounding();
}

/// How the integer \p V is rounded from a number, if it is.
static Rounding rounding(const Value *V) {
  if (!V->getType()->isIntegerTy())
    return {};
  if (isa<FPToSIInst, FPToUIInst>(V))
    return {cast<CastInst>(V)->getOperand(0)};
  auto *Call = dyn_cast<CallBase>(V);
  auto Known = Call ? Operation::match(const_cast<CallBase &>(*Call), nullptr)
                    : std::nullopt;
  if (!Known || !Known->roundsToInteger())
    return roundingOnProcessor(V);
  Value *X = Call->getArgOperand(0);
  return isReal(X->getType()) ? Rounding{X} : Rounding();
}

bool verso::isRoundedNumber(const Value *V) { return rounding(V).X; }

namespace {

/// An operand of a select, a minimum or a maximum, if it is the one chosen.
using Choice = std::pair<Instruction *, unsigned>;

/// Slope * the bits of a number or, if it is a conversion to an integer, the
/// integer that a number is rounded to; zero where a choice was another one.
struct Term {
  /// A number, or a load of one as an integer.
  Value *Source;
  double Slope;
  /// So many lower bits may change with it, between carries.
  unsigned Width;
  /// Some of them are missing.
  bool IsCut = false;
  SmallVector<Choice, 1> Choices = {};
  /// Integers that the slope is multiplied by when the program runs.
  SmallVector<Value *, 1> Factors = {};
  /// The source's bits tell whether it is a number.
  bool MayBeInteger = false;

  bool isInteger() const { return rounding(Source).X; }
  /// Whether the last places of the number are an integer that another one was
  /// rounded to (x + 1.5 * 2^52).
  bool isRoundedBySum() const { return addsMagicNumber(Source); }
  void makeConstant() {
    Slope = 0;
    IsCut = false;
  }
};

/// An integer that is the sum of terms and a constant between carries.
struct Linear {
  SmallVector<Term, 2> Terms;
  /// Something else is added that may be anything, a number's bits for one.
  bool AddsUnknown = false;

  static Linear of(Value *V) {
    unsigned Left = MaxSteps;
    return of(V, Left);
  }
  /// Of the number of type \p Real with the bits \p V.
  static Linear ofBits(Type *Real, Value *V) {
    unsigned Left = MaxSteps;
    return ofBits(Real, V, Left);
  }
  Linear asValue() const;
  bool isKnown() const;

private:
  /// Of hashes and choices, each step may use the one before twice.
  static constexpr unsigned MaxSteps = 64;
  static Linear of(Value *V, unsigned &Left);
  static Linear ofBits(Type *Real, Value *V, unsigned &Left);
  Linear asBits(Type *Real, const Value *V) const;
  static Linear unknown() { return {{}, /*AddsUnknown=*/true}; }
  static Linear ofChange(Linear L, Value *Mask, bool IsSet,
                         const DataLayout &DL);
  static Linear ofChoice(Instruction &I, function_ref<Linear(Value *)> Of);
  void add(const Linear &R, double Sign);
  void scale(double Factor, unsigned MoreBits, unsigned Bits);
  static Linear ofProduct(Linear L, Value *Factor, unsigned Bits);
  void shiftRight(unsigned By);
  void mask(const KnownBits &Mask);
  void limit(unsigned Bits);
};

} // namespace

/// The type of the number that \p I loads or stores as an integer, as the
/// language says; null if it does not.
static Type *declaredNumber(const Instruction &I) {
  MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  const Type *T = getLoadStoreType(const_cast<Instruction *>(&I));
  if (!Tag || !T->isIntegerTy())
    return nullptr;
  DeclaredKind Kind = declaredKind(*Tag);
  if (T->isIntegerTy(32) && Kind == DeclaredKind::Float)
    return Type::getFloatTy(I.getContext());
  if (T->isIntegerTy(64) && Kind == DeclaredKind::Double)
    return Type::getDoubleTy(I.getContext());
  return nullptr;
}

/// Whether \p Load loads a number as an integer.
static bool loadsNumber(const LoadInst &Load) {
  return Load.isSimple() && declaredNumber(Load);
}

static Type *numberOfSize(const Type &Integer) {
  LLVMContext &C = Integer.getContext();
  return Integer.isIntegerTy(32) ? Type::getFloatTy(C) : Type::getDoubleTy(C);
}

/// The type of the number whose bits \p Source is or has.
static Type *realOf(const Value *Source) {
  Type *T = Source->getType();
  return T->isIntegerTy() ? numberOfSize(*T) : T;
}

/// Whether an address into numbers of type \p Real is computed as one into
/// numbers: what code without types says of them.
static bool pointsAmongNumbers(const Value *P, const Type *Real) {
  for (;; P = cast<GEPOperator>(P)->getPointerOperand()) {
    auto *GEP = dyn_cast<GEPOperator>(P);
    if (!GEP)
      return false;
    Type *T = GEP->getResultElementType();
    while (T->isArrayTy() || (T->isStructTy() && T->getStructNumElements()))
      T = T->isArrayTy() ? T->getArrayElementType()
                         : T->getStructElementType(0);
    if (!T->isIntegerTy(8)) // Bytes are steps in anything.
      return T == Real;
  }
}

/// Whether \p V is computed with and stored back as an integer, as the state of
/// a counter or of a random generator.
static bool isStoredComputed(const Value &V) {
  SmallVector<const Value *, 8> Work{&V};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const Value *From = Work.pop_back_val();
    for (const User *U : From->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (Store && Store->getValueOperand() == From && From != &V &&
          !declaredNumber(*Store))
        return true;
      if (U->getType()->isIntegerTy() && !isa<ICmpInst, CallBase>(U) &&
          Seen.insert(U).second)
        Work.push_back(U);
    }
  }
  return false;
}

/// Whether \p X is one of several, of which some were made of integers.
static bool isChosenOfBits(const Value *X) {
  constexpr unsigned MaxValues = 16;
  SmallSetVector<const Value *, 8> Web;
  Web.insert(X);
  for (unsigned N = 0; N != Web.size() && N != MaxValues; ++N) {
    auto *I = dyn_cast<Instruction>(Web[N]);
    if (isa_and_nonnull<PHINode>(I))
      Web.insert(I->op_begin(), I->op_end());
    else if (isa_and_nonnull<SelectInst>(I))
      Web.insert(I->op_begin() + 1, I->op_end());
    else if (I != X && isa_and_nonnull<BitCastInst>(I))
      return true;
  }
  return false;
}

/// Whether \p I moves an integer that is as large as a number.
static bool movesBits(const Instruction &I) {
  const Type *T = getLoadStoreType(const_cast<Instruction *>(&I));
  return !I.isVolatile() && !I.isAtomic() &&
         (T->isIntegerTy(32) || T->isIntegerTy(64));
}

static bool isAmongNumbers(const Instruction &I) {
  return pointsAmongNumbers(
      getLoadStorePointerOperand(&I),
      numberOfSize(*getLoadStoreType(const_cast<Instruction *>(&I))));
}

bool verso::openNumbers(Function &F) {
  bool Changed = false;
  for (Instruction &I : instructions(F))
    if (isa<LoadInst, StoreInst>(I) && movesBits(I) && isAmongNumbers(I)) {
      markAsAnyType(I);
      Changed = true;
    }
  return Changed;
}

bool verso::mayBeOfNumber(const Instruction &I) {
  if (!movesBits(I))
    return false;
  const bool IsOpen = I.hasMetadata(LLVMContext::MD_tbaa)
                          ? isOfAnyType(I)
                          : hasTypes(*I.getModule());
  return IsOpen || isAmongNumbers(I);
}

/// Whether \p Load, of an integer, may load a number that is used by its value.
static bool mayLoadNumber(const LoadInst &Load) {
  return mayBeOfNumber(Load) && !isStoredComputed(Load);
}

static Linear ofNumber(Value *Source) {
  return {{{Source, 1, mantissaBits(realOf(Source))}}};
}

/// Bits above are lost.
void Linear::limit(unsigned Bits) {
  for (Term &X : Terms) {
    X.IsCut |= X.Width > Bits;
    X.Width = std::min(X.Width, Bits);
  }
}

void Linear::add(const Linear &R, double Sign) {
  AddsUnknown |= R.AddsUnknown;
  for (const Term &Y : R.Terms) {
    auto *X = find_if(Terms, [&](const Term &X) {
      return X.Source == Y.Source && X.Choices == Y.Choices &&
             X.Factors == Y.Factors;
    });
    if (X == Terms.end()) {
      Terms.push_back(Y);
      Terms.back().Slope *= Sign;
      continue;
    }
    X->Slope += Sign * Y.Slope;
    X->Width = std::max(X->Width, Y.Width);
    X->IsCut |= Y.IsCut;
  }
}

void Linear::scale(double Factor, unsigned MoreBits, unsigned Bits) {
  for (Term &X : Terms)
    if (X.Width) {
      X.Slope *= Factor;
      X.Width += MoreBits;
    }
  limit(Bits);
}

/// \p L times an integer that the program knows when it runs: of numbers that
/// are rounded to integers, since multiples of a number's bits overflow.
Linear Linear::ofProduct(Linear L, Value *Factor, unsigned Bits) {
  if (L.AddsUnknown ||
      any_of(L.Terms, [](const Term &X) { return !X.isInteger() || X.IsCut; }))
    return unknown();
  for (Term &X : L.Terms) {
    X.Factors.push_back(Factor);
    X.Width = Bits;
  }
  return L;
}

void Linear::shiftRight(unsigned By) {
  for (Term &X : Terms) {
    X.IsCut &= By < X.Width;
    X.Slope = By < X.Width ? std::ldexp(X.Slope, -int(By)) : 0;
    X.Width -= std::min(By, X.Width);
    X.IsCut |= By && X.Width && X.Width < MinLeft;
  }
}

void Linear::mask(const KnownBits &Mask) {
  for (Term &X : Terms) {
    const unsigned Zeros = Mask.countMinTrailingZeros();
    if (Zeros >= X.Width) {
      X.Slope = X.Width = 0;
      X.IsCut = false;
      continue;
    }
    // What is left of an integer is its fraction.
    if (unsigned Ones = Mask.countMinTrailingOnes();
        X.isInteger() && Ones >= MinLeft &&
        Mask.Zero.countl_one() + Ones == Mask.getBitWidth()) {
      X.Width = std::min(X.Width, Ones);
      continue;
    }
    APInt Kept = APInt::getBitsSet(Mask.getBitWidth(), Zeros, X.Width);
    X.IsCut |=
        !Kept.isSubsetOf(Mask.One) || (Zeros && X.Width - Zeros < MinLeft);
  }
}

/// \p L, of which the bits of \p Mask are set or, if not \p IsSet, change:
/// above what changes with a number that is a constant between carries. What is
/// set below is as what is cut off there.
Linear Linear::ofChange(Linear L, Value *Mask, bool IsSet,
                        const DataLayout &DL) {
  const KnownBits Known = computeKnownBits(Mask, DL);
  const unsigned Ones = IsSet ? Known.countMinTrailingOnes() : 0;
  for (Term &X : L.Terms) {
    if (Ones >= X.Width) {
      X.makeConstant();
      X.Width = 0;
      continue;
    }
    APInt Kept = APInt::getBitsSet(Known.getBitWidth(), Ones, X.Width);
    X.IsCut |=
        !Kept.isSubsetOf(Known.Zero) || (Ones && X.Width - Ones < MinLeft);
  }
  return L;
}

static bool isChoice(const Value *V) {
  return isa<SelectInst, MinMaxIntrinsic>(V);
}

/// What \p I chooses.
Linear Linear::ofChoice(Instruction &I, function_ref<Linear(Value *)> Of) {
  Linear L;
  const unsigned First = isa<SelectInst>(I) ? 1 : 0;
  for (unsigned K : {First, First + 1}) {
    Linear Chosen = Of(I.getOperand(K));
    for (Term &X : Chosen.Terms)
      X.Choices.push_back({&I, K});
    L.add(Chosen, 1);
  }
  return L;
}

Linear Linear::of(Value *V, unsigned &Left) {
  const APInt *C = nullptr;
  Value *X = nullptr, *Y = nullptr;
  auto *I = dyn_cast<Instruction>(V);
  if (isa<ConstantInt>(V))
    return {};
  if (!I || !V->getType()->isIntegerTy() || !Left)
    return unknown();
  --Left;
  const DataLayout &DL = I->getDataLayout();
  const unsigned Bits = V->getType()->getIntegerBitWidth();
  auto Of = [&](Value *Operand) { return of(Operand, Left); };

  Linear L;
  if (match(V, m_BitCast(m_Value(X))))
    return isReal(X->getType()) ? ofNumber(X) : unknown();
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    if (!loadsNumber(*Load) && !mayLoadNumber(*Load))
      return unknown();
    L = ofNumber(V);
    L.Terms.front().MayBeInteger = !loadsNumber(*Load);
    return L;
  }
  if (rounding(V).X)
    return {{{V, 1, Bits}}};
  if (match(V, m_ZExtOrSExt(m_Value(X))))
    return X->getType()->isIntegerTy(1) ? Linear() : Of(X);

  if (isChoice(I)) {
    L = ofChoice(*I, Of);
  } else if (match(V, m_Trunc(m_Value(X)))) {
    L = Of(X);
    for (Term &T : L.Terms) // The upper bits of an integer are mostly its sign.
      if (T.isInteger() && Bits >= MinLeft)
        T.Width = std::min(T.Width, Bits);
    L.limit(Bits);
  } else if (match(V, m_Add(m_Value(X), m_Value(Y)))) {
    L = Of(X);
    L.add(Of(Y), 1);
  } else if (match(V, m_Sub(m_Value(X), m_Value(Y)))) {
    L = Of(X);
    L.add(Of(Y), -1);
  } else if (match(V, m_Mul(m_Value(X), m_APInt(C)))) {
    L = Of(X);
    L.scale(double(C->getSExtValue()), C->abs().logBase2() + 1, Bits);
  } else if (match(V, m_Mul(m_Value(X), m_Value(Y)))) {
    L = Of(X);
    Linear R = Of(Y);
    if (L.Terms.empty())
      std::swap(X, Y), std::swap(L, R);
    if (L.Terms.empty() || !R.Terms.empty())
      return unknown();
    L = ofProduct(std::move(L), Y, Bits);
  } else if (match(V, m_Shl(m_Value(X), m_APInt(C))) && C->ult(Bits)) {
    L = Of(X);
    L.scale(std::ldexp(1.0, C->getZExtValue()), C->getZExtValue(), Bits);
  } else if (match(V, m_Shr(m_Value(X), m_APInt(C))) && C->ult(Bits)) {
    L = Of(X);
    L.shiftRight(C->getZExtValue());
  } else if (match(V, m_IDiv(m_Value(X), m_APInt(C))) &&
             C->isStrictlyPositive()) {
    L = Of(X);
    L.scale(1 / double(C->getZExtValue()), 0, Bits);
    for (Term &T : L.Terms)
      T.IsCut |= C->getActiveBits() + MinLeft > T.Width;
  } else if (match(V, m_And(m_Value(X), m_Value(Y)))) {
    L = Of(X);
    Linear R = Of(Y);
    if (!R.Terms.empty())
      std::swap(X, Y), std::swap(L, R);
    if (!R.Terms.empty())
      return unknown();
    L.mask(computeKnownBits(Y, DL));
  } else if (match(V, m_Or(m_Value(X), m_Value(Y))) ||
             match(V, m_Xor(m_Value(X), m_Value(Y)))) {
    const bool IsSet = I->getOpcode() == Instruction::Or;
    L = Of(X);
    Linear R = Of(Y);
    if (!haveNoCommonBitsSet(X, Y, DL)) {
      L = ofChange(std::move(L), Y, IsSet, DL);
      R = ofChange(std::move(R), X, IsSet, DL);
    }
    L.add(R, 1);
  } else {
    return unknown();
  }
  // An integer that reaches only the exponent is no mantissa.
  if (L.AddsUnknown && L.Terms.empty() && (Bits == 32 || Bits == 64))
    L.AddsUnknown = computeKnownBits(V, DL).countMinTrailingZeros() <
                    (Bits == 32 ? 23 : 52);
  return L;
}

/// What its value has a derivative for: not integers, which are constant
/// between steps.
Linear Linear::asValue() const {
  Linear L = *this;
  erase_if(L.Terms, [](const Term &X) { return X.isInteger(); });
  for (Term &X : L.Terms)
    if (X.isRoundedBySum())
      X.makeConstant();
  return L;
}

/// The same of a number of type \p Real with the bits \p V: an integer of which
/// the steps are small is meant as its fraction. (Where a constant gives it an
/// exponent that makes them large, it is a conversion to a number, such as
/// 2^52 + k - 2^52.)
Linear Linear::asBits(Type *Real, const Value *V) const {
  Linear L = *this;
  const int Mantissa = mantissaBits(Real);
  const APInt *C = nullptr;
  int Exponent = 0;
  while (isa<TruncInst, ZExtInst, SExtInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  if (match(V, m_c_BinOp(m_Value(), m_APInt(C))) && isa<BinaryOperator>(V)) {
    const unsigned Bits = Real->getPrimitiveSizeInBits();
    Exponent = int(C->zextOrTrunc(Bits)
                       .extractBits(Bits - 1 - Mantissa, Mantissa)
                       .getZExtValue()) -
               APFloat::semanticsMaxExponent(Real->getFltSemantics());
  }
  const bool IsConversion = Exponent > Mantissa - 12;
  erase_if(L.Terms, [&](const Term &X) {
    return X.isInteger() &&
           (X.IsCut || IsConversion || std::abs(X.Slope) > maxStep(Real));
  });
  for (Term &X : L.Terms)
    if (X.isRoundedBySum() && std::abs(X.Slope) > maxStep(Real))
      X.makeConstant();
  return L;
}

Linear Linear::ofBits(Type *Real, Value *V, unsigned &Left) {
  if (!isChoice(V))
    return of(V, Left).asBits(Real, V);
  if (!Left)
    return unknown();
  --Left;
  return ofChoice(*cast<Instruction>(V),
                  [&](Value *Chosen) { return ofBits(Real, Chosen, Left); });
}

bool Linear::isKnown() const {
  return !Terms.empty() && !AddsUnknown &&
         none_of(Terms, [](const Term &X) { return X.IsCut; });
}

namespace {
class Recogniser {
public:
  explicit Recogniser(CastInst &Cast) : Cast(Cast), B(&Cast) {}
  Value *numberOf(Value *Source);
  Value *part(const Term &Of, Value *X);
  Value *plus(Value *Sum, Value *X) {
    return isa<Constant>(Sum) ? X : B.CreateFAdd(Sum, X);
  }
  void finish(Value *Sum);

private:
  Value *signedBinade(Type *T, Value *Bits, unsigned Least);
  Value *isBitsOfNumber(Value *X);

  CastInst &Cast;
  IRBuilder<> B;
};
} // namespace

/// The number itself, which may be loaded as an integer, or converted to one.
Value *Recogniser::numberOf(Value *Source) {
  if (auto [X, Element] = rounding(Source); X) {
    if (!Element)
      return X;
    if (Value *Number = findScalarElement(X, *Element))
      return Number;
    IRBuilder<> There(cast<Instruction>(Source));
    return There.CreateExtractElement(X, *Element);
  }
  if (auto *Cast = dyn_cast<BitCastInst>(Source);
      Cast && !isReal(Cast->getType()))
    return Cast->getOperand(0); // Another term's load.
  auto *Load = dyn_cast<LoadInst>(Source);
  if (!Load || isReal(Load->getType()))
    return Source;
  IRBuilder<> There(Load);
  LoadInst *Number = There.CreateAlignedLoad(
      realOf(Load), Load->getPointerOperand(), Load->getAlign());
  if (!isIntegerForCertain(*Load))
    Number->copyMetadata(*Load, {LLVMContext::MD_tbaa});
  Load->replaceAllUsesWith(There.CreateBitCast(Number, Load->getType()));
  return Number;
}

/// 2^exponent with the sign of the number whose bits these are, where the
/// exponent as it is stored is at least \p Least; it has no derivative.
Value *Recogniser::signedBinade(Type *T, Value *Bits, unsigned Least) {
  const unsigned N = T->getPrimitiveSizeInBits(), Mantissa = mantissaBits(T);
  APInt Sign = APInt::getSignMask(N);
  APInt Exponent = APInt::getBitsSet(N, Mantissa, N - 1);
  Value *Stored = B.CreateBinaryIntrinsic(
      Intrinsic::umax, B.CreateAnd(Bits, B.getInt(Exponent)),
      B.getInt(APInt(N, Least) << Mantissa));
  Value *Power = B.CreateOr(B.CreateAnd(Bits, B.getInt(Sign)), Stored);
  return roundTo(B, Constant::getNullValue(T), Power);
}

/// Whether the bits of \p X are not those of an integer of less than 23 bits,
/// or of 52 for a double: those are of subnormal numbers and NaNs.
Value *Recogniser::isBitsOfNumber(Value *X) {
  Type *T = X->getType();
  const unsigned N = T->getPrimitiveSizeInBits(), Mantissa = mantissaBits(T);
  APInt Exponent = APInt::getBitsSet(N, Mantissa, N - 1);
  APInt One = APInt::getOneBitSet(N, Mantissa);
  Value *Stored =
      B.CreateAnd(B.CreateBitCast(X, B.getIntNTy(N)), B.getInt(Exponent));
  return B.CreateICmpULT(B.CreateSub(Stored, B.getInt(One)),
                         B.getInt(Exponent - One));
}

/// Whether operand \p K of \p I is what it chooses; of two that are equal the
/// first.
static Value *isChosen(IRBuilderBase &B, const Choice &Of) {
  auto [I, K] = Of;
  if (auto *Select = dyn_cast<SelectInst>(I))
    return K == 1 ? Select->getCondition()
                  : B.CreateNot(Select->getCondition());
  auto Predicate = cast<MinMaxIntrinsic>(I)->getPredicate();
  Value *IsFirst = B.CreateICmp(ICmpInst::getNonStrictPredicate(Predicate),
                                I->getOperand(0), I->getOperand(1));
  return K == 0 ? IsFirst : B.CreateNot(IsFirst);
}

/// The part of term \p Of, with number \p X: partial * x, where the partial is
/// a constant.
/// An ulp is the binade * 2^-mantissa.
Value *Recogniser::part(const Term &Of, Value *X) {
  const bool IsBits = isa<BitCastInst>(Cast);
  const bool IsInteger = Of.isInteger();
  const double Slope = Of.Slope;
  Type *From = X->getType(), *To = Cast.getType();
  Type *T = mantissaBits(From) > mantissaBits(To) ? From : To;
  int Exponent = (IsInteger ? 0 : int(mantissaBits(From))) -
                 (IsBits ? int(mantissaBits(To)) : 0);
  Value *Partial = ConstantFP::get(T, std::ldexp(Slope, Exponent));
  if (!Of.Factors.empty()) {
    Value *Factor = ConstantFP::get(T, 1);
    for (Value *Each : Of.Factors)
      Factor = B.CreateFMul(Factor, B.CreateSIToFP(Each, T));
    // As in asBits: what has large steps is constant.
    Value *IsFine =
        B.CreateFCmpOLE(B.CreateUnaryIntrinsic(Intrinsic::fabs, Factor),
                        ConstantFP::get(T, maxStep(To) / std::abs(Slope)));
    Partial = B.CreateSelect(IsFine, B.CreateFMul(Partial, Factor),
                             Constant::getNullValue(T));
  }
  if (IsBits)
    Partial = B.CreateFMul(
        Partial,
        B.CreateFPCast(signedBinade(To, Cast.getOperand(0), /*Least=*/1), T));
  // An integer that was rounded to, beside numbers in a union, stays one.
  if (IsBits && IsInteger)
    Partial =
        B.CreateSelect(isBitsOfNumber(B.CreateBitCast(Cast.getOperand(0), To)),
                       Partial, Constant::getNullValue(T));
  if (!IsInteger) {
    Value *Bits =
        B.CreateBitCast(X, B.getIntNTy(From->getPrimitiveSizeInBits()));
    // A subnormal number's may be an integer (in a tagged union, say), beside
    // which a tangent of zero has to stay zero: its slope is finite.
    unsigned Least = IsBits ? 1
                            : mantissaBits(From) + 1 +
                                  std::max(0, std::ilogb(std::abs(Slope)));
    Partial = B.CreateFDiv(Partial,
                           B.CreateFPCast(signedBinade(From, Bits, Least), T));
  }
  for (const Choice &Each : Of.Choices)
    Partial =
        B.CreateSelect(isChosen(B, Each), Partial, Constant::getNullValue(T));
  // The slope of an integer that is none would be finite, but overflow with
  // what it is multiplied by.
  if (Of.MayBeInteger || isChosenOfBits(X)) {
    Value *IsNumber = isBitsOfNumber(X);
    X = B.CreateSelect(IsNumber, X, Constant::getNullValue(From));
    Partial = B.CreateSelect(IsNumber, Partial, Constant::getNullValue(T));
  }
  return B.CreateFPCast(B.CreateFMul(B.CreateFPCast(X, T), Partial), To);
}

/// The number that the cast gives, with the derivative of \p Sum.
void Recogniser::finish(Value *Sum) {
  Value *V = Cast.getOperand(0);
  if (!isa<BitCastInst>(Cast)) {
    Instruction *Value = Cast.clone();
    B.Insert(Value);
    V = B.CreateBitCast(Value,
                        B.getIntNTy(Cast.getType()->getPrimitiveSizeInBits()));
  }
  Cast.replaceAllUsesWith(roundTo(B, Sum, V));
  RecursivelyDeleteTriviallyDeadInstructions(&Cast);
}

/// Absolute values and negatives are LLVM's own operations.
static bool isSignChange(const Value *V) {
  const APInt *C = nullptr;
  return match(V, m_BitwiseLogic(m_Value(), m_APInt(C))) &&
         (C->isSignMask() || C->isMaxSignedValue());
}

static Linear linearOf(const CastInst &Cast) {
  Value *V = Cast.getOperand(0);
  if (!isReal(Cast.getType()) || !V->getType()->isIntegerTy() ||
      isValueOfBits(Cast))
    return {};
  if (isa<SIToFPInst, UIToFPInst>(Cast))
    return Linear::of(V).asValue();
  // What is only moved is none of ours.
  if (!isa<BitCastInst>(Cast) || isSignChange(V))
    return {};
  Linear L = Linear::ofBits(Cast.getType(), V);
  const bool IsMade =
      isa<BinaryOperator>(V) ||
      any_of(L.Terms, [](const Term &X) { return X.isInteger(); });
  return IsMade ? L : Linear();
}

/// LLVM stores the bits of what is computed so as an integer, where the
/// language says that it is a number.
static void storeNumbers(Function &F) {
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && Store->isSimple() && declaredNumber(*Store))
      Stores.push_back(Store);
  for (StoreInst *Store : Stores) {
    IRBuilder<> B(Store);
    Value *V = Store->getValueOperand();
    auto *Cast = dyn_cast<CastInst>(B.CreateBitCast(V, declaredNumber(*Store)));
    if (!Cast)
      continue;
    if (!linearOf(*Cast).isKnown()) {
      if (Cast->use_empty())
        Cast->eraseFromParent();
      continue;
    }
    StoreInst *New = B.CreateAlignedStore(Cast, Store->getPointerOperand(),
                                          Store->getAlign());
    New->copyMetadata(*Store);
    Store->eraseFromParent();
  }
}

/// Whether the integer \p Load becomes a number by arithmetic that none of the
/// casts \p Known is about: were it taken for a number, that would be an error.
static bool becomesNumberOtherwise(const LoadInst &Load,
                                   const SmallPtrSetImpl<CastInst *> &Known) {
  constexpr unsigned MaxUsers = 64;
  SmallPtrSet<const User *, 16> Seen;
  SmallVector<const Value *, 16> Work{&Load};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      auto *Cast = dyn_cast<CastInst>(U);
      if (Cast && isReal(Cast->getType())) {
        const Value *Made = Cast->getOperand(0);
        bool IsMoved = isa<BitCastInst>(Cast) &&
                       (!isa<BinaryOperator>(Made) || isSignChange(Made));
        if (!IsMoved && !Known.contains(const_cast<CastInst *>(Cast)))
          return true;
      } else if (U->getType()->isIntegerTy() && !isa<LoadInst, ICmpInst>(U) &&
                 Seen.insert(U).second) {
        if (Seen.size() == MaxUsers)
          return true;
        Work.push_back(U);
      }
    }
  return false;
}

static bool recognise(Function &F) {
  // What is found may be made of the one before.
  struct Result {
    WeakVH Cast;
    SmallVector<std::pair<WeakTrackingVH, Term>, 2> Terms;
  };
  SmallVector<Result, 4> Found;
  storeNumbers(F);
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<CastInst>(&I))
      if (Linear Of = linearOf(*Cast); Of.isKnown()) {
        Found.push_back({Cast, {}});
        for (const Term &X : Of.Terms)
          Found.back().Terms.push_back({X.Source, X});
      }
  for (bool Changed = true; Changed;) {
    SmallPtrSet<CastInst *, 8> Known;
    for (const Result &R : Found)
      Known.insert(cast<CastInst>(R.Cast));
    erase_if(Found, [&](const Result &R) {
      return any_of(R.Terms, [&](const auto &Each) {
        auto *Load = dyn_cast<LoadInst>(Each.second.Source);
        return Each.second.MayBeInteger && Load &&
               becomesNumberOtherwise(*Load, Known);
      });
    });
    Changed = Found.size() != Known.size();
  }
  for (Result &R : Found) {
    if (!R.Cast)
      continue;
    auto &Cast = llvm::cast<CastInst>(*R.Cast);
    Recogniser Of(Cast);
    Value *Sum = Constant::getNullValue(Cast.getType());
    for (auto &[Source, Each] : R.Terms) {
      Value *X = Of.numberOf(Source);
      Each.Source = Source;
      if (Each.Slope != 0)
        Sum = Of.plus(Sum, Of.part(Each, X));
    }
    Of.finish(Sum);
  }
  return !Found.empty();
}

void verso::recogniseLinearBits(Function &F) { recognise(F); }

PreservedAnalyses LinearBitsPass::run(Function &F, FunctionAnalysisManager &) {
  // Of vectors they are seen when these have been taken apart.
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && any_of(I.users(), IsaPred<BitCastInst, InsertElementInst>))
      markAsNumber(*Load);
  return recognise(F) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

bool verso::isValueOfBits(const CastInst &I) {
  return !I.use_empty() && isa<SIToFPInst, UIToFPInst>(I) &&
         all_of(I.users(), [](const User *U) {
           return isa<BitCastInst>(U) && !U->use_empty() &&
                  all_of(U->users(), [](const User *Call) {
                    return isRounding(*cast<Instruction>(Call));
                  });
         });
}
