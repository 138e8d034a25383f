//===- TypedCopies.h - small copies whose parts are known -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of a few bytes to memory of the caller becomes loads and stores of the
// numbers, pointers and integers in it, if what all of it is can be told: by
// the type of the assignment (!tbaa.struct) and by accesses of either side.
//
//   memcpy(p, q, 16)   =>   %x = load double, q;      %n = load ptr, q + 8
//                           store double %x, p;       store ptr %n, p + 8
//
// So what a copy brings to a structure of the caller is known one by one:
// shadow pointers follow, integers are none of our business. No bit changes,
// but padding stays as it was. So do null pointers that a memset writes (a
// vector that is moved from).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TYPEDCOPIES_H
#define VERSO_STRUCTURED_TYPEDCOPIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"

namespace verso {

/// \p DupArguments are the pointers of \p F that have shadows.
void typeCopies(llvm::Function &F, llvm::ArrayRef<llvm::Value *> DupArguments,
                llvm::ScalarEvolution &SE, const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_STRUCTURED_TYPEDCOPIES_H
