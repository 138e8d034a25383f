//===- CommonBlocks.cpp - variables of Fortran's COMMON blocks ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/CommonBlocks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

#include <map>
#include <optional>

using namespace llvm;
using namespace verso;

namespace {

/// A variable of a block, by the type of an access to it.
struct Variable {
  StringRef Block;         ///< "global data/block_".
  uint64_t First, Last;    ///< Its bytes.
  const MDNode *Procedure; ///< The root.
};

/// A block, as the procedures see it.
struct Block {
  std::map<uint64_t, uint64_t> LastByFirst;
  SmallPtrSet<const MDNode *, 4> Procedures;
  bool IsAgreedOn = true;

  void add(const Variable &V) {
    Procedures.insert(V.Procedure);
    auto [At, IsNew] = LastByFirst.insert({V.First, V.Last});
    auto Next = std::next(At);
    IsAgreedOn &=
        At->second == V.Last && V.First <= V.Last &&
        (Next == LastByFirst.end() || V.Last < Next->first) &&
        (At == LastByFirst.begin() || std::prev(At)->second < V.First);
  }
};

} // namespace

static StringRef nameOf(const MDNode &Type) {
  if (!Type.getNumOperands())
    return {};
  auto *Name = dyn_cast_or_null<MDString>(Type.getOperand(0).get());
  return Name ? Name->getString() : StringRef();
}

static const MDNode *rootOf(const MDNode *Type) {
  while (Type && Type->getNumOperands() > 1)
    Type = dyn_cast_or_null<MDNode>(Type->getOperand(1).get());
  return Type;
}

/// The variable that \p I accesses, if it is a block's and this is known.
static std::optional<Variable> variableOf(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3)
    return std::nullopt;
  const auto *Type = dyn_cast_or_null<MDNode>(Tag->getOperand(1).get());
  if (!Type)
    return std::nullopt;
  Variable V;
  StringRef Name = nameOf(*Type), Bytes;
  std::tie(V.Block, Bytes) = Name.rsplit("/bytes_");
  if (!V.Block.starts_with("global data/") ||
      Bytes.consumeInteger(10, V.First) || !Bytes.consume_front("_to_") ||
      Bytes.consumeInteger(10, V.Last) || !Bytes.empty())
    return std::nullopt;
  V.Procedure = rootOf(Type);
  return V;
}

bool verso::uniteCommonBlocks(Function &F) {
  StringMap<Block> Blocks;
  MapVector<Instruction *, Variable> Accesses;
  for (Instruction &I : instructions(F))
    if (auto V = variableOf(I)) {
      Blocks[V->Block].add(*V);
      Accesses.insert({&I, *V});
    }
  MDBuilder B(F.getContext());
  MDNode *Root = B.createTBAARoot("Verso: variables of COMMON blocks");
  bool Changed = false;
  for (const auto &[I, V] : Accesses) {
    const Block &Of = Blocks[V.Block];
    if (!Of.IsAgreedOn || Of.Procedures.size() == 1)
      continue;
    MDNode *Type = B.createTBAAScalarTypeNode(
        (V.Block + "/bytes_" + Twine(V.First) + "_to_" + Twine(V.Last)).str(),
        B.createTBAAScalarTypeNode(V.Block, Root));
    I->setMetadata(LLVMContext::MD_tbaa,
                   B.createTBAAStructTagNode(Type, Type, 0));
    Changed = true;
  }
  return Changed;
}
