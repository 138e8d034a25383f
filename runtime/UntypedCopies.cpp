//===- UntypedCopies.cpp - copies whose bytes nobody knows ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UntypedCopies.h"
#include "Cells.h"
#include "Fatal.h"
#include "SweepTypes.h"

#include <string.h>

using namespace verso;

namespace {

/// What is moved at once: [At, At + Bytes) of the copy.
struct Piece {
  uint64_t At, Bytes;
  verso_copied_kind Kind;
};

/// What the shadow repeats, a pointer or an integer, and the copy's follows.
struct Followed {
  char *Cell;
  uint64_t Bytes; ///< 8, or 4 of an integer.
  uint64_t Before, Shadow;
  void *Primal;
};

} // namespace

struct verso::UntypedNote {
  UntypedCopy Copy;
  Followed *Others;
  uint64_t Count;      ///< Of them.
  unsigned char *Skip; ///< A bit for each granule; null: all are moved.
};

static verso_copied_kind kindAt(const UntypedCopy &C, uint64_t At) {
  return verso_copied_kind(C.Kinds[At % C.Period]);
}

static bool isOpen(verso_copied_kind Kind) {
  return Kind == VERSO_COPIED_UNKNOWN || Kind == VERSO_COPIED_INTEGER;
}

/// Whether \p Bytes bytes of integers begin at \p At.
static bool areIntegers(const UntypedCopy &C, uint64_t At, uint64_t Bytes) {
  if (At + Bytes > C.Bytes)
    return false;
  for (uint64_t K = 0; K != Bytes; ++K)
    if (kindAt(C, At + K) != VERSO_COPIED_INTEGER)
      return false;
  return true;
}

/// Whether the granule at \p At is no number that somebody keeps in an integer,
/// nor half of one.
static bool isDeclaredInteger(const UntypedCopy &C, uint64_t At) {
  const int64_t Offset = C.FromShadow - C.From;
  auto Is = [&](uint64_t Granule) {
    return looksLikeInteger(C.From + Granule, Offset);
  };
  if (!areIntegers(C, At, 4) || !Is(At))
    return false;
  const uint64_t Block = At - reinterpret_cast<uint64_t>(C.From + At) % 8;
  return Block > At || !areIntegers(C, Block, 8) ||
         (Is(Block) && Is(Block + 4));
}

/// Bytes of unknown kind come by granules of the source.
static Piece pieceAt(const UntypedCopy &C, uint64_t At) {
  verso_copied_kind Kind = kindAt(C, At);
  uint64_t Bytes = Kind == VERSO_COPIED_POINTER  ? 8
                   : Kind == VERSO_COPIED_FLOAT  ? 4
                   : Kind == VERSO_COPIED_DOUBLE ? 8
                                                 : 1;
  if (isOpen(Kind))
    while (At + Bytes != C.Bytes &&
           reinterpret_cast<uint64_t>(C.From + At + Bytes) % 4 &&
           isOpen(kindAt(C, At + Bytes)))
      ++Bytes;
  // The end of the copy cuts a number: nothing of it is moved.
  if (At + Bytes > C.Bytes)
    return {At, C.Bytes - At, VERSO_COPIED_KNOWN};
  return {At, Bytes, Kind};
}

static uint64_t granuleOf(const UntypedCopy &C, uint64_t At) {
  return (reinterpret_cast<uint64_t>(C.From) % 4 + At) / 4;
}

/// Whether eight bytes of unknown kind begin at \p At, where a pointer may lie.
static bool isBlock(const UntypedCopy &C, uint64_t At) {
  if (reinterpret_cast<uint64_t>(C.From + At) % 8 ||
      uint64_t(C.FromShadow - C.From) % 8 || At + 8 > C.Bytes)
    return false;
  for (uint64_t K = 0; K != 8; ++K)
    if (!isOpen(kindAt(C, At + K)))
      return false;
  return true;
}

/// A pointer, or a mark in the place of one, that the shadow repeats.
static bool isPointer(const char *Primal, const char *Shadow) {
  uint64_t Bits = eightBytesAt(Primal), Beside = eightBytesAt(Shadow);
  return arePointers(Bits, Beside) || (isMark(Bits) && isMark(Beside));
}

/// Calls OnFollowed(at, bytes) where the shadow follows, OnEnded likewise where
/// what it repeated is overwritten by what may be a number, and OnSkipped where
/// there is none.
template <typename F, typename E, typename S>
static void classify(const UntypedCopy &C, F OnFollowed, E OnEnded,
                     S OnSkipped) {
  for (uint64_t At = 0; At < C.Bytes;) {
    Piece Each = pieceAt(C, At);
    if (Each.Kind == VERSO_COPIED_POINTER) {
      OnFollowed(At, 8);
    } else if (isOpen(Each.Kind)) {
      const char *From = C.From + At, *To = C.To + At;
      const char *FromShadow = C.FromShadow + At, *ToShadow = C.ToShadow + At;
      bool MayBePointer = isBlock(C, At);
      if (MayBePointer && isPointer(From, FromShadow)) {
        OnFollowed(At, 8);
        OnSkipped(At, 8);
        Each.Bytes = 8;
      } else if (MayBePointer && isMark(eightBytesAt(From))) {
        OnSkipped(At, 8);
        Each.Bytes = 8;
      } else if (MayBePointer && isPointer(To, ToShadow)) {
        OnEnded(At, 8);
        Each.Bytes = 8;
      } else if (Each.Bytes == 4 && isIntegerAt(From, FromShadow - From)) {
        OnFollowed(At, 4);
        OnSkipped(At, 4);
      } else if (Each.Bytes == 4 && isDeclaredInteger(C, At)) {
        OnSkipped(At, 4);
      } else if (Each.Bytes == 4 && reinterpret_cast<uint64_t>(To) % 4 == 0 &&
                 isIntegerAt(To, ToShadow - To)) {
        OnEnded(At, 4);
      }
    }
    At += Each.Bytes;
  }
}

static uint64_t bitsAt(const char *P, uint64_t Bytes) {
  uint64_t Bits = 0;
  memcpy(&Bits, P, Bytes);
  return Bits;
}

UntypedNote *verso::noteUntyped(const UntypedCopy &C, Arena &Kept) {
  auto *Note = reinterpret_cast<UntypedNote *>(Kept.take(sizeof(UntypedNote)));
  *Note = {C, nullptr, 0, nullptr};
  if (C.To == C.ToShadow) { // Memory without a shadow.
    Note->Copy.Bytes = 0;
    return Note;
  }
  uint64_t Skipped = 0;
  auto Count = [&](uint64_t, uint64_t) { ++Note->Count; };
  classify(C, Count, Count, [&](uint64_t, uint64_t) { ++Skipped; });
  if (Skipped) {
    uint64_t Bytes = granuleOf(C, C.Bytes) / 8 + 1;
    Note->Skip = reinterpret_cast<unsigned char *>(Kept.take(Bytes));
    memset(Note->Skip, 0, Bytes);
  }
  if (Note->Count)
    Note->Others =
        reinterpret_cast<Followed *>(Kept.take(Note->Count * sizeof(Followed)));
  // The two may overlap: first everything is read.
  Followed *Next = Note->Others;
  auto Add = [&](uint64_t At, uint64_t Bytes, uint64_t Shadow) {
    char *Cell = C.ToShadow + At;
    *Next++ = {Cell, Bytes, bitsAt(Cell, Bytes), Shadow,
               reinterpret_cast<void *>(bitsAt(C.From + At, Bytes))};
  };
  classify(
      C,
      [&](uint64_t At, uint64_t Bytes) {
        Add(At, Bytes, bitsAt(C.FromShadow + At, Bytes));
      },
      [&](uint64_t At, uint64_t Bytes) { Add(At, Bytes, 0); },
      [&](uint64_t At, uint64_t Bytes) {
        for (uint64_t K = 0; K != Bytes; K += 4) {
          uint64_t Granule = granuleOf(C, At + K);
          Note->Skip[Granule / 8] |= 1 << Granule % 8;
        }
      });
  for (uint64_t K = 0; K != Note->Count; ++K) {
    const Followed &F = Note->Others[K];
    memcpy(F.Cell, &F.Shadow, F.Bytes);
  }
  return Note;
}

static bool isZero(const char *P, uint64_t Bytes) {
  for (uint64_t K = 0; K != Bytes; ++K)
    if (P[K])
      return false;
  return true;
}

/// Adds the adjoint at \p Given to that at \p At.
static void give(const Piece &Each, const char *Given, char *At,
                 const char *Where) {
  if (Each.Kind == VERSO_COPIED_FLOAT) {
    *reinterpret_cast<UnalignedFloat *>(At) +=
        *reinterpret_cast<const UnalignedFloat *>(Given);
  } else if (Each.Kind == VERSO_COPIED_DOUBLE) {
    *reinterpret_cast<UnalignedDouble *>(At) +=
        *reinterpret_cast<const UnalignedDouble *>(Given);
  } else if (!isZero(Given, Each.Bytes)) {
    if (!isZero(At, Each.Bytes))
      fatal(Where,
            "memory that is copied but never read as a number has an adjoint "
            "already, and its type is not known; copy it as numbers, start "
            "with a shadow of zeros, or use -verso-strategy=taped");
    memcpy(At, Given, Each.Bytes);
  }
}

/// Calls \p Do for each number, or what may be one.
template <typename D> static void eachNumber(const UntypedNote &Note, D Do) {
  const UntypedCopy &C = Note.Copy;
  auto IsSkipped = [&](uint64_t At) {
    uint64_t Granule = granuleOf(C, At);
    return Note.Skip && (Note.Skip[Granule / 8] >> Granule % 8 & 1);
  };
  for (uint64_t At = 0; At < C.Bytes;) {
    Piece P = pieceAt(C, At);
    if (isOpen(P.Kind)
            ? !IsSkipped(At)
            : P.Kind == VERSO_COPIED_FLOAT || P.Kind == VERSO_COPIED_DOUBLE)
      Do(P);
    At += P.Bytes;
  }
}

verso_moved *verso::reverseUntyped(UntypedNote *Note, verso_moved *Moved,
                                   Arena &Kept) {
  const UntypedCopy &C = Note->Copy;
  if (!C.Bytes)
    return Moved;
  auto *Notes = reinterpret_cast<verso_moved *>(
      Kept.take(Note->Count * sizeof(verso_moved)));
  // All adjoints are taken before the first is given: the two may overlap.
  char *Given = Kept.take(C.Bytes);
  eachNumber(*Note, [&](const Piece &P) {
    memcpy(Given + P.At, C.ToShadow + P.At, P.Bytes);
    memset(C.ToShadow + P.At, 0, P.Bytes);
  });
  for (uint64_t K = Note->Count; K-- > 0;) {
    const Followed &F = Note->Others[K];
    if (F.Bytes == sizeof(void *)) {
      Notes[K] = {Moved, reinterpret_cast<void **>(F.Cell),
                  reinterpret_cast<void *>(F.Shadow), F.Primal};
      Moved = &Notes[K];
    }
    memcpy(F.Cell, &F.Before, F.Bytes);
  }
  // Memory without a shadow is its own: what it gets is thrown away.
  if (C.From != C.FromShadow)
    eachNumber(*Note, [&](const Piece &P) {
      give(P, Given + P.At, C.FromShadow + P.At, Kept.where());
    });
  Kept.end(Given);
  return Moved;
}
