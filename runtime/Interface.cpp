//===- Interface.cpp - the functions that others call ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "Cells.h"
#include "ContextStack.h"
#include "Fatal.h"
#include "Images.h"
#include "Twins.h"

using namespace verso;

static_assert(VERSO_TAPE_REDZONE >= 12 * VERSO_RECORD_MAX_CONTRIBUTIONS + 4,
              "a record has to fit into the redzone");

static verso_cell_kind kindOf(uint32_t Kind) {
  return static_cast<verso_cell_kind>(Kind);
}

namespace verso::entry {

Ptr __verso_begin(Ptr Where, Ptr Frame) {
  verso_context *New = ContextStack::ofThread().begin(
      static_cast<const char *>(Where), reinterpret_cast<uint64_t>(Frame));
  return New;
}

void __verso_end(Ptr Context) {
  ContextStack::ofThread().end(Request::of(Context));
}

void __verso_grow(Ptr Context) { Request::of(Context).grow(); }

I32 __verso_first_touch(Ptr Context, Ptr P, I64 Offset, I32 Kind) {
  return firstTouch(Request::of(Context), static_cast<char *>(P), Offset,
                    kindOf(Kind));
}

I32 __verso_settle(Ptr Context, Ptr P, I32 Kind) {
  return settle(Request::of(Context), static_cast<char *>(P), kindOf(Kind));
}

void __verso_touch_range(Ptr Context, Ptr P, I64 Offset, I64 Bytes) {
  touchRange(Request::of(Context), static_cast<char *>(P), Offset, Bytes);
}

void __verso_copy_images(Ptr Context, Ptr To, Ptr From, I64 Bytes,
                         I64 ToOffset, I64 FromOffset) {
  ImageCopy Copy = {static_cast<char *>(To), static_cast<char *>(From),
                    uint64_t(Bytes), ToOffset, FromOffset};
  copyImages(Request::of(Context), Copy);
}

void __verso_clear_images(Ptr Context, Ptr P, I64 Bytes, I64 Offset) {
  clearImages(Request::of(Context), static_cast<char *>(P), Bytes, Offset);
}

void __verso_register_twins(Ptr Pairs, I64 Count) {
  void **P = static_cast<void **>(Pairs);
  for (I64 I = 0; I != Count; ++I)
    twins().add(P[2 * I], P[2 * I + 1]);
}

Ptr __verso_twin_of(Ptr Function, Ptr Where) {
  return twinOf(Function, static_cast<const char *>(Where));
}

void __verso_fail(Ptr Reason, Ptr Where) {
  // The sweep does not know its request's place.
  fatal(Where ? static_cast<const char *>(Where)
              : ContextStack::ofThread().where(),
        "%s", static_cast<const char *>(Reason));
}

Ptr __verso_arena_begin(Ptr Where) {
  return ContextStack::ofThread().Kept.begin(static_cast<const char *>(Where));
}

Ptr __verso_arena_take(I64 Bytes) {
  return ContextStack::ofThread().Kept.take(size_t(Bytes));
}

Ptr __verso_arena_extend(Ptr Old, I64 OldBytes, I64 NewBytes) {
  return ContextStack::ofThread().Kept.extend(
      static_cast<char *>(Old), size_t(OldBytes), size_t(NewBytes));
}

void __verso_arena_end(Ptr Mark) {
  ContextStack &Stack = ContextStack::ofThread();
  Stack.LastTapeBytes = Stack.Kept.bytesSince(static_cast<char *>(Mark));
  Stack.Kept.end(static_cast<char *>(Mark));
}

void __verso_refuse_watched(Ptr Where) {
  if (!ContextStack::ofThread().Watched.empty())
    fatal(static_cast<const char *>(Where),
          "memory is watched (verso_watch), which this request was not "
          "compiled for; compile it with -verso-strategy=taped");
}

} // namespace verso::entry

void verso_watch(void *Memory, size_t Bytes) {
  ContextStack::ofThread().Watched.watch(Memory, Bytes);
}

void verso_unwatch(void *Memory) {
  ContextStack::ofThread().Watched.unwatch(Memory);
}

void *verso_adjoint_of(const void *Memory) {
  return ContextStack::ofThread().Watched.adjointOf(Memory);
}

void verso_set_tape_limit(size_t Bytes) { setTapeLimit(Bytes); }

size_t verso_tape_bytes(void) {
  return ContextStack::ofThread().LastTapeBytes;
}
