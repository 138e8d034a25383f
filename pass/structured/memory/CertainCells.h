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
// Classes of offsets have no end, but arrays in structures have:
//
//   struct { int at[8]; struct Record r[4]; } *s;
//   s->at[i] = s->at[j];                     // integers, at all multiples of 4
//   memmove(&s->r[i], &s->r[j], sizeof(struct Record));
//
// So an access in an array does not say where integers and pointers are: the
// runtime looks at what is copied, and so it does where such an access is no
// evidence of a number, since ranges of indices tell the two apart. Else
// numbers are believed: where an array ends is not known of an array alone, and
// somebody has to say what is added to what.
//
// A class is all that may be accessed, evidence is what is:
//
//   struct { double head; struct { double x; float f[2]; } r[5]; } *s;
//   s[i].r[j].x                   // 8 + 88 * i + 16 * j, a multiple of 8
//
// It is if one of the strides is the class's step, and what is asked about
// begins at one place of the class, or at any of them. If it begins at a
// multiple of 8 in records of 16 bytes, both numbers of a record have to be
// known.
//
// And where an array ends is told by nobody, so that one of unknown end says
// nothing where an object has numbers of another type: by accesses that are not
// of the array's own records, or by a structure that addresses are computed in.
//
// Invalidated as Objects are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_CERTAINCELLS_H
#define VERSO_STRUCTURED_MEMORY_CERTAINCELLS_H

#include "structured/memory/Objects.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace verso {

class CertainCells {
public:
  /// \p SE tells ranges of indices; without it those of constants are known.
  explicit CertainCells(const Objects &O, llvm::ScalarEvolution *SE = nullptr);

  struct Cell {
    llvm::Type *T;
    uint64_t Size;
    OffsetClass At;
    bool operator==(const Cell &) const = default;
  };
  /// A value of type \p T is loaded or stored through \p P.
  void addAccess(const llvm::Value *P, llvm::Type *T, uint64_t Size);
  /// At \p P may be numbers of several types, whatever is accessed.
  void addMixed(const llvm::Value *P, uint64_t Bytes);
  bool mayBeMixed(const llvm::Value *P, uint64_t Bytes) const;
  /// What may be a pointer is.
  void addPointer(const llvm::Value *P, uint64_t Size);
  /// Numbers of one side of a copy are on the other side, too; whether that is
  /// news.
  bool addCopy(const llvm::Value *To, const llvm::Value *From, uint64_t Bytes);
  /// What is there in the first \p Bytes bytes behind \p P, with offsets from
  /// it. \p IsDoubtful is set if numbers of a class may be there, and may not.
  llvm::SmallVector<Cell, 4> at(const llvm::Value *P, uint64_t Bytes,
                                bool *IsDoubtful = nullptr) const;
  /// Whether there may be a pointer.
  bool mayHoldPointers(const llvm::Value *P, uint64_t Bytes) const;

private:
  /// More say nothing, which is never wrong. (Copies within an object move
  /// cells on and on.)
  static constexpr unsigned MaxAccesses = 1024, MaxCopied = 64;
  static constexpr unsigned MaxComparisons = 1u << 20;

  /// Where a pointer may lead, by leader.
  struct Spot : Place {
    /// The least and the greatest offset, if they are known.
    std::optional<std::pair<int64_t, int64_t>> Range;
    /// Whether places of the class follow each other, for all that is known:
    /// not if several strides have the step in common alone.
    bool IsArray = true;
    /// And not in records of an array around it.
    bool IsOutermost = true;
  };
  using Spots = llvm::SmallVector<Spot, 2>;
  struct Access {
    llvm::Type *T;
    uint64_t Size;
    Spots Where;
  };
  static bool anyMeets(llvm::ArrayRef<Access> All, const Spots &Ps,
                       uint64_t Bytes);
  /// Whether \p C, which is found at \p Ps, is one of several.
  bool isMixedAt(const Cell &C, const Spots &Ps) const;
  /// Notes the structure in which \p P is computed.
  void noteStructure(const llvm::Value *P, const Spots &Where);
  /// Whether there are numbers of other types than \p T in the object of \p At
  /// that are not of the records of which it is a member.
  bool hasOthers(const llvm::Type *T, const Spot &At) const;
  void joinLoads();
  bool add(Access A);
  Spots spotsOf(const llvm::Value *P) const;
  static bool saysSo(const Access &A, const Spot &At, const Spot &Asked,
                     uint64_t Bytes);
  bool addCells(const Access &A, const Spot &At, const Spot &Asked,
                uint64_t Bytes, llvm::SmallVectorImpl<Cell> &Here) const;
  bool isNumberAt(llvm::Type *T, unsigned Object, OffsetClass At) const;
  /// The object that stands for \p Object and all that are loaded from the same
  /// place.
  unsigned leader(unsigned Object) const;

  const Objects &O;
  llvm::ScalarEvolution *SE;
  mutable std::vector<unsigned> Leaders;
  std::vector<Access> Accesses, Pointers, Mixed;
  /// By leader: structures, and numbers that are accessed.
  llvm::DenseMap<unsigned, llvm::SmallSetVector<llvm::Type *, 2>> Structures;
  llvm::DenseMap<unsigned, llvm::SmallVector<Cell, 4>> Numbers;
  unsigned Copied = 0;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_CERTAINCELLS_H
