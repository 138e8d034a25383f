//===- variant.cpp - std::variant, std::optional, std::any, std::tuple ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sum and product types with active members: visited, assigned with another
// alternative, copied, and returned.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <any>
#include <optional>
#include <string>
#include <tuple>
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
  double area;
};
using Shape = std::variant<Circle, Box, Named>;

CHECK_NOINLINE static double area(const Shape &shape) {
  struct Visitor {
    double operator()(const Circle &c) const { return 3 * c.radius * c.radius; }
    double operator()(const Box &b) const { return b.width * b.height; }
    double operator()(const Named &n) const { return n.area * 2; }
  };
  return std::visit(Visitor{}, shape);
}
CHECK_NOINLINE static double total(const double *x) {
  std::vector<Shape> shapes{Circle{x[0]}, Box{x[1], x[2]}};
  shapes.push_back(Named{"a name that needs an allocation", x[3] * x[0]});
  Shape changing = shapes[0];
  changing = Box{area(changing), x[1]};
  shapes.push_back(changing);
  double sum = 0;
  for (const Shape &shape : shapes)
    sum += area(shape);
  return sum;
}
CHECK_NOINLINE static std::optional<double> root(double x) {
  if (x < 0)
    return std::nullopt;
  return std::sqrt(x);
}
CHECK_NOINLINE static std::tuple<double, int, double> split(double x) {
  return {x * 2, 3, x * x};
}
CHECK_NOINLINE static double small_types(const double *x) {
  std::any any = x[0] * x[1];
  auto [a, n, b] = split(std::any_cast<double>(any));
  return root(x[2]).value_or(1) * root(-x[2]).value_or(x[3]) + a * n + b;
}
static double total_of(double *x) { return total(x); }
static double small_types_of(double *x) { return small_types(x); }

int main() {
  double x[] = {1.5, 2, 3, 0.5}, da[4] = {}, db[4] = {};
  __verso_grad_void((void *)total, verso_dup, x, da);
  CHECK_GRADIENT(total_of, 4, x, da, 1e-8);
  __verso_grad_void((void *)small_types, verso_dup, x, db);
  CHECK_GRADIENT(small_types_of, 4, x, db, 1e-8);
  return check_status();
}
