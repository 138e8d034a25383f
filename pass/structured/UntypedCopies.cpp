//===- UntypedCopies.cpp - what the runtime looks at ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/UntypedCopies.h"
#include "analysis/CopiedNumbers.h"
#include "verso/Layout.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include <numeric>

using namespace llvm;
using namespace verso;

constexpr uint64_t MaxPeriod = 16384;

/// After how many bytes the kinds repeat themselves; 0 if pointers that do not
/// would be lost.
static uint64_t periodOf(const BulkAccess &Copy) {
  const uint64_t Declared = copiedRecord(*Copy.Call).Period;
  const SmallVector<BulkAccess::Field, 4> Record(Declared ? 1 : 0,
                                                 {nullptr, {0, Declared}});
  auto *Bytes = dyn_cast<ConstantInt>(Copy.Bytes);
  if (Bytes && Bytes->getValue().ule(MaxPeriod))
    return std::max<uint64_t>(1, Bytes->getZExtValue());
  uint64_t Period = 1;
  for (const auto *Fields :
       {&Copy.Pointers, &Copy.Numbers, &Copy.Others, &Record})
    for (const BulkAccess::Field &F : *Fields) {
      uint64_t Both = F.At.Step ? std::lcm(Period, F.At.Step) : MaxPeriod + 1;
      if (Both <= MaxPeriod)
        Period = Both;
      else if (Fields == &Copy.Pointers)
        return 0;
    }
  return Period;
}

std::optional<std::vector<uint8_t>> verso::kindsOfBytes(const BulkAccess &Copy,
                                                        const Module *M) {
  const DataLayout &DL = M->getDataLayout();
  uint64_t Period = periodOf(Copy);
  if (!Period)
    return std::nullopt;
  bool IsWhole = isa<ConstantInt>(Copy.Bytes) &&
                 cast<ConstantInt>(Copy.Bytes)->getValue().ule(MaxPeriod);
  std::vector<uint8_t> Kinds(Period, VERSO_COPIED_UNKNOWN);
  auto Put = [&](OffsetClass At, uint64_t Size, verso_copied_kind First) {
    if (!IsWhole && (!At.Step || Period % At.Step))
      return;
    int64_t Begin = At.Offset;
    if (At.Step)
      Begin = Begin % int64_t(At.Step) - int64_t(At.Step);
    for (int64_t K = Begin; K < int64_t(Period); K += At.Step) {
      for (int64_t N = 0; N != int64_t(Size); ++N) {
        int64_t Byte = IsWhole ? K + N : (K + N + int64_t(Period)) % Period;
        if (Byte >= 0 && Byte < int64_t(Period))
          Kinds[Byte] = N ? VERSO_COPIED_KNOWN : First;
      }
      if (!At.Step)
        break;
    }
  };
  auto PutAll = [&](ArrayRef<BulkAccess::Field> Fields,
                    verso_copied_kind First) {
    for (const BulkAccess::Field &F : Fields)
      Put(F.At, DL.getTypeStoreSize(F.T), First);
  };
  // What is accessed is known better than what is declared.
  const CopiedRecord Record = copiedRecord(*Copy.Call);
  for (const CopiedRecord::Field &Each : Record.Fields) {
    const uint64_t Size =
        Each.Kind == VERSO_COPIED_FLOAT    ? 4
        : Each.Kind == VERSO_COPIED_DOUBLE ? 8
        : Each.Kind == VERSO_COPIED_INTEGER || Each.Kind == VERSO_COPIED_UNKNOWN
            ? 1
            : Each.Bytes;
    const bool IsOfIntegers =
        Each.Kind == VERSO_COPIED_KNOWN || Each.Kind == VERSO_COPIED_INTEGER;
    for (uint64_t K = 0;
         K + Size <= Each.Bytes && (Copy.HasIntegers || !IsOfIntegers);
         K += Size)
      Put({int64_t(Each.Offset + K), Record.Period}, Size, Each.Kind);
  }
  for (const CopiedNumbers &N : copiedNumbers(*Copy.Call)) {
    bool IsFloat = N.Kind == VERSO_CELL_FLOAT;
    uint64_t Size = IsFloat ? 4 : 8;
    auto First = IsFloat ? VERSO_COPIED_FLOAT : VERSO_COPIED_DOUBLE;
    if (!N.Bytes)
      Put({int64_t(N.Offset), Size}, Size, First);
    for (uint64_t K = 0; IsWhole && K + Size <= N.Bytes; K += Size)
      Put({int64_t(N.Offset + K), 0}, Size, First);
  }
  PutAll(Copy.Others, VERSO_COPIED_KNOWN);
  PutAll(Copy.Numbers, VERSO_COPIED_KNOWN);
  PutAll(Copy.Pointers, VERSO_COPIED_POINTER);
  // A declared number of which a part is known otherwise is none.
  for (uint64_t K = 0; K != Period; ++K) {
    uint64_t Size = Kinds[K] == VERSO_COPIED_FLOAT    ? 4
                    : Kinds[K] == VERSO_COPIED_DOUBLE ? 8
                                                      : 0;
    for (uint64_t N = 1; N < Size; ++N)
      if (Kinds[(K + N) % Period] != VERSO_COPIED_KNOWN)
        return std::nullopt;
  }
  return Kinds;
}

bool verso::hasTwoByteNumbers(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (getLoadStorePointerOperand(&I)) {
        Type *T =
            getLoadStoreType(const_cast<Instruction *>(&I))->getScalarType();
        if (T->isHalfTy() || T->isBFloatTy())
          return true;
      }
  return false;
}
