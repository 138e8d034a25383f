//===- arrays-in-structures.c - arrays beside what is moved ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure has an array of integers, pointers or numbers, accessed by an
// index that only run time knows, and records that are moved and that nobody
// else accesses. What the array holds says nothing of the records: their
// numbers' adjoints are moved, and the shadows of their pointers.
//
// UNCHECKED: -verso-check does not judge untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 8 };
typedef struct {
  double v;
  int k, l;
  double u;
} Record;

typedef struct {
  int at[N];
  Record r[N];
} Integers;
CHECK_NOINLINE static void besideIntegers(Integers *w, int n) {
  for (int i = 0; i < n; ++i) {
    w->at[i] = w->at[(i + 4) & 7];
    memmove(&w->r[i], &w->r[i + 1], sizeof(Record));
  }
}
/// The same of a variable.
CHECK_NOINLINE static double inVariable(Integers *from, int n) {
  Integers w = *from;
  for (int i = 0; i < n; ++i)
    w.at[i] ^= w.at[(i + 4) & 7];
  double sum = w.r[n].v * w.r[n].v;
  *from = w;
  return sum;
}

typedef struct {
  double *rows[4];
  Record r[N];
} Pointers;
CHECK_NOINLINE static void besidePointers(Pointers *w, int n) {
  for (int i = 0; i < n; ++i)
    memmove(&w->r[i & 7], &w->r[(i + 1) & 7], sizeof(Record));
  for (int i = 0; i < n; ++i)
    w->rows[(3 - i) & 3] = w->rows[1];
}

typedef struct {
  double x[4];
  double *rows[4];
} Numbers;
CHECK_NOINLINE static void besideNumbers(Numbers *w, int n) {
  for (int i = 0; i < n; ++i)
    w->x[(3 - i) & 3] *= 2;
  memmove(w->rows, w->rows + 1, 3 * sizeof *w->rows);
}

/// The same in a variable, and back.
CHECK_NOINLINE static void writtenBack(Numbers *from, int n) {
  Numbers w;
  memcpy(&w, from, sizeof w);
  for (int i = 0; i < n; ++i)
    w.x[(3 - i) & 3] *= 2;
  memmove(w.rows, w.rows + 1, 3 * sizeof *w.rows);
  memcpy(from, &w, sizeof w);
}

static void setRecords(Record *r, Record *dr) {
  for (int i = 0; i < N; ++i) {
    r[i] = (Record){1 + i, i, i, 2 + i};
    dr[i] = (Record){10 + i, 0, 0, 20 + i};
  }
}
/// The first n came from the next one, of which nothing else came.
static void checkRecords(const Record *dr, int n) {
  for (int i = 0; i < N; ++i) {
    int from = i == 0 ? -1 : i <= n ? i - 1 : i;
    if (n == 0)
      from = i;
    CHECK_EQUAL(dr[i].v, from < 0 ? 0.0 : 10.0 + from);
    CHECK_EQUAL(dr[i].u, from < 0 ? 0.0 : 20.0 + from);
  }
}

int main(void) {
  // n is not known where the requests are.
  for (volatile int n = 0; n < 4; ++n) {
    Integers w, dw;
    memset(&dw, 0, sizeof dw);
    for (int i = 0; i < N; ++i)
      w.at[i] = i;
    setRecords(w.r, dw.r);
    dw.r[n].v = dw.r[n].u = n ? 0 : 10;
    if (n == 0)
      dw.r[0].u = 20;
    __verso_grad_void((void *)besideIntegers, verso_dup, &w, &dw, verso_const,
                      (int)n);
    checkRecords(dw.r, n);

    setRecords(w.r, dw.r);
    __verso_grad((void *)inVariable, verso_dup, &w, &dw, verso_const, (int)n);
    for (int i = 0; i < N; ++i) {
      CHECK_EQUAL(dw.r[i].v, 10.0 + i + (i == n ? 2.0 * (1 + n) : 0));
      CHECK_EQUAL(dw.r[i].u, 20.0 + i);
    }

    double a[4], da[4];
    Pointers p, dp;
    setRecords(p.r, dp.r);
    for (int i = 0; i < 4; ++i)
      p.rows[i] = a + i, dp.rows[i] = da + i;
    dp.r[n].v = dp.r[n].u = n ? 0 : 10;
    if (n == 0)
      dp.r[0].u = 20;
    __verso_grad_void((void *)besidePointers, verso_dup, &p, &dp, verso_const,
                      (int)n);
    checkRecords(dp.r, n);
    for (int i = 0; i < 4; ++i)
      CHECK(dp.rows[i] - da == p.rows[i] - a);

    for (int is_back = 0; is_back <= 1; ++is_back) {
      Numbers q, dq;
      for (int i = 0; i < 4; ++i) {
        q.x[i] = i, dq.x[i] = 1;
        q.rows[i] = a + i, dq.rows[i] = da + i;
      }
      if (is_back)
        __verso_grad_void((void *)writtenBack, verso_dup, &q, &dq, verso_const,
                          (int)n);
      else
        __verso_grad_void((void *)besideNumbers, verso_dup, &q, &dq,
                          verso_const, (int)n);
      for (int i = 0; i < 4; ++i) {
        CHECK(dq.rows[i] - da == (i < 3 ? i + 1 : 3));
        CHECK_EQUAL(dq.x[i], i > 3 - n ? 2.0 : 1.0);
      }
    }
  }
  return check_status();
}
