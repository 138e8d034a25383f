//===- SLPGuard.h - generated code and the SLP vectoriser -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's SLP vectoriser now and then uses a vector before it is there, and the
// code generator does not verify: it loops, or the program computes with what a
// register happened to hold. Derivatives are what such faults show in: long
// blocks of nearly the same operations. So it works on generated functions
// under observation: one that is invalid afterwards is as it was before.
//
// Its time is worse than linear in a function's blocks as well (20 of 84 s for
// Eigen's SparseLU, 117,000 instructions in 9,400 blocks). From huge functions,
// such as the gradient of a whole solver, it is kept away.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_SLPGUARD_H
#define VERSO_SLPGUARD_H

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace verso {

void guardVectorisedFunctions(llvm::PassBuilder &PB);

} // namespace verso

#endif // VERSO_SLPGUARD_H
