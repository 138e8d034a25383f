//===- structs.cpp - the gradient of a struct is that struct --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Aggregates of numbers, arrays, containers and other aggregates; members that
// are no numbers are in the gradient what they were in the argument; default
// member initialisers do not leak into it. A class that is no aggregate is told
// where its numbers are.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

struct Point {
  double x = 7, y = 7;
};
struct Layer {
  std::vector<std::vector<double>> weights;
  std::vector<double> bias;
  int units;
};
struct Model {
  Point origin;
  float scale[2];
  std::array<Point, 2> corners;
  Layer layer;
  const char *name;
  bool shifted;
};
static double evaluate(const Model &m, Point at) {
  double sum = m.origin.x * at.x + m.origin.y * at.y * m.scale[1];
  for (const Point &c : m.corners)
    sum += c.x * c.x * c.y;
  for (int i = 0; i != m.layer.units; ++i) {
    double unit = m.layer.bias[i];
    for (std::size_t j = 0; j != m.layer.weights[i].size(); ++j)
      unit += m.layer.weights[i][j] * at.x;
    sum += unit * unit;
  }
  return m.shifted ? sum + m.scale[0] : sum;
}

class Sphere {
public:
  Sphere(Point centre, double radius, int id)
      : id(id), centre(centre), radius(radius) {}
  double volume() const { return radius * radius * radius * centre.x; }
  int id;
  Point centre;
  double radius;
};
template <>
struct verso::Numbers<Sphere>
    : verso::NumbersOf<Sphere, &Sphere::centre, &Sphere::radius> {};
static double total(const std::vector<Sphere> &spheres) {
  double sum = 0;
  for (const Sphere &s : spheres)
    sum += s.volume();
  return sum;
}

struct Empty {};
static double with_empty(double x, Empty) { return x * x; }

// More members than can be counted without the compiler's help.
#if __has_builtin(__builtin_structured_binding_size)
struct Forty {
  double a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x,
      y, z;
  double more[14];
};
static double of_forty(const Forty &f) { return f.a * f.z + f.more[13]; }
#endif

int main() {
  Model m{{1, 2},  {3, 4}, {{{5, 6}, {7, 8}}}, {{{1, 2}, {3}}, {10, 20}, 2},
          "model", true};
  auto [value, gradient] = verso::value_and_grad(evaluate)(m, Point{2, 3});
  auto &[dm, dat] = gradient;
  CHECK_EQUAL(value, 2 + 24 + 150 + 392 + 16 * 16 + 26 * 26 + 3);
  CHECK_EQUAL(dm.origin.x, 2);
  CHECK_EQUAL(dm.origin.y, 12);
  CHECK_EQUAL(dm.scale[0], 1);
  CHECK_EQUAL(dm.scale[1], 6);
  CHECK_EQUAL(dm.corners[1].x, 2 * 7 * 8);
  CHECK_EQUAL(dm.corners[0].y, 25);
  CHECK(dm.layer.weights.size() == 2 && dm.layer.weights[1].size() == 1);
  CHECK_EQUAL(dm.layer.weights[0][1], 2 * 16 * 2);
  CHECK_EQUAL(dm.layer.weights[1][0], 2 * 26 * 2);
  CHECK_EQUAL(dm.layer.bias[1], 52);
  CHECK_EQUAL(dat.x, 1 + 2 * 16 * 3 + 2 * 26 * 3);
  CHECK_EQUAL(dat.y, 8);
  CHECK(dm.layer.units == 2 && dm.name == m.name && dm.shifted);

  Point dp = verso::grad(evaluate)(verso::constant(m), Point{2, 3});
  CHECK_EQUAL(dp.y, 8);

  std::vector<Sphere> spheres{{{2, 0}, 3, 11}, {{5, 0}, 1, 12}};
  auto ds = verso::grad(total)(spheres);
  CHECK_EQUAL(ds[0].radius, 2 * 27);
  CHECK_EQUAL(ds[0].centre.x, 27);
  CHECK_EQUAL(ds[1].radius, 15);
  CHECK_EQUAL(ds[1].centre.y, 0);
  CHECK(ds[0].id == 11 && ds[1].id == 12);

  CHECK_EQUAL(verso::grad(with_empty)(3, Empty()), 6);
#if __has_builtin(__builtin_structured_binding_size)
  Forty f{};
  f.a = 2;
  f.z = 3;
  Forty df = verso::grad(of_forty)(f);
  CHECK(df.a == 3 && df.z == 2 && df.more[13] == 1 && df.b == 0);
#endif
  return check_status();
}
