//===- constant-or-local.c - one store, to constants or to a local array --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that varies is stored where a pointer leads: to a local array, or to
// memory of an argument that the request calls constant. What is read from
// there afterwards varies, in either case.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { Rows = 2, Columns = 3 };

/// x[1] times the sum of a row, one of whose numbers is x[0] squared.
CHECK_NOINLINE static double through(const double *x, double **rows,
                                     int which) {
  double local[Columns] = {1, 2, 4};
  double *row = which < Rows ? rows[which] : local;
  row[1] = x[0] * x[0];
  double sum = 0;
  for (int i = 0; i < Columns; ++i)
    sum += row[i] * x[1];
  return sum;
}

int main(void) {
  double constants[Rows][Columns] = {{3, 0, 5}, {7, 0, 11}};
  const double rest[Rows + 1] = {8, 18, 5};
  for (int which = 0; which <= Rows; ++which) {
    double *rows[Rows] = {constants[0], constants[1]};
    double x[2] = {1.5, -2}, adjoint[2] = {0};
    __verso_grad((void *)through, verso_dup, x, adjoint, verso_const, rows,
                 which);
    CHECK_EQUAL(adjoint[0], 2 * x[0] * x[1]);
    CHECK_EQUAL(adjoint[1], rest[which] + x[0] * x[0]);
  }
  return check_status();
}
