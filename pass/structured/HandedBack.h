//===- HandedBack.h - what the reversed iteration before had ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an iteration hands to the next one, the end of a row that is the start
// of the row below, the verso needs twice: as a phi and as its source. It comes
// to the next iteration first, where it is the phi, so a register hands it back
// to the iteration whose source it is:
//
//   recto:  %start = phi [%first, %before], [%end, %latch]
//   verso:  %end = phi [what %end was at last, %before], [%start, %again]
//
// So %end is neither recorded nor loaded. Nor are the row's addresses computed
// from both, as start plus a count: the induction of a loop that leads from
// %start to %end runs down from %end, and waits for nothing.
//
// Loops that the vectoriser may take are left alone, since this
// ties their iterations together: of innermost loops only those are done whose
// recto is tied together by the same phi, for a source that cannot be repeated;
// of others no source that is computed again cheaply.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_HANDEDBACK_H
#define VERSO_STRUCTURED_HANDEDBACK_H

#include "structured/Reversal.h"

namespace verso {

class HandedBack {
public:
  HandedBack(llvm::LoopInfo &LI, Reversal &R, Slots &S) : LI(LI), R(R), S(S) {}

  struct Value {
    llvm::PHINode *Phi;  ///< What it is in the next iteration.
    llvm::PHINode *Last; ///< What it was in the last one, behind the loop.
    llvm::AllocaInst *Slot = nullptr;
  };
  /// Adds the source of \p Phi, if it has one that may be handed back.
  void add(llvm::PHINode &Phi,
           llvm::function_ref<bool(llvm::Instruction &Source)> IsNeeded,
           llvm::function_ref<bool(llvm::Instruction &Source)> MayRepeat);
  bool empty() const { return Values.empty(); }
  const Value *of(const llvm::Instruction &Source) const {
    auto It = Values.find(&Source);
    return It == Values.end() ? nullptr : &It->second;
  }
  /// Where, in the verso, the phi was needed last.
  llvm::BasicBlock *endOfIteration(const Value &V) const {
    return nextIteration(*V.Phi)->getSinglePredecessor();
  }
  /// From where, in the verso, the loop of a phi is entered.
  llvm::SmallVector<llvm::BasicBlock *, 2>
  entries(const llvm::PHINode &Phi) const;

  /// The induction of a row that ends at what is handed back, where it begins
  /// at the phi.
  struct Row {
    llvm::Instruction *End;
    llvm::Instruction *Next; ///< Phi + Step.
    llvm::ConstantInt *Step;
    bool IsSigned; ///< What End is as a number of more bits.
    llvm::AllocaInst *Slot = nullptr;
  };
  /// Null if it is none.
  const Row *rowOf(llvm::PHINode &Phi);

  /// The variables that hold them.
  llvm::AllocaInst *slotOf(const llvm::Instruction &Source);
  llvm::AllocaInst *slotOfRow(llvm::PHINode &Phi);
  /// All that have a variable; more may get one meanwhile.
  using Emitter = llvm::function_ref<llvm::Value *(llvm::Instruction &V,
                                                   llvm::Instruction *Before)>;
  void emit(Emitter Materialise);
  /// Nothing is handed back after all.
  void clear() {
    Values.clear();
    Rows.clear();
  }

private:
  std::optional<Row> findRow(llvm::PHINode &Phi) const;
  llvm::BasicBlock *nextIteration(const llvm::PHINode &Phi) const;

  llvm::LoopInfo &LI;
  Reversal &R;
  Slots &S;
  llvm::MapVector<const llvm::Instruction *, Value> Values;
  llvm::MapVector<llvm::PHINode *, std::optional<Row>> Rows;
};

} // namespace verso

#endif // VERSO_STRUCTURED_HANDEDBACK_H
