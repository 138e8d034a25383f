//===- RowPairs.h - reversed rows, several at a time ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a stencil adds to the row above, the row and the row below.
// The next row adds to two of these again. Two rows at a time load and store
// four rows, not six:
//
//   for r:  for i:  x'[r-1][i] += a;  x'[r][i] += b;  x'[r+1][i] += c
//   =>
//   for r by 2:  for i:  x'[r-1][i] += a;  x'[r][i] += b + a;
//                        x'[r+1][i] += c + b;  x'[r+2][i] += c
//
// Small bodies go four rows at a time: six are loaded and stored, not twelve.
// Where all rows add to the same cells, as those of a matrix to a vector's
// adjoint, there is one addition for all of them. Rows that sum up products
// with the same cells go two at a time: what they load is loaded once.
//
//   for r:  t = y'[r];  y'[r] = 0
//           for i:  x'[i] += t * a[r][i];  a'[r][i] += t * x[i]
//   =>
//   for r by 2:  t = y'[r];  y'[r] = 0;  u = y'[r+1];  y'[r+1] = 0
//                for i:  x'[i] += t * a[r][i] + u * a[r+1][i]
//                        a'[r][i] += t * x[i];  a'[r+1][i] += u * x[i]
//
// Additions to adjoint cells commute. Whatever else two rows may have in common
// is told apart: by alias analysis, by the distance of two rows, or by a check
// before the rows, without which they run one by one. So any order is right,
// and rows run up.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_ROWPAIRS_H
#define VERSO_STRUCTURED_LOOPS_ROWPAIRS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// \p Inner, a loop of one block, and the loop around it, if additions of two
/// rows meet. Whether anything was changed; then no analysis is kept.
bool pairRows(llvm::Loop &Inner, llvm::Function &F,
              llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_ROWPAIRS_H
