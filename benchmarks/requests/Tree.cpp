//===- Tree.cpp - asks Verso for the gradient of kernels/Tree.h ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Tree.h"
#include "../Request.h"

static double verso_bench_tree(const TreeNode<double> *Root) {
  return reduceTree<double>(Root);
}

static void request(const Tree<double> &P, Tree<double> &D) {
  __verso_grad_into((void *)verso_bench_tree, verso_dup, P.Root, D.Root);
}

VERSO_BENCH_REQUEST(Tree)
