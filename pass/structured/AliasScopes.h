//===- AliasScopes.h - adjoints never alias primals -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request touches three kinds of memory that do not overlap: the program's,
// adjoint cells and columns. Local objects do not overlap either, and neither
// do their shadows. Metadata tells LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_ALIASSCOPES_H
#define VERSO_STRUCTURED_ALIASSCOPES_H

#include "structured/memory/Objects.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/MDBuilder.h"

namespace verso {

/// Forgets what `restrict` says within one iteration of a loop: the verso
/// repeats accesses of an iteration when the recto has run all of them.
void dropScopesOfIterations(llvm::Function &F, const llvm::LoopInfo &LI);

class AliasScopes {
public:
  enum Kind { Program, Adjoint, Column };
  /// Whether \p I was marked so, in whatever request; not where the mark got
  /// lost.
  static bool isMarked(const llvm::Instruction &I, Kind K);

  AliasScopes(llvm::LLVMContext &C, const Objects &O) : O(O) {
    llvm::MDBuilder B(C);
    llvm::MDNode *Domain = B.createAnonymousAliasScopeDomain("verso");
    llvm::Metadata *All[3];
    for (unsigned K = 0; K != 3; ++K)
      All[K] = B.createAnonymousAliasScope(Domain, Names[K]);
    for (unsigned K = 0; K != 3; ++K) {
      Own[K] = llvm::MDNode::get(C, All[K]);
      Others[K] = llvm::MDNode::get(C, {All[(K + 1) % 3], All[(K + 2) % 3]});
    }
  }

  void mark(llvm::Instruction &I, Kind K) const {
    add(I, llvm::LLVMContext::MD_alias_scope, Own[K]);
    add(I, llvm::LLVMContext::MD_noalias, Others[K]);
  }

  /// What the program's pointer tells; \p I is an access through it or its
  /// shadow.
  void markObjects(llvm::Instruction &I, const llvm::Value *Pointer) {
    // Local objects beyond these are not told apart.
    constexpr unsigned MaxObjects = 24;
    if (Scopes.empty()) {
      // A domain of their own: two accesses are apart if one domain says so.
      llvm::MDBuilder B(I.getContext());
      llvm::MDNode *Domain = B.createAnonymousAliasScopeDomain("verso.objects");
      for (unsigned K = 0; K != O.size() && Scopes.size() != MaxObjects; ++K)
        if (O[K].isLocal())
          Scopes[K] = B.createAnonymousAliasScope(Domain);
    }
    Places Ps = O.placesOf(Pointer);
    if (Ps.empty() || Scopes.empty())
      return;
    llvm::SmallVector<llvm::Metadata *, 24> Mine, Theirs;
    for (auto [K, Scope] : Scopes)
      (llvm::any_of(Ps, [&, K = K](const Place &P) { return P.Object == K; })
           ? Mine
           : Theirs)
          .push_back(Scope);
    // Only what is one object for certain is in its scope.
    if (Ps.size() == 1 && Mine.size() == 1)
      add(I, llvm::LLVMContext::MD_alias_scope,
          llvm::MDNode::get(I.getContext(), Mine));
    if (!Theirs.empty())
      add(I, llvm::LLVMContext::MD_noalias,
          llvm::MDNode::get(I.getContext(), Theirs));
  }
  static void add(llvm::Instruction &I, unsigned Which, llvm::MDNode *List) {
    I.setMetadata(Which, llvm::MDNode::concatenate(I.getMetadata(Which), List));
  }

  static constexpr llvm::StringLiteral Names[] = {
      "verso.program", "verso.adjoint", "verso.column"};
  const Objects &O;
  llvm::MapVector<unsigned, llvm::MDNode *> Scopes;
  llvm::MDNode *Own[3], *Others[3];
};

} // namespace verso

#endif // VERSO_STRUCTURED_ALIASSCOPES_H
