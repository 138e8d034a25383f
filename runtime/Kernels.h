//===- Kernels.h - loops that the tape takes as a whole ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a loop of a taped function that structured code can reverse, and
// of which it is known, where it begins, what cells it comes to. One run of it
// is one record: the IDs of what it reads, what was in that memory, and new IDs
// for all that it stores. Its reverse runs it again, on that copy, and reverses
// it. So a run takes memory by the cells, not by the operations, and time as
// structured code does.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_KERNELS_H
#define VERSO_RUNTIME_KERNELS_H

#include "Request.h"

namespace verso {

/// What a run of a kernel is given (RuntimeABI.def, BeginKernel).
struct KernelRun {
  const verso_kernel &Kernel;
  const uint64_t *Arguments;
  const int64_t *Companions;
  const verso_kernel_row *Rows;
  uint64_t Work;
  uint64_t Least;
  bool MustRecord;
};

/// Records \p Run, which is about to happen. Returns whether it did; if not,
/// the kernel has to be taped.
bool beginKernel(Request &R, const KernelRun &Run);

/// Reverses the run whose record ends at \p End.
void reverseKernel(Request &R, char *End);

/// Who is told the rows of a run's Jacobian: their terms, then their IDs. (Not
/// an interface with virtual functions, which need the C++ library.)
struct KernelRows {
  void *Who;
  bool (*Wants)(void *Who, uint32_t Id);
  void (*AddTerm)(void *Who, double Partial, uint32_t Operand);
  void (*EndRow)(void *Who, uint32_t Id);
};
/// All rows of the run whose record ends at \p End: one reverse for each number
/// that it stored and that is wanted.
void readRowsOfKernel(const Request &R, char *End, const KernelRows &To);

} // namespace verso

#endif // VERSO_RUNTIME_KERNELS_H
