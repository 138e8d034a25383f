//===- MovedAddresses.h - pointers that are moved as doubles ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Doubles that may be the bits of a pointer with a shadow. They matter only
// where somebody loads pointers.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPED_MOVEDADDRESSES_H
#define VERSO_TAPED_MOVEDADDRESSES_H

namespace llvm {
class Module;
} // namespace llvm

namespace verso {

/// Whether the program in \p M loads pointers, or makes some of bits, and moves
/// doubles that may be of any type. Asked of the program as it is, before code
/// of ours stands in it.
bool mayMoveAddresses(const llvm::Module &M);

} // namespace verso

#endif // VERSO_TAPED_MOVEDADDRESSES_H
