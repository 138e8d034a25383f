//===- TypedMoves.cpp - what is moved as integers and is none -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/TypedMoves.h"
#include "analysis/AccessTypes.h"
#include "prepare/MixedUnions.h"
#include "structured/memory/CertainCells.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"

using namespace llvm;
using namespace verso;
using namespace llvm::PatternMatch;

namespace {

/// The numbers and pointers of the function, by object.
class Typed {
public:
  Typed(Function &F, const Objects &O, ScalarEvolution &SE)
      : F(F), O(O), SE(SE), DL(F.getDataLayout()) {
    for (Instruction &I : instructions(F)) {
      const Value *P = getLoadStorePointerOperand(&I);
      Type *T = P ? getLoadStoreType(&I) : nullptr;
      if (!T || !(T->isFloatingPointTy() || T->isPointerTy()))
        continue;
      for (const Place &Q : O.placesOf(P)) {
        auto &Cells = ByObject[Q.Object];
        Cell New{T, DL.getTypeStoreSize(T), Q.At};
        if (!is_contained(Cells, New))
          Cells.push_back(New);
      }
    }
    eachMixed(F, [&](const Value *, uint64_t) { HasUnions = true; });
  }

  /// Votes on the type of Bytes bytes at P: returns false on a conflict. What
  /// may be accessed there is no evidence alone: sets IsCertain if there is.
  bool vote(const Value *P, uint64_t Bytes, Type *&T, bool &IsCertain) const {
    bool IsArray = false;
    for (const Place &Q : O.placesOf(P)) {
      auto It = ByObject.find(Q.Object);
      if (It == ByObject.end())
        continue;
      for (const Cell &C : It->second) {
        if (!C.At.overlaps(C.Size, Q.At, Bytes))
          continue;
        if ((T && T != C.T) || !C.At.isFilledBy(C.Size, Q.At, Bytes))
          return false;
        T = C.T;
        if (T->isFloatingPointTy() && (C.At.Step || Q.At.Step))
          IsArray = true;
        else
          IsCertain = true;
      }
    }
    IsCertain = IsCertain ||
                (IsArray && any_of(certain().at(P, Bytes),
                                   [&](const auto &C) { return C.T == T; }));
    return true;
  }

  /// Whether what \p Access moves may be numbers of several types of a union,
  /// whatever is accessed there elsewhere.
  bool isMixed(const Instruction &Access) const {
    return isOfMixedUnion(Access) ||
           (HasUnions &&
            certain().mayBeMixed(getLoadStorePointerOperand(&Access),
                                 DL.getTypeStoreSize(getLoadStoreType(
                                     const_cast<Instruction *>(&Access)))));
  }

private:
  const CertainCells &certain() const {
    if (!Certain) {
      Certain.emplace(O, &SE);
      for (Instruction &I : instructions(F))
        if (const Value *P = getLoadStorePointerOperand(&I))
          if (Type *T = getLoadStoreType(&I); T->isFloatingPointTy())
            Certain->addAccess(P, T, DL.getTypeStoreSize(T));
      eachMixed(F, [&](const Value *P, uint64_t Bytes) {
        Certain->addMixed(P, Bytes);
      });
    }
    return *Certain;
  }

  struct Cell {
    Type *T;
    uint64_t Size;
    OffsetClass At;
    bool operator==(const Cell &) const = default;
  };
  Function &F;
  const Objects &O;
  ScalarEvolution &SE;
  const DataLayout &DL;
  mutable std::optional<CertainCells> Certain;
  bool HasUnions = false; ///< prepare/MixedUnions.h.
  DenseMap<unsigned, SmallVector<Cell, 4>> ByObject;
};

} // namespace

/// The number that \p I accesses by what is declared, whatever is accessed
/// there elsewhere; null if nothing is.
static Type *declaredNumber(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  switch (Tag ? declaredKind(*Tag) : DeclaredKind::Other) {
  case DeclaredKind::Float:
    return Type::getFloatTy(I.getContext());
  case DeclaredKind::Double:
    return Type::getDoubleTy(I.getContext());
  default:
    return nullptr;
  }
}

/// Stored, and nothing else.
static bool isMove(const LoadInst &Load) {
  return Load.isSimple() && Load.getType()->isIntegerTy() &&
         !isIntegerForCertain(Load) && !Load.use_empty() &&
         all_of(Load.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->isSimple() &&
                  Store->getPointerOperand() != &Load;
         });
}

/// load i64 ... store i64   =>   load double ... store double, or two floats
static void retype(LoadInst &Load, Type *T, unsigned Count, uint64_t Size) {
  SmallVector<Value *, 2> Parts;
  IRBuilder<> B(&Load);
  auto Address = [&](Value *P, unsigned K) {
    return K ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, K * Size) : P;
  };
  for (unsigned K = 0; K != Count; ++K)
    Parts.push_back(
        B.CreateAlignedLoad(T, Address(Load.getPointerOperand(), K),
                            commonAlignment(Load.getAlign(), K * Size)));
  for (User *U : make_early_inc_range(Load.users())) {
    auto *Store = cast<StoreInst>(U);
    B.SetInsertPoint(Store);
    for (unsigned K = 0; K != Count; ++K)
      B.CreateAlignedStore(Parts[K], Address(Store->getPointerOperand(), K),
                           commonAlignment(Store->getAlign(), K * Size));
    Store->eraseFromParent();
  }
  Load.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Webs
//===----------------------------------------------------------------------===//

namespace {

/// Integers that are moved: loaded, taken from a number, or chosen among such.
/// Others may come in and go out.
class Web {
public:
  Web(Instruction &Start, DenseSet<const Instruction *> &Seen);
  /// What number all of it is, or of which numbers it is made, by \p N and by
  /// the casts at its ends; null if nobody says, or they differ.
  Type *numberIn(const Typed &N) const;
  void retype(Type *T);
  static bool isPart(const Value *V);

private:
  using Numbers = SmallVector<WeakTrackingVH, 2>;
  Numbers numbersIn(Value *Bits, Type *T, Instruction *Before) const;
  /// Whether a part is cast from or to a number whenever \p Access is executed.
  bool isCastBeside(const Instruction &Access) const;
  void replaceParts(Instruction &Whole, const Numbers &New) const;
  void replaceUses(Instruction &I, const Numbers &New,
                   const SmallPtrSetImpl<Instruction *> &Mine) const;

  SmallVector<Instruction *, 8> Parts;
};

} // namespace

static bool isNumberCast(const Value *V) {
  auto *Cast = dyn_cast<BitCastInst>(V);
  return Cast && (Cast->getType()->isFloatingPointTy() ||
                  Cast->getOperand(0)->getType()->isFloatingPointTy());
}

/// The number of bits that an instruction is shifted right before it is
/// truncated to \p Bits of them; none if it is something else.
static std::optional<uint64_t> takesPart(const User &By, uint64_t Bits) {
  uint64_t Shift = 0;
  const auto *I = cast<Instruction>(&By);
  if (I->getOpcode() == Instruction::LShr) {
    auto *Known = dyn_cast<ConstantInt>(I->getOperand(1));
    if (!Known || !I->hasOneUse())
      return std::nullopt;
    Shift = Known->getLimitedValue();
    I = cast<Instruction>(*I->user_begin());
  }
  if (!isa<TruncInst>(I) || !I->getType()->isIntegerTy(Bits) || Shift % Bits)
    return std::nullopt;
  return Shift;
}

static unsigned bitsOf(const Type *T) { return T->getPrimitiveSizeInBits(); }

bool Web::isPart(const Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !I->getType()->isIntegerTy() || I->getType()->isIntegerTy(1))
    return false;
  auto *Load = dyn_cast<LoadInst>(I);
  return (Load && Load->isSimple()) || isNumberCast(I) ||
         isa<PHINode, SelectInst, FreezeInst>(I);
}

Web::Web(Instruction &Start, DenseSet<const Instruction *> &Seen) {
  SmallVector<Instruction *, 8> Work;
  auto Add = [&](Value *V) {
    if (isPart(V) && V->getType() == Start.getType() &&
        Seen.insert(cast<Instruction>(V)).second)
      Work.push_back(cast<Instruction>(V));
  };
  Add(&Start);
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    Parts.push_back(I);
    if (isa<PHINode, SelectInst, FreezeInst>(I))
      for (Value *Op : I->operands())
        Add(Op);
    for (User *U : I->users())
      if (isa<PHINode, SelectInst, FreezeInst>(U))
        Add(U);
  }
}

bool Web::isCastBeside(const Instruction &Access) const {
  auto Is = [&](const Value *V) {
    return isNumberCast(V) &&
           cast<Instruction>(V)->getParent() == Access.getParent();
  };
  return any_of(Parts, [&](const Instruction *I) {
    return Is(I) || any_of(I->users(), Is);
  });
}

Type *Web::numberIn(const Typed &N) const {
  const DataLayout &DL = Parts[0]->getDataLayout();
  uint64_t Bytes = DL.getTypeStoreSize(Parts[0]->getType());
  Type *T = nullptr;
  bool Agrees = true, IsCast = false, Moves = false, IsInteger = false,
       HasParts = false, IsCertain = false;
  auto Vote = [&](Type *Its) {
    Agrees = Agrees && (!T || T == Its);
    T = Its;
    IsCast = true;
  };
  for (Instruction *I : Parts) {
    Moves |= !isNumberCast(I) && !isa<LoadInst>(I);
    if (Type *Its = declaredNumber(*I)) {
      Agrees = Agrees && (!T || T == Its);
      T = Its;
      IsCertain = true;
    } else if (auto *Load = dyn_cast<LoadInst>(I)) {
      Agrees = Agrees && (!N.isMixed(*Load) || isCastBeside(*Load)) &&
               N.vote(Load->getPointerOperand(), Bytes, T, IsCertain);
      IsInteger |= isIntegerForCertain(*Load);
    } else if (isNumberCast(I)) {
      Vote(I->getOperand(0)->getType());
    }
    for (User *U : I->users()) {
      if (isNumberCast(U)) {
        Vote(U->getType());
        Moves = true;
      } else if (auto *Store = dyn_cast<StoreInst>(U)) {
        Agrees = Agrees && Store->isSimple() &&
                 (!N.isMixed(*Store) || isCastBeside(*Store)) &&
                 N.vote(Store->getPointerOperand(), Bytes, T, IsCertain);
        IsInteger |= isIntegerForCertain(*Store);
        Moves = true;
      } else if (isa<IntToPtrInst>(U)) {
        Agrees = false;
      } else if (takesPart(*U, 32)) {
        HasParts = true;
      }
    }
    if (isa<PHINode, SelectInst, FreezeInst>(I))
      Agrees = Agrees && none_of(I->operands(), [](const Value *Op) {
                 return isa<PtrToIntOperator>(Op);
               });
  }
  // The program's own integers are numbers only where it says so.
  if (!Agrees || !(IsCertain || IsCast) || (IsInteger && !IsCast) || !T ||
      !T->isFloatingPointTy())
    return nullptr;
  if (bitsOf(T) == 8 * Bytes)
    return Moves ? T : nullptr;
  // Numbers beside one another; a cast to one of all the bits is something
  // else.
  return T->isFloatTy() && !IsCast && !IsInteger && Bytes == 8 &&
                 (Moves || HasParts)
             ? T
             : nullptr;
}

/// The numbers that \p Bits are made of, which come in from somewhere else.
Web::Numbers Web::numbersIn(Value *Bits, Type *T, Instruction *Before) const {
  const unsigned Size = bitsOf(T), Count = bitsOf(Bits->getType()) / Size;
  IRBuilder<> B(Before);
  if (Count == 1)
    return {B.CreateBitCast(Bits, T)};
  // zext(a) | zext(b) << 32
  Value *Low, *High;
  if (Count == 2 &&
      match(Bits, m_c_Or(m_ZExt(m_Value(Low)),
                         m_Shl(m_ZExt(m_Value(High)), m_SpecificInt(Size)))) &&
      Low->getType()->isIntegerTy(Size) && High->getType()->isIntegerTy(Size))
    return {B.CreateBitCast(Low, T), B.CreateBitCast(High, T)};
  Numbers Result;
  for (unsigned K = 0; K != Count; ++K)
    Result.push_back(B.CreateBitCast(
        B.CreateTrunc(B.CreateLShr(Bits, K * Size), B.getIntNTy(Size)), T));
  return Result;
}

/// trunc(lshr whole, 32)   =>   bitcast number to i32
void Web::replaceParts(Instruction &Whole, const Numbers &New) const {
  if (New.size() == 1)
    return;
  const unsigned Size = bitsOf(New[0]->getType());
  for (User *U : make_early_inc_range(Whole.users())) {
    std::optional<uint64_t> At = takesPart(*U, Size);
    if (!At || *At / Size >= New.size())
      continue;
    auto *First = cast<Instruction>(U);
    auto *Part =
        isa<TruncInst>(First) ? First : cast<Instruction>(*First->user_begin());
    Value *Number = New[*At / Size];
    for (User *By : make_early_inc_range(Part->users()))
      if (isNumberCast(By) && By->getType() == Number->getType()) {
        By->replaceAllUsesWith(Number);
        cast<Instruction>(By)->eraseFromParent();
      }
    if (!Part->use_empty())
      Part->replaceAllUsesWith(
          IRBuilder<>(Part).CreateBitCast(Number, Part->getType()));
    Part->eraseFromParent();
    if (First != Part)
      First->eraseFromParent();
  }
}

/// Where others than parts of the web take the integer.
void Web::replaceUses(Instruction &I, const Numbers &New,
                      const SmallPtrSetImpl<Instruction *> &Mine) const {
  const uint64_t Size = bitsOf(New[0]->getType()) / 8;
  replaceParts(I, New);
  // The integer itself, for who computes with it.
  Value *Bits = isNumberCast(&I) ? &I : nullptr;
  for (Use &U : make_early_inc_range(I.uses())) {
    auto *By = cast<Instruction>(U.getUser());
    if (Mine.contains(By))
      continue;
    if (auto *Store = dyn_cast<StoreInst>(By)) {
      IRBuilder<> B(Store);
      for (auto [K, Number] : enumerate(New)) {
        Value *P = Store->getPointerOperand();
        B.CreateAlignedStore(
            Number,
            K ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, K * Size) : P,
            commonAlignment(Store->getAlign(), K * Size));
      }
      Store->eraseFromParent();
    } else if (isNumberCast(By) && New.size() == 1) {
      By->replaceAllUsesWith(New[0]);
      By->eraseFromParent();
    } else {
      if (!Bits) {
        auto At = isa<PHINode>(I) ? I.getParent()->getFirstInsertionPt()
                                  : std::next(I.getIterator());
        IRBuilder<> B(I.getParent(), At);
        for (auto [K, Number] : enumerate(New)) {
          Value *Part = B.CreateZExtOrTrunc(
              B.CreateBitCast(Number, B.getIntNTy(8 * Size)), I.getType());
          Bits = K ? B.CreateOr(Bits, B.CreateShl(Part, 8 * K * Size)) : Part;
        }
      }
      U.set(Bits);
    }
  }
}

/// i64 parts   =>   double parts, or pairs of float ones; casts where others
/// come in or go out
void Web::retype(Type *T) {
  const uint64_t Size = bitsOf(T) / 8;
  const unsigned Count = bitsOf(Parts[0]->getType()) / (8 * Size);
  DenseMap<Value *, Numbers> New;
  for (Instruction *I : Parts) {
    IRBuilder<> B(I);
    Numbers &Mine = New[I];
    for (unsigned K = 0; K != Count; ++K) {
      if (auto *Load = dyn_cast<LoadInst>(I)) {
        Value *P = Load->getPointerOperand();
        Mine.push_back(B.CreateAlignedLoad(
            T, K ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, K * Size) : P,
            commonAlignment(Load->getAlign(), K * Size), Load->getName()));
      } else if (isNumberCast(I)) {
        Mine.push_back(I->getOperand(0));
      } else if (auto *Phi = dyn_cast<PHINode>(I)) {
        Mine.push_back(
            B.CreatePHI(T, Phi->getNumIncomingValues(), Phi->getName()));
      } else if (auto *S = dyn_cast<SelectInst>(I)) {
        Mine.push_back(SelectInst::Create(
            S->getCondition(), PoisonValue::get(T), PoisonValue::get(T),
            S->getName(), S->getIterator()));
      } else {
        Mine.push_back(new FreezeInst(PoisonValue::get(T), I->getName(),
                                      I->getIterator()));
      }
    }
  }
  auto In = [&](Value *Op, Instruction *Before) -> Numbers {
    auto It = New.find(Op);
    return It != New.end() ? It->second : numbersIn(Op, T, Before);
  };
  for (Instruction *I : Parts) {
    Numbers &Mine = New[I];
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      for (unsigned N = 0; N != Phi->getNumIncomingValues(); ++N) {
        BasicBlock *From = Phi->getIncomingBlock(N);
        // A block that comes in twice brings one value.
        int Known = cast<PHINode>(Mine[0])->getBasicBlockIndex(From);
        Numbers Values;
        if (Known < 0)
          Values = In(Phi->getIncomingValue(N), From->getTerminator());
        for (unsigned K = 0; K != Count; ++K) {
          auto *To = cast<PHINode>(Mine[K]);
          To->addIncoming(Known < 0 ? static_cast<Value *>(Values[K])
                                    : To->getIncomingValue(Known),
                          From);
        }
      }
    } else if (auto *S = dyn_cast<SelectInst>(I)) {
      auto *First = cast<Instruction>(Mine[0]);
      Numbers IfTrue = In(S->getTrueValue(), First),
              IfFalse = In(S->getFalseValue(), First);
      for (unsigned K = 0; K != Count; ++K) {
        cast<SelectInst>(Mine[K])->setTrueValue(IfTrue[K]);
        cast<SelectInst>(Mine[K])->setFalseValue(IfFalse[K]);
      }
    } else if (isa<FreezeInst>(I)) {
      Numbers From = In(I->getOperand(0), cast<Instruction>(Mine[0]));
      for (unsigned K = 0; K != Count; ++K)
        cast<FreezeInst>(Mine[K])->setOperand(0, From[K]);
    }
  }
  SmallPtrSet<Instruction *, 8> Mine(Parts.begin(), Parts.end());
  for (Instruction *I : Parts)
    replaceUses(*I, New[I], Mine);
  for (Instruction *I : Parts)
    if (!isNumberCast(I) || none_of(I->users(), [&](User *U) {
          return !Mine.contains(cast<Instruction>(U));
        }))
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (Instruction *I : Parts)
    if (I->use_empty())
      I->eraseFromParent();
}

static bool retypeWebs(Function &F, const Objects &O, ScalarEvolution &SE) {
  Typed N(F, O, SE);
  DenseSet<const Instruction *> Seen;
  SmallVector<std::pair<Web, Type *>, 8> Webs;
  for (Instruction &I : instructions(F)) {
    if (Seen.contains(&I) || !Web::isPart(&I))
      continue;
    Web Whole(I, Seen);
    if (Type *T = Whole.numberIn(N))
      Webs.push_back({std::move(Whole), T});
  }
  for (auto &[Whole, T] : Webs)
    Whole.retype(T);
  return !Webs.empty();
}

static void retypeMoves(Function &F, const Objects &O, ScalarEvolution &SE) {
  Typed N(F, O, SE);
  const DataLayout &DL = F.getDataLayout();
  SmallVector<std::pair<LoadInst *, Type *>, 8> Moves;
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !isMove(*Load))
      continue;
    uint64_t Bytes = DL.getTypeStoreSize(Load->getType());
    Type *T = nullptr;
    if (Type *Its = declaredNumber(*Load);
        Its && Bytes % DL.getTypeStoreSize(Its) == 0) {
      Moves.push_back({Load, Its});
      continue;
    }
    bool IsCertain = false,
         Agrees = !N.isMixed(*Load) &&
                  N.vote(Load->getPointerOperand(), Bytes, T, IsCertain);
    for (User *U : Load->users())
      Agrees =
          Agrees && !N.isMixed(*cast<StoreInst>(U)) &&
          N.vote(cast<StoreInst>(U)->getPointerOperand(), Bytes, T, IsCertain);
    if (Agrees && IsCertain && T && Bytes % DL.getTypeStoreSize(T) == 0)
      Moves.push_back({Load, T});
  }
  for (auto [Load, T] : Moves) {
    uint64_t Size = DL.getTypeStoreSize(T);
    retype(*Load, T, DL.getTypeStoreSize(Load->getType()) / Size, Size);
  }
}

void verso::typeMoves(Function &F, const Objects &O, ScalarEvolution &SE) {
  retypeMoves(F, O, SE);
  // What one of them stores tells of others.
  constexpr unsigned MaxRounds = 4;
  for (unsigned Round = 0; Round != MaxRounds && retypeWebs(F, O, SE); ++Round)
    ;
}
