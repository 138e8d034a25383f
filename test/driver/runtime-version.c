//===- runtime-version.c - a runtime of another version -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What calls the runtime refers to the version that it was made for, so that
// another one does not link, sections that nobody needs being dropped or not.
// What does not call it links without it.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -mllvm -verso-strategy=taped -c %s -o %t.o
// RUN: llvm-nm -u %t.o | FileCheck %s
// CHECK: U __verso_abi_[[#]]
// RUN: llvm-nm -u %t.o | grep -o '__verso_abi_[0-9]*' > %t.symbol
// RUN: sed 's/$/ __verso_abi_0/' %t.symbol > %t.renamed
// RUN: llvm-objcopy --redefine-syms=%t.renamed %t.o %t.old.o
// RUN: %clang_verso %t.o -o %t %verso_libs
// RUN: %t
// RUN: not %clang_verso -Wl,--gc-sections %t.old.o -o %t %verso_libs 2>&1 \
// RUN:   | FileCheck --check-prefix=OLD %s
// OLD: undefined {{.*}}__verso_abi_0
// RUN: %clang_verso -O2 %s -o %t
// RUN: %t

extern int verso_dup;
void __verso_grad_void(void *, ...);

static double square(double *x) { return *x * *x; }

int main(void) {
  double x = 3, dx = 0;
  __verso_grad_void((void *)square, verso_dup, &x, &dx);
  return dx != 6;
}
