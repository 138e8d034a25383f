//===- undone-stores.c - what a store overwrites is kept, and put back ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The store may overwrite entries, columns and the vector; it is made once a
// row, they are read in each iteration of the inner loop. So nothing of these
// is recorded, and the log has an entry for the loop. Where the column in which
// it is stored is read from memory, the log has an entry for each store. Memory
// that is released with the request needs none. Where there are as many stores
// as loads, the loads are recorded. In a request that an outer one
// differentiates no store is undone.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %clang_verso -O1 -S -emit-llvm -DSCATTERED %s -o - \
// RUN:   | FileCheck %s --check-prefix=SCATTERED
// RUN: %clang_verso -O1 -S -emit-llvm -DOFTEN %s -o - \
// RUN:   | FileCheck %s --check-prefix=OFTEN
// RUN: %clang_verso -O1 -S -emit-llvm -DOWN %s -o - \
// RUN:   | FileCheck %s --check-prefix=OFTEN
// RUN: %clang_verso -O1 -S -emit-llvm -DOWN %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: %clang_verso -O1 -S -emit-llvm -DINNER %s -o - \
// RUN:   | FileCheck %s --check-prefix=OFTEN

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
void __verso_jvp_void(void *, ...);

void *malloc(unsigned long);
void free(void *);

static void f(const double *a, const int *columns, const double *x, double *y,
              int n) {
#ifdef OWN
  double *block = malloc(8 * (unsigned long)n), *z = block;
  for (int i = 0; i < n; ++i)
    block[i] = x[i];
  x = block;
#else
  double *z = y;
#endif
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < n; ++k) {
      sum += a[k] * x[columns[k]];
#ifdef OFTEN
      z[k] = sum;
#endif
    }
#ifdef SCATTERED
    z[columns[i]] = sum;
#else
    z[i] = sum;
#endif
  }
#ifdef OWN
  y[0] = z[0];
  free(block);
#endif
}

static void request(double *a, double *da, const int *columns, double *x,
                    double *dx, double *y, double *dy, int n) {
  __verso_grad_void((void *)f, verso_dup, a, da, verso_const, columns,
                    verso_dup, x, dx, verso_dup, y, dy, verso_const, n);
}

#ifdef INNER
void outer(double *a, double *da, double *ta, double *tda, const int *columns,
           double *x, double *dx, double *y, double *dy, int n) {
  __verso_jvp_void((void *)request, verso_dup, a, ta, verso_dup, da, tda,
                   verso_const, columns, verso_const, x, verso_const, dx,
                   verso_const, y, verso_const, dy, verso_const, n);
}
#else
void use(double *a, double *da, const int *columns, double *x, double *dx,
         double *y, double *dy, int n) {
  request(a, da, columns, x, dx, y, dy, n);
}
#endif

// CHECK-LABEL: define internal void @verso.gradient.f.any.arguments(
// CHECK: call void @__verso_put_back_by_loop_64(
// CHECK: ret void

// SCATTERED-LABEL: define internal void @verso.gradient.f.any.arguments(
// SCATTERED: call void @__verso_put_back_64(
// SCATTERED: ret void

// REMARK-NOT: may be overwritten
// REMARK: undone-stores.c:[[#@LINE-38]]:{{.*}} it is overwritten, and put back
// REMARK-NOT: may be overwritten
// OFTEN-NOT: __verso_put_back
// OFTEN: ret void
// OFTEN-NOT: __verso_put_back

// OWN-NOT: undone-stores.c:[[#@LINE-52]]:{{.*}} may be overwritten
// OWN: it is overwritten, and put back
