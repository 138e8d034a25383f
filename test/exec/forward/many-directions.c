// Wide requests against single ones, where tangents lie side by side,
// operations are preaccumulated and sums wait for the end of their loop: local
// arrays that are written before, in and after loops, sums that leave early,
// nested loops, pointers that swap, floats among doubles, poles with zero
// tangents.

#include "forward.h"

#define N 6
#define K 7

typedef struct {
  double d[K];
} Wide;
Wide __verso_jvp_wide(void *, ...);
double __verso_jvp_one(void *, ...);

/// A table that a loop only reads; the sum is needed behind it alone.
static double readOnly(const double *x, const double *data, int n) {
  double table[N], sum = 0.5 * x[0];
  for (int i = 0; i < N; ++i)
    table[i] = sin(x[i]) * x[(i + 1) % N];
  for (int i = 0; i < n; ++i) {
    const double *t = table + i % (N - 2);
    double r = t[0] * data[i] + t[1] * x[2] - t[2];
    sum += r * r;
  }
  return sum * sum + table[3];
}

/// One loop goes on with the sum of another.
static double inTwoLoops(const double *x, const double *data, int n) {
  double table[N], sum = x[1];
  for (int i = 0; i < N; ++i)
    table[i] = x[i] * x[2];
  for (int i = 0; i < n; ++i)
    sum += table[i % N] * data[i] * x[3];
  for (int i = 0; i < n + 2; ++i)
    sum += table[i % 3] * table[i % 2 + 1];
  return sum;
}

/// The loop writes the table, so its cells are others in each iteration.
static double written(const double *x, const double *data, int n) {
  double table[N], sum = 0;
  for (int i = 0; i < N; ++i)
    table[i] = x[i];
  for (int i = 0; i < n; ++i) {
    sum += table[i % N] * table[(i + 1) % N] * data[i];
    table[(i + 2) % N] = cos(table[i % N]);
  }
  return sum;
}

/// Ends in the middle of an iteration, and reads the sum on its way.
static double early(const double *x, const double *data, int n) {
  double table[N], sum = 0, seen = 0;
  for (int i = 0; i < N; ++i)
    table[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i) {
    if (data[i] > 1.5)
      break;
    sum += table[i % N] * data[i];
    seen += sum * table[0];
    if (sum > 1e3)
      return seen;
  }
  return sum + seen;
}

/// A sum for each row; copies of whole tables and of parts of them.
static double nested(const double *x, const double *data, int n) {
  double a[2 * N], b[2 * N], total = 0;
  for (int i = 0; i < N; ++i)
    a[i] = x[i], a[N + i] = x[i] * data[i];
  memcpy(b, a, sizeof b);
  for (int r = 0; r < 3; ++r) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += b[(i + r) % N] * a[i % N] * data[i];
    total += sum * a[r];
    memmove(b + r, a + N, 3 * sizeof *b);
    memset(a + 2, 0, 2 * sizeof *a);
  }
  return total;
}

/// Pointers that are not steps from one array.
static double swapped(const double *x, const double *data, int n) {
  double a[N], b[N], sum = 0;
  for (int i = 0; i < N; ++i)
    a[i] = x[i], b[i] = exp(0.1 * x[i]);
  double *p = a, *q = b;
  for (int i = 0; i < n; ++i) {
    sum += p[i % N] * q[(i + 1) % N];
    double *h = p;
    p = data[i] > 0 ? q : p;
    q = data[i] > 0 ? h : q;
    if (i % 3 == 0)
      p[i % N] = x[1] * q[0];
  }
  return sum;
}

/// Two types, conversions in a cone; a pole where the tangent is zero.
static double mixed(const double *x, const double *data, int n) {
  float f[N];
  double sum = 0;
  for (int i = 0; i < N; ++i)
    f[i] = (float)(x[i] * data[i]);
  for (int i = 0; i < n; ++i) {
    float g = f[i % N] * f[(i + 1) % N] + (float)data[i];
    sum += g * x[i % N] + sqrt((data[i] - data[i]) * x[0]);
  }
  return sum;
}

/// What x points to is no local object.
static double users(const double *x, const double *data, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double r = x[i % N] * x[(i + 2) % N] - data[i] * x[0];
    sum += r * r * r;
  }
  return sum;
}

#define TEST(F, BOUND)                                                         \
  do {                                                                         \
    Wide wide = __verso_jvp_wide((void *)F, verso_width, K, verso_dup, x,      \
                                 v[0], v[1], v[2], v[3], v[4], v[5], v[6],     \
                                 verso_const, data, verso_const, n);           \
    for (int k = 0; k < K; ++k) {                                              \
      double one = __verso_jvp_one((void *)F, verso_dup, x, v[k], verso_const, \
                                   data, verso_const, n);                      \
      CHECK(fabs(wide.d[k] - one) <= BOUND * (1 + fabs(one)));                 \
      CHECK(fabs(one) < 1e12);                                                 \
    }                                                                          \
    nonzero += wide.d[0] != 0;                                                 \
  } while (0)

int main(void) {
  int nonzero = 0;
  for (int n = 1; n <= 40; n += 13) {
    double x[N], data[40], v[K][N];
    for (int i = 0; i < N; ++i)
      x[i] = 0.3 + 0.21 * i;
    for (int i = 0; i < 40; ++i)
      data[i] = sin(i + 0.5);
    data[33] = 2;
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < N; ++i)
        v[k][i] = cos(3 * k + i);
    TEST(readOnly, 1e-13);
    TEST(inTwoLoops, 1e-13);
    TEST(written, 1e-13);
    TEST(early, 1e-13);
    TEST(nested, 1e-13);
    TEST(swapped, 1e-13);
    TEST(mixed, 1e-5); // Partials are multiplied in another order, in float.
    TEST(users, 1e-13);
  }
  CHECK(nonzero == 32);
  return check_status();
}
