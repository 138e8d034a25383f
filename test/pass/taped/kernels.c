//===- kernels.c - which loops of a taped function are kernels ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is taped for a call through a pointer has a product of matrices that is
// not: it uses its cells again and again, so its twin asks the runtime, first of
// all, whether one record will do. A loop that comes to each cell once stays in
// line. So does everything where the user says that there is to be a tape.
//
//===----------------------------------------------------------------------===//

// RUN: env VERSO_OPTIONS=-verso-strategy=auto %clang_verso -O2 \
// RUN:   -fno-discard-value-names -S -emit-llvm %s -o %t.ll -Rpass=verso \
// RUN:   -Rpass-missed=verso 2> %t.txt
// RUN: FileCheck %s < %t.ll
// RUN: FileCheck --check-prefix=SAID %s < %t.txt
// RUN: %clang_verso -O2 -S -emit-llvm %s -o - -mllvm -verso-strategy=taped \
// RUN:   | FileCheck --check-prefix=NONE %s
// RUN: env "VERSO_OPTIONS=-verso-strategy=auto -verso-kernels=never" \
// RUN:   %clang_verso -O2 -S -emit-llvm %s -o - \
// RUN:   | FileCheck --check-prefix=NONE %s

extern int verso_dup, verso_const;
void __verso_vjp_void(void *, ...);

typedef double Function(double);
typedef struct {
  Function **functions;
  int next;
} Table;

static void f(Table *table, const double *x, const double *y, double *z,
              long n) {
  for (long i = 0; i < n; ++i)
    for (long k = 0; k < n; ++k)
      for (long j = 0; j < n; ++j)
        z[i * n + j] += x[i * n + k] * y[k * n + j];
  for (long i = 0; i < n; ++i)
    z[i] = table->functions[table->next++](z[i]);
  for (long i = 0; i < n; ++i)
    z[i] = z[i] * x[i];
}

void gradient(Table *table, const double *x, double *dx, const double *y,
              double *dy, double *z, double *dz, long n) {
  __verso_vjp_void((void *)f, verso_const, table, verso_dup, x, dx, verso_dup,
                   y, dy, verso_dup, z, dz, n);
}

// SAID: kernels.c:[[#@LINE-16]]:3: remark: one record of the tape
// SAID-NOT: one record

// CHECK: @[[KERNEL:.*]].description = {{.*}} { ptr @[[KERNEL]].reverse,
// CHECK-LABEL: define internal void @f.prepared.kernel.twin(
// CHECK: %[[WORK:.*]] = call i64 @[[KERNEL]].footprint(
// CHECK: %[[TAKEN:.*]] = call i32 @__verso_begin_kernel(ptr %verso, ptr nonnull
// CHECK-SAME: @[[KERNEL]].description, {{.*}}, i64 %[[WORK]], i64 64)
// CHECK: icmp eq i32 %[[TAKEN]], 0
// CHECK: call void @[[KERNEL]](
// CHECK-NOT: define {{.*}}twin
// NONE-NOT: @__verso_begin_kernel
