//===- overwritten-in-a-union.c - half of a number that is needed ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer is written over one half of a number that varies, or over another,
// as an argument says. What is left of a number has no derivative that anybody
// knows: structured code ends with an error, as the tape does, if one is asked
// for, and not before.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -g -mllvm -verso-strategy=structured %s -o %t %verso_libs
// RUN: %t
// RUN: not %t overwrite 2>&1 | FileCheck %s
// RUN: %clang_verso -O1 -g -mllvm -verso-strategy=taped %s -o %t %verso_libs
// RUN: %t
// RUN: not %t overwrite 2>&1 | FileCheck %s --check-prefix=TAPE

// CHECK: error: {{.*}}: the result depends on a number of which a part was overwritten, or moved by itself
// TAPE: error: {{.*}}: the result depends on a number whose bits went through
// integer arithmetic or were overwritten in part

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

__attribute__((noinline)) static double run(const double *x, int where) {
  union {
    double d;
    int half[2];
  } u[2];
  u[0].d = x[0] * x[0];
  u[1].d = x[1] * x[1];
  u[where].half[0] = 7;
  double sum = 3 * u[0].d;
  u[0].half[1] = where;
  return sum;
}

int main(int argc, char **argv) {
  (void)argv;
  double x[2] = {1, 2}, dx[2] = {0, 0};
  __verso_grad_void((void *)run, verso_dup, x, dx, verso_const, argc == 1);
  return dx[0] != 6 || dx[1] != 0;
}
