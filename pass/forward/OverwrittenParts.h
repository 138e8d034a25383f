//===- OverwrittenParts.h - numbers of which a part changes -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store of a small integer may overwrite half a double, of which nobody knows
// the derivative then, or all of a float, which is constant then, or have to do
// with no number at all. Forward mode knows no types of memory, so such a store
// marks the granules of tangents that it overwrites (runtime/Overwritten.c),
// and loads of numbers look for marks: one that was overwritten in part has a
// NaN for its tangent, one that was overwritten as a whole has none. Only
// modules with such stores in what is differentiated pay for that.
//
// Halves that are stored with tangents of their own may be those of a number
// that moves; where they are zero, as the lower half of 1.0 is, they leave
// another mark until the upper half follows. (Moved the other way round, 1.0
// becomes a NaN.)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_OVERWRITTENPARTS_H
#define VERSO_FORWARD_OVERWRITTENPARTS_H

#include "llvm/IR/IRBuilder.h"

namespace verso {

/// How many bytes of what may be part of a number \p I writes; 0 if none.
unsigned overwrittenPart(const llvm::Instruction &I);

/// Whether some instruction of \p F may overwrite part of a number.
bool overwritesParts(const llvm::Function &F);

/// \p Bytes at \p Shadow, where tangents are, are overwritten. \p IsOurs: no
/// user looks at what is no number's.
void emitOverwrittenPart(llvm::IRBuilderBase &B, llvm::Value *Shadow,
                         unsigned Bytes, llvm::Value *IsOurs);
/// They have the tangents \p Dot, an i32.
void emitMovedPart(llvm::IRBuilderBase &B, llvm::Value *Shadow,
                   llvm::Value *Dot, llvm::Value *IsOurs);

/// The tangent of a number of which the memory holds \p Dot.
llvm::Value *emitKnownTangent(llvm::IRBuilderBase &B, llvm::Value *Dot);

} // namespace verso

#endif // VERSO_FORWARD_OVERWRITTENPARTS_H
