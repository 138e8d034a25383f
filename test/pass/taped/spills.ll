; Around a call the context holds what the caller has written. Where that is
; nothing since the last call, it holds it already: there is no store, and no
; check for room. Fields of the context that are used once are loaded there, not
; kept across calls.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal { double, i32 } @reduce.twin(
; CHECK: load ptr, ptr %p
; CHECK-NOT: store
; CHECK-NOT: @__verso_grow
; CHECK-NOT: %verso.direct
; CHECK: call { double, i32 } @reduce.twin(
; CHECK-NOT: store
; CHECK-NOT: @__verso_grow
; CHECK-NOT: %verso.direct
; CHECK: call { double, i32 } @reduce.twin(
; CHECK: %verso.direct{{[0-9]*}} = load ptr
; CHECK: store i32 {{[0-9-]+}}, ptr
; CHECK: store ptr %{{[0-9]+}}, ptr %verso
; CHECK: }
define double @reduce(ptr %node) {
  %empty = icmp eq ptr %node, null
  br i1 %empty, label %leaf, label %inner
leaf:
  ret double 1.0
inner:
  %p = getelementptr i8, ptr %node, i64 8
  %left = load ptr, ptr %p, !tbaa !0
  %a = call double @reduce(ptr %left)
  %q = getelementptr i8, ptr %node, i64 16
  %right = load ptr, ptr %q, !tbaa !0
  %b = call double @reduce(ptr %right)
  %v = load double, ptr %node, !tbaa !3
  %product = fmul double %a, %b
  %r = fadd double %v, %product
  ret double %r
}

; In a loop the record of an iteration is what the next one's call has to find.
; CHECK-LABEL: define internal { double, i32 } @repeated.twin(
; CHECK: store ptr %{{[a-z0-9.]+}}, ptr %verso,
; CHECK: store i64 %{{[a-z0-9.]+}}, ptr
; CHECK-NEXT: call { double, i32 } @reduce.twin
; CHECK: }
define double @repeated(ptr %node, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %t, %loop ]
  %a = call double @reduce(ptr %node)
  %t = fmul double %a, %a
  store double %t, ptr @cell
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret double %t
}
@cell = internal global double 0.0

declare void @__verso_grad_into(ptr, ...)
@verso_dup = external global i32
@verso_const = external global i32
define void @requests(ptr %p, ptr %dp) {
  %dup = load i32, ptr @verso_dup
  %const = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad_into(ptr @reduce, i32 %dup, ptr %p, ptr %dp)
  call void (ptr, ...) @__verso_grad_into(ptr @repeated, i32 %dup, ptr %p, ptr %dp, i32 %const, i64 3)
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"any pointer", !2, i64 0}
!2 = !{!"char", !4, i64 0}
!3 = !{!5, !5, i64 0}
!4 = !{!"tree"}
!5 = !{!"double", !2, i64 0}
