; A request whose guesses turn out to be wrong on the way starts again by its
; tape, and begins there from then on, if it has changed nothing but memory of
; its own. Otherwise it is taped, and the remark names what it changes.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s
; RUN: sed 's/; counts/store i32 %k, ptr @count/' %s > %t.ll
; RUN: %opt_verso -passes=verso -S -pass-remarks-missed=verso %t.ll 2>&1 \
; RUN:   | FileCheck --check-prefix=CHANGES %s

; CHECK: @verso.strayed = internal global i8 0
; CHECK-LABEL: define internal void @verso.gradient.f.structured(
; CHECK: icmp eq ptr {{.*}}, @square
; CHECK: call void @__verso_arena_end(
; CHECK-NEXT: store atomic i8 1, ptr @verso.strayed monotonic, align 1
; CHECK-NEXT: call void @verso.gradient.f.taped(ptr {{.*}}%0, ptr {{.*}}%1, ptr {{.*}}%2, i64 %3)
; CHECK-NOT: __verso_start_again
; CHECK-LABEL: define internal void @verso.gradient.f(
; CHECK: [[STRAYED:%.*]] = load atomic i8, ptr @verso.strayed monotonic, align 1
; CHECK: [[NEVER:%.*]] = icmp eq i8 [[STRAYED]], 0
; CHECK: br i1 [[NEVER]]

; CHANGES: gradient of 'f' is not structured: a call through a pointer, {{.*}} nor can it start again after what it does

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@count = global i32 0
@taken = global [1 x ptr] [ptr @square]
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
; Which function is called depends on a number that is computed.
define double @f(ptr %x, ptr %functions, i64 %n) {
entry:
  %own = alloca i32
  %start = load double, ptr %x
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %z = phi double [ %start, %entry ], [ %y, %loop ]
  %k = fptosi double %z to i32
  store i32 %k, ptr %own
  ; counts
  %j = load i32, ptr %own
  %p = getelementptr ptr, ptr %functions, i32 %j
  %function = load ptr, ptr %p
  %y = call double %function(double %z)
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
