//===- enzyme-type-hints.cpp - what tells Enzyme the type of memory -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that nobody defines: their calls go, in differentiated code and in
// the rest of the program, also where an exception could leave them.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"

#include <cstddef>
#include <vector>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern "C" void __enzyme_double(void *);
void __enzyme_float(void *, size_t);
void __enzyme_integer(void *, size_t);
void __enzyme_pointer(void *);

static double evaluate(double x) {
  std::vector<double> v(2);
  __enzyme_double(v.data());
  int n[] = {3};
  __enzyme_integer(n, sizeof n);
  v[0] = x * x;
  void *p = &v[0];
  __enzyme_pointer(&p);
  return n[0] * *(double *)p;
}

int main() {
  float f = 2;
  __enzyme_float(&f, sizeof f);
  CHECK_EQUAL(__enzyme_autodiff((void *)evaluate, 5.0), 30);
  CHECK_EQUAL(__enzyme_fwddiff((void *)evaluate, 5.0, double(f)), 60);
  CHECK_EQUAL(evaluate(1), 3);
  return check_status();
}
