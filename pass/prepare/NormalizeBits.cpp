//===- NormalizeBits.cpp - signs that are changed in the bits -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/NormalizeBits.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"

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

/// The same for an operation with \p Mask on the number whose bits are \p Of.
static Value *signChange(BinaryOperator &Op, Value *Of, Value *Mask, Type *T,
                         IRBuilderBase &B, unsigned Depth) {
  KnownBits Known = computeKnownBits(Mask, Op.getDataLayout());
  APInt AllButSign = APInt::getSignedMaxValue(Known.getBitWidth());
  bool IsAnd = Op.getOpcode() == Instruction::And;
  if (!AllButSign.isSubsetOf(IsAnd ? Known.One : Known.Zero))
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
  if (Depth == 0)
    return nullptr;
  if (auto *Load = dyn_cast<LoadInst>(Bits); Load && Load->isSimple()) {
    IRBuilder<> There(Load);
    return There.CreateAlignedLoad(T, Load->getPointerOperand(),
                                   Load->getAlign());
  }
  auto *Op = dyn_cast<BinaryOperator>(Bits);
  if (!Op ||
      !is_contained({Instruction::Xor, Instruction::Or, Instruction::And},
                    Op->getOpcode()))
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
      !Cast.getType()->isFloatingPointTy())
    return nullptr;
  return numberOf(Cast.getOperand(0), Cast.getType(), B);
}

/// umax(a, b)   =>   a > b ? a : b
/// What is chosen by its bits stays the number that it is.
static void chooseByComparison(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Choice = dyn_cast<MinMaxIntrinsic>(&I);
    if (!Choice || !Choice->getType()->isIntegerTy())
      continue;
    IRBuilder<> B(Choice);
    Value *V = B.CreateSelect(B.CreateICmp(Choice->getPredicate(),
                                           Choice->getLHS(), Choice->getRHS()),
                              Choice->getLHS(), Choice->getRHS());
    Choice->replaceAllUsesWith(V);
    Choice->eraseFromParent();
  }
}

/// Whether \p V, which \p Seen has not met, is chosen from integers that can be
/// cast where they come from, some of which are computed (\p AnyComputed).
static bool canCastBefore(const Value *V, SmallPtrSetImpl<const Value *> &Seen,
                          bool &AnyComputed) {
  AnyComputed |= isa<BinaryOperator>(V);
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

void verso::normalizeBits(Function &F) {
  chooseByComparison(F);
  castBeforeChoices(F);
  SmallVector<BitCastInst *, 8> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<BitCastInst>(&I))
      Casts.push_back(Cast);
  for (BitCastInst *Cast : Casts)
    if (Value *V = asSignChange(*Cast)) {
      Cast->replaceAllUsesWith(V);
      RecursivelyDeleteTriviallyDeadInstructions(Cast);
    }
}

/// Only stored, so that its type means nothing. (The image of two bytes alone
/// would have no room for an ID.)
static bool isMoved(const LoadInst &Load) {
  return Load.getType()->isFloatingPointTy() &&
         Load.getType()->getPrimitiveSizeInBits() >= 32 && Load.isSimple() &&
         !Load.use_empty() &&
         isa<AllocaInst>(getUnderlyingObject(Load.getPointerOperand())) &&
         all_of(Load.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->getValueOperand() == &Load;
         });
}

namespace {

/// Pointers that are loaded, or cast from integers, and chosen, only to be
/// stored: maybe none.
class PointerMoves {
public:
  PointerMoves(Instruction &Start, SmallPtrSetImpl<const Value *> &Seen);
  bool mayBeNumbers() const { return Closed && !IsPointer && AnySource; }
  bool hasCast() const { return any_of(Parts, IsaPred<IntToPtrInst>); }
  void retype();

private:
  static bool isSource(const Value *V);
  SetVector<Instruction *> Parts;
  SmallVector<StoreInst *, 4> Stores;
  bool Closed = true, IsPointer = false, AnySource = false;
};

} // namespace

bool PointerMoves::isSource(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V))
    return Load->isSimple();
  auto *Cast = dyn_cast<IntToPtrInst>(V);
  return Cast && Cast->getSrcTy()->isIntegerTy(64) &&
         isa<BitCastInst>(Cast->getOperand(0));
}

PointerMoves::PointerMoves(Instruction &Start,
                           SmallPtrSetImpl<const Value *> &Seen) {
  Parts.insert(&Start);
  for (unsigned K = 0; K != Parts.size(); ++K) {
    Instruction *I = Parts[K];
    Seen.insert(I);
    Closed &= !isInert(*I);
    if (isSource(I)) {
      AnySource = true;
      // Bytes do not lead the caller's shadow structure along as pointers do,
      // so elsewhere than in local objects the language has to say that they
      // may be something else.
      auto *Load = dyn_cast<LoadInst>(I);
      IsPointer |=
          isPointerForCertain(*I) ||
          (Load && !I->hasMetadata(LLVMContext::MD_tbaa) &&
           !isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand())));
    } else if (isa<PHINode, SelectInst, FreezeInst>(I)) {
      for (Value *Op : I->operands())
        if (auto *From = dyn_cast<Instruction>(Op);
            From && From->getType() == I->getType())
          Parts.insert(From);
        else if (Op->getType() == I->getType())
          Closed &= isa<ConstantPointerNull, UndefValue>(Op);
    } else {
      Closed = false;
    }
    if (!Closed)
      return;
    for (User *U : I->users())
      if (auto *Store = dyn_cast<StoreInst>(U);
          Store && Store->getPointerOperand() != I) {
        Stores.push_back(Store);
        IsPointer |= isPointerForCertain(*Store);
        Closed &= Store->isSimple() && !isInert(*Store);
      } else if (isa<PHINode, SelectInst, FreezeInst>(U)) {
        Parts.insert(cast<Instruction>(U));
      } else {
        Closed = false;
      }
  }
}

/// store (phi ptr (load ptr p), null), q   =>   the same of i64
void PointerMoves::retype() {
  DenseMap<Value *, Value *> New;
  Type *T = Type::getInt64Ty(Parts[0]->getContext());
  auto Of = [&](Value *V) -> Value * {
    if (Value *X = New.lookup(V))
      return X;
    return isa<ConstantPointerNull>(V) ? Constant::getNullValue(T)
                                       : UndefValue::get(T);
  };
  for (Instruction *I : Parts) {
    IRBuilder<> B(I);
    if (auto *Load = dyn_cast<LoadInst>(I))
      New[I] =
          B.CreateAlignedLoad(T, Load->getPointerOperand(), Load->getAlign());
    else if (isa<IntToPtrInst>(I))
      New[I] = I->getOperand(0);
    else if (auto *Phi = dyn_cast<PHINode>(I))
      New[I] = B.CreatePHI(T, Phi->getNumIncomingValues());
    else if (auto *Choice = dyn_cast<SelectInst>(I))
      New[I] = SelectInst::Create(Choice->getCondition(), UndefValue::get(T),
                                  UndefValue::get(T), "", I->getIterator());
    else
      New[I] = new FreezeInst(UndefValue::get(T), "", I->getIterator());
  }
  for (Instruction *I : Parts) {
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
        cast<PHINode>(New[I])->addIncoming(Of(Phi->getIncomingValue(K)),
                                           Phi->getIncomingBlock(K));
    } else if (auto *Choice = dyn_cast<SelectInst>(I)) {
      cast<SelectInst>(New[I])->setTrueValue(Of(Choice->getTrueValue()));
      cast<SelectInst>(New[I])->setFalseValue(Of(Choice->getFalseValue()));
    } else if (isa<FreezeInst>(I)) {
      cast<FreezeInst>(New[I])->setOperand(0, Of(I->getOperand(0)));
    }
  }
  for (StoreInst *Store : Stores)
    Store->setOperand(0, Of(Store->getValueOperand()));
  for (Instruction *I : Parts)
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (Instruction *I : Parts)
    I->eraseFromParent();
}

void verso::movePointersAsBytes(Function &F, bool OnlyCasts) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<PointerMoves, 4> Moves;
  for (Instruction &I : instructions(F))
    if (I.getType() == PointerType::getUnqual(F.getContext()) &&
        isa<LoadInst, IntToPtrInst>(I) && !I.use_empty() && !Seen.contains(&I))
      if (PointerMoves M(I, Seen);
          M.mayBeNumbers() && (M.hasCast() || !OnlyCasts))
        Moves.push_back(std::move(M));
  for (PointerMoves &M : Moves)
    M.retype();
}

void verso::normalizeMoves(Function &F) {
  SmallVector<LoadInst *, 8> Moves;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && isMoved(*Load))
      Moves.push_back(Load);
  for (LoadInst *Load : Moves) {
    IRBuilder<> B(Load);
    uint64_t Bits = Load->getType()->getPrimitiveSizeInBits();
    LoadInst *Bytes = B.CreateAlignedLoad(
        B.getIntNTy(Bits), Load->getPointerOperand(), Load->getAlign());
    for (User *U : make_early_inc_range(Load->users()))
      cast<StoreInst>(U)->setOperand(0, Bytes);
    Load->eraseFromParent();
  }
  movePointersAsBytes(F, /*OnlyCasts=*/false);
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
