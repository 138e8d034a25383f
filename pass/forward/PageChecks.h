//===- PageChecks.h - notes pages before tangents are written ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before tangents are written where they are mapped, the page has to be noted
// (Layout.h). The instrumenter marks each such write, and when the function
// stands the marks become checks, where they cost least:
//
//   - before a loop, of the whole range, where the loop certainly writes all of
//     a range that is known when it begins. Its body has no check left and can
//     be vectorised;
//   - once for the writes to one object that follow each other in a block;
//   - else at the write.
//
// To note more pages than are written costs their clearing, nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_PAGECHECKS_H
#define VERSO_FORWARD_PAGECHECKS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// A write of tangents, which \p Stores instructions right behind the mark do.
struct TangentWrite {
  llvm::Value *Context;
  llvm::Value *Pointer; ///< The primal's.
  llvm::Value *Shadow;  ///< In the first direction.
  llvm::Value *IsMapped;
  uint64_t Bytes;
  unsigned Stores;
  bool IsZero;    ///< Zeros need not be written to a page that is clean.
  bool InOnePage; ///< By its alignment.
};

void markTangentWrite(llvm::IRBuilderBase &B, const TangentWrite &W);

/// Whether the page of \p Shadow is not noted yet; \p Dirty is the table.
llvm::Value *isCleanPage(llvm::IRBuilderBase &B, llvm::Value *Dirty,
                         llvm::Value *Shadow);

/// Replaces all marks of \p F.
void placePageChecks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_FORWARD_PAGECHECKS_H
