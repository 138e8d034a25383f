//===- VariedCells.cpp - which bytes of memory are numbers ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/AccessTypes.h"
#include "analysis/CopiedNumbers.h"
#include "prepare/ExpandVariadics.h"
#include "prepare/MixedUnions.h"
#include "rules/Detached.h"
#include "structured/UntypedCopies.h"
#include "structured/memory/NumberCopies.h"
#include "structured/memory/Varied.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

#include <numeric>
#include <set>

using namespace llvm;
using namespace verso;

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

/// Where the cells \p C of what \p From leads to are when \p Extent bytes are
/// copied from there to \p To: none ends before that, and of a short copy each
/// by itself, so that none comes to lie behind it.
static SmallVector<OffsetClass, 4> copied(OffsetClass C, uint64_t Size,
                                          OffsetClass From, OffsetClass To,
                                          uint64_t Extent) {
  constexpr uint64_t MaxApart = 4;
  if (!C.overlaps(Size, From, Extent))
    return {};
  const uint64_t Step = std::gcd(C.Step, From.Step);
  if (!Step || Extent / Step > MaxApart) {
    const OffsetClass There = C.moved(From, To);
    return {To.Step && !To.HasLeast
                ? There
                : There.notBelow(To.Offset - int64_t(Size) + 1)};
  }
  SmallVector<OffsetClass, 4> Result;
  const int64_t First =
      OffsetClass{C.Offset - From.Offset, Step}.withoutLeast().Offset;
  const int64_t Before = int64_t(divideCeil(Size, Step) * Step);
  for (int64_t Ahead = First - Before; Ahead < int64_t(Extent);
       Ahead += int64_t(Step))
    if (Ahead + int64_t(Size) > 0)
      Result.push_back(To.plus(Ahead, 0).withoutLeast());
  return Result;
}

/// Copies take the types of cells from either side to the other.
void VariedMemory::findCells() {
  Cells.resize(O.size() + 1);
  CopiedNumbers.resize(O.size() + 1);
  // Those of a class that is there say nothing new: a copy within an object
  // would move them on and on.
  auto Holds = [](ArrayRef<Cell> All, const Cell &C) {
    return any_of(All, [&](const Cell &D) {
      return D.T == C.T && D.At.joined(C.At) == D.At;
    });
  };
  auto Add = [&](unsigned K, Cell C) {
    if (Cells[K].size() == MaxCells || Holds(Cells[K], C))
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
      uint64_t Extent = O.extentOf(B.Bytes, B.To, B.From);
      for (auto [P, Q] : {std::pair(B.To, B.From), std::pair(B.From, B.To)})
        for (const Place &Here : O.placesOf(P))
          for (const Place &There : O.placesOf(Q))
            for (const Cell &C : SmallVector<Cell, 4>(Cells[Here.Object]))
              for (OffsetClass At :
                   copied(C.At, C.Size, Here.At, There.At, Extent)) {
                Cell New{C.T, C.Size, At};
                if (is_contained(Cells[There.Object], New))
                  continue;
                Changed |= Add(There.Object, New);
                auto &Copied = CopiedNumbers[There.Object];
                if (isNumber(New.T) && !Holds(Copied, New))
                  Copied.push_back(New);
              }
    }
  }
}

CertainCells VariedMemory::findCertainCells() const {
  CertainCells Certain(O, &FAM.getResult<ScalarEvolutionAnalysis>(F));
  for (bool OfNumbers : {true, false}) // There is room for so many.
    for (const Access &A : Accesses)
      if (A.T && isNumber(A.T) == OfNumbers)
        Certain.addAccess(A.Pointer, A.T, A.Size);
  for (const Access &A : Accesses)
    if (A.T && A.T->isPointerTy())
      Certain.addPointer(A.Pointer, A.Size);
  eachMixed(
      F, [&](const Value *P, uint64_t Bytes) { Certain.addMixed(P, Bytes); });
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const auto &[Call, B] : Bulk)
      if (B.From)
        Changed |=
            Certain.addCopy(B.To, B.From, O.extentOf(B.Bytes, B.To, B.From));
  }
  return Certain;
}

/// The number of which all of \p Copy is, by the language.
static std::optional<BulkAccess::Field> declaredNumber(const CallBase &Copy) {
  const std::optional<verso_cell_kind> Kind = assignedNumber(Copy);
  if (!Kind)
    return std::nullopt;
  LLVMContext &C = Copy.getContext();
  if (*Kind == VERSO_CELL_FLOAT)
    return BulkAccess::Field{Type::getFloatTy(C), {0, 4}};
  return BulkAccess::Field{Type::getDoubleTy(C), {0, 8}};
}

/// The numbers that \p Cells say are in what \p B writes or reads, where
/// \p Sides point to.
static SmallVector<BulkAccess::Field, 4>
certainNumbers(const BulkAccess &B, ArrayRef<const Value *> Sides,
               const CertainCells &Cells, const Objects &O,
               bool *AreDoubtful = nullptr) {
  SmallVector<BulkAccess::Field, 4> Numbers;
  uint64_t Extent = O.extentOf(B.Bytes, B.To, B.From);
  for (const Value *P : Sides)
    for (const CertainCells::Cell &C : Cells.at(P, Extent, AreDoubtful))
      if (BulkAccess::Field New{C.T, C.At};
          isNumber(C.T) && !is_contained(Numbers, New))
        Numbers.push_back(New);
  if (std::optional<BulkAccess::Field> All = declaredNumber(*B.Call))
    Numbers.push_back(*All);
  return Numbers;
}

/// Those of \p Fields, of pointers or of something else, of which \p Cells say
/// that \p B moves them.
static SmallVector<BulkAccess::Field, 4>
certainOthers(ArrayRef<BulkAccess::Field> Fields, const BulkAccess &B,
              const CertainCells &Cells, const Objects &O,
              const DataLayout &DL) {
  uint64_t Extent = O.extentOf(B.Bytes, B.To, B.From);
  SmallVector<CertainCells::Cell, 8> All;
  for (const Value *P : {B.To, B.From})
    append_range(All, Cells.at(P, Extent));
  SmallVector<BulkAccess::Field, 4> Result;
  copy_if(Fields, std::back_inserter(Result), [&](const BulkAccess::Field &F) {
    uint64_t Size = DL.getTypeStoreSize(F.T);
    return any_of(All, [&](const CertainCells::Cell &C) {
      return !isNumber(C.T) && C.T->isPointerTy() == F.T->isPointerTy() &&
             C.Size == Size && C.At.joined(F.At) == C.At;
    });
  });
  return Result;
}

/// Whether the language, which says that it is an integer, may be wrong: copies
/// bring the bits of numbers into what is declared as integers.
bool VariedMemory::mayReadNumber(const LoadInst &Load) {
  auto [It, IsNew] = MayReadNumber.try_emplace(&Load, false);
  if (!IsNew)
    return It->second;
  uint64_t Size = DL.getTypeStoreSize(Load.getType());
  auto IsMet = [&](unsigned K, uint64_t OtherSize, OffsetClass At) {
    return any_of(O.placesOf(Load.getPointerOperand()), [&](const Place &Q) {
      return Q.Object == K && At.overlaps(OtherSize, Q.At, Size);
    });
  };
  bool May = false;
  for (unsigned K = 0; K != CopiedNumbers.size() && !May; ++K)
    May = any_of(CopiedNumbers[K],
                 [&](const Cell &C) { return IsMet(K, C.Size, C.At); });
  for (const Access &A : Accesses)
    if (!May && isNumber(A.T) && !haveDistinctTypes(*A.I, Load))
      May = any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
        return IsMet(Q.Object, A.Size, Q.At);
      });
  return It->second = May;
}

/// Whether a store of an integer says that there is one: zeros of a memset, and
/// other constants, are stored like one where a number of that size is. A copy
/// that \p IsDeclared is believed before all that do not say what they are.
static bool showsInteger(const StoreInst &Store, bool IsDeclared) {
  const Value *V = Store.getValueOperand();
  if (!V->getType()->isIntegerTy() || isIntegerForCertain(Store))
    return true;
  return !IsDeclared &&
         !(isa<ConstantInt>(V) && V->getType()->getIntegerBitWidth() >= 32);
}

/// Whether \p Store may end a number of object \p K that copies bring there, or
/// take from there, and that nobody accesses.
bool VariedMemory::mayEndCopied(unsigned K, const StoreInst &Store) const {
  if (showsInteger(Store, /*IsDeclared=*/false))
    return false;
  auto LeadsThere = [&](const Value *P) {
    return any_of(O.placesOf(P), [&](const Place &Q) { return Q.Object == K; });
  };
  uint64_t Size = DL.getTypeStoreSize(Store.getValueOperand()->getType());
  return any_of(Bulk,
                [&](const auto &Each) {
                  return Each.second.From && (LeadsThere(Each.second.To) ||
                                              LeadsThere(Each.second.From));
                }) &&
         none_of(Cells[K], [&](const Cell &C) {
           return C.T->isPointerTy() &&
                  any_of(O.placesOf(Store.getPointerOperand()),
                         [&](const Place &Q) {
                           return Q.Object == K &&
                                  C.At.overlaps(C.Size, Q.At, Size);
                         });
         });
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
    bool TakesTurns = false, IsMarked = false;
    for (const Accessed &A : Here) {
      if (!isNumber(A.T))
        continue;
      for (const Accessed &B : Here) {
        // Types are true of a moment: at another a shadow holds the shadow of a
        // pointer where the adjoint of the number is.
        bool IsPointer = B.T && B.T->isPointerTy();
        if (A.T == B.T || !B.I ||
            !A.At.overlaps(A.Size, B.At, B.T ? B.Size : 1u << 30) ||
            (A.I && !IsPointer && haveDistinctTypes(*A.I, *B.I)) ||
            (B.Size < A.Size && isVariableInteger(*B.I)))
          continue;
        // Zero, say, written as an integer.
        if (isa<StoreInst>(B.I) && B.T->isIntegerTy() &&
            A.At.isFilledBy(A.Size, B.At, B.Size)) {
          Fills.insert({B.T, B.At});
          continue;
        }
        if (IsPointer && O[K].hasSibling() &&
            (A.At.isFilledBy(A.Size, B.At, B.Size) ||
             (A.I && haveDistinctTypes(*A.I, *B.I)))) {
          TakesTurns = true;
          continue;
        }
        const Instruction *Where = A.I && isNumber(B.T) ? A.I : B.I;
        if (B.T && mayMark(K)) {
          if (!Conflict)
            Conflict = Where;
          IsMarked = true;
          TakesTurns |= IsPointer;
          continue;
        }
        return Refused.add("memory that holds numbers is accessed as different "
                           "types",
                           Where);
      }
    }
    if (TakesTurns)
      letTakeTurns(K);
    // Marks say more than what is cleared, and go with words that are moved.
    if (!IsMarked && !Fills.empty() && mayMark(K))
      for (const Access &A : Accesses)
        if (auto *Store = dyn_cast<StoreInst>(A.I);
            Store && Varied.contains(Store->getValueOperand()) &&
            isa<LoadInst, PHINode, SelectInst>(Store->getValueOperand()) &&
            any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
              return Q.Object == K && Fills.contains({A.T, Q.At});
            })) {
          Conflict = Conflict ? Conflict : Store;
          IsMarked = true;
        }
    if (IsMarked) {
      ObjectMarked.set(K);
      continue;
    }
    // In memory of the user what is not read as a number may be one.
    bool MayHoldMore = !O[K].hasSibling();
    for (const Access &A : Accesses)
      if (auto *Store = dyn_cast<StoreInst>(A.I); Store && A.T->isIntegerTy())
        for (const Place &Q : O.placesOf(A.Pointer))
          if (Q.Object == K && (Fills.contains({A.T, Q.At}) ||
                                (MayHoldMore ? !isIntegerForCertain(*Store)
                                             : mayEndCopied(K, *Store)))) {
            Clearing.insert(Store);
            if (Varied.contains(Store->getValueOperand()))
              Refused.add("bytes that may be a number are moved as integers",
                          Store);
            else if (Fills.contains({A.T, Q.At}) && losesBits(*Store))
              Refused.add("a number is made of bits that went through integer "
                          "arithmetic",
                          Store);
          }
  }
}

/// Pointers and numbers have the same bytes of object K at different times.
/// What is stored over a pointer finds a zeroed adjoint when the verso begins,
/// and what a pointer overwrites when its reverse has run.
void VariedMemory::letTakeTurns(unsigned K) {
  for (const Access &A : Accesses) {
    auto *Store = dyn_cast<StoreInst>(A.I);
    Places Ps = O.placesOf(A.Pointer);
    if (!Store || none_of(Ps, [&](const Place &Q) { return Q.Object == K; }))
      continue;
    // What has no shadow is told from it; the caller's has pointers for good.
    if (any_of(Ps, [&](const Place &Q) {
          return ObjectShadowed.test(Q.Object) && !O[Q.Object].hasSibling();
        }))
      return Refused.add("a pointer and a number may be at the same place of "
                         "memory that may have no shadow of its own",
                         Store);
    (A.T->isPointerTy() ? Clearing : OverPointers).insert(Store);
  }
  ObjectTakesTurns.set(K);
}

/// Adds to B what lies where P points to; false if that is not clear.
bool VariedMemory::fieldsOf(BulkAccess &B, const Value *P) {
  uint64_t Extent = O.extentOf(B.Bytes, B.To, B.From);
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

/// Whether there may be numbers of another type than \p T in what \p B moves,
/// where \p P points to: two floats that are kept in a double.
bool VariedMemory::hasOtherNumbers(const BulkAccess &B, const Value *P,
                                   const Type *T) const {
  const uint64_t Extent = O.extentOf(B.Bytes, B.To, B.From);
  return any_of(O.placesOf(P), [&](const Place &Q) {
    return Cells[Q.Object].size() == MaxCells ||
           any_of(Cells[Q.Object], [&](const Cell &C) {
             return isNumber(C.T) && C.T != T &&
                    C.At.overlaps(C.Size, Q.At, Extent);
           });
  });
}

/// What is accessed as something else than numbers, where P points to; false if
/// in memory of the caller it would be taken for one.
bool VariedMemory::othersOf(const BulkAccess &B, const Value *P,
                            SmallVectorImpl<Cell> &Others) const {
  uint64_t Extent = O.extentOf(B.Bytes, B.To, B.From);
  const bool IsDeclared = declaredNumber(*B.Call).has_value();
  for (const Place &Q : O.placesOf(P))
    for (const Access &A : Accesses) {
      auto *Store = dyn_cast<StoreInst>(A.I);
      if (isNumber(A.T) || (Store && !showsInteger(*Store, IsDeclared)))
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
static bool isAllKnown(const BulkAccess &B, const Objects &O,
                       const DataLayout &DL) {
  SmallVector<std::pair<OffsetClass, uint64_t>, 8> All;
  for (const auto *Fields : {&B.Others, &B.Numbers, &B.Pointers})
    for (const BulkAccess::Field &F : *Fields)
      All.push_back({F.At, DL.getTypeStoreSize(F.T)});
  return coverAll(All, O.extentOf(B.Bytes, B.To, B.From));
}

Value *verso::countOfField(IRBuilderBase &B, const BulkAccess::Field &F,
                           uint64_t Size, Value *Bytes) {
  if (!F.At.Step) // It may lie behind what a variable length reaches.
    return B.CreateZExt(B.CreateICmpUGE(Bytes, B.getInt64(F.At.Offset + Size)),
                        B.getInt64Ty());
  return B.CreateUDiv(
      B.CreateAdd(Bytes, B.getInt64(F.At.Step - F.At.Offset - Size)),
      B.getInt64(F.At.Step));
}

/// Whether \p F, numbers at places of a class, would be at a place that \p
/// Record declares to be of something else: nobody knows where an array ends,
/// but who declares it. What is a number of a union may be another one of it.
static bool isContradicted(const BulkAccess::Field &F,
                           const CopiedRecord &Record, const DataLayout &DL) {
  const auto Size = int64_t(DL.getTypeStoreSize(F.T));
  // A member of each record is no array; a number may be kept in an integer.
  const bool IsArray = !Record.Period || F.At.Step < Record.Period;
  return any_of(Record.Fields, [&](const CopiedRecord::Field &G) {
    const bool IsMixed = G.Kind == VERSO_COPIED_UNKNOWN;
    const bool IsNumber =
        G.Kind == VERSO_COPIED_FLOAT || G.Kind == VERSO_COPIED_DOUBLE;
    const bool IsSame =
        (G.Kind == VERSO_COPIED_FLOAT ? F.T->isFloatTy() : F.T->isDoubleTy()) &&
        IsNumber && int64_t(F.At.Step) % Size == 0 &&
        (F.At.Offset - int64_t(G.Offset)) % Size == 0;
    return (IsMixed || (F.At.Step && (IsArray || IsNumber))) && !IsSame &&
           F.At.overlaps(Size, {int64_t(G.Offset), Record.Period}, G.Bytes);
  });
}

/// Whether every byte of \p Record is declared.
static bool isAllDeclared(const CopiedRecord &Record) {
  uint64_t Bytes = 0;
  for (const CopiedRecord::Field &Each : Record.Fields)
    Bytes += Each.Bytes;
  return Bytes && Bytes == Record.Period;
}

/// Whether \p Fields leave no byte of \p B out.
static bool areAll(ArrayRef<BulkAccess::Field> Fields, const BulkAccess &B,
                   const Objects &O, const DataLayout &DL) {
  BulkAccess Known = B;
  Known.Others.clear();
  Known.Pointers.clear();
  Known.Numbers.assign(Fields.begin(), Fields.end());
  return isAllKnown(Known, O, DL);
}

bool verso::mayMeetItself(const BulkAccess &B, const Objects &O) {
  return B.From && !isa<MemCpyInst>(B.Call) &&
         any_of(O.placesOf(B.To), [&](const Place &P) {
           return any_of(O.placesOf(B.From), [&](const Place &Q) {
             return P.Object == Q.Object ||
                    (O[P.Object].isExternal() && O[Q.Object].isExternal());
           });
         });
}

/// Whether no byte belongs to two fields.
static bool areApart(const BulkAccess &B, const DataLayout &DL) {
  SmallVector<BulkAccess::Field, 8> All(B.Numbers.begin(), B.Numbers.end());
  append_range(All, B.Pointers);
  // Cells of both are whole numbers; who comes second finds nothing there.
  auto Agree = [&](const BulkAccess::Field &F, const BulkAccess::Field &G) {
    const auto Size = int64_t(DL.getTypeStoreSize(F.T));
    return F.T == G.T && F.T->isFloatingPointTy() &&
           (F.At.Offset - G.At.Offset) % Size == 0 &&
           int64_t(F.At.Step) % Size == 0 && int64_t(G.At.Step) % Size == 0;
  };
  for (const BulkAccess::Field &F : All)
    for (const BulkAccess::Field &G : All)
      if (&F != &G && !Agree(F, G) &&
          F.At.overlaps(DL.getTypeStoreSize(F.T), G.At,
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

/// Whether \p B, a memset of so many bytes, ends a part of a number and leaves
/// the rest.
bool VariedMemory::cutsNumber(const BulkAccess &B) const {
  auto *Length = dyn_cast<ConstantInt>(B.Bytes);
  if (B.From || !Length)
    return false;
  const int64_t Bytes = Length->getSExtValue();
  auto Cuts = [&](const Cell &C, const Place &Q) {
    const int64_t Size = C.Size, Step = std::gcd(C.At.Step, Q.At.Step);
    // Numbers that may be anywhere are no reason to think so.
    if (!C.T->isFloatingPointTy() || (Step && Step < Size))
      return false;
    const int64_t First = C.At.Offset - Q.At.Offset; // From the first byte.
    auto IsCut = [&](int64_t At) {
      return At > -Size && At < Bytes && (At < 0 || At + Size > Bytes);
    };
    if (!Step)
      return IsCut(First);
    const int64_t Lowest = (First % Step + Step) % Step;
    return IsCut(Lowest - Step) ||
           (Bytes > Lowest &&
            IsCut(Lowest + (Bytes - 1 - Lowest) / Step * Step));
  };
  return any_of(O.placesOf(B.To), [&](const Place &Q) {
    return any_of(Cells[Q.Object], [&](const Cell &C) { return Cuts(C, Q); });
  });
}

void VariedMemory::checkBulk() {
  // Marks tell at run time.
  for (const Access &A : Accesses)
    if (isOfMixedUnion(*A.I) && !isMarked(A.Pointer))
      Refused.add("a union that may hold numbers of several types is moved",
                  A.I);
  if (Refused || Bulk.empty())
    return;
  const CertainCells CertainHere = findCertainCells();
  const bool HaveIntegers = !readsIntegersAsNumbers(F, O);
  for (auto &[Call, B] : Bulk) {
    B.HasIntegers = HaveIntegers;
    if (Refused || !isShadowed(B.To))
      continue;
    bool Moves = B.From && isShadowed(B.From);
    // Marks tell at run time.
    if (!isMarked(B.To) && cutsNumber(B)) {
      Refused.add("a part of a number is overwritten", B.Call);
      continue;
    }
    if (isMarked(B.To)) {
      if (!checkMarked(B))
        Refused.add("it is not clear where the numbers are in what is copied",
                    B.Call);
      continue;
    }
    // To the language they are assignments of numbers.
    if (auto All = declaredNumber(*B.Call);
        Moves && All && !hasOtherNumbers(B, B.To, All->T) &&
        !hasOtherNumbers(B, B.From, All->T)) {
      B.Numbers = {*All};
      continue;
    }
    SmallVector<BulkAccess::Field, 4> Certain;
    bool IsDoubtful = false;
    if (Moves)
      Certain = certainNumbers(B, {B.To, B.From}, CertainHere, O, &IsDoubtful);
    // Whatever else the pointer may lead to, numbers alone are cleared there.
    else if (!takesTurns(B.To) &&
             !CertainHere.mayHoldPointers(B.To,
                                          O.extentOf(B.Bytes, B.To, B.From)) &&
             areAll(certainNumbers(B, B.To, CertainHere, O), B, O, DL))
      continue;
    bool IsClear = fieldsOf(B, B.To) && (!B.From || fieldsOf(B, B.From));
    // What is loaded from the same place twice are two objects.
    for (const BulkAccess::Field &F : Certain)
      if (!is_contained(B.Numbers, F))
        B.Numbers.push_back(F);
    dropContained(B.Numbers);
    dropContained(B.Pointers);
    SmallVector<Cell, 8> Others;
    IsClear = IsClear && areApart(B, DL) && othersOf(B, B.To, Others) &&
              (!B.From || othersOf(B, B.From, Others));
    B.Others = asFields(Others, F.getContext());
    bool IsCertain = true;
    const CopiedRecord Record = copiedRecord(*B.Call);
    auto IsContradicted = [&](const BulkAccess::Field &Each) {
      return isContradicted(Each, Record, DL);
    };
    const bool IsDeclaredElse = Moves && any_of(B.Numbers, IsContradicted);
    if (Moves) {
      if (Record.IsInMixed) {
        Certain.clear();
        IsDoubtful = true;
      }
      erase_if(Certain, IsContradicted);
      dropContained(Certain);
      BulkAccess Known = B;
      Known.Numbers = std::move(Certain);
      Known.Pointers = certainOthers(B.Pointers, B, CertainHere, O, DL);
      Known.Others = certainOthers(B.Others, B, CertainHere, O, DL);
      IsCertain = isAllKnown(Known, O, DL);
      // By tape what is accessed shows at run time.
      if (!IsCertain && IsDoubtful && !isAllDeclared(Record)) {
        Refused.add("it is not clear where the numbers are in what is copied",
                    B.Call);
        continue;
      }
      if (!IsCertain)
        B.Certain = {std::move(Known.Numbers), std::move(Known.Pointers),
                     std::move(Known.Others)};
    }
    // What is known if the runtime does not look.
    BulkAccess Seen = B;
    if (B.Certain)
      Seen.Others = B.Certain->Others;
    // Where one number is and nothing else, more of them are.
    bool IsUniform = Others.empty() && B.Pointers.empty() &&
                     !B.Numbers.empty() && !IsDeclaredElse;
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
    else if (!IsLocal && B.Numbers.empty() && B.Pointers.empty() &&
             Others.empty() && declaredNumber(*B.Call))
      B.Numbers = {*declaredNumber(*B.Call)};
    else if (!IsLocal && Moves &&
             (!IsCertain || (!IsUniform && !B.Pointers.empty())) &&
             mayBeUntyped(B))
      B.IsUntyped = true;
    else if (!IsLocal && IsDeclaredElse)
      Refused.add("numbers of unknown type are copied", B.Call);
    else if (!IsLocal && !B.Pointers.empty() && !detachesNumbers(*B.Call))
      Refused.add("a copy writes pointers to memory of the caller", B.Call);
    else if (!IsLocal && !IsUniform && !isAllKnown(Seen, O, DL))
      Refused.add("numbers of unknown type are copied", B.Call);
    if (Moves)
      continue;
    // All of the shadow is cleared: what is overwritten is not known by what
    // comes there, and in memory of the caller not by what is accessed.
    if (IsLocal ? !mayLackShadow(B.To)
                : B.Pointers.empty() && !detachesNumbers(*B.Call))
      B.Numbers.clear();
  }
  if (!Refused)
    spreadUntyped();
}

/// Whether the runtime can look what \p B moves. Not where an outer request
/// would differentiate that, nor where the language has numbers of two bytes,
/// of which two may be taken for one; shadow structures of the caller may not
/// lead to siblings of variables, which do not last.
bool VariedMemory::mayBeUntyped(const BulkAccess &B) const {
  BulkAccess Looked = B;
  Looked.keepCertain();
  if (!MayMap || MapsConstants || takesTurns(B.To) || takesTurns(B.From) ||
      hasTwoByteNumbers(*F.getParent()) || !kindsOfBytes(Looked, F.getParent()))
    return false;
  return none_of(O.placesOf(B.From), [&](const Place &Q) {
    return any_of(O[Q.Object].Contents, [&](const Object::Content &C) {
      return O[C.Target.Object].hasSibling() &&
             O[C.Target.Object].K != Object::Heap;
    });
  });
}

/// What untyped copies read of local memory came there by such copies, too.
void VariedMemory::spreadUntyped() {
  SmallVector<BulkAccess *, 8> Work;
  for (auto &[Call, B] : Bulk)
    if (B.IsUntyped)
      Work.push_back(&B);
  CopiesUntyped = !Work.empty();
  // Where the language has types for one copy and none for another, the tape
  // knows by the first what the second moves.
  auto IsDeclared = [](const BulkAccess &B) {
    return any_of(copiedNumbers(*B.Call),
                  [](const struct CopiedNumbers &N) { return N.IsOfLanguage; });
  };
  if (any_of(Bulk, [&](const auto &Each) { return IsDeclared(Each.second); }))
    for (BulkAccess *B : Work)
      if (!IsDeclared(*B))
        Refused.add("numbers of unknown type are copied", B->Call);
  auto LookAt = [](BulkAccess &B) {
    B.IsUntyped = true;
    B.keepCertain();
  };
  for (BulkAccess *B : Work)
    LookAt(*B);
  while (!Work.empty()) {
    Places From = O.placesOf(Work.pop_back_val()->From);
    for (auto &[Call, B] : Bulk) {
      if (B.IsUntyped || !isShadowed(B.To) ||
          none_of(O.placesOf(B.To), [&](const Place &Q) {
            return O[Q.Object].hasSibling() &&
                   any_of(From,
                          [&](const Place &P) { return P.Object == Q.Object; });
          }))
        continue;
      if (B.From && isShadowed(B.From)) {
        if (!mayBeUntyped(B))
          return Refused.add("numbers of unknown type are copied", B.Call);
        LookAt(B);
        Work.push_back(&B);
      } else if (!B.Numbers.empty()) {
        // It ends the adjoints of those alone.
        return Refused.add("numbers of unknown type are copied", B.Call);
      }
    }
  }
}
