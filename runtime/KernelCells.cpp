//===- KernelCells.cpp - the cells that a kernel's access comes to --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCells.h"

using namespace verso::kernel;

Cells::Cells(const verso_kernel_access &Access, const verso_kernel_row &Row)
    : First(uint64_t(Row.first)), Bytes(Access.bytes),
      Parameter(Access.parameter), IsStore(Access.is_store) {
  constexpr unsigned N = VERSO_KERNEL_DIMENSIONS;
  unsigned Used = 0;
  for (const auto &D : Row.dimension) {
    if (D.count == 1 || D.step == 0)
      continue;
    uint64_t Count = uint64_t(D.count), Step = uint64_t(D.step);
    if (D.step < 0) {
      First += Step * (Count - 1);
      Step = -Step;
    }
    unsigned At = Used++;
    for (; At && Dimension[At - 1].Step > Step; --At)
      Dimension[At] = Dimension[At - 1];
    Dimension[At] = {Step, Count};
  }
  for (unsigned I = Used; I != N; ++I)
    Dimension[I] = {Bytes, 1};
  // Rows that follow one another are one.
  while (Used > 1 && isDense() &&
         Dimension[1].Step == Bytes * Dimension[0].Count) {
    Dimension[0].Count *= Dimension[1].Count;
    for (unsigned I = 1; I + 1 < N; ++I)
      Dimension[I] = Dimension[I + 1];
    Dimension[N - 1] = {Bytes, 1};
    --Used;
  }
}

/// Neighbours of the same cells; false if they are not.
bool Cells::include(const Cells &More) {
  if (Parameter != More.Parameter || Bytes != More.Bytes ||
      IsStore != More.IsStore || !isDense() || !More.isDense())
    return false;
  for (unsigned I = 1; I != VERSO_KERNEL_DIMENSIONS; ++I)
    if (Dimension[I].Count != More.Dimension[I].Count ||
        (Dimension[I].Count > 1 && Dimension[I].Step != More.Dimension[I].Step))
      return false;
  uint64_t End = First + Bytes * Dimension[0].Count,
           ItsEnd = More.First + Bytes * More.Dimension[0].Count;
  if (More.First > End || First > ItsEnd || (More.First - First) % Bytes)
    return false;
  First = More.First < First ? More.First : First;
  Dimension[0].Count = ((ItsEnd > End ? ItsEnd : End) - First) / Bytes;
  return true;
}
