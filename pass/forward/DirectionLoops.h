//===- DirectionLoops.h - loops over directions -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Jacobian is often computed a direction at a time:
//
//   for (k = 0; k < n; ++k) {
//     v[k] = 1;
//     J[k] = __verso_jvp(f, verso_dup, x, v);
//     v[k] = 0;
//   }
//
// Requests of one function on the same arguments, in a counted loop, become one
// of several directions: the loop is unrolled, with a remainder of single
// requests. The rest of an iteration stays where it is, with copies of the
// directions (v) where it writes to them; what it does with the results goes
// behind the wide request.
//
// That is right if the function may be run once for several times (Footprint.h)
// and if nothing else in the loop depends on when it runs: what overlaps what
// is known from alias analysis, or else from ranges of addresses that are
// compared when the loop is entered, with a copy of the loop for the other
// case. What cannot be merged stays as it is; a remark says why.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_DIRECTIONLOOPS_H
#define VERSO_FORWARD_DIRECTIONLOOPS_H

#include "request/Request.h"

#include "llvm/IR/PassManager.h"

namespace verso {

/// Replaces requests among \p Requests by wide ones and what is left of them.
void mergeDirections(std::vector<Request> &Requests, bool IsWanted,
                     llvm::FunctionAnalysisManager &FAM, Diagnostics &D);

} // namespace verso

#endif // VERSO_FORWARD_DIRECTIONLOOPS_H
