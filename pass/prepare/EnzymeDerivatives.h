//===- EnzymeDerivatives.h - derivatives given in Enzyme's way --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that were written for Enzyme give derivatives by arrays
//
//   void *__enzyme_function_like_f[] = {f, "log1p"};   f's are those of log1p
//   void *__enzyme_register_derivative_f[] = {f, df};  df(x, dx): its tangent
//   void *__enzyme_register_gradient_f[] = {f, augmented, reverse};
//
// where augmented(x) returns what reverse(x, adjoint of the result, what
// augmented returned) wants, or nothing, and reverse returns the adjoints of
// the numbers. (`__attribute__((enzyme_function_like("log1p")))` is an
// annotation of that name, by verso/enzyme.h.) Each becomes what
// VERSO_DERIVATIVE makes: f, and functions of its partial derivatives, which
// are the tangent by a seed of one and the adjoints of a seed of one.
//
// These rules do not say how many numbers a pointer leads to, so functions
// with pointers need VERSO_CUSTOM_VJP, which does.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_ENZYMEDERIVATIVES_H
#define VERSO_PREPARE_ENZYMEDERIVATIVES_H

#include "llvm/IR/Module.h"

namespace verso {

class Diagnostics;

bool hasEnzymeDerivatives(const llvm::Module &M);

/// Puts arrays of VERSO_DERIVATIVE in the place of Enzyme's; those that are not
/// understood stay.
void translateEnzymeDerivatives(llvm::Module &M);

/// Each that stayed is a mistake.
void reportEnzymeDerivatives(llvm::Module &M, Diagnostics &D);

} // namespace verso

#endif // VERSO_PREPARE_ENZYMEDERIVATIVES_H
