//===- FourierPlans.h - plans of FFTW ---------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan hides its arrays and what it computes, so the runtime is told of plans
// where they are made: in the end all calls of functions in
// rules/FftwPlans.def, and of those that destroy plans, are calls of bodies in
// runtime/Fftw.c, in code that is differentiated and in code that is not. (A
// file without such calls stays as it is; a program without a runtime notes
// nothing.) Until then they are inactive functions of a library. Differentiated
// code has beside them
//
//   %p = call @fftw_plan_dft_1d(n, %in, %out, sign, flags)
//   call @__verso_body_fftw_overwrite(%p, %in, %out)    unless flags say that
//                                                       nothing is overwritten
//   call @__verso_body_fftw_keep(%p, %in, %out)
//   ...
//   call @__verso_body_fftw_execute(%p)
//   call @__verso_body_fftw_execute_from(%p, %place)    of a plan that was
//                                                       loaded from there
//
// keep hands on the shadows of the arrays. A plan that was made before the
// request, in a structure with a shadow: the arrays' shadows are those of the
// shadow's plan. Where the plan of an execution is in
// sight, so are its arrays, and nothing has to be kept:
//
//   call @__verso_body_fftw_execute_on(%p, %in, %out)
//
// which is all that structured code can follow: in a function that is
// flattened, others are left as they are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_FOURIERPLANS_H
#define VERSO_PREPARE_FOURIERPLANS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace verso {

/// In \p F, a clone that is differentiated; \p IsFlattened: by reversed control
/// flow.
void followPlans(llvm::Function &F, bool IsFlattened);

/// Whether a call of \p F reads or writes arrays that are hidden in a plan.
bool executesPlan(const llvm::Function &F);

/// When all requests are lowered. Whether \p M has plans.
bool notePlans(llvm::Module &M);

} // namespace verso

#endif // VERSO_PREPARE_FOURIERPLANS_H
