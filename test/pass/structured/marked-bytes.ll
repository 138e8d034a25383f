; Bytes of a local variable that are a number or integers, as the program goes, have
; marks beside them, in a window of the request. A load finds out by them; only
; where it found a whole number the cell gets anything.

; RUN: %opt_verso -verso-strategy=structured -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare double @__verso_grad(ptr, ...)

define internal double @halves(double %x, i32 %n, i64 %which) {
entry:
  %u = alloca [2 x double]
  store double %x, ptr %u
  %second = getelementptr inbounds double, ptr %u, i64 1
  store double %x, ptr %second
  %half = getelementptr inbounds i32, ptr %u, i64 %which
  store i32 %n, ptr %half
  %d = load double, ptr %u
  %r = fmul double %d, %d
  ret double %r
}
define double @request(double %x, i32 %n, i64 %which) {
  %g = call double (ptr, ...) @__verso_grad(ptr @halves, double %x, i32 %n, i64 %which)
  ret double %g
}

; CHECK-LABEL: define internal double @verso.gradient.halves(
; CHECK: %[[WINDOW:.*]] = {{.*}}call ptr @__verso_begin_tangents({{.*}}, i32 1)
; CHECK: %[[DELTA:.*]] = load i64, ptr
; CHECK: call void @__verso_new_marks(ptr {{.*}}%[[WINDOW]], ptr {{.*}}, i64 16)
; A double, an integer; and what is there now.
; CHECK: add i64 {{.*}}%[[DELTA]]
; CHECK: store i64 2820983053732684064, ptr
; CHECK: store i32 -1, ptr
; CHECK: %[[MARKS:.*]] = load i64, ptr %{{.*}}, align 1
; CHECK: call void @__verso_fail(
; CHECK: icmp {{eq|ne}} i64 %[[MARKS]], 2820983053732684064
; CHECK: call void @__verso_end_tangents(ptr {{.*}}%[[WINDOW]])
