//===- EntryChoice.cpp - which version of a request runs ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/EntryChoice.h"
#include "emit/Runtime.h"

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

void EntryChoice::add(Function &Version, EmitFor Condition,
                      ArrayRef<Assumption> Assumed) {
  Function *Otherwise = First;
  First = emitVersions(
      Version,
      [&](IRBuilderBase &B, ArrayRef<Value *> Arguments) {
        Value *Holds = Condition(B, Arguments);
        for (const Assumption &A : Assumed)
          Holds =
              B.CreateAnd(Holds, A.emit(B, *B.GetInsertBlock()->getParent()));
        return Holds;
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
  Assumes |= !Assumed.empty();
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
  if (!HasOrdinary)
    When.push_back("while nothing is watched");
  if (!WhileWatched.empty())
    When.push_back(WhileWatched);
  Result.When = join(When, ", and ");
}
