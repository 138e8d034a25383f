//===- OffsetClass.cpp - sets of offsets in an object ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/OffsetClass.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace verso;

/// The class without a least, its offset in [0, Step).
static OffsetClass normal(int64_t Offset, uint64_t Step) {
  if (Step) {
    int64_t S = int64_t(Step);
    Offset = ((Offset % S) + S) % S;
  }
  return {Offset, Step, false};
}

static OffsetClass withLeast(int64_t Offset, uint64_t Step) {
  return Step && Offset >= 0 ? OffsetClass{Offset, Step, true}
                             : normal(Offset, Step);
}

/// Whether these bytes end where those begin, or before.
static bool isBelow(OffsetClass At, uint64_t Size, OffsetClass That) {
  return !At.Step && That.HasLeast && At.Offset < That.Offset &&
         uint64_t(That.Offset - At.Offset) >= Size;
}

bool OffsetClass::overlaps(uint64_t Size, OffsetClass That,
                           uint64_t ThatSize) const {
  uint64_t G = std::gcd(Step, That.Step);
  int64_t Distance = That.Offset - Offset; // From here to there.
  if (!G)
    return Distance < 0 ? uint64_t(-Distance) < ThatSize
                        : uint64_t(Distance) < Size;
  uint64_t Ahead = normal(Distance, G).Offset;
  return (Ahead < Size || G - Ahead < ThatSize) &&
         !isBelow(*this, Size, That) && !isBelow(That, ThatSize, *this);
}

bool OffsetClass::isFilledBy(uint64_t Size, OffsetClass That,
                             uint64_t ThatSize) const {
  uint64_t G = std::gcd(Step, That.Step);
  int64_t Distance = Offset - That.Offset; // From there to here.
  if (!G)
    return Distance >= 0 && Distance + Size <= ThatSize;
  // The first and the last of those at Distance + k * G that are touched.
  const int64_t Within = int64_t(Size) - 1, Last = int64_t(ThatSize) - 1;
  int64_t First = normal(Distance + Within, G).Offset - Within,
          Latest = Last - normal(Last - Distance, G).Offset;
  return First > Latest || (First >= 0 && Latest + Within <= Last);
}

OffsetClass OffsetClass::joined(OffsetClass That) const {
  uint64_t Distance =
      That.Offset > Offset ? That.Offset - Offset : Offset - That.Offset;
  const uint64_t Both = std::gcd(std::gcd(Step, That.Step), Distance);
  if ((Step && !HasLeast) || (That.Step && !That.HasLeast))
    return normal(Offset, Both);
  return withLeast(std::min(Offset, That.Offset), Both);
}

OffsetClass OffsetClass::plus(int64_t Constant, uint64_t AnyMultipleOf) const {
  if (HasLeast && Constant >= 0 && !AnyMultipleOf)
    return withLeast(Offset + Constant, Step);
  return normal(Offset + Constant, std::gcd(Step, AnyMultipleOf));
}

OffsetClass OffsetClass::withoutLeast() const { return normal(Offset, Step); }

OffsetClass OffsetClass::plusUp(uint64_t AnyMultipleOf) const {
  const uint64_t Both = std::gcd(Step, AnyMultipleOf);
  return Step && !HasLeast ? normal(Offset, Both) : withLeast(Offset, Both);
}

OffsetClass OffsetClass::notBelow(int64_t Least) const {
  if (!Step)
    return *this;
  const int64_t First = Least + normal(Offset - Least, Step).Offset;
  return HasLeast && Offset > First ? *this : withLeast(First, Step);
}

OffsetClass OffsetClass::moved(OffsetClass From, OffsetClass To) const {
  return normal(Offset - From.Offset + To.Offset,
                std::gcd(std::gcd(Step, From.Step), To.Step));
}

bool verso::coverAll(llvm::ArrayRef<std::pair<OffsetClass, uint64_t>> Parts,
                     uint64_t Bytes) {
  constexpr uint64_t MaxBytes = 4096;
  const bool IsLarge = Bytes > MaxBytes;
  uint64_t Step = 0;
  if (IsLarge) {
    Step = 1;
    for (const auto &[At, Size] : Parts)
      if (Step > MaxBytes || At.Step > MaxBytes)
        return false;
      else if (At.Step)
        Step = std::lcm(Step, At.Step);
    if (Parts.empty() || Step > MaxBytes)
      return false;
    Bytes = Step;
  }
  for (int64_t K = 0; K != int64_t(Bytes); ++K)
    if (llvm::none_of(Parts, [&](const auto &Part) {
          const auto &[At, Size] = Part;
          return (!IsLarge || (At.Step && !At.HasLeast)) &&
                 At.overlaps(Size, {K, Step}, 1);
        }))
      return false;
  return true;
}
