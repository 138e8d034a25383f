//===- MemberGradients.h - reversed members ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each member (Members.h) that a function calls, with whatever number of
// calls between, one function that does both sweeps (OneWalk.h),
//
//   {r, x'...} = f.both(arguments..., shadows..., r')
//
// or where that is refused, and nothing goes up, one for each sweep (Wave.h).
// x' are adjoints of the parameters that are active numbers; shadows are those
// of pointers that lead to shadowed memory. Parameters are what they are in any
// call: a fixpoint over calls.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECURSION_MEMBERGRADIENTS_H
#define VERSO_STRUCTURED_RECURSION_MEMBERGRADIENTS_H

#include "structured/Adjoints.h"
#include "structured/memory/Unchanged.h"
#include "structured/memory/Varied.h"
#include "structured/recursion/Wave.h"

#include "llvm/ADT/MapVector.h"

namespace verso {

class MemberGradients {
public:
  /// \p IsInner: an outer request differentiates what is made.
  MemberGradients(llvm::FunctionAnalysisManager &FAM, bool IsInner,
                  Refusals &Refused)
      : FAM(FAM), IsInner(IsInner), Refused(Refused) {}
  MemberGradients(const MemberGradients &) = delete;
  /// Erases what was made, unless it was released.
  ~MemberGradients();

  /// Makes what active calls in \p F need, refused where \p F may change what
  /// they read before its verso does, or where that is not known.
  void build(llvm::Function &F, const VariedMemory &V, Unchanged &Memory);
  /// What was made, which is the caller's now.
  llvm::SmallVector<llvm::Function *, 4> release();

  enum class Role { None, Inactive, Active, Shadowed, PerhapsShadowed };
  /// The verso of an active call.
  void reverse(llvm::CallBase &Call, llvm::IRBuilderBase &B,
               ShadowPointers &Shadows, Adjoints &A);
  /// When both sweeps of the caller are emitted: calls that record something
  /// come into the place of those that do not.
  void replaceCalls();
  bool usesArena() const { return Cursor; }
  /// The pointers that were given to active calls, whose versos read there.
  llvm::ArrayRef<const llvm::Value *> readByCalls() const { return Read; }

  /// Calls what does both sweeps of \p Call, where its result has the adjoint
  /// \p Seed; null if there is no such function.
  llvm::CallInst *emitCall(llvm::IRBuilderBase &B, llvm::CallBase &Call,
                           ShadowPointers &Shadows, llvm::Value *Seed) const;
  /// Adds the adjoints of its arguments.
  void addResults(llvm::IRBuilderBase &B, llvm::CallBase &Call,
                  llvm::CallInst *Both, Adjoints &A) const;

private:
  using Roles = llvm::SmallVector<Role, 8>;
  bool note(llvm::Function &F, const VariedMemory &V);
  void checkMemory(llvm::Function &F, const VariedMemory &V, Unchanged &Memory);
  /// Parameters of \p F that have shadows, as \p Member's roles say.
  static void sortArguments(llvm::Function &F, const Roles &R,
                            llvm::SmallVectorImpl<llvm::Value *> &Dups,
                            llvm::SmallVectorImpl<llvm::Value *> &Loaded,
                            llvm::SmallVectorImpl<llvm::Value *> &Varied);
  void declare(llvm::Function &Member);
  llvm::SmallVector<llvm::Type *, 8> parameters(llvm::Function &Member) const;
  llvm::SmallVector<llvm::Value *, 8> arguments(llvm::CallBase &Call,
                                                ShadowPointers &Shadows) const;
  llvm::DenseMap<llvm::Value *, llvm::Value *>
  cloneInto(llvm::Function &F, llvm::Function &Member) const;
  void walkOnce(llvm::Function &Member, Refusals &Refused);
  void keepRecords(llvm::Function &Member);

  llvm::FunctionAnalysisManager &FAM;
  const bool IsInner;
  Refusals &Refused;
  llvm::MapVector<llvm::Function *, Roles> Reached;
  llvm::MapVector<llvm::Function *, llvm::Function *> Both;
  llvm::MapVector<llvm::Function *, Wave> Waves;
  llvm::SmallVector<const llvm::Value *, 8> Read;
  llvm::AllocaInst *Cursor = nullptr;
  llvm::MapVector<llvm::CallBase *, llvm::CallInst *> Replaced;
};

} // namespace verso

#endif // VERSO_STRUCTURED_RECURSION_MEMBERGRADIENTS_H
