//===- LikelyTargets.h - where calls through pointers may lead --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Virtual functions that call one another are a circle before anybody knows
// what an object is. So functions that a request's code names are taken as the
// targets of its calls through pointers if they have the type, and stand where
// the pointer is loaded from in some table: of a class that derives from the
// object's, where its pointer says what that is (!tbaa). It is a guess: in the
// end it has to be proved of every chain that nothing else is called
// (Targets.h).
//
// Outside of a circle a call becomes
//
//   dispatch(p, x)     where   dispatch(p, x) { return p(x) }
//
// a member of the circle, so that what may be called is one loop and not one
// for each target.
//
// Invalidated by functions that the request's code is made to name.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECURSION_LIKELYTARGETS_H
#define VERSO_STRUCTURED_RECURSION_LIKELYTARGETS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace verso {

/// Where in a table of virtual functions, in bytes from the first, \p Callee is
/// loaded from; none if it is not loaded as one is.
std::optional<uint64_t> offsetInTable(const llvm::Value &Callee,
                                      const llvm::DataLayout &DL);

class LikelyTargets {
public:
  /// Of the calls in what \p Root reaches.
  explicit LikelyTargets(llvm::Function &Root);
  /// Of the program's calls.
  explicit LikelyTargets(llvm::Module &M);
  LikelyTargets(const LikelyTargets &) = delete;
  ~LikelyTargets();

  /// Functions that \p Call, through a pointer, may lead to; none if they are
  /// too many.
  llvm::SmallVector<llvm::Function *, 4> of(const llvm::CallBase &Call) const;
  /// Replaces \p Call by a call of a dispatcher.
  void dispatch(llvm::CallBase &Call);
  bool isDispatcher(const llvm::Function &F) const {
    return Dispatchers.contains(&F);
  }

private:
  void findIn(llvm::ArrayRef<const llvm::Value *> Roots);
  void noteTables(const llvm::Constant &Initializer);

  /// Where a function is in tables: the offset in an array of pointers, and the
  /// type of the class that has it; null if that is not known.
  struct Entry {
    uint64_t Offset;
    const llvm::GlobalVariable *Class;
  };
  bool hasAsWell(const Entry &E, const llvm::CallBase &Call) const;

  /// Functions whose address is taken, and their entries.
  llvm::MapVector<llvm::Function *, llvm::SmallVector<Entry, 2>> Named;
  llvm::SmallSetVector<const llvm::Function *, 4> Dispatchers;
  llvm::SmallVector<llvm::Function *, 4> Made;
};

} // namespace verso

#endif // VERSO_STRUCTURED_RECURSION_LIKELYTARGETS_H
