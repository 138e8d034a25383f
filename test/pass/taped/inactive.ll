; A function that is marked inactive and may overwrite numbers of its caller has
; a silent twin: no number varies in it, so what it stores has no image and what
; it copies only the images of pointers; pointers have companions. One that
; writes no number is called as it is.

; RUN: %opt_verso -verso-strategy=taped -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal { double, i32 } @caller.twin(
; CHECK: call void [[WRITER:@writer.twin[.0-9]*]](ptr {{.*}}%verso, ptr {{.*}}%p, double %v, ptr %0)
; CHECK: call double @reader(ptr {{.*}}%p)
; CHECK: call void [[COPIER:@copier.twin[.0-9]*]](ptr {{.*}}%verso, ptr {{.*}}%p, ptr %q, ptr %0)
define double @caller(ptr %p, ptr %q) {
  %v = load double, ptr %p
  call void @writer(ptr %p, double %v)
  %r = call double @reader(ptr %p)
  call void @copier(ptr %p, ptr %q)
  %w = load double, ptr %p
  %s = fmul double %v, %w
  %t = fmul double %s, %r
  ret double %t
}

; CHECK: define internal void [[WRITER]](ptr %verso, ptr %p, double %v, ptr [[SHADOW:%[0-9]+]])
; CHECK-NOT: store double %{{.*}}, ptr %verso.cursor
; CHECK: fmul double %v, %v
; CHECK: ret void
define void @writer(ptr %p, double %v) "verso_inactive" {
  %square = fmul double %v, %v
  store double %square, ptr %p
  ret void
}

define double @reader(ptr %p) "verso_inactive" {
  %v = load double, ptr %p
  ret double %v
}

; CHECK: define internal void [[COPIER]](
; CHECK: call void @__verso_copy_claimed({{.*}}, i64 16, i32 1)
define void @copier(ptr %p, ptr %q) "verso_inactive" {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)
  ret void
}

define void @request(ptr %p, ptr %dp, ptr %q) {
  %dup = load i32, ptr @verso_dup
  %const = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad(ptr @caller, i32 %dup, ptr %p, ptr %dp, i32 %const, ptr %q)
  ret void
}

@verso_dup = external global i32
@verso_const = external global i32
declare void @__verso_grad(ptr, ...)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
