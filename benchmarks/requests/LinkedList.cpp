//===- LinkedList.cpp - asks Verso for the gradient of kernels/LinkedList.h
//===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/LinkedList.h"
#include "../Request.h"

static double verso_bench_linked_list(const ListNode<double> *Head) {
  return sumOfSquares<double>(Head);
}

static void request(const LinkedList<double> &P, LinkedList<double> &D) {
  __verso_grad_into((void *)verso_bench_linked_list, verso_dup, P.Head, D.Head);
}

VERSO_BENCH_REQUEST(LinkedList)
