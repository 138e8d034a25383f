; Memory of Rust's allocator, whose functions rustc makes up with a crate's hash
; in their names: taken, taken zeroed, moved to more room and given back, by all
; strategies. What was taken and does not fit is given back at once. And the calls of
; a Mutex that somebody else may hold.

; RUN: %opt_verso -passes=verso -verso-strategy=structured -verify-each %s -o %t.bc
; RUN: %clang -O1 -w %S/Inputs/rust.c %t.bc %verso_libs -o %t
; RUN: %t
; RUN: %opt_verso -passes=verso -verso-strategy=taped -verify-each %s -o %t.bc
; RUN: %clang -O1 -w %S/Inputs/rust.c %t.bc %verso_libs -o %t
; RUN: %t

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@verso_dup = external global i32
@verso_const = external global i32
@lock = global i32 0

; A vector for one number grows to n: v[i] = x[i] * v[i - 1], and the sum of v and
; of w[i] = v[i] * v[i] for even i, which is zero for others.
define double @grow(ptr %x, i64 %n) {
entry:
  call void @_RNvCsfLfy6EI15iL_7___rustc35___rust_no_alloc_shim_is_unstable_v2()
  %v1 = call noalias ptr @_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc(i64 8, i64 8)
  %x0 = load double, ptr %x
  %y0 = fmul double %x0, %x0
  store double %y0, ptr %v1
  %bytes = shl i64 %n, 3
  %v = call noalias ptr @_RNvCsfLfy6EI15iL_7___rustc14___rust_realloc(ptr allocptr %v1, i64 8, i64 8, i64 %bytes)
  %null = icmp eq ptr %v, null
  br i1 %null, label %failed, label %start
failed:
  call void @_RNvNtCslNYArtu3iFV_5alloc7raw_vec12handle_error(i64 8, i64 %bytes)
  unreachable
start:
  %w = call noalias ptr @_RNvCsfLfy6EI15iL_7___rustc19___rust_alloc_zeroed(i64 %bytes, i64 8)
  br label %fill
fill:
  %i = phi i64 [1, %start], [%i1, %fill]
  %before = sub i64 %i, 1
  %vb = getelementptr double, ptr %v, i64 %before
  %a = load double, ptr %vb
  %xi = getelementptr double, ptr %x, i64 %i
  %b = load double, ptr %xi
  %c = fmul double %a, %b
  %vi = getelementptr double, ptr %v, i64 %i
  store double %c, ptr %vi
  %even = and i64 %i, -2
  %wi = getelementptr double, ptr %w, i64 %even
  %cc = fmul double %c, %c
  store double %cc, ptr %wi
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %fill, label %sum
sum:
  %k = phi i64 [0, %fill], [%k1, %sum]
  %s = phi double [0.0, %fill], [%s2, %sum]
  %vk = getelementptr double, ptr %v, i64 %k
  %d = load double, ptr %vk
  %wk = getelementptr double, ptr %w, i64 %k
  %e = load double, ptr %wk
  %s1 = fadd double %s, %d
  %s2 = fadd double %s1, %e
  %k1 = add i64 %k, 1
  %on = icmp ult i64 %k1, %n
  br i1 %on, label %sum, label %end
end:
  call void @_RNvCsfLfy6EI15iL_7___rustc14___rust_dealloc(ptr allocptr %w, i64 %bytes, i64 8)
  call void @_RNvCsfLfy6EI15iL_7___rustc14___rust_dealloc(ptr allocptr %v, i64 %bytes, i64 8)
  ret double %s2
}

; The sum of the squares of what is pushed onto an empty vector, x[i] + x[0].
define double @push(ptr %x, i64 %n) {
entry:
  %first = load double, ptr %x
  br label %next
next:
  %i = phi i64 [0, %entry], [%i1, %write]
  %v = phi ptr [inttoptr (i64 8 to ptr), %entry], [%vi, %write]
  %cap = phi i64 [0, %entry], [%capi, %write]
  %full = icmp eq i64 %i, %cap
  br i1 %full, label %more, label %write
more:
  %twice = shl i64 %cap, 1
  %cap2 = call i64 @llvm.umax.i64(i64 %twice, i64 4)
  %bytes = shl i64 %cap2, 3
  %empty = icmp eq i64 %cap, 0
  br i1 %empty, label %fresh, label %grown
fresh:
  %v1 = call noalias ptr @_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc(i64 %bytes, i64 8)
  br label %write
grown:
  %old = shl i64 %cap, 3
  %v2 = call noalias ptr @_RNvCsfLfy6EI15iL_7___rustc14___rust_realloc(ptr allocptr %v, i64 %old, i64 8, i64 %bytes)
  br label %write
write:
  %vi = phi ptr [%v, %next], [%v1, %fresh], [%v2, %grown]
  %capi = phi i64 [%cap, %next], [%cap2, %fresh], [%cap2, %grown]
  %xi = getelementptr double, ptr %x, i64 %i
  %a = load double, ptr %xi
  %b = fadd double %a, %first
  %at = getelementptr double, ptr %vi, i64 %i
  store double %b, ptr %at
  %i1 = add i64 %i, 1
  %on = icmp ult i64 %i1, %n
  br i1 %on, label %next, label %sum
sum:
  %k = phi i64 [0, %write], [%k1, %sum]
  %s = phi double [0.0, %write], [%s1, %sum]
  %vk = getelementptr double, ptr %vi, i64 %k
  %c = load double, ptr %vk
  %cc = fmul double %c, %c
  %s1 = fadd double %s, %cc
  %k1 = add i64 %k, 1
  %again = icmp ult i64 %k1, %n
  br i1 %again, label %sum, label %end
end:
  %all = shl i64 %capi, 3
  call void @_RNvCsfLfy6EI15iL_7___rustc14___rust_dealloc(ptr allocptr %vi, i64 %all, i64 8)
  %state = load i32, ptr @lock
  %free = icmp eq i32 %state, 0
  br i1 %free, label %held, label %wait
wait:
  call void @_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended(ptr @lock)
  br label %held
held:
  %calm = call zeroext i1 @_RNvNtNtCsjrHSEGnQ3l9_3std9panicking11panic_count17is_zero_slow_path()
  %factor = select i1 %calm, double 2.0, double 3.0
  %result = fmul double %s1, %factor
  ret double %result
}

define void @push_gradient(ptr %x, ptr %d, i64 %n) {
  %dup = load i32, ptr @verso_dup
  %const = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad_void(ptr @push, i32 %dup, ptr %x, ptr %d, i32 %const, i64 %n)
  ret void
}

define double @push_tangent(ptr %x, ptr %d, i64 %n) {
  %dup = load i32, ptr @verso_dup
  %const = load i32, ptr @verso_const
  %t = call double (ptr, ...) @__verso_jvp(ptr @push, i32 %dup, ptr %x, ptr %d, i32 %const, i64 %n)
  ret double %t
}

define void @grow_gradient(ptr %x, ptr %d, i64 %n) {
  %dup = load i32, ptr @verso_dup
  %const = load i32, ptr @verso_const
  call void (ptr, ...) @__verso_grad_void(ptr @grow, i32 %dup, ptr %x, ptr %d, i32 %const, i64 %n)
  ret void
}

define double @grow_tangent(ptr %x, ptr %d, i64 %n) {
  %dup = load i32, ptr @verso_dup
  %const = load i32, ptr @verso_const
  %t = call double (ptr, ...) @__verso_jvp(ptr @grow, i32 %dup, ptr %x, ptr %d, i32 %const, i64 %n)
  ret double %t
}

declare i64 @llvm.umax.i64(i64, i64)
declare void @__verso_grad_void(ptr, ...)
declare double @__verso_jvp(ptr, ...)
declare void @_RNvNtCslNYArtu3iFV_5alloc7raw_vec12handle_error(i64, i64) noreturn
declare void @_RNvCsfLfy6EI15iL_7___rustc35___rust_no_alloc_shim_is_unstable_v2() nounwind
declare void @_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended(ptr)
declare zeroext i1 @_RNvNtNtCsjrHSEGnQ3l9_3std9panicking11panic_count17is_zero_slow_path()
declare noalias ptr @_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc(i64, i64 allocalign) nounwind allockind("alloc,uninitialized,aligned") allocsize(0) "alloc-family"="__rust_alloc"
declare noalias ptr @_RNvCsfLfy6EI15iL_7___rustc19___rust_alloc_zeroed(i64, i64 allocalign) nounwind allockind("alloc,zeroed,aligned") allocsize(0) "alloc-family"="__rust_alloc"
declare noalias ptr @_RNvCsfLfy6EI15iL_7___rustc14___rust_realloc(ptr allocptr, i64, i64 allocalign, i64) nounwind allockind("realloc,aligned") allocsize(3) "alloc-family"="__rust_alloc"
declare void @_RNvCsfLfy6EI15iL_7___rustc14___rust_dealloc(ptr allocptr, i64, i64) nounwind allockind("free") "alloc-family"="__rust_alloc"
