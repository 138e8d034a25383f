//===- variadic-long-vectors.c - vectors of 32 and 64 bytes ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there are registers for them, variable arguments that are long vectors
// travel on the stack nevertheless; where there are none, as structs do.
//
// FLAGS: -Wno-psabi
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdarg.h>

typedef double four __attribute__((vector_size(32)));
typedef double eight __attribute__((vector_size(64)));

// A macro, so that each copy is compiled for another target.
#define DEFINE_RUN(run, read, target)                                          \
  target CHECK_NOINLINE static double read(double x, ...) {                    \
    va_list list;                                                              \
    va_start(list, x);                                                         \
    four a = va_arg(list, four);                                               \
    x += va_arg(list, double);                                                 \
    eight b = va_arg(list, eight);                                             \
    x += va_arg(list, int);                                                    \
    four c = va_arg(list, four);                                               \
    va_end(list);                                                              \
    return x + 2 * a[0] + 3 * a[3] + 4 * b[0] + 5 * b[7] + 6 * c[2];           \
  }                                                                            \
  target static double run(const double *x) {                                  \
    return read(x[0], (four){x[1], 0, 0, x[2]}, x[3],                          \
                (eight){x[4], 0, 0, 0, 0, 0, 0, x[5]}, 7,                      \
                (four){0, 0, x[6], 0});                                        \
  }

DEFINE_RUN(run_plain, read_plain, )
DEFINE_RUN(run_avx, read_avx, __attribute__((target("avx"))))
DEFINE_RUN(run_avx512, read_avx512, __attribute__((target("avx512f"))))

#define CHECK_RUN(run)                                                         \
  do {                                                                         \
    const double x[] = {1, 2, 3, 4, 5, 6, 7};                                  \
    const double slopes[] = {1, 2, 3, 1, 4, 5, 6};                             \
    double dx[7] = {0};                                                        \
    __verso_grad_void(run, verso_dup, x, dx);                                  \
    CHECK_EQUAL(run(x), 1 + 4 + 9 + 4 + 20 + 30 + 42 + 7);                     \
    for (int k = 0; k < 7; ++k)                                                \
      CHECK_EQUAL(dx[k], slopes[k]);                                           \
  } while (0)

int main(void) {
  CHECK_RUN(run_plain);
  if (__builtin_cpu_supports("avx"))
    CHECK_RUN(run_avx);
  if (__builtin_cpu_supports("avx512f"))
    CHECK_RUN(run_avx512);
  return check_status();
}
