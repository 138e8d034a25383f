//===- EarlierPointers.h - where variables led before -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer that a global variable holds from before the request has no shadow:
// what it leads to is constant. If it leads into an argument that has one, that
// is wrong, and what the argument's numbers gave through it would be missing in
// silence. So such pointers are compared with the arguments where they are
// loaded, and one that is found there ends the program. Those that the request
// has stored itself have their shadow and are left alone.
//
// Where a pointer leads, and where numbers are accessed at fixed places behind
// it: the argument may be a later member of an object. Only pointers that are
// loaded from a variable by its name, or by pointers
// that were loaded so in the same function, and through which numbers may be
// read or written, by what is seen. Only as much of an argument as is known to
// be there (leastExtent).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_EARLIERPOINTERS_H
#define VERSO_ANALYSIS_EARLIERPOINTERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

namespace llvm {
class CallBase;
class DataLayout;
class Function;
class IRBuilderBase;
class LoadInst;
class TargetLibraryInfo;
class Value;
} // namespace llvm

namespace verso {

struct RequestArgument;

/// Bytes from a pointer or in a variable, from the first to behind the last.
struct ByteRange {
  int64_t Begin, End;
};
/// Adds to those that are in order; nothing comes before the last one.
void appendRange(llvm::SmallVectorImpl<ByteRange> &Ranges, ByteRange New);

struct EarlierPointer {
  llvm::WeakTrackingVH Load;
  /// Where it leads, and where numbers are accessed behind it, as far as that
  /// is seen.
  llvm::SmallVector<ByteRange, 4> Ranges;
};

/// The loads in \p F of such pointers.
llvm::SmallVector<EarlierPointer, 4> earlierPointers(llvm::Function &F);

/// The call that \p Load reads an array of a plan of; null if it reads none.
llvm::CallBase *arraysOfPlan(const llvm::LoadInst &Load);

/// Whether there may be any in \p F and in what it calls.
bool mayUseEarlierPointers(llvm::Function &F);

/// Whether \p Range of \p Base and the \p Bytes from \p Begin on have any in
/// common.
llvm::Value *overlap(llvm::IRBuilderBase &B, llvm::Value *Base, ByteRange Range,
                     llvm::Value *Begin, uint64_t Bytes);

/// How many bytes of an argument are known to be there: at least its first
/// number.
uint64_t leastExtent(const RequestArgument &A, const llvm::DataLayout &DL,
                     const llvm::TargetLibraryInfo *TLI);

/// And how many there are at most, in it and in its shadow; UINT64_MAX if
/// nobody knows.
uint64_t mostExtent(const RequestArgument &A, const llvm::DataLayout &DL,
                    const llvm::TargetLibraryInfo *TLI);

/// For each parameter of \p F: where what is accessed at fixed places of it
/// ends, or its type, as far as that is seen.
llvm::SmallVector<uint64_t, 8> placedExtents(llvm::Function &F,
                                             llvm::FunctionAnalysisManager &);

} // namespace verso

#endif // VERSO_ANALYSIS_EARLIERPOINTERS_H
