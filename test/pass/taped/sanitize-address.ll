; Under AddressSanitizer what a twin takes over from its function is checked, and
; what it adds is not: IDs, images and positions are in memory of our own. The
; reverse sweep, which goes through the user's shadows, is checked.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define internal void @verso.gradient.f({{.*}} [[REQUEST:#[0-9]+]] {
; CHECK: define internal { double, i32 } @f.twin({{.*}} [[TWIN:#[0-9]+]] {
; CHECK: load i32, ptr %{{[0-9]+}}, {{.*}}!nosanitize
; CHECK: %a = load double, ptr %p, align 8{{$}}
; CHECK: load i64, ptr %{{[0-9]+}}, align 1, {{.*}}!nosanitize
; CHECK: ret { double, i32 }
; CHECK: define internal void @__verso_release({{.*}} [[SWEEP:#[0-9]+]] {
; CHECK: define internal void @__verso_resolve({{.*}} [[SWEEP]] {
; CHECK-DAG: attributes [[REQUEST]] = { {{.*}}sanitize_address
; CHECK-DAG: attributes [[TWIN]] = { {{.*}}sanitize_address
; CHECK-DAG: attributes [[SWEEP]] = { {{.*}}sanitize_address
define double @f(ptr %p) sanitize_address {
  %a = load double, ptr %p, align 8
  ret double %a
}
declare void @__verso_grad_void(ptr, ...)
@verso_dup = external global i32
define void @request(ptr %p, ptr %dp) sanitize_address {
  %d = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad_void(ptr @f, i32 %d, ptr %p, ptr %dp)
  ret void
}
