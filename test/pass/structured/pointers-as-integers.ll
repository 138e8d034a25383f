; A vector of Rust has a buffer, or an address in the first page if it is empty,
; in a structure that LLVM takes apart into integers; a hash map starts with a
; constant table. Chosen among, such integers are pointers.

; RUN: %opt_verso -verso-strategy=structured -passes=verso -S %s | FileCheck %s

; CHECK: define internal {{.*}} @verso.gradient.f(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@empty = internal constant [8 x i8] zeroinitializer, align 8
@verso_dup = external global i32
@verso_const = external global i32
declare void @__verso_grad(...)
declare noalias ptr @malloc(i64)

define double @f(ptr %x, i64 %n, i1 %c) {
  %none = icmp eq i64 %n, 0
  br i1 %none, label %made, label %take
take:
  %bytes = shl i64 %n, 3
  %buffer = call ptr @malloc(i64 %bytes)
  %address = ptrtoint ptr %buffer to i64
  br label %made
made:
  %of = phi i64 [ %address, %take ], [ 8, %0 ]
  %v = select i1 %c, i64 ptrtoint (ptr @empty to i64), i64 %of
  %p = inttoptr i64 %v to ptr
  %y = load double, ptr %x, align 8
  %s = fmul double %y, %y
  br i1 %none, label %end, label %fill
fill:
  store double %s, ptr %p, align 8
  %w = load double, ptr %p, align 8
  %r = fmul double %w, %y
  br label %end
end:
  %result = phi double [ %r, %fill ], [ %s, %made ]
  ret double %result
}

define void @g(ptr %x, ptr %dx, i64 %n, i1 %c) {
  %dup = load i32, ptr @verso_dup, align 4
  %const = load i32, ptr @verso_const, align 4
  call void (...) @__verso_grad(ptr @f, i32 %dup, ptr %x, ptr %dx, i32 %const, i64 %n, i32 %const, i1 %c)
  ret void
}
