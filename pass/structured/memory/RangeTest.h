//===- RangeTest.h - whether later iterations write here --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a store may write, at any time after a load or another store was
// executed, what that accessed: in the same iteration of the loops around both,
// or a later one. A recurrence x[t + 1] = f(x[t]) and the factor of a matrix
// are written once, and can be loaded again at the end.
//
// This is the range test (Blume and Eigenmann, "The range test: a dependence
// test for symbolic, non-linear expressions", 1994): the difference of the two
// addresses is a polynomial in the numbers of iterations and in parameters;
// each number in turn, innermost first, is replaced by the bound that makes the
// difference least. LLVM's DependenceAnalysis has no answer where a bound
// depends on an outer loop, or a row's length on a parameter.
//
// Rows of a table of pointers that are known to be apart (ApartNests.h) are
// compared as cells of two indices are: they are apart if their pointers are
// not loaded from one place, or their offsets are apart.
//
// The same bounds tell whether a nest of stores writes all that a load reads.
//
// Addresses are numbers modulo 2^64, and the polynomials integers. Data that
// may be any number of 64 bits counts only where the program says that nothing
// on its way to the address wraps around (signed indices do not). Assumed: trip
// counts, numbers of iterations, constants up to 2^32 and one integer of 32
// bits, multiplied with each other, take no address around 2^64.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_RANGETEST_H
#define VERSO_STRUCTURED_MEMORY_RANGETEST_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

#include <functional>

namespace verso {

/// The name of the mark that a load of a row's pointer has: a scope, from
/// whose declaration on, while what is around that is run once, rows whose
/// pointers have the mark and are loaded from different places are apart.
inline constexpr llvm::StringLiteral RowMark = "verso.row";

class RangeTest {
public:
  /// Where a scope is declared; null if nowhere, or at several places.
  using DeclaredAt =
      std::function<const llvm::BasicBlock *(const llvm::MDNode &)>;

  RangeTest(const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE, DeclaredAt At)
      : LI(LI), SE(SE), At(std::move(At)) {}

  /// \p Access is a load or a store. Never true where it is not certain.
  bool isNeverOverwritten(const llvm::Instruction &Access,
                          const llvm::StoreInst &Store) const;
  /// Whether the two touch no common byte while \p L, which is around both, is
  /// run once.
  bool areApartWithin(const llvm::Instruction &Access,
                      const llvm::StoreInst &Store, const llvm::Loop &L) const;
  /// The same two, if the scopes of rows that \p L comes to were declared
  /// before it.
  bool wouldNeverBeOverwritten(const llvm::Instruction &Access,
                               const llvm::StoreInst &Store,
                               const llvm::Loop &L) const;
  bool wouldBeApartWithin(const llvm::Instruction &Access,
                          const llvm::StoreInst &Store,
                          const llvm::Loop &L) const;
  /// Whether all bytes of \p Load are among those that \p Write, a store or a
  /// memset, writes in one iteration of the innermost loop around both, if each
  /// loop within it that is around \p Write is run to its end.
  bool covers(const llvm::Instruction &Write, const llvm::LoadInst &Load) const;

private:
  const llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  DeclaredAt At;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_RANGETEST_H
