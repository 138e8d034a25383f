; A call that may throw: cursor and next are in the context when it is made, and
; are read from there where it returns and where it lands, since what ran until
; the throw has written to the tape. Nothing else happens in a landing pad.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal { double, i32 } @guarded.twin(
; CHECK: %a = fmul double %x, %y
; CHECK: store ptr %{{[0-9]+}}, ptr %verso,
; CHECK: store i64 %{{[0-9]+}}, ptr [[NEXT:%[0-9]+]]
; CHECK-NEXT: [[R:%[0-9]+]] = invoke { double, i32 } @may_throw.twin(
; CHECK-NEXT: to label %normal unwind label %pad
; CHECK: {{^}}normal:
; CHECK: load ptr, ptr %verso,
; CHECK: load i64, ptr [[NEXT]]
; CHECK: extractvalue { double, i32 } [[R]]
; CHECK: {{^}}pad:
; CHECK-NEXT: landingpad { ptr, i32 }
; CHECK-NEXT: catch ptr null
; CHECK: load ptr, ptr %verso,
; CHECK: load i64, ptr [[NEXT]]
; CHECK: call ptr @__cxa_begin_catch(
; CHECK: call void @__cxa_end_catch()
; CHECK: fmul double {{%y, %a|%a, %y}}
define double @guarded(double %x, double %y) personality ptr @__gxx_personality_v0 {
entry:
  %a = fmul double %x, %y
  %r = invoke double @may_throw(double %a, ptr @cell) to label %normal unwind label %pad
normal:
  %b = fmul double %r, %x
  ret double %b
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  %o = extractvalue { ptr, i32 } %e, 0
  %h = call ptr @__cxa_begin_catch(ptr %o)
  call void @__cxa_end_catch()
  %c = fmul double %y, %a
  ret double %c
}

; What was written before the exception is on the tape.
; CHECK-LABEL: define internal { double, i32 } @may_throw.twin(
; CHECK: store ptr %{{[a-z0-9.]+}}, ptr %verso,
; CHECK: store i64 %{{[a-z0-9.]+}}, ptr
; CHECK: call void @__cxa_throw(
define double @may_throw(double %x, ptr %p) noinline {
  %r = fmul double %x, %x
  store double %r, ptr %p
  %n = fcmp olt double %x, 0.0
  br i1 %n, label %bad, label %good
bad:
  %o = call ptr @__cxa_allocate_exception(i64 4)
  call void @__cxa_throw(ptr %o, ptr null, ptr null)
  unreachable
good:
  ret double %r
}
@cell = internal global double 0.0
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
declare { double, double } @__verso_grad_pair(ptr, ...)
define { double, double } @requests(double %x, double %y) {
  %1 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @guarded, double %x, double %y)
  ret { double, double } %1
}
