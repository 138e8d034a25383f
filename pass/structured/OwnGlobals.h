//===- OwnGlobals.h - static variables as local ones ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A static variable that holds pointers ("the world") leads to whatever it led
// to before the request, as far as a points-to analysis knows that has no
// order. If the module accesses it by its name alone, nobody but the flattened
// function sees it while that runs, so it becomes a local variable:
//
//   entry:                            entry:
//     ...                               %w = alloca ptr
//     store ptr %block, ptr @w          store (load ptr, ptr @w), ptr %w
//     ...                               ...
//     ret double %r                     store (load ptr, ptr %w), ptr @w
//                                       ret double %r
//
// which simplification promotes; what it held before is then read only if the
// program reads it. Arrays of Fortran's modules are such variables, too:
// nothing of the language leads to their descriptors but their names. Functions
// that are inlined later, through pointers, must not access the variable: that
// is made sure of, else the function is refused.
//
// Left alone: large variables, those whose accesses have other types than their
// declaration, and all if functions are called that may call back or throw.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_OWNGLOBALS_H
#define VERSO_STRUCTURED_OWNGLOBALS_H

#include "structured/Refusal.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"

namespace verso {

/// Marks the variables that the program accesses by their names alone, before
/// there is any generated code. The marks are taken away again by the latter.
void noteOwnGlobals(llvm::Module &M);
void forgetOwnGlobals(llvm::Module &M);

/// Those of one function that is being flattened.
class OwnGlobals {
public:
  /// \p MayKeep: what arrays of Fortran's modules hold before (KeptBlocks.h).
  OwnGlobals(llvm::Function &F, bool MayKeep) : F(F), MayKeep(MayKeep) {}

  /// To be called when everything that can be has been inlined.
  void makeLocal(const llvm::TargetLibraryInfo &TLI, Refusals &Refused);
  bool any() const { return !All.empty(); }
  /// To be called before more is inlined.
  void count();
  /// Whether what is called in the end leaves the variables alone.
  void refuseUsers(const llvm::TargetLibraryInfo &TLI, Refusals &Refused);

private:
  unsigned ends() const;
  unsigned usesOf(const llvm::GlobalVariable &G) const;
  bool calleesMayUse(const llvm::GlobalVariable &G,
                     const llvm::TargetLibraryInfo &TLI) const;
  void makeLocal(llvm::GlobalVariable &G);

  llvm::Function &F;
  const bool MayKeep;
  struct Own {
    llvm::GlobalVariable *G;
    unsigned Uses;
  };
  llvm::SmallVector<Own, 4> All;
  unsigned Ends = 0;
};

} // namespace verso

#endif // VERSO_STRUCTURED_OWNGLOBALS_H
