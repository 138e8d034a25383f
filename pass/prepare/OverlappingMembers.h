//===- OverlappingMembers.h - bits that are several numbers -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM loads a union's bits once for all of its members that are read, and
// reads all of them where the program chooses one:
//
//   %b = load i64, p                              %f = load float, p
//   %f = bitcast (trunc %b to i32) to float  =>   %d = load double, p
//   %d = bitcast %b to double                     ... select tag, %f, %d
//   ... select tag, %f, %d
//
// What is one load has one type, and an adjoint of that type. So has a load of
// a double of which a half is read as a float.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_OVERLAPPINGMEMBERS_H
#define VERSO_PREPARE_OVERLAPPINGMEMBERS_H

#include "llvm/IR/PassManager.h"

namespace verso {

struct ReadMembersApartPass : llvm::PassInfoMixin<ReadMembersApartPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
};

} // namespace verso

#endif // VERSO_PREPARE_OVERLAPPINGMEMBERS_H
