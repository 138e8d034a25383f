; A module without a request comes out of the pass as it went in, bit for bit,
; whatever stands in it: names that look like ours, metadata, functions that a
; request would simplify.

; RUN: opt -S %s -o %t.without.ll
; RUN: %opt_verso -passes=verso -S %s -o %t.with.ll
; RUN: cmp %t.without.ll %t.with.ll
; RUN: opt %s -o %t.without.bc
; RUN: %opt_verso -passes=verso %s -o %t.with.bc
; RUN: cmp %t.without.bc %t.with.bc
; RUN: opt -passes='default<O2>' -S %s -o %t.without.ll
; RUN: %opt_verso -passes='default<O2>' -S %s -o %t.with.ll
; RUN: cmp %t.without.ll %t.with.ll

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@verso_dup = external global i32
@table = constant [1 x ptr] [ptr @f]
declare void @__verso_not_a_request(ptr, ...)
declare double @__verso_grad(ptr, ...)

define double @f(ptr %p, i32 %n) noinline optnone {
entry:
  %slot = alloca double, align 8
  %a = load double, ptr %p, align 8, !tbaa !0
  store double %a, ptr %slot, align 8
  %b = load double, ptr %slot, align 8
  %c = fadd double %b, 0.0
  %d = mul i32 %n, 1
  call void (ptr, ...) @__verso_not_a_request(ptr @f, i32 %d)
  ret double %c
}

define i32 @marker() {
  %v = load i32, ptr @verso_dup
  ret i32 %v
}

!0 = !{!1, !1, i64 0}
!1 = !{!"double", !2}
!2 = !{!"root"}
