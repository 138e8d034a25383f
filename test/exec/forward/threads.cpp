//===- threads.cpp - requests in several threads ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread runs requests of its own on its own data, of changing widths and
// kinds, with heap, stack and thread-locals; others run reverse mode at the
// same time. A request that starts threads of its own is another matter.
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <atomic>
#include <thread>
#include <vector>

struct Two {
  double a, b;
};
extern "C" Two __verso_jvp_two(void *, ...);

static thread_local double local;
CHECK_NOINLINE static double work(const double *x, double s) {
  std::vector<double> v(x, x + 8);
  for (int i = 0; i < 200; ++i)
    v.push_back(v[i] * s + 0.1 * i);
  local = v[100] * s;
  double sum = 0;
  for (double e : v)
    sum += std::sin(e);
  return sum + local;
}

static std::atomic<int> wrong;
static void run(int id) {
  double x[8], v[8], w[8], g[8] = {};
  fill_direction(x, 8, id + 1);
  fill_direction(v, 8, id + 50);
  fill_direction(w, 8, id + 80);
  double s = 0.3 + 0.01 * id;
  __verso_grad_void((void *)work, verso_dup, (double *)x, (double *)g,
                    verso_const, s);
  double ev = dot_product(g, v, 8), ew = dot_product(g, w, 8);
  for (int i = 0; i < 300; ++i) {
    if (i % 3 == 0) {
      double t = __verso_jvp((void *)work, verso_dup, (double *)x, (double *)v,
                             verso_const, s);
      wrong += !(std::fabs(t - ev) <= 1e-11 * dot_scale(g, v, 8));
    } else if (i % 3 == 1) {
      Two t =
          __verso_jvp_two((void *)work, verso_width, 2, verso_dup, (double *)x,
                          (double *)v, (double *)w, verso_const, s);
      wrong += !(std::fabs(t.a - ev) <= 1e-11 * dot_scale(g, v, 8));
      wrong += !(std::fabs(t.b - ew) <= 1e-11 * dot_scale(g, w, 8));
    } else {
      double h[8] = {};
      __verso_grad_void((void *)work, verso_dup, (double *)x, (double *)h,
                        verso_const, s);
      for (int k = 0; k < 8; ++k)
        wrong += h[k] != g[k];
    }
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(run, i);
  for (auto &t : threads)
    t.join();
  CHECK_EQUAL(wrong, 0);
  return check_status();
}
