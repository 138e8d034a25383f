//===- CutInTwo.h - recto and verso as two functions ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_PARTS_CUTINTWO_H
#define VERSO_STRUCTURED_PARTS_CUTINTWO_H

#include "structured/Refusal.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace verso {

using BlockSet = llvm::SmallSetVector<llvm::BasicBlock *, 32>;

/// Whether \p X, which \p Blocks use, is made elsewhere when the function runs.
bool crosses(const llvm::Value *X, const BlockSet &Blocks);

/// What \p Blocks, of which the first dominates all, use of the rest of the
/// function, as \p Crosses tells, except what is computed at once from the rest
/// of it: that they have copies of now.
llvm::SmallVector<llvm::Value *, 32>
findCrossing(const BlockSet &Blocks,
             llvm::function_ref<bool(const llvm::Value *)> Crosses);

/// Emits what says that the recto ends here, returning \p Returned, which may
/// be null, and the verso begins.
llvm::CallInst *emitBoundary(llvm::IRBuilderBase &B, llvm::Value *Returned);

/// Moves the blocks of \p F before its only boundary into \p Recto and those
/// behind it into \p Verso, which are empty, and erases it:
///
///   {r, frame} = recto(...)     values and variables that both use are in the
///   x'... = verso(frame, ...)   frame, a block of the arena
///
/// \p Parameters are what the parameters of \p F are in the other two, by
/// number; the verso's own, of \p VersoParameters, are null in the first.
void cutInTwo(llvm::Function &F, llvm::Function &Recto, llvm::Function &Verso,
              llvm::ArrayRef<llvm::Value *> Parameters,
              llvm::ArrayRef<llvm::Value *> VersoParameters, Refusals &Refused);

} // namespace verso

#endif // VERSO_STRUCTURED_PARTS_CUTINTWO_H
