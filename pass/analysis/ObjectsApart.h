//===- ObjectsApart.h - pointers into different objects ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Alias analysis looks at few phis at once, and takes two pointers that may
// both be null for one, as those of two vectors that may both be empty. Here
// every object that one pointer may lead into is compared with every one of the
// other, for all iterations of all loops.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_OBJECTSAPART_H
#define VERSO_ANALYSIS_OBJECTSAPART_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"

namespace verso {

class ObjectsApart {
public:
  explicit ObjectsApart(llvm::AAResults &Aliases) : AA(Aliases) {
    AA.enableCrossIterationMode();
  }

  /// Whether \p P and \p Q never lead into the same object.
  bool areApart(const llvm::Value *P, const llvm::Value *Q);
  /// Whether \p I writes to no object that \p P may lead into.
  bool isApartFromWrites(const llvm::Value *P, const llvm::Instruction &I);

private:
  llvm::ArrayRef<const llvm::Value *> objectsOf(const llvm::Value *P);

  llvm::BatchAAResults AA;
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<const llvm::Value *, 2>>
      Objects;
};

} // namespace verso

#endif // VERSO_ANALYSIS_OBJECTSAPART_H
