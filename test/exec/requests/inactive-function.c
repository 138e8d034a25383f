//===- inactive-function.c - functions marked as constant -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function annotated `verso_inactive` is called as it is and contributes
// nothing, even where its result is computed from active arguments.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static int calls;

__attribute__((annotate("verso_inactive"), noinline)) static double
weight(double x) {
  ++calls;
  return x * x;
}

static double f(double x) { return weight(x) * x; }

int main(void) {
  CHECK_EQUAL(__verso_grad(f, 3.0), 9);
  CHECK_EQUAL(calls, 1);
  return check_status();
}
