//===- Recursion.h - recursion as a loop ------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that call one another in a circle become one function without
// recursion:
//
//   again:  switch state              enter a function, go on after a call,
//                                     or next iteration of a loop with calls
//   f(x)    frame.values = what is needed after the call;  frame.site = k
//           parameters = x;  caller = frame;  state = f           -> again
//   return  result = v;  state = caller.site                      -> again
//           (without a caller: the end)
//   k:      what is needed = frame.values
//
// A frame is fresh memory for each activation that makes a call, kept until the
// request ends; so is every local variable in memory. A field that an
// activation writes but once (or always the same) may therefore be loaded again
// in the verso; its loads bear a mark. To the rest of this folder a frame is
// an allocation like any other, with one field of one type at each offset.
//
// All cycles but those of loops without calls pass `again`, so that control
// flow stays reducible.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECURSION_RECURSION_H
#define VERSO_STRUCTURED_RECURSION_RECURSION_H

#include "structured/Refusal.h"
#include "structured/recursion/Circles.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <functional>

namespace verso {

class Recursions {
public:
  /// \p Prepare inlines into a copy of a function what it calls, but for the
  /// functions of a circle, and simplifies it.
  Recursions(Circles &Who, llvm::FunctionAnalysisManager &FAM,
             Refusals &Refused,
             std::function<void(llvm::Function &, const Circle &)> Prepare)
      : Who(Who), FAM(FAM), Refused(Refused), Prepare(std::move(Prepare)) {}
  Recursions(const Recursions &) = delete;
  /// Erases what was made.
  ~Recursions();

  /// A function that does what \p F, which is recursive, does; null if refused.
  llvm::Function *asLoop(llvm::Function &F);

private:
  Circles &Who;
  llvm::FunctionAnalysisManager &FAM;
  Refusals &Refused;
  std::function<void(llvm::Function &, const Circle &)> Prepare;
  llvm::MapVector<llvm::Function *, llvm::Function *> Made;
};

/// Whether \p Call allocates a frame, or a local variable beside one.
bool isFrame(const llvm::CallBase &Call);
/// The distance between a frame that \p Call allocates and its shadow, the same
/// for all frames that are on one stack; 0 for local variables.
uint64_t shadowOfFrame(const llvm::CallBase &Call);
/// Frames of the gradient \p F and their shadows are blocks like any other from
/// here on: to an outer request both are primal, so what lies behind a frame is
/// not its shadow.
void forgetFrames(llvm::Function &F);
/// Whether all that \p F computes is done by recursion, a few operations for
/// each call, and goes from call to call as values: what such a loop keeps of
/// an iteration costs more than a tape does. Not where it is written to memory,
/// where a tape costs more; nor where every activation makes one call, so that
/// the processor predicts where the loop goes.
bool isLittleBetweenCalls(llvm::Function &F, const llvm::LoopInfo &LI);
/// Whether \p Load reads a field of a frame that holds one value for ever.
bool isUnchangedField(const llvm::LoadInst &Load);

} // namespace verso

#endif // VERSO_STRUCTURED_RECURSION_RECURSION_H
