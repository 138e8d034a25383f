//===- CutInTwo.cpp - recto and verso as two functions --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/parts/CutInTwo.h"
#include "emit/Runtime.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral BoundaryName = "verso.boundary.of.part";

bool verso::crosses(const Value *X, const BlockSet &Blocks) {
  auto *I = dyn_cast<Instruction>(X);
  return isa<Argument>(X) ||
         (I && !Blocks.contains(const_cast<BasicBlock *>(I->getParent())));
}

SmallVector<Value *, 32>
verso::findCrossing(const BlockSet &Blocks,
                    function_ref<bool(const Value *)> Crosses) {
  SmallSetVector<Value *, 32> Crossing;
  for (BasicBlock *Block : Blocks)
    for (Instruction &I : *Block)
      for (Value *Op : I.operands())
        if (Crosses(Op))
          Crossing.insert(Op);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Value *X : Crossing) {
      auto *I = dyn_cast<Instruction>(X);
      if (!I ||
          !isa<GetElementPtrInst, CastInst, CmpInst, BinaryOperator,
               UnaryOperator>(I) ||
          !isSafeToSpeculativelyExecute(I) ||
          I->getOpcode() == Instruction::FDiv ||
          !all_of(I->operands(), [&](Value *Op) {
            return isa<Constant>(Op) || (Op != X && Crossing.contains(Op));
          }))
        continue;
      Instruction *Copy = I->clone();
      Copy->insertBefore(Blocks.front()->getFirstInsertionPt());
      I->replaceUsesWithIf(Copy, [&](Use &U) {
        return Blocks.contains(cast<Instruction>(U.getUser())->getParent());
      });
      Crossing.remove(X);
      Changed = true;
      break;
    }
  }
  return Crossing.takeVector();
}

CallInst *verso::emitBoundary(IRBuilderBase &B, Value *Returned) {
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Mark = M.getOrInsertFunction(
      BoundaryName, FunctionType::get(B.getVoidTy(), /*isVarArg=*/true));
  SmallVector<Value *, 1> Uses;
  if (Returned)
    Uses.push_back(Returned);
  CallInst *Call = B.CreateCall(Mark, Uses);
  Call->addFnAttr(Attribute::NoUnwind);
  Call->addFnAttr(Attribute::NoDuplicate);
  return Call;
}

namespace {

class Cutter {
public:
  Cutter(Function &F, Function &Recto, Function &Verso)
      : F(F), Recto(Recto), Verso(Verso), DL(F.getDataLayout()) {}
  bool findBoundary();
  void cut(ArrayRef<Value *> Parameters, ArrayRef<Value *> VersoParameters);

private:
  bool isShared(const AllocaInst &A) const;
  bool isOfVerso(const Use &U) const {
    return Behind.contains(cast<Instruction>(U.getUser())->getParent());
  }
  uint64_t reserve(uint64_t Bytes, Align A);
  void sortVariables();

  Function &F, &Recto, &Verso;
  const DataLayout &DL;
  CallInst *Boundary = nullptr;
  BasicBlock *Head = nullptr;
  BlockSet Behind;
  /// Local variables of both sweeps, and of the verso alone.
  SmallVector<AllocaInst *, 16> Shared, OfVerso;
  uint64_t Size = 0;
  Align Most{16};
};

} // namespace

/// Whether all can be told apart.
bool Cutter::findBoundary() {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee->getName() != BoundaryName)
      continue;
    if (Boundary)
      return false;
    Boundary = Call;
  }
  if (!Boundary)
    return false;
  Head =
      Boundary->getParent()->splitBasicBlock(Boundary->getNextNode(), "verso");
  Behind.insert(Head);
  for (unsigned K = 0; K != Behind.size(); ++K)
    for (BasicBlock *Next : successors(Behind[K]))
      Behind.insert(Next);
  DominatorTree DT(F);
  return all_of(F,
                [&](BasicBlock &B) {
                  bool Ends = isa<ReturnInst>(B.getTerminator());
                  return Behind.contains(&B) ? DT.dominates(Head, &B) : !Ends;
                }) &&
         none_of(instructions(F), [](const Instruction &I) {
           // Of unknown size, or made anew: such arrays are in the arena by
           // now.
           auto *A = dyn_cast<AllocaInst>(&I);
           return A && !A->isStaticAlloca();
         });
}

uint64_t Cutter::reserve(uint64_t Bytes, Align A) {
  Most = std::max(Most, A);
  uint64_t At = alignTo(Size, A);
  Size = At + Bytes;
  return At;
}

/// Whether somebody may come to \p A but loads, stores, copies and comparisons
/// of the recto: its verso, a part that it is given to, who keep the address.
bool Cutter::isShared(const AllocaInst &A) const {
  SmallPtrSet<const Value *, 16> Seen{&A};
  SmallVector<const Value *, 16> Work{&A};
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      auto *Store = dyn_cast<StoreInst>(I);
      if (isOfVerso(U) || (Store && Store->getValueOperand() == U.get()))
        return true;
      if (isa<LoadInst, StoreInst, ICmpInst, AnyMemIntrinsic>(I))
        continue;
      if (!isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(I))
        return true;
      if (Seen.insert(I).second)
        Work.push_back(I);
    }
  return false;
}

void Cutter::sortVariables() {
  for (Instruction &I : F.getEntryBlock()) {
    auto *A = dyn_cast<AllocaInst>(&I);
    if (!A)
      continue;
    if (!A->use_empty() &&
        all_of(A->uses(), [&](Use &U) { return isOfVerso(U); }))
      OfVerso.push_back(A);
    else if (isShared(*A))
      Shared.push_back(A);
  }
}

void Cutter::cut(ArrayRef<Value *> Parameters,
                 ArrayRef<Value *> VersoParameters) {
  LLVMContext &C = F.getContext();
  sortVariables();
  auto IsVariable = [&](const Value *X) {
    return is_contained(Shared, X) || is_contained(OfVerso, X);
  };
  SmallVector<Value *, 32> Crossing = findCrossing(Behind, [&](const Value *X) {
    auto *A = dyn_cast<Argument>(X);
    return A ? Parameters[A->getArgNo()] != nullptr
             : crosses(X, Behind) && !IsVariable(X);
  });
  IRBuilder<> Front(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  CallInst *Frame =
      callRuntime(Front, RuntimeFunction::ArenaTake, {Front.getInt64(0)});
  Frame->addRetAttr(Attribute::NoAlias);
  Frame->setName("frame");
  auto At = [](IRBuilderBase &B, Value *Of, uint64_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Of, Offset);
  };
  Argument *Kept = Verso.getArg(0);
  Kept->setName("frame");
  IRBuilder<> Begin(Head, Head->begin());
  auto *Entry = BasicBlock::Create(C, "entry", &Verso);
  IRBuilder<> Verso0(Entry);
  for (AllocaInst *A : Shared) {
    uint64_t Offset =
        reserve(A->getAllocationSize(DL)->getFixedValue(), A->getAlign());
    Value *InVerso = At(Verso0, Kept, Offset);
    A->replaceUsesWithIf(InVerso, [&](Use &U) { return isOfVerso(U); });
    A->replaceAllUsesWith(At(Front, Frame, Offset));
    A->eraseFromParent();
  }
  IRBuilder<> End(Boundary->getParent()->getTerminator());
  for (Value *X : Crossing) {
    Type *T = X->getType();
    uint64_t Offset = reserve(DL.getTypeAllocSize(T), DL.getABITypeAlign(T));
    Value *Again = Verso0.CreateLoad(T, At(Verso0, Kept, Offset));
    X->replaceUsesWithIf(Again, [&](Use &U) { return isOfVerso(U); });
    End.CreateStore(X, At(End, Frame, Offset));
  }
  Frame->setArgOperand(0, Front.getInt64(alignTo(Size, Most)));
  Frame->addRetAttr(Attribute::getWithAlignment(C, Most));
  // The recto returns what the boundary says.
  Value *Result = Frame;
  if (auto *S = dyn_cast<StructType>(Recto.getReturnType())) {
    Value *All = PoisonValue::get(S);
    All = End.CreateInsertValue(All, Boundary->getArgOperand(0), 0);
    Result = End.CreateInsertValue(All, Frame, 1);
  }
  Instruction *Branch = &*End.GetInsertPoint();
  ReturnInst::Create(C, Result, Branch->getIterator());
  Branch->eraseFromParent();
  Function *Mark = Boundary->getCalledFunction();
  Boundary->eraseFromParent();
  if (Mark->use_empty())
    Mark->eraseFromParent();
  for (AllocaInst *A : OfVerso)
    A->moveBefore(*Entry, Entry->begin());
  Verso0.CreateBr(Head);
  for (BasicBlock *Block : Behind) {
    Block->removeFromParent();
    Block->insertInto(&Verso);
  }
  Recto.splice(Recto.begin(), &F);
  for (Argument &A : F.args()) {
    Value *New = Parameters[A.getArgNo()] ? Parameters[A.getArgNo()]
                                          : VersoParameters[A.getArgNo()];
    A.replaceAllUsesWith(New);
  }
}

void verso::cutInTwo(Function &F, Function &Recto, Function &Verso,
                     ArrayRef<Value *> Parameters,
                     ArrayRef<Value *> VersoParameters, Refusals &Refused) {
  Cutter C(F, Recto, Verso);
  if (!C.findBoundary())
    return Refused.add(
        "recto and verso of a function that is called in several "
        "places cannot be told apart");
  C.cut(Parameters, VersoParameters);
  F.eraseFromParent();
}
