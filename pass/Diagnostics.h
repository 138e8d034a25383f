//===- Diagnostics.h - errors and remarks -----------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only way in which the pass talks to the user. An error comes out of
// clang, opt and lld as `file:line:col: error: ...` with exit status 1. It goes
// through the context's diagnostic handler, so a tool that has none (opt) ends
// at the first one and clang collects them all.
//
// An error reads
//
//   <message>, in 'g(double)' at '%1 = call ...', called at f.c:3:4 in 'f',
//   requested at f.c:9:3 in 'main'; <remedy>
//
// and is located at the instruction or, if that has no line, at the innermost
// call on the way to it that has one. Without any it says how to get lines.
//
// Functions are named as in the source: demangled, and without the suffixes of
// the pass's own copies.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_DIAGNOSTICS_H
#define VERSO_DIAGNOSTICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace llvm {
class Function;
class GlobalVariable;
class Instruction;
class LLVMContext;
} // namespace llvm

/// The remarks: name, class (-Rpass, -Rpass-missed, -Rpass-analysis, each
/// followed by =verso), what it says.
#define VERSO_REMARKS(X)                                                       \
  X(RequestLowered, Passed, "which strategy a request takes")                  \
  X(FellBackToTaped, Missed, "why a request is not structured")                \
  X(LoopIsKernel, Passed, "a loop of a taped function that is one record")     \
  X(ResidualRecorded, Analysis, "a value that is kept for the reverse sweep")  \
  X(RecursionAsLoop, Analysis, "why calls of recursive functions do not stay") \
  X(ReversedOnce, Analysis, "functions that are reversed once for all calls")  \
  X(DirectionsMerged, Passed, "which loops of requests take wide ones")        \
  X(DirectionsNotMerged, Missed, "why such a loop keeps its requests")         \
  X(LoopShared, Passed, "a loop of a gradient that threads share")             \
  X(LoopNotShared, Missed, "why such a loop has one thread")                   \
  X(NotChecked, Missed, "requests that -verso-check does not judge")           \
  X(ExtentNeeded, Analysis, "a tracked pointer that is captured")

namespace verso {

enum class Remark {
#define VERSO_REMARK(NAME, CLASS, WHAT) NAME,
  VERSO_REMARKS(VERSO_REMARK)
#undef VERSO_REMARK
};

class Diagnostics {
public:
  explicit Diagnostics(llvm::LLVMContext &Context) : Context(Context) {}

  /// \p Chain holds the calls that led to \p At, innermost first; the last one
  /// may be the request. The same error is reported once.
  void error(const llvm::Instruction &At, const llvm::Twine &Message,
             const llvm::Twine &Remedy,
             llvm::ArrayRef<const llvm::Instruction *> Chain = {});
  /// At the line of a global variable.
  void error(const llvm::GlobalVariable &At, const llvm::Twine &Message,
             const llvm::Twine &Remedy);
  /// An error that has no place in the program: a bad option.
  void error(const llvm::Twine &Message);

  void remark(Remark Which, const llvm::Instruction &At,
              const llvm::Twine &Message);

  bool hadError() const { return HadError; }

private:
  llvm::LLVMContext &Context;
  bool HadError = false;
  llvm::StringSet<> Reported;
};

/// "f.c:12:3", the empty string where there is no debug location. Within a
/// header of the C++ library, also where the user's code called it:
/// "bits/stl_vector.h:8:9, called at f.cpp:12:3".
std::string placeOf(const llvm::Instruction &At);

/// "f.c:12:3: in 'main'", or "in 'main'" where there is no debug location.
std::string describeLocation(const llvm::Instruction &At);

/// The function's name as the user wrote it.
std::string sourceName(const llvm::Function &F);

} // namespace verso

#endif // VERSO_DIAGNOSTICS_H
