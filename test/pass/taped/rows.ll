; An innermost loop that writes one record an iteration writes a row: elements
; without headers, and behind the loop what does not vary, the shape and how many
; there are. Where something else is written, which is rare, the row ends before.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; y[i] += a[i] * x: an element has a[i] and the IDs of a[i] and y[i]; x's ID and
; partial, x itself, stand once. The tape's room is checked in the loop, where
; the row ends; behind it RUN (5) with 2^30.
; CHECK-LABEL: define internal void @axpy.twin(
; CHECK: loop:
; CHECK: phi i64
; CHECK: or i32 %{{[0-9]+}}, 1073741829
; CHECK: call void @__verso_grow(
; CHECK: store double %{{a|.*}}, ptr [[AT:%[a-z0-9.]+]], align 4
; CHECK: getelementptr inbounds{{( nuw)?}} i8, ptr [[AT]], i64 8
; CHECK: getelementptr inbounds{{( nuw)?}} i8, ptr [[AT]], i64 12
; CHECK: getelementptr inbounds{{( nuw)?}} i8, ptr [[AT]], i64 16
; CHECK: br i1 %done
; CHECK: store double %x, ptr
; CHECK: shl i32 %{{[0-9]+}}, 3
; CHECK: or i32 %{{[0-9]+}}, 1073741829
; CHECK: ret void
define void @axpy(double %x, ptr noalias %a, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %ap = getelementptr inbounds double, ptr %a, i64 %i
  %yp = getelementptr inbounds double, ptr %y, i64 %i
  %av = load double, ptr %ap
  %yv = load double, ptr %yp
  %p = fmul double %av, %x
  %s = fadd double %yv, %p
  store double %s, ptr %yp
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Two records an iteration have headers, and so has one beside a call that
; writes.
; CHECK-LABEL: define internal void @two.twin(
; CHECK-NOT: 1073741829
; CHECK: ret void
define void @two(double %x, ptr noalias %a, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %ap = getelementptr inbounds double, ptr %a, i64 %i
  %yp = getelementptr inbounds double, ptr %y, i64 %i
  %av = load double, ptr %ap
  %p = fmul double %av, %x
  store double %p, ptr %ap
  %yv = load double, ptr %yp
  %s = fmul double %yv, %x
  store double %s, ptr %yp
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: define internal void @calling.twin(
; CHECK-NOT: 1073741829
; CHECK: ret void
define void @calling(double %x, ptr noalias %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %ap = getelementptr inbounds double, ptr %a, i64 %i
  %av = load double, ptr %ap
  %b = call double @square(double %av)
  %p = fmul double %b, %x
  store double %p, ptr %ap
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
define double @square(double %x) noinline {
  %r = fmul double %x, %x
  ret double %r
}

; A row of operands alone is packed where it is long, when the loop is left; one
; that ends in the loop is not. It goes on where a load only settles raw leaves.
; CHECK-LABEL: define internal void @stencil.twin(
; CHECK: call void @__verso_grow(
; CHECK: [[ID:%[0-9]+]] = call i32 @__verso_settle_in_row({{.*}}%ap)
; CHECK-NEXT: icmp eq i32 [[ID]], 0
; CHECK-NEXT: br i1
; CHECK: call i32 @__verso_id_at(
; CHECK-NOT: @__verso_pack_row
; CHECK: br i1 %done
; CHECK: or i32 %{{[0-9]+}}, 1073741829
; CHECK: icmp ugt i64 %{{.*}}, 15
; CHECK: call ptr @__verso_pack_row(ptr
; CHECK: ret void
define void @stencil(ptr noalias %a, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %ap = getelementptr inbounds double, ptr %a, i64 %i
  %bp = getelementptr inbounds double, ptr %ap, i64 1
  %yp = getelementptr inbounds double, ptr %y, i64 %i
  %av = load double, ptr %ap
  %bv = load double, ptr %bp
  %p = fmul double %av, 0.25
  %q = fmul double %bv, 0.75
  %s = fadd double %p, %q
  store double %s, ptr %yp
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

declare void @__verso_grad_void(ptr, ...)
@verso_dup = external global i32
@verso_const = external global i32
define void @requests(ptr %p, ptr %q, double %x) {
  %d = load i32, ptr @verso_dup
  %k = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad_void(ptr @axpy, double %x, i32 %d, ptr %p, ptr %q, i32 %d, ptr %p, ptr %q, i32 %k, i64 3)
  call void (ptr, ...) @__verso_grad_void(ptr @two, double %x, i32 %d, ptr %p, ptr %q, i32 %d, ptr %p, ptr %q, i32 %k, i64 3)
  call void (ptr, ...) @__verso_grad_void(ptr @calling, double %x, i32 %d, ptr %p, ptr %q, i32 %k, i64 3)
  call void (ptr, ...) @__verso_grad_void(ptr @stencil, i32 %d, ptr %p, ptr %q, i32 %d, ptr %p, ptr %q, i32 %k, i64 3)
  ret void
}
