//===- butterflies-apart.c - arrays of a transform, side by side ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//
//
// How far the butterflies of a transform reach depends on three loops at once,
// one of which only ends where a sum is equal to a bound; the order of bits is
// followed by no loop that can be counted. Their ends are known exactly where
// the request begins: of arrays that lie side by side no root is recorded; with
// one element in common each of them is.
//
//===----------------------------------------------------------------------===//

#include "check.h"

enum { N = 256, LEVELS = 8 };

size_t verso_tape_bytes(void);

static volatile size_t size = N;

__attribute__((annotate("verso_strategy=structured"))) static double
transform(const double *in, const double *roots, double *out, size_t n) {
  for (size_t i = 0, reversed = 0; i != n; ++i) {
    out[reversed] = in[i];
    size_t bit = n / 2;
    for (; reversed & bit; bit /= 2)
      reversed ^= bit;
    reversed |= bit;
  }
  for (size_t half = 1; half < n; half *= 2)
    for (size_t start = 0; start != n; start += 2 * half)
      for (size_t k = 0; k != half; ++k) {
        double t = out[start + k + half] * roots[half + k];
        out[start + k + half] = out[start + k] - t;
        out[start + k] += t;
      }
  double s = 0;
  for (size_t i = 0; i != n; ++i)
    s += out[i] * out[i];
  return s;
}

static void reset(double *cells) {
  for (int i = 0; i < 3 * N; ++i)
    cells[i] = 0.5 + 0.01 * (i * 7 % 31);
}

/// The tape's bytes.
static size_t check(int in, int roots, int out) {
  static double cells[3 * N], shadows[3 * N];
  reset(cells);
  memset(shadows, 0, sizeof shadows);
  __verso_grad_void((void *)transform, verso_dup, cells + in, shadows + in,
                    verso_const, cells + roots, verso_dup, cells + out,
                    shadows + out, verso_const, size);
  size_t bytes = verso_tape_bytes();
  for (int i = 0; i < N; i += 37) {
    double y[2];
    for (int side = 0; side < 2; ++side) {
      reset(cells);
      cells[in + i] += side ? 1e-3 : -1e-3;
      y[side] = transform(cells + in, cells + roots, cells + out, N);
    }
    CHECK_CLOSE(shadows[in + i], (y[1] - y[0]) / 2e-3, 1e-6);
  }
  return bytes;
}

int main(void) {
  const size_t apart[] = {check(0, N, 2 * N), check(N, 2 * N, 0),
                          check(2 * N, 0, N)};
  // The first root is none of any level, which nobody knows.
  const size_t overlapping = check(0, 2 * N - 1, N);
  // The order of bits.
  for (int i = 0; i < 3; ++i)
    CHECK(apart[i] < 2 * N * sizeof(double));
  CHECK(overlapping > LEVELS / 2 * N * sizeof(double));
  return check_status();
}
