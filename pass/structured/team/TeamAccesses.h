//===- TeamAccesses.h - which iterations meet in a cell ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads may do at the same time, of a loop of a gradient whose primal
// loop the program shares among threads. That one says (Worksharing.h): a cell
// that an iteration writes is touched by no other iteration. So, of the
// program's memory and its adjoints, where the pointer comes from outside:
//
//   - the recto's own accesses, and the verso's accesses to adjoints of what
//     the iteration stored, meet nothing;
//   - what is left are additions to adjoints of what was only read, and no
//     iteration looks at these.
//
// So only additions meet, and only with additions, which commute. Cells of one
// base pointer are added to in one of three ways:
//
//   Moving  by all accesses at one distance from iteration to iteration: two
//           iterations that are `Meeting` apart, or more, meet nowhere.
//           Threads take neighbouring iterations, and the last ones of each
//           wait until all threads have come so far.
//   Private each thread has cells of its own, which are added up at the end;
//   not
//           where an iteration may look at them, since it stored there.
//   Atomic  where it is not known before the loop which cells they are (an
//           index out of memory): each addition is one for all threads.
//
// What the function has for itself (columns, local variables, their shadows) is
// of nobody's promise: iterations have to be apart there. Or else it is the
// iteration's alone (Worksharing.h), and each thread has its own.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TEAM_TEAMACCESSES_H
#define VERSO_STRUCTURED_TEAM_TEAMACCESSES_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

#include <string>

namespace verso {

/// \p I accesses the adjoint of what the program stored: it reads it, or sets
/// it when it was just cleared.
void markOfStored(llvm::Instruction &I);

/// An addition to a cell: load, sum, store.
struct CellAddition {
  llvm::LoadInst *Load;
  llvm::StoreInst *Store;
};

/// What is known of the accesses by one base pointer. Offsets are integers, in
/// bytes from the base, which the loop does not change.
struct TeamCells {
  enum Way { Moving, Private, Atomic, Apart, Local, Seen };
  Way How;
  llvm::Value *Base;
  llvm::Type *Number = nullptr;
  /// None of what follows is known of Atomic ones. Of the first iteration:
  /// where its cells begin, and where they end.
  const llvm::SCEV *First = nullptr, *End = nullptr;
  /// From one iteration to the next; null: not known.
  const llvm::SCEV *Step = nullptr;
  /// Of all iterations.
  const llvm::SCEV *LeastOffset = nullptr, *EndOffset = nullptr;
  llvm::SmallVector<CellAddition, 4> Additions = {};
  /// (Seen: what iterations look at, to be apart from private cells.) Of a
  /// Local variable: addresses in it; whether the function clears it.
  llvm::SmallSetVector<llvm::Instruction *, 4> Addresses = {};
  bool IsCleared = false;
};

class TeamAccesses {
public:
  TeamAccesses(llvm::Loop &L, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
               llvm::AAResults &AA)
      : L(L), LI(LI), SE(SE), AA(AA) {}

  /// Whether threads may share the loop, as far as memory is concerned; if not,
  /// why() says what is in the way.
  bool find();
  llvm::StringRef why() const { return Why; }
  llvm::ArrayRef<TeamCells> cells() const { return Cells; }

private:
  /// Where one access is, in terms of its base.
  struct Span {
    llvm::Value *Base;
    const llvm::SCEV *First, *End, *Step, *Least, *Most;
  };
  bool note(llvm::Instruction &I);
  bool noteCall(llvm::CallBase &Call);
  bool noteAccess(llvm::Instruction &I, const llvm::Value *Pointer);
  bool isOwn(const llvm::Instruction &I, const llvm::Value *Pointer) const;
  std::optional<CellAddition> additionAt(llvm::StoreInst &Store) const;
  bool isOfStored(const llvm::StoreInst &Store) const;
  const llvm::SCEV *extreme(const llvm::SCEV *S, bool Most) const;
  std::optional<Span> spanOf(llvm::Value *Pointer, uint64_t Bytes) const;
  bool addLocal(llvm::Value *Base);
  bool addOwn(llvm::Value *Base);
  bool addAdded(llvm::Value *Base, llvm::ArrayRef<CellAddition> Additions);
  bool areApart(const TeamCells &A, const TeamCells &C) const;
  bool mayBeSeen(const TeamCells &C);
  bool makeAtomic();
  bool refuse(llvm::StringRef Reason) {
    Why = Reason.str();
    return false;
  }

  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::AAResults &AA;
  std::string Why;
  llvm::MapVector<llvm::Value *, llvm::SmallVector<CellAddition, 4>> Added;
  /// What the function has for itself and the loop writes.
  llvm::MapVector<llvm::Value *, bool> Own;
  llvm::SmallVector<std::pair<llvm::Value *, uint64_t>, 16> OwnAccesses;
  llvm::SmallVector<llvm::Instruction *, 8> OfStoredCells;
  /// What the verso does to adjoints beside additions.
  llvm::SmallVector<llvm::Instruction *, 8> Seeing;
  llvm::SmallVector<TeamCells, 4> Cells;
};

} // namespace verso

#endif // VERSO_STRUCTURED_TEAM_TEAMACCESSES_H
