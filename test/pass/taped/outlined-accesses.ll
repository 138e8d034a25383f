; Straight-line code with many accesses calls functions that make them, but not
; where it is run again and again: in a function that a loop calls.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal { double, i32 } @once.twin(
; CHECK: call {{.*}}@verso.load.double
; CHECK: ret { double, i32 }
define double @once(ptr %p) noinline {
  %q0 = getelementptr double, ptr %p, i64 0
  %x0 = load double, ptr %q0
  %s0 = fadd double %x0, 0.0
  %q1 = getelementptr double, ptr %p, i64 1
  %x1 = load double, ptr %q1
  %s1 = fadd double %x1, %s0
  %q2 = getelementptr double, ptr %p, i64 2
  %x2 = load double, ptr %q2
  %s2 = fadd double %x2, %s1
  %q3 = getelementptr double, ptr %p, i64 3
  %x3 = load double, ptr %q3
  %s3 = fadd double %x3, %s2
  %q4 = getelementptr double, ptr %p, i64 4
  %x4 = load double, ptr %q4
  %s4 = fadd double %x4, %s3
  %q5 = getelementptr double, ptr %p, i64 5
  %x5 = load double, ptr %q5
  %s5 = fadd double %x5, %s4
  %q6 = getelementptr double, ptr %p, i64 6
  %x6 = load double, ptr %q6
  %s6 = fadd double %x6, %s5
  %q7 = getelementptr double, ptr %p, i64 7
  %x7 = load double, ptr %q7
  %s7 = fadd double %x7, %s6
  %q8 = getelementptr double, ptr %p, i64 8
  %x8 = load double, ptr %q8
  %s8 = fadd double %x8, %s7
  %q9 = getelementptr double, ptr %p, i64 9
  %x9 = load double, ptr %q9
  %s9 = fadd double %x9, %s8
  %q10 = getelementptr double, ptr %p, i64 10
  %x10 = load double, ptr %q10
  %s10 = fadd double %x10, %s9
  %q11 = getelementptr double, ptr %p, i64 11
  %x11 = load double, ptr %q11
  %s11 = fadd double %x11, %s10
  %q12 = getelementptr double, ptr %p, i64 12
  %x12 = load double, ptr %q12
  %s12 = fadd double %x12, %s11
  %q13 = getelementptr double, ptr %p, i64 13
  %x13 = load double, ptr %q13
  %s13 = fadd double %x13, %s12
  %q14 = getelementptr double, ptr %p, i64 14
  %x14 = load double, ptr %q14
  %s14 = fadd double %x14, %s13
  %q15 = getelementptr double, ptr %p, i64 15
  %x15 = load double, ptr %q15
  %s15 = fadd double %x15, %s14
  %q16 = getelementptr double, ptr %p, i64 16
  %x16 = load double, ptr %q16
  %s16 = fadd double %x16, %s15
  %q17 = getelementptr double, ptr %p, i64 17
  %x17 = load double, ptr %q17
  %s17 = fadd double %x17, %s16
  %q18 = getelementptr double, ptr %p, i64 18
  %x18 = load double, ptr %q18
  %s18 = fadd double %x18, %s17
  %q19 = getelementptr double, ptr %p, i64 19
  %x19 = load double, ptr %q19
  %s19 = fadd double %x19, %s18
  %q20 = getelementptr double, ptr %p, i64 20
  %x20 = load double, ptr %q20
  %s20 = fadd double %x20, %s19
  %q21 = getelementptr double, ptr %p, i64 21
  %x21 = load double, ptr %q21
  %s21 = fadd double %x21, %s20
  %q22 = getelementptr double, ptr %p, i64 22
  %x22 = load double, ptr %q22
  %s22 = fadd double %x22, %s21
  %q23 = getelementptr double, ptr %p, i64 23
  %x23 = load double, ptr %q23
  %s23 = fadd double %x23, %s22
  %q24 = getelementptr double, ptr %p, i64 24
  %x24 = load double, ptr %q24
  %s24 = fadd double %x24, %s23
  %q25 = getelementptr double, ptr %p, i64 25
  %x25 = load double, ptr %q25
  %s25 = fadd double %x25, %s24
  %q26 = getelementptr double, ptr %p, i64 26
  %x26 = load double, ptr %q26
  %s26 = fadd double %x26, %s25
  %q27 = getelementptr double, ptr %p, i64 27
  %x27 = load double, ptr %q27
  %s27 = fadd double %x27, %s26
  %q28 = getelementptr double, ptr %p, i64 28
  %x28 = load double, ptr %q28
  %s28 = fadd double %x28, %s27
  %q29 = getelementptr double, ptr %p, i64 29
  %x29 = load double, ptr %q29
  %s29 = fadd double %x29, %s28
  %q30 = getelementptr double, ptr %p, i64 30
  %x30 = load double, ptr %q30
  %s30 = fadd double %x30, %s29
  %q31 = getelementptr double, ptr %p, i64 31
  %x31 = load double, ptr %q31
  %s31 = fadd double %x31, %s30
  %q32 = getelementptr double, ptr %p, i64 32
  %x32 = load double, ptr %q32
  %s32 = fadd double %x32, %s31
  %q33 = getelementptr double, ptr %p, i64 33
  %x33 = load double, ptr %q33
  %s33 = fadd double %x33, %s32
  %q34 = getelementptr double, ptr %p, i64 34
  %x34 = load double, ptr %q34
  %s34 = fadd double %x34, %s33
  %q35 = getelementptr double, ptr %p, i64 35
  %x35 = load double, ptr %q35
  %s35 = fadd double %x35, %s34
  %q36 = getelementptr double, ptr %p, i64 36
  %x36 = load double, ptr %q36
  %s36 = fadd double %x36, %s35
  %q37 = getelementptr double, ptr %p, i64 37
  %x37 = load double, ptr %q37
  %s37 = fadd double %x37, %s36
  %q38 = getelementptr double, ptr %p, i64 38
  %x38 = load double, ptr %q38
  %s38 = fadd double %x38, %s37
  %q39 = getelementptr double, ptr %p, i64 39
  %x39 = load double, ptr %q39
  %s39 = fadd double %x39, %s38
  ret double %s39
}

; CHECK-LABEL: define internal { double, i32 } @repeated.twin(
; CHECK-NOT: @verso.load.double
; CHECK: ret { double, i32 }
define double @repeated(ptr %p) noinline {
  %q0 = getelementptr double, ptr %p, i64 0
  %x0 = load double, ptr %q0
  %s0 = fadd double %x0, 0.0
  %q1 = getelementptr double, ptr %p, i64 1
  %x1 = load double, ptr %q1
  %s1 = fadd double %x1, %s0
  %q2 = getelementptr double, ptr %p, i64 2
  %x2 = load double, ptr %q2
  %s2 = fadd double %x2, %s1
  %q3 = getelementptr double, ptr %p, i64 3
  %x3 = load double, ptr %q3
  %s3 = fadd double %x3, %s2
  %q4 = getelementptr double, ptr %p, i64 4
  %x4 = load double, ptr %q4
  %s4 = fadd double %x4, %s3
  %q5 = getelementptr double, ptr %p, i64 5
  %x5 = load double, ptr %q5
  %s5 = fadd double %x5, %s4
  %q6 = getelementptr double, ptr %p, i64 6
  %x6 = load double, ptr %q6
  %s6 = fadd double %x6, %s5
  %q7 = getelementptr double, ptr %p, i64 7
  %x7 = load double, ptr %q7
  %s7 = fadd double %x7, %s6
  %q8 = getelementptr double, ptr %p, i64 8
  %x8 = load double, ptr %q8
  %s8 = fadd double %x8, %s7
  %q9 = getelementptr double, ptr %p, i64 9
  %x9 = load double, ptr %q9
  %s9 = fadd double %x9, %s8
  %q10 = getelementptr double, ptr %p, i64 10
  %x10 = load double, ptr %q10
  %s10 = fadd double %x10, %s9
  %q11 = getelementptr double, ptr %p, i64 11
  %x11 = load double, ptr %q11
  %s11 = fadd double %x11, %s10
  %q12 = getelementptr double, ptr %p, i64 12
  %x12 = load double, ptr %q12
  %s12 = fadd double %x12, %s11
  %q13 = getelementptr double, ptr %p, i64 13
  %x13 = load double, ptr %q13
  %s13 = fadd double %x13, %s12
  %q14 = getelementptr double, ptr %p, i64 14
  %x14 = load double, ptr %q14
  %s14 = fadd double %x14, %s13
  %q15 = getelementptr double, ptr %p, i64 15
  %x15 = load double, ptr %q15
  %s15 = fadd double %x15, %s14
  %q16 = getelementptr double, ptr %p, i64 16
  %x16 = load double, ptr %q16
  %s16 = fadd double %x16, %s15
  %q17 = getelementptr double, ptr %p, i64 17
  %x17 = load double, ptr %q17
  %s17 = fadd double %x17, %s16
  %q18 = getelementptr double, ptr %p, i64 18
  %x18 = load double, ptr %q18
  %s18 = fadd double %x18, %s17
  %q19 = getelementptr double, ptr %p, i64 19
  %x19 = load double, ptr %q19
  %s19 = fadd double %x19, %s18
  %q20 = getelementptr double, ptr %p, i64 20
  %x20 = load double, ptr %q20
  %s20 = fadd double %x20, %s19
  %q21 = getelementptr double, ptr %p, i64 21
  %x21 = load double, ptr %q21
  %s21 = fadd double %x21, %s20
  %q22 = getelementptr double, ptr %p, i64 22
  %x22 = load double, ptr %q22
  %s22 = fadd double %x22, %s21
  %q23 = getelementptr double, ptr %p, i64 23
  %x23 = load double, ptr %q23
  %s23 = fadd double %x23, %s22
  %q24 = getelementptr double, ptr %p, i64 24
  %x24 = load double, ptr %q24
  %s24 = fadd double %x24, %s23
  %q25 = getelementptr double, ptr %p, i64 25
  %x25 = load double, ptr %q25
  %s25 = fadd double %x25, %s24
  %q26 = getelementptr double, ptr %p, i64 26
  %x26 = load double, ptr %q26
  %s26 = fadd double %x26, %s25
  %q27 = getelementptr double, ptr %p, i64 27
  %x27 = load double, ptr %q27
  %s27 = fadd double %x27, %s26
  %q28 = getelementptr double, ptr %p, i64 28
  %x28 = load double, ptr %q28
  %s28 = fadd double %x28, %s27
  %q29 = getelementptr double, ptr %p, i64 29
  %x29 = load double, ptr %q29
  %s29 = fadd double %x29, %s28
  %q30 = getelementptr double, ptr %p, i64 30
  %x30 = load double, ptr %q30
  %s30 = fadd double %x30, %s29
  %q31 = getelementptr double, ptr %p, i64 31
  %x31 = load double, ptr %q31
  %s31 = fadd double %x31, %s30
  %q32 = getelementptr double, ptr %p, i64 32
  %x32 = load double, ptr %q32
  %s32 = fadd double %x32, %s31
  %q33 = getelementptr double, ptr %p, i64 33
  %x33 = load double, ptr %q33
  %s33 = fadd double %x33, %s32
  %q34 = getelementptr double, ptr %p, i64 34
  %x34 = load double, ptr %q34
  %s34 = fadd double %x34, %s33
  %q35 = getelementptr double, ptr %p, i64 35
  %x35 = load double, ptr %q35
  %s35 = fadd double %x35, %s34
  %q36 = getelementptr double, ptr %p, i64 36
  %x36 = load double, ptr %q36
  %s36 = fadd double %x36, %s35
  %q37 = getelementptr double, ptr %p, i64 37
  %x37 = load double, ptr %q37
  %s37 = fadd double %x37, %s36
  %q38 = getelementptr double, ptr %p, i64 38
  %x38 = load double, ptr %q38
  %s38 = fadd double %x38, %s37
  %q39 = getelementptr double, ptr %p, i64 39
  %x39 = load double, ptr %q39
  %s39 = fadd double %x39, %s38
  ret double %s39
}

define double @calls(ptr %p, i64 %n) {
entry:
  %first = call double @once(ptr %p)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ %first, %entry ], [ %t, %loop ]
  %r = call double @repeated(ptr %p)
  %t = fadd double %s, %r
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret double %t
}

declare void @__verso_grad_void(ptr, ...)
@verso_dup = external global i32
@verso_const = external global i32
define void @requests(ptr %p, ptr %q) {
  %d = load i32, ptr @verso_dup
  %k = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad_void(ptr @calls, i32 %d, ptr %p, ptr %q, i32 %k, i64 3)
  ret void
}
