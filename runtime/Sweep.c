//===- Sweep.c - the reverse sweep over tape and cells --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of the runtime that touches real numbers. It is compiled to bitcode,
// embedded in the plugin and linked into every module that holds a request, so
// that a request inside a differentiated function can itself be differentiated.
//
// The images are read through the context's delta; those reads are of integers
// that have no derivative.
//
//===----------------------------------------------------------------------===//

#include "LostBits.h"
#include "SweepTypes.h"

void __verso_fail(void *Reason, void *Where);
void __verso_fail_lost(void);
uint32_t __verso_first_touch(void *Context, void *Primal, int64_t Offset,
                             uint32_t Kind);
void __verso_touch_range(void *Context, void *Primal, int64_t Offset,
                         uint64_t Bytes);
void __verso_touch_records(void *Context, void *Primal, int64_t Offset,
                           int64_t Bytes, void *Fields, int64_t Count,
                           int64_t Period);
void __verso_touch_numbers(void *Context, void *Primal, int64_t Offset,
                           uint64_t Bytes, uint32_t Kind);
void __verso_clear_images(void *Context, void *Primal, uint64_t Bytes,
                          int64_t Offset);
void __verso_copy_images(void *Context, void *To, void *From, uint64_t Bytes,
                         int64_t ToOffset, int64_t FromOffset);
void __verso_copy_pointer_images(void *Context, void *To, void *From,
                                 uint64_t Bytes, int64_t ToOffset,
                                 int64_t FromOffset);
uint32_t __verso_settle(void *Context, void *Primal, uint32_t Kind);
uint32_t __verso_holds_number(void *Context, void *Primal, void *Shadow,
                              int64_t Bits);
uint32_t __verso_new_handle(void *Context);
int __verso_are_addresses(uint64_t Primal, uint64_t Shadow);
uint32_t __verso_stores_number(void *Context, void *Primal, void *Shadow,
                               int64_t Bits, int64_t ShadowOfBits);
int64_t __verso_shadow_of_number(void *Context, int64_t Image, int64_t Bits);
uint32_t __verso_load_packed(void *Context, void *Primal, int64_t Offset,
                             uint32_t Kind);
void __verso_store_packed(void *Context, void *Primal, int64_t Offset,
                          void *Slot, uint32_t Kind);
void __verso_take_half(void *At, uint32_t Kind, void *Adjoint);
void __verso_give_half(void *At, uint32_t Kind, void *Adjoint);
void __verso_reverse_kernel(void *Context, void *End);
int verso_is_differentiated(void);

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

typedef Context Sink;

/// The four bytes at \p At hold nothing that has a derivative.
INLINE void endAdjoint(Sink *C, char *At) {
  (void)C;
  *(UnalignedWord *)At = 0;
}

INLINE void endByte(Sink *C, char *At) {
  (void)C;
  *At = 0;
}

INLINE void loseByte(Sink *C, char *At) {
  if (*At)
    C->adj[VERSO_ID_LOST] += 1;
  *At = 0;
}

/// Moves the adjoint of an overwritten cell to the ID that the cell now holds.
INLINE void moveAdjoint(Sink *C, enum verso_cell_kind Kind, uint32_t Id,
                        char *At) {
  if (Id == VERSO_ID_LOST && holdsInteger(Kind, At)) {
    endAdjoint(C, At);
    if (Kind == VERSO_CELL_DOUBLE)
      endAdjoint(C, At + 4);
  } else if (Kind == VERSO_CELL_FLOAT) {
    C->adj[Id] += (double)*(UnalignedFloat *)At;
    *(UnalignedFloat *)At = 0;
  } else if (Kind == VERSO_CELL_DOUBLE) {
    C->adj[Id] += *(UnalignedDouble *)At;
    *(UnalignedDouble *)At = 0;
  } else if (Kind != VERSO_CELL_X86_FP80) {
    __verso_take_half(At, Kind, C->adj + Id);
  } else {
    C->adj[Id] += (double)*(AliasingLongDouble *)At;
    *(AliasingLongDouble *)At = 0;
  }
}

/// What a cell \p At got that holds a raw leaf of unknown type, copied there
/// and never read as a number: it goes to the cell that the leaf stands for,
/// bit by bit, which is exact where nothing has to be added. Kept behind the
/// adjoints in use until all cells are released; the word of ID 0 says that
/// there is any.
INLINE void deferBits(Sink *C, uint32_t Id, char *At) {
  uint32_t Bits = *(UnalignedWord *)At;
  *(UnalignedWord *)At = 0;
  if (!Bits)
    return;
  UnalignedWord *Kept = (UnalignedWord *)(C->adj + C->next + Id);
  if (*Kept || C->next > C->most_ids / 2)
    __verso_fail("memory that is copied but never read as a number has two "
                 "adjoints, and their type is not known; copy it as numbers",
                 0);
  *Kept = Bits;
  *(UnalignedWord *)(C->adj + C->next) = 1;
}

/// The same of one byte, \p Byte of the leaf; the word above the bits says
/// which bytes came so. (Neighbours may be of other numbers, which have
/// adjoints.)
INLINE void deferByte(Sink *S, Context *C, uint32_t Id, uint32_t Byte,
                      char *At) {
  (void)S;
  char Bits = *At;
  *At = 0;
  if (!Bits)
    return;
  UnalignedWord *Kept = (UnalignedWord *)(C->adj + C->next + Id);
  char *Own = (char *)Kept + Byte;
  if (*Own || C->next > C->most_ids / 2)
    __verso_fail("memory that is copied but never read as a number has two "
                 "adjoints, and their type is not known; copy it as numbers",
                 0);
  *Own = Bits;
  Kept[1] |= 1u << Byte;
  *(UnalignedWord *)(C->adj + C->next) = 1;
}

/// What is kept for a granule, by bytes, goes to its cell; whether there was
/// room.
INLINE int placeBytes(UnalignedWord *Kept, char *At) {
  for (uint32_t B = 0; B != 4; ++B) {
    char Bits = ((char *)Kept)[B];
    if (Bits && At[B])
      return 0;
    if (Bits)
      At[B] = Bits;
  }
  Kept[0] = Kept[1] = 0;
  return 1;
}

INLINE void placeDeferredBits(Context *C) {
  UnalignedWord *Any = (UnalignedWord *)(C->adj + C->next);
  if (!*Any)
    return;
  *Any = 0;
  for (const Cell *E = C->log_begin; E != C->log; ++E) {
    if (E->kind != VERSO_CELL_RAW || !E->leaf)
      continue;
    for (uint64_t I = 0; I + 4 <= E->bytes; I += 4) {
      UnalignedWord *Kept =
          (UnalignedWord *)(C->adj + C->next + E->leaf + (uint32_t)(I / 4));
      UnalignedWord *At = (UnalignedWord *)(E->adjoint + I);
      if (!*Kept || (Kept[1] && placeBytes(Kept, E->adjoint + I)))
        continue;
      if (*At)
        __verso_fail("memory that is copied but never read as a number has an "
                     "adjoint already, and its type is not known; copy it as "
                     "numbers, or start with a shadow of zeros",
                     0);
      *At = *Kept;
      *Kept = 0;
    }
  }
}

/// A pointer was moved there as bytes: what stands beside it is its shadow.
INLINE void movePointer(Sink *S, Context *C, uint32_t Handle, char *At) {
  (void)S;
  *(UnalignedPointer *)At = *(UnalignedPointer *)(C->adj + Handle);
}

#include "Release.h"

//===----------------------------------------------------------------------===//
// The tape
//===----------------------------------------------------------------------===//

/// The image of two halves, whose record is at \p Record: has it been taken for
/// a float?
INLINE void checkHalves(Context *C, uint32_t Id, const char *Record) {
  if ((const char *)halvesOf(C, Id) != Record &&
      (const char *)piecesOf(C, Id) != Record)
    __verso_fail("the result depends on a number whose bytes were two numbers; "
                 "write it with floating-point operations",
                 0);
}

#include "PackRows.h"
#include "Resolve.h"

/// Walks the tape from its end; each left-hand side is resolved exactly once,
/// since a record refers to smaller IDs only. Adjoints of leaves are kept.
/// (Keeping the adjoint of the next record in a register when an operand is
/// that record was slower: the test is mispredicted.)
INLINE void resolve(Context *C) {
  const char *P = C->cursor, *Begin = C->tape_begin;
  Adjoints In = adjointsOf(C);
  uint32_t Id = C->next;
  // An outer request is not to differentiate the same thing twenty times.
  const int Differentiated = verso_is_differentiated();
  while (P != Begin) {
    if (!Differentiated)
      P = resolveFrequent(P, Begin, In, &Id);
    if (isRow(headerAt(P))) {
      P = resolveElements(P, In, &Id);
      continue;
    }
    const char *End = P;
    RecordView R = readRecord(P, Begin);
    P = R.Begin;
    Id -= R.Ids;
    if (R.Kind <= VERSO_RECORD_SHARED) {
      resolveRecord(&R, In, Id);
      continue;
    }
    if (R.Kind == VERSO_RECORD_HALVES && R.N == VERSO_HALVES_ARE_KERNEL)
      __verso_reverse_kernel(C, (void *)End);
    else if (R.Kind == VERSO_RECORD_HALVES)
      checkHalves(C, Id, P);
    if (R.Kind == VERSO_RECORD_HANDLE || R.Kind == VERSO_RECORD_HALVES)
      In.Adj[Id] = 0;
  }
}

/// Adds the adjoints of raw leaves to their cells. A granule that was read as a
/// double carries its adjoint in the first slot and VERSO_SETTLED_* as the bits
/// of the second one.
INLINE void addRawLeaves(Context *C, const Cell *E) {
  for (uint64_t I = 0; I + 4 <= E->bytes; I += 4) {
    double *Slot = C->adj + E->leaf + (uint32_t)(I / 4);
    double A = *Slot;
    int IsTwo = halvesOf(C, E->leaf + (uint32_t)(I / 4)) != 0 ||
                piecesOf(C, E->leaf + (uint32_t)(I / 4)) != 0;
    *Slot = 0;
    if (IsTwo) // They have leaves of their own.
      continue;
    uint64_t Settled = 0;
    if (I + 8 <= E->bytes)
      Settled = *(const AdjointBits *)(Slot + 1);
    if (Settled == VERSO_SETTLED_DOUBLE || Settled == VERSO_SETTLED_X86_FP80) {
      *(AdjointBits *)(Slot + 1) = 0;
      if (!isZero(A) && Settled == VERSO_SETTLED_DOUBLE)
        *(UnalignedDouble *)(E->adjoint + I) += A;
      else if (!isZero(A))
        *(AliasingLongDouble *)(E->adjoint + I) += A;
      I += 4;
    } else if (!isZero(A)) {
      *(UnalignedFloat *)(E->adjoint + I) += (float)A;
    }
  }
}

/// Adds the adjoints of the leaves to the user's cells and clears them.
INLINE void addLeaves(Context *C) {
  for (const Cell *E = C->log_begin; E != C->log; ++E) {
    if (!E->leaf)
      continue;
    if (E->kind == VERSO_CELL_RAW) {
      addRawLeaves(C, E);
      continue;
    }
    if (E->kind == VERSO_CELL_HALF || E->kind == VERSO_CELL_BFLOAT) {
      __verso_give_half(E->adjoint, E->kind, C->adj + E->leaf);
      C->adj[E->leaf] = 0;
      continue;
    }
    double A = C->adj[E->leaf];
    C->adj[E->leaf] = 0;
    if (E->kind == VERSO_CELL_FLOAT && !E->bytes && A == 0)
      continue; // A double may be there: VERSO_CELL_MEMBER.
    if (E->kind == VERSO_CELL_FLOAT)
      *(UnalignedFloat *)E->adjoint += (float)A;
    else if (E->kind == VERSO_CELL_DOUBLE)
      *(UnalignedDouble *)E->adjoint += A;
    else
      *(AliasingLongDouble *)E->adjoint += A;
  }
}

// The runtime looks at memory that has a shadow, for a caller that has spilled
// its position. It knows shadows by their distance; here they are derived.

/// The runtime has looked at [Primal, Primal + Bytes). Gives the entries behind
/// \p Before that it made, and the handles from \p First on, the shadows that
/// they have: the addresses are the same, but here an outer request sees where
/// they come from.
OUTLINED void __verso_claim(Context *C, Cell *Before, uint32_t First,
                            char *Primal, char *Shadow, uint64_t Bytes) {
  if (Shadow == Primal)
    return;
  // A granule that is touched in part is logged as a whole.
  uint64_t Begin = (uint64_t)Primal & ~UINT64_C(3);
  uint64_t End = (uint64_t)Primal + Bytes;
  for (Cell *E = Before; E < C->log; ++E)
    if ((uint64_t)E->primal - Begin < End - Begin)
      E->adjoint = Shadow + (E->primal - Primal);
  if (C->next == First)
    return;
  for (char *P = Primal + (-(uint64_t)Primal & 7); (uint64_t)P + 8 <= End;
       P += 8) {
    const char *Image = verso_image_of(C, P);
    uint32_t Low = *(const UnalignedWord *)Image;
    uint32_t High = *(const UnalignedWord *)(Image + 4);
    uint32_t Handle = relative(C, High);
    if (Handle >= First && Low == VERSO_IMAGE_PARTNER(High))
      *(UnalignedPointer *)(C->adj + Handle) =
          *(UnalignedPointer *)(Shadow + (P - Primal));
  }
}

/// __verso_settle, whose results are derived here for the same reason: from the
/// entry that the lower half of the image is a raw leaf of.
OUTLINED uint32_t __verso_settle_claimed(Context *C, char *P, uint32_t Kind) {
  uint32_t Low = relative(C, *(const UnalignedWord *)verso_image_of(C, P));
  uint32_t First = C->next;
  Cell *Before = C->log;
  uint32_t Id = __verso_settle(C, P, Kind);
  if (C->next == First)
    return Id;
  const Cell *Raw = verso_find_raw_entry(C, Low);
  if (!Raw)
    return Id;
  for (Cell *E = Before; E < C->log; ++E)
    E->adjoint = Raw->adjoint + (E->primal - Raw->primal);
  if (Kind == VERSO_CELL_POINTER && Id >= First)
    *(UnalignedPointer *)(C->adj + Id) =
        *(UnalignedPointer *)(Raw->adjoint + 4 * (uint64_t)(Low - Raw->leaf));
  return Id;
}

/// A double whose granules are two raw leaves in a row, as copied arrays have
/// them, read for the first time; 0 if it is something else. What
/// __verso_settle does for it, without the calls: it comes once a cell. To an
/// outer request the runtime's notes are no numbers.
INLINE uint32_t settleInRow(Context *C, char *Image) {
  uint32_t Word = *(const UnalignedWord *)Image, Id = Word - C->base;
  uint64_t Raw = (uint64_t)(Word + 1) << 32 | Word,
           Pair = (uint64_t)VERSO_IMAGE_PARTNER(Word) << 32 | Word;
  if (*(const UnalignedLong *)Image != Raw || Id + 1 >= C->next || Id < C->run)
    return 0;
  const Cell *E = verso_find_raw_entry(C, Id);
  AdjointBits *Second = (AdjointBits *)(C->adj + Id + 1);
  if (!E || !verso_is_raw_leaf_of(E, Id + 1) ||
      (*Second && *Second != VERSO_SETTLED_DOUBLE))
    return 0;
  *Second = VERSO_SETTLED_DOUBLE;
  UnalignedLong *Origin = (UnalignedLong *)verso_image_of(
      C, E->primal + 4 * (uint64_t)(Id - E->leaf));
  if (*Origin == Raw)
    *Origin = Pair;
  *(UnalignedLong *)Image = Pair;
  return Id;
}

/// The same for a loop whose row goes on: nothing is written to the tape, and
/// the context's next may be an earlier one. No outer request comes here.
RARE uint32_t __verso_settle_in_row(Context *C, char *P) {
  return settleInRow(C, verso_image_of(C, P));
}

/// The ID of the number at \p P, whose image is neither that of a live ID of
/// this thread nor one of untouched memory in reach of direct IDs.
RARE uint32_t __verso_id_at(Context *C, char *P, char *Shadow, uint32_t Kind) {
  char *Image = verso_image_of(C, P);
  uint32_t Low = *(const UnalignedWord *)Image;
  uint32_t High = *(const UnalignedWord *)(Image + 4);
  if (Kind == VERSO_CELL_MEMBER) {
    if (relative(C, Low) || relative(C, VERSO_IMAGE_PARTNER(Low)))
      return __verso_settle_claimed(C, P, Kind);
    if (Shadow != P) {
      uint32_t First = C->next;
      Cell *Before = C->log;
      uint32_t Id = __verso_first_touch(C, P, Shadow - P, Kind);
      __verso_claim(C, Before, First, P, Shadow, 4);
      return Id;
    }
    Kind = VERSO_CELL_FLOAT;
  }
#ifndef VERSO_SUPPORT_BITCODE
  if (Kind == VERSO_CELL_DOUBLE) {
    uint32_t Id = settleInRow(C, Image);
    if (Id)
      return Id;
  }
#endif
  if (Kind != VERSO_CELL_FLOAT && isLostImage(Low, High))
    return VERSO_ID_LOST;
  // A pointer that is moved as a double (__verso_address_at).
  uint32_t Handle = relative(C, High);
  if (Kind == VERSO_CELL_DOUBLE && Handle > VERSO_ID_LOST &&
      Low == VERSO_IMAGE_PARTNER(High) &&
      *(const UnalignedLong *)P - 1 < VERSO_ADDRESS_MASK)
    return Handle;
  // Behind a word that is no number's may stand a float, not half of a double,
  // or the half of one whose lower half was overwritten. And a float may be
  // read where the upper half of a double is.
  if (Shadow == P && !relative(C, Low)) {
    uint32_t Half = Kind == VERSO_CELL_FLOAT ? Low : High;
    return (Kind != VERSO_CELL_FLOAT &&
            relative(C, Half) > VERSO_ID_CONSTANT) ||
                   relative(C, VERSO_IMAGE_PARTNER(Half)) > VERSO_ID_CONSTANT
               ? VERSO_ID_LOST
               : 0;
  }
  if (Shadow == P && High != VERSO_IMAGE_PARTNER(Low))
    return __verso_settle_claimed(C, P, Kind);
  // Halves that are stale from two requests are untouched all the same.
  uint64_t Distance = (uint64_t)Shadow - (uint64_t)C->direct;
  if (Kind == VERSO_CELL_DOUBLE && Shadow != P && !relative(C, Low) &&
      !relative(C, High) &&
      !(Distance & ~((uint64_t)(uint32_t)~VERSO_ID_DIRECT << 3)))
    return VERSO_ID_DIRECT | (uint32_t)(Distance >> 3);
  uint32_t First = C->next;
  Cell *Before = C->log;
  uint32_t Id = __verso_first_touch(C, P, Shadow - P, Kind);
  __verso_claim(C, Before, First, P, Shadow, Kind == VERSO_CELL_FLOAT ? 4 : 10);
  return Id;
}

/// What was logged for a number at any address, and leaves of others that it
/// was copied from: as in __verso_claim and in __verso_settle_claimed. Where no
/// outer request asks, the addresses are there already.
INLINE void claimPacked(Context *C, Cell *Before, uint32_t First, char *P,
                        char *Shadow, uint64_t Bytes) {
#ifdef VERSO_SUPPORT_BITCODE
  if (C->next == First)
    return;
  __verso_claim(C, Before, First, P, Shadow, Bytes);
  for (Cell *E = Before; E < C->log; ++E) {
    if (E->bytes || (Shadow != P && (uint64_t)(E->primal - P) < Bytes))
      continue;
    for (const Cell *Raw = E; Raw-- != C->log_begin;)
      if (Raw->kind == VERSO_CELL_RAW && Raw->leaf &&
          E->primal - Raw->primal == E->adjoint - Raw->adjoint &&
          (uint64_t)(E->primal - Raw->primal) < Raw->bytes) {
        E->adjoint = Raw->adjoint + (E->primal - Raw->primal);
        break;
      }
  }
#else
  (void)C, (void)Before, (void)First, (void)P, (void)Shadow, (void)Bytes;
#endif
}

/// The ID of the number at \p P, no multiple of 4.
RARE uint32_t __verso_packed_id_at(Context *C, char *P, char *Shadow,
                                   uint32_t Kind) {
  uint32_t First = C->next;
  Cell *Before = C->log;
  uint32_t Id = __verso_load_packed(C, P, Shadow - P, Kind);
  claimPacked(C, Before, First, P, Shadow, 10);
  return Id;
}

/// The shadow of \p Value, a pointer that was loaded from there.
RARE char *__verso_packed_shadow_at(Context *C, char *P, char *Shadow,
                                    char *Value) {
  uint32_t Handle = __verso_load_packed(C, P, Shadow - P, VERSO_CELL_POINTER);
  if (Handle > VERSO_ID_LOST)
    return *(UnalignedPointer *)(C->adj + Handle);
  return Shadow == P ? Value : *(UnalignedPointer *)Shadow;
}

/// A number or pointer was stored there, whose image is the one of \p Slot.
RARE void __verso_store_packed_claimed(Context *C, char *P, char *Shadow,
                                       char *Slot, uint32_t Kind) {
  uint32_t First = C->next;
  Cell *Before = C->log;
  __verso_store_packed(C, P, Shadow - P, Slot, Kind);
  claimPacked(C, Before, First, P, Shadow, 10);
}

/// Bytes of unknown type are about to be copied.
OUTLINED void __verso_touch_claimed(Context *C, char *P, char *Shadow,
                                    uint64_t Bytes) {
  uint32_t First = C->next;
  Cell *Before = C->log;
  __verso_touch_range(C, P, Shadow - P, Bytes);
  __verso_claim(C, Before, First, P, Shadow, Bytes);
}

/// The numbers of type \p Kind in them.
OUTLINED void __verso_touch_numbers_claimed(Context *C, char *P, char *Shadow,
                                            uint64_t Bytes, uint32_t Kind) {
  uint32_t First = C->next;
  Cell *Before = C->log;
  __verso_touch_numbers(C, P, Shadow - P, Bytes, Kind);
  __verso_claim(C, Before, First, P, Shadow, Bytes);
}

/// What is declared in records.
OUTLINED void __verso_touch_records_claimed(Context *C, char *P, char *Shadow,
                                            uint64_t Bytes, void *Fields,
                                            uint64_t Count, uint64_t Period) {
  uint32_t First = C->next;
  Cell *Before = C->log;
  __verso_touch_records(C, P, Shadow - P, Bytes, Fields, Count, Period);
  __verso_claim(C, Before, First, P, Shadow, Bytes);
}

/// The \p Bytes at \p P are stored to for the first time. What continues the
/// entry before becomes a part of it; not where an outer request asks what
/// shadow each of these shadows has.
RARE void __verso_log_store(Context *C, char *P, char *Shadow, uint64_t Bytes,
                            uint32_t Kind) {
#ifndef VERSO_SUPPORT_BITCODE
  Cell *Last = C->log - 1;
  if (C->log != C->log_begin && Kind == VERSO_CELL_RAW &&
      Last->kind == VERSO_CELL_RAW && !Last->leaf &&
      Last->primal + Last->bytes == P &&
      Last->adjoint + Last->bytes == Shadow) {
    Last->bytes += Bytes;
    return;
  }
#endif
  if (C->log == C->log_end)
    __verso_fail("too many cells: the log of the user's memory is full", 0);
  C->log->primal = P;
  C->log->adjoint = Shadow;
  C->log->leaf = 0;
  C->log->kind = Kind;
  C->log->integers = 0;
  C->log->bytes = Bytes;
  C->log->back = verso_way_back(C);
  ++C->log;
}

/// A loop was left whose row ends at \p End; \p Next is the ID behind it.
OUTLINED char *__verso_pack_row(char *End, uint64_t Next) {
  return HAS_WIDE_VECTORS ? packRowWide(End, (uint32_t)Next)
                          : packRow(End, (uint32_t)Next);
}

/// Something inactive was stored.
OUTLINED void __verso_clear_claimed(Context *C, char *P, char *Shadow,
                                    uint64_t Bytes) {
  uint32_t First = C->next;
  Cell *Before = C->log;
  __verso_clear_images(C, P, Bytes, Shadow - P);
  __verso_claim(C, Before, First, P, Shadow, Bytes);
}

/// Whether the two words at \p Image are a number's, as it is or as raw leaves.
INLINE int isNumberAt(const Context *C, const char *Image) {
  uint32_t Low = *(const UnalignedWord *)Image;
  uint32_t High = *(const UnalignedWord *)(Image + 4);
  return relative(C, Low) &&
         (High == VERSO_IMAGE_PARTNER(Low) || High == Low + 1);
}

/// A part of what has the word at \p Image was overwritten.
INLINE void partGranule(const Context *C, char *Image, uint32_t Rest) {
  uint32_t Word = *(const UnalignedWord *)Image;
  if (relative(C, Word) || relative(C, VERSO_IMAGE_PARTNER(Word)))
    *(UnalignedWord *)Image = Rest;
}

/// Something inactive of less than seven bytes was stored in memory that is not
/// tracked, and may begin in one granule and end in the next. Zeros in both
/// halves of a number would say that it is constant: what is left of it is
/// lost, until it is overwritten, too.
RARE void __verso_clear_across(Context *C, char *P, uint64_t Bytes) {
  const uint64_t In = (uint64_t)P & 3, End = (In + Bytes) & 3;
  char *First = verso_image_of(C, P - In);
  char *Last = First + (In + Bytes - End);
  const int IsAcross = In && End && Last == First + 4 && isNumberAt(C, First);
  const uint32_t Rest =
      IsAcross ? UINT32_C(0x01010101) * VERSO_LOST_BYTE : UINT32_C(0);
  if (In)
    partGranule(C, First, Rest);
  if (End)
    partGranule(C, Last, Rest);
  // No loop of stores: images have no tangents, and what a loop is to clear has
  // its pages noted first (PageChecks.h).
  __builtin_memset(First + In, 0, Bytes);
}

/// Bytes were copied; if \p OnlyPointers, numbers arrive as constants. What
/// stands beside the source is claimed before its images move: where the two
/// overlap, these are beside other cells afterwards.
OUTLINED void __verso_copy_claimed(Context *C, char *To, char *ToShadow,
                                   char *From, char *FromShadow, uint64_t Bytes,
                                   uint32_t OnlyPointers) {
  if (FromShadow != From)
    __verso_touch_claimed(C, From, FromShadow, Bytes);
  uint32_t First = C->next;
  Cell *Before = C->log;
  if (OnlyPointers)
    __verso_copy_pointer_images(C, To, From, Bytes, ToShadow - To, 0);
  else
    __verso_copy_images(C, To, From, Bytes, ToShadow - To, 0);
  __verso_claim(C, Before, First, To, ToShadow, Bytes);
}

/// The shadow of \p Value, which was loaded from \p P as a pointer, without a
/// pointer's image, and may be a number (NumbersAsPointers.h).
RARE char *__verso_shadow_at(Context *C, char *P, char *Shadow, char *Value) {
  const char *Image = verso_image_of(C, P);
  switch (
      __verso_holds_number(C, P, Shadow == P ? 0 : Shadow, (int64_t)Value)) {
  case 0:
    if (relative(C, *(const UnalignedWord *)(Image + 4)) ||
        piecesOfWord(C, *(const UnalignedWord *)(Image + 4), relative)) {
      uint32_t Handle = __verso_settle_claimed(C, P, VERSO_CELL_POINTER);
      if (Handle)
        return *(UnalignedPointer *)(C->adj + Handle);
    }
    return Shadow == P ? Value : *(UnalignedPointer *)Shadow;
  case 1:
    __verso_touch_claimed(C, P, Shadow, 8);
    return (char *)__verso_shadow_of_number(C, *(const UnalignedLong *)Image,
                                            (int64_t)Value);
  default:
    return Value;
  }
}

/// The ID of a double that was loaded from \p P with the bits of an address:
/// the handle of a pointer that has a shadow, else \p Id, which it has as a
/// number.
RARE uint32_t __verso_address_at(Context *C, char *P, char *Shadow, char *Value,
                                 uint32_t Id) {
  if (__verso_holds_number(C, P, Shadow == P ? 0 : Shadow, (int64_t)Value))
    return Id;
  if (Id > VERSO_ID_LOST && Id < C->next &&
      __verso_are_addresses((uint64_t)Value,
                            *(const UnalignedLong *)(C->adj + Id)))
    return Id; // It has a handle.
  char *Found = __verso_shadow_at(C, P, Shadow, Value);
  // A raw leaf that was copied, and was just settled as a double.
  const Cell *Raw = Id < C->next ? verso_find_raw_entry(C, Id) : 0;
  if (Raw)
    Found =
        *(UnalignedPointer *)(Raw->adjoint + 4 * (uint64_t)(Id - Raw->leaf));
  if (Found == Value ||
      !__verso_are_addresses((uint64_t)Value, (uint64_t)Found))
    return Id;
  uint32_t Handle = __verso_new_handle(C);
  *(UnalignedPointer *)(C->adj + Handle) = Found;
  return Handle;
}

/// A double with the bits of an address was stored at \p P: if its ID is a
/// handle, its image is a pointer's, and the shadow structure follows.
RARE void __verso_store_address(Context *C, char *P, char *Shadow, char *Value,
                                uint32_t Id) {
  if (Id <= VERSO_ID_LOST || Id >= C->next || (uint64_t)P % 4)
    return;
  char *Found = *(UnalignedPointer *)(C->adj + Id);
  if (!__verso_are_addresses((uint64_t)Value, (uint64_t)Found))
    return;
  // Each store has its own, as those of pointers have.
  uint32_t Handle = __verso_new_handle(C), Word = Handle + C->base;
  *(UnalignedPointer *)(C->adj + Handle) = Found;
  *(UnalignedLong *)verso_image_of(C, P) =
      (uint64_t)Word << 32 | VERSO_IMAGE_PARTNER(Word);
  if (Shadow != P)
    *(UnalignedPointer *)Shadow = Found;
}

/// The same of one that was cast from an integer with this image.
RARE char *__verso_shadow_of_bits(Context *C, uint64_t Image, char *Value) {
  return (char *)__verso_shadow_of_number(C, (int64_t)Image, (int64_t)Value);
}

/// \p Value was stored at \p P as a pointer, with the image that it has, and
/// may be a number.
RARE void __verso_follow_stored(Context *C, char *P, char *Shadow, char *Value,
                                char *ValueShadow) {
  if (!__verso_stores_number(C, P, Shadow, (int64_t)Value,
                             (int64_t)ValueShadow)) {
    *(UnalignedPointer *)Shadow = Value ? ValueShadow : 0;
  } else if ((uint64_t)ValueShadow >= VERSO_NUMBER_AS_SHADOW) {
    __verso_copy_claimed(C, P, Shadow, P, P, 8, /*OnlyPointers=*/0);
  } else {
    __verso_clear_claimed(C, P, Shadow, 8);
  }
}

/// The first half of the reverse sweep: what the user seeded in shadows goes to
/// the IDs that the cells hold now. Seeds of returned values come after it: a
/// returned value may be a direct one, whose cell was overwritten.
OUTLINED void __verso_release(Context *C) {
  releaseOutputs(C, C);
  placeDeferredBits(C);
}

/// The second half: from the seeds to the leaves.
OUTLINED void __verso_resolve(Context *C) {
  resolve(C);
  addLeaves(C);
  if (C->adj[VERSO_ID_LOST] != 0)
    __verso_fail_lost();
  C->adj[VERSO_ID_LOST] = 0;
  C->adj[0] = 0;
}
