//===- vector-by-value.c - small vectors as arguments ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of the vector extension given by value; the derivative is the vector
// of partial derivatives. Also arithmetic with shuffles and element access.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef double double2 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
double2 __verso_grad_double2(void *, ...);
float4 __verso_grad_float4(void *, ...);

static double of_double2(double2 v) {
  double2 squares = v * v;
  return squares[0] + 3 * squares[1] + v[0] * v[1];
}
static float of_float4(float4 v) {
  float4 turned = __builtin_shufflevector(v, v, 1, 2, 3, 0);
  float4 product = v * turned;
  return product[0] + product[1] + product[2] + product[3];
}

int main(void) {
  double2 v = {2, 5};
  double2 dv = __verso_grad_double2(of_double2, v);
  CHECK_EQUAL(dv[0], 4 + 5);
  CHECK_EQUAL(dv[1], 30 + 2);
  float4 w = {1, 2, 3, 4};
  float4 dw = __verso_grad_float4(of_float4, w);
  CHECK_EQUAL(dw[0], 2 + 4);
  CHECK_EQUAL(dw[1], 3 + 1);
  CHECK_EQUAL(dw[2], 4 + 2);
  CHECK_EQUAL(dw[3], 1 + 3);
  return check_status();
}
