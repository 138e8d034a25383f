//===- Plugin.cpp - registration ------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests are lowered after simplification and before vectorisation. A
// compilation for LTO leaves them to the link, where all bodies are known, and
// all stores in the variables that are no longer of other files.
//
//===----------------------------------------------------------------------===//

#include "HugeBlocks.h"
#include "KeptLoops.h"
#include "LLVMCompat.h"
#include "SLPGuard.h"
#include "VersoPass.h"
#include "emit/NumbersAcrossCalls.h"
#include "rules/ZeroSelects.h"
#include "structured/loops/AdjacentCells.h"
#include "structured/loops/ReversedLoops.h"
#include "structured/loops/SumOrder.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/ElimAvailExtern.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/GlobalOpt.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <memory>

using namespace llvm;

/// The pipeline of a ThinLTO link at -O0 has no extension points: none of them
/// is asked for, and requests are lowered when it comes to a pass of its own.
static void registerThinLinkAtO0(PassBuilder &PB) {
  PassInstrumentationCallbacks *Passes = PB.getPassInstrumentationCallbacks();
  if (!Passes)
    return;
  // Null also where another pipeline is built, which has extension points.
  auto Analyses = std::make_shared<ModuleAnalysisManager *>(nullptr);
  PB.registerAnalysisRegistrationCallback(
      [Analyses](ModuleAnalysisManager &AM) { *Analyses = &AM; });
  PB.registerPipelineStartEPCallback(
      [Analyses](ModulePassManager &, OptimizationLevel) {
        *Analyses = nullptr;
      });
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [Analyses](ModulePassManager &, OptimizationLevel) {
        *Analyses = nullptr;
      });
  verso::compat::registerOptimizerEarly(
      PB, [Analyses](ModulePassManager &, OptimizationLevel,
                     ThinOrFullLTOPhase) { *Analyses = nullptr; });
  Passes->registerBeforeNonSkippedPassCallback(
      [Analyses](StringRef Pass, Any IR) {
        if (!*Analyses || Pass != EliminateAvailableExternallyPass::name())
          return;
        if (const auto **Unit = any_cast<const Module *>(&IR)) {
          auto &M = const_cast<Module &>(**Unit);
          (*Analyses)->invalidate(M, verso::VersoPass().run(M, **Analyses));
        }
      });
}

/// What only the whole program shows: nobody stores in a library's variable for
/// an error handler, so the library calls none, and does not come back from an
/// error. Each file alone has been simplified before.
static void addLinkTimeSimplification(ModulePassManager &MPM) {
  // Another file may define the markers.
  MPM.addPass(verso::PreservePass());
  MPM.addPass(GlobalDCEPass());
  MPM.addPass(GlobalOptPass());
  MPM.addPass(createModuleToFunctionPassAdaptor(SimplifyCFGPass()));
  MPM.addPass(
      createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  MPM.addPass(createModuleToFunctionPassAdaptor(SimplifyCFGPass()));
}

static void registerCallbacks(PassBuilder &PB) {
  verso::recordManyDependences();
  verso::revisitChangedBlocksOnly();
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "verso")
          return false;
        MPM.addPass(verso::VersoPass());
        return true;
      });
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level) {
        MPM.addPass(verso::PreservePass(
            /*Optimises=*/Level != OptimizationLevel::O0));
      });
  // LLVM 20 tells the phase, too.
  PB.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &MPM, auto...) {
        MPM.addPass(verso::DropImportedRequestsPass());
      });
  verso::compat::registerOptimizerEarly(PB, [](ModulePassManager &MPM,
                                               OptimizationLevel Level,
                                               ThinOrFullLTOPhase Phase) {
    if (Phase != ThinOrFullLTOPhase::ThinLTOPreLink &&
        Phase != ThinOrFullLTOPhase::FullLTOPreLink)
      MPM.addPass(verso::VersoPass(
          /*DropsUnused=*/Level != OptimizationLevel::O0));
  });
  verso::compat::registerOptimizerLast(PB, [](ModulePassManager &MPM,
                                              OptimizationLevel,
                                              ThinOrFullLTOPhase) {
    MPM.addPass(verso::AfterVectorizersPass());
    MPM.addPass(createModuleToFunctionPassAdaptor(verso::ZeroSelectsPass()));
    MPM.addPass(
        createModuleToFunctionPassAdaptor(verso::NumbersAcrossCallsPass()));
  });
  PB.registerFullLinkTimeOptimizationLastEPCallback([](ModulePassManager &MPM,
                                                       OptimizationLevel) {
    MPM.addPass(verso::AfterVectorizersPass());
    MPM.addPass(createModuleToFunctionPassAdaptor(verso::ZeroSelectsPass()));
    MPM.addPass(
        createModuleToFunctionPassAdaptor(verso::NumbersAcrossCallsPass()));
  });
  registerThinLinkAtO0(PB);
  verso::guardVectorisedFunctions(PB);
  PB.registerLateLoopOptimizationsEPCallback(
      [](LoopPassManager &LPM, OptimizationLevel Level) {
        if (Level.getSpeedupLevel() > 1) // Else LLVM unrolls nothing.
          LPM.addPass(verso::KeepLoopsPass(Level == OptimizationLevel::O3));
      });
  PB.registerVectorizerStartEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel Level) {
        if (Level.getSpeedupLevel() > 1)
          FPM.addPass(verso::AdjacentCellsPass());
      });
  verso::compat::registerAroundVectorizers(
      PB,
      [](FunctionPassManager &FPM, OptimizationLevel) {
        FPM.addPass(verso::OpenSumsPass());
      },
      [](FunctionPassManager &FPM, OptimizationLevel) {
        FPM.addPass(verso::CloseSumsPass());
      });
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level) {
        if (Level != OptimizationLevel::O0)
          addLinkTimeSimplification(MPM);
        MPM.addPass(verso::VersoPass());
      });
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Verso", "0.1", registerCallbacks};
}
