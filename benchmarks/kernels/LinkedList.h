//===- LinkedList.h - sum of squares over a linked list ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nodes lie in memory in random order: the primal waits for memory. The
// shadow is a list of the same shape, reached through the shadows' own links.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_LINKEDLIST_H
#define VERSO_BENCHMARKS_KERNELS_LINKEDLIST_H

#include "../Harness.h"

template <typename Real> struct ListNode {
  Real Value;
  ListNode *Next;
};

template <typename Real> Real sumOfSquares(const ListNode<Real> *Head) {
  Real Sum = 0.0;
  for (const ListNode<Real> *Node = Head; Node; Node = Node->Next)
    Sum += Node->Value * Node->Value;
  return Sum;
}

template <typename Real> struct LinkedList {
  explicit LinkedList(size_t N) : Nodes(N), Head(nullptr) {
    verso_bench::Random Rng(4);
    for (size_t Place : Rng.permutation(N)) {
      Nodes[Place].Value = Rng.uniform(-1, 1);
      Nodes[Place].Next = Head;
      Head = &Nodes[Place];
    }
  }
  template <typename F> void forEachActive(F Visit) {
    for (ListNode<Real> &Node : Nodes)
      Visit(Node.Value);
  }
  Real evaluate() const { return sumOfSquares<Real>(Head); }

  std::vector<ListNode<Real>> Nodes;
  ListNode<Real> *Head;
};

inline void handAdjoint(const LinkedList<double> &P, LinkedList<double> &D) {
  ListNode<double> *Shadow = D.Head;
  for (const ListNode<double> *Node = P.Head; Node; Node = Node->Next) {
    Shadow->Value += 2 * Node->Value;
    Shadow = Shadow->Next;
  }
}

inline double handTangent(const LinkedList<double> &P,
                          const LinkedList<double> &D) {
  double Sum = 0;
  const ListNode<double> *Shadow = D.Head;
  for (const ListNode<double> *Node = P.Head; Node; Node = Node->Next) {
    Sum += 2 * Node->Value * Shadow->Value;
    Shadow = Shadow->Next;
  }
  return Sum;
}

#endif // VERSO_BENCHMARKS_KERNELS_LINKEDLIST_H
