//===- NumbersAsPointers.cpp - numbers that are loaded as pointers --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumbersAsPointers.h"
#include "AddressSpace.h"
#include "Cells.h"
#include "Images.h"
#include "Pages.h"

using namespace verso;

/// The bits of any address in user space; of others one is a tag, or all are
/// those of a number.
static constexpr uint64_t AddressBits = VERSO_ADDRESS_MASK;

/// Beside a number's image: what was not compiled with Verso may have written a
/// pointer over it.
static bool isAddress(uint64_t Bits) {
  return Bits && Bits <= AddressBits && isMapped(Bits);
}

/// Whether memory is in use at the address in \p Bits, which may have tags.
static bool isTaggedAddress(uint64_t Bits) {
  return isResident(Bits & AddressBits);
}

/// A float beside a zero, not a small integer nor a low address.
static bool isFloat(uint64_t Bits) {
  return Bits >= UINT64_C(1) << 23 && Bits < UINT64_C(1) << 32 &&
         !isMapped(Bits);
}

/// Eight bytes of untyped memory of the user, and those beside them in the
/// shadow: are they numbers and an adjoint?
static bool isNumberBeside(uint64_t Bits, uint64_t Beside) {
  if (!Bits || isFloat(Bits))
    return !isMapped(Beside);
  if (Bits <= AddressBits || isMark(Bits))
    return false;
  bool SameTag = !((Bits ^ Beside) & ~AddressBits);
  return !(SameTag && isTaggedAddress(Bits) && isTaggedAddress(Beside));
}

uint32_t verso::holdsNumber(const Request &R, char *P, const char *Shadow,
                            uint64_t Bits) {
  const ImageWord *Image = imagesAt(R, P);
  uint32_t Low = R.live(Image[0]), High = R.live(Image[1]);
  if (!Low && !High)
    return Shadow && isNumberBeside(Bits, eightBytesAt(Shadow));
  if (const char *Adjoint = adjointOfRawPair(R, Low, High))
    return isNumberBeside(Bits, eightBytesAt(Adjoint));
  if (Low == VERSO_ID_CONSTANT &&
      (High == VERSO_ID_CONSTANT || Image[1] == VERSO_IMAGE_PARTNER(Image[0])))
    return 2;
  return !isAddress(Bits);
}

bool verso::storesNumber(const Request &R, char *P, const char *Shadow,
                         uint64_t Bits, uint64_t ShadowOfBits) {
  uint64_t Beside = eightBytesAt(Shadow);
  if (!Bits && isMapped(Beside)) {
    ImageWord *Image = imagesAt(R, P);
    Image[0] = Image[1] = 0;
    return false;
  }
  if (!Bits)
    return true;
  if (ShadowOfBits != Bits && ShadowOfBits)
    return ShadowOfBits >= VERSO_NUMBER_AS_SHADOW;
  if (Bits <= AddressBits)
    return isFloat(Bits) && !isMapped(Beside);
  return !isMark(Bits) && !(isTaggedAddress(Bits) && isTaggedAddress(Beside));
}

/// Adjoints that hold bits of something else.
typedef uint64_t AdjointBits __attribute__((may_alias));

static AdjointBits &slotOf(const Request &R, uint32_t Id) {
  return reinterpret_cast<AdjointBits *>(R.adj)[Id];
}

/// Of a pointer that was moved as a double, whose ID is its handle; else 0.
static uint64_t shadowOfHandle(const Request &R, uint64_t Image) {
  uint32_t Low = uint32_t(Image), Id = R.live(Low);
  if (Id <= VERSO_ID_LOST || Image >> 32 != VERSO_IMAGE_PARTNER(Low))
    return 0;
  uint64_t Shadow = slotOf(R, Id);
  return isMapped(Shadow) ? Shadow : 0;
}

uint64_t verso::shadowOfNumber(Request &R, uint64_t Image, uint64_t Bits) {
  if (isAddress(Bits))
    return shadowOfHandle(R, Image);
  R.makeRoom();
  uint32_t Id = R.mark(VERSO_RECORD_HANDLE);
  slotOf(R, Id) = Image;
  slotOf(R, R.mark(VERSO_RECORD_HANDLE)) = Bits;
  R.makeRoom();
  return VERSO_NUMBER_AS_SHADOW | uint64_t(Id) << VERSO_NUMBER_SHIFT;
}

uint64_t verso::imageOfNumber(const Request &R, uint64_t Shadow,
                              uint64_t Bits) {
  uint64_t Id = (Shadow - VERSO_NUMBER_AS_SHADOW) >> VERSO_NUMBER_SHIFT;
  bool IsWhole = Shadow == (VERSO_NUMBER_AS_SHADOW | Id << VERSO_NUMBER_SHIFT);
  if (IsWhole && Id + 1 < R.next && slotOf(R, uint32_t(Id) + 1) == Bits)
    return slotOf(R, uint32_t(Id));
  uint32_t Lost = R.absolute(VERSO_ID_LOST);
  return Lost | uint64_t(VERSO_IMAGE_PARTNER(Lost)) << 32;
}
