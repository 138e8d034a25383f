//===- lapack.c - derivatives of calls of LAPACK --------------------------===//
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
// Fortran's names, as C programs declare them, as f2c does, and with the
// lengths of text. Each call is compared with plain loops. Then what info says,
// and that an enquiry about work touches nothing else.
//
//===----------------------------------------------------------------------===//

#include "lapack_by_loops.h"

void dtrtri_(const char *, const char *, const int *, double *, const int *,
             int *);
void dtrtrs_(const char *, const char *, const char *, const int *, const int *,
             const double *, const int *, double *, const int *, int *, size_t,
             size_t, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *);
void dpotrs_(const char *, const int *, const int *, const double *,
             const int *, double *, const int *, int *, size_t);
int dposv_(const char *, const int *, const int *, double *, const int *,
           double *, const int *, int *);
void dpotri_(const char *, const int *, double *, const int *, int *, size_t);
int dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgetrs_(const char *, const int *, const int *, const double *,
             const int *, const int *, double *, const int *, int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *,
            const int *, int *);
void dgetri_(const int *, double *, const int *, const int *, double *,
             const int *, int *);
void dlacpy_(const char *, const int *, const int *, const double *,
             const int *, double *, const int *);
int dlaset_(const char *, const int *, const int *, const double *,
            const double *, double *, const int *);
double dlange_(const char *, const int *, const int *, const double *,
               const int *, double *);
void dgeqrf_(const int *, const int *, double *, const int *, double *,
             double *, const int *, int *);
void dorgqr_(const int *, const int *, const int *, double *, const int *,
             const double *, double *, const int *, int *);
void dormqr_(const char *, const char *, const int *, const int *, const int *,
             const double *, const int *, const double *, double *, const int *,
             double *, const int *, int *, size_t, size_t);
void dgels_(const char *, const int *, const int *, const int *, double *,
            const int *, double *, const int *, double *, const int *, int *);
void dgtsv_(const int *, const int *, double *, double *, double *, double *,
            const int *, int *);
void dptsv_(const int *, const int *, double *, double *, double *, const int *,
            int *);
void dgbsv_(const int *, const int *, const int *, const int *, double *,
            const int *, int *, double *, const int *, int *);
void sgesv_(const int *, const int *, float *, const int *, int *, float *,
            const int *, int *);

static const int rows = ld;

static double trtri(ARGUMENTS) {
  COPY;
  int info = -1;
  dtrtri_(&c->uplo, &c->diag, &c->n, a, &rows, &info);
  return info + weighted(z);
}
static double trtrs(ARGUMENTS) {
  COPY;
  int info = -1;
  dtrtrs_(&c->uplo, &c->trans, &c->diag, &c->n, &c->m, a, &rows, b, &rows,
          &info, 1, 1, 1);
  return info + weighted(z);
}
static double potrf(ARGUMENTS) {
  COPY;
  struct {
    double unused;
    int info[2];
  } s = {0, {-1, -1}};
  dpotrf_(&c->uplo, &c->n, a, &rows, &s.info[1]);
  return s.info[1] + weighted(z);
}
static double potrs(ARGUMENTS) {
  COPY;
  int info = -1;
  dpotrs_(&c->uplo, &c->n, &c->m, a, &rows, b, &rows, &info, 1);
  return info + weighted(z);
}
static double posv(ARGUMENTS) {
  COPY;
  int info = -1;
  dposv_(&c->uplo, &c->n, &c->m, a, &rows, b, &rows, &info);
  return info + weighted(z);
}
static double potri(ARGUMENTS) {
  COPY;
  int info = -1;
  dpotri_(&c->uplo, &c->n, a, &rows, &info, 1);
  return info + weighted(z);
}
static double getrf(ARGUMENTS) {
  COPY;
  int pivots[most], info = -1;
  dgetrf_(&c->m, &c->n, a, &rows, pivots, &info);
  return info + weighted(z) + sum_of_pivots(pivots, c->m < c->n ? c->m : c->n);
}
static double gesv(ARGUMENTS) {
  COPY;
  int pivots[most], info = -1;
  if (c->trans == 'N')
    dgesv_(&c->n, &c->m, a, &rows, pivots, b, &rows, &info);
  else {
    dgetrf_(&c->n, &c->n, a, &rows, pivots, &info);
    dgetrs_(&c->trans, &c->n, &c->m, a, &rows, pivots, b, &rows, &info);
  }
  return info + weighted(z) + sum_of_pivots(pivots, c->n);
}
// The number that an enquiry answers, which is all that it writes.
static int answer(double *work, int *info) {
  double number = *work;
  CHECK(number >= 1);
  CHECK_EQUAL(*info, 0);
  *info = -1;
  return number;
}
static double getri(ARGUMENTS) {
  COPY;
  int *pivots = malloc(most * sizeof(int)), info = -1, room = -1;
  double first;
  dgetrf_(&c->n, &c->n, a, &rows, pivots, &info);
  dgetri_(&c->n, a, &rows, pivots, &first, &room, &info);
  room = answer(&first, &info);
  double *work = malloc(room * sizeof(double));
  dgetri_(&c->n, a, &rows, pivots, work, &room, &info);
  free(work);
  free(pivots);
  return info + weighted(z);
}
static double copies(ARGUMENTS) {
  COPY;
  dlacpy_(&c->uplo, &c->m, &c->n, a, &rows, b, &rows);
  dlaset_(&c->uplo, &c->m, &c->n, in + 5, in + 3, a, &rows);
  return weighted(z);
}
static double lange(ARGUMENTS) {
  double work[most];
  return dlange_(&c->trans, &c->m, &c->n, in, &rows, work);
}
static double geqrf(ARGUMENTS) {
  COPY;
  double tau[most], first;
  int info = -1, room = -1;
  dgeqrf_(&c->m, &c->n, a, &rows, tau, &first, &room, &info);
  room = answer(&first, &info);
  double *work = malloc(room * sizeof(double));
  dgeqrf_(&c->m, &c->n, a, &rows, tau, work, &room, &info);
  free(work);
  return info + of_tau(tau, c->m < c->n ? c->m : c->n) + weighted(z);
}
static double orgqr(ARGUMENTS) {
  COPY;
  double work[most];
  int info = -1, room = -1;
  dorgqr_(&c->m, &c->n, &c->n, a, &rows, b + (ld - 1) * ld, work, &room, &info);
  room = answer(work, &info);
  dorgqr_(&c->m, &c->n, &c->n, a, &rows, b + (ld - 1) * ld, work, &room, &info);
  return info + weighted(z);
}
static double ormqr(ARGUMENTS) {
  COPY;
  double work[most];
  int info = -1, room = -1, k = c->m < c->n ? c->m : c->n;
  const double *tau = in + size + (ld - 1) * ld;
  const char *side = c->uplo == 'L' ? "L" : "R";
  dormqr_(side, &c->trans, &c->m, &c->n, &k, a, &rows, tau, b, &rows, work,
          &room, &info, 1, 1);
  room = answer(work, &info);
  dormqr_(side, &c->trans, &c->m, &c->n, &k, a, &rows, tau, b, &rows, work,
          &room, &info, 1, 1);
  return info + weighted(z);
}
static double gels(ARGUMENTS) {
  COPY;
  double work[2 * most];
  int info = -1, room = -1, columns = 4;
  dgels_(&c->trans, &c->m, &c->n, &columns, a, &rows, b, &rows, work, &room,
         &info);
  room = answer(work, &info);
  dgels_(&c->trans, &c->m, &c->n, &columns, a, &rows, b, &rows, work, &room,
         &info);
  return info + weighted(z);
}
static double gtsv(ARGUMENTS) {
  COPY;
  double below[most], on[most], above[most];
  int info = -1;
  take_diagonals(c, a, below, on, above);
  dgtsv_(&c->n, &c->m, below, on, above, b, &rows, &info);
  return info + of_solution(z);
}
static double ptsv(ARGUMENTS) {
  COPY;
  double below[most], on[most], above[most];
  int info = -1;
  take_diagonals(c, a, below, on, above);
  for (int i = 0; i < c->n; ++i)
    on[i] += 1; // Positive, then.
  dptsv_(&c->n, &c->m, on, above, b, &rows, &info);
  return info + of_solution(z);
}
static double gbsv(ARGUMENTS) {
  COPY;
  int pivots[most], info = -1, below = 2, above = 1;
  dgbsv_(&c->n, &below, &above, &c->m, a, &rows, pivots, b, &rows, &info);
  return info + of_solution(z);
}

// Singular: the first pivot that is zero is told, and nothing is solved.
static double singular(const double *x, int *info) {
  double a[9] = {x[0], 0, 0, 0, 0, 0, x[1], x[1], 1}, b[3] = {x[2], 0, 0};
  int n = 3, one = 1, pivots[3];
  dgesv_(&n, &one, a, &n, pivots, b, &n, &info[0]);
  dtrtri_("U", "N", &n, a, &n, &info[1]);
  dtrtrs_("U", "N", "N", &n, &one, a, &n, b, &n, &info[2], 1, 1, 1);
  dpotri_("U", &n, a, &n, &info[3], 1);
  dgetri_(&n, a, &n, pivots, b + 1, &n, &info[4]);
  return b[0] + a[0] + a[6];
}
static int sizes[2] = {2, 1};
static float single(const float *x) {
  float a[4] = {x[0], x[1], x[2], x[3]}, b[2] = {1, 1};
  int pivots[2], info;
  sgesv_(&sizes[0], &sizes[1], a, &sizes[0], pivots, b, &sizes[0], &info);
  return b[0];
}

int main(void) {
  for (int k = 0; k < 16; ++k) {
    int n = k & 8 ? most : 5, fewer = n > 5 ? 37 : 3;
    struct call c = {0, fewer, n, 'L', 'N', 'N'};
    c.uplo = k & 1 ? 'U' : 'L';
    c.trans = k & 2 ? 'T' : 'N';
    c.diag = k & 4 ? 'U' : 'N';
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
    if (c.diag == 'N') {
      struct call q = c;
      COMPARE(gesv, c);
      q.m = n, q.n = fewer;
      COMPARE(ormqr, q);
      q.m = c.uplo == 'L' ? n : fewer;
      q.n = n + fewer - q.m;
      COMPARE(getrf, q);
      COMPARE(geqrf, q);
      COMPARE(gels, q);
    }
    if (c.diag == 'N' && c.trans == 'N') {
      struct call q = c;
      COMPARE(getri, c);
      COMPARE(ptsv, c);
      COMPARE(gtsv, c);
      COMPARE(gbsv, c);
      q.m = n, q.n = fewer;
      COMPARE(orgqr, q);
    }
    COMPARE(copies, c);
    c.trans = "FM1I"[k & 3];
    COMPARE(lange, c);
  }

  double x[3] = {2, 3, 5}, d[3] = {0};
  int info[5] = {-1, -1, -1, -1, -1};
  CHECK_EQUAL(
      __verso_value_and_grad(singular, verso_dup, x, d, verso_const, info),
      2 + 3 + 5);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(info[i], 2);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(d[i], 1);
  float f[4] = {0, 4, 2, 1}, df[4] = {0}; // x_1 = (1 - f_3 / f_2) / f_1
  __verso_grad_float(single, verso_dup, f, df);
  CHECK_CLOSE(df[1], -(1 - 1. / 2) / 16, 1e-6);
  CHECK_CLOSE(df[3], -1. / 8, 1e-6);
  return check_status();
}
