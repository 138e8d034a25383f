//===- rows-in-place.cpp - tables of rows in odd places
//--------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written to break the check that rows are apart: tables beside a counter and a
// number that the nest stores, in one block with their rows, whose pointers the
// nest exchanges or the loop around it; triangles, rows that are cleared in the
// nest, loops that run down; rows with null shadows and without any. Five ways
// in which rows lie, with the same table twice, a row twice, rows that are
// shifted by one. Compared with forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

extern "C" double __verso_jvp(void *, ...);

typedef double **T;
#define N 6
CHECK_NOINLINE static double mm(T a, T b, T c, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += c[i][j] * c[i][j];
  return s;
}
// table whose pointers are changed through a char pointer / an integer array
// within the nest
CHECK_NOINLINE static double viaInt(T a, long *w, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      a[i][j] *= a[(i + 1) % n][j] + 1;
    w[0] = w[i % 2 + 1];
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i][j] * (i + j);
  return s;
}
struct G {
  double x;
  T a;
  long k;
  T b;
  double *p;
};
// number, counter and pointers in one struct; counter stored in the nest
CHECK_NOINLINE static double stru(G *g, int n) {
  for (int i = 0; i < n; i++) {
    g->k += i;
    for (int j = 0; j < n; j++) {
      g->a[i][j] += g->b[i][j] * g->b[i][j] * g->x;
      g->p[j] += g->a[i][j] * g->b[j][i];
    }
  }
  double s = g->x + g->k;
  for (int j = 0; j < n; j++)
    s += g->p[j] * g->p[j];
  return s;
}
// two loads of a's rows by two indices, one is written; ragged, conditional
CHECK_NOINLINE static double tri(T a, T b, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      if (j < m)
        a[i][j] = a[i][j] * b[j][j] + a[j][0];
      else
        a[i][j] += b[i][j] * a[i][0];
    }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      s += a[i][j] * a[i][j] * (j + 1);
  return s;
}
// table and rows in one block
CHECK_NOINLINE static double blk(T a, int n) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double l = a[i][k] /= a[k][k] + 4;
      for (int j = k + 1; j < n; j++)
        a[i][j] -= l * a[k][j];
    }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i][i] * a[i][i] * a[0][i];
  return s;
}
// row pointers from a table that is written as pointers by the nest
CHECK_NOINLINE static double rot(T a, T b, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      b[i][j] += a[0][j] * a[i][j];
    double *t = a[0];
    a[0] = a[i];
    a[i] = t;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += b[i][j] * b[i][j];
  return s;
}
// memset of a row within the nest, then used
CHECK_NOINLINE static double clr(T a, T b, T c, int n) {
  for (int i = 0; i < n; i++) {
    memset(c[i], 0, n * sizeof(double));
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += c[i][j] * c[i][j];
  return s;
}
// downwards, strides, unsigned char counters
CHECK_NOINLINE static double down(T a, T b, int n) {
  for (unsigned char i = n; i-- > 0;)
    for (int j = n - 1; j >= 0; j -= 2)
      a[i][j] = a[i][j] * b[n - 1 - i][j] + a[(i * 2) % n][j];
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i][j] * a[i][j];
  return s;
}
// the same table loaded in two nests, rows exchanged between
CHECK_NOINLINE static double twice(T a, T b, int n) {
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i][j] += .5 * a[i - 1][j] * b[i][j];
    double *p = a[t];
    a[t] = a[n - 1];
    a[n - 1] = p;
    p = b[0];
    b[0] = a[1];
    a[1] = p;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i][j] * b[i][j];
  return s;
}
struct M {
  double x[4 * N * (N + 3)];
  double *r[4][N];
};
static void lay(M &m, int how) {
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < N; i++) {
      int at = how == 1 ? i * 4 + t : t * N + i;
      m.r[t][i] = m.x + at * (N + 2) + 3;
    }
  if (how == 2)
    for (int i = 0; i < N; i++)
      m.r[1][i] = m.r[0][i];
  if (how == 3)
    m.r[0][2] = m.r[0][4];
  if (how == 4)
    for (int i = 0; i < N; i++)
      m.r[2][i] = m.r[0][N - 1 - i] + 1;
}
static void fill(M &m, double s, int q) {
  for (int i = 0; i < (int)(sizeof m.x / 8); i++)
    m.x[i] = s * (((i * 37 + q) % 29) / 29. + .1);
}
static double dot(const M &x, const M &y) {
  double sum = 0;
  for (int i = 0; i < (int)(sizeof x.x / 8); i++)
    sum += x.x[i] * y.x[i];
  return sum;
}
#define CMP(name, how, r, j) CHECK_CLOSE(r, j, 1e-10)
#define RUN(f, A, ...)                                                         \
  for (int how = 0; how < 5; how++) {                                          \
    M x, d, y, t;                                                              \
    fill(x, 1, 3);                                                             \
    fill(y, 1, 3);                                                             \
    fill(d, 0, 0);                                                             \
    fill(t, 1, 7);                                                             \
    lay(x, how);                                                               \
    lay(d, how);                                                               \
    lay(y, how);                                                               \
    lay(t, how);                                                               \
    M t0 = t;                                                                  \
    __verso_grad_void((void *)f, A(x, d), ##__VA_ARGS__);                      \
    double j = __verso_jvp((void *)f, A(y, t), ##__VA_ARGS__);                 \
    CMP(#f, how, dot(d, t0), j);                                               \
  }
#define A3(x, d)                                                               \
  verso_dup, x.r[0], d.r[0], verso_dup, x.r[1], d.r[1], verso_dup, x.r[2],     \
      d.r[2]
#define A2(x, d) verso_dup, x.r[0], d.r[0], verso_dup, x.r[1], d.r[1]
int main() {
  RUN(mm, A3, N)
  RUN(clr, A3, N)
  RUN(tri, A2, N, 3) RUN(tri, A2, N, 0) RUN(rot, A2, N) RUN(down, A2, N)
      RUN(twice, A2, N) for (int how = 0; how < 5;
                             how++) { // integers that are the table
    M x, d, y, t;
    fill(x, 1, 3);
    fill(y, 1, 3);
    fill(d, 0, 0);
    fill(t, 1, 7);
    lay(x, how);
    lay(d, how);
    lay(y, how);
    lay(t, how);
    M t0 = t;
    long w[4] = {1, 2, 3, 4};
    __verso_grad_void((void *)viaInt, verso_dup, x.r[0], d.r[0], verso_const, w,
                      N);
    double j = __verso_jvp((void *)viaInt, verso_dup, y.r[0], t.r[0],
                           verso_const, w, N);
    CMP("viaInt", how, dot(d, t0), j);
  }
  for (int how = 0; how < 5; how++) {
    M x, d, y, t;
    fill(x, 1, 3);
    fill(y, 1, 3);
    fill(d, 0, 0);
    fill(t, 1, 7);
    lay(x, how);
    lay(d, how);
    lay(y, how);
    lay(t, how);
    M t0 = t;
    G g{1.3, x.r[0], 2, x.r[1], x.r[2][1]}, dg{0, d.r[0], 2, d.r[1], d.r[2][1]},
        h{1.3, y.r[0], 2, y.r[1], y.r[2][1]},
        th{.4, t.r[0], 2, t.r[1], t.r[2][1]};
    __verso_grad_void((void *)stru, verso_dup, &g, &dg, N);
    double j = __verso_jvp((void *)stru, verso_dup, &h, &th, N);
    CMP("stru", how, dot(d, t0) + dg.x * .4, j);
  }
  {
    char *b[4];
    T t[4];
    for (int q = 0; q < 4; q++) {
      b[q] = (char *)malloc(N * 8 + N * N * 8);
      t[q] = (T)b[q];
      for (int i = 0; i < N; i++) {
        t[q][i] = (double *)(b[q] + N * 8) + i * N;
        for (int j = 0; j < N; j++)
          t[q][i][j] = q == 1   ? 0
                       : q == 3 ? .1 * (i - j)
                                : 1 + (i * 5 + j * 3) % 7;
      }
    }
    double tt[N * N];
    memcpy(tt, t[3][0], sizeof tt);
    __verso_grad_void((void *)blk, verso_dup, t[0], t[1], N);
    double j = __verso_jvp((void *)blk, verso_dup, t[2], t[3], N), r = 0;
    for (int i = 0; i < N * N; i++)
      r += t[1][0][i] * tt[i];
    CMP("blk", 0, r, j);
  }
  { // shadows: rows missing (null), rows that are the primal's
    M x, d, y, e;
    fill(x, 1, 3);
    fill(y, 1, 3);
    fill(d, 0, 0);
    fill(e, 0, 0);
    lay(x, 0);
    lay(d, 0);
    lay(y, 0);
    lay(e, 0);
    d.r[0][2] = NULL;
    d.r[1][3] = x.r[1][3];
    __verso_grad_void((void *)mm, A3(x, d), N);
    __verso_grad_void((void *)mm, A3(y, e), N);
    lay(d, 0);
    for (int t = 0; t < 2; t++)
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
          double want =
              (t == 0 && i == 2) || (t == 1 && i == 3) ? 0 : e.r[t][i][j];
          CMP("missing", t * 10 + i, d.r[t][i][j], want);
        }
    for (int i = 0; i < 4 * N * (N + 3); i++)
      if (x.x[i] != y.x[i]) {
        CHECK(!"the primal is as it was");
      }
  }
  return check_status();
}
