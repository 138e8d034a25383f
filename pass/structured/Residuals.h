//===- Residuals.h - values of the recto in the verso -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verso is emitted with values of the recto as operands. This makes it
// valid. A value of the recto is
//   live         outside loops, or in an iteration that the verso runs again
//                (Replays.h): a variable carries it over, unless it is
//                arithmetic on arguments;
//   recomputed   in a loop: from values that are available, cheaply, by loading
//                again what has not changed, or what the program stored, from
//                the iteration's number;
//   handed back  by the reverse of the next iteration, which had it
//   (HandedBack); recorded     in a loop: in a column, an array with one
//   element for each
//                iteration that the loop makes in the whole request; or in a
//                row, with one element for each iteration of one run of the
//                loop, if all runs of it within an outer loop load the same.
// Or it is loaded again since the stores that overwrite it are undone
// (UndoneStores.h). What is recorded is a minimal cut between what cannot be
// recomputed and what is needed, weighed by size and depth. Where a loop is no
// vector loop anyway, since nothing tells how often it runs, there are others
// in it, or it records too much, its columns are one, of records; what is never
// recorded in the same iteration shares its bytes.
//
// All columns of a loop share one index, which runs up in the recto and down in
// the verso, across all entries of the loop. A nest whose trip counts are known
// at its entry gets its columns there; a loop whose count is known at its own
// entry makes sure of room there; any other at each iteration. A guess at the
// count of the nest then only saves growing.
//
// What is recorded in a branch that not every iteration takes, and needed in
// the reverse of what the branch leads to alone, has columns of its own, with
// an element each time that the branch is taken: a pair beyond the cut-off
// keeps nothing. Their counter stands, while the branch is reversed, behind its
// element.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RESIDUALS_H
#define VERSO_STRUCTURED_RESIDUALS_H

#include "structured/HandedBack.h"
#include "structured/IterationPaths.h"
#include "structured/Replays.h"
#include "structured/Reversal.h"
#include "structured/ShadowPointers.h"
#include "structured/Snapshots.h"
#include "structured/UndoneStores.h"
#include "structured/memory/Unchanged.h"

#include "llvm/ADT/SetVector.h"

namespace verso {

class Residuals {
public:
  Residuals(llvm::Function &F, llvm::LoopInfo &LI, Reversal &R,
            ShadowPointers &Shadows, Unchanged &Memory, Slots &S,
            Refusals &Refused, UndoneStores *Undone = nullptr,
            Replays *Replayed = nullptr)
      : F(F), LI(LI), R(R), Shadows(Shadows), Memory(Memory), S(S),
        Refused(Refused), Undone(Undone), Replayed(Replayed),
        Copied(LI, R, Memory), Handed(LI, R, S) {}

  /// Splits blocks of the recto; loop information is lost.
  void place();

  bool usesArena() const { return UsesArena; }
  /// Accesses of columns.
  llvm::ArrayRef<llvm::Instruction *> accesses() const { return Accesses; }
  /// Loads of the program's memory.
  llvm::ArrayRef<llvm::Instruction *> reloads() const { return Reloads; }
  /// And what they are copies of.
  const llvm::DenseMap<const llvm::Instruction *, const llvm::Instruction *> &
  originals() const {
    return Originals;
  }
  /// Values that are recorded, one each time that they are computed.
  llvm::ArrayRef<llvm::Instruction *> recorded() const { return InColumns; }
  /// How many of them are kept beyond an iteration that is run again.
  size_t countKept() const {
    return llvm::count_if(InColumns, [&](auto *I) { return !replayOf(*I); });
  }
  /// Why \p I is recorded, for a remark.
  std::string whyRecorded(llvm::Instruction &I);

private:
  struct Column {
    llvm::Type *T; ///< As it lies in memory.
    uint64_t Bytes;
    llvm::AllocaInst *Base;
  };
  /// Bytes of a record, and the blocks that use them: no two in one iteration.
  struct Cell {
    uint64_t Offset, Bytes;
    llvm::SmallVector<const llvm::BasicBlock *, 2> Users;
  };
  struct LoopColumns {
    llvm::SmallVector<Column, 4> Columns;
    /// Not null if there is one column only, of records that hold a value at
    /// each offset: their size.
    llvm::AllocaInst *Stride = nullptr;
    llvm::SmallVector<Cell, 4> Cells;
    llvm::AllocaInst *Total = nullptr;    ///< Iterations so far.
    llvm::AllocaInst *Index = nullptr;    ///< Of the current iteration.
    llvm::AllocaInst *Capacity = nullptr; ///< Null if the columns suffice.
    /// The room of the last request, where nothing else tells.
    llvm::GlobalVariable *LastRoom = nullptr;
    /// Of rows: the loop in all iterations of which they are the same, and
    /// where they start, known before it.
    llvm::Loop *Repeats = nullptr;
    llvm::Instruction *Start = nullptr;
    /// Of what is recorded in a branch only: its first block.
    llvm::BasicBlock *Branch = nullptr;
    /// Where a row is begun, and its length.
    llvm::Instruction *RowAt = nullptr;
    llvm::Value *Length = nullptr;
    /// Where more room is asked for, and for how many iterations.
    llvm::Instruction *RoomAt = nullptr;
    llvm::Value *Room = nullptr;
  };
  using Cache = llvm::DenseMap<llvm::Value *, llvm::Value *>;

  llvm::Instruction *asResidual(llvm::Value *V) const;
  void collectNeeds();
  void checkLevel(const llvm::Instruction &V, const llvm::BasicBlock &User);
  std::optional<llvm::SmallVector<llvm::Value *, 4>>
  ingredients(llvm::Instruction &I);
  bool isOfArguments(llvm::Value *V, unsigned Depth = 0) const;
  bool isWorthComputing(const llvm::Instruction &I) const;
  bool isFoundWithout(const llvm::StoreInst &Store,
                      const llvm::Instruction &I) const;
  llvm::StoreInst *storeOf(llvm::Instruction &I);
  /// What a phi takes from the iteration before is what a load reads there,
  /// this many bytes before what it reads in the same iteration.
  struct LoadBefore {
    llvm::LoadInst *Load;
    int64_t Bytes;
  };
  std::optional<LoadBefore> loadBefore(const llvm::PHINode &Phi);
  static llvm::Type *columnType(llvm::Type *T);
  struct Cut {
    llvm::SmallVector<llvm::Instruction *, 16> Values;
    llvm::SmallVector<llvm::StoreInst *, 4> Stores;
    uint64_t Cost = 0, CostOfStores = 0; ///< In bytes, weighed by depth.
    /// What undone stores overwrite.
    llvm::SmallVector<llvm::LoadInst *, 4> Overwritten;
    /// Of those that were offered.
    llvm::SmallVector<const Snapshots::Group *, 4> Copies;
    /// Loads that cannot be repeated, needed or for something needed.
    llvm::SmallVector<llvm::LoadInst *, 16> Loads;
  };
  /// What it costs to record \p I, in bytes, weighed by depth.
  uint64_t costOf(const llvm::Instruction &I) const;
  /// \p AreUndone: the stores of Undoable cost nothing more. \p Offered may
  /// be copied.
  Cut minimalCut(bool AreUndone = false,
                 llvm::ArrayRef<Snapshots::Group> Offered = {});
  void findUndoable();
  void undoStores(Cut &Without);
  bool takeSnapshots(const Cut &Without);
  llvm::SmallVector<llvm::LoadInst *, 4> rowsNeeded(const Cut &C);
  void replay();
  void handBack();
  void decide();
  /// As in Replays.h; of a loop that is run once, where there are none.
  const llvm::Loop *replayOf(const llvm::Instruction &I) const {
    return Replayed ? Replayed->around(LI.getLoopFor(I.getParent())) : nullptr;
  }
  bool isCarried(const llvm::Instruction &I) const {
    return Replayed ? Replayed->isCarried(I) : !LI.getLoopFor(I.getParent());
  }
  template <typename T> T *again(T *V) const {
    return Replayed ? Replayed->again(V) : V;
  }
  llvm::Value *iterations(llvm::Loop *L);
  void record(llvm::Instruction &I);
  void carryOver(llvm::Instruction &I);
  /// A loop and, of rows, the one that repeats it, or a branch in it.
  using Place = std::tuple<llvm::Loop *, llvm::Loop *, llvm::BasicBlock *>;
  Place placeOf(llvm::Instruction &I) const;
  LoopColumns &columnsOf(Place P);
  void keepRecords(LoopColumns &C);
  llvm::Loop *repeats(llvm::LoadInst &Load);
  void advance(LoopColumns &C);
  llvm::BasicBlock *endOfBranch(const llvm::BasicBlock &Branch) const;
  bool mayCount(llvm::BasicBlock &Branch) const;
  void findBranches(llvm::ArrayRef<llvm::Instruction *> Recorded);
  void findRecords(llvm::ArrayRef<llvm::Instruction *> Recorded);
  void countTaken(LoopColumns &C);
  void countIterations(llvm::Loop *L, LoopColumns &C);
  void allocate(llvm::Loop *L, LoopColumns &C);
  void makeRoom(LoopColumns &C);
  llvm::Value *address(llvm::IRBuilderBase &B, llvm::Instruction &V);
  uint64_t placeInRecord(llvm::Instruction &I, llvm::Loop *L, LoopColumns &C);
  void sizeRecords(LoopColumns &C);
  void replaceUses();
  void swapWhatIsUndone();
  llvm::Value *materialise(llvm::Value *V, llvm::Instruction *Before, Cache &C);
  llvm::Value *loadRecorded(llvm::IRBuilderBase &B, llvm::Instruction &I);
  llvm::Value *recompute(llvm::Instruction &I, llvm::Instruction *Before,
                         Cache &C);

  llvm::Function &F;
  llvm::LoopInfo &LI;
  Reversal &R;
  ShadowPointers &Shadows;
  Unchanged &Memory;
  Slots &S;
  Refusals &Refused;
  /// Null: no store is undone.
  UndoneStores *const Undone;
  /// Null: no iteration is run again.
  Replays *const Replayed;
  llvm::DenseSet<const llvm::BasicBlock *> Verso;
  llvm::SmallSetVector<llvm::Instruction *, 32> Needed;
  llvm::SmallVector<llvm::Instruction *, 16> InColumns;
  /// The number of its column, or its offset in the records of the only one.
  llvm::DenseMap<llvm::Instruction *, unsigned> ColumnOf;
  IterationPaths Paths;
  /// Loads that can be repeated if these stores are undone.
  llvm::MapVector<llvm::Instruction *, llvm::SmallVector<llvm::StoreInst *, 4>>
      Undoable;
  /// Where the program itself keeps a value.
  llvm::DenseMap<llvm::Instruction *, llvm::StoreInst *> Stored;
  llvm::DenseMap<llvm::Instruction *, llvm::AllocaInst *> Carried;
  llvm::MapVector<Place, LoopColumns> Columns;
  Snapshots Copied;
  HandedBack Handed;
  /// What is recorded in rows, and the loop that repeats it.
  llvm::DenseMap<llvm::Instruction *, llvm::Loop *> Rows;
  /// What is recorded in branches.
  llvm::DenseMap<llvm::Instruction *, llvm::BasicBlock *> Branches;
  llvm::SmallVector<llvm::Instruction *, 32> Accesses, Reloads;
  llvm::DenseMap<const llvm::Instruction *, const llvm::Instruction *>
      Originals;
  bool UsesArena = false;
};

} // namespace verso

#endif // VERSO_STRUCTURED_RESIDUALS_H
