//===- Varied.cpp - what has a derivative, in memory too ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/Varied.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "emit/KeptBlocks.h"
#include "prepare/ExpandVariadics.h"
#include "prepare/LinearBits.h"
#include "prepare/Rounded.h"
#include "prepare/UnseenWrites.h"
#include "rules/Detached.h"
#include "rules/Staged.h"
#include "structured/JoinedPieces.h"
#include "structured/parts/Parts.h"
#include "structured/recursion/Members.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

VariedMemory::VariedMemory(Function &F, const Objects &O,
                           ArrayRef<Value *> VariedArguments,
                           bool ReturnIsSeeded, bool MayMap, bool IsWatched,
                           FunctionAnalysisManager &FAM, Refusals &Refused)
    : O(O), F(F), FAM(FAM), TLI(&FAM.getResult<TargetLibraryAnalysis>(F)),
      DL(F.getDataLayout()), Refused(Refused), MayMap(MayMap),
      IsWatched(IsWatched) {
  collect(F);
  ObjectVaried.resize(O.size() + 1);
  ObjectUseful.resize(O.size() + 1);
  ObjectShadowed.resize(O.size() + 1);
  ObjectTakesTurns.resize(O.size() + 1);
  ObjectMarked.resize(O.size() + 1);
  ObjectAtDistance.resize(O.size() + 1);
  if (IsWatched)
    findAtDistance();
  for (Value *V : VariedArguments)
    Varied.insert(V);
  for (unsigned K = 0; K != O.size(); ++K)
    if (O[K].K == Object::Dup || O[K].K == Object::Loaded) {
      ObjectVaried.set(K);
      ObjectUseful.set(K);
    }
  for (const auto &[Call, B] : Bulk)
    if (communicates(*Call))
      for (const Value *P : {B.To, B.From})
        for (const Place &Q : O.placesOf(P)) {
          ObjectVaried.set(Q.Object);
          ObjectUseful.set(Q.Object);
        }
  findCells();
  findVaried(F);
  findUseful(F, ReturnIsSeeded);
  if (!Refused)
    checkUnknown();
  if (!Refused)
    checkGlobals();
  findShadowed();
  checkPointers();
  checkPairs();
  checkKept();
  checkCells();
  spreadMarks();
  checkBulk();
  checkMapped();
  if (IsWatched)
    checkWatched();
}

void VariedMemory::collectCall(CallBase &Call) {
  CallModel M = modelCall(Call, TLI);
  if (M.K != CallModel::Library || !M.Known)
    return;
  const KnownCall &K = *M.Known;
  auto Arg = [&](int N) { return N < 0 ? nullptr : Call.getArgOperand(N); };
  if (K.K == KnownCall::Copy || K.K == KnownCall::Set) {
    Bulk[&Call] = {&Call, Arg(K.Destination), Arg(K.Source), Arg(K.Size)};
    if (!Bulk[&Call].Bytes)
      Refused.add("a copy of unknown size", &Call);
  } else if (K.K == KnownCall::Reallocate || K.K == KnownCall::Sort ||
             K.FirstScanned >= 0) {
    Refused.add("a call of '" + Call.getCalledFunction()->getName() + "'",
                &Call);
  } else if (K.K == KnownCall::WritesBytes && K.Destination >= 0 &&
             !isDetached(Call)) {
    // What it writes is no number; nobody may take it for one.
    Accesses.push_back({&Call, Arg(K.Destination), nullptr, 1});
  }
}

/// What an atomic operation makes of an integer, if that is no bits of a
/// number: the result of arithmetic. (A constant that is exchanged may be one.)
static const Value *computedInteger(const Instruction &I) {
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return Update->getType()->isIntegerTy() &&
                   Update->getOperation() != AtomicRMWInst::Xchg
               ? Update->getValOperand()
               : nullptr;
  auto *Sum =
      dyn_cast<BinaryOperator>(cast<AtomicCmpXchgInst>(I).getNewValOperand());
  bool IsSum = Sum && Sum->getType()->isIntegerTy() &&
               (Sum->getOpcode() == Instruction::Add ||
                Sum->getOpcode() == Instruction::Sub);
  return IsSum ? Sum : nullptr;
}

/// Whether an integer is changed by integers, as a count of references or a set
/// of flags is: no bits of a number are exchanged, and what is changed is no
/// address. (The language does not allow it to be a number.)
static bool changesInteger(const Instruction &I, const Objects &O,
                           const DataLayout &DL) {
  const Value *New = computedInteger(I);
  if (!New)
    return false;
  uint64_t Size = DL.getTypeStoreSize(New->getType());
  uint64_t OfPointer = DL.getPointerSize();
  return O.placesOf(New).empty() &&
         all_of(O.placesOf(MemoryLocation::get(&I).Ptr), [&](const Place &Q) {
           return (O[Q.Object].isLocal() || Size < OfPointer) &&
                  none_of(O[Q.Object].Contents, [&](const Object::Content &C) {
                    return C.Cell.overlaps(OfPointer, Q.At, Size);
                  });
         });
}

void VariedMemory::collect(Function &F) {
  for (Instruction &I : instructions(F)) {
    if (std::optional<Operation> Op = Operation::match(I, TLI))
      Operations.try_emplace(&I, std::move(*Op));
    if (isPiece(I))
      continue; // What it writes is overwritten at once.
    if (Value *P = const_cast<Value *>(getLoadStorePointerOperand(&I))) {
      Type *T = getLoadStoreType(&I);
      Accesses.push_back({&I, P, T, DL.getTypeStoreSize(T).getFixedValue()});
      if (!T->isSingleValueType() || T->isVectorTy())
        Refused.add("an access of a whole struct or vector", &I);
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
      if (changesInteger(I, O, DL)) {
        Type *T = I.getOperand(1)->getType();
        Accesses.push_back({&I,
                            const_cast<Value *>(MemoryLocation::get(&I).Ptr), T,
                            DL.getTypeStoreSize(T).getFixedValue()});
      } else {
        Refused.add("an atomic operation", &I);
      }
    } else if (isa<VAArgInst>(I)) {
      Refused.add("variable arguments", &I);
    } else if (auto *Call = dyn_cast<CallBase>(&I)) {
      collectCall(*Call);
    }
  }
}

//===----------------------------------------------------------------------===//
// Varied
//===----------------------------------------------------------------------===//

bool VariedMemory::anyVaried(const Value *P) const {
  return any_of(O.placesOf(P),
                [&](const Place &Q) { return ObjectVaried.test(Q.Object); });
}

/// Arguments that do not vary may all lead to the same memory.
bool VariedMemory::isBehindConstant(const Place &Q) const {
  return O[Q.Object].K == Object::Constant && isa<Argument>(O[Q.Object].Base);
}

bool VariedMemory::isMapped(const Value *P) const {
  Places Ps = O.placesOf(P);
  return (MapsConstants || IsWatched) && !Ps.empty() &&
         all_of(Ps, [&](const Place &Q) {
           return IsWatched ? ObjectAtDistance.test(Q.Object)
                            : isBehindConstant(Q);
         });
}

bool VariedMemory::mayBeMapped(const Value *P) const {
  return MapsConstants && any_of(O.placesOf(P), [&](const Place &Q) {
           return isBehindConstant(Q);
         });
}

void VariedMemory::storeVaried(const Value *P, const Instruction &At) {
  for (const Place &Q : O.placesOf(P)) {
    if (isBehindConstant(Q))
      for (unsigned K = 0; K != O.size(); ++K)
        if (isBehindConstant({K, {}}))
          ObjectVaried.set(K);
    Object::Kind K = O[Q.Object].K;
    if (K == Object::Unknown || K == Object::Text)
      Refused.add("a number that varies is stored where nobody knows", &At);
    ObjectVaried.set(Q.Object);
  }
}

/// Operations that may bring back the bits of an operand, as far as
/// differentiation follows bits.
static bool movesBits(const Instruction &I) {
  if (isa<PHINode, SelectInst, FreezeInst, ExtractValueInst, InsertValueInst,
          ExtractElementInst, InsertElementInst, ShuffleVectorInst>(I))
    return true;
  if (!I.getType()->isIntOrIntVectorTy())
    return false;
  switch (I.getOpcode()) {
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::Or:
  case Instruction::And:
  case Instruction::Xor:
    return true;
  default:
    return false;
  }
}

/// Whether \p Load may read what a store of an integer among \p Values wrote.
bool VariedMemory::readsBitsOf(const DenseSet<const Value *> &Values,
                               const LoadInst &Load) const {
  uint64_t Size = DL.getTypeStoreSize(Load.getType());
  return any_of(BitStores, [&](const StoreInst *S) {
    const Value *V = S->getValueOperand();
    uint64_t Stored = DL.getTypeStoreSize(V->getType());
    return Values.contains(V) &&
           any_of(O.placesOf(S->getPointerOperand()), [&](const Place &P) {
             return any_of(O.placesOf(Load.getPointerOperand()),
                           [&](const Place &Q) {
                             return P.Object == Q.Object &&
                                    P.At.overlaps(Stored, Q.At, Size);
                           });
           });
  });
}

/// Whether bits of a number that varies may have come into the integer \p I
/// through arithmetic, which does not bring them back.
bool VariedMemory::becomesComputed(const Instruction &I) const {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!I.getType()->isIntOrIntVectorTy() || I.getType()->isIntegerTy(1) ||
      Varied.contains(&I) ||
      (Call && (!Call->doesNotAccessMemory() || callsMember(*Call) ||
                isDetachedValue(*Call))))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return readsBitsOf(Computed, *Load);
  if (!Call && !isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst,
                    ExtractElementInst, InsertElementInst, ExtractValueInst,
                    ShuffleVectorInst>(I))
    return false;
  return any_of(I.operands(), [&](const Use &U) {
    Type *T = U->getType();
    return !T->isFPOrFPVectorTy() && !T->isIntegerTy(1) &&
           (Computed.contains(U) ||
            (Varied.contains(U) && T->isIntOrIntVectorTy()));
  });
}

/// Whether \p U says where something is or how much of it there is: from there
/// no bit comes back to a number.
static bool isPlaceOrSize(const Use &U, const TargetLibraryInfo *TLI) {
  if (auto *GEP = dyn_cast<GetElementPtrInst>(U.getUser()))
    return !GEP->getType()->isVectorTy() &&
           !isa<ConstantPointerNull, UndefValue>(
               getUnderlyingObject(GEP->getPointerOperand())) &&
           none_of(GEP->users(), IsaPred<PtrToIntInst>);
  auto *Call = dyn_cast<CallBase>(U.getUser());
  if (!Call || !Call->isArgOperand(&U))
    return false;
  CallModel M = modelCall(*Call, TLI);
  if (M.K != CallModel::Library || !M.Known)
    return false;
  switch (M.Known->K) {
  case KnownCall::Allocate:
  case KnownCall::AllocateZeroed:
  case KnownCall::Free:
    return true;
  case KnownCall::Copy:
  case KnownCall::Set:
    return M.Known->Size >= 0 &&
           Call->getArgOperandNo(&U) == unsigned(M.Known->Size);
  default:
    return false;
  }
}

/// Whether nothing comes of the bits of a number but conditions, places and
/// sizes: one that is in the bytes of a string's length, say, while the string
/// is not there. What is stored in local variables is followed to who reads it.
bool VariedMemory::leadsToNoNumber(const Instruction &Bits) const {
  SmallPtrSet<const Instruction *, 8> Seen{&Bits};
  SmallVector<const Instruction *, 8> Work{&Bits};
  auto FollowStore = [&](const StoreInst &Store) {
    uint64_t Size = DL.getTypeStoreSize(Store.getValueOperand()->getType());
    Places To = O.placesOf(Store.getPointerOperand());
    if (To.empty() ||
        any_of(To, [&](const Place &P) { return !O[P.Object].isLocal(); }))
      return false;
    auto IsThere = [&](const Value *From, uint64_t Bytes) {
      return any_of(O.placesOf(From), [&](const Place &Q) {
        return any_of(To, [&](const Place &P) {
          return P.Object == Q.Object && P.At.overlaps(Size, Q.At, Bytes);
        });
      });
    };
    for (const auto &[Call, B] : Bulk)
      if (B.From && IsThere(B.From, O.extentOf(B.Bytes, B.To, B.From)))
        return false;
    // What members read is not known here.
    for (const Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && callsMember(*Call))
        return false;
    for (const Access &A : Accesses)
      if (auto *Load = dyn_cast<LoadInst>(A.I);
          Load && IsThere(A.Pointer, A.Size)) {
        if (!A.T->isIntegerTy())
          return false;
        if (Seen.insert(Load).second)
          Work.push_back(Load);
      }
    return true;
  };
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (!I->getType()->isIntegerTy())
      return false;
    for (const Use &U : I->uses()) {
      const User *By = U.getUser();
      auto *Call = dyn_cast<CallBase>(By);
      if (isa<ICmpInst, SwitchInst>(By) || isPlaceOrSize(U, TLI) ||
          (Call && isDetachedValue(*Call)) || isPiece(*cast<Instruction>(By)) ||
          isRounding(*cast<Instruction>(By)))
        continue;
      if (auto *Cast = dyn_cast<CastInst>(By); Cast && isValueOfBits(*Cast))
        continue;
      if (auto *Store = dyn_cast<StoreInst>(By)) {
        if (!FollowStore(*Store))
          return false;
        continue;
      }
      if (!isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst,
               MinMaxIntrinsic>(By))
        return false;
      if (Seen.insert(cast<Instruction>(By)).second)
        Work.push_back(cast<Instruction>(By));
    }
  }
  return true;
}

bool VariedMemory::becomesVaried(Instruction &I) {
  if (const Operation *Op = operation(&I)) {
    for (unsigned K = 0, E = Op->operands().size(); K != E; ++K)
      if (Op->shape(K) != Operation::Shape::Zero &&
          Varied.contains(Op->operands()[K]))
        return true;
    return false;
  }
  if (isEffect(I))
    return any_of(cast<CallBase>(I).args(),
                  [&](const Use &A) { return Varied.contains(A); });
  if (auto *Call = dyn_cast<CallBase>(&I); Call && isPartCall(*Call))
    return Varied.contains(effectOf(*Call));
  if (auto *Call = dyn_cast<CallBase>(&I); Call && callsMember(*Call))
    return any_of(Call->args(), [&](const Use &A) {
      return A->getType()->isPointerTy()
                 ? anyVaried(A)
                 : A->getType()->isFloatingPointTy() && Varied.contains(A);
    });
  if (I.getType()->isPtrOrPtrVectorTy() || I.getType()->isIntegerTy(1))
    return false;
  if (isa<LoadInst>(I))
    return anyVaried(cast<LoadInst>(I).getPointerOperand()) &&
           (I.getType()->isFloatingPointTy() || !isIntegerForCertain(I) ||
            mayReadNumber(cast<LoadInst>(I)) ||
            (I.getType()->isIntOrIntVectorTy() &&
             readsBitsOf(Varied, cast<LoadInst>(I))));
  if (isa<BitCastInst>(I) || movesBits(I))
    return any_of(I.operands(), [&](const Use &U) {
      return Varied.contains(U) && !U->getType()->isIntegerTy(1);
    });
  return false;
}

/// Whether somebody comes to memory through \p Pointer.
static bool leadsSomewhere(const Instruction &Pointer) {
  SmallPtrSet<const Instruction *, 8> Seen{&Pointer};
  SmallVector<const Instruction *, 8> Work{&Pointer};
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    for (const User *U : I->users()) {
      if (isa<CallBase>(U) || getLoadStorePointerOperand(U) == I)
        return true;
      if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(U) &&
          Seen.insert(cast<Instruction>(U)).second)
        Work.push_back(cast<Instruction>(U));
    }
  }
  return false;
}

/// Whether what is computed of the loaded pointer \p Load, as an integer, is
/// stored or becomes a number: as where a record of an `int` and a float lies
/// in the room of a pointer, and its halves are taken apart.
static bool isTakenApart(const Instruction &Load) {
  SmallPtrSet<const User *, 8> Seen;
  SmallVector<const User *, 8> Work;
  for (const User *U : Load.users())
    if (isa<PtrToIntInst>(U))
      Work.push_back(U);
  while (!Work.empty()) {
    const User *Bits = Work.pop_back_val();
    for (const User *U : Bits->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (isa<BitCastInst, InsertElementInst>(U) ||
          (Store && Store->getValueOperand() == Bits))
        return true;
      if (isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst>(U) &&
          U->getType()->isIntegerTy() && Seen.insert(U).second)
        Work.push_back(U);
    }
  }
  return false;
}

/// A number that varies may be moved as a pointer, by the type of another
/// member of a union. What the caller has in its memory, or a copy brought, is
/// one if nobody comes to memory through it.
void VariedMemory::refuseNumbersInPointers() {
  auto Meet = [&](const Access &A, const Places &There, uint64_t Size) {
    for (const Place &P : O.placesOf(A.Pointer))
      for (const Place &Q : There)
        if (P.Object == Q.Object && P.At.overlaps(A.Size, Q.At, Size))
          return true;
    return false;
  };
  auto IsCallers = [&](const Access &A) {
    return any_of(O.placesOf(A.Pointer), [&](const Place &P) {
      return O[P.Object].isExternal() && O[P.Object].canHaveShadow();
    });
  };
  BitVector Copied(O.size());
  for (const auto &[Call, B] : Bulk)
    if (B.From && anyVaried(B.From))
      for (const Place &P : O.placesOf(B.To))
        Copied.set(P.Object);
  auto IsCopied = [&](const Access &A) {
    return any_of(O.placesOf(A.Pointer),
                  [&](const Place &P) { return Copied.test(P.Object); });
  };
  auto IsPointer = [&](const Places &There, uint64_t Size) {
    return any_of(Accesses, [&](const Access &A) {
      return isa<LoadInst>(A.I) && A.T && A.T->isPointerTy() &&
             Meet(A, There, Size) &&
             (isPointerForCertain(*A.I) || leadsSomewhere(*A.I));
    });
  };
  auto IsNumber = [&](const Places &There, uint64_t Size) {
    return any_of(Accesses, [&](const Access &A) {
      auto *Store = dyn_cast<StoreInst>(A.I);
      return Store && Varied.contains(Store->getValueOperand()) &&
             Meet(A, There, Size);
    });
  };
  // Whether what copies bring to a local variable was a pointer before.
  auto WasPointer = [&](const Access &Load) {
    bool Any = false, All = true;
    for (const auto &[Call, B] : Bulk)
      for (const Place &P : O.placesOf(Load.Pointer))
        for (const Place &To : B.From ? O.placesOf(B.To) : Places()) {
          if (P.Object != To.Object ||
              !P.At.overlaps(Load.Size, To.At,
                             O.extentOf(B.Bytes, B.To, B.From)))
            continue;
          for (const Place &From : O.placesOf(B.From)) {
            Places Before{{From.Object, P.At.moved(To.At, From.At)}};
            Any = true;
            All = All && !Copied.test(From.Object) &&
                  IsPointer(Before, Load.Size) && !IsNumber(Before, Load.Size);
          }
        }
    return Any && All;
  };
  auto IsMove = [](const Access &A) {
    return any_of(A.I->users(), [&](const User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      return isa<PHINode, SelectInst, FreezeInst>(U) ||
             (Store && Store->getValueOperand() == A.I) ||
             (isa<PtrToIntInst>(U) && any_of(U->users(), [](auto *V) {
                return isa<BitCastInst, PHINode, SelectInst, StoreInst,
                           TruncInst, InsertElementInst>(V);
              }));
    });
  };
  for (const Access &Load : Accesses) {
    if (!isa<LoadInst>(Load.I) || !Load.T || !Load.T->isPointerTy() ||
        isPointerForCertain(*Load.I) || !anyVaried(Load.Pointer))
      continue;
    const bool Moves = IsMove(Load);
    if (!Moves && !isTakenApart(*Load.I))
      continue;
    Places Here = O.placesOf(Load.Pointer);
    if (IsNumber(Here, Load.Size) ||
        (Moves && (IsCallers(Load) || IsCopied(Load)) &&
         !IsPointer(Here, Load.Size) && (IsCallers(Load) || !WasPointer(Load))))
      return Refused.add("a number that varies is moved as a pointer", Load.I);
  }
}

/// Whether \p Stored may be a double as it was loaded.
static bool mayBeMoved(const Value *Stored) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work{Stored};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (auto *Choice = dyn_cast<SelectInst>(V))
      Work.append({Choice->getTrueValue(), Choice->getFalseValue()});
    else if (auto *Phi = dyn_cast<PHINode>(V))
      append_range(Work, Phi->incoming_values());
    else if (auto *Load = dyn_cast<LoadInst>(V); Load &&
                                                 V->getType()->isDoubleTy() &&
                                                 !loadsNumberForCertain(*Load))
      return true;
  }
  return false;
}

/// Whether nobody needs to know where \p Pointer leads but who frees it, now or
/// in the end (LateReleases).
static bool isOnlyFreed(const Instruction &Pointer,
                        const TargetLibraryInfo *TLI) {
  return all_of(Pointer.users(), [&](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      auto *Local = dyn_cast<AllocaInst>(Store->getPointerOperand());
      return Local && all_of(Local->users(), [&](const User *Each) {
               auto *Other = dyn_cast<StoreInst>(Each);
               return Other && Other->getValueOperand() != Local;
             });
    }
    return isa<ICmpInst>(U) || (Call && getFreedOperand(Call, TLI) == &Pointer);
  });
}

/// The other way round: where a pointer is loaded, and used, from where a
/// double was stored as it was loaded, or loaded and stored elsewhere, that was
/// a pointer, whose shadow would not have moved along. What is only freed (a
/// block whose start stands in front of aligned numbers) needs no shadow.
void VariedMemory::refusePointersInNumbers() {
  std::vector<SmallVector<const Access *, 4>> Moves(O.size());
  // Variable arguments are read as what they are.
  BitVector IsArea(O.size());
  for (const Access &A : Accesses)
    if (isVariableArgument(*A.I))
      for (const Place &P : O.placesOf(A.Pointer))
        IsArea.set(P.Object);
  auto IsMove = [](const Access &A) {
    if (auto *Store = dyn_cast<StoreInst>(A.I))
      return mayBeMoved(Store->getValueOperand());
    auto *Load = dyn_cast<LoadInst>(A.I);
    return Load && A.T && A.T->isDoubleTy() && !loadsNumberForCertain(*Load) &&
           any_of(Load->users(), IsaPred<StoreInst, PHINode, SelectInst>);
  };
  for (const Access &A : Accesses)
    if (IsMove(A))
      for (const Place &P : O.placesOf(A.Pointer))
        if (!IsArea.test(P.Object))
          Moves[P.Object].push_back(&A);
  for (const Access &Load : Accesses) {
    if (!isa<LoadInst>(Load.I) || !Load.T || !Load.T->isPointerTy())
      continue;
    auto MayBe = [&](const Place &Q) {
      return any_of(Moves[Q.Object], [&](const Access *Move) {
        return !haveDistinctTypes(*Move->I, *Load.I) &&
               any_of(O.placesOf(Move->Pointer), [&](const Place &P) {
                 return P.Object == Q.Object &&
                        P.At.overlaps(Move->Size, Q.At, Load.Size);
               });
      });
    };
    bool IsUsed =
        !isOnlyFreed(*Load.I, TLI) &&
        (leadsSomewhere(*Load.I) || any_of(Load.I->users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->getValueOperand() == Load.I;
         }));
    if (IsUsed && any_of(O.placesOf(Load.Pointer), MayBe))
      return Refused.add("a pointer may be moved as a number", Load.I);
  }
}

/// Whether \p Q is known by a pointer that was loaded from the caller's memory,
/// or by nothing: it may be whatever lies there.
static bool isBehindLoaded(const Object &Q, OffsetClass At) {
  // What a constant argument leads to is one object with it, at any offset.
  return Q.K == Object::Unknown || Q.K == Object::Loaded ||
         (Q.K == Object::Constant && At.Step == 1);
}

/// What a module's array held before is compared with arguments, not with what
/// other pointers lead to that were there before: a `target` has such, through
/// which it may be written as well.
void VariedMemory::refuseOtherWaysToKept() {
  bool AnyKept = false;
  for (unsigned K = 0; K != O.size(); ++K) {
    auto *Call = dyn_cast_or_null<CallBase>(O[K].Base);
    AnyKept |= O[K].K == Object::Heap && Call && isKept(*Call);
  }
  if (!AnyKept)
    return;
  auto Check = [&](const Value *P, const Instruction *At) {
    if (P && any_of(O.placesOf(P), [&](const Place &Q) {
          return isBehindLoaded(O[Q.Object], Q.At);
        }))
      Refused.add("a pointer that was there before may lead to an array of a "
                  "module",
                  At);
  };
  for (const Access &A : Accesses)
    Check(A.Pointer, A.I);
  for (const auto &[Call, B] : Bulk)
    for (const Value *P : {B.To, B.From})
      Check(P, B.Call);
}

void VariedMemory::findVaried(Function &F) {
  for (bool Changed = true; Changed && !Refused;) {
    Changed = false;
    for (Instruction &I : instructions(F)) {
      if (!Varied.contains(&I) && becomesVaried(I)) {
        Varied.insert(&I);
        Changed = true;
        if (isa<BitCastInst>(I) && !leadsToNoNumber(I) &&
            I.getType()->isFPOrFPVectorTy() !=
                I.getOperand(0)->getType()->isFPOrFPVectorTy())
          Refused.add(
              "the bits of a number that varies are taken as an integer", &I);
      }
      if (!Computed.contains(&I) && becomesComputed(I)) {
        Computed.insert(&I);
        Changed = true;
      }
      if (isa<BitCastInst>(I) && I.getType()->isFPOrFPVectorTy() &&
          Computed.contains(I.getOperand(0)))
        Refused.add("a number is made of bits that went through integer "
                    "arithmetic",
                    &I);
      BitVector Before = ObjectVaried;
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        if (isPiece(I))
          continue;
        const Value *X = Store->getValueOperand();
        if (X->getType()->isIntOrIntVectorTy() &&
            (Varied.contains(X) || Computed.contains(X)))
          Changed |= BitStores.insert(Store);
        if (Varied.contains(X))
          storeVaried(Store->getPointerOperand(), I);
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        const BulkAccess *B = bulk(Call);
        if (B && B->From && anyVaried(B->From))
          storeVaried(B->To, I);
      }
      Changed |= Before != ObjectVaried;
    }
  }
  refuseNumbersInPointers();
  refusePointersInNumbers();
  refuseOtherWaysToKept();
  for (const Access &A : Accesses) {
    if (auto *Load = dyn_cast<LoadInst>(A.I);
        Load && A.T->isFloatingPointTy() && readsBitsOf(Computed, *Load))
      Refused.add("a number is made of bits that went through integer "
                  "arithmetic",
                  A.I);
    auto *Store = dyn_cast<StoreInst>(A.I);
    if (!Store || !Varied.contains(Store->getValueOperand()))
      continue;
    bool IsReal = A.T->isFloatingPointTy();
    bool AnyShadow = false;
    Places Ps = O.placesOf(A.Pointer);
    for (const Place &Q : Ps) {
      AnyShadow |= O[Q.Object].canHaveShadow();
      if (!IsReal && !O[Q.Object].isLocal())
        Refused.add("bytes that may be a number are moved as integers", A.I);
    }
    bool AnyConstant =
        any_of(Ps, [&](const Place &Q) { return isBehindConstant(Q); });
    MapsConstants |= AnyConstant && MayMap && IsReal;
    // Other people's exceptions are left to a test at run time
    // (Adjoints::cell).
    if (AnyConstant ? !MapsConstants : !AnyShadow)
      Refused.add("a number that varies is stored in memory that does not vary",
                  A.I);
  }
  for (const auto &[Call, B] : Bulk)
    if (B.From && anyVaried(B.From))
      for (const Place &Q : O.placesOf(B.To))
        if (!O[Q.Object].canHaveShadow())
          Refused.add("numbers that vary are copied into memory that does not "
                      "vary",
                      B.Call);
}

//===----------------------------------------------------------------------===//
// Useful
//===----------------------------------------------------------------------===//

bool VariedMemory::anyUseful(const Value *P) const {
  return any_of(O.placesOf(P), [&](const Place &Q) {
    if (MapsConstants && isBehindConstant(Q))
      for (unsigned K = 0; K != O.size(); ++K)
        if (isBehindConstant({K, {}}) && ObjectUseful.test(K))
          return true;
    return ObjectUseful.test(Q.Object);
  });
}

bool VariedMemory::markUseful(const Value *V) {
  return Varied.contains(V) && Useful.insert(V).second;
}

/// Hands on the usefulness of I's result; returns whether anything changed.
bool VariedMemory::visitUseful(Instruction &I) {
  bool Changed = false;
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    if (anyUseful(Store->getPointerOperand()))
      Changed |= markUseful(Store->getValueOperand());
    return Changed;
  }
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    const BulkAccess *B = bulk(Call);
    if (B && B->From && anyUseful(B->To))
      for (const Place &Q : O.placesOf(B->From))
        if (!ObjectUseful.test(Q.Object)) {
          ObjectUseful.set(Q.Object);
          Changed = true;
        }
    if (B)
      return Changed;
  }
  if (!Useful.contains(&I))
    return Changed;
  if (auto *Call = dyn_cast<CallBase>(&I); Call && callsMember(*Call))
    for (const Use &A : Call->args())
      for (const Place &Q : O.placesOf(A))
        if (!ObjectUseful.test(Q.Object)) {
          ObjectUseful.set(Q.Object);
          Changed = true;
        }
  if (const Operation *Op = operation(&I)) {
    for (unsigned K = 0, E = Op->operands().size(); K != E; ++K)
      if (Op->shape(K) != Operation::Shape::Zero)
        Changed |= markUseful(Op->operands()[K]);
    return Changed;
  }
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    for (const Place &Q : O.placesOf(Load->getPointerOperand()))
      if (!ObjectUseful.test(Q.Object)) {
        ObjectUseful.set(Q.Object);
        Changed = true;
      }
    return Changed;
  }
  for (Value *Op : I.operands())
    Changed |= markUseful(Op);
  return Changed;
}

void VariedMemory::findUseful(Function &F, bool ReturnIsSeeded) {
  if (Refused)
    return;
  SmallVector<Instruction *, 64> Backwards;
  for (Instruction &I : instructions(F))
    Backwards.push_back(&I);
  std::reverse(Backwards.begin(), Backwards.end());
  if (ReturnIsSeeded)
    for (Instruction *I : Backwards)
      if (auto *Return = dyn_cast<ReturnInst>(I))
        markUseful(Return->getReturnValue());
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Instruction *I : Backwards)
      Changed |= visitUseful(*I);
  }
}

//===----------------------------------------------------------------------===//
// Shadowed objects
//===----------------------------------------------------------------------===//

bool VariedMemory::isShadowed(const Value *P) const {
  return any_of(O.placesOf(P),
                [&](const Place &Q) { return ObjectShadowed.test(Q.Object); });
}

bool VariedMemory::isMarked(const Value *P) const {
  return any_of(O.placesOf(P),
                [&](const Place &Q) { return ObjectMarked.test(Q.Object); });
}

bool VariedMemory::takesTurns(const Value *P) const {
  return any_of(O.placesOf(P), [&](const Place &Q) {
    return ObjectTakesTurns.test(Q.Object);
  });
}

bool VariedMemory::mayLackShadow(const Value *P) const {
  return any_of(O.placesOf(P), [&](const Place &Q) {
    return !ObjectShadowed.test(Q.Object) ||
           (O[Q.Object].K == Object::Loaded && !IsWatched);
  });
}

/// Copies there, and from there, are not looked at, nor are copies from where
/// an argument with a shadow leads: it may lead there too (see
/// MappedConstants.h). A pointer that is kept there must lead there again.
void VariedMemory::checkMapped() {
  if (!MapsConstants)
    return;
  for (const auto &[Call, B] : Bulk)
    for (const Value *P : {B.To, B.From})
      if (P && isShadowed(P) && any_of(O.placesOf(P), [&](const Place &Q) {
            return !O[Q.Object].hasSibling();
          }))
        Refused.add("a number that varies is stored in memory that does not "
                    "vary, and copies are made",
                    B.Call);
  for (const Access &A : Accesses) {
    // Whose mark such a store leaves is not known.
    if (A.T && A.T->isFloatingPointTy() && mayBeMapped(A.Pointer) &&
        any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
          return O[Q.Object].K == Object::Dup ||
                 O[Q.Object].K == Object::Loaded;
        }))
      Refused.add("a number that varies is stored in memory that does not vary",
                  A.I);
    if (!A.T || !A.T->isPointerTy())
      continue;
    if (isa<LoadInst>(A.I) && mayBeMapped(A.Pointer) && isShadowed(A.I) &&
        !isMapped(A.I))
      Refused.add("a pointer is kept in memory that does not vary", A.I);
    // The caller's shadow structures would lead there after the request.
    auto *Store = dyn_cast<StoreInst>(A.I);
    if (Store && mayBeMapped(Store->getValueOperand()) &&
        any_of(O.placesOf(A.Pointer),
               [&](const Place &Q) { return !O[Q.Object].hasSibling(); }))
      Refused.add("a pointer to memory that does not vary is stored in memory "
                  "of the caller",
                  A.I);
  }
}

void VariedMemory::findShadowed() {
  for (unsigned K = 0; K != O.size(); ++K)
    if ((O[K].canHaveShadow() && ObjectVaried.test(K) &&
         ObjectUseful.test(K)) ||
        (MapsConstants && isBehindConstant({K, {}})))
      ObjectShadowed.set(K);
  // A part stores there what varies, though nobody reads it.
  for (const Access &A : Accesses)
    if (isStandIn(*A.I) && isa<StoreInst>(A.I) && A.T->isFloatingPointTy())
      for (const Place &Q : O.placesOf(A.Pointer))
        if (O[Q.Object].hasSibling() && ObjectVaried.test(Q.Object))
          ObjectShadowed.set(Q.Object);
  for (const auto &[Call, B] : Bulk)
    if (B.From && isStandIn(*Call))
      for (const Place &Q : O.placesOf(B.To))
        if (O[Q.Object].hasSibling() && ObjectVaried.test(Q.Object))
          ObjectShadowed.set(Q.Object);
  // An access that may meet two objects, of which one has a shadow, needs both;
  // a local object that holds pointers to numbers needs room for their shadows.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned K = 0; K != O.size(); ++K)
      if (O[K].hasSibling() && !ObjectShadowed.test(K) &&
          any_of(O[K].Contents, [&](const Object::Content &C) {
            return ObjectShadowed.test(C.Target.Object);
          })) {
        ObjectShadowed.set(K);
        Changed = true;
      }
    for (const Access &A : Accesses) {
      if (!A.T || !A.T->isFloatingPointTy() || !isShadowed(A.Pointer))
        continue;
      for (const Place &Q : O.placesOf(A.Pointer))
        if (O[Q.Object].hasSibling() && !ObjectShadowed.test(Q.Object)) {
          ObjectShadowed.set(Q.Object);
          Changed = true;
        }
    }
    for (const auto &[Call, B] : Bulk)
      if (isShadowed(B.To))
        for (const Value *P : {B.To, B.From})
          if (P && isShadowed(P))
            for (const Place &Q : O.placesOf(P))
              if (O[Q.Object].hasSibling() && !ObjectShadowed.test(Q.Object)) {
                ObjectShadowed.set(Q.Object);
                Changed = true;
              }
  }
}
