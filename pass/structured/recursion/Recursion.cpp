//===- Recursion.cpp - recursion as a loop --------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/recursion/Recursion.h"
#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"
#include "structured/NormalizeMemory.h"
#include "structured/Targets.h"
#include "structured/recursion/RecursionMachine.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Scalar/Reg2Mem.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral FrameMark = "verso.frame";
/// Of frames of activations that make one call each.
static constexpr StringLiteral OneCallMark = "verso.one.call";

bool verso::isFrame(const CallBase &Call) {
  return calls(Call, RuntimeFunction::ArenaTake);
}

uint64_t verso::shadowOfFrame(const CallBase &Call) {
  if (!Call.hasMetadata(FrameMark))
    return 0;
  return cast<ConstantInt>(Call.getArgOperand(0))->getZExtValue() / 2;
}

void verso::forgetFrames(Function &F) {
  for (Instruction &I : instructions(F)) {
    I.setMetadata(FrameMark, nullptr);
    I.setMetadata(OneCallMark, nullptr);
  }
}

/// Whether a loop itself, not one in it, computes with real numbers.
static bool computes(const Loop &L, const LoopInfo &LI) {
  for (BasicBlock *Block : L.blocks())
    if (LI.getLoopFor(Block) == &L)
      for (Instruction &I : *Block)
        if (isa<BinaryOperator, CallBase>(I) && I.getType()->isFPOrFPVectorTy())
          return true;
  return false;
}

/// Whether it stores real numbers anywhere but in frames.
static bool writesNumbers(const Loop &L) {
  auto IsInFrame = [](const Instruction &I) {
    const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
    auto *Scalar = Tag && Tag->getNumOperands() > 1
                       ? dyn_cast_or_null<MDNode>(Tag->getOperand(1))
                       : nullptr;
    auto *Name = Scalar && Scalar->getNumOperands()
                     ? dyn_cast<MDString>(Scalar->getOperand(0))
                     : nullptr;
    return Name && Name->getString() == NumberInFrame;
  };
  return any_of(L.blocks(), [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      auto *Store = dyn_cast<StoreInst>(&I);
      return Store && Store->getValueOperand()->getType()->isFPOrFPVectorTy() &&
             !IsInFrame(I);
    });
  });
}

bool verso::isLittleBetweenCalls(Function &F, const LoopInfo &LI) {
  SmallPtrSet<const Loop *, 4> Stacks, Branching;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && isFrame(*Call) && shadowOfFrame(*Call))
      if (const Loop *L = LI.getLoopFor(I.getParent())) {
        Stacks.insert(L);
        if (!I.hasMetadata(OneCallMark))
          Branching.insert(L);
      }
  if (none_of(Branching, [&](const Loop *L) {
        return computes(*L, LI) && !writesNumbers(*L);
      }))
    return false;
  return none_of(LI.getLoopsInPreorder(), [&](const Loop *L) {
    return L->isInnermost() && !Stacks.contains(L) && computes(*L, LI);
  });
}

bool verso::isUnchangedField(const LoadInst &Load) {
  return Load.hasMetadata(UnchangedMark);
}

//===----------------------------------------------------------------------===//
// One function out of a circle
//===----------------------------------------------------------------------===//

AllocaInst *RecursionMachine::variable(Type *T, const Twine &Name) {
  return IRBuilder<>(Entry, Entry->begin()).CreateAlloca(T, nullptr, Name);
}

RecursionMachine::Member *RecursionMachine::callee(const CallBase &Call) {
  auto *G = dyn_cast<Function>(
      Call.getCalledOperand()->stripPointerCastsAndAliases());
  auto It = G ? Members.find(G) : Members.end();
  return It == Members.end() ? nullptr : &It->second;
}

/// A copy, in which arguments that are passed in memory are local variables.
void RecursionMachine::copy(Function &G, Member &Each) {
  if (G.isVarArg() || G.hasFnAttribute(Attribute::StrictFP) ||
      G.hasFnAttribute(Attribute::Naked))
    return Refused.add("'" + sourceName(G) +
                       "' is recursive and cannot be inlined");
  ValueToValueMapTy Values;
  Each.Copy = CloneFunction(&G, Values);
  Each.Copy->setLinkage(GlobalValue::InternalLinkage);
  Each.Copy->setComdat(nullptr);
  Each.Copy->removeFnAttr(Attribute::OptimizeNone);
  for (Argument &A : Each.Copy->args()) {
    if (A.hasInAllocaAttr() || A.hasPreallocatedAttr() || A.hasSwiftErrorAttr())
      return Refused.add("'" + sourceName(G) + "' has unusual parameters");
    if (!A.hasByValAttr())
      continue;
    IRBuilder<> B(&*Each.Copy->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Type *T = A.getParamByValType();
    AllocaInst *Local = B.CreateAlloca(T, nullptr, A.getName() + ".copy");
    if (MaybeAlign Known = A.getParamAlign())
      Local->setAlignment(std::max(Local->getAlign(), *Known));
    A.replaceAllUsesWith(Local);
    B.CreateMemCpy(Local, Local->getAlign(), &A, A.getParamAlign(),
                   DL.getTypeAllocSize(T));
  }
}

/// A structure of one pointer, a lambda that captures one variable say, is
/// handed on as an integer. One that is only handed on, or made a pointer
/// again, is kept as one: the analyses would not know whose it is.
void RecursionMachine::findAddresses() {
  // What a use hands on to one of the functions.
  auto ReceivedAs = [&](const Use &U) -> const Argument * {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    Member *To = Call && Call->isArgOperand(&U) ? callee(*Call) : nullptr;
    unsigned K = To ? Call->getArgOperandNo(&U) : 0;
    return To && K < To->Copy->arg_size() ? To->Copy->getArg(K) : nullptr;
  };
  Type *Word = DL.getIntPtrType(C);
  SmallPtrSet<const Argument *, 8> May;
  for (auto &[G, Each] : Members)
    for (Argument &A : Each.Copy->args())
      if (A.getType() == Word)
        May.insert(&A);
  for (bool Changed = true; Changed;)
    Changed = May.remove_if([&](const Argument *A) {
      return !all_of(A->uses(), [&](const Use &U) {
        return (isa<IntToPtrInst>(U.getUser()) &&
                U.getUser()->getType() == PointerType::getUnqual(C)) ||
               May.contains(ReceivedAs(U));
      });
    });
  // Somebody has to say that it is one.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Argument *A : May)
      if (any_of(A->uses(), [&](const Use &U) {
            return isa<IntToPtrInst>(U.getUser()) ||
                   Addresses.contains(ReceivedAs(U));
          }))
        Changed |= Addresses.insert(A).second;
  }
}

/// Moves the body of a copy into the function in the making: arguments and
/// result become variables.
void RecursionMachine::adopt(Member &Each) {
  Each.Head = &Each.Copy->getEntryBlock();
  IRBuilder<> B(&*Each.Head->getFirstNonPHIOrDbgOrAlloca());
  auto Received = [&](Type *T, const Twine &Name) {
    AllocaInst *V = variable(T, Name);
    return std::pair(V, B.CreateLoad(T, V, Name));
  };
  for (Argument &A : Each.Copy->args()) {
    bool IsAddress = Addresses.contains(&A);
    auto [V, Load] =
        Received(IsAddress ? B.getPtrTy() : A.getType(), A.getName());
    Each.Parameters.push_back(V);
    for (User *U : A.users())
      if (IsAddress && isa<IntToPtrInst>(U))
        U->replaceAllUsesWith(Load);
    A.replaceAllUsesWith(B.CreateBitOrPointerCast(Load, A.getType()));
  }
  std::tie(Each.Caller, Each.CallerOnEntry) = Received(B.getPtrTy(), "caller");
  for (BasicBlock &Block : *Each.Copy) {
    auto *R = dyn_cast<ReturnInst>(Block.getTerminator());
    if (!R)
      continue;
    B.SetInsertPoint(R);
    if (Each.Result)
      B.CreateStore(R->getReturnValue(), Each.Result);
    for (auto &[Other, That] : Members)
      if (That.Result && &That != &Each)
        B.CreateStore(PoisonValue::get(That.Result->getAllocatedType()),
                      That.Result);
    B.CreateStore(Each.CallerOnEntry, Back);
    B.CreateBr(Return);
    R->eraseFromParent();
  }
  if (Each.Copy->hasPersonalityFn()) {
    Constant *Own = Each.Copy->getPersonalityFn();
    if (F->hasPersonalityFn() && F->getPersonalityFn() != Own)
      Refused.add("functions of several languages call one another");
    F->setPersonalityFn(Own);
  }
  F->splice(F->end(), Each.Copy);
}

Function *RecursionMachine::build(
    const std::function<void(Function &, const Circle &)> &Prepare,
    const Circle &Functions) {
  F = Function::Create(First.getFunctionType(), GlobalValue::InternalLinkage,
                       First.getName() + ".loop", &M);
  F->setCallingConv(First.getCallingConv());
  F->setAttributes(
      AttributeList::get(C, AttributeList::FunctionIndex,
                         AttrBuilder(C, First.getAttributes().getFnAttrs())));
  F->removeFnAttr(Attribute::OptimizeNone);
  Entry = BasicBlock::Create(C, "entry", F);
  for (auto &[G, Each] : Members) {
    if (!Refused)
      copy(*G, Each);
    if (!Refused) {
      Prepare(*Each.Copy, Functions);
      moveArraysIntoArena(*Each.Copy);
    }
  }
  if (!Refused) {
    findAddresses();
    join();
  }
  for (auto &[G, Each] : Members)
    if (Each.Copy) {
      FAM.clear(*Each.Copy, Each.Copy->getName());
      Each.Copy->eraseFromParent();
    }
  if (!Refused)
    separate();
  if (!Refused)
    connect();
  FAM.clear(*F, F->getName());
  return F;
}

/// All bodies in one function, each reachable while it is analysed.
void RecursionMachine::join() {
  Return = BasicBlock::Create(C, "back", F);
  new UnreachableInst(C, Return);
  Next = variable(Type::getInt32Ty(C), "state");
  Back = variable(PointerType::getUnqual(C), "back");
  Resumed = variable(PointerType::getUnqual(C), "resumed");
  for (auto &[G, Each] : Members)
    if (!G->getReturnType()->isVoidTy())
      Each.Result = variable(G->getReturnType(), G->getName() + ".result");
  for (auto &[G, Each] : Members)
    adopt(Each);
  IRBuilder<> B(Entry);
  SwitchInst *ToAll = B.CreateSwitch(
      B.CreateFreeze(PoisonValue::get(B.getInt32Ty())), Return, Members.size());
  for (auto &[G, Each] : Members)
    ToAll->addCase(B.getInt32(ToAll->getNumCases()), Each.Head);
}

/// Whether no activation makes two calls: the stack grows, then it shrinks.
bool RecursionMachine::makesOneCall() const {
  return all_of(Members, [](const auto &Entry) {
    const SmallVectorImpl<Site> &Sites = Entry.second.Sites;
    return all_of(Sites, [&](const Site &S) {
      return none_of(Sites, [&](const Site &T) {
        return isPotentiallyReachable(S.Call->getNextNode(), T.Call);
      });
    });
  });
}

/// Frames, and variables instead of values.
void RecursionMachine::separate() {
  handleExceptions();
  for (auto &[G, Each] : Members) {
    if (!Refused)
      allocateLocals(Each);
    if (!Refused)
      findSites(*G, Each);
  }
  if (Refused)
    return;
  const bool IsChain = makesOneCall();
  DominatorTree Before(*F);
  for (auto &[G, Each] : Members)
    placeFrame(Each, Before);
  SmallPtrSet<const Value *, 32> Ours{Next,   Back,   Resumed,
                                      Throws, Thrown, Selector};
  for (auto &[G, Each] : Members) {
    compat::insertRange(Ours, Each.Parameters);
    Ours.insert(Each.Caller);
    Ours.insert(Each.Result);
  }
  castPointersLate(*F);
  FunctionPassManager ToVariables;
  ToVariables.addPass(RegToMemPass());
  ToVariables.run(*F, FAM);
  for (Instruction &I : *Entry)
    if (auto *V = dyn_cast<AllocaInst>(&I); V && !Ours.contains(V))
      Tracked.push_back(V);
  for (auto &[G, Each] : Members)
    for (Site &S : Each.Sites) {
      S.After = SplitBlock(S.Call->getParent(), S.Call->getNextNode());
      if (S.Call->use_empty())
        continue;
      S.Result = variable(S.Call->getType(), "returned");
      S.Call->replaceAllUsesWith(IRBuilder<>(&S.After->front())
                                     .CreateLoad(S.Call->getType(), S.Result));
    }
  findLive();
  DominatorTree After(*F);
  for (auto &[G, Each] : Members)
    layOut(Each, After);
  // The frame and its shadow, of one size for all.
  for (auto &[G, Each] : Members)
    if (Each.Take) {
      Each.Take->setArgOperand(
          0, ConstantInt::get(Type::getInt64Ty(C), 2 * alignTo(FrameEnd, 16)));
      Each.Take->setMetadata(FrameMark, MDNode::get(C, {}));
      if (IsChain)
        Each.Take->setMetadata(OneCallMark, MDNode::get(C, {}));
    }
}

Function *Recursions::asLoop(Function &F) {
  if (auto It = Made.find(&F); It != Made.end())
    return It->second;
  Circle Functions = Who.circleOf(F);
  Function *Loop =
      RecursionMachine(Functions, F, FAM, Refused).build(Prepare, Functions);
  Made[&F] = Loop;
  return Refused ? nullptr : Loop;
}

Recursions::~Recursions() {
  for (auto &[F, Loop] : Made)
    Loop->dropAllReferences();
  for (auto &[F, Loop] : Made) {
    FAM.clear(*Loop, Loop->getName());
    Loop->eraseFromParent();
  }
}
