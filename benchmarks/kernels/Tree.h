//===- Tree.h - recursive walk of a binary tree -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A random search tree whose nodes lie in memory in random order, reduced by
//   f(node) = value + f(left) f(right) / 4,  f(empty) = 1.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_TREE_H
#define VERSO_BENCHMARKS_KERNELS_TREE_H

#include "../Harness.h"

template <typename Real> struct TreeNode {
  Real Value;
  TreeNode *Left, *Right;
};

template <typename Real> Real reduceTree(const TreeNode<Real> *Node) {
  if (!Node)
    return 1.0;
  Real Left = reduceTree<Real>(Node->Left);
  Real Right = reduceTree<Real>(Node->Right);
  return Node->Value + 0.25 * (Left * Right);
}

template <typename Real> struct Tree {
  explicit Tree(size_t N) : Nodes(N), Root(nullptr) {
    verso_bench::Random Rng(5);
    std::vector<size_t> Keys = Rng.permutation(N);
    for (size_t Place : Rng.permutation(N)) {
      TreeNode<Real> **Link = &Root;
      while (*Link)
        Link = Keys[Place] < Keys[*Link - Nodes.data()] ? &(*Link)->Left
                                                        : &(*Link)->Right;
      Nodes[Place].Value = Rng.uniform(0.1, 0.5);
      Nodes[Place].Left = Nodes[Place].Right = nullptr;
      *Link = &Nodes[Place];
    }
  }
  template <typename F> void forEachActive(F Visit) {
    for (TreeNode<Real> &Node : Nodes)
      Visit(Node.Value);
  }
  Real evaluate() const { return reduceTree<Real>(Root); }

  std::vector<TreeNode<Real>> Nodes;
  TreeNode<Real> *Root;
};

/// What a node's reduction saw below it, in the order in which the reductions
/// finish.
struct TreeBranches {
  double Left, Right;
};

inline double reduceAndKeep(const TreeNode<double> *Node, TreeBranches *&Kept) {
  if (!Node)
    return 1;
  double Left = reduceAndKeep(Node->Left, Kept);
  double Right = reduceAndKeep(Node->Right, Kept);
  *Kept++ = {Left, Right};
  return Node->Value + 0.25 * (Left * Right);
}

inline void treeAdjoint(const TreeNode<double> *Node, TreeNode<double> *Shadow,
                        double Adjoint, TreeBranches *&Kept) {
  if (!Node)
    return;
  TreeBranches Below = *--Kept;
  Shadow->Value += Adjoint;
  treeAdjoint(Node->Right, Shadow->Right, 0.25 * Adjoint * Below.Left, Kept);
  treeAdjoint(Node->Left, Shadow->Left, 0.25 * Adjoint * Below.Right, Kept);
}

inline void handAdjoint(const Tree<double> &P, Tree<double> &D,
                        verso_bench::Tape &T) {
  TreeBranches *Kept = T.keep<TreeBranches>(P.Nodes.size());
  reduceAndKeep(P.Root, Kept);
  treeAdjoint(P.Root, D.Root, 1, Kept);
}

#endif // VERSO_BENCHMARKS_KERNELS_TREE_H
