//===- halves-by-hand.c - computed bits beside two-byte numbers -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file converts to bfloats by hand, which is known, and to half precision,
// on several ways, which is not. What the latter keeps in an array of integers
// is lost: a gradient ends in an error, and is not zero.
//
//===----------------------------------------------------------------------===//

#include "../../../include/verso/verso.h"
#define CHECK_NO_API
#include "../check.h"

#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 4, Refused = 86 };

static uint16_t toBFloat(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static float ofBFloat(uint16_t h) {
  uint32_t u = (uint32_t)h << 16;
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

static uint16_t toHalf(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  uint32_t sign = u >> 16 & 0x8000, rest = u & 0x7fffff;
  int exponent = (int)(u >> 23 & 255) - 112;
  if (exponent <= 0)
    return (uint16_t)sign;
  if (exponent >= 31)
    return (uint16_t)(sign | 0x7c00);
  return (uint16_t)(sign | (uint32_t)exponent << 10 | rest >> 13);
}
static float ofHalf(uint16_t h) {
  uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31,
           rest = h & 0x3ff;
  uint32_t u = exponent ? sign | (exponent + 112) << 23 | rest << 13 : sign;
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

#define PRODUCTS(NAME)                                                         \
  VERSO_STRATEGY(taped)                                                        \
  static double NAME(const double *x, int n) {                                 \
    uint16_t a[N];                                                             \
    for (int i = 0; i < n; ++i)                                                \
      a[i] = to##NAME((float)x[i]);                                            \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i)                                                \
      sum += of##NAME(a[i]) * of##NAME(a[(i + 1) % n]);                        \
    return sum;                                                                \
  }
PRODUCTS(BFloat)
PRODUCTS(Half)

int main(void) {
  volatile int n = N;
  double x[N] = {1.5, 2.25, -0.5, 3}, d[N] = {0};
  __verso_grad((void *)BFloat, verso_dup, x, d, verso_const, n);
  CHECK_EQUAL(d[0], 5.25);
  CHECK_EQUAL(d[1], 1);
  fflush(stderr);
  int status;
  pid_t child = fork();
  if (child == 0) {
    fclose(stderr);
    __verso_grad((void *)Half, verso_dup, x, d, verso_const, n);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(WEXITSTATUS(status), Refused);
  return check_status();
}
