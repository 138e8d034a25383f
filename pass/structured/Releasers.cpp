//===- Releasers.cpp - functions that only release memory -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Releasers.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "structured/recursion/LikelyTargets.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

/// Whether \p V names a variable of the program. What libraries declare may be
/// read as an integer (whether there are threads, say).
static bool namesVariable(const Value *V) {
  auto *G = dyn_cast<GlobalVariable>(V);
  if (G)
    return !G->isConstant();
  auto *C = dyn_cast<llvm::Constant>(V);
  return C && !isa<GlobalValue>(C) && any_of(C->operands(), namesVariable);
}
static bool readsOfLibrary(const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *G =
      Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
  return G && G->isDeclaration() && I.getType()->isIntegerTy();
}

/// Whether \p Value is what \p At held, counted up or down.
static bool countsAt(const Value &Value, const llvm::Value *At) {
  auto *Sum = dyn_cast<BinaryOperator>(&Value);
  if (!Sum || !isa<ConstantInt>(Sum->getOperand(1)) ||
      (Sum->getOpcode() != Instruction::Add &&
       Sum->getOpcode() != Instruction::Sub))
    return false;
  auto *Before = dyn_cast<LoadInst>(Sum->getOperand(0));
  return Before && Before->getPointerOperand() == At;
}

/// A pointer that is cleared, or set to a table of virtual functions; an
/// integer of the program that is set to a constant or counts.
static bool storesNothingElse(const StoreInst &Store) {
  const Value *V = Store.getValueOperand();
  if (isa<AllocaInst>(getUnderlyingObject(Store.getPointerOperand())))
    return true;
  if (V->getType()->isPointerTy())
    return isa<ConstantPointerNull>(V) ||
           isa<GlobalVariable>(getUnderlyingObject(V));
  return V->getType()->isIntegerTy() &&
         (countsAt(*V, Store.getPointerOperand()) ||
          (isa<ConstantInt>(V) && isIntegerForCertain(Store)));
}

bool Releasers::doesOnlyThat(const Instruction &I, Slots &Called,
                             SmallSetVector<const Function *, 8> &Callees) {
  auto IsNumber = [](const Value *V) {
    return V->getType()->isFPOrFPVectorTy() || V->getType()->isVectorTy();
  };
  if (IsNumber(&I) || any_of(I.operands(), IsNumber) || isa<IntToPtrInst>(I) ||
      (any_of(I.operands(), namesVariable) && !readsOfLibrary(I)))
    return false;
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return storesNothingElse(*Store);
  if (isa<LoadInst>(I))
    return true;
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return I.getOperand(1)->getType()->isIntegerTy() &&
           isa<ConstantInt>(I.getOperand(isa<AtomicRMWInst>(I) ? 1 : 2));
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return isa<AllocaInst, FenceInst>(I) || !I.mayReadOrWriteMemory();
  if (Call->isInlineAsm() || Call->hasOperandBundles())
    return false;
  if (isa<IntrinsicInst>(I))
    return I.isLifetimeStartOrEnd() || isa<AssumeInst, DbgInfoIntrinsic>(I) ||
           Call->doesNotAccessMemory();
  const Function *F = Call->getCalledFunction();
  if (!F) {
    std::optional<uint64_t> Slot =
        offsetInTable(*Call->getCalledOperand(), I.getDataLayout());
    if (Slot && I.getType()->isVoidTy())
      Called.insert(*Slot);
    return Slot && I.getType()->isVoidTy();
  }
  CallModel M = modelCall(*Call, TLI);
  if (M.K == CallModel::Library && M.Known)
    return M.Known->K == KnownCall::Free;
  if (M.K == CallModel::Direct)
    Callees.insert(F);
  return M.K == CallModel::Direct ||
         (Call->doesNotReturn() && Call->doesNotThrow());
}

const Releasers::Known &Releasers::find(const Function &Root) {
  auto [At, IsNew] = All.try_emplace(&Root);
  if (!IsNew)
    return At->second;
  Known Found;
  SmallSetVector<const Function *, 8> Reached;
  Reached.insert(&Root);
  auto IsOne = [&](const Function &F) {
    return !F.isDeclaration() && !F.isInterposable() && !F.isVarArg() &&
           F.doesNotThrow() && F.getReturnType()->isVoidTy() &&
           none_of(F.args(),
                   [](const Argument &A) {
                     return !A.getType()->isPointerTy() &&
                            !A.getType()->isIntegerTy();
                   }) &&
           all_of(instructions(F), [&](const Instruction &I) {
             return doesOnlyThat(I, Found.Called, Reached);
           });
  };
  Found.IsOne = true;
  for (unsigned N = 0; N != Reached.size() && Found.IsOne; ++N)
    Found.IsOne = IsOne(*Reached[N]);
  return All[&Root] = std::move(Found);
}

void Releasers::refuseOtherTargets(const Function &F, const Objects &O,
                                   Refusals &Refused) {
  const DataLayout &DL = F.getDataLayout();
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || !isRelease(*Call))
      continue;
    auto Refuse = [&] {
      Refused.add("a virtual function that may do more than release memory",
                  &I);
    };
    // The functions at these places of all tables that may be met.
    Slots Called = find(*Call->getCalledFunction()).Called;
    if (Called.empty())
      continue;
    std::optional<Places> Tables = O.tablesBehind(*Call);
    if (!Tables)
      return Refuse();
    for (unsigned N = 0; N != Called.size(); ++N)
      for (const Place &P : *Tables) {
        auto *Table = cast<GlobalVariable>(O[P.Object].Base);
        Constant *C = P.At.Step ? nullptr
                                : ConstantFoldLoadFromConst(
                                      Table->getInitializer(),
                                      PointerType::getUnqual(F.getContext()),
                                      APInt(64, P.At.Offset + Called[N]), DL);
        auto *Target =
            C ? dyn_cast<Function>(C->stripPointerCastsAndAliases()) : nullptr;
        if (P.At.Step || (Target && Target->getName() != "__cxa_pure_virtual" &&
                          !contains(*Target)))
          return Refuse();
        if (!Target) // What is no function is not called.
          continue;
        for (uint64_t Slot : find(*Target).Called)
          Called.insert(Slot);
      }
  }
}
