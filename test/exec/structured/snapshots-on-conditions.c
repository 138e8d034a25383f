//===- snapshots-on-conditions.c - what is copied only if it is read ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two loads of one array, one of them on a condition that does not change: a
// copy for both would read beyond the array where the condition does not hold,
// or copy nothing though the other one reads. The array ends where no memory
// is.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <sys/mman.h>
#include <unistd.h>

struct arrays {
  double *x, *y, *w;
  int n, flag;
};

/// Its stores may overwrite x.
static void always_first(struct arrays *p) {
  double *x = p->x, *y = p->y, *w = p->w;
  const int n = p->n, flag = p->flag;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i] * y[i + 1];
    if (flag)
      s += w[i] * x[i + 1];
  }
  y[0] = s;
}

static void perhaps_first(struct arrays *p) {
  double *x = p->x, *y = p->y, *w = p->w;
  const int n = p->n, flag = p->flag;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (flag)
      s += w[i] * x[i + 1];
    s += x[i] * y[i + 1];
  }
  y[0] = s;
}

/// One of both.
static void either(struct arrays *p) {
  double *x = p->x, *y = p->y, *w = p->w;
  const int n = p->n, flag = p->flag;
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (flag)
      s += w[i] * x[i + 1] * y[i + 1];
    else
      s += x[i] * y[i + 1];
  y[0] = s;
}

enum { N = 4 };

static void check(void (*f)(struct arrays *), double *end, int flag) {
  const int hasEither = f == either;
  double *x = end - N - (flag != 0), dx[N + 1] = {0};
  double y[N + 1] = {0, 6, 7, 8, 9}, dy[N + 1] = {1};
  double w[N] = {2, 3, 5, 7}, dw[N] = {0};
  for (int i = 0; i < N + (flag != 0); ++i)
    x[i] = 1 + i;
  struct arrays s = {x, y, w, N, flag}, d = {dx, dy, dw, N, flag};
  if (f == always_first)
    __verso_grad_void((void *)always_first, verso_dup, &s, &d);
  else if (f == perhaps_first)
    __verso_grad_void((void *)perhaps_first, verso_dup, &s, &d);
  else
    __verso_grad_void((void *)either, verso_dup, &s, &d);
  for (int i = 0; i < N; ++i) {
    const double by = hasEither ? y[i + 1] : 1;
    const int plain = !(hasEither && flag);
    double next = i && flag ? w[i - 1] * (hasEither ? y[i] : 1) : 0;
    CHECK_EQUAL(dx[i], (plain ? y[i + 1] : 0) + next);
    CHECK_EQUAL(dw[i], flag ? x[i + 1] * by : 0);
    CHECK_EQUAL(dy[i + 1], plain ? x[i] : w[i] * x[i + 1]);
  }
  CHECK_EQUAL(dy[0], 0);
}

int main(void) {
  const long page = sysconf(_SC_PAGESIZE);
  char *pages = mmap(0, 2 * page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED && !mprotect(pages + page, page, PROT_NONE));
  for (int flag = 0; flag != 2; ++flag) {
    check(always_first, (double *)(pages + page), flag);
    check(perhaps_first, (double *)(pages + page), flag);
    check(either, (double *)(pages + page), flag);
  }
  return check_status();
}
