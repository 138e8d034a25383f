//===- ContextStack.cpp - the requests of a thread ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextStack.h"
#include "Fatal.h"
#include "Images.h"

#include <dlfcn.h>
#include <new>
#include <pthread.h>
#include <stdlib.h>

// A program that is linked statically has neither.
#pragma weak dladdr
#pragma weak dlopen

using namespace verso;

static thread_local ContextStack *Current
    __attribute__((tls_model("initial-exec"))) = nullptr;

static pthread_key_t AtThreadEnd;

ContextStack &ContextStack::ofThread() {
  if (__builtin_expect(!Current, 0))
    Current = create();
  return *Current;
}

/// A library that holds the runtime outlives its last dlclose: threads destroy
/// their contexts when they end, and a second copy would find no place for its
/// shadow memory beside that of the first.
static void stayLoaded() {
  Dl_info Here;
  if (dladdr && dlopen && dladdr(&AtThreadEnd, &Here) && Here.dli_fname)
    dlopen(Here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

ContextStack *ContextStack::create() {
  static constinit pthread_once_t Once = PTHREAD_ONCE_INIT;
  pthread_once(&Once, [] {
    if (pthread_key_create(&AtThreadEnd, destroy))
      fatal(nullptr, "no thread-specific key is left");
    stayLoaded();
    pthread_atfork(lockForFork, unlockAfterFork, stayAlone);
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
  while (Stack->Depth)
    Stack->dropInnermost();
  idPool().quit(Stack->Self);
  for (Request &R : Stack->Slots)
    R.release();
  for (Tangents &T : Stack->Forward)
    T.release();
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

/// Whether the frame \p Recorded is gone when \p Frame is left or starts a
/// request. A frame outside the known stack is on a coroutine's.
bool ContextStack::isOver(uint64_t Recorded, uint64_t Frame) const {
  bool MineOwn = Stack.contains({Recorded, Recorded});
  return MineOwn == Stack.contains({Frame, Frame}) && Recorded <= Frame;
}

bool ContextStack::holds(const void *Memory, size_t Bytes) const {
  const uint64_t Begin = reinterpret_cast<uint64_t>(Memory);
  const uint64_t Frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  return Kept.holds(static_cast<const char *>(Memory), Bytes) ||
         (Stack.contains({Frame, Frame}) && Begin >= Frame &&
          Begin <= Stack.End && Bytes <= Stack.End - Begin);
}

void ContextStack::dropInnermost() {
  Slots[--Depth].abandon();
  if (!Depth)
    idPool().leave(Self);
}

void ContextStack::dropInnermostTangents() { Forward[--ForwardDepth].finish(); }

void ContextStack::dropAbandoned(uint64_t Frame) {
  while (Depth && isOver(Slots[Depth - 1].frame(), Frame))
    dropInnermost();
  while (ForwardDepth && isOver(Forward[ForwardDepth - 1].frame(), Frame))
    dropInnermostTangents();
  if (WatchedFrame && isOver(WatchedFrame, Frame))
    endWatched();
}

int64_t ContextStack::beginWatched(uint64_t Frame) {
  dropAbandoned(Frame);
  return isBusy() ? 0 : Watched.beginStructured();
}

int64_t ContextStack::enterWatched(uint64_t Frame) {
  WatchedFrame = Frame;
  return Watched.distance();
}

/// Position-independent code does not wrap addresses around.
static void checkWrapping(const char *Where, uint64_t Frame) {
  if (shadowMap().mayWrap() && !(Frame & VERSO_FRAME_MAY_WRAP))
    fatal(Where, "the executable is not position-independent, and this code "
                 "was compiled for one that is; compile it with -fno-pie, or "
                 "link with -pie");
}

/// The windows that a new innermost request may touch: the program's data, and
/// what requests around it keep there.
WindowSet ContextStack::dataWindows() const {
  WindowSet Data = 1;
  Data |= Watched.windows();
  for (unsigned K = 0; K != Depth; ++K)
    Data |= Data << Slots[K].imageWindow();
  for (unsigned K = 0; K != ForwardDepth; ++K)
    Data |= Forward[K].reach();
  return Data;
}

Tangents *ContextStack::beginTangents(const char *Where, uint64_t Frame,
                                      unsigned Width) {
  dropAbandoned(Frame);
  if (ForwardDepth == ShadowMap::MaxDepth)
    fatal(Where, "requests are nested more than %u deep", ShadowMap::MaxDepth);
  shadowMap().prepare(Where);
  checkWrapping(Where, Frame);
  Tangents &T = Forward[ForwardDepth];
  T.start(Width, dataWindows(), Where, Frame);
  ++ForwardDepth;
  return &T;
}

void ContextStack::end(Tangents &T) {
  uint64_t Index = uint64_t(&T - Forward);
  if (Index >= ForwardDepth)
    fatal(T.where(), "internal error: the request is not running here");
  while (ForwardDepth > Index)
    dropInnermostTangents();
}

Request *ContextStack::begin(const char *Where, uint64_t Frame) {
  dropAbandoned(Frame);
  if (Depth == ShadowMap::MaxDepth)
    fatal(Where, "requests are nested more than %u deep", ShadowMap::MaxDepth);
  if (!Depth)
    idPool().enter(Self);
  Request &R = Slots[Depth];
  R.start(Depth, Where, Frame);
  R.setKeepsMap(Frame & VERSO_FRAME_KEEPS_MAP);
  R.setTakesKernels((Frame & VERSO_FRAME_TAKES_KERNELS) && !isBusy());
  R.setSeedsAreFinal(!(Frame & VERSO_FRAME_SEEDS_FOLLOW) && !isBusy());
  checkWrapping(Where, Frame);
  Depth++;
  if (isOutermost() && !Watched.empty())
    Watched.makeLeaves(R);
  return &R;
}

void ContextStack::forget(char *Memory, uint64_t Bytes) {
  for (unsigned I = 0; I != Depth; ++I)
    clearImages(Slots[I], Memory, Bytes, /*Offset=*/0);
  for (unsigned I = 0; I != ForwardDepth; ++I)
    Forward[I].clear(reinterpret_cast<uint64_t>(Memory), Bytes);
}

/// In a copy of the process, whose other threads are gone.
void ContextStack::stayAlone() {
  resetAfterFork();
  idPool().keepOnly(Current ? &Current->Self : nullptr);
  imageWindows().freeAll();
  for (unsigned K = 0; Current && K != Current->Depth; ++K)
    Current->Slots[K].holdWindow();
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
