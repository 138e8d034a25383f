//===- JoinedPieces.cpp - numbers that are moved in pieces ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/JoinedPieces.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

static constexpr StringLiteral Piece = "verso.piece";

bool verso::isPiece(const Instruction &I) { return I.hasMetadata(Piece); }

void verso::forgetPieces(Function &F) {
  for (Instruction &I : instructions(F))
    I.setMetadata(Piece, nullptr);
}

namespace {

/// Some bytes of an integer.
struct Part {
  Value *Of;     ///< Null: zeros.
  uint64_t From; ///< The first byte of it.
  uint64_t Size;
};

/// Where a pointer leads: bytes from a base.
struct Address {
  const Value *Base;
  int64_t Offset;
};

class Pieces {
public:
  Pieces(Function &F, AAResults &AA) : F(F), DL(F.getDataLayout()), AA(AA) {}
  void findStores();
  void findNumbers(const Objects &O);
  bool any() const { return !Groups.empty(); }
  void joinStores(const Objects &O);
  void joinLoads();

private:
  struct Group {
    SmallVector<StoreInst *, 8> Stores; ///< By offset.
    uint64_t Bytes;
  };
  Address addressOf(const Value *P) const;
  uint64_t sizeOf(const Value *V) const {
    return DL.getTypeStoreSize(V->getType());
  }
  void findStores(ArrayRef<StoreInst *> OfBase);
  bool isUntouched(ArrayRef<Instruction *> Members, Value *P, uint64_t Bytes,
                   bool AreLoads) const;
  bool isNumber(const Group &G, const Objects &O) const;
  Value *whole(ArrayRef<Part> Parts, uint64_t Bytes, IRBuilderBase &B);
  LoadInst *loadWhole(ArrayRef<Part> Parts, uint64_t Bytes);

  Function &F;
  const DataLayout &DL;
  AAResults &AA;
  SmallVector<Group, 8> Groups;
  /// By object: which sizes numbers have that are accessed there (4 | 8), and
  /// of those the ones that copies bring.
  SmallVector<unsigned, 16> Accessed, Copied;
};

} // namespace

Address Pieces::addressOf(const Value *P) const {
  APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
  const Value *Base = P->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue()};
}

/// Whether nothing else comes to these bytes from the first to the last of
/// Members, all of one block.
bool Pieces::isUntouched(ArrayRef<Instruction *> Members, Value *P,
                         uint64_t Bytes, bool AreLoads) const {
  Instruction *First = Members[0], *Last = Members[0];
  for (Instruction *I : Members) {
    First = I->comesBefore(First) ? I : First;
    Last = Last->comesBefore(I) ? I : Last;
  }
  MemoryLocation Where(P, LocationSize::precise(Bytes));
  for (auto It = First->getIterator(); &*It != Last; ++It) {
    if (is_contained(Members, &*It) || !It->mayReadOrWriteMemory())
      continue;
    if (isa<CallBase>(*It) && It->mayThrow())
      return false;
    ModRefInfo Info = AA.getModRefInfo(&*It, Where);
    if (AreLoads ? isModSet(Info) : isModOrRefSet(Info))
      return false;
  }
  return true;
}

/// Whether a local variable's address is only loaded from and stored to. (For
/// LLVM a volatile access makes it known to others.)
static bool isOnlyAccessed(const Value &Local) {
  return all_of(Local.uses(), [](const Use &U) {
    const User *By = U.getUser();
    if (auto *Store = dyn_cast<StoreInst>(By))
      return Store->getPointerOperand() == U.get();
    auto *II = dyn_cast<IntrinsicInst>(By);
    return isa<LoadInst>(By) || (II && II->isLifetimeStartOrEnd()) ||
           (isa<GEPOperator>(By) && isOnlyAccessed(*By));
  });
}

/// What \p Load reads from a local variable, if it was stored just before; of
/// volatile ones, too, which nobody else comes to.
static Value *storedBefore(LoadInst &Load, AAResults &AA) {
  const Value *Object = getUnderlyingObject(Load.getPointerOperand());
  if (Load.isAtomic() || !isa<AllocaInst>(Object) || !isOnlyAccessed(*Object))
    return nullptr;
  MemoryLocation Where = MemoryLocation::get(&Load);
  for (Instruction *I = Load.getPrevNode(); I; I = I->getPrevNode()) {
    auto *Store = dyn_cast<StoreInst>(I);
    if (Store && Store->getValueOperand()->getType() == Load.getType() &&
        AA.isMustAlias(MemoryLocation::get(Store), Where))
      return Store->getValueOperand();
    if (I->mayWriteToMemory() && isModSet(AA.getModRefInfo(I, Where)))
      return nullptr;
  }
  return nullptr;
}

/// The bytes of \p V, an integer, from its least: false if they are not moved.
/// With \p AA, what was stored is looked through.
static bool partsOf(Value *V, uint64_t Bytes, SmallVectorImpl<Part> &Parts,
                    AAResults *AA = nullptr) {
  // Which part each byte is of.
  auto Take = [&](auto &&Self, Value *X, int64_t At,
                  SmallVectorImpl<std::pair<Value *, int64_t>> &Each,
                  unsigned Depth) -> bool {
    Value *Y;
    const APInt *C;
    uint64_t Size = X->getType()->getIntegerBitWidth() / 8;
    if (X->getType()->getIntegerBitWidth() % 8 || Depth > 16)
      return false;
    if (match(X, m_ZExt(m_Value(Y))))
      return Self(Self, Y, At, Each, Depth + 1);
    if (match(X, m_Shl(m_Value(Y), m_APInt(C))) && C->urem(8) == 0 &&
        C->ult(8 * Size)) {
      SmallVector<std::pair<Value *, int64_t>, 8> Inner(Each.size(),
                                                        {nullptr, 0});
      if (!Self(Self, Y, 0, Inner, Depth + 1))
        return false;
      uint64_t By = C->getZExtValue() / 8;
      for (uint64_t K = By; K < Size; ++K)
        if (Inner[K - By].first) {
          if (At + K >= Each.size() || Each[At + K].first)
            return false;
          Each[At + K] = Inner[K - By];
        }
      return true;
    }
    if (auto *Or = dyn_cast<BinaryOperator>(X);
        Or && (Or->getOpcode() == Instruction::Or ||
               Or->getOpcode() == Instruction::Add))
      return Self(Self, Or->getOperand(0), At, Each, Depth + 1) &&
             Self(Self, Or->getOperand(1), At, Each, Depth + 1);
    if (auto *Load = dyn_cast<LoadInst>(X); Load && AA)
      if (Value *Stored = storedBefore(*Load, *AA))
        return Self(Self, Stored, At, Each, Depth + 1);
    uint64_t From = 0;
    if (auto *Trunc = dyn_cast<TruncInst>(X)) {
      X = Trunc->getOperand(0);
      if (match(X, m_LShr(m_Value(Y), m_APInt(C))) && C->urem(8) == 0 &&
          C->ult(X->getType()->getIntegerBitWidth())) {
        From = C->getZExtValue() / 8;
        X = Y;
      }
      if (X->getType()->getIntegerBitWidth() % 8 ||
          From + Size > X->getType()->getIntegerBitWidth() / 8)
        return false;
    }
    for (uint64_t K = 0; K != Size; ++K) {
      if (At + K >= Each.size() || Each[At + K].first)
        return false;
      Each[At + K] = {X, int64_t(From + K)};
    }
    return true;
  };
  SmallVector<std::pair<Value *, int64_t>, 8> Each(Bytes, {nullptr, 0});
  if (!Take(Take, V, 0, Each, 0))
    return false;
  for (uint64_t K = 0; K != Bytes; ++K) {
    if (!Each[K].first)
      return false;
    if (!Parts.empty() && Parts.back().Of == Each[K].first &&
        Parts.back().From + Parts.back().Size == uint64_t(Each[K].second))
      ++Parts.back().Size;
    else
      Parts.push_back({Each[K].first, uint64_t(Each[K].second), 1});
  }
  return true;
}

/// load i32 p, load i32 p + 4   =>   load i64 p, before the first of them;
/// null if they are something else
LoadInst *Pieces::loadWhole(ArrayRef<Part> Parts, uint64_t Bytes) {
  SmallVector<Instruction *, 8> Loads;
  std::optional<Address> First;
  uint64_t At = 0;
  for (const Part &P : Parts) {
    auto *Load = dyn_cast<LoadInst>(P.Of);
    if (!Load || Load->isAtomic() || P.From || P.Size != sizeOf(Load) ||
        (!Loads.empty() && Load->getParent() != Loads[0]->getParent()))
      return nullptr;
    Address Mine = addressOf(Load->getPointerOperand());
    if (!First)
      First = Mine;
    if (Mine.Base != First->Base || Mine.Offset != First->Offset + int64_t(At))
      return nullptr;
    Loads.push_back(Load);
    At += P.Size;
  }
  if (Loads.size() < 2 || At != Bytes)
    return nullptr;
  auto *Start = cast<LoadInst>(Loads[0]);
  Value *P = Start->getPointerOperand();
  if (!isUntouched(Loads, P, Bytes, /*AreLoads=*/true))
    return nullptr;
  Instruction *Earliest = Start;
  for (Instruction *I : Loads)
    Earliest = I->comesBefore(Earliest) ? I : Earliest;
  // The first piece's address may be computed later than another piece is read.
  IRBuilder<> B(Earliest);
  B.SetCurrentDebugLocation(Start->getDebugLoc());
  if (auto *Known = dyn_cast<Instruction>(P);
      Known && Known->getParent() == Earliest->getParent() &&
      !Known->comesBefore(Earliest))
    P = B.CreatePtrAdd(const_cast<Value *>(First->Base),
                       B.getInt64(First->Offset));
  return B.CreateAlignedLoad(B.getIntNTy(8 * Bytes), P, Start->getAlign());
}

Value *Pieces::whole(ArrayRef<Part> Parts, uint64_t Bytes, IRBuilderBase &B) {
  if (Parts.size() == 1 && sizeOf(Parts[0].Of) == Bytes && !Parts[0].From)
    return Parts[0].Of;
  if (LoadInst *Load = loadWhole(Parts, Bytes))
    return Load;
  Type *T = B.getIntNTy(8 * Bytes);
  Value *Result = nullptr;
  uint64_t At = 0;
  for (const Part &P : Parts) {
    Value *V = P.Of;
    if (P.From)
      V = B.CreateLShr(V, 8 * P.From);
    V = B.CreateZExt(B.CreateTrunc(V, B.getIntNTy(8 * P.Size)), T);
    if (At)
      V = B.CreateShl(V, 8 * At);
    Result = Result ? B.CreateOr(Result, V) : V;
    At += P.Size;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void Pieces::findStores() {
  for (BasicBlock &Block : F) {
    MapVector<const Value *, SmallVector<StoreInst *, 8>> ByBase;
    for (Instruction &I : Block)
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store && !Store->isAtomic() && !isInert(I) &&
          Store->getValueOperand()->getType()->isIntegerTy() &&
          isPowerOf2_64(sizeOf(Store->getValueOperand())) &&
          Store->getValueOperand()->getType()->getIntegerBitWidth() ==
              8 * sizeOf(Store->getValueOperand()) &&
          sizeOf(Store->getValueOperand()) < 8)
        ByBase[addressOf(Store->getPointerOperand()).Base].push_back(Store);
    for (auto &[Base, Stores] : ByBase)
      findStores(Stores);
  }
}

/// Groups that are 8 or 4 bytes.
void Pieces::findStores(ArrayRef<StoreInst *> OfBase) {
  auto OffsetOf = [&](StoreInst *S) {
    return addressOf(S->getPointerOperand()).Offset;
  };
  for (uint64_t Bytes : {8, 4}) {
    SmallVector<StoreInst *, 8> Free;
    for (StoreInst *S : OfBase)
      if (none_of(Groups,
                  [&](const Group &G) { return is_contained(G.Stores, S); }))
        Free.push_back(S);
    // In the program's order: a window is written again by the next round.
    for (size_t K = 0; K < Free.size(); ++K) {
      if (!Free[K])
        continue;
      int64_t Offset = OffsetOf(Free[K]);
      int64_t Window = Offset & -int64_t(Bytes);
      SmallVector<StoreInst *, 8> Mine(Bytes, nullptr);
      uint64_t Left = Bytes;
      for (size_t N = K; N < Free.size() && Left; ++N) {
        if (!Free[N])
          continue;
        int64_t At = OffsetOf(Free[N]) - Window;
        uint64_t Size = sizeOf(Free[N]->getValueOperand());
        if (At < 0 || uint64_t(At) + Size > Bytes)
          continue;
        bool IsTaken = false;
        for (uint64_t B = 0; B != Size; ++B)
          IsTaken |= Mine[At + B] != nullptr;
        if (IsTaken)
          break;
        for (uint64_t B = 0; B != Size; ++B)
          Mine[At + B] = Free[N];
        Left -= Size;
      }
      if (Left || Mine[0] == Mine.back())
        continue;
      Mine.erase(llvm::unique(Mine), Mine.end());
      SmallVector<Instruction *, 8> Members(Mine.begin(), Mine.end());
      if (!isUntouched(Members, Mine[0]->getPointerOperand(), Bytes,
                       /*AreLoads=*/false))
        continue;
      for (StoreInst *&S : Free)
        if (is_contained(Mine, S))
          S = nullptr;
      Groups.push_back({Mine, Bytes});
    }
  }
}

/// Copies take numbers to where nobody accesses them.
void Pieces::findNumbers(const Objects &O) {
  Accessed.assign(O.size(), 0);
  Copied.assign(O.size(), 0);
  SmallVector<MemTransferInst *, 8> Copies;
  for (Instruction &I : instructions(F)) {
    if (auto *Copy = dyn_cast<MemTransferInst>(&I))
      Copies.push_back(Copy);
    const Value *P = getLoadStorePointerOperand(&I);
    Type *T = P ? getLoadStoreType(&I) : nullptr;
    if (!T || !(T->isFloatTy() || T->isDoubleTy()))
      continue;
    bool IsTyped = I.hasMetadata(LLVMContext::MD_tbaa) && !I.isVolatile();
    for (const Place &Q : O.placesOf(P)) {
      Accessed[Q.Object] |= DL.getTypeStoreSize(T);
      if (!IsTyped)
        Copied[Q.Object] |= DL.getTypeStoreSize(T);
    }
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (MemTransferInst *Copy : Copies)
      for (const Place &P : O.placesOf(Copy->getRawDest()))
        for (const Place &Q : O.placesOf(Copy->getRawSource())) {
          unsigned Both = Accessed[P.Object] | Copied[P.Object] |
                          Accessed[Q.Object] | Copied[Q.Object];
          Changed |= Copied[P.Object] != Both || Copied[Q.Object] != Both;
          Copied[P.Object] = Copied[Q.Object] = Both;
        }
  }
}

/// Whether the bytes may be those of a number of this size. What the language
/// calls an integer is one but where copies, and accesses without a type, may
/// say something else, and never in memory of the caller, whose shadow has
/// integers of its own.
bool Pieces::isNumber(const Group &G, const Objects &O) const {
  bool AreIntegers = all_of(G.Stores, [](const StoreInst *S) {
    return !S->isVolatile() && isIntegerForCertain(*S);
  });
  bool Is = false;
  for (const Place &Q : O.placesOf(G.Stores[0]->getPointerOperand())) {
    if (AreIntegers && !O[Q.Object].hasSibling())
      return false;
    Is |= (AreIntegers ? Copied[Q.Object]
                       : Accessed[Q.Object] | Copied[Q.Object]) &
          G.Bytes;
  }
  return Is;
}

void Pieces::joinStores(const Objects &O) {
  for (Group &G : Groups) {
    SmallVector<Part, 8> Parts;
    bool IsMoved = true;
    for (StoreInst *S : G.Stores) {
      SmallVector<Part, 8> Of;
      Value *V = S->getValueOperand();
      if (!partsOf(V, sizeOf(V), Of))
        Of = {{V, 0, sizeOf(V)}};
      for (const Part &P : Of)
        if (!Parts.empty() && Parts.back().Of == P.Of &&
            Parts.back().From + Parts.back().Size == P.From)
          Parts.back().Size += P.Size;
        else
          Parts.push_back(P);
    }
    IsMoved = Parts.size() == 1 && !Parts[0].From &&
              sizeOf(Parts[0].Of) == G.Bytes && isa<BitCastInst>(Parts[0].Of);
    if (!IsMoved && !isNumber(G, O))
      continue;
    StoreInst *Last = G.Stores[0];
    for (StoreInst *S : G.Stores)
      Last = Last->comesBefore(S) ? S : Last;
    IRBuilder<> B(Last->getNextNode());
    B.SetCurrentDebugLocation(Last->getDebugLoc());
    B.CreateAlignedStore(whole(Parts, G.Bytes, B),
                         G.Stores[0]->getPointerOperand(),
                         G.Stores[0]->getAlign());
    for (StoreInst *S : G.Stores)
      if (S->isVolatile()) {
        S->setMetadata(Piece, MDNode::get(F.getContext(), {}));
      } else {
        Value *V = S->getValueOperand();
        S->eraseFromParent();
        RecursivelyDeleteTriviallyDeadInstructions(V);
      }
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// bitcast (pieces put together) to double
void Pieces::joinLoads() {
  SmallVector<WeakTrackingVH, 8> Casts;
  for (Instruction &I : instructions(F))
    if (isa<BitCastInst>(I) && I.getType()->isFloatingPointTy() &&
        isa<BinaryOperator>(I.getOperand(0)) &&
        I.getOperand(0)->getType()->isIntegerTy())
      Casts.push_back(&I);
  for (WeakTrackingVH &Each : Casts) {
    auto *Cast = dyn_cast_or_null<Instruction>(Each);
    if (!Cast)
      continue;
    Value *Bits = Cast->getOperand(0);
    uint64_t Bytes = sizeOf(Bits);
    if (Bytes != 4 && Bytes != 8)
      continue;
    Value *Whole = nullptr;
    if (SmallVector<Part, 8> Parts; partsOf(Bits, Bytes, Parts))
      Whole = loadWhole(Parts, Bytes);
    if (SmallVector<Part, 8> Parts;
        !Whole && partsOf(Bits, Bytes, Parts, &AA) && Parts.size() == 1 &&
        !Parts[0].From && sizeOf(Parts[0].Of) == Bytes)
      Whole = Parts[0].Of;
    if (!Whole)
      continue;
    Cast->setOperand(0, Whole);
    RecursivelyDeleteTriviallyDeadInstructions(Bits);
  }
}

void verso::joinPieces(Function &F, AAResults &AA,
                       function_ref<Objects()> FindObjects) {
  Pieces All(F, AA);
  All.joinLoads();
  All.findStores();
  if (!All.any())
    return;
  Objects O = FindObjects();
  if (!O.isComplete())
    return;
  All.findNumbers(O);
  All.joinStores(O);
}
