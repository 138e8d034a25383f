//===- LackingShadows.cpp - loops whose memory has shadows ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/LackingShadows.h"
#include "emit/VersionLoop.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// What C is if the pointers that it compares are different; nothing if that
/// does not say.
static std::optional<bool> ifDifferent(Value *C, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 8;
  Value *A, *B;
  if (auto *Compare = dyn_cast<ICmpInst>(C)) {
    if (!Compare->isEquality() ||
        !Compare->getOperand(0)->getType()->isPointerTy() ||
        any_of(Compare->operands(), [](Value *V) { return isa<Constant>(V); }))
      return std::nullopt;
    return Compare->getPredicate() == ICmpInst::ICMP_NE;
  }
  if (Depth == MostDepth)
    return std::nullopt;
  if (match(C, m_Not(m_Value(A)))) {
    std::optional<bool> Of = ifDifferent(A, Depth + 1);
    return Of ? std::optional(!*Of) : std::nullopt;
  }
  bool IsAnd = match(C, m_LogicalAnd(m_Value(A), m_Value(B)));
  if (!IsAnd && !match(C, m_LogicalOr(m_Value(A), m_Value(B))))
    return std::nullopt;
  std::optional<bool> OfA = ifDifferent(A, Depth + 1),
                      OfB = ifDifferent(B, Depth + 1);
  // One side alone decides if it is false in a conjunction, true otherwise.
  if (OfA == !IsAnd || OfB == !IsAnd)
    return !IsAnd;
  return OfA && OfB ? std::optional(IsAnd) : std::nullopt;
}

/// The conditions in L that do not change, and what they are if pointers are
/// different.
static MapVector<Value *, bool> conditionsOf(const Loop &L) {
  MapVector<Value *, bool> Result;
  auto Add = [&](Value *C) {
    if (isa<Instruction>(C) && L.isLoopInvariant(C))
      if (std::optional<bool> Is = ifDifferent(C))
        Result.insert({C, *Is});
  };
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (auto *Select = dyn_cast<SelectInst>(&I))
        Add(Select->getCondition());
      else if (auto *Branch = dyn_cast<BranchInst>(&I);
               Branch && Branch->isConditional())
        Add(Branch->getCondition());
    }
  return Result;
}

bool verso::takeShadowsAsThere(Loop &L, LoopInfo &LI, DominatorTree &DT,
                               ScalarEvolution &SE) {
  constexpr size_t MostInstructions = 2000;
  size_t Instructions = 0;
  for (const BasicBlock *Block : L.blocks())
    Instructions += Block->size();
  if (Instructions > MostInstructions || !L.isLoopSimplifyForm() ||
      !L.getExitBlock() || L.getExitingBlock() != L.getLoopLatch() ||
      !L.isSafeToClone())
    return false;
  MapVector<Value *, bool> Conditions = conditionsOf(L);
  if (Conditions.empty())
    return false;
  formLCSSA(L, DT, &LI, &SE);
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  Value *AreThere = nullptr;
  for (auto [C, Is] : Conditions) {
    Value *Holds = B.CreateFreeze(C);
    if (!Is)
      Holds = B.CreateNot(Holds);
    AreThere = AreThere ? B.CreateAnd(AreThere, Holds) : Holds;
  }
  ValueToValueMapTy Map;
  versionLoop(L, AreThere, ".lacking", Map, LI, DT, SE);
  for (auto [C, Is] : Conditions)
    C->replaceUsesWithIf(B.getInt1(Is), [&](Use &U) {
      return L.contains(cast<Instruction>(U.getUser()));
    });
  return true;
}
