; Vectors of tracked pointers, as an earlier vectoriser leaves them, are taken
; apart before a function is differentiated: computed by getelementptr from one
; pointer or from many, in a loop, stored and loaded, passed and returned, through
; integers, read in a lane that is known at run time only.

; RUN: %opt_verso -passes=verso -verify-each %s -o %t.bc
; RUN: %clang -O1 -w %S/Inputs/vectors-of-pointers.c %t.bc %verso_libs -o %t
; RUN: %t

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; x[i] + x[3]
define double @scalars(ptr %x, i64 %i) {
  %v = insertelement <2 x i64> poison, i64 %i, i64 0
  %w = insertelement <2 x i64> %v, i64 3, i64 1
  %p = getelementptr inbounds double, ptr %x, <2 x i64> %w
  %a = extractelement <2 x ptr> %p, i64 0
  %b = extractelement <2 x ptr> %p, i64 1
  %y = load double, ptr %a
  %z = load double, ptr %b
  %s = fadd double %y, %z
  ret double %s
}

; the sum of x[0] * x[k] for k < n
define double @loop(ptr %x, i64 %n) {
entry:
  %b = insertelement <2 x ptr> poison, ptr %x, i64 0
  %c = shufflevector <2 x ptr> %b, <2 x ptr> poison, <2 x i32> zeroinitializer
  br label %body
body:
  %i = phi i64 [0, %entry], [%i1, %body]
  %p = phi <2 x ptr> [%c, %entry], [%q, %body]
  %sum = phi double [0.0, %entry], [%s2, %body]
  %a = extractelement <2 x ptr> %p, i64 0
  %bb = extractelement <2 x ptr> %p, i64 1
  %y = load double, ptr %a
  %z = load double, ptr %bb
  %m = fmul double %y, %z
  %s2 = fadd double %sum, %m
  %q = getelementptr inbounds double, <2 x ptr> %p, <2 x i64> <i64 1, i64 0>
  %i1 = add i64 %i, 1
  %d = icmp eq i64 %i1, %n
  br i1 %d, label %out, label %body
out:
  ret double %s2
}

define void @store2(ptr %x, ptr %to) {
  %b = insertelement <2 x ptr> poison, ptr %x, i64 0
  %c = shufflevector <2 x ptr> %b, <2 x ptr> poison, <2 x i32> zeroinitializer
  %p = getelementptr inbounds double, <2 x ptr> %c, <2 x i64> <i64 1, i64 5>
  store <2 x ptr> %p, ptr %to
  ret void
}

; x[1] * x[5]
define double @store_run(ptr %x) {
  %to = alloca [2 x ptr], align 16
  call void @store2(ptr %x, ptr %to)
  %v = load <2 x ptr>, ptr %to, align 16
  %a = extractelement <2 x ptr> %v, i64 0
  %b = extractelement <2 x ptr> %v, i64 1
  %y = load double, ptr %a
  %z = load double, ptr %b
  %m = fmul double %y, %z
  ret double %m
}

define <2 x ptr> @returns(<2 x ptr> %p, i64 %i) noinline {
  %s = insertelement <2 x i64> <i64 1, i64 2>, i64 %i, i64 0
  %q = getelementptr inbounds double, <2 x ptr> %p, <2 x i64> %s
  %n = icmp eq <2 x ptr> %q, zeroinitializer
  %r = select <2 x i1> %n, <2 x ptr> %p, <2 x ptr> %q
  ret <2 x ptr> %r
}

; x[i + 1] * x[2]
define double @passed(ptr %x, i64 %i) {
  %b = insertelement <2 x ptr> poison, ptr %x, i64 0
  %c = shufflevector <2 x ptr> %b, <2 x ptr> poison, <2 x i32> zeroinitializer
  %v = call <2 x ptr> @returns(<2 x ptr> %c, i64 %i)
  %int = ptrtoint <2 x ptr> %v to <2 x i64>
  %add = add <2 x i64> %int, <i64 8, i64 0>
  %w = inttoptr <2 x i64> %add to <2 x ptr>
  %a = extractelement <2 x ptr> %w, i64 0
  %b2 = extractelement <2 x ptr> %w, i64 1
  %y = load double, ptr %a
  %z = load double, ptr %b2
  %m = fmul double %y, %z
  ret double %m
}

; x[2 k]^2
define double @lane(ptr %x, i32 %k) {
  %p = getelementptr inbounds double, ptr %x, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  %a = extractelement <4 x ptr> %p, i32 %k
  %y = load double, ptr %a
  %m = fmul double %y, %y
  ret double %m
}

define double @whole(ptr %x, ptr %to) {
  %p = getelementptr inbounds double, ptr %x, <2 x i64> <i64 3, i64 1>
  %f = freeze <2 x ptr> %p
  %g = getelementptr inbounds [2 x double], <2 x ptr> %f, i64 0, <2 x i64> <i64 1, i64 1>
  store <2 x ptr> %g, ptr %to, align 4
  %v = load <2 x ptr>, ptr %to, align 4
  %a = extractelement <2 x ptr> %v, i64 0
  %b = extractelement <2 x ptr> %v, i64 1
  %y = load double, ptr %a
  %z = load double, ptr %b
  %m = fmul double %y, %z
  ret double %m
}

; x[4] * x[2]
define double @run_whole(ptr %x) {
  %to = alloca [2 x ptr]
  %r = call double @whole(ptr %x, ptr %to)
  ret double %r
}

; x[i]^2, through vectors of one
define double @single(ptr %x, i64 %i) {
  %p = insertelement <1 x ptr> poison, ptr %x, i64 0
  %w = insertelement <1 x i64> poison, i64 %i, i64 0
  %q = getelementptr inbounds double, <1 x ptr> %p, <1 x i64> %w
  %a = extractelement <1 x ptr> %q, i64 0
  %y = load double, ptr %a
  %m = fmul double %y, %y
  ret double %m
}

@verso_dup = external global i32
declare void @__verso_grad(ptr, ...)

define void @gradient_scalars(ptr %x, ptr %dx) {
  %dup = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad(ptr @scalars, i32 %dup, ptr %x, ptr %dx, i64 2)
  ret void
}
define void @gradient_loop(ptr %x, ptr %dx) {
  %dup = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad(ptr @loop, i32 %dup, ptr %x, ptr %dx, i64 4)
  ret void
}
define void @gradient_stored(ptr %x, ptr %dx) {
  %dup = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad(ptr @store_run, i32 %dup, ptr %x, ptr %dx)
  ret void
}
define void @gradient_passed(ptr %x, ptr %dx) {
  %dup = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad(ptr @passed, i32 %dup, ptr %x, ptr %dx, i64 3)
  ret void
}
define void @gradient_lane(ptr %x, ptr %dx) {
  %dup = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad(ptr @lane, i32 %dup, ptr %x, ptr %dx, i32 2)
  ret void
}
define void @gradient_whole(ptr %x, ptr %dx) {
  %dup = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad(ptr @run_whole, i32 %dup, ptr %x, ptr %dx)
  ret void
}
define void @gradient_single(ptr %x, ptr %dx) {
  %dup = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad(ptr @single, i32 %dup, ptr %x, ptr %dx, i64 6)
  ret void
}
