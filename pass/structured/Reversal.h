//===- Reversal.h - the reversed control flow -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To every block of the recto from which the return can be reached a block of
// the verso, and to every edge its reverse.
//
//   merge          a switch on which predecessor it was: the condition that
//                  decided it, or a phi of constants in the recto
//   loop           enters at a header of its own (so that loops with several
//                  exits stay loops), runs down from the trip count that it was
//                  left with
//   dead ends      (abort, unwinding) have no reverse
//
// The verso refers to values of the recto as they stand there, which is not yet
// valid: Residuals makes it so. The loops of the recto have to be in simplified
// and LCSSA form, and stay so.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_REVERSAL_H
#define VERSO_STRUCTURED_REVERSAL_H

#include "structured/Refusal.h"
#include "structured/Slots.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <functional>

namespace verso {

/// What runs backwards inside and between blocks.
struct ReversedCode {
  /// The instructions of a block, but phis and terminator.
  std::function<void(llvm::BasicBlock &, llvm::IRBuilderBase &)> Block;
  /// What the phis of a block took; called once, before its edges.
  std::function<void(llvm::BasicBlock &, llvm::IRBuilderBase &)> TakePhis;
  /// Gives it to the values that came from a predecessor.
  std::function<void(llvm::BasicBlock &, llvm::BasicBlock &Predecessor,
                     llvm::IRBuilderBase &)>
      GiveToPredecessor;
  /// The values of a loop that all comes to that comes to its reverse by this
  /// exit; none if it may not be left out where nothing comes. May be null.
  std::function<llvm::SmallVector<llvm::Instruction *, 2>(
      llvm::Loop &, llvm::BasicBlock &Exit, llvm::BasicBlock &Exiting)>
      ResultsOfLoop;
  /// Whether nothing came to a value.
  std::function<llvm::Value *(llvm::Instruction &, llvm::IRBuilderBase &)>
      IsZero;
  std::function<void(llvm::Instruction &, llvm::IRBuilderBase &)> Clear;
};

class Reversal {
public:
  Reversal(llvm::Function &F, llvm::LoopInfo &LI, llvm::DominatorTree &DT,
           llvm::ScalarEvolution &SE, Slots &S, Refusals &Refused);

  /// Emits the verso. It starts at start() and ends in end(), both without a
  /// terminator of their own.
  void emit(const ReversedCode &Code);

  /// Takes out of the verso the loops whose reverse does nothing but count: a
  /// search, or the reversal of an index's bits. How often they ran is not
  /// recorded then. To be called when the verso is complete.
  void leaveOutIdleLoops();

  llvm::ReturnInst *returnOfRecto() const {
    return llvm::cast<llvm::ReturnInst>(Return->getTerminator());
  }
  llvm::BasicBlock *start() const { return Start; }
  llvm::BasicBlock *end() const { return End; }
  /// The loop of the recto whose iteration is being reversed in a block of the
  /// verso; null outside loops.
  llvm::Loop *loopOf(const llvm::BasicBlock *Verso) const {
    return Level.lookup(Verso);
  }
  /// The block of the recto whose instructions \p Verso reverses; null if it
  /// reverses none.
  const llvm::BasicBlock *rectoOf(const llvm::BasicBlock *Verso) const {
    return ReversedBlock.lookup(Verso);
  }
  /// The block of the recto before which \p Verso leads to a predecessor; null
  /// if it is no such edge.
  const llvm::BasicBlock *edgeTo(const llvm::BasicBlock *Verso) const {
    return EdgeTo.lookup(Verso);
  }
  /// Whether expand can compute \p E.
  bool canExpand(const llvm::SCEV *E, const llvm::Instruction *At) {
    return Expander.isSafeToExpandAt(E, At);
  }
  /// \p E as a value of the recto at \p At, while the verso already uses values
  /// of the recto and is not connected yet.
  llvm::Value *expand(const llvm::SCEV *E, llvm::Instruction *At);
  /// Blocks of the verso in the order in which they were made.
  llvm::ArrayRef<llvm::BasicBlock *> blocks() const { return Blocks; }
  /// The verso's number of the iteration, from 0, of a loop.
  llvm::AllocaInst *iteration(llvm::Loop *L) const {
    return Loops.find(L)->second.Iteration;
  }
  /// Where a reversed iteration starts.
  llvm::BasicBlock *header(llvm::Loop *L) const {
    return Loops.find(L)->second.Header;
  }
  /// A block of the verso in which an iteration of \p L is reversed.
  llvm::BasicBlock *newBlock(const llvm::Twine &Name, llvm::Loop *L);
  /// A block more in the reverse of \p Recto.
  llvm::BasicBlock *addBlock(const llvm::BasicBlock &Recto);
  bool isReversed(const llvm::BasicBlock *Recto) const {
    return Reverse.contains(Recto);
  }
  /// Where what comes before \p L starts to be reversed: each run of the loop
  /// leads there, and nothing else.
  llvm::BasicBlock *afterReverseOf(const llvm::Loop *L) const {
    return Reverse.lookup(L->getLoopPreheader());
  }
  bool isReversed(llvm::Loop *L) const { return Loops.contains(L); }
  /// Where the reverse of a loop may be left out: the block that is taken in
  /// its place, with the number of the last iteration set, and the branch to
  /// it.
  struct LeftOut {
    llvm::Loop *L;
    llvm::BasicBlock *Block;
    llvm::BranchInst *Branch;
  };
  llvm::ArrayRef<LeftOut> leftOut() const { return LeavesOut; }
  llvm::ScalarEvolution &scalarEvolution() { return SE; }
  /// Of the recto.
  const llvm::DominatorTree &dominatorTree() const { return DT; }
  /// What a phi of a loop's header is: its start and, a pointer's in bytes, its
  /// step, which are available before the loop.
  struct Induction {
    llvm::Value *Start, *Step;
  };
  std::optional<Induction> induction(const llvm::PHINode &Phi) const;
  /// The number of times that the latch of \p L is left for the header, an i64
  /// that is available in the preheader; null if only counting tells.
  llvm::Value *backedges(llvm::Loop *L);
  /// What has to hold for a block to be come to.
  struct EntryCondition {
    llvm::Value *V;
    bool IsTrue;
    bool operator==(const EntryCondition &) const = default;
  };
  /// Adds the conditions on which \p Block, of the recto, is run in an
  /// iteration of \p Around. False if it takes more to tell.
  bool findEntry(const llvm::BasicBlock &Block, const llvm::Loop &Around,
                 llvm::SmallVectorImpl<EntryCondition> &Conditions) const;
  /// Whether they are the same in all iterations of \p L, and can be computed
  /// before it.
  static bool areSettledBefore(const llvm::Loop &L,
                               llvm::ArrayRef<EntryCondition> Conditions);
  /// Whether all of them hold, before \p L, where they are settled; null if
  /// there are none.
  static llvm::Value *emitEntry(llvm::Loop &L,
                                llvm::ArrayRef<EntryCondition> Conditions,
                                llvm::IRBuilderBase &B);
  /// The iterations that \p L makes each time that \p Root, a loop around it,
  /// is run, the outermost one if null; an i64 that is available in the
  /// preheader of that loop; null if not known. Loops from \p Repeats on,
  /// around \p L, count once, and so do \p Within and those around it.
  llvm::Value *iterationsOfNest(llvm::Loop *L, const llvm::Loop *Repeats,
                                const llvm::Loop *Within,
                                llvm::Loop *Root = nullptr);
  /// A guess at the same, where it is not known for certain; null if there is
  /// none.
  llvm::Value *likelyIterationsOfNest(llvm::Loop *L, const llvm::Loop *Repeats,
                                      const llvm::Loop *Within);
  /// The number of the iteration, from 0, in the recto.
  llvm::PHINode *counter(llvm::Loop *L);

private:
  llvm::Value *expandAsI64(const llvm::SCEV *Count, llvm::Instruction *At);
  llvm::Value *expandBefore(llvm::Loop &L, const llvm::SCEV *Count);
  struct ReversedLoop {
    llvm::BasicBlock *Header = nullptr;
    llvm::AllocaInst *Iteration = nullptr;
    /// Which block the reversed iteration starts in: 0 the latch, or an entry
    /// of From, counted from 1.
    llvm::AllocaInst *Start = nullptr;
    llvm::SmallVector<llvm::BasicBlock *, 2> From;
    llvm::PHINode *Counter = nullptr; ///< In the recto, made on demand.
  };
  void findReversible();
  void emitBlock(llvm::BasicBlock &B, const ReversedCode &Code);
  void emitMerge(llvm::BasicBlock &B, llvm::IRBuilderBase &Builder,
                 const ReversedCode &Code);
  void emitHeader(llvm::Loop &L, llvm::IRBuilderBase &Builder,
                  const ReversedCode &Code);
  llvm::BasicBlock *emitEdge(llvm::BasicBlock &B, llvm::BasicBlock &P,
                             const ReversedCode &Code);
  bool leaveOut(llvm::Loop &L, llvm::BasicBlock &Exit,
                llvm::BasicBlock &Exiting, llvm::IRBuilderBase &B,
                const ReversedCode &Code);
  void emitDispatch(llvm::Loop &L);
  bool isIdle(llvm::Loop &L,
              const llvm::SetVector<llvm::BasicBlock *> &Region) const;
  llvm::Value *decidingCondition(llvm::BasicBlock &B, llvm::BasicBlock *&IfTrue,
                                 llvm::BasicBlock *&IfFalse);
  llvm::Value *exitCount(llvm::Loop *L, llvm::BasicBlock &Exit,
                         llvm::BasicBlock &Exiting);

  llvm::Function &F;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  Slots &S;
  Refusals &Refused;
  llvm::SCEVExpander Expander;
  llvm::BasicBlock *Start = nullptr, *End = nullptr, *Return = nullptr;
  llvm::MapVector<const llvm::BasicBlock *, llvm::BasicBlock *> Reverse;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::Loop *> Level;
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *>
      ReversedBlock, EdgeTo;
  llvm::SmallVector<llvm::BasicBlock *, 32> Blocks;
  llvm::MapVector<llvm::Loop *, ReversedLoop> Loops;
  llvm::SmallVector<LeftOut, 4> LeavesOut;
};

} // namespace verso

#endif // VERSO_STRUCTURED_REVERSAL_H
