//===- blas.c - derivatives of calls of BLAS ------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LIBS: -Wl,--unresolved-symbols=ignore-all
// LIBS: -Wl,--defsym=dgemm_=dgemm_by_loops
// LIBS: -Wl,--defsym=sgemm_=sgemm_by_loops
// LIBS: -Wl,--defsym=cblas_dgemm=dgemm_of_c_by_loops
// LIBS: -Wl,--defsym=cblas_sgemm=sgemm_of_c_by_loops
// UNCHECKED: the functions themselves are not linked, and the check runs them
//
// Each call is compared with plain loops: value, gradient and tangent, for
// every order, transpose and sign of steps. In differentiated code the calls
// are bodies of ours; the functions themselves are never run.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "gemm_by_loops.h"

double __verso_value_and_grad(void *, ...);
double __verso_jvp(void *, ...);

double cblas_ddot(int, const double *, int, const double *, int);
void cblas_daxpy(int, double, const double *, int, double *, int);
void cblas_dscal(int, double, double *, int);
double cblas_dnrm2(int, const double *, int);
double cblas_dasum(int, const double *, int);
void cblas_dcopy(int, const double *, int, double *, int);
void cblas_dswap(int, double *, int, double *, int);
void cblas_drot(int, double *, int, double *, int, double, double);
void cblas_drotg(double *, double *, double *, double *);
size_t cblas_idamax(int, const double *, int);
void cblas_dgemv(int, int, int, int, double, const double *, int,
                 const double *, int, double, double *, int);
void cblas_dger(int, int, int, double, const double *, int, const double *, int,
                double *, int);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int,
                 const double *, int, double, double *, int);
float cblas_sdot(int, const float *, int, const float *, int);
// As a C program declares them, as f2c does, and with the lengths of text.
double ddot_(const int *, const double *, const int *, const double *,
             const int *);
int daxpy_(const int *, const double *, const double *, const int *, double *,
           const int *);
int idamax_(const int *, const double *, const int *);
void dgemv_(const char *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *,
            const double *, double *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *,
            const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t, size_t);

enum { size = 48 };
enum { by_rows = 101, by_columns = 102, plain = 111, turned = 112 };

static double weighted(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (0.3 + 0.7 * (i % 5)) * x[i] * x[i];
  return sum;
}

static int place(int n, int i, int step) {
  return step > 0 ? i * step : (i + 1 - n) * step;
}

// x is 5 elements by step p, y 5 elements by step q, two numbers behind.
static double vectors(const double *in, int p, int q) {
  double z[size];
  memcpy(z, in, sizeof z);
  double *x = z, *y = z + 16, a = z[32], b = z[33], c, s;
  cblas_daxpy(5, a, x, p, y, q);
  int five = 5;
  double sum = cblas_ddot(5, x, p, y, q) + ddot_(&five, x, &p, x, &p);
  int unused = daxpy_(&five, &b, y, &q, x, &p);
  cblas_dswap(5, x, p, y, q);
  cblas_drotg(&a, &b, &c, &s);
  cblas_drot(5, x, p, y, q, c, s);
  cblas_dscal(5, s, x, p > 0 ? p : -p);
  sum += a + b + cblas_dasum(5, x, p > 0 ? p : -p) + cblas_dnrm2(5, y, q);
  int step = q > 0 ? q : -q;
  sum += y[idamax_(&five, y, &step) - 1] + cblas_idamax(5, y, step) + unused;
  cblas_dcopy(5, y, q, z + 34, -1);
  return sum + weighted(z, size);
}
static double vectors_by_loops(const double *in, int p, int q) {
  double z[size];
  memcpy(z, in, sizeof z);
  double *x = z, *y = z + 16, a = z[32], b = z[33], sum = 0, norm = 0;
#define X(I) x[place(5, I, p)]
#define Y(I) y[place(5, I, q)]
  for (int i = 0; i < 5; ++i)
    Y(i) += a * X(i);
  for (int i = 0; i < 5; ++i)
    sum += X(i) * Y(i) + X(i) * X(i);
  for (int i = 0; i < 5; ++i)
    X(i) += b * Y(i);
  double r = sqrt(a * a + b * b);
  r = (fabs(a) > fabs(b) ? a : b) < 0 ? -r : r;
  double c = a / r, s = b / r;
  b = fabs(a) > fabs(b) ? s : 1 / c;
  a = r;
  for (int i = 0; i < 5; ++i) {
    double t = Y(i), u = X(i);
    X(i) = s * (c * t + s * u);
    Y(i) = c * u - s * t;
  }
  int most = 0, step = q > 0 ? q : -q;
  for (int i = 0; i < 5; ++i) {
    sum += fabs(X(i));
    norm += Y(i) * Y(i);
    if (fabs(y[i * step]) > fabs(y[most * step]))
      most = i;
  }
  sum += a + b + sqrt(norm) + y[most] + most;
  for (int i = 0; i < 5; ++i)
    z[34 + 4 - i] = Y(i);
  return sum + weighted(z, size);
}

// A is 3 by 2, with 4 from row to row, or from column to column.
static double by_vector(const double *in, int order, int trans, int p, int q,
                        double alpha, double beta) {
  double z[size];
  memcpy(z, in, sizeof z);
  cblas_dgemv(order, trans, 3, 2, alpha, z, 4, z + 16, p, beta, z + 24, q);
  cblas_dger(order, 3, 2, beta, z + 24, q, z + 32, p, z, 4);
  return weighted(z, size);
}
static double by_vector_loops(const double *in, int order, int trans, int p,
                              int q, double alpha, double beta) {
  double z[size];
  memcpy(z, in, sizeof z);
  int m = trans == plain ? 3 : 2, n = trans == plain ? 2 : 3;
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) {
      int row = trans == plain ? i : j, column = trans == plain ? j : i;
      sum += z[order == by_rows ? row * 4 + column : row + column * 4] *
             z[16 + place(n, j, p)];
    }
    double *y = &z[24 + place(m, i, q)];
    *y = alpha * sum + (beta == 0 ? 0 : beta * *y);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      z[order == by_rows ? i * 4 + j : i + j * 4] +=
          beta * z[24 + place(3, i, q)] * z[32 + place(2, j, p)];
  return weighted(z, size);
}

// C is 2 by 3, the sums have 4 terms; 5 from row to row or column to column.
static double product(const double *in, int order, int ta, int tb, double alpha,
                      double beta) {
  double z[3 * size];
  memcpy(z, in, sizeof z);
  cblas_dgemm(order, ta, tb, 2, 3, 4, alpha, z, 5, z + size, 5, beta,
              z + 2 * size, 5);
  return weighted(z + 2 * size, size);
}
static double product_of_fortran(const double *in, int order, int ta, int tb,
                                 double alpha, double beta) {
  double z[3 * size];
  memcpy(z, in, sizeof z);
  int m = 2, n = 3, k = 4, rows = 5;
  const char *a = ta == plain ? "n" : "T", *b = tb == plain ? "N" : "c";
  if (order == by_columns)
    dgemm_(a, b, &m, &n, &k, &alpha, z, &rows, z + size, &rows, &beta,
           z + 2 * size, &rows, 1, 1);
  else
    dgemm_(b, a, &n, &m, &k, &alpha, z + size, &rows, z, &rows, &beta,
           z + 2 * size, &rows, 1, 1);
  return weighted(z + 2 * size, size);
}
static double product_by_loops(const double *in, int order, int ta, int tb,
                               double alpha, double beta) {
  double z[3 * size], *a = z, *b = z + size, *c = z + 2 * size;
  memcpy(z, in, sizeof z);
  int ar = (ta == plain) == (order == by_rows) ? 5 : 1, ac = 6 - ar;
  int br = (tb == plain) == (order == by_rows) ? 5 : 1, bc = 6 - br;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int l = 0; l < 4; ++l)
        sum += a[i * ar + l * ac] * b[l * br + j * bc];
      double *at = &c[order == by_rows ? i * 5 + j : i + j * 5];
      *at = alpha * sum + (beta == 0 ? 0 : beta * *at);
    }
  return weighted(c, size);
}

// The norm in places where squares overflow or vanish, and of zero.
static double norm(const double *x) { return cblas_dnrm2(3, x, 1); }
// A line search's slope where it begins.
static double along(double t, const double *x, const double *p) {
  double y[3];
  cblas_dcopy(3, x, 1, y, 1);
  cblas_daxpy(3, t, p, 1, y, 1);
  return cblas_ddot(3, y, 1, y, 1);
}
// One vector twice: s = (1 + t)^2 (x, x).
static double doubled(double t, double *x) {
  cblas_daxpy(3, t, x, 1, x, 1);
  return cblas_ddot(3, x, 1, x, 1);
}
// What beta = 0 multiplies is not read.
static double unread(const double *x) {
  double y[2] = {NAN, NAN};
  double one = 1, zero = 0;
  int two = 2, step = 1;
  dgemv_("T", &two, &two, &one, x, &two, x, &step, &zero, y, &step);
  return y[0] + y[1];
}
static float single(const float *x) { return cblas_sdot(3, x, 1, x + 3, -1); }
// The function is the program's own.
static CHECK_NOINLINE double dnrm2_(const int *n, const double *x,
                                    const int *step) {
  return *n * x[*step];
}
static double of_its_own(const double *x) {
  int n = 3, step = 1;
  return dnrm2_(&n, x, &step);
}

static double input[3 * size], direction[3 * size];

static void compare(int count, double value, const double *gradient,
                    double tangent, double wanted, const double *partials) {
  CHECK_CLOSE(value, wanted, 1e-13);
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    CHECK_CLOSE(gradient[i], partials[i], 1e-12);
    sum += gradient[i] * direction[i];
  }
  CHECK_CLOSE(tangent, sum, 1e-12);
}

#define COMPARE(COUNT, CALLS, LOOPS, ...)                                      \
  do {                                                                         \
    double g[3 * size] = {0}, h[3 * size] = {0};                               \
    double value =                                                             \
        __verso_value_and_grad(CALLS, verso_dup, input, g, __VA_ARGS__);       \
    double wanted =                                                            \
        __verso_value_and_grad(LOOPS, verso_dup, input, h, __VA_ARGS__);       \
    double tangent =                                                           \
        __verso_jvp(CALLS, verso_dup, input, direction, __VA_ARGS__);          \
    compare(COUNT, value, g, tangent, wanted, h);                              \
  } while (0)

int main(void) {
  for (int i = 0; i < 3 * size; ++i) {
    input[i] = sin(1 + 2.3 * i);
    direction[i] = cos(0.7 * i * i);
  }
  static const int steps[] = {1, -1, 2, -3};
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q)
      COMPARE(size, vectors, vectors_by_loops, verso_const, steps[p],
              verso_const, steps[q]);
  static const double factors[] = {0, 1, -1.5};
  for (int order = by_rows; order <= by_columns; ++order)
    for (int ta = plain; ta <= turned; ++ta)
      for (int tb = 0; tb < 4; ++tb)
        for (int f = 0; f < 9; ++f) {
          double alpha = factors[f % 3], beta = factors[f / 3];
          COMPARE(size, by_vector, by_vector_loops, verso_const, order,
                  verso_const, ta, verso_const, tb % 2 ? -2 : 1, verso_const,
                  tb / 2 ? -1 : 2, verso_const, alpha, verso_const, beta);
          if (tb > 1)
            continue;
          COMPARE(3 * size, product, product_by_loops, verso_const, order,
                  verso_const, ta, verso_const, plain + tb, verso_const, alpha,
                  verso_const, beta);
          COMPARE(3 * size, product_of_fortran, product_by_loops, verso_const,
                  order, verso_const, ta, verso_const, plain + tb, verso_const,
                  alpha, verso_const, beta);
        }

  static const double scales[] = {1e-200, 1, 1e200};
  for (int k = 0; k < 3; ++k) {
    double x[3] = {2 * scales[k], -3 * scales[k], 6 * scales[k]}, d[3] = {0};
    double value = __verso_value_and_grad(norm, verso_dup, x, d);
    CHECK_CLOSE(value / scales[k], 7, 1e-15);
    CHECK_CLOSE(d[0], 2. / 7, 1e-14);
    CHECK_CLOSE(d[1], -3. / 7, 1e-14);
    CHECK_CLOSE(d[2], 6. / 7, 1e-14);
  }
  double zero[3] = {0}, none[3] = {0};
  CHECK_EQUAL(__verso_value_and_grad(norm, verso_dup, zero, none), 0);
  CHECK_EQUAL(none[1], 0);

  double x[4] = {1, 2, 3, 4}, p[3] = {1, -1, 2}, d[4] = {0};
  CHECK_EQUAL(
      __verso_grad(along, verso_out, 0.0, verso_const, x, verso_const, p),
      2 * (1 - 2 + 6));
  CHECK_EQUAL(__verso_value_and_grad(unread, verso_dup, x, d), 5 + 11);
  CHECK_EQUAL(d[0], 2 * 1 + 3); // (x0 + x2) x0 + (x1 + x3) x1
  CHECK_EQUAL(d[1], 2 * 2 + 4);
  CHECK_EQUAL(d[2], 1);
  CHECK_EQUAL(d[3], 2);
  double own[4] = {0};
  __verso_grad(of_its_own, verso_dup, x, own);
  CHECK_EQUAL(own[1], 3);

  double same[3] = {1, 2, 3}, dsame[3] = {0};
  CHECK_EQUAL(__verso_grad(doubled, verso_out, 1.0, verso_dup, same, dsame),
              2 * 2 * 14);
  CHECK_EQUAL(dsame[2], 2 * 4 * 3);

  float f[6] = {1, 2, 3, 4, 5, 6}, df[6] = {0};
  __verso_grad_float(single, verso_dup, f, df);
  CHECK_EQUAL(df[0], 6);
  CHECK_EQUAL(df[3], 3);
  return check_status();
}
