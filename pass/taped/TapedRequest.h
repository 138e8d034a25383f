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

/// What -verso-check does with a tape (runtime/Check.h).
enum class TapeChecks {
  None,
  /// It is compared with forward mode.
  Itself,
  /// So it is, in a copy of the process that judges structured code.
  InCopy,
};

/// Replaces the call of \p R by a call of a function of its own that
///
///   begins a request, gives IDs to the out arguments, calls the twin, seeds
///   the result's adjoint, sweeps, collects the derivatives, ends the request
///
/// and returns that function.
///
/// \p TakesKernels: loops may be single records (Kernels.h).
llvm::Function *lowerTaped(Request &R, Twins &Registry, TapeChecks Checks,
                           bool TakesKernels);

} // namespace verso

#endif // VERSO_TAPED_TAPEDREQUEST_H
