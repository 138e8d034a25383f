//===- stale-tangents.c - memory that others write ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that is freed and allocated again within a request, written by code
// without tangents (library, read, sscanf), and reused by
// the next request.
//
// Memory is written as one type and read as another.
// FLAGS: -fno-strict-aliasing
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <unistd.h>

CHECK_NOINLINE static double recycled(double x) {
  double sum = 0;
  for (int i = 1; i < 50; ++i) {
    size_t n = (size_t)(i * 7 % 13 + 1);
    double *p = malloc(n * sizeof *p);
    for (size_t k = 0; k < n; ++k)
      p[k] = x * (double)k;
    free(p);
    double *q = malloc(n * sizeof *q);
    int *words = (int *)q;
    for (size_t k = 0; k < 2 * n; ++k)
      words[k] = 0;
    for (size_t k = 0; k < n; ++k)
      sum += q[k] * x;
    free(q);
  }
  return sum + x;
}
static double buffer[4];
CHECK_NOINLINE static double from_pipe(double x, int in, int out) {
  double sent[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; ++i)
    buffer[i] = x * i;
  double sum = buffer[3];
  if (write(out, sent, sizeof sent) != sizeof sent ||
      read(in, buffer, sizeof buffer) != sizeof buffer)
    return 0;
  return sum + buffer[0] * x + buffer[3];
}
CHECK_NOINLINE static double scanned(double x) {
  double a = x, b = x;
  sscanf("2.5 3.5", "%lf %lf", &a, &b);
  float f = (float)x;
  sscanf("1.5", "%f", &f);
  return a * b * x + f;
}
CHECK_NOINLINE static double strings(double x) {
  double a[4] = {x, x, x, x};
  memset(a, 0, 8);
  strcpy((char *)(a + 1), "1234567");
  double one = 1;
  memcpy(a + 2, &one, 8);
  return a[0] + a[2] * x + a[3];
}

int main(void) {
  CHECK_EQUAL(__verso_jvp(recycled, verso_dup, 2.0, 1.0), 1);
  int ends[2];
  CHECK(pipe(ends) == 0);
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(__verso_jvp(from_pipe, verso_dup, 2.0, 1.0, ends[0], ends[1]),
                3 + 1);
    CHECK_EQUAL(__verso_jvp(scanned, verso_dup, 2.0, 1.0), 8.75);
    CHECK_EQUAL(__verso_jvp(strings, verso_dup, 2.0, 1.0), 2);
  }
  return check_status();
}
