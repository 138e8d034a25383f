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
/// A function of the arguments of \p F that says whether none of \p Ends, the
/// last branches of chains, is come to; null, and \p Obstacle says why, if that
/// cannot be said before.
llvm::Function *makeSurvey(llvm::Function &F,
                           llvm::ArrayRef<llvm::CallBase *> Ends,
                           llvm::FunctionAnalysisManager &FAM,
                           std::string &Obstacle);

} // namespace verso

#endif // VERSO_STRUCTURED_SURVEY_H
