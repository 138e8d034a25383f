//===- PackedNumbers.cpp - numbers at any address -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedNumbers.h"
#include "Cells.h"
#include "Fatal.h"
#include "Halves.h"

#include <algorithm>
#include <atomic>

using namespace verso;

static std::atomic<bool> AnyPacked = false;

void verso::registerPacked() {
  AnyPacked.store(true, std::memory_order_relaxed);
}

bool verso::anyPacked() { return AnyPacked.load(std::memory_order_relaxed); }

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static uint32_t liveId(const verso_context *C, uint32_t Word) {
  return static_cast<const Request *>(C)->live(Word);
}

Piece verso::pieceAt(const Request &R, const char *P) {
  return ::pieceAt(&R, P, liveId);
}

bool verso::arePieces(const Request &R, uint32_t Word) {
  return piecesOfWord(&R, Word, liveId) != nullptr;
}

static bool operator==(const Piece &A, const Piece &B) {
  return A.Id == B.Id && A.Kind == B.Kind && A.Index == B.Index;
}

template <typename T> static uint64_t inGranule(T *P) {
  return reinterpret_cast<uint64_t>(P) % GranuleBytes;
}

/// Whether \p P[0..Count) are bytes [First, First + Count) of one thing.
static bool isRun(const Piece *P, unsigned First, unsigned Count) {
  for (unsigned I = 0; I != Count; ++I)
    if (!P[I].Id || !(P[I] == makePiece(P[0].Id, P[0].Kind, First + I)))
      return false;
  return true;
}

static bool areNothing(const Piece *P, unsigned Count) {
  return std::all_of(P, P + Count, [](const Piece &X) { return !X.Id; });
}

typedef uint32_t TapeWord __attribute__((may_alias, aligned(4)));

static AdjointBits &slotOf(Request &R, uint32_t Id) {
  return reinterpret_cast<AdjointBits *>(R.adj)[Id];
}

/// The ID of a new record of the four pieces of a granule.
static uint32_t makeRecord(Request &R, const Piece *Pieces) {
  R.makeRoom();
  uint64_t Slot = VERSO_PIECES | uint64_t(R.cursor - R.tape_begin);
  uint32_t Codes = 0;
  for (unsigned I = 0; I != GranuleBytes; ++I) {
    Codes |= uint32_t(Pieces[I].Kind | Pieces[I].Index << 4) << (8 * I);
    reinterpret_cast<TapeWord *>(R.cursor)[I] = Pieces[I].Id;
  }
  reinterpret_cast<TapeWord *>(R.cursor)[GranuleBytes] = Codes;
  R.cursor += (GranuleBytes + 1) * sizeof(TapeWord);
  uint32_t Id = R.mark(VERSO_RECORD_HALVES);
  *reinterpret_cast<TapeWord *>(R.cursor - sizeof(TapeWord)) =
      VERSO_RECORD_HEADER(VERSO_HALVES_ARE_PIECES, VERSO_RECORD_HALVES);
  slotOf(R, Id) = Slot;
  R.makeRoom();
  return Id;
}

/// Whether the image of a number of this kind is two words. Those of a long
/// double stay: as a word, it would be taken for a double.
static bool isPair(uint32_t Kind) {
  return Kind == VERSO_CELL_DOUBLE || Kind == VERSO_CELL_POINTER;
}

/// Writes the images of granules [Begin, End) of which \p Now are the pieces;
/// Now[-4..-1] and those behind the end are those of the granules beside them.
static void writeGranules(Request &R, char *Begin, char *End, const Piece *Now,
                          int64_t Offset) {
  auto IsWord = [](uint32_t Kind) {
    return Kind == VERSO_CELL_FLOAT || Kind == VERSO_CELL_RAW;
  };
  for (char *G = Begin; G < End; G += GranuleBytes, Now += GranuleBytes) {
    ImageWord *Image = imagesAt(R, G);
    const uint32_t Id = Now->Id, Kind = Now->Kind;
    const uint32_t Key = R.absolute(Id);
    // Half of a number that was copied in two parts has its word already.
    const bool IsPointer = Kind == VERSO_CELL_POINTER;
    const uint32_t Low = IsPointer ? VERSO_IMAGE_PARTNER(Key) : Key,
                   High = VERSO_IMAGE_PARTNER(Low);
    if (areNothing(Now, GranuleBytes)) {
      *Image = Offset ? R.absolute(VERSO_ID_CONSTANT) : 0;
    } else if (IsWord(Kind) && isRun(Now, 0, GranuleBytes)) {
      *Image = Key;
    } else if (isPair(Kind) && isRun(Now, 0, GranuleBytes) &&
               ((isRun(Now, 0, 2 * GranuleBytes)) || Image[1] == High)) {
      Image[0] = Low;
      Image[1] = High;
      if (G + GranuleBytes < End) {
        G += GranuleBytes;
        Now += GranuleBytes;
      }
    } else if (isPair(Kind) && isRun(Now, GranuleBytes, GranuleBytes) &&
               (isRun(Now - GranuleBytes, 0, 2 * GranuleBytes) ||
                Image[-1] == Low)) {
      Image[-1] = Low;
      Image[0] = High;
    } else {
      *Image = VERSO_IMAGE_PARTNER(R.absolute(makeRecord(R, Now)));
    }
  }
}

/// Half of a double in the granule at \p G shows only together with the other
/// one beside it. When that has changed, it stays what it was, \p Was. (Halves
/// that were alone already are on their way: see copyPacked.)
static void keepBeside(Request &R, const char *G, const Piece *Was) {
  if (isPair(Was->Kind) && !(pieceAt(R, G) == *Was))
    *imagesAt(R, G) = VERSO_IMAGE_PARTNER(R.absolute(makeRecord(R, Was)));
}

/// As many bytes as are looked at at once.
static constexpr uint64_t ChunkBytes = 256;

/// Bytes [P, P + Bytes) are now \p New. Of tracked memory that nobody has
/// touched, the bytes around them are what the request was given.
static void writePieces(Request &R, char *P, uint64_t Bytes, const Piece *New,
                        int64_t Offset) {
  char *Begin = P - inGranule(P), *End = P + Bytes;
  End += -reinterpret_cast<uint64_t>(End) % GranuleBytes;
  if (Offset) {
    touchHalves(R, Begin, Offset, End - Begin);
    touchUntouched(R, Begin, Offset, End - Begin);
  }
  Piece Now[ChunkBytes + 4 * GranuleBytes];
  uint64_t Known = End - Begin + 2 * GranuleBytes;
  for (uint64_t I = 0; I != Known; ++I)
    Now[I] = pieceAt(R, Begin - GranuleBytes + I);
  Piece *At = Now + GranuleBytes + (P - Begin);
  if (std::equal(New, New + Bytes, At))
    return;
  std::copy(New, New + Bytes, At);
  if (Offset && anyHalves()) {
    // What is logged of halves says nothing of their granules.
    R.makeRoom();
    R.mark(VERSO_RECORD_HANDLE);
    R.logCell(Begin, Begin + Offset, 0, VERSO_CELL_RAW, uint64_t(End - Begin));
  }
  writeGranules(R, Begin, End, Now + GranuleBytes, Offset);
  keepBeside(R, Begin - GranuleBytes, Now);
  keepBeside(R, End, Now + Known - GranuleBytes);
  R.makeRoom();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

/// The user's memory that a raw leaf stands for.
struct Origin {
  char *Primal, *Adjoint;
};

} // namespace

static Origin originOf(const Request &R, const Piece &Raw) {
  const verso_cell *E = verso_find_raw_entry(&R, Raw.Id);
  uint64_t Distance = uint64_t(Raw.Id - E->leaf) * GranuleBytes + Raw.Index;
  return {E->primal + Distance, E->adjoint + Distance};
}

/// The raw leaves that \p Pieces are of have a number in them, with a leaf of
/// its own.
static void splitRawLeaves(Request &R, const Piece *Pieces, unsigned Bytes,
                           uint32_t Leaf, verso_cell_kind Kind) {
  for (unsigned I = 0; I != Bytes;) {
    const uint32_t Id = Pieces[I].Id;
    const UnalignedWord *Record = piecesOf(&R, Id);
    Piece Now[GranuleBytes];
    for (unsigned B = 0; B != GranuleBytes; ++B)
      Now[B] =
          Record ? pieceOfRecord(Record, B) : makePiece(Id, VERSO_CELL_RAW, B);
    for (; I != Bytes && Pieces[I].Id == Id; ++I)
      Now[Pieces[I].Index] = makePiece(Leaf, Kind, I);
    slotOf(R, Id) = slotOf(R, makeRecord(R, Now));
  }
}

/// \p Pieces are raw, of a number that is read for the first time.
static uint32_t settlePieces(Request &R, const char *P, const Piece *Pieces,
                             unsigned Bytes, verso_cell_kind Kind) {
  Origin First = originOf(R, Pieces[0]);
  for (unsigned I = 0; I != Bytes; ++I) {
    if (Pieces[I].Kind != VERSO_CELL_RAW)
      return VERSO_ID_LOST;
    Origin Here = originOf(R, Pieces[I]);
    if (Here.Primal != First.Primal + I || Here.Adjoint != First.Adjoint + I)
      return VERSO_ID_LOST;
    if (slotOf(R, Pieces[I].Id) && !piecesOf(&R, Pieces[I].Id))
      return VERSO_ID_LOST;
  }
  if (Kind == VERSO_CELL_POINTER)
    return handleOfPointer(R, P, First.Adjoint);
  if (!Pieces[0].Index && Bytes >= GranuleBytes && Kind != VERSO_CELL_X86_FP80)
    return Kind == VERSO_CELL_FLOAT
               ? Pieces[0].Id
               : settleRawPair(R, Pieces[0].Id, Pieces[GranuleBytes].Id, Kind);
  R.makeRoom();
  uint32_t Leaf = R.mark(VERSO_RECORD_LEAF);
  // What the cell holds in the end is known of the raw leaves: no bytes.
  R.logCell(First.Primal, First.Adjoint, Leaf, uint32_t(Kind), 0);
  splitRawLeaves(R, Pieces, Bytes, Leaf, Kind);
  R.makeRoom();
  return Leaf;
}

/// A double that was moved as eight bytes may be the image of any of the two.
static bool isOfKind(uint32_t Known, verso_cell_kind Kind) {
  return Known == uint32_t(Kind) ||
         (Known == VERSO_CELL_DOUBLE && Kind == VERSO_CELL_X86_FP80);
}

/// The ID of the number of which these are the pieces, some of them.
static uint32_t idOfPieces(Request &R, const char *P, const Piece *Pieces,
                           verso_cell_kind Kind) {
  const unsigned Bytes = bytesWithPieces(Kind);
  if (std::all_of(Pieces, Pieces + Bytes, [](const Piece &X) {
        return X.Id && X.Kind == VERSO_CELL_RAW;
      }))
    return settlePieces(R, P, Pieces, Bytes, Kind);
  return isRun(Pieces, 0, Bytes) && isOfKind(Pieces[0].Kind, Kind)
             ? Pieces[0].Id
             : VERSO_ID_LOST;
}

/// The word of the image of the granule at \p P, of tracked memory, if it is
/// that of a raw leaf, or else \p Otherwise.
static uint32_t rawWordAt(const Request &R, const char *P, uint32_t Otherwise) {
  uint32_t Word = *imagesAt(R, P), Id = R.live(Word);
  return Id && verso_find_raw_entry(&R, Id) ? Word : Otherwise;
}

/// Whether the image at \p P, of words that say nothing, is that of a number
/// which was put together of single bytes of raw leaves: each has its byte of
/// the word, but at other places. Gives them.
static bool isStraddled(const Request &R, const char *P, unsigned Bytes,
                        Piece *Pieces) {
  unsigned char Image[8], Expected[12];
  memcpy(Image, verso_image_of(&R, P), Bytes);
  for (unsigned Shift = 1; Shift != GranuleBytes; ++Shift) {
    // The second granule's word: all of it is there, or its lower bytes and the
    // upper ones of the first.
    uint32_t Word = 0;
    memcpy(&Word, Image + GranuleBytes - Shift,
           Bytes == GranuleBytes ? Shift : GranuleBytes);
    if (Bytes == GranuleBytes) {
      uint32_t Upper = 0;
      memcpy(&Upper, Image, GranuleBytes - Shift);
      const uint32_t Lower = (UINT32_C(1) << 8 * Shift) - 1;
      Word = (Upper << 8 * Shift | ((Word - 1) & Lower)) + 1;
    }
    const uint32_t Id = R.live(Word);
    const verso_cell *E = Id ? verso_find_raw_entry(&R, Id) : nullptr;
    if (!E)
      continue;
    const char *Origin = E->primal + uint64_t(Id - E->leaf) * GranuleBytes;
    const uint32_t Words[] = {rawWordAt(R, Origin - GranuleBytes, Word - 1),
                              Word,
                              rawWordAt(R, Origin + GranuleBytes, Word + 1)};
    memcpy(Expected, Words, sizeof Words);
    if (memcmp(Expected + Shift, Image, Bytes) != 0)
      continue;
    bool AreRaw = true;
    for (unsigned I = 0; I != Bytes; ++I) {
      const unsigned At = Shift + I;
      Pieces[I] = makePiece(R.live(Words[At / GranuleBytes]), VERSO_CELL_RAW,
                            At % GranuleBytes);
      AreRaw &= verso_find_raw_entry(&R, Pieces[I].Id) != nullptr;
    }
    if (AreRaw)
      return true;
  }
  return false;
}

/// Whether nobody knows what some of a pointer's bytes are of.
static bool isLostPointer(const Piece *Pieces) {
  return std::any_of(Pieces, Pieces + bytesWithPieces(VERSO_CELL_POINTER),
                     [](const Piece &X) { return X.Id == VERSO_ID_LOST; });
}

/// The leaf of such a number, or 0.
static uint32_t settleStraddled(Request &R, const char *P,
                                verso_cell_kind Kind) {
  Piece Pieces[8];
  const unsigned Bytes = bytesWithPieces(Kind);
  if (Bytes < GranuleBytes || !isStraddled(R, P, Bytes, Pieces))
    return 0;
  for (unsigned I = 0; I != Bytes; ++I)
    if (const verso_cell *Raw = verso_find_raw_entry(&R, Pieces[I].Id))
      Pieces[I] = pieceOfRaw(&R, Raw, Pieces[I].Id, Pieces[I].Index);
  return idOfPieces(R, P, Pieces, Kind);
}

/// The ID of a number that was put together of single bytes at \p P: each has
/// its byte of the image, as the bytes of a number at a multiple of 4 have, but
/// the image's words lie in others. Of a double the two words prove each other;
/// of a float nothing tells whether all of its bytes are left, so it is lost.
/// 0 if there is none.
static uint32_t idAcrossWords(const Request &R, const char *P,
                              verso_cell_kind Kind) {
  uint32_t Words[2] = {};
  const bool IsFloat = Kind == VERSO_CELL_FLOAT;
  if (!inGranule(P) || (!IsFloat && Kind != VERSO_CELL_DOUBLE))
    return 0;
  memcpy(Words, verso_image_of(&R, P),
         IsFloat ? sizeof(uint32_t) : sizeof Words);
  const uint32_t Id = R.live(Words[0]);
  if (IsFloat)
    return Id ? VERSO_ID_LOST : 0;
  if (Words[1] == VERSO_IMAGE_PARTNER(Words[0]))
    return Id;
  return Id || R.live(VERSO_IMAGE_PARTNER(Words[1])) ? VERSO_ID_LOST : 0;
}

uint32_t verso::loadPacked(Request &R, char *P, int64_t Offset,
                           verso_cell_kind Kind) {
  const unsigned Bytes = bytesWithPieces(Kind);
  if (Offset && Kind != VERSO_CELL_POINTER) {
    touchHalves(R, P, Offset, Bytes);
    touchUntouched(R, P - inGranule(P), Offset, inGranule(P) + Bytes);
  }
  Piece Pieces[8];
  for (unsigned I = 0; I != Bytes; ++I)
    Pieces[I] = pieceAt(R, P + I);
  if (Kind == VERSO_CELL_POINTER && isLostPointer(Pieces))
    fatal(
        R.where(),
        "a pointer that has a shadow, at an address that is no multiple of 4, "
        "was moved byte by byte through variables; move it as a whole or by "
        "memcpy");
  const bool IsNothing = areNothing(Pieces, Bytes);
  uint32_t Id = IsNothing ? 0 : idOfPieces(R, P, Pieces, Kind);
  if (Offset)
    return IsNothing ? VERSO_ID_CONSTANT : Id;
  if (IsNothing)
    Id = settleStraddled(R, P, Kind);
  // What words say that have bytes of several images is an accident.
  if (Id && Id != VERSO_ID_LOST)
    return Id;
  const uint32_t Across = idAcrossWords(R, P, Kind);
  return Across ? Across : Id;
}

bool verso::settlesPacked(Request &R, char *P, verso_cell_kind Kind,
                          uint32_t &Id) {
  ImageWord *Image = imagesAt(R, P);
  const bool IsFloat = Kind == VERSO_CELL_FLOAT;
  if (!anyPacked() && !anyHalves())
    return false;
  const unsigned Words = IsFloat ? 1 : 2;
  bool ArePieces = false, IsAny = Kind == VERSO_CELL_POINTER;
  for (unsigned I = 0; I != Words; ++I) {
    IsAny |= isImage(R, Image[I]);
    ArePieces |= arePieces(R, Image[I]);
  }
  if (IsAny && !ArePieces)
    return false;
  Id = loadPacked(R, P, 0, Kind);
  if (Id <= VERSO_ID_CONSTANT || Kind == VERSO_CELL_X86_FP80)
    return true;
  Image = imagesAt(R, P);
  if (IsFloat)
    *Image = R.absolute(Id);
  else
    writePair(R, Image, Id, Kind == VERSO_CELL_POINTER);
  return true;
}

bool verso::keepPackedPointers(Request &R, char *P, uint64_t Bytes,
                               int64_t Offset) {
  if (!anyPacked())
    return false;
  for (uint64_t Done = 0; Done != Bytes;) {
    uint64_t Here = std::min(ChunkBytes, Bytes - Done);
    Piece Kept[ChunkBytes];
    for (uint64_t I = 0; I != Here; ++I) {
      Kept[I] = pieceAt(R, P + Done + I);
      if (Kept[I].Kind != VERSO_CELL_POINTER)
        Kept[I] = makePiece(0, 0, 0);
    }
    writePieces(R, P + Done, Here, Kept, Offset);
    Done += Here;
  }
  return true;
}

void verso::storePacked(Request &R, char *P, int64_t Offset, const char *Slot,
                        verso_cell_kind Kind) {
  uint32_t Id = R.live(imagesAt(R, Slot)[Kind == VERSO_CELL_POINTER ? 1 : 0]);
  Piece New[10];
  const unsigned Bytes = bytesWithPieces(Kind);
  for (unsigned I = 0; I != 10; ++I)
    New[I] = makePiece(I < Bytes ? Id : 0, Kind, I);
  writePieces(R, P, Kind == VERSO_CELL_X86_FP80 ? 10 : Bytes, New, Offset);
}

void verso::storeByBytes(Request &R, char *P, int64_t Offset, uint32_t Id,
                         verso_cell_kind Kind) {
  const Piece New[] = {makePiece(Id, Kind, 0), makePiece(Id, Kind, 1)};
  writePieces(R, P, 2, New, Offset);
}

void verso::storePart(Request &R, char *P, int64_t Offset, uint64_t Bytes,
                      uint32_t Image) {
  bool IsExact = Offset != 0;
  for (uint64_t I = 0; I != Bytes; ++I)
    IsExact |= arePieces(R, *imagesAt(R, P + I - inGranule(P + I)));
  if (!IsExact) {
    memcpy(verso_image_of(&R, P), &Image, Bytes);
    return;
  }
  Piece New[GranuleBytes];
  for (uint64_t I = 0; I != Bytes; ++I)
    New[I] = makePiece(Image ? VERSO_ID_LOST : 0, VERSO_CELL_FLOAT,
                       inGranule(P + I));
  writePieces(R, P, Bytes, New, Offset);
}

uint32_t verso::inspectPacked(const Request &R, const char *P, uint64_t Bytes) {
  uint32_t Result = 0;
  for (uint64_t I = 0; I != Bytes; ++I) {
    uint32_t Word = *imagesAt(R, P + I - inGranule(P + I)), Id = R.live(Word);
    const UnalignedWord *Record = Id ? piecesOf(&R, Id) : nullptr;
    if (!Record)
      Record = piecesOfWord(&R, Word, liveId);
    if (Record && pieceOfRecord(Record, inGranule(P + I)).Id)
      return VERSO_ID_LOST;
    if (Record)
      Result = VERSO_ID_CONSTANT;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Parts of granules
//===----------------------------------------------------------------------===//

static void readPieces(const Request &R, const char *P, uint64_t Bytes,
                       Piece *Into) {
  for (uint64_t I = 0; I != Bytes; ++I)
    Into[I] = pieceAt(R, P + I);
}

static bool holdsImages(const Request &R, const char *P, uint64_t Bytes) {
  const char *End = P + Bytes;
  for (P -= inGranule(P); P < End; P += GranuleBytes)
    if (isImage(R, *imagesAt(R, P)))
      return true;
  return false;
}

void verso::copyByBytes(Request &R, const ImageCopy &C) {
  const bool Backwards = C.To > C.From;
  for (uint64_t Done = 0; Done != C.Bytes;) {
    uint64_t Here = std::min(ChunkBytes, C.Bytes - Done);
    uint64_t At = Backwards ? C.Bytes - Done - Here : Done;
    Piece Moved[ChunkBytes];
    readPieces(R, C.From + At, Here, Moved);
    writePieces(R, C.To + At, Here, Moved, C.ToOffset);
    Done += Here;
  }
}

void verso::clearByBytes(Request &R, char *P, uint64_t Bytes, int64_t Offset) {
  const Piece Nothing[GranuleBytes] = {};
  if (!Bytes)
    return;
  if (Offset || holdsImages(R, P, Bytes))
    writePieces(R, P, Bytes, Nothing, Offset);
  else // Of a number that lies across words (idAcrossWords).
    memset(verso_image_of(&R, P), 0, Bytes);
}

bool verso::copyPacked(Request &R, const ImageCopy &C) {
  if (!anyPacked() ||
      (!inGranule(C.To) && !inGranule(C.From) && !(C.Bytes % GranuleBytes)))
    return false;
  if (!C.ToOffset && !holdsImages(R, C.From, C.Bytes) &&
      !holdsImages(R, C.To, C.Bytes))
    return false;
  // Whole granules in the same places go as ever, but for those at the ends: a
  // double of which only a half is moved shows in the granule beside it.
  const uint64_t Before =
      -reinterpret_cast<uint64_t>(C.To) % GranuleBytes + GranuleBytes;
  if (inGranule(C.To) != inGranule(C.From) ||
      C.Bytes < Before + 3 * GranuleBytes) {
    copyByBytes(R, C);
  } else {
    const uint64_t Middle =
        (C.Bytes - Before) / GranuleBytes * GranuleBytes - GranuleBytes;
    const uint64_t Behind = Before + Middle, Rest = C.Bytes - Behind;
    Piece First[2 * GranuleBytes], Last[2 * GranuleBytes];
    readPieces(R, C.From, Before, First);
    readPieces(R, C.From + Behind, Rest, Last);
    copyImages(R, {C.To + Before, C.From + Before, Middle, C.ToOffset, 0});
    writePieces(R, C.To, Before, First, C.ToOffset);
    writePieces(R, C.To + Behind, Rest, Last, C.ToOffset);
  }
  R.makeRoom();
  return true;
}

bool verso::clearPacked(Request &R, char *P, uint64_t Bytes, int64_t Offset) {
  if (!anyPacked() || (!inGranule(P) && !(Bytes % GranuleBytes)))
    return false;
  const uint64_t Before =
      std::min(-reinterpret_cast<uint64_t>(P) % GranuleBytes, Bytes);
  const uint64_t Rest = (Bytes - Before) % GranuleBytes;
  clearByBytes(R, P, Before, Offset);
  clearImages(R, P + Before, Bytes - Before - Rest, Offset);
  clearByBytes(R, P + Bytes - Rest, Rest, Offset);
  return true;
}
