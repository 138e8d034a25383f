//===- Members.h - recursive functions whose calls stay calls ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *member* is a copy of a recursive function that can be reversed by itself
// (MemberGradients.h). What is guaranteed of it:
//   - it writes no memory, throws nothing, and has no local variables; it names
//     no variable but constants;
//   - its parameters are numbers, integers and pointers by value, its result is
//     a number or a structure of numbers;
//   - it calls members, and is in the form of Flatten.h but for that.
// So a call of it is a function of its arguments and of memory that it reads.
//
// An activation that returns before it makes a call is none: what comes before
// the first call is repeated in the caller,
//
//   f(x)          if (outer(x)) return r;  call f.member(x)
//
// and f.member is only called where it will make calls.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECURSION_MEMBERS_H
#define VERSO_STRUCTURED_RECURSION_MEMBERS_H

#include "structured/Refusal.h"
#include "structured/recursion/Circles.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstrTypes.h"

#include <functional>

namespace verso {

bool isMember(const llvm::Function &F);
bool callsMember(const llvm::CallBase &Call);
/// Whether \p F, a member, or one that it calls, loads pointers: it reads more
/// than what its parameters point into.
bool followsPointers(const llvm::Function &F);

class Members {
public:
  /// \p Prepare inlines into a copy of a function what it calls, but for the
  /// functions of a circle, and simplifies it; \p Finish brings it into form.
  struct Steps {
    std::function<void(llvm::Function &, const Circle &)> Prepare;
    std::function<void(llvm::Function &)> Finish;
  };

  Members(llvm::FunctionAnalysisManager &FAM, Refusals &Refused)
      : FAM(FAM), Refused(Refused) {}
  Members(const Members &) = delete;
  ~Members() { eraseUnused(); }

  /// What is to be called in place of \p F, which is recursive: a member, or a
  /// function to be inlined, which calls one.
  llvm::Function *get(llvm::Function &F, Circles &Who, const Steps &S);
  /// Erases what nobody uses; the rest is the caller's.
  llvm::SmallVector<llvm::Function *, 4> eraseUnused();

private:
  struct Made {
    llvm::Function *Member = nullptr;
    llvm::Function *Outer = nullptr; ///< Null if there is none.
  };
  void make(const Circle &Functions, const Steps &S);
  llvm::Function *copy(llvm::Function &F);
  void splitOuter(Made &Each, const Circle &Functions);
  void redirectCalls(llvm::Function &F);
  void check(llvm::Function &F);

  llvm::FunctionAnalysisManager &FAM;
  Refusals &Refused;
  llvm::MapVector<llvm::Function *, Made> All;
};

} // namespace verso

#endif // VERSO_STRUCTURED_RECURSION_MEMBERS_H
