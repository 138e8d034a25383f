; A recursive function of values is reversed by itself. Where its result is a sum,
; one function does both sweeps and hands the adjoint down; where there is a
; product, activations keep records, and the verso is a loop over them without
; branches.

; LLVM 19 has factors in another order.
; REQUIRES: llvm22
; RUN: %opt_verso -verso-strategy=structured -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%node = type { double, ptr, ptr }

; CHECK-NOT: __verso_begin(

define double @sum(ptr %x, i32 %n, double %y) {
entry:
  %last = icmp eq i32 %n, 0
  br i1 %last, label %leaf, label %inner
leaf:
  ret double %y
inner:
  %m = sub i32 %n, 1
  %a = load double, ptr %x
  %s = call double @sum(ptr %x, i32 %m, double %y)
  %as = fmul double %a, %s
  %r = fadd double %as, 1.0
  ret double %r
}

define double @product(ptr %n) {
entry:
  %empty = icmp eq ptr %n, null
  br i1 %empty, label %leaf, label %inner
leaf:
  ret double 1.0
inner:
  %pl = getelementptr %node, ptr %n, i64 0, i32 1
  %l = load ptr, ptr %pl
  %a = call double @product(ptr %l)
  %pr = getelementptr %node, ptr %n, i64 0, i32 2
  %r = load ptr, ptr %pr
  %b = call double @product(ptr %r)
  %ab = fmul double %a, %b
  %v = load double, ptr %n
  %s = fadd double %ab, %v
  ret double %s
}

; A leaf is not called, and what comes back is {s, y'}.
; CHECK-LABEL: define internal { double, double } @sum.member.both(
; CHECK-SAME: ptr [[DX:%x.shadow]], double [[SEED:%seed]])
; CHECK-NOT: arena
; CHECK: [[A:%a]] = load double, ptr %x
; CHECK: [[DOWN:%[0-9a-z.]+]] = fmul double [[SEED]], [[A]]
; CHECK: call { double, double } @sum.member.both({{.*}} ptr [[DX]], double [[DOWN]])
; CHECK: [[Y:%y.adjoint[.0-9]*]] = phi double
; CHECK: [[S:%[0-9a-z.]+]] = phi double
; CHECK: [[TO:%[0-9a-z.]+]] = fmul double [[SEED]], [[S]]
; CHECK: [[OLD:%[0-9a-z.]+]] = load double, ptr [[DX]]
; CHECK: [[NEW:%[0-9a-z.]+]] = fadd nsz double [[OLD]], [[TO]]
; CHECK: store double [[NEW]], ptr [[DX]]
; CHECK: insertvalue { double, double } {{.*}}, double [[Y]], 1
; CHECK: ret { double, double }

; The value is not asked for: the recto of the sum is gone, and nothing is kept.
; CHECK-LABEL: define internal double @verso.gradient.sum(
; CHECK-NOT: arena
; CHECK: call { double, double } @sum.member.both(ptr {{.*}}, i32 {{.*}}, double {{.*}}, ptr {{.*}}, double 1.0{{.*}})
; CHECK-NOT: call
; CHECK: ret double

; CHECK-LABEL: define internal double @product.member.recto(
; CHECK: [[MINE:%record]] = load ptr
; CHECK: call ptr @__verso_arena_extend(
; CHECK: call double @product.member.recto(
; CHECK: phi ptr [ {{.*}} ], [ [[MINE]],
; CHECK: call double @product.member.recto(
; CHECK: phi ptr [ {{.*}} ], [ [[MINE]],

; CHECK-LABEL: define internal void @product.member.verso(
; CHECK: [[RECORD:%record[0-9a-z.]*]] = phi ptr
; CHECK-NOT: br i1
; CHECK: [[THIS:%[0-9a-z.]+]] = load double, ptr [[RECORD]]
; CHECK-COUNT-3: store double
; CHECK: br i1
; CHECK-NOT: call
; CHECK: ret void

; CHECK-LABEL: define internal void @verso.gradient.product(
; CHECK: [[START:%[0-9a-z.]+]] = {{.*}}call ptr @__verso_arena_take(
; CHECK: call double @product.member.recto(ptr {{.*}}, ptr {{.*}}, ptr {{.*}}%cursor)
; CHECK: store double 1.0{{.*}}, ptr [[START]]
; CHECK: call void @product.member.verso(ptr {{.*}}[[START]],

define double @request(ptr %x, ptr %dx, double %y) {
  %d = call double (ptr, ...) @__verso_grad(ptr @sum, ptr %x, ptr %dx, i32 3, double %y)
  ret double %d
}
define void @of_product(ptr %n, ptr %d) {
  call void (ptr, ...) @__verso_grad_void(ptr @product, ptr %n, ptr %d)
  ret void
}
declare double @__verso_grad(ptr, ...)
declare void @__verso_grad_void(ptr, ...)
