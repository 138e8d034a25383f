; Memory that is more than arrays of numbers: what the structured strategy emits
; for copied structures, global variables, pointers in the user's structures,
; arrays of variable length, realloc, alignment and variables of the library.

; RUN: %opt_verso -passes=verso -verso-strategy=structured -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%item = type { i64, double, ptr }

@history = internal global [8 x double] zeroinitializer

; A structure that holds more than numbers: the shadow of its pointer is copied
; along in the recto, the adjoint of its number goes back in the verso; the key
; stays out of both.
; CHECK-LABEL: define internal void @verso.gradient.copied(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr {{.*}}%second{{.*}}, i64 24
; CHECK: [[TO:%[0-9]+]] = getelementptr i8, ptr %second{{.*}}.shadow, i64 16
; CHECK: call void @__verso_copy_pointers(ptr [[TO]], ptr {{.*}}%cell{{.*}}.shadow, i64 1,
; CHECK: %p{{.*}}.shadow = load ptr, ptr [[TO]]
; CHECK: call void @__verso_transpose_field_double(ptr {{.*}}%value2{{.*}}.shadow{{[0-9]*}}, ptr {{.*}}%{{.*}}, i64 1,
; CHECK: ret void
define double @copied(ptr noalias %x, i64 %n) {
  %items = alloca [4 x %item]
  %second = getelementptr inbounds %item, ptr %items, i64 %n
  %v = load double, ptr %x
  %key = getelementptr inbounds i8, ptr %items, i64 0
  store i64 %n, ptr %key
  %value = getelementptr inbounds i8, ptr %items, i64 8
  %cell = getelementptr inbounds i8, ptr %items, i64 16
  store double %v, ptr %value
  store ptr %x, ptr %cell
  call void @llvm.memcpy.p0.p0.i64(ptr %second, ptr %items, i64 24, i1 false)
  %value2 = getelementptr inbounds i8, ptr %second, i64 8
  %cell2 = getelementptr inbounds i8, ptr %second, i64 16
  %p = load ptr, ptr %cell2
  %a = load double, ptr %value2
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}

; A global variable has a sibling as long as the request runs. Nobody else names
; it, so nothing is checked.
; CHECK-LABEL: define internal double @verso.gradient.remembered(
; CHECK: %history.shadow = alloca [64 x i8]
; CHECK: call void @llvm.memset.p0.i64(ptr {{.*}}%history.shadow, i8 0, i64 64
; CHECK-NOT: call void @__verso_fail
; CHECK: getelementptr inbounds {{.*}}, ptr %history.shadow, i64 {{.*}}%{{.*}}
; CHECK: ret double
define double @remembered(double %x, i64 %n) {
  %at = getelementptr inbounds [8 x double], ptr @history, i64 0, i64 %n
  store double %x, ptr %at
  %a = load double, ptr @history
  %r = fmul double %a, %x
  ret double %r
}

; A pointer that is stored in the user's structure: its shadow goes into the
; shadow structure, and what was there comes back.
; CHECK-LABEL: define internal void @verso.gradient.linked(ptr %0, ptr %1, ptr %2, ptr %3)
; CHECK: store ptr %2, ptr %0
; CHECK: [[OLD:%[0-9]+]] = load ptr, ptr %1
; CHECK: store ptr %3, ptr %1
; CHECK: store double %{{[0-9]+}}, ptr %3
; CHECK: store ptr [[OLD]], ptr %1
; CHECK: ret void
define void @linked(ptr %node, ptr %other) {
  store ptr %other, ptr %node
  %v = load double, ptr %other
  %next = load ptr, ptr %node
  %d = fmul double %v, 2.0
  store double %d, ptr %next
  ret void
}

; An array of variable length is a block of the arena.
; CHECK-LABEL: define internal double @verso.gradient.varying(
; CHECK-NOT: alloca double
; CHECK: %row{{.*}} = {{.*}}call noalias ptr @__verso_arena_take(i64 [[BYTES:%[0-9]+]])
; CHECK: [[SHADOW:%[0-9]+]] = {{.*}}call noalias ptr @__verso_arena_take(i64 [[BYTES]])
; CHECK: call void @llvm.memset.p0.i64(ptr {{.*}}[[SHADOW]], i8 0, i64 [[BYTES]]
; CHECK: ret double
define double @varying(double %x, i64 %n) {
  %row = alloca double, i64 %n
  %last = getelementptr double, ptr %row, i64 %n
  %at = getelementptr i8, ptr %last, i64 -8
  store double %x, ptr %at
  %a = load double, ptr %row
  %r = fmul double %a, %x
  ret double %r
}

; realloc: both blocks are there until the end, and their shadows are as large as
; the allocator made them.
; CHECK-LABEL: define internal double @verso.gradient.grown(
; CHECK-NOT: @realloc
; CHECK: [[NEW:%[0-9]+]] = {{.*}}call ptr @malloc(i64 %1)
; CHECK: [[OLD:%[0-9]+]] = {{.*}}call i64 @malloc_usable_size(ptr {{.*}}%p{{.*}})
; CHECK: call i64 @llvm.umin.i64(i64 [[OLD]], i64 %1)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr {{.*}}[[NEW]], ptr {{.*}}%p{{.*}}, i64 [[COPIED:%[0-9]+]]
; CHECK: call void @__verso_transpose_copy_double(ptr {{.*}}, ptr {{.*}}, i64 [[COPIED]])
; CHECK: call void @free(
; CHECK: call void @free(
; CHECK: ret double
define double @grown(double %x, i64 %n) {
  %p = call ptr @malloc(i64 8)
  store double %x, ptr %p
  %q = call ptr @realloc(ptr %p, i64 %n)
  %a = load double, ptr %q
  call void @free(ptr %q)
  %r = fmul double %a, %x
  ret double %r
}

; Memory that is aligned for vectors, whose shadow is an ordinary array.
; CHECK-LABEL: define internal void @verso.gradient.aligned(ptr %0, ptr %1)
; CHECK: load double, ptr %0, align 64
; CHECK: load double, ptr %1, align 8
; CHECK: store double %{{[0-9]+}}, ptr %1, align 8
; CHECK: ret void
define double @aligned(ptr %x) {
  %v = load double, ptr %x, align 64
  %r = fmul double %v, %v
  ret double %r
}

; errno changes with every call: it is recorded. The number that is read beside
; it is loaded again.
; CHECK-LABEL: define internal void @verso.gradient.errors(
; CHECK: call double @log(
; CHECK: [[IS:%none.*]] = icmp eq i32 %error
; CHECK: [[BIT:%[0-9]+]] = zext i1 [[IS]] to i8
; CHECK: store i8 [[BIT]]
; CHECK: .verso
; CHECK-NOT: load i32
; CHECK: ret void
define double @errors(ptr %x, i64 %n) {
entry:
  %errno = call ptr @__errno_location()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %at
  %y = call double @log(double %v)
  %error = load i32, ptr %errno
  %none = icmp eq i32 %error, 0
  %term = select i1 %none, double %y, double %v
  %more = fadd double %sum, %term
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret double %more
}

define void @caller(ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n) {
  call void (ptr, ...) @__verso_grad_copied(ptr @copied, ptr %x, ptr %dx, i64 %n)
  %a = call double (ptr, ...) @__verso_grad_remembered(ptr @remembered, double 1.0, i64 %n)
  call void (ptr, ...) @__verso_vjp_linked(ptr @linked, ptr %x, ptr %dx, ptr %y, ptr %dy)
  %b = call double (ptr, ...) @__verso_grad_varying(ptr @varying, double %a, i64 %n)
  %c = call double (ptr, ...) @__verso_grad_grown(ptr @grown, double %b, i64 %n)
  call void (ptr, ...) @__verso_grad_aligned(ptr @aligned, ptr %x, ptr %dx)
  call void (ptr, ...) @__verso_grad_errors(ptr @errors, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare void @__verso_grad_copied(ptr, ...)
declare double @__verso_grad_remembered(ptr, ...)
declare void @__verso_vjp_linked(ptr, ...)
declare double @__verso_grad_varying(ptr, ...)
declare double @__verso_grad_grown(ptr, ...)
declare void @__verso_grad_aligned(ptr, ...)
declare void @__verso_grad_errors(ptr, ...)
declare double @log(double)
declare ptr @__errno_location()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
