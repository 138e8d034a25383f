//===- overwritten-elsewhere.c - parts of numbers behind pointers ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of a number are overwritten by a function that is not inlined, or in
// the heap, or one half of a double and a part of the other by seven bytes or
// more. The tape ends in an error, and does not say that the number is
// constant. What is overwritten as a whole is, and flags may follow numbers in
// the same block.
//
//===----------------------------------------------------------------------===//

#include "../../../include/verso/verso.h"
#define CHECK_NO_API
#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

double __verso_grad_double(void *, ...);

/// What Verso ends a program with.
enum { Refused = 86 };

CHECK_NOINLINE static void byte(void *p, int at) { ((char *)p)[at] = 7; }
CHECK_NOINLINE static void pair(void *p, int at) {
  short s = 0x1234;
  memcpy((char *)p + at, &s, sizeof s);
}
CHECK_NOINLINE static void three(void *p, int at) {
  memset((char *)p + at, 0x11, 3);
}
CHECK_NOINLINE static void seven(void *p, int at) {
  memset((char *)p + at, 0x11, 7);
}
CHECK_NOINLINE static void eight(void *p, int at) {
  long long l = 0x1111111111111111;
  memcpy((char *)p + at, &l, sizeof l);
}
CHECK_NOINLINE static void many(void *p, int at) {
  memset((char *)p + at % 8, 0x11, at);
}

static double room[4];

#define OVERWRITES(NAME)                                                       \
  VERSO_STRATEGY(taped)                                                        \
  static double NAME##Local(const double *x, int at) {                         \
    float v[3] = {(float)x[0], 2, 3};                                          \
    NAME(v, at % 3);                                                           \
    return v[0] * x[1];                                                        \
  }                                                                            \
  VERSO_STRATEGY(taped)                                                        \
  static double NAME##Heap(const double *x, int at) {                          \
    float *v = malloc(3 * sizeof *v);                                          \
    v[0] = v[1] = (float)x[0];                                                 \
    NAME(v, at % 3);                                                           \
    double result = v[0] * x[1];                                               \
    free(v);                                                                   \
    return result;                                                             \
  }
#define OVERWRITES_DOUBLES(NAME)                                               \
  VERSO_STRATEGY(taped)                                                        \
  static double NAME##Doubles(const double *x, int at) {                       \
    double *v = malloc(4 * sizeof *v);                                         \
    v[0] = v[1] = v[2] = v[3] = x[0];                                          \
    NAME(v, at);                                                               \
    double result = v[0] * x[1] + v[1] + v[2];                                 \
    free(v);                                                                   \
    return result;                                                             \
  }                                                                            \
  VERSO_STRATEGY(taped)                                                        \
  static double NAME##Global(const double *x, int at) {                        \
    room[0] = room[1] = room[2] = room[3] = x[0];                              \
    NAME(room, at);                                                            \
    return room[0] * x[1] + room[1] + room[2];                                 \
  }
OVERWRITES(byte)
OVERWRITES(pair)
OVERWRITES(three)
OVERWRITES_DOUBLES(seven)
OVERWRITES_DOUBLES(eight)
OVERWRITES_DOUBLES(many)

/// Four bytes, one by one, are an integer; and flags lie where numbers were.
VERSO_STRATEGY(taped)
static double whole(const double *x, int at) {
  float *v = malloc(3 * sizeof *v);
  v[0] = v[1] = (float)x[0];
  for (int i = 0; i < 4; ++i)
    byte(v, i + at % 1);
  double result = v[1] * x[1] + (v[0] > 0);
  char *flags = (char *)v;
  for (int i = 4; i < 8; ++i)
    flags[i] = (char)(at % 5);
  result *= flags[6];
  free(v);
  return result;
}

/// By pointers that come out of memory.
static double byteBehind(const double *x, int at) {
  float f[2] = {(float)x[0], (float)x[1]};
  char *volatile kept = (char *)f;
  kept[at] = 0;
  return f[0] * (double)f[0] * f[1];
}
static double twoBehind(const double *x, int at) {
  char **kept = malloc(sizeof *kept);
  *kept = malloc(2 * sizeof(float));
  float *f = (float *)*kept;
  f[0] = (float)x[0];
  f[1] = (float)x[1];
  char *volatile *again = kept;
  again[0][at] = 0;
  again[0][at + 1] = 0;
  double result = f[0] * (double)f[0] * f[1];
  free(f);
  free(kept);
  return result;
}
/// All bytes of the first, and those of flags.
static double allBehind(const double *x, int at) {
  float f[3] = {(float)x[0], (float)x[1], 3};
  char *volatile kept = (char *)f;
  for (int i = 0; i < at; ++i)
    kept[i] = 0;
  kept[8] = 1;
  return (f[0] + f[1]) * (double)f[1];
}

/// By a memset, of a length that is known or not.
static double threeAtOnce(const double *x, int at) {
  float *f = malloc(2 * sizeof(float));
  f[0] = (float)x[0];
  f[1] = (float)x[1];
  memset(f, at, 3);
  double result = f[0] * (double)f[0] * f[1];
  free(f);
  return result;
}

#define CHECK_REFUSED(F, AT)                                                   \
  do {                                                                         \
    double x[2] = {1.5, 2}, d[2] = {0};                                        \
    fflush(stderr);                                                            \
    int status;                                                                \
    pid_t child = fork();                                                      \
    if (child == 0) {                                                          \
      fclose(stderr);                                                          \
      __verso_grad_double((void *)F, verso_dup, x, d, verso_const, AT);        \
      _exit(0);                                                                \
    }                                                                          \
    CHECK(waitpid(child, &status, 0) == child);                                \
    CHECK(WIFEXITED(status));                                                  \
    CHECK_EQUAL(WEXITSTATUS(status), Refused);                                 \
  } while (0)

int main(void) {
  CHECK_REFUSED(byteLocal, 0);
  CHECK_REFUSED(byteHeap, 1);
  CHECK_REFUSED(pairLocal, 1);
  CHECK_REFUSED(pairHeap, 0);
  CHECK_REFUSED(threeHeap, 1);
  CHECK_REFUSED(sevenDoubles, 1);
  CHECK_REFUSED(sevenGlobal, 9);
  CHECK_REFUSED(eightDoubles, 3);
  CHECK_REFUSED(eightGlobal, 5);
  CHECK_REFUSED(manyDoubles, 9);
  CHECK_REFUSED(manyDoubles, 11);
  CHECK_REFUSED(manyGlobal, 7);
  CHECK_REFUSED(byteBehind, 1);
  CHECK_REFUSED(twoBehind, 5);
  CHECK_REFUSED(threeAtOnce, 0);
  double x[2] = {1.5, 2}, d[2] = {0};
  __verso_grad_double((void *)allBehind, verso_dup, x, d, verso_const, 4);
  CHECK_EQUAL(d[0], 0);
  CHECK_EQUAL(d[1], 4);
  d[0] = d[1] = 0;
  __verso_grad_double((void *)eightDoubles, verso_dup, x, d, verso_const, 8);
  CHECK_EQUAL(d[0], 3);
  d[0] = d[1] = 0;
  __verso_grad_double((void *)whole, verso_dup, x, d, verso_const, 4);
  CHECK_EQUAL(d[0], 8);
  return check_status();
}
