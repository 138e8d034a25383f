//===- nests.h - judges the functions of a file of nests.py -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is judged in a process of its own, at all trip counts and
// several overlaps of its arrays. What is wrong first is printed:
//
//   F <function> PRIMAL|TAPED|NAN|DOT|DIFFERENCE|SECOND <where> <numbers>
//   F <function> REFUSED|CRASH <status>
//   F <function> TAPE       the tape refuses; structured code is judged alone
//   F <function> UNJUDGED <cases>
//
// A case is not judged where numbers overflow while the function itself runs:
// what becomes of infinities is no matter of right or wrong, the README says
// what each strategy does. Nor is it where adjoints overflow by both strategies
// and end as NaN: forward mode may be finite there, since what it has overflow
// is overwritten in the end, where reverse mode multiplies it by zero.
//
// Shadows begin with seeds of what the function writes: <seeds, J t> from
// forward mode equals <J' seeds, t> from reverse mode. Where forward mode is
// not finite (poles), there is nothing to compare it with. With -DPLAIN, which
// needs no Verso, functions only run, for sanitizers.
//
//===----------------------------------------------------------------------===//

#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <verso/verso.h>

#define NOINLINE __attribute__((noinline))
#ifdef PLAIN
#define __verso_grad(...) 0.0
#define __verso_jvp(...) 0.0
#define __verso_value_and_grad_out(...) (verso_value_and_derivative){0, 0}
#endif

struct U {
  double a, b, c[4];
};

//===- What functions call ------------------------------------------------===//

static double sq(double v) { return v / (1 + 0.2 * v * v); }

NOINLINE static double twist(double *p, double a, int n) {
  double s = a;
  for (int i = 1; i < n; ++i) {
    p[i] = sq(p[i] * s + p[i - 1]);
    s = sq(s + p[i]);
  }
  return s;
}
NOINLINE static double mean(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i];
  return n ? s / n : 0;
}
NOINLINE static void shift(double *p, double a, int n) {
  for (int i = 0; i < n; ++i)
    p[i] = 0.5 * p[i + 1] + 0.1 * a;
}
static double least(const double *p, int n) {
  double s = 3;
  for (int i = 0; i < n; ++i)
    if (p[i] * p[i] < s)
      s = p[i] * p[i];
  return s;
}

//===- Requests -----------------------------------------------------------===//

// Nobody takes the address of a function that is differentiated: such functions
// get a copy for each request.
#define PRIMAL_PARAMETERS                                                      \
  double *x, double *y, double *z, const int *ix, int n, int m, double a
#define PAIRED_PARAMETERS                                                      \
  double *x, double *dx, double *y, double *dy, double *z, double *dz,         \
      const int *ix, int n, int m, double a
#define SECOND_PARAMETERS                                                      \
  double *p[4], double *t[4], double *d[4], const int *ix, int n, int m,       \
      double a, double ta
static double call(int k, PRIMAL_PARAMETERS);
static double grad(int k, int taped, PAIRED_PARAMETERS, double *value);
static double jvp(int k, PAIRED_PARAMETERS, double ta);
static double second(int k, int taped, SECOND_PARAMETERS);

#define ARGUMENTS                                                              \
  verso_dup, x, dx, verso_dup, y, dy, verso_dup, z, dz, verso_const, ix,       \
      verso_const, n, verso_const, m

#define REQUESTS(F)                                                            \
  NOINLINE static double F##_grad(PAIRED_PARAMETERS, double *value) {          \
    return __verso_grad((void *)F, ARGUMENTS, a);                              \
  }
#define REQUESTS_WITH_VALUE(F)                                                 \
  NOINLINE static double F##_grad(PAIRED_PARAMETERS, double *value) {          \
    verso_value_and_derivative r =                                             \
        __verso_value_and_grad_out((void *)F, ARGUMENTS, a);                   \
    *value = r.value;                                                          \
    return r.derivative;                                                       \
  }
#define FORWARD(F)                                                             \
  NOINLINE static double F##_jvp(PAIRED_PARAMETERS, double ta) {               \
    return __verso_jvp((void *)F, ARGUMENTS, verso_dup, a, ta);                \
  }
// The tangents t of arguments p and td of shadows d; that of a's derivative.
#define SECOND(F)                                                              \
  static double F##_inner(PAIRED_PARAMETERS) {                                 \
    return __verso_grad((void *)F, ARGUMENTS, a);                              \
  }                                                                            \
  NOINLINE static double F##_second(SECOND_PARAMETERS) {                       \
    double *td = d[3];                                                         \
    return __verso_jvp((void *)F##_inner, verso_dup, p[0], t[0], verso_dup,    \
                       d[0], td + (d[0] - d[0]), verso_dup, p[1], t[1],        \
                       verso_dup, d[1], td + (d[1] - d[0]), verso_dup, p[2],   \
                       t[2], verso_dup, d[2], td + (d[2] - d[0]), verso_const, \
                       ix, verso_const, n, verso_const, m, verso_dup, a, ta);  \
  }

//===- The judge ----------------------------------------------------------===//

enum { CELLS = 560, STEP = 160, MARGIN = 40 };
struct Case {
  int n, m, y, z, zeros, ix[CELLS];
  double a, memory[CELLS], direction[CELLS + 1], seeds[CELLS];
};

static unsigned State;
static double draw(void) {
  State = State * 1664525u + 1013904223u;
  return (State >> 8) / 8388608.0 - 1;
}

static int Wrong, Overflows, AdjointsOverflow, WithoutTape;
static void verdict(int k, const char *what, const struct Case *c, double got,
                    double expected) {
  if (!Wrong++)
    printf("F %d %s n %d m %d y %d z %d zeros %d: %.15g and %.15g\n", k, what,
           c->n, c->m, c->y, c->z, c->zeros, got, expected);
}

static int differ(double u, double v, double scale) {
  return !(fabs(u - v) <= 1e-9 * scale) && !(isnan(u) && isnan(v)) && u != v;
}

#define AT(P) (P) + MARGIN, (P) + MARGIN + c->y, (P) + MARGIN + c->z
#define PAIRS(P, D)                                                            \
  (P) + MARGIN, (D) + MARGIN, (P) + MARGIN + c->y, (D) + MARGIN + c->y,        \
      (P) + MARGIN + c->z, (D) + MARGIN + c->z
#define REST c->ix + MARGIN, c->n, c->m

/// The seeds times what f returns and leaves in memory, in the direction.
static double along(int k, const struct Case *c, double step) {
  static double b[CELLS];
  for (int i = 0; i < CELLS; ++i)
    b[i] = c->memory[i] + step * c->direction[i];
  double r = call(k, AT(b), REST, c->a + step * c->direction[CELLS]);
  for (int i = 0; i < CELLS; ++i)
    r += b[i] * c->seeds[i];
  return r;
}

/// The gradient of the seeds times what f computes; its size, 0 if not finite.
static double gradient(const struct Case *c, int k, int taped, double *b,
                       double *d, double *value) {
  memcpy(b, c->memory, sizeof c->memory);
  memcpy(d, c->seeds, sizeof c->seeds);
  feclearexcept(FE_ALL_EXCEPT);
  d[CELLS] = grad(k, taped, PAIRS(b, d), REST, c->a, value);
  AdjointsOverflow = fetestexcept(FE_OVERFLOW) != 0;
  double size = 0;
  for (int i = 0; i <= CELLS; ++i)
    size = fmax(size, fabs(d[i]));
  return size;
}

static double hessian(const struct Case *c, int k, int taped, const double *t,
                      double *td) {
  static double b[CELLS], tb[CELLS], d[CELLS];
  memcpy(b, c->memory, sizeof b);
  memcpy(tb, t, sizeof tb);
  memset(d, 0, sizeof d);
  memset(td, 0, (CELLS + 1) * sizeof *td);
  double *p[4] = {AT(b)}, *q[4] = {AT(tb)}, *s[4] = {AT(d), td + MARGIN};
  return td[CELLS] = second(k, taped, p, q, s, REST, c->a, t[CELLS]);
}

static void judge_second(int k, const struct Case *c, int poles) {
  static double u[CELLS + 1], v[CELLS + 1], hu[CELLS + 1], hv[CELLS + 1],
      ht[CELLS + 1];
  for (int i = 0; i <= CELLS; ++i)
    u[i] = draw(), v[i] = draw();
  hessian(c, k, 0, u, hu);
  if (WithoutTape)
    memcpy(ht, hu, sizeof ht);
  else
    hessian(c, k, 1, u, ht);
  hessian(c, k, 0, v, hv);
  double left = 0, right = 0, size = 1;
  for (int i = 0; i <= CELLS; ++i) {
    left += v[i] * hu[i], right += u[i] * hv[i];
    size = fmax(size, fmax(fabs(hu[i]), fabs(ht[i])));
  }
  for (int i = 0; i <= CELLS; ++i)
    if (differ(hu[i], ht[i], 100 * size))
      verdict(k, "SECOND taped", c, hu[i], ht[i]);
  if (isfinite(left) && isfinite(right) && differ(left, right, 1e4 * size))
    verdict(k, "SECOND symmetric", c, left, right);
  if (poles || c->zeros)
    return;
  // Differences of gradients; at kinks those of two steps disagree.
  double e[2], rounding = 0;
  for (int j = 0; j < 2; ++j) {
    static double b[CELLS], d[CELLS + 1];
    double h = j ? 1e-5 : 2e-5, value, sum[2];
    for (int side = 0; side < 2; ++side) {
      struct Case moved = *c;
      memset(moved.seeds, 0, sizeof moved.seeds);
      for (int i = 0; i < CELLS; ++i)
        moved.memory[i] += (side ? h : -h) * u[i];
      moved.a += (side ? h : -h) * u[CELLS];
      gradient(&moved, k, 0, b, d, &value);
      sum[side] = 0;
      for (int i = 0; i <= CELLS; ++i)
        sum[side] += d[i] * v[i];
    }
    e[j] = (sum[1] - sum[0]) / (2 * h);
    rounding = fmax(rounding, 1e-16 * fabs(sum[0]) / h);
  }
  if (rounding < 1e-5 * size && fabs(e[0] - e[1]) < 1e-5 * (1 + fabs(e[1])) &&
      fabs(e[1] - left) > 1e-3 * size)
    verdict(k, "SECOND difference", c, left, e[1]);
}

/// Whether the case can be judged.
static int judge_case(int k, const struct Case *c, int poles) {
  static double b[CELLS], d[CELLS + 1], after[CELLS], dt[CELLS + 1], t[CELLS];
  memcpy(after, c->memory, sizeof after);
  feclearexcept(FE_ALL_EXCEPT);
  double primal = call(k, AT(after), REST, c->a);
#ifdef PLAIN
  return 0;
#endif
  int overflows = fetestexcept(FE_OVERFLOW | FE_INVALID);
  double value = primal, size = 1 + gradient(c, k, 0, b, d, &value);
  int overflowed = AdjointsOverflow;
  if (differ(value, primal, 1 + fabs(primal)))
    verdict(k, "PRIMAL value", c, value, primal);
  for (int i = 0; i < CELLS; ++i)
    if (differ(b[i], after[i], 1 + fabs(after[i])))
      verdict(k, "PRIMAL memory", c, b[i], after[i]);
  if (overflows) {
    ++Overflows;
    return 0;
  }
  if (WithoutTape)
    memcpy(dt, d, sizeof dt);
  else
    size = fmax(size, gradient(c, k, 1, b, dt, &value));
  memcpy(b, c->memory, sizeof b);
  memcpy(t, c->direction, sizeof t);
  double left = jvp(k, PAIRS(b, t), REST, c->a, c->direction[CELLS]);
  double right = d[CELLS] * c->direction[CELLS];
  double terms = fabs(left) + fabs(right);
  for (int i = 0; i < CELLS; ++i) {
    left += t[i] * c->seeds[i], right += d[i] * c->direction[i];
    terms += fabs(t[i] * c->seeds[i]) + fabs(d[i] * c->direction[i]);
  }
  for (int i = 0; i <= CELLS; ++i) {
    int either = isnan(d[i]) || isnan(dt[i]);
    if (differ(d[i], dt[i], size) && (isfinite(left) || !either))
      verdict(k, either ? "NAN" : "TAPED", c, d[i], dt[i]);
  }
  if (!isfinite(right) && overflowed && AdjointsOverflow) {
    ++Overflows;
    return 0;
  }
  if (!isfinite(left) || (!isfinite(right) && poles))
    return 1;
  if (differ(left, right, 1 + terms))
    verdict(k, "DOT", c, right, left);
  if (poles || c->zeros)
    return 1;
  double e[2], rounding = 0;
  for (int j = 0; j < 2; ++j) {
    double h = j ? 1e-6 : 2e-6, up = along(k, c, h), down = along(k, c, -h);
    e[j] = (up - down) / (2 * h);
    rounding = fmax(rounding, 1e-16 * fabs(up) / h);
  }
  if (rounding < 1e-5 && fabs(e[0] - e[1]) < 1e-5 * (1 + fabs(e[1])) &&
      fabs(e[1] - left) > 1e-3 * (1 + fabs(left)))
    verdict(k, "DIFFERENCE", c, left, e[1]);
  return 1;
}

static int Judged;
static int judged(void) { return Judged; }

static void judge_all(int k, int twice, int restricted, int poles);

static void judge(int k, int twice, int restricted, int poles) {
  fflush(stdout);
  int child = fork(), status;
  if (!child)
    judge_all(k, twice, restricted, poles);
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 86 && !WithoutTape) {
    WithoutTape = 1;
    judge(k, twice, restricted, poles);
    WithoutTape = 0;
    return;
  }
  if (WIFSIGNALED(status))
    printf("F %d CRASH signal %d\n", k, WTERMSIG(status));
  else if (WEXITSTATUS(status) == 86)
    printf("F %d REFUSED\n", k);
  else if (WEXITSTATUS(status) > 1)
    printf("F %d CRASH status %d\n", k, WEXITSTATUS(status));
  else if (WithoutTape)
    printf("F %d TAPE\n", k);
  Judged |= status != 0;
}

static void judge_all(int k, int twice, int restricted, int poles) {
  static const int trips[][2] = {{0, 1}, {1, 1}, {1, 3}, {2, 2},
                                 {3, 5}, {5, 1}, {7, 3}, {9, 4}};
  static struct Case c;
  struct rlimit seconds = {30, 30};
  setrlimit(RLIMIT_CPU, &seconds);
  alarm(300);
  State = SEED * 7919u + k;
  for (int trip = 0; trip < 8; ++trip)
    for (int overlap = 0; overlap < (restricted ? 1 : 3); ++overlap) {
      if (overlap == 2 && trip % 3)
        continue;
      c.n = trips[trip][0], c.m = trips[trip][1];
      c.y = STEP, c.z = 2 * STEP;
      int near = (int)(draw() * 8);
      if (overlap == 1)
        c.y = trip & 1 ? near : c.n, c.z = trip & 2 ? 2 * STEP : near / 2;
      if (overlap == 2)
        c.z = c.y + (trip ? near : 0);
      // Pointers in front of the first array are within the buffer, too.
      if (c.y < 0)
        c.y = -c.y;
      if (c.z < 0)
        c.z = -c.z;
      c.zeros = trip % 4 == 3;
      c.a = draw();
      for (int i = 0; i < CELLS; ++i) {
        c.ix[i] = (int)(4.5 * (1 + draw()));
        c.memory[i] = 1.5 * draw();
        c.direction[i] = draw();
        c.seeds[i] = trip & 1 ? draw() : 0;
        if (c.zeros && draw() < -0.5)
          c.memory[i] = 0;
      }
      c.direction[CELLS] = draw();
      if (judge_case(k, &c, poles) && twice && overlap == 0)
        judge_second(k, &c, poles);
    }
  if (Overflows)
    printf("F %d UNJUDGED %d\n", k, Overflows);
  fflush(stdout);
  _exit(Wrong != 0);
}
