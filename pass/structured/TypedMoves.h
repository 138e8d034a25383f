//===- TypedMoves.h - numbers that are moved as integers --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM makes a copy of eight bytes a load and a store of an i64. Where the
// memory is accessed as numbers elsewhere, for certain on the same bytes
// (memory/CertainCells.h), the integer that is loaded only to be stored becomes
// those numbers. No bit changes.
//
// The same becomes of a *web* of integers, which are loaded, chosen, stored and
// cast from and to numbers (unions, compare-and-exchange on bits):
//
//   b = bitcast double x; c = phi i64 b, (load i64 p); y = bitcast i64 c
//   =>   y = phi double x, (load double p)
//
// and of one of pairs of floats (structs that are copied, chosen, taken apart).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TYPEDMOVES_H
#define VERSO_STRUCTURED_TYPEDMOVES_H

#include "structured/memory/Objects.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace verso {

void typeMoves(llvm::Function &F, const Objects &O, llvm::ScalarEvolution &SE);

} // namespace verso

#endif // VERSO_STRUCTURED_TYPEDMOVES_H
