//===- OpenMP.h - parallel regions of differentiated code -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenMP lets a parallel region have a team of one thread, so that is what it
// has in differentiated functions: clang's and flang's calls of the OpenMP
// runtime become calls and loops that every strategy understands. Where the
// primal shares a loop among threads, a structured gradient may share it again
// when it is emitted (Worksharing.h). The user's own code keeps its threads.
//
//   __kmpc_fork_call(loc, n, region, a...)  region(&thread, &0, a...)
//   __kmpc_for_static_init(..., &last, &first, &end, &stride, ...)
//                                           last = 1; stride = all iterations
//   __kmpc_dispatch_next(...)               all iterations, once
//   __kmpc_single, __kmpc_reduce, ...       1
//   omp_get_max_threads()                   1
//   __kmpc_omp_task(..., task)              the task's function, now
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_OPENMP_H
#define VERSO_PREPARE_OPENMP_H

namespace llvm {
class Function;
class Use;
} // namespace llvm

namespace verso {

/// Gives the parallel regions of \p F teams of one thread.
void serializeTeams(llvm::Function &F);

/// Whether \p U is a function that OpenMP is given to run by a team, or to add
/// up what its threads have: nobody else calls it.
bool isGivenToTeam(const llvm::Use &U);

} // namespace verso

#endif // VERSO_PREPARE_OPENMP_H
