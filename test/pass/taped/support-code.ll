; What the runtime has compiled already is called there: a module that tapes
; declares the sweep. Where an outer request differentiates it, the clone for
; that has a body; and what several support functions call comes once.

; RUN: %opt_verso -verso-strategy=taped -passes=verso -S %s | FileCheck %s
; RUN: %opt_verso -verso-strategy=taped -passes=verso -S %s \
; RUN:   | FileCheck --check-prefix=ONCE %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@verso_dup = external global i32

declare double @__verso_grad(ptr, ...)
declare double @__verso_jvp(ptr, ...)

define double @f(ptr %p, ptr %q, double %x) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)
  %a = load double, ptr %p
  %b = fmul double %a, %x
  store double %b, ptr %q
  %c = fmul double %b, %b
  ret double %c
}

define double @first(ptr %p, ptr %dp, ptr %q, ptr %dq, double %x) {
  %d = load i32, ptr @verso_dup
  %r = call double (ptr, ...) @__verso_grad(ptr @f, i32 %d, ptr %p, ptr %dp, i32 %d, ptr %q, ptr %dq, double %x)
  ret double %r
}

; CHECK-DAG: declare void @__verso_release(
; CHECK-DAG: declare void @__verso_resolve(
; CHECK-DAG: declare i32 @__verso_id_at(
; CHECK-DAG: declare void @__verso_copy_claimed(
; CHECK-DAG: define internal {{.*}} @__verso_resolve.tangent{{.*}}(
; ONCE-NOT: {{[ @]}}__verso_claim.{{[0-9]+}}(
define double @second(ptr %p, ptr %dp, ptr %q, ptr %dq, ptr %t, double %x) {
  %d = load i32, ptr @verso_dup
  %r = call double (ptr, ...) @__verso_jvp(ptr @first, i32 %d, ptr %p, ptr %t, i32 %d, ptr %dp, ptr %t, i32 %d, ptr %q, ptr %t, i32 %d, ptr %dq, ptr %t, i32 %d, double %x, double 1.0)
  ret double %r
}
