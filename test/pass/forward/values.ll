; Tangents stand beside values: one operation of the tangent for each of the
; primal, from the same table of partials as in reverse mode. There is no tape,
; no image and, where nothing is in memory, no call of the runtime at all: a
; request that does not use its tangents' memory does not begin any. A value
; that no caller takes is not computed.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s
; RUN: %opt_verso -passes=verso -S %s | FileCheck %s --check-prefix=NONE

; NONE-NOT: {{call.*}}__verso
; NONE-NOT: verso.mapped

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal double @verso.jvp.product(double %0, double %1)
; CHECK: [[R:%[0-9]+]] = {{.*}}call { double, double } @product.tangent(ptr null, double %0, double %1, double 1.0{{.*}}, double 5.0
; CHECK: [[T:%[0-9]+]] = extractvalue { double, double } [[R]], 1
; CHECK: ret double [[T]]
; CHECK-LABEL: define internal { double, double } @product.tangent(
; CHECK-SAME: double %x, double %y, double [[DX:%[0-9]+]], double [[DY:%[0-9]+]])
; CHECK-NOT: {{load|store}}
; CHECK-DAG: %p = fmul double %x, %y
; CHECK-DAG: [[A:%[0-9]+]] = fmul double %y, [[DX]]
; CHECK-DAG: [[B:%[0-9]+]] = fmul double %x, [[DY]]
; CHECK-DAG: [[DP:%[0-9]+]] = fadd double [[A]], [[B]]
; CHECK-DAG: [[COS:%[0-9]+]] = {{.*}}call double @llvm.cos.f64(double %p)
; CHECK: [[DQ:%[0-9]+]] = fmul double [[COS]], [[DP]]
; CHECK-NOT: @llvm.sin
; CHECK: insertvalue { double, double } zeroinitializer, double [[DQ]], 1
define double @product(double %x, double %y) {
  %p = fmul double %x, %y
  %q = call double @llvm.sin.f64(double %p)
  ret double %q
}

; Where the partial has a pole and the tangent is zero, the result is zero.
; CHECK-LABEL: define internal { double, double } @singular.tangent(
; CHECK-SAME: double %x, double [[DX:%[0-9]+]])
; CHECK: %q = {{.*}}call double @llvm.sqrt.f64(double %x)
; CHECK: [[PARTIAL:%[0-9]+]] = fdiv double 5.0{{.*}}, %q
; CHECK: [[PRODUCT:%[0-9]+]] = fmul double {{.*}}[[PARTIAL]]
; CHECK: [[ZERO:%[0-9]+]] = fcmp oeq double [[DX]], 0.0
; CHECK: [[SAFE:%[0-9]+]] = select i1 [[ZERO]], double 0.0{{.*}}, double [[PRODUCT]]
; CHECK: insertvalue { double, double } zeroinitializer, double [[SAFE]], 1
define double @singular(double %x) {
  %q = call double @llvm.sqrt.f64(double %x)
  ret double %q
}

; What only moves a number moves its tangent.
; CHECK-LABEL: define internal { double, double } @chosen.tangent(
; CHECK-SAME: i1 %c, double [[DX:%[0-9]+]])
; CHECK-NOT: double %x
; CHECK: select i1 %c, double [[DX]], double 0.0
define double @chosen(double %x, i1 %c) {
  %r = select i1 %c, double %x, double 3.0
  ret double %r
}

; The flags of the operation, and no others; none on the choice of zero, which
; nnan would make poison.
; CHECK-LABEL: define internal { double, double } @flags.tangent(
; CHECK-SAME: double %x, double %y, double [[DX:%[0-9]+]])
; CHECK: %a = fdiv ninf double %x, %y
; CHECK: [[PARTIAL:%[0-9]+]] = fdiv ninf double 1.0{{.*}}, %y
; CHECK: [[PRODUCT:%[0-9]+]] = fmul ninf double {{.*}}[[PARTIAL]]
; CHECK: [[ZERO:%[0-9]+]] = fcmp oeq double [[DX]], 0.0
; CHECK: [[DA:%[0-9]+]] = select i1 [[ZERO]], double 0.0{{.*}}, double [[PRODUCT]]
; CHECK-NOT: ninf
; CHECK: ret { double, double }
define double @flags(double %x, double %y) {
  %a = fdiv ninf double %x, %y
  %b = fmul double %x, %a
  ret double %b
}

; Width 4: a vector of tangents, whose partial is computed once.
; CHECK-LABEL: define internal [4 x double] @verso.jvp.product
; CHECK: call { double, <4 x double> } [[WIDE:@product.tangent[.0-9]*]](ptr null, double %0, double %1, <4 x double> <double 1.0{{.*}}, double 2.0{{.*}}, double 3.0{{.*}}, double 4.0{{.*}}>)
; CHECK: define internal { double, <4 x double> } [[WIDE]](ptr %verso, double %x, double %y, <4 x double> [[DX:%[0-9]+]])
; CHECK-COUNT-1: call double @llvm.cos.f64(double %p)
; CHECK-NOT: @llvm.cos
; CHECK: fmul <4 x double>
; CHECK: ret { double, <4 x double> }

declare double @llvm.sin.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @__verso_jvp_scalar(ptr, ...)
declare [4 x double] @__verso_jvp_four(ptr, ...)
@verso_const = external global i32
@verso_width = external global i32
define double @requests(double %x, double %y, i1 %c) {
  %k = load i32, ptr @verso_const
  %w = load i32, ptr @verso_width
  %1 = call double (ptr, ...) @__verso_jvp_scalar(ptr @product, double %x, double 1.0, double %y, double 0.5)
  %2 = call double (ptr, ...) @__verso_jvp_scalar(ptr @singular, double %x, double %y)
  %3 = call double (ptr, ...) @__verso_jvp_scalar(ptr @chosen, double %x, double 1.0, i1 %c)
  %4 = call double (ptr, ...) @__verso_jvp_scalar(ptr @flags, double %x, double %y, i32 %k, double 2.0)
  %5 = call [4 x double] (ptr, ...) @__verso_jvp_four(ptr @product, i32 %w, i32 4, double %x, double 1.0, double 2.0, double 3.0, double 4.0, i32 %k, double %y)
  ret double %1
}
