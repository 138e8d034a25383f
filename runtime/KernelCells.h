//===- KernelCells.h - the cells that a kernel's access comes to *- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A verso_kernel_row, whatever the order and direction of its loops, as dense
// rows of memory. Loads of neighbours (`x[i - 1]`, `x[i]`, `x[i + 1]`) are one.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_KERNELCELLS_H
#define VERSO_RUNTIME_KERNELCELLS_H

#include "verso/Layout.h"

namespace verso::kernel {

/// The cells of an access, or of several loads: rows of rows, in the order of
/// memory.
struct Cells {
  uint64_t First;
  uint64_t Bytes; ///< Of each.
  struct {
    uint64_t Step, Count;
  } Dimension[VERSO_KERNEL_DIMENSIONS];
  unsigned Parameter;
  unsigned IsStore; ///< Or VERSO_KERNEL_CLEARS.

  Cells(const verso_kernel_access &Access, const verso_kernel_row &Row);
  Cells() = default;
  bool isDense() const { return Dimension[0].Step == Bytes; }
  uint64_t count() const {
    return Dimension[0].Count * Dimension[1].Count * Dimension[2].Count *
           Dimension[3].Count;
  }
  bool include(const Cells &More);
  /// Calls \p Do for each row, or part of one, that is dense.
  template <typename FunctionT> void forEachRow(FunctionT Do) const;
};

template <typename FunctionT> void Cells::forEachRow(FunctionT Do) const {
  const auto &D = Dimension;
  for (uint64_t K3 = 0; K3 != D[3].Count; ++K3)
    for (uint64_t K2 = 0; K2 != D[2].Count; ++K2)
      for (uint64_t K1 = 0; K1 != D[1].Count; ++K1) {
        auto *P = reinterpret_cast<char *>(First + K3 * D[3].Step +
                                           K2 * D[2].Step + K1 * D[1].Step);
        if (isDense()) {
          Do(P, D[0].Count);
          continue;
        }
        for (uint64_t K0 = 0; K0 != D[0].Count; ++K0, P += D[0].Step)
          Do(P, uint64_t(1));
      }
}
static_assert(VERSO_KERNEL_DIMENSIONS == 4, "count, forEachRow, isRun");

} // namespace verso::kernel

#endif // VERSO_RUNTIME_KERNELCELLS_H
