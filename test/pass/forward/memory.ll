; Tangents in memory: in a sibling of a local object, in the user's shadow, or
; where the request maps the cell (p + delta). Mapped tangents are zero until
; written: the page is noted before its first tangent, and zeros are not written
; to a page that is not noted.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}

; A local object whose address nobody else learns has a sibling; it starts as
; zeros. No runtime, no context.
; CHECK-LABEL: define internal double @verso.jvp.local(
; CHECK: @local.tangent(ptr null,
; CHECK-LABEL: define internal { double, double } @local.tangent(
; CHECK-SAME: i64 %i, double [[DX:%[0-9]+]])
; CHECK: %a = alloca [4 x double], align 16
; CHECK: [[DA:%[0-9]+]] = alloca [4 x double], align 16
; CHECK: call void @llvm.memset.p0.i64({{.*}}[[DA]], i8 0, i64 32, i1 false)
; CHECK: store double %x, ptr %a
; CHECK: store double [[DX]], ptr [[DA]]
; CHECK: [[DQ:%[0-9]+]] = getelementptr double, ptr [[DA]], i64 %i
; CHECK: store double 2.0{{.*}}, ptr %q
; CHECK: store double 0.0{{.*}}, ptr [[DQ]]
; CHECK: load double, ptr [[DA]]
; CHECK-NOT: __verso
; CHECK: ret { double, double }
define double @local(double %x, i64 %i) {
  %a = alloca [4 x double], align 16
  store double %x, ptr %a
  %q = getelementptr double, ptr %a, i64 %i
  store double 2.0, ptr %q
  %l = load double, ptr %a
  %r = fmul double %l, %l
  ret double %r
}

; The user's shadow, where the request itself gave it: an access beside an
; access, and no question asked.
; CHECK-LABEL: define internal void @verso.jvp.users(
; CHECK: @users.tangent(ptr null,
; CHECK-LABEL: define internal void @users.tangent(
; CHECK-SAME: ptr %p, double %x, ptr [[SHADOW:%[0-9]+]])
; CHECK-NEXT: %l = load double, ptr %p
; CHECK-NEXT: [[DL:%[0-9]+]] = load double, ptr [[SHADOW]]
; CHECK-NEXT: %m = fmul double {{%x, %l|%l, %x}}
; CHECK-NEXT: [[DM:%[0-9]+]] = fmul double {{(%x, )?}}[[DL]]{{(, %x)?$}}
; CHECK-NEXT: store double %m, ptr %p
; CHECK-NEXT: store double [[DM]], ptr [[SHADOW]]
; CHECK-NEXT: ret void
define void @users(ptr %p, double %x) {
  %l = load double, ptr %p
  %m = fmul double %l, %x
  store double %m, ptr %p
  ret void
}

; Mapped: the page of p + delta is looked up, and the runtime told when it is
; clean; then an ordinary store. The context begins and ends with the request.
; CHECK-LABEL: define internal double @verso.jvp.mapped_store(
; CHECK: [[C:%[0-9]+]] = {{.*}}call ptr @__verso_begin_tangents(ptr nonnull @verso.where{{[.0-9]*}}, ptr %{{[0-9]+}}, i32 1)
; CHECK: @mapped_store.tangent(ptr [[C]],
; CHECK: call void @__verso_end_tangents(ptr [[C]])
; CHECK-LABEL: define internal { double, double } @mapped_store.tangent(
; CHECK-SAME: ptr %verso, double %x, ptr %p, double [[DX:%[0-9]+]])
; CHECK: [[DIRTY:%[0-9]+]] = load ptr, ptr %verso,
; CHECK: [[DELTA:%[0-9]+]] = load i64, ptr
; CHECK: store double %x, ptr %p
; CHECK: [[P:%[0-9]+]] = ptrtoint ptr %p to i64
; CHECK: [[AT:%[0-9]+]] = add i64 [[DELTA]], [[P]]
; CHECK: [[PAGE:%[0-9]+]] = lshr i64 [[AT]], 12
; CHECK: [[FLAG:%[0-9]+]] = getelementptr i8, ptr [[DIRTY]], i64 [[PAGE]]
; CHECK: [[SET:%[0-9]+]] = load i8, ptr [[FLAG]]
; CHECK: [[CLEAN:%[0-9]+]] = icmp eq i8 [[SET]], 0
; CHECK: br i1 [[CLEAN]], {{.*}} !prof
; CHECK: call void @__verso_touch_tangents(ptr nonnull %verso, ptr nonnull %p, i64 8)
; CHECK: [[CELL:%[0-9]+]] = inttoptr i64 [[AT]] to ptr
; CHECK: store double [[DX]], ptr [[CELL]]
; CHECK-NOT: call
; CHECK: ret { double, double }
define double @mapped_store(double %x, ptr %p) {
  store double %x, ptr %p
  %l = load double, ptr %p
  ret double %l
}

; A constant is stored: its tangent, zero, is written where the page is noted
; only, and nothing is noted for it.
; CHECK-LABEL: define internal { double, double } @mapped_constant.tangent(
; CHECK: store double 2.0{{.*}}, ptr %p
; CHECK: [[SET:%[0-9]+]] = load i8, ptr
; CHECK: [[CLEAN:%[.a-z0-9]+]] = icmp eq i8 [[SET]], 0
; CHECK: br i1 [[CLEAN]], label %[[JOIN:[0-9]+]], label %{{[0-9]+}}
; CHECK: store double 0.0{{.*}}, ptr
; CHECK: [[JOIN]]:
; CHECK-NOT: __verso
; CHECK: ret { double, double }
define double @mapped_constant(double %x, ptr %p) {
  store double 2.0, ptr %p
  %s = fadd double %x, 1.0
  ret double %s
}

; A load of mapped tangents asks nothing: they are zero if nobody wrote.
; CHECK-LABEL: define internal { double, double } @mapped_load.tangent(
; CHECK: %l = load double, ptr %p
; CHECK: load double, ptr
; CHECK-NOT: load i8
; CHECK-NOT: call
; CHECK: ret { double, double }
define double @mapped_load(double %x, ptr %p, ptr %q) {
  store double %x, ptr %q
  %l = load double, ptr %p
  %s = fmul double %x, %l
  ret double %s
}

; What the request has not written has no tangent (FreshMemory.h), behind
; pointers that it has not written either; local objects are others.
; CHECK-LABEL: define internal { double, double } @fresh.tangent(
; CHECK: load double, ptr %p
; CHECK: load ptr, ptr %q
; CHECK: load double, ptr %r
; CHECK-NOT: {{load|call}}
; CHECK: ret { double, double }
define double @fresh(double %x, ptr %p, ptr %q) {
  %a = alloca double
  store double %x, ptr %a
  %l = load double, ptr %p
  %r = load ptr, ptr %q
  %k = load double, ptr %r
  %lk = fadd double %l, %k
  %s = fmul double %x, %lk
  ret double %s
}

; A function that hands on what it was given has written nothing either.
; CHECK-LABEL: define internal { double, double } @reads.tangent(
; CHECK: load double, ptr %p
; CHECK-NOT: {{load|call}}
; CHECK: ret { double, double }
define double @hands_on(double %x, ptr %p) {
  %r = call double @reads(double %x, ptr %p)
  ret double %r
}
define double @reads(double %x, ptr %p) noinline {
  %l = load double, ptr %p
  %s = fmul double %x, %l
  ret double %s
}

; In a callee a shadow may be the user's or the mapped one, if something may have
; been written before: the page check is guarded, without a branch of its own, by
; which of them it is.
; CHECK-LABEL: define internal void @in_callee.tangent(
; CHECK: store double %x, ptr %q
; CHECK: call void @callee.tangent(ptr {{(nonnull )?}}%verso,
; CHECK-LABEL: define internal void @callee.tangent(
; CHECK-SAME: ptr %p, double %x, ptr [[SHADOW:%[0-9]+]])
; CHECK: [[MAPPED:%[0-9]+]] = icmp eq ptr {{(%[0-9]+, )?}}[[SHADOW]]{{(, %[0-9]+)?$}}
; CHECK: [[CLEAN:%[0-9]+]] = icmp eq i8
; CHECK: [[BOTH:%[0-9]+]] = and i1 [[MAPPED]], [[CLEAN]]
; CHECK: br i1 [[BOTH]], {{.*}} !prof
; CHECK: call void @__verso_touch_tangents(ptr nonnull %verso, ptr nonnull %p, i64 8)
; CHECK: store double %{{[0-9]+}}, ptr [[SHADOW]]
; CHECK: ret void
define void @in_callee(ptr %p, ptr %q, double %x) {
  store double %x, ptr %q
  call void @callee(ptr %p, double %x)
  ret void
}
define void @callee(ptr %p, double %x) noinline {
  %l = load double, ptr %p
  %m = fmul double %l, %x
  store double %m, ptr %p
  ret void
}

; Two directions: two shadows, and two accesses.
; CHECK-LABEL: define internal void @users.tangent.
; CHECK-SAME: ptr %p, double %x, [2 x ptr] [[SHADOWS:%[0-9]+]])
; CHECK-DAG: [[S0:%[0-9.a-z]+]] = extractvalue [2 x ptr] [[SHADOWS]], 0
; CHECK-DAG: [[S1:%[0-9.a-z]+]] = extractvalue [2 x ptr] [[SHADOWS]], 1
; CHECK-DAG: store double %{{[0-9]+}}, ptr [[S0]]
; CHECK-DAG: store double %{{[0-9]+}}, ptr [[S1]]
; CHECK-NOT: __verso
; CHECK: ret void

declare double @__verso_jvp_scalar(ptr, ...)
declare void @__verso_jvp_void(ptr, ...)
@verso_const = external global i32
@verso_dup = external global i32
@verso_width = external global i32
define double @requests(double %x, ptr %p, ptr %dp, ptr %dq) {
  %k = load i32, ptr @verso_const
  %d = load i32, ptr @verso_dup
  %w = load i32, ptr @verso_width
  %1 = call double (ptr, ...) @__verso_jvp_scalar(ptr @local, double %x, double 1.0, i64 1)
  call void (ptr, ...) @__verso_jvp_void(ptr @users, i32 %d, ptr %p, ptr %dp, i32 %k, double %x)
  %2 = call double (ptr, ...) @__verso_jvp_scalar(ptr @mapped_store, double %x, double 1.0, i32 %k, ptr %p)
  %3 = call double (ptr, ...) @__verso_jvp_scalar(ptr @mapped_constant, double %x, double 1.0, i32 %k, ptr %p)
  %4 = call double (ptr, ...) @__verso_jvp_scalar(ptr @mapped_load, double %x, double 1.0, i32 %k, ptr %p, i32 %k, ptr %p)
  %5 = call double (ptr, ...) @__verso_jvp_scalar(ptr @fresh, double %x, double 1.0, i32 %k, ptr %p, i32 %k, ptr %p)
  %6 = call double (ptr, ...) @__verso_jvp_scalar(ptr @hands_on, double %x, double 1.0, i32 %k, ptr %p)
  call void (ptr, ...) @__verso_jvp_void(ptr @in_callee, i32 %d, ptr %p, ptr %dp, i32 %k, ptr %dq, i32 %k, double %x)
  call void (ptr, ...) @__verso_jvp_void(ptr @users, i32 %w, i32 2, i32 %d, ptr %p, ptr %dp, ptr %dq, i32 %k, double %x)
  ret double %1
}
