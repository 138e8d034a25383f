//===- names-in-disguise.cpp - uses by name that do not look like one -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function reads numbers of a variable that is an argument with a shadow: in
// a function of a library, as bits, behind a pointer in a structure, with an
// index that is negative, in a virtual function, by an atomic operation. Where
// the variable is seen that is an error of the compiler, else when the request
// begins; the derivative is never silently without that part.
//
//===----------------------------------------------------------------------===//

// RUN: sh -c 'for o in -O0 -O2; do for t in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do %clangxx_verso -DT=$t $o -c %s -o %t.o 2> %t.err && { echo $t $o; exit 1; }; grep -q "is an argument with a shadow and" %t.err || { echo $t $o; cat %t.err; exit 1; }; done; done'
// RUN: sh -c 'for o in -O0 -O2; do for t in 2 3 4 5 6 7 8 9 10 11 12 14 15; do %clangxx_verso -DT=$t -DUNSEEN $o %s -o %t.exe %verso_libs || exit 1; %t.exe 2> %t.err; test $? = 86 || { echo $t $o; exit 1; }; grep -q "or holds, an argument with a shadow" %t.err || { echo $t $o; cat %t.err; exit 1; }; done; done'

#include <cstdio>
#include <cstring>
#include <cstdint>
extern int verso_dup;
double __verso_grad(void *, ...);
extern "C" double cblas_ddot(int, const double *, int, const double *, int);
#define NOINLINE __attribute__((noinline))
#if T == 1 // library function with a rule, by name
static double w[4] = {1, 2, 3, 4};
NOINLINE static double f(const double *x) { return cblas_ddot(4, w, 1, x, 1); }
#elif T == 2 // bits through an integer
static double w[4] = {1, 2, 3, 4};
NOINLINE static double f(const double *x) { uint64_t b; memcpy(&b, &w[1], 8); b ^= uint64_t(1) << 63; double v; memcpy(&v, &b, 8); return v * x[0] * x[1]; }
#elif T == 3 // pointer kept in a structure
static double w[4] = {1, 2, 3, 4};
struct C { int n; const double *p; };
NOINLINE static double g(const C *c) { double s = 0; for (int k = 0; k < c->n; ++k) s += c->p[k]; return s; }
NOINLINE static double f(const double *x) { C c{4, w}; return g(&c) * x[0]; }
#elif T == 4 || T == 13 // an index that is negative
static double w[8] = {1, 2, 3, 4, 5, 6, 7, 8};
NOINLINE static double f(const double *x) { double s = 0; int n = (int)x[0] + 3; for (int k = -4; k < n - 4; ++k) s += (w + 4)[k]; return s * x[0]; }
#elif T == 5 // virtual
static double w[4] = {1, 2, 3, 4};
struct B { virtual double v() const = 0; virtual ~B() = default; };
struct D1 : B { double v() const override { return w[1]; } };
struct D2 : B { double v() const override { return 3; } };
B *volatile obj = new D1;
NOINLINE static double f(const double *x) { B *b = obj; return b->v() * x[1]; }
#elif T == 6 // compared exchange / atomics
static double w[4] = {1, 2, 3, 4};
NOINLINE static double f(const double *x) { double v; __atomic_load(&w[1], &v, __ATOMIC_SEQ_CST); return v * x[1]; }
#elif T == 7 // by reference through a lambda
static double w[4] = {1, 2, 3, 4};
NOINLINE static double app(const double *const *p) { return (*p)[1]; }
NOINLINE static double f(const double *x) { const double *q = w; return app(&q) * x[1]; }
#elif T == 8 // copied as a whole by memcpy to a local
static double w[4] = {1, 2, 3, 4};
NOINLINE static double f(const double *x) { double l[4]; memcpy(l, w, sizeof l); return l[1] * x[1]; }
#elif T == 9 // ptrtoint
static double w[4] = {1, 2, 3, 4};
NOINLINE static double f(const double *x) { uintptr_t a = (uintptr_t)w; a += 8; return *(double *)a * x[1]; }
#elif T == 10 // select of two variables
static double w[4] = {1, 2, 3, 4}, o[4] = {5, 6, 7, 8};
NOINLINE static double f(const double *x) { const double *p = x[0] > 0 ? w : o; return p[1] * x[1]; }
#elif T == 11 // struct copied
struct M { double a, b, c, d; }; static M w = {1, 2, 3, 4};
NOINLINE static double h(M m) { return m.b; }
NOINLINE static double f(const double *x) { return h(w) * x[1]; }
#elif T == 12 // backwards
static double w[8] = {1, 2, 3, 4, 5, 6, 7, 8};
NOINLINE static double f(const double *x) { double s = 0; const double *e = w + 7; for (int k = 0; k < 8; ++k) s += *e--; return s * x[0]; }
#elif T == 14 // a fixed element behind what is known of the argument
static double w[8] = {1, 2, 3, 4, 5, 6, 7, 8};
NOINLINE static double f(const double *x) {
  double s = 0;
  int n = (int)x[0] + 7;
  for (int k = 0; k < n; ++k)
    s += x[k];
  return s * w[5];
}
#elif T == 15 // a pointer that an intrinsic hands on
static double w[4] = {1, 2, 3, 4};
NOINLINE static double f(const double *x) {
  return __builtin_launder(&w[1])[0] * *(const double *)__builtin_assume_aligned(x + 1, 8);
}
#endif
template <class U> static U *unseen(U *P) { U *volatile S = P; return S; }
int main() {
  double d[T == 13 ? 4 : 8] = {};
#ifdef UNSEEN
  __verso_grad((void *)f, verso_dup, unseen((double *)&w), d);
#else
  __verso_grad((void *)f, verso_dup, (double *)&w, d);
#endif
  printf("%g %g %g %g\n", d[0], d[1], d[2], d[3]);
}
