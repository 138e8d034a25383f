; What a copy is known to copy, from a struct's description or the tag of its
; elements, gets leaves of its type, where it comes from memory with a shadow; the
; rest gets raw ones. Members of unions and arrays are described as bytes.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: @verso.record = private unnamed_addr constant [6 x i32] [i32 0, i32 8, i32 4, i32 8, i32 4, i32 3]
; CHECK-LABEL: define internal void @f.twin(
; CHECK-SAME: ptr %to, ptr %from, i64 %n
; CHECK: call void @__verso_touch_records_claimed(ptr {{.*}}%verso, ptr {{.*}}%from, ptr [[SHADOW:%[0-9]+]], i64 24, ptr {{.*}}@verso.record, i64 2, i64 24)
; CHECK-NOT: __verso_touch_numbers
; CHECK: call void @__verso_touch_claimed(ptr {{.*}}%verso, ptr {{.*}}%from, ptr {{.*}}[[SHADOW]], i64 24)
; CHECK: call void @__verso_copy_claimed(
; CHECK: call void @__verso_touch_numbers_claimed(ptr {{.*}}%verso, ptr {{.*}}%from, ptr {{.*}}[[SHADOW]], i64 %n, i32 1)
; CHECK: call void @__verso_copy_claimed(
; CHECK-NOT: __verso_touch_numbers
; CHECK: call void @__verso_copy_claimed(
; CHECK: ret void
define void @f(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 24, i1 false), !tbaa.struct !0
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false), !tbaa !1
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

define void @gradient(ptr %to, ptr %dto, ptr %from, ptr %dfrom, i64 %n) {
  call void (ptr, ...) @__verso_vjp(ptr @f, ptr %to, ptr %dto, ptr %from, ptr %dfrom, i64 %n)
  ret void
}
declare void @__verso_vjp(ptr, ...)

!0 = !{i64 0, i64 8, !1, i64 8, i64 4, !2, i64 16, i64 8, !3}
!1 = !{!4, !4, i64 0}
!2 = !{!5, !5, i64 0}
!3 = !{!6, !6, i64 0}
!4 = !{!"double", !6, i64 0}
!5 = !{!"float", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
