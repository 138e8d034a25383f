//===- UndoneStores.h - stores that the verso takes back --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where few stores may overwrite what many loads read, it is cheaper to keep
// what the stores overwrite than what the loads read. The verso puts it back
// before what stands before the store is reversed; so loads in the verso read
// what they read in the recto, whatever overlaps. In the end memory holds again
// what the program left there:
//
//   recto:  column[i] = *p;  *p = x;  ++count
//   verso:  log[--count] = {p, *p};  *p = column[i]
//   end:    for each in log: *p = what is there       the last store comes last
//
// A loop that stores once in every iteration, at equal distances, changes what
// is in the column for what is there, and notes for each run where both begin:
//
//   verso:  swap(column[i], *p)            once the loop is reversed:
//           log[--runs] = {p of the first iteration, column, count, steps}
//
// Local variables, and memory of its own that nobody else leads to, end with the
// request and need no log. Nothing is written that
// the program did not write. A store is not undone if its memory may be
// released after it (but at the end of the request), or by code that is not in
// sight; nor in a loop whose reverse may be left out.
//
// A load may be repeated at a place of the verso if no undone store that may
// overwrite its memory lies between it and what is reversed there; the reverse
// of the store takes back what comes after both.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_UNDONESTORES_H
#define VERSO_STRUCTURED_UNDONESTORES_H

#include "structured/IterationPaths.h"
#include "structured/Reversal.h"
#include "structured/memory/Unchanged.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace verso {

class UndoneStores {
public:
  UndoneStores(llvm::Function &F, const Objects &O, Unchanged &Memory,
               const llvm::LoopInfo &LI, Reversal &R, Slots &S)
      : F(F), O(O), Memory(Memory), LI(LI), R(R), S(S) {}

  /// Called where the reverse of \p Store begins: it may be undone there.
  void addPlace(llvm::StoreInst &Store, llvm::IRBuilderBase &B);

  /// The stores that may overwrite what \p Load reads, if they are all that may
  /// and can be undone; none otherwise.
  llvm::ArrayRef<llvm::StoreInst *> overwriting(const llvm::LoadInst &Load);

  /// A block of the verso, by its number in Reversal::blocks(), and how many
  /// places of stores come before in it.
  using Position = std::pair<unsigned, unsigned>;
  /// \p Found is called with all positions at which the verso uses something.
  void forEachUse(llvm::function_ref<void(llvm::Value *, Position)> Found);
  /// Behind all that is in a block of the verso.
  Position endOf(const llvm::BasicBlock &Verso) const {
    return {unsigned(llvm::find(R.blocks(), &Verso) - R.blocks().begin()), ~0u};
  }
  /// Where \p Store is undone; its address is used there.
  Position positionOf(const llvm::StoreInst &Store) const {
    return Places.find(&Store)->second.At;
  }
  /// Whether \p Store may lie between \p Load and what is reversed at P.
  bool mayLieBetween(const llvm::LoadInst &Load, const llvm::StoreInst &Store,
                     Position P);

  /// What it costs each time, in bytes.
  unsigned cost(const llvm::StoreInst &Store);
  /// The log has entries of one size.
  bool mayUndoAll(llvm::ArrayRef<llvm::StoreInst *> Stores);
  /// Entries are of runs of loops, or of single stores.
  void logByLoop(bool Yes) { LogsByLoop = Yes; }
  bool mayLogByLoop(llvm::ArrayRef<llvm::StoreInst *> Stores);
  /// The store will be undone. Returns what it overwrites, in the recto, which
  /// the verso uses.
  llvm::LoadInst *undo(llvm::StoreInst &Store);
  /// A store that is logged by runs of the loop around it.
  struct LoggedByLoop {
    llvm::StoreInst *Store;
    llvm::LoadInst *Old;   ///< What it overwrites, in the recto.
    llvm::StoreInst *Back; ///< In the verso, of an element of the column.
    llvm::Instruction *LogAt;
  };
  llvm::ArrayRef<LoggedByLoop> loggedByLoop() const { return ByLoop; }
  /// Leaves in the column what the store of the verso overwrites. Returns the
  /// store.
  llvm::StoreInst *swap(const LoggedByLoop &Each);
  /// Logs a run, that begins at \p Cell and, in the column, \p Left.
  void writeLog(const LoggedByLoop &Each, llvm::Value *Cell, llvm::Value *Left,
                llvm::Value *Times, uint64_t LeftStep);
  /// Once nothing of the verso is a value of the recto any more.
  void finish();

  /// Accesses of the program's memory, and the stores that made them necessary.
  llvm::ArrayRef<std::pair<llvm::Instruction *, llvm::StoreInst *>>
  accesses() const {
    return Accesses;
  }
  bool undoes(const llvm::Instruction &Overwritten) const {
    return llvm::any_of(Accesses,
                        [&](auto &A) { return A.first == &Overwritten; });
  }
  bool usesArena() const { return Log; }

private:
  struct Place {
    llvm::Instruction *Mark = nullptr;
    Position At = {};
  };
  bool isUndoneAt(const llvm::StoreInst &Store, Position P) const;
  bool mayUndo(llvm::StoreInst &Store);
  bool endsWithRequest(const llvm::StoreInst &Store) const;
  bool isLogged(const llvm::StoreInst &Store);
  const llvm::BitVector &foundByIntegers();
  bool ordersItsLoop(const llvm::StoreInst &Store) const;
  std::optional<int64_t> stepInLoop(const llvm::StoreInst &Store) const;
  void startLog();
  uint64_t entrySize() const;
  llvm::Value *nextEntry(llvm::IRBuilderBase &B);
  void writeLog(llvm::IRBuilderBase &B, llvm::StoreInst &Store);

  llvm::Function &F;
  const Objects &O;
  Unchanged &Memory;
  const llvm::LoopInfo &LI;
  Reversal &R;
  Slots &S;
  llvm::MapVector<const llvm::StoreInst *, Place> Places;
  llvm::DenseMap<const llvm::LoadInst *,
                 llvm::SmallVector<llvm::StoreInst *, 4>>
      Overwriting;
  llvm::DenseMap<const llvm::StoreInst *, bool> Undoable;
  std::optional<llvm::BitVector> ByIntegers; ///< Once somebody asked.
  IterationPaths Paths;
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::StoreInst *>, 8>
      Accesses;
  /// How many entries there are, and will be; the entries.
  llvm::AllocaInst *Count = nullptr;
  llvm::Value *Length = nullptr;
  llvm::CallInst *Log = nullptr;
  llvm::Type *Logged = nullptr;
  bool LogsByLoop = false;
  llvm::SmallVector<LoggedByLoop, 4> ByLoop;
};

} // namespace verso

#endif // VERSO_STRUCTURED_UNDONESTORES_H
