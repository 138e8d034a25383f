//===- lives.cpp - objects that lie where others lay ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler puts local objects whose lives do not overlap in one place. What
// the library stores in one of them has no shadow there: the tangent of a
// number that lay there before must not be taken for it.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "verso/verso.h"

#include <map>
#include <memory>
#include <string>

struct Node {
  double value;
  std::unique_ptr<Node> next;
};

CHECK_NOINLINE static double function(const double *x) {
  double s = x[0];
  std::map<std::string, double> named{{"k1", x[0]}, {"k3", x[1]}};
  std::unique_ptr<Node> list;
  for (int i = 0; i < 3; ++i) {
    auto node = std::make_unique<Node>(
        Node{s * double((std::string("k") + char('0' + i)).size()),
             std::move(list)});
    list = std::move(node);
  }
  s += list->value;
  auto copy = named;
  for (int j = 0; j < 5; ++j)
    if (auto it = copy.find("k" + std::to_string(j)); it != copy.end())
      s += it->second;
  return s;
}

int main() {
  double x[2] = {0.8, 0.5}, dx[2] = {0};
  const double expected[2] = {4, 1};
  __verso_grad_void((void *)function, verso_dup, x, dx);
  for (int i = 0; i < 2; ++i) {
    double t[2] = {0};
    t[i] = 1;
    CHECK_CLOSE(__verso_jvp((void *)function, verso_dup, x, t), expected[i],
                1e-14);
    CHECK_CLOSE(dx[i], expected[i], 1e-14);
  }
  return check_status();
}
