//===- RecursionExceptions.cpp - exceptions that leave an activation ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exception has to run the clean-up of every caller, and callers are frames
// here. So it returns like a result, and says so:
//
//   resume e             throws = true;  thrown = e;  return
//   return v             throws = false;  result = v;  return
//   invoke f(x) ... pad  call f(x);  if (throws) goto pad with thrown
//
// Only where it is raised does a real landing pad catch it, which has to say
// what callers catch, as after inlining. At the end of the loop it goes on; if
// a caller might have caught it, it is thrown again, since then the landing pad
// did not ask who catches it outside.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "structured/Targets.h"
#include "structured/recursion/RecursionMachine.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

/// What is caught where calls of members return with an exception; refused if
/// that is not the same everywhere: the first of all clauses that fits is taken
/// where it is raised.
SmallVector<Constant *, 2>
RecursionMachine::clausesOf(ArrayRef<InvokeInst *> Invokes) {
  SmallVector<Constant *, 2> Clauses;
  for (InvokeInst *Invoke : Invokes) {
    LandingPadInst *Pad = Invoke->getLandingPadInst();
    SmallVector<Constant *, 2> Own;
    bool HasFilter = false;
    for (unsigned K = 0; K != Pad->getNumClauses(); ++K) {
      HasFilter |= Pad->isFilter(K);
      Own.push_back(Pad->getClause(K));
    }
    if (Clauses.empty())
      Clauses = Own;
    if (HasFilter || (!Own.empty() && Own != Clauses)) {
      Refused.add("exceptions of several types are caught in '" +
                      sourceName(First) + "', which is recursive",
                  Invoke);
      break;
    }
  }
  return Clauses;
}

/// Where no exception comes to an activation that calls another, calls need no
/// landing pad.
void RecursionMachine::handleExceptions() {
  // What is never called throws nothing. (Inlined where exceptions are caught,
  // it would become an invoke without a mark.)
  SmallVector<CallBase *, 8> Calls;
  SmallVector<InvokeInst *, 8> Invokes;
  bool Throws = false;
  for (Instruction &I : instructions(*F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && endsChain(*Call))
      Call->setDoesNotThrow();
    if (Call && callee(*Call)) {
      Calls.push_back(Call);
      if (auto *Invoke = dyn_cast<InvokeInst>(Call))
        Invokes.push_back(Invoke);
    } else {
      Throws |= Call && I.mayThrow(/*IncludePhaseOneUnwind=*/true);
    }
  }
  if (Invokes.empty())
    return;
  if (Throws)
    return returnExceptions(Calls, Invokes);
  for (InvokeInst *Invoke : Invokes)
    changeToCall(Invoke);
  removeUnreachableBlocks(*F);
}

/// The blocks of \p Each.
SmallSetVector<BasicBlock *, 16> RecursionMachine::blocksOf(Member &Each) {
  SmallSetVector<BasicBlock *, 16> Blocks;
  Blocks.insert(Each.Head);
  for (unsigned K = 0; K != Blocks.size(); ++K)
    for (BasicBlock *Next : successors(Blocks[K]))
      if (Next != Return)
        Blocks.insert(Next);
  return Blocks;
}

/// {pointer, selector} of the exception that came back.
Value *RecursionMachine::loadThrown(IRBuilder<> &B) {
  Value *E =
      PoisonValue::get(StructType::get(C, {B.getPtrTy(), B.getInt32Ty()}));
  E = B.CreateInsertValue(E, B.CreateLoad(B.getPtrTy(), Thrown, "thrown"), 0);
  return B.CreateInsertValue(
      E, B.CreateLoad(B.getInt32Ty(), Selector, "selector"), 1);
}

/// The end of an activation by an exception.
BasicBlock *RecursionMachine::leave(Member &Each) {
  auto *Leave = BasicBlock::Create(C, "leave", F);
  IRBuilder<> B(Leave);
  for (auto &[Other, That] : Members)
    if (That.Result)
      B.CreateStore(PoisonValue::get(That.Result->getAllocatedType()),
                    That.Result);
  B.CreateStore(B.getTrue(), Throws);
  B.CreateStore(Each.CallerOnEntry, Back);
  B.CreateBr(Return);
  return Leave;
}

/// What stands behind a landing pad, for exceptions that come back as well:
/// each of its phis, and itself, has a phi there.
BasicBlock *RecursionMachine::behindPad(BasicBlock &Pad) {
  LandingPadInst *E = Pad.getLandingPadInst();
  if (BasicBlock *Known = BehindPad.lookup(&Pad))
    return Known;
  BasicBlock *Behind = SplitBlock(&Pad, E->getNextNode());
  IRBuilder<> B(Behind, Behind->begin());
  auto Continue = [&](Instruction &I) {
    PHINode *Phi = B.CreatePHI(I.getType(), 2, I.getName());
    I.replaceAllUsesWith(Phi);
    Phi->addIncoming(&I, &Pad);
  };
  for (PHINode &Phi : Pad.phis())
    Continue(Phi);
  Continue(*E);
  return BehindPad[&Pad] = Behind;
}

/// The end of the loop by an exception.
void RecursionMachine::throwOutside(BasicBlock *Outside) {
  IRBuilder<> B(Outside);
  Value *E = loadThrown(B);
  if (!CatchesWithin) {
    B.CreateResume(E);
    return;
  }
  // catch (...) { throw; }
  auto Declare = [&](StringRef Name, Type *Result,
                     ArrayRef<Type *> Parameters) {
    return M.getOrInsertFunction(Name,
                                 FunctionType::get(Result, Parameters, false));
  };
  auto *Never = BasicBlock::Create(C, "never", F);
  new UnreachableInst(C, Never);
  auto *Pad = BasicBlock::Create(C, "again", F);
  B.CreateCall(Declare("__cxa_begin_catch", B.getPtrTy(), B.getPtrTy()),
               B.CreateExtractValue(E, 0))
      ->setDoesNotThrow();
  B.CreateInvoke(Declare("__cxa_rethrow", B.getVoidTy(), {}), Never, Pad);
  B.SetInsertPoint(Pad);
  LandingPadInst *Again = B.CreateLandingPad(E->getType(), 0);
  Again->setCleanup(true);
  B.CreateCall(Declare("__cxa_end_catch", B.getVoidTy(), {}))
      ->setDoesNotThrow();
  B.CreateResume(Again);
}

void RecursionMachine::returnExceptions(ArrayRef<CallBase *> Calls,
                                        ArrayRef<InvokeInst *> Invokes) {
  SmallVector<Constant *, 2> Clauses = clausesOf(Invokes);
  CatchesWithin = !Clauses.empty();
  if (CatchesWithin &&
      F->getPersonalityFn()->getName() != "__gxx_personality_v0")
    Refused.add("'" + sourceName(First) +
                "' is recursive, and catches exceptions that are not those "
                "of C++");
  if (Refused)
    return;
  Throws = variable(Type::getInt1Ty(C), "throws");
  Thrown = variable(PointerType::getUnqual(C), "thrown");
  Selector = variable(Type::getInt32Ty(C), "selector");
  for (BasicBlock *Block : predecessors(Return))
    new StoreInst(ConstantInt::getFalse(C), Throws,
                  Block->getTerminator()->getIterator());
  // Where each call goes on with an exception.
  DenseMap<CallBase *, BasicBlock *> Handlers;
  for (auto &[G, Each] : Members) {
    SmallSetVector<BasicBlock *, 16> Blocks = blocksOf(Each);
    BasicBlock *Leave = leave(Each);
    for (CallBase *Call : Calls)
      if (Blocks.contains(Call->getParent()) && !Call->doesNotThrow())
        Handlers[Call] = Leave;
    raiseWithin(Blocks.getArrayRef(), Leave);
  }
  for (BasicBlock &Block : *F)
    if (LandingPadInst *Pad = Block.getLandingPadInst()) {
      Pad->setCleanup(true);
      for (Constant *Clause : Clauses)
        Pad->addClause(Clause);
    }
  for (InvokeInst *Invoke : Invokes) {
    BasicBlock *Pad = Invoke->getUnwindDest(), *Behind = behindPad(*Pad);
    auto *Edge = BasicBlock::Create(C, "caught", F, Behind);
    IRBuilder<> B(Edge);
    SmallVector<Value *, 4> Incoming;
    for (PHINode &Phi : Pad->phis())
      Incoming.push_back(Phi.getIncomingValueForBlock(Invoke->getParent()));
    Incoming.push_back(loadThrown(B));
    B.CreateBr(Behind);
    for (auto [Phi, V] : zip(Behind->phis(), Incoming))
      Phi.addIncoming(V, Edge);
    Handlers[Invoke] = Edge;
  }
  for (CallBase *Call : Calls) {
    BasicBlock *Handler = Handlers.lookup(Call), *Normal;
    if (!Handler)
      continue;
    if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
      Normal = Invoke->getNormalDest();
      Call = changeToCall(Invoke);
    } else {
      Normal = SplitBlock(Call->getParent(), Call->getNextNode());
    }
    Instruction *End = Call->getParent()->getTerminator();
    IRBuilder<> B(End);
    B.CreateCondBr(B.CreateLoad(B.getInt1Ty(), Throws), Handler, Normal);
    End->eraseFromParent();
  }
  removeUnreachableBlocks(*F);
}

/// Exceptions in \p Blocks, of one activation, that nothing there catches go to
/// \p Leave.
void RecursionMachine::raiseWithin(ArrayRef<BasicBlock *> Blocks,
                                   BasicBlock *Leave) {
  SmallVector<CallInst *, 8> Raising;
  for (BasicBlock *Block : Blocks) {
    for (Instruction &I : *Block)
      if (auto *Call = dyn_cast<CallInst>(&I);
          Call && Call->mayThrow() && !callee(*Call))
        Raising.push_back(Call);
    auto *Resume = dyn_cast<ResumeInst>(Block->getTerminator());
    if (!Resume)
      continue;
    IRBuilder<> B(Resume);
    B.CreateStore(B.CreateExtractValue(Resume->getValue(), 0), Thrown);
    B.CreateStore(B.CreateExtractValue(Resume->getValue(), 1), Selector);
    B.CreateBr(Leave);
    Resume->eraseFromParent();
  }
  if (Raising.empty())
    return;
  auto *Pad = BasicBlock::Create(C, "raised", F);
  IRBuilder<> B(Pad);
  LandingPadInst *E =
      B.CreateLandingPad(StructType::get(C, {B.getPtrTy(), B.getInt32Ty()}), 0);
  B.CreateStore(B.CreateExtractValue(E, 0), Thrown);
  B.CreateStore(B.CreateExtractValue(E, 1), Selector);
  B.CreateBr(Leave);
  for (CallInst *Call : Raising)
    changeToInvokeAndSplitBasicBlock(Call, Pad);
}
