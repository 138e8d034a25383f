//===- MovedBytes.cpp - integers that move bytes of numbers ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/MovedBytes.h"
#include "analysis/Activity.h"
#include "analysis/BytePlaces.h"
#include "analysis/Unavoidable.h"
#include "prepare/LinearBits.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace verso;

bool verso::keepsBytes(const Instruction &I) {
  const ConstantInt *C = nullptr;
  if (auto *B = dyn_cast<BinaryOperator>(&I)) {
    C = dyn_cast<ConstantInt>(B->getOperand(1));
    if (!C && B->isCommutative())
      C = dyn_cast<ConstantInt>(B->getOperand(0));
  }
  switch (I.getOpcode()) {
  case Instruction::Or:
    return true;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return C ? C->getValue().urem(8) == 0
             : I.getType()->getScalarSizeInBits() > 16;
  case Instruction::And:
    for (unsigned K = 0; C && K + 8 <= C->getBitWidth(); K += 8)
      if (APInt Byte = C->getValue().extractBits(8, K);
          !Byte.isZero() && !Byte.isAllOnes())
        return false;
    return true;
  default:
    return !isa<BinaryOperator>(I);
  }
}

bool verso::keepsAddress(const APInt &Mask) {
  constexpr unsigned Lowest = 24, Highest = 48;
  return Mask.getBitWidth() == 64 &&
         Mask.extractBits(Highest - Lowest, Lowest).isAllOnes();
}

Value *verso::keptInPart(Value *V, const APInt *&Mask) {
  using namespace PatternMatch;
  Value *X;
  return V->getType()->isIntegerTy() &&
                 match(V, m_c_And(m_Value(X), m_APInt(Mask))) &&
                 keepsBytes(*cast<Instruction>(V))
             ? X
             : nullptr;
}

/// Whether \p Is is true of \p V or of what it is moved from, of active ones.
static bool anyBehind(const Value *V, const Activity &A,
                      function_ref<bool(const Instruction &)> Is) {
  constexpr unsigned MaxValues = 64;
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work{V};
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !I->getType()->isIntegerTy() || I->getType()->isIntegerTy(1) ||
        !A.isActive(I) || !Seen.insert(I).second)
      continue;
    if (Is(*I) || Seen.size() == MaxValues)
      return true;
    if (I->isShift())
      Work.push_back(I->getOperand(0));
    else if (isa<BinaryOperator, TruncInst, ZExtInst, SExtInst, PHINode,
                 SelectInst, FreezeInst>(I))
      append_range(Work, I->operands());
  }
  return false;
}

bool verso::isComputed(const Value *V, const Activity &A) {
  return anyBehind(V, A, [](const Instruction &I) { return !keepsBytes(I); });
}

static constexpr unsigned WordBits = 32;

bool verso::isMadeOfParts(const Value *V, const Activity &A) {
  return anyBehind(V, A, [](const Instruction &I) {
    const APInt *Shift;
    return I.getType()->getIntegerBitWidth() % WordBits ||
           (I.isShift() &&
            !(PatternMatch::match(I.getOperand(1),
                                  PatternMatch::m_APInt(Shift)) &&
              Shift->urem(WordBits) == 0));
  });
}

uint64_t verso::partlyLost(const Value *V, const Activity &A,
                           const DataLayout &DL) {
  using namespace PatternMatch;
  constexpr unsigned MostParts = 16;
  uint64_t Words = 0;
  SmallSetVector<const Value *, 4> Parts;
  Parts.insert(V);
  for (unsigned K = 0; K != Parts.size(); ++K) {
    const Value *Part = Parts[K];
    Value *L, *R;
    if (match(Part, m_Or(m_Value(L), m_Value(R))) && K < MostParts)
      Parts.insert(L), Parts.insert(R);
    else if (isComputed(Part, A) && isMadeOfParts(Part, A))
      Words |= usedWords(Part, DL);
  }
  return Words;
}

ByteCall verso::byteCall(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F || !F->getName().starts_with("llvm.x86.") ||
      !Call.doesNotAccessMemory() || !Call.getType()->isIntOrIntVectorTy() ||
      none_of(
          Call.args(),
          [](const Use &U) { return U->getType()->isIntOrIntVectorTy(); }) ||
      any_of(Call.args(), [](const Use &U) {
        return U->getType()->isFPOrFPVectorTy() ||
               U->getType()->isPtrOrPtrVectorTy();
      }))
    return ByteCall::None;
  StringRef Name = F->getName();
  if (any_of(ArrayRef{"cmp", "movmsk", "ptest"},
             [&](StringRef Kind) { return Name.contains(Kind); }))
    return ByteCall::None;
  bool TakesByIndex = Call.arg_size() == 2 &&
                      Call.getArgOperand(0)->getType() == Call.getType() &&
                      (Name.contains(".pshuf.b") || Name.contains(".permd") ||
                       Name.contains(".permvar."));
  return TakesByIndex ? ByteCall::Moves : ByteCall::Loses;
}

APInt verso::keptBits(const BinaryOperator &I, unsigned K) {
  const DataLayout &DL = I.getDataLayout();
  KnownBits Other = computeKnownBits(I.getOperand(1 - K), DL);
  switch (I.getOpcode()) {
  case Instruction::Or:
  case Instruction::Xor:
    return Other.Zero;
  case Instruction::And:
    return Other.One;
  case Instruction::Sub:
    if (K == 1)
      break;
    [[fallthrough]];
  case Instruction::Add:
    return APInt::getLowBitsSet(Other.getBitWidth(),
                                Other.countMinTrailingZeros());
  default:
    break;
  }
  return APInt::getZero(Other.getBitWidth());
}

/// The bits of the integer \p I that may matter to what is made of it: as a
/// field's do which is computed within its word, as `s.c <<= 1` is, and then
/// masked.
static APInt usedBits(const Instruction &I, unsigned Depth = 4) {
  using namespace PatternMatch;
  const unsigned N = I.getType()->getIntegerBitWidth();
  if (!Depth)
    return APInt::getAllOnes(N);
  APInt Used = APInt::getZero(N);
  for (const User *U : I.users()) {
    auto *By = cast<Instruction>(U);
    const APInt *C;
    if (match(By, m_Trunc(m_Specific(&I))))
      Used |= usedBits(*By, Depth - 1).zext(N);
    else if (match(By, m_c_And(m_Specific(&I), m_APInt(C))))
      Used |= usedBits(*By, Depth - 1) & *C;
    else if (match(By, m_Shl(m_Specific(&I), m_APInt(C))) && C->ult(N))
      Used |= usedBits(*By, Depth - 1).lshr(*C);
    else if (match(By, m_LShr(m_Specific(&I), m_APInt(C))) && C->ult(N))
      Used |= usedBits(*By, Depth - 1).shl(*C);
    else if (By->getOpcode() == Instruction::Or ||
             By->getOpcode() == Instruction::Xor)
      Used |= usedBits(*By, Depth - 1);
    else if (By->getOpcode() == Instruction::Add ||
             By->getOpcode() == Instruction::Sub ||
             By->getOpcode() == Instruction::Mul) {
      APInt Result = usedBits(*By, Depth - 1);
      // Nothing is carried where the other one has zeros.
      const unsigned Zeros =
          match(By, m_c_Add(m_Specific(&I), m_APInt(C))) ? C->countr_zero() : 0;
      if (const unsigned End = Result.getActiveBits(); End > Zeros)
        Result.setBits(Zeros, End);
      Used |= Result;
    } else
      return APInt::getAllOnes(N);
  }
  return Used;
}

bool KeptWords::flows(unsigned From, unsigned To) const {
  const APInt Source = APInt::getBitsSet(Used.getBitWidth(), From * WordBits,
                                         (From + 1) * WordBits),
              Result = APInt::getBitsSet(Used.getBitWidth(), To * WordBits,
                                         (To + 1) * WordBits) &
                       Used;
  if (Result.isZero())
    return false;
  if (Shift)
    return Opcode == Instruction::Shl ? Result.lshr(*Shift).intersects(Source)
                                      : Result.shl(*Shift).intersects(Source);
  if (From == To)
    return true;
  switch (Opcode) {
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::And:
    return false;
  case Instruction::Add:
  case Instruction::Sub:
    // Nothing is carried out of a word that stays.
    return From < To && Lost[From * WordBits];
  case Instruction::Mul:
    return From < To;
  default:
    return true;
  }
}

std::optional<KeptWords> verso::keptWords(const BinaryOperator &I,
                                          unsigned WordBits) {
  auto *T = dyn_cast<IntegerType>(I.getType());
  if (!T || T->getBitWidth() % WordBits || T->getBitWidth() == WordBits)
    return std::nullopt;
  KnownBits Known = computeKnownBits(&I, I.getDataLayout());
  const unsigned N = T->getBitWidth();
  KeptWords Words;
  Words.Opcode = I.getOpcode();
  Words.WordBits = WordBits;
  Words.Lost = APInt::getZero(N);
  Words.Used = usedBits(I);
  if (const APInt *C;
      I.isLogicalShift() &&
      PatternMatch::match(I.getOperand(1), PatternMatch::m_APInt(C)) &&
      C->ult(N))
    Words.Shift = C->getZExtValue();
  // A byte of which only some bits are known is a changed one.
  auto BytesIn = [&](const APInt &Bits) {
    APInt Bytes = APInt::getZero(N);
    for (unsigned B = 0; B != N; B += 8)
      if (Bits.extractBits(8, B).isAllOnes())
        Bytes.setBits(B, B + 8);
    return Bytes;
  };
  APInt Constant = BytesIn(Known.Zero | Known.One);
  for (unsigned K : {0, 1})
    Words.Of[K] = BytesIn(keptBits(I, K)) & ~Constant;
  // What both hand on is that of the first.
  Words.Of[1] &= ~Words.Of[0];
  for (unsigned W = 0; W != N; W += WordBits)
    if (APInt Word = APInt::getBitsSet(N, W, W + WordBits);
        Word.intersects(Words.Used) &&
        (!Word.isSubsetOf(Words.Of[0] | Words.Of[1] | Constant) ||
         // What a mask leaves of a word is no number any more.
         (I.getOpcode() == Instruction::And && Word.intersects(Constant) &&
          !Word.isSubsetOf(Constant))))
      Words.Lost |= Word;
  if (Words.Lost.isAllOnes())
    return std::nullopt;
  for (APInt &Kept : Words.Of)
    Kept &= ~Words.Lost;
  return Words;
}

/// Whether what \p I gives is used, at most, where the program goes on one of
/// several ways from \p Home, or chosen beside something else: as where a tag
/// tells what the bits are of.
static bool isConditional(const Instruction &I, const BasicBlock &Home,
                          unsigned Depth = 8) {
  if (I.getParent() != &Home)
    return true;
  if (I.use_empty() || !Depth || !isSafeToSpeculativelyExecute(&I))
    return false;
  return all_of(I.uses(), [&](const Use &U) {
    auto *By = cast<Instruction>(U.getUser());
    return (isa<SelectInst>(By) && U.getOperandNo() != 0) ||
           isConditional(*By, Home, Depth - 1);
  });
}

namespace {

/// The integers that \p To, a cast to a number, makes its value of, each as it
/// comes there: as bytes of it, or lost by an operation that does not keep
/// bytes.
class BitsOf {
public:
  explicit BitsOf(const CastInst &To) : To(To) {
    // The value of an integer is no move of bytes.
    add(To.getOperand(0), /*IsLost=*/!isa<BitCastInst>(To));
    // So far, for the time that it takes.
    constexpr unsigned MostParts = 1000;
    for (unsigned K = 0; K != Parts.size() && K != MostParts; ++K)
      visit(Parts[K].getPointer(), Parts[K].getInt());
  }

  /// Numbers whose bits are lost.
  SmallSetVector<BitCastInst *, 4> Lost;
  bool IsPart = false;     ///< Of some the higher bytes are left out.
  bool IsComputed = false; ///< By more than casts, choices and constant shifts.

  /// Whether it is used for certain where the bits of \p Number are some, in
  /// every run of the request.
  bool isCertain(const BitCastInst *Number) const {
    const BasicBlock &Home = *Number->getParent();
    return !isConditional(To, Home) && isUnavoidable(Home);
  }

private:
  const CastInst &To;
  SmallSetVector<PointerIntPair<Value *, 1, bool>, 8> Parts;

  void add(Value *V, bool IsLost) {
    if (V->getType()->isIntOrIntVectorTy())
      Parts.insert({V, IsLost});
  }

  void visit(Value *V, bool IsLost) {
    auto *Part = dyn_cast<Instruction>(V);
    if (!Part)
      return;
    if (auto *Bits = dyn_cast<BitCastInst>(Part);
        Bits && Bits->getSrcTy()->isFPOrFPVectorTy()) {
      if (IsLost)
        Lost.insert(Bits);
      return;
    }
    IsPart |= isa<TruncInst>(Part);
    IsComputed |= isa<BinaryOperator, PHINode>(Part) &&
                  !(Part->isShift() && isa<ConstantInt>(Part->getOperand(1)));
    if (auto *Choice = dyn_cast<SelectInst>(Part)) {
      add(Choice->getTrueValue(), IsLost);
      add(Choice->getFalseValue(), IsLost);
    } else if (isa<BinaryOperator, CastInst, FreezeInst, PHINode>(Part)) {
      IsLost |= isa<BinaryOperator, CastInst>(Part) && !keepsBytes(*Part);
      for (Value *Operand : Part->operands())
        add(Operand, IsLost);
    }
  }
};

bool isToNumber(const CastInst &I) {
  return I.getType()->isFPOrFPVectorTy() &&
         I.getOperand(0)->getType()->isIntOrIntVectorTy();
}

} // namespace

SmallVector<Value *, 2> verso::numbersInPart(const CastInst &I) {
  if (!isToNumber(I) || !I.getType()->isFloatingPointTy() || isValueOfBits(I))
    return {};
  BitsOf Bits(I);
  // What is computed for certain is an error of the compiler.
  if (Bits.IsComputed &&
      any_of(Bits.Lost, [&](auto *Number) { return Bits.isCertain(Number); }))
    return {};
  if (!Bits.IsComputed && (!Bits.IsPart || isa<BitCastInst>(I)))
    return {};
  SmallVector<Value *, 2> Numbers;
  for (BitCastInst *Number : Bits.Lost)
    Numbers.push_back(Number->getOperand(0));
  return Numbers;
}

bool verso::isOfPartAlone(const CastInst &I) {
  return isToNumber(I) && !BitsOf(I).IsComputed;
}

bool verso::losesRealBits(const CastInst &I, const Activity &A) {
  if (!isToNumber(I))
    return false;
  BitsOf Bits(I);
  return any_of(Bits.Lost, [&](auto *Number) {
    return A.isVaried(Number->getOperand(0)) && Bits.isCertain(Number);
  });
}

SmallVector<Value *, 4> verso::mixedBytes(const CastInst &I,
                                          const Activity &A) {
  Value *X = I.getOperand(0);
  auto *T = dyn_cast<IntegerType>(X->getType());
  if (!I.getType()->isFloatingPointTy() || !T || T->getBitWidth() > 64)
    return {};
  SmallVector<Value *, 4> From;
  uint64_t Bytes = 0;
  BytePlaces Places;
  for (const PlacedBytes &P : Places.of(X))
    if (A.isActive(P.Of)) {
      Bytes |= P.Bytes;
      From.push_back(P.Of);
    }
  if (Bytes == maskTrailingOnes<uint64_t>(T->getBitWidth() / 8))
    return {};
  return From;
}
