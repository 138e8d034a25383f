//===- handlers.cpp - what is called where a program ends -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries set handlers where they throw (dlib does in every fatal error), so
// that functions with a check of their arguments call these.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <exception>
#include <new>
#include <stdexcept>

static void stop() { std::abort(); }

struct Fatal : std::runtime_error {
  explicit Fatal(const char *what) : std::runtime_error(what) {
    static bool isFirst = true;
    if (isFirst)
      Before = std::set_terminate(stop);
    isFirst = false;
  }
  std::terminate_handler Before = nullptr;
};

CHECK_NOINLINE static double root(double x) {
  if (x < 0)
    throw Fatal("negative");
  return std::sqrt(x);
}

static double compute(const double *x) {
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    try {
      sum += root(x[i]);
    } catch (const Fatal &e) {
      if (e.Before)
        std::set_terminate(e.Before);
      sum += x[i] * x[i];
    }
  std::new_handler old = std::set_new_handler(stop);
  double *block = new double[4];
  std::set_new_handler(old);
  for (int i = 0; i < 4; ++i)
    block[i] = x[i] * x[i];
  sum += block[1];
  delete[] block;
  return sum;
}

int main() {
  double x[4] = {4, 0.25, -3, 1}, dx[4] = {0};
  __verso_grad((void *)compute, verso_dup, x, dx);
  double expected[4] = {0.25, 1.5, -6, 0.5};
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(dx[i], expected[i], 1e-15);
  return check_status();
}
