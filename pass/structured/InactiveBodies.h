//===- InactiveBodies.h - inactive functions as code ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inactive function that may overwrite numbers of its caller is called by
// structured code as a copy, which is inlined like any other function: what it
// writes and where pointers go is then seen. In the copy, and in copies of all
// that it calls, what is loaded or given is detached (rules/Detached.h), so no
// number varies; what is copied is detached behind the copy. Pointers keep
// their shadows, as on the tape.
//
// Refused: calls through pointers, which would be followed into functions that
// are no copies; variadic functions; atomic exchanges; functions of the library
// that move numbers other than by a copy.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_INACTIVEBODIES_H
#define VERSO_STRUCTURED_INACTIVEBODIES_H

#include "structured/Refusal.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/PassManager.h"

namespace verso {

class InactiveBodies {
public:
  InactiveBodies(llvm::FunctionAnalysisManager &FAM, Refusals &Refused)
      : FAM(FAM), Refused(Refused) {}
  InactiveBodies(const InactiveBodies &) = delete;
  /// Erases the copies.
  ~InactiveBodies();

  /// The copy of \p F, whose calls are calls of copies; null if refused.
  llvm::Function *get(llvm::Function &F);

private:
  llvm::Function *copy(llvm::Function &F);
  void redirect(llvm::Function &Copy);
  void detach(llvm::Function &Copy);

  llvm::FunctionAnalysisManager &FAM;
  Refusals &Refused;
  llvm::MapVector<llvm::Function *, llvm::Function *> Copies;
};

} // namespace verso

#endif // VERSO_STRUCTURED_INACTIVEBODIES_H
