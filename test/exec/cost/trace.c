//===- trace.c - the gradient of a trace is linear ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trace of a 20000 x 20000 matrix reads 20000 cells of 3.2 GB that are
// otherwise never touched; its gradient must not touch, clear or copy the rest
// either, which the peak of resident memory tells.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <sys/mman.h>
#include <sys/resource.h>

CHECK_NOINLINE static double trace(const double *a, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i)
    sum += a[i * n + i];
  return sum;
}
static double *reserve(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

int main(void) {
  const long n = 20000;
  double *a = reserve((size_t)(n * n) * sizeof *a);
  double *da = reserve((size_t)(n * n) * sizeof *da);
  CHECK(a && da);
  if (!a || !da)
    return check_status();
  for (int round = 0; round < 3; ++round)
    __verso_grad_void(trace, verso_dup, a, da, n);
  for (long i = 0; i < n; i += 1999)
    CHECK_EQUAL(da[i * n + i], 3);
  // Three regions with one page for each cell: 240 MB; all of one would be
  // 3200 MB.
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 800 * 1024);
  return check_status();
}
