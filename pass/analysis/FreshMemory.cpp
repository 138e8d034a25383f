//===- FreshMemory.cpp - loads of what a request did not write ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/FreshMemory.h"
#include "analysis/CallModel.h"
#include "analysis/CalleeWrites.h"
#include "analysis/ObjectsApart.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

/// Whether what \p P points to has a shadow of its own in any case.
static bool isNeverMapped(const Value *P, const BitVector &VariedArguments) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work{P};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (Seen.size() > 32)
      return false;
    if (isa<ConstantPointerNull, UndefValue>(V))
      continue;
    if (isa<GetElementPtrInst, PHINode, FreezeInst>(V))
      for (const Value *Op : cast<User>(V)->operands()) {
        if (Op->getType()->isPointerTy())
          Work.push_back(Op);
      }
    else if (auto *Arg = dyn_cast<Argument>(V)) {
      if (!VariedArguments.test(Arg->getArgNo()))
        return false;
    } else if (auto *Local = dyn_cast<Instruction>(V);
               !Local || !hasSibling(*Local))
      return false;
  }
  return true;
}

/// Whether \p I may write mapped tangents other than zero, or images.
static bool mayWrite(const Instruction &I, MemoryTrait Of,
                     const BitVector &Varied, const TargetLibraryInfo *TLI,
                     CalleeWrites &Callees) {
  bool IsImage = Of == MemoryTrait::Images;
  if (!I.mayWriteToMemory() || isInert(I))
    return false;
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return IsImage || (!isa<Constant>(Store->getValueOperand()) &&
                       !isNeverMapped(Store->getPointerOperand(), Varied));
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return true;
  CallModel M = modelCall(*Call, TLI);
  if (M.K == CallModel::Direct) {
    const CalleeWrites::Writes &Its = Callees.of(*M.Callee);
    return Its.isOfCaller() || (!IsImage && Its.Own);
  }
  if (M.K == CallModel::Inactive && IsImage) {
    auto Written = Callees.throughArguments(*Call);
    return !Written || !Written->empty();
  }
  if (M.K != CallModel::Library)
    return M.K != CallModel::Inactive && M.K != CallModel::Operation;
  switch (M.Known->K) {
  case KnownCall::Allocate:
  case KnownCall::AllocateZeroed:
  case KnownCall::Free:
    return false;
  case KnownCall::Set:
  case KnownCall::WritesBytes:
    return IsImage;
  case KnownCall::Copy:
    return IsImage ||
           !isNeverMapped(Call->getArgOperand(M.Known->Destination), Varied);
  default:
    return true;
  }
}

namespace {

/// What a function's writers leave alone.
class Untouched {
public:
  Untouched(AAResults &Aliases, CalleeWrites &Callees)
      : Objects(Aliases), Callees(Callees) {}

  SmallVector<const Instruction *, 16> Writers;

  bool isLeftAlone(const Value *P) {
    auto [It, New] = Answers.try_emplace(P, false);
    if (New)
      It->second = all_of(Writers, [&](const Instruction *I) {
        // A block that is reallocated is new memory to alias analysis.
        return isApart(P, *I) &&
               (!I->getType()->isPointerTy() || Objects.areApart(P, I));
      });
    return It->second;
  }

private:
  bool isApart(const Value *P, const Instruction &I) {
    if (Objects.isApartFromWrites(P, I))
      return true;
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      return false;
    auto Written = Callees.throughArguments(*Call);
    return Written && all_of(*Written, [&](const Value *To) {
             return Objects.areApart(P, To);
           });
  }

  ObjectsApart Objects;
  CalleeWrites &Callees;
  DenseMap<const Value *, bool> Answers;
};

/// Whether \p P leads into memory of parameters in \p Quiet and nowhere else.
bool isOfParameters(const Value *P, const BitVector &Quiet) {
  if (Quiet.none())
    return false;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
  return all_of(Objects, [&](const Value *Object) {
    auto *Parameter = dyn_cast<Argument>(Object);
    return Parameter && Quiet.test(Parameter->getArgNo());
  });
}

} // namespace

FreshMemory::FreshMemory(Function &F, MemoryTrait Of,
                         const BitVector &VariedArguments,
                         const Beginning &Begins, AAResults &Aliases,
                         const TargetLibraryInfo *TLI) {
  // Their number times that of loads are looked at.
  constexpr unsigned MaxWriters = 64;
  CalleeWrites Callees(TLI);
  Untouched Memory(Aliases, Callees);
  if (Begins.Everywhere)
    for (Instruction &I : instructions(F))
      if (mayWrite(I, Of, VariedArguments, TLI, Callees))
        Memory.Writers.push_back(&I);
  All = Begins.Everywhere && Memory.Writers.empty();
  const bool Asks = Begins.Everywhere && Memory.Writers.size() <= MaxWriters;
  auto IsFresh = [&](const Value *P) {
    return isOfParameters(P, Begins.Quiet) || (Asks && Memory.isLeftAlone(P));
  };
  for (Instruction &I : instructions(F)) {
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      if (IsFresh(Load->getPointerOperand()))
        Fresh.insert(Load);
      continue;
    }
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || All || Of != MemoryTrait::Images ||
        modelCall(*Call, TLI).K != CallModel::Direct)
      continue;
    BitVector Quiet(Call->arg_size());
    for (const auto &[K, Argument] : enumerate(Call->args()))
      if (Argument->getType()->isPointerTy() && !isa<Constant>(Argument))
        Quiet[K] = IsFresh(Argument);
    if (Quiet.any())
      QuietArguments[Call] = std::move(Quiet);
  }
}

void FreshMemory::follow(const ValueToValueMapTy &Clones) {
  DenseSet<const LoadInst *> Theirs;
  for (const LoadInst *Load : Fresh)
    if (const Value *Clone = Clones.lookup(Load))
      if (auto *Its = dyn_cast<LoadInst>(Clone))
        Theirs.insert(Its);
  Fresh = std::move(Theirs);
  DenseMap<const CallBase *, BitVector> OfTheirs;
  for (auto &[Call, Quiet] : QuietArguments)
    if (const Value *Clone = Clones.lookup(Call))
      if (auto *Its = dyn_cast<CallBase>(Clone))
        OfTheirs[Its] = Quiet;
  QuietArguments = std::move(OfTheirs);
}

bool verso::startsFresh(const CallBase &Call, MemoryTrait Of,
                        const BitVector &Varied,
                        const BitVector &VariedArguments,
                        const TargetLibraryInfo *TLI) {
  for (unsigned K : Varied.set_bits())
    if (const Value *V = Call.getArgOperand(K);
        Of == MemoryTrait::MappedTangents && V->getType()->isPointerTy() &&
        !isNeverMapped(V, VariedArguments))
      return false;
  // No second time.
  const BasicBlock *Block = Call.getParent();
  CalleeWrites Callees(TLI);
  return none_of(successors(Block),
                 [&](const BasicBlock *Next) {
                   return isPotentiallyReachable(Next, Block);
                 }) &&
         none_of(instructions(*Call.getFunction()), [&](const Instruction &I) {
           return &I != &Call && mayWrite(I, Of, VariedArguments, TLI, Callees);
         });
}
