//===- lapacke.c - derivatives of calls of LAPACKE ------------------------===//
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
// Each call is compared with plain loops, by rows and by columns, for each
// triangle, transpose and diagonal, of matrices smaller and larger than a
// block.
//
//===----------------------------------------------------------------------===//

#include "lapack_by_loops.h"

int LAPACKE_dtrtri(int, char, char, int, double *, int);
int LAPACKE_dtrtrs(int, char, char, char, int, int, const double *, int,
                   double *, int);
int LAPACKE_dpotrf(int, char, int, double *, int);
int LAPACKE_dpotrs(int, char, int, int, const double *, int, double *, int);
int LAPACKE_dposv(int, char, int, int, double *, int, double *, int);
int LAPACKE_dpotri(int, char, int, double *, int);
int LAPACKE_dgetrf(int, int, int, double *, int, int *);
int LAPACKE_dgetrs(int, char, int, int, const double *, int, const int *,
                   double *, int);
int LAPACKE_dgesv(int, int, int, double *, int, int *, double *, int);
int LAPACKE_dgetri(int, int, double *, int, const int *);
int LAPACKE_dlacpy(int, char, int, int, const double *, int, double *, int);
int LAPACKE_dlaset(int, char, int, int, double, double, double *, int);
double LAPACKE_dlange(int, char, int, int, const double *, int);
int LAPACKE_dgeqrf(int, int, int, double *, int, double *);
int LAPACKE_dorgqr(int, int, int, int, double *, int, const double *);
int LAPACKE_dormqr(int, char, char, int, int, int, const double *, int,
                   const double *, double *, int);
int LAPACKE_dgels(int, char, int, int, int, double *, int, double *, int);
int LAPACKE_dgtsv(int, int, int, double *, double *, double *, double *, int);
int LAPACKE_dptsv(int, int, int, double *, double *, double *, int);
int LAPACKE_dgbsv(int, int, int, int, int, double *, int, int *, double *, int);
int LAPACKE_spotrf(int, char, int, float *, int);

#define ORDER (c->by_rows ? 101 : 102)

static double trtri(ARGUMENTS) {
  COPY;
  int info = LAPACKE_dtrtri(ORDER, c->uplo, c->diag, c->n, a, ld);
  return info + weighted(z);
}
static double trtrs(ARGUMENTS) {
  COPY;
  int info = LAPACKE_dtrtrs(ORDER, c->uplo, c->trans, c->diag, c->n, c->m, a,
                            ld, b, ld);
  return info + weighted(z);
}
static double potrf(ARGUMENTS) {
  COPY;
  int info = LAPACKE_dpotrf(ORDER, c->uplo, c->n, a, ld);
  return info + weighted(z);
}
static double potrs(ARGUMENTS) {
  COPY;
  int info = LAPACKE_dpotrs(ORDER, c->uplo, c->n, c->m, a, ld, b, ld);
  return info + weighted(z);
}
static double posv(ARGUMENTS) {
  COPY;
  int info = LAPACKE_dposv(ORDER, c->uplo, c->n, c->m, a, ld, b, ld);
  return info + weighted(z);
}
static double potri(ARGUMENTS) {
  COPY;
  int info = LAPACKE_dpotri(ORDER, c->uplo, c->n, a, ld);
  return info + weighted(z);
}
static double getrf(ARGUMENTS) {
  COPY;
  int pivots[most];
  int info = LAPACKE_dgetrf(ORDER, c->m, c->n, a, ld, pivots);
  return info + weighted(z) + sum_of_pivots(pivots, c->m < c->n ? c->m : c->n);
}
static double gesv(ARGUMENTS) {
  COPY;
  int pivots[most], info;
  if (c->trans == 'N')
    info = LAPACKE_dgesv(ORDER, c->n, c->m, a, ld, pivots, b, ld);
  else {
    info = LAPACKE_dgetrf(ORDER, c->n, c->n, a, ld, pivots);
    info += LAPACKE_dgetrs(ORDER, c->trans, c->n, c->m, a, ld, pivots, b, ld);
  }
  return info + weighted(z) + sum_of_pivots(pivots, c->n);
}
static double getri(ARGUMENTS) {
  COPY;
  int *pivots = malloc(most * sizeof(int));
  int info = LAPACKE_dgetrf(ORDER, c->n, c->n, a, ld, pivots);
  info += LAPACKE_dgetri(ORDER, c->n, a, ld, pivots);
  free(pivots);
  return info + weighted(z);
}
static double copies(ARGUMENTS) {
  COPY;
  LAPACKE_dlacpy(ORDER, c->uplo, c->m, c->n, a, ld, b, ld);
  LAPACKE_dlaset(ORDER, c->uplo, c->m, c->n, in[5], in[3], a, ld);
  return weighted(z);
}
static double lange(ARGUMENTS) {
  return LAPACKE_dlange(ORDER, c->trans, c->m, c->n, in, ld);
}

static double geqrf(ARGUMENTS) {
  COPY;
  double tau[most];
  LAPACKE_dgeqrf(ORDER, c->m, c->n, a, ld, tau);
  return of_tau(tau, c->m < c->n ? c->m : c->n) + weighted(z);
}
static double orgqr(ARGUMENTS) {
  COPY;
  LAPACKE_dorgqr(ORDER, c->m, c->n, c->n, a, ld, b + (ld - 1) * ld);
  return weighted(z);
}
static double ormqr(ARGUMENTS) {
  COPY;
  LAPACKE_dormqr(ORDER, c->uplo == 'L' ? 'L' : 'R', c->trans, c->m, c->n,
                 c->m < c->n ? c->m : c->n, a, ld, in + size + (ld - 1) * ld, b,
                 ld);
  return weighted(z);
}
static double gels(ARGUMENTS) {
  COPY;
  int info = LAPACKE_dgels(ORDER, c->trans, c->m, c->n, 4, a, ld, b, ld);
  return info + weighted(z);
}
static double gtsv(ARGUMENTS) {
  COPY;
  double below[most], on[most], above[most];
  take_diagonals(c, a, below, on, above);
  int info = LAPACKE_dgtsv(ORDER, c->n, c->m, below, on, above, b, ld);
  return info + of_solution(z);
}
static double ptsv(ARGUMENTS) {
  COPY;
  double below[most], on[most], above[most];
  take_diagonals(c, a, below, on, above);
  for (int i = 0; i < c->n; ++i)
    on[i] += 1; // Positive, then.
  int info = LAPACKE_dptsv(ORDER, c->n, c->m, on, above, b, ld);
  return info + of_solution(z);
}
static double gbsv(ARGUMENTS) {
  COPY;
  int pivots[most];
  int info = LAPACKE_dgbsv(ORDER, c->n, 2, 1, c->m, a, ld, pivots, b, ld);
  return info + of_solution(z);
}

// What has been computed until a minor is not positive stays.
static double not_definite(const double *in, int n, int *info) {
  double a[40 * 40];
  memcpy(a, in, sizeof a);
  *info = LAPACKE_dpotrf(102, 'L', n, a, 40);
  return a[0] + 2 * a[1];
}
static float single(const float *x) {
  float a[4] = {x[0], x[1], x[2], x[3]};
  LAPACKE_spotrf(101, 'L', 2, a, 2);
  return a[3];
}

int main(void) {
  for (int k = 0; k < 32; ++k) {
    int n = k & 16 ? most : 5, fewer = n > 5 ? 37 : 3;
    struct call c = {k & 1, fewer, n, 'L', 'N', 'N'};
    c.uplo = k & 2 ? 'U' : 'L';
    c.trans = k & 4 ? 'T' : 'N';
    c.diag = k & 8 ? 'U' : 'N';
    fill(9);
    COMPARE(trtri, c);
    COMPARE(trtrs, c);
    if (c.diag == 'N' && c.trans == 'N') {
      COMPARE(potrf, c);
      COMPARE(potrs, c);
      COMPARE(posv, c);
      COMPARE(potri, c);
    }
    fill(0);
    if (c.uplo == 'U' && c.diag == 'N' && c.trans == 'N') {
      COMPARE(ptsv, c);
      COMPARE(gtsv, c);
      COMPARE(gbsv, c);
    }
    if (c.diag == 'N') {
      struct call q = c;
      q.m = n, q.n = fewer;
      if (c.trans == 'N')
        COMPARE(orgqr, q);
      COMPARE(ormqr, q);
      q.m = c.uplo == 'L' ? n : fewer;
      q.n = n + fewer - q.m;
      COMPARE(geqrf, q);
      COMPARE(gels, q);
      q.m = fewer, q.n = n, q.uplo = 'U';
      COMPARE(ormqr, q);
    }
    if (c.uplo == 'L' && c.diag == 'N') {
      COMPARE(gesv, c);
      if (c.trans == 'N')
        COMPARE(getri, c);
      c.m = c.trans == 'N' ? fewer : n;
      c.n = c.trans == 'N' ? n : fewer;
      COMPARE(getrf, c);
      c.m = c.n = n;
      COMPARE(getrf, c);
    }
    c.m = c.diag == 'N' ? fewer : n;
    c.n = c.diag == 'N' ? n : fewer;
    c.uplo = k & 4 ? 'A' : c.uplo;
    COMPARE(copies, c);
    c.trans = "FM1I"[k >> 1 & 3];
    COMPARE(lange, c);
  }

  double a[40 * 40], d[40 * 40] = {0};
  for (int i = 0; i < 40 * 40; ++i)
    a[i] = i % 41 == 0 ? 4 : 0;
  a[1] = 2, a[35 * 41] = -1;
  for (int n = 40; n >= 35; n -= 5) {
    int info = -1;
    d[0] = d[1] = 0;
    // a_0 = sqrt(4), a_1 = 2 / sqrt(4)
    CHECK_EQUAL(__verso_value_and_grad(not_definite, verso_dup, a, d,
                                       verso_const, n, verso_const, &info),
                4);
    CHECK_EQUAL(info, n == 40 ? 36 : 0);
    CHECK_CLOSE(d[0], 1. / 4 - 2 * 2 / 16., 1e-15);
    CHECK_CLOSE(d[1], 1, 1e-15);
  }
  float f[4] = {4, 9, 2, 5}, df[4] = {0};
  __verso_grad_float(single, verso_dup, f, df);
  CHECK_CLOSE(df[3], 1. / 4, 1e-6); // sqrt(5 - 2 * 2 / 4) = 2
  CHECK_CLOSE(df[1], 0, 0);
  CHECK_CLOSE(df[2], -1. / 4, 1e-6);
  return check_status();
}
