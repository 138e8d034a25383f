//===- EqualRequests.h - one function for equal requests --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that makes a request is often unrolled before the pass runs, and a
// function that makes one inlined: requests of one source line that differ in
// nothing but the values they are given. One function serves them all.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_EQUALREQUESTS_H
#define VERSO_REQUEST_EQUALREQUESTS_H

#include "request/Request.h"

#include "llvm/ADT/FoldingSet.h"

#include <map>

namespace verso {

class EqualRequests {
public:
  /// A request that is about to be lowered.
  class Candidate {
  public:
    explicit Candidate(const Request &R);

  private:
    friend class EqualRequests;
    llvm::FoldingSetNodeID Id;
    llvm::SmallVector<llvm::WeakTrackingVH, 8> Operands;
  };

  /// Makes \p R, which is \p C, a call of the function that serves an equal
  /// one; false if there is none.
  bool serve(const Candidate &C, Request &R) const;
  /// \p F, which the request's place calls, serves \p C.
  void note(const Candidate &C, llvm::Function &F);

private:
  struct Known {
    llvm::Function *F;
    /// Which operand each of its parameters is.
    llvm::SmallVector<unsigned, 8> Parameters;
  };
  std::map<llvm::FoldingSetNodeID, Known> All;
};

} // namespace verso

#endif // VERSO_REQUEST_EQUALREQUESTS_H
