; Bytes that a loop carries as a vector of integers and takes for another one:
; their images are split behind all phis, not behind the first.

; LLVM 19 folds the casts.
; REQUIRES: llvm22
; RUN: %opt_verso -passes=verso -verify-each -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal void @halves_in_turn.twin
; CHECK: loop:
; CHECK: phi i64
; CHECK: bitcast i64
define void @halves_in_turn(i64 %a, i64 %b, ptr %x, i32 %n) noinline {
entry:
  %half = insertelement <2 x i64> poison, i64 %a, i64 0
  %first = insertelement <2 x i64> %half, i64 %b, i64 1
  br label %loop

loop:
  %carried = phi <2 x i64> [ %first, %entry ], [ %turned, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %halves = bitcast <2 x i64> %carried to <4 x i32>
  %swapped = shufflevector <4 x i32> %halves, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %turned = bitcast <4 x i32> %swapped to <2 x i64>
  %next = add i32 %i, 1
  %low = extractelement <2 x i64> %carried, i64 0
  %isZero = icmp eq i64 %low, 0
  %isLast = icmp eq i32 %next, %n
  %ends = or i1 %isZero, %isLast
  br i1 %ends, label %exit, label %loop

exit:
  store <2 x i64> %turned, ptr %x, align 16, !tbaa !0
  ret void
}

define double @caller(ptr %x, double %y, i32 %n) {
  store double %y, ptr %x, align 16
  %at = getelementptr i8, ptr %x, i64 8
  %a = load i64, ptr %x, align 8
  %b = load i64, ptr %at, align 8
  call void @halves_in_turn(i64 %a, i64 %b, ptr %x, i32 %n)
  %r = load double, ptr %at, align 8
  ret double %r
}

declare double @__verso_grad(ptr, ...)
define double @request(ptr %x, ptr %dx, i32 %n) {
  %d = call double (ptr, ...) @__verso_grad(ptr @caller, ptr %x, ptr %dx, double 3.0, i32 %n)
  ret double %d
}

!0 = !{!1, !1, i64 0}
!1 = !{!"omnipotent char", !2, i64 0}
!2 = !{!"Simple C++ TBAA"}
