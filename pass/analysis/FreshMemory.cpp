//===- FreshMemory.cpp - loads of what a request did not write ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/FreshMemory.h"
#include "analysis/CallModel.h"
#include "analysis/ObjectsApart.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"

#include "llvm/Analysis/CFG.h"
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

/// Whether \p F and all that it calls write no memory. LLVM's attributes are
/// silent about inline functions and templates, whose body another file may
/// replace; twins are made of this one.
static bool writesNothing(const Function &F, const TargetLibraryInfo *TLI) {
  constexpr unsigned MaxFunctions = 100;
  SmallPtrSet<const Function *, 8> Seen{&F};
  SmallVector<const Function *, 8> Work{&F};
  while (!Work.empty()) {
    const Function *G = Work.pop_back_val();
    if (G->isDeclaration() || Seen.size() > MaxFunctions)
      return false;
    for (const Instruction &I : instructions(*G)) {
      if (!I.mayWriteToMemory())
        continue;
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        return false;
      CallModel M = modelCall(*Call, TLI);
      if (M.K == CallModel::Direct) {
        if (Seen.insert(M.Callee).second)
          Work.push_back(M.Callee);
      } else if (M.K != CallModel::Operation) {
        return false;
      }
    }
  }
  return true;
}

/// Whether \p I may write mapped tangents other than zero, or images.
static bool mayWrite(const Instruction &I, MemoryTrait Of,
                     const BitVector &Varied, const TargetLibraryInfo *TLI) {
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
  if (M.K == CallModel::Direct)
    return !writesNothing(*M.Callee, TLI);
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

FreshMemory::FreshMemory(Function &F, MemoryTrait Of,
                         const BitVector &VariedArguments, AAResults &Aliases,
                         const TargetLibraryInfo *TLI) {
  // Their number times that of loads are looked at.
  constexpr unsigned MaxWriters = 64;
  SmallVector<const Instruction *, 16> Writers;
  for (Instruction &I : instructions(F))
    if (mayWrite(I, Of, VariedArguments, TLI))
      Writers.push_back(&I);
  All = Writers.empty();
  if (Writers.size() > MaxWriters)
    return;
  ObjectsApart Objects(Aliases);
  DenseMap<const Value *, bool> Answers;
  auto IsFresh = [&](const Value *P) {
    return none_of(Writers, [&](const Instruction *I) {
      // A block that is reallocated is new memory to alias analysis.
      return !Objects.isApartFromWrites(P, *I) ||
             (I->getType()->isPointerTy() && !Objects.areApart(P, I));
    });
  };
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      const Value *P = Load->getPointerOperand();
      auto [It, New] = Answers.try_emplace(P, false);
      if (New)
        It->second = IsFresh(P);
      if (It->second)
        Fresh.insert(Load);
    }
}

void FreshMemory::follow(const ValueToValueMapTy &Clones) {
  DenseSet<const LoadInst *> Theirs;
  for (const LoadInst *Load : Fresh)
    if (const Value *Clone = Clones.lookup(Load))
      if (auto *Its = dyn_cast<LoadInst>(Clone))
        Theirs.insert(Its);
  Fresh = std::move(Theirs);
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
  return none_of(successors(Block),
                 [&](const BasicBlock *Next) {
                   return isPotentiallyReachable(Next, Block);
                 }) &&
         none_of(instructions(*Call.getFunction()), [&](const Instruction &I) {
           return &I != &Call && mayWrite(I, Of, VariedArguments, TLI);
         });
}
