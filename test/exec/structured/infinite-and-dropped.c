// What is infinite and not chosen has no effect on derivatives, also where the
// product with an infinite factor is computed whatever the choice.
//
// Sanitizers keep numbers in memory that are values else; there they pass for
// finite.
// REQUIRES: unsanitized
#include "../check.h"

typedef struct {
  double a, b;
} Two;
Two __verso_grad_two(void *, ...);
double __verso_jvp(void *, ...);

static double entropy(double x, double y) {
  double l = log(x);
  return x > 0 ? x * l : 2 * y;
}
static double softplus(double x, double y) {
  double e = exp(x), l = log(1 + e);
  return x > 30 ? x * y : l;
}
static double quotient(double x, double y) {
  double q = y / x;
  return x != 0 ? q * x : 3 * x;
}
static double square(double x, double y) {
  double q = y / x, r = q * q + q * x;
  return x != 0 ? r : y;
}
static double wave(double x, double y) {
  double q = y / x, s = sin(q);
  return x != 0 ? s : y;
}
static double larger(double x, double y) { return fmax(x * log(x), y); }
static double smaller(double x, double y) {
  double l = log(x);
  return fmin(y, l * l * y + x) * 2;
}
static double in_a_loop(const double *x, double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double q = x[0] / x[i];
    y[i] = q * q * x[i];
    s += x[i] != 0 ? y[i] : x[i];
  }
  return s;
}
// Nobody chooses, but what is infinite is not used.
static double in_a_branch(double x, double y) {
  double e = exp(-x), p = e * e * y;
  if (x < -100)
    return 2 * y;
  return p;
}
// Behind a loop only the last is used; the first is infinite.
static double last(const double *x, volatile int *count, int n) {
  double p = 0;
  for (int i = 0; i < n; ++i) {
    ++*count;
    p = x[i] * log(x[i]);
  }
  return p;
}
static double continued(const double *x, volatile int *count, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double q = x[0] / x[i], p = q * q;
    if (x[i] == 0) {
      ++*count;
      continue;
    }
    s += p;
  }
  return s;
}
static double left(const double *x, volatile int *count, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double q = x[0] / x[i], p = q * q;
    ++*count;
    if (x[i] == 0)
      break;
    s += p;
  }
  return s;
}
// Until it is used, it is computed again.
static double repeated(const double *x, volatile int *count, int n) {
  double s = 0;
  int i = 0;
  for (;;) {
    double q = x[0] / x[i], p = q * q;
    ++*count;
    if (x[i++] == 0)
      continue;
    s += p;
    if (i == n)
      return s;
  }
}
// The loop that uses it may not run.
static double in_no_loop(const double *x, volatile int *count, int n) {
  double q = x[0] / x[1], p = q * q, s = x[2];
  for (int i = 3; i < n; ++i) {
    ++*count;
    s += p * x[i];
  }
  return s;
}
// Used in every iteration, and in a last one.
static double recurrence(const double *x, volatile int *count, int n) {
  double q = 1, e = 0;
  for (int i = 0; i < n; ++i) {
    e = exp(q) * q;
    ++*count;
    q = x[i] / q;
  }
  return n > 2 ? q : e;
}
// What goes round a loop is infinite in the second iteration, and from then on.
static double carried(const double *x, volatile int *count, int n) {
  double p = 1, s = 0;
  for (int i = 0; i < n; ++i) {
    double q = p * x[i];
    ++*count;
    if (x[i] > 5)
      s += q * p;
    else
      s += x[i];
    p = i == 1 ? 1 / x[1] : q;
  }
  return s;
}
// One use is certain, the other is not, and is the one that counts.
static double twice(double x, double y) {
  double q = y / x, p = q * q;
  volatile double z = 0;
  if (x != 0) {
    z = 1;
    return p + z;
  }
  return atan(q) + y;
}

#define CHECK_TWO(F, X, Y, A, B)                                               \
  do {                                                                         \
    volatile double x_ = (X), y_ = (Y);                                        \
    Two g_ = __verso_grad_two((void *)F, x_, y_);                              \
    CHECK_CLOSE(g_.a, A, 1e-14);                                               \
    CHECK_CLOSE(g_.b, B, 1e-14);                                               \
  } while (0)

/* A maximum that begins with an infinite number, and is not used if it stays. */
CHECK_NOINLINE static double largest(const double *x, int n) {
  double sum = 0, most = -INFINITY;
  for (int i = 1; i < n; ++i)
    if (x[i] > most)
      most = x[i];
  if (isfinite(most))
    sum += most * x[0];
  return sum;
}
CHECK_NOINLINE static double never(const double *x) {
  double sum = 0, kept = -INFINITY;
  for (int i = 1; i < 9; ++i)
    if (!(x[i] > kept))
      kept = x[i];
  if (isfinite(kept))
    sum += kept * x[3];
  return sum;
}

int main(void) {
  CHECK_TWO(entropy, 0, 1, 0, 2);
  CHECK_TWO(entropy, 2, 1, 1 + log(2), 0);
  CHECK_TWO(softplus, 1000, 3, 3, 1000);
  CHECK_TWO(softplus, 0, 3, 0.5, 0);
  CHECK_TWO(quotient, 0, 2, 3, 0);
  CHECK_TWO(quotient, 4, 2, 0, 1);
  CHECK_TWO(square, 0, 2, 0, 1);
  CHECK_TWO(square, 2, 2, -1, 2);
  CHECK_TWO(wave, 0, 2, 0, 1);
  CHECK_TWO(wave, 2, 2, -0.5 * cos(1), 0.5 * cos(1));
  CHECK_TWO(larger, 0, 1, 0, 1);
  CHECK_TWO(larger, 3, 1, 1 + log(3), 0);
  CHECK_TWO(smaller, 0, 3, 0, 2);
  CHECK_TWO(smaller, 1, 3, 2, 0);
  // So is a tangent that is not chosen.
  volatile double zero = 0, three = 3;
  CHECK_CLOSE(__verso_jvp((void *)smaller, zero, 1.0, three, 0.5), 1, 1e-14);
  CHECK_CLOSE(__verso_jvp((void *)larger, zero, 1.0, three, 0.5), 0.5, 1e-14);
  CHECK_TWO(in_a_branch, -1000, 2, 0, 2);
  CHECK_TWO(in_a_branch, 1, 2, -4 * exp(-2), exp(-2));
  CHECK_TWO(twice, 2, 2, -1, 1);
#define CHECK_LOOP(F, N, A, B, C)                                              \
  do {                                                                         \
    double x_[4] = {3, 0, 2, 2}, dx_[4] = {0};                                 \
    volatile int count_ = 0, n_ = (N);                                         \
    __verso_grad_void((void *)F, verso_dup, x_, dx_, verso_const, &count_,     \
                      verso_const, n_);                                        \
    CHECK_CLOSE(dx_[0], A, 1e-13);                                             \
    CHECK_CLOSE(dx_[1], B, 1e-13);                                             \
    CHECK_CLOSE(dx_[2], C, 1e-13);                                             \
  } while (0)
  CHECK_LOOP(last, 3, 0, 0, 1 + log(2));
  CHECK_LOOP(last, 0, 0, 0, 0);
  CHECK_LOOP(continued, 3, 1.5, 0, -2.25); // 1 + x0^2/x2^2
  CHECK_LOOP(left, 3, 0, 0, 0);
  CHECK_LOOP(repeated, 3, 1.5, 0, -2.25);
  CHECK_LOOP(in_no_loop, 3, 0, 0, 1);
  CHECK_LOOP(carried, 4, 1, 1, 1);
  CHECK_LOOP(recurrence, 1, 0, 0, 0); // exp(1) * 1
  CHECK_LOOP(recurrence, 2, 4 * exp(3), 0, 0);
  double x[3] = {2, 0, 4}, y[3], dx[3] = {0}, dy[3] = {0};
  volatile int n = 3;
  __verso_grad_void((void *)in_a_loop, verso_dup, x, dx, verso_dup, y, dy,
                    verso_const, n);
  CHECK_CLOSE(dx[0], 2, 1e-14); // x0 + x0^2/x2
  CHECK_CLOSE(dx[1], 1, 1e-14);
  CHECK_CLOSE(dx[2], -0.25, 1e-14);
  double w[] = {3, 2, 5, 4}, dw[4] = {0};
  volatile int count = 4;
  __verso_grad_void((void *)largest, verso_dup, w, dw, verso_const, count);
  CHECK_EQUAL(dw[0], 5);
  CHECK_EQUAL(dw[2], 3);
  memset(dw, 0, sizeof dw);
  count = 1;
  __verso_grad_void((void *)largest, verso_dup, w, dw, verso_const, count);
  CHECK_EQUAL(dw[0], 0);
  double v[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, dv[9] = {0};
  __verso_grad_void((void *)never, verso_dup, v, dv);
  for (int i = 0; i < 9; ++i)
    CHECK_EQUAL(dv[i], 0);
  return check_status();
}
