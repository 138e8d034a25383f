; IDs travel beside values: wherever a real number is moved, and not computed,
; its ID makes the same move, nothing is written to the tape, and nothing is
; asked of the runtime. Structs and vectors carry an ID for each element; an
; element that is not a real number, or a constant, has the ID 0.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; A phi of IDs beside the phi of numbers. The loop is not counted, so that it
; is not unrolled.
; CHECK-LABEL: define internal { double, i32 } @power.twin(
; CHECK-SAME: double %x, double %start, double %limit, i32 [[X:%[0-9]+]], i32 [[START:%[0-9]+]])
; CHECK: loop:
; CHECK-DAG: [[OLD:%[0-9]+]] = phi i32 [ [[START]], %entry ], [ [[NEW:%[a-z0-9.]+]], %[[BACK:[0-9]+]] ]
; CHECK-DAG: phi double [ %start, %entry ], [ %q, %[[BACK]] ]
; CHECK-DAG: store i32 [[OLD]], ptr
; CHECK-DAG: store i32 [[X]], ptr
; CHECK: [[PAIR:%[0-9]+]] = insertvalue { double, i32 } poison, double %q, 0
; CHECK: insertvalue { double, i32 } [[PAIR]], i32 [[NEW]], 1
define double @power(double %x, double %start, double %limit) {
entry:
  br label %loop
loop:
  %p = phi double [ %start, %entry ], [ %q, %loop ]
  %q = fmul double %p, %x
  %more = fcmp olt double %q, %limit
  br i1 %more, label %loop, label %exit
exit:
  ret double %q
}

; CHECK-LABEL: define internal { double, i32 } @either.twin(
; CHECK-SAME: i1 %c, i32 [[X:%[0-9]+]], i32 [[Y:%[0-9]+]])
; CHECK-NOT: {{load|store|call}}
; CHECK: select i1 %c, double %x, double %y
; CHECK: [[ID:%[0-9]+]] = select i1 %c, i32 [[X]], i32 [[Y]]
; CHECK-NOT: {{load|store|call}}
; CHECK: insertvalue { double, i32 } {{.*}}, i32 [[ID]], 1
; CHECK-NOT: {{load|store|call}}
; CHECK: ret { double, i32 }
define double @either(double %x, double %y, i1 %c) {
  %r = select i1 %c, double %x, double %y
  ret double %r
}

; CHECK-LABEL: define internal { double, i32 } @or_constant.twin(
; CHECK-SAME: i1 %c, i32 [[X:%[0-9]+]])
; CHECK: select i1 %c, double %x, double 4.0
; CHECK: select i1 %c, i32 [[X]], i32 0
define double @or_constant(double %x, i1 %c) {
  %r = select i1 %c, double %x, double 4.0
  ret double %r
}

; CHECK-LABEL: define internal { float, i32 } @from_struct.twin(
; CHECK: [[R:%[0-9]+]] = {{.*}}call { { double, i32, float }, { i32, i32, i32 } } @struct.twin(
; CHECK: [[IDS:%[0-9]+]] = extractvalue {{.*}} [[R]], 1
; CHECK: [[ID:%[0-9]+]] = extractvalue { i32, i32, i32 } [[IDS]], 2
; CHECK: insertvalue { float, i32 } {{.*}}, i32 [[ID]], 1
define float @from_struct(double %x, float %y, i32 %n) {
  %s = call { double, i32, float } @struct(double %x, float %y, i32 %n)
  %r = extractvalue { double, i32, float } %s, 2
  ret float %r
}

; CHECK-LABEL: define internal { { double, i32, float }, { i32, i32, i32 } } @struct.twin(
; CHECK-SAME: i32 %n, i32 [[X:%[0-9]+]], i32 [[Y:%[0-9]+]])
; CHECK-NOT: {{load|store|call}}
; CHECK: [[A:%[0-9]+]] = insertvalue { i32, i32, i32 } zeroinitializer, i32 [[X]], 0
; CHECK-NOT: {{load|store|call}}
; CHECK: [[B:%[0-9]+]] = insertvalue { i32, i32, i32 } [[A]], i32 0, 1
; CHECK-NOT: {{load|store|call}}
; CHECK: [[C:%[0-9]+]] = insertvalue { i32, i32, i32 } [[B]], i32 [[Y]], 2
; CHECK: insertvalue {{.*}}, { i32, i32, i32 } [[C]], 1
define { double, i32, float } @struct(double %x, float %y, i32 %n) noinline {
  %a = insertvalue { double, i32, float } poison, double %x, 0
  %b = insertvalue { double, i32, float } %a, i32 %n, 1
  %r = insertvalue { double, i32, float } %b, float %y, 2
  ret { double, i32, float } %r
}

; CHECK-LABEL: define internal { double, i32 } @from_vector.twin(
; CHECK: [[R:%[0-9]+]] = {{.*}}call { <2 x double>, <2 x i32> } @vector.twin(
; CHECK: [[IDS:%[0-9]+]] = extractvalue {{.*}} [[R]], 1
; CHECK: extractelement <2 x i32> [[IDS]], i64 1
define double @from_vector(<2 x double> %v, double %x) {
  %w = call <2 x double> @vector(<2 x double> %v, double %x)
  %r = extractelement <2 x double> %w, i32 1
  ret double %r
}

; CHECK-LABEL: define internal { <2 x double>, <2 x i32> } @vector.twin(
; CHECK-SAME: double %x, <2 x i32> [[V:%[0-9]+]], i32 [[X:%[0-9]+]])
; CHECK-NOT: {{load|store|call}}
; CHECK: insertelement <2 x i32> {{.*}}, i32 [[X]], i64 0
; CHECK-NOT: {{load|store|call}}
; CHECK: shufflevector <2 x i32> {{.*}}, <2 x i32> [[V]]
; CHECK-NOT: {{load|store|call}}
; CHECK: ret { <2 x double>, <2 x i32> }
define <2 x double> @vector(<2 x double> %v, double %x) noinline {
  %w = insertelement <2 x double> %v, double %x, i64 1
  %r = shufflevector <2 x double> %w, <2 x double> %v, <2 x i32> <i32 1, i32 2>
  ret <2 x double> %r
}

declare double @__verso_grad_scalar(ptr, ...)
declare { double, double } @__verso_grad_pair(ptr, ...)
declare { double, float } @__verso_grad_mixed(ptr, ...)
declare { <2 x double>, double } @__verso_grad_vector(ptr, ...)
@verso_const = external global i32

define void @requests(double %x, double %y, float %f, <2 x double> %v, i32 %k, i1 %c) {
  %const = load i32, ptr @verso_const
  %1 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @power, double %x, double %y, i32 %const, double 100.0)
  %2 = call { double, double } (ptr, ...) @__verso_grad_pair(ptr @either, double %x, double %y, i1 %c)
  %3 = call double (ptr, ...) @__verso_grad_scalar(ptr @or_constant, double %x, i1 %c)
  %4 = call { double, float } (ptr, ...) @__verso_grad_mixed(ptr @from_struct, double %x, float %f, i32 %k)
  %5 = call { <2 x double>, double } (ptr, ...) @__verso_grad_vector(ptr @from_vector, <2 x double> %v, double %x)
  ret void
}
