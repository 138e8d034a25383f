//===- Members.cpp - recursive functions whose calls stay calls -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/recursion/Members.h"
#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral MemberAttribute = "verso-member";

bool verso::isMember(const Function &F) {
  return F.hasFnAttribute(MemberAttribute);
}

bool verso::callsMember(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && isMember(*F);
}

bool verso::followsPointers(const Function &F) {
  SmallSetVector<const Function *, 4> Reached;
  Reached.insert(&F);
  for (unsigned K = 0; K != Reached.size(); ++K)
    for (const Instruction &I : instructions(*Reached[K])) {
      if (isa<LoadInst>(I) && I.getType()->isPointerTy())
        return true;
      if (auto *Call = dyn_cast<CallBase>(&I); Call && callsMember(*Call))
        Reached.insert(Call->getCalledFunction());
    }
  return false;
}

static bool isNumbers(const Type *T) {
  if (auto *S = dyn_cast<StructType>(T))
    return !S->elements().empty() && all_of(S->elements(), isNumbers);
  if (auto *A = dyn_cast<ArrayType>(T))
    return A->getNumElements() && isNumbers(A->getElementType());
  return T->isFloatingPointTy();
}

/// A copy whose calls are still those of the original.
Function *Members::copy(Function &F) {
  auto Fits = [&](const Argument &A) {
    Type *T = A.getType();
    return (T->isFloatingPointTy() || T->isIntegerTy() || T->isPointerTy()) &&
           !A.hasPassPointeeByValueCopyAttr() && !A.hasStructRetAttr() &&
           !A.hasSwiftErrorAttr() && !A.hasNestAttr();
  };
  if (F.isVarArg() || F.hasFnAttribute(Attribute::StrictFP) ||
      F.hasFnAttribute(Attribute::Naked) || F.isPresplitCoroutine() ||
      !all_of(F.args(), Fits) || !isNumbers(F.getReturnType())) {
    Refused.add("'" + sourceName(F) + "' is recursive, and not over values");
    return nullptr;
  }
  ValueToValueMapTy Values;
  Function *Copy = CloneFunction(&F, Values);
  Copy->setName(F.getName() + ".member");
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::OptimizeNone);
  Copy->removeFnAttr(Attribute::NoInline);
  return Copy;
}

/// The only place where calls of the circle begin, if an activation may return
/// before it comes there, at little cost.
static BasicBlock *placeOfCalls(Function &F, const Circle &Functions,
                                const DominatorTree &DT) {
  constexpr unsigned MaxInstructions = 40;
  BasicBlock *Inner = nullptr;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && Functions.contains(Call->getCalledFunction()))
      Inner = Inner ? DT.findNearestCommonDominator(Inner, I.getParent())
                    : I.getParent();
  // Further up, until nothing is both in front of it and behind it.
  for (; Inner && Inner != &F.getEntryBlock();
       Inner = DT.getNode(Inner)->getIDom()->getBlock()) {
    SmallSetVector<BasicBlock *, 8> Outer, Behind;
    Outer.insert(&F.getEntryBlock());
    Behind.insert(Inner);
    bool Returns = false;
    unsigned Size = 0;
    for (unsigned K = 0; K != Behind.size(); ++K)
      compat::insertRange(Behind, successors(Behind[K]));
    for (unsigned K = 0; K != Outer.size(); ++K) {
      Size += Outer[K]->size();
      Returns |= isa<ReturnInst>(Outer[K]->getTerminator());
      for (BasicBlock *Next : successors(Outer[K]))
        if (Next != Inner)
          Outer.insert(Next);
    }
    if (none_of(Outer, [&](BasicBlock *B) { return Behind.contains(B); }))
      return Returns && Size <= MaxInstructions ? Inner : nullptr;
  }
  return nullptr;
}

/// The blocks that may be run after a call, and may be run without one, are
/// there twice: each way out has its own return.
static void separateReturns(Function &F) {
  SmallVector<BasicBlock *, 4> Joins;
  for (BasicBlock &Block : F)
    if (isa<ReturnInst>(Block.getTerminator()) && !Block.getUniquePredecessor())
      Joins.push_back(&Block);
  for (BasicBlock *Join : Joins) {
    BasicBlock &Block = *Join;
    auto *Return = cast<ReturnInst>(Block.getTerminator());
    auto *Phi = dyn_cast<PHINode>(Return->getReturnValue());
    if (Block.sizeWithoutDebug() != (Phi ? 2u : 1u) ||
        (Phi && Phi->getParent() != &Block))
      continue;
    SmallSetVector<BasicBlock *, 8> Predecessors(pred_begin(&Block),
                                                 pred_end(&Block));
    for (BasicBlock *P : Predecessors) {
      auto *Own = BasicBlock::Create(F.getContext(), "return", &F);
      Value *V =
          Phi ? Phi->getIncomingValueForBlock(P) : Return->getReturnValue();
      ReturnInst::Create(F.getContext(), V, Own);
      while (is_contained(successors(P), &Block)) {
        Block.removePredecessor(P, /*KeepOneInputPHIs=*/true);
        unsigned K = find(successors(P), &Block) - succ_begin(P);
        P->getTerminator()->setSuccessor(K, Own);
      }
    }
  }
  removeUnreachableBlocks(F);
}

/// outer(x):   as f, but `return call f.member(x)` where calls would be made
/// member(x):  as f, where it never returns before
void Members::splitOuter(Made &Each, const Circle &Functions) {
  Function &F = *Each.Member;
  separateReturns(F);
  DominatorTree DT(F);
  BasicBlock *Inner = placeOfCalls(F, Functions, DT);
  if (!Inner)
    return;
  ValueToValueMapTy Values;
  Each.Outer = CloneFunction(&F, Values);
  Each.Outer->setName(F.getName() + ".outer");
  Each.Outer->removeFnAttr(MemberAttribute);
  auto *Entered = cast<BasicBlock>(static_cast<Value *>(Values[Inner]));
  auto *Down = BasicBlock::Create(F.getContext(), "call", Each.Outer);
  SmallSetVector<BasicBlock *, 4> From(pred_begin(Entered), pred_end(Entered));
  for (BasicBlock *P : From)
    P->getTerminator()->replaceSuccessorWith(Entered, Down);
  // Nobody comes there: it goes, with its phis.
  IRBuilder<> B(Down);
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : Each.Outer->args())
    Arguments.push_back(&A);
  CallInst *Call = B.CreateCall(&F, Arguments);
  Call->setCallingConv(F.getCallingConv());
  if (DISubprogram *Scope = F.getSubprogram())
    Call->setDebugLoc(
        DILocation::get(F.getContext(), Scope->getLine(), 0, Scope));
  B.CreateRet(Call);
  removeUnreachableBlocks(*Each.Outer);
  // In the member nobody returns without having come to Inner.
  DenseSet<BasicBlock *> Seen{&F.getEntryBlock()};
  SmallVector<BasicBlock *, 8> Work{&F.getEntryBlock()};
  while (!Work.empty()) {
    BasicBlock *Block = Work.pop_back_val();
    for (BasicBlock *Next : successors(Block))
      if (Next != Inner && Seen.insert(Next).second)
        Work.push_back(Next);
    if (auto *Return = dyn_cast<ReturnInst>(Block->getTerminator())) {
      new UnreachableInst(F.getContext(), Return->getIterator());
      Return->eraseFromParent();
    }
  }
}

/// Calls of the circle's functions, and of outer parts, become calls of
/// members.
void Members::redirectCalls(Function &F) {
  for (bool Changed = true; Changed && !Refused;) {
    Changed = false;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallBase>(&I);
      auto It = Call ? All.find(Call->getCalledFunction()) : All.end();
      if (It == All.end() || !It->second.Member)
        continue;
      if (auto *Invoke = dyn_cast<InvokeInst>(Call))
        Call = changeToCall(Invoke);
      Function *Outer = It->second.Outer;
      Call->setCalledFunction(Outer ? Outer : It->second.Member);
      Changed = true;
      if (!Outer)
        break;
      InlineFunctionInfo Info;
      if (!InlineFunction(*Call, Info, /*MergeAttributes=*/false,
                          /*CalleeAAR=*/nullptr, /*InsertLifetime=*/false)
               .isSuccess())
        Refused.add("'" + sourceName(F) + "' cannot be inlined", &I);
      break;
    }
  }
  removeUnreachableBlocks(F);
}

/// Refuses what does not keep what Members.h says.
void Members::check(Function &F) {
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  auto NamesVariable = [](const Instruction &I) {
    SmallVector<const Value *, 8> Work(I.operand_values());
    while (!Work.empty()) {
      const Value *V = Work.pop_back_val();
      if (auto *G = dyn_cast<GlobalVariable>(V)) {
        if (!G->isConstant())
          return true;
      } else if (auto *C = dyn_cast<Constant>(V); C && !isa<GlobalValue>(C)) {
        append_range(Work, C->operand_values());
      }
    }
    return false;
  };
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    bool IsPure = isa<CallInst>(I) &&
                  (callsMember(*Call) ||
                   modelCall(*Call, TLI).K == CallModel::Operation ||
                   !(I.mayHaveSideEffects() || I.mayReadFromMemory()));
    if (auto *Load = dyn_cast<LoadInst>(&I))
      IsPure = Load->isSimple();
    else if (!Call)
      IsPure = !I.mayReadOrWriteMemory() && !isa<AllocaInst>(I) &&
               (!I.isTerminator() ||
                isa<BranchInst, SwitchInst, ReturnInst, UnreachableInst>(I));
    // An integer may be bytes of a number; it stays an integer.
    if (isa<BitCastInst>(I) && I.getType()->isFPOrFPVectorTy())
      IsPure = false;
    // Who calls does not see that an integer is an address.
    if (isa<IntToPtrInst>(I) && !all_of(I.users(), IsaPred<ICmpInst>))
      IsPure = false;
    if (!IsPure || NamesVariable(I))
      return Refused.add("'" + sourceName(F) +
                             "' is recursive, and not a function of values",
                         &I);
  }
}

void Members::make(const Circle &Functions, const Steps &S) {
  for (Function *F : Functions)
    All[F];
  for (Function *F : Functions) {
    Function *Copy = Refused ? nullptr : copy(*F);
    if (!Copy)
      return;
    All[F].Member = Copy;
    S.Prepare(*Copy, Functions);
    if (Refused)
      return;
    Copy->addFnAttr(MemberAttribute);
  }
  for (Function *F : Functions)
    splitOuter(All[F], Functions);
  for (Function *F : Functions) {
    Function &Member = *All[F].Member;
    redirectCalls(Member);
    Member.setDoesNotThrow();
    FAM.clear(Member, Member.getName());
    if (!Refused)
      S.Finish(Member);
    if (Refused)
      return;
    check(Member);
    Member.setMemoryEffects(MemoryEffects::readOnly());
    Member.addFnAttr(Attribute::WillReturn);
    Member.addFnAttr(Attribute::NoFree);
    Member.addFnAttr(Attribute::NoSync);
    Member.removeFnAttr(Attribute::NoRecurse);
  }
}

Function *Members::get(Function &F, Circles &Who, const Steps &S) {
  if (!All.contains(&F))
    make(Who.circleOf(F), S);
  const Made &Each = All[&F];
  return Refused ? nullptr : Each.Outer ? Each.Outer : Each.Member;
}

SmallVector<Function *, 4> Members::eraseUnused() {
  SmallVector<Function *, 8> Mine;
  for (auto &[F, Each] : All)
    for (Function *G : {Each.Outer, Each.Member})
      if (G)
        Mine.push_back(G);
  // Those that only they themselves use.
  SmallSetVector<Function *, 8> Used;
  SmallVector<Function *, 8> Work;
  auto IsMine = [&](Function *G) { return is_contained(Mine, G); };
  for (Function *G : Mine)
    if (any_of(G->users(), [&](User *U) {
          auto *I = dyn_cast<Instruction>(U);
          return !I || !IsMine(I->getFunction());
        }))
      Work.push_back(G);
  while (!Work.empty()) {
    Function *G = Work.pop_back_val();
    if (!Used.insert(G))
      continue;
    for (Instruction &I : instructions(*G))
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && IsMine(Call->getCalledFunction()))
        Work.push_back(Call->getCalledFunction());
  }
  erase_if(Mine, [&](Function *G) { return Used.contains(G); });
  for (Function *G : Mine)
    G->dropAllReferences();
  for (Function *G : Mine) {
    FAM.clear(*G, G->getName());
    G->eraseFromParent();
  }
  All.clear();
  return SmallVector<Function *, 4>(Used.begin(), Used.end());
}
