//===- Circles.cpp - who calls whom in a circle ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/recursion/Circles.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

const Circles::Callees &Circles::calleesOf(Function &F) {
  auto [It, New] = Direct.try_emplace(&F);
  if (!New)
    return It->second;
  Callees Result;
  if (!F.isDeclaration()) {
    const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        CallModel M = modelCall(*Call, TLI);
        if (M.K == CallModel::Direct)
          Result.insert(M.Callee);
        else if (M.K == CallModel::Indirect && Likely)
          compat::insertRange(Result, Likely->of(*Call));
      }
  }
  return Direct[&F] = std::move(Result);
}

const Circles::Callees &Circles::reachableFrom(Function &F) {
  if (auto It = Reachable.find(&F); It != Reachable.end())
    return It->second;
  Callees Result;
  compat::insertRange(Result, calleesOf(F));
  for (unsigned K = 0; K != Result.size(); ++K) {
    const Callees &More = calleesOf(*Result[K]);
    compat::insertRange(Result, More);
  }
  return Reachable[&F] = std::move(Result);
}

Circle Circles::circleOf(Function &F) {
  Circle Result;
  Callees Reached = reachableFrom(F);
  if (Likely && Likely->isDispatcher(F)) {
    for (Function *G : calleesOf(F))
      compat::insertRange(Result, circleOf(*G));
    if (!Result.empty())
      Result.insert(&F);
    return Result;
  }
  if (!Reached.contains(&F))
    return Result;
  Result.insert(&F);
  for (Function *G : Reached)
    if (reachableFrom(*G).contains(&F))
      Result.insert(G);
  return Result;
}

bool Circles::reachesRecursion(Function &F) {
  if (isRecursive(F))
    return true;
  Callees Reached = reachableFrom(F);
  return any_of(Reached, [&](Function *G) { return isRecursive(*G); });
}
