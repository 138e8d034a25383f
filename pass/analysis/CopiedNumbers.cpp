//===- CopiedNumbers.cpp - which bytes of a copy are numbers --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/CopiedNumbers.h"
#include "rules/Staged.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

#include <optional>

using namespace llvm;
using namespace verso;

/// The number that an access with this tag reads: (base, scalar type, offset).
static std::optional<verso_cell_kind> kindOf(const Metadata *Tag) {
  auto *Access = dyn_cast_or_null<MDNode>(Tag);
  if (!Access || Access->getNumOperands() < 3)
    return std::nullopt;
  auto *Scalar = dyn_cast_or_null<MDNode>(Access->getOperand(1));
  if (!Scalar || Scalar->getNumOperands() == 0)
    return std::nullopt;
  auto *Name = dyn_cast<MDString>(Scalar->getOperand(0));
  return StringSwitch<std::optional<verso_cell_kind>>(Name ? Name->getString()
                                                           : "")
      .Case("float", VERSO_CELL_FLOAT)
      .Case("double", VERSO_CELL_DOUBLE)
      .Default(std::nullopt);
}

SmallVector<CopiedNumbers, 4> verso::copiedNumbers(const Instruction &I) {
  SmallVector<CopiedNumbers, 4> Numbers;
  if (auto *Call = dyn_cast<CallBase>(&I))
    if (const Type *T = numbersOfStaged(*Call))
      return {
          {T->isFloatTy() ? VERSO_CELL_FLOAT : VERSO_CELL_DOUBLE, 0, 0}};
  if (auto Kind = kindOf(I.getMetadata(LLVMContext::MD_tbaa)))
    Numbers.push_back({*Kind, 0, 0});
  const MDNode *Struct = I.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!Struct || !Numbers.empty())
    return Numbers;
  for (unsigned K = 0; K + 3 <= Struct->getNumOperands(); K += 3)
    if (auto Kind = kindOf(Struct->getOperand(K + 2))) {
      auto Integer = [&](unsigned N) {
        return mdconst::extract<ConstantInt>(Struct->getOperand(N))
            ->getZExtValue();
      };
      Numbers.push_back({*Kind, Integer(K), Integer(K + 1)});
    }
  return Numbers;
}
