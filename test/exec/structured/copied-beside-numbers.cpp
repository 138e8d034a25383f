//===- copied-beside-numbers.cpp - structs are copied, arrays computed ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure leads to an array of doubles and to items that nobody accesses
// in the function but by copying them. That the one is an array of doubles says
// nothing of the other: two floats are no double. Where the language declares
// what is copied (not at -O0, nor of a whole array), adjoints are added to what
// the shadow holds already, else that is an error of the run.
//
// UNCHECKED: -verso-check does not judge untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

#define STRUCTURED                                                             \
  __attribute__((annotate("verso_strategy=structured"))) CHECK_NOINLINE static

namespace {

struct Item {
  double place;
  float mass, charge;
};
struct World {
  double *field;
  Item *items;
  int n;
};
enum { N = 5, FailedStatus = 86 };

} // namespace

/// One item, and all.
STRUCTURED void assign(World *w, double a) {
  for (int i = 0; i < w->n; ++i)
    w->field[i] *= a;
  w->items[1] = w->items[0];
}
STRUCTURED void move(World *w, double a) {
  for (int i = 0; i < w->n; ++i)
    w->field[i] *= a;
  memmove(w->items + 1, w->items, size_t(w->n - 1) * sizeof *w->items);
}
/// Item k got what was item from[k].
static void check(void (*f)(World *, World *), const int (&from)[N]) {
  double field[N], dfield[N];
  Item items[N], ditems[N];
  for (int k = 0; k < N; ++k) {
    field[k] = 1 + k, dfield[k] = 10 + k;
    items[k] = {0.5 + k, 0.25f + k, 0.125f + k};
    ditems[k] = {100.0 + k, 200.0f + k, 300.0f + k};
  }
  Item expected[N] = {};
  for (int k = 0; k < N; ++k) {
    expected[from[k]].place += ditems[k].place;
    expected[from[k]].mass += ditems[k].mass;
    expected[from[k]].charge += ditems[k].charge;
  }
  World w{field, items, N}, dw{dfield, ditems, N};
  f(&w, &dw);
  for (int k = 0; k < N; ++k) {
    CHECK_EQUAL(field[k], 3.0 * (1 + k));
    CHECK_EQUAL(dfield[k], 3.0 * (10 + k));
    CHECK_EQUAL(items[k].place, 0.5 + from[k]);
    CHECK_EQUAL(items[k].mass, 0.25 + from[k]);
    CHECK_EQUAL(items[k].charge, 0.125 + from[k]);
    CHECK_EQUAL(ditems[k].place, expected[k].place);
    CHECK_EQUAL(ditems[k].mass, expected[k].mass);
    CHECK_EQUAL(ditems[k].charge, expected[k].charge);
  }
}

/// The same, or the program ends with an error.
static void checkOrFail(void (*f)(World *, World *), const int (&from)[N]) {
  fflush(stderr);
  pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    check(f, from);
    _exit(check_status());
  }
  int status = 1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 ||
                              WEXITSTATUS(status) == FailedStatus));
}

static void assignShadowed(World *w, World *dw) {
  __verso_vjp_void((void *)assign, verso_dup, w, dw, verso_const, 3.0);
}
static void moveShadowed(World *w, World *dw) {
  __verso_vjp_void((void *)move, verso_dup, w, dw, verso_const, 3.0);
}

int main() {
#ifdef __OPTIMIZE__
  check(assignShadowed, {0, 0, 2, 3, 4});
#else
  checkOrFail(assignShadowed, {0, 0, 2, 3, 4});
#endif
  checkOrFail(moveShadowed, {0, 0, 1, 2, 3});
  return check_status();
}
