; A COMMON block with numbers and an integer. Each procedure's TBAA tags have a
; root of their own; inlined into one function, the names of their types tell
; that the integer is none of the numbers. Where the procedures disagree on what
; lies in the block, nothing is known.

; RUN: %opt_verso -verso-strategy=structured -passes=verso -S %s | FileCheck --check-prefix=AGREED %s
; RUN: sed 's/^!11 = .*bytes_0_to/!11 = !{!"global data\/block_\/bytes_8_to/' %s > %t.ll
; RUN: not %opt_verso -verso-strategy=structured -passes=verso -S %t.ll 2>&1 \
; RUN:   | FileCheck --check-prefix=DISAGREED %s

; AGREED: define internal {{.*}} @verso.gradient.f(
; DISAGREED: memory that holds numbers is accessed as different types

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@block_ = common global [36 x i8] zeroinitializer, align 8
@verso_dup = external global i32
@verso_const = external global i32
declare void @__verso_grad(...)

define internal void @fill(i64 %k, double %v, i32 %n) {
  %p = getelementptr double, ptr @block_, i64 %k
  store double %v, ptr %p, align 8, !tbaa !0
  store i32 %n, ptr getelementptr inbounds nuw (i8, ptr @block_, i64 32), align 8, !tbaa !5
  ret void
}

define double @f(ptr %x, i64 %k, i32 %m) {
  %v = load double, ptr %x, align 8
  %s = fmul double %v, %v
  call void @fill(i64 %k, double %s, i32 %m)
  %n = load i32, ptr getelementptr inbounds nuw (i8, ptr @block_, i64 32), align 8, !tbaa !15
  %at = zext i32 %n to i64
  %p = getelementptr double, ptr @block_, i64 %at
  %w = load double, ptr %p, align 8, !tbaa !10
  %r = fmul double %w, %v
  ret double %r
}

define void @g(ptr %x, ptr %dx, i64 %k, i32 %m) {
  %dup = load i32, ptr @verso_dup, align 4
  %const = load i32, ptr @verso_const, align 4
  call void (...) @__verso_grad(ptr @f, i32 %dup, ptr %x, ptr %dx, i32 %const, i64 %k, i32 %const, i32 %m)
  ret void
}
!0 = !{!1, !1, i64 0}
!1 = !{!"global data/block_/bytes_0_to_31", !2, i64 0}
!2 = !{!"global data/block_", !3, i64 0}
!3 = !{!"global data", !4, i64 0}
!4 = !{!"Flang function root _QPfill"}
!5 = !{!6, !6, i64 0}
!6 = !{!"global data/block_/bytes_32_to_35", !2, i64 0}
!10 = !{!11, !11, i64 0}
!11 = !{!"global data/block_/bytes_0_to_31", !12, i64 0}
!12 = !{!"global data/block_", !13, i64 0}
!13 = !{!"global data", !14, i64 0}
!14 = !{!"Flang function root f"}
!15 = !{!16, !16, i64 0}
!16 = !{!"global data/block_/bytes_32_to_35", !12, i64 0}
