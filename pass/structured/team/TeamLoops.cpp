//===- TeamLoops.cpp - loops of gradients that threads share --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The team's code is written around the loop, where all that it uses is at
// hand, and taken out as a function by LLVM's CodeExtractor.
//
//===----------------------------------------------------------------------===//

#include "structured/team/TeamLoops.h"

#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "emit/Runtime.h"
#include "prepare/Worksharing.h"
#include "structured/loops/SumOrder.h"
#include "structured/team/OpenMPCalls.h"
#include "structured/team/TeamAccesses.h"
#include "structured/team/TeamForm.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

/// Places of different threads are this far apart, so that they share no cache
/// line.
static constexpr uint64_t LineBytes = 64;

namespace {

class TeamLoop {
public:
  TeamLoop(Loop &L, Function &F, FunctionAnalysisManager &FAM)
      : L(L), F(F), FAM(FAM), M(*F.getParent()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        Expander(compat::scevExpander(SE, "team", /*PreserveLCSSA=*/false)),
        Form(L, F, FAM, Expander),
        Accesses(L, LI, SE, FAM.getResult<AAManager>(F)),
        I64(Type::getInt64Ty(F.getContext())) {}

  /// Whether threads may share it; if not, why() says what is in the way.
  bool canShare();
  StringRef why() const { return Why; }
  /// Lets them. The function that the team runs; null if LLVM did not take it
  /// out (the loop is right then, and runs in one thread).
  Function *share(SmallVectorImpl<Function *> &Others);

private:
  bool refuse(StringRef Reason) {
    Why = Reason.str();
    return false;
  }
  Value *expand(const SCEV *S, Instruction *At);
  Value *iterations();
  unsigned fewestThreads() const;
  void emitBefore();
  Value *mostThreads(IRBuilderBase &B);
  Value *areApart(IRBuilderBase &B, const TeamCells &A, const TeamCells &C);
  void givePrivateCells(IRBuilderBase &B);
  void giveLocals(IRBuilderBase &B);
  Value *sumAt(IRBuilderBase &B, Value *OfThread, unsigned K);
  BasicBlock *newBlock(const Twine &Name);
  void emitPart(BasicBlock *Enter, BasicBlock *Left, Value *From, Value *To);
  void emitTeam();
  void replaceResults();
  Function *forSeveral(Function &Body);
  Function *extract(SmallVectorImpl<Function *> &Others);

  Loop &L;
  Function &F;
  FunctionAnalysisManager &FAM;
  Module &M;
  LoopInfo &LI;
  ScalarEvolution &SE;
  SCEVExpander Expander;
  TeamForm Form;
  TeamAccesses Accesses;
  IntegerType *I64;
  std::string Why;

  // Known before the team starts.
  Value *Count = nullptr, *Threads = nullptr, *Overlap = nullptr;
  Value *SumsAt = nullptr;
  /// Of private cells, in the order of Accesses.cells().
  SmallVector<Value *, 2> Bytes, Distances, RoomAt, Shared;
  /// Of blocks of the arena that only the loop uses: where those of threads 1,
  /// 2, ... are, and how far from one another.
  SmallVector<std::pair<Value *, Value *>, 2> LocalBlocks;
  /// Of sums.
  SmallVector<Value *, 4> Starts;
  /// Of inductions.
  DenseMap<PHINode *, Value *> Steps;
  // Stand for what a thread is told until the team is a function.
  Instruction *Thread = nullptr, *Team = nullptr;
  SmallVector<BasicBlock *, 16> Region;
  SmallVector<AllocaInst *, 2> Locals;
};

} // namespace

bool TeamLoop::canShare() {
  if (!Form.find())
    return refuse(Form.why());
  if (!Accesses.find())
    return refuse(Accesses.why());
  Instruction *At = Form.Before->getTerminator();
  auto MayExpand = [&](const SCEV *S) {
    return !S || Expander.isSafeToExpandAt(S, At);
  };
  return (MayExpand(SE.getBackedgeTakenCount(&L)) &&
          all_of(Accesses.cells(),
                 [&](const TeamCells &C) {
                   return C.How == TeamCells::Atomic ||
                          C.How == TeamCells::Local ||
                          (MayExpand(C.First) && MayExpand(C.End) &&
                           MayExpand(C.Step) && MayExpand(C.LeastOffset) &&
                           MayExpand(C.EndOffset));
                 })) ||
         refuse("bounds of its iterations cannot be computed before it");
}

Value *TeamLoop::expand(const SCEV *S, Instruction *At) {
  return Expander.expandCodeFor(S, S->getType(), At->getIterator());
}

Value *TeamLoop::iterations() {
  Instruction *At = Form.Before->getTerminator();
  const SCEV *Taken = SE.getNoopOrZeroExtend(SE.getBackedgeTakenCount(&L), I64);
  return IRBuilder<>(At).CreateAdd(expand(Taken, At), ConstantInt::get(I64, 1),
                                   "iterations");
}

/// Whether no cell of \p A is one of \p C.
Value *TeamLoop::areApart(IRBuilderBase &B, const TeamCells &A,
                          const TeamCells &C) {
  Instruction *At = &*B.GetInsertPoint();
  auto End = [&](const TeamCells &Of, const SCEV *Offset) {
    Value *Bytes = expand(Offset, At);
    B.SetInsertPoint(At);
    return B.CreateAdd(B.CreatePtrToInt(Of.Base, I64), Bytes);
  };
  return B.CreateOr(
      B.CreateICmpULE(End(A, A.EndOffset), End(C, C.LeastOffset)),
      B.CreateICmpULE(End(C, C.EndOffset), End(A, A.LeastOffset)));
}

/// The most threads that may run the loop; sets Overlap, the number of
/// iterations at the end of a thread's part that may meet the next thread's.
Value *TeamLoop::mostThreads(IRBuilderBase &B) {
  Instruction *At = &*B.GetInsertPoint();
  Value *May = B.getTrue();
  Value *Meeting = B.getInt64(1);
  for (const TeamCells &C : Accesses.cells()) {
    if (C.How != TeamCells::Moving && C.How != TeamCells::Apart)
      continue;
    // Iterations that are so far apart meet nowhere.
    Value *Width = expand(SE.getMinusSCEV(C.End, C.First), At);
    Value *Step = expand(C.Step, At);
    B.SetInsertPoint(At);
    Step = B.CreateBinaryIntrinsic(Intrinsic::abs, Step, B.getFalse());
    Value *Moves = B.CreateICmpSGT(Step, B.getInt64(0));
    May = B.CreateAnd(May, Moves);
    Step = B.CreateSelect(Moves, Step, B.getInt64(1));
    Value *Own = B.CreateUDiv(
        B.CreateSub(B.CreateAdd(Width, Step), B.getInt64(1)), Step);
    if (C.How == TeamCells::Apart)
      May = B.CreateAnd(May, B.CreateICmpULE(Own, B.getInt64(1)));
    else
      Meeting = B.CreateBinaryIntrinsic(Intrinsic::umax, Meeting, Own);
  }
  ArrayRef<TeamCells> Cells = Accesses.cells();
  auto MustBeApart = [](const TeamCells &A, const TeamCells &C) {
    return (A.How == TeamCells::Moving &&
            (C.How == TeamCells::Moving || C.How == TeamCells::Private)) ||
           (A.How == TeamCells::Private && C.How == TeamCells::Seen);
  };
  for (size_t K = 0; K != Cells.size(); ++K)
    for (size_t J = 0; J != K; ++J)
      if (MustBeApart(Cells[K], Cells[J]) || MustBeApart(Cells[J], Cells[K])) {
        Value *Apart = areApart(B, Cells[K], Cells[J]);
        B.SetInsertPoint(At);
        May = B.CreateAnd(May, Apart);
      }
  Overlap = B.CreateSub(Meeting, B.getInt64(1), "overlap");
  // Two threads' last iterations wait, and do not meet each other either.
  Value *Most =
      B.CreateUDiv(Count, B.CreateSelect(B.CreateIsNull(Overlap), B.getInt64(1),
                                         B.CreateShl(Meeting, 1)));
  Most = B.CreateBinaryIntrinsic(Intrinsic::umax, Most, B.getInt64(1));
  return B.CreateSelect(May, Most, B.getInt64(1));
}

/// How many threads it takes to make up for what atomic additions cost more
/// than others, of which there are some.
unsigned TeamLoop::fewestThreads() const {
  // An exchange that is locked, in the cycles of a simple instruction.
  constexpr unsigned CostOfAtomic = 20;
  unsigned Deepest = 0, Atomic = 0, All = 0;
  for (const TeamCells &C : Accesses.cells())
    if (C.How == TeamCells::Atomic)
      for (const CellAddition &A : C.Additions) {
        unsigned Depth = LI.getLoopDepth(A.Store->getParent());
        Atomic = Depth > Deepest ? 1 : Atomic + (Depth == Deepest);
        Deepest = std::max(Deepest, Depth);
      }
  if (!Atomic)
    return 1;
  for (BasicBlock *Block : L.blocks())
    if (LI.getLoopDepth(Block) >= Deepest)
      All += Block->size();
  return 2 + CostOfAtomic * Atomic / All;
}

/// What the team is told, and room for its threads' sums and cells.
void TeamLoop::emitBefore() {
  Instruction *At = Form.Before->getTerminator();
  IRBuilder<> B(At);
  Count = iterations();
  for (auto [Phi, Step] : Form.Inductions)
    Steps[Phi] = expand(Step, At);
  B.SetInsertPoint(At);
  Value *Most = mostThreads(B);
  B.SetInsertPoint(At);
  Value *There = openmp::emitMostThreads(B);
  if (unsigned Least = fewestThreads(); Least > 1)
    There = B.CreateSelect(B.CreateICmpULT(There, B.getInt64(Least)),
                           B.getInt64(1), There);
  Threads = B.CreateBinaryIntrinsic(Intrinsic::umin, Most, There);
  auto Lines = [&](Value *Size) {
    return B.CreateAnd(B.CreateAdd(Size, B.getInt64(LineBytes - 1)),
                       ConstantInt::getSigned(I64, -int64_t(LineBytes)));
  };
  // What each thread has, but for thread 0: it takes what is there.
  Value *Each = B.getInt64(0);
  for (const TeamCells &C : Accesses.cells()) {
    auto *Block =
        C.How == TeamCells::Local ? dyn_cast<CallBase>(C.Base) : nullptr;
    if (C.How == TeamCells::Private) {
      Value *Size = expand(SE.getMinusSCEV(C.EndOffset, C.LeastOffset), At);
      B.SetInsertPoint(At);
      Bytes.push_back(
          B.CreateBinaryIntrinsic(Intrinsic::smax, Size, B.getInt64(0)));
      Distances.push_back(Lines(Bytes.back()));
      Each = B.CreateAdd(Each, Distances.back());
    } else if (Block) {
      LocalBlocks.push_back({nullptr, Lines(Block->getArgOperand(0))});
      Each = B.CreateAdd(Each, LocalBlocks.back().second);
    }
  }
  bool HasCells = !Distances.empty() || !LocalBlocks.empty();
  // The bounds of an inner loop that is never entered may be anything.
  if (HasCells)
    Threads = callRuntime(B, RuntimeFunction::TeamSize, {Threads, Each});
  Threads->setName("threads");
  if (Form.Sums.empty() && !HasCells)
    return;
  Value *Others = B.CreateSub(Threads, B.getInt64(1));
  Value *Next = B.CreateMul(
      Threads, Lines(B.getInt64(Form.Sums.size() * sizeof(double))));
  Value *All = B.CreateAdd(Next, B.CreateMul(Each, Others));
  SumsAt = callRuntime(B, RuntimeFunction::TeamRoom, {All});
  auto Take = [&](Value *Distance) {
    Value *Begin = B.CreatePtrAdd(SumsAt, Next);
    Next = B.CreateAdd(Next, B.CreateMul(Distance, Others));
    return Begin;
  };
  for (Value *Distance : Distances)
    RoomAt.push_back(Take(Distance));
  for (auto &[Begin, Distance] : LocalBlocks)
    Begin = Take(Distance);
}

/// Additions to private cells go to the thread's own; thread 0 takes the cells
/// themselves.
void TeamLoop::givePrivateCells(IRBuilderBase &B) {
  Instruction *AtEntry = Form.Before->getTerminator();
  Value *IsMain = B.CreateIsNull(Thread);
  Value *IsIdle = B.CreateICmpUGE(Thread, Team);
  for (const TeamCells &C : Accesses.cells()) {
    if (C.How != TeamCells::Private)
      continue;
    unsigned K = Shared.size();
    Value *Least = expand(C.LeastOffset, AtEntry);
    Shared.push_back(IRBuilder<>(AtEntry).CreatePtrAdd(C.Base, Least));
    Value *Own = B.CreateSelect(
        IsMain, Shared[K],
        B.CreatePtrAdd(
            RoomAt[K],
            B.CreateMul(Distances[K], B.CreateSub(Thread, B.getInt64(1)))));
    B.CreateMemSet(
        Own, B.getInt8(0),
        B.CreateSelect(B.CreateOr(IsMain, IsIdle), B.getInt64(0), Bytes[K]),
        Align(8));
    SmallPtrSet<Instruction *, 8> Accessing;
    for (const CellAddition &A : C.Additions)
      Accessing.insert({A.Load, A.Store});
    for (Instruction *I : Accessing) {
      IRBuilder<> At(I);
      Use &Pointer = I->getOperandUse(isa<LoadInst>(I) ? 0 : 1);
      Value *Offset = At.CreateSub(At.CreatePtrToInt(Pointer.get(), I64),
                                   At.CreatePtrToInt(Shared[K], I64));
      Pointer.set(At.CreatePtrAdd(Own, Offset));
    }
  }
}

/// Each thread has variables of its own for what only the loop uses; thread 0
/// keeps blocks of the arena.
void TeamLoop::giveLocals(IRBuilderBase &B) {
  unsigned Blocks = 0;
  for (const TeamCells &C : Accesses.cells()) {
    if (C.How != TeamCells::Local)
      continue;
    auto *Shared = cast<Instruction>(C.Base);
    Value *Own, *Size;
    Align Alignment(8);
    if (auto *Variable = dyn_cast<AllocaInst>(Shared)) {
      Locals.push_back(cast<AllocaInst>(B.Insert(Variable->clone(), "own")));
      Own = Locals.back();
      Size = B.getInt64(
          Variable->getAllocationSize(F.getDataLayout())->getFixedValue());
      Alignment = Variable->getAlign();
    } else {
      auto [At, Distance] = LocalBlocks[Blocks++];
      Size = cast<CallBase>(Shared)->getArgOperand(0);
      Own = B.CreateSelect(
          B.CreateIsNull(Thread), Shared,
          B.CreatePtrAdd(
              At, B.CreateMul(Distance, B.CreateSub(Thread, B.getInt64(1)))));
    }
    if (C.IsCleared)
      B.CreateMemSet(
          Own, B.getInt8(0),
          B.CreateSelect(B.CreateICmpUGE(Thread, Team), B.getInt64(0), Size),
          Alignment);
    // Addresses that were computed before the loop.
    DenseMap<Value *, Value *> New = {{Shared, Own}};
    for (Instruction *Address : C.Addresses) {
      if (L.contains(Address))
        continue;
      Instruction *Copy = B.Insert(Address->clone());
      Copy->setOperand(0, New.lookup(Address->getOperand(0)));
      New[Address] = Copy;
    }
    for (auto [Old, By] : New)
      Old->replaceUsesWithIf(By, [&](Use &U) {
        return L.contains(cast<Instruction>(U.getUser()));
      });
  }
}

/// Where thread's sum \p K is.
Value *TeamLoop::sumAt(IRBuilderBase &B, Value *OfThread, unsigned K) {
  uint64_t Line = alignTo(Form.Sums.size() * sizeof(double), LineBytes);
  return B.CreatePtrAdd(SumsAt,
                        B.CreateAdd(B.CreateMul(OfThread, B.getInt64(Line)),
                                    B.getInt64(K * sizeof(double))));
}

BasicBlock *TeamLoop::newBlock(const Twine &Name) {
  BasicBlock *Block =
      BasicBlock::Create(F.getContext(), Name, &F, L.getHeader());
  Region.push_back(Block);
  return Block;
}

/// The loop, for the iterations from \p From to \p To of the team's thread.
void TeamLoop::emitPart(BasicBlock *Enter, BasicBlock *Left, Value *From,
                        Value *To) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  BranchInst *Into = BranchInst::Create(Header, Enter);
  for (PHINode &Phi : Header->phis()) {
    int K = Phi.getBasicBlockIndex(Form.Before);
    // Its value in iteration From.
    Value *Start = Phi.getIncomingValue(K);
    if (Value *Step = Steps.lookup(&Phi)) {
      IRBuilder<> B(Into);
      Value *Distance =
          B.CreateMul(B.CreateZExtOrTrunc(From, Step->getType()), Step);
      Start = Start->getType()->isPointerTy() ? B.CreatePtrAdd(Start, Distance)
                                              : B.CreateAdd(Start, Distance);
    } else {
      Start = ConstantFP::getNegativeZero(Phi.getType());
    }
    Phi.setIncomingValue(K, Start);
    Phi.setIncomingBlock(K, Enter);
  }
  IRBuilder<> B(Header, Header->begin());
  PHINode *Number = B.CreatePHI(I64, 2, "team.iteration");
  Instruction *End = Latch->getTerminator();
  B.SetInsertPoint(End);
  Value *Next = B.CreateAdd(Number, B.getInt64(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  Number->addIncoming(From, Enter);
  Number->addIncoming(Next, Latch);
  Instruction *Again = B.CreateCondBr(B.CreateICmpEQ(Next, To), Left, Header);
  Again->copyMetadata(*End, LLVMContext::MD_loop);
  End->eraseFromParent();
  B.SetInsertPoint(Left);
  for (auto [K, Sum] : enumerate(Form.Sums)) {
    Value *At = sumAt(B, Thread, K);
    Type *T = Sum->getType();
    B.CreateStore(
        B.CreateFAdd(B.CreateLoad(T, At), Sum->getIncomingValueForBlock(Latch)),
        At);
  }
}

/// What the header of TeamLoops.h shows.
void TeamLoop::emitTeam() {
  IRBuilder<> Told(Form.Before->getTerminator());
  Thread = cast<Instruction>(Told.CreateFreeze(PoisonValue::get(I64)));
  Team = cast<Instruction>(Told.CreateFreeze(PoisonValue::get(I64)));
  BasicBlock *Begin = newBlock("team"), *Phase = newBlock("team.phase"),
             *Enter = newBlock("team.enter"), *Left = newBlock("team.left"),
             *Done = newBlock("team.done"), *Wait = newBlock("team.wait"),
             *Gather = newBlock("team.gather"), *End = newBlock("team.end");
  append_range(Region, L.blocks());
  append_range(Region, Form.Failing);

  IRBuilder<> B(Begin);
  auto Bound = [&](Value *Part) {
    return B.CreateUDiv(B.CreateMul(Count, Part), Team);
  };
  Value *Part = B.CreateBinaryIntrinsic(Intrinsic::umin, Thread, Team);
  Value *From = Bound(Part);
  Value *To = Bound(B.CreateBinaryIntrinsic(
      Intrinsic::umin, B.CreateAdd(Part, B.getInt64(1)), Team));
  Value *AreSeveral = B.CreateICmpUGT(Team, B.getInt64(1));
  Value *Waits = B.CreateAnd(AreSeveral, B.CreateIsNotNull(Overlap));
  Value *Late = B.CreateSub(
      To, B.CreateSelect(Waits,
                         B.CreateBinaryIntrinsic(Intrinsic::umin, Overlap,
                                                 B.CreateSub(To, From)),
                         B.getInt64(0)));
  givePrivateCells(B);
  giveLocals(B);
  B.CreateBr(Phase);

  B.SetInsertPoint(Phase);
  PHINode *IsLate = B.CreatePHI(B.getInt1Ty(), 2);
  IsLate->addIncoming(B.getFalse(), Begin);
  IsLate->addIncoming(B.getTrue(), Wait);
  Value *First = B.CreateSelect(IsLate, Late, From),
        *Last = B.CreateSelect(IsLate, To, Late);
  B.CreateCondBr(B.CreateICmpULT(First, Last), Enter, Done);
  emitPart(Enter, Left, First, Last);
  BranchInst::Create(Done, Left);
  B.SetInsertPoint(Done);
  B.CreateCondBr(B.CreateAnd(Waits, B.CreateNot(IsLate)), Wait, Gather);
  B.SetInsertPoint(Wait);
  openmp::emitBarrier(B);
  B.CreateBr(Phase);
  B.SetInsertPoint(Gather);
  if (Shared.empty()) {
    B.CreateBr(End);
  } else {
    BasicBlock *All = newBlock("team.all");
    B.CreateCondBr(AreSeveral, All, End);
    B.SetInsertPoint(All);
    unsigned K = 0;
    for (const TeamCells &C : Accesses.cells()) {
      if (C.How != TeamCells::Private)
        continue;
      // What two pointers lead to may be the same cells.
      openmp::emitBarrier(B);
      callRuntime(B,
                  C.Number->isDoubleTy() ? RuntimeFunction::TeamAddDoubles
                                         : RuntimeFunction::TeamAddFloats,
                  {Shared[K], RoomAt[K], Bytes[K], Thread, Team});
      ++K;
    }
    B.CreateBr(End);
  }
  B.SetInsertPoint(End);
  B.CreateBr(Form.Exit);
  Form.Before->getTerminator()->setSuccessor(0, Begin);
  Form.Exit->replacePhiUsesWith(L.getLoopLatch(), End);
}

/// What the loop was left with: what follows from the number of its
/// iterations, and what all threads have of a sum.
void TeamLoop::replaceResults() {
  Instruction *At = Form.Before->getTerminator();
  for (auto [Phi, S] : Form.Results) {
    Phi->replaceAllUsesWith(expand(S, At));
    Phi->eraseFromParent();
  }
  IRBuilder<> B(At);
  if (!Form.Sums.empty())
    B.CreateMemSet(
        SumsAt, B.getInt8(0),
        B.CreateMul(
            Threads,
            B.getInt64(alignTo(Form.Sums.size() * sizeof(double), LineBytes))),
        Align(8));
  if (Form.SumResults.empty())
    return;
  // A loop over threads, on the way to what follows.
  BasicBlock *From = Form.Exit->getSinglePredecessor();
  BasicBlock *Adding =
      BasicBlock::Create(F.getContext(), "team.sums", &F, Form.Exit);
  B.SetInsertPoint(Adding);
  PHINode *T = B.CreatePHI(I64, 2);
  SmallVector<PHINode *, 4> So;
  for (auto [Phi, K] : Form.SumResults)
    So.push_back(B.CreatePHI(Phi->getType(), 2));
  Value *Next = B.CreateAdd(T, B.getInt64(1), "", true, true);
  SmallVector<Value *, 4> Now;
  for (auto [N, Result] : enumerate(Form.SumResults))
    Now.push_back(B.CreateFAdd(
        So[N], B.CreateLoad(So[N]->getType(), sumAt(B, T, Result.second))));
  B.CreateCondBr(B.CreateICmpULT(Next, Threads), Adding, Form.Exit);
  T->addIncoming(B.getInt64(0), From);
  T->addIncoming(Next, Adding);
  for (auto [N, Result] : enumerate(Form.SumResults)) {
    So[N]->addIncoming(Starts[Result.second], From);
    So[N]->addIncoming(Now[N], Adding);
    Result.first->replaceAllUsesWith(Now[N]);
    Result.first->eraseFromParent();
  }
  From->getTerminator()->replaceSuccessorWith(Form.Exit, Adding);
}

/// \p Body for several threads: some additions are atomic.
Function *TeamLoop::forSeveral(Function &Body) {
  if (none_of(Accesses.cells(),
              [](const TeamCells &C) { return C.How == TeamCells::Atomic; }))
    return &Body;
  ValueToValueMapTy Values;
  Function *Several = CloneFunction(&Body, Values);
  Several->setName(Body.getName() + ".several");
  // What knows how reversed loops add to cells knows no atomic additions.
  forgetReversed(*Several);
  for (const TeamCells &C : Accesses.cells()) {
    if (C.How != TeamCells::Atomic)
      continue;
    for (const CellAddition &A : C.Additions) {
      auto *Load = cast<LoadInst>(Values[A.Load]);
      auto *Store = cast<StoreInst>(Values[A.Store]);
      // What is added to the cell, rather than the cell's new value.
      Load->replaceAllUsesWith(ConstantFP::getNegativeZero(Load->getType()));
      Load->eraseFromParent();
      IRBuilder<> B(Store);
      B.CreateAtomicRMW(AtomicRMWInst::FAdd, Store->getPointerOperand(),
                        Store->getValueOperand(), Store->getAlign(),
                        AtomicOrdering::Monotonic)
          ->setAAMetadata(Store->getAAMetadata());
      Store->eraseFromParent();
    }
  }
  return Several;
}

/// Takes the team out of F, and has OpenMP start it.
Function *TeamLoop::extract(SmallVectorImpl<Function *> &Others) {
  FAM.invalidate(F, PreservedAnalyses::none());
  DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  CodeExtractor Extractor(Region, &DT, /*AggregateArgs=*/false, nullptr,
                          nullptr, nullptr, /*AllowVarArgs=*/false,
                          /*AllowAlloca=*/true, nullptr, "team");
  CodeExtractorAnalysisCache Cache(F);
  Function *Body =
      Extractor.isEligible() ? Extractor.extractCodeRegion(Cache) : nullptr;
  CallInst *Call = Body ? cast<CallInst>(Body->user_back()) : nullptr;
  IRBuilder<> B(F.getContext());
  if (!Call) {
    Thread->replaceAllUsesWith(B.getInt64(0));
    Team->replaceAllUsesWith(B.getInt64(1));
    return nullptr;
  }
  for (Attribute A : F.getAttributes().getFnAttrs())
    Body->addFnAttr(A);
  for (AllocaInst *Own : Locals)
    Own->moveBefore(Body->getEntryBlock(), Body->getEntryBlock().begin());
  for (auto [K, V] : enumerate(Call->args()))
    if (auto *A = dyn_cast<Argument>(V.get()); A && A->hasNoAliasAttr())
      Body->addParamAttr(K, Attribute::NoAlias);
  Function *Several = forSeveral(*Body);
  if (Several != Body)
    Others.push_back(Several);
  openmp::startTeam(*Call, *Several, {Thread, Team, Threads});
  Thread->replaceAllUsesWith(B.getInt64(0));
  Team->replaceAllUsesWith(B.getInt64(1));
  return Body;
}

Function *TeamLoop::share(SmallVectorImpl<Function *> &Others) {
  for (PHINode *Sum : Form.Sums)
    Starts.push_back(Sum->getIncomingValueForBlock(Form.Before));
  emitBefore();
  emitTeam();
  replaceResults();
  Expander.clear();
  Function *Body = extract(Others);
  Thread->eraseFromParent();
  Team->eraseFromParent();
  FAM.invalidate(F, PreservedAnalyses::none());
  if (Body)
    Others.push_back(Body);
  return Body;
}

static void explain(const Loop &L, Function &F, StringRef Why) {
  Diagnostics D(F.getContext());
  StringRef Sweep = isReversed(L) ? "reverse" : "forward";
  const Instruction &At = *L.getHeader()->getTerminator();
  std::string Where = whereShared(L);
  if (Why.empty())
    D.remark(Remark::LoopShared, At,
             "the loop at " + Twine(Where) + ": threads share the " + Sweep +
                 " sweep");
  else
    D.remark(Remark::LoopNotShared, At,
             "the loop at " + Twine(Where) + ": one thread runs the " + Sweep +
                 " sweep: " + Why);
}

bool verso::hasSharedLoops(const Function &F) {
  return any_of(F, [](const BasicBlock &Block) {
    return isShared(*Block.getTerminator());
  });
}

bool verso::shareLoops(Function &F, FunctionAnalysisManager &FAM,
                       SmallVectorImpl<Function *> &Others) {
  SmallPtrSet<BasicBlock *, 8> Seen;
  bool Changed = false;
  while (true) {
    LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
    SmallVector<Loop *, 16> Loops = LI.getLoopsInPreorder();
    auto Next = find_if(Loops, [&](Loop *L) {
      return isShared(*L) && Seen.insert(L->getHeader()).second;
    });
    if (Next == Loops.end())
      return Changed;
    TeamLoop Team(**Next, F, FAM);
    if (!Team.canShare()) {
      explain(**Next, F, Team.why());
      continue;
    }
    explain(**Next, F, "");
    Team.share(Others);
    Changed = true;
  }
}
