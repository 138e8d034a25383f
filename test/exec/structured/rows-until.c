//===- rows-until.c - rows that are gone over until something is found ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that returns early, or breaks, is around a nest that goes over rows:
// which pointers the nest reads is certain all the same, and what a check of
// them reads is no more than that, or what can be read. Tables end where no
// memory follows, and loops stop before they come to the end of a table that
// is shorter than their bounds. Rows are apart, overlap, or are one. Compared
// with forward mode.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "../check.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

double __verso_grad_double(void *, ...);
double __verso_jvp_double(void *, ...);

enum { Most = 8, Page = 4096 };

/// How often the kernel was asked whether a table can be read.
static int asked;
ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long tos,
                         const struct iovec *from, unsigned long froms,
                         unsigned long flags) {
  ++asked;
  return syscall(SYS_process_vm_readv, pid, to, tos, from, froms, flags);
}

static double sum(double **a, int rows, int n) {
  double s = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      s += a[i][j] * a[i][j] * (1 + i + 0.5 * j);
  return s;
}

/// Stops at a pivot of zero.
static int eliminate(double **a, int n) {
  for (int k = 0; k < n; k++) {
    if (a[k][k] == 0)
      return k;
    for (int i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; j++)
        a[i][j] -= a[i][k] * a[k][j];
    }
  }
  return n;
}
static double lu(double **a, int rows, int n) {
  int stop = eliminate(a, rows);
  return sum(a, rows, n) + stop;
}

/// Rows change places, in the table.
static int pivot(double **a, int n) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[p][k]))
        p = i;
    if (a[p][k] == 0)
      return k;
    double *t = a[p];
    a[p] = a[k];
    a[k] = t;
    for (int i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; j++)
        a[i][j] -= a[i][k] * a[k][j];
    }
  }
  return n;
}
static double pivoted(double **a, int rows, int n) {
  double *kept[Most];
  for (int i = 0; i < rows; i++)
    kept[i] = a[i];
  int stop = pivot(kept, rows);
  return sum(a, rows, n) + stop;
}

/// The table has fewer rows than the bounds say: the last of them is marked.
static double band(double **a, int rows, int n) {
  for (int k = 0; k < Most * 1000; k++) {
    if (a[k][0] > 50)
      break;
    int low = k < 2 ? 0 : k - 2;
    for (int i = low; i < k; i++)
      for (int j = 1; j < n; j++)
        a[i][j] += 0.25 * a[i][0] * a[k][j];
  }
  return sum(a, rows, n);
}

/// Not all rows below the one that is found, but those that are not marked.
static double some(double **a, int rows, int n) {
  int first = 0;
  while (a[first][0] <= 50)
    first++;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < Most * 1000 && k + 1 <= first; i++) {
      if (i + k > first)
        break;
      if (i != k && a[i][1] != 0)
        for (int j = 1; j < n; j++)
          a[i][j] -= 0.125 * a[k][j] * a[i][n - 1];
    }
  return sum(a, rows, n);
}

/// From the row that a loop has found; it stopped before its bound.
static double behind(double **a, int rows, int n) {
  int from = 0;
  for (; from < Most * 1000; from++)
    if (a[from][1] < 1.25 || a[from][0] > 50)
      break;
  for (int i = 0; i + from + 1 < rows; i++)
    for (int j = 0; j < n; j++)
      a[from + i][j] *= a[from + i + 1][j];
  return sum(a, rows, n);
}

/// What a conditional nest of an outer loop reads is certain once it runs.
static double guarded(double **a, int rows, int n) {
  for (int k = 0; k < Most * 1000; k++) {
    if (a[k][0] > 50)
      break;
    if (k % 2)
      for (int i = 0; i <= k; i++)
        if (a[i][1] > 1.25)
          for (int j = 0; j < n; j++)
            a[i][j] = 0.5 * a[i][j] + 0.125 * a[k + 1][j] * a[k][j];
  }
  return sum(a, rows, n);
}

typedef double Function(double **, int, int);

/// A table of that many pointers with nothing behind it.
static double **table(int rows) {
  char *p = (char *)mmap(NULL, 2 * Page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + Page, Page, PROT_NONE);
  return (double **)(p + Page) - rows;
}

enum Lie { Apart, Shifted, Twice, LieCount };

struct Memory {
  double **rows, cells[Most * Most];
};

static void place(struct Memory *m, int rows, enum Lie how) {
  m->rows = table(rows);
  for (int i = 0; i < rows; i++)
    m->rows[i] =
        m->cells + (how == Shifted ? 3 : Most) * (how == Twice ? i / 2 : i);
}

static void fill(struct Memory *m, int rows, int n, int stop) {
  for (int i = 0; i < Most * Most; i++)
    m->cells[i] = 1 + 0.5 * sin(i * i + 1.0);
  for (int i = 0; i < rows; i++)
    m->rows[i][i < n ? i : 0] += 2;
  if (stop >= 0)
    for (int j = 0; j < n; j++)
      m->rows[stop][j] = 0;
  if (stop == -1)
    m->rows[rows - 1][0] = 100;
}

static void judge(const char *name, double gradient, double tangent) {
  if (fabs(gradient - tangent) > 1e-8 * (1 + fabs(tangent)))
    printf("%s:\n", name);
  CHECK_CLOSE(gradient, tangent, 1e-8 * (1 + fabs(tangent)));
}

#define COMPARE(f, STOP)                                                       \
  for (int how = 0; how < LieCount; how++)                                     \
    for (int rows = 3; rows <= Most; rows++) {                                 \
      static struct Memory x, d, t;                                            \
      const int n = rows < 4 ? 4 : rows;                                       \
      place(&x, rows, (enum Lie)how);                                          \
      place(&d, rows, (enum Lie)how);                                          \
      place(&t, rows, (enum Lie)how);                                          \
      fill(&x, rows, n, STOP);                                                 \
      double direction[Most * Most], product = 0;                              \
      for (int i = 0; i < Most * Most; i++) {                                  \
        d.cells[i] = 0;                                                        \
        direction[i] = t.cells[i] = cos(i + 0.5);                              \
      }                                                                        \
      __verso_grad_double((void *)f, verso_dup, x.rows, d.rows, verso_const,   \
                          rows, verso_const, n);                               \
      for (int i = 0; i < Most * Most; i++)                                    \
        product += d.cells[i] * direction[i];                                  \
      fill(&x, rows, n, STOP);                                                 \
      double along = __verso_jvp_double((void *)f, verso_dup, x.rows, t.rows,  \
                                        verso_const, rows, verso_const, n);    \
      judge(#f, product, along);                                               \
    }

int main(void) {
  COMPARE(lu, -2)
  COMPARE(lu, 2)
  COMPARE(pivoted, -2)
  COMPARE(pivoted, 1)
  // A small factorisation takes less time than a question.
  CHECK_EQUAL(asked, 0);
  COMPARE(band, -1)
  COMPARE(some, -1)
  COMPARE(behind, -1)
  COMPARE(guarded, -1)
  return check_status();
}
