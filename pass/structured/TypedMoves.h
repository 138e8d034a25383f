//===- TypedMoves.h - numbers that are moved as integers --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM makes a copy of eight bytes a load and a store of an i64. Where the
// memory is accessed as numbers elsewhere, on the same bytes, the integer that
// is loaded only to be stored becomes those numbers. No bit changes.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TYPEDMOVES_H
#define VERSO_STRUCTURED_TYPEDMOVES_H

#include "structured/memory/Objects.h"

namespace verso {

void typeMoves(llvm::Function &F, const Objects &O);

} // namespace verso

#endif // VERSO_STRUCTURED_TYPEDMOVES_H
