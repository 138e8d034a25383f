; What moves pointers inside a library, or calls back, is replaced by a body of
; ours in the twin, and that by its own twin; the user's own code keeps the call.

; RUN: %opt_verso -passes=verso -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(ptr %node, ptr %at)
; CHECK-NEXT: call void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(ptr %node, ptr %at)
; CHECK-LABEL: define internal void @f.twin(
; CHECK-SAME: ptr %verso, ptr %node, ptr %at, ptr [[SNODE:%[0-9]+]], ptr [[SAT:%[0-9]+]])
; CHECK: call void [[BODY:@__verso_body__ZNSt8__detail15_List_node_base7_M_hookEPS0_.twin[.0-9]*]](ptr %verso, ptr %node, ptr %at, ptr [[SNODE]], ptr [[SAT]])
; CHECK: define internal void [[BODY]](
define void @f(ptr %node, ptr %at) {
  call void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(ptr %node, ptr %at)
  ret void
}
declare void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(ptr, ptr)

define void @gradient(ptr %node, ptr %dnode, ptr %at, ptr %dat) {
  call void (ptr, ...) @__verso_grad(ptr @f, ptr %node, ptr %dnode, ptr %at, ptr %dat)
  ret void
}
declare void @__verso_grad(ptr, ...)
