//===- OddIndices.h - addresses in sums of integers -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow of p + i is as far from the shadow of p as i says, if i is a step
// within an object: a number, or a sum of addresses that cancel out. It is not
// where the address of another object comes in, as in linked lists that store the
// exclusive or of two addresses, or where the distance of two objects goes
// through choices and loops. (Where it is in the index itself it is checked at
// run time, PointerDistance.h.)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_ODDINDICES_H
#define VERSO_STRUCTURED_MEMORY_ODDINDICES_H

#include "structured/memory/Objects.h"

namespace verso {

class OddIndices {
public:
  OddIndices(llvm::Function &F, const Objects &O);
  /// Whether no shadow can be told for what \p GEP leads to.
  bool isIn(const llvm::GetElementPtrInst &GEP) const;

private:
  bool isForeignDistance(const llvm::Instruction &I) const;

  const Objects &O;
  /// Integers that distances of different objects come to.
  llvm::DenseSet<const llvm::Value *> Foreign;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_ODDINDICES_H
