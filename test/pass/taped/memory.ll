; Loads and stores of numbers move images in shadow memory beside the bytes, in
; line; the runtime is called where something is rare only. Which pointers have
; a shadow of the user's decides what is emitted: nothing about shadows for one
; that has none for certain, a branch on a live image for one that may have.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Watched memory has images from the beginning (fresh-memory.ll has the others).
declare void @verso_watch(ptr, i64)

; An untracked pointer: the image is read after the primal load, at the primal's
; address plus delta. image * (2^32 + 1) is base + id where its halves fit
; together. One comparison says whether they do and the ID is live, another one
; that it is below base, a stale one or none: 0. All else is asked of a
; function. No leaf is ever made.
; CHECK-LABEL: define internal { double, i32 } @untracked_load.twin(
; CHECK: [[BASE:%[0-9]+]] = zext i32 %verso.base to i64
; CHECK: %a = load double, ptr %p
; CHECK: [[SUM:%[0-9]+]] = add i64 %verso.delta,
; CHECK: [[WRAPPED:%[0-9]+]] = and i64 [[SUM]], 140737488355327
; CHECK: [[AT:%[0-9]+]] = inttoptr i64 [[WRAPPED]] to ptr
; CHECK: [[IMAGE:%[0-9]+]] = load i64, ptr [[AT]], align 1
; CHECK: [[PRODUCT:%[0-9]+]] = mul i64 [[IMAGE]], 4294967297
; CHECK: [[WIDE:%[0-9]+]] = sub i64 [[PRODUCT]], [[BASE]]
; CHECK: [[LIVE:%[0-9]+]] = icmp ult i64 [[WIDE]],
; CHECK: [[OWN:%[0-9]+]] = trunc i64 [[WIDE]] to i32
; CHECK: br i1 [[LIVE]], label %[[JOIN:[.a-z0-9]+]], label %[[DEAD:[0-9]+]]
; CHECK: [[DEAD]]:
; CHECK: [[MOST:%[0-9]+]] = sub {{.*}}i64 0, [[BASE]]
; CHECK: [[UNFIT:%[0-9]+]] = icmp ult i64 [[WIDE]], [[MOST]]
; CHECK: br i1 [[UNFIT]], label %[[SLOW:[0-9]+]], label %[[JOIN]], !prof
; CHECK: [[SLOW]]:
; CHECK-NOT: call
; CHECK: [[FOUND:%[0-9]+]] = {{.*}}call i32 @__verso_id_at(ptr {{(nonnull )?}}%verso, ptr nonnull %p, ptr nonnull %p, i32 1)
; CHECK-NOT: call
; CHECK: [[JOIN]]:
; CHECK: [[KNOWN:%[0-9]+]] = phi i32 [ [[OWN]], %{{[0-9]+}} ], [ [[FOUND]], %[[SLOW]] ], [ 0, %[[DEAD]] ]
; CHECK: %b = fmul double {{%x, %a|%a, %x}}
; CHECK: store i32 [[KNOWN]], ptr
; CHECK-NOT: call
; CHECK: ret { double, i32 }
define double @untracked_load(double %x, ptr %p) {
  %a = load double, ptr %p, align 8
  %b = fmul double %a, %x
  ret double %b
}

; A tracked pointer has its shadow beside it. Where the image is not live, but
; that of untouched memory, and a shadow that is not the pointer itself is in
; reach: the ID is a direct one, the number of the shadow cell with the top bit
; set, without a record and without a call. Whatever is out of reach or does not
; fit together, or may be another thread's, is asked of a function.
; CHECK-LABEL: define internal { double, i32 } @tracked_load.twin(
; CHECK-SAME: ptr %verso, ptr %p, ptr [[SHADOW:%[0-9]+]])
; CHECK: [[BASE:%[0-9]+]] = zext i32 %verso.base to i64
; CHECK: %a = load double, ptr %p
; CHECK: [[PRODUCT:%[0-9]+]] = mul i64 %{{[0-9]+}}, 4294967297
; CHECK: [[WIDE:%[0-9]+]] = sub i64 [[PRODUCT]], [[BASE]]
; CHECK: [[LIVE:%[0-9]+]] = icmp ult i64 [[WIDE]],
; CHECK: br i1 [[LIVE]], label %[[OWN:[0-9]+]], label %[[DEAD:[0-9]+]]
; CHECK: [[DEAD]]:
; CHECK-DAG: [[NONE:%[.a-z0-9]+]] = icmp eq ptr [[SHADOW]], %p
; CHECK-DAG: [[CELL:%[0-9]+]] = ptrtoint ptr [[SHADOW]] to i64
; CHECK-DAG: [[FIRST:%[0-9]+]] = ptrtoint ptr %verso.direct to i64
; CHECK: [[BYTES:%[0-9]+]] = sub i64 [[CELL]], [[FIRST]]
; LLVM 19 selects before it turns.
; CHECK-DAG: call i64 @llvm.fshl.i64(i64 [[TURNED:%[.a-z0-9]+]], i64 [[TURNED]], i64 61)
; CHECK-DAG: select i1 [[NONE]], i64 0, i64
; CHECK: [[WORD:%[0-9]+]] = trunc i64 [[ANY:%[0-9]+]] to i32
; CHECK: [[FAR:%[0-9]+]] = icmp ugt i64 [[ANY]], 2147483647
; CHECK: [[MARK:%[0-9]+]] = select i1 [[NONE]], i32 0, i32 -2147483648
; CHECK: [[ID:%[0-9]+]] = or {{(disjoint )?}}i32 [[MARK]], [[WORD]]
; CHECK: [[MOST:%[0-9]+]] = sub {{.*}}i64 0, [[BASE]]
; CHECK: [[UNFIT:%[0-9]+]] = icmp ult i64 [[WIDE]], [[MOST]]
; CHECK: [[DOUBTFUL:%[0-9]+]] = or i1 [[UNFIT]], [[FAR]]
; CHECK: br i1 [[DOUBTFUL]], label %[[SLOW:[0-9]+]], label %[[JOIN:[.a-z0-9]+]], !prof
; CHECK: [[SLOW]]:
; CHECK-NOT: call
; CHECK: [[FOUND:%[0-9]+]] = {{.*}}call i32 @__verso_id_at(ptr {{(nonnull )?}}%verso, ptr nonnull %p, ptr [[SHADOW]], i32 1)
; CHECK-NOT: call
; CHECK: [[OWN]]:
; CHECK: [[MINE:%[0-9]+]] = trunc {{.*}}i64 [[WIDE]] to i32
; CHECK: br i1 %{{[0-9]+}}, label %[[SLOW]], label %[[JOIN]], !prof
; CHECK: [[JOIN]]:
; CHECK: phi i32 [ [[MINE]], %[[OWN]] ], [ [[ID]], %[[DEAD]] ], [ [[FOUND]], %[[SLOW]] ]
; CHECK: ret { double, i32 }
define double @tracked_load(ptr %p) {
  %a = load double, ptr %p, align 8
  ret double %a
}

; A float has no direct ID: its first touch is a leaf.
; CHECK-LABEL: define internal { float, i32 } @tracked_load_float.twin(
; CHECK: [[IMAGE:%[0-9]+]] = load i32, ptr %{{[0-9]+}}, align 1
; CHECK: sub i32 [[IMAGE]], %verso.base
; CHECK-NOT: -2147483648
; CHECK: call i32 @__verso_id_at(ptr {{(nonnull )?}}%verso, ptr nonnull %p, ptr %{{[0-9]+}}, i32 0)
; CHECK-NOT: -2147483648
; CHECK: ret { float, i32 }
define float @tracked_load_float(ptr %p) {
  %a = load float, ptr %p, align 4
  ret float %a
}

; id + base in the low word, its negative in the high one: (base + id) * (1 -
; 2^32), written after the primal store; no read of the old image, no log, no call.
; CHECK-LABEL: define internal { double, i32 } @untracked_store.twin(
; CHECK-SAME: double %x, ptr %p, i32 [[X:%[0-9]+]])
; CHECK-NOT: call
; CHECK: store double %x, ptr %p
; CHECK: [[WIDE:%[0-9]+]] = zext i32 [[X]] to i64
; CHECK: [[WORD:%[0-9]+]] = add {{.*}}i64 {{(%[0-9]+, )?}}[[WIDE]]
; CHECK: [[IMAGE:%[0-9]+]] = mul i64 [[WORD]], -4294967295
; CHECK-NOT: {{load|call}}
; CHECK: store i64 [[IMAGE]], ptr %{{[0-9]+}}, align 1
; CHECK-NOT: {{load|call}}
; CHECK: ret { double, i32 }
define double @untracked_store(double %x, ptr %p) {
  store double %x, ptr %p
  %s = fadd double %x, 1.0
  ret double %s
}

; A store to tracked memory logs the cell where the image is not live: the
; primal cell, its shadow, 8 bytes, of any kind (5), which writes nothing to the
; tape. A direct ID gets a record of partial 1 first, since an image cannot hold
; it; the ID 0 becomes 1, since the cell must not look untouched.
; CHECK-LABEL: define internal void @tracked_store.twin(
; CHECK-SAME: ptr %p, i32 [[X:%[0-9]+]], ptr [[SHADOW:%[0-9]+]])
; CHECK: call void @__verso_grow(
; CHECK: store double %x, ptr %p
; CHECK: [[DIRECT:%[0-9]+]] = icmp slt i32 [[FROZEN:%[0-9]+]], 0
; CHECK: br i1 [[DIRECT]]
; CHECK: store i32 [[FROZEN]], ptr %verso.cursor
; CHECK: store i32 -2147483639, ptr
; CHECK: [[ID:%[0-9]+]] = phi i32
; CHECK: [[OLD:%[0-9]+]] = load i32, ptr [[IMAGEAT:%[0-9]+]], align 1
; CHECK: icmp ne ptr [[SHADOW]], %p
; CHECK: br i1
; CHECK: call void @__verso_log_store(ptr {{.*}}%verso, ptr {{.*}}%p, ptr {{.*}}[[SHADOW]], i64 8, i32 5)
; CHECK: call i32 @llvm.umax.i32(i32 [[ID]], i32 1)
; CHECK: store i64 %{{[0-9]+}}, ptr [[IMAGEAT]], align 1
; CHECK-NOT: call
; CHECK: ret void
define void @tracked_store(double %x, ptr %p) {
  store double %x, ptr %p
  ret void
}

; A constant stored to tracked memory leaves the constant's ID, 1.
; CHECK-LABEL: define internal void @tracked_store_of_constant.twin(
; CHECK: store double 2.0{{.*}}, ptr %p
; CHECK-DAG: [[LOW:%[0-9]+]] = zext i32 %verso.base to i64
; CHECK: [[PAIR:%[0-9]+]] = mul {{.*}}i64 [[LOW]], -4294967295
; CHECK: add i64 [[PAIR]], -4294967295
; CHECK: store i64 %{{[0-9]+}}, ptr %{{[0-9]+}}, align 1
; CHECK: ret void
define void @tracked_store_of_constant(ptr %p) {
  store double 2.0, ptr %p
  ret void
}

; Bits that are moved as an integer take their image with them, both halves at
; once. Bytes of tracked memory are given raw leaves first.
; CHECK-LABEL: define internal void @moved_bits.twin(
; CHECK-SAME: ptr %from, ptr %to, ptr [[SHADOW:%[0-9]+]])
; CHECK: %bits = load i64, ptr %from
; CHECK: [[NONE:%[.a-z0-9]+]] = icmp eq ptr [[SHADOW]], %from
; CHECK: br i1 [[NONE]]
; CHECK: call void @__verso_touch_claimed(ptr {{(nonnull )?}}%verso, ptr nonnull %from, ptr [[SHADOW]], i64 8)
; CHECK: [[IMAGE:%[0-9]+]] = load i64, ptr %{{[0-9]+}}, align 1
; CHECK: store i64 %bits, ptr %to
; CHECK: store i64 [[IMAGE]], ptr %{{[0-9]+}}, align 1
; CHECK: ret void
define void @moved_bits(ptr noalias %from, ptr noalias %to) {
  %bits = load i64, ptr %from
  store i64 %bits, ptr %to
  ret void
}

; An integer that is no number's bits clears the image that it overwrites.
; CHECK-LABEL: define internal { double, i32 } @plain_integer.twin(
; CHECK: store i64 %n, ptr %p
; CHECK: store i64 0, ptr %{{[0-9]+}}, align 1
; CHECK: ret { double, i32 }
define double @plain_integer(double %x, ptr %p, i64 %n) {
  store i64 %n, ptr %p
  %s = fadd double %x, 1.0
  ret double %s
}

declare double @__verso_grad_scalar(ptr, ...)
declare void @__verso_grad_void(ptr, ...)
@verso_const = external global i32
@verso_dup = external global i32
define void @requests(double %x, ptr %p, ptr %q, i64 %n) {
  %k = load i32, ptr @verso_const
  %d = load i32, ptr @verso_dup
  %1 = call double (ptr, ...) @__verso_grad_scalar(ptr @untracked_load, double %x, i32 %k, ptr %p)
  call void (ptr, ...) @__verso_grad_void(ptr @tracked_load, i32 %d, ptr %p, ptr %q)
  call void (ptr, ...) @__verso_grad_void(ptr @tracked_load_float, i32 %d, ptr %p, ptr %q)
  %2 = call double (ptr, ...) @__verso_grad_scalar(ptr @untracked_store, double %x, i32 %k, ptr %p)
  %3 = call double (ptr, ...) @__verso_grad_scalar(ptr @tracked_store, double %x, i32 %d, ptr %p, ptr %q)
  call void (ptr, ...) @__verso_grad_void(ptr @tracked_store_of_constant, i32 %d, ptr %p, ptr %q)
  call void (ptr, ...) @__verso_grad_void(ptr @moved_bits, i32 %d, ptr %p, ptr %q, i32 %k, ptr %q)
  %4 = call double (ptr, ...) @__verso_grad_scalar(ptr @plain_integer, double %x, i32 %k, ptr %p, i64 %n)
  ret void
}
