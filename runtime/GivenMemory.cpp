//===- GivenMemory.cpp - arguments that have a shadow ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GivenMemory.h"
#include "Pages.h"

#include <sys/mman.h>

using namespace verso;

static constexpr uint64_t Word = sizeof(uint64_t);

static uint64_t wordAt(uint64_t Address) {
  return *reinterpret_cast<const uint64_t *>(Address);
}

static bool mayBePointer(uint64_t Bits) {
  return Bits - UserBegin < UserEnd - UserBegin;
}

// Of a sanitizer's heap.
extern "C" {
__attribute__((weak)) int __sanitizer_get_ownership(const volatile void *);
__attribute__((weak)) size_t
__sanitizer_get_allocated_size(const volatile void *);
}

/// Blocks have their size before them, as a multiple of 16, with flags; at its
/// end is the size of the next one, that says whether this one is in use. Those
/// that are mapped one by one fill pages.
uint64_t verso::bytesOfBlock(uint64_t Begin) {
  constexpr uint64_t Align = 16, Header = 2 * Word, InUse = 1, IsMapped = 2,
                     Flags = 7;
  if (__sanitizer_get_ownership && __sanitizer_get_allocated_size) {
    const auto *P = reinterpret_cast<const void *>(Begin);
    return __sanitizer_get_ownership(P) ? __sanitizer_get_allocated_size(P) : 0;
  }
  if (Begin % Align || !mayBePointer(Begin) ||
      !canBeRead(reinterpret_cast<const void *>(Begin - Header), Header))
    return 0;
  const uint64_t Size = wordAt(Begin - Word);
  const uint64_t Bytes = Size & ~Flags, Chunk = Begin - Header;
  if (Bytes < 2 * Header || Bytes % Align || Bytes >= UserEnd)
    return 0;
  if (Size & IsMapped) {
    const uint64_t Before = wordAt(Chunk);
    const bool FillsPages =
        !(Size & InUse) && (Chunk - Before) % PageBytes == 0 &&
        (Before + Bytes) % PageBytes == 0 && Before < PageBytes;
    return FillsPages ? Bytes - Header : 0;
  }
  const uint64_t Next = Chunk + Bytes;
  if (!mayBePointer(Next) ||
      ((Next + Header - 1) / PageBytes != Chunk / PageBytes &&
       !canBeRead(reinterpret_cast<const void *>(Next), Header)))
    return 0;
  const uint64_t OfNext = wordAt(Next + Word);
  return (OfNext & InUse) && (OfNext & ~Flags) % Align == 0 &&
                 (OfNext & ~Flags) >= Align && OfNext < UserEnd
             ? Bytes - Word
             : 0;
}

/// Whether all between is mapped.
static bool isMappedUpTo(uint64_t Begin, uint64_t End) {
  const uint64_t Page = Begin & -PageBytes;
  return msync(reinterpret_cast<void *>(Page), End - Page, MS_ASYNC) == 0;
}

/// Neither a variable nor its shadow goes on where the other begins.
static uint64_t distance(uint64_t A, uint64_t B) {
  return A < B ? B - A : A - B;
}

uint64_t GivenMemory::tick() {
  static uint64_t Time = 0;
  return __atomic_add_fetch(&Time, 1, __ATOMIC_RELAXED);
}

bool GivenMemory::leads(const Given &G, Range Memory) const {
  const uint64_t At = Memory.Begin - G.Begin, Bytes = Memory.End - G.Begin;
  if (At < G.Bytes)
    return true;
  return Memory.Begin >= G.Begin && Bytes <= G.Most &&
         Bytes <= bytesOfBlock(G.Begin);
}

bool GivenMemory::isOtherShadow(Range Memory, uint64_t Shadow) {
  if (Memory.Begin == Memory.End)
    return false;
  followPointers();
  bool Any = false;
  for (const Given &G : Pieces)
    if (G.Shadow && G.Shadow != G.Begin && leads(G, Memory)) {
      if (G.Shadow + (Memory.Begin - G.Begin) == Shadow)
        return false;
      Any = true;
    }
  return Any;
}

/// Pointers that were found lead to one another's ends, and back to where they
/// were found: nothing is guessed of them by pages.
bool GivenMemory::mayLead(size_t K, Range Memory, Range Variable) const {
  const Given &G = Pieces[K];
  if (G.Begin >= Memory.Begin)
    return G.Begin < Memory.End;
  if (Memory.Begin - G.Begin < G.Bytes)
    return true;
  const uint64_t Bytes = Memory.End - G.Begin;
  if (Bytes > G.Most || !G.Shadow ||
      (G.Shadow != G.Begin && Bytes > distance(G.Begin, G.Shadow)))
    return false;
  const bool IsKnown = Variable.Begin != Variable.End;
  if (IsKnown && (G.Begin < Variable.Begin || G.Begin >= Variable.End))
    return false;
  const uint64_t Block = bytesOfBlock(G.Begin);
  const uint64_t OfShadow = bytesOfBlock(G.Shadow);
  if ((Block && Block < Bytes) || (OfShadow && OfShadow < Bytes))
    return false;
  if (IsKnown || Block)
    return true;
  if (K >= Arguments)
    return false;
  for (size_t J = 0; J != Arguments; ++J)
    if (const uint64_t Shadow = Pieces[J].Shadow;
        G.Begin < Shadow && Shadow < Memory.End)
      return false;
  return isMappedUpTo(G.Begin, Memory.End) &&
         (OfShadow || isMappedUpTo(G.Shadow, G.Shadow + Bytes));
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// Once in a request: what it stores itself has a shadow that is known.
void GivenMemory::followPointers() {
  if (IsFollowed)
    return;
  IsFollowed = true;
  constexpr size_t MostKept = 4096;
  if (Places.size() > MostKept)
    Places.clear();
  for (uint32_t &Place : Places)
    Place = 0;
  for (size_t K = 0; K != Pieces.size(); ++K)
    look(Pieces[K]);
}

void GivenMemory::look(Given Into) {
  const uint64_t Skipped = -Into.Begin % Word;
  if (!Into.Shadow || Into.Shadow == Into.Begin || Into.IsOther ||
      isPlanNoted(Into.Begin))
    return;
  uint64_t Bytes = Into.Pointers;
  if (Into.Most == UINT64_MAX)
    if (const uint64_t Block = bytesOfBlock(Into.Begin)) {
      const uint64_t OfShadow = bytesOfBlock(Into.Shadow);
      const uint64_t Both = Block < OfShadow ? Block : OfShadow;
      if (Bytes < Both)
        Bytes = Both;
    }
  // What is only likely to be there may end with the page.
  if (Bytes > Into.Bytes &&
      (!canBeRead(reinterpret_cast<const void *>(Into.Begin), Bytes) ||
       !canBeRead(reinterpret_cast<const void *>(Into.Shadow), Bytes)))
    return;
  auto Follow = [&](uint64_t At) {
    if (const uint64_t To = wordAt(Into.Begin + At); mayBePointer(To))
      if (const uint64_t Beside = wordAt(Into.Shadow + At);
          mayBePointer(Beside) && Beside != To)
        reach(To, Beside);
  };
  // Numbers but 0 have bits where pointers have none.
  constexpr unsigned Some = 16;
  uint64_t At = Skipped;
  for (; At + Some * Word <= Bytes; At += Some * Word) {
    uint64_t Any = 0;
    for (unsigned K = 0; K != Some; ++K)
      Any |= (wordAt(Into.Begin + At + K * Word) - UserBegin) >> 47 == 0;
    for (unsigned K = 0; Any && K != Some; ++K)
      Follow(At + K * Word);
  }
  for (; At + Word <= Bytes; At += Word)
    Follow(At);
}

/// Each once with each of its shadows, of which there may be some more by older
/// pointers in memory that is not in use.
void GivenMemory::reach(uint64_t Begin, uint64_t Shadow) {
  constexpr unsigned MostShadows = 8;
  unsigned Shadows = 0;
  auto PlaceOf = [&](uint64_t Address, uint64_t OfAddress) {
    const size_t Mask = Places.size() - 1;
    size_t K = (Address * 0x9e3779b97f4a7c15) >> 32 & Mask;
    for (Shadows = 0; Places[K]; K = (K + 1) & Mask) {
      const Given &G = Pieces[Places[K] - 1];
      if (G.Begin != Address)
        continue;
      if (G.Shadow == OfAddress)
        break;
      ++Shadows;
    }
    return K;
  };
  if (Places.size() < 2 * (Pieces.size() + 1)) {
    size_t Count = Places.empty() ? 64 : 2 * Places.size();
    while (Count < 2 * (Pieces.size() + 1))
      Count *= 2;
    Places.clear();
    for (size_t K = 0; K != Count; ++K)
      Places.push_back(0);
    for (size_t K = Arguments; K != Pieces.size(); ++K)
      Places[PlaceOf(Pieces[K].Begin, Pieces[K].Shadow)] = K + 1;
  }
  uint32_t &Place = Places[PlaceOf(Begin, Shadow)];
  if (Place || Shadows == MostShadows || Pieces.size() == UINT32_MAX)
    return;
  Place = Pieces.size() + 1;
  Pieces.push_back({Begin, Shadow, 1, UINT64_MAX, 0, Shadows != 0});
}
