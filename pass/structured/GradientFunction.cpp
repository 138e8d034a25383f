//===- GradientFunction.cpp - the function that a request becomes --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/GradientFunction.h"
#include "emit/Runtime.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"

#include <map>

using namespace llvm;
using namespace verso;

GradientFunction::GradientFunction(const Request &R,
                                   ArrayRef<unsigned> Restricted)
    : R(R), M(*R.Call->getModule()), Restricted(Restricted) {
  passArguments();
  create();
  bind();
}

SmallVector<Value *, 16> GradientFunction::arguments(Function &F) {
  return llvm::map_to_vector<16>(
      F.args(), [](llvm::Argument &A) -> Value * { return &A; });
}

SmallVector<Value *, 8> GradientFunction::primals() const {
  SmallVector<Value *, 16> Own = arguments(*W);
  return llvm::map_to_vector<8>(
      Arguments, [&](const Given &G) { return inside(G.Primal, Own); });
}

SmallVector<Value *, 8> GradientFunction::dups() const {
  SmallVector<Value *, 8> Dups;
  for (llvm::Argument &A : W->args())
    if (Shadows.contains(&A))
      Dups.push_back(&A);
  return Dups;
}

GradientFunction::Source GradientFunction::source(Value *V, bool KeepConstant) {
  if (!V)
    return {};
  if (KeepConstant && isa<Constant>(V))
    return {-1, V};
  Passed.push_back(V);
  return {int(Passed.size()) - 1, nullptr};
}

/// Every argument becomes a parameter of its own, even where two are one value:
/// they may have different shadows. Only the same pair is the same parameter.
void GradientFunction::passArguments() {
  std::map<std::pair<Value *, Value *>, unsigned> Pairs;
  for (auto [K, A] : enumerate(R.Arguments)) {
    bool IsDup = A.Activity == ArgumentActivity::Dup ||
                 A.Activity == ArgumentActivity::DupNoNeed;
    if (IsDup && A.Shadow) {
      auto [It, New] =
          Pairs.try_emplace({A.Primal, A.Shadow}, Arguments.size());
      if (!New) {
        Arguments.push_back(Arguments[It->second]);
        continue;
      }
    }
    Source Primal = source(A.Primal, A.Activity == ArgumentActivity::Const);
    Source Shadow = IsDup ? source(A.Shadow, false) : Source();
    Arguments.push_back({Primal, Shadow});
  }
  Cotangent = source(R.Cotangent, true);
}

/// T work(passed...) { return primal(arguments...); }
void GradientFunction::create() {
  SmallVector<Type *, 16> Types;
  for (Value *V : Passed)
    Types.push_back(V->getType());
  W = Function::Create(
      FunctionType::get(R.Primal->getReturnType(), Types, false),
      GlobalValue::InternalLinkage, "verso.gradient." + R.Primal->getName(),
      &M);
  const Function &Caller = *R.Call->getFunction();
  compileLike(*W, Caller);
  W->addFnAttr(Attribute::NoInline);
  // From the start: simplification has a use for it, too.
  for (unsigned K : Restricted)
    W->addParamAttr(K, Attribute::NoAlias);
  W->setUWTableKind(Caller.getUWTableKind());
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "recto", W));
  SmallVector<Value *, 16> Own = arguments(*W), Actual;
  for (const Given &G : Arguments)
    Actual.push_back(inside(G.Primal, Own));
  CallInst *Call = B.CreateCall(R.Primal, Actual);
  Call->setCallingConv(R.Primal->getCallingConv());
  // What the ABI says of the parameters is what inlining goes by.
  AttributeList Attributes;
  for (unsigned K = 0; K != Actual.size(); ++K)
    if (Type *T = R.Primal->getParamByValType(K)) {
      AttrBuilder ByVal(M.getContext());
      ByVal.addByValAttr(T);
      if (MaybeAlign A = R.Primal->getParamAlign(K))
        ByVal.addAlignmentAttr(*A);
      Attributes = Attributes.addParamAttributes(M.getContext(), K, ByVal);
    }
  Call->setAttributes(Attributes);
  if (Call->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
}

/// What the parameters mean.
void GradientFunction::bind() {
  SmallVector<Value *, 16> Own = arguments(*W);
  for (auto [K, A] : enumerate(R.Arguments)) {
    Value *Primal = inside(Arguments[K].Primal, Own);
    Type *T = Primal->getType();
    Type *Struct = T->isPointerTy() ? R.Primal->getParamByValType(K) : nullptr;
    switch (A.Activity) {
    case ArgumentActivity::Const:
      break;
    case ArgumentActivity::Dup:
    case ArgumentActivity::DupNoNeed:
      if (T->isPointerTy()) {
        Shadows[Primal] = inside(Arguments[K].Shadow, Own);
        Extents[Primal] = A.LeastBytes;
      }
      break;
    case ArgumentActivity::Out:
      if (!Struct)
        Varied.push_back(Primal);
      Outs.push_back({Primal, nullptr, Struct ? Struct : T});
    }
  }
}

void GradientFunction::prepareOuts() {
  for (Out &O : Outs) {
    if (!O.Argument->getType()->isPointerTy())
      continue;
    IRBuilder<> Entry(&W->getEntryBlock(), W->getEntryBlock().begin());
    O.Shadow = Entry.CreateAlloca(O.T, nullptr, "out.shadow");
    Entry.SetInsertPoint(&*W->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    O.Clear = Entry.CreateMemSet(O.Shadow, Entry.getInt8(0),
                                 W->getDataLayout().getTypeAllocSize(O.T),
                                 O.Shadow->getAlign());
    Shadows[O.Argument] = O.Shadow;
  }
}

Request GradientFunction::requestIn(Function &F, CallInst &Call) const {
  SmallVector<Value *, 16> Own = arguments(F);
  Request Same = R;
  Same.Call = &Call;
  Same.ResultPointer = nullptr;
  for (auto [Each, G] : zip(Same.Arguments, Arguments)) {
    Each.Primal = inside(G.Primal, Own);
    Each.Shadow = inside(G.Shadow, Own);
    if (!isa_and_nonnull<llvm::Constant>(static_cast<Value *>(Each.Extent)))
      Each.Extent = nullptr;
  }
  Same.Cotangent = inside(Cotangent, Own);
  return Same;
}

Function *GradientFunction::finish(FunctionAnalysisManager &FAM) {
  FAM.clear(*W, W->getName());
  SmallVector<Type *, 16> Types;
  for (Value *V : Passed)
    Types.push_back(V->getType());
  Function *F = Function::Create(FunctionType::get(R.ResultType, Types, false),
                                 GlobalValue::InternalLinkage, "", &M);
  F->takeName(W);
  F->setAttributes(AttributeList::get(
      M.getContext(), AttributeList::FunctionIndex,
      AttrBuilder(M.getContext(), W->getAttributes().getFnAttrs())));
  for (unsigned K : Restricted)
    F->addParamAttr(K, Attribute::NoAlias);
  markOrdinary(*F);
  F->splice(F->begin(), W);
  for (auto [Old, New] : zip(W->args(), F->args())) {
    Old.replaceAllUsesWith(&New);
    New.takeName(&Old);
  }
  if (W->hasPersonalityFn())
    F->setPersonalityFn(W->getPersonalityFn());
  W->eraseFromParent();
  stripDebugInfo(*F);
  return F;
}

void GradientFunction::discard(FunctionAnalysisManager &FAM) {
  FAM.clear(*W, W->getName());
  W->eraseFromParent();
}
