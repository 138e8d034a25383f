; memcpy, memmove and memset: images move as the bytes do, in one piece and after
; them, with no idea of types. Untracked memory: a memmove or memset of images
; in line. Tracked memory: a function, which is told the shadows and has the
; runtime log what is overwritten; cursor and next are handed over.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal { double, i32 } @copied.twin(
; CHECK: call void @llvm.{{memcpy|memmove}}.p0.p0.i64(ptr {{.*}}%to, ptr {{.*}}%from, i64 %n, i1 false)
; CHECK: [[A:%[0-9]+]] = ptrtoint ptr %to to i64
; CHECK: add i64 %verso.delta, [[A]]
; CHECK: [[TO:%[0-9]+]] = inttoptr i64
; CHECK: [[B:%[0-9]+]] = ptrtoint ptr %from to i64
; CHECK: add i64 %verso.delta, [[B]]
; CHECK: [[FROM:%[0-9]+]] = inttoptr i64
; CHECK: call void @llvm.memmove.p0.p0.i64(ptr align 1 [[TO]], ptr align 1 [[FROM]], i64 %n, i1 false)
; CHECK-NOT: call
; CHECK: ret { double, i32 }
define double @copied(double %x, ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  %s = fadd double %x, 1.0
  ret double %s
}

; A pointer without a shadow is its own. Where nothing was written to the tape,
; the context is as it was.
; CHECK-LABEL: define internal void @copied_to_tracked.twin(
; CHECK-SAME: ptr %to, ptr %from, i64 %n, ptr [[SHADOW:%[0-9]+]])
; CHECK: call void @llvm.{{memcpy|memmove}}.p0.p0.i64(ptr {{.*}}%to, ptr {{.*}}%from, i64 %n, i1 false)
; CHECK-NOT: store
; CHECK: call void @__verso_copy_claimed(ptr {{(nonnull )?}}%verso, ptr %to, ptr [[SHADOW]], ptr %from, ptr %from, i64 %n, i32 0)
; CHECK: ret void
define void @copied_to_tracked(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}

; CHECK-LABEL: define internal void @copied_from_tracked.twin(
; CHECK-SAME: ptr %to, ptr %from, i64 %n, ptr [[SHADOW:%[0-9]+]])
; CHECK: call void @__verso_copy_claimed(ptr {{(nonnull )?}}%verso, ptr %to, ptr %to, ptr %from, ptr [[SHADOW]], i64 %n, i32 0)
; CHECK: ret void
define void @copied_from_tracked(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}

; Whole granules of aligned memory: zeros in line, whatever the bytes become.
; CHECK-LABEL: define internal { double, i32 } @set.twin(
; CHECK: call void @llvm.memset.p0.i64(ptr {{.*}}@buffer, i8 1, i64 64, i1 false)
; CHECK: add i64 %verso.delta, ptrtoint (ptr @buffer to i64)
; CHECK: [[AT:%[0-9]+]] = inttoptr
; CHECK: call void @llvm.memset.p0.i64(ptr {{.*}}[[AT]], i8 0, i64 64, i1 false)
; CHECK-NOT: call
; CHECK: ret { double, i32 }
define double @set(double %x) {
  call void @llvm.memset.p0.i64(ptr @buffer, i8 1, i64 64, i1 false)
  %s = fadd double %x, 1.0
  ret double %s
}
@buffer = internal global [8 x double] zeroinitializer, align 16

; Parts of granules: the runtime knows which cells are hurt.
; CHECK-LABEL: define internal { double, i32 } @set_any.twin(
; CHECK: call void @__verso_clear_claimed(ptr {{(nonnull )?}}%verso, ptr %to, ptr %to, i64 %n)
; CHECK-NOT: call
; CHECK: ret { double, i32 }
define double @set_any(double %x, ptr %to, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %n, i1 false)
  %s = fadd double %x, 1.0
  ret double %s
}

; CHECK-LABEL: define internal void @set_tracked.twin(
; CHECK-SAME: ptr %to, ptr [[SHADOW:%[0-9]+]])
; CHECK: call void @__verso_clear_claimed(ptr {{(nonnull )?}}%verso, ptr {{(nonnull )?}}%to, ptr [[SHADOW]], i64 64)
; CHECK: ret void
define void @set_tracked(ptr %to) {
  call void @llvm.memset.p0.i64(ptr align 8 %to, i8 0, i64 64, i1 false)
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @__verso_grad_void(ptr, ...)
declare double @__verso_grad_scalar(ptr, ...)
@verso_const = external global i32
@verso_dup = external global i32
define void @requests(double %x, ptr %p, ptr %q, i64 %n) {
  %k = load i32, ptr @verso_const
  %d = load i32, ptr @verso_dup
  %1 = call double (ptr, ...) @__verso_grad_scalar(ptr @copied, double %x, i32 %k, ptr %p, i32 %k, ptr %q, i64 %n)
  call void (ptr, ...) @__verso_grad_void(ptr @copied_to_tracked, i32 %d, ptr %p, ptr %q, i32 %k, ptr %p, i64 %n)
  call void (ptr, ...) @__verso_grad_void(ptr @copied_from_tracked, i32 %k, ptr %p, i32 %d, ptr %p, ptr %q, i64 %n)
  %2 = call double (ptr, ...) @__verso_grad_scalar(ptr @set, double %x)
  %3 = call double (ptr, ...) @__verso_grad_scalar(ptr @set_any, double %x, i32 %k, ptr %p, i64 %n)
  call void (ptr, ...) @__verso_grad_void(ptr @set_tracked, i32 %d, ptr %p, ptr %q)
  ret void
}
