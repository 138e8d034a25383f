//===- link-time-handlers.c - handlers that nobody sets -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library calls its user's error handler, and ends the program where there is
// none. At the link nobody has set one: the gradient is structured. Where one
// is set, it is called, and the gradient is right all the same. Markers that
// another file of the link defines are not taken for their values.
//
//===----------------------------------------------------------------------===//

// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -flto -c %s -o %t/main.o
// RUN: %clang -O2 -flto -DHANDLED -c %s -o %t/handled.o
// RUN: %clang -O2 -flto -DLIBRARY -c %s -o %t/library.o
// RUN: %clang -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin -Wl,--mllvm=-pass-remarks=verso %t/main.o %t/library.o -o %t/plain %verso_libs 2>&1 | FileCheck %s
// CHECK: gradient of 'f' by reversed control flow
// RUN: %t/plain
// RUN: %clang -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t/handled.o %t/library.o -o %t/set %verso_libs
// RUN: %t/set

typedef void (*Handler)(const char *);

#ifdef LIBRARY
#include <stdio.h>
#include <stdlib.h>

int enzyme_dup, enzyme_const;

static Handler handler;
Handler set_handler(Handler h) {
  Handler old = handler;
  handler = h;
  return old;
}

static void error(const char *text) {
  if (handler) {
    handler(text);
    return;
  }
  fprintf(stderr, "%s\n", text);
  abort();
}

int root(double x, double *result) {
  if (x < 0) {
    *result = 0;
    error("a root of what is negative");
    return 1;
  }
  *result = __builtin_sqrt(x);
  return 0;
}
#else
int root(double, double *);
Handler set_handler(Handler);
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);

static int errors;
static void count(const char *text) { errors += text != 0; }

static double f(const double *x, const double *weights, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double r;
    root(x[i], &r);
    sum += r * weights[i];
  }
  return sum;
}

int main(void) {
  double x[] = {4, 16}, dx[] = {0, 0}, weights[] = {1, 2};
#ifdef HANDLED
  set_handler(count);
  x[1] = -1;
#endif
  __enzyme_autodiff(f, enzyme_dup, x, dx, enzyme_const, weights, 2);
#ifdef HANDLED
  return dx[0] != 0.25 || dx[1] != 0 || errors != 1;
#else
  return dx[0] != 0.25 || dx[1] != 0.25 || errors;
#endif
}
#endif
