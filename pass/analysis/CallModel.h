//===- CallModel.h - what a call means for differentiation ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts every call of a prepared function into one of a few kinds; analyses
// and emitters ask here and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_CALLMODEL_H
#define VERSO_ANALYSIS_CALLMODEL_H

#include "rules/KnownCalls.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>
#include <string>

namespace verso {

struct CallModel {
  enum Kind {
    Operation,   ///< A line of the rule table.
    Inactive,    ///< No effect on reals.
    Silent,      ///< A function marked inactive, whose body is here: a twin in
                 ///< which no number varies clears what it overwrites.
    Library,     ///< Allocation, copies, ...: see Known.
    Direct,      ///< A function with a body: its twin is called.
    Twin,        ///< A twin already: Twins::rewriteCalls made it.
    Indirect,    ///< Through a pointer: the twin is looked up.
    Unsupported, ///< Why says what is missing.
  };
  Kind K;
  llvm::Function *Callee = nullptr;
  std::optional<KnownCall> Known = std::nullopt;
  std::string Why = {};
  std::string Remedy = {};
};

/// Whether \p I is a call of the function of that name.
bool callsNamed(const llvm::Instruction &I, llvm::StringRef Name);

/// A call from or to a place that is come to by a long jump.
bool isLongJump(const llvm::CallBase &Call);

/// A call that structured code makes as it is, of a function that does nothing
/// but release memory (structured/Releasers.h).
bool isRelease(const llvm::CallBase &Call);
void markAsRelease(llvm::CallBase &Call);

CallModel modelCall(const llvm::CallBase &Call,
                    const llvm::TargetLibraryInfo *TLI);
/// The same once calls lead to twins (Twins::rewriteCalls): a call that does
/// not yet is unsupported.
CallModel modelRewrittenCall(const llvm::CallBase &Call,
                             const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_ANALYSIS_CALLMODEL_H
