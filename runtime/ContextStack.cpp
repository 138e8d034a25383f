//===- ContextStack.cpp - the requests of a thread ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextStack.h"
#include "Fatal.h"

#include <new>
#include <pthread.h>
#include <stdlib.h>

using namespace verso;

static thread_local ContextStack *Current
    __attribute__((tls_model("initial-exec"))) = nullptr;

static pthread_key_t AtThreadEnd;

ContextStack &ContextStack::ofThread() {
  if (__builtin_expect(!Current, 0))
    Current = create();
  return *Current;
}

ContextStack *ContextStack::create() {
  static constinit pthread_once_t Once = PTHREAD_ONCE_INIT;
  pthread_once(&Once, [] {
    if (pthread_key_create(&AtThreadEnd, destroy))
      fatal(nullptr, "no thread-specific key is left");
  });
  void *Memory = calloc(1, sizeof(ContextStack));
  if (!Memory)
    fatal(nullptr, "out of memory");
  auto *New = new (Memory) ContextStack();
  New->learnStack();
  idPool().join(New->Self);
  pthread_setspecific(AtThreadEnd, New);
  return New;
}

void ContextStack::destroy(void *Pointer) {
  auto *Stack = static_cast<ContextStack *>(Pointer);
  idPool().quit(Stack->Self);
  for (Request &R : Stack->Slots)
    R.release();
  Stack->Watched.release();
  Stack->Kept.release();
  free(Pointer);
  Current = nullptr;
}

void ContextStack::learnStack() {
  pthread_attr_t Attributes;
  if (pthread_getattr_np(pthread_self(), &Attributes))
    return;
  void *Lowest;
  size_t Bytes;
  if (!pthread_attr_getstack(&Attributes, &Lowest, &Bytes)) {
    uint64_t Begin = reinterpret_cast<uint64_t>(Lowest);
    Stack = {Begin, Begin + Bytes};
  }
  pthread_attr_destroy(&Attributes);
}

/// Whether the frame of \p R is gone when \p Frame starts a request. A frame
/// outside the known stack is on a coroutine's.
bool ContextStack::isOver(const Request &R, uint64_t Frame) const {
  bool MineOwn = Stack.contains({R.frame(), R.frame()});
  return MineOwn == Stack.contains({Frame, Frame}) && R.frame() <= Frame;
}

void ContextStack::dropInnermost() {
  Slots[--Depth].abandon();
  if (!Depth)
    idPool().leave(Self);
}

Request *ContextStack::begin(const char *Where, uint64_t Frame) {
  while (Depth && isOver(Slots[Depth - 1], Frame))
    dropInnermost();
  if (Depth == ShadowMap::MaxDepth)
    fatal(Where, "requests are nested more than %u deep", ShadowMap::MaxDepth);
  if (!Depth)
    idPool().enter(Self);
  Request &R = Slots[Depth];
  R.start(Depth, Where, Frame);
  if (!Depth++ && !Watched.empty())
    Watched.makeLeaves(R);
  return &R;
}

void ContextStack::end(Request &R) {
  uint64_t Index = uint64_t(&R - Slots);
  if (Index >= Depth)
    fatal(R.where(), "internal error: the request is not running here");
  while (Depth - 1 > Index)
    dropInnermost();
  LastTapeBytes = R.tapeBytes();
  R.finish();
  if (!--Depth)
    idPool().leave(Self);
}
