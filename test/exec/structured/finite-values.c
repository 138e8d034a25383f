// Where a pole cannot be met and where a bound keeps out what is infinite,
// derivatives are products; where it is met after all, zeros stay zeros.
//
// Sanitizers keep numbers in memory that are values else; there they pass for
// finite.
// REQUIRES: unsanitized
#include "../check.h"

typedef struct {
  double a, b;
} Two;
Two __verso_grad_two(void *, ...);

// Divided by 1 and more.
static double divided(double x, double y) {
  double q = y / (1 + x * x), r = y / (fabs(x) * 1e-3 + 0.01);
  return x > 0 ? q * q * x : r;
}
// A step size: at zero the factor is the bound.
static double bounded(double x, double y) {
  double f = 0.9 * pow(sqrt(x * x), -0.2);
  f = f < 0.2 ? 0.2 : f;
  f = f > 5 ? 5 : f;
  double h = y * f, p = h * h;
  return x > 100 ? y : p;
}
// This bound is no bound for what is infinite here.
static double unbounded(double x, double y) {
  double f = log(x);
  f = f > 5 ? 5 : f;
  double p = y * f;
  return x > 0 ? p * x : y;
}
// Nor does it keep out what is no number; the other way round it does.
static double not_a_number(double x, double y) {
  double f = sqrt(x);
  f = f > 5 ? 5 : f;
  double p = y * f;
  return x >= 0 ? p : y;
}
static double a_number(double x, double y) {
  double f = sqrt(x);
  f = f < 5 ? f : 5;
  double p = y * f;
  return x >= 0 ? p : y;
}
// The pole is in reach: 1 - x x, x x, a sum that may cancel.
static double in_reach(double x, double y) {
  double q = y / (1 - x * x), r = y / (x * x), s = 1 / (1e-20 + x * x);
  return x == 1 || x == 0 ? y : q * r + s;
}
// What is divided by goes to infinity, and the quotient to zero.
static double sigmoid(double x, double y) {
  double s = 1 / (1 + exp(-x)), p = s * y;
  return y > 0 ? p * p : x;
}
// Round a loop: infinite from the second iteration on.
static double round_a_loop(double x, double y) {
  double h = y, s = 0;
  for (int i = 0; i < 4; ++i) {
    double p = h * h * x;
    s += i < 1 ? p : y;
    h = h / (x - y);
  }
  return s;
}
static double clamped_loop(double x, double y) {
  double h = y, s = 0;
  for (int i = 0; i < 4; ++i) {
    double p = h * h * x;
    s += i < 2 ? p : y;
    double f = 1 / fabs(x - y);
    h = h * (f > 2 ? 2 : f);
  }
  return s;
}

#define CHECK_TWO(F, X, Y, A, B)                                               \
  do {                                                                         \
    volatile double x_ = (X), y_ = (Y);                                        \
    Two g_ = __verso_grad_two((void *)F, x_, y_);                              \
    CHECK_CLOSE(g_.a, A, 1e-13);                                               \
    CHECK_CLOSE(g_.b, B, 1e-13);                                               \
  } while (0)

int main(void) {
  // x y^2 / (1 + x^2)^2
  CHECK_TWO(divided, 2, 3, 9 * (5 - 16) / 125.0, 12 / 25.0);
  CHECK_TWO(divided, -2, 3, 3e-3 / (0.012 * 0.012), 1 / 0.012);
  double f = 0.9 * pow(2, -0.2);
  CHECK_TWO(bounded, 2, 3, -0.4 * 9 * f * f / 2, 6 * f * f);
  CHECK_TWO(bounded, 0, 3, 0, 150);
  CHECK_TWO(bounded, 1e-9, 3, 0, 150);
  CHECK_TWO(bounded, 1e9, 3, 0, 1);
  CHECK_TWO(unbounded, 0, 3, 0, 1);
  CHECK_TWO(unbounded, 2, 3, 3 * (log(2) + 1), 2 * log(2));
  CHECK_TWO(unbounded, 1000, 3, 15, 5000);
  CHECK_TWO(not_a_number, -1, 3, 0, 1);
  CHECK_TWO(not_a_number, 4, 3, 0.75, 2);
  CHECK_TWO(not_a_number, 36, 3, 0, 5);
  CHECK_TWO(a_number, -1, 3, 0, 1);
  CHECK_TWO(a_number, 4, 3, 0.75, 2);
  CHECK_TWO(a_number, 36, 3, 0, 5);
  CHECK_TWO(in_reach, 1, 3, 0, 1);
  CHECK_TWO(in_reach, 0, 3, 0, 1);
  CHECK_TWO(sigmoid, 0, 2, 0.5 * 4 * 0.5, 1);
  CHECK_TWO(sigmoid, 1, -2, 1, 0);
  CHECK_TWO(round_a_loop, 3, 3, 9, 18 + 3);
  CHECK_TWO(round_a_loop, 3, 2, 4, 12 + 3);
  CHECK_TWO(clamped_loop, 3, 3, 9 + 36, 18 + 72 + 2);
  return check_status();
}
