//===- NumericalLibraries.h - calls of BLAS and LAPACK ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In differentiated code a call of a function in rules/NumericalLibraries.def
// is one of our body, if the function is declared with the type that is written
// there:
//
//   call void @dgemm_(ptr %ta, ..., ptr %ldc, i64 1, i64 1)
// ->
//   call void @__verso_body_dgemm_(ptr %ta, ..., ptr %ldc)
//
// Fortran's lengths of text may be there or not, and the result of a subroutine
// may be declared `int` (f2c), which is zero. Other types, functions that are
// defined here or marked inactive, and integers that are seen to have 64 bits
// are left alone: the call is then what any call of an unknown function is.
//
// That integers have 64 bits behind a pointer whose object nobody sees cannot
// be told. Bodies that only read them are reached so, and read the lower half.
// Of a call that writes integers (pivots, info) one has to be seen to have 32
// bits: by value, in a local variable or a global one.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_NUMERICALLIBRARIES_H
#define VERSO_PREPARE_NUMERICALLIBRARIES_H

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>
#include <string>

namespace verso {

/// Of a name and a type that are known, so that any call of it has a body.
bool isNumericalLibrary(const llvm::Function &F);

/// Also what is known as Eigen's (EigenKernels.h).
void replaceNumericalLibrary(llvm::Function &F);

/// Whether \p T is the type of \p Letters, as in rules/NumericalLibraries.def.
bool isOfSignature(const llvm::FunctionType &T, llvm::StringRef Letters,
                   bool IsDouble);

/// The call of the body \p Name that takes the place of \p Call, which is gone.
llvm::CallBase *callNumericalBody(llvm::CallBase &Call, llvm::StringRef Name,
                                  llvm::ArrayRef<llvm::Value *> Arguments);

struct LeftAlone {
  std::string Why, Remedy;
};

/// Why \p Call of \p F was not replaced; none if its name is not known.
std::optional<LeftAlone> whyLeftAlone(const llvm::CallBase &Call,
                                      const llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_NUMERICALLIBRARIES_H
