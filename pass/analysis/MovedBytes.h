//===- MovedBytes.h - integers that move bytes of numbers -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers and pointers travel through integer registers, byte by byte or whole.
// What only moves bytes moves derivatives with them; anything else loses them.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_MOVEDBYTES_H
#define VERSO_ANALYSIS_MOVEDBYTES_H

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace verso {

class Activity;

/// Whether \p I moves whole bytes of its operands, as far as constants tell.
bool keepsBytes(const llvm::Instruction &I);

/// Whether integer \p V has bits of an active real number that went through an
/// operation which does not keep bytes.
bool losesRealBits(const llvm::Value *V, const Activity &A);

} // namespace verso

#endif // VERSO_ANALYSIS_MOVEDBYTES_H
