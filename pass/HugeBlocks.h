//===- HugeBlocks.h - limits the size of basic blocks -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some of LLVM looks at a whole block again for each of its instructions, or
// for each variable: promotion to registers, SLP vectorisation, the machine
// scheduler. That is quadratic in the size of a block, and the reverse of a
// long straight-line function is one block of ten times as many instructions.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_HUGEBLOCKS_H
#define VERSO_HUGEBLOCKS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// Cuts blocks of at least \p Huge instructions into pieces of about
/// \p MaxSize, and returns all pieces but the first of each block.
llvm::SmallVector<llvm::BasicBlock *, 0>
cutHugeBlocks(llvm::Function &F, unsigned Huge, unsigned MaxSize);

/// Cuts huge blocks so that nothing joins them again: between two pieces stands
/// an empty assembly, which is nothing in the object file. For code that nobody
/// differentiates any more. Such a function is not vectorised.
void separateHugeBlocks(llvm::Function &F);

/// Loops of a very large function are not unrolled by what only the running
/// program knows of their count: it has more code than a processor keeps.
void keepLoopsOfLarge(llvm::Function &F);

/// CodeGenPrepare goes over all blocks of a function again whenever it changes
/// the control flow, unless it thinks the function huge (10,000 blocks): then
/// it comes back to those that it changed. This says so of those with a
/// hundred. To be called once, when the plugin is loaded.
void revisitChangedBlocksOnly();

/// At the end of the optimiser: takes back what kept the vectorisers away,
/// which means something else to code generation. A very long function without
/// a loop is `optnone` from here on: there is little to gain in its machine
/// code, and much of that work is worse than linear. So is one of very many
/// blocks, the twin of an interpreter: it would take minutes.
class AfterVectorizersPass : public llvm::PassInfoMixin<AfterVectorizersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
};

} // namespace verso

#endif // VERSO_HUGEBLOCKS_H
