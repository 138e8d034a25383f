//===- Recorder.h - what emitted code does, by hand -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the runtime write tapes as the pass's code does: records, leaves and
// images, with the runtime's functions called where emitted code calls them.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_RECORDER_H
#define VERSO_TEST_RECORDER_H

#include "Interface.h"
#include "Lookup.h"

#include <initializer_list>
#include <string.h>
#include <vector>

extern "C" char *__verso_pack_row(char *End, uint64_t Next);

namespace verso::test {

/// A number and its relative ID.
template <typename T> struct Active {
  T Value;
  uint32_t Id;
};

class Recorder {
public:
  struct Term {
    double Partial;
    uint32_t Id;
  };

  explicit Recorder(const char *Where = "test.c:1:1",
                    void *Frame = __builtin_frame_address(0))
      : C(static_cast<verso_context *>(
            entry::__verso_begin(const_cast<char *>(Where), Frame))) {}

  verso_context *context() const { return C; }
  uint32_t next() const { return C->next; }
  double &adjoint(uint32_t Id) { return C->adj[Id]; }

  /// One segment.
  uint32_t record(std::initializer_list<Term> Terms) {
    startSegment();
    for (const Term &T : Terms)
      put(T.Partial);
    for (const Term &T : Terms)
      put(T.Id);
    put(VERSO_RECORD_HEADER(Terms.size(), VERSO_RECORD_CONTRIBUTIONS));
    return C->next++;
  }

  /// A record of any kind; the first partial of a sum counts as 1. Flags are
  /// those of the header.
  uint32_t recordOf(verso_record_kind Kind, const std::vector<Term> &Terms,
                    uint32_t Flags) {
    startSegment();
    uint32_t Block = 0;
    if (Kind == VERSO_RECORD_SHARED) {
      uint32_t Words = 2 * Terms.size();
      for (; (C->cursor - C->tape_begin) % VERSO_BLOCK_BYTES; ++Words)
        put(uint32_t(0));
      Block = (C->cursor - C->tape_begin) / VERSO_BLOCK_BYTES;
      for (const Term &T : Terms)
        put(T.Partial);
      put(VERSO_RECORD_HEADER(Words, VERSO_RECORD_BLOCK));
    } else {
      for (const Term &T : Terms)
        if (Kind != VERSO_RECORD_SUM || &T != &Terms.front())
          put(T.Partial);
    }
    for (const Term &T : Terms)
      put(T.Id);
    if (Kind == VERSO_RECORD_SHARED)
      put(Block);
    put(VERSO_RECORD_HEADER(Terms.size(), Kind) | Flags);
    return C->next++;
  }

  /// A record whose first partial is 1; the terms after it.
  uint32_t sum(uint32_t First, std::initializer_list<Term> Rest) {
    startSegment();
    for (const Term &T : Rest)
      put(T.Partial);
    put(First);
    for (const Term &T : Rest)
      put(T.Id);
    put(VERSO_RECORD_HEADER(Rest.size() + 1, VERSO_RECORD_SUM));
    return C->next++;
  }

  /// A row whose elements are operands alone, `Words` each: the partials of the
  /// first ones stand behind it, those of the others are 1. Packed, if \p
  /// Packs.
  void row(const std::vector<uint32_t> &Operands, uint32_t Words,
           const std::vector<double> &Partials, bool Packs) {
    startSegment();
    uint32_t N = Operands.size() / Words, Summands = Words - Partials.size();
    for (uint32_t Operand : Operands)
      put(Operand);
    for (double Partial : Partials)
      put(Partial);
    put(uint32_t(VERSO_ROW_SHAPE(0, Partials.size(), 0, Summands, 0) |
                 VERSO_ROW_DIRECT_FACTORS | VERSO_ROW_DIRECT_SUMMANDS |
                 rowNumber(Partials.size(), Summands)
                     << VERSO_ROW_NUMBER_SHIFT));
    put(VERSO_RECORD_HEADER(N, VERSO_RECORD_RUN) | VERSO_RECORD_REPEATS);
    C->next += N;
    if (Packs)
      C->cursor = __verso_pack_row(C->cursor, C->next);
  }

  /// A block of partials for shared(); returns its number.
  uint32_t block(std::initializer_list<double> Partials) {
    startSegment();
    uint32_t Words = 2 * Partials.size();
    for (; (C->cursor - C->tape_begin) % VERSO_BLOCK_BYTES; ++Words)
      put(uint32_t(0));
    uint32_t Number = (C->cursor - C->tape_begin) / VERSO_BLOCK_BYTES;
    for (double Partial : Partials)
      put(Partial);
    put(VERSO_RECORD_HEADER(Words, VERSO_RECORD_BLOCK));
    return Number;
  }

  uint32_t shared(uint32_t Block, std::initializer_list<uint32_t> Ids) {
    startSegment();
    for (uint32_t Id : Ids)
      put(Id);
    put(Block);
    put(VERSO_RECORD_HEADER(Ids.size(), VERSO_RECORD_SHARED));
    return C->next++;
  }

  template <typename T> Active<T> load(T *P, int64_t Offset = 0) {
    startSegment();
    uint32_t Words[2] = {};
    memcpy(Words, image(P), wordsOf<T>() * 4);
    uint32_t Run = Offset ? C->run : 0, Id = Words[0] - C->base;
    if (Id - Run >= C->next - Run)
      Id = 0;
    if (Id && wordsOf<T>() == 2 && Words[1] != VERSO_IMAGE_PARTNER(Words[0]))
      Id = entry::__verso_settle(C, P, kindOf<T>());
    if (!Id && Offset)
      Id = C->run ? entry::__verso_first_touch(C, P, Offset, kindOf<T>())
                  : firstTouch(P, Offset);
    return {*P, Id};
  }

  template <typename T> void store(Active<T> A, T *P, int64_t Offset = 0) {
    startSegment();
    *P = A.Value;
    if (Offset) {
      uint32_t Old;
      memcpy(&Old, image(P), 4);
      Old -= C->base;
      if (!Old || Old - C->run >= C->next - C->run) {
        mark(VERSO_RECORD_HANDLE);
        log(P, Offset, 0, sizeof(T) > 8 ? kindOf<T>() : VERSO_CELL_RAW);
      }
      if (!A.Id)
        A.Id = VERSO_ID_CONSTANT;
    }
    writeImage(P, A.Id);
  }

  template <typename T> Active<T> multiply(Active<T> A, Active<T> B) {
    return {A.Value * B.Value,
            record({{double(B.Value), A.Id}, {double(A.Value), B.Id}})};
  }
  template <typename T> Active<T> add(Active<T> A, Active<T> B) {
    return {A.Value + B.Value, record({{1, A.Id}, {1, B.Id}})};
  }

  /// memmove between memory with these offsets.
  void copy(void *To, void *From, size_t Bytes, int64_t ToOffset,
            int64_t FromOffset) {
    memmove(To, From, Bytes);
    entry::__verso_copy_images(C, To, From, Bytes, ToOffset, FromOffset);
  }

  void sweepAndEnd() {
    __verso_release(C);
    __verso_resolve(C);
    entry::__verso_end(C);
  }

  char *image(const void *P) const {
    return verso_image_of(C, static_cast<const char *>(P));
  }

private:
  static uint32_t rowNumber(uint32_t Partials, uint32_t Summands) {
    static constexpr uint32_t Known[] = {
#define VERSO_ROW(BOTH, OPERAND, PARTIAL, SUMMAND, UNIT)                       \
  VERSO_ROW_SHAPE(BOTH, OPERAND, PARTIAL, SUMMAND, UNIT),
#include "verso/Rows.def"
    };
    uint32_t Number = 0;
    while (Known[Number] != VERSO_ROW_SHAPE(0, Partials, 0, Summands, 0))
      ++Number;
    return Number;
  }
  template <typename T> static constexpr int wordsOf() {
    return sizeof(T) == 4 ? 1 : 2;
  }
  template <typename T> static constexpr verso_cell_kind kindOf() {
    return sizeof(T) == 4   ? VERSO_CELL_FLOAT
           : sizeof(T) == 8 ? VERSO_CELL_DOUBLE
                            : VERSO_CELL_X86_FP80;
  }

  void startSegment() {
    if (C->cursor > C->limit)
      entry::__verso_grow(C);
  }
  template <typename T> void put(T Value) {
    memcpy(C->cursor, &Value, sizeof(Value));
    C->cursor += sizeof(Value);
  }
  uint32_t mark(verso_record_kind Kind) {
    put(uint32_t(Kind));
    return C->next++;
  }
  template <typename T>
  void log(T *P, int64_t Offset, uint32_t Leaf, verso_cell_kind Kind) {
    char *Primal = reinterpret_cast<char *>(P);
    uint64_t Bytes = sizeof(T) > 8 ? 10 : sizeof(T);
    *C->log++ = {Primal, Primal + Offset, Leaf, uint32_t(Kind), /*integers=*/0, uint64_t(Bytes)};
  }
  template <typename T> void writeImage(T *P, uint32_t Id) {
    uint32_t Words[2] = {Id + C->base, VERSO_IMAGE_PARTNER(Id + C->base)};
    if (!Id)
      Words[0] = Words[1] = 0;
    memcpy(image(P), Words, wordsOf<T>() * 4);
  }
  template <typename T> uint32_t firstTouch(T *P, int64_t Offset) {
    uint32_t Leaf = mark(VERSO_RECORD_LEAF);
    log(P, Offset, Leaf, kindOf<T>());
    writeImage(P, Leaf);
    return Leaf;
  }

  verso_context *C;
};

/// The offset of a tracked pointer.
template <typename T> int64_t offsetOf(const T *Primal, const T *Shadow) {
  return reinterpret_cast<int64_t>(Shadow) - reinterpret_cast<int64_t>(Primal);
}

} // namespace verso::test

#endif // VERSO_TEST_RECORDER_H
