//===- Recursion.cpp - recursion as a loop --------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions are put into one and taken out of SSA form by LLVM (values that
// cross blocks become variables), so that new edges need no care; what has to
// be saved in the frame at a call are the variables that are live there. In the
// end the variables become values again.
//
//===----------------------------------------------------------------------===//

#include "structured/Recursion.h"
#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"
#include "structured/AccessTypes.h"

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

static constexpr StringLiteral UnchangedMark = "verso.unchanged",
                               FrameMark = "verso.frame";

bool verso::isFrame(const CallBase &Call) {
  return calls(Call, RuntimeFunction::ArenaTake);
}

uint64_t verso::shadowOfFrame(const CallBase &Call) {
  if (!Call.hasMetadata(FrameMark))
    return 0;
  return cast<ConstantInt>(Call.getArgOperand(0))->getZExtValue() / 2;
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

bool verso::isLittleBetweenCalls(Function &F, const LoopInfo &LI) {
  SmallPtrSet<const Loop *, 4> Stacks;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && isFrame(*Call) && shadowOfFrame(*Call))
      if (const Loop *L = LI.getLoopFor(I.getParent()))
        Stacks.insert(L);
  if (none_of(Stacks, [&](const Loop *L) { return computes(*L, LI); }))
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

namespace {

class Machine {
public:
  Machine(const Circle &Functions, Function &First,
          FunctionAnalysisManager &FAM, Refusals &Refused)
      : First(First), FAM(FAM), Refused(Refused), M(*First.getParent()),
        C(M.getContext()), DL(M.getDataLayout()) {
    for (Function *F : Functions)
      Members[F];
  }

  Function *
  build(const std::function<void(Function &, const Circle &)> &Prepare,
        const Circle &Functions);

private:
  /// A call of one of the functions, and where its caller goes on.
  struct Site {
    CallBase *Call;
    BasicBlock *After = nullptr;
    /// Calls in copies of blocks, that go on at the same place.
    SmallVector<CallBase *, 2> Others = {};
    AllocaInst *Result = nullptr; ///< Null if it is not used.
    SmallVector<AllocaInst *, 8> Live = {};
  };
  struct Field {
    uint64_t Offset;
    bool IsUnchanged = false;
    bool IsStoredAtCalls = true;
  };
  struct Member {
    Function *Copy = nullptr;
    BasicBlock *Head = nullptr;
    /// Where the frame is allocated, and blocks that come before that. Null if
    /// every activation gets there.
    BasicBlock *Inner = nullptr;
    SmallSetVector<BasicBlock *, 8> Outer;
    SmallVector<AllocaInst *, 8> Parameters;
    AllocaInst *Caller = nullptr; ///< The caller's frame.
    AllocaInst *Result = nullptr; ///< Null if there is none.
    AllocaInst *Frame = nullptr;
    CallInst *Take = nullptr; ///< The frame's allocation.
    unsigned Enter = 0;       ///< The state that a call goes to.
    SmallVector<Site, 4> Sites;
    MapVector<AllocaInst *, Field> Fields;
  };
  using Variables = SmallSetVector<AllocaInst *, 8>;
  struct State {
    BasicBlock *Block;
    Variables Needs;
  };

  void copy(Function &F, Member &Each);
  void join();
  void separate();
  void connect();
  void adopt(Member &Each);
  void removeInvokes();
  Member *callee(const CallBase &Call);
  void findSites(Function &F, Member &Each);
  bool isInCycle(BasicBlock *Block);
  Instruction *commonPoint(const DominatorTree &DT,
                           ArrayRef<Instruction *> Users);
  void allocateLocals(Member &Each);
  void placeFrame(Member &Each, const DominatorTree &DT);
  void findLive();
  void layOut(Member &Each, const DominatorTree &DT);
  void access(IRBuilder<> &B, Member &Each, AllocaInst *V, bool Stores);
  Value *accessLeaves(IRBuilder<> &B, Value *Frame, uint64_t &Offset, Type *T,
                      Value *Stored, bool IsUnchanged);
  unsigned addState(BasicBlock *Block, ArrayRef<AllocaInst *> Needs);
  void connectLoops();
  void copyTails(Loop &L, ArrayRef<Site *> Sites);
  void connectCalls(Member &Each);
  void findOuter(Member &Each);
  void lowerCall(Member &Each, Site &S, CallBase &Call, unsigned Next);
  void connectReturns();
  void go(IRBuilder<> &B, Value *To, const Variables &Needs);
  void finish();
  AllocaInst *variable(Type *T, const Twine &Name);

  Function &First;
  FunctionAnalysisManager &FAM;
  Refusals &Refused;
  Module &M;
  LLVMContext &C;
  const DataLayout &DL;
  MapVector<Function *, Member> Members;
  Function *F = nullptr;
  BasicBlock *Entry = nullptr, *Again = nullptr, *Dispatch = nullptr,
             *Return = nullptr;
  AllocaInst *Next = nullptr;    ///< The state to go to.
  AllocaInst *Back = nullptr;    ///< The frame of a function's caller.
  AllocaInst *Resumed = nullptr; ///< The frame that goes on after a call.
  std::vector<State> States;
  /// Where a state is gone to, and what it needs.
  struct Transition {
    Instruction *Before;
    Variables Needs;
  };
  std::vector<Transition> Transitions;
  DenseMap<BasicBlock *, BitVector> LiveIn;
  std::vector<AllocaInst *> Tracked;
  /// Where the fields laid out so far end. The site is in front. Frames of
  /// different functions have no field at the same offset: where one is gone
  /// back to, the analyses do not know whose it is.
  uint64_t FrameEnd = 8;
};

} // namespace

AllocaInst *Machine::variable(Type *T, const Twine &Name) {
  return IRBuilder<>(Entry, Entry->begin()).CreateAlloca(T, nullptr, Name);
}

Machine::Member *Machine::callee(const CallBase &Call) {
  auto *G = dyn_cast<Function>(
      Call.getCalledOperand()->stripPointerCastsAndAliases());
  auto It = G ? Members.find(G) : Members.end();
  return It == Members.end() ? nullptr : &It->second;
}

/// A copy, in which arguments that are passed in memory are local variables.
void Machine::copy(Function &G, Member &Each) {
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

/// Moves the body of a copy into the function in the making: arguments and
/// result become variables.
void Machine::adopt(Member &Each) {
  Each.Head = &Each.Copy->getEntryBlock();
  IRBuilder<> B(&*Each.Head->getFirstNonPHIOrDbgOrAlloca());
  auto Received = [&](Type *T, const Twine &Name) {
    AllocaInst *V = variable(T, Name);
    return std::pair(V, B.CreateLoad(T, V, Name));
  };
  for (Argument &A : Each.Copy->args()) {
    auto [V, Load] = Received(A.getType(), A.getName());
    Each.Parameters.push_back(V);
    A.replaceAllUsesWith(Load);
  }
  auto [Caller, Frame] = Received(B.getPtrTy(), "caller");
  Each.Caller = Caller;
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
    B.CreateStore(Frame, Back);
    B.CreateBr(Return);
    R->eraseFromParent();
  }
  if (Each.Copy->hasPersonalityFn())
    F->setPersonalityFn(Each.Copy->getPersonalityFn());
  F->splice(F->end(), Each.Copy);
}

/// An exception would have to run the clean-up of every caller: where nothing
/// throws, calls need none.
void Machine::removeInvokes() {
  bool Any = false;
  SmallVector<InvokeInst *, 8> Invokes;
  for (BasicBlock &Block : *F)
    if (auto *I = dyn_cast<InvokeInst>(Block.getTerminator()); I && callee(*I))
      Invokes.push_back(I);
  Any = !Invokes.empty();
  for (InvokeInst *I : Invokes)
    changeToCall(I);
  removeUnreachableBlocks(*F);
  if (!Any)
    return;
  for (Instruction &I : instructions(*F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        I.mayThrow(/*IncludePhaseOneUnwind=*/true) && !(Call && callee(*Call)))
      return Refused.add("an exception may leave '" + sourceName(First) +
                             "', which is recursive",
                         &I);
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

bool Machine::isInCycle(BasicBlock *Block) {
  SmallVector<BasicBlock *, 16> Work(successors(Block));
  SmallPtrSet<BasicBlock *, 16> Seen;
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (B == Block)
      return true;
    if (Seen.insert(B).second)
      append_range(Work, successors(B));
  }
  return false;
}

/// The last point that comes before all users in every activation, and at most
/// once.
Instruction *Machine::commonPoint(const DominatorTree &DT,
                                  ArrayRef<Instruction *> Users) {
  BasicBlock *Block = nullptr;
  for (Instruction *I : Users) {
    if (!DT.isReachableFromEntry(I->getParent()))
      continue;
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      for (BasicBlock *P : Phi->blocks())
        Block = Block ? DT.findNearestCommonDominator(Block, P) : P;
      continue;
    }
    Block = Block ? DT.findNearestCommonDominator(Block, I->getParent())
                  : I->getParent();
  }
  if (!Block)
    return nullptr;
  while (isInCycle(Block) || Block->isEHPad())
    Block = DT.getNode(Block)->getIDom()->getBlock();
  Instruction *Point = Block->getTerminator();
  for (Instruction *I : Users)
    if (I->getParent() == Block && !isa<PHINode>(I) && I->comesBefore(Point))
      Point = I;
  return Point;
}

/// Local variables that are in memory: each activation has its own.
void Machine::allocateLocals(Member &Each) {
  DominatorTree DT(*F);
  for (Instruction &I : make_early_inc_range(*Each.Head)) {
    auto *A = dyn_cast<AllocaInst>(&I);
    if (!A)
      continue;
    std::optional<TypeSize> Size = A->getAllocationSize(DL);
    if (!Size || Size->isScalable() || A->getAlign() > Align(64))
      return Refused.add("a local array of variable size in a recursive "
                         "function",
                         A);
    SmallVector<Instruction *, 8> Users;
    for (User *U : A->users())
      Users.push_back(cast<Instruction>(U));
    if (Instruction *Point = commonPoint(DT, Users)) {
      IRBuilder<> B(Point);
      CallInst *Memory = callRuntime(B, RuntimeFunction::ArenaTake,
                                     {B.getInt64(Size->getFixedValue())});
      Memory->setName(A->getName());
      A->replaceAllUsesWith(Memory);
    } else {
      A->replaceAllUsesWith(PoisonValue::get(A->getType()));
    }
    A->eraseFromParent();
  }
}

void Machine::findSites(Function &G, Member &Each) {
  SmallVector<BasicBlock *, 16> Work{Each.Head};
  SmallPtrSet<BasicBlock *, 16> Seen{Each.Head, Return};
  SmallVector<CallBase *, 8> Calls;
  while (!Work.empty()) {
    BasicBlock *Block = Work.pop_back_val();
    for (Instruction &I : *Block) {
      if (auto *A = dyn_cast<AllocaInst>(&I); A && Block != Each.Head)
        return Refused.add("a local array of variable size in a recursive "
                           "function",
                           A);
      auto *Call = dyn_cast<CallBase>(&I);
      Member *Callee = Call ? callee(*Call) : nullptr;
      if (!Callee)
        continue;
      if (Call->arg_size() != Callee->Parameters.size() ||
          Call->getFunctionType() !=
              cast<Function>(
                  Call->getCalledOperand()->stripPointerCastsAndAliases())
                  ->getFunctionType())
        return Refused.add("'" + sourceName(G) + "' calls by another type",
                           Call);
      Calls.push_back(Call);
    }
    for (BasicBlock *Successor : successors(Block))
      if (Seen.insert(Successor).second)
        Work.push_back(Successor);
  }
  for (CallBase *Call : Calls) {
    Each.Sites.push_back({Call});
    SplitBlock(Call->getParent(), Call->getNextNode());
  }
}

void Machine::placeFrame(Member &Each, const DominatorTree &DT) {
  Each.Frame = variable(PointerType::getUnqual(C), "frame");
  SmallVector<Instruction *, 8> Calls;
  for (Site &S : Each.Sites)
    Calls.push_back(S.Call);
  Instruction *Point = commonPoint(DT, Calls);
  if (!Point)
    return;
  IRBuilder<> B(Point);
  Each.Take = callRuntime(B, RuntimeFunction::ArenaTake, {B.getInt64(0)});
  Each.Take->setName("frame");
  B.CreateStore(Each.Take, Each.Frame);
  // What comes before is for those that may return at once.
  Each.Inner = SplitBlock(Each.Take->getParent(), Each.Take);
}

/// Which variables are live after each call, and at the head of each block.
void Machine::findLive() {
  DenseMap<const Value *, unsigned> Number;
  for (AllocaInst *V : Tracked)
    Number[V] = Number.size();
  DenseMap<const BasicBlock *, AllocaInst *> FrameAt;
  for (auto &[G, Each] : Members)
    for (Site &S : Each.Sites)
      FrameAt[S.Call->getParent()] = Each.Frame;
  struct Effects {
    BitVector Reads, Writes;
  };
  DenseMap<BasicBlock *, Effects> Of;
  for (BasicBlock &Block : *F) {
    Effects E{BitVector(Tracked.size()), BitVector(Tracked.size())};
    auto Read = [&](const Value *V) {
      if (auto It = Number.find(V);
          It != Number.end() && !E.Writes.test(It->second))
        E.Reads.set(It->second);
    };
    for (Instruction &I : Block) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Read(Load->getPointerOperand());
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        if (auto It = Number.find(Store->getPointerOperand());
            It != Number.end())
          E.Writes.set(It->second);
    }
    if (AllocaInst *Frame = FrameAt.lookup(&Block))
      Read(Frame);
    LiveIn[&Block] = E.Reads;
    Of[&Block] = std::move(E);
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock &Block : reverse(*F)) {
      BitVector Live(Tracked.size());
      for (BasicBlock *S : successors(&Block))
        Live |= LiveIn[S];
      Live.reset(Of[&Block].Writes);
      Live |= Of[&Block].Reads;
      if (Live != LiveIn[&Block]) {
        LiveIn[&Block] = Live;
        Changed = true;
      }
    }
  }
}

/// Which variables have a field, and where their values are stored: once, if
/// they have one definition in an activation.
void Machine::layOut(Member &Each, const DominatorTree &DT) {
  if (!Each.Take)
    return;
  for (Site &S : Each.Sites)
    for (unsigned K : LiveIn[S.After].set_bits()) {
      AllocaInst *V = Tracked[K];
      if (V == Each.Frame)
        continue;
      S.Live.push_back(V);
      if (Each.Fields.contains(V))
        continue;
      Type *T = V->getAllocatedType();
      FrameEnd = alignTo(FrameEnd, DL.getABITypeAlign(T));
      Each.Fields[V] = {FrameEnd};
      FrameEnd += DL.getTypeAllocSize(T);
    }
  Instruction *Frame = Each.Take->getNextNode();
  for (auto &[V, Each2] : Each.Fields) {
    StoreInst *Definition = nullptr;
    unsigned Definitions = 0;
    for (User *U : V->users())
      if (auto *Store = dyn_cast<StoreInst>(U)) {
        Definition = Store;
        ++Definitions;
      }
    if (Definitions != 1 || isInCycle(Definition->getParent()))
      continue;
    Each2.IsUnchanged = true;
    bool IsEarlier = DT.dominates(Definition, Frame);
    if (!IsEarlier && !DT.dominates(Frame, Definition))
      continue;
    Each2.IsStoredAtCalls = false;
    IRBuilder<> B((IsEarlier ? Frame : Definition)->getNextNode());
    access(B, Each, V, /*Stores=*/true);
  }
}

static MDNode *tagOf(LLVMContext &C, const Type *T) {
  MDBuilder MDs(C);
  MDNode *Root = MDs.createTBAARoot(FrameTypes);
  MDNode *Scalar =
      MDs.createTBAAScalarTypeNode(T->isPointerTy()   ? "verso pointer"
                                   : T->isIntegerTy() ? "verso integer"
                                                      : "verso number",
                                   Root);
  return MDs.createTBAAStructTagNode(Scalar, Scalar, 0);
}

/// Loads or stores every scalar of a value in its own place.
Value *Machine::accessLeaves(IRBuilder<> &B, Value *Frame, uint64_t &Offset,
                             Type *T, Value *Stored, bool IsUnchanged) {
  if (T->isStructTy() || T->isArrayTy() || isa<FixedVectorType>(T)) {
    bool IsVector = T->isVectorTy();
    unsigned N = T->isStructTy()  ? T->getStructNumElements()
                 : T->isArrayTy() ? T->getArrayNumElements()
                                  : cast<FixedVectorType>(T)->getNumElements();
    uint64_t Start = Offset;
    Value *Loaded = PoisonValue::get(T);
    for (unsigned K = 0; K != N; ++K) {
      Type *Part = T->isStructTy()  ? T->getStructElementType(K)
                   : T->isArrayTy() ? T->getArrayElementType()
                                    : T->getScalarType();
      uint64_t At =
          Start + (T->isStructTy()
                       ? DL.getStructLayout(cast<StructType>(T))
                             ->getElementOffset(K)
                             .getFixedValue()
                       : K * DL.getTypeAllocSize(Part).getFixedValue());
      Value *Element = !Stored    ? nullptr
                       : IsVector ? B.CreateExtractElement(Stored, K)
                                  : B.CreateExtractValue(Stored, K);
      Value *V = accessLeaves(B, Frame, At, Part, Element, IsUnchanged);
      if (!Stored)
        Loaded = IsVector ? B.CreateInsertElement(Loaded, V, K)
                          : B.CreateInsertValue(Loaded, V, K);
    }
    return Loaded;
  }
  Value *P = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Frame, Offset);
  Instruction *I;
  if (Stored)
    I = B.CreateStore(Stored, P);
  else
    I = B.CreateLoad(T, P);
  I->setMetadata(LLVMContext::MD_tbaa, tagOf(C, T));
  if (IsUnchanged && !Stored)
    I->setMetadata(UnchangedMark, MDNode::get(C, {}));
  return I;
}

/// frame.field = variable, or the other way round.
void Machine::access(IRBuilder<> &B, Member &Each, AllocaInst *V, bool Stores) {
  Field &At = Each.Fields[V];
  Type *T = V->getAllocatedType();
  Value *Frame = B.CreateLoad(B.getPtrTy(), Each.Frame);
  uint64_t Offset = At.Offset;
  Value *Stored = Stores ? B.CreateLoad(T, V) : nullptr;
  Value *Loaded = accessLeaves(B, Frame, Offset, T, Stored, At.IsUnchanged);
  if (!Stores)
    B.CreateStore(Loaded, V);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

unsigned Machine::addState(BasicBlock *Block, ArrayRef<AllocaInst *> Needs) {
  State S{Block, {}};
  compat::insertRange(S.Needs, Needs);
  States.push_back(std::move(S));
  return States.size() - 1;
}

/// state = to; goto again
void Machine::go(IRBuilder<> &B, Value *To, const Variables &Needs) {
  B.CreateStore(To, Next);
  Transitions.push_back({B.CreateBr(Again), Needs});
}

/// Loops with calls. What follows a call until the next iteration is copied, so
/// that iterations without a call still make a loop; where calls are in inner
/// loops as well, each iteration goes by `again`.
void Machine::connectLoops() {
  DominatorTree DT(*F);
  LoopInfo LI(DT);
  struct Iteration {
    Loop *L;
    SmallVector<Site *, 4> Sites;
  };
  SmallVector<Iteration, 8> Loops;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Iteration I{L, {}};
    for (auto &[G, Each] : Members)
      for (Site &S : Each.Sites)
        if (L->contains(S.Call->getParent()))
          I.Sites.push_back(&S);
    if (!I.Sites.empty())
      Loops.push_back(std::move(I));
  }
  for (Iteration &I : Loops) {
    Loop *L = I.L;
    BasicBlock *Header = L->getHeader();
    if (all_of(I.Sites, [&](Site *S) {
          return LI.getLoopFor(S->Call->getParent()) == L;
        })) {
      copyTails(*L, I.Sites);
      continue;
    }
    SmallVector<BasicBlock *, 2> Latches;
    L->getLoopLatches(Latches);
    SmallVector<AllocaInst *, 16> Needs;
    for (unsigned K : LiveIn[Header].set_bits())
      Needs.push_back(Tracked[K]);
    unsigned K = addState(Header, Needs);
    auto *Leap = BasicBlock::Create(C, "iterate", F);
    IRBuilder<> B(Leap);
    go(B, B.getInt32(K), States[K].Needs);
    for (BasicBlock *Latch : Latches)
      Latch->getTerminator()->replaceSuccessorWith(Header, Leap);
  }
}

/// Values are in variables, so that blocks can be copied as they are.
void Machine::copyTails(Loop &L, ArrayRef<Site *> Sites) {
  SmallSetVector<BasicBlock *, 8> Tail;
  for (Site *S : Sites)
    if (L.contains(S->After))
      Tail.insert(S->After);
  for (unsigned K = 0; K != Tail.size(); ++K)
    for (BasicBlock *Next : successors(Tail[K]))
      if (L.contains(Next) && Next != L.getHeader())
        Tail.insert(Next);
  ValueToValueMapTy Copies;
  SmallVector<BasicBlock *, 8> New;
  for (BasicBlock *Block : Tail) {
    New.push_back(CloneBasicBlock(Block, Copies, ".after", F));
    Copies[Block] = New.back();
  }
  remapInstructionsInBlocks(New, Copies);
  for (Site *S : Sites) {
    if (Value *Copy = Copies.lookup(S->After))
      S->After = cast<BasicBlock>(Copy);
    if (Value *Copy = Copies.lookup(S->Call))
      S->Others.push_back(cast<CallBase>(Copy));
  }
}

/// Blocks in which an activation may return without a call.
void Machine::findOuter(Member &Each) {
  constexpr unsigned MaxInstructions = 40;
  if (!Each.Inner)
    return;
  bool Returns = false;
  unsigned Size = 0;
  Each.Outer.insert(Each.Head);
  for (unsigned K = 0; K != Each.Outer.size(); ++K) {
    Size += Each.Outer[K]->size();
    for (BasicBlock *Next : successors(Each.Outer[K])) {
      Returns |= Next == Return;
      if (Next != Return && Next != Each.Inner)
        Each.Outer.insert(Next);
    }
  }
  if (!Returns || Size > MaxInstructions || Each.Outer.contains(Each.Inner)) {
    Each.Outer.clear();
    Each.Inner = nullptr;
  }
}

/// A call goes through a copy of what the callee does outside, with variables
/// of its own. If that returns, the caller goes on; only else is its frame
/// filled.
void Machine::lowerCall(Member &Each, Site &S, CallBase &Call, unsigned Next) {
  Member &Callee = *callee(Call);
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Arguments(Call.args());
  BasicBlock *Block = Call.getParent(), *After = Block->getSingleSuccessor();
  Call.eraseFromParent();
  Block->getTerminator()->eraseFromParent();
  auto *Down = BasicBlock::Create(C, "call", F, After);
  DenseMap<AllocaInst *, AllocaInst *> Own;
  auto OwnOf = [&](AllocaInst *V) {
    AllocaInst *&Mine = Own[V];
    if (!Mine)
      Mine = variable(V->getAllocatedType(), V->getName() + ".inner");
    return Mine;
  };
  BasicBlock *To = Down;
  if (Callee.Inner) {
    ValueToValueMapTy Copies;
    SmallVector<BasicBlock *, 8> New;
    for (BasicBlock *Outer : Callee.Outer) {
      New.push_back(CloneBasicBlock(Outer, Copies, ".inner", F));
      Copies[Outer] = New.back();
      for (Instruction &I : *Outer)
        if (auto *V = dyn_cast_or_null<AllocaInst>(
                const_cast<Value *>(getLoadStorePointerOperand(&I))))
          Copies[V] = OwnOf(V);
    }
    Copies[Callee.Inner] = Down;
    Copies[Return] = After;
    remapInstructionsInBlocks(New, Copies);
    if (S.Result)
      for (BasicBlock *Copy : New)
        if (is_contained(successors(Copy), After)) {
          B.SetInsertPoint(Copy->getTerminator());
          B.CreateStore(
              B.CreateLoad(S.Result->getAllocatedType(), OwnOf(Callee.Result)),
              S.Result);
        }
    To = New.front();
  }
  B.SetInsertPoint(Block);
  for (auto [V, A] : zip(Callee.Parameters, Arguments))
    B.CreateStore(A, Callee.Inner ? OwnOf(V) : V);
  Value *Frame = B.CreateLoad(B.getPtrTy(), Each.Frame);
  B.CreateStore(Frame, Callee.Inner ? OwnOf(Callee.Caller) : Callee.Caller);
  B.CreateBr(To);
  B.SetInsertPoint(Down);
  for (AllocaInst *V : S.Live)
    if (Each.Fields[V].IsStoredAtCalls)
      access(B, Each, V, /*Stores=*/true);
  B.CreateStore(B.getInt32(Next), B.CreateLoad(B.getPtrTy(), Each.Frame))
      ->setMetadata(LLVMContext::MD_tbaa, tagOf(C, B.getInt32Ty()));
  SmallVector<std::pair<Value *, AllocaInst *>, 8> Moves;
  if (Callee.Inner)
    for (AllocaInst *V : States[Callee.Enter].Needs)
      if (AllocaInst *Mine = Own.lookup(V))
        Moves.push_back({B.CreateLoad(V->getAllocatedType(), Mine), V});
  for (auto [From, V] : Moves)
    B.CreateStore(From, V);
  go(B, B.getInt32(Callee.Enter), States[Callee.Enter].Needs);
}

void Machine::connectCalls(Member &Each) {
  for (Site &S : Each.Sites) {
    Member &Callee = *callee(*S.Call);
    auto *Resume = BasicBlock::Create(C, "resume", F, S.After);
    SmallVector<AllocaInst *, 2> Needs{Resumed};
    if (Callee.Result)
      Needs.push_back(Callee.Result);
    unsigned K = addState(Resume, Needs);
    IRBuilder<> B(Resume);
    B.CreateStore(B.CreateLoad(B.getPtrTy(), Resumed), Each.Frame);
    for (AllocaInst *V : S.Live)
      access(B, Each, V, /*Stores=*/false);
    if (S.Result)
      B.CreateStore(
          B.CreateLoad(Callee.Result->getAllocatedType(), Callee.Result),
          S.Result);
    B.CreateBr(S.After);
    lowerCall(Each, S, *S.Call, K);
    for (CallBase *Other : S.Others)
      lowerCall(Each, S, *Other, K);
  }
}

/// if (!back) return result; resumed = back; goto back->site
void Machine::connectReturns() {
  Return->getTerminator()->eraseFromParent();
  auto *End = BasicBlock::Create(C, "end", F);
  auto *Up = BasicBlock::Create(C, "return", F);
  IRBuilder<> B(Return);
  Value *Frame = B.CreateLoad(B.getPtrTy(), Back);
  B.CreateCondBr(B.CreateIsNull(Frame), End, Up);
  B.SetInsertPoint(Up);
  B.CreateStore(Frame, Resumed);
  LoadInst *Site = B.CreateLoad(B.getInt32Ty(), Frame);
  Site->setMetadata(LLVMContext::MD_tbaa, tagOf(C, B.getInt32Ty()));
  Variables Needs;
  Needs.insert(Resumed);
  for (auto &[G, Each] : Members)
    if (Each.Result)
      Needs.insert(Each.Result);
  go(B, Site, Needs);
  B.SetInsertPoint(End);
  if (AllocaInst *Result = Members[&First].Result)
    B.CreateRet(B.CreateLoad(Result->getAllocatedType(), Result));
  else
    B.CreateRetVoid();
}

/// What a state does not need is nothing at `again`, so that no variable is
/// handed through all states.
void Machine::finish() {
  Variables Any;
  for (State &S : States)
    compat::insertRange(Any, S.Needs);
  for (Transition &T : Transitions) {
    IRBuilder<> B(T.Before);
    for (AllocaInst *V : Any)
      if (!T.Needs.contains(V))
        B.CreateStore(PoisonValue::get(V->getAllocatedType()), V);
  }
  IRBuilder<> B(Again);
  B.CreateBr(Dispatch);
  auto *Never = BasicBlock::Create(C, "never", F);
  new UnreachableInst(C, Never);
  B.SetInsertPoint(Dispatch);
  SwitchInst *Switch =
      B.CreateSwitch(B.CreateLoad(B.getInt32Ty(), Next), Never, States.size());
  for (unsigned K = 0; K != States.size(); ++K)
    Switch->addCase(B.getInt32(K), States[K].Block);
  removeUnreachableBlocks(*F);
  std::vector<AllocaInst *> All;
  for (Instruction &I : *Entry)
    if (auto *A = dyn_cast<AllocaInst>(&I))
      All.push_back(A);
  DominatorTree DT(*F);
  PromoteMemToReg(All, DT);
}

Function *
Machine::build(const std::function<void(Function &, const Circle &)> &Prepare,
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
    if (!Refused)
      Prepare(*Each.Copy, Functions);
  }
  if (!Refused)
    join();
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
void Machine::join() {
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

/// Frames, and variables instead of values.
void Machine::separate() {
  removeInvokes();
  for (auto &[G, Each] : Members) {
    if (!Refused)
      allocateLocals(Each);
    if (!Refused)
      findSites(*G, Each);
  }
  if (Refused)
    return;
  DominatorTree Before(*F);
  for (auto &[G, Each] : Members)
    placeFrame(Each, Before);
  SmallPtrSet<const Value *, 32> Ours{Next, Back, Resumed};
  for (auto &[G, Each] : Members) {
    compat::insertRange(Ours, Each.Parameters);
    Ours.insert(Each.Caller);
    Ours.insert(Each.Result);
  }
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
    }
}

void Machine::connect() {
  Again = BasicBlock::Create(C, "again", F);
  Dispatch = BasicBlock::Create(C, "dispatch", F);
  for (auto &[G, Each] : Members) {
    SmallVector<AllocaInst *, 8> Needs(Each.Parameters);
    Needs.push_back(Each.Caller);
    Each.Enter = addState(Each.Head, Needs);
    findOuter(Each);
    if (!Each.Inner)
      continue;
    SmallVector<AllocaInst *, 16> Live;
    for (unsigned K : LiveIn[Each.Inner].set_bits())
      Live.push_back(Tracked[K]);
    Each.Enter = addState(Each.Inner, Live);
  }
  connectLoops();
  for (auto &[G, Each] : Members)
    connectCalls(Each);
  connectReturns();
  Entry->getTerminator()->eraseFromParent();
  IRBuilder<> B(Entry);
  Member &Each = Members[&First];
  for (auto [V, A] : zip(Each.Parameters, F->args()))
    B.CreateStore(&A, V);
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), Each.Caller);
  unsigned Head =
      find_if(States, [&](State &S) { return S.Block == Each.Head; }) -
      States.begin();
  B.CreateStore(B.getInt32(Head), Next);
  // The loop is entered here, not at `again`.
  Transitions.push_back({B.CreateBr(Dispatch), States[Head].Needs});
  finish();
}

Function *Recursions::asLoop(Function &F) {
  if (auto It = Made.find(&F); It != Made.end())
    return It->second;
  Circle Functions = Who.circleOf(F);
  Function *Loop =
      Machine(Functions, F, FAM, Refused).build(Prepare, Functions);
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
