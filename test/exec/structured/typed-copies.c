//===- typed-copies.c - structures of the caller are assigned ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures of pointers, numbers and integers that the caller owns are copied
// whole: to one another, to themselves, round a loop, before and after their
// members are overwritten, in a recursion. Derivatives go where the numbers
// came from, and shadow pointers follow the pointers.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { Models = 4, Values = 3, PerModel = 2 + Values, N = Models * PerModel };

typedef struct {
  double *values;
  double scale;
  float gain;
  int count;
  double bias;
  short tag;
} Model;

static double apply(const Model *m) {
  double s = m->bias * m->gain;
  for (int i = 0; i < m->count; ++i)
    s += m->scale * m->values[i] * m->values[i] * (i + m->tag);
  return s;
}
static double sum(const Model *m) {
  double s = 0;
  for (int k = 0; k < Models; ++k)
    s += (k + 1) * apply(m + k);
  return s;
}

/// Round the array, \p rounds times.
CHECK_NOINLINE static double rotate(Model *m, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    Model first = m[0];
    for (int k = 0; k + 1 < Models; ++k)
      m[k] = m[k + 1];
    m[Models - 1] = first;
    m[0].scale *= 1.5;
  }
  return sum(m);
}
/// The two may be one.
CHECK_NOINLINE static double assign(Model *to, Model *from, int again) {
  *to = *from;
  from->scale = 2 * to->scale;
  if (again)
    *to = *from;
  to->bias *= from->scale;
  return apply(to) * apply(from);
}
static double assigned(Model *m, int again) {
  return assign(m, m + 1, again) + assign(m + 2, m + 2, again);
}
/// A member is read where its pointer was, and where it is now.
CHECK_NOINLINE static double pointers(Model *m, int other) {
  double before = m[0].values[0] * m[1].values[1];
  memcpy(m + 1, m + other, sizeof *m);
  m[1].values[0] *= 3;
  m[other].values[0] += before;
  return sum(m) * m[1].values[0];
}
CHECK_NOINLINE static double down(Model *m, int depth) {
  if (!depth)
    return apply(m);
  m[depth % Models] = m[(depth * 7 + 1) % Models];
  m[depth % Models].scale += 0.25;
  double r = down(m, depth - 1);
  m[0] = m[depth % Models];
  return r + m[0].scale * m[0].values[depth % Values];
}

static int way, turns;
static double run(Model *m) {
  switch (way) {
  case 0:
    return rotate(m, turns);
  case 1:
    return assigned(m, turns);
  case 2:
    return pointers(m, turns);
  default:
    return down(m, turns);
  }
}

static void build(Model *m, double (*values)[Values], const double *p) {
  for (int k = 0; k < Models; ++k, p += PerModel) {
    m[k].scale = p[0], m[k].bias = p[1], m[k].gain = 0.5f * (float)k;
    m[k].count = Values - k % 2, m[k].tag = (short)(k + 1);
    m[k].values = values[k];
    for (int i = 0; i < Values; ++i)
      values[k][i] = p[2 + i];
  }
}
static double of_parameters(double *p) {
  Model m[Models];
  double values[Models][Values];
  build(m, values, p);
  return run(m);
}
/// The request, and where its pointers' shadows are in the end.
static void gradient(const double *p, double *dp, Model *m, Model *dm) {
  static double values[Models][Values], dvalues[Models][Values];
  build(m, values, p);
  memset(dm, 0, Models * sizeof *dm);
  memset(dvalues, 0, sizeof dvalues);
  for (int k = 0; k < Models; ++k)
    dm[k].values = dvalues[k];
  switch (way) {
  case 0:
    __verso_grad_void((void *)rotate, verso_dup, m, dm, turns);
    break;
  case 1:
    __verso_grad_void((void *)assigned, verso_dup, m, dm, turns);
    break;
  case 2:
    __verso_grad_void((void *)pointers, verso_dup, m, dm, turns);
    break;
  default:
    __verso_grad_void((void *)down, verso_dup, m, dm, turns);
  }
  for (int k = 0; k < Models; ++k) {
    dp[k * PerModel] = dm[k].scale;
    dp[k * PerModel + 1] = dm[k].bias;
    for (int i = 0; i < Values; ++i)
      dp[k * PerModel + 2 + i] = dvalues[k][i];
    CHECK(dm[k].values - dvalues[0] == m[k].values - values[0]);
  }
}

int main(void) {
  double p[N], dp[N];
  for (int k = 0; k < N; ++k)
    p[k] = 0.5 + 0.0625 * (k * 7 % 11);
  for (way = 0; way < 4; ++way)
    for (turns = 0; turns < 4; ++turns) {
      Model m[Models], dm[Models];
      gradient(p, dp, m, dm);
      CHECK_GRADIENT(of_parameters, N, p, dp, 2e-6);
      // What the program left is where the next request begins.
      double after = run(m);
      CHECK(after == after);
    }
  return check_status();
}
