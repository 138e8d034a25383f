//===- enzyme-derivatives.c - derivatives given in Enzyme's way -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays and attributes of programs that were written for Enzyme. As in
// derivative.c all that is given differs from what the body says.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include <math.h>
#include <verso/enzyme.h>

int enzyme_const, enzyme_dup, enzyme_out;
double __enzyme_autodiff(void *, ...);
float __enzyme_autodiff_float(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct three {
  double x, y, z;
};
struct three __enzyme_autodiff_three(void *, ...);

// The derivative of a function of the C library.
static double likeLog(double x) { return 2 * x; }
void *__enzyme_function_like_log[] = {(void *)likeLog, (void *)"log1p"};
static double likeAngle(double y, double x) { return y + x; }
void *__enzyme_function_like_angle[] = {(void *)likeAngle, (void *)"atan2"};
__attribute__((enzyme_function_like("sin"), noinline)) static float
likeSine(float x) {
  return x;
}

// A tangent, and one that comes with the value; a count is a constant.
static double scaled(double x, int n, double y) { return n * x * y; }
static double scaled_tangent(double x, double dx, int n, double y, double dy) {
  return 3 * n * (dx * y + x * dy);
}
void *__enzyme_register_derivative_scaled[] = {(void *)scaled,
                                               (void *)scaled_tangent};
struct dual {
  float value, tangent;
};
static float cubed(float x) { return x * x * x; }
static struct dual cubed_tangent(float x, float dx) {
  struct dual result = {x * x * x, 10 * x * x * dx};
  return result;
}
void *__enzyme_register_derivative_cubed[2] = {(void *)cubed,
                                               (void *)cubed_tangent};

// Adjoints: of one number, without a tape; of two floats, and of three
// doubles, with what is kept for them.
static int forwards, backwards;
static double root(double x) { return sqrt(x); }
static void root_forward(double x) { ++forwards; }
static double root_reverse(double x, double adjoint) {
  ++backwards;
  return 7 * adjoint / sqrt(x);
}
void *__enzyme_register_gradient_root[] = {
    (void *)root, (void *)root_forward, (void *)root_reverse};

struct pair {
  float x, y;
};
static float product(float x, float y) { return x * y; }
static float product_forward(float x, float y) { return x * y; }
static struct pair product_reverse(float x, float y, float adjoint, float kept) {
  struct pair result = {3 * kept / x * adjoint, 5 * kept / y * adjoint};
  return result;
}
void *__enzyme_register_gradient_product[] = {
    (void *)product, (void *)product_forward, (void *)product_reverse};

struct kept {
  void *tape;
  double value;
};
static double volume(double x, double y, double z) { return x * y * z; }
static struct kept volume_forward(double x, double y, double z) {
  static double product;
  product = x * y * z;
  struct kept result = {&product, product};
  return result;
}
static struct three volume_reverse(double x, double y, double z, double adjoint,
                                   void *tape) {
  double v = *(double *)tape * adjoint;
  struct three result = {2 * v / x, 3 * v / y, 4 * v / z};
  return result;
}
void *__enzyme_register_gradient_volume[] = {
    (void *)volume, (void *)volume_forward, (void *)volume_reverse};

__attribute__((enzyme_inactive, noinline)) static double weight(double x) {
  return x * x;
}

static double ofLog(double x) { return likeLog(x) * x; }
static double ofAngle(double y, double x) { return likeAngle(y, x); }
static float ofSine(float x) { return likeSine(x); }
static double ofScaled(double x, double y) { return scaled(x, 4, y); }
static float ofCubed(float x) { return cubed(x) + x; }
static double ofRoot(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += root(x[i]) * x[i];
  return s;
}
static float ofProduct(float x, float y) { return product(x, y); }
static double ofVolume(double x, double y, double z) {
  return volume(x, y, z);
}
static double ofWeight(double x) { return weight(x) * x; }
static double slope(double x) { return __enzyme_autodiff((void *)ofLog, x); }

int main(void) {
  CHECK_CLOSE(ofLog(2), 8, 1e-15);
  CHECK_CLOSE(__enzyme_autodiff((void *)ofLog, 2.0), 4 + 2 / 3.0, 1e-15);
  CHECK_CLOSE(__enzyme_fwddiff((void *)ofLog, enzyme_dup, 2.0, 1.0),
              4 + 2 / 3.0, 1e-15);
  // likeLog(x) + x / (1 + x), once more: the value's slope is like log1p's.
  CHECK_CLOSE(__enzyme_autodiff((void *)slope, 2.0), 1 / 3.0 + 1 / 9.0, 1e-15);
  CHECK_CLOSE(__enzyme_autodiff((void *)ofAngle, enzyme_out, 1.0, enzyme_const,
                                2.0),
              2 / 5.0, 1e-15);
  CHECK_CLOSE(__enzyme_autodiff((void *)ofAngle, enzyme_const, 1.0, enzyme_out,
                                2.0),
              -1 / 5.0, 1e-15);
  CHECK_CLOSE(__enzyme_autodiff_float((void *)ofSine, 0.5f), cos(0.5), 1e-6);

  CHECK_CLOSE(__enzyme_autodiff((void *)ofScaled, enzyme_out, 2.0, enzyme_const,
                                5.0),
              60, 1e-15);
  CHECK_CLOSE(
      __enzyme_fwddiff((void *)ofScaled, enzyme_dup, 2.0, 1.0, enzyme_dup, 5.0,
                       10.0),
      60 + 240, 1e-15);
  CHECK_CLOSE(__enzyme_autodiff_float((void *)ofCubed, 2.0f), 41, 1e-6);

  double x[3] = {1, 4, 9}, dx[3] = {0};
  __enzyme_autodiff((void *)ofRoot, enzyme_dup, x, dx, enzyme_const, 3);
  for (int i = 0; i < 3; ++i)
    CHECK_CLOSE(dx[i], 8 * sqrt(x[i]), 1e-15);
  CHECK(forwards == 3 && backwards == 3);
  CHECK_CLOSE(__enzyme_autodiff_float((void *)ofProduct, enzyme_out, 2.0f,
                                      enzyme_const, 3.0f),
              9, 1e-6);
  struct three d = __enzyme_autodiff_three((void *)ofVolume, 2.0, 3.0, 5.0);
  CHECK_CLOSE(d.x, 30, 1e-15);
  CHECK_CLOSE(d.y, 30, 1e-15);
  CHECK_CLOSE(d.z, 24, 1e-15);
  CHECK_CLOSE(__enzyme_autodiff((void *)ofWeight, 3.0), 9, 1e-15);
  return check_status();
}
