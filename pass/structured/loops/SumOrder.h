//===- SumOrder.h - the order of sums in reversed loops ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop of the verso adds up is the adjoint of a value that all its
// iterations use. No program says in which order these contributions are added,
// so the vectoriser may choose one: its sums of floating-point numbers are open
// to reassociation while it runs, and closed again afterwards. Operations of
// the program keep the flags that they have. So are sums of loops that the
// program wants to be vectorised (LoopHints.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_SUMORDER_H
#define VERSO_STRUCTURED_LOOPS_SUMORDER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace verso {

/// \p Latch is the terminator of a reversed loop's last block. Loop passes keep
/// the mark.
void markReversed(llvm::Instruction &Latch);
bool isReversed(const llvm::Loop &L);
bool hasReversedLoops(const llvm::Function &F);
/// The loops of \p F are reversed ones no more.
void forgetReversed(llvm::Function &F);
/// Whether \p I adds to \p V, or subtracts from it.
bool isAddedTo(const llvm::Instruction &I, const llvm::Value &V,
               bool OrFused = true);
/// The additions that lead from \p Phi of L's header to its next value; none if
/// anything else does, or sees what is summed before the last of them.
llvm::SmallVector<llvm::Instruction *, 4>
additionsOf(llvm::PHINode &Phi, const llvm::Loop &L, bool OrFused = false);

/// Before the vectoriser.
class OpenSumsPass : public llvm::PassInfoMixin<OpenSumsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

/// After the vectoriser.
class CloseSumsPass : public llvm::PassInfoMixin<CloseSumsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_SUMORDER_H
