//===- named-arguments.cpp - arguments that are used by name, too ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of an argument that the function also reads by the name of its
// variable, or through a pointer that another variable held before, would give
// part of its derivative nowhere. Where the compiler does not see that the
// argument is of that variable, it is an error when the request begins. Other
// members of the variable are constants: those behind the argument, before it,
// in another array of a structure, and what is no number.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -O0 -gline-tables-only %s -o %t.0 %verso_libs
// RUN: %clangxx_verso -O2 -gline-tables-only %s -o %t.2 %verso_libs
// RUN: %clangxx_verso -O1 -gline-tables-only -mllvm -verso-strategy=taped %s -o %t.1 %verso_libs
// RUN: sh -c 'for t in %t.0 %t.1 %t.2; do $t right || exit 1; done'
// RUN: not %t.2 model 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not %t.0 model 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: sh -c 'for m in model table member tangents thread later moved; do for t in %t.0 %t.1 %t.2; do $t $m > /dev/null; test $? -eq 86 || { echo $t $m; exit 1; }; done; done'

// MODEL: verso: error: {{.*}}named-arguments.cpp:[[#]]:[[#]]: in 'main': the global variable '{{.*}}' is, or holds, an argument with a shadow and '{{energy|model}}' also uses it by name; pass it to that function too

#include <cstdio>
#include <cstring>
#include <initializer_list>

extern int verso_dup, verso_out, verso_const;
double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);
#define NOINLINE __attribute__((noinline))

/// The same pointer, of which the compiler knows nothing.
template <class T> static T *unseen(T *P) {
  T *volatile Same = P;
  return Same;
}

struct Model {
  double stiffness, damping;
};
NOINLINE static Model &model() {
  static Model m = {1.5, 0.5};
  return m;
}
NOINLINE static double energy(const Model *m, double x) {
  return m->stiffness * model().damping * x;
}

double table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
NOINLINE static double sum(const double *p, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += p[k] * table[k];
  return s;
}

struct System {
  double position[4], charge[4];
  int count;
  double step;
} particles = {{1, 2, 3, 4}, {1, -1, 2, -2}, 4, 0.5};
NOINLINE static double potential(const double *position) {
  double s = 0;
  for (int k = 0; k < particles.count; ++k)
    s += particles.charge[k] * position[k] * position[k];
  return particles.step * s;
}
NOINLINE static double stepped(const double *step) {
  return particles.step * *step;
}

thread_local Model own = {2, 3};
NOINLINE static double threads(const Model *m) {
  return m->stiffness * own.stiffness;
}

static struct Node {
  double value, weight;
} *node = new Node{1, 2.5};
struct Interval {
  float low, middle, high;
} interval = {1, 2, 4};
NOINLINE static double between(const float *middle) {
  return (interval.low + interval.high) * *middle;
}
NOINLINE static double later(const double *w) { return node->weight + 2 * *w; }
NOINLINE static double other(const double *w) { return node->value * *w; }
NOINLINE static double moved(const double *w) {
  const Node *Behind = node;
  return (&Behind->value)[1] * *w;
}

static bool isClose(const double *d, double a, double b, double c, double e) {
  const double Expected[] = {a, b, c, e};
  for (int k = 0; k < 4; ++k)
    if (!(d[k] - Expected[k] < 1e-12 && Expected[k] - d[k] < 1e-12))
      return false;
  return true;
}

int main(int, char **argv) {
  const char *Mode = argv[1];
  Model d = {};
  double shadow[8] = {};
  if (!strcmp(Mode, "right")) {
    double seen[4] = {}, hidden[4] = {};
    __verso_grad((void *)potential, verso_dup, particles.position, seen);
    __verso_grad((void *)potential, verso_dup, unseen(particles.position),
                 hidden);
    for (const double *g : {seen, hidden})
      if (!isClose(g, 1, -2, 6, -8))
        return 1;
    double w = 0, v = 0;
    __verso_grad((void *)other, verso_dup, unseen(&node->weight), &w);
    __verso_grad((void *)stepped, verso_dup, unseen(&table[1]), &v);
    float middle = 0;
    __verso_grad((void *)between, verso_dup, unseen(&interval.middle), &middle);
    if (middle != 5)
      return 1;
    Model copy = model(), dcopy = {};
    __verso_grad((void *)energy, verso_dup, &copy, &dcopy, verso_out, 2.0);
    return !(w == 1 && v == 0.5 && dcopy.stiffness == 1 && dcopy.damping == 0);
  }
  if (!strcmp(Mode, "model"))
    __verso_grad((void *)energy, verso_dup, unseen(&model()), &d, verso_out,
                 2.0);
  if (!strcmp(Mode, "table"))
    __verso_grad((void *)sum, verso_dup, unseen(&table[2]), shadow, verso_const,
                 3);
  if (!strcmp(Mode, "member"))
    __verso_grad((void *)stepped, verso_dup, unseen(&particles.step), shadow);
  if (!strcmp(Mode, "tangents"))
    __verso_jvp((void *)stepped, verso_dup, unseen(&particles.step), shadow);
  if (!strcmp(Mode, "thread"))
    __verso_grad((void *)threads, verso_dup, unseen(&own), &d);
  if (!strcmp(Mode, "later"))
    __verso_grad((void *)later, verso_dup, unseen(&node->weight), shadow);
  if (!strcmp(Mode, "moved"))
    __verso_grad((void *)moved, verso_dup, unseen(&node->weight), shadow);
  return 0;
}
