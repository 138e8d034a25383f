//===- VersionLoop.h - a loop in two versions -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may be done to a loop only where its accesses are apart, say, is done
// behind a check; else a copy of the loop as it was is run.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_VERSIONLOOP_H
#define VERSO_EMIT_VERSIONLOOP_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace verso {

/// preheader: if (Condition) goto \p L, else to a copy of it, whose blocks have
/// this suffix; returns the copy. \p Condition is computed in the preheader, or
/// null for true. The loop is in simplified and LCSSA form, and left by its
/// latch only; \p Map says what is what in the copy.
llvm::Loop &versionLoop(llvm::Loop &L, llvm::Value *Condition,
                        llvm::StringRef Suffix, llvm::ValueToValueMapTy &Map,
                        llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                        llvm::ScalarEvolution &SE);

} // namespace verso

#endif // VERSO_EMIT_VERSIONLOOP_H
