//===- row-tables.cpp - matrices that are tables of pointers to rows ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of double ** and of vectors of vectors are told apart where a nest
// begins. Tables that share rows, rows that overlap or are one, tables of which
// a row is null, never read or not there, rows that a later nest overwrites or
// exchanges. Compared with forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

constexpr int N = 7;
using Table = double **;
using Vectors = std::vector<std::vector<double>>;

CHECK_NOINLINE static double product(Table a, Table b, Table c, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      c[i][j] = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[i][j] += a[i][k] * b[k][j];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      sum += c[i][j] * c[i][j] * (i + 2 * j + 1);
  return sum;
}

CHECK_NOINLINE static double factor(Table a, Table, Table, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      double l = a[i][k] /= a[k][k] + 5;
      for (int j = k + 1; j < n; ++j)
        a[i][j] -= l * a[k][j];
    }
    sum += a[k][k] * a[k][k];
  }
  return sum;
}

/// The nest is in a loop that exchanges rows: what is apart in one execution is
/// another's.
CHECK_NOINLINE static double turned(Table a, Table b, Table, int n) {
  for (int t = 0; t < 3; ++t) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        b[i][j] = a[i][j] * a[n - 1 - i][j] + .5 * b[i][j];
    double *first = a[0];
    for (int i = 0; i + 1 < n; ++i)
      a[i] = a[i + 1];
    a[n - 1] = b[t];
    b[t] = first;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      sum += b[i][j] * (i + j + 1) + a[i][j] * a[i][j];
  return sum;
}

/// Rows of one table: the one before is read, all are written.
CHECK_NOINLINE static double swept(Table a, Table b, Table c, int n) {
  for (int t = 0; t < 2; ++t)
    for (int i = 1; i < n; ++i)
      for (int j = 1; j < n; ++j)
        a[i][j] = .3 * a[i - 1][j] * a[i][j - 1] + a[i][j] * b[i][j];
  for (int j = 0; j < n; ++j)
    c[0][j] = a[n - 1][j];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      sum += a[i][j] * a[j][i];
  return sum + c[0][1] * c[0][2];
}

/// Pairs of rows in one table of structures.
struct Both {
  double *x, *y;
};
CHECK_NOINLINE static double paired(Both *rows, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      rows[i].y[j] += rows[i].x[j] * rows[i].x[j] * rows[n - 1 - i].x[j];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      sum += rows[i].y[j] * rows[i].y[j] * rows[i].x[j];
  return sum;
}

CHECK_NOINLINE static double vectors(const Vectors &a, const Vectors &b,
                                     Vectors &c, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum * sum;
    }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sum += c[i][j] * (i + j + 1);
  return sum;
}

/// Pointers beside a number that the nest stores, and pointers that it changes.
struct Model {
  double scale;
  double *x, *y;
  Table rows;
};
template <bool Swaps> CHECK_NOINLINE static double modelled(Model *m, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      m->y[j] += m->x[j] * m->scale * m->rows[i][j];
    m->scale *= .9;
    if (Swaps) {
      double *x = m->x;
      m->x = m->y;
      m->y = x;
    }
  }
  double sum = m->scale;
  for (int j = 0; j < n; ++j)
    sum += m->y[j] * m->y[j] + m->x[j];
  return sum;
}

struct Memory {
  double cells[6 * N * N + 8];
  double *rows[3][N];
};

/// How the rows of the three tables lie.
enum Layout { Apart, Interleaved, SameTable, SharedRow, RowTwice, Shifted };

static void lay(Memory &m, Layout how) {
  for (int t = 0; t < 3; ++t)
    for (int i = 0; i < N; ++i) {
      int at = t * N + i;
      if (how == Interleaved)
        at = i * 3 + (t + i) % 3;
      m.rows[t][i] = m.cells + at * (N + 1);
    }
  if (how == SameTable)
    for (int i = 0; i < N; ++i)
      m.rows[1][i] = m.rows[0][i];
  if (how == SharedRow)
    m.rows[2][3] = m.rows[0][5];
  if (how == RowTwice)
    m.rows[0][4] = m.rows[0][2];
  if (how == Shifted) // The end of one is the beginning of the next.
    for (int t = 0; t < 3; ++t)
      for (int i = 0; i < N; ++i)
        m.rows[t][i] = m.cells + (t * N + i) * (N + 1) - (i % 2) * 3 + 3;
}

static void fill(Memory &m, double scale, int salt) {
  for (int k = 0; k < int(sizeof m.cells / sizeof *m.cells); ++k)
    m.cells[k] = scale * (1 + (k * 37 + salt) % 23) / 23;
}

static double dot(const Memory &x, const Memory &y) {
  double sum = 0;
  for (int k = 0; k < int(sizeof x.cells / sizeof *x.cells); ++k)
    sum += x.cells[k] * y.cells[k];
  return sum;
}

template <double F(Table, Table, Table, int)> static void check(Layout how) {
  Memory x, shadow, y, tangent;
  fill(x, 1, 3);
  fill(y, 1, 3);
  fill(tangent, 1, 8);
  for (double &d : shadow.cells)
    d = 0;
  for (Memory *m : {&x, &shadow, &y, &tangent}) {
    lay(*m, how);
    for (int i = 0; i < N; ++i)
      if (m == &x || m == &y)
        m->rows[0][i][i] += 3;
  }
  Memory before = tangent;
  double forward = __verso_jvp((void *)F, verso_dup, y.rows[0], tangent.rows[0],
                               verso_dup, y.rows[1], tangent.rows[1], verso_dup,
                               y.rows[2], tangent.rows[2], N);
  __verso_grad_void((void *)F, verso_dup, x.rows[0], shadow.rows[0], verso_dup,
                    x.rows[1], shadow.rows[1], verso_dup, x.rows[2],
                    shadow.rows[2], N);
  double reverse = dot(shadow, before);
  CHECK_CLOSE(reverse, forward, 1e-11);
}

template <double F(Table, Table, Table, int)> static void checkAll() {
  for (Layout how :
       {Apart, Interleaved, SameTable, SharedRow, RowTwice, Shifted})
    check<F>(how);
}

static void checkPaired(bool shared) {
  double x[2 * N][N], dx[2 * N][N], y[2 * N][N], t[2 * N][N];
  Both rows[N], shadows[N], others[N], tangents[N];
  for (int i = 0; i < 2 * N; ++i)
    for (int j = 0; j < N; ++j) {
      x[i][j] = y[i][j] = .2 + (i * 5 + j * 3) % 7 * .1;
      dx[i][j] = 0;
      t[i][j] = (i * 3 + j) % 5 * .3 - .4;
    }
  for (int i = 0; i < N; ++i) {
    int second = shared && i == 3 ? 2 * 4 : 2 * i + 1;
    rows[i] = {x[2 * i], x[second]};
    shadows[i] = {dx[2 * i], dx[second]};
    others[i] = {y[2 * i], y[second]};
    tangents[i] = {t[2 * i], t[second]};
  }
  double before[2 * N][N];
  memcpy(before, t, sizeof t);
  double forward = __verso_jvp((void *)paired, verso_dup, others, tangents, N);
  __verso_grad_void((void *)paired, verso_dup, rows, shadows, N);
  double reverse = 0;
  for (int i = 0; i < 2 * N; ++i)
    for (int j = 0; j < N; ++j)
      reverse += dx[i][j] * before[i][j];
  CHECK_CLOSE(reverse, forward, 1e-11);
}

template <bool Swaps> static void checkModelled(Layout how) {
  Memory x, shadow, y, tangent;
  fill(x, 1, 3);
  fill(y, 1, 3);
  fill(tangent, 1, 8);
  for (double &d : shadow.cells)
    d = 0;
  for (Memory *m : {&x, &shadow, &y, &tangent})
    lay(*m, how);
  Memory before = tangent;
  auto Of = [](Memory &m, double scale) {
    return Model{scale, m.rows[1][0], m.rows[1][1], m.rows[0]};
  };
  Model a = Of(x, 1.5), da = Of(shadow, 0), b = Of(y, 1.5),
        tb = Of(tangent, .7);
  double forward = __verso_jvp((void *)modelled<Swaps>, verso_dup, &b, &tb, N);
  __verso_grad_void((void *)modelled<Swaps>, verso_dup, &a, &da, N);
  double reverse = da.scale * .7 + dot(shadow, before);
  CHECK_CLOSE(reverse, forward, 1e-11);
}

static Vectors filled(int n, int m, int salt) {
  Vectors v(n, std::vector<double>(m));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      v[i][j] = salt ? .1 + (i * 5 + j * 3 + salt) % 7 * .1 : 0;
  return v;
}

static void checkVectors(int n, int m) {
  Vectors a = filled(n, n, 1), b = filled(n, m, 2), c = filled(n, m, 3),
          da = filled(n, n, 0), db = filled(n, m, 0), dc = filled(n, m, 0);
  double before = vectors(a, b, c, n, m);
  __verso_grad_void((void *)vectors, verso_dup, &a, &da, verso_dup, &b, &db,
                    verso_dup, &c, &dc, n, m);
  Vectors ta = filled(n, n, 4), tb = filled(n, m, 5), tc = filled(n, m, 6);
  double reverse = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k)
      reverse += da[i][k] * ta[i][k];
    for (int j = 0; j < m; ++j)
      reverse += db[i][j] * tb[i][j];
  }
  double forward = __verso_jvp((void *)vectors, verso_dup, &a, &ta, verso_dup,
                               &b, &tb, verso_dup, &c, &tc, n, m);
  CHECK_CLOSE(reverse, forward, 1e-11);
  CHECK_EQUAL(vectors(a, b, c, n, m), before);
}

/// A row that has no shadow of its own, and one that has none at all.
static void checkConstantRows() {
  Memory x, shadow;
  fill(x, 1, 3);
  for (double &d : shadow.cells)
    d = 0;
  lay(x, Apart);
  lay(shadow, Apart);
  shadow.rows[1][2] = x.rows[1][2];
  Memory y = x, all;
  for (double &d : all.cells)
    d = 0;
  lay(y, Apart);
  lay(all, Apart);
  __verso_grad_void((void *)product, verso_dup, x.rows[0], shadow.rows[0],
                    verso_dup, x.rows[1], shadow.rows[1], verso_dup, x.rows[2],
                    shadow.rows[2], N);
  __verso_grad_void((void *)product, verso_dup, y.rows[0], all.rows[0],
                    verso_dup, y.rows[1], all.rows[1], verso_dup, y.rows[2],
                    all.rows[2], N);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      CHECK_CLOSE(shadow.rows[0][i][j], all.rows[0][i][j], 1e-13);
      if (i != 2)
        CHECK_CLOSE(shadow.rows[1][i][j], all.rows[1][i][j], 1e-13);
    }
  for (int j = 0; j < N; ++j) // Untouched.
    CHECK_EQUAL(x.rows[1][2][j], y.rows[1][2][j]);
}

/// Rows that are never read, since the table ends before.
CHECK_NOINLINE static double bounded(Table a, int n, int rows) {
  for (int i = 1; i < n; ++i)
    if (i < rows)
      for (int j = 1; j < N; ++j)
        a[i][j] = 0.5 * a[i - 1][j] * a[i][j - 1] + a[i][j] * a[i][j];
  double sum = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < N; ++j)
      sum += a[i][j];
  return sum;
}

/// Behind the table lies a page that nobody may read.
static void checkGuardedTable() {
  const size_t page = sysconf(_SC_PAGESIZE);
  void *pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(static_cast<char *>(pages) + page, page, PROT_NONE);
  Table guarded =
      reinterpret_cast<Table>(static_cast<char *>(pages) + page) - N;
  Memory x, y, shadow, other;
  fill(x, 1, 3);
  y = x;
  for (double &d : shadow.cells)
    d = 0;
  other = shadow;
  for (Memory *m : {&x, &y, &shadow, &other})
    lay(*m, Apart);
  for (int i = 0; i < N; ++i)
    guarded[i] = x.rows[0][i];
  __verso_grad_void((void *)bounded, verso_dup, guarded, shadow.rows[0], 1000,
                    N);
  __verso_grad_void((void *)bounded, verso_dup, y.rows[0], other.rows[0], N, N);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      CHECK_CLOSE(shadow.rows[0][i][j], other.rows[0][i][j], 1e-13);
  munmap(pages, 2 * page);
}

int main() {
  checkAll<product>();
  checkAll<factor>();
  checkAll<swept>();
  for (Layout how : {Apart, Interleaved, SharedRow})
    check<turned>(how);
  for (Layout how : {Apart, Interleaved, SameTable}) {
    checkModelled<false>(how);
    checkModelled<true>(how);
  }
  checkPaired(false);
  checkPaired(true);
  checkVectors(5, 5);
  checkVectors(6, 3);
  checkVectors(3, 6);
  checkVectors(1, 1);
  checkVectors(4, 0);
  checkConstantRows();
  checkGuardedTable();
  return check_status();
}
