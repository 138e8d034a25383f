//===- both-directions.c - a linear map is applied many times -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function runs once. Pushed forward, the tape agrees with __verso_jvp,
// which shares no code with it but the partials; pulled back, it is the
// transpose; and each application gives the same bits. Outputs are overwritten
// inputs, and the cell y[0] becomes a constant.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.h"

#include <math.h>
#include <string.h>

enum { N = 3 };
static int Runs;

static double f(double a, const double *x, double *y, float *z, int n) {
  ++Runs;
  double s = a;
  for (int i = 0; i < n; ++i) {
    y[i] = sin(x[i]) * a + y[i] * y[i];
    s += y[i] * x[i] * *z;
  }
  y[0] = 4;
  *z = (float)s;
  return s * s;
}

int main(void) {
  const double x[N] = {1, 2, 3}, y0[N] = {.1, .2, .3};
  double y[N], dx[N] = {0}, dy[N] = {0};
  float z = 2, dz = 0;
  memcpy(y, y0, sizeof y);
  verso_tape *t =
      __verso_linearize(f, verso_out, 0.5, verso_dup, x, dx, verso_dup, y, dy,
                        verso_dup, &z, &dz, verso_const, (int)N);
  CHECK(Runs == 1);
  CHECK(verso_tape_inputs(t) == 1 && verso_tape_outputs(t) == 1);

  const double v[2 * N + 2] = {.3, 1, -2, .5, .2, .7, -1, .25};
  const double w[N + 2] = {1.5, .4, -.3, .9, .125};
  double first[2] = {0, 0};
  for (int time = 0; time < 3; ++time) {
    double r, da;
    memcpy(dx, v + 1, sizeof dx);
    memcpy(dy, v + 1 + N, sizeof dy);
    dz = (float)v[2 * N + 1];
    verso_pushforward(t, v, &r);
    CHECK(dy[0] == 0);
    double pushed = r * w[0] + dz * w[N + 1];
    for (int i = 0; i < N; ++i)
      pushed += dy[i] * w[1 + i];

    memset(dx, 0, sizeof dx);
    memcpy(dy, w + 1, sizeof dy);
    dz = (float)w[N + 1];
    verso_pullback(t, w, &da);
    double pulled = da * v[0] + dz * v[2 * N + 1];
    for (int i = 0; i < N; ++i)
      pulled += dx[i] * v[1 + i] + dy[i] * v[1 + N + i];
    CHECK_CLOSE(pushed, pulled, 1e-6); // Through a float.

    if (time == 0)
      first[0] = pushed, first[1] = pulled;
    CHECK(pushed == first[0] && pulled == first[1]);
  }
  CHECK(Runs == 1);
  verso_tape_free(t);

  memcpy(y, y0, sizeof y);
  z = 2;
  memcpy(dx, v + 1, sizeof dx);
  memcpy(dy, v + 1 + N, sizeof dy);
  dz = (float)v[2 * N + 1];
  double r = __verso_jvp(f, verso_dup, 0.5, v[0], verso_dup, x, dx, verso_dup, y,
                         dy, verso_dup, &z, &dz, verso_const, (int)N);
  double pushed = r * w[0] + dz * w[N + 1];
  for (int i = 0; i < N; ++i)
    pushed += dy[i] * w[1 + i];
  CHECK_CLOSE(pushed, first[0], 1e-6);
  return check_status();
}
