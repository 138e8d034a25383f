//===- mixed-objects.c - several object files of one program --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is compiled with the plugin, each has requests, and both differentiate a
// static inline function of the same name; the linker must not confuse the
// twins.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -c %s -o %t.main.o
// RUN: %clang_verso -O0 -DOTHER -c %s -o %t.other.o
// RUN: %clang_verso %t.main.o %t.other.o -o %t %verso_libs
// RUN: %t

extern int verso_const;
double __verso_grad(void *, ...);
double slope_of_other(double x, double (*f)(double));

#ifdef OTHER
static double f(double x) { return x * x * x; }
static double apply(double x, double (*g)(double)) { return g(x) + f(x); }
/// `g` is a function of the other file, whose twin was registered there.
double slope_of_other(double x, double (*g)(double)) {
  return __verso_grad(apply, x, verso_const, g);
}
#else
static double f(double x) { return x * x; }
static double chosen(double x, int i) {
  static double (*const table[])(double) = {f};
  return table[i](x);
}
int main(void) {
  if (__verso_grad(chosen, 3.0, 0) != 6)
    return 1;
  return slope_of_other(3.0, f) != 6 + 27;
}
#endif
