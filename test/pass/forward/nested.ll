; A request inside a differentiated function. To the outer request the inner
; one's tangents are numbers in memory like any others, with mapped tangents of
; their own: the address of an inner tangent, p + inner delta, is opaque until
; all requests are lowered, so that it is not taken for a step from p, whose
; shadow would be the same step from p's. Inner bookkeeping is not differentiated.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s
; RUN: %opt_verso -passes=verso -S %s | FileCheck %s --check-prefix=GONE

; GONE-NOT: verso.mapped

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}

; CHECK-LABEL: define internal { double, double } @verso.jvp.stored.tangent(
; CHECK: [[INNER:%[0-9]+]] = {{.*}}call ptr @__verso_begin_tangents(
; CHECK: @stored.tangent.tangent(ptr %verso, ptr [[INNER]], double %0, ptr %1,
; CHECK: call void @__verso_end_tangents(ptr [[INNER]])

; Four cells: x at p; its inner and its outer tangent, each mapped from p; and
; the outer tangent of the inner one, mapped from where that is.
; CHECK-LABEL: define internal { { double, double }, { double, double } } @stored.tangent.tangent(
; CHECK-SAME: ptr %verso1, ptr %verso, double %x, ptr %p, double [[INNERDX:%[0-9]+]], double [[OUTERDX:%[0-9]+]])
; CHECK-DAG: [[OUTERAT:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr %verso1, i64 8
; CHECK-DAG: [[INNERAT:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr %verso, i64 8
; CHECK-DAG: [[OUTER:%[0-9]+]] = load i64, ptr [[OUTERAT]]
; CHECK-DAG: [[INNER:%[0-9]+]] = load i64, ptr [[INNERAT]]
; CHECK: store double %x, ptr %p
; CHECK-DAG: [[P:%[0-9]+]] = ptrtoint ptr %p to i64
; CHECK-DAG: [[A:%[0-9]+]] = add i64 [[OUTER]], [[P]]
; CHECK-DAG: [[B:%[0-9]+]] = add i64 [[INNER]], [[P]]
; CHECK-DAG: [[C:%[0-9]+]] = add i64 [[B]], [[OUTER]]
; CHECK-DAG: [[ATA:%[0-9]+]] = inttoptr i64 [[A]] to ptr
; CHECK-DAG: [[ATB:%[0-9]+]] = inttoptr i64 [[B]] to ptr
; CHECK-DAG: [[ATC:%[0-9]+]] = inttoptr i64 [[C]] to ptr
; CHECK-DAG: store double [[OUTERDX]], ptr [[ATA]]
; CHECK-DAG: store double [[INNERDX]], ptr [[ATB]]
; CHECK-DAG: store double 0.0{{.*}}, ptr [[ATC]]
; CHECK: call void @square.tangent.tangent(
; CHECK: ret
define double @stored(double %x, ptr %p) {
  store double %x, ptr %p
  call void @square(ptr %p)
  %l = load double, ptr %p
  ret double %l
}
define void @square(ptr %p) noinline {
  %l = load double, ptr %p
  %m = fmul double %l, %l
  store double %m, ptr %p
  ret void
}
define double @slope(double %x, ptr %p) {
  %k = load i32, ptr @verso_const
  %1 = call double (ptr, ...) @__verso_jvp_scalar(ptr @stored, double %x, double 1.0, i32 %k, ptr %p)
  ret double %1
}
declare double @__verso_jvp_scalar(ptr, ...)
@verso_const = external global i32
define double @requests(double %x, ptr %p) {
  %k = load i32, ptr @verso_const
  %1 = call double (ptr, ...) @__verso_jvp_scalar(ptr @slope, double %x, double 1.0, i32 %k, ptr %p)
  ret double %1
}
