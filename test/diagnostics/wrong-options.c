//===- wrong-options.c - options that cannot be honoured ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What this version does not have, does not know or does not understand is an
// error and never ignored. The command line wins over VERSO_OPTIONS.
//
//===----------------------------------------------------------------------===//


// RUN: not env VERSO_OPTIONS=-verso-speed %clang_verso -O1 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: error: VERSO_OPTIONS: unknown option '-verso-speed'; there are -verso-strategy

// RUN: not env VERSO_OPTIONS=-verso-strategy=fast %clang_verso -O1 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=VALUE %s
// VALUE: error: VERSO_OPTIONS: '-verso-strategy=fast' is not valid: the value must be one of auto, taped, structured

// RUN: %clang -O1 -flto -c %s -o %t.o
// RUN: not env VERSO_OPTIONS=-verso-speed %clang -O1 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.o -o %t %verso_libs 2>&1 | FileCheck --check-prefix=LINK %s
// LINK: error: VERSO_OPTIONS: unknown option '-verso-speed'

// RUN: env VERSO_OPTIONS=-verso-strategy=structured %clang_verso -O1 -mllvm -verso-strategy=taped -c %s -o %t.o 2>&1 | count 0

double __verso_grad(void *, ...);

static double cube(double x) { return x * x * x; }

int main(void) { return __verso_grad(cube, 2.0) != 12; }
