//===- TeamLoops.cpp - loops of gradients that threads share --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The team's code is written around the loop, where all that it uses is at
// hand, and taken out as a function by LLVM's CodeExtractor. The calls of the
// OpenMP runtime are those that clang emits (openmp/runtime, kmp.h).
//
//===----------------------------------------------------------------------===//

#include "structured/team/TeamLoops.h"

#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "emit/Runtime.h"
#include "prepare/Worksharing.h"
#include "structured/loops/SumOrder.h"
#include "structured/team/TeamAccesses.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;
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
        Accesses(L, LI, SE, FAM.getResult<AAManager>(F)),
        I64(Type::getInt64Ty(F.getContext())), Before(L.getLoopPreheader()) {}

  /// Whether threads may share it; if not, why() says what is in the way.
  bool canShare();
  StringRef why() const { return Why; }
  /// Lets them. The function that the team runs; null if LLVM did not take it
  /// out (the loop is right then, and runs in one thread).
  Function *share(SmallVectorImpl<Function *> &Others);

private:
  /// Arguments of the team's function that OpenMP knows.
  enum : int { OfThread = -1, OfTeam = -2 };

  bool refuse(StringRef Reason) {
    Why = Reason.str();
    return false;
  }
  void resolveInnerResults();
  bool isUnchanged(Value *Next, PHINode &Phi, unsigned Depth);
  Value *advance(Value *Next, PHINode &Phi, unsigned Depth);
  bool hasForm();
  bool knowsPhis();
  bool knowsResults();
  bool isSum(PHINode &Phi);
  Value *expand(const SCEV *S, Instruction *At);
  Value *iterations();
  unsigned fewestThreads() const;
  void emitBefore();
  Value *mostThreads(IRBuilderBase &B);
  Value *areApart(IRBuilderBase &B, const TeamCells &A, const TeamCells &C);
  void givePrivateCells(IRBuilderBase &B);
  void giveLocals(IRBuilderBase &B);
  void emitBarrier(IRBuilderBase &B);
  Value *sumAt(IRBuilderBase &B, Value *OfThread, unsigned K);
  BasicBlock *newBlock(const Twine &Name);
  void emitPart(BasicBlock *Enter, BasicBlock *Left, Value *From, Value *To);
  void emitTeam();
  void replaceResults();
  Function *forSeveral(Function &Body);
  Function *extract(SmallVectorImpl<Function *> &Others);
  Function *emitEntry(Function &Body, StructType *Used, ArrayRef<int> Fields);
  FunctionCallee openMP(StringRef Name, Type *Result, ArrayRef<Type *> Types,
                        bool IsVariadic = false);
  GlobalVariable *place();

  Loop &L;
  Function &F;
  FunctionAnalysisManager &FAM;
  Module &M;
  LoopInfo &LI;
  ScalarEvolution &SE;
  SCEVExpander Expander;
  TeamAccesses Accesses;
  IntegerType *I64;
  std::string Why;

  BasicBlock *Before, *Exit = nullptr;
  SmallVector<BasicBlock *, 2> Failing;
  SmallVector<PHINode *, 4> Sums;
  SmallVector<std::pair<PHINode *, const SCEV *>, 4> Inductions;
  /// What is used behind the loop: a phi there, and what it is.
  SmallVector<std::pair<PHINode *, const SCEV *>, 4> Results;
  SmallVector<std::pair<PHINode *, unsigned>, 4> SumResults;

  // Known before the team starts.
  Value *Count = nullptr, *Threads = nullptr, *Overlap = nullptr;
  Value *SumsAt = nullptr, *Room = nullptr;
  /// Of private cells, in the order of Accesses.cells().
  SmallVector<Value *, 2> Bytes, Distances, RoomAt, Shared;
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

/// One way in, one latch, which is the way out; what ends the program is none.
bool TeamLoop::hasForm() {
  // A branch that leads back to two loops had the mark of one.
  if (any_of(L.getLoopsInPreorder(),
             [&](Loop *Inner) { return Inner != &L && isShared(*Inner); }))
    return refuse("a loop inside has threads of its own");
  BasicBlock *Latch = L.getLoopLatch();
  if (!L.isLoopSimplifyForm() || !L.isLoopExiting(Latch))
    return refuse("its control flow is not that of a counted loop");
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Edges;
  L.getExitEdges(Edges);
  for (auto [From, To] : Edges) {
    if (From == Latch) {
      Exit = To;
      continue;
    }
    if (!isa<UnreachableInst>(To->getTerminator()) ||
        any_of(predecessors(To), [&](BasicBlock *P) { return !L.contains(P); }))
      return refuse("it may be left in the middle");
    if (!is_contained(Failing, To))
      Failing.push_back(To);
  }
  if (!Exit->getSinglePredecessor())
    return refuse("its control flow is not that of a counted loop");
  const SCEV *Taken = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken) || !Taken->getType()->isIntegerTy() ||
      SE.getTypeSizeInBits(Taken->getType()) > 64)
    return refuse("it is not known before it how often it runs");
  return true;
}

/// Whether an iteration only adds to what \p Phi is, whatever way it takes, and
/// nobody looks at it: loops inside may, choices may lead on with or without an
/// addition.
bool TeamLoop::isSum(PHINode &Phi) {
  if (!Phi.getType()->isDoubleTy() && !Phi.getType()->isFloatTy())
    return false;
  Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
  SmallSetVector<Value *, 8> Sums;
  Sums.insert(&Phi);
  for (size_t K = 0; K != Sums.size(); ++K)
    for (User *U : Sums[K]->users()) {
      auto *I = cast<Instruction>(U);
      if (!L.contains(I)) {
        if (Sums[K] != Next)
          return false;
      } else if (I != &Phi) {
        if (!isa<PHINode, SelectInst>(I) && !isAddedTo(*I, *Sums[K]))
          return false;
        Sums.insert(I);
      } else if (Sums[K] != Next) {
        return false;
      }
    }
  // Once, on every way.
  return Sums.contains(Next) && all_of(Sums, [&](Value *V) {
           if (V == &Phi)
             return true;
           auto *I = cast<Instruction>(V);
           auto Leads = [&](const Use &U) { return Sums.contains(U.get()); };
           if (isa<PHINode>(I))
             return all_of(I->operands(), Leads);
           if (isa<SelectInst>(I))
             return !Leads(I->getOperandUse(0)) && Leads(I->getOperandUse(1)) &&
                    Leads(I->getOperandUse(2));
           return count_if(I->operands(), Leads) == 1;
         });
}

bool TeamLoop::knowsPhis() {
  for (PHINode &Phi : L.getHeader()->phis()) {
    if (SE.isSCEVable(Phi.getType())) {
      auto *Evolution = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
      if (Evolution && Evolution->getLoop() == &L && Evolution->isAffine() &&
          Expander.isSafeToExpandAt(Evolution->getStepRecurrence(SE),
                                    Before->getTerminator())) {
        Inductions.push_back({&Phi, Evolution->getStepRecurrence(SE)});
        continue;
      }
    }
    if (!isSum(Phi))
      return refuse("an iteration hands on what the next one uses");
    Sums.push_back(&Phi);
  }
  return true;
}

bool TeamLoop::knowsResults() {
  Instruction *At = Before->getTerminator();
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValue(0);
    auto *OfSum = find_if(Sums, [&](PHINode *Sum) {
      return Sum->getIncomingValueForBlock(L.getLoopLatch()) == V;
    });
    if (OfSum != Sums.end()) {
      SumResults.push_back({&Phi, OfSum - Sums.begin()});
      continue;
    }
    const SCEV *S = SE.isSCEVable(V->getType())
                        ? SE.getSCEVAtScope(V, L.getParentLoop())
                        : SE.getCouldNotCompute();
    if (isa<SCEVCouldNotCompute>(S) || !SE.isLoopInvariant(S, &L) ||
        !Expander.isSafeToExpandAt(S, At))
      return refuse("what its last iteration computes is used behind it");
    Results.push_back({&Phi, S});
  }
  return true;
}

/// What loops inside are left with becomes an expression where it is one, so
/// that a counter that runs on from iteration to iteration is an induction.
void TeamLoop::resolveInnerResults() {
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  formLCSSARecursively(L, DT, &LI, &SE);
  SmallVector<WeakTrackingVH, 16> Dead;
  SmallVector<Loop *, 4> Nest = L.getLoopsInPreorder();
  for (Loop *Inner : reverse(Nest))
    if (Inner != &L && Inner->isLoopSimplifyForm())
      rewriteLoopExitValues(
          Inner, &LI, &FAM.getResult<TargetLibraryAnalysis>(F), &SE,
          &FAM.getResult<TargetIRAnalysis>(F), Expander, &DT, AlwaysRepl, Dead);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
  if (!Before || !L.getLoopLatch())
    return;
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isFloatingPointTy() &&
        isUnchanged(Phi.getIncomingValueForBlock(L.getLoopLatch()), Phi, 0))
      Phi.setIncomingValueForBlock(L.getLoopLatch(), &Phi);
  for (PHINode &Phi : make_early_inc_range(L.getHeader()->phis()))
    if (Phi.getIncomingValueForBlock(L.getLoopLatch()) == &Phi) {
      Phi.replaceAllUsesWith(Phi.getIncomingValueForBlock(Before));
      Phi.eraseFromParent();
    }
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isIntegerTy() && !isa<SCEVAddRecExpr>(SE.getSCEV(&Phi)))
      if (Value *Step = advance(Phi.getIncomingValueForBlock(L.getLoopLatch()),
                                Phi, /*Depth=*/0))
        Phi.setIncomingValueForBlock(
            L.getLoopLatch(),
            IRBuilder<>(L.getLoopLatch()->getTerminator())
                .CreateAdd(&Phi, Step, Phi.getName() + ".next"));
  Expander.clear();
  SE.forgetLoop(&L);
}

/// Whether \p Next is \p Phi, or zero where that was found to be zero: where
/// nothing comes to a value, its reverse is left out.
bool TeamLoop::isUnchanged(Value *Next, PHINode &Phi, unsigned Depth) {
  constexpr unsigned Deepest = 6;
  if (Next == &Phi)
    return true;
  auto *Merge = dyn_cast<PHINode>(Next);
  if (!Merge || !L.contains(Merge) || LI.isLoopHeader(Merge->getParent()) ||
      Depth == Deepest)
    return false;
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto IsFoundZero = [&](Use &U) {
    for (auto *Node = DT.getNode(Merge->getIncomingBlock(U));
         Node && L.contains(Node->getBlock()); Node = Node->getIDom()) {
      auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      if (Branch && Branch->isConditional() &&
          match(Branch->getCondition(),
                m_SpecificFCmp(FCmpInst::FCMP_OEQ, m_Specific(&Phi),
                               m_AnyZeroFP())) &&
          DT.dominates(
              BasicBlockEdge(Node->getBlock(), Branch->getSuccessor(0)), U))
        return true;
    }
    return false;
  };
  return all_of(Merge->incoming_values(), [&](Use &U) {
    return match(U.get(), m_AnyZeroFP()) ? IsFoundZero(U)
                                         : isUnchanged(U, Phi, Depth + 1);
  });
}

/// By how much \p Next is more than \p Phi, the same in all iterations, as a
/// value before the loop; null if it is not so, or not known. Where a condition
/// decides that the loop does not change, as of an inner loop with nothing to
/// do, it is chosen once.
Value *TeamLoop::advance(Value *Next, PHINode &Phi, unsigned Depth) {
  constexpr unsigned Deepest = 6;
  Instruction *At = Before->getTerminator();
  if (Next == &Phi)
    return ConstantInt::get(Phi.getType(), 0);
  auto *I = dyn_cast<Instruction>(Next);
  if (!I || !L.contains(I) || Depth == Deepest)
    return nullptr;
  const SCEV *By =
      SE.getMinusSCEV(SE.getSCEVAtScope(Next, &L), SE.getSCEV(&Phi));
  if (!isa<SCEVCouldNotCompute>(By) && SE.isLoopInvariant(By, &L) &&
      Expander.isSafeToExpandAt(By, At))
    return expand(By, At);
  auto *Merge = dyn_cast<PHINode>(I);
  if (!Merge || LI.isLoopHeader(Merge->getParent()) ||
      Merge->getNumIncomingValues() > 2)
    return nullptr;
  SmallVector<Value *, 2> Ways;
  for (Value *V : Merge->incoming_values()) {
    Ways.push_back(advance(V, Phi, Depth + 1));
    if (!Ways.back())
      return nullptr;
  }
  if (Ways.size() == 1 || SE.getSCEV(Ways[0]) == SE.getSCEV(Ways[1]))
    return Ways[0];
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  BasicBlock *Decides = DT.getNode(Merge->getParent())->getIDom()->getBlock();
  auto *Branch = dyn_cast<BranchInst>(Decides->getTerminator());
  if (!Branch || !Branch->isConditional() ||
      !L.isLoopInvariant(Branch->getCondition()))
    return nullptr;
  BasicBlockEdge IfTrue(Decides, Branch->getSuccessor(0));
  for (unsigned K : {0, 1})
    if (DT.dominates(IfTrue, Merge->getOperandUse(K)))
      return IRBuilder<>(At).CreateSelect(Branch->getCondition(), Ways[K],
                                          Ways[1 - K]);
  return nullptr;
}

bool TeamLoop::canShare() {
  resolveInnerResults();
  if (!hasForm() || !knowsPhis() || !knowsResults())
    return false;
  if (!Accesses.find())
    return refuse(Accesses.why());
  Instruction *At = Before->getTerminator();
  auto MayExpand = [&](const SCEV *S) {
    return !S || Expander.isSafeToExpandAt(S, At);
  };
  return (MayExpand(SE.getBackedgeTakenCount(&L)) &&
          all_of(Accesses.cells(),
                 [&](const TeamCells &C) {
                   return C.How == TeamCells::Atomic ||
                          C.How == TeamCells::Local ||
                          MayExpand(C.First) && MayExpand(C.End) &&
                              MayExpand(C.Step) && MayExpand(C.LeastOffset) &&
                              MayExpand(C.EndOffset);
                 })) ||
         refuse("bounds of its iterations cannot be computed before it");
}

Value *TeamLoop::expand(const SCEV *S, Instruction *At) {
  return Expander.expandCodeFor(S, S->getType(), At->getIterator());
}

Value *TeamLoop::iterations() {
  Instruction *At = Before->getTerminator();
  const SCEV *Taken = SE.getNoopOrZeroExtend(SE.getBackedgeTakenCount(&L), I64);
  return IRBuilder<>(At).CreateAdd(expand(Taken, At), ConstantInt::get(I64, 1),
                                   "iterations");
}

FunctionCallee TeamLoop::openMP(StringRef Name, Type *Result,
                                ArrayRef<Type *> Types, bool IsVariadic) {
  return M.getOrInsertFunction(Name,
                               FunctionType::get(Result, Types, IsVariadic));
}

/// An ident_t: nowhere.
GlobalVariable *TeamLoop::place() {
  constexpr StringLiteral Name = "verso.team.place";
  if (GlobalVariable *Known = M.getGlobalVariable(Name, /*AllowLocal=*/true))
    return Known;
  IRBuilder<> B(M.getContext());
  constexpr StringLiteral Nowhere = ";unknown;unknown;0;0;;";
  constexpr unsigned OfCompiler = 2;
  GlobalVariable *Text =
      B.CreateGlobalString(Nowhere, "verso.team.nowhere", 0, &M);
  auto *T = StructType::get(B.getInt32Ty(), B.getInt32Ty(), B.getInt32Ty(),
                            B.getInt32Ty(), B.getPtrTy());
  auto *Place = new GlobalVariable(
      M, T, /*isConstant=*/true, GlobalValue::PrivateLinkage,
      ConstantStruct::get(T, {B.getInt32(0), B.getInt32(OfCompiler),
                              B.getInt32(0), B.getInt32(Nowhere.size()), Text}),
      Name);
  Place->setAlignment(Align(8));
  return Place;
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
  auto HasRange = [](const TeamCells &C) {
    return C.How == TeamCells::Moving || C.How == TeamCells::Private;
  };
  for (size_t K = 0; K != Cells.size(); ++K)
    for (size_t J = 0; J != K; ++J)
      if (HasRange(Cells[K]) && HasRange(Cells[J]) &&
          (Cells[K].How == TeamCells::Moving ||
           Cells[J].How == TeamCells::Moving)) {
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
  Instruction *At = Before->getTerminator();
  IRBuilder<> B(At);
  Count = iterations();
  for (auto [Phi, Step] : Inductions)
    Steps[Phi] = expand(Step, At);
  B.SetInsertPoint(At);
  Value *Most = mostThreads(B);
  B.SetInsertPoint(At);
  Value *There = B.CreateZExt(
      B.CreateCall(openMP("omp_get_max_threads", B.getInt32Ty(), {})), I64);
  Threads =
      B.CreateBinaryIntrinsic(Intrinsic::umin, Most, There, nullptr, "threads");
  auto Lines = [&](Value *Size) {
    return B.CreateAnd(B.CreateAdd(Size, B.getInt64(LineBytes - 1)),
                       ConstantInt::getSigned(I64, -int64_t(LineBytes)));
  };
  Value *All =
      B.CreateMul(Threads, Lines(B.getInt64(Sums.size() * sizeof(double))));
  SmallVector<Value *, 2> Begins;
  for (const TeamCells &C : Accesses.cells()) {
    if (C.How != TeamCells::Private)
      continue;
    Value *Size = expand(SE.getMinusSCEV(C.EndOffset, C.LeastOffset), At);
    B.SetInsertPoint(At);
    Size = B.CreateBinaryIntrinsic(Intrinsic::smax, Size, B.getInt64(0));
    Bytes.push_back(Size);
    Distances.push_back(Lines(Size));
    Begins.push_back(All);
    // Thread 0 has none.
    All = B.CreateAdd(All, B.CreateMul(Distances.back(),
                                       B.CreateSub(Threads, B.getInt64(1))));
  }
  if (Sums.empty() && Begins.empty())
    return;
  Room = callRuntime(B, RuntimeFunction::TeamRoom, {All});
  SumsAt = Room;
  for (Value *Begin : Begins)
    RoomAt.push_back(B.CreatePtrAdd(Room, Begin));
}

/// Additions to private cells go to the thread's own; thread 0 takes the cells
/// themselves.
void TeamLoop::givePrivateCells(IRBuilderBase &B) {
  Instruction *AtEntry = Before->getTerminator();
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

/// Each thread has variables of its own for what only the loop uses.
void TeamLoop::giveLocals(IRBuilderBase &B) {
  for (const TeamCells &C : Accesses.cells()) {
    if (C.How != TeamCells::Local)
      continue;
    auto *Shared = cast<AllocaInst>(C.Base);
    auto *Own = cast<AllocaInst>(B.Insert(Shared->clone(), "own"));
    Locals.push_back(Own);
    if (C.IsCleared)
      B.CreateMemSet(Own, B.getInt8(0),
                     Own->getAllocationSize(F.getDataLayout())->getFixedValue(),
                     Own->getAlign());
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

/// All threads of the team come to here.
void TeamLoop::emitBarrier(IRBuilderBase &B) {
  Value *Own = B.CreateCall(
      openMP("__kmpc_global_thread_num", B.getInt32Ty(), {B.getPtrTy()}),
      {place()});
  B.CreateCall(
      openMP("__kmpc_barrier", B.getVoidTy(), {B.getPtrTy(), B.getInt32Ty()}),
      {place(), Own});
}

/// Where thread's sum \p K is.
Value *TeamLoop::sumAt(IRBuilderBase &B, Value *OfThread, unsigned K) {
  uint64_t Line = alignTo(Sums.size() * sizeof(double), LineBytes);
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
    int K = Phi.getBasicBlockIndex(Before);
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
  for (auto [K, Sum] : enumerate(Sums)) {
    Value *At = sumAt(B, Thread, K);
    Type *T = Sum->getType();
    B.CreateStore(
        B.CreateFAdd(B.CreateLoad(T, At), Sum->getIncomingValueForBlock(Latch)),
        At);
  }
}

/// What the header of TeamLoops.h shows.
void TeamLoop::emitTeam() {
  IRBuilder<> Told(Before->getTerminator());
  Thread = cast<Instruction>(Told.CreateFreeze(PoisonValue::get(I64)));
  Team = cast<Instruction>(Told.CreateFreeze(PoisonValue::get(I64)));
  BasicBlock *Begin = newBlock("team"), *Phase = newBlock("team.phase"),
             *Enter = newBlock("team.enter"), *Left = newBlock("team.left"),
             *Done = newBlock("team.done"), *Wait = newBlock("team.wait"),
             *Gather = newBlock("team.gather"), *End = newBlock("team.end");
  append_range(Region, L.blocks());
  append_range(Region, Failing);

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
  emitBarrier(B);
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
      emitBarrier(B);
      callRuntime(B,
                  C.Number->isDoubleTy() ? RuntimeFunction::TeamAddDoubles
                                         : RuntimeFunction::TeamAddFloats,
                  {Shared[K], RoomAt[K], Bytes[K], Thread, Team});
      ++K;
    }
    B.CreateBr(End);
  }
  B.SetInsertPoint(End);
  B.CreateBr(Exit);
  Before->getTerminator()->setSuccessor(0, Begin);
  Exit->replacePhiUsesWith(L.getLoopLatch(), End);
}

/// What the loop was left with: what follows from the number of its
/// iterations, and what all threads have of a sum.
void TeamLoop::replaceResults() {
  Instruction *At = Before->getTerminator();
  for (auto [Phi, S] : Results) {
    Phi->replaceAllUsesWith(expand(S, At));
    Phi->eraseFromParent();
  }
  IRBuilder<> B(At);
  if (!Sums.empty())
    B.CreateMemSet(
        SumsAt, B.getInt8(0),
        B.CreateMul(Threads, B.getInt64(alignTo(Sums.size() * sizeof(double),
                                                LineBytes))),
        Align(8));
  if (SumResults.empty())
    return;
  // A loop over threads, on the way to what follows.
  BasicBlock *From = Exit->getSinglePredecessor();
  BasicBlock *Adding =
      BasicBlock::Create(F.getContext(), "team.sums", &F, Exit);
  B.SetInsertPoint(Adding);
  PHINode *T = B.CreatePHI(I64, 2);
  SmallVector<PHINode *, 4> So;
  for (auto [Phi, K] : SumResults)
    So.push_back(B.CreatePHI(Phi->getType(), 2));
  Value *Next = B.CreateAdd(T, B.getInt64(1), "", true, true);
  SmallVector<Value *, 4> Now;
  for (auto [N, Result] : enumerate(SumResults))
    Now.push_back(B.CreateFAdd(
        So[N], B.CreateLoad(So[N]->getType(), sumAt(B, T, Result.second))));
  B.CreateCondBr(B.CreateICmpULT(Next, Threads), Adding, Exit);
  T->addIncoming(B.getInt64(0), From);
  T->addIncoming(Next, Adding);
  for (auto [N, Result] : enumerate(SumResults)) {
    So[N]->addIncoming(Starts[Result.second], From);
    So[N]->addIncoming(Now[N], Adding);
    Result.first->replaceAllUsesWith(Now[N]);
    Result.first->eraseFromParent();
  }
  From->getTerminator()->replaceSuccessorWith(Exit, Adding);
}

/// void entry(global thread, bound thread, used): what a thread of the team
/// starts with.
Function *TeamLoop::emitEntry(Function &Body, StructType *Used,
                              ArrayRef<int> Fields) {
  IRBuilder<> B(M.getContext());
  Type *P = B.getPtrTy();
  Function *Entry = Function::Create(
      FunctionType::get(B.getVoidTy(), {P, P, P}, false),
      GlobalValue::InternalLinkage, Body.getName() + ".entry", &M);
  compileLike(*Entry, F);
  Entry->addFnAttr(Attribute::NoUnwind);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", Entry));
  Value *Told = Entry->getArg(2);
  auto Field = [&](unsigned K) {
    return B.CreateLoad(Used->getElementType(K),
                        B.CreateStructGEP(Used, Told, K));
  };
  auto Ask = [&](StringRef Name) {
    return B.CreateZExt(B.CreateCall(openMP(Name, B.getInt32Ty(), {})), I64);
  };
  Value *Own = Ask("omp_get_thread_num");
  Value *All = B.CreateBinaryIntrinsic(Intrinsic::umin,
                                       Ask("omp_get_num_threads"), Field(0));
  SmallVector<Value *, 16> Arguments;
  for (int K : Fields)
    Arguments.push_back(K == OfThread ? Own : K == OfTeam ? All : Field(K));
  B.CreateCall(&Body, Arguments);
  B.CreateRetVoid();
  return Entry;
}

/// \p Body for several threads: some additions are atomic.
Function *TeamLoop::forSeveral(Function &Body) {
  if (none_of(Accesses.cells(),
              [](const TeamCells &C) { return C.How == TeamCells::Atomic; }))
    return &Body;
  ValueToValueMapTy Values;
  Function *Several = CloneFunction(&Body, Values);
  Several->setName(Body.getName() + ".several");
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
    Own->moveBefore(Body->getEntryBlock().begin());
  SmallVector<Type *, 16> Types = {I64};
  SmallVector<int, 16> Fields;
  SmallVector<Value *, 16> Values = {Threads};
  for (auto [K, V] : enumerate(Call->args())) {
    Value *Passed = V.get();
    if (Passed == Thread || Passed == Team) {
      Fields.push_back(Passed == Thread ? OfThread : OfTeam);
      continue;
    }
    Fields.push_back(Types.size());
    Types.push_back(Passed->getType());
    Values.push_back(Passed);
    if (auto *A = dyn_cast<Argument>(Passed); A && A->hasNoAliasAttr())
      Body->addParamAttr(K, Attribute::NoAlias);
  }
  auto *Used = StructType::get(F.getContext(), Types);
  Function *Several = forSeveral(*Body);
  if (Several != Body)
    Others.push_back(Several);
  Function *Entry = emitEntry(*Several, Used, Fields);
  B.SetInsertPoint(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *Told = B.CreateAlloca(Used, nullptr, "team.used");
  B.SetInsertPoint(Call);
  for (auto [K, V] : enumerate(Values))
    B.CreateStore(V, B.CreateStructGEP(Used, Told, K));
  Instruction *Forks, *Alone;
  SplitBlockAndInsertIfThenElse(B.CreateICmpUGT(Threads, B.getInt64(1)), Call,
                                &Forks, &Alone);
  B.SetInsertPoint(Forks);
  B.CreateCall(openMP("__kmpc_fork_call", B.getVoidTy(),
                      {B.getPtrTy(), B.getInt32Ty(), B.getPtrTy()},
                      /*IsVariadic=*/true),
               {place(), B.getInt32(1), Entry, Told});
  Call->moveBefore(Alone->getIterator());
  Thread->replaceAllUsesWith(B.getInt64(0));
  Team->replaceAllUsesWith(B.getInt64(1));
  return Body;
}

Function *TeamLoop::share(SmallVectorImpl<Function *> &Others) {
  for (PHINode *Sum : Sums)
    Starts.push_back(Sum->getIncomingValueForBlock(Before));
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
