; Many directions. The tangents of a local object of numbers of one type lie side
; by side, so an access is one of a vector (SideBySide.h). Operations that one
; result needs have no tangents: its partials by their sources are computed once
; for all directions (Cones.h). Where a loop adds up such results and needs the
; sum for nothing else, the partials are added up too, and the directions wait
; for the end of the loop (LoopSums.h).

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Five directions in a vector of eight, 64 bytes for each 8 of the primal.
; CHECK-LABEL: define internal {{.*}} @side_by_side.tangent(
; CHECK-SAME: double %x, i64 %i, <8 x double> [[DX:%[0-9]+]])
; CHECK: alloca [256 x i8], align 64
; CHECK: store <8 x double> [[DX]], ptr
; CHECK: [[STEP:%[0-9]+]] = shl {{.*}}i64 %i, 6
; CHECK: getelementptr {{.*}}i8, ptr {{.*}}, i64 [[STEP]]
; CHECK: store <8 x double> zeroinitializer, ptr
; CHECK: load <8 x double>, ptr
; CHECK-NOT: {{load|store}} double, ptr %{{[0-9]}}
; CHECK-NOT: __verso
; CHECK: ret
define double @side_by_side(double %x, i64 %i) {
  %a = alloca [4 x double], align 16
  store double %x, ptr %a, align 8
  %q = getelementptr inbounds double, ptr %a, i64 %i
  store double 2.0, ptr %q, align 8
  %l = load double, ptr %a, align 8
  ret double %l
}

; An object that is read as something else too has a sibling for each direction.
; CHECK-LABEL: define internal {{.*}} @of_two_types.tangent(
; CHECK-COUNT-6: alloca [4 x double]
; CHECK-NOT: store <8 x double>
; CHECK: ret
define double @of_two_types(double %x, i64 %i) {
  %a = alloca [4 x double], align 16
  store double %x, ptr %a, align 8
  %f = load float, ptr %a, align 8
  %e = fpext float %f to double
  %q = getelementptr inbounds double, ptr %a, i64 %i
  %l = load double, ptr %q, align 8
  %s = fadd double %e, %l
  ret double %s
}

; One product a source, whatever is between.
; CHECK-LABEL: define internal {{.*}} @cone.tangent(
; CHECK-COUNT-2: fmul <8 x double>
; CHECK: fadd <8 x double>
; CHECK-NOT: {{fmul|fadd|fsub}} <8 x double>
; CHECK: ret
define double @cone(double %x, double %y) {
  %a = fmul double %x, %y
  %b = fadd double %a, %x
  %c = fmul double %b, %b
  %d = fsub double %c, %y
  %e = call double @llvm.sin.f64(double %d)
  ret double %e
}

; In the loop the weights of the array's cells are added up, and no vector is
; touched; behind it each cell is done once.
; CHECK-LABEL: define internal {{.*}} @sum.tangent(
; CHECK: loop:
; CHECK-NOT: <8 x double>
; CHECK: store double
; CHECK-NOT: <8 x double>
; CHECK: br i1 {{.*}}label %loop
; CHECK-NOT: label %loop
; CHECK: load {{.*}}double{{>?}}, ptr
; CHECK: fmul <8 x double>
; CHECK: fadd <8 x double>
; CHECK: ret
define double @sum(double %x, ptr %data, i64 %n) {
entry:
  %a = alloca [4 x double], align 16
  %a1 = getelementptr inbounds i8, ptr %a, i64 8
  %x2 = fmul double %x, %x
  store double %x, ptr %a, align 8
  store double %x2, ptr %a1, align 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %t, %loop ]
  %j = and i64 %i, 1
  %p = getelementptr inbounds double, ptr %a, i64 %j
  %l = load double, ptr %p, align 8
  %q = getelementptr inbounds double, ptr %data, i64 %i
  %d = load double, ptr %q, align 8
  %m = fmul double %l, %d
  %mm = fmul double %m, %m
  %t = fadd double %s, %mm
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret double %t
}

declare double @llvm.exp.f64(double)
declare [5 x double] @__verso_jvp_wide(ptr, ...)
@verso_const = external global i32
@verso_width = external global i32
define void @requests(double %x, ptr %p, i64 %n) {
  %k = load i32, ptr @verso_const
  %w = load i32, ptr @verso_width
  %1 = call [5 x double] (ptr, ...) @__verso_jvp_wide(ptr @side_by_side, i32 %w, i32 5, double %x, double 1.0, double 1.0, double 1.0, double 1.0, double 1.0, i64 1)
  %2 = call [5 x double] (ptr, ...) @__verso_jvp_wide(ptr @of_two_types, i32 %w, i32 5, double %x, double 1.0, double 1.0, double 1.0, double 1.0, double 1.0, i64 1)
  %3 = call [5 x double] (ptr, ...) @__verso_jvp_wide(ptr @cone, i32 %w, i32 5, double %x, double 1.0, double 1.0, double 1.0, double 1.0, double 1.0, double %x, double 1.0, double 1.0, double 1.0, double 1.0, double 1.0)
  %4 = call [5 x double] (ptr, ...) @__verso_jvp_wide(ptr @sum, i32 %w, i32 5, double %x, double 1.0, double 1.0, double 1.0, double 1.0, double 1.0, i32 %k, ptr %p, i64 %n)
  ret void
}
