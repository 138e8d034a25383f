//===- KeptLoops.cpp - loops that are differentiated as loops -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptLoops.h"

#include "LLVMCompat.h"
#include "emit/Runtime.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace verso;

/// Of modules, of functions and of loops.
static constexpr const char Kept[] = "verso.keeps.loops";
/// Of functions: the attribute's value where LLVM unrolls as at -O3.
static constexpr StringLiteral Much = "much";
static constexpr const char NotUnrolled[] = "llvm.loop.unroll.disable";

/// Instructions of the loops that LLVM unrolls at -O2 (DefaultThreshold of its
/// LoopUnrollPass).
static constexpr uint64_t MostUnrolled = 150;

/// Shorter loops are left to LLVM: a loop around one may vectorise, and its
/// adjoint with it, as that of a convolution with nine weights (2.6 times as
/// fast as with the loop inside).
static constexpr unsigned LeastTrips = 16;

/// Instructions that loops of calls may become as straight code: what is called
/// is no less than LLVM inlines, so this is two iterations or three.
static constexpr uint64_t MostOfCalls = 800;

static uint64_t sizeOf(const Loop &L) {
  uint64_t Size = 0;
  for (const BasicBlock *Block : L.blocks())
    Size += Block->sizeWithoutDebug();
  return Size;
}

/// Instructions that come into \p L where its calls are inlined, if there are
/// fewer than \p Enough; each function is counted once.
static uint64_t sizeOfCallees(const Loop &L, uint64_t Enough) {
  SmallSetVector<const Function *, 8> Called;
  auto Look = [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && !Callee->isDeclaration())
      Called.insert(Callee);
  };
  for (const BasicBlock *Block : L.blocks())
    for_each(*Block, Look);
  uint64_t Size = 0;
  for (size_t K = 0; K != Called.size() && Size < Enough; ++K)
    for (const Instruction &I : instructions(*Called[K])) {
      ++Size;
      Look(I);
    }
  return Size;
}

/// How often \p L runs at most; zero if nobody knows. It may be left before, by
/// an exception for one.
static unsigned mostTrips(const Loop &L, ScalarEvolution &SE) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  unsigned Most = 0;
  for (const BasicBlock *Block : Exiting)
    if (unsigned Trips = SE.getSmallConstantTripCount(&L, Block))
      Most = Most ? std::min(Most, Trips) : Trips;
  return Most;
}

/// Whether the program says itself how \p L is unrolled.
static bool isSpoken(const Loop &L) {
  const MDNode *Id = L.getLoopID();
  return Id && any_of(drop_begin(Id->operands()), [](const MDOperand &Op) {
           auto *Node = dyn_cast<MDNode>(Op);
           auto *Name = Node && Node->getNumOperands()
                            ? dyn_cast<MDString>(Node->getOperand(0))
                            : nullptr;
           return Name && Name->getString().starts_with("llvm.loop.unroll");
         });
}

/// Whether lanes of an access at \p Address, of iterations of \p L, are one
/// cell or lie side by side.
static bool isContiguousIn(const SCEV *Address, uint64_t Bytes, const Loop &L,
                           ScalarEvolution &SE) {
  while (auto *R = dyn_cast<SCEVAddRecExpr>(Address)) {
    if (R->getLoop() == &L) {
      auto *Step = dyn_cast<SCEVConstant>(R->getStepRecurrence(SE));
      return Step && Step->getAPInt().abs() == Bytes;
    }
    Address = R->getStart();
  }
  return SE.isLoopInvariant(Address, &L);
}

/// Whether iterations of the loop around \p L are lanes of a vector, and those
/// of \p L are not: the product of a row and columns, one after another. Once L
/// is unrolled, both sweeps of the loop around it vectorise.
static bool vectorisesAround(const Loop &L, ScalarEvolution &SE) {
  const Loop *Around = L.getParentLoop();
  bool AnyStrided = false;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      const Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer)
        continue;
      const uint64_t Bytes =
          I.getDataLayout().getTypeStoreSize(compat::loadStoreType(I));
      const SCEV *Address = SE.getSCEV(const_cast<Value *>(Pointer));
      if (!Around || !isContiguousIn(Address, Bytes, *Around, SE))
        return false;
      AnyStrided = AnyStrided || !isContiguousIn(Address, Bytes, L, SE);
    }
  return AnyStrided;
}

PreservedAnalyses KeepLoopsPass::run(Loop &L, LoopAnalysisManager &,
                                     LoopStandardAnalysisResults &AR,
                                     LPMUpdater &) {
  // A link may have imported F into a module that releases nothing.
  Function &F = *L.getHeader()->getParent();
  const bool IsReached =
      F.hasFnAttribute(Kept) && F.getParent()->getNamedMetadata(Kept);
  // One that was kept in a function that has been inlined here.
  if (UnrollsMuch && findOptionMDForLoop(&L, Kept))
    F.addFnAttr(Kept, Much);
  const unsigned Trips = IsReached ? mostTrips(L, AR.SE) : 0;
  if (Trips < 2 || isSpoken(L))
    return PreservedAnalyses::all();
  const bool IsLong = UnrollsMuch && Trips >= LeastTrips &&
                      sizeOf(L) * Trips > MostUnrolled &&
                      !vectorisesAround(L, AR.SE);
  if (IsLong || sizeOfCallees(L, MostOfCalls) * Trips > MostOfCalls) {
    addStringMetadataToLoop(&L, NotUnrolled, true);
    addStringMetadataToLoop(&L, Kept, true);
    if (UnrollsMuch)
      F.addFnAttr(Kept, Much);
  }
  return PreservedAnalyses::all();
}

/// What requests may come to: they name functions by their addresses, and so do
/// those that call through pointers.
void verso::keepLoops(Module &M) {
  M.getOrInsertNamedMetadata(Kept);
  SmallSetVector<Function *, 32> Reached;
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasAddressTaken())
      Reached.insert(&F);
  for (size_t K = 0; K != Reached.size(); ++K) {
    Reached[K]->addFnAttr(Kept);
    for (Instruction &I : instructions(*Reached[K]))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Function *Callee = Call->getCalledFunction();
            Callee && !Callee->isDeclaration())
          Reached.insert(Callee);
  }
}

/// Whether \p F had any.
static bool release(Function &F) {
  bool Any = false;
  for (BasicBlock &Block : F) {
    Instruction *Latch = Block.getTerminator();
    MDNode *Id = Latch ? Latch->getMetadata(LLVMContext::MD_loop) : nullptr;
    if (!Id || !findOptionMDForLoopID(Id, Kept))
      continue;
    Latch->setMetadata(LLVMContext::MD_loop,
                       makePostTransformationMetadata(F.getContext(), Id,
                                                      {NotUnrolled, Kept}, {}));
    Any = true;
  }
  return Any;
}

/// Forward mode is vectorised as the program is.
static bool isTangent(const Function &F) {
  return F.getName().contains(".tangent");
}

void verso::releaseLoops(Module &M, FunctionAnalysisManager &FAM) {
  NamedMDNode *Mark = M.getNamedMetadata(Kept);
  if (!Mark)
    return;
  Mark->eraseFromParent();
  for (Function &F : M) {
    int Level = F.getFnAttribute(Kept).getValueAsString() == Much ? 3 : 2;
    F.removeFnAttr(Kept);
    if (release(F) && (!isGenerated(F) || isTangent(F))) {
      FunctionPassManager Unroll;
      Unroll.addPass(
          createFunctionToLoopPassAdaptor(LoopFullUnrollPass(Level)));
      Unroll.addPass(SROAPass(SROAOptions::ModifyCFG));
      Unroll.addPass(GVNPass());
      Unroll.addPass(InstCombinePass());
      Unroll.addPass(SimplifyCFGPass());
      FAM.invalidate(F, PreservedAnalyses::none()); // Requests were replaced.
      FAM.invalidate(F, Unroll.run(F, FAM));
    }
  }
}
