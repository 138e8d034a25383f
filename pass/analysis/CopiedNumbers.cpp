//===- CopiedNumbers.cpp - which bytes of a copy are numbers --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/CopiedNumbers.h"
#include "analysis/AccessTypes.h"
#include "rules/Staged.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

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

/// Calls \p Do(offset, bytes, tag) for each field of a !tbaa.struct.
template <typename D> static void eachField(const MDNode &Struct, D Do) {
  for (unsigned K = 0; K + 3 <= Struct.getNumOperands(); K += 3) {
    auto Integer = [&](unsigned N) {
      return mdconst::extract<ConstantInt>(Struct.getOperand(N))
          ->getZExtValue();
    };
    Do(Integer(K), Integer(K + 1), Struct.getOperand(K + 2));
  }
}

SmallVector<CopiedNumbers, 4> verso::copiedNumbers(const Instruction &I) {
  SmallVector<CopiedNumbers, 4> Numbers;
  if (auto *Call = dyn_cast<CallBase>(&I))
    if (const Type *T = numbersOfStaged(*Call))
      return {{T->isFloatTy() ? VERSO_CELL_FLOAT : VERSO_CELL_DOUBLE, 0, 0}};
  // Of a call it is one of prepare/LibraryCopies.h: see there.
  const MDNode *Each = I.getMetadata(LLVMContext::MD_tbaa);
  if (auto Kind = kindOf(Each);
      Kind && !(isa<CallBase>(I) && isDeclaredTag(*Each)))
    Numbers.push_back({*Kind, 0, 0});
  const MDNode *Struct = I.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!Struct || !Numbers.empty())
    return Numbers;
  eachField(*Struct, [&](uint64_t Offset, uint64_t Bytes, const Metadata *Tag) {
    if (auto Kind = kindOf(Tag))
      Numbers.push_back(
          {*Kind, Offset, Bytes, !isDeclaredTag(*cast<MDNode>(Tag))});
  });
  return Numbers;
}

std::optional<verso_cell_kind> verso::assignedNumber(const Instruction &I) {
  if (const MDNode *Each = I.getMetadata(LLVMContext::MD_tbaa);
      Each && isa<CallBase>(I) && isDeclaredTag(*Each))
    return kindOf(Each);
  const SmallVector<CopiedNumbers, 4> All = copiedNumbers(I);
  if (All.size() != 1 || !All[0].IsOfLanguage || All[0].Offset || All[0].Bytes)
    return std::nullopt;
  return All[0].Kind;
}

static std::optional<verso_copied_kind> copiedKind(const Metadata *Tag) {
  auto *Access = dyn_cast_or_null<MDNode>(Tag);
  if (auto Number = kindOf(Tag))
    return *Number == VERSO_CELL_FLOAT ? VERSO_COPIED_FLOAT
                                       : VERSO_COPIED_DOUBLE;
  if (!Access)
    return std::nullopt;
  switch (declaredKind(*Access)) {
  case DeclaredKind::MaybeInteger:
    return VERSO_COPIED_INTEGER;
  case DeclaredKind::Integer:
  case DeclaredKind::Padding:
    return VERSO_COPIED_KNOWN;
  case DeclaredKind::Mixed:
    return VERSO_COPIED_UNKNOWN;
  default:
    return std::nullopt;
  }
}

/// Adds \p F behind \p Fields. A granule of which a part lies between members
/// holds no number.
static void addField(SmallVectorImpl<CopiedRecord::Field> &Fields,
                     CopiedRecord::Field F) {
  auto IsOfIntegers = [](const CopiedRecord::Field &Each) {
    return Each.Kind == VERSO_COPIED_KNOWN || Each.Kind == VERSO_COPIED_INTEGER;
  };
  if (Fields.empty() || !IsOfIntegers(F) || !IsOfIntegers(Fields.back()) ||
      Fields.back().Offset + Fields.back().Bytes != F.Offset)
    return Fields.push_back(F);
  CopiedRecord::Field &Last = Fields.back();
  const uint64_t Begun = std::min(F.Offset % 4, Last.Bytes);
  if (F.Kind == Last.Kind) {
    Last.Bytes += F.Bytes;
  } else if (!Begun) {
    Fields.push_back(F);
  } else {
    const uint64_t Rest = std::min(4 - F.Offset % 4, F.Bytes);
    Last.Bytes -= Begun;
    if (!Last.Bytes)
      Fields.pop_back();
    Fields.push_back({F.Offset - Begun, Begun + Rest, VERSO_COPIED_KNOWN});
    if (F.Bytes != Rest)
      addField(Fields, {F.Offset + Rest, F.Bytes - Rest, F.Kind});
  }
}

CopiedRecord verso::copiedRecord(const CallBase &Copy) {
  CopiedRecord R;
  const MDNode *Struct = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!Struct || Copy.hasMetadata(LLVMContext::MD_tbaa))
    return R;
  bool IsWhole = true;
  eachField(*Struct, [&](uint64_t Offset, uint64_t Bytes, const Metadata *Tag) {
    IsWhole &= Offset == R.Period;
    R.Period = std::max(R.Period, Offset + Bytes);
    auto Kind = copiedKind(Tag);
    R.IsInMixed |= Kind == VERSO_COPIED_UNKNOWN && !Bytes;
    if (!Kind || !Bytes)
      return;
    addField(R.Fields, {Offset, Bytes, *Kind});
  });
  // A description that leaves something out may be one of the first bytes.
  if (!IsWhole)
    R.Period = 0;
  return R;
}
