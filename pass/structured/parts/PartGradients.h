//===- PartGradients.h - the two sweeps of parts ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part (Parts.h) becomes two functions,
//
//   {r, frame} = f.recto(arguments..., shadows...)    a shadow for each pointer
//   {x'...}    = f.verso(frame, r')                   an x' for each number
//
// and a call of it one of each, in the two sweeps of who calls it. They are
// made as a request's function is (GradientBody.h), which is cut in two
// then (CutInTwo.h); the frame, in the arena, holds what crosses.
//
// There is a pair for each set of roles that its arguments have in some call.
// Memory that a verso may read again is what no caller overwrites after the
// call, so parts are made when all who call them are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_PARTS_PARTGRADIENTS_H
#define VERSO_STRUCTURED_PARTS_PARTGRADIENTS_H

#include "request/Request.h"
#include "structured/Adjoints.h"
#include "structured/memory/Unchanged.h"
#include "structured/memory/Varied.h"
#include "structured/parts/Parts.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

#include <functional>
#include <vector>

namespace verso {

/// What is known of a part in calls of it.
struct PartUses {
  enum Role { Constant, Active, Shadowed, PerhapsShadowed };
  llvm::SmallVector<Role, 8> Roles;
  /// The places, as numbered by PartAccesses, that somebody may overwrite after
  /// the call.
  llvm::BitVector OverwrittenLater;
};

class PartGradients {
  struct Sweeps {
    const Part *Of;
    PartUses Uses;
    llvm::Function *Recto, *Verso;
    bool IsMade = false;
  };

public:
  explicit PartGradients(const Parts &All) : All(All) {}
  PartGradients(const PartGradients &) = delete;
  ~PartGradients();

  /// The calls of parts in one function.
  class Calls {
  public:
    explicit Calls(PartGradients &G) : G(G) {}
    /// Notes what parts are in the calls in \p F. Refused where one would have
    /// to know more than its arguments tell.
    void note(llvm::Function &F, const VariedMemory &V, Unchanged &Memory,
              Refusals &Refused);
    /// The verso of \p Call, of a part.
    void reverse(llvm::CallBase &Call, llvm::IRBuilderBase &B,
                 ShadowPointers &Shadows, Adjoints &A);
    /// When both sweeps are emitted.
    void replaceCalls();

  private:
    PartGradients &G;
    /// The active ones, and what becomes of them.
    llvm::DenseMap<const llvm::CallBase *, unsigned> Active;
    llvm::MapVector<llvm::CallBase *, llvm::CallInst *> Replaced;
  };

  /// Makes the sweeps of all parts that were noted, by \p Make, which gives the
  /// function of a request in which verso.boundary stands between the sweeps.
  /// \p In is a request of the function that all is for.
  using Maker = std::function<llvm::Function *(Request &, const Part &,
                                               const PartUses &, Refusals &)>;
  void make(const Request &In, const Maker &Make, Refusals &Refused);
  /// What was made, which is the caller's now.
  llvm::SmallVector<llvm::Function *, 8> release();

private:
  unsigned sweepsOf(const Part &P, llvm::ArrayRef<PartUses::Role> Roles);
  void makeOne(const Sweeps &S, const Request &In, const Maker &Make,
               Refusals &Refused);

  const Parts &All;
  std::vector<Sweeps> Noted;
};

} // namespace verso

#endif // VERSO_STRUCTURED_PARTS_PARTGRADIENTS_H
