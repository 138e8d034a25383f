//===- DisjointArguments.cpp - arguments told apart at run time -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/DisjointArguments.h"
#include "analysis/ArgumentAccesses.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;
using namespace verso;

namespace {

/// Erases in the end what was added to an entry block.
class EntryAsItWas {
public:
  EntryAsItWas(Function &F, ScalarEvolution &SE)
      : Entry(F.getEntryBlock()), SE(SE) {
    for (Instruction &I : Entry)
      Before.insert(&I);
  }
  ~EntryAsItWas() {
    for (Instruction &I : make_early_inc_range(reverse(Entry)))
      if (!Before.contains(&I)) {
        SE.forgetValue(&I);
        I.eraseFromParent();
      }
  }

private:
  BasicBlock &Entry;
  ScalarEvolution &SE;
  SmallPtrSet<const Instruction *, 32> Before;
};

} // namespace

DisjointArguments verso::findDisjointArguments(
    Function &F, const DenseMap<Value *, Value *> &Shadows, ScalarEvolution &SE,
    const TargetLibraryInfo *TLI) {
  constexpr unsigned MostPointers = 16;
  ArgumentAccesses Found(F, SE, TLI);
  const auto &ByBase = Found.byBase();
  if (Found.unknown() || ByBase.size() < 2 || ByBase.size() > MostPointers ||
      none_of(ByBase, [](const auto &A) { return A.second.IsWritten; }))
    return {};
  EntryAsItWas Restored(F, SE);
  AddressRanges Bounds(SE, &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  IRBuilder<> &B = Bounds.builder();
  DisjointArguments Result;
  Value *Condition = B.getTrue();
  using RangeOf = std::pair<Interval, bool>;
  auto TellApart = [&](SmallVectorImpl<RangeOf> &Ranges, Value *Base,
                       const Interval &Offsets, bool IsWritten) {
    Interval I = Bounds.addresses(Base, Offsets);
    for (auto &[J, OtherIsWritten] : Ranges)
      if (IsWritten || OtherIsWritten)
        Condition = B.CreateAnd(Condition, Bounds.areApart(I, J));
    Condition = B.CreateAnd(Condition, Bounds.areAddresses(I));
    Ranges.push_back({I, IsWritten});
  };
  SmallVector<RangeOf, 8> Ranges, RangesOfShadows;
  for (auto &[Base, A] : ByBase) {
    std::optional<Interval> Offsets = ArgumentAccesses::offsets(A, Bounds);
    if (!Offsets)
      return {};
    TellApart(Ranges, Base, *Offsets, A.IsWritten);
    auto *P = dyn_cast<Argument>(Base);
    if (!P)
      continue;
    Result.Arguments.push_back(P->getArgNo());
    auto *Shadow = dyn_cast_or_null<Argument>(Shadows.lookup(P));
    if (!Shadow)
      continue;
    // Two arguments that are only read may be one, and so may their shadows.
    TellApart(RangesOfShadows, Shadow, *Offsets, A.IsWritten);
    if (A.IsWritten)
      Result.Arguments.push_back(Shadow->getArgNo());
  }
  Result.IsUnlikely = Bounds.isGuess();
  Result.Test = asFunctionOfArguments(F, Condition, ".disjoint");
  return Result;
}
