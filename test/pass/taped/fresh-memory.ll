; Where nobody has written since the request began, no cell has an image: a
; double that is read through a pointer with a shadow has the direct ID of its
; cell, and a pointer the shadow that the shadow structure names. Only a pointer
; that turns out to have no shadow is asked of the image.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal { double, i32 } @read.twin(
; CHECK-SAME: ptr %verso, ptr %p, ptr [[SHADOW:%[0-9]+]])
; CHECK: %a = load double, ptr %p
; CHECK-NOT: load
; CHECK: [[BYTES:%[0-9]+]] = sub i64
; CHECK-NOT: load
; CHECK: [[DIRECT:%[0-9]+]] = {{(select|and|or|icmp).*}}
; CHECK-NOT: load
; CHECK: br i1 %{{[0-9]+}}, label %{{[.a-z0-9]+}}, label %{{[.a-z0-9]+}}
; CHECK: load i64, {{.*}}!verso.inert
; CHECK: call i32 @__verso_id_at(
; CHECK: ret { double, i32 }
define double @read(ptr %p) {
  %a = load double, ptr %p, align 8
  ret double %a
}

; Another object is written, which does not matter; and the same one, which does.
; CHECK-LABEL: define internal void @beside.twin(
; CHECK: %a = load double, ptr %p
; CHECK-NOT: load
; CHECK: br i1
define void @beside(ptr noalias %p, ptr noalias %to) {
  %a = load double, ptr %p, align 8
  store double %a, ptr %to, align 8
  ret void
}

; CHECK-LABEL: define internal void @written.twin(
; CHECK: %a = load double, ptr %p
; CHECK-NOT: br
; CHECK: load i64, {{.*}}!verso.inert
define void @written(ptr %p, ptr %to) {
  %a = load double, ptr %p, align 8
  store double %a, ptr %to, align 8
  ret void
}

; A block of the function's own, if any, as of two vectors that may be empty:
; the argument and the other block are other objects, whatever is chosen.
; What is read there has an image, since it is written.
; CHECK-LABEL: define internal void @chosen.twin(
; CHECK: %a = load double, ptr %p
; CHECK-NOT: load
; CHECK: br i1
; CHECK: %b = load double, ptr %q
; CHECK-NOT: br
; CHECK: load i64, {{.*}}!verso.inert
define void @chosen(ptr %p, i1 %some, i1 %used) {
entry:
  br i1 %some, label %take, label %go
take:
  %one = call noalias ptr @malloc(i64 64)
  %two = call noalias ptr @malloc(i64 64)
  br label %go
go:
  %q = phi ptr [ %one, %take ], [ null, %entry ]
  %r = phi ptr [ %two, %take ], [ null, %entry ]
  br i1 %used, label %use, label %out
use:
  %a = load double, ptr %p, align 8
  %b = load double, ptr %q, align 8
  %ab = fmul double %a, %b
  store double %ab, ptr %r, align 8
  store double %ab, ptr %q, align 8
  br label %out
out:
  ret void
}

; A tree that is only read, by functions that call one another. LLVM does not
; say that they only read: another file's may be linked in their place. The path
; that only returns neither fetches nor puts back the position on the tape.
; CHECK-LABEL: define internal { double, i32 } @tree.twin(
; CHECK-NOT: load ptr, ptr %verso,
; CHECK: br i1 %end
; CHECK-NOT: store
; CHECK: [ { double 1.000000e+00, i32 0 }, %{{[0-9]+}} ]
; CHECK-NEXT: ret { double, i32 }
; CHECK: %left = load ptr, ptr %node
; CHECK-NOT: !verso.inert
; CHECK: load ptr, ptr {{.*}}
; CHECK: call { double, i32 } @other.twin
define linkonce_odr double @tree(ptr %node) {
  %end = icmp eq ptr %node, null
  br i1 %end, label %out, label %in
in:
  %left = load ptr, ptr %node, !tbaa !0
  %l = call double @other(ptr %left)
  %v.p = getelementptr i8, ptr %node, i64 8
  %v = load double, ptr %v.p
  %s = call double @sin(double %v)
  %p = fmul double %s, %l
  ret double %p
out:
  ret double 1.0
}

define linkonce_odr double @other(ptr %node) {
  %t = call double @tree(ptr %node)
  %d = fmul double %t, %t
  ret double %d
}

; A callee that writes through its second parameter alone, which the caller gives
; memory of its own: nobody writes where the first one leads.
; CHECK-LABEL: define internal void @quiet.twin(
; CHECK: call void @step.twin(
; CHECK-LABEL: define internal void @step.twin(
; CHECK: %a = load double, ptr %p
; CHECK-NOT: load
; CHECK: br i1
; CHECK-LABEL: define internal void @loud.twin(
; CHECK: call void @step.twin.{{[0-9]+}}(
; CHECK-LABEL: define internal void @step.twin.{{[0-9]+}}(
; CHECK: %a = load double, ptr %p
; CHECK-NOT: br
; CHECK: load i64, {{.*}}!verso.inert
define void @quiet(ptr %p) {
  %own = alloca double
  store double 1.0, ptr %own
  call void @step(ptr %p, ptr %own)
  call void @step(ptr %p, ptr %own)
  ret void
}
define void @loud(ptr %p, ptr %q) {
  call void @step(ptr %p, ptr %q)
  call void @step(ptr %p, ptr %q)
  ret void
}

define linkonce_odr void @step(ptr %p, ptr %to) {
  %a = load double, ptr %p, align 8
  %b = load double, ptr %to, align 8
  %ab = fmul double %a, %b
  store double %ab, ptr %to, align 8
  ret void
}

; What throws is given a text, which it does not write to, wherever the function
; was given its pointers.
; CHECK-LABEL: define internal { double, i32 } @throws.twin(
; CHECK: call void @_ZSt20__throw_length_errorPKc(
; CHECK: %a = load double, ptr %p
; CHECK-NOT: load
; CHECK: br i1
@text = private constant [4 x i8] c"too\00"
define double @throws(ptr %p, i1 %bad) {
  br i1 %bad, label %throw, label %go
throw:
  call void @_ZSt20__throw_length_errorPKc(ptr @text)
  unreachable
go:
  %a = load double, ptr %p, align 8
  ret double %a
}

declare void @_ZSt20__throw_length_errorPKc(ptr) noreturn
declare noalias ptr @malloc(i64)
declare double @sin(double)
declare void @__verso_grad(...)
define void @requests(ptr %p, ptr %q) {
  call void (...) @__verso_grad(ptr @read, ptr %p, ptr %q)
  call void (...) @__verso_grad(ptr @beside, ptr %p, ptr %q, ptr %p, ptr %q)
  call void (...) @__verso_grad(ptr @written, ptr %p, ptr %q, ptr %p, ptr %q)
  call void (...) @__verso_grad(ptr @chosen, ptr %p, ptr %q, i1 true, i1 true)
  call void (...) @__verso_grad(ptr @tree, ptr %p, ptr %q)
  call void (...) @__verso_grad(ptr @quiet, ptr %p, ptr %q)
  call void (...) @__verso_grad(ptr @loud, ptr %p, ptr %q, ptr %p, ptr %q)
  call void (...) @__verso_grad(ptr @throws, ptr %p, ptr %q, i1 false)
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"any pointer", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
