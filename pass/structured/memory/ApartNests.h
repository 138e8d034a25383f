//===- ApartNests.h - nests whose pointers a check tells apart --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers that are loaded from memory of the caller in the middle of a request
// (the vectors of a class, which a step swaps) may lead to the same memory, and
// nothing at the request's entry says more (DisjointArguments). But where a
// nest of loops begins they are known, and so are the ranges that the nest
// comes to. Such a nest is there twice: behind a check of the ranges, with
// alias scopes for what is apart, and as it was.
//
//   if (ranges of p and q are apart)
//     declare scopes;  nest  !alias.scope of p or q, !noalias of the other
//   else
//     nest
//
// An index that was computed in fewer bits (a neighbour j - 1 + i * n in `int`,
// of which LLVM has forgotten that it does not wrap around) is one of 64 bits
// in the first version, for the check says that it is in the range of the
// others.
//
// So are rows of a matrix that is a table of pointers (double **, a vector of
// vectors), which the nest loads: the runtime looks through the table. Rows of
// one table that are apart are marked (RangeTest.h).
//
// What a scope says is true of one execution of the nest, from its declaration
// on: Unchanged believes it within loops of the nest. In the verso accesses are
// repeated when other executions have declared it anew, so it is taken from
// them in the end (dropScopesOutsideNests).
//
// What the nest only reads may be checked against all that the function still
// writes (WrittenRanges.h). Then it can be read again in the verso.
//
// Once the verso is there, shadows join the check: the same ranges, from the
// shadow on, are apart, or the first version does not run. So adjoint accesses
// have scopes of their own, which are declared where the nest begins to be
// reversed. Shadows of what is only read are told apart as well, since the
// verso adds to them; where one array is read by two pointers, the nest as it
// was runs. So it does where a number that varies would be stored in memory
// without a shadow, which ends the program: the first version need not ask.
//
// Before any access is moved: the loops are in simplified form, and the numbers
// of the nests are those of this function as it is flattened.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_APARTNESTS_H
#define VERSO_STRUCTURED_MEMORY_APARTNESTS_H

#include "analysis/ArgumentAccesses.h"
#include "structured/Adjoints.h"
#include "structured/Reversal.h"
#include "structured/memory/Unchanged.h"
#include "structured/memory/WrittenRanges.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/ValueMap.h"

namespace verso {

class ApartNests {
public:
  /// Finds the nests that can be told apart, and changes nothing.
  ApartNests(llvm::LoopInfo &LI, llvm::DominatorTree &DT,
             llvm::ScalarEvolution &SE, llvm::AAResults &AA,
             const llvm::TargetLibraryInfo *TLI);

  /// Finds the loads that could be repeated, or be of a copy, if their nests
  /// were told apart. Before anything is emitted: ScalarEvolution is asked.
  void findRepeatable(Unchanged &Memory);
  /// The numbers of the nests in which something of \p Recorded is recorded,
  /// and \p Memory was asked for such a load in vain.
  llvm::SmallVector<unsigned, 4>
  gaining(const Unchanged &Memory,
          llvm::ArrayRef<llvm::Instruction *> Recorded) const;
  /// How many of \p Recorded are in the nests \p Which; their first version.
  size_t countIn(llvm::ArrayRef<unsigned> Which,
                 llvm::ArrayRef<llvm::Instruction *> Recorded) const;
  /// Makes two versions of each of the nests \p Which.
  void version(llvm::ArrayRef<unsigned> Which);
  /// The shadows that \p A accesses are told apart in nests that have two
  /// versions. When the verso was emitted, and before anything is recorded.
  void tellShadowsApart(const Adjoints &A, const VariedMemory &V,
                        ShadowPointers &Shadows, Reversal &Reversed);
  /// And the tables that their pointers are loaded from, when all of the verso
  /// is there.
  void tellTablesApart(llvm::Function &F) const;

private:
  /// The pointers that are loaded from a table: every Stride bytes, Phase bytes
  /// behind a multiple of them.
  struct Table {
    uint64_t Stride = 0, Phase = 0;
    ArgumentAccesses::Accesses Pointers;
    llvm::SmallVector<llvm::LoadInst *, 4> Loads;
    bool IsRead = true; ///< All of it, whenever the nest runs.
  };
  /// What is reached by one pointer, or by those of a table.
  struct Group {
    llvm::Value *Base;
    llvm::SmallVector<llvm::Instruction *, 8> Members;
    ArgumentAccesses::Accesses What;
    std::optional<Table> Rows; ///< Base is a table of them.
    /// Offsets, and bytes there.
    llvm::SmallVector<std::pair<const llvm::SCEV *, const llvm::SCEV *>, 4>
        Written;
    llvm::MDNode *Scope = nullptr;
    /// Only read, and what is written from here on can be bounded.
    bool MayLast = false;
  };
  struct Nest {
    llvm::Loop *L;
    llvm::SmallVector<Group, 8> Groups;
    llvm::SmallVector<std::pair<unsigned, unsigned>, 16> Pairs;
    /// Extensions, and what they are if nothing wraps around.
    llvm::MapVector<const llvm::SCEV *, const llvm::SCEV *> Wide;
    /// Where pointers are loaded from that are one in all of the nest, and the
    /// load that stands for them: one before the nest, if nothing was written
    /// since, or the first in it.
    llvm::MapVector<const llvm::SCEV *, llvm::LoadInst *> Cells;
    llvm::DenseSet<const llvm::Instruction *> Repeatable;
  };
  struct Place {
    unsigned Nest, Group;
  };
  /// The pointers of a table, in bytes from its beginning.
  struct Pointers {
    llvm::WeakTrackingVH Low, High;
    uint64_t Stride;
    bool IsRead;
    bool CanBeRead = false; ///< Or the first version does not run.
  };
  /// What a nest that is there twice comes to by one pointer, or by each of a
  /// table, where it begins.
  struct Reached {
    llvm::WeakTrackingVH Base, Low, High; ///< In bytes from Base, or a pointer.
    std::optional<Pointers> Rows = std::nullopt;
    llvm::Metadata *Scope = nullptr;
    /// What is written from here on, and read by no member of the group.
    llvm::SmallVector<Interval, 2> Apart = {};
  };
  struct Versioned {
    llvm::Loop *L;
    llvm::SmallVector<Reached, 8> Groups;
    /// Before the nest, by the first load in it.
    llvm::SmallDenseMap<const llvm::Value *, llvm::Value *> Loaded;
    /// Shadows of tables, and what they are apart from in the verso.
    llvm::SmallVector<
        std::pair<llvm::WeakTrackingVH, llvm::SmallVector<llvm::Metadata *, 8>>,
        2>
        Tables;
  };
  /// What the verso does by the shadow of a group's pointer.
  struct Reverse {
    llvm::SmallVector<llvm::Instruction *, 8> Accesses;
    /// Whether there is no shadow; of a number that is stored this ends the
    /// program.
    llvm::SmallVector<llvm::ICmpInst *, 2> Lacks;
    llvm::Value *Table = nullptr; ///< Of the shadows of rows.
  };
  using ByGroup = llvm::MapVector<unsigned, Reverse>;

  void find(llvm::Loop &L);
  bool hasForm(const llvm::Loop &L) const;
  bool collect(Nest &N);
  bool add(Nest &N, llvm::Instruction &I);
  llvm::Value *sameInNest(Nest &N, const llvm::SCEVUnknown *Base);
  Group *groupOf(Nest &N, llvm::Value *Base);
  Group *groupOfRows(Nest &N, llvm::LoadInst &Row);
  bool isAlwaysRun(const llvm::Instruction &I, const llvm::Loop &In) const;
  llvm::LoadInst *loadBefore(const llvm::LoadInst &Load, const llvm::SCEV *Cell,
                             const llvm::Loop &In);
  bool isExact(const llvm::SCEV *Offset, const llvm::Instruction &I,
               const llvm::Loop &In) const;
  bool keepsPointers(const Nest &N) const;
  const llvm::SCEV *widened(Nest &N, const llvm::SCEV *S);
  bool isBounded(const llvm::SCEV *Offset, const llvm::Loop &L);
  bool areApart(Place P, Place Q) const;
  bool mayLast(const Group &G, const llvm::Instruction &I) const;
  void emitWritten(const Nest &N, Versioned &As);
  llvm::Value *emitTest(const Nest &N, Versioned &As);
  void useWide(const Nest &N);
  void useCells(const Nest &N, const Versioned &As);
  void annotate(const Nest &N, Versioned &As) const;
  ByGroup reverseOf(const Versioned &Of, const Adjoints &A,
                    const VariedMemory &V, ShadowPointers &Shadows,
                    const Reversal &Reversed) const;
  bool addToTest(const Versioned &Of, ByGroup &Found, ShadowPointers &Shadows,
                 Reversal &Reversed);

  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  llvm::BatchAAResults AA;
  const llvm::TargetLibraryInfo *TLI;
  WrittenRanges Later;
  llvm::SmallVector<Nest, 4> Nests;
  llvm::ValueMap<const llvm::Instruction *, Place> Places;
  llvm::SmallVector<Versioned, 4> Twice;
};

/// The name of the domains of such scopes.
inline constexpr llvm::StringLiteral NestDomain = "verso.nest";
void addScopes(llvm::Instruction &I, unsigned Kind,
               llvm::ArrayRef<llvm::Metadata *> More);

/// Leaves what scopes of nests say to accesses in the nest of their one
/// declaration.
void dropScopesOutsideNests(llvm::Function &F);
void dropMarksOfNests(llvm::Function &F);

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_APARTNESTS_H
