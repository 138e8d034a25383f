//===- byte-copies.c - numbers copied in pieces ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Doubles and floats copied byte by byte, in words of two and four bytes,
// through a ring of bytes, and through volatile memory; exchanged byte by byte.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

CHECK_NOINLINE static void copy_bytes(void *to, const void *from, size_t n) {
  volatile unsigned char *t = to;
  const unsigned char *f = from;
  for (size_t i = 0; i < n; ++i)
    t[i] = f[i];
}
CHECK_NOINLINE static double by_bytes(double x, double y) {
  double a[2] = {x * x, y * y}, b[2];
  copy_bytes(b, a, sizeof a);
  return b[0] * b[1];
}
CHECK_NOINLINE static float by_halfwords(float x) {
  float a = x * 3, b;
  uint16_t parts[2];
  memcpy(parts, &a, sizeof a);
  volatile uint16_t kept[2] = {parts[0], parts[1]};
  parts[0] = kept[0];
  parts[1] = kept[1];
  memcpy(&b, parts, sizeof b);
  return b * x;
}
CHECK_NOINLINE static double by_words(double x) {
  double a = sin(x), b;
  uint32_t words[2];
  memcpy(words, &a, sizeof a);
  volatile uint32_t low = words[0], high = words[1];
  words[0] = low;
  words[1] = high;
  memcpy(&b, words, sizeof b);
  return b * b;
}
CHECK_NOINLINE static double backwards(double x) {
  double a = x * x, b;
  volatile unsigned char bytes[8];
  for (int i = 7; i >= 0; --i)
    bytes[i] = ((unsigned char *)&a)[i];
  for (int i = 0; i < 8; ++i)
    ((unsigned char *)&b)[i] = bytes[i];
  return b * x;
}
/// The order of n elements of any size is turned round.
CHECK_NOINLINE static void turn_round(char *all, size_t size, size_t n) {
  for (size_t i = 0; i < n / 2; ++i)
    for (size_t b = 0; b < size; ++b) {
      char kept = all[i * size + b];
      all[i * size + b] = all[(n - 1 - i) * size + b];
      all[(n - 1 - i) * size + b] = kept;
    }
}
CHECK_NOINLINE static double exchanged(const double *x, int n) {
  size_t size = sizeof *x;
  char *all = malloc(n * size);
  for (int i = 0; i < n; ++i) {
    double square = x[i] * x[i];
    memcpy(all + i * size, &square, size);
  }
  turn_round(all, size, n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * ((double *)all)[i];
  free(all);
  return sum;
}
/// And in the caller's memory.
CHECK_NOINLINE static double exchanged_in_place(double *x, int n) {
  turn_round((char *)x, sizeof *x, n);
  return x[0] * x[0] * x[n - 1];
}
struct two {
  double x, y;
};
struct two __verso_grad_two(void *, ...);

int main(void) {
  struct two g = __verso_grad_two(by_bytes, 3.0, 5.0);
  CHECK_EQUAL(g.x, 150);
  CHECK_EQUAL(g.y, 90);
  CHECK_EQUAL(__verso_grad_float(by_halfwords, 2.0f), 12);
  CHECK_CLOSE(__verso_grad(by_words, 0.7), 2 * sin(0.7) * cos(0.7), 1e-15);
  CHECK_EQUAL(__verso_grad(backwards, 2.0), 12);
  double x[5] = {1, 2, 3, 4, 5}, dx[5] = {0};
  __verso_grad_void(exchanged, verso_dup, x, dx, verso_const, 5);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i] * (5 - i));
  double end[5] = {0};
  end[2] = 7;
  __verso_grad_void(exchanged_in_place, verso_dup, x, end, verso_const, 5);
  CHECK_EQUAL(end[0], 25);
  CHECK_EQUAL(end[4], 2 * 5 * 1);
  CHECK_EQUAL(end[2], 7);
  return check_status();
}
