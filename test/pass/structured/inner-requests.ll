; A forward request inside a function is no reason for a tape where its tangents
; are in registers: what begins and ends it goes, as nobody asks for its memory.

; RUN: %opt_verso -verso-strategy=structured -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@verso_dup = external global i32

declare double @__verso_grad(ptr, ...)
declare double @__verso_jvp(ptr, ...)

define internal double @cube(double %x) {
  %s = fmul double %x, %x
  %r = fmul double %s, %x
  ret double %r
}
define double @slope(double %x) {
  %d = load i32, ptr @verso_dup
  %r = call double (ptr, ...) @__verso_jvp(ptr @cube, i32 %d, double %x, double 1.0)
  ret double %r
}
define double @second(double %x) {
  %g = call double (ptr, ...) @__verso_grad(ptr @slope, double %x)
  ret double %g
}

; CHECK-LABEL: define double @second(
; CHECK: call double @verso.gradient.slope(double %x)

; CHECK-LABEL: define internal double @verso.gradient.slope(
; CHECK-NOT: call {{.*}}@__verso
; CHECK: fadd
; CHECK: ret double
