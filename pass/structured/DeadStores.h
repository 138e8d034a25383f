//===- DeadStores.h - local memory that nobody reads ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gradient often needs no value of the primal: that of a linear function,
// say, whose value the request does not deliver. Then the recto works for
// nothing, but for stores to local memory that only loads read whose values are
// not needed either. Ordinary dead store elimination does not see this across
// loops; here every local object is live or dead as a whole.
//
// What is deleted are stores and copies, and all that nothing else needs: loads
// through pointers that are not stored any more must not stay.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_DEADSTORES_H
#define VERSO_STRUCTURED_DEADSTORES_H

#include "structured/memory/Objects.h"

namespace verso {

/// \p Program are the instructions that \p O knows: the accesses of the program
/// and what was cloned from them is not among them.
/// \p Reloads are loads that were cloned from loads of the program. \p
/// Read are pointers into what is read besides. \p
/// Delivered is what the primal returns, if the request's caller gets it, or
/// null.
void deleteDeadStores(llvm::Function &F, const Objects &O,
                      const llvm::Value *Delivered,
                      llvm::ArrayRef<llvm::Instruction *> Program,
                      llvm::ArrayRef<const llvm::Value *> Read,
                      const llvm::DenseMap<const llvm::Instruction *,
                                           const llvm::Instruction *> &Reloads);

} // namespace verso

#endif // VERSO_STRUCTURED_DEADSTORES_H
