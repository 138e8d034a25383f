; Numbers and pointers at any address make a file one of packed numbers, of which
; every access costs more. An alignment that only the access does not know of, as
; where a closure lies in the bytes of a std::function, does not.

; RUN: split-file %s %t
; RUN: cat %t/common.ll %t/known.ll > %t/known-all.ll
; RUN: %opt_verso -verso-strategy=taped -passes=verso -S %t/known-all.ll | FileCheck %s --check-prefix=KNOWN
; RUN: cat %t/common.ll %t/packed.ll > %t/packed-all.ll
; RUN: %opt_verso -verso-strategy=taped -passes=verso -S %t/packed-all.ll | FileCheck %s --check-prefix=PACKED

; KNOWN-NOT: {{register_packed|packed_id|store_packed}}
; PACKED: @llvm.global_ctors = {{.*}}@verso.register_packed
; PACKED: define internal void @verso.register_packed()
; PACKED-NEXT: call void @__verso_register_packed()
; PACKED-NEXT: ret void

;--- known.ll
define double @function(ptr %p) {
  %closure = alloca { ptr, ptr }, align 8
  %bytes = getelementptr i8, ptr %closure, i64 8
  store ptr %p, ptr %bytes, align 1
  %q = load ptr, ptr %bytes, align 1
  %v = load double, ptr %q
  %w = fmul double %v, %v
  ret double %w
}

define void @elsewhere(ptr align 8 %any, ptr %captured) {
  store ptr %captured, ptr %any, align 1
  ret void
}

;--- packed.ll
define double @function(ptr %p) {
  %v = load double, ptr %p
  %w = fmul double %v, %v
  ret double %w
}

define void @elsewhere(ptr %any, ptr %captured) {
  store ptr %captured, ptr %any, align 1
  ret void
}

;--- common.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @request(ptr %p, ptr %dp) {
  %dup = load i32, ptr @verso_dup
  %r = call double (ptr, ...) @__verso_grad(ptr @function, i32 %dup, ptr %p, ptr %dp)
  ret void
}

@verso_dup = external global i32
declare double @__verso_grad(ptr, ...)
