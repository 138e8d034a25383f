//===- VariedMarks.cpp - memory whose bytes are marked --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which memory is marked (KindMarks.h): local objects of which some bytes are
// numbers and something else in turn, and whatever is accessed by the same
// instruction, or copied to them or from them. All of it has to be local, or
// have no shadow: what the caller stored has no marks.
//
//===----------------------------------------------------------------------===//

#include "analysis/AccessTypes.h"
#include "structured/memory/Varied.h"
#include "structured/recursion/Recursion.h"

#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral Mixed =
    "memory that holds numbers is accessed as different types";

/// Types of numbers that have marks.
static bool hasMarks(const Type *T) {
  return T->isFloatTy() || T->isDoubleTy() || T->isX86_FP80Ty();
}

/// Whether \p Load is stored as it is, and nothing is computed from it.
static bool isOnlyMoved(const LoadInst &Load) {
  SmallPtrSet<const Value *, 8> Seen{&Load};
  SmallVector<const Value *, 8> Work{&Load};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<PHINode, SelectInst, FreezeInst>(U)) {
        if (Seen.insert(U).second)
          Work.push_back(U);
      } else if (!isa<StoreInst>(U)) {
        return false;
      }
    }
  return true;
}

/// Whether object \p K may be marked. Members and outer requests do not know of
/// the window, and there is one; frames are many.
bool VariedMemory::mayMark(unsigned K) const {
  auto *Call = dyn_cast_or_null<CallBase>(O[K].Base);
  return MayMap && !MapsConstants && O[K].isLocal() &&
         !(Call && isFrame(*Call));
}

void VariedMemory::spreadMarks() {
  if (Refused || ObjectMarked.none())
    return;
  bool Changed = false;
  auto MarkAll = [&](const Value *P) {
    for (const Place &Q : O.placesOf(P))
      if (O[Q.Object].canHaveShadow() && !ObjectMarked.test(Q.Object)) {
        ObjectMarked.set(Q.Object);
        Changed = true;
      }
  };
  do {
    Changed = false;
    for (const Access &A : Accesses)
      if (A.T && isMarked(A.Pointer) &&
          (isa<StoreInst>(A.I) || A.T->isFloatingPointTy()))
        MarkAll(A.Pointer);
    for (const auto &[Call, B] : Bulk) {
      bool Moves = B.From && isShadowed(B.From) && isShadowed(B.To);
      if (!isMarked(B.To) && !(Moves && isMarked(B.From)))
        continue;
      MarkAll(B.To);
      if (Moves)
        MarkAll(B.From);
    }
  } while (Changed);
  for (const Access &A : Accesses) {
    if (!isMarked(A.Pointer))
      continue;
    auto *Store = dyn_cast<StoreInst>(A.I);
    if (!A.T || (A.T->isFloatingPointTy() && !hasMarks(A.T)))
      return Refused.add(Mixed, A.I);
    if (Store && A.T->isIntegerTy() &&
        Varied.contains(Store->getValueOperand()) && !moveWord(*Store) &&
        !storesInteger(*Store))
      return Refused.add("bytes that may be a number are moved as integers",
                         Store);
    // Two floats in a double, say: the marks of neither are those of one
    // number.
    auto *Load = dyn_cast<LoadInst>(A.I);
    if (Load && A.T->isFloatingPointTy() && isOnlyMoved(*Load) &&
        any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
          return any_of(Cells[Q.Object], [&](const Cell &C) {
            return C.T->isFloatingPointTy() && C.T != A.T &&
                   C.At.overlaps(C.Size, Q.At, DL.getTypeStoreSize(A.T));
          });
        }))
      return Refused.add("numbers are moved as those of another type", Load);
  }
  for (unsigned K = 0; K != O.size(); ++K)
    if (ObjectMarked.test(K) && !mayMark(K))
      return Refused.add(Mixed, Conflict);
}

/// How the numbers lie where \p P points to, by words from there; finds them.
/// Those that may be anywhere may be cut (and lost: __verso_keep_words_8).
VariedMemory::Fit
VariedMemory::fitWords(const Value *P, uint64_t Bytes,
                       SmallVectorImpl<OffsetClass> &Numbers) const {
  Fit Result = Fit::Always;
  for (const Place &Q : O.placesOf(P)) {
    if (Cells[Q.Object].size() == MaxCells)
      return Fit::Never;
    for (const Cell &C : Cells[Q.Object]) {
      OffsetClass At = C.At.moved(Q.At, {});
      if (!C.T->isFloatingPointTy() || !C.At.overlaps(C.Size, Q.At, Bytes))
        continue;
      if (C.T->isX86_FP80Ty())
        return Fit::Never;
      if (At.Step && At.Step < C.Size)
        Result = Fit::MayCut;
      else if (At.Offset % int64_t(C.Size) || At.Step % C.Size)
        return Fit::Never;
      Numbers.push_back(At);
    }
  }
  return Result;
}

/// Whether \p Store moves a whole word that was loaded from marked memory: with
/// it goes whatever is in it.
bool VariedMemory::moveWord(const StoreInst &Store) {
  auto *Load =
      const_cast<LoadInst *>(dyn_cast<LoadInst>(Store.getValueOperand()));
  uint64_t Bytes = DL.getTypeStoreSize(Store.getValueOperand()->getType());
  SmallVector<OffsetClass, 8> Numbers;
  if (!Load || !Load->isSimple() || !Store.isSimple() ||
      (Bytes != 4 && Bytes != 8))
    return false;
  const Value *Ends[] = {Store.getPointerOperand(), Load->getPointerOperand()};
  for (const Value *P : Ends)
    if (mayLackShadow(P) || fitWords(P, Bytes, Numbers) == Fit::Never ||
        any_of(O.placesOf(P),
               [&](const Place &Q) { return !ObjectMarked.test(Q.Object); }))
      return false;
  // Half of a double would be lost.
  if (Bytes == 4)
    for (const Value *P : Ends)
      for (const Place &Q : O.placesOf(P))
        for (const Cell &C : Cells[Q.Object])
          if (C.T->isDoubleTy() && C.At.overlaps(C.Size, Q.At, Bytes))
            return false;
  MovedWords[&Store] = Load;
  LoadedWords.insert(Load);
  return true;
}

/// Whether all that \p V is chosen from was loaded as what the language calls
/// an integer.
static bool isChosenFromIntegers(const Value *V) {
  SmallSetVector<const Value *, 4> Work;
  Work.insert(V);
  for (unsigned K = 0; K != Work.size(); ++K) {
    auto *Load = dyn_cast<LoadInst>(Work[K]);
    if (Load && isIntegerForCertain(*Load))
      continue;
    if (auto *Choice = dyn_cast<PHINode>(Work[K]))
      Work.insert(Choice->op_begin(), Choice->op_end());
    else if (auto *Select = dyn_cast<SelectInst>(Work[K]))
      Work.insert(Select->op_begin() + 1, Select->op_end());
    else if (!isa<Constant>(Work[K]))
      return false;
  }
  return true;
}

/// Whether \p Store is of what the language calls an integer, where it was
/// loaded, too: a variant's member. Or it is of a choice among loaded integers,
/// and numbers are only there as they may be anywhere (behind a string, say): a
/// length. Should it be a number after all, it is lost.
bool VariedMemory::storesInteger(const StoreInst &Store) {
  if (!isIntegerForCertain(Store))
    return false;
  if (isChosenFromIntegers(Store.getValueOperand()))
    return Losing.insert(&Store).second;
  if (!isa<PHINode, SelectInst>(Store.getValueOperand()))
    return false;
  uint64_t Bytes = DL.getTypeStoreSize(Store.getValueOperand()->getType());
  for (const Place &Q : O.placesOf(Store.getPointerOperand()))
    for (const Cell &C : Cells[Q.Object])
      if (C.T->isFloatingPointTy() && (!C.At.Step || C.At.Step >= C.Size) &&
          C.At.overlaps(C.Size, Q.At, Bytes))
        return false;
  return Losing.insert(&Store).second;
}

/// Whether both sides have shadows, and it is few words; finds those with
/// numbers.
bool VariedMemory::findWords(BulkAccess &B) const {
  constexpr uint64_t MaxBytes = 64;
  auto *Size = dyn_cast<ConstantInt>(B.Bytes);
  if (!Size || Size->getValue().ugt(MaxBytes) || mayLackShadow(B.To) ||
      mayLackShadow(B.From))
    return false;
  const uint64_t Bytes = Size->getZExtValue();
  SmallVector<OffsetClass, 8> Numbers;
  if (fitWords(B.To, Bytes, Numbers) != Fit::Always ||
      fitWords(B.From, Bytes, Numbers) != Fit::Always)
    return false;
  for (uint64_t At = 0, N = 8; At != Bytes; At += N) {
    while (N > Bytes - At)
      N /= 2;
    if (any_of(Numbers, [&, At = At, N = N](OffsetClass Number) {
          return Number.overlaps(8, {int64_t(At), 0}, N);
        }))
      B.Words.push_back({At, N});
  }
  return true;
}

/// Whether \p B, in a loop, moves numbers whose place is known.
bool VariedMemory::movesRecords(const BulkAccess &B, uint64_t Extent) const {
  if (!FAM.getResult<LoopAnalysis>(F).getLoopFor(B.Call->getParent()))
    return false;
  return any_of(O.placesOf(B.From), [&](const Place &Q) {
    return any_of(Cells[Q.Object], [&](const Cell &C) {
      return C.T->isFloatingPointTy() && (!C.At.Step || C.At.Step >= C.Size) &&
             C.At.overlaps(C.Size, Q.At, Extent);
    });
  });
}

/// Whether \p B, which goes to marked memory, is understood: no part of it that
/// is known cuts a number, and what may have no shadow are constants and
/// characters, which get no pointers that need one.
bool VariedMemory::checkMarked(BulkAccess &B) {
  B.IsMarked = B.From && isShadowed(B.From);
  if (!B.IsMarked)
    return true;
  if (any_of(O.placesOf(B.To), [&](const Place &Q) {
        return !O[Q.Object].hasSibling() && O[Q.Object].K != Object::Table &&
               O[Q.Object].K != Object::Text;
      }))
    return false;
  B.IsByWords = findWords(B);
  uint64_t Extent = O.extentOf(B.Bytes, B.To, B.From);
  // The tape has nothing to reverse where something was moved; but a few words
  // in line are cheaper than its records of what is read there and written.
  if (Refused.hasChoice() && !B.IsByWords && movesRecords(B, Extent))
    Refused.add("in a loop it moves records of several kinds, which a tape "
                "does faster",
                B.Call);
  if (!isa<ConstantInt>(B.Bytes))
    return true;
  for (const Value *P : {B.To, B.From})
    for (const Place &Q : O.placesOf(P))
      for (const Cell &C : Cells[Q.Object]) {
        // Numbers that may be anywhere are no reason to think so.
        bool IsKnown = !C.At.Step || C.At.Step >= C.Size;
        if (C.T->isFloatingPointTy() && IsKnown &&
            C.At.overlaps(C.Size, Q.At, Extent) &&
            !C.At.isFilledBy(C.Size, Q.At, Extent))
          return false;
      }
  return true;
}
