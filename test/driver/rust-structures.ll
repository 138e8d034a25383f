; What rustc says of structures: so many bytes, whether they are returned in memory
; or passed in it. Which of them are numbers, what is accessed tells. And its
; comparisons of vectors, which are calls of intrinsics where clang has a word, and
; exchanges of pointers, where it has integers.

; RUN: %opt_verso -passes=verso -verify-each %s -o %t.bc
; RUN: %clang -O1 -w %S/Inputs/rust-structures.c %t.bc %verso_libs -o %t
; RUN: %t
; RUN: %opt_verso -passes='default<O2>' -verso-strategy=taped -verify-each %s -o %t.bc
; RUN: %clang -O1 -w %S/Inputs/rust-structures.c %t.bc %verso_libs -o %t
; RUN: %t

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@verso_dup = external global i32
@verso_const = external global i32
declare void @__verso_jvp(ptr sret([24 x i8]), ptr, ...)
declare void @__verso_vjp_void(ptr, ...)
declare void @__verso_grad_void(ptr, ...)
declare <2 x double> @llvm.x86.sse2.cmp.pd(<2 x double>, <2 x double>, i8)
declare <2 x double> @llvm.x86.sse2.cmp.sd(<2 x double>, <2 x double>, i8)

; (in[0], moved as an integer; in[0] * a + a * in[1]; a)
define void @three(ptr noalias sret([24 x i8]) align 8 %r, ptr %in, double %a) noinline {
  %v = load i64, ptr %in, align 8
  store i64 %v, ptr %r, align 8
  %x = load double, ptr %in, align 8
  %y = fmul double %x, %a
  %q = getelementptr i8, ptr %in, i64 8
  %w = load double, ptr %q, align 8
  %z = fmul double %a, %w
  %s = fadd double %y, %z
  %p = getelementptr i8, ptr %r, i64 8
  store double %s, ptr %p, align 8
  %p2 = getelementptr i8, ptr %r, i64 16
  store double %a, ptr %p2, align 8
  ret void
}
; The same, handed on.
define void @forwarded(ptr noalias sret([24 x i8]) align 8 %r, ptr %in, double %a) noinline {
  %t = alloca [24 x i8], align 8
  call void @three(ptr sret([24 x i8]) align 8 %t, ptr %in, double %a)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %r, ptr align 8 %t, i64 24, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
; x * y + z
define double @byValue(ptr byval([24 x i8]) align 8 %s) noinline {
  %x = load double, ptr %s, align 8
  %py = getelementptr i8, ptr %s, i64 8
  %y = load double, ptr %py, align 8
  %pz = getelementptr i8, ptr %s, i64 16
  %z = load double, ptr %pz, align 8
  %m = fmul double %x, %y
  %r = fadd double %m, %z
  ret double %r
}
; The sum of squares of so many: all but the first by a variable index.
define double @indexed(ptr byval([40 x i8]) align 8 %s, i64 %n) noinline {
entry:
  %x0 = load double, ptr %s, align 8
  %q = fmul double %x0, %x0
  br label %loop
loop:
  %i = phi i64 [1, %entry], [%i1, %loop]
  %sum = phi double [%q, %entry], [%t, %loop]
  %p = getelementptr inbounds double, ptr %s, i64 %i
  %x = load double, ptr %p, align 8
  %y = fmul double %x, %x
  %t = fadd double %sum, %y
  %i1 = add i64 %i, 1
  %c = icmp slt i64 %i1, %n
  br i1 %c, label %loop, label %done
done:
  ret double %t
}
declare void @__verso_grad_five(ptr sret([40 x i8]), ptr, ...)
define void @gradient_of_indexed(ptr %to, ptr %s) {
  call void (ptr, ptr, ...) @__verso_grad_five(ptr sret([40 x i8]) align 8 %to, ptr @indexed, ptr byval([40 x i8]) align 8 %s, ptr @verso_const, i64 5)
  ret void
}
; The sum of x[i]^2 where x[i] < 2, of 3 x[i] elsewhere; and once more, of x[0]
; alone, not x[0] >= 2.
define double @choose(ptr %x) noinline {
  %v = load <2 x double>, ptr %x, align 8
  %two = insertelement <2 x double> <double 2.0, double 2.0>, double 2.0, i32 0
  %m = call <2 x double> @llvm.x86.sse2.cmp.pd(<2 x double> %v, <2 x double> %two, i8 1)
  %mask = bitcast <2 x double> %m to <2 x i64>
  %q = fmul <2 x double> %v, %v
  %t = fmul <2 x double> %v, <double 3.0, double 3.0>
  %qb = bitcast <2 x double> %q to <2 x i64>
  %tb = bitcast <2 x double> %t to <2 x i64>
  %a = and <2 x i64> %qb, %mask
  %not = xor <2 x i64> %mask, <i64 -1, i64 -1>
  %b = and <2 x i64> %tb, %not
  %o = or <2 x i64> %a, %b
  %r = bitcast <2 x i64> %o to <2 x double>
  %n = call <2 x double> @llvm.x86.sse2.cmp.sd(<2 x double> %v, <2 x double> %two, i8 5)
  %n0 = extractelement <2 x double> %n, i32 0
  %nb = bitcast double %n0 to i64
  %isnot = icmp ne i64 %nb, 0
  %r0 = extractelement <2 x double> %r, i32 0
  %r1 = extractelement <2 x double> %r, i32 1
  %s = fadd double %r0, %r1
  %x0 = extractelement <2 x double> %v, i32 0
  %more = select i1 %isnot, double %x0, double 0.0
  %sum = fadd double %s, %more
  ret double %sum
}

; x^3, by way of memory whose address is exchanged.
define double @exchange(ptr %x) noinline {
  %slot = alloca ptr, align 8
  store ptr null, ptr %slot, align 8
  %block = call noalias ptr @malloc(i64 8)
  %v = load double, ptr %x, align 8
  %s = fmul double %v, %v
  store double %s, ptr %block, align 8
  %null = atomicrmw xchg ptr %slot, ptr %block acq_rel
  %again = atomicrmw xchg ptr %slot, ptr %null acq_rel
  %t = load double, ptr %again, align 8
  call void @free(ptr %again)
  %r = fmul double %t, %v
  ret double %r
}
declare ptr @malloc(i64)
declare void @free(ptr)
define void @gradient_of_exchange(ptr %x, ptr %dx) {
  call void (ptr, ...) @__verso_grad_void(ptr @exchange, ptr @verso_dup, ptr %x, ptr %dx)
  ret void
}

define void @tangents(ptr %to, ptr %in, ptr %tangent, double %a, double %da) {
  call void (ptr, ptr, ...) @__verso_jvp(ptr sret([24 x i8]) align 8 %to, ptr @three, ptr @verso_dup, ptr %in, ptr %tangent, ptr @verso_dup, double %a, double %da)
  ret void
}
define void @tangents_forwarded(ptr %to, ptr %in, ptr %tangent, double %a, double %da) {
  call void (ptr, ptr, ...) @__verso_jvp(ptr sret([24 x i8]) align 8 %to, ptr @forwarded, ptr @verso_dup, ptr %in, ptr %tangent, ptr @verso_dup, double %a, double %da)
  ret void
}
define void @cotangents(ptr %in, ptr %din, double %a, ptr %seed) {
  call void (ptr, ...) @__verso_vjp_void(ptr @forwarded, ptr @verso_dup, ptr %in, ptr %din, ptr @verso_const, double %a, ptr %seed)
  ret void
}
define void @gradient_of_struct(ptr %to, ptr %s) {
  call void (ptr, ptr, ...) @__verso_grad_three(ptr sret([24 x i8]) align 8 %to, ptr @byValue, ptr byval([24 x i8]) align 8 %s)
  ret void
}
declare void @__verso_grad_three(ptr sret([24 x i8]), ptr, ...)
define void @gradient_of_choice(ptr %x, ptr %dx) {
  call void (ptr, ...) @__verso_grad_void(ptr @choose, ptr @verso_dup, ptr %x, ptr %dx)
  ret void
}
