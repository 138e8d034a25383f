//===- Plugin.cpp - registration ------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests are lowered after simplification and before vectorisation. A
// compilation for LTO leaves them to the link, where all bodies are known.
//
//===----------------------------------------------------------------------===//

#include "LLVMCompat.h"
#include "VersoPass.h"

#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/ElimAvailExtern.h"

#include <memory>

using namespace llvm;

/// The pipeline of a ThinLTO link at -O0 has no extension points. Requests that
/// are left when it comes to the pass below are lowered there; in any other
/// pipeline that has this pass they were lowered before.
static void registerThinLinkAtO0(PassBuilder &PB) {
  PassInstrumentationCallbacks *Passes = PB.getPassInstrumentationCallbacks();
  if (!Passes)
    return;
  auto Analyses = std::make_shared<ModuleAnalysisManager *>(nullptr);
  PB.registerAnalysisRegistrationCallback(
      [Analyses](ModuleAnalysisManager &AM) { *Analyses = &AM; });
  Passes->registerBeforeNonSkippedPassCallback([Analyses](StringRef Pass,
                                                          Any IR) {
    const auto **Unit = any_cast<const Module *>(&IR);
    if (Pass != EliminateAvailableExternallyPass::name() || !Unit || !*Analyses)
      return;
    auto &M = const_cast<Module &>(**Unit);
    (*Analyses)->invalidate(M, verso::VersoPass().run(M, **Analyses));
  });
}

static void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "verso")
          return false;
        MPM.addPass(verso::VersoPass());
        return true;
      });
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(verso::PreservePass());
      });
  verso::compat::registerOptimizerEarly(
      PB,
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase Phase) {
        if (Phase != ThinOrFullLTOPhase::ThinLTOPreLink &&
            Phase != ThinOrFullLTOPhase::FullLTOPreLink)
          MPM.addPass(verso::VersoPass());
      });
  registerThinLinkAtO0(PB);
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(verso::VersoPass());
      });
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Verso", "0.1", registerCallbacks};
}
