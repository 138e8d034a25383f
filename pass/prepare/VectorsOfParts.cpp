//===- VectorsOfParts.cpp - numbers in vectors of integers ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/VectorsOfParts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The vectors that one cast to numbers of a type is made from.
class VectorOfParts {
public:
  explicit VectorOfParts(Type *Number) : Number(Number) {}

  /// Whether \p V can be made of whole numbers where it is made.
  bool canJoin(const Value *V);
  /// Whether parts were shuffled or changed, of memory or of another number.
  bool isWorthIt() const { return AnyOfParts && AnySource; }
  /// \p V as a vector of numbers, which canJoin().
  Value *join(Value *V);

private:
  /// How many numbers the bits of \p T are; 0 if they are not whole ones.
  unsigned count(const Type *T) const;
  FixedVectorType *joinedType(const Type *T) const {
    return FixedVectorType::get(Number, count(T));
  }
  std::optional<SmallVector<int, 8>>
  joinedMask(const ShuffleVectorInst &Shuffle) const;

  Type *Number;
  bool AnyOfParts = false, AnySource = false;
  SmallPtrSet<const Value *, 8> Seen;
  DenseMap<Value *, Value *> Joined;
};

} // namespace

unsigned VectorOfParts::count(const Type *T) const {
  uint64_t Bits = Number->getPrimitiveSizeInBits().getFixedValue();
  auto *Vector = dyn_cast<FixedVectorType>(T);
  if (!Vector || Vector->getScalarSizeInBits() > Bits ||
      Bits % Vector->getScalarSizeInBits() || Number->isX86_FP80Ty())
    return 0;
  uint64_t All = Vector->getPrimitiveSizeInBits().getFixedValue();
  return All % Bits ? 0 : All / Bits;
}

/// The mask for numbers, if the parts of each stay together; parts that may be
/// anything are those that belong there.
std::optional<SmallVector<int, 8>>
VectorOfParts::joinedMask(const ShuffleVectorInst &Shuffle) const {
  ArrayRef<int> Mask = Shuffle.getShuffleMask();
  int Parts = Mask.size() / count(Shuffle.getType());
  SmallVector<int, 8> Result;
  for (; !Mask.empty(); Mask = Mask.drop_front(Parts)) {
    int Whole = PoisonMaskElem;
    for (int K = 0; K != Parts; ++K) {
      if (Mask[K] == PoisonMaskElem)
        continue;
      if (Mask[K] % Parts != K ||
          (Whole != PoisonMaskElem && Whole != Mask[K] / Parts))
        return std::nullopt;
      Whole = Mask[K] / Parts;
    }
    Result.push_back(Whole);
  }
  return Result;
}

static bool isBitwise(const Value *V) {
  auto *Op = dyn_cast<BinaryOperator>(V);
  return Op && Op->isBitwiseLogicOp();
}

bool VectorOfParts::canJoin(const Value *V) {
  if (!count(V->getType()))
    return false;
  if (!Seen.insert(V).second || isa<Constant>(V))
    return true;
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    AnySource = true;
    return Load->isSimple();
  }
  if (auto *Cast = dyn_cast<BitCastInst>(V)) {
    Type *From = Cast->getSrcTy();
    if (From->getScalarType() != Number)
      return From->isIntOrIntVectorTy() && canJoin(Cast->getOperand(0));
    AnySource = true;
    return true;
  }
  if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(V)) {
    AnyOfParts = true;
    return joinedMask(*Shuffle) && canJoin(Shuffle->getOperand(0)) &&
           canJoin(Shuffle->getOperand(1));
  }
  if (isBitwise(V)) {
    AnyOfParts |=
        V->getType()->getScalarSizeInBits() != Number->getPrimitiveSizeInBits();
    return all_of(cast<User>(V)->operands(),
                  [&](const Use &U) { return canJoin(U); });
  }
  if (auto *Select = dyn_cast<SelectInst>(V))
    return !Select->getCondition()->getType()->isVectorTy() &&
           canJoin(Select->getTrueValue()) && canJoin(Select->getFalseValue());
  if (auto *Phi = dyn_cast<PHINode>(V))
    return all_of(Phi->incoming_values(),
                  [&](const Use &U) { return canJoin(U); });
  return isa<FreezeInst>(V) && canJoin(cast<FreezeInst>(V)->getOperand(0));
}

Value *VectorOfParts::join(Value *V) {
  if (Value *Done = Joined.lookup(V))
    return Done;
  FixedVectorType *T = joinedType(V->getType());
  if (auto *C = dyn_cast<Constant>(V))
    return ConstantExpr::getBitCast(C, T);
  auto *I = cast<Instruction>(V);
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    PHINode *New =
        PHINode::Create(T, Phi->getNumIncomingValues(), "", Phi->getIterator());
    Joined[V] = New;
    for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
      New->addIncoming(join(Phi->getIncomingValue(K)),
                       Phi->getIncomingBlock(K));
    return New;
  }
  IRBuilder<> B(I);
  auto Make = [&]() -> Value * {
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      LoadInst *New =
          B.CreateAlignedLoad(T, Load->getPointerOperand(), Load->getAlign());
      New->setAAMetadata(Load->getAAMetadata());
      return New;
    }
    if (auto *Cast = dyn_cast<BitCastInst>(I))
      return Cast->getSrcTy()->getScalarType() == Number
                 ? B.CreateBitCast(Cast->getOperand(0), T)
                 : join(Cast->getOperand(0));
    if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(I)) {
      Value *First = join(Shuffle->getOperand(0));
      Value *Second = join(Shuffle->getOperand(1));
      return B.CreateShuffleVector(First, Second, *joinedMask(*Shuffle));
    }
    if (isBitwise(I)) {
      Type *Bits = VectorType::getInteger(T);
      Value *L = B.CreateBitCast(join(I->getOperand(0)), Bits);
      Value *R = B.CreateBitCast(join(I->getOperand(1)), Bits);
      auto Opcode = cast<BinaryOperator>(I)->getOpcode();
      return B.CreateBitCast(B.CreateBinOp(Opcode, L, R), T);
    }
    if (auto *Select = dyn_cast<SelectInst>(I)) {
      Value *True = join(Select->getTrueValue());
      Value *False = join(Select->getFalseValue());
      return B.CreateSelect(Select->getCondition(), True, False);
    }
    return B.CreateFreeze(join(cast<FreezeInst>(I)->getOperand(0)));
  };
  return Joined[V] = Make();
}

/// Whether what \p Cast gives is shuffled only to be numbers of another type:
/// the type of the cast says nothing then.
static bool isCastOn(const BitCastInst &Cast) {
  SmallPtrSet<const User *, 8> Seen{&Cast};
  SmallVector<const User *, 8> Work{&Cast};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<BitCastInst>(U) && U->getType()->isFPOrFPVectorTy() &&
          U->getType()->getScalarType() != Cast.getType()->getScalarType())
        return true;
      if (isa<ShuffleVectorInst, PHINode, SelectInst, FreezeInst>(U) &&
          Seen.insert(U).second)
        Work.push_back(U);
    }
  return false;
}

/// bitcast (and <2 x i64> a, b) to <4 x float>   =>   the same of <4 x i32>
/// Processors' operations on bits are on i64, whatever the vector holds.
static void castBeforeLogic(Function &F) {
  SmallVector<WeakVH, 8> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<BitCastInst>(&I))
      Casts.push_back(Cast);
  while (!Casts.empty()) {
    auto *Cast = dyn_cast_or_null<BitCastInst>(Casts.pop_back_val());
    if (!Cast)
      continue;
    auto *Logic = dyn_cast<BinaryOperator>(Cast->getOperand(0));
    auto *To = dyn_cast<FixedVectorType>(Cast->getType());
    if (!To || !Logic || !Logic->isBitwiseLogicOp() ||
        !isa<FixedVectorType>(Logic->getType()) ||
        To->getScalarSizeInBits() >= Logic->getType()->getScalarSizeInBits())
      continue;
    IRBuilder<> B(Cast);
    Type *Bits = VectorType::getInteger(To);
    auto Part = [&](unsigned K) {
      Value *V = B.CreateBitCast(Logic->getOperand(K), Bits);
      if (auto *Inner = dyn_cast<BitCastInst>(V))
        Casts.push_back(Inner);
      return V;
    };
    Value *L = Part(0), *R = Part(1);
    Cast->replaceAllUsesWith(
        B.CreateBitCast(B.CreateBinOp(Logic->getOpcode(), L, R), To));
    RecursivelyDeleteTriviallyDeadInstructions(Cast);
  }
}

static bool isOfVector(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V))
    return Load->isSimple();
  auto *Cast = dyn_cast<BitCastInst>(V);
  return Cast && Cast->getSrcTy()->isVectorTy();
}

/// The integer \p V, which isOfVector, as a vector of these numbers.
static Value *asVector(IRBuilderBase &B, Value *V, Type *Number) {
  auto *T = FixedVectorType::get(Number, V->getType()->getScalarSizeInBits() /
                                             Number->getScalarSizeInBits());
  auto *Load = dyn_cast<LoadInst>(V);
  if (!Load)
    return B.CreateBitCast(cast<BitCastInst>(V)->getOperand(0), T);
  IRBuilder<> There(Load);
  LoadInst *New =
      There.CreateAlignedLoad(T, Load->getPointerOperand(), Load->getAlign());
  New->setAAMetadata(Load->getAAMetadata());
  return New;
}

/// bitcast (trunc (lshr iN V, bits of k elements)) to <n x T> or T
///   =>   elements of V as a vector of T, from the k-th on
/// GVN takes what is loaded again out of a longer vector so.
static void takeElements(Function &F) {
  SmallVector<WeakVH, 8> Casts;
  for (Instruction &I : instructions(F))
    if (isa<BitCastInst>(I) && I.getType()->isFPOrFPVectorTy() &&
        I.getOperand(0)->getType()->isIntegerTy())
      Casts.push_back(&I);
  for (WeakVH &Each : Casts) {
    auto *Cast = cast_or_null<BitCastInst>(Each);
    if (!Cast)
      continue;
    Value *V = Cast->getOperand(0), *Shifted = nullptr;
    uint64_t Skipped = 0;
    match(V, m_Trunc(m_Value(V)));
    if (match(V, m_LShr(m_Value(Shifted), m_ConstantInt(Skipped))))
      V = Shifted;
    Type *T = Cast->getType(), *Number = T->getScalarType();
    const unsigned Bits = Number->getPrimitiveSizeInBits();
    const unsigned Whole = V->getType()->getScalarSizeInBits();
    if (!isOfVector(V) || Whole <= 64 || Whole % Bits || Skipped % Bits ||
        Skipped + T->getPrimitiveSizeInBits() > Whole)
      continue;
    IRBuilder<> B(Cast);
    Value *Vector = asVector(B, V, Number);
    const unsigned First = Skipped / Bits;
    SmallVector<int, 8> Mask(T->getPrimitiveSizeInBits() / Bits);
    std::iota(Mask.begin(), Mask.end(), int(First));
    Cast->replaceAllUsesWith(T->isVectorTy()
                                 ? B.CreateShuffleVector(Vector, Mask)
                                 : B.CreateExtractElement(Vector, First));
    RecursivelyDeleteTriviallyDeadInstructions(Cast);
  }
}

void verso::joinPartsOfNumbers(Function &F) {
  castBeforeLogic(F);
  takeElements(F);
  SmallVector<BitCastInst *, 8> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<BitCastInst>(&I);
        Cast && Cast->getType()->isFPOrFPVectorTy() &&
        isa<FixedVectorType>(Cast->getSrcTy()) &&
        Cast->getSrcTy()->isIntOrIntVectorTy())
      Casts.push_back(Cast);
  for (BitCastInst *Cast : Casts) {
    VectorOfParts Parts(Cast->getType()->getScalarType());
    if (isCastOn(*Cast) || !Parts.canJoin(Cast->getOperand(0)) ||
        !Parts.isWorthIt())
      continue;
    IRBuilder<> B(Cast);
    Cast->replaceAllUsesWith(
        B.CreateBitCast(Parts.join(Cast->getOperand(0)), Cast->getType()));
    RecursivelyDeleteTriviallyDeadInstructions(Cast);
  }
}

/// The element \p K of type \p T of what \p Whole loads, by itself.
static Value *loadPart(LoadInst &Whole, Type *T, uint64_t K) {
  uint64_t Offset = K * Whole.getDataLayout().getTypeStoreSize(T);
  IRBuilder<> B(&Whole);
  Value *P = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(),
                                          Whole.getPointerOperand(), Offset);
  return B.CreateAlignedLoad(T, P, commonAlignment(Whole.getAlign(), Offset));
}

/// Replaces the elements that are taken out of \p V, which is what \p Whole
/// loads.
static void loadElements(LoadInst &Whole, Instruction &V) {
  auto *T = dyn_cast<FixedVectorType>(V.getType());
  for (User *U : make_early_inc_range(V.users())) {
    auto *I = cast<Instruction>(U);
    Value *New = nullptr;
    if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(I);
        Shuffle && T && isa<UndefValue>(Shuffle->getOperand(1))) {
      IRBuilder<> B(Shuffle);
      New = PoisonValue::get(Shuffle->getType());
      for (auto [K, From] : enumerate(Shuffle->getShuffleMask()))
        if (From >= 0 && unsigned(From) < T->getNumElements())
          New = B.CreateInsertElement(
              New, loadPart(Whole, T->getElementType(), From), K);
    } else if (auto *Extract = dyn_cast<ExtractElementInst>(I); Extract && T) {
      auto *K = dyn_cast<ConstantInt>(Extract->getIndexOperand());
      if (K && K->getValue().ult(T->getNumElements()))
        New = loadPart(Whole, T->getElementType(), K->getZExtValue());
    }
    if (!New)
      continue;
    I->replaceAllUsesWith(New);
    I->eraseFromParent();
  }
}

void verso::loadPartsOfVectors(Function &F) {
  SmallVector<BitCastInst *, 8> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<BitCastInst>(&I);
        Cast && Cast->getSrcTy()->isFPOrFPVectorTy() &&
        isa<FixedVectorType>(Cast->getSrcTy()) &&
        Cast->getType()->isIntOrIntVectorTy() &&
        Cast->getType()->getScalarSizeInBits() >
            Cast->getSrcTy()->getScalarSizeInBits())
      Casts.push_back(Cast);
  for (BitCastInst *Cast : Casts) {
    auto *Whole = dyn_cast<LoadInst>(Cast->getOperand(0));
    if (!Whole || !Whole->isSimple())
      continue;
    if (Cast->getType()->isIntegerTy())
      Cast->replaceAllUsesWith(loadPart(*Whole, Cast->getType(), 0));
    else
      loadElements(*Whole, *Cast);
    loadElements(*Whole, *Whole);
    if (Cast->use_empty())
      RecursivelyDeleteTriviallyDeadInstructions(Cast);
  }
}

static void storeElements(StoreInst &Whole) {
  IRBuilder<> B(&Whole);
  Value *V = Whole.getValueOperand();
  auto *T = cast<FixedVectorType>(V->getType());
  const uint64_t Bytes = T->getScalarSizeInBits() / 8;
  for (unsigned K = 0; K != T->getNumElements(); ++K) {
    Value *Element = findScalarElement(V, K);
    if (!Element)
      Element = B.CreateExtractElement(V, K);
    B.CreateAlignedStore(Element,
                         B.CreateConstInBoundsGEP1_64(B.getInt8Ty(),
                                                      Whole.getPointerOperand(),
                                                      K * Bytes),
                         commonAlignment(Whole.getAlign(), K * Bytes));
  }
  Whole.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(V);
}

void verso::accessElementsApart(Function &F, bool AlsoIntegers) {
  auto IsOfNumbers = [&](const Type *T) {
    return isa<FixedVectorType>(T) &&
           (T->isFPOrFPVectorTy() || (AlsoIntegers && T->isIntOrIntVectorTy() &&
                                      T->getScalarSizeInBits() % 8 == 0));
  };
  SmallVector<WeakVH, 8> Loads; // A store may have been the only user.
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Load && Load->isSimple() && IsOfNumbers(Load->getType()))
      Loads.push_back(Load);
    if (Store && Store->isSimple() &&
        IsOfNumbers(Store->getValueOperand()->getType()))
      Stores.push_back(Store);
  }
  for (StoreInst *Store : Stores)
    storeElements(*Store);
  for (Value *V : Loads)
    if (auto *Load = cast_or_null<LoadInst>(V)) {
      loadElements(*Load, *Load);
      RecursivelyDeleteTriviallyDeadInstructions(Load);
    }
}
