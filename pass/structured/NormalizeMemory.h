//===- NormalizeMemory.h - memory in the form that is reversed --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the program does with memory in ways that the rest of this folder does
// not know becomes what it knows:
//   - realloc: an allocation, a copy and a release;
//   - atomic operations on memory that no other thread can see: ordinary ones;
//   - loads and stores of whole structures: of their elements;
//   - arrays of variable length, and local variables in loops: blocks of the
//     arena, which last as long as the request. So the verso finds them as they
//     were, and no stack pointer is saved or restored;
//   - pointers become integers where these are used: what is kept in the frames
//     of a recursion are pointers;
//   - a pointer that goes through an integer and comes back, with other low
//     bits, say: a step from the pointer.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_NORMALIZEMEMORY_H
#define VERSO_STRUCTURED_NORMALIZEMEMORY_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"

namespace verso {

/// Before simplification: it can make values of what is left.
void normalizeMemory(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

/// At the end, when all calls that the runtime did not get are in sight.
void moveArraysIntoArena(llvm::Function &F);

/// Before values become variables.
void castPointersLate(llvm::Function &F);

/// At the end: simplification makes integers of such steps.
void makeStepsOfIntegers(llvm::Function &F);

/// Whether blocks of \p F may come to be as large as the allocator made them,
/// not as small as was asked for: shadows have to be, too.
bool usesWholeBlocks(const llvm::Function &F);

} // namespace verso

#endif // VERSO_STRUCTURED_NORMALIZEMEMORY_H
