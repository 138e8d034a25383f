; Partials are computed under the fast-math flags of the operation that they
; belong to: all that it has, none that it has not. The reverse sweep, which is
; everybody's, has none.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s
; RUN: %opt_verso -passes=verso -S %s | FileCheck %s --check-prefix=STRICT

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal { double, i32 } @carried.twin(
; CHECK: %a = fdiv arcp double %x, %y
; CHECK: fdiv arcp double 1.0{{.*}}, %y
; CHECK: fneg arcp double
; CHECK: fmul arcp double
; CHECK: ret { double, i32 }
define double @carried(double %x, double %y) {
  %a = fdiv arcp double %x, %y
  ret double %a
}

; One operation in a cone with a flag, its neighbour without.
; CHECK-LABEL: define internal { double, i32 } @mixed.twin(
; CHECK-DAG: %a = {{.*}}call nnan double @llvm.sin.f64(double %x)
; CHECK-DAG: {{.*}}call nnan double @llvm.cos.f64(double %x)
; CHECK-DAG: %b = {{.*}}call double @llvm.exp.f64(double %a)
; CHECK: ret { double, i32 }
define double @mixed(double %x) {
  %a = call nnan double @llvm.sin.f64(double %x)
  %b = call double @llvm.exp.f64(double %a)
  ret double %b
}

; A partial that may be infinite: zero for a zero adjoint is chosen without
; flags, since nnan would make that choice poison just where it is needed.
; CHECK-LABEL: define internal { double, i32 } @singular.twin(
; CHECK: [[TERM:%[0-9]+]] = fdiv fast double %{{[0-9]+}}, %a
; CHECK: [[ZERO:%[0-9]+]] = fcmp oeq double %y, 0.0
; CHECK: select i1 [[ZERO]], double 0.0{{.*}}, double [[TERM]]
; CHECK: ret { double, i32 }
define double @singular(double %x, double %y) {
  %a = call fast double @llvm.sqrt.f64(double %x)
  %b = fmul fast double %a, %y
  ret double %b
}

; STRICT-LABEL: define internal { double, i32 } @none_added.twin(
; STRICT-NOT: {{(fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) }}
; STRICT: ret { double, i32 }
; STRICT-LABEL: define internal void @__verso_release(
; STRICT-NOT: {{(fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) }}
; STRICT: {{^}}}
; STRICT-LABEL: define internal void @__verso_resolve(
; STRICT-NOT: {{(fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) }}
; STRICT: {{^}}}
define double @none_added(double %x, double %y, ptr %p) {
  %a = fdiv double %x, %y
  %b = call double @llvm.sqrt.f64(double %a)
  %c = call double @llvm.fma.f64(double %a, double %b, double %x)
  %d = call double @llvm.pow.f64(double %c, double %y)
  %e = fneg double %d
  store double %e, ptr %p
  %f = load double, ptr %p
  %g = fsub double %f, %d
  ret double %g
}

declare double @llvm.sin.f64(double)
declare double @llvm.exp.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.pow.f64(double, double)
declare double @__verso_grad_scalar(ptr, ...)
declare { double, double } @__verso_grad_pair(ptr, ...)
@verso_const = external global i32
; Sanitizers see the sweep: the module has all of it.
define { double, double } @requests(double %x, double %y, ptr %p) sanitize_address {
  %k = load i32, ptr @verso_const
  %1 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @none_added, double %x, double %y, i32 %k, ptr %p)
  %2 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @carried, double %x, double %y)
  %3 = call double (ptr, ...) @__verso_grad_scalar(ptr @mixed, double %x)
  %s = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @singular, double %x, double %y)
  ret { double, double } %1
}
