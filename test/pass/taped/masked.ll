; Masked accesses of code that was vectorised before are taken apart, for any
; target: there the loads and stores that are left are differentiated.

; The intrinsics have other parameters in LLVM 19.
; REQUIRES: llvm22
; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal void @f.twin(
; CHECK-NOT: call {{.*}}@llvm.masked
; CHECK: load double
; CHECK: call {{.*}}@__verso_grow
define void @f(ptr %x, <2 x ptr> %from, <2 x i1> %mask) #0 {
  %v = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x, <2 x i1> %mask, <2 x double> zeroinitializer)
  %g = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> align 8 %from, <2 x i1> %mask, <2 x double> %v)
  %w = fmul <2 x double> %v, %g
  call void @llvm.masked.store.v2f64.p0(<2 x double> %w, ptr align 8 %x, <2 x i1> %mask)
  call void @llvm.masked.scatter.v2f64.v2p0(<2 x double> %v, <2 x ptr> align 8 %from, <2 x i1> %mask)
  ret void
}

define void @gradient(ptr %x, ptr %dx, <2 x ptr> %from, <2 x i1> %mask) #0 {
  call void (ptr, ...) @__verso_grad(ptr @f, ptr @verso_dup, ptr %x, ptr %dx, ptr @verso_const, <2 x ptr> %from, ptr @verso_const, <2 x i1> %mask)
  ret void
}
@verso_dup = external global i32
@verso_const = external global i32
declare void @__verso_grad(ptr, ...)
attributes #0 = { "target-features"="+avx512f,+avx512vl" }
