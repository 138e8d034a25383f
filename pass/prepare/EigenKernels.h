//===- EigenKernels.h - what Eigen multiplies and solves by -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eigen's products, solvers and factors of dense matrices end in a dozen
// functions (rules/EigenKernels.def), each with a form for every order of its
// matrices. They pack blocks, and multiply by registers: thousands of
// instructions, of which the derivative is a call of the same kind. In
// differentiated code a call of one of them is one of our body:
//
//   call void @...general_matrix_matrix_product<long, double, 0, false, double,
//                  1, false, 0, 1>::run(i64 %rows, ..., ptr %info)
// ->
//   call void @__verso_body_eigen_dgemm(i32 0, i32 1, i64 %rows, ..., ptr
//   %info)
//
// They are functions of the program, known by name and type. One that is marked
// inactive or has another type is left alone, and so are products that threads
// of OpenMP share.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_EIGENKERNELS_H
#define VERSO_PREPARE_EIGENKERNELS_H

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace verso {

/// Notes which functions of \p M are kernels, before any is looked for.
void noteEigenKernels(llvm::Module &M);

/// When all requests are lowered.
void forgetEigenKernels(llvm::Module &M);

bool isEigenKernel(const llvm::Function &F);

/// The call of our body that takes the place of \p Call, which is gone; null if
/// that is no call of a kernel.
llvm::CallBase *replaceEigenKernel(llvm::CallBase &Call);

} // namespace verso

#endif // VERSO_PREPARE_EIGENKERNELS_H
