//===- texts-of-exceptions.cpp - what() is no call through a pointer ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is one of the runtime, unless a class of the program's own may write there,
// by whatever name, or is thrown here and has it in another file. Then it is not
// expected to be called, or one of those that are here.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -O2 -S -emit-llvm -Rpass=verso %s -o - 2>%t \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: %clangxx_verso -O0 -c -Rpass=verso %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: %clangxx_verso -O2 -c -DREADS -Rpass=verso %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: %clangxx_verso -O2 -c -DWRITES -Rpass=verso %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITES
// RUN: %clangxx_verso -O2 -c -DLABEL -Rpass=verso %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITES
// RUN: %clangxx_verso -O2 -c -DELSEWHERE -Rpass=verso %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITES
// RUN: %clangxx_verso -O2 -c -DCALLS -Rpass-missed=verso %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CALLS

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

extern int verso_out;
double __verso_grad(void *, ...);

#ifdef WRITES
struct Counted : std::exception {
  double *Number;
  explicit Counted(double *Number) : Number(Number) {}
  const char *what() const noexcept override { return *Number *= 2, ""; }
};
void thrower(double *x) { throw Counted(x); }
#endif

#ifdef LABEL
double number;
struct Named : std::exception {
  const char *what() const noexcept override __asm__("text_of_named");
};
const char *Named::what() const noexcept { return number *= 2, ""; }
void thrower() { throw Named(); }
#endif

#ifdef CALLS
void note();
struct Noted : std::exception {
  const char *what() const noexcept override { return note(), ""; }
};
void thrower() { throw Noted(); }
#endif

#ifdef READS
struct Told : std::runtime_error {
  std::string Text;
  explicit Told(int n) : std::runtime_error(""), Text(n, '!') {}
  const char *what() const noexcept override { return Text.c_str(); }
};
void thrower() { throw Told(3); }
#endif

#ifdef ELSEWHERE
struct E : std::exception {
  const char *what() const noexcept override;
};
void thrower() { throw E(); }
#endif

static double f(double x) {
  try {
    if (x < 0)
      throw std::runtime_error("negative");
    return std::sqrt(x) * x;
  } catch (const std::exception &e) {
    std::puts(e.what());
    return 0;
  }
}

double gradient(double x) { return __verso_grad((void *)f, x); }

// REMARK: gradient of 'f' by reversed control flow [
// WRITES: gradient of 'f' by reversed control flow, and by tape for other functions
// CALLS: gradient of 'f' is not structured: cannot differentiate the call of 'note()'
// CHECK-LABEL: define {{.*}}@verso.gradient._ZL1fd(
// CHECK: call {{.*}}ptr @__verso_what(ptr
