//===- library-without-effect.c - library calls that have no derivative ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation, strings, time and environment in the middle of differentiated
// code neither matter nor get in the way.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <ctype.h>
#include <stdint.h>
#include <time.h>

CHECK_NOINLINE static double run(double x, const char *text) {
  char *copy = malloc(strlen(text) + 1);
  strcpy(copy, text);
  time_t now = time(NULL);
  if (now == 0 || getenv("VERSO_NO_SUCH_VARIABLE"))
    x = -x;
  size_t digits = 0;
  for (char *p = copy; *p; ++p)
    digits += isdigit((unsigned char)*p) != 0;
  long factor = strtol(copy, NULL, 10);
  if (memcmp(copy, "12", 2) != 0 || strcmp(copy, text) != 0)
    x = 0;
  free(copy);
  return x * x * (double)factor * (double)digits;
}

int main(void) {
  CHECK_EQUAL(__verso_grad(run, 3.0, verso_const, "12 apples"), 2 * 3 * 12 * 2);
  return check_status();
}
