//===- Images.cpp - IDs beside the bytes of memory ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "Cells.h"
#include "Halves.h"
#include "PackedNumbers.h"

#include <algorithm>
#include <string.h>

using namespace verso;

/// Tracked memory [P, P + Bytes) has been overwritten.
static void logOverwritten(Request &R, char *P, uint64_t Bytes,
                           int64_t Offset) {
  if (Bytes < GranuleBytes)
    return;
  R.makeRoom();
  R.mark(VERSO_RECORD_HANDLE);
  R.logCell(P, P + Offset, 0, VERSO_CELL_RAW, Bytes);
}

/// Bytes [First, End) of a granule of tracked memory were written, as when a
/// number is copied byte by byte. Once its image is whole, the number that it
/// belongs to is logged; or it is a constant.
static void writePart(Request &R, char *Granule, unsigned First, unsigned End,
                      int64_t Offset) {
  char *Block = Granule - reinterpret_cast<uint64_t>(Granule) % 8;
  ImageWord &Word = *imagesAt(R, Granule);
  const ImageWord *Pair = imagesAt(R, Block);
  PartlyWritten::Progress Now = R.Parts.note(Granule, First, End);
  if (R.live(Pair[0]) && Pair[1] == VERSO_IMAGE_PARTNER(Pair[0])) {
    logOverwritten(R, Block, 2 * GranuleBytes, Offset);
  } else if (R.live(Word)) {
    logOverwritten(R, Granule, GranuleBytes, Offset);
  } else if ((Now == PartlyWritten::AllInOrder && !isImage(R, Word)) ||
             (Now == PartlyWritten::All && !Word)) {
    logOverwritten(R, Granule, GranuleBytes, Offset);
    Word = R.absolute(VERSO_ID_CONSTANT);
  }
}

/// The same of all bytes of [P, P + Bytes), which are not whole granules.
static void writeParts(Request &R, char *P, uint64_t Bytes, int64_t Offset) {
  while (Bytes) {
    uint64_t First = reinterpret_cast<uint64_t>(P) % GranuleBytes;
    uint64_t Here = std::min(GranuleBytes - First, Bytes);
    writePart(R, P - First, First, First + Here, Offset);
    P += Here;
    Bytes -= Here;
  }
}

/// How many of the words that begin at \p P are images.
static uint64_t countImages(Request &R, char *P, uint64_t Bytes) {
  const ImageWord *Words = imagesAt(R, P);
  uint64_t Count = 0;
  for (uint64_t I = 0; I != Bytes / GranuleBytes; ++I)
    Count += isImage(R, Words[I]);
  return Count;
}

void verso::copyImages(Request &R, const ImageCopy &C) {
  if (!C.Bytes)
    return;
  if (C.FromOffset)
    touchRange(R, C.From, C.FromOffset, C.Bytes);
  if (copyHalves(R, C) || copyPacked(R, C))
    return;
  ImageWord *To = imagesAt(R, C.To);
  if (C.To != C.From)
    memmove(To, imagesAt(R, C.From), C.Bytes);
  if (C.ToOffset) {
    // Numbers at odd addresses have images there: words go from the beginning,
    // but those of pieces of a number.
    const bool IsPiece = reinterpret_cast<uint64_t>(C.To) % GranuleBytes &&
                         C.Bytes % GranuleBytes && C.Bytes < 2 * GranuleBytes;
    // But what the optimiser took the first byte off (a structure's flag, that
    // is stored meanwhile) has numbers at whole granules.
    const uint64_t In = reinterpret_cast<uint64_t>(C.To) % GranuleBytes;
    uint64_t Head = 0;
    if (In && !IsPiece && !anyPacked()) {
      const uint64_t Ahead = std::min(GranuleBytes - In, C.Bytes);
      if (countImages(R, C.To + Ahead, C.Bytes - Ahead) >=
          countImages(R, C.To, C.Bytes))
        Head = Ahead;
    }
    if (Head) {
      writeParts(R, C.To, Head, C.ToOffset);
      To = imagesAt(R, C.To + Head);
    }
    uint32_t Constant = R.absolute(VERSO_ID_CONSTANT);
    uint64_t Granules = IsPiece ? 0 : (C.Bytes - Head) / GranuleBytes;
    if (!IsPiece)
      logOverwritten(R, C.To + Head, C.Bytes - Head, C.ToOffset);
    const bool MayBeHalves = anyHalves();
    for (uint64_t I = 0; I != Granules; ++I)
      if (!isImage(R, To[I]))
        To[I] = Constant;
      else if (MayBeHalves)
        To[I] = wordInTracked(R, To[I]);
    const uint64_t Whole = Head + Granules * GranuleBytes;
    writeParts(R, C.To + Whole, C.Bytes - Whole, C.ToOffset);
  }
  R.makeRoom();
}

/// Whether the images at \p P are those of a pointer: also raw leaves, where
/// the shadow that they came from has a pointer beside it.
static bool holdsPointer(Request &R, const char *P) {
  const ImageWord *Images = imagesAt(R, P);
  uint32_t High = R.live(Images[1]);
  if (High && Images[0] == VERSO_IMAGE_PARTNER(Images[1]))
    return true;
  const char *Adjoint = adjointOfRawPair(R, R.live(Images[0]), High);
  return Adjoint && arePointers(eightBytesAt(P), eightBytesAt(Adjoint));
}

void verso::keepPointers(Request &R, char *P, uint64_t Bytes, int64_t Offset) {
  if (keepPackedPointers(R, P, Bytes, Offset))
    return;
  ImageWord *Images = imagesAt(R, P);
  uint64_t Granules = Bytes / GranuleBytes;
  uint32_t Constant = Offset ? R.absolute(VERSO_ID_CONSTANT) : 0;
  for (uint64_t I = 0; I != Granules;) {
    if (I + 1 != Granules && holdsPointer(R, P + I * GranuleBytes)) {
      I += 2;
      continue;
    }
    if (isImage(R, Images[I]))
      Images[I] = Constant;
    ++I;
  }
  char *Rest = P + Granules * GranuleBytes;
  if (Bytes % GranuleBytes)
    clearImages(R, Rest, Bytes % GranuleBytes, Offset);
}

void verso::detachNumbers(Request &R, char *P, uint64_t Bytes, int64_t Offset) {
  uint64_t Before = reinterpret_cast<uint64_t>(P) % GranuleBytes;
  if (Bytes && !anyPacked()) {
    P -= Before;
    Bytes = (Before + Bytes + GranuleBytes - 1) / GranuleBytes * GranuleBytes;
  }
  keepPointers(R, P, Bytes, Offset);
}

/// Whether the two granules at \p P are one number, as it is or as raw leaves.
static bool isNumber(const Request &R, const char *P) {
  const ImageWord *Images = imagesAt(R, P);
  return R.live(Images[0]) && (Images[1] == VERSO_IMAGE_PARTNER(Images[0]) ||
                               Images[1] == Images[0] + 1);
}

/// The same of tracked memory, where it may be one that nobody has read: the
/// halves of a double where doubles are.
static bool mayBeNumber(const Request &R, const char *P) {
  const ImageWord *Images = imagesAt(R, P);
  return isNumber(R, P) || (reinterpret_cast<uint64_t>(P) % 8 == 0 &&
                            !isImage(R, Images[0]) && !isImage(R, Images[1]));
}

/// Where both halves of a number are overwritten, two constants or zeros would
/// be a constant. If something is left of it, that is lost.
void verso::clearImages(Request &R, char *P, uint64_t Bytes, int64_t Offset) {
  if (!Bytes || clearHalves(R, P, Bytes, Offset) ||
      clearPacked(R, P, Bytes, Offset))
    return;
  const uint64_t Before = reinterpret_cast<uint64_t>(P) % GranuleBytes;
  const uint64_t Behind = -(Before + Bytes) % GranuleBytes;
  char *Begin = P - Before, *End = P + Bytes + Behind;
  char *LastTwo = End - 2 * GranuleBytes;
  const bool IsAcross = LastTwo >= Begin;
  ImageWord *Images = imagesAt(R, Begin);
  const uint64_t Granules = (End - Begin) / GranuleBytes;
  if (!Offset) {
    const bool IsFirstPart = Before && IsAcross && isNumber(R, Begin);
    const bool IsLastPart = Behind && IsAcross && isNumber(R, LastTwo);
    discard(Images, Granules * GranuleBytes);
    if (IsFirstPart)
      memset(verso_image_of(&R, Begin), VERSO_LOST_BYTE, Before);
    if (IsLastPart)
      memset(verso_image_of(&R, P + Bytes), VERSO_LOST_BYTE, Behind);
    return;
  }
  logOverwritten(R, Begin, Granules * GranuleBytes, Offset);
  const bool IsFirstLost = Before && IsAcross && mayBeNumber(R, Begin);
  const bool IsLastLost = Behind && IsAcross && mayBeNumber(R, LastTwo);
  const uint32_t Constant = R.absolute(VERSO_ID_CONSTANT);
  const uint32_t Lost = R.absolute(VERSO_ID_LOST);
  for (uint64_t I = 0; I != Granules; ++I)
    Images[I] = Constant;
  if (IsFirstLost)
    Images[0] = Lost;
  if (IsLastLost)
    Images[Granules - 1] = Lost;
  R.makeRoom();
}

void verso::overwritePart(Request &R, char *P, uint64_t Bytes) {
  const uint32_t Lost = R.absolute(VERSO_ID_LOST);
  while (Bytes) {
    // Whole granules of large ranges are nobody's from now on.
    const uint64_t Whole = Bytes / GranuleBytes * GranuleBytes;
    if (reinterpret_cast<uint64_t>(P) % GranuleBytes == 0 &&
        Bytes > 4 * GranuleBytes) {
      clearImages(R, P, Whole, /*Offset=*/0);
      P += Whole;
      Bytes -= Whole;
      continue;
    }
    const uint64_t First = reinterpret_cast<uint64_t>(P) % GranuleBytes;
    const uint64_t Here = std::min(GranuleBytes - First, Bytes);
    char *Granule = P - First;
    ImageWord &Word = *imagesAt(R, Granule);
    const bool IsConstant =
        R.live(Word) == VERSO_ID_CONSTANT ||
        R.live(VERSO_IMAGE_PARTNER(Word)) == VERSO_ID_CONSTANT;
    if (!isImage(R, Word)) {
      memset(verso_image_of(&R, P), 0, Here);
    } else if (IsConstant) {
      Word = 0;
    } else {
      if (Word != Lost) // Another number than the last that was there.
        R.Parts.forget(Granule);
      const bool IsAll =
          R.Parts.note(Granule, First, First + Here) != PartlyWritten::Some;
      Word = IsAll ? 0 : Lost;
    }
    P += Here;
    Bytes -= Here;
  }
}
