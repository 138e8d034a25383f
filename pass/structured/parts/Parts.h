//===- Parts.h - functions of a call tree that stay calls -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call tree that is inlined into one function has as many copies of a
// function as there are ways to it. A *part* is a function that stays one: it
// is reversed by itself, into two functions (PartGradients.h), and each sweep
// of who calls it has a call. What is guaranteed of a part:
//   - its parameters are numbers, integers and pointers, its result is a
//     number, an integer, nothing, or a structure of numbers;
//   - it is not recursive and catches nothing; it stores no pointers but in
//     memory of its own, which it releases or which ends with it;
//   - what it reads and writes behind its arguments is known (PartAccesses.h);
//   - it names no variables but constants: those that it shares with other
//     functions are arguments more.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_PARTS_PARTS_H
#define VERSO_STRUCTURED_PARTS_PARTS_H

#include "request/Request.h"
#include "structured/Refusal.h"
#include "structured/parts/PartAccesses.h"
#include "structured/recursion/Circles.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <memory>

namespace verso {

/// Whether \p Call is of a part.
bool isPartCall(const llvm::CallBase &Call);

struct Part {
  /// Its body, in the form of Flatten.h; calls of parts in it stay.
  llvm::Function *Body;
  /// The variables that are its last arguments.
  llvm::SmallVector<llvm::GlobalVariable *, 2> Variables;
  PartAccesses Its;
  /// Whether it may end by an exception of a function that it calls.
  bool MayThrow;
  /// The parts that it calls.
  llvm::SmallSetVector<const Part *, 4> Callees;
};

class Parts {
public:
  /// \p Flatten brings a copy of a function into form; calls of parts stay.
  Parts(llvm::FunctionAnalysisManager &FAM,
        std::function<void(llvm::Function &, Refusals &)> Flatten)
      : FAM(FAM), Who(FAM), Flatten(std::move(Flatten)) {}
  Parts(const Parts &) = delete;
  ~Parts();

  enum Which {
    Repeated, ///< Large ones that are called in several places.
    Large,    ///< And those that are called once.
    All,
  };
  /// Chooses among the functions that the request's calls; returns whether that
  /// makes less of them: of repeated ones, half of a tree that is not small.
  bool choose(const Request &R, Which W);
  /// Remarks which functions became parts, at \p At.
  void explain(const llvm::Instruction &At) const;
  /// Bodies that are called all the same, which are the caller's now.
  llvm::SmallVector<llvm::Function *, 2> release();
  /// Whether \p Call, of a function with a body, becomes one of a part, which
  /// is marked.
  bool keep(llvm::CallBase &Call);
  /// What \p Call, of a part, calls.
  const Part &of(const llvm::CallBase &Call) const;
  /// Puts stand-ins at all calls of parts in \p F.
  void standIn(llvm::Function &F) const;

private:
  struct Size {
    uint64_t Inlined = 0; ///< With all that it calls.
    bool IsPlain = true;  ///< Whether it may be a part, by its instructions.
    /// What it calls, and at how many places.
    llvm::MapVector<llvm::Function *, unsigned> Callees = {};
  };
  const Size &sizeOf(llvm::Function &F);
  std::unique_ptr<Part> make(llvm::Function &F);

  llvm::FunctionAnalysisManager &FAM;
  Circles Who;
  std::function<void(llvm::Function &, Refusals &)> Flatten;
  llvm::DenseMap<llvm::Function *, std::unique_ptr<Size>> Sizes;
  /// Parameters of the request's function that are functions.
  llvm::DenseMap<const llvm::Argument *, llvm::Function *> GivenFor;
  /// The program's functions that were chosen; null if it turned out that they
  /// cannot be parts, or is not known yet.
  struct Chosen {
    std::unique_ptr<Part> Made;
    bool WasTried = false;
  };
  llvm::MapVector<llvm::Function *, Chosen> Kept;
  /// By the function that is called.
  llvm::DenseMap<const llvm::Function *, const Part *> Called;
};

} // namespace verso

#endif // VERSO_STRUCTURED_PARTS_PARTS_H
