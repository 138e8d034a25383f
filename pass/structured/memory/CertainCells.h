//===- CertainCells.h - what accesses say of a copy for certain -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects say where a pointer *may* lead. A copy within memory of the caller
// may move pointers, so all that is loaded afterwards may lead to what they led
// to, and an access of one array is one of every other. That is no proof of
// what these others hold:
//
//   for (int i = 0; i < n; ++i)
//     s->u[i] *= a;             // numbers
//   s->items[1] = s->items[0];  // of another type, which nobody reads here
//
// So a cell is certain only if accesses say so that go by pointers which were
// loaded from the same place, or are of the same argument, variable or block.
// Copies hand certain cells on, to and fro.
//
// Invalidated as Objects are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_CERTAINCELLS_H
#define VERSO_STRUCTURED_MEMORY_CERTAINCELLS_H

#include "structured/memory/Objects.h"

namespace verso {

class CertainCells {
public:
  explicit CertainCells(const Objects &O);

  struct Cell {
    llvm::Type *T;
    uint64_t Size;
    OffsetClass At;
    bool operator==(const Cell &) const = default;
  };
  /// A value of type \p T is loaded or stored through \p P.
  void addAccess(const llvm::Value *P, llvm::Type *T, uint64_t Size);
  /// What may be a pointer is.
  void addPointer(const llvm::Value *P, uint64_t Size);
  /// Cells of one side of a copy are on the other side, too; whether that is
  /// news.
  bool addCopy(const llvm::Value *To, const llvm::Value *From, uint64_t Bytes);
  /// What is there in the first \p Bytes bytes behind \p P, with offsets from
  /// it.
  llvm::SmallVector<Cell, 4> at(const llvm::Value *P, uint64_t Bytes) const;
  /// Whether there may be a pointer.
  bool mayHoldPointers(const llvm::Value *P, uint64_t Bytes) const;

private:
  /// More say nothing, which is never wrong. (Copies within an object move
  /// cells on and on.)
  static constexpr unsigned MaxAccesses = 1024, MaxCopied = 64;
  static constexpr unsigned MaxComparisons = 1u << 20;

  struct Access {
    llvm::Type *T;
    uint64_t Size;
    Places Where; ///< By leader.
  };
  void joinLoads();
  bool add(Access A);
  Places placesOf(const llvm::Value *P) const;
  /// The object that stands for \p Object and all that are loaded from the same
  /// place.
  unsigned leader(unsigned Object) const;

  const Objects &O;
  mutable std::vector<unsigned> Leaders;
  std::vector<Access> Accesses, Pointers;
  unsigned Copied = 0;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_CERTAINCELLS_H
