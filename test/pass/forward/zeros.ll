; What a zero decides is opaque until every request is lowered, so that an outer
; request sees it: the tangent of sqrt's tangent is not thrown away where the
; latter is zero. Nothing opaque is left in the end.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@verso_dup = external global i32

declare double @__verso_jvp(ptr, ...)
declare double @llvm.sqrt.f64(double)

define internal double @root(double %x) {
  %r = call double @llvm.sqrt.f64(double %x)
  ret double %r
}
define internal double @slope(double %x, double %v) {
  %d = load i32, ptr @verso_dup
  %r = call double (ptr, ...) @__verso_jvp(ptr @root, i32 %d, double %x, double %v)
  ret double %r
}
; In the direction of the tangent alone: 0.5 / sqrt(x) times it, where it is zero
; too.
define double @mixed(double %x, double %v, double %dv) {
  %d = load i32, ptr @verso_dup
  %c = load i32, ptr @verso_const
  %r = call double (ptr, ...) @__verso_jvp(ptr @slope, i32 %c, double %x, i32 %d, double %v, double %dv)
  ret double %r
}
@verso_const = external global i32

; CHECK-LABEL: define double @mixed(double %x, double %v, double %dv)
; CHECK-NOT: verso.product
; CHECK: %[[ROOT:.+]] = call double @llvm.sqrt.f64(double %x)
; CHECK: %[[PARTIAL:.+]] = fdiv double 5.000000e-01, %[[ROOT]]
; CHECK: %[[TERM:.+]] = fmul double %[[PARTIAL]], %dv
; CHECK: %[[ZERO:.+]] = fcmp oeq double %dv, 0.000000e+00
; CHECK: select i1 %[[ZERO]], double 0.000000e+00, double %[[TERM]]
; CHECK-NOT: declare {{.*}}verso.product
