//===- CalleeWrites.cpp - through which parameters is written -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/CalleeWrites.h"
#include "analysis/ArgumentAccesses.h"
#include "analysis/CallModel.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// Whether \p P leads into memory that nobody may write to: the text that a
/// function which throws is given.
static bool isConstantMemory(const Value *P) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
  return all_of(Objects, [](const Value *Object) {
    auto *Global = dyn_cast<GlobalVariable>(Object);
    return isa<Function>(Object) || (Global && Global->isConstant());
  });
}

/// The arguments through which a call without a body that we follow writes;
/// none if that is not all.
static std::optional<SmallVector<const Value *, 4>>
writtenArguments(const CallBase &Call, const CallModel &M) {
  SmallVector<const Value *, 4> Written;
  auto AddAll = [&] {
    for (const auto &[K, Argument] : enumerate(Call.args()))
      if (Argument->getType()->isPtrOrPtrVectorTy() &&
          !Call.onlyReadsMemory(K) && !isConstantMemory(Argument))
        Written.push_back(Argument);
  };
  if (M.K == CallModel::Inactive) {
    AddAll();
    return Written;
  }
  if (M.K == CallModel::Operation)
    return Written;
  if (M.K != CallModel::Library)
    return std::nullopt;
  switch (M.Known->K) {
  case KnownCall::Allocate:
  case KnownCall::AllocateZeroed:
  case KnownCall::Free:
    return Written;
  case KnownCall::Set:
  case KnownCall::Copy:
    Written.push_back(Call.getArgOperand(M.Known->Destination));
    return Written;
  case KnownCall::WritesBytes:
    AddAll();
    return Written;
  default:
    return std::nullopt;
  }
}

static bool changesNothing(const Instruction &I) {
  if (!I.mayWriteToMemory())
    return true;
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    return Intrinsic->isAssumeLikeIntrinsic();
  return false;
}

/// A function that is being looked at: what it writes itself, and its calls.
struct CalleeWrites::Scan {
  Writes Found;
  SmallVector<std::pair<const CallBase *, const Function *>, 8> Calls;
  SmallPtrSet<const Value *, 32> Seen; ///< Addresses whose objects are found.

  /// Many stores go to places of one web of phis, which is walked once.
  void add(const Value *P) {
    SmallVector<const Value *, 8> Work{P};
    while (!Work.empty()) {
      const Value *Object =
          getUnderlyingObject(Work.pop_back_val(), /*MaxLookup=*/0);
      if (!Seen.insert(Object).second)
        continue;
      if (auto *Choice = dyn_cast<SelectInst>(Object))
        Work.append({Choice->getTrueValue(), Choice->getFalseValue()});
      else if (auto *Phi = dyn_cast<PHINode>(Object))
        append_range(Work, Phi->incoming_values());
      else if (auto *Parameter = dyn_cast<Argument>(Object))
        Found.Through.set(Parameter->getArgNo());
      else if (isOfFunction(Object))
        Found.Own |= !isa<Constant>(Object);
      else
        Found.Anywhere = true;
    }
  }

  void add(const Instruction &I, const TargetLibraryInfo *TLI) {
    if (changesNothing(I))
      return;
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return add(Store->getPointerOperand());
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call) {
      Found.Anywhere = true;
      return;
    }
    CallModel M = modelCall(*Call, TLI);
    if ((M.K == CallModel::Direct || M.K == CallModel::Silent) &&
        M.Callee->getFunctionType() == Call->getFunctionType()) {
      Calls.push_back({Call, M.Callee});
      return;
    }
    auto Written = writtenArguments(*Call, M);
    Found.Anywhere |= !Written;
    if (Written)
      for (const Value *P : *Written)
        add(P);
  }

  void add(const CallBase &Call, const Writes &Its) {
    Found.Anywhere |= Its.Anywhere;
    Found.Own |= Its.Own;
    for (unsigned K : Its.Through.set_bits())
      add(Call.getArgOperand(K));
  }
};

const CalleeWrites::Writes &CalleeWrites::of(const Function &F) {
  if (auto It = Known.find(&F); It != Known.end())
    return It->second;
  constexpr unsigned MaxFunctions = 100;
  MapVector<const Function *, Scan> Scans;
  SmallSetVector<const Function *, 16> Work;
  Work.insert(&F);
  for (unsigned K = 0; K != Work.size(); ++K) {
    const Function *G = Work[K];
    Scan &S = Scans[G];
    S.Found.Through.resize(G->arg_size());
    S.Found.Anywhere = G->isDeclaration() || K >= MaxFunctions;
    if (S.Found.Anywhere)
      continue;
    for (const Instruction &I : instructions(*G))
      S.add(I, TLI);
    for (auto [Call, Callee] : S.Calls)
      if (!Known.count(Callee))
        Work.insert(Callee);
  }
  auto Same = [](const Writes &A, const Writes &B) {
    return A.Anywhere == B.Anywhere && A.Own == B.Own && A.Through == B.Through;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto &[G, S] : Scans) {
      Writes Before = S.Found;
      for (auto [Call, Callee] : S.Calls) {
        auto *Mine = Scans.find(Callee);
        S.add(*Call, Mine != Scans.end() ? Writes(Mine->second.Found)
                                         : Known.at(Callee));
      }
      Changed |= !Same(Before, S.Found);
    }
  }
  for (auto &[G, S] : Scans)
    Known.emplace(G, S.Found);
  return Known.at(&F);
}

std::optional<SmallVector<const Value *, 4>>
CalleeWrites::throughArguments(const CallBase &Call) {
  if (changesNothing(Call))
    return SmallVector<const Value *, 4>();
  CallModel M = modelCall(Call, TLI);
  if (M.K != CallModel::Direct && M.K != CallModel::Silent)
    return writtenArguments(Call, M);
  if (M.Callee->getFunctionType() != Call.getFunctionType())
    return std::nullopt;
  const Writes &Its = of(*M.Callee);
  if (Its.Anywhere)
    return std::nullopt;
  SmallVector<const Value *, 4> Written;
  for (unsigned K : Its.Through.set_bits())
    Written.push_back(Call.getArgOperand(K));
  return Written;
}
