//===- Divisors.cpp - what integers are multiples of ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Containers compute sizes and ends in bytes, from distances of pointers. What
// they are multiples of says which fields of an array's elements a pointer may
// lead to; so does what they are at least.
//
//===----------------------------------------------------------------------===//

#include "analysis/AccessTypes.h"
#include "rules/Detached.h"
#include "structured/memory/Objects.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

#include <numeric>

using namespace llvm;
using namespace verso;

/// Whether \p V is the whole address of something, not a number beside.
static bool isAddress(const Value *V, unsigned Bits) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work{V};
  while (!Work.empty()) {
    const Value *Each = Work.pop_back_val();
    if (!Seen.insert(Each).second)
      continue;
    if (auto *Phi = dyn_cast<PHINode>(Each))
      append_range(Work, Phi->incoming_values());
    else if (auto *S = dyn_cast<SelectInst>(Each))
      Work.append({S->getTrueValue(), S->getFalseValue()});
    else if (auto *Freeze = dyn_cast<FreezeInst>(Each))
      Work.push_back(Freeze->getOperand(0));
    else if (!isa<PtrToIntOperator>(Each) ||
             !Each->getType()->isIntegerTy(Bits))
      return false;
  }
  return true;
}

/// A number that the distance of the two addresses is a multiple of, in the
/// same object: 0 if that is all that is known so far.
uint64_t Objects::divisorOfDistance(const Value *P, const Value *Q) const {
  Places Ps = placesOf(P), Qs = placesOf(Q);
  uint64_t D = 0;
  bool AnyCommon = Ps.empty() || Qs.empty();
  for (const Place &A : Ps)
    for (const Place &B : Qs)
      if (A.Object == B.Object) {
        AnyCommon = true;
        // Every pointer that is loaded starts an object of its own.
        D = All[A.Object].K == Object::Loaded
                ? 1
                : std::gcd(D, A.At.joined(B.At).Step);
      }
  return AnyCommon ? D : 1;
}

/// What the bits of \p V say that it is a multiple of.
static uint64_t divisorByBits(const Value *V, const DataLayout &DL) {
  unsigned Zeros = computeKnownBits(V, DL).countMinTrailingZeros();
  return uint64_t(1) << std::min(Zeros, 12u);
}

/// What the address \p P is a multiple of. Blocks of the heap are aligned for
/// pointers, whoever gives them, unless somebody asks for less; programs align
/// them further by hand.
static uint64_t divisorOfAddress(const Value *P, const DataLayout &DL,
                                 const TargetLibraryInfo *TLI) {
  auto *Call = dyn_cast<CallBase>(P);
  LibFunc Known;
  if (!Call || !TLI->getLibFunc(*Call, Known))
    return 1;
  switch (Known) {
  case LibFunc_malloc:
  case LibFunc_calloc:
  case LibFunc_Znwm:
  case LibFunc_Znam:
  case LibFunc_Znwj:
  case LibFunc_Znaj:
  case LibFunc_ZnwmRKSt9nothrow_t:
  case LibFunc_ZnamRKSt9nothrow_t:
    return DL.getPointerABIAlignment(0).value();
  default:
    return 1;
  }
}

static bool addsWithoutWrapping(const Instruction &I) {
  if (I.getOpcode() == Instruction::Or)
    return cast<PossiblyDisjointInst>(I).isDisjoint();
  return I.getOpcode() == Instruction::Add &&
         (I.hasNoSignedWrap() || I.hasNoUnsignedWrap());
}

/// A number that the integer is a multiple of, by what is known so far; 0
/// stands for zero, and for what was not reached yet.
uint64_t Objects::divisor(const Value *V) const {
  if (auto *C = dyn_cast<ConstantInt>(V);
      C && C->getValue().abs().getActiveBits() <= 32)
    return C->getValue().abs().getZExtValue();
  return isa<Instruction>(V) ? Divisors.lookup(V) : divisorByBits(V, DL);
}

/// What \p Load may find in a frame of a recursion; none if that is not known.
std::optional<SmallVector<const Value *, 4>>
Objects::storedInFrame(const LoadInst &Load) const {
  SmallVector<const Value *, 4> Stored;
  if (!isInFrame(Load))
    return std::nullopt;
  const Places There = placesOf(Load.getPointerOperand());
  const uint64_t Size = DL.getTypeStoreSize(Load.getType());
  for (const Instruction *Write : FrameWrites) {
    auto *Store = dyn_cast<StoreInst>(Write);
    const Value *V = Store ? Store->getValueOperand() : nullptr;
    const Value *To = Store ? Store->getPointerOperand()
                            : cast<AnyMemIntrinsic>(Write)->getRawDest();
    const uint64_t Bytes =
        V ? DL.getTypeStoreSize(V->getType()).getFixedValue() : MaxExtent;
    if (none_of(placesOf(To), [&](const Place &P) {
          return any_of(There, [&](const Place &Q) {
            return P.Object == Q.Object && P.At.overlaps(Bytes, Q.At, Size);
          });
        }))
      continue;
    if (!V || V->getType() != Load.getType())
      return std::nullopt;
    Stored.push_back(V);
  }
  return Stored;
}

/// What \p V, which is not negative, is at least: what is counted up from
/// constants is no less than they are. (LLVM has a loop over an array that is a
/// member count the bytes from the object's start.)
uint64_t Objects::least(const Value &Root) const {
  constexpr unsigned MaxValues = 64;
  uint64_t Least = ~uint64_t(0);
  SmallSetVector<const Value *, 16> Web;
  Web.insert(&Root);
  for (unsigned N = 0; N != Web.size(); ++N) {
    const Value *V = Web[N];
    if (auto *C = dyn_cast<ConstantInt>(V)) {
      if (C->isNegative() || C->getValue().getActiveBits() > 32)
        return 0;
      Least = std::min(Least, C->getZExtValue());
      continue;
    }
    auto *I = dyn_cast<Instruction>(V);
    auto *Load = dyn_cast_or_null<LoadInst>(I);
    if (!I || N == MaxValues)
      return 0;
    if (auto Stored = Load ? storedInFrame(*Load) : std::nullopt) {
      Web.insert(Stored->begin(), Stored->end());
    } else if (isa<PHINode>(I)) {
      Web.insert(I->op_begin(), I->op_end());
    } else if (isa<SelectInst>(I)) {
      Web.insert(I->getOperand(1));
      Web.insert(I->getOperand(2));
    } else if (isa<FreezeInst, ZExtInst, SExtInst>(I)) {
      Web.insert(I->getOperand(0));
    } else if (auto *C = dyn_cast<ConstantInt>(
                   I->getOperand(I->getNumOperands() - 1));
               C && !C->isNegative() && addsWithoutWrapping(*I)) {
      Web.insert(I->getOperand(0));
    } else {
      return 0;
    }
  }
  return Least == ~uint64_t(0) ? 0 : Least;
}

/// What follows for \p I from the divisors of its operands.
uint64_t Objects::divisorOf(const Instruction &I) const {
  auto Of = [&](unsigned K) { return divisor(I.getOperand(K)); };
  if (unsigned Bits = DL.getPointerSizeInBits();
      I.getOpcode() == Instruction::Sub && isAddress(I.getOperand(0), Bits) &&
      isAddress(I.getOperand(1), Bits))
    return divisorOfDistance(I.getOperand(0), I.getOperand(1));
  // What wraps around stays a multiple of a power of two.
  auto AfterWrapping = [&](uint64_t D) {
    auto *O = dyn_cast<OverflowingBinaryOperator>(&I);
    bool MayWrap = !O || (!O->hasNoSignedWrap() && !O->hasNoUnsignedWrap());
    return MayWrap ? D & -D : D;
  };
  constexpr uint64_t MaxFactor = 1u << 16;
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return AfterWrapping(std::gcd(Of(0), Of(1)));
  case Instruction::Mul:
    if (uint64_t A = Of(0), B = Of(1); A < MaxFactor && B < MaxFactor)
      return AfterWrapping(A * B);
    break;
  case Instruction::Shl:
    if (auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
        C && C->getValue().ult(16))
      return AfterWrapping(Of(0) << C->getZExtValue());
    break;
  case Instruction::AShr:
  case Instruction::LShr:
  case Instruction::SDiv:
  case Instruction::UDiv: {
    auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
    if (!C || !C->getValue().ult(MaxFactor))
      break;
    bool IsShift = I.isShift();
    uint64_t By = C->getZExtValue();
    if (IsShift)
      By = By < 16 ? uint64_t(1) << By : 0;
    uint64_t D = Of(0);
    if (I.getOpcode() == Instruction::LShr ||
        I.getOpcode() == Instruction::UDiv)
      D &= -D;
    if (By && D % By == 0)
      return D / By;
    break;
  }
  case Instruction::ZExt: {
    uint64_t D = Of(0);
    return D & -D;
  }
  case Instruction::SExt:
  case Instruction::Freeze:
    return Of(0);
  case Instruction::Select:
    return std::gcd(Of(1), Of(2));
  case Instruction::PHI: {
    uint64_t D = 0;
    for (const Use &U : I.operands())
      D = std::gcd(D, divisor(U));
    return D;
  }
  case Instruction::Load: {
    auto Stored = storedInFrame(cast<LoadInst>(I));
    if (!Stored)
      break;
    uint64_t D = 0;
    for (const Value *V : *Stored)
      D = std::gcd(D, divisor(V));
    return D;
  }
  case Instruction::PtrToInt:
    // Both are powers of two.
    return std::max(divisorByBits(&I, DL),
                    divisorOfAddress(I.getOperand(0), DL, TLI));
  case Instruction::Call:
    if (isDetachedValue(cast<CallBase>(I)))
      return Of(0);
    if (isa<MinMaxIntrinsic>(I))
      return std::gcd(Of(0), Of(1));
    break;
  default:
    break;
  }
  return divisorByBits(&I, DL);
}

/// Divisors start at 0 and become smaller, as places become more.
void Objects::visitDivisor(const Instruction &I) {
  uint64_t &Old = Divisors[&I];
  if (Old == 1)
    return;
  uint64_t New = std::gcd(Old, divisorOf(I));
  Changed |= New != Old;
  Old = New;
}
