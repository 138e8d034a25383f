//===- Reversal.cpp - the reversed control flow ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Reversal.h"

#include "LLVMCompat.h"
#include "prepare/Worksharing.h"
#include "structured/loops/SumOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

Reversal::Reversal(Function &F, LoopInfo &LI, DominatorTree &DT,
                   ScalarEvolution &SE, Slots &S, Refusals &Refused)
    : F(F), LI(LI), DT(DT), SE(SE), S(S), Refused(Refused),
      Expander(compat::scevExpander(SE, "trips", /*PreserveLCSSA=*/false)) {
  findReversible();
}

BasicBlock *Reversal::newBlock(const Twine &Name, Loop *L) {
  BasicBlock *B = BasicBlock::Create(F.getContext(), Name, &F);
  Blocks.push_back(B);
  Level[B] = L;
  return B;
}

BasicBlock *Reversal::addBlock(const BasicBlock &Recto) {
  BasicBlock *B =
      newBlock(Recto.getName() + ".verso.part", LI.getLoopFor(&Recto));
  ReversedBlock[B] = &Recto;
  return B;
}

void Reversal::findReversible() {
  for (BasicBlock &B : F)
    if (isa<ReturnInst>(B.getTerminator()))
      Return = &B;
  if (!Return)
    return Refused.add("it never returns");
  DenseSet<BasicBlock *> Seen{Return};
  SmallVector<BasicBlock *, 32> Work{Return}, InOrder;
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (B->isEHPad() && !B->isLandingPad())
      return Refused.add("an exception is caught", B->getTerminator());
    for (BasicBlock *P : predecessors(B))
      if (Seen.insert(P).second)
        Work.push_back(P);
  }
  for (BasicBlock &B : F)
    if (Seen.contains(&B))
      InOrder.push_back(&B);
  Start = newBlock("verso", nullptr);
  for (BasicBlock *B : InOrder) {
    Reverse[B] = newBlock(B->getName() + ".verso", LI.getLoopFor(B));
    ReversedBlock[Reverse[B]] = B;
  }
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!Reverse.contains(L->getHeader()))
      continue;
    if (!L->getLoopPreheader() || !L->getLoopLatch())
      return Refused.add("a loop that has no simple form",
                         L->getHeader()->getTerminator());
    ReversedLoop &R = Loops[L];
    Twine Name = L->getHeader()->getName();
    R.Header = newBlock(Name + ".verso.loop", L);
    R.Iteration =
        S.create(Type::getInt64Ty(F.getContext()), Name + ".iteration");
    R.Start = S.create(Type::getInt32Ty(F.getContext()), Name + ".start");
    R.From.push_back(L->getLoopLatch());
  }
  End = newBlock("verso.end", nullptr);
}

//===----------------------------------------------------------------------===//
// Trip counts
//===----------------------------------------------------------------------===//

/// Values of loops that code outside of them uses are brought into LCSSA form
/// by hand: LLVM would do that to all uses, and those in the verso, which is
/// not connected yet, mean the value of an iteration.
Value *Reversal::expand(const SCEV *E, Instruction *At) {
  auto *User = new FreezeInst(Expander.expandCodeFor(E, E->getType(), At), "",
                              At->getIterator());
  SmallSetVector<Instruction *, 8> Work, Open;
  Work.insert(User);
  for (unsigned K = 0; K != Work.size(); ++K)
    for (Use &U : Work[K]->operands()) {
      auto *V = dyn_cast<Instruction>(U);
      if (!V)
        continue;
      auto *Phi = dyn_cast<PHINode>(Work[K]);
      BasicBlock *UsedIn =
          Phi ? Phi->getIncomingBlock(U) : Work[K]->getParent();
      Loop *L = LI.getLoopFor(V->getParent());
      if (L && !L->contains(UsedIn))
        Open.insert(V);
      else if (Expander.isInsertedInstruction(V))
        Work.insert(V);
    }
  SmallVector<std::pair<Use *, Instruction *>, 8> InVerso;
  for (Instruction *V : Open)
    for (Use &U : V->uses())
      if (Level.contains(cast<Instruction>(U.getUser())->getParent()))
        InVerso.push_back({&U, V});
  for (auto [U, V] : InVerso)
    U->set(PoisonValue::get(V->getType()));
  SmallVector<Instruction *, 8> ToClose(Open.begin(), Open.end());
  formLCSSAForInstructions(ToClose, DT, LI, &SE);
  for (auto [U, V] : InVerso)
    U->set(V);
  Value *Expanded = User->getOperand(0);
  User->eraseFromParent();
  return Expanded;
}

Value *Reversal::expandBefore(Loop &L, const SCEV *Count) {
  Instruction *At = L.getLoopPreheader()->getTerminator();
  if (isa<SCEVCouldNotCompute>(Count) || !SE.isLoopInvariant(Count, &L) ||
      !Count->getType()->isIntegerTy() ||
      SE.getTypeSizeInBits(Count->getType()) > 64 || !canExpand(Count, At))
    return nullptr;
  return expandAsI64(Count, At);
}

Value *Reversal::expandAsI64(const SCEV *Count, Instruction *At) {
  return expand(
      SE.getNoopOrZeroExtend(Count, Type::getInt64Ty(At->getContext())), At);
}

Value *Reversal::backedges(Loop *L) {
  return expandBefore(*L, SE.getBackedgeTakenCount(L));
}

/// Whether \p V is the same in all of \p L, once it is computed before it: what
/// Loop::makeLoopInvariant can do, which moves instructions to find out.
static bool canBeHoisted(const Value *V, const Loop &L) {
  SmallSetVector<const Value *, 8> From;
  From.insert(V);
  for (size_t K = 0; K != From.size(); ++K) {
    if (L.isLoopInvariant(From[K]))
      continue;
    auto *I = cast<Instruction>(From[K]);
    if (isa<PHINode>(I) || I->isEHPad() || I->mayReadFromMemory() ||
        !isSafeToSpeculativelyExecute(I))
      return false;
    From.insert(I->op_begin(), I->op_end());
  }
  return true;
}

bool Reversal::findEntry(const BasicBlock &Block, const Loop &Around,
                         SmallVectorImpl<EntryCondition> &Conditions) const {
  const BasicBlock *To = &Block;
  // What leads to a block, and to nothing else than it but by its condition.
  while (!DT.dominates(To, Around.getLoopLatch())) {
    const BasicBlock *From = DT.getNode(To)->getIDom()->getBlock();
    const Loop *Before = LI.getLoopFor(From);
    while (Before != &Around && Before && Before->getParentLoop() != &Around)
      Before = Before->getParentLoop();
    if (!Before)
      return false;
    if (Before != &Around) {
      // A loop that comes before.
      if (Before->getUniqueExitBlock() != To)
        return false;
      To = Before->getLoopPreheader();
      continue;
    }
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    if (!Branch || To->getSinglePredecessor() != From)
      return false;
    if (Branch->isConditional())
      Conditions.push_back(
          {Branch->getCondition(), Branch->getSuccessor(0) == To});
    To = From;
  }
  return true;
}

bool Reversal::areSettledBefore(const Loop &L,
                                ArrayRef<EntryCondition> Conditions) {
  return all_of(Conditions, [&](const EntryCondition &Each) {
    return canBeHoisted(Each.V, L);
  });
}

Value *Reversal::emitEntry(Loop &L, ArrayRef<EntryCondition> Conditions,
                           IRBuilderBase &B) {
  Value *All = nullptr;
  for (const EntryCondition &Each : Conditions) {
    bool Changed = false;
    L.makeLoopInvariant(Each.V, Changed, &*B.GetInsertPoint());
    // Where what is around it is not entered it may be anything.
    Value *Holds = B.CreateFreeze(Each.V);
    if (!Each.IsTrue)
      Holds = B.CreateNot(Holds);
    All = All ? B.CreateAnd(Holds, All) : Holds;
  }
  return All;
}

/// Counts are valid only where their loop is entered.
Value *Reversal::iterationsOfNest(Loop *L, const Loop *Repeats,
                                  const Loop *Within, Loop *Root) {
  if (!Root)
    Root = L->getOutermostLoop();
  Instruction *At = Root->getLoopPreheader()->getTerminator();
  IRBuilder<> B(At);
  struct Factor {
    Value *Count, *IsEntered;
  };
  SmallVector<Factor, 4> Factors;
  Loop *Outside = Root->getParentLoop();
  for (Loop *M = L; M != Outside && M != Within; M = M->getParentLoop()) {
    const SCEV *Count = SE.getBackedgeTakenCount(M);
    Loop *Around = M == Root ? nullptr : M->getParentLoop();
    if (isa<SCEVCouldNotCompute>(Count) || !SE.isLoopInvariant(Count, Root) ||
        !Count->getType()->isIntegerTy() ||
        SE.getTypeSizeInBits(Count->getType()) > 64 || !canExpand(Count, At) ||
        (Around && Around->getExitingBlock() != Around->getLoopLatch()))
      return nullptr;
    SmallVector<EntryCondition, 2> Conditions;
    if (Around && (!findEntry(*M->getLoopPreheader(), *Around, Conditions) ||
                   !areSettledBefore(*Root, Conditions)))
      return nullptr;
    Value *IsEntered = emitEntry(*Root, Conditions, B);
    if (M != L && Repeats && Repeats->contains(M))
      continue;
    Value *N = expandAsI64(Count, At);
    B.SetInsertPoint(At);
    Factors.push_back({B.CreateAdd(N, B.getInt64(1)), IsEntered});
  }
  // Where a loop around is not entered a count may be anything.
  bool MayBeLeftOut =
      any_of(Factors, [](const Factor &Each) { return Each.IsEntered; });
  Value *Total = B.getInt64(1);
  for (auto [Count, IsEntered] : Factors) {
    if (MayBeLeftOut)
      Count = B.CreateFreeze(Count);
    if (IsEntered)
      Count = B.CreateSelect(IsEntered, Count, B.getInt64(0));
    Total = B.CreateMul(Total, Count);
  }
  return Total;
}

namespace {

/// What an expression is at most in the iterations of the loops in Root, as
/// long as nothing wraps: inductions at their larger end.
class LargestInNest : public SCEVRewriteVisitor<LargestInNest> {
public:
  LargestInNest(ScalarEvolution &SE, const Loop &Root)
      : SCEVRewriteVisitor(SE), Root(Root) {}

  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Evolution) {
    const Loop *L = Evolution->getLoop();
    const SCEV *Count = SE.getBackedgeTakenCount(L);
    if (!Root.contains(L))
      return Evolution;
    const SCEV *Start = visit(Evolution->getStart());
    if (!Evolution->isAffine() || isa<SCEVCouldNotCompute>(Count))
      return Start;
    const SCEV *End = visit(Evolution->evaluateAtIteration(Count, SE));
    return SE.getUMaxExpr(Start, End);
  }

private:
  const Loop &Root;
};

} // namespace

/// The sum of \p Each over the \p Count iterations of \p L: of a triangle of
/// loops half of the square. At most, where it is no polynomial.
static const SCEV *sumOver(const Loop &L, const SCEV *Each, const SCEV *Count,
                           ScalarEvolution &SE) {
  if (auto *Evolution = dyn_cast<SCEVAddRecExpr>(Each);
      Evolution && Evolution->getLoop() == &L) {
    SmallVector<const SCEV *, 4> Sum{SE.getZero(Each->getType())};
    append_range(Sum, Evolution->operands());
    if (auto *Sums = dyn_cast<SCEVAddRecExpr>(
            SE.getAddRecExpr(Sum, &L, SCEV::FlagAnyWrap)))
      return Sums->evaluateAtIteration(Count, SE);
  }
  return SE.getMulExpr(LargestInNest(SE, L).visit(Each), Count);
}

Value *Reversal::likelyIterationsOfNest(Loop *L, const Loop *Repeats,
                                        const Loop *Within) {
  constexpr uint64_t Most = 1 << 20;
  Loop *Root = L->getOutermostLoop();
  Instruction *At = Root->getLoopPreheader()->getTerminator();
  IRBuilder<> B(At);
  const SCEV *Total = SE.getOne(B.getInt64Ty());
  for (Loop *M = L; M && M != Within; M = M->getParentLoop()) {
    if (M != L && Repeats && Repeats->contains(M)) {
      Total = LargestInNest(SE, *M).visit(Total);
      continue;
    }
    const SCEV *Count = SE.getBackedgeTakenCount(M);
    if (isa<SCEVCouldNotCompute>(Count) || !Count->getType()->isIntegerTy() ||
        SE.getTypeSizeInBits(Count->getType()) > 64)
      return nullptr;
    Count = SE.getAddExpr(SE.getTruncateOrZeroExtend(Count, B.getInt64Ty()),
                          SE.getOne(B.getInt64Ty()));
    Total = sumOver(*M, Total, Count, SE);
  }
  Total = LargestInNest(SE, *Root).visit(Total);
  if (!SE.isLoopInvariant(Total, Root) || !canExpand(Total, At))
    return nullptr;
  Value *N = expandAsI64(Total, At);
  B.SetInsertPoint(At);
  // Where a loop is not entered its count may be anything.
  return B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateFreeze(N),
                                 B.getInt64(Most));
}

std::optional<Reversal::Induction>
Reversal::induction(const PHINode &Phi) const {
  Loop *L = LI.getLoopFor(Phi.getParent());
  if (!L || L->getHeader() != Phi.getParent() || !isReversed(L))
    return std::nullopt;
  if (!SE.isSCEVable(Phi.getType()))
    return std::nullopt;
  auto *Evolution =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&Phi)));
  if (!Evolution || Evolution->getLoop() != L || !Evolution->isAffine())
    return std::nullopt;
  Value *Start = Phi.getIncomingValueForBlock(L->getLoopPreheader());
  const SCEV *Step = Evolution->getStepRecurrence(SE);
  if (auto *C = dyn_cast<SCEVConstant>(Step))
    return Induction{Start, C->getValue()};
  if (auto *V = dyn_cast<SCEVUnknown>(Step);
      V && L->isLoopInvariant(V->getValue()))
    return Induction{Start, V->getValue()};
  // A step that is computed before the loop.
  Value *Other;
  Value *Next = Phi.getIncomingValueForBlock(L->getLoopLatch());
  if (match(Next, m_c_Add(m_Specific(&Phi), m_Value(Other))) &&
      L->isLoopInvariant(Other))
    return Induction{Start, Other};
  return std::nullopt;
}

PHINode *Reversal::counter(Loop *L) {
  ReversedLoop &R = Loops[L];
  if (R.Counter)
    return R.Counter;
  BasicBlock *Header = L->getHeader(), *Latch = L->getLoopLatch();
  IRBuilder<> B(Header, Header->begin());
  R.Counter = B.CreatePHI(B.getInt64Ty(), 2, "trips");
  B.SetInsertPoint(Latch->getTerminator());
  Value *Next = B.CreateAdd(R.Counter, B.getInt64(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  R.Counter->addIncoming(B.getInt64(0), L->getLoopPreheader());
  R.Counter->addIncoming(Next, Latch);
  return R.Counter;
}

/// The number of the iteration in which \p L was left through \p Exit.
Value *Reversal::exitCount(Loop *L, BasicBlock &Exit, BasicBlock &Exiting) {
  bool Direct = LI.getLoopFor(&Exiting) == L &&
                LI.getLoopFor(&Exit) == L->getParentLoop() &&
                Exit.getUniquePredecessor();
  if (Direct)
    if (Value *V = expandBefore(*L, SE.getExitCount(L, &Exiting)))
      return V;
  PHINode *Counter = counter(L);
  for (PHINode &Phi : Exit.phis())
    if (Phi.getName().starts_with("trips.left") &&
        is_contained(Phi.incoming_values(), Counter))
      return &Phi;
  IRBuilder<> B(&Exit, Exit.begin());
  PHINode *Phi = B.CreatePHI(B.getInt64Ty(), 2, "trips.left");
  for (BasicBlock *P : predecessors(&Exit))
    Phi->addIncoming(
        L->contains(P) ? static_cast<Value *>(Counter) : B.getInt64(0), P);
  return Phi;
}

//===----------------------------------------------------------------------===//
// Blocks and edges
//===----------------------------------------------------------------------===//

void Reversal::emit(const ReversedCode &Code) {
  BranchInst::Create(Reverse[Return], Start);
  for (auto [B, R] : SmallVector<std::pair<const BasicBlock *, BasicBlock *>>(
           Reverse.begin(), Reverse.end()))
    emitBlock(const_cast<BasicBlock &>(*B), Code);
  for (auto &[L, R] : Loops)
    emitDispatch(*L);
}

void Reversal::emitBlock(BasicBlock &B, const ReversedCode &Code) {
  IRBuilder<> Builder(Reverse[&B]);
  Code.Block(B, Builder);
  Code.TakePhis(B, Builder);
  if (&B == &F.getEntryBlock()) {
    Builder.CreateBr(End);
    return;
  }
  Loop *L = LI.getLoopFor(&B);
  if (L && L->getHeader() == &B)
    emitHeader(*L, Builder, Code);
  else
    emitMerge(B, Builder, Code);
}

/// br %iteration == 0, before the loop, next iteration
void Reversal::emitHeader(Loop &L, IRBuilderBase &B, const ReversedCode &Code) {
  ReversedLoop &R = Loops[&L];
  Value *Iteration = Slots::get(B, R.Iteration);
  BasicBlock *Leave = emitEdge(*L.getHeader(), *L.getLoopPreheader(), Code);
  BasicBlock *Again = newBlock(L.getHeader()->getName() + ".verso.again", &L);
  B.CreateCondBr(B.CreateICmpEQ(Iteration, B.getInt64(0)), Leave, Again);
  IRBuilder<> Next(Again);
  Code.GiveToPredecessor(*L.getHeader(), *L.getLoopLatch(), Next);
  Slots::set(Next, R.Iteration,
             Next.CreateSub(Slots::get(Next, R.Iteration), Next.getInt64(1)));
  Slots::set(Next, R.Start, Next.getInt32(0));
  BranchInst *Latch = Next.CreateBr(R.Header);
  markReversed(*Latch);
  markLike(*Latch, L);
}

void Reversal::emitMerge(BasicBlock &B, IRBuilderBase &Builder,
                         const ReversedCode &Code) {
  SmallSetVector<BasicBlock *, 4> Predecessors(pred_begin(&B), pred_end(&B));
  if (Predecessors.size() == 1) {
    Builder.CreateBr(emitEdge(B, *Predecessors[0], Code));
    return;
  }
  BasicBlock *IfTrue, *IfFalse;
  if (Value *Condition = decidingCondition(B, IfTrue, IfFalse)) {
    BasicBlock *True = emitEdge(B, *IfTrue, Code);
    Builder.CreateCondBr(Condition, True, emitEdge(B, *IfFalse, Code));
    return;
  }
  IRBuilder<> Recto(&B, B.begin());
  bool IsBit = Predecessors.size() == 2;
  IntegerType *T = IsBit ? Recto.getInt1Ty()
                         : (Predecessors.size() < 256 ? Recto.getInt8Ty()
                                                      : Recto.getInt32Ty());
  PHINode *Which = Recto.CreatePHI(T, Predecessors.size(), "which");
  for (BasicBlock *P : predecessors(&B))
    Which->addIncoming(
        ConstantInt::get(T, find(Predecessors, P) - Predecessors.begin()), P);
  SmallVector<BasicBlock *, 4> Edges;
  for (BasicBlock *P : Predecessors)
    Edges.push_back(emitEdge(B, *P, Code));
  if (IsBit) {
    Builder.CreateCondBr(Which, Edges[1], Edges[0]);
    return;
  }
  SwitchInst *Switch = Builder.CreateSwitch(Which, Edges[0], Edges.size() - 1);
  for (unsigned K = 1; K != Edges.size(); ++K)
    Switch->addCase(ConstantInt::get(T, K), Edges[K]);
}

/// The condition of the branch that decides from which of two predecessors B is
/// entered.
Value *Reversal::decidingCondition(BasicBlock &B, BasicBlock *&IfTrue,
                                   BasicBlock *&IfFalse) {
  SmallVector<BasicBlock *, 4> P(predecessors(&B));
  if (P.size() != 2 || P[0] == P[1])
    return nullptr;
  BasicBlock *D = DT.getNode(&B)->getIDom()->getBlock();
  auto *Branch = dyn_cast<BranchInst>(D->getTerminator());
  if (!Branch || !Branch->isConditional() ||
      LI.getLoopFor(D) != LI.getLoopFor(&B) ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return nullptr;
  BasicBlock *Sides[2] = {nullptr, nullptr};
  for (BasicBlock *Q : P)
    for (unsigned K : {0, 1}) {
      BasicBlockEdge Edge(D, Branch->getSuccessor(K));
      bool OnSide =
          Q == D ? Branch->getSuccessor(K) == &B : DT.dominates(Edge, Q);
      if (!OnSide)
        continue;
      if (Sides[K])
        return nullptr;
      Sides[K] = Q;
    }
  if (!Sides[0] || !Sides[1] || Sides[0] == Sides[1])
    return nullptr;
  IfTrue = Sides[0];
  IfFalse = Sides[1];
  return Branch->getCondition();
}

/// The block that goes from the reverse of B to that of its predecessor P,
/// through the headers of the loops that are left by the edge.
BasicBlock *Reversal::emitEdge(BasicBlock &B, BasicBlock &P,
                               const ReversedCode &Code) {
  BasicBlock *Edge = newBlock(B.getName() + ".verso.edge", LI.getLoopFor(&B));
  EdgeTo[Edge] = &B;
  IRBuilder<> Builder(Edge);
  Code.GiveToPredecessor(B, P, Builder);
  SmallVector<Loop *, 4> Entered;
  for (Loop *L = LI.getLoopFor(&P); L && !L->contains(&B);
       L = L->getParentLoop())
    Entered.push_back(L);
  for (Loop *L : Entered) {
    ReversedLoop &R = Loops[L];
    unsigned K = find(R.From, &P) - R.From.begin();
    if (K == R.From.size())
      R.From.push_back(&P);
    Slots::set(Builder, R.Start, Builder.getInt32(K));
    Slots::set(Builder, R.Iteration, exitCount(L, B, P));
  }
  if (Entered.size() == 1 && leaveOut(*Entered[0], B, P, Builder, Code))
    return Edge;
  Builder.CreateBr(Entered.empty() ? Reverse[&P]
                                   : Loops[Entered.back()].Header);
  return Edge;
}

/// br %nothing, before the loop, the loop
bool Reversal::leaveOut(Loop &L, BasicBlock &Exit, BasicBlock &Exiting,
                        IRBuilderBase &B, const ReversedCode &Code) {
  if (!Code.ResultsOfLoop)
    return false;
  SmallVector<Instruction *, 2> Results = Code.ResultsOfLoop(L, Exit, Exiting);
  if (Results.empty())
    return false;
  Value *Nothing = B.getTrue();
  BasicBlock *Block =
      newBlock(Exit.getName() + ".verso.left.out", LI.getLoopFor(&Exit));
  IRBuilder<> LeftOut(Block);
  for (Instruction *X : Results) {
    Nothing = B.CreateAnd(Nothing, Code.IsZero(*X, B));
    Code.Clear(*X, LeftOut);
  }
  LeftOut.CreateBr(Reverse[L.getLoopPreheader()]);
  LeavesOut.push_back(
      {&L, Block, B.CreateCondBr(Nothing, Block, Loops[&L].Header)});
  return true;
}

/// switch %start, reverse of the latch, or of the block that the loop was left
/// from
void Reversal::emitDispatch(Loop &L) {
  ReversedLoop &R = Loops[&L];
  IRBuilder<> B(R.Header, R.Header->begin());
  auto Target = [&](BasicBlock *Block) {
    Loop *Inner = LI.getLoopFor(Block);
    if (Inner == &L)
      return Reverse[Block];
    while (Inner->getParentLoop() != &L)
      Inner = Inner->getParentLoop();
    return Loops[Inner].Header;
  };
  if (R.From.size() == 1) {
    B.CreateBr(Target(R.From[0]));
    return;
  }
  SwitchInst *Switch = B.CreateSwitch(Slots::get(B, R.Start), Target(R.From[0]),
                                      R.From.size() - 1);
  for (unsigned K = 1; K != R.From.size(); ++K)
    Switch->addCase(B.getInt32(K), Target(R.From[K]));
}

//===----------------------------------------------------------------------===//
// Loops that are not reversed
//===----------------------------------------------------------------------===//

/// Whether the blocks, all of the reverse of \p L, only count its iterations
/// and those of the loops in it.
bool Reversal::isIdle(Loop &L, const SetVector<BasicBlock *> &Region) const {
  if (any_of(LeavesOut, [&](auto &Each) { return L.contains(Each.L); }))
    return false;
  SmallPtrSet<const Value *, 8> Counts;
  for (const Loop *Inner : L.getLoopsInPreorder())
    if (auto It = Loops.find(const_cast<Loop *>(Inner)); It != Loops.end()) {
      Counts.insert(It->second.Iteration);
      Counts.insert(It->second.Start);
    }
  auto IsInside = [&](const User *U) {
    return Region.contains(
        const_cast<BasicBlock *>(cast<Instruction>(U)->getParent()));
  };
  const BasicBlock *Before = Reverse.lookup(L.getLoopPreheader());
  for (BasicBlock *B : Region) {
    for (Instruction &I : *B) {
      const Value *P = getLoadStorePointerOperand(&I);
      bool IsHarmless = P ? Counts.contains(P)
                          : isa<BranchInst, SwitchInst, BinaryOperator, CmpInst,
                                CastInst, SelectInst>(I);
      if (!IsHarmless || !all_of(I.users(), IsInside))
        return false;
    }
    if (!B->getTerminator() || any_of(successors(B), [&](BasicBlock *To) {
          return To != Before && !Region.contains(To);
        }))
      return false;
  }
  return all_of(Counts, [&](const Value *Count) {
    return all_of(Count->users(), [&](const User *U) {
      return IsInside(U) || isa<StoreInst>(U);
    });
  });
}

void Reversal::leaveOutIdleLoops() {
  SmallPtrSet<BasicBlock *, 16> Gone;
  for (auto &[L, R] : Loops) {
    if (Gone.contains(R.Header))
      continue;
    SetVector<BasicBlock *> Region;
    for (BasicBlock *B : Blocks)
      if (const Loop *Of = Level.lookup(B); Of && L->contains(Of))
        Region.insert(B);
    if (!isIdle(*L, Region))
      continue;
    BasicBlock *Before = Reverse[L->getLoopPreheader()];
    R.Header->replaceUsesWithIf(Before, [&](Use &U) {
      return !Region.contains(cast<Instruction>(U.getUser())->getParent());
    });
    for (BasicBlock *B : Region)
      B->dropAllReferences();
    for (BasicBlock *B : Region) {
      B->erase(B->begin(), B->end());
      new UnreachableInst(F.getContext(), B);
    }
    // The number of iterations to count down.
    for (auto &[Inner, Of] : Loops)
      if (L->contains(Inner))
        for (AllocaInst *Count : {Of.Iteration, Of.Start})
          for (User *U : make_early_inc_range(Count->users()))
            cast<Instruction>(U)->eraseFromParent();
    Gone.insert(Region.begin(), Region.end());
  }
  erase_if(Blocks, [&](BasicBlock *B) { return Gone.contains(B); });
}
