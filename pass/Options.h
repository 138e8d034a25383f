//===- Options.h - what the user can choose ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options are given to opt directly, to clang with -mllvm, and to any tool in
// the environment variable VERSO_OPTIONS, in the same syntax, separated by
// blanks (a linker loads a plugin when it has read its command line already).
// The command line wins. Code receives a `const Options &`.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_OPTIONS_H
#define VERSO_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace verso {

struct Options {
  enum StrategyKind {
    Auto,       ///< Structured where it can be proved right, else taped.
    Taped,      ///< Always the tape.
    Structured, ///< Always reversed control flow; an error where impossible.
  };
  StrategyKind Strategy = Auto;
  enum Choice {
    Automatic, ///< Where it pays.
    Never,
    Always, ///< Wherever it can be done, for tests.
  };
  /// Whether loops on the tape may be single records (taped/Kernels.h).
  Choice Kernels = Automatic;
  /// Whether functions of a structured request may stay calls
  /// (structured/parts/Parts.h).
  Choice Parts = Automatic;
  /// Every request checks itself at run time by the dot-product test.
  bool Check = false;
  /// Loops of forward requests, one a direction, become wide ones.
  bool MergeDirections = true;
  /// Functions whose address is taken have twins for other files, too.
  bool AllTwins = false;
  /// Requests are printed as they were understood, before they are lowered.
  bool PrintRequests = false;

  /// The options of this process; an error says what is wrong with
  /// VERSO_OPTIONS. (The command line's own mistakes end the tool earlier.)
  static llvm::Expected<Options> get();

  /// The strategy of this name, if there is one.
  static std::optional<StrategyKind> strategyNamed(llvm::StringRef Name);

  /// \p Text, in the syntax of VERSO_OPTIONS, on top of the defaults.
  static llvm::Expected<Options> parse(llvm::StringRef Text);
};

} // namespace verso

#endif // VERSO_OPTIONS_H
