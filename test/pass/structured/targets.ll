; Calls through pointers. All targets of @dispatch are known: the table is
; constant. Those of @apply are guessed, and the request compares the pointer
; with them before it begins; where it leads elsewhere there is a tape.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@table = internal constant [2 x ptr] [ptr @square, ptr @cube]
@verso_const = external global i32

declare double @__verso_grad(ptr, ...)

define internal double @square(double %x) {
  %r = fmul double %x, %x
  ret double %r
}
define internal double @cube(double %x) {
  %s = fmul double %x, %x
  %r = fmul double %s, %x
  ret double %r
}
define double @dispatch(i64 %k, double %x) {
  %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %k
  %f = load ptr, ptr %p, align 8
  %r = call double %f(double %x)
  ret double %r
}
define double @apply(ptr %f, double %x) {
  %r = call double %f(double %x)
  ret double %r
}
define double @known(i64 %k, double %x) {
  %g = call double (ptr, ...) @__verso_grad(ptr @dispatch, i64 %k, double %x)
  ret double %g
}
define double @guessed(ptr %f, double %x) {
  %c = load i32, ptr @verso_const
  %g = call double (ptr, ...) @__verso_grad(ptr @apply, i32 %c, ptr %f, double %x)
  ret double %g
}

; CHECK-LABEL: define double @known(
; CHECK: call double @verso.gradient.dispatch(
; CHECK-LABEL: define double @guessed(
; CHECK: call double @verso.gradient.apply(

; Of a table with two entries the index tells which it is: no call, no pointer.
; CHECK-LABEL: define internal double @verso.gradient.dispatch(
; CHECK-NOT: {{call|ptr}}
; CHECK: icmp eq i64
; CHECK-NOT: {{call|ptr}}
; CHECK: ret double

; CHECK-LABEL: define internal double @verso.gradient.apply.structured(
; CHECK: icmp eq ptr %0, @square
; CHECK-NOT: call double
; CHECK: ret double

; CHECK-LABEL: define internal double @verso.gradient.apply(
; CHECK-DAG: icmp eq ptr %0, @square
; CHECK-DAG: icmp eq ptr %0, @cube
; CHECK: then:
; CHECK: call double @verso.gradient.apply.structured(ptr %0, double %1)
; CHECK: otherwise:
; CHECK: call double @[[TAPED:verso.gradient.apply.[0-9]+]](ptr %0, double %1)

; CHECK: define internal double @[[TAPED]](
; CHECK: call ptr @__verso_begin(
; CHECK-NOT: verso.otherwise
