//===- StructuredRequest.h - a request by reversed control flow -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a request: the primal with its whole call tree inlined (the
// recto), then its reverse (the verso). In order:
//
//   StructuredRequest  which ways are tried: what becomes of calls, and which
//                      versions are made
//   GradientBody       one version: all that follows, in its order
//   GradientFunction   what the request becomes: its arguments and results
//   Flatten            the call tree as one function in normal form
//                      (NormalizeMemory, PointersAsIntegers, OwnGlobals,
//                      JoinedPieces, TypedMoves, Targets, InactiveBodies)
//   recursion/         what becomes of circles in it: Recursion makes loops,
//                      MemberGradients reverses functions by themselves
//   LastChoices        of running minima the iteration that chose last is
//                      computed again, so that the loop is not reversed
//   parts/             functions that are called in many places stay calls, and
//                      are reversed by themselves (Parts, PartGradients);
//                      analyses see what stands in for them (PartAccesses)
//   memory/            what is known of it: what pointers point to (Objects,
//                      NumberCopies), what has a derivative (Varied,
//                      CertainCells), what is in the verso as it was
//                      (Unchanged), which arguments are apart
//                      (DisjointArguments), which pointers a nest of loops
//                      can tell apart when it begins (ApartNests)
//   Versions           one for disjoint arguments and one for any; by what the
//                      caller gives and watches (EntryChoice)
//   ShadowPointers     where adjoints of memory are (MappedConstants,
//                      WatchedMemory)
//   KindMarks          what bytes are at the moment, where that changes
//   Reversal           the reversed control flow
//   Adjoints           the reversed instructions (Choices, CarriedNumbers)
//   RectoValues        what the recto has computed already
//   Residuals          how values of the recto get into the verso (MinCut,
//                      ResidualChoice, Snapshots, HandedBack, InvariantLoads)
//   Replays            iterations that the verso runs again, so that nothing is
//                      kept of them; backwards, or as the recto ran them
//   UndoneStores       stores that the verso takes back, so that loads may be
//                      repeated
//   LateReleases       memory that the verso still needs
//   DeadStores         what nobody needs any more
//   loops/             reversed loops as the vectoriser likes them
//   team/              loops that threads share in the program are shared in
//                      both sweeps (CarriedLoads before the reversal, TeamLoops
//                      when all is emitted)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_STRUCTUREDREQUEST_H
#define VERSO_STRUCTURED_STRUCTUREDREQUEST_H

#include "Options.h"
#include "request/Request.h"
#include "structured/Refusal.h"

#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>

namespace verso {

/// What became of a request; all null if it was refused.
struct Lowered {
  /// What the request's call was replaced by a call of.
  llvm::Function *Called = nullptr;
  /// What is to be taped where assumptions (Targets.h) do not hold, or the
  /// thread watches memory; and when that is, for a remark.
  std::optional<Request> Otherwise = std::nullopt;
  std::string When = {};
};

/// Replaces the call of \p R by a call of a function that computes the gradient
/// by reversed control flow. If it cannot be proved right, says why, and leaves
/// the program as it was. With -verso-check the function hands its derivatives
/// to __verso_check_structured. Functions that it calls are added to \p Others.
Lowered lowerStructured(Request &R, llvm::FunctionAnalysisManager &FAM,
                        const Options &Chosen, Refusals &Refused,
                        llvm::SmallVectorImpl<llvm::Function *> &Others);

} // namespace verso

#endif // VERSO_STRUCTURED_STRUCTUREDREQUEST_H
