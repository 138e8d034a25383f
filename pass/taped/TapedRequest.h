//===- TapedRequest.h - a reverse-mode request by tape ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPED_TAPEDREQUEST_H
#define VERSO_TAPED_TAPEDREQUEST_H

#include "request/Request.h"
#include "twins/Twins.h"

namespace verso {

/// Replaces the call of \p R by a call of a function of its own that
///
///   begins a request, gives IDs to the out arguments, calls the twin, seeds
///   the result's adjoint, sweeps, collects the derivatives, ends the request
///
/// and returns that function.
///
/// \p Check: it also compares itself with forward mode (runtime/Check.h).
/// \p TakesKernels: loops may be single records (Kernels.h).
llvm::Function *lowerTaped(Request &R, Twins &Registry, bool Check,
                           bool TakesKernels);

} // namespace verso

#endif // VERSO_TAPED_TAPEDREQUEST_H
