; The operand of a request is a phi of phis that lead to one another first, as
; loops within loops have them: it is no marker, and finding that out ends.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}

declare double @__verso_grad(ptr, ...)

; CHECK-LABEL: define void @loops(
; CHECK: call {{.*}} @verso.gradient.square(
; CHECK-NOT: @__verso_grad
define void @loops(ptr %p, i1 %c, i1 %d) {
entry:
  br label %outer
outer:
  %a = phi double [ %b, %inner ], [ 1.0, %entry ]
  br label %inner
inner:
  %b = phi double [ %a, %outer ], [ %b, %inner ]
  %g = call double (ptr, ...) @__verso_grad(ptr @square, double %b)
  br i1 %c, label %inner, label %outer
}
