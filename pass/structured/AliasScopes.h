//===- AliasScopes.h - adjoints never alias primals -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request touches three kinds of memory that do not overlap: the program's,
// adjoint cells and columns. Metadata tells LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_ALIASSCOPES_H
#define VERSO_STRUCTURED_ALIASSCOPES_H

#include "llvm/IR/Instruction.h"
#include "llvm/IR/MDBuilder.h"

namespace verso {

class AliasScopes {
public:
  enum Kind { Program, Adjoint, Column };

  explicit AliasScopes(llvm::LLVMContext &C) {
    llvm::MDBuilder B(C);
    llvm::MDNode *Domain = B.createAnonymousAliasScopeDomain("verso");
    llvm::Metadata *All[3];
    for (unsigned K = 0; K != 3; ++K)
      All[K] = B.createAnonymousAliasScope(Domain);
    for (unsigned K = 0; K != 3; ++K) {
      Own[K] = llvm::MDNode::get(C, All[K]);
      Others[K] = llvm::MDNode::get(C, {All[(K + 1) % 3], All[(K + 2) % 3]});
    }
  }

  void mark(llvm::Instruction &I, Kind K) const {
    auto Add = [&](unsigned Which, llvm::MDNode *List) {
      I.setMetadata(Which, llvm::MDNode::concatenate(I.getMetadata(Which), List));
    };
    Add(llvm::LLVMContext::MD_alias_scope, Own[K]);
    Add(llvm::LLVMContext::MD_noalias, Others[K]);
  }

private:
  llvm::MDNode *Own[3], *Others[3];
};

} // namespace verso

#endif // VERSO_STRUCTURED_ALIASSCOPES_H
