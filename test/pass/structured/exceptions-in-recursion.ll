; An exception that leaves an activation of a recursive function returns to its
; caller's frame like a result, where the landing pad's clean-up goes on; it is
; resumed at the end of the loop. What raises it says what callers catch. If they
; may catch it, it is thrown again at the end: who catches it outside was not
; asked where it was raised.

; RUN: split-file %s %t
; RUN: %opt_verso -verso-strategy=structured -passes=verso -S %t/cleanup.ll | FileCheck --check-prefix=CLEANUP %s
; RUN: %opt_verso -verso-strategy=structured -passes=verso -S %t/catch.ll | FileCheck --check-prefix=CATCH %s
; RUN: %opt_verso -passes=verso -S -pass-remarks-missed=verso %t/types.ll 2>&1 | FileCheck --check-prefix=TYPES %s

; CLEANUP-LABEL: define internal void @verso.gradient.f(
; CLEANUP-NOT: __cxa_rethrow
; CLEANUP: call void @clean()
; CLEANUP: invoke void @raise()
; CLEANUP: landingpad
; CLEANUP-NEXT: cleanup
; CLEANUP-NOT: catch
; CLEANUP-NOT: __cxa_rethrow
; CLEANUP: resume
; CLEANUP: }

; CATCH-LABEL: define internal void @verso.gradient.f(
; CATCH: invoke void @raise()
; CATCH: landingpad
; CATCH-NEXT: cleanup
; CATCH-NEXT: catch ptr @type
; CATCH: invoke void @__cxa_rethrow()
; CATCH: landingpad
; CATCH-NEXT: cleanup
; CATCH-NEXT: {{.*}}call void @__cxa_end_catch()
; CATCH: resume
; CATCH: }

; TYPES: exceptions of several types are caught in 'f', which is recursive

;--- cleanup.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define double @f(ptr %x, i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  call void @raise()
  %v = load double, ptr %x
  store double 1.0, ptr %x
  %end = icmp eq i32 %n, 0
  br i1 %end, label %return, label %inner
inner:
  %m = sub i32 %n, 1
  %r = invoke double @f(ptr %x, i32 %m) to label %normal unwind label %pad
normal:
  %s = fmul double %r, %v
  ret double %s
return:
  ret double %v
pad:
  %e = landingpad { ptr, i32 } cleanup
  call void @clean()
  resume { ptr, i32 } %e
}
define void @request(ptr %x, ptr %d) {
  call void (ptr, ...) @__verso_grad(ptr @f, ptr %x, ptr %d, i32 3)
  ret void
}
declare void @raise() inaccessiblememonly "verso_inactive"
declare void @clean() inaccessiblememonly nounwind "verso_inactive"
declare i32 @__gxx_personality_v0(...)
declare void @__verso_grad(ptr, ...)

;--- catch.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@type = external constant ptr
define double @f(ptr %x, i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  call void @raise()
  %v = load double, ptr %x
  store double 1.0, ptr %x
  %end = icmp eq i32 %n, 0
  br i1 %end, label %return, label %inner
inner:
  %m = sub i32 %n, 1
  %r = invoke double @f(ptr %x, i32 %m) to label %normal unwind label %pad
normal:
  %s = fmul double %r, %v
  ret double %s
return:
  ret double %v
pad:
  %e = landingpad { ptr, i32 } catch ptr @type
  %selector = extractvalue { ptr, i32 } %e, 1
  %id = call i32 @llvm.eh.typeid.for(ptr @type)
  %fits = icmp eq i32 %selector, %id
  br i1 %fits, label %caught, label %on
caught:
  %thrown = extractvalue { ptr, i32 } %e, 0
  call ptr @__cxa_begin_catch(ptr %thrown)
  call void @__cxa_end_catch()
  ret double 1.0
on:
  resume { ptr, i32 } %e
}
define void @request(ptr %x, ptr %d) {
  call void (ptr, ...) @__verso_grad(ptr @f, ptr %x, ptr %d, i32 3)
  ret void
}
declare void @raise() inaccessiblememonly "verso_inactive"
declare ptr @__cxa_begin_catch(ptr) nounwind
declare void @__cxa_end_catch() nounwind
declare i32 @llvm.eh.typeid.for(ptr)
declare i32 @__gxx_personality_v0(...)
declare void @__verso_grad(ptr, ...)

;--- types.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@one = external constant ptr
@other = external constant ptr
define double @f(ptr %x, i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  call void @raise()
  %v = load double, ptr %x
  store double 1.0, ptr %x
  %kind = and i32 %n, 3
  %m = sub i32 %n, 1
  switch i32 %kind, label %return [ i32 1, label %first
                                    i32 2, label %second ]
first:
  %r = invoke double @f(ptr %x, i32 %m) to label %normal unwind label %pad
second:
  %t = invoke double @f(ptr %x, i32 %m) to label %normal unwind label %pad2
normal:
  %y = phi double [ %r, %first ], [ %t, %second ]
  %s = fmul double %y, %v
  ret double %s
return:
  ret double %v
pad:
  %e = landingpad { ptr, i32 } catch ptr @one
  call void @clean()
  resume { ptr, i32 } %e
pad2:
  %e2 = landingpad { ptr, i32 } catch ptr @other
  call void @clean()
  resume { ptr, i32 } %e2
}
define void @request(ptr %x, ptr %d) {
  call void (ptr, ...) @__verso_grad(ptr @f, ptr %x, ptr %d, i32 3)
  ret void
}
declare void @clean() inaccessiblememonly nounwind "verso_inactive"
declare void @raise() inaccessiblememonly "verso_inactive"
declare i32 @__gxx_personality_v0(...)
declare void @__verso_grad(ptr, ...)
