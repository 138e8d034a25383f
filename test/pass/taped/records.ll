; What an operation writes to the tape: partials, operands, header, in the
; layout of include/verso/Layout.h; the record has the number `next`, which is
; the ID of the result. The operations of a block are preaccumulated: one record
; for each value that leaves it, whose partials are computed here and now. A
; segment asks for room once.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; A record of two contributions: 8 bytes each for the partials, then 4 each for
; the operands, then n << 3 (with the top bit where an operand may be direct). The cursor and the next ID move in registers and
; are written back at the end.
; CHECK-LABEL: define internal { double, i32 } @product.twin(
; CHECK-SAME: ptr %verso, double %x, double %y, i32 [[X:%[0-9]+]], i32 [[Y:%[0-9]+]])
; CHECK: [[FULL:%[0-9]+]] = icmp ugt ptr %{{[0-9]+}}, %{{[0-9]+}}
; CHECK: br i1 [[FULL]], {{.*}} !prof
; CHECK: call void @__verso_grow(ptr nonnull %verso)
; CHECK: [[CURSOR:%verso.cursor[.0-9]*]] = phi ptr
; CHECK: [[AT:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr %verso, i64 48
; CHECK: [[NEXT:%verso.next[.0-9a-z]*]] = load i64, ptr [[AT]]
; CHECK: %p = fmul double %x, %y
; CHECK: store double %y, ptr [[CURSOR]], align 4
; CHECK: [[A8:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr [[CURSOR]], i64 8
; CHECK: store double %x, ptr [[A8]], align 4
; CHECK: [[A16:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr [[CURSOR]], i64 16
; CHECK: store i32 [[X]], ptr [[A16]], align 4
; CHECK: [[A20:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr [[CURSOR]], i64 20
; CHECK: store i32 [[Y]], ptr [[A20]], align 4
; CHECK: [[A24:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr [[CURSOR]], i64 24
; CHECK: store i32 16, ptr [[A24]], align 4
; CHECK-DAG: [[A28:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr [[CURSOR]], i64 28
; CHECK-DAG: [[LATER:%[0-9]+]] = add nuw nsw i64 [[NEXT]], 1
; CHECK-DAG: [[ID:%[0-9]+]] = trunc nuw i64 [[NEXT]] to i32
; CHECK: store ptr [[A28]], ptr %verso
; CHECK: store i64 [[LATER]], ptr [[AT]]
; CHECK: insertvalue { double, i32 } {{.*}}, i32 [[ID]], 1
define double @product(double %x, double %y) {
  %p = fmul double %x, %y
  ret double %p
}

; 3 (x^2 - y) + x: four operations, one record, d/dx = 6 x + 1, d/dy = -3.
; CHECK-LABEL: define internal { double, i32 } @cone.twin(
; CHECK-SAME: i32 [[X:%[0-9]+]], i32 [[Y:%[0-9]+]])
; CHECK-COUNT-1: icmp ugt ptr
; CHECK-NOT: icmp ugt ptr
; CHECK: [[THREE:%[0-9]+]] = fmul double %x, 3.0
; CHECK: [[PLUS:%[0-9]+]] = fadd double [[THREE]], 1.0
; CHECK: [[DX:%[0-9]+]] = fadd double [[PLUS]], [[THREE]]
; CHECK: store double [[DX]], ptr %verso.cursor
; CHECK: store double -3.0{{.*}}, ptr
; CHECK: store i32 [[X]], ptr
; CHECK: store i32 [[Y]], ptr
; CHECK: store i32 16, ptr
; CHECK-NOT: store double
; CHECK: ret { double, i32 }
define double @cone(double %x, double %y) {
  %a = fmul double %x, %x
  %b = fsub double %a, %y
  %c = fmul double %b, 3.0
  %d = fadd double %c, %x
  ret double %d
}

; A sum with constants has the ID of its operand.
; CHECK-LABEL: define internal { double, i32 } @partial_of_one.twin(
; CHECK-SAME: double %x, i32 [[X:%[0-9]+]])
; CHECK-NOT: store
; CHECK: insertvalue { double, i32 } {{.*}}, i32 [[X]], 1
; CHECK-NOT: store
; CHECK: ret { double, i32 }
define double @partial_of_one(double %x) {
  %a = fadd double %x, 3.0
  %b = fsub double %a, 1.0
  ret double %b
}

; Nothing is written for an operation on constants only, nor for an operand
; that is one.
; CHECK-LABEL: define internal { double, i32 } @beside_a_constant.twin(
; CHECK-SAME: double %x, double %c, i32 [[X:%[0-9]+]])
; CHECK: %b = fmul double {{%x, %a|%a, %x}}
; CHECK: store double %a, ptr [[CURSOR:%verso.cursor[.0-9]*]]
; CHECK: store i32 [[X]], ptr
; CHECK: [[A12:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr [[CURSOR]], i64 12
; CHECK: store i32 8, ptr [[A12]]
; CHECK-NOT: store double
; CHECK: ret { double, i32 }
define double @beside_a_constant(double %x, double %c) {
  %a = fmul double %c, %c
  %b = fmul double %x, %a
  ret double %b
}

; A value that leaves the cone, here into memory, has a record of its own, and
; what comes after refers to it.
; CHECK-LABEL: define internal { double, i32 } @leaves.twin(
; CHECK-SAME: i32 [[X:%[0-9]+]])
; CHECK: [[NEXT:%verso.next[.0-9a-z]*]] = load i64
; CHECK: [[DX:%[0-9]+]] = fadd double %x, %x
; CHECK: store double [[DX]], ptr %verso.cursor
; CHECK: store i32 [[X]], ptr
; CHECK: store i32 8, ptr
; CHECK: [[FIRST:%[0-9]+]] = trunc nuw i64 [[NEXT]] to i32
; CHECK-DAG: store double %a, ptr %{{[0-9]+}}, align 4
; CHECK-DAG: store i32 [[FIRST]], ptr
; CHECK-DAG: store i32 [[X]], ptr
; CHECK: store i32 16, ptr
; CHECK-DAG: add nuw nsw i64 [[NEXT]], 2
; CHECK-DAG: [[SECOND:%[0-9]+]] = add i32 [[FIRST]], 1
; CHECK: insertvalue { double, i32 } {{.*}}, i32 [[SECOND]], 1
define double @leaves(double %x, ptr noalias %p) {
  %a = fmul double %x, %x
  store double %a, ptr %p
  %b = fmul double %a, %x
  ret double %b
}

; sqrt has no finite partial at 0: where the adjoint of its result is zero, so
; is its contribution.
; CHECK-LABEL: define internal { double, i32 } @singular.twin(
; CHECK: %a = {{.*}}call double @llvm.sqrt.f64(double %x)
; CHECK: [[PARTIAL:%[0-9]+]] = fdiv double 5.0{{.*}}, %a
; CHECK: [[TERM:%[0-9]+]] = fmul double {{.*}}[[PARTIAL]]
; CHECK: [[ZERO:%[0-9]+]] = fcmp oeq double %s, 0.0
; CHECK: [[SAFE:%[0-9]+]] = select i1 [[ZERO]], double 0.0{{.*}}, double [[TERM]]
; CHECK: store double [[SAFE]], ptr
define double @singular(double %x, double %s) {
  %a = call double @llvm.sqrt.f64(double %x)
  %b = fmul double %a, %s
  ret double %b
}

; One check for all records of a segment; a call of a twin ends it. Before the
; call, cursor and next are handed over, and taken back after it.
; CHECK-LABEL: define internal { double, i32 } @segments.twin(
; CHECK: icmp ugt ptr
; CHECK: call void @__verso_grow(
; CHECK-NOT: icmp ugt ptr
; CHECK: fmul double %x, %y
; CHECK: store i32 16, ptr
; CHECK: store i32 16, ptr
; CHECK-NOT: icmp ugt ptr
; CHECK: store ptr %{{[0-9]+}}, ptr %verso,
; CHECK: store i64 %{{[0-9]+}}, ptr
; CHECK-NEXT: call void @writes.twin(ptr nonnull %verso, double %x, i32 %{{[0-9]+}})
; CHECK: load ptr, ptr %verso,
; CHECK: icmp ugt ptr
; CHECK: call void @__verso_grow(
; CHECK-NOT: icmp ugt ptr
; CHECK: ret { double, i32 }
define double @segments(double %x, double %y, ptr %p, ptr %q) {
  %a = fmul double %x, %y
  store double %a, ptr %p
  %b = fmul double %a, %y
  store double %b, ptr %q
  call void @writes(double %x)
  %c = fmul double %b, %x
  ret double %c
}
define void @writes(double %x) noinline {
  %y = fmul double %x, %x
  store volatile double %y, ptr @g
  ret void
}
@g = internal global double 0.0

; A partial of 1 is not written (SUM, 1): one partial for two operands.
; CHECK-LABEL: define internal { double, i32 } @sum.twin(
; CHECK-SAME: i32 [[X:%[0-9]+]], i32 [[Y:%[0-9]+]])
; CHECK: store double 3.0{{.*}}, ptr [[CURSOR:%verso.cursor[.0-9]*]]
; CHECK: [[A8:%[0-9]+]] = getelementptr inbounds{{( nuw)?}} i8, ptr [[CURSOR]], i64 8
; CHECK: store i32 [[X]], ptr [[A8]]
; CHECK: store i32 [[Y]], ptr
; CHECK: store i32 17, ptr
; CHECK: ret { double, i32 }
define double @sum(double %x, double %y) {
  %a = fmul double %y, 3.0
  %b = fadd double %x, %a
  ret double %b
}

; Partials that stay the same in a loop are written before it, aligned to 32
; bytes (BLOCK, 6); the records, if there are several, hold the operand, the number of that block and
; the header (SHARED, 2).
; CHECK-LABEL: define internal { double, i32 } @shared.twin(
; CHECK-SAME: i32 [[X:%[0-9]+]])
; CHECK: [[OFFSET:%[0-9]+]] = and i64 %{{[0-9]+}}, -32
; CHECK: [[BLOCK:%[0-9]+]] = getelementptr i8, ptr %{{[0-9]+}}, i64 [[OFFSET]]
; CHECK: store double %c, ptr [[BLOCK]]
; CHECK: [[KIND:%[0-9]+]] = or i32 %{{[0-9]+}}, 6
; CHECK: [[HEADER:%[0-9]+]] = add i32 [[KIND]], 16
; CHECK: store i32 [[HEADER]], ptr
; CHECK: [[SHIFTED:%[0-9]+]] = lshr {{.*}}i64 %{{[0-9]+}}, 5
; CHECK: [[NUMBER:%[0-9]+]] = trunc {{.*}}i64 [[SHIFTED]] to i32
; CHECK: loop:
; CHECK: phi ptr
; CHECK-NOT: store double %c
; CHECK: store i32 [[X]], ptr %verso.cursor
; CHECK: store i32 [[NUMBER]], ptr
; CHECK: store i32 10, ptr
; CHECK-NOT: store double %c
; CHECK: ret { double, i32 }
define double @shared(double %x, double %c, ptr noalias %q, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %y = fmul double %x, %c
  %at = getelementptr double, ptr %q, i64 %i
  store volatile double %y, ptr %at
  %w = fmul double %y, %c
  store volatile double %w, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret double %x
}

; What is chosen among records, leaves and what memory without a shadow holds is
; no direct ID: the header has no top bit. What comes through a pointer with a
; shadow may be one.
; CHECK-LABEL: define internal { double, i32 } @chosen.twin(
; CHECK: store i32 16, ptr
; CHECK: ret { double, i32 }
define double @chosen(ptr %local, i64 %n, i1 %c) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %s.next, %loop ]
  %at = getelementptr inbounds double, ptr %local, i64 %i
  %x = load double, ptr %at
  %least = select i1 %c, double %x, double %s
  %s.next = fmul double %least, %s
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret double %s.next
}
; CHECK-LABEL: define internal { double, i32 } @maybe_direct.twin(
; CHECK: store i32 -2147483640, ptr
; CHECK: ret { double, i32 }
define double @maybe_direct(ptr %tracked) {
  %x = load double, ptr %tracked
  %y = fmul double %x, %x
  ret double %y
}

; What the loop repeats comes last, and the header says so (2^30): 64 numbers get
; x[i] * y each, and y is read once.
; CHECK-LABEL: define internal void @repeated.twin(
; CHECK: %y = load double, ptr %yp
; CHECK: loop:
; CHECK-NOT: load double, ptr %yp
; CHECK: store i32 {{1073741840|-1073741808}}, ptr
; CHECK: ret void
define void @repeated(ptr noalias %x, ptr noalias %yp, ptr noalias %z) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %a = load double, ptr %at
  %y = load double, ptr %yp
  %p = fmul double %a, %y
  %to = getelementptr inbounds double, ptr %z, i64 %i
  store double %p, ptr %to
  %p2 = fmul double %p, %y
  store double %p2, ptr %at
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, 64
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

declare double @llvm.sqrt.f64(double)
declare double @__verso_grad_scalar(ptr, ...)
declare { double, double } @__verso_grad_pair(ptr, ...)
declare void @__verso_grad_void(ptr, ...)
@verso_const = external global i32
@verso_dup = external global i32

define void @requests(double %x, double %y, ptr %p, ptr %q) {
  %k = load i32, ptr @verso_const
  %1 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @product, double %x, double %y)
  %2 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @cone, double %x, double %y)
  %3 = call double (ptr, ...) @__verso_grad_scalar(ptr @partial_of_one, double %x)
  %4 = call double (ptr, ...) @__verso_grad_scalar(ptr @beside_a_constant, double %x, i32 %k, double %y)
  %5 = call double (ptr, ...) @__verso_grad_scalar(ptr @leaves, double %x, i32 %k, ptr %p)
  %6 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @singular, double %x, double %y)
  %7 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @segments, double %x, double %y, i32 %k, ptr %p, i32 %k, ptr %q)
  %8 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @sum, double %x, double %y)
  %9 = call double (ptr, ...) @__verso_grad_scalar(ptr @shared, double %x, i32 %k, double %y, i32 %k, ptr %q, i64 9)
  %d = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad_void(ptr @chosen, i32 %k, ptr %p, i32 %k, i64 9, i32 %k, i1 true)
  call void (ptr, ...) @__verso_grad_void(ptr @maybe_direct, i32 %d, ptr %p, ptr %q)
  call void (ptr, ...) @__verso_grad_void(ptr @repeated, i32 %d, ptr %p, ptr %q, i32 %d, ptr %p, ptr %q, i32 %d, ptr %p, ptr %q)
  ret void
}
