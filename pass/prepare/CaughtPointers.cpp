//===- CaughtPointers.cpp - pointers that are thrown ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/CaughtPointers.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

/// Of _Unwind_Exception, which ends a header.
static constexpr uint64_t HeaderBytes = 32;
/// An exception that std::rethrow_exception made has another one's object,
/// whose address stands in its header: of libstdc++ (GNUCC++\1) and libc++
/// (CLNGC++\1) at the same distance.
static constexpr uint64_t DependentClass = 0x432b2b01; // C++\1
static constexpr int64_t PrimaryOffset = -80;

/// Where the object of the exception with the header \p E is.
static Value *placeOfObject(IRBuilderBase &B, Value *E) {
  Value *Class =
      B.CreateAnd(B.CreateLoad(B.getInt64Ty(), E), UINT64_C(0xffffffff));
  Value *IsDependent = B.CreateICmpEQ(Class, B.getInt64(DependentClass));
  // Those of other languages have nothing before the header.
  Value *Primary = B.CreateLoad(
      B.getPtrTy(),
      B.CreateSelect(IsDependent,
                     B.CreateConstGEP1_64(B.getInt8Ty(), E, PrimaryOffset), E));
  return B.CreateSelect(IsDependent, Primary,
                        B.CreateConstGEP1_64(B.getInt8Ty(), E, HeaderBytes));
}

static bool catchesPointers(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Pad = dyn_cast<LandingPadInst>(&I);
    return Pad && any_of(Pad->operand_values(), [](const Value *Clause) {
             return Clause->stripPointerCasts()->getName().starts_with("_ZTIP");
           });
  });
}

void verso::loadCaughtPointers(Function &F) {
  if (!catchesPointers(F))
    return;
  SmallVector<CallBase *, 4> Caught;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && !Call->use_empty() && Call->getCalledFunction() &&
        Call->getCalledFunction()->getName() == "__cxa_begin_catch")
      Caught.push_back(Call);
  for (CallBase *Call : Caught) {
    IRBuilder<> B(Call->getNextNode());
    Value *Place = placeOfObject(B, Call->getArgOperand(0));
    auto *IsThere = cast<Instruction>(B.CreateICmpNE(Call, Place));
    // What is behind the header of an exception that is no pointer may be less.
    Instruction *Then =
        SplitBlockAndInsertIfThen(IsThere, IsThere->getNextNode(), false);
    B.SetInsertPoint(Then);
    Value *Stored = B.CreateLoad(B.getPtrTy(), Place);
    Value *One = B.CreateSelect(B.CreateICmpEQ(Stored, Call), Stored, Call);
    BasicBlock *Behind = Then->getSuccessor(0);
    B.SetInsertPoint(Behind, Behind->begin());
    PHINode *Phi = B.CreatePHI(Call->getType(), 2, "caught");
    Phi->addIncoming(Call, Call->getParent());
    Phi->addIncoming(One, Then->getParent());
    Call->replaceUsesWithIf(Phi, [&](Use &U) {
      auto *By = cast<Instruction>(U.getUser());
      return By != Phi && By->getParent() != Then->getParent() &&
             By->getParent() != Call->getParent();
    });
  }
}
