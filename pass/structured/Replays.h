//===- Replays.h - iterations that are run again in the verso ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loss is a sum over independent points. Its recto would keep for all points
// what the verso needs of each; instead, the verso runs a point's recto again,
// directly before it reverses that point:
//
//   recto:  for i: s += f(x[i])          recto:  nothing, if s is not needed
//   verso:  for i down: reverse of       verso:  for i down: f(x[i]) again;
//           s += f(x[i])                         its reverse
//
// What the verso needs of an iteration of such a loop is carried over as if it
// stood outside loops; what inner loops record lasts for one iteration. Of the
// loop is run again what the verso's needs depend on (a slice); so sums, in
// registers or memory, need no care. The slice gives what it gave in the recto,
// for it reads
//   - values from outside the loop, the number of the iteration;
//   - memory that is unchanged when the verso runs;
//   - local memory that the same iteration has written before (work arrays).
// It writes to the latter only. Whatever the verso loads there later was not
// written after it was read in the recto; nor is it by the slice, then.
//
// A loop is replayed if its recto is dead then: the cost is that of moving it.
//
// An iteration that is told by the one before, a node of a list, cannot be run
// again from its number. But where the reverse of one iteration hands nothing
// to that of another, as sums do not, the order is ours: the verso runs
// forwards, with the conditions of the recto, and nothing is kept, nor counted:
//
//   verso:  p = head; do { reverse of s += f(p->x) } while (p = p->next)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_REPLAYS_H
#define VERSO_STRUCTURED_REPLAYS_H

#include "structured/Reversal.h"
#include "structured/ShadowPointers.h"
#include "structured/memory/Unchanged.h"

#include "llvm/ADT/SetVector.h"

namespace verso {

class Replays {
public:
  Replays(llvm::Function &F, llvm::LoopInfo &LI, Reversal &R, const Objects &O,
          Unchanged &Memory, ShadowPointers &Shadows, Slots &S)
      : F(F), LI(LI), R(R), O(O), Memory(Memory), Shadows(Shadows), S(S) {}

  using Values = llvm::SmallSetVector<llvm::Instruction *, 32>;
  /// Emits the replays of loops in which something of \p Recorded would be
  /// recorded. \p Needed is what the verso uses. Returns whether there are any.
  bool choose(const Values &Recorded, const Values &Needed);

  bool any() const { return !Replayed.empty(); }
  /// The replayed loop that \p L is or is in; null if there is none.
  const llvm::Loop *around(const llvm::Loop *L) const;
  /// Whether the verso of \p I follows its recto, with no loop between.
  bool isCarried(const llvm::Instruction &I) const {
    const llvm::Loop *L = LI.getLoopFor(I.getParent());
    return !L || (Replayed.contains(L) &&
                  (Forwards.contains(L) || !(llvm::isa<llvm::PHINode>(I) &&
                                             L->getHeader() == I.getParent())));
  }
  /// Where it is computed for the verso: in the replay, if it is replayed.
  llvm::Instruction *again(llvm::Instruction *I) const {
    llvm::Instruction *Copy = Copies.lookup(I);
    return Copy ? Copy : I;
  }
  llvm::BasicBlock *again(llvm::BasicBlock *B) const {
    llvm::BasicBlock *Copy = Blocks.lookup(B);
    return Copy ? Copy : B;
  }
  void setAgain(llvm::Instruction &I, llvm::Instruction &Copy) {
    Copies[&I] = &Copy;
  }
  /// The number of iterations of \p L, in a replay; null if only counting
  /// tells.
  llvm::Value *iterations(const llvm::Loop *L) const {
    return Iterations.lookup(L);
  }
  /// Accesses of the program's memory, and what they are copies of.
  llvm::ArrayRef<std::pair<llvm::Instruction *, llvm::Instruction *>>
  accesses() const {
    return Accesses;
  }
  /// Leaves out the rectos that nobody needs any more; to be called when all
  /// else that nobody needs is gone.
  void leaveOutRectos();

private:
  bool isDead(const llvm::Loop &L, const Values &Needed,
              const Values &Counts) const;
  bool mayRunForwards(llvm::Loop &L) const;
  llvm::SmallVector<llvm::StoreInst *, 2>
  countsBefore(llvm::Loop &L, Values &Needed, Values &Counts) const;
  bool isReadIn(llvm::ArrayRef<llvm::BasicBlock *> Later,
                llvm::Instruction &Write) const;
  bool findSlice(llvm::Loop &L, const Values &Needed, Values &Slice);
  bool findForwards(llvm::Loop &L, Values Needed, Values &Slice);
  bool addToSlice(llvm::Instruction &I, llvm::Loop &L, Values &Slice);
  bool addWritesFor(llvm::LoadInst &Load, llvm::Loop &L, Values &Slice);
  bool isWrittenBefore(const llvm::Instruction &Write,
                       const llvm::LoadInst &Load) const;
  bool isElseUnchanged(const llvm::BranchInst &Branch, bool IsTrue,
                       const llvm::LoadInst &Load) const;
  bool holdsAt(const llvm::BranchInst &Branch, bool IsTrue,
               const llvm::BasicBlock &At) const;
  void emit(llvm::Loop &L, const Values &Slice);
  void runForwards(llvm::Loop &L, const Values &Slice);

  llvm::Function &F;
  llvm::LoopInfo &LI;
  Reversal &R;
  const Objects &O;
  Unchanged &Memory;
  ShadowPointers &Shadows;
  Slots &S;
  llvm::SmallPtrSet<const llvm::Loop *, 4> Replayed, Forwards;
  /// Where they begin, and what they are left for.
  llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>, 4>
      Rectos;
  llvm::DenseMap<const llvm::Instruction *, llvm::Instruction *> Copies;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> Blocks;
  llvm::DenseMap<const llvm::Loop *, llvm::Value *> Iterations;
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::Instruction *>, 16>
      Accesses;
};

} // namespace verso

#endif // VERSO_STRUCTURED_REPLAYS_H
