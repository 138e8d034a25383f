//===- printing.c - output functions with active arguments ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// printf and its relatives take active numbers and change nothing about their
// derivatives. The output goes to /dev/null and to a string.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static FILE *sink;

CHECK_NOINLINE static double verbose(double x, int n) {
  char line[64];
  for (int i = 0; i < n; ++i) {
    fprintf(sink, "step %d: %f\n", i, x);
    x = x * x * 0.5;
    snprintf(line, sizeof line, "%.3f", x);
    fputs(line, sink);
    fputc('\n', sink);
  }
  fflush(sink);
  return x;
}

int main(void) {
  sink = fopen("/dev/null", "w");
  CHECK(sink != NULL);
  // x^8 / 2^7.
  CHECK_CLOSE(__verso_grad(verbose, 1.5, 3), 8 * pow(1.5, 7) / 128, 1e-14);
  fclose(sink);
  return check_status();
}
