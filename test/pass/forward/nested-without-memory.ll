; A request that needs no memory for tangents has no context, in what an outer
; request makes of it neither: second derivatives of a scalar function do not
; call the runtime, and reverse over forward by tape only for the tape.

; RUN: %opt_verso -verso-strategy=taped -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-NOT: call {{.*}}@__verso_begin_tangents
; CHECK-NOT: call {{.*}}@__verso_end_tangents
; CHECK-LABEL: define internal { double, double } @verso.jvp.f.tangent(
; CHECK: call { { double, double }, { double, double } } @f.tangent.tangent(ptr %verso, ptr null,
; CHECK-NOT: @llvm.frameaddress
; CHECK: ret { double, double }
; CHECK-LABEL: define internal { double, i32 } @verso.jvp.f.twin(
; CHECK: call { { double, double }, { i32, i32 } } @f.tangent.twin(ptr {{.*}}%verso, ptr null,
; CHECK-NOT: @llvm.frameaddress
; CHECK: ret { double, i32 }
; CHECK-NOT: call {{.*}}@__verso_begin_tangents
; CHECK-NOT: call {{.*}}@__verso_end_tangents
define double @f(double %x) {
  %a = call double @llvm.sin.f64(double %x)
  %b = fmul double %a, %x
  ret double %b
}
define double @slope(double %x) {
  %r = call double (ptr, ...) @__verso_jvp_scalar(ptr @f, double %x, double 1.0)
  ret double %r
}
define double @requests(double %x) {
  %a = call double (ptr, ...) @__verso_jvp_scalar(ptr @slope, double %x, double 1.0)
  %b = call double (ptr, ...) @__verso_grad_scalar(ptr @slope, double %x)
  %c = fadd double %a, %b
  ret double %c
}
declare double @llvm.sin.f64(double)
declare double @__verso_jvp_scalar(ptr, ...)
declare double @__verso_grad_scalar(ptr, ...)
