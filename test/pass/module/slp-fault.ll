; LLVM 22's SLP vectoriser uses a vector of this loop before it is there ("does
; not dominate all uses"; reduced from the tangent of Eigen's matrix exponential,
; at which the register allocator did not end). What is not valid is undone.

; RUN: %opt_verso -passes=slp-vectorizer -verify-each -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare double @llvm.fmuladd.f64(double, double, double)

; CHECK: define {{.*}} @f(
define { double, double } @f() "verso-generated" {
  %1 = load double, ptr null, align 1
  %2 = load double, ptr null, align 1
  %3 = load double, ptr null, align 1
  %4 = load double, ptr null, align 8
  %5 = load double, ptr null, align 8
  %6 = load double, ptr null, align 8
  %7 = load double, ptr null, align 8
  %8 = load double, ptr null, align 8
  br label %9

9:                                                ; preds = %9, %0
  %10 = phi double [ %1, %0 ], [ %20, %9 ]
  %11 = phi double [ %3, %0 ], [ %36, %9 ]
  %12 = phi double [ %2, %0 ], [ %32, %9 ]
  %13 = phi double [ %4, %0 ], [ %28, %9 ]
  %14 = phi double [ %6, %0 ], [ %28, %9 ]
  %15 = phi double [ %8, %0 ], [ %25, %9 ]
  %16 = phi double [ %7, %0 ], [ %22, %9 ]
  %17 = phi double [ %5, %0 ], [ %38, %9 ]
  %18 = call double @llvm.fmuladd.f64(double 0.000000e+00, double %12, double 0.000000e+00)
  %19 = call double @llvm.fmuladd.f64(double 0.000000e+00, double 0.000000e+00, double 0.000000e+00)
  %20 = fadd double %18, %19
  %21 = fmul double 0.000000e+00, 0.000000e+00
  %22 = fadd double 0.000000e+00, %21
  %23 = call double @llvm.fmuladd.f64(double %16, double 0.000000e+00, double 0.000000e+00)
  %24 = call double @llvm.fmuladd.f64(double 0.000000e+00, double 0.000000e+00, double 0.000000e+00)
  %25 = fadd double %23, %24
  %26 = call double @llvm.fmuladd.f64(double %16, double 0.000000e+00, double 0.000000e+00)
  %27 = call double @llvm.fmuladd.f64(double 0.000000e+00, double 0.000000e+00, double 0.000000e+00)
  %28 = fadd double %26, %27
  %29 = load double, ptr null, align 8
  %30 = call double @llvm.fmuladd.f64(double %29, double 0.000000e+00, double 0.000000e+00)
  %31 = call double @llvm.fmuladd.f64(double 0.000000e+00, double 0.000000e+00, double 0.000000e+00)
  %32 = fadd double %30, %31
  %33 = load double, ptr null, align 1
  %34 = call double @llvm.fmuladd.f64(double 0.000000e+00, double %33, double 0.000000e+00)
  %35 = call double @llvm.fmuladd.f64(double 0.000000e+00, double 0.000000e+00, double 0.000000e+00)
  %36 = fadd double %34, %35
  %37 = fmul double 0.000000e+00, 0.000000e+00
  %38 = fadd double %37, 0.000000e+00
  br label %9
}
