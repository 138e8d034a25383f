//===- text-calls.cpp - functions that change strings stay calls ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a request may come; other functions of the file are inlined as ever, and
// so is what only looks at a string.
//
// RUN: %clangxx_verso -O2 -std=c++20 -S -emit-llvm %s -o - | FileCheck %s
//
//===----------------------------------------------------------------------===//

#include "verso/verso.h"

#include <cstdio>
#include <string>

double __verso_grad(void *, ...);

// CHECK-LABEL: define {{.*}} double @differentiated(
// CHECK: {{call|invoke}} void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2
// CHECK: {{call|invoke}} void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9push_backEc
// CHECK-NOT: c_str
// CHECK: call void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev
extern "C" __attribute__((noinline)) double differentiated(double x,
                                                           const char *s) {
  std::string name(s);
  name.push_back('!');
  puts(name.c_str());
  return x * x;
}

// CHECK-LABEL: define {{.*}} double @other(
// CHECK-NOT: basic_stringIcSt11char_traitsIcESaIcEEC2
// CHECK-NOT: basic_stringIcSt11char_traitsIcESaIcEE9push_backEc
// CHECK: ret double
extern "C" double other(double x, const char *s) {
  std::string name(s);
  name.push_back('!');
  puts(name.c_str());
  return x;
}

double derivative(double x) {
  return __verso_grad((void *)differentiated, verso_out, x, verso_const, "a");
}
