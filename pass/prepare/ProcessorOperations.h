//===- ProcessorOperations.h - x86's own, in LLVM's words -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries with kernels for vectors (Eigen) call x86's intrinsics, and write
// single instructions of arithmetic as inline assembly where they do not trust
// compilers. Each is said here by instructions and intrinsics of LLVM that have
// rules; the results are the same, bit for bit. What is not known stays, and is
// refused later if it meets a number that varies.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_PROCESSOROPERATIONS_H
#define VERSO_PREPARE_PROCESSOROPERATIONS_H

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace verso {

/// To be called before vectors, and masked accesses, are taken apart.
void expandProcessorOperations(llvm::Function &F);

/// Whether \p Call gives some bits of reciprocals or of reciprocal roots: once
/// expanded, the bits alone.
bool isEstimate(const llvm::CallBase &Call);

} // namespace verso

#endif // VERSO_PREPARE_PROCESSOROPERATIONS_H
