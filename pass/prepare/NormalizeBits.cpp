//===- NormalizeBits.cpp - signs that are changed in the bits -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/NormalizeBits.h"
#include "prepare/BfloatsByHand.h"
#include "prepare/IntegerIntrinsics.h"
#include "prepare/LinearBits.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// The number of type \p T whose bits are \p Bits, computed at \p B with
/// floating-point operations; null if that cannot be seen.
static Value *numberOf(Value *Bits, Type *T, IRBuilderBase &B,
                       unsigned Depth = 6);

/// Whether \p Op, with \p Mask, leaves all bits but the first alone.
static bool changesSignOnly(const BinaryOperator &Op, const Value *Mask) {
  if (!is_contained({Instruction::Xor, Instruction::Or, Instruction::And},
                    Op.getOpcode()))
    return false;
  KnownBits Known = computeKnownBits(Mask, Op.getDataLayout());
  APInt AllButSign = APInt::getSignedMaxValue(Known.getBitWidth());
  bool IsAnd = Op.getOpcode() == Instruction::And;
  return AllButSign.isSubsetOf(IsAnd ? Known.One : Known.Zero);
}

/// The same for an operation with \p Mask on the number whose bits are \p Of.
static Value *signChange(BinaryOperator &Op, Value *Of, Value *Mask, Type *T,
                         IRBuilderBase &B, unsigned Depth) {
  if (!changesSignOnly(Op, Mask))
    return nullptr;
  Value *X = numberOf(Of, T, B, Depth);
  if (!X)
    return nullptr;
  Value *Negative =
      B.CreateICmpSLT(Mask, Constant::getNullValue(Mask->getType()));
  auto Absolute = [&] { return B.CreateUnaryIntrinsic(Intrinsic::fabs, X); };
  switch (Op.getOpcode()) {
  case Instruction::Xor:
    return B.CreateSelect(Negative, B.CreateFNeg(X), X);
  case Instruction::Or:
    return B.CreateSelect(Negative, B.CreateFNeg(Absolute()), X);
  default:
    return B.CreateSelect(Negative, X, Absolute());
  }
}

static Value *numberOf(Value *Bits, Type *T, IRBuilderBase &B, unsigned Depth) {
  Value *X = nullptr;
  if (match(Bits, m_BitCast(m_Value(X))) && X->getType() == T)
    return X;
  if (auto *C = dyn_cast<Constant>(Bits); C && !isa<ConstantExpr>(C))
    return B.CreateBitCast(C, T);
  if (Depth == 0)
    return nullptr;
  if (auto *Load = dyn_cast<LoadInst>(Bits); Load && Load->isSimple()) {
    IRBuilder<> There(Load);
    return There.CreateAlignedLoad(T, Load->getPointerOperand(),
                                   Load->getAlign());
  }
  auto *Op = dyn_cast<BinaryOperator>(Bits);
  if (!Op)
    return nullptr;
  for (unsigned K : {0, 1})
    if (Value *V = signChange(*Op, Op->getOperand(K), Op->getOperand(1 - K), T,
                              B, Depth - 1))
      return V;
  return nullptr;
}

/// What the cast of an integer operation on the bits of a number amounts to;
/// null if it is none of the patterns.
static Value *asSignChange(BitCastInst &Cast) {
  IRBuilder<> B(&Cast);
  if (!isa<BinaryOperator>(Cast.getOperand(0)) ||
      !Cast.getType()->isFPOrFPVectorTy() ||
      Cast.getType()->getScalarSizeInBits() !=
          Cast.getSrcTy()->getScalarSizeInBits())
    return nullptr;
  return numberOf(Cast.getOperand(0), Cast.getType(), B);
}

/// Returns whether there were any.
static bool spellSignChanges(Function &F) {
  SmallVector<BitCastInst *, 8> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<BitCastInst>(&I))
      Casts.push_back(Cast);
  bool Changed = false;
  for (BitCastInst *Cast : Casts)
    if (Value *V = asSignChange(*Cast)) {
      Cast->replaceAllUsesWith(V);
      RecursivelyDeleteTriviallyDeadInstructions(Cast);
      Changed = true;
    }
  return Changed;
}

/// bits(|x|) ^ bits(x)   =>   bits(x) & sign
/// as libstdc++'s vectors find out the sign of a number.
static void spellSigns(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *X = nullptr, *Bits = nullptr;
    if (!I.getType()->isIntegerTy() ||
        !match(&I,
               m_c_Xor(m_BitCast(m_FAbs(m_Value(X))),
                       m_CombineAnd(m_Value(Bits), m_BitCast(m_Deferred(X))))))
      continue;
    IRBuilder<> B(&I);
    APInt Sign = APInt::getSignMask(I.getType()->getIntegerBitWidth());
    I.replaceAllUsesWith(B.CreateAnd(Bits, B.getInt(Sign)));
    I.eraseFromParent();
  }
}

/// What is not cast at once but moved on as an integer, two numbers in one say:
/// the bits of a number with another sign.
static void spellSignedBits(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Op = dyn_cast<BinaryOperator>(&I);
    if (!Op || !Op->getType()->isIntegerTy())
      continue;
    for (unsigned K : {0, 1}) {
      Value *X = nullptr;
      if (!match(Op->getOperand(K), m_BitCast(m_Value(X))) ||
          !(X->getType()->isFloatTy() || X->getType()->isDoubleTy()))
        continue;
      IRBuilder<> B(Op);
      Value *Number = signChange(*Op, Op->getOperand(K), Op->getOperand(1 - K),
                                 X->getType(), B, /*Depth=*/1);
      if (!Number)
        continue;
      Op->replaceAllUsesWith(B.CreateBitCast(Number, Op->getType()));
      Op->eraseFromParent();
      break;
    }
  }
}

PreservedAnalyses SignChangesPass::run(Function &F, FunctionAnalysisManager &) {
  return spellSignChanges(F) ? PreservedAnalyses::none()
                             : PreservedAnalyses::all();
}

/// Whether \p Store stores an integer that is a number with another sign: bits
/// of a number, or what may be one, goes back to where it comes from or to
/// where another may be.
static bool storesChangedSign(const StoreInst &Store) {
  const Value *V = Store.getValueOperand();
  if (!Store.isSimple() || !isa<BinaryOperator>(V) ||
      !(V->getType()->isIntegerTy(32) || V->getType()->isIntegerTy(64)))
    return false;
  constexpr unsigned MaxSteps = 6;
  for (unsigned Step = 0; Step != MaxSteps && isa<BinaryOperator>(V); ++Step) {
    auto &Op = cast<BinaryOperator>(*V);
    const Value *L = Op.getOperand(0), *R = Op.getOperand(1);
    if (!changesSignOnly(Op, R))
      std::swap(L, R);
    if (!changesSignOnly(Op, R))
      return false;
    V = L;
  }
  auto *Load = dyn_cast<LoadInst>(V);
  const bool IsNumber =
      Load ? Load->isSimple() && mayBeOfNumber(*Load)
           : match(V, m_BitCast(m_Value())) &&
                 cast<CastInst>(V)->getSrcTy()->isFloatingPointTy();
  return IsNumber &&
         (mayBeOfNumber(Store) ||
          (Load && Load->getPointerOperand() == Store.getPointerOperand()));
}

/// Stores numbers where signs are changed in memory:
///   store (load i64 p) ^ sign, p   =>   store -(load double p), p
static void storeChangedSigns(Function &F) {
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && storesChangedSign(*Store))
      Stores.push_back(Store);
  for (StoreInst *Store : Stores) {
    Value *Bits = Store->getValueOperand();
    IRBuilder<> B(Store);
    Type *T =
        Bits->getType()->isIntegerTy(32) ? B.getFloatTy() : B.getDoubleTy();
    Value *Number = numberOf(Bits, T, B);
    if (!Number)
      continue;
    B.CreateAlignedStore(Number, Store->getPointerOperand(), Store->getAlign());
    Store->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(Bits);
  }
}

/// Whether \p V, which \p Seen has not met, is chosen from integers that can be
/// cast where they come from, some of which are computed (\p AnyComputed).
static bool canCastBefore(const Value *V, SmallPtrSetImpl<const Value *> &Seen,
                          bool &AnyComputed) {
  AnyComputed |= isa<BinaryOperator>(V) || isRoundedNumber(V);
  if (!isa<PHINode, SelectInst>(V) || !Seen.insert(V).second)
    return true;
  if (auto *Phi = dyn_cast<PHINode>(V))
    for (const BasicBlock *From : Phi->blocks())
      if (Phi->getIncomingValueForBlock(From) == From->getTerminator() ||
          isa<CatchSwitchInst>(From->getTerminator()))
        return false;
  for (const Value *Op : cast<User>(V)->operands())
    if (Op->getType() == V->getType() && !canCastBefore(Op, Seen, AnyComputed))
      return false;
  return true;
}

/// The number of type \p T whose bits are \p V; cast at \p At, or further up
/// where V is chosen.
static Value *castBefore(Value *V, Type *T, Instruction *At,
                         DenseMap<Value *, Value *> &Known) {
  if (Value *Done = Known.lookup(V))
    return Done;
  if (auto *Phi = dyn_cast<PHINode>(V)) {
    PHINode *New =
        PHINode::Create(T, Phi->getNumIncomingValues(), "", Phi->getIterator());
    Known[V] = New;
    for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K) {
      BasicBlock *From = Phi->getIncomingBlock(K);
      // A block that comes twice gives the same value twice.
      int Before = New->getBasicBlockIndex(From);
      New->addIncoming(Before >= 0 ? New->getIncomingValue(Before)
                                   : castBefore(Phi->getIncomingValue(K), T,
                                                From->getTerminator(), Known),
                       From);
    }
    return New;
  }
  if (auto *Select = dyn_cast<SelectInst>(V)) {
    Value *True = castBefore(Select->getTrueValue(), T, Select, Known);
    Value *False = castBefore(Select->getFalseValue(), T, Select, Known);
    IRBuilder<> B(Select);
    return Known[V] = B.CreateSelect(Select->getCondition(), True, False);
  }
  if (auto *Cast = dyn_cast<BitCastInst>(V);
      Cast && Cast->getOperand(0)->getType() == T)
    return Cast->getOperand(0);
  IRBuilder<> B(At);
  return B.CreateBitCast(V, T);
}

/// bitcast(choice of a and b)   =>   choice of bitcast(a) and bitcast(b)
/// where one of them is computed: so it is known of each what it is made of.
static void castBeforeChoices(Function &F) {
  SmallVector<BitCastInst *, 8> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<BitCastInst>(&I);
        Cast && Cast->getType()->isFloatingPointTy() &&
        Cast->getOperand(0)->getType()->isIntegerTy() &&
        isa<PHINode, SelectInst>(Cast->getOperand(0)))
      Casts.push_back(Cast);
  for (BitCastInst *Cast : Casts) {
    SmallPtrSet<const Value *, 8> Seen;
    bool AnyComputed = false;
    if (!canCastBefore(Cast->getOperand(0), Seen, AnyComputed) || !AnyComputed)
      continue;
    DenseMap<Value *, Value *> Known;
    Cast->replaceAllUsesWith(
        castBefore(Cast->getOperand(0), Cast->getType(), Cast, Known));
    RecursivelyDeleteTriviallyDeadInstructions(Cast);
  }
}

/// element of bitcast(call of integers)   =>   bitcast(element of it)
/// as the scalarizer leaves it, and LLVM turns it round.
static void castElements(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *Vector = nullptr, *Index = nullptr;
    if (!match(&I, m_ExtractElt(m_BitCast(m_Value(Vector)), m_Value(Index))) ||
        !isa<CallBase>(Vector))
      continue;
    auto *From = dyn_cast<FixedVectorType>(Vector->getType());
    auto *To = cast<FixedVectorType>(
        cast<ExtractElementInst>(I).getVectorOperandType());
    if (!From || !From->getElementType()->isIntegerTy() ||
        From->getNumElements() != To->getNumElements())
      continue;
    IRBuilder<> B(&I);
    I.replaceAllUsesWith(
        B.CreateBitCast(B.CreateExtractElement(Vector, Index), I.getType()));
    I.eraseFromParent();
  }
}

/// bitcast(vector of integers x, y)   =>   vector of bitcast(x), bitcast(y)
/// as the scalarizer leaves it where a whole vector is returned or passed.
static void castBuiltVectors(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Cast = dyn_cast<BitCastInst>(&I);
    auto *To = Cast ? dyn_cast<FixedVectorType>(Cast->getType()) : nullptr;
    auto *From = To ? dyn_cast<FixedVectorType>(Cast->getSrcTy()) : nullptr;
    if (!From || !To->getElementType()->isFloatingPointTy() ||
        From->getNumElements() != To->getNumElements())
      continue;
    SmallVector<Value *, 8> Elements(From->getNumElements(), nullptr);
    for (auto *Last = dyn_cast<InsertElementInst>(Cast->getOperand(0)); Last;
         Last = dyn_cast<InsertElementInst>(Last->getOperand(0))) {
      auto *Index = dyn_cast<ConstantInt>(Last->getOperand(2));
      if (!Index || Index->getValue().uge(Elements.size()))
        break;
      Value *&Element = Elements[Index->getZExtValue()];
      Element = Element ? Element : Last->getOperand(1);
    }
    if (is_contained(Elements, nullptr))
      continue;
    IRBuilder<> B(Cast);
    Value *Whole = PoisonValue::get(To);
    for (auto [K, Element] : enumerate(Elements))
      Whole = B.CreateInsertElement(
          Whole, B.CreateBitCast(Element, To->getElementType()), K);
    Cast->replaceAllUsesWith(Whole);
    Cast->eraseFromParent();
  }
}

/// (zext x) * 0x100000001   =>   zext x | zext x << 32
/// InstCombine makes such products of several copies of x side by side, of one
/// float that is stored twice say.
static void takeCopiesApart(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    const APInt *Factor = nullptr;
    Value *Wide = nullptr, *X = nullptr;
    if (!I.getType()->isIntegerTy() ||
        !match(&I, m_Mul(m_CombineAnd(m_Value(Wide), m_ZExt(m_Value(X))),
                         m_APInt(Factor))) ||
        Factor->popcount() < 2)
      continue;
    const unsigned Width = X->getType()->getScalarSizeInBits();
    SmallVector<unsigned, 4> Places;
    for (APInt Left = *Factor; !Left.isZero(); Left.clearBit(Places.back()))
      Places.push_back(Left.countr_zero());
    bool Overlap = Places.back() + Width > Factor->getBitWidth();
    for (unsigned K = 1; K != Places.size(); ++K)
      Overlap |= Places[K - 1] + Width > Places[K];
    if (Overlap)
      continue;
    IRBuilder<> B(&I);
    Value *Copies = B.CreateShl(Wide, Places.front());
    for (unsigned At : drop_begin(Places))
      Copies = B.CreateOr(Copies, B.CreateShl(Wide, At));
    I.replaceAllUsesWith(Copies);
    I.eraseFromParent();
  }
}

void verso::normalizeBits(Function &F) {
  spellOutIntegerIntrinsics(F);
  takeCopiesApart(F);
  castElements(F);
  castBuiltVectors(F);
  recogniseBfloats(F); // Also numbers chosen by what they are, such as NaNs,
  castBeforeChoices(F);
  recogniseBfloats(F); // and one by one.
  spellSigns(F);
  storeChangedSigns(F);
  spellSignChanges(F);
  spellSignedBits(F);
  recogniseLinearBits(F);
}

bool verso::expandIndirectBranches(Function &F) {
  SmallVector<IndirectBrInst *, 4> Branches;
  for (BasicBlock &Block : F)
    if (auto *I = dyn_cast<IndirectBrInst>(Block.getTerminator()))
      Branches.push_back(I);
  if (Branches.empty())
    return false;
  LLVMContext &C = F.getContext();
  IntegerType *I64 = Type::getInt64Ty(C);
  DenseMap<BasicBlock *, ConstantInt *> Number;
  for (BasicBlock &Block : F) {
    if (!Block.hasAddressTaken())
      continue;
    Constant *Id = Number[&Block] = ConstantInt::get(I64, Number.size() + 1);
    BlockAddress *Address = BlockAddress::get(&Block);
    Address->replaceAllUsesWith(
        ConstantExpr::getIntToPtr(Id, Address->getType()));
    Address->destroyConstant();
  }
  for (IndirectBrInst *I : Branches) {
    IRBuilder<> B(I);
    SetVector<BasicBlock *> Targets(I->successors().begin(),
                                    I->successors().end());
    // A block that is listed twice is one case, and one entry of its phis.
    for (unsigned K = I->getNumSuccessors(); K--;)
      if (llvm::count(successors(I), I->getSuccessor(K)) > 1) {
        I->getSuccessor(K)->removePredecessor(I->getParent(),
                                              /*KeepOneInputPHIs=*/true);
        I->removeDestination(K);
      }
    BasicBlock *Nowhere = BasicBlock::Create(C, "", &F);
    new UnreachableInst(C, Nowhere);
    SwitchInst *Switch = B.CreateSwitch(B.CreatePtrToInt(I->getAddress(), I64),
                                        Nowhere, Targets.size());
    for (BasicBlock *Target : Targets)
      if (ConstantInt *Id = Number.lookup(Target))
        Switch->addCase(Id, Target);
      else
        Target->removePredecessor(I->getParent());
    I->eraseFromParent();
  }
  return true;
}
