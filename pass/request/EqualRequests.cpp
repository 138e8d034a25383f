//===- EqualRequests.cpp - one function for equal requests ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/EqualRequests.h"
#include "Diagnostics.h"
#include "request/RequestResult.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

using namespace llvm;
using namespace verso;

EqualRequests::Candidate::Candidate(const Request &R) {
  Id.AddPointer(R.Primal);
  Id.AddInteger(unsigned(R.Kind));
  Id.AddInteger(R.Width);
  Id.AddBoolean(R.AsOne);
  Id.AddBoolean(R.DeliversValue);
  Id.AddBoolean(R.ReturnVaries);
  Id.AddBoolean(R.IsInner);
  Id.AddInteger(R.Precision);
  Id.AddInteger(R.SretParameter ? int(*R.SretParameter) : -1);
  Id.AddBoolean(R.ResultPointer);
  Id.AddPointer(R.ResultType);
  // What is said of the request when it runs, and how its code is compiled.
  Id.AddString(describeLocation(*R.Call));
  const Function &Caller = *R.Call->getFunction();
  Id.AddString(Caller.getAttributes().getFnAttrs().getAsString());
  Id.AddInteger(unsigned(Caller.getUWTableKind()));
  for (const RequestArgument &A : R.Arguments) {
    Id.AddInteger(unsigned(A.Activity));
    Id.AddInteger(A.LeastBytes);
    Id.AddInteger(A.MostBytes);
    Id.AddInteger(A.PlacedBytes);
    Id.AddInteger(A.NamedBytes);
    Id.AddInteger(A.OtherShadows.size());
    Id.AddBoolean(A.Shadow && areInTwoObjects(A.Primal, A.Shadow));
    Operands.push_back(A.Primal);
    Operands.push_back(A.Shadow);
    Operands.push_back(A.Extent);
    append_range(Operands, A.OtherShadows);
  }
  Operands.push_back(R.Cotangent);
  // Constants are compiled in, and so is which operands are the same.
  for (auto [K, Operand] : enumerate(Operands)) {
    Value *V = Operand;
    Id.AddPointer(V ? V->getType() : nullptr);
    if (!V || isa<Constant>(V))
      Id.AddPointer(V);
    else
      Id.AddInteger(find(Operands, V) - Operands.begin());
  }
}

bool EqualRequests::serve(const Candidate &C, Request &R) const {
  auto It = All.find(C.Id);
  if (It == All.end())
    return false;
  SmallVector<Value *, 8> Arguments;
  for (unsigned K : It->second.Parameters)
    Arguments.push_back(C.Operands[K]);
  replaceByCall(R, It->second.F, Arguments);
  return true;
}

void EqualRequests::note(const Candidate &C, Function &F) {
  auto *Call = F.hasOneUse() ? dyn_cast<CallBase>(*F.user_begin()) : nullptr;
  if (!Call || Call->getCalledFunction() != &F)
    return;
  Known New{&F, {}};
  for (Value *Argument : Call->args()) {
    auto *It = find(C.Operands, Argument);
    if (It == C.Operands.end())
      return;
    New.Parameters.push_back(It - C.Operands.begin());
  }
  All.try_emplace(C.Id, std::move(New));
}
