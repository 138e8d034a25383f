; A tangent's address that the loop computes anew, of operands that do not
; change, is computed before it, as is the size of what is copied. Copies take
; no longer than the function's own accesses, or not long, and fewer iterations
; than directions stay as they are.

; RUN: %opt_verso -passes=verso,verify -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@verso_dup = external global i32

declare double @__verso_jvp(ptr, ...)

define internal double @product(ptr %x) {
  %p = getelementptr double, ptr %x, i64 1
  %a = load double, ptr %x
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}

; CHECK-LABEL: define void @directions(
; CHECK: getelementptr double, ptr %v, i64 %o
; CHECK: %[[WORK:.*]] = mul i128 %{{.*}}, 16
; CHECK: %[[MOST:.*]] = add i128 %[[WORK]], 4096
; CHECK: icmp sle i128 %{{.*}}, %[[MOST]]
; CHECK: icmp uge i128 %{{.*}}, 7
; CHECK: br i1
; CHECK: call ptr @malloc(
; CHECK: call void @llvm.memcpy
; CHECK: call void @free(
define void @directions(ptr %x, ptr noalias %J, i64 %n, i64 %o) {
entry:
  %v = alloca [64 x double]
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %start = getelementptr double, ptr %v, i64 %o
  %d = load i32, ptr @verso_dup
  %one = getelementptr double, ptr %start, i64 %k
  store double 1.0, ptr %one
  %r = call double (ptr, ...) @__verso_jvp(ptr @product, i32 %d, ptr %x, ptr %start)
  store double 0.0, ptr %one
  %at = getelementptr double, ptr %J, i64 %k
  store double %r, ptr %at
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
