; The companion of a pointer is the pointer to its shadow. It makes the same
; steps, and wherever the bytes of a pointer go, into memory too, it goes along:
; tracking is complete, and nobody has to know an extent.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Watched memory has images from the beginning (fresh-memory.ll has the others).
declare void @verso_watch(ptr, i64)

; The shadow by the same steps.
; CHECK-LABEL: define internal { double, i32 } @element.twin(
; CHECK-SAME: ptr %p, i64 %i, ptr [[SHADOW:%[0-9]+]])
; CHECK-DAG: [[Q:%q[.a-z]*]] = getelementptr inbounds double, ptr %p, i64 %i
; CHECK-DAG: [[DQ:%[0-9]+]] = getelementptr inbounds double, ptr [[SHADOW]], i64 %i
; CHECK: %a = load double, ptr [[Q]]
; CHECK: call i32 @__verso_id_at(ptr {{(nonnull )?}}%verso, ptr {{.*}}[[Q]], ptr {{.*}}[[DQ]], i32 1)
define double @element(ptr %p, i64 %i) {
  %q = getelementptr inbounds double, ptr %p, i64 %i
  %a = load double, ptr %q
  ret double %a
}

; An untracked pointer is its own shadow.
; CHECK-LABEL: define internal { double, i32 } @chosen.twin(
; CHECK-SAME: ptr %p, ptr %q, i1 %c, ptr [[SHADOW:%[0-9]+]])
; CHECK: %r = select i1 %c, ptr %p, ptr %q
; CHECK: [[DR:%[0-9]+]] = select i1 %c, ptr [[SHADOW]], ptr %q
; CHECK: icmp {{eq|ne}} ptr [[DR]], %r
define double @chosen(ptr %p, ptr %q, i1 %c) {
  %r = select i1 %c, ptr %p, ptr %q
  %a = load double, ptr %r
  ret double %a
}

; Stored to memory: the image is a new handle, an ID of which the tape has a
; header only (4), and the adjoint slot of the handle keeps the shadow. The ID
; stands in the upper half, which tells a pointer from a number.
; CHECK-LABEL: define internal void @stored.twin(
; CHECK-SAME: ptr %p, ptr %to, ptr [[SHADOW:%[0-9]+]])
; CHECK: store ptr %p, ptr %to
; CHECK: [[NONE:%[.a-z0-9]+]] = icmp eq ptr [[SHADOW]], %p
; CHECK: br i1 [[NONE]], label %[[JOIN:[0-9]+]], label
; CHECK: store i32 4, ptr %verso.cursor
; CHECK: [[ID:%[0-9]+]] = trunc{{( nuw)?}} i64 [[HANDLE:%verso.next[.0-9a-z]*]] to i32
; CHECK: [[SLOT:%[0-9]+]] = getelementptr i64, ptr %verso.adj{{[0-9]*}}, i64 [[HANDLE]]
; CHECK: store ptr [[SHADOW]], ptr [[SLOT]]
; CHECK: [[WORD:%[0-9]+]] = add i32 %verso.base, [[ID]]
; CHECK: [[HIGH:%[0-9]+]] = zext i32 [[WORD]] to i64
; CHECK: [[UPPER:%[0-9]+]] = shl nuw i64 [[HIGH]], 32
; CHECK: [[IMAGE:%[0-9]+]] = or disjoint i64 [[UPPER]],
; CHECK: [[JOIN]]:
; CHECK: [[STORED:%[0-9]+]] = phi i64 [ [[IMAGE]], %{{[0-9]+}} ], [ 0, %{{[0-9]+}} ]
; CHECK: store i64 [[STORED]], ptr %{{[0-9]+}}, align 1
; CHECK: ret void
define void @stored(ptr %p, ptr %to) {
  store ptr %p, ptr %to, !tbaa !0
  ret void
}

; Loaded from memory: the shadow is in the handle's slot, or else, in memory
; that nobody has written, in the user's shadow structure; or it is the pointer
; itself.
; CHECK-LABEL: define internal { double, i32 } @loaded.twin(
; CHECK-SAME: ptr %p, ptr [[SHADOW:%[0-9]+]])
; CHECK: %q = load ptr, ptr %p
; CHECK: [[PRODUCT:%[.a-z0-9]+]] = mul i64 %{{[0-9]+}}, -4294967297
; CHECK: [[LESS:%[.a-z0-9]+]] = sub i64 [[PRODUCT]],
; CHECK: [[HANDLE:%[0-9]+]] = add i64 [[LESS]], 4294967296
; CHECK: [[LIVE:%[0-9]+]] = icmp ult i64 [[HANDLE]],
; CHECK: br i1 [[LIVE]], label %[[NAMED:[0-9]+]], label
; CHECK: [[NAMED]]:
; CHECK: [[SLOT:%[0-9]+]] = getelementptr i64, ptr %verso.adj{{[0-9]*}}, i64 [[HANDLE]]
; CHECK: [[KEPT:%[0-9]+]] = load ptr, ptr [[SLOT]]
; CHECK: call i32 @__verso_settle_claimed{{[.0-9]*}}(ptr {{(nonnull )?}}%verso, ptr nonnull %p, i32 6)
; CHECK: [[GIVEN:%[0-9]+]] = load ptr, ptr [[SHADOW]]
; CHECK: [[FOUND:%[0-9]+]] = phi ptr {{.*}}[ [[KEPT]], %[[NAMED]] ]
; CHECK: [[NULL:%[0-9]+]] = icmp eq ptr [[FOUND]], null
; CHECK: select i1 [[NULL]], ptr %q, ptr [[FOUND]]
; CHECK: %a = load double, ptr %q
define double @loaded(ptr %p) {
  %q = load ptr, ptr %p, !tbaa !0
  %a = load double, ptr %q
  ret double %a
}

; What the language does not call a pointer may be a number: its image or its
; bits tell, and so they do where it is stored.
; CHECK-LABEL: define internal void @untyped.twin(
; CHECK-SAME: ptr %p, ptr %to, ptr [[SHADOW:%[0-9]+]], ptr [[TOSHADOW:%[0-9]+]])
; CHECK: %q = load ptr, ptr %p
; CHECK: call ptr @__verso_shadow_at(ptr {{(nonnull )?}}%verso, ptr nonnull %p, ptr {{.*}}[[SHADOW]], ptr %q)
; CHECK: store ptr %q, ptr %to
; CHECK: call i64 @__verso_image_of_number(ptr {{(nonnull )?}}%verso,
; CHECK: call void @__verso_follow_stored(ptr {{(nonnull )?}}%verso, ptr nonnull %to, ptr {{.*}}[[TOSHADOW]], ptr %q,
define void @untyped(ptr %p, ptr %to) {
  %q = load ptr, ptr %p
  %mark = icmp eq ptr %q, inttoptr (i64 8 to ptr)
  br i1 %mark, label %done, label %move
move:
  store ptr %q, ptr %to
  br label %done
done:
  ret void
}

; A request without a tracked pointer asks nothing of pointers in memory.
; CHECK-LABEL: define internal { double, i32 } @nothing_tracked.twin(
; CHECK: %q = load ptr, ptr %p
; CHECK-NEXT: store ptr %q, ptr %to
; CHECK-NOT: %verso.adj
; CHECK-NOT: store i32 4,
; CHECK: ret { double, i32 }
define double @nothing_tracked(double %x, ptr %p, ptr %to) {
  %q = load ptr, ptr %p, !tbaa !0
  store ptr %q, ptr %to, !tbaa !0
  %a = fadd double %x, 1.0
  ret double %a
}

declare void @__verso_grad_void(ptr, ...)
declare double @__verso_grad_scalar(ptr, ...)
@verso_const = external global i32
@verso_dup = external global i32
define void @requests(double %x, ptr %p, ptr %q, i64 %n, i1 %c) {
  %k = load i32, ptr @verso_const
  %d = load i32, ptr @verso_dup
  call void (ptr, ...) @__verso_grad_void(ptr @element, i32 %d, ptr %p, ptr %q, i64 %n)
  call void (ptr, ...) @__verso_grad_void(ptr @chosen, i32 %d, ptr %p, ptr %q, i32 %k, ptr %p, i1 %c)
  call void (ptr, ...) @__verso_grad_void(ptr @stored, i32 %d, ptr %p, ptr %q, i32 %k, ptr %p)
  call void (ptr, ...) @__verso_grad_void(ptr @loaded, i32 %d, ptr %p, ptr %q)
  call void (ptr, ...) @__verso_grad_void(ptr @untyped, i32 %d, ptr %p, ptr %q, i32 %d, ptr %p, ptr %q)
  %1 = call double (ptr, ...) @__verso_grad_scalar(ptr @nothing_tracked, double %x, i32 %k, ptr %p, i32 %k, ptr %q)
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"any pointer", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
