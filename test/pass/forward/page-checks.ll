; Where tangents are mapped, pages are noted before a loop, for all of the range
; that it is going to write; once for the members of an object; and at the write
; where neither is known.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}

; The loop has no check and no branch but its own.
; CHECK-LABEL: define internal void @fill.tangent(
; CHECK: call void @__verso_touch_tangents(ptr nonnull %verso, ptr %p, i64 %{{.*}})
; CHECK: loop:
; CHECK-NOT: load i8
; CHECK: store double
; CHECK: store double
; CHECK-NOT: __verso
; CHECK: br i1 {{.*}}label %loop
; CHECK: ret void
define void @fill(double %x, ptr %p, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %exit
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds double, ptr %p, i64 %i
  store double %x, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; An exception may end the loop early: the range is not known to be there.
; CHECK-LABEL: define internal void @may_throw.tangent(
; CHECK-NOT: __verso_touch
; CHECK: loop:
; CHECK: __verso_touch_tangents(ptr nonnull %verso, ptr nonnull %q, i64 8)
; CHECK: ret void
define void @may_throw(double %x, ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds double, ptr %p, i64 %i
  store double %x, ptr %q
  call i32 @puts(ptr @text)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A store that not every iteration makes is checked where it is.
; CHECK-LABEL: define internal void @sometimes.tangent(
; CHECK-NOT: __verso_touch
; CHECK: loop:
; CHECK: then:
; CHECK: __verso_touch_tangents(ptr nonnull %verso, ptr nonnull %q, i64 8)
; CHECK: ret void
define void @sometimes(double %x, ptr %p, ptr readonly %flags, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %flag = getelementptr inbounds i8, ptr %flags, i64 %i
  %set = load i8, ptr %flag
  %q = getelementptr inbounds double, ptr %p, i64 %i
  %is = icmp eq i8 %set, 0
  br i1 %is, label %then, label %latch
then:
  store double %x, ptr %q
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: define internal void @members.tangent(
; CHECK: call void @__verso_touch_tangents(ptr nonnull %verso, ptr nonnull %p, i64 40)
; CHECK-NOT: __verso_touch
; CHECK: ret void
define void @members(double %x, ptr %p) {
  store double %x, ptr %p
  %b = getelementptr i8, ptr %p, i64 8
  store double 1.0, ptr %b
  %c = getelementptr i8, ptr %p, i64 32
  store double %x, ptr %c
  ret void
}

define void @requests(double %x, ptr %p, ptr %flags, i64 %n) {
  call void (ptr, ...) @__verso_jvp_void(ptr @fill, double %x, double 1.0, ptr @verso_const, ptr %p, i64 %n)
  call void (ptr, ...) @__verso_jvp_void(ptr @may_throw, double %x, double 1.0, ptr @verso_const, ptr %p, i64 %n)
  call void (ptr, ...) @__verso_jvp_void(ptr @sometimes, double %x, double 1.0, ptr @verso_const, ptr %p, ptr @verso_const, ptr %flags, i64 %n)
  call void (ptr, ...) @__verso_jvp_void(ptr @members, double %x, double 1.0, ptr @verso_const, ptr %p)
  ret void
}
@text = internal constant [2 x i8] c"x\00"
@verso_const = external global i32
declare i32 @puts(ptr)
declare void @__verso_jvp_void(ptr, ...)
