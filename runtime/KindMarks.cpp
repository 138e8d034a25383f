//===- KindMarks.cpp - what bytes are at the moment -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KindMarks.h"
#include "Fatal.h"
#include "verso/Layout.h"

#include <string.h>

using namespace verso;

struct verso::MarksNote {
  uint64_t Bytes;
  unsigned char *marks() { return reinterpret_cast<unsigned char *>(this + 1); }
  const unsigned char *marks() const {
    return reinterpret_cast<const unsigned char *>(this + 1);
  }
  bool holdsNumber() const {
    for (uint64_t K = 0; K != Bytes; ++K)
      if (marks()[K] < VERSO_MARK_LOST)
        return true;
    return false;
  }
};

static unsigned char *marksOf(const Tangents &T, const char *P) {
  return reinterpret_cast<unsigned char *>(
      verso_displaced(reinterpret_cast<uint64_t>(P), T.delta[0]));
}

void verso::newMarks(Tangents &T, char *P, uint64_t Bytes) {
  if (!P)
    return;
  T.touch(reinterpret_cast<uint64_t>(P), Bytes);
  memset(marksOf(T, P), VERSO_MARK_OTHER, Bytes);
}

/// The size of the number that begins with this mark; 0 if none does.
static uint64_t sizeOfNumber(unsigned char Mark) {
  switch (Mark) {
  case VERSO_MARK_FLOAT:
    return 4;
  case VERSO_MARK_DOUBLE:
    return 8;
  case VERSO_MARK_LONG_DOUBLE:
    return 10;
  default:
    return 0;
  }
}

static uint64_t wordAt(const void *P) {
  uint64_t Word;
  memcpy(&Word, P, sizeof Word);
  return Word;
}

static constexpr uint64_t AllOthers = ~UINT64_C(0);
static constexpr uint64_t WholeDouble =
    UINT64_C(0x0706050403020100) +
    UINT64_C(0x0101010101010101) * VERSO_MARK_DOUBLE;

/// How many bytes from \p At on are a whole number; 0 if it is none.
static uint64_t wholeNumberAt(const MarksNote &Note, uint64_t At) {
  const unsigned char *Marks = Note.marks();
  uint64_t Bytes = sizeOfNumber(Marks[At]);
  if (Note.Bytes - At < Bytes)
    return 0;
  for (uint64_t K = 1; K < Bytes; ++K)
    if (Marks[At + K] != Marks[At] + K)
      return 0;
  return Bytes;
}

MarksNote *verso::copyMarks(Tangents &T, const MarkedCopy &C, Arena &Kept) {
  auto *Note =
      reinterpret_cast<MarksNote *>(Kept.take(sizeof(MarksNote) + C.Bytes));
  Note->Bytes = C.Bytes;
  T.touch(reinterpret_cast<uint64_t>(C.To), C.Bytes);
  unsigned char *Moved = Note->marks();
  memcpy(Moved, marksOf(T, C.From), C.Bytes);
  for (uint64_t At = 0, Bytes; At != C.Bytes; At += Bytes) {
    uint64_t Word = C.Bytes - At < 8 ? 0 : wordAt(Moved + At);
    Bytes =
        Word == AllOthers || Word == WholeDouble ? 8 : wholeNumberAt(*Note, At);
    if (Bytes)
      continue;
    Bytes = 1;
    // Memory that is not marked holds constants; parts are no numbers.
    if (Moved[At] != VERSO_MARK_OTHER)
      Moved[At] = Moved[At] ? VERSO_MARK_LOST : VERSO_MARK_OTHER;
  }
  memcpy(marksOf(T, C.To), Moved, C.Bytes);
  return Note;
}

template <typename Real>
static void add(char *At, const char *Given, uint64_t Bytes) {
  Real Sum = 0, More = 0;
  memcpy(&Sum, At, Bytes);
  memcpy(&More, Given, Bytes);
  Sum += More;
  memcpy(At, &Sum, Bytes);
}

void verso::reverseMarked(const MarksNote &Note, char *ToShadow,
                          char *FromShadow, Arena &Kept) {
  if (!ToShadow) {
    if (FromShadow && Note.holdsNumber())
      fatal(Kept.where(),
            "a number that varies was copied to memory that has no shadow; use "
            "-verso-strategy=taped");
    return;
  }
  // All adjoints are taken before the first is given: the two may overlap.
  char *Given = Kept.take(Note.Bytes);
  memcpy(Given, ToShadow, Note.Bytes);
  memset(ToShadow, 0, Note.Bytes);
  for (uint64_t At = 0, Bytes; At != Note.Bytes; At += Bytes) {
    if (Note.Bytes - At >= 8 && wordAt(Note.marks() + At) == AllOthers) {
      Bytes = 8;
      continue;
    }
    Bytes = wholeNumberAt(Note, At);
    if (!Bytes)
      Bytes = 1;
    else if (!FromShadow)
      continue;
    else if (Bytes == 4)
      add<float>(FromShadow + At, Given + At, Bytes);
    else if (Bytes == 8)
      add<double>(FromShadow + At, Given + At, Bytes);
    else
      add<long double>(FromShadow + At, Given + At, Bytes);
  }
  Kept.end(Given);
}
