//===- LanesApart.h - several directions in loops over arrays ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a request of several directions the tangents of a number are a vector.
// That pays where the primal is scalar code. A loop that the loop vectoriser
// takes in one direction would be lost to it: it does not take vectors, and of
// an array with a shadow for each direction a vector of tangents is gathered
// from as many places. There each direction is better off by itself: the same
// loop over more arrays, in which the vectors are those of several iterations.
//
//   for (i ...)  dy[0..7][i] = gather(dx[0..7][i]) * p     one element a time
//   for (i ...)  dy0[i] = dx0[i] * p; ...; dy7[i] = dx7[i] * p
//
// It is decided for a function as a whole, by where its operations are, and for
// more than eight directions only if no local object has its tangents side by
// side. What is emitted is the same; vectors are taken apart behind it. Local
// objects of such functions have a sibling a direction.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_LANESAPART_H
#define VERSO_FORWARD_LANESAPART_H

#include "analysis/Activity.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// Whether most active operations in loops of \p F, which is not instrumented
/// yet, are in loops that may be vectorised. A store of tangents has to be
/// plain there: \p IsNeverMapped says so of a pointer.
bool prefersLanesApart(llvm::Function &F, const Activity &A,
                       llvm::FunctionAnalysisManager &FAM,
                       llvm::function_ref<bool(llvm::Value *)> IsNeverMapped);

void markLanesApart(llvm::Function &F);

/// Takes the vectors of a function with that mark apart, once all requests are
/// lowered.
void takeLanesApart(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_FORWARD_LANESAPART_H
