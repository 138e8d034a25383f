//===- ConstantFields.h - what local variables hold all along ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank and type of a Fortran array are stored in its descriptor when that is
// made, and are asked for by each assignment of the array, in loops as well.
// The stores in between go to other fields, some of them at an index that is
// not known, so that the descriptor is not split into scalars, and they are too
// many to be walked over backwards:
//
//   store i8 1, d.rank                  store i8 1, d.rank
//   loop:                               loop:
//     store i64 %n, d.dims[%k].extent     store i64 %n, d.dims[%k].extent
//     %r = load i8, d.rank          =>
//     br (%k < %r)                        br (%k < 1)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_CONSTANTFIELDS_H
#define VERSO_STRUCTURED_CONSTANTFIELDS_H

#include "llvm/IR/Function.h"

namespace verso {

/// Loads from local variables that are not passed on become a constant, if
/// everything that is ever stored there is that constant, or comes from where
/// this is so. Whether there were any.
bool foldConstantFields(llvm::Function &F);

} // namespace verso

#endif // VERSO_STRUCTURED_CONSTANTFIELDS_H
