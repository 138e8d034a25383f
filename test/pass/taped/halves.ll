; Two-byte numbers in memory: accesses go through the runtime, so do copies and
; clears that may take a granule apart; whole granules are copied as ever. The
; runtime is told of the kind before main. Where one is put together of bytes in
; a vector, all that is known is whether any of them is a number's.

; RUN: %opt_verso -verso-strategy=taped -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: @llvm.global_ctors = {{.*}}@verso.register_halves

; VERSO_CELL_HALF is 3.
; CHECK-LABEL: define internal { double, i32 } @caller.twin(
; CHECK: call i32 @__verso_load_half(ptr {{.*}}%verso, ptr {{.*}}%p, i64 %{{[0-9]+}}, i32 3)
; CHECK: call void @__verso_store_half(ptr {{.*}}%verso, ptr {{.*}}%local, i64 0, i32 3, i32 %{{[0-9]+}})
; A short beside it.
; CHECK: call void @__verso_clear_claimed(ptr {{.*}}%verso, ptr {{.*}}%beside, ptr {{.*}}%beside, i64 2)
; CHECK: call void @__verso_copy_claimed(ptr {{.*}}%verso, ptr {{.*}}%other, ptr {{.*}}%other, ptr {{.*}}%local, ptr {{.*}}%local, i64 6, i32 0)
; CHECK-NOT: call void @__verso_copy_claimed
; CHECK: ret { double, i32 }
define double @caller(ptr %p) {
  %local = alloca [4 x half], align 8
  %other = alloca [4 x half], align 8
  %third = alloca [4 x half], align 8
  call void @opaque(ptr %local, ptr %other, ptr %third)
  %v = load half, ptr %p
  store half %v, ptr %local
  %beside = getelementptr i8, ptr %local, i64 2
  store i16 1, ptr %beside
  call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %local, i64 6, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %third, ptr align 8 %local, i64 8, i1 false)
  %w = load half, ptr %third
  %d = fpext half %w to double
  ret double %d
}

; CHECK-LABEL: define internal { double, i32 } @joined.twin(
; CHECK: bitcast <2 x i8> %both to half
; CHECK: select i1 %{{.+}}, i32 0, i32 2
; CHECK: ret { double, i32 }
define double @joined(ptr %p) {
  %local = alloca [4 x half], align 8
  call void @opaque(ptr %local, ptr %local, ptr %local)
  %v = load half, ptr %p
  store half %v, ptr %local
  %low = load i8, ptr %local
  %both = insertelement <2 x i8> zeroinitializer, i8 %low, i64 0
  %w = bitcast <2 x i8> %both to half
  %d = fpext half %w to double
  ret double %d
}

define void @request(ptr %p, ptr %dp) {
  %dup = load i32, ptr @verso_dup
  %r = call double (ptr, ...) @__verso_grad(ptr @caller, i32 %dup, ptr %p, ptr %dp)
  %s = call double (ptr, ...) @__verso_grad(ptr @joined, i32 %dup, ptr %p, ptr %dp)
  ret void
}

; CHECK: define internal void @verso.register_halves()
; CHECK: call void @__verso_register_half(i32 3)
; CHECK-NOT: call
; CHECK: ret void

@verso_dup = external global i32
declare double @__verso_grad(ptr, ...)
declare void @opaque(ptr, ptr, ptr) "verso_inactive"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
