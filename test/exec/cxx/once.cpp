//===- once.cpp - what is done once ---------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::call_once and pthread_once call the program back through the library:
// with what varies, within each other, again after an exception, and beside
// flags that others have done.
//
//===----------------------------------------------------------------------===//

#include "gradient_and_jvp.h"

#include <mutex>
#include <stdexcept>

#include <pthread.h>

struct Table {
  std::once_flag Outer, Inner;
  double At[8];
  int Calls = 0;
};

CHECK_NOINLINE static double lazily(const double *x) {
  Table t;
  double s = 0;
  for (int k = 0; k < 3; ++k) {
    std::call_once(
        t.Outer,
        [&](double a) {
          std::call_once(t.Inner, [&] { t.At[0] = x[1] * x[1]; });
          for (int i = 1; i < 8; ++i)
            t.At[i] = t.At[i - 1] + a;
          ++t.Calls;
        },
        x[0]);
    s += t.At[k + 1] * x[2];
  }
  return s * t.Calls;
}

CHECK_NOINLINE static double again(const double *x) {
  std::once_flag flag;
  double kept = 0, s = 0;
  for (int k = 0; k < 3; ++k)
    try {
      std::call_once(flag, [&] {
        kept += x[k];
        if (k == 0)
          throw std::runtime_error("not yet");
      });
      s += kept;
    } catch (const std::exception &) {
      s += x[2] * kept;
    }
  return s;
}

static pthread_once_t BeforeFlag = PTHREAD_ONCE_INIT,
                      ShiftFlag = PTHREAD_ONCE_INIT;
static double Scale = 1, Shift;
static void setScale() { Scale *= 3; }
static void setShift() { Shift += 0.5; }

CHECK_NOINLINE static double shared(const double *x) {
  pthread_once(&BeforeFlag, setScale);
  pthread_once(&ShiftFlag, setShift);
  return Scale * x[0] * x[0] + Shift * x[1];
}

int main() {
  // (3 x1^2 + 6 x0) x2
  check<lazily>({18, 36, 15});
  // x2 x0 + 2 (x0 + x1)
  check<again>({5, 2, 0.5});
  pthread_once(&BeforeFlag, setScale);
  check<shared>({3, 0.5, 0});
  double x[3] = {0.5, 2, 3};
  CHECK_CLOSE(shared(x), 0.75 + 1, 1e-15);
  return check_status();
}
