//===- ObjectSizes.cpp - how much there is in an object -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/Objects.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;
using namespace verso;

/// Of a local object, in bytes; MaxExtent if it is not known. What the
/// allocator gave beyond them belongs to whoever asks for it.
uint64_t Objects::sizeOf(unsigned Object) const {
  auto [It, New] = Sizes.try_emplace(Object, MaxExtent);
  uint64_t Size;
  if (const Value *Base = All[Object].Base;
      New && All[Object].isLocal() &&
      (isa<AllocaInst>(Base) || !UsesWholeBlocks) &&
      getObjectSize(Base, Size, DL, TLI))
    It->second = Size;
  return It->second;
}

/// How many bytes there may be from \p P to the end of its object.
uint64_t Objects::roomAt(const Value *P) const {
  uint64_t Room = 0;
  for (const Place &Q : placesOf(P)) {
    // The class of offsets begins with its least that is not negative.
    const uint64_t Size = sizeOf(Q.Object);
    bool IsInside =
        Q.At.Offset >= 0 && Size != MaxExtent && uint64_t(Q.At.Offset) <= Size;
    Room = std::max(Room, IsInside ? Size - Q.At.Offset : MaxExtent);
  }
  return Room ? Room : MaxExtent;
}

/// \p P is what \p Base and multiples of \p Step that are not negative come to,
/// within its object: of few elements each is a place, of more what is below
/// them is none. (The hash tables of libstdc++ have their first bucket behind
/// all other members, a string its characters behind their address.)
void Objects::addElements(const Value *P, const Places &Base, uint64_t Step) {
  constexpr uint64_t MaxElements = 3;
  for (const Place &Q : Base) {
    const uint64_t Size = sizeOf(Q.Object);
    const bool IsInside = !Q.At.Step && Q.At.Offset >= 0 && Size != MaxExtent &&
                          uint64_t(Q.At.Offset) <= Size;
    // One may point behind the last.
    uint64_t Elements = IsInside ? (Size - Q.At.Offset) / Step + 1 : 0;
    if (!IsInside || Elements > MaxElements) {
      addPlace(P, {Q.Object, Q.At.plusUp(Step)});
      continue;
    }
    for (uint64_t K = 0; K != Elements; ++K)
      addPlace(P, {Q.Object, Q.At.plus(int64_t(K * Step), 0)});
  }
}

uint64_t Objects::extentOf(const Value *Bytes, const Value *To,
                           const Value *From) const {
  uint64_t Extent = roomAt(To);
  if (From)
    Extent = std::min(Extent, roomAt(From));
  if (auto *Size = dyn_cast_or_null<ConstantInt>(Bytes))
    Extent = std::min(Extent, Size->getZExtValue());
  return Extent;
}

/// Whether something may be stored there: not in constants, nor outside of what
/// was allocated.
bool Objects::canHold(unsigned K, OffsetClass Cell) {
  if (auto *G = dyn_cast_or_null<GlobalVariable>(All[K].Base);
      G && G->isConstant())
    return false;
  const uint64_t Size = sizeOf(K);
  return Size == MaxExtent || Cell.overlaps(DL.getPointerSize(), {}, Size);
}
