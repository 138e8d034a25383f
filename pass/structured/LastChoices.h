//===- LastChoices.h - what loops chose last --------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a running minimum only the iteration that chose last has a derivative. So
// what it chose is computed again behind the loop, which then has nothing to
// reverse, and of which nothing is recorded but that iteration's number:
//
//   for k:  d = f(k)                    for k:  d = f(k)
//           x = d < x ? d : x                   last = d < x ? k : last
//                                               x = d < x ? d : x
//   ... x ...                           ... last != none ? f(last) : start ...
//
// The iteration is run without what chose, and only as far as to f, so neither
// may depend on x; f reads memory, but the loop writes none.
//
// Answers for functions whose loops are in simplified, rotated and LCSSA form;
// the loops that are added are in it, too.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LASTCHOICES_H
#define VERSO_STRUCTURED_LASTCHOICES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

namespace verso {

class LastChoices {
public:
  LastChoices(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  /// The recto uses what the loops left: it is the same. To be called when the
  /// verso is complete.
  void useResultsOfLoops();

private:
  /// What was computed again, and what the loop left.
  llvm::SmallVector<std::pair<llvm::WeakTrackingVH, llvm::WeakTrackingVH>, 4>
      Again;
};

} // namespace verso

#endif // VERSO_STRUCTURED_LASTCHOICES_H
