//===- Tangent.h - what forward mode carries beside a value -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tangent of an SSA value of type T, in each of `width` directions:
//
//   real number   T         its derivative
//   pointer       ptr       where the tangent of what it points to is
//   integer iN    iN        the tangent's bytes, where N bits move a number's
//   or
//                           pointer's bytes; else 0
//   vector, array, struct   the same, element by element: of type T again
//
// Of width 1 it is that; of a larger width a vector of the tangents of a real
// number (filled up to a power of two), an array of those of anything else. All
// zeros always means "nothing to differentiate"; for a pointer, that its
// tangents are where it is mapped.
//
// A *mapped* address is one in the request's own tangent memory (Layout.h). To
// an outer request it is an address like any other, not one derived from the
// primal's: it is opaque until all requests are lowered.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_TANGENT_H
#define VERSO_EMIT_TANGENT_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace verso {

/// The type of the tangents of a value of type \p T.
llvm::Type *tangentType(llvm::Type *T, unsigned Width);

/// The tangents of something inactive.
llvm::Constant *zeroTangent(llvm::Type *T, unsigned Width);

/// One direction's part of \p Tangents.
llvm::Value *takeLane(llvm::IRBuilderBase &B, llvm::Value *Tangents,
                      unsigned Width, unsigned Lane);

/// The tangents of a value of type \p T from those of each direction.
llvm::Value *packLanes(llvm::IRBuilderBase &B, llvm::Type *T,
                       llvm::ArrayRef<llvm::Value *> Lanes);

/// The tangents of a local object or of a block of the arena may lie in a
/// sibling of its own, if nobody else learns its address.
void giveSibling(llvm::Instruction &I);
bool hasSibling(const llvm::Instruction &I);
/// What an inner request decided about local objects of \p F is forgotten.
void forgetSiblings(llvm::Function &F);

/// p + delta, opaque.
llvm::Value *mappedAddress(llvm::IRBuilderBase &B, llvm::Value *P,
                           llvm::Value *Delta);
bool isMappedAddress(const llvm::CallBase &Call);

/// Replaces what mappedAddress() emitted by arithmetic.
void lowerMappedAddresses(llvm::Module &M);

/// Removes the beginnings and ends of forward requests in \p F that need no
/// tangents in memory. Returns whether there were any.
bool dropUnusedTangents(llvm::Function &F);

} // namespace verso

#endif // VERSO_EMIT_TANGENT_H
