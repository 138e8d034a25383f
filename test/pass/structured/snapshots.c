//===- snapshots.c - one copy for all loads of a stencil ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three loads read one state of a buffer, which is copied before the inner
// loop; nothing is recorded in it. Where the buffers are not known to be two, all
// three are. A difference of two loads and a third one would be two columns.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %clang_verso -O1 -S -emit-llvm -DDIFFERENCE %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm -DDIFFERENCE %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %clang_verso -O1 -S -emit-llvm -DPARTS %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=PARTS

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
void *malloc(unsigned long);
void free(void *);

static double f(const double *x, int n, int m) {
#ifdef PARTS
  double *a = malloc(16 * (unsigned long)n), *b = a + n, *block = a;
#else
  double *a = malloc(8 * (unsigned long)n), *b = malloc(8 * (unsigned long)n);
#endif
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = x[i];
  for (int k = 0; k < m; ++k) {
    for (int i = 1; i + 1 < n; ++i)
#ifdef DIFFERENCE
      b[i] = a[i] * (a[i + 1] - a[i - 1]);
#else
      b[i] = a[i] + a[i - 1] * a[i] * a[i + 1];
#endif
    double *t = a;
    a = b;
    b = t;
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i];
#ifdef PARTS
  free(block);
#else
  free(a);
  free(b);
#endif
  return s;
}

void request(double *x, double *dx, int n, int m) {
  __verso_grad_void((void *)f, verso_dup, x, dx, verso_const, n, verso_const,
                    m);
}

// CHECK-LABEL: define internal void @verso.gradient.f(
// CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 %{{.*}}, ptr align 1 %{{.*}}, i64
// CHECK-NOT: call void @llvm.memcpy.p0.p0.i64(ptr align 1
// CHECK: ret void

// The three loads are on these lines.
// REMARK-NOT: snapshots.c:{{39|41}}:
// REMARK: snapshots.c:37:{{.*}} it is expensive to compute
// REMARK-NOT: snapshots.c:{{39|41}}:
// PARTS-COUNT-3: snapshots.c:41:{{.*}} its memory may be overwritten
