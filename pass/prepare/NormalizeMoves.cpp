//===- NormalizeMoves.cpp - moves by the wrong type -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/NormalizeMoves.h"
#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

static bool holdsPointers(const Type *T) {
  return T->isPointerTy() || any_of(T->subtypes(), holdsPointers);
}

/// Whether pointers are in \p Local, by its type or by who comes to it.
static bool holdsPointers(const AllocaInst &Local) {
  if (holdsPointers(Local.getAllocatedType()))
    return true;
  SmallVector<const User *, 16> Work(Local.users());
  while (!Work.empty()) {
    const User *U = Work.pop_back_val();
    if (isa<GetElementPtrInst>(U))
      append_range(Work, U->users());
    else if (isa<LoadInst, StoreInst>(U) &&
             compat::loadStoreType(*cast<Instruction>(U))->isPointerTy())
      return true;
  }
  return false;
}

/// Whether the language leaves open what \p Load loads as a double and \p Store
/// stores in \p Local, a pointer for one. Where it has no types, as at -O0, the
/// alignment tells (of unaligned vectors, say), or the place.
static bool mayBePointer(const LoadInst &Load, const StoreInst &Store,
                         const AllocaInst &Local) {
  if (!Load.getType()->isDoubleTy() || !holdsPointers(Local))
    return false;
  if (Load.hasMetadata(LLVMContext::MD_tbaa))
    return isOfAnyType(Load);
  auto *Place = dyn_cast<GetElementPtrInst>(Store.getPointerOperand());
  return Load.getAlign() < Align(8) ||
         !(Place && Place->getResultElementType()->isDoubleTy());
}

/// Only stored, so that its type means nothing. (The image of two bytes alone
/// would have no room for an ID.) Bytes of the caller's memory that are moved
/// there have no type in the end.
static bool isMoved(const LoadInst &Load) {
  const bool IsLocal =
      isOfMixedUnion(Load) ||
      isa<AllocaInst>(getUnderlyingObject(Load.getPointerOperand()));
  return Load.getType()->isFloatingPointTy() &&
         Load.getType()->getPrimitiveSizeInBits() >= 32 && Load.isSimple() &&
         !Load.use_empty() && all_of(Load.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           if (!Store || Store->getValueOperand() != &Load)
             return false;
           auto *To = dyn_cast<AllocaInst>(
               getUnderlyingObject(Store->getPointerOperand()));
           return IsLocal || (To && mayBePointer(Load, *Store, *To));
         });
}

/// Nothing but a pointer, though loaded as a double.
static bool isCastToPointer(const LoadInst &Load) {
  return Load.getType()->isDoubleTy() && Load.isSimple() && !Load.use_empty() &&
         all_of(Load.users(), [](const User *U) {
           return isa<BitCastInst>(U) && U->getType()->isIntegerTy(64) &&
                  !U->use_empty() && all_of(U->users(), IsaPred<IntToPtrInst>);
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

/// Whether an integer is, or is chosen among others that are, a pointer.
static bool mayBePointer(const Value *Bits) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work{Bits};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (isa<PtrToIntInst>(V))
      return true;
    if (isa<PHINode, SelectInst, FreezeInst>(V))
      append_range(Work, cast<Instruction>(V)->operands());
  }
  return false;
}

namespace {

/// What lies in local objects where a union's double may be.
class OtherMembers {
public:
  void add(const Instruction &Access);
  /// Where a double is loaded or stored: any; what is shorter; a float.
  bool mayBeAt(const Instruction &Access) const;
  bool mayBeShorterAt(const Instruction &Access) const;
  bool mayBeFloatAt(const Instruction &Access) const;

private:
  /// An object, and four bytes of it.
  using Granules = DenseSet<std::pair<const Value *, int64_t>>;
  static bool anyIn(const Granules &Shorter, const Instruction &Double);

  SmallPtrSet<const Value *, 4> HoldPointers;
  Granules Floats, Integers;
};

} // namespace

/// The object and the offset in it; null if that varies.
static std::pair<const Value *, int64_t> placeOf(const Value *Pointer,
                                                 const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  Pointer = Pointer->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  return {isa<AllocaInst>(Pointer) ? Pointer : nullptr, Offset.getSExtValue()};
}

void OtherMembers::add(const Instruction &Access) {
  const Value *Pointer = getLoadStorePointerOperand(&Access);
  const Type *T = compat::loadStoreType(Access);
  if (T->isPointerTy() && isa<StoreInst>(Access))
    HoldPointers.insert(getUnderlyingObject(Pointer));
  const bool IsShort = T->isIntegerTy() && T->getIntegerBitWidth() <= 32;
  if (auto [Object, At] = placeOf(Pointer, Access.getDataLayout());
      Object && (T->isFloatTy() || IsShort))
    (IsShort ? Integers : Floats).insert({Object, At >> 2});
}

bool OtherMembers::anyIn(const Granules &Shorter, const Instruction &Double) {
  auto [Object, At] =
      placeOf(getLoadStorePointerOperand(&Double), Double.getDataLayout());
  return Object && (Shorter.contains({Object, At >> 2}) ||
                    Shorter.contains({Object, (At + 4) >> 2}));
}

bool OtherMembers::mayBeFloatAt(const Instruction &Access) const {
  return anyIn(Floats, Access);
}

bool OtherMembers::mayBeShorterAt(const Instruction &Access) const {
  return anyIn(Floats, Access) || anyIn(Integers, Access);
}

bool OtherMembers::mayBeAt(const Instruction &Access) const {
  const Value *Whole = getUnderlyingObject(getLoadStorePointerOperand(&Access));
  return (isa<AllocaInst>(Whole) && HoldPointers.contains(Whole)) ||
         mayBeShorterAt(Access);
}

/// Whether two floats are made of the bits of \p Load.
static bool isTakenApart(const LoadInst &Load) {
  auto IsFloat = [](const User *U) {
    return isa<TruncInst>(U) && any_of(U->users(), [](const User *Float) {
             return isa<BitCastInst>(Float) && Float->getType()->isFloatTy();
           });
  };
  return any_of(Load.users(), [&](const User *Bits) {
    return isa<BitCastInst>(Bits) && Bits->getType()->isIntegerTy(64) &&
           any_of(Bits->users(), [&](const User *U) {
             return IsFloat(U) ||
                    (match(U, m_LShr(m_Value(), m_SpecificInt(32))) &&
                     any_of(U->users(), IsFloat));
           });
  });
}

/// Whether \p Load may load another member than the double, and somebody gets
/// it as a double who does not compute with it. (What is only stored is moved
/// in normalizeMoves, or is a number.)
static bool mayBeOther(const LoadInst &Load, const OtherMembers &Others) {
  if (isTakenApart(Load))
    return true;
  const bool MayBe = Others.mayBeAt(Load);
  bool IsUsed = false, IsMoved = false;
  for (const User *U : Load.users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (Store && Store->getValueOperand() == &Load) {
      IsMoved |= MayBe || Others.mayBeShorterAt(*Store);
      continue;
    }
    IsUsed = true;
    IsMoved |= MayBe && isa<PHINode, SelectInst, FreezeInst>(U);
  }
  return IsMoved && IsUsed;
}

/// Numbers that may be the bits of something else, as casts from integers:
/// pointers, and members of unions.
static SetVector<Instruction *> castBits(Function &F) {
  Type *T = Type::getDoubleTy(F.getContext());
  SetVector<Instruction *> Casts;
  OtherMembers Others;
  SmallVector<LoadInst *, 4> Loads;
  for (Instruction &I : instructions(F)) {
    if (isa<LoadInst, StoreInst>(I))
      Others.add(I);
    if (I.getType() != T)
      continue;
    if (auto *Load = dyn_cast<LoadInst>(&I))
      Loads.push_back(Load);
    else if (isa<BitCastInst>(I) && I.getOperand(0)->getType()->isIntegerTy() &&
             mayBePointer(I.getOperand(0)))
      Casts.insert(&I);
  }
  for (LoadInst *Load : Loads) {
    if (!Load->isSimple() || !mayBeOther(*Load, Others))
      continue;
    IRBuilder<> B(Load);
    Value *Bits = B.CreateAlignedLoad(B.getInt64Ty(), Load->getPointerOperand(),
                                      Load->getAlign());
    auto *Cast = new BitCastInst(Bits, T, "", Load->getIterator());
    Load->replaceAllUsesWith(Cast);
    Load->eraseFromParent();
    Casts.insert(Cast);
  }
  return Casts;
}

/// phi double (bitcast i64 (ptrtoint ptr p)), x   =>   the same of i64
void verso::chooseAsBits(Function &F) {
  Type *T = Type::getDoubleTy(F.getContext());
  Type *Bits = Type::getInt64Ty(F.getContext());
  SetVector<Instruction *> Casts = castBits(F), Parts;
  auto AddChoices = [&](Instruction *Of) {
    for (User *U : Of->users())
      if (isa<PHINode, SelectInst, FreezeInst>(U))
        Parts.insert(cast<Instruction>(U));
  };
  for_each(Casts, AddChoices);
  for (unsigned K = 0; K != Parts.size(); ++K)
    AddChoices(Parts[K]);
  DenseMap<Value *, Instruction *> New;
  for (Instruction *I : Parts) {
    Instruction *&Choice = New[I] = I->clone();
    Choice->dropUBImplyingAttrsAndMetadata();
    if (isa<FPMathOperator>(Choice))
      Choice->copyFastMathFlags(FastMathFlags());
    Choice->mutateType(Bits);
    Choice->insertBefore(I->getIterator());
  }
  // One for all edges from a block.
  DenseMap<std::pair<Value *, Instruction *>, Value *> Before;
  auto BitsOf = [&](Value *V, Instruction *At) -> Value * {
    if (Instruction *Part = New.lookup(V))
      return Part;
    if (auto *Cast = dyn_cast<BitCastInst>(V);
        Cast && Cast->getOperand(0)->getType() == Bits)
      return Cast->getOperand(0);
    Value *&Cast = Before[{V, At}];
    if (!Cast)
      Cast = IRBuilder<>(At).CreateBitCast(V, Bits);
    return Cast;
  };
  for (auto [Old, I] : New)
    for (Use &U : I->operands())
      if (U->getType() == T) {
        auto *Phi = dyn_cast<PHINode>(I);
        U.set(BitsOf(U, Phi ? Phi->getIncomingBlock(U)->getTerminator() : I));
      }
  for (Instruction *I : Parts) {
    auto At = isa<PHINode>(I) ? I->getParent()->getFirstInsertionPt()
                              : I->getIterator();
    auto *Cast = new BitCastInst(New[I], T, "", At);
    I->replaceAllUsesWith(Cast);
    Casts.insert(Cast);
  }
  for (Instruction *I : Parts)
    I->eraseFromParent();
  for (Instruction *Cast : Casts) {
    for (User *U : make_early_inc_range(Cast->users()))
      if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->isSimple()) {
        Store->setOperand(0, Cast->getOperand(0));
      } else if (isa<BitCastInst>(U) && U->getType() == Bits) {
        U->replaceAllUsesWith(Cast->getOperand(0));
        cast<Instruction>(U)->eraseFromParent();
      }
    if (Cast->use_empty())
      Cast->eraseFromParent();
  }
}

const LoadInst *verso::findFloatsMovedAsDouble(Function &F) {
  OtherMembers Others;
  for (Instruction &I : instructions(F))
    if (isa<LoadInst, StoreInst>(I))
      Others.add(I);
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->getType()->isDoubleTy())
      continue;
    if (isTakenApart(*Load) || any_of(Load->users(), [&](const User *U) {
          auto *Store = dyn_cast<StoreInst>(U);
          return Store && Store->getValueOperand() == Load &&
                 (Others.mayBeFloatAt(*Load) || Others.mayBeFloatAt(*Store));
        }))
      return Load;
  }
  return nullptr;
}

void verso::normalizeMoves(Function &F) {
  SmallVector<LoadInst *, 8> Moves;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && (isMoved(*Load) || isCastToPointer(*Load)))
      Moves.push_back(Load);
  for (LoadInst *Load : Moves) {
    IRBuilder<> B(Load);
    uint64_t Bits = Load->getType()->getPrimitiveSizeInBits();
    LoadInst *Bytes = B.CreateAlignedLoad(
        B.getIntNTy(Bits), Load->getPointerOperand(), Load->getAlign());
    if (isOfMixedUnion(*Load))
      Bytes->copyMetadata(*Load, LLVMContext::MD_tbaa);
    for (User *U : make_early_inc_range(Load->users()))
      if (auto *Store = dyn_cast<StoreInst>(U)) {
        Store->setOperand(0, Bytes);
      } else {
        U->replaceAllUsesWith(Bytes);
        cast<Instruction>(U)->eraseFromParent();
      }
    Load->eraseFromParent();
  }
  movePointersAsBytes(F, /*OnlyCasts=*/false);
}

void verso::exchangeAsIntegers(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Update = dyn_cast<AtomicRMWInst>(&I);
    if (!Update || !Update->getType()->isPointerTy())
      continue;
    IRBuilder<> B(Update);
    Type *Bits = DL.getIntPtrType(Update->getType());
    AtomicRMWInst *Exchange = B.CreateAtomicRMW(
        Update->getOperation(), Update->getPointerOperand(),
        B.CreatePtrToInt(Update->getValOperand(), Bits), Update->getAlign(),
        Update->getOrdering(), Update->getSyncScopeID());
    Exchange->setVolatile(Update->isVolatile());
    Update->replaceAllUsesWith(B.CreateIntToPtr(Exchange, Update->getType()));
    Update->eraseFromParent();
  }
}
