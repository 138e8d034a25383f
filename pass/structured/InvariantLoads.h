//===- InvariantLoads.h - loads that a loop repeats -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load of the same address in every iteration, of what the loop does not
// write, is made once before the loop; otherwise each iteration would record
// it. LLVM has done so where alias analysis could tell; here the range test
// can.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_INVARIANTLOADS_H
#define VERSO_STRUCTURED_INVARIANTLOADS_H

#include "structured/memory/Unchanged.h"

#include "llvm/IR/Dominators.h"

namespace verso {

/// Returns whether there were any. How often loops are run may be known then,
/// but not to \p SE, which goes on with expressions that it has.
bool hoistInvariantLoads(llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                         llvm::ScalarEvolution &SE, Unchanged &Memory);

} // namespace verso

#endif // VERSO_STRUCTURED_INVARIANTLOADS_H
