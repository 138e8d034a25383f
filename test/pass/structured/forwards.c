//===- forwards.c - a list is walked once, by the verso -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverses of a sum's terms may be run in any order, so in that of the list:
// nothing is kept of it, and the recto is left out. Not where the sum is looked
// at on its way.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup;
void __verso_grad_void(void *, ...);

struct node {
  double value;
  struct node *next;
};

static double sum(const struct node *p) {
  double s = 0;
  for (; p; p = p->next)
    s += p->value * p->value;
  return s;
}
void of_sum(const struct node *p, struct node *dp) {
  __verso_grad_void(sum, verso_dup, p, dp);
}

// CHECK-LABEL: define internal void @verso.gradient.sum(
// CHECK-NOT: call {{.*}}@__verso_arena
// CHECK: store double
// CHECK-COUNT-2: load ptr
// CHECK-NOT: load ptr
// CHECK: ret void

static double looked_at(const struct node *p) {
  double s = 0, t = 0;
  for (; p; p = p->next) {
    s += p->value;
    t += s * p->value;
  }
  return t;
}
void of_looked_at(const struct node *p, struct node *dp) {
  __verso_grad_void(looked_at, verso_dup, p, dp);
}

// CHECK-LABEL: define internal void @verso.gradient.looked_at(
// CHECK: call {{.*}}@__verso_arena_take(
// CHECK: ret void
