//===- unaligned-cells.c - packed structs ---------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Doubles and floats at odd offsets, in packed structs and in a byte buffer.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct __attribute__((packed)) record {
  char tag;
  double value;
  short id;
  float weight;
};

CHECK_NOINLINE static double total(const double *x, int n) {
  struct record records[8];
  for (int i = 0; i < n; ++i)
    records[i] = (struct record){'a', x[i] * x[i], (short)i, (float)(i + 1)};
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += records[i].value * records[i].weight * records[i].id;
  return sum;
}
CHECK_NOINLINE static double of_records(const struct record *r, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += r[i].value * r[i].weight;
  return sum;
}
CHECK_NOINLINE static double in_bytes(double x) {
  unsigned char buffer[64];
  double y = x * x;
  memcpy(buffer + 3, &y, sizeof y);
  memcpy(buffer + 21, buffer + 3, sizeof y);
  memcpy(&y, buffer + 21, sizeof y);
  return y * x;
}

int main(void) {
  double x[] = {1, 2, 3}, dx[3] = {0};
  __verso_grad_void(total, verso_dup, x, dx, 3);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i] * (i + 1) * i);
  struct record r[] = {{'x', 2, 0, 3}, {'y', 5, 0, 7}}, dr[2];
  memset(dr, 0, sizeof dr);
  __verso_grad_void(of_records, verso_dup, r, dr, 2);
  CHECK_EQUAL(dr[0].value, 3);
  CHECK_EQUAL(dr[0].weight, 2);
  CHECK_EQUAL(dr[1].value, 7);
  CHECK_EQUAL(dr[1].weight, 5);
  CHECK_EQUAL(__verso_grad(in_bytes, 2.0), 12);
  return check_status();
}
