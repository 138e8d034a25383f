//===- SumsAbreast.h - sums in order, several at a time ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum that is to be added up in the order of the program waits for one
// addition after the other. Those of four iterations wait together, as far as
// none of them needs what another one leaves in memory:
//
//   for j:  s = a[j];  for k < j:  s -= x[k] * l[j][k]
//           x[j] = s / l[j][j]
//   =>
//   for j by 4:  s = a[j]; ... v = a[j+3]
//                for k < j:  s -= x[k] * l[j][k]; ... v -= x[k] * l[j+3][k]
//                x[j] = s / l[j][j]
//                for k = j:  t -= x[k] * l[j+1][k]
//                x[j+1] = t / l[j+1][j+1]
//                ...
//
// So every sum is added up in its order, from the first to the last, and
// everything else is done when it was. Only loads are earlier: those of the
// common iterations, and of what the sums begin with. A check before each four
// compares the memory that they read, all of it, with what is stored meanwhile;
// if they may meet, the loop as it was takes over.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_SUMSABREAST_H
#define VERSO_STRUCTURED_LOOPS_SUMSABREAST_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Of generated code that is not a reversed loop. Analyses are kept up to date.
void sumAbreast(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_SUMSABREAST_H
