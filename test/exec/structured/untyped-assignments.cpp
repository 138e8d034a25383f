//===- untyped-assignments.cpp - pointers that are assigned as numbers ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without strict aliasing std::copy of doubles may move anything: here the
// pointers to the layers that are called next. One of them is nested deeper
// than was guessed. Closed form.
//
// LEVELS: O0 O1 O2g
// FLAGS: -fno-strict-aliasing
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "nested-layers.h"
#include <algorithm>
#include <cmath>

struct Net {
  Layer *now[2], *next[2];
};
CHECK_NOINLINE static double loss(Net *net, double x) {
  std::copy((double *)net->next, (double *)(net->next + 2), (double *)net->now);
  for (Layer *each : net->now)
    x = each->forward(x);
  return x * x;
}

int main() {
  Twice twice;
  for (int depth = 0; depth < 5; ++depth) {
    auto other = nested(depth);
    Net net = {{&twice, &twice}, {&twice, other.get()}};
    double factor = std::exp2(depth + 2), x = 0.5 + depth;
    CHECK_EQUAL(__verso_grad((void *)loss, verso_const, &net, x),
                2 * factor * factor * x);
  }
  return check_status();
}
