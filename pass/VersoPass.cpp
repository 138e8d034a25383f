//===- VersoPass.cpp - the module pass ------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests are lowered innermost first: one that a differentiated function
// makes is ordinary code by the time that its caller is differentiated. What
// was generated is optimised at the end, at every optimisation level.
//
//===----------------------------------------------------------------------===//

#include "VersoPass.h"
#include "Diagnostics.h"
#include "prepare/NormalizeMath.h"
#include "request/Request.h"
#include "rules/KnownCalls.h"
#include "taped/TapedRequest.h"
#include "taped/Twins.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace verso;

/// Everything that \p F refers to, directly or not.
static SmallPtrSet<const Function *, 16> reachableFrom(const Function &F) {
  SmallPtrSet<const Function *, 16> Seen{&F};
  SmallVector<const Function *, 16> Work{&F};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val()))
      for (const Value *Op : I.operands())
        if (auto *Callee = dyn_cast<Function>(Op->stripPointerCasts()))
          if (Seen.insert(Callee).second)
            Work.push_back(Callee);
  return Seen;
}

/// Orders requests so that one comes after those in the functions it reaches.
/// Those that reach themselves are reported and dropped.
static std::vector<Request> innermostFirst(std::vector<Request> Requests,
                                           Diagnostics &D) {
  std::vector<Request> Ordered;
  std::vector<SmallPtrSet<const Function *, 16>> Reach;
  for (const Request &R : Requests)
    Reach.push_back(reachableFrom(*R.Primal));
  SmallVector<bool> Done(Requests.size(), false);
  for (size_t Left = Requests.size(); Left;) {
    bool Progress = false;
    for (size_t K = 0; K != Requests.size(); ++K) {
      if (Done[K])
        continue;
      bool Ready = true;
      for (size_t J = 0; J != Requests.size() && Ready; ++J)
        Ready = Done[J] || !Reach[K].contains(Requests[J].Call->getFunction());
      if (!Ready)
        continue;
      Ordered.push_back(Requests[K]);
      Done[K] = Progress = true;
      --Left;
    }
    if (Progress)
      continue;
    for (size_t K = 0; K != Requests.size(); ++K)
      if (!Done[K])
        D.error(*Requests[K].Call,
                "the differentiated function makes this same request",
                "a request may not contain itself, directly or through calls");
    break;
  }
  return Ordered;
}

/// The ordinary optimiser over what was generated.
static void optimise(ArrayRef<Function *> Generated,
                     FunctionAnalysisManager &FAM) {
  PassBuilder PB;
  FunctionPassManager Simplify = PB.buildFunctionSimplificationPipeline(
      OptimizationLevel::O2, ThinOrFullLTOPhase::None);
  for (Function *F : Generated)
    FAM.invalidate(*F, Simplify.run(*F, FAM));
}

PreservedAnalyses PreservePass::run(Module &M, ModuleAnalysisManager &) {
  return hasRequests(M) && preserveRequests(M) ? PreservedAnalyses::none()
                                               : PreservedAnalyses::all();
}

PreservedAnalyses VersoPass::run(Module &M, ModuleAnalysisManager &AM) {
  if (!hasRequests(M))
    return PreservedAnalyses::all();
  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  Diagnostics D(M.getContext());
  applyInactiveMarks(M);
  std::vector<Request> Requests =
      innermostFirst(collectRequests(M, D), D);
  Twins Registry(M, FAM, D);
  SmallVector<Function *, 16> Generated;
  for (Request &R : Requests) {
    // Reverse mode by tape is what there is so far.
    if (R.Kind == RequestKind::Jvp || R.Kind == RequestKind::Linearize) {
      D.error(*R.Call, "forward mode is not available in this version",
              "use __verso_grad or __verso_vjp");
      continue;
    }
    Generated.push_back(lowerTaped(R, Registry));
    Registry.build();
  }
  Registry.finish();
  if (D.hadError())
    return PreservedAnalyses::none();
  releaseMathFunctions(M);
  append_range(Generated, Registry.built());
  assert(!verifyModule(M, &errs()) && "generated code is not valid");
  optimise(Generated, FAM);
  return PreservedAnalyses::none();
}
