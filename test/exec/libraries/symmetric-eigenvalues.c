//===- symmetric-eigenvalues.c - derivatives of syev and syevd ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LIBS: -Wl,--defsym=dsyev_=syev_by_rotations
// LIBS: -Wl,--defsym=LAPACKE_dsyevd=syevd_of_c_by_rotations
//
// The library's function runs, here one of Jacobi's rotations. Gradient and
// tangent are compared with each other and with differences, second derivatives
// with differences of gradients. Of equal eigenvalues, symmetric functions have
// a derivative; what asks for their vectors has none.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"

#include <verso/verso.h>

void dsyev_(const char *, const char *, const int *, double *, const int *,
            double *, double *, const int *, int *);
int LAPACKE_dsyevd(int, char, char, int, double *, int, double *);

enum { n = 9, ld = 11, by_rows = 101, by_columns = 102 };

static void rotate(double *a, double *v, int p, int q) {
  double t = 0.5 * atan2(2 * a[p + q * n], a[q + q * n] - a[p + p * n]);
  double c = cos(t), s = sin(t);
  for (int k = 0; k < n; ++k) {
    double x = a[k + p * n], y = a[k + q * n];
    a[k + p * n] = c * x - s * y, a[k + q * n] = s * x + c * y;
  }
  for (int k = 0; k < n; ++k) {
    double x = a[p + k * n], y = a[q + k * n];
    a[p + k * n] = c * x - s * y, a[q + k * n] = s * x + c * y;
    x = v[k + p * n], y = v[k + q * n];
    v[k + p * n] = c * x - s * y, v[k + q * n] = s * x + c * y;
  }
}
// A vector's sign is anybody's choice; here it tells who was called, and how.
static void solve(double sign, int order, char job, char uplo, double *m,
                  int rows, double *w) {
#define M(I, J) m[order == by_rows ? (I) * rows + (J) : (I) + (J) * rows]
  double a[n * n], v[n * n];
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      a[i + j * n] = (i > j) == (uplo == 'L') ? M(i, j) : M(j, i);
      v[i + j * n] = i == j;
    }
  for (int turn = 0; turn < 20; ++turn)
    for (int q = 1; q < n; ++q)
      for (int p = 0; p < q; ++p)
        if (fabs(a[p + q * n]) > 1e-300)
          rotate(a, v, p, q);
  for (int k = 0; k < n; ++k) {
    int before = 0;
    for (int l = 0; l < n; ++l)
      before += a[l + l * n] < a[k + k * n] ||
                (a[l + l * n] == a[k + k * n] && l < k);
    w[before] = a[k + k * n];
    for (int i = 0; job == 'V' && i < n; ++i)
      M(i, before) =
          v[i + k * n] * (v[k * n] < 0 ? -sign : sign) * (uplo == 'U' ? -1 : 1);
  }
}
__attribute__((used)) void syev_by_rotations(const char *job, const char *uplo,
                                             const int *size, double *m,
                                             const int *rows, double *w,
                                             double *work, const int *room,
                                             int *info) {
  work[0] = n * *size;
  *info = 0;
  if (*room != -1)
    solve(1, by_columns, *job, *uplo, m, *rows, w);
}
__attribute__((used)) int syevd_of_c_by_rotations(int order, char job,
                                                  char uplo, int size,
                                                  double *m, int rows,
                                                  double *w) {
  solve(-1, order, job, uplo, m, rows, w);
  return size - n;
}

struct how {
  int order;
  char uplo;
};

static double of_vectors(const double *a, const struct how *how) {
  double v[n * ld], w[n], sum = 0;
  memcpy(v, a, sizeof v);
  CHECK(LAPACKE_dsyevd(how->order, 'V', how->uplo, n, v, ld, w) == 0);
  for (int j = 0; j < n; ++j) {
    double along = 0;
    for (int i = 0; i < n; ++i)
      along += v[how->order == by_rows ? i * ld + j : i + j * ld] * cos(i);
    sum += sin(w[j]) * (j + 1) + along * along * exp(0.1 * j) + along;
  }
  return sum;
}
static double of_values(const double *a, const struct how *how) {
  double v[n * ld], w[n], work[1000], sum = 0;
  const int size = n, rows = ld, ask = -1, room = 1000;
  int info = 1;
  memcpy(v, a, sizeof v);
  dsyev_("N", &how->uplo, &size, v, &rows, w, work, &ask, &info);
  CHECK(work[0] >= 1 && info == 0);
  dsyev_("N", &how->uplo, &size, v, &rows, w, work, &room, &info);
  CHECK(info == 0);
  for (int j = 0; j < n; ++j)
    sum += w[j] * w[j] * w[j];
  return sum;
}
// An outer request cannot record the tape of an inner one with such a call.
VERSO_STRATEGY(structured)
static double of_vectors_structured(const double *a, const struct how *how) {
  return of_vectors(a, how);
}
static void gradient_structured(const double *a, double *g,
                                const struct how *how) {
  __verso_grad((void *)of_vectors_structured, verso_dup, a, g, verso_const,
               how);
}
static void gradient(const double *a, double *g, const struct how *how) {
  __verso_grad((void *)of_vectors, verso_dup, a, g, verso_const, how);
}

static double a[n * ld], d[n * ld];

static void compare(const struct how *how) {
  double g[n * ld] = {0}, up[n * ld] = {0}, down[n * ld] = {0}, b[n * ld];
  double none[n * ld] = {0}, second[n * ld] = {0}, sum = 0, step = 1e-5;
  CHECK_CLOSE(__verso_value_and_grad((void *)of_vectors, verso_dup, a, g,
                                     verso_const, how),
              of_vectors(a, how), 1e-13);
  for (int i = 0; i < n * ld; ++i)
    sum += g[i] * d[i];
  CHECK_CLOSE(
      __verso_jvp((void *)of_vectors, verso_dup, a, d, verso_const, how), sum,
      1e-11);
  for (int i = 0; i < n * ld; ++i)
    b[i] = a[i] + step * d[i];
  double above = of_vectors(b, how);
  gradient(b, up, how);
  for (int i = 0; i < n * ld; ++i)
    b[i] = a[i] - step * d[i];
  CHECK_CLOSE((above - of_vectors(b, how)) / (2 * step), sum, 1e-7);
  gradient(b, down, how);
  // The other triangle has no derivative.
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (i != j && (i > j) == ((how->order == by_rows) == (how->uplo == 'L')))
        CHECK(g[i + j * ld] == 0);
  __verso_jvp_void((void *)gradient_structured, verso_dup, a, d, verso_dup,
                   none, second, verso_const, how);
  for (int i = 0; i < n * ld; ++i)
    CHECK_CLOSE(second[i], (up[i] - down[i]) / (2 * step), 1e-5);
}

int main(void) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < ld; ++i) {
      a[i + j * ld] = cos(1 + i * j) + (i == j) * i;
      d[i + j * ld] = sin(i + 3 * j);
    }
  for (int order = by_rows; order <= by_columns; ++order) {
    compare(&(struct how){order, 'L'});
    compare(&(struct how){order, 'U'});
  }
  // The gradient of the trace of A^3 is 3 A^2.
  double equal[n * ld] = {0}, g[n * ld] = {0}, h[n * ld] = {0};
  for (int i = 0; i < n; ++i)
    equal[i * (ld + 1)] = i < 5 ? 2 : 3;
  __verso_grad((void *)of_values, verso_dup, equal, g, verso_const,
               &(struct how){by_columns, 'U'});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      CHECK_CLOSE(g[i + j * ld], i != j ? 0 : i < 5 ? 12 : 27, 1e-12);
  gradient(equal, h, &(struct how){by_columns, 'U'});
  CHECK(isnan(h[0]));
  // Their vectors are known to fewer digits than their distance has.
  memset(h, 0, sizeof h);
  for (int i = 0; i < n; ++i)
    equal[i * (ld + 1)] = i + 1;
  gradient(equal, h, &(struct how){by_columns, 'U'});
  CHECK(isfinite(h[0]));
  equal[0] = 2 + 1e-13;
  gradient(equal, h, &(struct how){by_columns, 'U'});
  CHECK(isnan(h[0]));
  return check_status();
}
