//===- BfloatsByHand.cpp - numbers kept as halves of floats ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/BfloatsByHand.h"
#include "analysis/AccessTypes.h"
#include "prepare/Rounded.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

static constexpr unsigned HalfBits = 16;

//===----------------------------------------------------------------------===//
// What the bits are made of
//===----------------------------------------------------------------------===//

/// Whether \p Load may load a float as an integer, as LLVM says a load that is
/// only cast. (Where it is an integer, a float with its bits is inactive.)
static bool mayLoadFloat(const LoadInst &Load) {
  MDNode *Tag = Load.getMetadata(LLVMContext::MD_tbaa);
  return Tag ? declaredKind(*Tag) == DeclaredKind::Float
             : isUntyped(*Load.getFunction());
}

/// The value that \p Bits are the bits of, or those of a number less than one
/// unit of their upper half away: a float, or a load of one as an integer. Null
/// if it is something else.
static Value *numberNear(Value *Bits) {
  Value *X, *Y;
  if (!Bits->getType()->isIntegerTy(2 * HalfBits))
    return nullptr;
  if (match(Bits, m_BitCast(m_Value(X))))
    return X->getType()->isFloatTy() ? X : nullptr;
  if (auto *Load = dyn_cast<LoadInst>(Bits))
    return mayLoadFloat(*Load) ? Load : nullptr;
  if (!match(Bits, m_Add(m_Value(X), m_Value(Y))))
    return nullptr;
  for (auto [Number, Round] : {std::pair(X, Y), std::pair(Y, X)})
    if (Value *Source = numberNear(Number)) {
      auto *I = cast<Instruction>(Bits);
      KnownBits Known = computeKnownBits(Round, I->getDataLayout());
      return Known.countMaxActiveBits() <= HalfBits ? Source : nullptr;
    }
  return nullptr;
}

/// Whether somebody takes the lower half of \p Bits, too: both are moved.
static bool movesLowerHalf(const Value &Bits) {
  return any_of(Bits.users(), [](const User *U) {
    return (isa<TruncInst>(U) &&
            U->getType()->getScalarSizeInBits() <= HalfBits) ||
           (match(U, m_And(m_Value(), m_SpecificInt(0xffff))) &&
            any_of(U->users(), [](const User *Moved) {
              return isa<BinaryOperator, StoreInst>(Moved);
            }));
  });
}

/// Whether \p V is a NaN in any case, maybe of the number's sign: it has no
/// derivative to lose.
static bool isNaN(Value *V, const DataLayout &DL, bool InPlace) {
  if (auto *Choice = dyn_cast<SelectInst>(V))
    return isNaN(Choice->getTrueValue(), DL, InPlace) &&
           isNaN(Choice->getFalseValue(), DL, InPlace);
  constexpr uint64_t QuietNaN = 0x7fc0;
  uint64_t Set = computeKnownBits(V, DL).One.getZExtValue();
  return (Set >> (InPlace ? HalfBits : 0) & QuietNaN) == QuietNaN;
}

/// The number whose upper half \p V is, in its lower bits, or in its upper ones
/// (\p InPlace), as numberNear() says it. NaNs may be chosen in its place.
static Value *numberOfHalf(Value *V, bool InPlace, unsigned Depth = 6) {
  Value *X;
  if (!Depth--)
    return nullptr;
  if (InPlace) {
    if (match(V, m_And(m_Value(X), m_SpecificInt(APInt(32, 0xffff0000)))))
      return numberNear(X);
    if (match(V, m_Shl(m_Value(X), m_SpecificInt(HalfBits))))
      return numberOfHalf(X, /*InPlace=*/false, Depth);
  } else {
    if (match(V, m_Trunc(m_Value(X))) || match(V, m_ZExt(m_Value(X))))
      return numberOfHalf(X, InPlace, Depth);
    if (match(V, m_LShr(m_Value(X), m_SpecificInt(HalfBits))))
      return movesLowerHalf(*X) ? nullptr : numberNear(X);
  }
  SmallVector<Value *, 2> Choices;
  if (auto *Select = dyn_cast<SelectInst>(V))
    Choices = {Select->getTrueValue(), Select->getFalseValue()};
  else if (auto *Phi = dyn_cast<PHINode>(V))
    Choices.append(Phi->op_begin(), Phi->op_end());
  Value *Number = nullptr;
  for (Value *Choice : Choices) {
    if (Value *Quiet; match(Choice, m_Or(m_Value(Quiet), m_ConstantInt())) &&
                      numberOfHalf(Quiet, InPlace, Depth))
      Choice = Quiet; // A NaN is made quiet.
    else if (isNaN(Choice, cast<Instruction>(V)->getDataLayout(), InPlace))
      continue;
    Value *Of = numberOfHalf(Choice, InPlace, Depth);
    if (!Of || (Number && Of != Number))
      return nullptr;
    Number = Of;
  }
  auto *Phi = dyn_cast<PHINode>(V);
  if (Number && Phi &&
      !DominatorTree(*Phi->getFunction()).dominates(Number, Phi))
    return nullptr;
  return Number;
}

/// The integer of 16 bits that \p V is the upper half of a float's bits from:
/// bitcast (shl (zext H), 16) to float.
static Value *halfOfFloat(Value *V) {
  Value *H;
  if (V->getType()->isFloatTy() &&
      match(V, m_BitCast(m_Shl(m_ZExt(m_Value(H)), m_SpecificInt(HalfBits)))) &&
      H->getType()->isIntegerTy(HalfBits))
    return H;
  return nullptr;
}

static bool isUpperHalf(Value *V) {
  return V->getType()->isIntegerTy(HalfBits) &&
         numberOfHalf(V, /*InPlace=*/false);
}

/// Whether an upper half is among the values that \p V is chosen from.
static bool mayBeUpperHalf(Value *V, unsigned Depth = 4) {
  if (!V->getType()->isIntegerTy(HalfBits) || !Depth)
    return false;
  if (isUpperHalf(V))
    return true;
  if (isa<PHINode>(V))
    return any_of(cast<PHINode>(V)->incoming_values(), [&](Value *Choice) {
      return mayBeUpperHalf(Choice, Depth - 1);
    });
  auto *Select = dyn_cast<SelectInst>(V);
  return Select && (mayBeUpperHalf(Select->getTrueValue(), Depth - 1) ||
                    mayBeUpperHalf(Select->getFalseValue(), Depth - 1));
}

/// Whether \p I shows that its function keeps bfloats by hand: it widens one,
/// or rounds. (A half that is cut off may as well be a piece that is moved.)
static bool isOfBfloatsByHand(Instruction &I) {
  Value *X;
  return halfOfFloat(&I) ||
         (match(&I, m_Trunc(m_LShr(m_Value(X), m_SpecificInt(HalfBits)))) &&
          isa<BinaryOperator>(X) && numberNear(X));
}

static bool showsBfloatsByHand(Function &F) {
  return any_of(instructions(F), isOfBfloatsByHand);
}

//===----------------------------------------------------------------------===//
// Said as bfloat
//===----------------------------------------------------------------------===//

namespace {
class Recogniser {
public:
  explicit Recogniser(Function &F) : F(F) {}
  void run();

private:
  Value *asFloat(Value *Source);
  Value *round(IRBuilderBase &B, Value *Source, Value *Bits);
  Value *bfloatOf(Value *H, Instruction *At);

  Function &F;
  DenseMap<Value *, Value *> Known;
};
} // namespace

/// A float that was loaded as an integer is loaded as one.
Value *Recogniser::asFloat(Value *Source) {
  auto *Load = dyn_cast<LoadInst>(Source);
  if (!Load || Load->getType()->isFloatTy())
    return Source;
  Value *&Number = Known[Load];
  if (!Number) {
    LoadInst *New = cast<LoadInst>(Load->clone());
    New->mutateType(Type::getFloatTy(F.getContext()));
    New->insertBefore(Load->getIterator());
    IRBuilder<> B(Load);
    Load->replaceAllUsesWith(B.CreateBitCast(New, Load->getType()));
    Number = New;
  }
  return Number;
}

Value *Recogniser::round(IRBuilderBase &B, Value *Source, Value *Bits) {
  return roundTo(B, asFloat(Source), Bits);
}

/// The bfloat whose bits are \p H, for a use at \p At.
Value *Recogniser::bfloatOf(Value *H, Instruction *At) {
  Type *T = Type::getBFloatTy(F.getContext());
  if (Value *Done = Known.lookup(H))
    return Done;
  if (isUpperHalf(H)) {
    IRBuilder<> B(At->getContext());
    B.SetInsertPoint(*cast<Instruction>(H)->getInsertionPointAfterDef());
    Value *Bits = B.CreateShl(B.CreateZExt(H, B.getInt32Ty()), HalfBits);
    Value *X = round(B, numberOfHalf(H, /*InPlace=*/false), Bits);
    return Known[H] = B.CreateFPTrunc(X, T);
  }
  auto *Load = dyn_cast<LoadInst>(H);
  if (Load && Load->isSimple()) {
    LoadInst *New = cast<LoadInst>(Load->clone());
    New->mutateType(T);
    New->setMetadata(LLVMContext::MD_tbaa, nullptr);
    New->dropUnknownNonDebugMetadata();
    New->insertBefore(Load->getIterator());
    return Known[H] = New;
  }
  if (auto *Phi = dyn_cast<PHINode>(H)) {
    PHINode *New =
        PHINode::Create(T, Phi->getNumIncomingValues(), "", Phi->getIterator());
    Known[H] = New;
    for (BasicBlock *From : Phi->blocks()) {
      int Before = New->getBasicBlockIndex(From);
      New->addIncoming(Before >= 0
                           ? New->getIncomingValue(Before)
                           : bfloatOf(Phi->getIncomingValueForBlock(From),
                                      From->getTerminator()),
                       From);
    }
    return New;
  }
  if (auto *Select = dyn_cast<SelectInst>(H)) {
    Value *True = bfloatOf(Select->getTrueValue(), Select);
    Value *False = bfloatOf(Select->getFalseValue(), Select);
    IRBuilder<> B(Select);
    return Known[H] = B.CreateSelect(Select->getCondition(), True, False);
  }
  IRBuilder<> B(At);
  return B.CreateBitCast(H, T);
}

void Recogniser::run() {
  const bool InMemory = showsBfloatsByHand(F);
  SmallVector<BitCastInst *, 8> Casts;
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F)) {
    if (auto *Cast = dyn_cast<BitCastInst>(&I);
        Cast && Cast->getType()->isFloatTy() &&
        (halfOfFloat(Cast) ||
         numberOfHalf(Cast->getOperand(0), /*InPlace=*/true)))
      Casts.push_back(Cast);
    else if (auto *Store = dyn_cast<StoreInst>(&I);
             InMemory && Store && Store->isSimple() &&
             mayBeUpperHalf(Store->getValueOperand()))
      Stores.push_back(Store);
  }
  for (BitCastInst *Cast : Casts) {
    IRBuilder<> B(Cast);
    Value *New;
    if (Value *H = halfOfFloat(Cast))
      New = B.CreateFPExt(bfloatOf(H, Cast), Cast->getType());
    else
      New = round(B, numberOfHalf(Cast->getOperand(0), /*InPlace=*/true),
                  Cast->getOperand(0));
    Cast->replaceAllUsesWith(New);
    RecursivelyDeleteTriviallyDeadInstructions(Cast);
  }
  for (StoreInst *Store : Stores) {
    IRBuilder<> B(Store);
    B.CreateAlignedStore(bfloatOf(Store->getValueOperand(), Store),
                         Store->getPointerOperand(), Store->getAlign());
    Store->eraseFromParent();
  }
}

void verso::recogniseBfloats(Function &F) { Recogniser(F).run(); }

//===----------------------------------------------------------------------===//
// Where to look
//===----------------------------------------------------------------------===//

/// The same in code that is not optimised, where casts go through memory.
static bool mayHoldUnoptimised(const Function &F) {
  bool HasFloats = false, Widens = false, Rounds = false, Cuts = false;
  for (const Instruction &I : instructions(F)) {
    if (auto *Local = dyn_cast<AllocaInst>(&I))
      HasFloats |= Local->getAllocatedType()->isFloatTy();
    Widens |= match(&I, m_Shl(m_ZExt(m_Value()), m_SpecificInt(HalfBits))) &&
              any_of(I.users(), IsaPred<StoreInst>);
    Rounds |= match(&I, m_Add(m_Value(), m_SpecificInt(0x7fff))) ||
              match(&I, m_Add(m_SpecificInt(0x7fff), m_Value())) ||
              match(&I, m_Add(m_Value(), m_SpecificInt(0x8000)));
    Cuts |= match(&I, m_Trunc(m_LShr(m_Value(), m_SpecificInt(HalfBits))));
  }
  return HasFloats && (Widens || (Rounds && Cuts));
}

bool verso::mayHoldBfloatsByHand(const Function &F) {
  return F.hasFnAttribute(Attribute::OptimizeNone)
             ? mayHoldUnoptimised(F)
             : showsBfloatsByHand(const_cast<Function &>(F));
}

bool verso::passesBfloatsByHand(const Function &Callee) {
  auto MakesFloat = [](const User *U) {
    return any_of(U->users(), [](const User *Shift) {
      return any_of(Shift->users(), [](const User *Cast) {
        return halfOfFloat(const_cast<User *>(Cast));
      });
    });
  };
  if (any_of(Callee.args(), [&](const Argument &A) {
        return A.getType()->isIntegerTy(HalfBits) &&
               any_of(A.users(), MakesFloat);
      }))
    return true;
  return Callee.getReturnType()->isIntegerTy(HalfBits) &&
         any_of(Callee, [](const BasicBlock &Block) {
           auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
           return Return && isUpperHalf(Return->getReturnValue());
         });
}
