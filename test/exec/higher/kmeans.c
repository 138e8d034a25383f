//===- kmeans.c - Newton's method on a clustering ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient and the diagonal of the Hessian of the k-means cost by one
// product, forward over reverse, against closed forms; so does a product with
// any vector. Newton's method, 1,000 products, finds a centre that stays; neither
// the process nor what a request keeps for its reverse sweep grows with their
// number.
//
// AddressSanitizer keeps freed memory.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"

size_t verso_tape_bytes(void);

enum { POINTS = 900, CENTRES = 5, WIDTH = 3, SIZE = CENTRES * WIDTH };

static double cost(const double *points, const double *centres, int n) {
  double sum = 0;
  for (int p = 0; p < n; ++p) {
    double nearest = 1e300;
    for (int c = 0; c < CENTRES; ++c) {
      double distance = 0;
      for (int i = 0; i < WIDTH; ++i) {
        double d = points[p * WIDTH + i] - centres[c * WIDTH + i];
        distance += d * d;
      }
      if (distance < nearest)
        nearest = distance;
    }
    sum += nearest;
  }
  return sum;
}

static void gradient(const double *points, const double *centres,
                     double *result, int n) {
  memset(result, 0, SIZE * sizeof *result);
  __verso_grad_void(cost, verso_const, points, verso_dup, centres, result,
                    verso_const, n);
}

static void by_hand(const double *points, const double *centres,
                    double *result, double *members, int n) {
  memset(result, 0, SIZE * sizeof *result);
  memset(members, 0, CENTRES * sizeof *members);
  for (int p = 0; p < n; ++p) {
    double nearest = 1e300;
    int best = 0;
    for (int c = 0; c < CENTRES; ++c) {
      double distance = 0;
      for (int i = 0; i < WIDTH; ++i) {
        double d = points[p * WIDTH + i] - centres[c * WIDTH + i];
        distance += d * d;
      }
      if (distance < nearest) {
        nearest = distance;
        best = c;
      }
    }
    ++members[best];
    for (int i = 0; i < WIDTH; ++i)
      result[best * WIDTH + i] +=
          2 * (centres[best * WIDTH + i] - points[p * WIDTH + i]);
  }
}

static long resident(void) {
  long size, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%ld %ld", &size, &pages) != 2)
    pages = -1;
  fclose(file);
  return pages;
}

int main(void) {
  static double points[POINTS * WIDTH];
  double centres[SIZE], ones[SIZE], v[SIZE];
  fill_direction(points, POINTS * WIDTH, 1);
  memcpy(centres, points, sizeof centres);
  fill_direction(v, SIZE, 2);
  for (int i = 0; i < SIZE; ++i)
    ones[i] = 1;
  long before = 0;
  size_t kept = 0;
  for (int step = 0; step < 1000; ++step) {
    const double *direction = step % 2 ? v : ones;
    double g[SIZE], h[SIZE], expected[SIZE], members[CENTRES];
    // More points, then fewer.
    int n = POINTS - (step < 20 ? 100 - 5 * step : step - 20) % 300;
    __verso_jvp_void(gradient, verso_const, points, verso_dup, centres,
                     direction, verso_dup, g, h, verso_const, n);
    by_hand(points, centres, expected, members, n);
    for (int i = 0; i < SIZE; ++i) {
      CHECK_CLOSE(g[i], expected[i], 1e-12);
      CHECK_CLOSE(h[i], 2 * members[i / WIDTH] * direction[i], 1e-12);
    }
    if (step % 2 == 0)
      for (int i = 0; i < SIZE; ++i)
        if (h[i] != 0)
          centres[i] -= g[i] / h[i];
    if (step == 60) {
      before = resident();
      kept = verso_tape_bytes();
    }
    if (step > 60)
      CHECK(verso_tape_bytes() <= kept + (kept >> 1));
    if (check_failures)
      break;
  }
  // Pages of 4 KiB; a product keeps more than one of them.
  CHECK(resident() - before < 500);
  return check_status();
}
