//===- MappedConstants.h - scratch memory that is verso_const ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that vary may be stored in memory behind an argument that does not:
// a result that nobody differentiates, or room to work in. While the request
// runs they have adjoints, at p + delta, in windows that it has for itself
// (runtime/Tangents.h): zero when it begins, and again when it ended. The recto
// notes the pages that it comes to there.
//
// Such memory may not be that of an argument with a shadow: what is stored by
// one and read by the other would lose its derivative. Nor may numbers of
// several types lie over each other there, by two such arguments. A second
// window marks what was stored behind which of the two, and as what; who finds
// another mark than its own ends the program.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MAPPEDCONSTANTS_H
#define VERSO_STRUCTURED_MAPPEDCONSTANTS_H

#include "structured/memory/Varied.h"

#include "llvm/IR/IRBuilder.h"

namespace verso {

class MappedConstants {
public:
  /// \p Call is the request's.
  MappedConstants(llvm::Function &F, const VariedMemory &V,
                  const llvm::Instruction &Call)
      : F(F), V(V), Call(Call) {}

  /// Where the adjoints of what \p P points to are.
  llvm::Value *shadowOf(llvm::IRBuilderBase &B, llvm::Value *P) {
    return mapped(B, P, 0);
  }
  /// Notes the pages, and marks what is stored; \p Fail emits an error under a
  /// condition.
  void follow(
      llvm::ArrayRef<llvm::Instruction *> Accesses,
      llvm::function_ref<void(llvm::Instruction &Condition, llvm::StringRef Why,
                              const llvm::Instruction &At)>
          Fail);
  bool any() const { return Windows; }
  /// What was emitted at the entry.
  llvm::Instruction *last() const {
    return llvm::cast<llvm::Instruction>(Delta[1]);
  }
  /// On every way out.
  void end(llvm::IRBuilderBase &B) const;

private:
  llvm::Value *mapped(llvm::IRBuilderBase &B, llvm::Value *P, unsigned Lane);

  llvm::Function &F;
  const VariedMemory &V;
  const llvm::Instruction &Call;
  llvm::Value *Windows = nullptr;
  llvm::Value *Delta[2] = {};
};

} // namespace verso

#endif // VERSO_STRUCTURED_MAPPEDCONSTANTS_H
