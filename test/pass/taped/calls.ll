; Calls lead to twins. A direct call to one with companions of those parameters
; that vary there, so that what does not vary costs nothing; a call through a
; pointer to the twin that the runtime's table names, which has them all.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The table has every function whose address is taken, and no others.
; CHECK: @verso.twins = private constant [3 x ptr] [ptr @pointed_to, ptr [[ITSTWIN:@pointed_to.twin[.0-9]*]], ptr inttoptr (i64 {{[0-9]+}} to ptr)]
; CHECK: @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @verso.register_twins, ptr null }]

; CHECK-LABEL: define internal { double, i32 } @caller.twin(
; CHECK-SAME: ptr %verso, double %x, double %c, i32 [[X:%[0-9]+]])
; CHECK: call { double, i32 } [[FIRST:@callee.twin[.0-9]*]](ptr %verso, double %x, double %c, i32 [[X]])
; CHECK: call { double, i32 } [[SECOND:@callee.twin[.0-9]*]](ptr %verso, double %c, double %x, i32 [[X]])
; CHECK: call { double, i32 } [[NONE:@callee.twin[.0-9]*]](ptr %verso, double %c, double %c)
; CHECK: call { double, i32 } [[FIRST]](ptr %verso, double %{{[0-9]+}}, double %c, i32 %{{[0-9]+}})
define double @caller(double %x, double %c) {
  %a = call double @callee(double %x, double %c)
  %b = call double @callee(double %c, double %x)
  %d = call double @callee(double %c, double %c)
  %a2 = call double @callee(double %a, double %c)
  %e = fadd double %a2, %b
  %g = fmul double %e, %d
  ret double %g
}

; In the first twin the first parameter varies, in the second the other one, in
; the third neither: it writes nothing.
; CHECK: define internal { double, i32 } [[FIRST]](ptr %verso, double %x, double %c, i32 [[ID:%[0-9]+]])
; CHECK: store double %c, ptr %verso.cursor
; CHECK: store i32 [[ID]]
; CHECK: store i32 8,
; CHECK: ret
; CHECK: define internal { double, i32 } [[SECOND]](ptr %verso, double %x, double %c, i32 [[ID:%[0-9]+]])
; CHECK: store double %x, ptr %verso.cursor
; CHECK: store i32 [[ID]]
; CHECK: store i32 8,
; CHECK: ret
; CHECK: define internal { double, i32 } [[NONE]](ptr %verso, double %x, double %c)
; CHECK-NOT: store
; CHECK: ret
define double @callee(double %x, double %c) noinline {
  %p = fmul double %x, %c
  ret double %p
}

; CHECK-LABEL: define internal { double, i32 } @through_pointer.twin(
; CHECK-SAME: ptr %verso, ptr %p, double %x, i32 [[X:%[0-9]+]])
; CHECK: [[TWIN:%[0-9]+]] = {{.*}}call ptr @__verso_twin_of(ptr %p, i32 [[KIND:[0-9]+]], ptr nonnull @verso.where
; CHECK: call { double, i32 } [[TWIN]](ptr {{(nonnull )?}}%verso, double %x, i32 [[X]])
; CHECK-NOT: @__verso_twin_of
; CHECK: ret { double, i32 }
define double @through_pointer(ptr %p, double %x) {
  %r = call double %p(double %x)
  ret double %r
}

; CHECK: define internal { double, i32 } [[ITSTWIN]](ptr %verso, double %x, i32 %{{[0-9]+}})
define double @pointed_to(double %x) {
  %r = fmul double %x, %x
  ret double %r
}
@pointer = global ptr @pointed_to

; CHECK-LABEL: define internal void @verso.register_twins()
; CHECK-NEXT: call void @__verso_register_twins(ptr @verso.twins, i64 1)

declare double @__verso_grad_scalar(ptr, ...)
@verso_const = external global i32
define double @requests(double %x, ptr %p) {
  %k = load i32, ptr @verso_const
  %1 = call double (ptr, ...) @__verso_grad_scalar(ptr @caller, double %x, i32 %k, double 2.0)
  %2 = call double (ptr, ...) @__verso_grad_scalar(ptr @through_pointer, i32 %k, ptr %p, double %x)
  ret double %1
}
