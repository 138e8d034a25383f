//===- RequestFunction.cpp - the function that serves a request -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/RequestFunction.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "request/NamedArguments.h"
#include "request/RequestResult.h"

using namespace llvm;
using namespace verso;

RequestFunction::RequestFunction(Request &R, StringRef Prefix)
    : R(R), B(R.Call->getContext()) {
  auto Pass = [&](Value *V) {
    if (V && !isa<Constant>(V) && Inside.try_emplace(V, nullptr).second)
      Passed.push_back(V);
  };
  for (RequestArgument &A : R.Arguments) {
    Pass(A.Primal);
    Pass(A.Shadow);
    for (Value *Other : A.OtherShadows)
      Pass(Other);
    Pass(A.Extent);
  }
  Pass(R.Cotangent);
  SmallVector<Type *, 16> Types;
  for (Value *V : Passed)
    Types.push_back(V->getType());
  F = Function::Create(FunctionType::get(R.ResultType, Types, false),
                       GlobalValue::InternalLinkage,
                       Prefix + R.Primal->getName(), R.Call->getModule());
  for (auto [K, V] : enumerate(Passed))
    Inside[V] = F->getArg(K);
  const Function &Caller = *R.Call->getFunction();
  compileLike(*F, Caller);
  if (Caller.hasFnAttribute(Attribute::SanitizeAddress))
    F->addFnAttr(Attribute::SanitizeAddress);
  // Its frame tells live requests from abandoned ones: see __verso_begin.
  F->addFnAttr(Attribute::NoInline);
  markGenerated(*F);
  F->setUWTableKind(Caller.getUWTableKind());
  B.SetInsertPoint(BasicBlock::Create(F->getContext(), "", F));
}

Value *RequestFunction::where() { return emitLocation(B, *R.Call); }

void RequestFunction::noteArgument(const RequestArgument &A, Value *Context,
                                   bool IsForward) {
  if (!A.LeastBytes || !A.Primal->getType()->isPointerTy())
    return;
  Value *Known = A.Extent
                     ? B.CreateZExtOrTrunc(inside(A.Extent), B.getInt64Ty())
                     : nullptr;
  auto BytesOr = [&](uint64_t Else) {
    return Known ? Known : B.getInt64(Else);
  };
  callRuntime(B, RuntimeFunction::NoteArgument,
              {Context, inside(A.Primal), inside(A.Shadow),
               BytesOr(A.LeastBytes), BytesOr(A.MostBytes),
               BytesOr(std::max(A.LeastBytes, A.PlacedBytes)),
               B.getInt32(IsForward)});
}

void RequestFunction::refuseNamedArguments() {
  compareNamedArguments(
      R, B, [&](unsigned K) { return inside(R.Arguments[K].Primal); },
      [&](Value *Condition, StringRef Message) {
        LLVMContext &C = F->getContext();
        BasicBlock *Fails = BasicBlock::Create(C, "named", F);
        BasicBlock *Else = BasicBlock::Create(C, "", F);
        B.CreateCondBr(Condition, Fails, Else);
        B.SetInsertPoint(Fails);
        callRuntime(B, RuntimeFunction::Fail,
                    {B.CreateGlobalString(Message, "verso.reason"), where()});
        B.CreateUnreachable();
        B.SetInsertPoint(Else);
      });
}

CallBase &RequestFunction::finish(ArrayRef<Value *> Results) {
  if (R.ResultType->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(packResults(B, Results, R.ResultType));
  return replaceByCall(R, F, Passed);
}
