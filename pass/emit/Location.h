//===- Location.h - places in the program, for messages ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_LOCATION_H
#define VERSO_EMIT_LOCATION_H

#include "Diagnostics.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"

namespace verso {

/// Where \p I stands, for a message of the runtime. Each is a constant of its
/// own: without line numbers many are the same text, and merging them would
/// give other code than -g does.
inline llvm::Value *emitLocation(llvm::IRBuilderBase &B,
                                 llvm::StringRef Where) {
  llvm::GlobalVariable *G = B.CreateGlobalString(Where, "verso.where");
  G->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::None);
  return G;
}
inline llvm::Value *emitLocation(llvm::IRBuilderBase &B,
                                 const llvm::Instruction &I) {
  return emitLocation(B, describeLocation(I));
}

} // namespace verso

#endif // VERSO_EMIT_LOCATION_H
