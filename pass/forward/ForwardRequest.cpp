//===- ForwardRequest.cpp - a forward-mode request ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/ForwardRequest.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "request/RequestFunction.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral RequestPrefix = "verso.jvp.";

namespace {

class ForwardRequest : RequestFunction {
public:
  ForwardRequest(Request &R, Twins &Registry)
      : RequestFunction(R, RequestPrefix), Registry(Registry) {}

  Function *lower();

private:
  Value *tangentsOf(const RequestArgument &A);
  void takeResults(Value *Tangents, Type *T, SmallVectorImpl<Value *> &Results);

  Twins &Registry;
};

} // namespace

/// The tangents that were given for an argument, in all directions.
Value *ForwardRequest::tangentsOf(const RequestArgument &A) {
  SmallVector<Value *, 4> Lanes{inside(A.Shadow)};
  for (Value *Other : A.OtherShadows)
    Lanes.push_back(inside(Other));
  return packLanes(B, Lanes[0]->getType(), Lanes);
}

void ForwardRequest::takeResults(Value *Tangents, Type *T,
                                 SmallVectorImpl<Value *> &Results) {
  if (canCarry(T))
    for (unsigned K = 0; K != R.Width; ++K)
      Results.push_back(takeLane(B, Tangents, R.Width, K));
}

Function *ForwardRequest::lower() {
  refuseNamedArguments();
  Value *Context = callRuntime(B, RuntimeFunction::BeginTangents,
                               {where(), frameAddress(B), B.getInt32(R.Width)});
  SmallVector<Value *, 16> Arguments{Context}, Tangents;
  BitVector Varied(R.Arguments.size());
  TwinMode Mode = {.Width = R.Width, .IsRoot = true, .AsOne = R.AsOne};
  for (auto [K, A] : enumerate(R.Arguments)) {
    Arguments.push_back(inside(A.Primal));
    if (A.Activity == ArgumentActivity::Const)
      continue;
    Varied.set(K);
    Tangents.push_back(tangentsOf(A));
    noteArgument(A, Context, /*IsForward=*/true);
    Mode.PointersTracked |= A.Primal->getType()->isPointerTy();
  }
  append_range(Arguments, Tangents);
  Function *Twin = Registry.get(*R.Primal, Varied, Mode);
  Value *Returned = B.CreateCall(Twin, Arguments);
  SmallVector<Value *, 8> Results;
  Type *T = R.Primal->getReturnType();
  if (R.SretParameter) {
    const RequestArgument &Slot = R.Arguments[*R.SretParameter];
    Type *Struct = R.Primal->getParamStructRetType(*R.SretParameter);
    if (R.DeliversValue)
      Results.push_back(B.CreateLoad(Struct, inside(Slot.Primal)));
    if (R.ReturnVaries && Slot.Activity != ArgumentActivity::Const) {
      Results.push_back(B.CreateLoad(Struct, inside(Slot.Shadow)));
      for (Value *Other : Slot.OtherShadows)
        Results.push_back(B.CreateLoad(Struct, inside(Other)));
    }
  } else if (Twins::returnsCompanion(T)) {
    if (R.DeliversValue)
      Results.push_back(B.CreateExtractValue(Returned, 0));
    if (R.ReturnVaries)
      takeResults(B.CreateExtractValue(Returned, 1), T, Results);
  } else if (R.DeliversValue && !T->isVoidTy()) {
    Results.push_back(Returned);
  }
  callRuntime(B, RuntimeFunction::EndTangents, {Context});
  Registry.setCaller(*Twin, finish(Results));
  return F;
}

Function *verso::lowerForward(Request &R, Twins &Registry) {
  return ForwardRequest(R, Registry).lower();
}

/// A request without a context has no frame that must tell it from others.
static void inlineIfSmall(Function &F, FunctionAnalysisManager &FAM) {
  F.removeFnAttr(Attribute::NoInline);
  auto Assumptions = [&](Function &G) -> AssumptionCache & {
    return FAM.getResult<AssumptionAnalysis>(G);
  };
  auto Library = [&](Function &G) -> const TargetLibraryInfo & {
    return FAM.getResult<TargetLibraryAnalysis>(G);
  };
  auto Inline = [&](CallBase &Call, InlineFunctionInfo &Info) {
    Function *Caller = Call.getFunction();
    auto &TTI = FAM.getResult<TargetIRAnalysis>(*Call.getCalledFunction());
    if (Caller->hasOptNone() ||
        !getInlineCost(Call, getInlineParams(), TTI, Assumptions, Library) ||
        !InlineFunction(Call, Info, /*MergeAttributes=*/true).isSuccess())
      return false;
    FAM.invalidate(*Caller, PreservedAnalyses::none());
    return true;
  };
  SmallVector<CallBase *, 4> Calls;
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallBase>(U);
        Call && Call->getCalledFunction() == &F)
      Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    InlineFunctionInfo Info(Assumptions);
    if (!Inline(*Call, Info))
      continue;
    // And the twin that it calls.
    for (CallBase *Inner : Info.InlinedCallSites)
      if (Function *Twin = Inner->getCalledFunction();
          Twin && isGenerated(*Twin) && !Twin->isDeclaration()) {
        InlineFunctionInfo OfTwin(Assumptions);
        Inline(*Inner, OfTwin);
      }
  }
}

void verso::dropUnusedContext(Function &F, FunctionAnalysisManager &FAM) {
  bool Dropped = dropUnusedTangents(F);
  bool HasContext = any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    return Call && calls(*Call, RuntimeFunction::BeginTangents);
  });
  if (Dropped && !HasContext && F.getName().starts_with(RequestPrefix))
    inlineIfSmall(F, FAM);
}
