//===- dynamic-casts.cpp - pointers that a cast moves ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What dynamic_cast, memchr, mempcpy and a mask return may lie behind or before
// the pointer that they were given, and so does its shadow.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <verso/verso.h>

#include <memory>
#include <string.h>
#include <vector>

namespace {

struct Body {
  double m = 1;
  virtual ~Body() {}
};
struct Drag {
  double c = 1;
  virtual double force(double v) const { return c * v; }
  virtual void grow(double) {}
  virtual ~Drag() {}
};
struct Kite : Body, Drag {
  double k = 1;
  double force(double v) const override { return c * v * m * k; }
  void grow(double by) override {
    m *= by;
    c += m;
  }
};

} // namespace

CHECK_NOINLINE static double down(double *x) {
  auto kite = std::make_unique<Kite>();
  Drag *volatile base = kite.get();
  auto *again = dynamic_cast<Kite *>(base);
  again->m *= x[0];
  again->c = x[1];
  return again->m * again->c * kite->m + again->k * x[2];
}
CHECK_NOINLINE static double across(double *x) {
  auto kite = std::make_unique<Kite>();
  Body *volatile base = kite.get();
  kite->k = x[2];
  auto *drag = dynamic_cast<Drag *>(base); // Called through thunks.
  drag->grow(x[0]);
  drag->grow(x[1]);
  auto &same = dynamic_cast<Drag &>(*base);
  return kite->m * same.c + drag->force(x[1]);
}
CHECK_NOINLINE static double of_several(double *x) {
  std::vector<std::shared_ptr<Body>> bodies;
  for (int i = 0; i < 3; i++)
    if (i % 2) {
      auto kite = std::make_shared<Kite>();
      kite->c = x[i];
      bodies.push_back(kite);
    } else {
      bodies.push_back(std::make_shared<Body>());
      bodies.back()->m = x[i];
    }
  double sum = 0;
  for (auto &b : bodies)
    if (auto drag = std::dynamic_pointer_cast<Drag>(b)) {
      sum += drag->force(x[0]);
      if (auto kite = std::dynamic_pointer_cast<Kite>(drag))
        kite->m *= x[0];
      sum += drag->force(x[1]);
    } else {
      sum += b->m;
    }
  return sum;
}
CHECK_NOINLINE static double searched(double *x) {
  struct {
    double head;
    char mark[8];
    double values[3];
  } text = {x[0] * x[1], "..:", {x[0], x[1] * x[1], x[2]}};
  auto *mark = static_cast<char *>(memchr(text.mark, ':', 8));
  double behind[3], before;
  memcpy(behind, mark + 6, sizeof behind);
  memcpy(&before, mark - 10, sizeof before);
  return behind[0] * behind[1] + behind[2] * before;
}
CHECK_NOINLINE static double appended(double *x) {
  double list[4];
  void *end = mempcpy(list, x, 2 * sizeof(double));
  end = mempcpy(end, x + 1, 2 * sizeof(double));
  static_cast<double *>(end)[-1] *= x[0];
  return list[0] * list[1] + list[2] * list[3];
}
CHECK_NOINLINE static double masked(double *x) {
  alignas(16) double cells[4] = {x[0], x[1], x[2], x[0] * x[2]};
  volatile int odd = 3;
  auto *pair = static_cast<double *>(__builtin_align_down(cells + odd, 16));
  return pair[0] * pair[1] + pair[-1];
}

#define CHECK_CAST(F)                                                          \
  do {                                                                         \
    double d[3] = {0};                                                         \
    __verso_grad_void((void *)F, verso_dup, x, d);                             \
    CHECK_GRADIENT(F, 3, x, d, 1e-7);                                          \
    double along = __verso_jvp((void *)F, verso_dup, x, v);                    \
    CHECK_CLOSE(along, d[0] * v[0] + d[1] * v[1] + d[2] * v[2], 1e-12);        \
  } while (0)

int main() {
  double x[3] = {2, 3, 4}, v[3] = {0.3, -0.7, 1.1};
  CHECK_CAST(down);
  CHECK_CAST(across);
  CHECK_CAST(of_several);
  CHECK_CAST(searched);
  CHECK_CAST(appended);
  CHECK_CAST(masked);
  return check_status();
}
