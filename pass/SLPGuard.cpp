//===- SLPGuard.cpp - generated code and the SLP vectoriser ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SLPGuard.h"
#include "emit/Runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

#include <memory>

using namespace llvm;
using namespace verso;

/// What is to be observed: \p IR before or after \p Pass, if that is the SLP
/// vectoriser and works on a function of ours.
static Function *generatedFunction(StringRef Pass, const Any &IR) {
  const auto *F = Pass == SLPVectorizerPass::name()
                      ? any_cast<const Function *>(&IR)
                      : nullptr;
  return F && isGenerated(**F) ? const_cast<Function *>(*F) : nullptr;
}

namespace {

class SLPGuard {
public:
  void setAnalyses(FunctionAnalysisManager &AM) { FAM = &AM; }
  void before(Function &F);
  void after(Function &F, const PreservedAnalyses &Preserved);

private:
  void restore(Function &F);

  FunctionAnalysisManager *FAM = nullptr;
  Function *Before = nullptr;
};

} // namespace

/// (The address of a block is that of one function's.)
void SLPGuard::before(Function &F) {
  if (!FAM || any_of(F, [](BasicBlock &B) { return B.hasAddressTaken(); }))
    return;
  ValueToValueMapTy Values;
  Before = CloneFunction(&F, Values);
}

/// Whether something is used where it is not there. (LLVM's verifier says so,
/// too, but follows all descriptions for debuggers from each function anew: a
/// twentieth of the compile time of Eigen's gradients.)
static bool usesBeforeDefinitions(Function &F) {
  const DominatorTree DT(F);
  return any_of(instructions(F), [&](const Instruction &I) {
    return any_of(I.operands(), [&](const Use &U) {
      return isa<Instruction>(U) && !DT.dominates(U.get(), U);
    });
  });
}

void SLPGuard::after(Function &F, const PreservedAnalyses &Preserved) {
  if (!Before)
    return;
  if (!Preserved.areAllPreserved() && usesBeforeDefinitions(F))
    restore(F);
  std::exchange(Before, nullptr)->eraseFromParent();
}

void SLPGuard::restore(Function &F) {
  FAM->clear(F, F.getName());
  for (BasicBlock &B : F)
    B.dropAllReferences();
  while (!F.empty())
    F.begin()->eraseFromParent();
  F.splice(F.end(), Before);
  for (auto [Old, New] : zip_equal(Before->args(), F.args()))
    Old.replaceAllUsesWith(&New);
  F.setSubprogram(Before->getSubprogram());
}

void verso::guardVectorisedFunctions(PassBuilder &PB) {
  PassInstrumentationCallbacks *Passes = PB.getPassInstrumentationCallbacks();
  if (!Passes)
    return;
  constexpr unsigned Huge = 30000; // instructions
  Passes->registerShouldRunOptionalPassCallback([](StringRef Pass, Any IR) {
    Function *F = generatedFunction(Pass, IR);
    return !F || F->getInstructionCount() < Huge;
  });
  auto Guard = std::make_shared<SLPGuard>();
  PB.registerAnalysisRegistrationCallback(
      [Guard](FunctionAnalysisManager &AM) { Guard->setAnalyses(AM); });
  Passes->registerBeforeNonSkippedPassCallback([Guard](StringRef Pass, Any IR) {
    if (Function *F = generatedFunction(Pass, IR))
      Guard->before(*F);
  });
  // Before others verify.
  Passes->registerAfterPassCallback(
      [Guard](StringRef Pass, Any IR, const PreservedAnalyses &Preserved) {
        if (Function *F = generatedFunction(Pass, IR))
          Guard->after(*F, Preserved);
      },
      /*ToFront=*/true);
}
