; A request inside a function is no reason for a tape where it is structured
; itself: its blocks of the arena are the outer one's, and stay until its end. Nor
; is a forward request whose tangents are in registers: what begins and ends it
; goes, as nobody asks for its memory.

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

; The outer gradient begins and ends once and takes what the inner one took.
define internal double @chain(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %r, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %t = fmul double %s, %v
  %r = call double @llvm.exp.f64(double %t)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret double %r
}
define internal double @norm(ptr %x, ptr %dx, i64 %n) {
  %d = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad_void(ptr @chain, i32 %d, ptr %x, ptr %dx, i64 %n)
  %first = load double, ptr %dx
  %square = fmul double %first, %first
  ret double %square
}
define void @of_norm(ptr %x, ptr %hx, ptr %dx, ptr %hdx, i64 %n) {
  %d = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad_void(ptr @norm, i32 %d, ptr %x, ptr %hx, i32 %d, ptr %dx, ptr %hdx, i64 %n)
  ret void
}
declare void @__verso_grad_void(ptr, ...)
declare double @llvm.exp.f64(double)

; CHECK-LABEL: define internal void @verso.gradient.norm.any.arguments(
; CHECK: call ptr @__verso_arena_begin(
; CHECK-NOT: call {{.*}}@__verso_arena_begin(
; CHECK: call {{.*}}@__verso_arena_take(
; CHECK: call void @__verso_arena_end(
; CHECK-NOT: call {{.*}}@__verso
; CHECK: ret void
