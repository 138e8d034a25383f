// A number that a loop hands on by a longer computation: what its adjoint is
// multiplied by is computed beside the program, and a zero ends it.
//
// Sanitizers keep numbers in memory that are values else; there they pass for
// finite.
// REQUIRES: unsanitized
#include "../check.h"

typedef struct {
  double a, b;
} Two;
typedef struct {
  float a, b;
} TwoFloats;
Two __verso_grad_two(void *, ...);
TwoFloats __verso_grad_two_floats(void *, ...);

static double anomaly(double mean, double e) {
  double x = mean, step = 1;
  while (fabs(step) > 1e-13) {
    step = (x - e * sin(x) - mean) / (1 - e * cos(x));
    x -= step;
  }
  return x;
}
static void check_anomaly(double mean, double e) {
  Two g = __verso_grad_two((void *)anomaly, mean, e);
  double x = anomaly(mean, e), d = 1 / (1 - e * cos(x));
  CHECK_CLOSE(g.a, d, 1e-12);
  CHECK_CLOSE(g.b, sin(x) * d, 1e-12);
}

// What is handed on is read by others, too, and some iterations do without.
static double populations(double x, double r, double *all, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (all[i] < 0)
      continue;
    x = r * x * (1 - x) + 0.01 * sin(x) * r;
    all[i] = x;
    sum += x * x;
    if (sum > 100)
      return x * x;
  }
  return sum + 3 * x;
}
CHECK_NOINLINE static void check_populations(double x, double r, int n) {
  double all[40] = {0}, shadow[40] = {0};
  for (int i = 0; i < 40; i += 3)
    all[i] = -1;
  struct {
    double a, b;
  } expected = {0, 0};
  double y = x, yx = 1, yr = 0, sum = 0;
  int ended = 0;
  for (int i = 0; i < n && !ended; ++i) {
    if (all[i] < 0)
      continue;
    double p = r * (1 - 2 * y) + 0.01 * cos(y) * r;
    double q = y * (1 - y) + 0.01 * sin(y);
    yx = p * yx;
    yr = p * yr + q;
    y = r * y * (1 - y) + 0.01 * sin(y) * r;
    sum += y * y;
    ended = sum > 100;
    expected.a += 2 * y * yx;
    expected.b += 2 * y * yr;
  }
  expected.a = ended ? 2 * y * yx : expected.a + 3 * yx;
  expected.b = ended ? 2 * y * yr : expected.b + 3 * yr;
  Two g = __verso_grad_two((void *)populations, x, r, verso_dup, all, shadow,
                           verso_const, n);
  CHECK_CLOSE(g.a, expected.a, 1e-10);
  CHECK_CLOSE(g.b, expected.b, 1e-10);
}

// A root that is not chosen: the first step is infinite.
static double root(double a, double from) {
  double x = from;
  for (int i = 0; i < 6; ++i)
    x = x - (x * x - a) / (2 * x);
  return a > 0 ? x : 7 * a;
}
// From the second iteration on nothing comes to it, and the first is infinite.
static double forgotten(double a, double from) {
  double x = from;
  for (int i = 0; i < 6; ++i)
    x = i == 2 ? a : a * exp(-x / from) / x + a;
  return x;
}
// By the rules a square of a root at zero has the derivative zero.
static double squares(double x, double a) {
  for (int i = 0; i < 3; ++i) {
    double s = sqrt(x);
    x = a * s * s * s;
  }
  return x + a;
}
// The larger of two, and a bound.
static double bounded(double x, double a) {
  for (int i = 0; i < 5; ++i) {
    double y = a * x * x;
    x = y > 0.9 ? 0.5 * x : fmax(y, a * a * x);
  }
  return x;
}
CHECK_NOINLINE static Two bounded_by_hand(double x, double a) {
  Two d = {1, 0};
  for (int i = 0; i < 5; ++i) {
    double y = a * x * x, z = a * a * x;
    Two dy = {2 * a * x * d.a, 2 * a * x * d.b + x * x};
    Two dz = {a * a * d.a, a * a * d.b + 2 * a * x};
    if (y > 0.9) {
      d.a *= 0.5;
      d.b *= 0.5;
      x *= 0.5;
    } else {
      d = y > z ? dy : dz;
      x = fmax(y, z);
    }
  }
  return d;
}
static float in_floats(float x, float a) {
  for (int i = 0; i < 3; ++i)
    x = a * x * (1 - x);
  return x;
}

int main(void) {
  check_anomaly(0.7, 0.4);
  check_anomaly(2.5, 0.1);
  check_anomaly(0, 0);
  check_populations(0.3, 3.2, 0);
  check_populations(0.3, 3.2, 1);
  check_populations(0.3, 3.2, 2);
  check_populations(0.3, 1.7, 40);
  check_populations(0.8, 2.1, 17);
  volatile double minus = -2, zero = 0, two = 2, half = 0.5;
  Two g = __verso_grad_two((void *)root, minus, zero);
  CHECK_CLOSE(g.a, 7, 0);
  CHECK_CLOSE(g.b, 0, 0);
  g = __verso_grad_two((void *)root, two, 1 + half);
  CHECK_CLOSE(g.a, half / sqrt(2), 1e-12);
  CHECK_CLOSE(g.b, 0, 1e-12);
  g = __verso_grad_two((void *)forgotten, half, zero);
  CHECK_CLOSE(g.b, 0, 0);
  g = __verso_grad_two((void *)squares, zero, two);
  CHECK_CLOSE(g.a, 0, 0);
  CHECK_CLOSE(g.b, 1, 0);
  for (double x = 0.1; x < 3; x += 0.29) {
    Two expected = bounded_by_hand(x, 0.8);
    g = __verso_grad_two((void *)bounded, x, 0.8);
    CHECK_CLOSE(g.a, expected.a, 1e-13);
    CHECK_CLOSE(g.b, expected.b, 1e-13);
  }
  TwoFloats f = __verso_grad_two_floats((void *)in_floats, 0.25f, 2.0f);
  double x = 0.25, dx = 1, da = 0;
  for (int i = 0; i < 3; ++i) {
    dx *= 2 * (1 - 2 * x);
    da = 2 * (1 - 2 * x) * da + x * (1 - x);
    x = 2 * x * (1 - x);
  }
  CHECK_CLOSE(f.a, dx, 1e-6);
  CHECK_CLOSE(f.b, da, 1e-6);
  return check_status();
}
