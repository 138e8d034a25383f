; Reductions of vectors of numbers, of code that was vectorised before: by both
; strategies of reverse mode, and in forward mode.

; RUN: %opt_verso -passes=verso -verso-strategy=structured -verify-each %s -o %t.bc
; RUN: %clang -O1 -w %S/Inputs/reductions.c %t.bc %verso_libs -o %t
; RUN: %t
; RUN: %opt_verso -passes=verso -verso-strategy=taped -verify-each %s -o %t.bc
; RUN: %clang -O1 -w %S/Inputs/reductions.c %t.bc %verso_libs -o %t
; RUN: %t

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@verso_dup = external global i32

; x[0] * (x[0] + ... + x[3]) * x[0] * ... * x[3], and all six at other vectors:
; of x, of x * x, of sin x; 100 max + 10 min + maximum / minimum.
define double @reduced(ptr %x) {
  %v = load <4 x double>, ptr %x, align 8
  %x0 = load double, ptr %x, align 8
  %sum = call double @llvm.vector.reduce.fadd.v4f64(double %x0, <4 x double> %v)
  %fast = call reassoc double @llvm.vector.reduce.fadd.v4f64(double -0.0, <4 x double> %v)
  %product = call double @llvm.vector.reduce.fmul.v4f64(double %x0, <4 x double> %v)
  %w = fmul <4 x double> %v, %v
  %max = call double @llvm.vector.reduce.fmax.v4f64(<4 x double> %v)
  %min = call nnan double @llvm.vector.reduce.fmin.v4f64(<4 x double> %w)
  %s = call <4 x double> @llvm.sin.v4f64(<4 x double> %v)
  %maximum = call double @llvm.vector.reduce.fmaximum.v4f64(<4 x double> %s)
  %minimum = call double @llvm.vector.reduce.fminimum.v4f64(<4 x double> %w)
  %n = fptrunc <4 x double> %w to <4 x float>
  %single = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %n)
  %wide = fpext float %single to double
  %a = fmul double %sum, %product
  %b = fmul double %fast, %fast
  %c = fmul double %max, 100.0
  %d = fmul double %min, 10.0
  %e = fdiv double %maximum, %minimum
  %ab = fadd double %a, %b
  %abc = fadd double %ab, %c
  %abcd = fadd double %abc, %d
  %abcde = fadd double %abcd, %e
  %y = fadd double %abcde, %wide
  ret double %y
}

define void @reduced_gradient(ptr %x, ptr %d) {
  %dup = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad_void(ptr @reduced, i32 %dup, ptr %x, ptr %d)
  ret void
}
define double @reduced_tangent(ptr %x, ptr %d) {
  %dup = load i32, ptr @verso_dup
  %t = call double (ptr, ...) @__verso_jvp(ptr @reduced, i32 %dup, ptr %x, ptr %d)
  ret double %t
}

declare void @__verso_grad_void(ptr, ...)
declare double @__verso_jvp(ptr, ...)
