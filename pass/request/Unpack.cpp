//===- Unpack.cpp - structs that the ABI packed, as one value each --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `struct { float x; int n; }` is an i64 in the IR. To say which of its bits
// are the number, the request differentiates
//
//   define internal double @f.unpacked({float, i32} %s, double %y) {
//     %slot = alloca {float, i32}
//     store {float, i32} %s, ptr %slot
//     %packed = load i64, ptr %slot
//     %result = call double @f(i64 %packed, double %y)
//     ret double %result
//   }
//
// instead of @f. Bits of numbers that move through integers are ordinary code
// for the strategies.
//
//===----------------------------------------------------------------------===//

#include "emit/Runtime.h"
#include "request/RequestParser.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

namespace {

/// Builds one wrapper.
class Unpacker {
public:
  Unpacker(Request &R, ArrayRef<Bundle> Bundles, Type *Returned)
      : R(R), Bundles(Bundles), Returned(Returned), Original(*R.Primal),
        DL(Original.getParent()->getDataLayout()), Caller(R.Call),
        B(R.Call->getContext()) {}

  void run();

private:
  const Bundle *bundleAt(unsigned Parameter) const;
  void createWrapper();
  Value *packArguments(const Bundle &Pack);
  void unpack(Value *Whole, const Bundle &Pack);
  Value *throughMemory(IRBuilder<> &At, Value *V, Type *To);

  Request &R;
  ArrayRef<Bundle> Bundles;
  Type *Returned;
  Function &Original;
  const DataLayout &DL;
  IRBuilder<> Caller; ///< At the request.
  IRBuilder<> B;      ///< In the wrapper.
  Function *Wrapper = nullptr;
  SmallVector<Value *, 8> Passed;
};

} // namespace

const Bundle *Unpacker::bundleAt(unsigned Parameter) const {
  for (const Bundle &Pack : Bundles)
    if (Pack.Range.First == Parameter)
      return &Pack;
  return nullptr;
}

Value *Unpacker::throughMemory(IRBuilder<> &At, Value *V, Type *To) {
  Function &F = *At.GetInsertBlock()->getParent();
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *Slot = Entry.CreateAlloca(V->getType());
  Slot->setAlignment(
      std::max(DL.getABITypeAlign(V->getType()), DL.getABITypeAlign(To)));
  At.CreateAlignedStore(V, Slot, Slot->getAlign());
  return At.CreateAlignedLoad(To, Slot, Slot->getAlign());
}

/// The struct that the request gives for the parameters of \p Pack.
Value *Unpacker::packArguments(const Bundle &Pack) {
  if (Pack.Range.Count == 1)
    return throughMemory(Caller, R.Arguments[Pack.Range.First].Primal,
                         Pack.Struct);
  Value *Whole = PoisonValue::get(Pack.Struct);
  for (unsigned K = 0; K != Pack.Range.Count; ++K) {
    Value *V = R.Arguments[Pack.Range.First + K].Primal;
    Type *T = Pack.Struct->getElementType(K);
    if (V->getType() != T)
      V = throughMemory(Caller, V, T);
    Whole = Caller.CreateInsertValue(Whole, V, K);
  }
  return Whole;
}

/// The parameters that \p Whole stands for, for the call of the original.
void Unpacker::unpack(Value *Whole, const Bundle &Pack) {
  for (unsigned K = 0; K != Pack.Range.Count; ++K) {
    Type *T = Original.getArg(Pack.Range.First + K)->getType();
    Value *V = Pack.Range.Count == 1 ? Whole : B.CreateExtractValue(Whole, K);
    Passed.push_back(V->getType() == T ? V : throughMemory(B, V, T));
  }
}

/// The wrapper's type, attributes and block.
void Unpacker::createWrapper() {
  SmallVector<Type *, 8> Types;
  SmallVector<AttributeSet, 8> Attributes;
  for (unsigned K = 0; K != Original.arg_size(); ++K) {
    const Bundle *Pack = bundleAt(K);
    Types.push_back(Pack ? Pack->Struct : Original.getArg(K)->getType());
    Attributes.push_back(Pack ? AttributeSet()
                              : Original.getAttributes().getParamAttrs(K));
    if (Pack)
      K += Pack->Range.Count - 1;
  }
  Wrapper = Function::Create(
      FunctionType::get(Returned, Types, false), GlobalValue::InternalLinkage,
      Original.getName() + ".unpacked", Original.getParent());
  Wrapper->setAttributes(
      AttributeList::get(Original.getContext(), {}, {}, Attributes));
  compileLike(*Wrapper, Original);
  for (Attribute::AttrKind Kind : {Attribute::StrictFP, Attribute::NoUnwind})
    if (Original.hasFnAttribute(Kind))
      Wrapper->addFnAttr(Kind);
  Wrapper->setUWTableKind(Original.getUWTableKind());
  B.SetInsertPoint(BasicBlock::Create(Original.getContext(), "", Wrapper));
}

void Unpacker::run() {
  createWrapper();
  SmallVector<RequestArgument, 8> Arguments;
  std::optional<unsigned> Sret;
  for (unsigned K = 0; K != Original.arg_size(); ++K) {
    Argument *Mine = Wrapper->getArg(Arguments.size());
    if (R.SretParameter == K)
      Sret = Arguments.size();
    const Bundle *Pack = bundleAt(K);
    if (!Pack) {
      Passed.push_back(Mine);
      Arguments.push_back(R.Arguments[K]);
      continue;
    }
    unpack(Mine, *Pack);
    RequestArgument A;
    A.Activity = ArgumentActivity::Out;
    A.Primal = packArguments(*Pack);
    Arguments.push_back(A);
    K += Pack->Range.Count - 1;
  }
  CallInst *Call = B.CreateCall(&Original, Passed);
  Call->setCallingConv(Original.getCallingConv());
  Call->setAttributes(AttributeList::get(
      Original.getContext(), {}, Original.getAttributes().getRetAttrs(), {}));
  for (unsigned K = 0; K != Original.arg_size(); ++K)
    for (Attribute A : Original.getAttributes().getParamAttrs(K))
      Call->addParamAttr(K, A);
  if (Original.hasFnAttribute(Attribute::StrictFP))
    Call->addFnAttr(Attribute::StrictFP);
  if (Returned->isVoidTy())
    B.CreateRetVoid();
  else if (Call->getType() == Returned)
    B.CreateRet(Call);
  else
    B.CreateRet(throughMemory(B, Call, Returned));
  R.Primal = Wrapper;
  R.Arguments = std::move(Arguments);
  R.SretParameter = Sret;
}

void verso::unpackArguments(Request &R, ArrayRef<Bundle> Bundles,
                            Type *Returned) {
  Unpacker(R, Bundles, Returned).run();
}
