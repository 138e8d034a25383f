//===- Halves.cpp - two-byte numbers in memory ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Halves.h"
#include "PackedNumbers.h"
#include "SweepTypes.h"

#include <algorithm>
#include <atomic>
#include <math.h>

using namespace verso;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

typedef uint16_t UnalignedHalf __attribute__((may_alias, aligned(1)));

namespace {

/// Sign, exponent, mantissa: as every binary format of IEEE 754.
struct Format {
  int MantissaBits, ExponentBits;
  int most() const { return (1 << ExponentBits) - 1; }
  int bias() const { return most() / 2; }
  int one() const { return 1 << MantissaBits; }
};

} // namespace

static Format formatOf(verso_cell_kind Kind) {
  return Kind == VERSO_CELL_HALF ? Format{10, 5} : Format{7, 8};
}

double verso::readHalf(const char *At, verso_cell_kind Kind) {
  Format F = formatOf(Kind);
  int Bits = *reinterpret_cast<const UnalignedHalf *>(At);
  int Exponent = Bits >> F.MantissaBits & F.most();
  int Mantissa = Bits & (F.one() - 1);
  double X = Exponent == F.most() ? (Mantissa ? NAN : INFINITY)
             : Exponent ? ldexp(F.one() + Mantissa,
                                Exponent - F.bias() - F.MantissaBits)
                        : ldexp(Mantissa, 1 - F.bias() - F.MantissaBits);
  return Bits >> 15 ? -X : X;
}

void verso::writeHalf(char *At, verso_cell_kind Kind, double X) {
  Format F = formatOf(Kind);
  int Exponent = 0, Bits = 0;
  frexp(X, &Exponent);
  Exponent =
      X == 0 || Exponent - 1 < 1 - F.bias() ? 1 - F.bias() : Exponent - 1;
  if (isnan(X)) {
    Bits = F.most() << F.MantissaBits | F.one() / 2;
  } else if (isinf(X) || Exponent > F.bias()) {
    Bits = F.most() << F.MantissaBits;
  } else {
    // To nearest, ties to even; a carry goes into the exponent's bits.
    int Mantissa = int(rint(ldexp(fabs(X), F.MantissaBits - Exponent)));
    Bits = ((Exponent + F.bias() - 1) << F.MantissaBits) + Mantissa;
  }
  *reinterpret_cast<UnalignedHalf *>(At) =
      uint16_t(Bits | (signbit(X) ? 1 << 15 : 0));
}

//===----------------------------------------------------------------------===//
// Kinds in use
//===----------------------------------------------------------------------===//

/// A bit for each kind.
static std::atomic<unsigned> KindsInUse = 0;

void verso::registerHalf(verso_cell_kind Kind) {
  KindsInUse.fetch_or(1u << Kind, std::memory_order_relaxed);
}

bool verso::anyHalves() {
  return KindsInUse.load(std::memory_order_relaxed) != 0;
}

bool verso::mayBeTwoHalves(uint32_t Bits) {
  unsigned Kinds = KindsInUse.load(std::memory_order_relaxed);
  for (verso_cell_kind Kind : {VERSO_CELL_HALF, VERSO_CELL_BFLOAT}) {
    const uint32_t FirstNormal = formatOf(Kind).one();
    auto MayBeOne = [&](uint32_t Half) {
      return !(Half & 0x7fff) || (Half & 0x7fff) >= FirstNormal;
    };
    if (Kinds >> Kind & 1 && MayBeOne(Bits & 0xffff) && MayBeOne(Bits >> 16))
      return true;
  }
  return false;
}

/// The one kind in use, or RAW.
static verso_cell_kind onlyKind() {
  unsigned Kinds = KindsInUse.load(std::memory_order_relaxed);
  for (verso_cell_kind Kind : {VERSO_CELL_HALF, VERSO_CELL_BFLOAT})
    if (Kinds == 1u << Kind)
      return Kind;
  return VERSO_CELL_RAW;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

namespace {

/// What is known of the halves of a granule. ID 0: nothing.
struct Pair {
  uint32_t Id[2] = {0, 0};
  verso_cell_kind Kind[2] = {VERSO_CELL_FLOAT, VERSO_CELL_FLOAT};
};

/// Half \p K of the granule at \p Granule.
struct Half {
  explicit Half(char *P)
      : Granule(P - reinterpret_cast<uint64_t>(P) % GranuleBytes),
        K(reinterpret_cast<uint64_t>(P) % GranuleBytes / 2) {}
  char *Granule;
  unsigned K;
};

} // namespace

typedef uint32_t TapeWord __attribute__((may_alias, aligned(4)));

static uint64_t &slotOf(Request &R, uint32_t Id) {
  return reinterpret_cast<AdjointBits *>(R.adj)[Id];
}

/// The operands of the HALVES record that \p Id stands for, or null.
static const TapeWord *recordOf(Request &R, uint32_t Id) {
  uint64_t Slot = slotOf(R, Id);
  if ((Slot & VERSO_HALVES_MASK) != VERSO_HALVES)
    return nullptr;
  return reinterpret_cast<const TapeWord *>(R.tape_begin +
                                            (Slot & ~VERSO_HALVES_MASK));
}

static Pair readRecord(const TapeWord *Operands) {
  uint32_t N = Operands[2] >> VERSO_RECORD_KIND_BITS;
  Pair Both;
  for (unsigned K : {0, 1}) {
    Both.Id[K] = Operands[K];
    Both.Kind[K] = verso_cell_kind(VERSO_HALVES_KIND(N, K));
  }
  return Both;
}

/// The ID of a new record.
static uint32_t makeRecord(Request &R, const Pair &Both) {
  R.makeRoom();
  uint64_t Slot = VERSO_HALVES | uint64_t(R.cursor - R.tape_begin);
  for (unsigned K : {0, 1}) {
    *reinterpret_cast<TapeWord *>(R.cursor) = Both.Id[K];
    R.cursor += sizeof(TapeWord);
  }
  uint32_t Id = R.mark(VERSO_RECORD_HALVES);
  *reinterpret_cast<TapeWord *>(R.cursor - sizeof(TapeWord)) =
      VERSO_RECORD_HEADER(Both.Kind[0] | Both.Kind[1] << 3,
                          VERSO_RECORD_HALVES);
  slotOf(R, Id) = Slot;
  R.makeRoom();
  return Id;
}

static uint32_t makeLeaf(Request &R, char *P, char *Adjoint,
                         verso_cell_kind Kind) {
  R.makeRoom();
  uint32_t Leaf = R.mark(VERSO_RECORD_LEAF);
  R.logCell(P, Adjoint, Leaf, uint32_t(Kind), 2);
  return Leaf;
}

/// Raw leaf \p Id, of entry \p E, is two numbers of this kind.
static Pair splitRawLeaf(Request &R, const verso_cell &E, uint32_t Id,
                         verso_cell_kind Kind) {
  uint64_t Distance = uint64_t(Id - E.leaf) * GranuleBytes;
  char *P = E.primal + Distance, *Adjoint = E.adjoint + Distance;
  Pair Both;
  for (unsigned K : {0, 1}) {
    Both.Id[K] = makeLeaf(R, P + 2 * K, Adjoint + 2 * K, Kind);
    Both.Kind[K] = Kind;
  }
  slotOf(R, Id) = slotOf(R, makeRecord(R, Both));
  return Both;
}

/// What the pieces of a granule, which came byte by byte, say of its halves.
static Pair pairOfPieces(Request &R, char *Granule, verso_cell_kind Kind) {
  Pair Both;
  for (unsigned K : {0, 1}) {
    const Piece Low = pieceAt(R, Granule + 2 * K),
                High = pieceAt(R, Granule + 2 * K + 1);
    Both.Kind[K] = VERSO_CELL_HALF; // Of two bytes, should it be a constant.
    Both.Id[K] = Low.Id || High.Id ? VERSO_ID_LOST : VERSO_ID_CONSTANT;
    if (Low.Id != High.Id || Low.Kind != High.Kind || Low.Index % 2 ||
        High.Index != Low.Index + 1)
      continue;
    if (Low.Kind == VERSO_CELL_HALF || Low.Kind == VERSO_CELL_BFLOAT) {
      Both.Id[K] = Low.Id;
      Both.Kind[K] = verso_cell_kind(Low.Kind);
    } else if (Low.Kind == VERSO_CELL_RAW && !slotOf(R, Low.Id)) {
      if (const verso_cell *E = verso_find_raw_entry(&R, Low.Id)) {
        Pair Split = splitRawLeaf(R, *E, Low.Id, Kind ? Kind : onlyKind());
        Both.Id[K] = Split.Id[Low.Index / 2];
        Both.Kind[K] = Split.Kind[Low.Index / 2];
      }
    }
  }
  return Both;
}

/// What the image of a granule says of its halves. Bits of anything else are
/// lost, should anybody take them for a number.
static Pair pairAt(Request &R, char *Granule, verso_cell_kind Kind) {
  uint32_t Word = *imagesAt(R, Granule), Id = R.live(Word);
  // Of two bytes each, which is all that is asked of the kind of these.
  auto Same = [](uint32_t Id) {
    return Pair{{Id, Id}, {VERSO_CELL_HALF, VERSO_CELL_HALF}};
  };
  if (arePieces(R, Word))
    return pairOfPieces(R, Granule, Kind);
  if (isOfLostBytes(Word)) {
    Pair Both;
    for (unsigned K : {0, 1})
      if (Word >> 16 * K & 0xffff) {
        Both.Id[K] = VERSO_ID_LOST;
        Both.Kind[K] = VERSO_CELL_HALF;
      }
    return Both;
  }
  if (!Id)
    return R.live(VERSO_IMAGE_PARTNER(Word)) ? Same(VERSO_ID_LOST) : Pair();
  if (Id == VERSO_ID_CONSTANT)
    return Same(VERSO_ID_CONSTANT);
  if (const TapeWord *Record = recordOf(R, Id))
    return readRecord(Record);
  if (!slotOf(R, Id))
    if (const verso_cell *E = verso_find_raw_entry(&R, Id))
      return splitRawLeaf(R, *E, Id, Kind ? Kind : onlyKind());
  return Same(VERSO_ID_LOST);
}

/// Half of a granule that was put together of bytes, beside one that is no
/// half: those bytes may be a number's at an odd address.
static bool setHalfByBytes(Request &R, char *P, int64_t Offset, uint32_t Id,
                           verso_cell_kind Kind, const Pair &Before) {
  Half At(P);
  const bool IsLost = Id == VERSO_ID_LOST;
  if (Before.Id[1 - At.K] != VERSO_ID_LOST ||
      !arePieces(R, *imagesAt(R, At.Granule)) ||
      (Kind == VERSO_CELL_RAW && !IsLost))
    return false;
  storeByBytes(R, P, Offset, Id, IsLost ? VERSO_CELL_HALF : Kind);
  return true;
}

static void setHalf(Request &R, char *P, int64_t Offset, uint32_t Id,
                    verso_cell_kind Kind) {
  Half At(P);
  // The half beside a constant may be of another kind.
  Pair Both =
      pairAt(R, At.Granule, Id > VERSO_ID_LOST ? Kind : VERSO_CELL_FLOAT);
  // What another number's word says of halves is that they are lost.
  const uint32_t Word = *imagesAt(R, At.Granule);
  const bool IsKnown = Id != VERSO_ID_LOST || arePieces(R, Word) ||
                       (R.live(Word) && recordOf(R, R.live(Word)));
  if (IsKnown && Both.Id[At.K] == Id && (!Id || Both.Kind[At.K] == Kind))
    return;
  if (setHalfByBytes(R, P, Offset, Id, Kind, Both))
    return;
  Both.Id[At.K] = Id;
  Both.Kind[At.K] = Kind;
  *imagesAt(R, At.Granule) =
      Both.Id[0] || Both.Id[1] ? R.absolute(makeRecord(R, Both)) : 0;
}

/// Whether the number with this ID is of \p Kind. A leaf that was only copied
/// so far is from now on.
static bool isOfKind(Request &R, uint32_t Id, verso_cell_kind Known,
                     verso_cell_kind Kind) {
  if (Known != VERSO_CELL_RAW)
    return Known == Kind;
  auto *Leaf = const_cast<verso_cell *>(verso_find_leaf(&R, Id));
  if (Leaf && Leaf->kind == VERSO_CELL_RAW)
    Leaf->kind = Kind;
  return Leaf && Leaf->kind == uint32_t(Kind);
}

/// What the bytes [P, P + Bytes), read as an integer, are: LOST, parts of
/// numbers; CONSTANT, beside numbers; 0, something else or whole granules.
static uint32_t inspect(Request &R, char *P, uint64_t Bytes) {
  if (reinterpret_cast<uint64_t>(P) % GranuleBytes == 0 &&
      Bytes >= GranuleBytes)
    return 0;
  uint32_t Result = 0;
  for (char *At = P - reinterpret_cast<uint64_t>(P) % 2; At < P + Bytes;
       At += 2) {
    Half Here(At);
    uint32_t Word = R.live(*imagesAt(R, Here.Granule));
    const TapeWord *Record = Word ? recordOf(R, Word) : nullptr;
    if (Record && Record[Here.K] > VERSO_ID_CONSTANT)
      return VERSO_ID_LOST;
    if (Record)
      Result = VERSO_ID_CONSTANT;
  }
  return Result;
}

uint32_t verso::loadHalf(Request &R, char *P, int64_t Offset,
                         verso_cell_kind Kind) {
  if (Kind == VERSO_CELL_RAW) {
    uint32_t What = inspectPacked(R, P, uint64_t(Offset));
    return What ? What : inspect(R, P, uint64_t(Offset));
  }
  if (reinterpret_cast<uint64_t>(P) % 2)
    return loadPacked(R, P, Offset, Kind);
  Half At(P);
  Pair Both = pairAt(R, At.Granule, Kind);
  if (uint32_t Id = Both.Id[At.K])
    return Id <= VERSO_ID_LOST || isOfKind(R, Id, Both.Kind[At.K], Kind)
               ? Id
               : VERSO_ID_LOST;
  if (!Offset)
    return 0;
  uint32_t Leaf = makeLeaf(R, P, P + Offset, Kind);
  setHalf(R, P, Offset, Leaf, Kind);
  return Leaf;
}

void verso::touchHalf(Request &R, char *P, int64_t Offset) {
  if (!isImage(R, *imagesAt(R, Half(P).Granule)))
    setHalf(R, P, Offset, makeLeaf(R, P, P + Offset, onlyKind()), onlyKind());
}

void verso::touchHalves(Request &R, char *P, int64_t Offset, uint64_t Bytes) {
  if (!anyHalves())
    return;
  char *End = P + Bytes;
  for (P -= reinterpret_cast<uint64_t>(P) % 2; P < End; P += 2) {
    const Half At(P);
    const uint32_t Id = R.live(*imagesAt(R, At.Granule));
    const TapeWord *Record = Id ? recordOf(R, Id) : nullptr;
    if (Record && !Record[At.K])
      setHalf(R, P, Offset, makeLeaf(R, P, P + Offset, onlyKind()), onlyKind());
  }
}

uint32_t verso::wordInTracked(Request &R, uint32_t Word) {
  const uint32_t Id = R.live(Word);
  const TapeWord *Record = Id ? recordOf(R, Id) : nullptr;
  if (!Record || (Record[0] && Record[1]))
    return Word;
  Pair Both = readRecord(Record);
  const unsigned K = Both.Id[0] ? 1 : 0;
  Both.Id[K] = VERSO_ID_CONSTANT;
  Both.Kind[K] = Both.Kind[1 - K];
  return R.absolute(makeRecord(R, Both));
}

/// Tracked memory was overwritten.
static void logHalf(Request &R, char *P, int64_t Offset, verso_cell_kind Kind) {
  R.makeRoom();
  R.mark(VERSO_RECORD_HANDLE);
  R.logCell(P, P + Offset, 0, uint32_t(Kind), 2);
}

void verso::storeHalf(Request &R, char *P, int64_t Offset, verso_cell_kind Kind,
                      uint32_t Id) {
  if (Id == VERSO_ID_LOST) // Of any bytes of it.
    P -= reinterpret_cast<uint64_t>(P) % 2;
  if (reinterpret_cast<uint64_t>(P) % 2)
    return storeByBytes(R, P, Offset, Id, Kind);
  if (Offset) {
    const verso_cell_kind OfCell =
        Kind == VERSO_CELL_BFLOAT ? VERSO_CELL_BFLOAT : VERSO_CELL_HALF;
    logHalf(R, P, Offset, OfCell);
    if (!Id) {
      Id = VERSO_ID_CONSTANT;
      Kind = OfCell; // Two bytes of the adjoint are cleared.
    }
  }
  setHalf(R, P, Offset, Id, Kind);
  R.makeRoom();
}

//===----------------------------------------------------------------------===//
// Parts of granules
//===----------------------------------------------------------------------===//

static bool isWhole(const void *P) {
  return reinterpret_cast<uint64_t>(P) % GranuleBytes == 0;
}

/// Whether the image of a granule may be that of halves: of bytes, also lost
/// ones, of a raw leaf, or of a constant.
static bool mayBeHalves(Request &R, uint32_t Word) {
  const uint32_t Id = R.live(Word);
  return arePieces(R, Word) || (Word && isOfLostBytes(Word)) ||
         (Id && (Id == VERSO_ID_CONSTANT || recordOf(R, Id) ||
                 (!slotOf(R, Id) && verso_find_raw_entry(&R, Id))));
}

/// Whether any granule of [P, P + Bytes) has such an image.
static bool mayHoldHalves(Request &R, char *P, uint64_t Bytes) {
  char *End = P + Bytes;
  for (char *G = Half(P).Granule; G < End; G += GranuleBytes)
    if (mayBeHalves(R, *imagesAt(R, G)))
      return true;
  return false;
}

/// Whether the granule at \p G has the image of something else, or pieces.
static bool holdsOther(Request &R, char *G) {
  const uint32_t Word = *imagesAt(R, G);
  if (!arePieces(R, Word))
    return isImage(R, Word) && !mayBeHalves(R, Word);
  for (uint64_t B = 0; B != GranuleBytes; ++B)
    if (const Piece P = pieceAt(R, G + B);
        P.Id && bytesWithPieces(P.Kind) != 2 && P.Kind != VERSO_CELL_RAW)
      return true;
  return false;
}

/// The same of all granules of [P, P + Bytes), or of those in part.
static bool holdsOthers(Request &R, char *P, uint64_t Bytes, bool InPart) {
  char *End = P + Bytes;
  for (char *G = Half(P).Granule; G < End; G += GranuleBytes)
    if ((!InPart || G < P || G + GranuleBytes > End) && holdsOther(R, G))
      return true;
  return false;
}

/// Single bytes: pieces, until the others of their number are there.
static bool copyBytes(Request &R, const ImageCopy &C) {
  // Memory of the user that nobody has read may hold halves.
  if (!C.ToOffset && !mayHoldHalves(R, C.From, C.Bytes) &&
      !mayHoldHalves(R, C.To, C.Bytes))
    return false;
  copyByBytes(R, C);
  R.makeRoom();
  return true;
}

bool verso::copyHalves(Request &R, const ImageCopy &C) {
  if (!anyHalves() || anyPacked())
    return false;
  const uint64_t To = reinterpret_cast<uint64_t>(C.To),
                 Distance = To - reinterpret_cast<uint64_t>(C.From);
  const bool IsAligned = Distance % GranuleBytes == 0;
  if (IsAligned && To % GranuleBytes == 0 && C.Bytes % GranuleBytes == 0)
    return false;
  if ((To | Distance | C.Bytes) % 2)
    return copyBytes(R, C);
  // In memory of the user a granule that nobody has read holds two halves, too.
  const bool IsOther = holdsOthers(R, C.From, C.Bytes, /*InPart=*/IsAligned);
  if (!(C.ToOffset && !IsOther) && !mayHoldHalves(R, C.From, C.Bytes) &&
      !mayHoldHalves(R, C.To, C.Bytes))
    return false;
  if (IsOther) {
    copyByBytes(R, C);
    return true;
  }
  // Whole granules in the same places go as ever: raw leaves as two halves.
  const uint64_t Before =
      IsAligned ? std::min(-To % GranuleBytes, C.Bytes) : C.Bytes;
  const uint64_t Rest = (C.Bytes - Before) % GranuleBytes;
  const uint64_t Behind = C.Bytes - Rest;
  auto Next = [&](uint64_t I) { return I + 2 == Before ? Behind : I + 2; };
  Vector<Pair> Moved; // Half 0 of each.
  for (uint64_t I = Before ? 0 : Behind; I < C.Bytes; I = Next(I)) {
    Half At(C.From + I);
    Pair Both = pairAt(R, At.Granule, VERSO_CELL_FLOAT);
    Both.Id[0] = Both.Id[At.K];
    Both.Kind[0] = Both.Kind[At.K];
    Moved.push_back(Both);
  }
  for (uint64_t I = Before; I < Behind; I += GranuleBytes)
    pairAt(R, C.From + I, VERSO_CELL_FLOAT);
  if (Before != Behind)
    copyImages(R, {C.To + Before, C.From + Before, Behind - Before, C.ToOffset,
                   /*FromOffset=*/0});
  const Pair *New = Moved.begin();
  for (uint64_t I = Before ? 0 : Behind; I < C.Bytes; I = Next(I), ++New)
    if (!C.ToOffset)
      setHalf(R, C.To + I, /*Offset=*/0, New->Id[0], New->Kind[0]);
    else
      storeHalf(R, C.To + I, C.ToOffset, New->Kind[0], New->Id[0]);
  Moved.release();
  R.makeRoom();
  return true;
}

/// Less than a granule: whole halves go as halves, other bytes by pieces.
static void clearPart(Request &R, char *P, uint64_t Bytes, int64_t Offset) {
  if ((reinterpret_cast<uint64_t>(P) | Bytes) % 2)
    return clearByBytes(R, P, Bytes, Offset);
  for (char *At = P; At != P + Bytes; At += 2) {
    Half Here(At);
    const Pair Both = pairAt(R, Here.Granule, VERSO_CELL_FLOAT);
    const verso_cell_kind Kind =
        Both.Kind[Here.K] ? Both.Kind[Here.K] : VERSO_CELL_HALF;
    if (Offset)
      storeHalf(R, At, Offset, Kind, 0);
    else
      setHalf(R, At, /*Offset=*/0, /*Id=*/0, Kind);
  }
}

bool verso::clearHalves(Request &R, char *P, uint64_t Bytes, int64_t Offset) {
  if (!anyHalves() || anyPacked() || (isWhole(P) && Bytes % GranuleBytes == 0))
    return false;
  // In memory of the user a granule that nobody has read may hold two halves,
  // too.
  if (!Offset && !mayHoldHalves(R, P, 1) && !mayHoldHalves(R, P + Bytes - 1, 1))
    return false;
  const uint64_t Before =
      std::min(-reinterpret_cast<uint64_t>(P) % GranuleBytes, Bytes);
  const uint64_t Rest = (Bytes - Before) % GranuleBytes;
  const uint64_t Behind = Bytes - Rest;
  clearPart(R, P, Before, Offset);
  clearImages(R, P + Before, Behind - Before, Offset);
  clearPart(R, P + Behind, Rest, Offset);
  R.makeRoom();
  return true;
}
