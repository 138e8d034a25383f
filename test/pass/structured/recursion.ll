; A recursive function that is not one of values (this one reads a variable by
; its name) becomes a loop over states: entering, and going on after each call. What is needed after a call is in the activation's frame; a field
; with one definition is loaded again in the verso instead of being recorded.

; RUN: %opt_verso -verso-strategy=structured -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%node = type { double, ptr, ptr }
@scale = global double 2.0

; Nobody makes a request by tape.
; CHECK-NOT: __verso_begin(

define double @walk(ptr %n) {
entry:
  %empty = icmp eq ptr %n, null
  br i1 %empty, label %leaf, label %inner
leaf:
  ret double 1.0
inner:
  %pl = getelementptr %node, ptr %n, i64 0, i32 1
  %l = load ptr, ptr %pl
  %a = call double @walk(ptr %l)
  %pr = getelementptr %node, ptr %n, i64 0, i32 2
  %r = load ptr, ptr %pr
  %b = call double @walk(ptr %r)
  %ab = fmul double %a, %b
  %v = load double, ptr %n
  %s = fadd double %ab, %v
  %k = load double, ptr @scale
  %sk = fmul double %s, %k
  ret double %sk
}

; CHECK-LABEL: define internal void @verso.gradient.walk(
; CHECK-NOT: call {{.*}}@walk
; One frame for an activation that calls, and its shadow: the site, the caller's
; frame, the node and the first result. An empty tree below needs none: the call
; is looked into before it is made.
; CHECK: [[FRAME:%frame[.0-9a-z]*]] = {{.*}}call ptr @__verso_arena_take(i64 64)
; CHECK: [[EMPTY:%empty.inner[.0-9a-z]*]] = icmp eq ptr %l
; CHECK-NEXT: br i1 [[EMPTY]]
; CHECK: load double, {{.*}}!verso.unchanged
; CHECK: switch i32 %state
; CHECK: store i32 2, ptr [[FRAME]]
; CHECK: store i32 3, ptr %frame
; CHECK: }

define void @request(ptr %n, ptr %d) {
  call void (ptr, ...) @__verso_grad(ptr @walk, ptr %n, ptr %d)
  ret void
}
declare void @__verso_grad(ptr, ...)
