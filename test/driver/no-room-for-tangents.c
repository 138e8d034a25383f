//===- no-room-for-tangents.c - nested requests beyond the limit ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nested request for which the requests around it leave no room says so. It
// does not wait for them: they wait for it.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O0 %s -o %t %verso_libs
// RUN: timeout 60 sh -c '%t; test $? -eq 86'
// RUN: not timeout 60 %t 2>&1 | FileCheck %s
// CHECK: error: {{.*}}'inner': no room for the tangents of 8 directions

extern int verso_width;
struct eight {
  double v[8];
};
struct eight __verso_jvp_eight(void *, ...);

static double cell;
static double square(double x) {
  cell = x * x;
  return cell;
}
static double inner(double x) {
  return __verso_jvp_eight(square, verso_width, 8, x, 1.0, 2.0, 3.0, 4.0, 5.0,
                           6.0, 7.0, 8.0)
      .v[0];
}

int main(void) {
  return __verso_jvp_eight(inner, verso_width, 8, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0,
                           6.0, 7.0, 8.0)
             .v[0] != 2;
}
