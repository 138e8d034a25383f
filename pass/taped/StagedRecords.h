//===- StagedRecords.h - calls with a given VJP on the tape -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A staged call (prepare/StagedCalls.h) is a kernel to the runtime
// (runtime/Kernels.h), recorded when it has run: it has read all of one block
// and written all of another. The record has copies of both, and their reverse
// is the program's VJP. The tape has no other way to follow such a call: where
// it can make no record, that is an error of the program.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPED_STAGEDRECORDS_H
#define VERSO_TAPED_STAGEDRECORDS_H

#include "llvm/IR/IRBuilder.h"

namespace verso {

/// Emits, behind the staged \p Call, whether it has been recorded; null if no
/// VJP is given.
llvm::Value *emitStagedRecord(llvm::IRBuilderBase &B, llvm::CallBase &Call,
                              llvm::Value *Context);

} // namespace verso

#endif // VERSO_TAPED_STAGEDRECORDS_H
