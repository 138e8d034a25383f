//===- KernelDescription.h - what the runtime knows of a kernel -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is what the tape has one record of: a loop (Kernels.h), or a call
// whose VJP is given (StagedRecords.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPED_KERNELDESCRIPTION_H
#define VERSO_TAPED_KERNELDESCRIPTION_H

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace verso {

/// A verso_kernel of \p F, which may communicate (rules/Staged.h). Parameters are
/// VERSO_KERNEL_PARAMETERs, accesses the words of verso_kernel_accesses.
llvm::GlobalVariable *emitKernelDescription(llvm::Function &F,
                                            llvm::Function &Reverse,
                                            llvm::ArrayRef<uint32_t> Parameters,
                                            llvm::ArrayRef<uint32_t> Accesses);

} // namespace verso

#endif // VERSO_TAPED_KERNELDESCRIPTION_H
