; Integers out of memory may hold a number's bits. Of a run of operations on them
; the images are computed where one of those that it begins with is there, once
; for all of them; else they are zero. What only an address or a comparison is
; made of has no image at all.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal { double, i32 } @mixed.twin(
; CHECK: %a = load i64, ptr %state
; CHECK: [[A:%[0-9]+]] = load i64, ptr {{.*}}, align 1
; CHECK: %b = load i64, ptr %q
; CHECK: [[B:%[0-9]+]] = load i64, ptr {{.*}}, align 1
; CHECK-NOT: {{select|br}}
; CHECK: %e = mul i64 %d, 31
; CHECK: [[ANY:%[0-9]+]] = or i64 [[A]], [[B]]
; CHECK: [[NONE:%[.a-z0-9]+]] = icmp eq i64 [[ANY]], 0
; CHECK: br i1 [[NONE]], label %[[JOIN:[0-9]+]], label %{{[0-9]+}}, !prof
; CHECK: select
; CHECK: [[JOIN]]:
; CHECK: [[IMAGE:%[0-9]+]] = phi i64 {{.*}}[ 0, %1 ]
; CHECK: store i64 %e, ptr %state
; CHECK: store i64 [[IMAGE]], ptr {{.*}}, align 1
define double @mixed(ptr %state, double %x) {
  %a = load i64, ptr %state
  %q = getelementptr i64, ptr %state, i64 1
  %b = load i64, ptr %q
  %c = add i64 %a, %b
  %d = xor i64 %c, %a
  %e = mul i64 %d, 31
  store i64 %e, ptr %state
  %r = fmul double %x, %x
  ret double %r
}

; CHECK-LABEL: define internal { double, i32 } @index.twin(
; CHECK: %a = load i64, ptr %state
; CHECK-NEXT: %b = mul i64 %a, 31
; CHECK-NEXT: %c = lshr i64 %b, 60
; CHECK-NEXT: %p = getelementptr double, ptr %table, i64 %c
define double @index(ptr %state, ptr %table, double %x) {
  %a = load i64, ptr %state
  %b = mul i64 %a, 31
  %c = lshr i64 %b, 60
  %p = getelementptr double, ptr %table, i64 %c
  %y = load double, ptr %p
  %r = fmul double %x, %y
  ret double %r
}

define double @f(ptr %x) {
  %state = alloca [2 x i64]
  store i64 1, ptr %state
  %s = getelementptr i64, ptr %state, i64 1
  store i64 2, ptr %s
  %v = load double, ptr %x
  %r = call double @mixed(ptr %state, double %v)
  %t = call double @index(ptr %state, ptr %x, double %r)
  ret double %t
}

@verso_dup = external global i32
declare void @__verso_grad_void(ptr, ...)
define void @main(ptr %x, ptr %dx) {
  %d = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad_void(ptr @f, i32 %d, ptr %x, ptr %dx)
  ret void
}
