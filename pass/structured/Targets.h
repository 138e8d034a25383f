//===- Targets.h - what calls through pointers lead to ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls through pointers become chains of direct calls:
//
//   r = call p(x)      if (p == f) r = call f(x)
//                      else if (p == g) r = call g(x)
//                      else r = call p(x), !verso.targets !{f, g}
//
// The last branch stays while calls are inlined, which may show further
// targets. When the call tree is one function, it has to be proved that it is
// never taken. Of all last branches together it is enough to show that none is
// taken before another one: so nobody looks at what these calls do (Objects.h).
//
//   - The points-to analysis knows every target: tables of functions, virtual
//     functions of objects that the request makes, std::function.
//   - The pointer is an argument, or is read through one before anything may
//     have changed it, and always, or where the caller's memory can be read at
//     any time. Then targets are guessed, and the caller has to make sure of
//     them: an Assumption.
//   - The pointer is read in the middle: targets are guessed as well, and the
//     caller walks the way to such calls first (Survey.h).
//     Functions that call one another through pointers that way are guessed
//     once within each other: a network's blocks that contain layers.
//   - No such walk can be made: the request starts again if a guess is wrong,
//     where nobody sees that it does (Restarts.h).
//   - A pointer to a member of a class is two integers. Where they are read
//     like such pointers, and the caller stores constants there, they are
//     these: an Assumption as well.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TARGETS_H
#define VERSO_STRUCTURED_TARGETS_H

#include "structured/Refusal.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>
#include <vector>

namespace verso {

class Objects;

/// A pointer to one of some functions, or an integer; or what a survey says; or
/// a static variable is initialised.
struct Assumption {
  unsigned Argument = 0;
  /// What was added to a pointer before each load that follows.
  llvm::SmallVector<int64_t, 2> Loads;
  llvm::SmallVector<llvm::Function *, 4> Targets;
  llvm::Constant *Word = nullptr; ///< What was loaded last is this integer.
  llvm::Function *Survey = nullptr;
  /// Of a static variable that is initialised (StaticGuards.h).
  llvm::GlobalVariable *Guard = nullptr;
  /// No request has started again yet (Restarts.h): the whole of it.
  bool NeverStrayed = false;

  /// Whether it holds, in a function with these arguments.
  llvm::Value *emit(llvm::IRBuilderBase &B, llvm::Function &F) const;
};

/// Those that nobody calls.
void eraseSurveys(llvm::MutableArrayRef<Assumption> Assumptions);

/// Whether \p Call is the last branch of a chain: it will be proved that it is
/// never made.
bool endsChain(const llvm::CallBase &Call);
/// Adds \p More to the chain before \p Call. Returns whether they are new.
bool extendChain(llvm::CallBase &Call, llvm::ArrayRef<llvm::Function *> More);

/// The guessed functions that call one another which \p Call was inlined from;
/// what is inlined of it is within the same.
llvm::MDNode *nestingOf(const llvm::CallBase &Call);
void setNesting(llvm::CallBase &Call, llvm::MDNode *Nesting);

/// Replaces comparisons with functions that turn out not to be called: what was
/// inlined for such would go through objects of other classes.
/// Returns whether there were any.
bool foldComparedFunctions(llvm::Function &F,
                           llvm::FunctionAnalysisManager &FAM);

class Targets {
public:
  /// \p Given are the arguments of \p F in the caller; none if assumptions are
  /// of no use. The request may start again if it \p MayRestart.
  Targets(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
          llvm::ArrayRef<llvm::Value *> Given, bool MayRestart)
      : F(F), FAM(FAM), Given(Given), MayRestart(MayRestart) {}

  /// Adds what is known of the targets of each call in \p Part, which is or
  /// will be a part of F. Returns whether anything changed. Refused if it takes
  /// too long to know anything: it would again, in each of the next rounds.
  bool extendChains(llvm::Function &Part, Refusals &Refused);
  /// When nothing more is known: the same for calls that a survey can be made
  /// of.
  bool guessInTheMiddle(llvm::Function &Part);
  /// Makes the last branches of all chains unreachable, or refuses. Returns
  /// whether there were any.
  bool endChains(Refusals &Refused);
  /// The caller's from now on, with surveys.
  std::vector<Assumption> takeAssumptions() { return std::move(Assumptions); }
  Targets(const Targets &) = delete;
  ~Targets() { eraseSurveys(Assumptions); }

private:
  llvm::SmallVector<llvm::Function *, 4> guess(const llvm::CallBase &Call);
  bool assumeMembers(llvm::ArrayRef<llvm::CallBase *> Calls);
  bool assumeWord(llvm::LoadInst &Load, bool IsFunction);
  bool isReadFirst(const llvm::LoadInst &Load, bool MayBeReadEarly);
  bool assume(const llvm::CallBase &Call);
  bool canRestart(llvm::ArrayRef<llvm::CallBase *> Calls, const Objects &O,
                  bool IsFinal);
  void refuse(const llvm::CallBase &Call, Refusals &Refused) const;

  llvm::Function &F;
  llvm::FunctionAnalysisManager &FAM;
  llvm::ArrayRef<llvm::Value *> Given;
  const bool MayRestart;
  std::vector<Assumption> Assumptions;
  /// Whether functions that call one another may be guessed: as F was before
  /// any was.
  std::optional<bool> MayNest;
  std::string Obstacle;  ///< Why there is no survey.
  unsigned Vain = 0;     ///< How often nothing could be known.
  bool Restarts = false; ///< Whether the request is to start again instead.
};

} // namespace verso

#endif // VERSO_STRUCTURED_TARGETS_H
