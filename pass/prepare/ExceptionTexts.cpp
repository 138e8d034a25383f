//===- ExceptionTexts.cpp - what() of what was caught ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/ExceptionTexts.h"
#include "analysis/CallModel.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral TextOf = "__verso_what";

/// Where what() is in the table of std::exception, behind both destructors
/// (Itanium C++ ABI, 2.5); __verso_what() looks there, too.
static uint64_t placeOfWhat(const DataLayout &DL) {
  return 2 * DL.getPointerSize();
}

/// Whether all handlers of \p Pad are of classes of the library, or of whatever
/// is thrown.
static bool catchesLibrary(const LandingPadInst &Pad) {
  for (unsigned K = 0; K != Pad.getNumClauses(); ++K) {
    const Constant *Type = Pad.getClause(K);
    if (Pad.isFilter(K) || (!isa<ConstantPointerNull>(Type) &&
                            !Type->getName().starts_with("_ZTISt")))
      return false;
  }
  return true;
}

/// Whether \p Thrown is what landing pads of that kind got.
static bool isFromLibrary(const Value *Thrown) {
  SmallVector<const Value *, 8> Work{Thrown};
  SmallPtrSet<const Value *, 8> Seen;
  bool Any = false;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (auto *Pad = dyn_cast<LandingPadInst>(V)) {
      if (!catchesLibrary(*Pad))
        return false;
      Any = true;
    } else if (auto *Phi = dyn_cast<PHINode>(V)) {
      append_range(Work, Phi->incoming_values());
    } else if (auto *Extract = dyn_cast<ExtractValueInst>(V)) {
      Work.push_back(Extract->getAggregateOperand());
    } else if (auto *Insert = dyn_cast<InsertValueInst>(V)) {
      Work.push_back(Insert->getAggregateOperand());
      if (Insert->getInsertedValueOperand()->getType()->isPointerTy())
        Work.push_back(Insert->getInsertedValueOperand());
    } else if (!isa<UndefValue>(V)) {
      return false;
    }
  }
  return Any;
}

/// The exception whose what() \p Call calls, null if it does not.
static Value *exceptionOf(const CallInst &Call, const DataLayout &DL) {
  auto *Target = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Target || Call.arg_size() != 1 || !Call.getType()->isPointerTy())
    return nullptr;
  APInt At(DL.getIndexTypeSizeInBits(Target->getPointerOperandType()), 0);
  auto *Table = dyn_cast<LoadInst>(
      Target->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, At,
                                                                     true));
  Value *Exception = Call.getArgOperand(0);
  auto *Caught = dyn_cast<CallBase>(Exception);
  const Function *Catch = Caught ? Caught->getCalledFunction() : nullptr;
  return Table && At == placeOfWhat(DL) &&
                 Table->getPointerOperand() == Exception && Catch &&
                 Catch->getName() == "__cxa_begin_catch" &&
                 isFromLibrary(Caught->getArgOperand(0))
             ? Exception
             : nullptr;
}

bool verso::nameTextsOfExceptions(Function &F) {
  Module &M = *F.getParent();
  SmallVector<CallInst *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && !Call->getCalledFunction() &&
        exceptionOf(*Call, M.getDataLayout()))
      Calls.push_back(Call);
  if (Calls.empty() || any_of(M, [](const Function &Each) {
        return !Each.isDeclaration() && Each.getName().ends_with("4whatEv") &&
               mayWriteNumbers(Each);
      }))
    return false;
  for (CallInst *Call : Calls)
    Call->setCalledFunction(
        M.getOrInsertFunction(TextOf, Call->getFunctionType()));
  return true;
}
