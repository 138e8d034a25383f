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

/// What the reverse sweep needs of a node: what the reduction saw below it,
/// where the nodes below are on the tape, and the shadow.
struct TreeStep {
  double Left, Right;
  TreeNode<double> *Shadow;
  uint32_t AtLeft, AtRight;
};

/// Where an empty tree's adjoint goes: in front of all nodes.
constexpr uint32_t TreeNowhere = 0;

/// Reduces both trees side by side. Nodes come to the tape before those below
/// them, so that the reverse sweep is a loop over the tape whose accesses to
/// the shadow do not wait for one another.
inline double reduceAndKeep(const TreeNode<double> *Node,
                            TreeNode<double> *Shadow, TreeStep *Steps,
                            uint32_t &Last) {
  TreeStep &Step = Steps[++Last];
  double Left = 1, Right = 1;
  uint32_t AtLeft = TreeNowhere, AtRight = TreeNowhere;
  if (Node->Left) {
    AtLeft = Last + 1;
    Left = reduceAndKeep(Node->Left, Shadow->Left, Steps, Last);
  }
  if (Node->Right) {
    AtRight = Last + 1;
    Right = reduceAndKeep(Node->Right, Shadow->Right, Steps, Last);
  }
  Step = {Left, Right, Shadow, AtLeft, AtRight};
  return Node->Value + 0.25 * (Left * Right);
}

inline void handAdjoint(const Tree<double> &P, Tree<double> &D,
                        verso_bench::Tape &T) {
  TreeStep *Steps = T.keep<TreeStep>(P.Nodes.size() + 1);
  double *Adjoints = T.scratch(P.Nodes.size() + 1);
  uint32_t Last = TreeNowhere;
  if (!P.Root)
    return;
  reduceAndKeep(P.Root, D.Root, Steps, Last);
  Adjoints[1] = 1;
  for (uint32_t I = 1; I <= Last; ++I) {
    const TreeStep &Step = Steps[I];
    const double Adjoint = Adjoints[I];
    Step.Shadow->Value += Adjoint;
    Adjoints[Step.AtLeft] = 0.25 * Adjoint * Step.Right;
    Adjoints[Step.AtRight] = 0.25 * Adjoint * Step.Left;
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_TREE_H
