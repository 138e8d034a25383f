//===- overwritten-across-halves.c - a store to both halves of a number ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer is stored over the end of the lower half of a double and the
// beginning of the upper one, in a variable, an array and the caller's memory.
// What is left of the number is lost: a gradient ends in an error, and is not
// zero. So it is where some bytes of a float or a double, or of a copy of its
// bits, are overwritten one by one in a loop. All of its bytes may be
// overwritten so, and such integers be read again where numbers have been.
//
// UNCHECKED: -verso-check cannot add up untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

/// What Verso ends a program with.
enum { Refused = 86 };

#define PUTS(T, AT)                                                            \
  CHECK_NOINLINE static void put##T##AT(void *number, int value) {             \
    T part = (T)value;                                                         \
    memcpy((char *)number + AT, &part, sizeof part);                           \
  }                                                                            \
  CHECK_NOINLINE static double variable##T##AT(double *x, int value) {         \
    double y = 3 * x[0];                                                       \
    put##T##AT(&y, value);                                                     \
    return y * y;                                                              \
  }                                                                            \
  CHECK_NOINLINE static double array##T##AT(double *x, int value) {            \
    double y[3] = {x[0], 3 * x[0], x[0]};                                      \
    put##T##AT(y + (value & 1), value);                                        \
    return y[0] * y[1] + y[2];                                                 \
  }                                                                            \
  CHECK_NOINLINE static double copy##T##AT(double *x, int value) {             \
    double y[3];                                                               \
    memcpy(y, x, sizeof y);                                                    \
    put##T##AT(y + (value & 1), value);                                        \
    return y[0] * y[1] + y[2];                                                 \
  }                                                                            \
  CHECK_NOINLINE static double given##T##AT(double *x, int value) {            \
    put##T##AT(x, value);                                                      \
    return x[0] * x[0];                                                        \
  }                                                                            \
  CHECK_NOINLINE static double output##T##AT(double *x, int value) {           \
    x[0] = 3 * x[0];                                                           \
    put##T##AT(x, value);                                                      \
    return x[0];                                                               \
  }

PUTS(int16_t, 3)
PUTS(int32_t, 1)
PUTS(int32_t, 2)

/// The bytes [FROM, TO) of a number, one by one.
static volatile int one = 1;
#define LOOPS(NAME, REAL, BITS, FROM, TO)                                      \
  CHECK_NOINLINE static double NAME(double *x, int value) {                    \
    REAL y[2] = {(REAL)(3 * x[0]), (REAL)x[0]};                                \
    for (int i = FROM * one; i < TO * one; ++i)                                \
      ((char *)(y + (value & 1)))[i] = 0x40;                                   \
    return y[1] * y[1];                                                        \
  }                                                                            \
  CHECK_NOINLINE static double NAME##_bits(double *x, int value) {             \
    REAL y = (REAL)(3 * x[0]);                                                 \
    BITS bits;                                                                 \
    memcpy(&bits, &y, sizeof y);                                               \
    for (int i = FROM * one; i < TO * one; ++i)                                \
      ((char *)&bits)[i] = (char)(value & 0x40);                               \
    memcpy(&y, &bits, sizeof y);                                               \
    return y * y;                                                              \
  }
LOOPS(floats, float, uint32_t, 0, 2)
LOOPS(across, double, uint64_t, 3, 5)
LOOPS(lower, double, uint64_t, 0, 3)
LOOPS(whole_floats, float, uint32_t, 0, 4)
LOOPS(whole_doubles, double, uint64_t, 0, 8)

/// The last byte of a float and the first of the next.
CHECK_NOINLINE static double between(double *x, int value) {
  float y[3] = {(float)x[0], (float)(3 * x[0]), (float)x[0]};
  for (int i = 3 * one; i < 5 * one; ++i)
    ((char *)y)[i] = (char)value;
  return y[value & 1] * y[2];
}

CHECK_NOINLINE static void put(void *to, int16_t value) {
  memcpy(to, &value, sizeof value);
}
CHECK_NOINLINE static int get(const void *from) {
  int16_t value;
  memcpy(&value, from, sizeof value);
  return value;
}

/// All bytes are overwritten, by 0x3ff0000000000000.
CHECK_NOINLINE static double whole(double *x, int value) {
  double y[2] = {3 * x[0], 5 * x[0]};
  char *bytes = (char *)(y + (value & 1));
  put(bytes + 3, 0);
  bytes[0] = 0;
  put(bytes + 1, 0);
  put(bytes + 5, (int16_t)0xf000);
  bytes[7] = 0x3f;
  return y[0] * x[0] + y[1];
}

/// Integers are read where numbers have been.
CHECK_NOINLINE static double integers(double *x, int value) {
  double y[2] = {3 * x[0], 5 * x[0]};
  double sum = y[0] + y[1];
  for (int i = 0; i < 3; ++i)
    put((char *)y + 3 + 5 * i, (int16_t)(value + i));
  for (int i = 0; i < 3; ++i)
    sum += get((char *)y + 3 + 5 * i) * x[0];
  return sum;
}

#define CHECK_REFUSED(F, SEED)                                                 \
  do {                                                                         \
    double x[3] = {1.5, 2, 3}, d[3] = {SEED, 0, 0};                            \
    fflush(stderr);                                                            \
    int status;                                                                \
    pid_t child = fork();                                                      \
    if (child == 0) {                                                          \
      fclose(stderr);                                                          \
      __verso_grad((void *)F, verso_dup, x, d, verso_const, 0x1235);           \
      _exit(0);                                                                \
    }                                                                          \
    CHECK(waitpid(child, &status, 0) == child);                                \
    CHECK(WIFEXITED(status));                                                  \
    CHECK_EQUAL(WEXITSTATUS(status), Refused);                                 \
  } while (0)
#define CHECK_ALL(T, AT)                                                       \
  do {                                                                         \
    CHECK_REFUSED(variable##T##AT, 0);                                         \
    CHECK_REFUSED(array##T##AT, 0);                                            \
    CHECK_REFUSED(copy##T##AT, 0);                                             \
    CHECK_REFUSED(given##T##AT, 0);                                            \
    CHECK_REFUSED(output##T##AT, 1);                                           \
  } while (0)
#define CHECK_RIGHT(F, EXPECTED)                                               \
  do {                                                                         \
    double x[3] = {1.5, 2, 3}, d[3] = {0};                                     \
    __verso_grad((void *)F, verso_dup, x, d, verso_const, 0x1235);             \
    CHECK_EQUAL(d[0], EXPECTED);                                               \
  } while (0)

int main(void) {
  CHECK_ALL(int16_t, 3);
  CHECK_ALL(int32_t, 1);
  CHECK_ALL(int32_t, 2);
  CHECK_REFUSED(floats, 0);
  CHECK_REFUSED(floats_bits, 0);
  CHECK_REFUSED(across, 0);
  CHECK_REFUSED(across_bits, 0);
  CHECK_REFUSED(lower, 0);
  CHECK_REFUSED(lower_bits, 0);
  CHECK_REFUSED(between, 0);
  CHECK_RIGHT(whole_floats, 0);
  CHECK_RIGHT(whole_floats_bits, 0);
  CHECK_RIGHT(whole_doubles, 0);
  CHECK_RIGHT(whole_doubles_bits, 0);
  CHECK_RIGHT(whole, 6 * 1.5);
  CHECK_RIGHT(integers, 8 + 3 * 0x1235 + 3);
  return check_status();
}
