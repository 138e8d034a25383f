//===- WrittenRanges.h - what is written from a nest on ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of all that a function may still write once a nest of loops runs, as
// far as a pointer may lead there. Where a row is gathered by an index,
//
//   for (e ...)
//     for (k ...)
//       h[i * n + k] += s[e] * z[column[e] * n + k];
//
// nobody knows at the beginning which rows of z will be read, but all of h that
// is written is known. What a row was found to be apart from where the loop
// over k begins (ApartNests.h), it is apart from until the verso.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_WRITTENRANGES_H
#define VERSO_STRUCTURED_MEMORY_WRITTENRANGES_H

#include "analysis/AddressRanges.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace verso {

class WrittenRanges {
public:
  WrittenRanges(llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                llvm::ScalarEvolution &SE, llvm::BatchAAResults &AA,
                const llvm::TargetLibraryInfo *TLI);

  /// Whether all that may be written where \p Base leads, from the nest \p L
  /// on, goes by other pointers that are known before the loops around it.
  bool mayBeApart(const llvm::Value *Base, const llvm::Loop &L);
  /// The ranges of that, of 64 bits, before the outermost loop around \p L;
  /// none if they cannot be computed.
  std::optional<llvm::SmallVector<Interval, 4>> emit(const llvm::Value *Base,
                                                     const llvm::Loop &L);

private:
  struct Write {
    llvm::Instruction *I;
    llvm::Value *Base = nullptr; ///< Null if nothing is known of it.
    const llvm::SCEV *Offset = nullptr, *Bytes = nullptr;
  };
  void add(llvm::Instruction &I);
  bool mayMeet(const Write &W, const llvm::Value *Base);
  llvm::SmallVector<const Write *, 8> writesFrom(const llvm::Loop &L,
                                                 const llvm::Value *Base);

  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  llvm::BatchAAResults &AA;
  const llvm::TargetLibraryInfo *TLI;
  llvm::SmallVector<Write, 32> Writes;
  /// By the outermost loop, before which they are emitted.
  llvm::MapVector<const llvm::Loop *, std::unique_ptr<AddressRanges>> Bounds;
};

/// The mark of a load whose memory the function does not write any more.
inline constexpr llvm::StringLiteral UnwrittenMark = "verso.unwritten";

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_WRITTENRANGES_H
