//===- Interface.cpp - the functions that others call ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "Cells.h"
#include "Check.h"
#include "ContextStack.h"
#include "Fatal.h"
#include "Halves.h"
#include "Images.h"
#include "Kernels.h"
#include "KindMarks.h"
#include "LinearMap.h"
#include "LostNumbers.h"
#include "NumbersAsPointers.h"
#include "PackedNumbers.h"
#include "Pages.h"
#include "Sparsity.h"
#include "Twins.h"
#include "UntypedCopies.h"

#include <new>
#include <utility>

using namespace verso;

static_assert(VERSO_TAPE_REDZONE >= 12 * VERSO_RECORD_MAX_CONTRIBUTIONS + 4,
              "a record has to fit into the redzone");

static verso_cell_kind kindOf(uint32_t Kind) {
  return static_cast<verso_cell_kind>(Kind);
}

GivenMemory &verso::givenTo(void *Context, bool IsForward) {
  return IsForward ? Tangents::of(Context).Given : Request::of(Context).Given;
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

void __verso_unwind(Ptr Frame) {
  ContextStack::ofThread().dropAbandoned(reinterpret_cast<uint64_t>(Frame));
}

void __verso_grow(Ptr Context) { Request::of(Context).grow(); }

I32 __verso_first_touch(Ptr Context, Ptr P, I64 Offset, I32 Kind) {
  return firstTouch(Request::of(Context), static_cast<char *>(P), Offset,
                    kindOf(Kind));
}

I32 __verso_settle(Ptr Context, Ptr P, I32 Kind) {
  return settle(Request::of(Context), static_cast<char *>(P), kindOf(Kind));
}

I32 __verso_holds_number(Ptr Context, Ptr P, Ptr Shadow, I64 Bits) {
  return holdsNumber(Request::of(Context), static_cast<char *>(P),
                     static_cast<char *>(Shadow), uint64_t(Bits));
}

I32 __verso_new_handle(Ptr Context) {
  Request &R = Request::of(Context);
  R.makeRoom();
  uint32_t Handle = R.mark(VERSO_RECORD_HANDLE);
  R.makeRoom();
  return Handle;
}

I32 __verso_stores_number(Ptr Context, Ptr P, Ptr Shadow, I64 Bits,
                          I64 ShadowOfBits) {
  return storesNumber(Request::of(Context), static_cast<char *>(P),
                      static_cast<char *>(Shadow), uint64_t(Bits),
                      uint64_t(ShadowOfBits));
}

I64 __verso_shadow_of_number(Ptr Context, I64 Image, I64 Bits) {
  return I64(
      shadowOfNumber(Request::of(Context), uint64_t(Image), uint64_t(Bits)));
}

I64 __verso_image_of_number(Ptr Context, I64 Shadow, I64 Bits) {
  return I64(
      imageOfNumber(Request::of(Context), uint64_t(Shadow), uint64_t(Bits)));
}

I32 __verso_load_half(Ptr Context, Ptr P, I64 Offset, I32 Kind) {
  return loadHalf(Request::of(Context), static_cast<char *>(P), Offset,
                  kindOf(Kind));
}

void __verso_store_half(Ptr Context, Ptr P, I64 Offset, I32 Kind, I32 Id) {
  storeHalf(Request::of(Context), static_cast<char *>(P), Offset, kindOf(Kind),
            Id);
}

void __verso_register_half(I32 Kind) { registerHalf(kindOf(Kind)); }

I32 __verso_load_packed(Ptr Context, Ptr P, I64 Offset, I32 Kind) {
  return loadPacked(Request::of(Context), static_cast<char *>(P), Offset,
                    kindOf(Kind));
}

void __verso_store_packed(Ptr Context, Ptr P, I64 Offset, Ptr Slot, I32 Kind) {
  storePacked(Request::of(Context), static_cast<char *>(P), Offset,
              static_cast<char *>(Slot), kindOf(Kind));
}

void __verso_store_part(Ptr Context, Ptr P, I64 Offset, I64 Bytes, I32 Image) {
  storePart(Request::of(Context), static_cast<char *>(P), Offset, Bytes, Image);
}

void __verso_register_packed() { registerPacked(); }

void __verso_take_half(Ptr At, I32 Kind, Ptr Adjoint) {
  *static_cast<double *>(Adjoint) +=
      readHalf(static_cast<char *>(At), kindOf(Kind));
  *static_cast<uint16_t *>(At) = 0;
}

void __verso_give_half(Ptr At, I32 Kind, Ptr Adjoint) {
  double A = *static_cast<double *>(Adjoint);
  if (A == 0)
    return;
  auto *Cell = static_cast<char *>(At);
  writeHalf(Cell, kindOf(Kind), readHalf(Cell, kindOf(Kind)) + A);
}

void __verso_touch_range(Ptr Context, Ptr P, I64 Offset, I64 Bytes) {
  touchRange(Request::of(Context), static_cast<char *>(P), Offset, Bytes);
}

void __verso_touch_records(Ptr Context, Ptr P, I64 Offset, I64 Bytes,
                           Ptr Fields, I64 Count, I64 Period) {
  const auto *All = static_cast<const verso_copied_field *>(Fields);
  auto *At = static_cast<char *>(P);
  for (I64 Record = 0; Record < Bytes; Record += Period)
    for (I64 K = 0; K != Count; ++K)
      if (Record + All[K].at + All[K].bytes <= Bytes)
        touchField(Request::of(Context), At + Record, Offset, All[K]);
}

void __verso_touch_numbers(Ptr Context, Ptr P, I64 Offset, I64 Bytes,
                           I32 Kind) {
  touchNumbers(Request::of(Context), static_cast<char *>(P), Offset, Bytes,
               kindOf(Kind));
}

void __verso_copy_images(Ptr Context, Ptr To, Ptr From, I64 Bytes, I64 ToOffset,
                         I64 FromOffset) {
  ImageCopy Copy = {static_cast<char *>(To), static_cast<char *>(From),
                    uint64_t(Bytes), ToOffset, FromOffset};
  copyImages(Request::of(Context), Copy);
}

void __verso_copy_pointer_images(Ptr Context, Ptr To, Ptr From, I64 Bytes,
                                 I64 ToOffset, I64 FromOffset) {
  Request &R = Request::of(Context);
  auto *P = static_cast<char *>(To);
  if (To == From)
    return detachNumbers(R, P, uint64_t(Bytes), ToOffset);
  __verso_copy_images(Context, To, From, Bytes, ToOffset, FromOffset);
  keepPointers(R, P, uint64_t(Bytes), ToOffset);
}

void __verso_clear_images(Ptr Context, Ptr P, I64 Bytes, I64 Offset) {
  clearImages(Request::of(Context), static_cast<char *>(P), Bytes, Offset);
}

void __verso_overwrite_part(Ptr Context, Ptr P, I64 Bytes) {
  overwritePart(Request::of(Context), static_cast<char *>(P), Bytes);
}

I32 __verso_begin_kernel(Ptr Context, Ptr Kernel, Ptr Arguments, Ptr Companions,
                         Ptr Rows, I64 Work, I64 Least) {
  return beginKernel(Request::of(Context),
                     {*static_cast<const verso_kernel *>(Kernel),
                      static_cast<const uint64_t *>(Arguments),
                      static_cast<const int64_t *>(Companions),
                      static_cast<const verso_kernel_row *>(Rows),
                      uint64_t(Work), uint64_t(Least),
                      Least == VERSO_KERNEL_MUST});
}

I32 __verso_keeps_map(Ptr Context) { return Request::of(Context).keepsMap(); }

void __verso_reverse_kernel(Ptr Context, Ptr End) {
  reverseKernel(Request::of(Context), static_cast<char *>(End));
}

Ptr __verso_begin_tangents(Ptr Where, Ptr Frame, I32 Width) {
  verso_tangents *New = ContextStack::ofThread().beginTangents(
      static_cast<const char *>(Where), reinterpret_cast<uint64_t>(Frame),
      Width);
  return New;
}

void __verso_end_tangents(Ptr T) {
  ContextStack::ofThread().end(Tangents::of(T));
}

void __verso_touch_tangents(Ptr T, Ptr P, I64 Bytes) {
  Tangents::of(T).touch(reinterpret_cast<uint64_t>(P), uint64_t(Bytes));
}

void __verso_clear_tangents(Ptr T, Ptr P, I64 Bytes) {
  Tangents::of(T).clear(reinterpret_cast<uint64_t>(P), uint64_t(Bytes));
}

void __verso_note_argument(Ptr Context, Ptr P, Ptr Shadow, I64 Bytes, I64 Most,
                           I64 Pointers, I32 IsForward) {
  givenTo(Context, IsForward)
      .note({reinterpret_cast<uint64_t>(P), reinterpret_cast<uint64_t>(Shadow),
             uint64_t(Bytes), uint64_t(Most), uint64_t(Pointers)});
}

void __verso_check_pointer(Ptr Context, Ptr P, I64 Bytes, Ptr Where,
                           I32 IsForward) {
  const uint64_t Begin = reinterpret_cast<uint64_t>(P);
  if (givenTo(Context, IsForward).containAny({Begin, Begin + uint64_t(Bytes)}))
    fatal(static_cast<const char *>(Where), "%s", VERSO_EARLIER_POINTER);
}

void __verso_register_twins(Ptr Triples, I64 Count) {
  void **P = static_cast<void **>(Triples);
  for (I64 I = 0; I != Count; ++I, P += 3)
    if (P[0]) // No library has it, if it is null.
      twins().add(P[0], uint32_t(reinterpret_cast<uint64_t>(P[2])), P[1]);
}

Ptr __verso_twin_of(Ptr Function, I32 Kind, Ptr Where) {
  return twinOf(Function, uint32_t(Kind), static_cast<const char *>(Where));
}

Ptr __verso_keep(Ptr Context, Ptr Ids, I32 Arguments, I32 Returned,
                 Ptr Values) {
  void *Memory = calloc(1, sizeof(LinearMap));
  if (!Memory)
    fatal(Request::of(Context).where(), "out of memory");
  auto *Map = new (Memory) LinearMap();
  Map->build(Request::of(Context), static_cast<uint32_t *>(Ids), Arguments,
             Returned, static_cast<double *>(Values), /*Takes=*/true);
  return Map;
}

I32 __verso_check_fork(Ptr Where, Ptr Calls) {
  if (ContextStack::ofThread().isBusy())
    return 0;
  return forkForCheck(static_cast<const char *>(Where),
                      static_cast<uint64_t *>(Calls));
}

void __verso_check_tape(Ptr Context, Ptr Ids, I32 Arguments, I32 Returned,
                        Ptr Values, I32 Precision) {
  LinearMap Map;
  Map.build(Request::of(Context), static_cast<uint32_t *>(Ids), Arguments,
            Returned, static_cast<double *>(Values), /*Takes=*/false);
  compareWithCopy(Map, Request::of(Context).where(), Precision);
  Map.release();
}

void __verso_check_inputs(Ptr Memory, Ptr Direction, I32 Count) {
  receiveDirection(Tangents::of(Memory), static_cast<double *>(Direction),
                   Count);
}

void __verso_check_read(Ptr Shadow, I32 Kind) {
  readInCopy(static_cast<char *>(Shadow), kindOf(Kind));
}

void __verso_check_reply(Ptr Tangents, I32 Count) {
  reply(static_cast<double *>(Tangents), Count);
}

I32 __verso_check_fork_structured(Ptr Where, Ptr Calls) {
  bool Busy = ContextStack::ofThread().isBusy();
  return forkForStructured(
      static_cast<const char *>(Where),
      reinterpret_cast<uint64_t>(__builtin_frame_address(0)),
      Busy ? nullptr : static_cast<uint64_t *>(Calls));
}

void __verso_check_left() { leaveCopy(); }

void __verso_check_structured(Ptr Where, Ptr Derivatives, I32 Count, Ptr Seeds,
                              I32 SeedCount) {
  compareStructured(static_cast<const char *>(Where),
                    static_cast<const double *>(Derivatives), Count,
                    static_cast<const double *>(Seeds), SeedCount);
}

void __verso_fail(Ptr Reason, Ptr Where) {
  // The sweep does not know its request's place.
  fatal(Where ? static_cast<const char *>(Where)
              : ContextStack::ofThread().where(),
        "%s", static_cast<const char *>(Reason));
}

void __verso_fail_lost() { failLost(ContextStack::ofThread().where(), ""); }

void __verso_saw_lost(Ptr Where) { sawLost(static_cast<const char *>(Where)); }

Ptr __verso_arena_begin(Ptr Where) {
  return ContextStack::ofThread().Kept.begin(static_cast<const char *>(Where));
}

Ptr __verso_arena_take(I64 Bytes) {
  return ContextStack::ofThread().Kept.take(size_t(Bytes));
}

I64 __verso_arena_affords(I64 Count, I64 Each) {
  return ContextStack::ofThread().Kept.affords(size_t(Count), size_t(Each))
             ? Count
             : 0;
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

namespace {
/// A block that is released when the verso has read it.
struct Listed {
  Listed *Next;
  void *Block;
  I64 Second, Third;
};
} // namespace

Ptr __verso_release_later(Ptr List, Ptr Block, I64 Second, I64 Third) {
  void *Place = malloc(sizeof(Listed));
  if (!Place)
    fatal(ContextStack::ofThread().where(),
          "no memory for the list of what is released later");
  return new (Place) Listed{static_cast<Listed *>(List), Block, Second, Third};
}

void __verso_release_listed(Ptr List, Ptr Release, I32 Arguments) {
  auto *Each = static_cast<Listed *>(List);
  while (Each) {
    if (Arguments == 1)
      reinterpret_cast<void (*)(Ptr)>(Release)(Each->Block);
    else if (Arguments == 2)
      reinterpret_cast<void (*)(Ptr, I64)>(Release)(Each->Block, Each->Second);
    else
      reinterpret_cast<void (*)(Ptr, I64, I64)>(Release)(
          Each->Block, Each->Second, Each->Third);
    free(std::exchange(Each, Each->Next));
  }
}

Ptr __verso_copy_untyped(Ptr To, Ptr From, Ptr ToShadow, Ptr FromShadow,
                         I64 Bytes, Ptr Kinds, I64 Period) {
  return noteUntyped({static_cast<char *>(To), static_cast<char *>(From),
                      static_cast<char *>(ToShadow),
                      static_cast<char *>(FromShadow), uint64_t(Bytes),
                      static_cast<const char *>(Kinds), uint64_t(Period)},
                     ContextStack::ofThread().Kept);
}

Ptr __verso_reverse_untyped(Ptr Note, Ptr Moved) {
  return reverseUntyped(static_cast<UntypedNote *>(Note),
                        static_cast<verso_moved *>(Moved),
                        ContextStack::ofThread().Kept);
}

void __verso_new_marks(Ptr T, Ptr P, I64 Bytes) {
  newMarks(Tangents::of(T), static_cast<char *>(P), uint64_t(Bytes));
}

Ptr __verso_copy_marks(Ptr T, Ptr To, Ptr From, I64 Bytes) {
  return copyMarks(
      Tangents::of(T),
      {static_cast<char *>(To), static_cast<char *>(From), uint64_t(Bytes)},
      ContextStack::ofThread().Kept);
}

void __verso_reverse_marked(Ptr Note, Ptr ToShadow, Ptr FromShadow) {
  reverseMarked(*static_cast<MarksNote *>(Note), static_cast<char *>(ToShadow),
                static_cast<char *>(FromShadow), ContextStack::ofThread().Kept);
}

void __verso_refuse_watched(Ptr Where) {
  if (!ContextStack::ofThread().Watched.empty())
    fatal(static_cast<const char *>(Where),
          "memory is watched (verso_watch), which this request was not "
          "compiled for; compile it with -verso-strategy=taped");
}

void __verso_refuse_watched_argument(Ptr P, I64 Bytes) {
  const ContextStack &Stack = ContextStack::ofThread();
  const uint64_t Begin = reinterpret_cast<uint64_t>(P);
  // In an inner request that is memory like any other.
  if (Stack.isOutermost() &&
      Stack.Watched.overlaps({Begin, Begin + uint64_t(Bytes)}))
    fatal(Stack.where(),
          "an argument with a shadow is watched memory (verso_watch), whose "
          "adjoint is verso_adjoint_of; pass it with verso_const, or call "
          "verso_unwatch before");
}

I64 __verso_begin_watched(Ptr Frame) {
  return ContextStack::ofThread().beginWatched(
      reinterpret_cast<uint64_t>(Frame));
}

I64 __verso_enter_watched(Ptr Frame) {
  return ContextStack::ofThread().enterWatched(
      reinterpret_cast<uint64_t>(Frame));
}

void __verso_clear_watched() {
  ContextStack &Stack = ContextStack::ofThread();
  if (!Stack.isBusy())
    Stack.Watched.forgetAdjoints();
}

void __verso_end_watched() { ContextStack::ofThread().endWatched(); }

I32 __verso_is_watching() { return !ContextStack::ofThread().Watched.empty(); }

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

static LinearMap &mapOf(const verso_tape *Tape) {
  return *reinterpret_cast<LinearMap *>(const_cast<verso_tape *>(Tape));
}

void verso_pushforward(verso_tape *Tape, const double *Tangents,
                       double *Results) {
  mapOf(Tape).pushforward(Tangents, Results);
}

void verso_pullback(verso_tape *Tape, const double *Cotangents,
                    double *Derivatives) {
  mapOf(Tape).pullback(Cotangents, Derivatives);
}

size_t verso_tape_inputs(const verso_tape *Tape) {
  return mapOf(Tape).inputs();
}

size_t verso_tape_outputs(const verso_tape *Tape) {
  return mapOf(Tape).outputs();
}

const double *verso_tape_values(const verso_tape *Tape) {
  return mapOf(Tape).values();
}

void verso_tape_free(verso_tape *Tape) {
  if (!Tape)
    return;
  mapOf(Tape).release();
  free(Tape);
}

verso_pattern *verso_tape_sparsity(const verso_tape *Tape,
                                   const verso_cells *Inputs, size_t InputLists,
                                   const verso_cells *Outputs,
                                   size_t OutputLists) {
  Sparsity S(mapOf(Tape));
  return S.compute(Inputs, InputLists, Outputs, OutputLists);
}

void verso_pattern_free(verso_pattern *Pattern) {
  if (!Pattern)
    return;
  free(Pattern->starts);
  free(Pattern->indices);
  free(Pattern);
}

/// Calls in instrumented code are replaced by 1 (prepare/Prepare.cpp).
int verso_is_differentiated(void) noexcept { return 0; }

void verso_forget(void *Memory, size_t Bytes) {
  ContextStack::ofThread().forget(static_cast<char *>(Memory), Bytes);
}

/// Calls in instrumented code are handled there, like memset.
void verso_detach(void *, size_t) noexcept {}
void __verso_forget_bytes(void *, size_t) noexcept {}

int __verso_are_addresses(uint64_t Primal, uint64_t Shadow) {
  return isMapped(Primal) && isMapped(Shadow);
}

const char *__verso_what(const void *Exception) {
  using Virtual = const char *(*)(const void *);
  constexpr int What = 2; // Behind both destructors.
  return (*static_cast<const Virtual *const *>(Exception))[What](Exception);
}

void *__verso_save_bytes(const void *Memory, size_t Bytes) {
  constexpr size_t MaxBytes = 16384;
  if (!Memory || !Bytes || Bytes > MaxBytes)
    return nullptr;
  void *Copy = malloc(Bytes);
  if (Copy)
    memcpy(Copy, Memory, Bytes);
  return Copy;
}

int __verso_bytes_differ(const void *Memory, const void *Copy, size_t Bytes) {
  return memcmp(Memory, Copy, Bytes) != 0;
}

void __verso_drop_bytes(void *Copy) { free(Copy); }

void *__verso_new_tangents(size_t Bytes) {
  void *Block = calloc(Bytes ? Bytes : 1, 1);
  if (!Block)
    fatal(nullptr, "no memory for the tangents of a block of %zu bytes", Bytes);
  return Block;
}

void __verso_delete_tangents(void *Block) { free(Block); }

void verso_set_tape_limit(size_t Bytes) { setTapeLimit(Bytes); }

size_t verso_tape_bytes(void) { return ContextStack::ofThread().LastTapeBytes; }
