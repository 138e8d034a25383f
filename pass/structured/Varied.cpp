//===- Varied.cpp - what has a derivative, in memory too ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Varied.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"
#include "analysis/PointerDistance.h"
#include "emit/Companion.h"
#include "structured/AccessTypes.h"
#include "structured/Members.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

#include <numeric>
#include <set>

using namespace llvm;
using namespace verso;

VariedMemory::VariedMemory(Function &F, const Objects &O,
                           ArrayRef<Value *> VariedArguments,
                           bool ReturnIsSeeded, FunctionAnalysisManager &FAM,
                           Refusals &Refused)
    : O(O), F(F), FAM(FAM), TLI(&FAM.getResult<TargetLibraryAnalysis>(F)),
      DL(F.getDataLayout()), Refused(Refused) {
  collect(F);
  ObjectVaried.resize(O.size() + 1);
  ObjectUseful.resize(O.size() + 1);
  ObjectShadowed.resize(O.size() + 1);
  for (Value *V : VariedArguments)
    Varied.insert(V);
  for (unsigned K = 0; K != O.size(); ++K)
    if (O[K].K == Object::Dup || O[K].K == Object::Loaded) {
      ObjectVaried.set(K);
      ObjectUseful.set(K);
    }
  findVaried(F);
  findUseful(F, ReturnIsSeeded);
  if (!Refused)
    checkUnknown();
  if (!Refused)
    checkGlobals();
  findShadowed();
  checkPointers();
  checkDistances();
  findCells();
  checkCells();
  checkBulk();
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
  } else if (K.K == KnownCall::WritesBytes && K.Destination >= 0) {
    // What it writes is no number; nobody may take it for one.
    Accesses.push_back({&Call, Arg(K.Destination), nullptr, 1});
  }
}

void VariedMemory::collect(Function &F) {
  for (Instruction &I : instructions(F)) {
    if (std::optional<Operation> Op = Operation::match(I, TLI))
      Operations.try_emplace(&I, std::move(*Op));
    if (Value *P = const_cast<Value *>(getLoadStorePointerOperand(&I))) {
      Type *T = getLoadStoreType(&I);
      Accesses.push_back({&I, P, T, DL.getTypeStoreSize(T).getFixedValue()});
      if (!T->isSingleValueType() || T->isVectorTy())
        Refused.add("an access of a whole struct or vector", &I);
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
      Refused.add("an atomic operation", &I);
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

void VariedMemory::storeVaried(const Value *P, const Instruction &At) {
  for (const Place &Q : O.placesOf(P)) {
    Object::Kind K = O[Q.Object].K;
    if (K == Object::Unknown)
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

/// Whether nothing comes of the bits of a number but conditions.
static bool isOnlyCompared(const Instruction &Bits) {
  SmallPtrSet<const Instruction *, 8> Seen{&Bits};
  SmallVector<const Instruction *, 8> Work{&Bits};
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (!I->getType()->isIntegerTy())
      return false;
    for (const User *U : I->users()) {
      if (isa<ICmpInst, SwitchInst>(U))
        continue;
      if (!isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst>(U))
        return false;
      if (Seen.insert(cast<Instruction>(U)).second)
        Work.push_back(cast<Instruction>(U));
    }
  }
  return true;
}

bool VariedMemory::becomesVaried(Instruction &I) const {
  if (const Operation *Op = operation(&I)) {
    for (unsigned K = 0, E = Op->operands().size(); K != E; ++K)
      if (Op->shape(K) != Operation::Shape::Zero &&
          Varied.contains(Op->operands()[K]))
        return true;
    return false;
  }
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
           (I.getType()->isFloatingPointTy() || !isIntegerForCertain(I));
  if (isa<BitCastInst>(I) || movesBits(I))
    return any_of(I.operands(), [&](const Use &U) {
      return Varied.contains(U) && !U->getType()->isIntegerTy(1);
    });
  return false;
}

void VariedMemory::findVaried(Function &F) {
  for (bool Changed = true; Changed && !Refused;) {
    Changed = false;
    for (Instruction &I : instructions(F)) {
      if (!Varied.contains(&I) && becomesVaried(I)) {
        Varied.insert(&I);
        Changed = true;
        if (isa<BitCastInst>(I) && !isOnlyCompared(I) &&
            I.getType()->isFPOrFPVectorTy() !=
                I.getOperand(0)->getType()->isFPOrFPVectorTy())
          Refused.add(
              "the bits of a number that varies are taken as an integer", &I);
      }
      BitVector Before = ObjectVaried;
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        if (Varied.contains(Store->getValueOperand()))
          storeVaried(Store->getPointerOperand(), I);
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        const BulkAccess *B = bulk(Call);
        if (B && B->From && anyVaried(B->From))
          storeVaried(B->To, I);
      }
      Changed |= Before != ObjectVaried;
    }
  }
  for (const Access &A : Accesses) {
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
    if (!AnyShadow)
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

/// Whether two accesses, at any time, may meet.
static bool mayMeet(BatchAAResults &AA, const Value *P, const Instruction &I,
                    const Value *Q, const Instruction &J) {
  auto TypeOf = [](const Instruction &I) {
    AAMDNodes Tags = I.getAAMetadata();
    // What `restrict` says may hold for one iteration only.
    Tags.Scope = Tags.NoAlias = nullptr;
    return isa<CallBase>(I) ? AAMDNodes() : Tags;
  };
  return !compat::isNoAlias(AA, MemoryLocation::getBeforeOrAfter(P, TypeOf(I)),
                            MemoryLocation::getBeforeOrAfter(Q, TypeOf(J)));
}

/// Whether an object of unknown origin may be memory that varies from the
/// start, in disguise: an integer, or what a function made of a pointer.
bool VariedMemory::mayBeVaried(const Object &Unknown) const {
  const Value *Base = Unknown.Base;
  if (auto *Part = dyn_cast_or_null<ExtractValueInst>(Base))
    Base = Part->getAggregateOperand();
  if (auto *Call = dyn_cast_or_null<CallBase>(Base))
    return any_of(Call->args(), [&](const Use &U) {
      return U->getType()->isPointerTy() && anyVaried(U);
    });
  // Behind pointers of globals and of libraries.
  return !isa_and_nonnull<LoadInst, LandingPadInst, Constant>(Base);
}

/// Numbers that are read by pointers of unknown origin are constants, unless
/// numbers that vary may have been stored there.
void VariedMemory::checkUnknown() {
  BatchAAResults AA(FAM.getResult<AAManager>(F));
  AA.enableCrossIterationMode();
  SmallVector<std::pair<const Value *, const Instruction *>, 16> Writes;
  for (const Access &A : Accesses)
    if (auto *Store = dyn_cast<StoreInst>(A.I);
        Store && Varied.contains(Store->getValueOperand()))
      Writes.push_back({A.Pointer, A.I});
  for (const auto &[Call, B] : Bulk)
    if (B.From && anyVaried(B.From))
      Writes.push_back({B.To, B.Call});
  for (const Access &A : Accesses)
    if (isa<LoadInst>(A.I) && A.T->isFloatingPointTy() && !Refused &&
        any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
          return O[Q.Object].K == Object::Unknown;
        })) {
      if (any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
            return O[Q.Object].K == Object::Unknown && mayBeVaried(O[Q.Object]);
          }))
        return Refused.add("a number is loaded from where nobody knows", A.I);
      for (auto [P, I] : Writes)
        if (mayMeet(AA, A.Pointer, *A.I, P, *I))
          return Refused.add("a number is loaded from where nobody knows", A.I);
    }
}

/// Pointers whose shadow, or whose memory, cannot be told.
void VariedMemory::checkPointers() {
  for (Instruction &I : instructions(F)) {
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && O.readsInteger(*Load)) {
      if (isShadowed(Load) || any_of(O.placesOf(Load), [&](const Place &Q) {
            return O[Q.Object].K == Object::Unknown;
          }))
        Refused.add("a pointer was stored as an integer", Load);
    } else if (isa<IntToPtrInst>(I) && any_of(I.users(), [](const User *U) {
                 return !isa<ICmpInst>(U);
               })) {
      Refused.add("a pointer is made of an integer", &I);
    }
  }
  for (const Access &A : Accesses)
    if (O.placesOf(A.Pointer).empty() &&
        !isa<ConstantPointerNull, UndefValue>(getUnderlyingObject(A.Pointer)))
      Refused.add("a pointer is read from where none was stored", A.I);
}

/// A pointer that was computed from the distance of two arrays has no shadow
/// that could be computed in the same way.
void VariedMemory::checkDistances() {
  for (Instruction &I : instructions(F)) {
    auto *GEP = dyn_cast<GetElementPtrInst>(&I);
    if (!GEP || Refused || !isShadowed(GEP->getPointerOperand()))
      continue;
    for (const Use &Index : GEP->indices())
      if (const BinaryOperator *Distance = pointerDistance(Index)) {
        auto PlacesOf = [&](unsigned K) {
          return O.placesOf(cast<PtrToIntOperator>(Distance->getOperand(K))
                                ->getPointerOperand());
        };
        Places Ps = PlacesOf(0), Qs = PlacesOf(1);
        if (!Ps.empty() && !Qs.empty() && none_of(Ps, [&](const Place &P) {
              return any_of(
                  Qs, [&](const Place &Q) { return Q.Object == P.Object; });
            }))
          Refused.add("a pointer is computed from the distance of two arrays",
                      GEP);
      }
  }
}

/// Whether all of the module comes to \p V only by accesses that name it.
static bool isOnlyNamed(const Value &V) {
  return all_of(V.uses(), [&](const Use &U) {
    const User *By = U.getUser();
    if (isa<LoadInst>(By))
      return true;
    if (auto *Store = dyn_cast<StoreInst>(By))
      return Store->getPointerOperand() == &V;
    if (auto *II = dyn_cast<IntrinsicInst>(By)) {
      if (II->getIntrinsicID() == Intrinsic::threadlocal_address)
        return isOnlyNamed(*II);
      return isa<MemIntrinsic>(II) || II->isLifetimeStartOrEnd();
    }
    return isa<GEPOperator>(By) && isOnlyNamed(*By);
  });
}

/// Pairs of a global that is accessed by its name and a pointer of unknown
/// origin that may lead to it, where one of them varies.
void VariedMemory::checkGlobals() {
  BatchAAResults AA(FAM.getResult<AAManager>(F));
  AA.enableCrossIterationMode();
  auto Add = [&](GlobalVariable *G, const Value *P) {
    SmallVector<const Value *, 4> Bases;
    getUnderlyingObjects(P, Bases, nullptr, /*MaxLookup=*/0);
    for (const Value *Base : Bases)
      if (isa<Argument, LoadInst, CallBase>(Base))
        Strangers.insert({G, const_cast<Value *>(Base)});
  };
  for (unsigned K = 0; K != O.size() && !Refused; ++K) {
    if (O[K].K != Object::Global)
      continue;
    auto *G = cast<GlobalVariable>(O[K].Base);
    if (G->hasLocalLinkage() && isOnlyNamed(*G))
      continue;
    const Instruction *Named = nullptr;
    for (const Access &A : Accesses)
      if (A.T && A.T->isFloatingPointTy() &&
          any_of(O.placesOf(A.Pointer),
                 [&](const Place &Q) { return Q.Object == K; }))
        Named = A.I;
    if (!Named && !ObjectVaried.test(K))
      continue;
    for (const Access &A : Accesses) {
      if (!A.T || !A.T->isFloatingPointTy())
        continue;
      auto *Store = dyn_cast<StoreInst>(A.I);
      if (!ObjectVaried.test(K) &&
          !(Store && Varied.contains(Store->getValueOperand())))
        continue;
      bool MayLead = any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
        Object::Kind Kind = O[Q.Object].K;
        return Kind == Object::Dup || Kind == Object::Loaded ||
               Kind == Object::Constant || Kind == Object::Unknown;
      });
      if (MayLead &&
          !compat::isNoAlias(AA, MemoryLocation::getBeforeOrAfter(G),
                             MemoryLocation::getBeforeOrAfter(A.Pointer)))
        Add(G, A.Pointer);
    }
    for (const auto &[Call, B] : Bulk)
      if (ObjectVaried.test(K) || (B.From && anyVaried(B.From)))
        for (Value *P : {B.To, B.From})
          if (P && any_of(O.placesOf(P), [&](const Place &Q) {
                return !O[Q.Object].hasSibling() &&
                       O[Q.Object].K != Object::Table;
              }))
            Add(G, P);
  }
}

//===----------------------------------------------------------------------===//
// Useful
//===----------------------------------------------------------------------===//

bool VariedMemory::anyUseful(const Value *P) const {
  return any_of(O.placesOf(P),
                [&](const Place &Q) { return ObjectUseful.test(Q.Object); });
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
// Shadowed objects and the types of their cells
//===----------------------------------------------------------------------===//

bool VariedMemory::isShadowed(const Value *P) const {
  return any_of(O.placesOf(P),
                [&](const Place &Q) { return ObjectShadowed.test(Q.Object); });
}

bool VariedMemory::mayLackShadow(const Value *P) const {
  return any_of(O.placesOf(P), [&](const Place &Q) {
    return !ObjectShadowed.test(Q.Object) || O[Q.Object].K == Object::Loaded;
  });
}

void VariedMemory::findShadowed() {
  for (unsigned K = 0; K != O.size(); ++K)
    if (O[K].canHaveShadow() && ObjectVaried.test(K) && ObjectUseful.test(K))
      ObjectShadowed.set(K);
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

static bool isNumber(const Type *T) { return T && T->isFloatingPointTy(); }

/// Whether the language says that the two never access the same object.
bool VariedMemory::haveDistinctTypes(const Instruction &A,
                                     const Instruction &B) {
  // Volatile accesses are made whatever the language says of them.
  if (A.isVolatile() || B.isVolatile())
    return false;
  AAMDNodes TagA, TagB;
  TagA.TBAA = A.getMetadata(LLVMContext::MD_tbaa);
  TagB.TBAA = B.getMetadata(LLVMContext::MD_tbaa);
  if (!TagA.TBAA || !TagB.TBAA)
    return false;
  auto &ByType = FAM.getResult<TypeBasedAA>(F);
  SimpleAAQueryInfo Query(FAM.getResult<AAManager>(F));
  auto Anywhere = [&](const AAMDNodes &Tag) {
    return MemoryLocation::getBeforeOrAfter(
        UndefValue::get(PointerType::getUnqual(F.getContext())), Tag);
  };
  return ByType.alias(Anywhere(TagA), Anywhere(TagB), Query, nullptr) ==
         AliasResult::NoAlias;
}

static uint64_t extentOf(const Value *Bytes) {
  auto *Size = dyn_cast_or_null<ConstantInt>(Bytes);
  return Size ? Size->getZExtValue() : uint64_t(1) << 40;
}

/// An object with as many cells has others that are not known.
static constexpr unsigned MaxCells = 256;

/// Copies take the types of cells from either side to the other.
void VariedMemory::findCells() {
  Cells.resize(O.size() + 1);
  auto Add = [&](unsigned K, Cell C) {
    if (is_contained(Cells[K], C) || Cells[K].size() == MaxCells)
      return false;
    Cells[K].push_back(C);
    return true;
  };
  for (const Access &A : Accesses)
    if (A.T && (isNumber(A.T) || A.T->isPointerTy()))
      for (const Place &Q : O.placesOf(A.Pointer))
        Add(Q.Object, {A.T, A.Size, Q.At});
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const auto &[Call, B] : Bulk) {
      if (!B.From)
        continue;
      uint64_t Extent = extentOf(B.Bytes);
      for (auto [P, Q] : {std::pair(B.To, B.From), std::pair(B.From, B.To)})
        for (const Place &Here : O.placesOf(P))
          for (const Place &There : O.placesOf(Q))
            for (const Cell &C : SmallVector<Cell, 4>(Cells[Here.Object]))
              if (C.At.overlaps(C.Size, Here.At, Extent))
                Changed |= Add(There.Object,
                               {C.T, C.Size, C.At.moved(Here.At, There.At)});
    }
  }
}

void VariedMemory::checkCells() {
  if (Refused)
    return;
  struct Accessed {
    Type *T;
    uint64_t Size;
    OffsetClass At;
    const Instruction *I; ///< Null: known from copies.
  };
  for (unsigned K = 0; K != O.size(); ++K) {
    if (!ObjectShadowed.test(K))
      continue;
    std::vector<Accessed> Here;
    std::set<std::tuple<Type *, uint64_t, int64_t, uint64_t, MDNode *>> Seen;
    for (const Access &A : Accesses) {
      // A load of something else is looked at by what becomes of it.
      if (!isNumber(A.T) && isa<LoadInst>(A.I))
        continue;
      for (const Place &Q : O.placesOf(A.Pointer))
        if (Q.Object == K &&
            Seen.insert({A.T, A.Size, Q.At.Offset, Q.At.Step,
                         A.I->getMetadata(LLVMContext::MD_tbaa)})
                .second)
          Here.push_back({A.T, A.Size, Q.At, A.I});
    }
    // What copies bring may be overwritten here as well.
    for (const Cell &C : Cells[K])
      if (isNumber(C.T) && none_of(Here, [&](const Accessed &A) {
            return A.T == C.T && A.At == C.At;
          }))
        Here.push_back({C.T, C.Size, C.At, nullptr});
    std::set<std::pair<Type *, OffsetClass>> Fills;
    for (const Accessed &A : Here) {
      if (!isNumber(A.T))
        continue;
      for (const Accessed &B : Here) {
        // A shadow holds the shadows of pointers, which a number's adjoint must
        // not find in its cell whenever the primal held them.
        bool IsPointer = B.T && B.T->isPointerTy();
        if (A.T == B.T || !B.I ||
            !A.At.overlaps(A.Size, B.At, B.T ? B.Size : 1u << 30) ||
            (A.I && !IsPointer && haveDistinctTypes(*A.I, *B.I)))
          continue;
        // Zero, say, written as an integer.
        if (!isNumber(B.T) && B.T && B.T->isIntegerTy() &&
            A.At.isFilledBy(A.Size, B.At, B.Size)) {
          Fills.insert({B.T, B.At});
          continue;
        }
        return Refused.add("memory that holds numbers is accessed as different "
                           "types",
                           A.I && isNumber(B.T) ? A.I : B.I);
      }
    }
    // In memory of the user what is not read as a number may be one.
    bool MayHoldMore = !O[K].hasSibling();
    if (Fills.empty() && !MayHoldMore)
      continue;
    for (const Access &A : Accesses)
      if (auto *Store = dyn_cast<StoreInst>(A.I); Store && A.T->isIntegerTy())
        for (const Place &Q : O.placesOf(A.Pointer))
          if (Q.Object == K &&
              (Fills.contains({A.T, Q.At}) ||
               (MayHoldMore && !isIntegerForCertain(*Store)))) {
            Clearing.insert(Store);
            if (Varied.contains(Store->getValueOperand()))
              Refused.add("bytes that may be a number are moved as integers",
                          Store);
          }
  }
}

/// Adds to B what lies where P points to; false if that is not clear.
bool VariedMemory::fieldsOf(BulkAccess &B, const Value *P) {
  uint64_t Extent = extentOf(B.Bytes);
  for (const Place &Q : O.placesOf(P)) {
    if (Cells[Q.Object].size() == MaxCells)
      return false;
    for (const Cell &C : Cells[Q.Object]) {
      if (!C.At.overlaps(C.Size, Q.At, Extent))
        continue;
      if (!C.At.isFilledBy(C.Size, Q.At, Extent))
        return false;
      BulkAccess::Field New{C.T, C.At.moved(Q.At, {})};
      auto &Fields = isNumber(C.T) ? B.Numbers : B.Pointers;
      if (!is_contained(Fields, New))
        Fields.push_back(New);
    }
  }
  return true;
}

/// What is accessed as something else than numbers, where P points to; false if
/// in memory of the caller it would be taken for one.
bool VariedMemory::othersOf(const BulkAccess &B, const Value *P,
                            SmallVectorImpl<Cell> &Others) const {
  uint64_t Extent = extentOf(B.Bytes);
  for (const Place &Q : O.placesOf(P))
    for (const Access &A : Accesses) {
      if (isNumber(A.T))
        continue;
      for (const Place &R : O.placesOf(A.Pointer)) {
        if (R.Object != Q.Object || !R.At.overlaps(A.Size, Q.At, Extent))
          continue;
        Others.push_back({A.T, A.Size, R.At.moved(Q.At, {})});
        if (!O[Q.Object].hasSibling())
          for (const BulkAccess::Field &F : B.Numbers)
            if (F.At.overlaps(DL.getTypeStoreSize(F.T), Others.back().At,
                              A.Size))
              return false;
      }
    }
  return true;
}

static SmallVector<BulkAccess::Field, 8>
asFields(ArrayRef<VariedMemory::Cell> Cells, LLVMContext &C) {
  SmallVector<BulkAccess::Field, 8> Result;
  for (const VariedMemory::Cell &Each : Cells)
    Result.push_back({IntegerType::get(C, Each.Size * 8), Each.At});
  return Result;
}

/// Whether every byte is known to be of a number, a pointer or something else.
static bool isAllKnown(const BulkAccess &B, ArrayRef<BulkAccess::Field> Others,
                       const DataLayout &DL) {
  constexpr uint64_t MaxBytes = 4096;
  SmallVector<BulkAccess::Field, 8> All(Others);
  append_range(All, B.Numbers);
  append_range(All, B.Pointers);
  uint64_t Bytes = extentOf(B.Bytes), Step = 0;
  // All of a large extent is known if it repeats itself.
  if (Bytes > MaxBytes) {
    erase_if(All, [](const BulkAccess::Field &F) { return !F.At.Step; });
    Bytes = Step = All.empty() ? 0 : 1;
    for (const BulkAccess::Field &F : All)
      if (Step <= MaxBytes && F.At.Step <= MaxBytes)
        Bytes = Step = std::lcm(Step, F.At.Step);
      else
        return false;
    if (!Bytes || Bytes > MaxBytes)
      return false;
  }
  for (int64_t K = 0; K != int64_t(Bytes); ++K)
    if (none_of(All, [&](const BulkAccess::Field &F) {
          return F.At.overlaps(DL.getTypeStoreSize(F.T), {K, Step}, 1);
        }))
      return false;
  return true;
}

Value *verso::countOfField(IRBuilderBase &B, const BulkAccess::Field &F,
                           uint64_t Size, Value *Bytes) {
  if (!F.At.Step)
    return B.CreateZExt(B.CreateIsNotNull(Bytes), B.getInt64Ty());
  return B.CreateUDiv(
      B.CreateAdd(Bytes, B.getInt64(F.At.Step - F.At.Offset - Size)),
      B.getInt64(F.At.Step));
}

/// Whether no byte belongs to two fields.
static bool areApart(const BulkAccess &B, const DataLayout &DL) {
  SmallVector<BulkAccess::Field, 8> All(B.Numbers.begin(), B.Numbers.end());
  append_range(All, B.Pointers);
  for (const BulkAccess::Field &F : All)
    for (const BulkAccess::Field &G : All)
      if (&F != &G && F.At.overlaps(DL.getTypeStoreSize(F.T), G.At,
                                    DL.getTypeStoreSize(G.T)))
        return false;
  return true;
}

/// Fields that others contain say nothing of their own: p[0] beside p[k].
static void dropContained(SmallVectorImpl<BulkAccess::Field> &Fields) {
  for (size_t K = 0; K < Fields.size();)
    if (any_of(Fields, [&](const BulkAccess::Field &G) {
          const BulkAccess::Field &F = Fields[K];
          return &F != &G && F.T == G.T && !(F.At == G.At) &&
                 G.At.joined(F.At) == G.At;
        }))
      Fields.erase(Fields.begin() + K);
    else
      ++K;
}

void VariedMemory::checkBulk() {
  if (Refused)
    return;
  for (auto &[Call, B] : Bulk) {
    if (Refused || !isShadowed(B.To))
      continue;
    bool Moves = B.From && isShadowed(B.From);
    bool IsClear = fieldsOf(B, B.To) && (!B.From || fieldsOf(B, B.From));
    dropContained(B.Numbers);
    dropContained(B.Pointers);
    SmallVector<Cell, 8> Others;
    IsClear = IsClear && areApart(B, DL) && othersOf(B, B.To, Others) &&
              (!B.From || othersOf(B, B.From, Others));
    // Where one number is and nothing else, more of them are.
    bool IsUniform = Others.empty() && B.Pointers.empty() && !B.Numbers.empty();
    if (IsUniform) {
      Type *T = B.Numbers[0].T;
      uint64_t Size = DL.getTypeStoreSize(T);
      for (const BulkAccess::Field &F : B.Numbers)
        IsUniform = IsUniform && F.T == T && F.At.Offset % int64_t(Size) == 0;
      if (IsUniform)
        B.Numbers = {{T, {0, Size}}};
    }
    bool IsLocal = all_of(O.placesOf(B.To), [&](const Place &Q) {
      return O[Q.Object].hasSibling();
    });
    // Clearing integers and pointers of a local shadow does no harm.
    if (!IsClear && (Moves || !IsLocal))
      Refused.add("it is not clear where the numbers are in what is copied",
                  B.Call);
    else if (!IsLocal && !B.Pointers.empty())
      Refused.add("a copy writes pointers to memory of the caller", B.Call);
    else if (!IsLocal && !IsUniform &&
             !isAllKnown(B, asFields(Others, F.getContext()), DL))
      Refused.add("numbers of unknown type are copied", B.Call);
    if (Moves)
      continue;
    // All of a local shadow is cleared, but fields of others one by one.
    if (IsLocal && !mayLackShadow(B.To))
      B.Numbers.clear();
  }
}
