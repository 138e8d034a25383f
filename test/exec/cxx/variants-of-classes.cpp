//===- variants-of-classes.cpp - alternatives that own memory -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of variants, one alternative of which has a string: moved, swapped
// and assigned. What may be stored where is many places of few objects; the
// points-to analysis once took minutes.
//
// HEAVY: variants of the standard library
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

struct Circle {
  double radius;
};
struct Box {
  double width, height;
};
struct Named {
  std::string name;
  double size;
};
using Shape = std::variant<Circle, Box, Named>;

struct Area {
  double operator()(const Circle &c) const { return 3 * c.radius * c.radius; }
  double operator()(const Box &b) const { return b.width * b.height; }
  double operator()(const Named &n) const {
    return n.size * (double)n.name.size() / 8;
  }
};

CHECK_NOINLINE static double areas(double *x) {
  std::vector<Shape> shapes;
  for (int i = 0; i < 6; ++i)
    if (i % 3 == 0)
      shapes.emplace_back(Circle{x[i & 3]});
    else if (i % 3 == 1)
      shapes.emplace_back(Box{x[i & 3], x[1]});
    else
      shapes.emplace_back(
          Named{"too long to stand in the string itself", x[2] * i});
  std::swap(shapes[0], shapes[4]);
  shapes[1] = shapes[2];
  double sum = 0;
  for (const Shape &s : shapes)
    sum += std::visit(Area(), s) * x[3];
  return sum;
}

int main(void) {
  double x[4] = {0.7, 0.9, 1.1, 1.3}, dx[4] = {0, 0, 0, 0};
  __verso_grad_void((void *)areas, verso_dup, x, dx);
  CHECK_GRADIENT(areas, 4, x, dx, 1e-7);
  return check_status();
}
