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
#include "structured/SumOrder.h"

#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

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
      PB, [](ModulePassManager &MPM, OptimizationLevel,
             ThinOrFullLTOPhase Phase) {
        if (Phase != ThinOrFullLTOPhase::ThinLTOPreLink &&
            Phase != ThinOrFullLTOPhase::FullLTOPreLink)
          MPM.addPass(verso::VersoPass());
      });
  PB.registerVectorizerStartEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel) {
        FPM.addPass(verso::OpenSumsPass());
      });
  PB.registerVectorizerEndEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel) {
        FPM.addPass(verso::CloseSumsPass());
      });
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(verso::VersoPass());
      });
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Verso", "0.1", registerCallbacks};
}
