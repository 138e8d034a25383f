//===- CalleeWrites.h - through which parameters is written -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which memory of its caller a function and all that it calls may write: what
// its parameters lead to, each told from the others, or nobody knows what.
// LLVM's attributes are silent about inline functions and templates, whose body
// another file may replace; twins are made of this one.
//
// To write is to change images or tangents: what inactive functions are given
// may become constant. Answers are kept; invalidated by any change of any
// function.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_CALLEEWRITES_H
#define VERSO_ANALYSIS_CALLEEWRITES_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>

namespace llvm {
class CallBase;
class Function;
class Instruction;
class TargetLibraryInfo;
class Value;
} // namespace llvm

namespace verso {

class CalleeWrites {
public:
  explicit CalleeWrites(const llvm::TargetLibraryInfo *TLI) : TLI(TLI) {}

  struct Writes {
    bool Anywhere = false;
    bool Own = false;        ///< Local variables, blocks that it allocates.
    llvm::BitVector Through; ///< These parameters.

    bool isOfCaller() const { return Anywhere || Through.any(); }
  };
  const Writes &of(const llvm::Function &F);

  /// The arguments of \p Call through which it writes; none if that is not all.
  std::optional<llvm::SmallVector<const llvm::Value *, 4>>
  throughArguments(const llvm::CallBase &Call);

private:
  struct Scan;
  const llvm::TargetLibraryInfo *TLI;
  std::map<const llvm::Function *, Writes> Known;
};

} // namespace verso

#endif // VERSO_ANALYSIS_CALLEEWRITES_H
