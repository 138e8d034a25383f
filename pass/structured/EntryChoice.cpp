//===- EntryChoice.cpp - which version of a request runs ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/EntryChoice.h"
#include "emit/Runtime.h"
#include "emit/StartAgain.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace verso;

Value *EntryChoice::callTape(IRBuilderBase &B) {
  Function *Mark = Function::Create(FunctionType::get(R.ResultType, false),
                                    GlobalValue::ExternalLinkage,
                                    "verso.otherwise", R.Call->getModule());
  Place = B.CreateCall(Mark);
  Place->setDebugLoc(R.Call->getDebugLoc());
  return Place;
}

/// Whether \p Holds, and all that is \p Assumed. Others go through pointers
/// that static variables hold.
static Value *emitAll(IRBuilderBase &B, Value *Holds,
                      ArrayRef<Assumption> Assumed) {
  Function &F = *B.GetInsertBlock()->getParent();
  auto EmitThose = [&](Value *Before, bool OfStatics) {
    for (const Assumption &A : Assumed)
      if ((A.Guard != nullptr) == OfStatics && !A.NeverStrayed)
        Before = B.CreateAnd(Before, A.emit(B, F));
    return Before;
  };
  Holds = EmitThose(Holds, /*OfStatics=*/true);
  if (none_of(Assumed, [](const Assumption &A) { return A.Guard; }))
    return EmitThose(Holds, /*OfStatics=*/false);
  BasicBlock *First = B.GetInsertBlock();
  auto *Initialised = BasicBlock::Create(F.getContext(), "initialised", &F);
  auto *Known = BasicBlock::Create(F.getContext(), "known", &F);
  B.CreateCondBr(Holds, Initialised, Known);
  B.SetInsertPoint(Initialised);
  Value *Others = EmitThose(B.getTrue(), /*OfStatics=*/false);
  B.CreateBr(Known);
  B.SetInsertPoint(Known);
  PHINode *All = B.CreatePHI(B.getInt1Ty(), 2);
  All->addIncoming(B.getFalse(), First);
  All->addIncoming(Others, Initialised);
  return All;
}

/// A function like \p Version whose request is left to the tape.
Function *EntryChoice::taped(Function &Version) {
  auto *F =
      Function::Create(Version.getFunctionType(), GlobalValue::InternalLinkage,
                       Version.getName() + ".taped", Version.getParent());
  F->copyAttributesFrom(&Version);
  markOrdinary(*F);
  IRBuilder<> B(BasicBlock::Create(F->getContext(), "entry", F));
  Value *Result = callTape(B);
  F->getReturnType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Result);
  return F;
}

void EntryChoice::add(Function &Version, EmitFor Condition,
                      ArrayRef<Assumption> Assumed) {
  Function *Otherwise = First;
  GlobalVariable *Strayed = nullptr;
  if (any_of(Assumed, [](const Assumption &A) { return A.NeverStrayed; })) {
    if (!Otherwise)
      Otherwise = taped(Version);
    Strayed = lowerStartAgain(*Version.getParent(), *Otherwise);
  }
  First = emitVersions(
      Version,
      [&](IRBuilderBase &B, ArrayRef<Value *> Arguments) {
        Value *Holds = Condition(B, Arguments);
        if (Strayed) {
          LoadInst *Flag =
              B.CreateAlignedLoad(B.getInt8Ty(), Strayed, Align(1));
          Flag->setAtomic(AtomicOrdering::Monotonic);
          Holds = B.CreateAnd(Holds, B.CreateIsNull(Flag));
        }
        return emitAll(B, Holds, Assumed);
      },
      [&](IRBuilderBase &B, ArrayRef<Value *> Arguments) -> Value * {
        return B.CreateCall(&Version, Arguments);
      },
      [&](IRBuilderBase &B, ArrayRef<Value *> Arguments) -> Value * {
        return Otherwise ? B.CreateCall(Otherwise, Arguments) : callTape(B);
      });
  if (Otherwise)
    Others.push_back(Otherwise);
  Others.push_back(&Version);
  for (const Assumption &A : Assumed)
    if (A.Survey)
      Others.push_back(A.Survey);
  for (const Assumption &A : Assumed)
    (A.Guard ? AssumesStatics : Assumes) = true;
}

void EntryChoice::addWatched(Function &F, ArrayRef<Assumption> Assumed) {
  add(
      F,
      [](IRBuilderBase &B, ArrayRef<Value *>) {
        return B.CreateIsNotNull(
            callRuntime(B, RuntimeFunction::BeginWatched, {frameAddress(B)}));
      },
      Assumed);
  const std::string Name = ("verso.gradient." + R.Primal->getName()).str();
  F.setName(Name + ".watched");
  First->setName(Name + ".watching");
  WhileWatched = "where watched memory has no adjoints of the thread's own";
}

void EntryChoice::refuseWatched(const Refusals &Why) {
  WhileWatched = "while memory is watched";
  if (Why)
    WhileWatched += " (" + Why.first().text() + ")";
}

void EntryChoice::addOrdinary(Function &F, ArrayRef<Assumption> Assumed,
                              bool AsksForWatched) {
  add(
      F,
      [&](IRBuilderBase &B, ArrayRef<Value *>) {
        return AsksForWatched ? B.CreateIsNull(callRuntime(
                                    B, RuntimeFunction::IsWatching, {}))
                              : B.getTrue();
      },
      Assumed);
  F.setName(First->getName() + ".structured");
  HasOrdinary = true;
}

void EntryChoice::finish(Lowered &Result) const {
  Result.Otherwise = Work.requestIn(*Place->getFunction(), *Place);
  SmallVector<StringRef, 3> When;
  if (Assumes)
    When.push_back("for other functions than those that its pointers seem to "
                   "lead to");
  if (AssumesStatics)
    When.push_back("until the static variables of its functions are "
                   "initialised");
  if (!HasOrdinary)
    When.push_back("while nothing is watched");
  if (!WhileWatched.empty())
    When.push_back(WhileWatched);
  Result.When = join(When, ", and ");
}
