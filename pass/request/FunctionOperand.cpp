//===- FunctionOperand.cpp - which function a request names ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/FunctionOperand.h"
#include "emit/Location.h"
#include "emit/Runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

namespace {

/// One search. A value that is met again on a cycle decides nothing.
class Search {
public:
  ArrayRef<Function *> find(Value *V) {
    walk(V);
    return Failed ? ArrayRef<Function *>() : Found.getArrayRef();
  }

private:
  void walk(Value *V);
  void walkLoad(LoadInst &Load);
  void walkCall(CallBase &Call);
  void walkParameter(Argument &Parameter);

  SmallPtrSet<Value *, 16> Seen;
  SmallSetVector<Function *, 2> Found;
  bool Failed = false;
};

} // namespace

/// The elements of a constant array of pointers that \p Address may lead to;
/// empty if it is none.
static SmallVector<Value *, 8> elementsAt(Value *Address,
                                          const DataLayout &DL) {
  auto *GEP = dyn_cast<GEPOperator>(Address);
  auto *Array = GEP ? dyn_cast<GlobalVariable>(
                          GEP->getPointerOperand()->stripPointerCasts())
                    : nullptr;
  SmallVector<Value *, 8> Elements;
  if (Array && Array->isConstant() && Array->hasDefinitiveInitializer())
    if (auto *All = dyn_cast<ConstantArray>(Array->getInitializer());
        All && All->getType()->getElementType()->isPointerTy()) {
      APInt Offset(DL.getIndexTypeSizeInBits(GEP->getType()), 0);
      Type *T = All->getType()->getElementType();
      if (!GEP->accumulateConstantOffset(DL, Offset))
        append_range(Elements, All->operand_values());
      else if (Constant *One = ConstantFoldLoadFromConst(All, T, Offset, DL))
        Elements.push_back(One);
    }
  return Elements;
}

/// The value of the one store to \p Slot, also as its first member, null if
/// there are more or its address goes elsewhere.
static Value *onlyStoredValue(AllocaInst &Slot) {
  Value *Stored = nullptr;
  SmallVector<Value *, 4> Addresses{&Slot};
  while (!Addresses.empty()) {
    Value *Address = Addresses.pop_back_val();
    for (User *U : Address->users()) {
      if (auto *Store = dyn_cast<StoreInst>(U)) {
        if (Stored || Store->getPointerOperand() != Address)
          return nullptr;
        Stored = Store->getValueOperand();
      } else if (auto *Gep = dyn_cast<GetElementPtrInst>(U);
                 Gep && Gep->hasAllZeroIndices()) {
        Addresses.push_back(Gep);
      } else if (!isa<LoadInst>(U) && !isa<LifetimeIntrinsic>(U)) {
        return nullptr;
      }
    }
  }
  return Stored;
}

void Search::walk(Value *V) {
  V = V->stripPointerCasts();
  // Fortran's c_funptr holds an integer.
  if (Operator::getOpcode(V) == Instruction::IntToPtr ||
      Operator::getOpcode(V) == Instruction::PtrToInt)
    V = cast<User>(V)->getOperand(0)->stripPointerCasts();
  if (Failed || !Seen.insert(V).second)
    return;
  if (auto *Alias = dyn_cast<GlobalAlias>(V); Alias && !Alias->isInterposable())
    V = Alias->getAliaseeObject();
  if (auto *F = dyn_cast_or_null<Function>(V)) {
    Found.insert(F);
  } else if (auto *Load = dyn_cast_or_null<LoadInst>(V)) {
    walkLoad(*Load);
  } else if (auto *Call = dyn_cast_or_null<CallBase>(V)) {
    walkCall(*Call);
  } else if (auto *Phi = dyn_cast_or_null<PHINode>(V)) {
    for (Value *Incoming : Phi->incoming_values())
      walk(Incoming);
  } else if (auto *Select = dyn_cast_or_null<SelectInst>(V)) {
    walk(Select->getTrueValue());
    walk(Select->getFalseValue());
  } else if (auto *Freeze = dyn_cast_or_null<FreezeInst>(V)) {
    walk(Freeze->getOperand(0));
  } else if (auto *Parameter = dyn_cast_or_null<Argument>(V)) {
    walkParameter(*Parameter);
  } else {
    Failed = true;
  }
}

void Search::walkLoad(LoadInst &Load) {
  Value *Source = Load.getPointerOperand()->stripPointerCasts();
  while (auto *Gep = dyn_cast<GetElementPtrInst>(Source)) {
    if (!Gep->hasAllZeroIndices())
      break;
    Source = Gep->getPointerOperand()->stripPointerCasts();
  }
  Value *Stored = nullptr;
  if (auto *Slot = dyn_cast<AllocaInst>(Source))
    Stored = onlyStoredValue(*Slot);
  else if (auto *C = dyn_cast<Constant>(Source))
    Stored = ConstantFoldLoadFromConstPtr(C, Load.getType(),
                                          Load.getModule()->getDataLayout());
  if (Stored)
    return walk(Stored);
  SmallVector<Value *, 8> Elements = elementsAt(Source, Load.getDataLayout());
  Failed |= Elements.empty();
  for (Value *Element : Elements)
    if (!isa<ConstantPointerNull>(Element))
      walk(Element);
}

/// The callee returns the same function whatever it is given.
void Search::walkCall(CallBase &Call) {
  Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isDeclaration() || Callee->isInterposable()) {
    Failed = true;
    return;
  }
  for (BasicBlock &BB : *Callee)
    if (auto *Return = dyn_cast<ReturnInst>(BB.getTerminator())) {
      if (isa<Argument>(Return->getReturnValue()))
        Failed = true;
      else
        walk(Return->getReturnValue());
    }
}

void Search::walkParameter(Argument &Parameter) {
  Function &F = *Parameter.getParent();
  if (!F.hasLocalLinkage() || F.hasAddressTaken()) {
    Failed = true;
    return;
  }
  for (User *U : F.users()) {
    auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Parameter.getArgNo() >= Call->arg_size()) {
      Failed = true;
      return;
    }
    walk(Call->getArgOperand(Parameter.getArgNo()));
  }
}

Function *verso::findFunction(Value *V) {
  Search S;
  ArrayRef<Function *> Found = S.find(V);
  return Found.size() == 1 ? Found.front() : nullptr;
}

//===----------------------------------------------------------------------===//
// Requests of several functions
//===----------------------------------------------------------------------===//

/// Where a request is made of one of so many functions, it is code for each.
static constexpr unsigned MostFunctions = 32;

/// The block of \p Call alone, and the block that goes on behind it.
static std::pair<BasicBlock *, BasicBlock *> isolate(CallBase &Call) {
  BasicBlock *Alone = SplitBlock(Call.getParent(), &Call);
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (!Invoke)
    return {Alone, SplitBlock(Alone, Call.getNextNode())};
  BasicBlock *Normal = Invoke->getNormalDest();
  auto *Behind = BasicBlock::Create(Call.getContext(), "", Alone->getParent());
  Normal->replacePhiUsesWith(Alone, Behind);
  Invoke->setNormalDest(Behind);
  BranchInst::Create(Normal, Behind);
  return {Alone, Behind};
}

/// request(p, ...)  =>  p == f ? request(f, ...) : p == g ? request(g, ...)
///                                                        : fail()
SmallVector<CallBase *, 1> verso::requestsByFunction(CallBase &Call) {
  unsigned K = Call.arg_size() && Call.paramHasAttr(0, Attribute::StructRet);
  Value *Choice = K < Call.arg_size() ? Call.getArgOperand(K) : nullptr;
  Search S;
  ArrayRef<Function *> Functions = Choice && Choice->getType()->isPointerTy()
                                       ? S.find(Choice)
                                       : ArrayRef<Function *>();
  if (Functions.size() < 2 || Functions.size() > MostFunctions)
    return {&Call};
  LLVMContext &C = Call.getContext();
  BasicBlock *Head = Call.getParent();
  auto [Alone, Behind] = isolate(Call);
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  IRBuilder<> B(C);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  PHINode *Result = nullptr;
  if (!Call.use_empty()) {
    B.SetInsertPoint(Behind, Behind->begin());
    Result = B.CreatePHI(Call.getType(), Functions.size());
    Call.replaceAllUsesWith(Result);
    Result->addIncoming(&Call, Alone);
  }
  SmallVector<CallBase *, 1> Calls{&Call};
  Call.setArgOperand(K, Functions.front());
  Head->getTerminator()->eraseFromParent();
  for (Function *F : Functions) {
    BasicBlock *Block = Alone;
    if (F != Functions.front()) {
      Block = BasicBlock::Create(C, "", Alone->getParent(), Behind);
      B.SetInsertPoint(Block);
      auto *Copy = cast<CallBase>(B.Insert(Call.clone()));
      Copy->setArgOperand(K, F);
      Calls.push_back(Copy);
      if (Invoke)
        for (PHINode &Phi : Invoke->getUnwindDest()->phis())
          Phi.addIncoming(Phi.getIncomingValueForBlock(Alone), Block);
      else
        B.CreateBr(Behind);
      if (Result)
        Result->addIncoming(Copy, Block);
    }
    auto *Next = BasicBlock::Create(C, "", Alone->getParent(), Behind);
    B.SetInsertPoint(Head);
    B.CreateCondBr(B.CreateICmpEQ(Choice, F), Block, Next);
    Head = Next;
  }
  B.SetInsertPoint(Head);
  callRuntime(B, RuntimeFunction::Fail,
              {B.CreateGlobalString("the function of the request is a null "
                                    "pointer, or none that it could be when "
                                    "the program was compiled",
                                    "verso.reason"),
               emitLocation(B, Call)});
  B.CreateUnreachable();
  return Calls;
}
