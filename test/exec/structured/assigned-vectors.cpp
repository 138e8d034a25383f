//===- assigned-vectors.cpp - vectors of an object are assigned -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object keeps its state in vectors that are assigned to one another, copied
// to new ones, or change places with them, in each step. Memory of the caller
// is copied, and the vectors' pointers are stored in it; what is copied are
// numbers alone, so no pointer of another member comes along, and the function
// is structured.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <algorithm>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

namespace {

struct Point {
  double x, y, z;
};
struct World {
  std::vector<double> now, before, factor;
  std::vector<float> weight;
  std::vector<Point> place, placeBefore;
  std::vector<int> next;
  double step;

  /// The old state is an assigned copy.
  void assign() {
    before = now;
    for (size_t i = 1; i + 1 < now.size(); ++i)
      now[i] = before[i] + step * factor[i] * weight[i] *
                               (before[i - 1] - 2 * before[i] + before[i + 1]);
  }
  /// Of another length, so there is a new block.
  void grow() {
    before.resize(now.size() - 1);
    before = now;
    for (size_t i = 0; i < now.size(); ++i)
      now[i] = before[size_t(next[i])] * factor[i];
  }
  /// The new state is local, and changes places with the old one.
  void swap() {
    std::vector<double> fresh(now.size());
    for (size_t i = 0; i < now.size(); ++i)
      fresh[i] = now[i] * now[size_t(next[i])] * step + weight[i];
    now.swap(fresh);
  }
  void assignPoints() {
    placeBefore = place;
    for (size_t i = 0; i < place.size(); ++i) {
      const Point &p = placeBefore[size_t(next[i])];
      place[i].x += step * p.y * p.z;
      place[i].y += step * p.x * now[i];
    }
  }
};

double run(World *w, int steps) {
  double sum = 0;
  for (int k = 0; k < steps; ++k) {
    w->assign();
    w->swap();
    sum += w->now[1] * w->before[2];
  }
  for (double x : w->now)
    sum += x * x;
  return sum;
}
double runGrowing(World *w, int steps) {
  double sum = 0;
  for (int k = 0; k < steps; ++k) {
    w->grow();
    w->assign();
    sum += w->now[1] * w->before[2];
  }
  return sum;
}
double runPoints(World *w, int steps) {
  double sum = 0;
  for (int k = 0; k < steps; ++k) {
    w->assign();
    w->assignPoints();
    sum += w->place[1].x * w->placeBefore[2].y;
  }
  for (const Point &p : w->place)
    sum += p.x * p.y + p.z;
  return sum;
}

} // namespace

/// Without types a swap of pointers may be one of numbers.
#ifdef __OPTIMIZE__
#define STRUCTURED __attribute__((annotate("verso_strategy=structured")))
#else
#define STRUCTURED
#endif

#define BOTH(F)                                                                \
  STRUCTURED                                                                   \
  CHECK_NOINLINE static double F##Structured(World *w, int steps) {            \
    return F(w, steps);                                                        \
  }                                                                            \
  __attribute__((annotate("verso_strategy=taped")))                            \
  CHECK_NOINLINE static double F##Taped(World *w, int steps) {                 \
    return F(w, steps);                                                        \
  }                                                                            \
  static void F##GradientStructured(World *w, World *dw) {                     \
    __verso_grad_void((void *)F##Structured, verso_dup, w, dw, verso_const,    \
                      3);                                                      \
  }                                                                            \
  static void F##GradientTaped(World *w, World *dw) {                          \
    __verso_grad_void((void *)F##Taped, verso_dup, w, dw, verso_const, 3);     \
  }                                                                            \
  static double F##Tangent(World *w, World *tw) {                              \
    return __verso_jvp((void *)F, verso_dup, w, tw, verso_const, 3);           \
  }

BOTH(run)
BOTH(runGrowing)
BOTH(runPoints)

enum { N = 6 };

/// Numbers of the world, or zeros of its shadow; vectors are as long.
static World make(bool isShadow) {
  World w;
  auto number = [&, k = 0]() mutable {
    return isShadow ? 0 : 0.5 + 0.3 * (++k * 7 % 11);
  };
  for (int i = 0; i < N; ++i) {
    w.now.push_back(number()), w.before.push_back(number());
    w.factor.push_back(number()), w.weight.push_back(float(number()));
    w.place.push_back({number(), number(), number()});
    w.placeBefore.push_back({number(), number(), number()});
    w.next.push_back((i * 5 + 2) % N);
  }
  w.step = isShadow ? 0 : 0.07;
  return w;
}


/// Vectors that were allocated by a request are left alone: world and shadow
/// both lead to them.
static void check(void (*structured)(World *, World *),
                  void (*taped)(World *, World *),
                  double (*tangent)(World *, World *)) {
  World &w = *new World(make(false)), &d = *new World(make(true));
  World &v = *new World(make(false)), &e = *new World(make(true));
  structured(&w, &d);
  taped(&v, &e);
  CHECK_CLOSE(d.step, e.step, 1e-13);
  for (int i = 0; i < N; ++i) {
    CHECK_CLOSE(w.now[i], v.now[i], 1e-14);
    CHECK_CLOSE(d.factor[i], e.factor[i], 1e-13);
    CHECK_CLOSE(d.weight[i], e.weight[i], 1e-6);
    CHECK_CLOSE(d.place[i].x, e.place[i].x, 1e-13);
    CHECK_CLOSE(d.place[i].y, e.place[i].y, 1e-13);
    CHECK_CLOSE(d.place[i].z, e.place[i].z, 1e-13);
  }
  // In the directions of the step and of the factors.
  World &u = *new World(make(false)), &t = *new World(make(true));
  t.step = 1;
  double expected = d.step;
  for (int i = 0; i < N; ++i) {
    t.factor[i] = 1 + i;
    expected += (1 + i) * d.factor[i];
  }
  CHECK_CLOSE(tangent(&u, &t), expected, 1e-13);
}

int main() {
  check(runGradientStructured, runGradientTaped, runTangent);
  check(runGrowingGradientStructured, runGrowingGradientTaped,
        runGrowingTangent);
  check(runPointsGradientStructured, runPointsGradientTaped, runPointsTangent);
  return check_status();
}
