//===- Cells.cpp - memory of the user that has a shadow -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cells.h"
#include "AddressSpace.h"
#include "Fatal.h"
#include "Halves.h"
#include "Images.h"
#include "Lookup.h"
#include "LostBits.h"
#include "PackedNumbers.h"
#include "Pages.h"
#include "SweepTypes.h"

#include <string.h>

using namespace verso;

/// Adjoints that hold bits of something else.
typedef uint64_t AdjointBits __attribute__((may_alias));

static AdjointBits &bitsOfAdjoint(Request &R, uint32_t Id) {
  return reinterpret_cast<AdjointBits *>(R.adj)[Id];
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static uint64_t bytesOf(verso_cell_kind Kind) {
  return Kind == VERSO_CELL_FLOAT ? 4 : Kind == VERSO_CELL_X86_FP80 ? 10 : 8;
}

/// The lower half at \p P is untouched: is the upper one something else than
/// untouched or a raw leaf of itself?
static bool upperHalfWasOverwritten(const Request &R, const char *P) {
  uint32_t Id = R.live(imagesAt(R, P)[1]);
  if (!Id)
    return false;
  const verso_cell *E = verso_find_raw_entry(&R, Id);
  return !E ||
         E->primal + uint64_t(Id - E->leaf) * GranuleBytes != P + GranuleBytes;
}

/// A leaf for a float at \p P, where a double may be as well: it says nothing of
/// what is there in the end.
static uint32_t leafOfMember(Request &R, char *P, char *Adjoint) {
  R.makeRoom();
  uint32_t Leaf = R.mark(VERSO_RECORD_LEAF);
  R.logCell(P, Adjoint, Leaf, VERSO_CELL_FLOAT, 0);
  ++R.members;
  R.makeRoom();
  return Leaf;
}

uint32_t verso::firstTouch(Request &R, char *P, int64_t Offset,
                           verso_cell_kind Kind) {
  if (Kind == VERSO_CELL_MEMBER)
    return leafOfMember(R, P, P + Offset);
  ImageWord *Image = imagesAt(R, P);
  bool IsPointer = Kind == VERSO_CELL_POINTER;
  uint32_t Key = Image[IsPointer ? 1 : 0];
  if (uint32_t Id = R.live(Key)) {
    if (Kind == VERSO_CELL_FLOAT ||
        Image[IsPointer ? 0 : 1] == VERSO_IMAGE_PARTNER(Key))
      return Id;
    // The upper half is what the request was given.
    if (Offset && !IsPointer && !isImage(R, Image[1]))
      return VERSO_ID_LOST;
    return settle(R, P, Kind);
  }
  if (!Offset || IsPointer)
    return 0;
  if (Kind == VERSO_CELL_FLOAT ? R.live(VERSO_IMAGE_PARTNER(Key)) != 0
                               : upperHalfWasOverwritten(R, P))
    return VERSO_ID_LOST;
  R.makeRoom();
  uint32_t Leaf = R.mark(VERSO_RECORD_LEAF);
  R.logCell(P, P + Offset, Leaf, uint32_t(Kind), bytesOf(Kind));
  if (Kind == VERSO_CELL_FLOAT)
    *Image = R.absolute(Leaf);
  else
    writeNumber(R, Image, Leaf, Kind);
  R.makeRoom();
  return Leaf;
}

/// The last entry of the log, if [P, ...) with its next IDs continues it.
static verso_cell *continuedEntry(Request &R, char *P, int64_t Offset,
                                  bool AreIntegers) {
  if (R.log == R.log_begin)
    return nullptr;
  verso_cell *E = R.log - 1;
  bool Continued = E->kind == VERSO_CELL_RAW && E->leaf &&
                   E->integers == AreIntegers && E->bytes % GranuleBytes == 0 &&
                   E->primal + E->bytes == P &&
                   E->adjoint - E->primal == Offset &&
                   E->leaf + E->bytes / GranuleBytes == R.next;
  return Continued ? E : nullptr;
}

/// Raw leaves for \p Count granules in a row. Where they have to be split, no
/// number in its natural place is.
static void makeRawLeaves(Request &R, char *P, int64_t Offset, uint64_t Count,
                          bool AreIntegers = false) {
  while (Count) {
    uint32_t Most = R.roomForRun(), N = Count;
    if (Count > Most)
      N = Most - (reinterpret_cast<uint64_t>(P) / GranuleBytes + Most) % 4;
    verso_cell *E = continuedEntry(R, P, Offset, AreIntegers);
    uint32_t Leaf = R.markRun(N);
    if (E) {
      E->bytes += N * GranuleBytes;
    } else {
      R.logCell(P, P + Offset, Leaf, VERSO_CELL_RAW, N * GranuleBytes);
      R.log[-1].integers = AreIntegers;
    }
    ImageWord *Images = imagesAt(R, P);
    uint32_t First = R.absolute(Leaf);
    for (uint32_t I = 0; I != N; ++I)
      Images[I] = First + I;
    P += N * GranuleBytes;
    Count -= N;
  }
}

uint32_t verso::handleOfPointer(Request &R, const char *P,
                                const char *Adjoint) {
  char *Pointer, *Shadow;
  memcpy(&Pointer, P, sizeof(Pointer));
  memcpy(&Shadow, Adjoint, sizeof(Shadow));
  if (!Shadow || Shadow == Pointer)
    return 0;
  R.makeRoom();
  uint32_t Handle = R.mark(VERSO_RECORD_HANDLE);
  bitsOfAdjoint(R, Handle) = reinterpret_cast<uint64_t>(Shadow);
  R.makeRoom();
  return Handle;
}

/// The user's shadow of the pointer at \p P is at \p Adjoint. Gives the pointer
/// a handle if there is one.
static uint32_t settlePointer(Request &R, const char *P, const char *Adjoint) {
  uint32_t Handle = handleOfPointer(R, P, Adjoint);
  ImageWord *Image = imagesAt(R, P);
  if (Handle)
    writePair(R, Image, Handle, /*IsPointer=*/true);
  else
    Image[0] = Image[1] = 0;
  return Handle;
}

uint64_t verso::eightBytesAt(const char *P) {
  uint64_t Left = -reinterpret_cast<uint64_t>(P) % PageBytes;
  if (!Left || Left >= sizeof(uint64_t))
    return *reinterpret_cast<const UnalignedLong *>(P);
  Left = Left < GranuleBytes ? GranuleBytes : Left;
  uint64_t Bits = 0;
  for (uint64_t K = 0; K != Left; ++K)
    Bits |= uint64_t(static_cast<unsigned char>(P[K])) << (8 * K);
  return Bits;
}

constexpr uint64_t FirstPointer = UINT64_C(1) << 44;
constexpr uint32_t FirstNormalFloat = UINT32_C(1) << 23;

bool verso::arePointers(uint64_t Primal, uint64_t Shadow) {
  return Shadow >= FirstPointer && isMapped(Shadow) && isMapped(Primal);
}

/// Untyped memory of a structure holds pointers beside numbers, and adjoints
/// are no pointers: where the shadow holds a pointer beside a pointer, the
/// eight bytes around the granule at \p P are one. Returns where they begin, or
/// null.
static char *pointerAround(const Request &R, char *P, int64_t Offset) {
  char *Block = P - reinterpret_cast<uint64_t>(P) % 8;
  if (Offset % 8)
    return nullptr;
  const ImageWord *Image = imagesAt(R, Block);
  if (isImage(R, Image[0]) || isImage(R, Image[1]))
    return nullptr;
  return arePointers(eightBytesAt(Block), eightBytesAt(Block + Offset))
             ? Block
             : nullptr;
}

/// And integers, which the shadow often repeats. Adjoints are hardly ever
/// subnormal, so a small integer beside itself is none; but it may be the lower
/// half of a double whose adjoint is the double itself, or a power of two times
/// it. And a number of two bytes before a zero is no integer.
bool verso::isIntegerAt(const char *P, int64_t Offset) {
  uint64_t Primal = eightBytesAt(P), Shadow = eightBytesAt(P + Offset);
  uint32_t Repeated = uint32_t(Shadow);
  if (!Repeated || Repeated >= FirstNormalFloat ||
      Repeated != uint32_t(Primal) || mayBeTwoHalves(Repeated))
    return false;
  const uint64_t Exponent = UINT64_C(0x7ff) << 52,
                 Mantissa = (UINT64_C(1) << 52) - 1;
  return !(Shadow & Exponent) || ((Shadow ^ Primal) & Mantissa);
}

/// A pointer gets its handle, an integer counts as constant. Returns how many
/// of the \p Left granules at \p P that settles: 2, 1 or 0.
static unsigned touchOther(Request &R, char *P, int64_t Offset, uint64_t Left) {
  if (isMark(eightBytesAt(P - reinterpret_cast<uint64_t>(P) % 8))) {
    *imagesAt(R, P) = R.absolute(VERSO_ID_CONSTANT);
    return 1;
  }
  if (char *Pointer = pointerAround(R, P, Offset)) {
    settlePointer(R, Pointer, Pointer + Offset);
    return P == Pointer && Left > 1 ? 2 : 1;
  }
  // In packed structs the lower bytes of a number may lie beside a flag.
  if (anyPacked() || !isIntegerAt(P, Offset))
    return 0;
  *imagesAt(R, P) = R.absolute(VERSO_ID_CONSTANT);
  return 1;
}

/// How many of the \p Count images, two at a time, are those of untouched
/// memory for certain: zero, or a double's of an earlier request.
static uint64_t countUntouched(const Request &R, const ImageWord *Images,
                               uint64_t Count) {
  uint64_t I = 0;
  while (I + 2 <= Count &&
         *reinterpret_cast<const UnalignedLong *>(Images + I) *
                 UINT64_C(0x100000001) <
             R.base)
    I += 2;
  return I;
}

/// Whether touchOther settles neither of the two granules at \p P, as is plain
/// of most numbers.
static bool areNumbers(const char *P, int64_t Offset) {
  if (reinterpret_cast<uint64_t>(P) % 8 || Offset % 8)
    return false;
  uint64_t Primal = *reinterpret_cast<const UnalignedLong *>(P),
           Shadow = *reinterpret_cast<const UnalignedLong *>(P + Offset);
  auto IsNoInteger = [](uint32_t Repeated, uint32_t Own) {
    return !Repeated || Repeated >= FirstNormalFloat || Repeated != Own;
  };
  return !isMark(Primal) && (Shadow < FirstPointer || Shadow >= UserEnd) &&
         IsNoInteger(uint32_t(Shadow), uint32_t(Primal)) &&
         IsNoInteger(uint32_t(Shadow >> 32), uint32_t(Primal >> 32));
}

void verso::touchRange(Request &R, char *P, int64_t Offset, uint64_t Bytes) {
  if (!Offset || !Bytes)
    return;
  touchHalves(R, P, Offset, Bytes);
  if (anyHalves() && !anyPacked()) {
    if (Bytes >= 2 && reinterpret_cast<uint64_t>(P) % GranuleBytes == 2) {
      touchHalf(R, P, Offset);
      P += 2, Bytes -= 2;
    }
    if (Bytes >= 2 && reinterpret_cast<uint64_t>(P + Bytes) % GranuleBytes == 2)
      touchHalf(R, P + (Bytes -= 2), Offset);
    if (!Bytes)
      return R.makeRoom();
  }
  // A granule that is otherwise read in part is read.
  uint64_t Before = reinterpret_cast<uint64_t>(P) % GranuleBytes;
  P -= Before;
  uint64_t Count = (Before + Bytes + GranuleBytes - 1) / GranuleBytes;
  const ImageWord *Images = imagesAt(R, P);
  for (uint64_t I = 0; I != Count;) {
    uint64_t Begin = I;
    I += countUntouched(R, Images + I, Count - I);
    while (I != Count && !isImage(R, Images[I]))
      ++I;
    while (Begin != I) {
      uint64_t End = Begin;
      unsigned Settled = 0;
      while (End != I) {
        char *At = P + End * GranuleBytes;
        if (I - End >= 2 && areNumbers(At, Offset)) {
          End += 2;
          continue;
        }
        Settled = touchOther(R, At, Offset, I - End);
        if (Settled)
          break;
        ++End;
      }
      if (End != Begin)
        makeRawLeaves(R, P + Begin * GranuleBytes, Offset, End - Begin);
      Begin = End + Settled;
    }
    while (I != Count && isImage(R, Images[I]))
      ++I;
  }
  R.makeRoom();
}

void verso::touchUntouched(Request &R, char *P, int64_t Offset,
                           uint64_t Bytes) {
  char *End = P + Bytes;
  for (P -= reinterpret_cast<uint64_t>(P) % GranuleBytes; P < End;
       P += GranuleBytes)
    if (!isImage(R, *imagesAt(R, P)))
      makeRawLeaves(R, P, Offset, 1);
  R.makeRoom();
}

bool verso::looksLikeInteger(const char *P, int64_t Offset) {
  constexpr uint32_t Exponent = UINT32_C(0xff) << 23;
  uint32_t Own = *reinterpret_cast<const UnalignedWord *>(P);
  return Own == *reinterpret_cast<const UnalignedWord *>(P + Offset) ||
         !(Own & Exponent) || (Own & Exponent) == Exponent;
}

void verso::touchIntegers(Request &R, char *P, int64_t Offset, uint64_t Bytes) {
  if (!Offset || anyHalves() || anyPacked())
    return;
  char *End = P + Bytes;
  End -= reinterpret_cast<uint64_t>(End) % GranuleBytes;
  P += -reinterpret_cast<uint64_t>(P) % GranuleBytes;
  while (P < End) {
    // Either both halves of what may be a double, or none.
    uint64_t Count = reinterpret_cast<uint64_t>(P) % 8 || End - P < 8 ? 1 : 2;
    bool Are = true;
    for (uint64_t K = 0; K != Count; ++K)
      Are &= !isImage(R, imagesAt(R, P)[K]) &&
             looksLikeInteger(P + K * GranuleBytes, Offset);
    for (uint64_t K = 0; Are && K != Count;) {
      char *At = P + K * GranuleBytes;
      unsigned Settled = touchOther(R, At, Offset, Count - K);
      if (!Settled)
        makeRawLeaves(R, At, Offset, 1, /*AreIntegers=*/true);
      K += Settled ? Settled : 1;
    }
    P += Count * GranuleBytes;
  }
  R.makeRoom();
}

void verso::touchField(Request &R, char *P, int64_t Offset,
                       const verso_copied_field &F) {
  if (F.kind == VERSO_COPIED_KNOWN || F.kind == VERSO_COPIED_INTEGER)
    return touchIntegers(R, P + F.at, Offset, F.bytes);
  touchNumbers(R, P + F.at, Offset, F.bytes,
               F.kind == VERSO_COPIED_FLOAT ? VERSO_CELL_FLOAT
                                            : VERSO_CELL_DOUBLE);
}

//===----------------------------------------------------------------------===//
// Settling
//===----------------------------------------------------------------------===//

static char *primalOf(const verso_cell &E, uint32_t Id) {
  return E.primal + uint64_t(Id - E.leaf) * GranuleBytes;
}

static char *adjointOf(const verso_cell &E, uint32_t Id) {
  return E.adjoint + uint64_t(Id - E.leaf) * GranuleBytes;
}

/// Whether granule \p High lies behind granule \p Low.
static bool areNeighbours(const verso_cell &OfLow, uint32_t Low,
                          const verso_cell &OfHigh, uint32_t High) {
  return primalOf(OfHigh, High) == primalOf(OfLow, Low) + GranuleBytes &&
         adjointOf(OfHigh, High) == adjointOf(OfLow, Low) + GranuleBytes;
}

const char *verso::adjointOfRawPair(const Request &R, uint32_t Low,
                                    uint32_t High) {
  const verso_cell *E = Low ? verso_find_raw_entry(&R, Low) : nullptr;
  const verso_cell *Upper =
      E && High ? verso_find_raw_entry(&R, High) : nullptr;
  return Upper && areNeighbours(*E, Low, *Upper, High) ? adjointOf(*E, Low)
                                                       : nullptr;
}

/// The pair of raw leaves (Id, Id + 1) of entry \p E becomes one number.
static void settleNumber(Request &R, const verso_cell &E, uint32_t Id,
                         verso_cell_kind Kind) {
  uint64_t Bits =
      Kind == VERSO_CELL_DOUBLE ? VERSO_SETTLED_DOUBLE : VERSO_SETTLED_X86_FP80;
  AdjointBits &Slot = bitsOfAdjoint(R, Id + 1);
  if (Slot && Slot != Bits)
    fatal(R.where(), "the same bytes were read both as double and as long "
                     "double");
  Slot = Bits;
  ImageWord *Origin = imagesAt(R, primalOf(E, Id));
  if (Origin[0] == R.absolute(Id) && Origin[1] == R.absolute(Id + 1))
    writePair(R, Origin, Id, /*IsPointer=*/false);
}

/// The number whose halves were read from the user's memory one by one, such as
/// byte by byte, the lower one as \p Id of \p E: one leaf more for the cell.
static uint32_t joinHalves(Request &R, const verso_cell &E, uint32_t Id,
                           verso_cell_kind Kind) {
  char *P = primalOf(E, Id), *Adjoint = adjointOf(E, Id);
  R.makeRoom();
  uint32_t Leaf = R.mark(VERSO_RECORD_LEAF);
  R.logCell(P, Adjoint, Leaf, uint32_t(Kind), bytesOf(Kind));
  ImageWord *Origin = imagesAt(R, P);
  if (Origin[0] == R.absolute(Id) && isImage(R, Origin[1]))
    writeNumber(R, Origin, Leaf, Kind);
  R.makeRoom();
  return Leaf;
}

uint32_t verso::settleRawPair(Request &R, uint32_t Low, uint32_t High,
                              verso_cell_kind Kind) {
  const verso_cell *E = verso_find_raw_entry(&R, Low);
  if (!verso_is_raw_leaf_of(E, High))
    return joinHalves(R, *E, Low, Kind);
  settleNumber(R, *E, Low, Kind);
  return Low;
}

/// The ID of the float at \p P, which is there or is bytes of a double: then,
/// where the user has these, it is a leaf of its own.
static uint32_t floatOfUnion(Request &R, const char *P) {
  const ImageWord *Image = imagesAt(R, P);
  uint32_t Id = R.live(Image[0]);
  const bool IsUpper = !Id;
  if (IsUpper)
    Id = R.live(VERSO_IMAGE_PARTNER(Image[0]));
  if (Id <= VERSO_ID_LOST)
    return Id;
  const bool IsHalf = IsUpper || Image[1] == VERSO_IMAGE_PARTNER(Image[0]);
  char *Primal, *Adjoint;
  if (const verso_cell *E = verso_find_raw_entry(&R, Id)) {
    Primal = primalOf(*E, Id), Adjoint = adjointOf(*E, Id);
  } else if (!IsHalf) {
    return Id;
  } else if (const verso_cell *Leaf = verso_find_leaf(&R, Id);
             Leaf && Leaf->kind == VERSO_CELL_DOUBLE) {
    Primal = Leaf->primal, Adjoint = Leaf->adjoint;
  } else {
    return VERSO_ID_LOST;
  }
  const uint64_t Offset = IsUpper ? GranuleBytes : 0;
  return leafOfMember(R, Primal + Offset, Adjoint + Offset);
}

/// The ID that \p Word is one half of the image of; 0 if of none.
static uint32_t anyHalfOf(const Request &R, uint32_t Word) {
  uint32_t Id = R.live(Word);
  return Id ? Id : R.live(VERSO_IMAGE_PARTNER(Word));
}

uint32_t verso::settle(Request &R, char *P, verso_cell_kind Kind) {
  if (Kind == VERSO_CELL_MEMBER)
    return floatOfUnion(R, P);
  uint32_t OfPieces;
  if (settlesPacked(R, P, Kind, OfPieces))
    return OfPieces;
  ImageWord *Image = imagesAt(R, P);
  uint32_t Low = R.live(Image[0]), High = R.live(Image[1]);
  if (Kind == VERSO_CELL_FLOAT)
    return !Low && isImage(R, Image[0]) ? VERSO_ID_LOST : Low;
  if (Kind == VERSO_CELL_POINTER && High &&
      Image[0] == VERSO_IMAGE_PARTNER(Image[1]))
    return High;
  if (Kind != VERSO_CELL_POINTER && Low &&
      Image[1] == VERSO_IMAGE_PARTNER(Image[0]))
    return Low;
  if (Low == VERSO_ID_CONSTANT && High == VERSO_ID_CONSTANT)
    return VERSO_ID_CONSTANT;
  const verso_cell *E = Low ? verso_find_raw_entry(&R, Low) : nullptr;
  const verso_cell *Upper = nullptr;
  if (E && High)
    Upper = verso_is_raw_leaf_of(E, High) ? E : verso_find_raw_entry(&R, High);
  if (Upper && !areNeighbours(*E, Low, *Upper, High))
    fatal(R.where(),
          "a number or a pointer was put together from bytes that were "
          "read from different places in the user's memory");
  if (Kind == VERSO_CELL_POINTER)
    return Upper ? settlePointer(R, P, adjointOf(*E, Low)) : 0;
  if (E == Upper && E)
    settleNumber(R, *E, Low, Kind);
  else if (Upper)
    Low = joinHalves(R, *E, Low, Kind);
  if (Upper) {
    writeNumber(R, Image, Low, Kind);
    return Low;
  }
  // Overwritten in part, so not the number any more that the ID stands for. Of
  // a double's upper half the ID is the partner's.
  Low = anyHalfOf(R, Image[0]), High = anyHalfOf(R, Image[1]);
  if (!Low && !High)
    return Kind != VERSO_CELL_POINTER && isLostImage(Image[0], Image[1])
               ? VERSO_ID_LOST
               : 0;
  return Low <= VERSO_ID_CONSTANT && High <= VERSO_ID_CONSTANT
             ? VERSO_ID_CONSTANT
             : VERSO_ID_LOST;
}

void verso::touchNumbers(Request &R, char *P, int64_t Offset, uint64_t Bytes,
                         verso_cell_kind Kind) {
  if (!Offset)
    return;
  if (anyPacked() && reinterpret_cast<uint64_t>(P) % GranuleBytes) {
    const uint64_t Each = bytesOf(Kind);
    for (uint64_t I = 0; I + Each <= Bytes; I += Each)
      loadPacked(R, P + I, Offset, Kind);
    return;
  }
  if (Kind == VERSO_CELL_FLOAT) {
    for (uint64_t I = 0; I + 4 <= Bytes; I += 4)
      firstTouch(R, P + I, Offset, Kind);
    return;
  }
  const ImageWord *Images = imagesAt(R, P);
  uint64_t Count = Bytes / (2 * GranuleBytes);
  auto IsUntouched = [&](uint64_t I) {
    return !isImage(R, Images[2 * I]) && !isImage(R, Images[2 * I + 1]);
  };
  for (uint64_t I = 0; I != Count;) {
    uint64_t Begin = I;
    while (I != Count && IsUntouched(I))
      ++I;
    if (Begin != I)
      makeRawLeaves(R, P + 8 * Begin, Offset, 2 * (I - Begin));
    if (I != Count)
      ++I;
  }
  for (uint64_t I = 0; I != Count; ++I)
    settle(R, P + 8 * I, Kind);
  R.makeRoom();
}
