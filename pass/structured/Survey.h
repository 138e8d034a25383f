//===- Survey.h - where calls through pointers lead, asked before -*- C++ -*-=//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In
//
//   for (const auto &layer : model.layers)
//     y = layer->apply(y)
//
// nobody knows what is called before each object is come to, and what was done
// until then cannot be done again. But the way to the calls may be walked
// before, without doing anything on it:
//
//   bool survey(model, ...)
//     for (const auto &layer : model.layers)
//       if (layer->apply is none of the chain's functions)
//         return false
//     return true
//
// That is the function without all that neither decides whether it comes to
// these calls nor what they call (a slice), and true of it if what the slice
// reads is not written before. No slice is taken that computes with real
// numbers or calls something: it would cost what the function costs.
//
// What memory decides that the function makes itself (the length of a vector),
// or that it writes on the way, is not known. Then the survey comes to the
// calls in any case, and reads only what it has made sure can be read. Writes
// of no type (memset, memcpy) would keep nearly all surveys from being made,
// and hardly ever write pointers. Where any of this is so, the last branch of a
// chain is not taken for impossible but is an error when the program runs.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_SURVEY_H
#define VERSO_STRUCTURED_SURVEY_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace verso {

/// Why there is no such slice for these calls through pointers; empty if there
/// is one.
std::string findObstacle(llvm::Function &F,
                         llvm::ArrayRef<llvm::CallBase *> Calls,
                         llvm::FunctionAnalysisManager &FAM);
struct SurveyOf {
  llvm::Function *Survey; ///< Null if there is none.
  /// It may have looked elsewhere than the function does: what it says is not
  /// certain.
  bool MayStray;
  std::string Obstacle; ///< Why there is none.
};

/// A function of the arguments of \p F that says whether none of \p Ends, the
/// last branches of chains, is come to.
SurveyOf makeSurvey(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Ends,
                    llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_STRUCTURED_SURVEY_H
