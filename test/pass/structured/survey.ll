; Functions that are read in the middle, out of an array of the caller's, are
; guessed; before anything is done the request walks past all of them and takes
; the tape if one is another. The survey has what decides where they are, not the
; arithmetic, nor branches that both lead there.

; RUN: split-file %s %t
; RUN: %opt_verso -passes=verso -S %t/array.ll | FileCheck %s
; RUN: %opt_verso -passes=verso -S %t/numbers.ll | FileCheck --check-prefix=NUMBERS %s
; RUN: sed 's/store double %y, ptr %x/store ptr %function, ptr %x/' %t/numbers.ll > %t/written.ll
; RUN: %opt_verso -passes=verso -S -pass-remarks-missed=verso %t/written.ll 2>&1 | FileCheck --check-prefix=WRITTEN %s
; RUN: %opt_verso -passes=verso -S %t/own.ll | FileCheck --check-prefix=OWN %s

; CHECK-LABEL: define internal i1 @verso.gradient.f.survey(
; CHECK-NOT: {{double|call|fcmp}}
; CHECK: load ptr, ptr
; CHECK: icmp eq ptr {{.*}}, @square
; CHECK: icmp eq ptr {{.*}}, @twice
; CHECK-NOT: {{double|call|fcmp}}
; CHECK: phi i1
; CHECK: }

; CHECK-LABEL: define internal void @verso.gradient.f(
; CHECK: [[HOLDS:%.*]] = tail call i1 @verso.gradient.f.survey(ptr %0, ptr %1, ptr %2, i64 %3)
; CHECK: br i1 [[HOLDS]]

; Numbers may lie anywhere, but hardly where functions are: the survey looks
; whether it may read, and what it has not expected is an error.
; NUMBERS-LABEL: define internal i1 @verso.gradient.f.survey(
; NUMBERS: call i32 @__verso_can_be_read(
; NUMBERS: load ptr, ptr
; NUMBERS: icmp eq ptr {{.*}}, @square
; NUMBERS-LABEL: define internal void @verso.gradient.f(
; NUMBERS: call i1 @verso.gradient.f.survey(
; NUMBERS: call void @__verso_fail(

; Not so pointers.
; WRITTEN: 'f' is not structured: a call through a pointer

;--- array.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@taken = global [2 x ptr] [ptr @square, ptr @twice]
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define double @twice(double %x) {
  %y = fadd double %x, %x
  ret double %y
}
define double @f(ptr %x, ptr %functions, i64 %n) {
entry:
  %start = load double, ptr %x
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %join ]
  %z = phi double [ %start, %entry ], [ %z1, %join ]
  %p = getelementptr ptr, ptr %functions, i64 %i
  %function = load ptr, ptr %p
  %y = call double %function(double %z)
  %big = fcmp ogt double %y, 1.0
  br i1 %big, label %shrink, label %join
shrink:
  %s = fmul double %y, 0.5
  br label %join
join:
  %z1 = phi double [ %y, %loop ], [ %s, %shrink ]
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %end
end:
  %r = phi double [ %start, %entry ], [ %z1, %join ]
  ret double %r
}
define void @request(ptr %x, ptr %d, ptr %functions, i64 %n) {
  %const = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad(ptr @f, ptr %x, ptr %d, i32 %const, ptr %functions, i64 %n)
  ret void
}
@verso_const = external global i32
declare void @__verso_grad(ptr, ...)

;--- numbers.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@taken = global [1 x ptr] [ptr @square]
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define double @f(ptr %x, ptr %functions, i64 %n) {
entry:
  %start = load double, ptr %x
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %z = phi double [ %start, %entry ], [ %y, %loop ]
  %p = getelementptr ptr, ptr %functions, i64 %i
  %function = load ptr, ptr %p
  %y = call double %function(double %z)
  store double %y, ptr %x
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %end
end:
  ret double %y
}
define void @request(ptr %x, ptr %d, ptr %functions, i64 %n) {
  %const = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad(ptr @f, ptr %x, ptr %d, i32 %const, ptr %functions, i64 %n)
  ret void
}
@verso_const = external global i32
declare void @__verso_grad(ptr, ...)

;--- own.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@taken = global [1 x ptr] [ptr @square]
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
; Memory of its own decides whether there are calls. The survey comes to them in
; any case, and goes through the inner loop once. (What is stored keeps the
; request from starting again: start-again.ll.)
; OWN-LABEL: define internal i1 @verso.gradient.f.survey(
; OWN: phi i64
; OWN: call i32 @__verso_can_be_read(
; OWN: icmp eq ptr {{.*}}, @square
; OWN-NOT: phi i64
; OWN: declare i32 @__verso_can_be_read(
define double @f(ptr %x, ptr %functions, i64 %n) {
entry:
  %own = call ptr @malloc(i64 %n)
  %last = call ptr @llvm.ptrmask.p0.i64(ptr %own, i64 -16)
  %start = load double, ptr %x
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %z = phi double [ %start, %entry ], [ %y2, %next ]
  %none = icmp eq ptr %own, %last
  br i1 %none, label %next, label %inner
inner:
  %j = phi i64 [ 0, %loop ], [ %j1, %inner ]
  %z1 = phi double [ %z, %loop ], [ %y, %inner ]
  %p = getelementptr ptr, ptr %functions, i64 %i
  %function = load ptr, ptr %p
  %y = call double %function(double %z1)
  %j1 = add i64 %j, 1
  %here = getelementptr i8, ptr %own, i64 %j1
  %again = icmp ne ptr %here, %last
  br i1 %again, label %inner, label %next
next:
  %y2 = phi double [ %z, %loop ], [ %y, %inner ]
  store double %y2, ptr %x
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %end
end:
  ret double %y2
}
declare noalias ptr @malloc(i64)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
define void @request(ptr %x, ptr %d, ptr %functions, i64 %n) {
  %const = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad(ptr @f, ptr %x, ptr %d, i32 %const, ptr %functions, i64 %n)
  ret void
}
@verso_const = external global i32
declare void @__verso_grad(ptr, ...)
