//===- SideBySide.h - tangents of local objects in vectors ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a request of several directions each direction has a sibling of a local
// object, so the tangents of a cell are gathered from as many places. Where an
// object holds numbers of one type and nothing else, it has one sibling, in
// which the tangents of a cell lie side by side: one access of a vector each.
//
//   primal    base + offset
//   tangents  side + offset * lanes       a vector of the cell's type
//
// Pointers to such objects have no tangent; what the instrumenter carries
// beside them is their place in the sibling. So every use of such a pointer has
// to be known: steps, phis and selects among such objects, accesses of whole
// cells, copies between two of them, memset.
//
// Invalidated by any change of the function.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_SIDEBYSIDE_H
#define VERSO_FORWARD_SIDEBYSIDE_H

#include "analysis/Activity.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace verso {

class SideBySide {
public:
  /// Nothing is side by side in a request of one direction.
  SideBySide(llvm::Function &F, const Activity &A, unsigned Width);

  /// The type of the cells that \p Pointer points to, if their tangents are
  /// side by side; else null.
  llvm::Type *cellType(const llvm::Value *Pointer) const;

  bool isEmpty() const { return Cells.empty(); }
  /// Each direction has a sibling of its own after all.
  void giveUp() { Cells.clear(); }

private:
  void follow(llvm::AllocaInst &Local);
  void use(llvm::Value *Pointer, llvm::Use &U,
           llvm::SmallVectorImpl<llvm::Value *> &Work);
  void access(const llvm::Value *Pointer, llvm::Type *T, llvm::Align Alignment);
  bool isWhole(const llvm::MemIntrinsic &I, uint64_t CellBytes) const;
  void refuse(const llvm::Value *Pointer) { Refused.push_back(Pointer); }

  const Activity &A;
  const llvm::DataLayout &DL;
  /// Pointers that may lead to the same objects, or objects that are copied.
  llvm::EquivalenceClasses<const llvm::Value *> Classes;
  llvm::SmallPtrSet<const llvm::Value *, 16> Seen;
  llvm::SmallVector<const llvm::Value *, 8> Refused;
  llvm::SmallVector<std::pair<const llvm::Value *, llvm::Type *>, 16> Accesses;
  llvm::SmallVector<std::pair<const llvm::Value *, llvm::MemIntrinsic *>, 8>
      Ranges;
  /// By the class's leader.
  llvm::DenseMap<const llvm::Value *, llvm::Type *> Cells;
};

} // namespace verso

#endif // VERSO_FORWARD_SIDEBYSIDE_H
