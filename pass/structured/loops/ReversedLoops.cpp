//===- ReversedLoops.cpp - reversed loops that vectorise ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/ReversedLoops.h"
#include "LLVMCompat.h"
#include "structured/Squares.h"
#include "structured/loops/ApartAtRunTime.h"
#include "structured/loops/EdgeIterations.h"
#include "structured/loops/JoinedLatches.h"
#include "structured/loops/LackingShadows.h"
#include "structured/loops/PermutedCells.h"
#include "structured/loops/RowPairs.h"
#include "structured/loops/RunUp.h"
#include "structured/loops/SumOrder.h"
#include "structured/loops/TravellingSums.h"
#include "structured/loops/UpdatedCells.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LoopVersioning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <deque>

using namespace llvm;
using namespace verso;

namespace {

/// One innermost loop of one block.
class ReversedLoop {
public:
  ReversedLoop(Loop &L, FunctionAnalysisManager &FAM, Function &F)
      : L(L), Body(*L.getHeader()), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        LAI(FAM.getResult<LoopAccessAnalysis>(F).getInfo(L)),
        Apart(L, SE, FAM.getResult<AAManager>(F)) {}

  bool improve();

private:
  void findAdditions();
  bool neverSucceeds() const;
  bool findConflicts();
  void findGroups();
  void colour(unsigned Registers);
  bool runsDown() const;
  bool isCheap() const;
  bool isOrderKept() const;
  bool isSameAddress(const Instruction &A, const Instruction &B) const;
  void distribute();
  void keepOnly(BasicBlock &In, ValueToValueMapTy *VMap, unsigned Colour,
                bool IsLast);
  void moveSums(ValueToValueMapTy &VMap, unsigned Colour, BasicBlock &Behind);
  void declareScopes() const;

  Loop &L;
  BasicBlock &Body;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  const LoopAccessInfo &LAI;

  SmallVector<CellAddition, 8> Additions;
  /// To which addition an access belongs.
  DenseMap<const Instruction *, unsigned> Owner;
  AdditionPairs Conflicts;
  ApartAtRunTime Apart;
  /// Additions whose sums travel, or a single one.
  struct Group {
    SmallVector<unsigned, 4> Members;
    int64_t Min = 0, Max = 0; ///< In iterations from the first member.
    unsigned Colour = 0;
    unsigned travelling() const { return Max - Min; }
  };
  SmallVector<Group, 8> Groups;
  SmallVector<unsigned, 8> GroupOf;
  /// What the loop adds up in registers, and where.
  MapVector<PHINode *, unsigned> Sums;
  unsigned Colours = 1;
  /// Whether accesses of one iteration have to stay in their order: it may run
  /// up then, no more.
  bool IsWhole = false;
};

} // namespace

/// What the vectoriser would take, and what may be done again.
static bool isSimple(const Loop &L, ScalarEvolution &SE) {
  if (L.getNumBlocks() != 1 || !L.getLoopPreheader() || !L.getExitBlock() ||
      !L.getExitBlock()->getUniquePredecessor() ||
      isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L)))
    return false;
  for (Instruction &I : *L.getHeader()) {
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      if (!Load->isSimple())
        return false;
      continue;
    }
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (!Store->isSimple())
        return false;
      continue;
    }
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    auto *II = dyn_cast<IntrinsicInst>(Call);
    if (!II || (!isTriviallyVectorizable(II->getIntrinsicID()) &&
                !II->isAssumeLikeIntrinsic()))
      return false;
  }
  return true;
}

void ReversedLoop::findAdditions() {
  for (Instruction &I : Body)
    if (auto *Store = dyn_cast<StoreInst>(&I))
      if (LoadInst *Load = loadAddedTo(*Store)) {
        Owner[Load] = Owner[Store] = Additions.size();
        Additions.push_back({Load, Store});
      }
  for (PHINode &Phi : Body.phis())
    if (Phi.getType()->isFloatingPointTy() && !additionsOf(Phi, L).empty())
      Sums.insert({&Phi, 0});
}

void ReversedLoop::findGroups() {
  constexpr int64_t MaxTravel = 8;
  GroupOf.resize(Additions.size());
  for (auto [K, A] : enumerate(Additions)) {
    bool Joined = false;
    for (auto [N, G] : enumerate(Groups)) {
      std::optional<int64_t> D =
          iterationsBetween(A, Additions[G.Members[0]], L, SE);
      if (!D || addsInvariant(A, L) ||
          addsInvariant(Additions[G.Members[0]], L))
        continue;
      int64_t Min = std::min(G.Min, *D), Max = std::max(G.Max, *D);
      if (Max - Min > MaxTravel)
        continue;
      G.Min = Min, G.Max = Max;
      G.Members.push_back(K);
      GroupOf[K] = N;
      Joined = true;
      break;
    }
    if (!Joined) {
      GroupOf[K] = Groups.size();
      Groups.push_back({{unsigned(K)}});
    }
  }
}

/// What the dependence checker does not look at: accesses through one pointer.
bool ReversedLoop::isOrderKept() const {
  for (Instruction &S : Body) {
    if (!isa<StoreInst>(S))
      continue;
    bool SAdds = Owner.contains(&S);
    if (!SAdds && !movesOn(cast<StoreInst>(S), L, SE))
      return false;
    for (Instruction &I : Body) {
      if (!isa<LoadInst, StoreInst>(I) || &I == &S || !isSameAddress(I, S))
        continue;
      // Additions to one cell commute; what else reads it does so before it is
      // written, once.
      bool IAdds = Owner.contains(&I);
      if (SAdds != IAdds ||
          (!SAdds && (isa<StoreInst>(I) || S.comesBefore(&I))))
        return false;
    }
  }
  return true;
}

bool ReversedLoop::isSameAddress(const Instruction &A,
                                 const Instruction &B) const {
  const SCEV *P =
      SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&A)));
  const SCEV *Q =
      SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&B)));
  auto TypeOf = [](const Instruction &I) { // Not const in LLVM 19.
    return getLoadStoreType(const_cast<Instruction *>(&I));
  };
  return TypeOf(A) == TypeOf(B) && P == Q;
}

/// Whether accesses are to be told apart that are a constant distance apart.
bool ReversedLoop::neverSucceeds() const {
  const RuntimePointerChecking &Checking = *LAI.getRuntimePointerChecking();
  auto ExpressionOf = [&](const RuntimeCheckingPtrGroup *G) {
    return Checking.Pointers[G->Members[0]].Expr;
  };
  return any_of(Checking.getChecks(), [&](const RuntimePointerCheck &Check) {
    const SCEV *A = ExpressionOf(Check.first), *B = ExpressionOf(Check.second);
    return A->getType() == B->getType() &&
           isa<SCEVConstant>(SE.getMinusSCEV(A, B));
  });
}

/// Which additions may meet in a cell. False if anything else may depend on
/// another iteration, or on the order within one.
bool ReversedLoop::findConflicts() {
  const MemoryDepChecker &Checker = LAI.getDepChecker();
  const auto *Dependences = Checker.getDependences();
  if (!Dependences || LAI.hasConvergentOp() ||
      LAI.hasStoreStoreDependenceInvolvingLoopInvariantAddress() ||
      LAI.hasLoadStoreDependenceInvolvingLoopInvariantAddress())
    return false;
  // Nothing is known where the analysis gave up early. And where it found a
  // distance that is not constant it may ask that everything be apart.
  if (Dependences->empty() && (!LAI.canVectorizeMemory() || neverSucceeds()))
    return false;
  for (const MemoryDepChecker::Dependence &D : *Dependences) {
    using Kind = MemoryDepChecker::Dependence::DepType;
    if (D.Type == Kind::NoDep)
      continue;
    if (D.Type == Kind::Unknown || D.Type == Kind::IndirectUnsafe)
      return false;
    const Instruction *A = D.getSource(Checker), *B = D.getDestination(Checker);
    auto OfA = Owner.find(A), OfB = Owner.find(B);
    bool AAdds = OfA != Owner.end(), BAdds = OfB != Owner.end();
    if (AAdds && BAdds) {
      // One addition meets itself in the same iteration only: its address
      // moves.
      if (OfA->second != OfB->second)
        Conflicts.insert(std::minmax(OfA->second, OfB->second));
      continue;
    }
    // Read, then written in the same iteration.
    if (AAdds || BAdds || !isSameAddress(*A, *B))
      return false;
    if (IsWhole)
      continue;
    const Instruction *First = A->comesBefore(B) ? A : B;
    if (!isa<LoadInst>(First) && isa<LoadInst>(First == A ? B : A))
      return false;
  }
  return true;
}

/// Groups that may meet get different colours, and so do sums for which there
/// are not registers enough. What is not added stays with the last colour.
void ReversedLoop::colour(unsigned Registers) {
  Colours = 1;
  SmallVector<unsigned, 8> Used(Groups.size() + Sums.size() + 1);
  for (unsigned K = 0; K != Groups.size(); ++K) {
    SmallBitVector Taken(Used.size());
    for (auto [A, B] : Conflicts) {
      unsigned P = GroupOf[A], Q = GroupOf[B];
      if (std::max(P, Q) == K && P != Q)
        Taken.set(Groups[std::min(P, Q)].Colour);
    }
    unsigned Needed = Groups[K].travelling();
    for (unsigned C = 0; C != Used.size(); ++C)
      if (Used[C] && Used[C] + Needed > Registers)
        Taken.set(C);
    unsigned C = Taken.find_first_unset();
    Groups[K].Colour = C;
    Used[C] += Needed;
    Colours = std::max(Colours, C + 1);
  }
  unsigned C = Colours - 1;
  for (auto &Each : Sums) {
    if (Used[C] >= Registers)
      ++C;
    Each.second = C;
    ++Used[C];
  }
  Colours = C + 1;
}

/// Whether doing it all again, for other sums, costs less than what is stored
/// where registers are too few.
bool ReversedLoop::isCheap() const {
  return none_of(Body, [](const Instruction &I) {
    if (auto *II = dyn_cast<IntrinsicInst>(&I))
      return !II->isAssumeLikeIntrinsic() &&
             !is_contained(
                 {Intrinsic::fmuladd, Intrinsic::fma, Intrinsic::fabs},
                 II->getIntrinsicID());
    return I.getOpcode() == Instruction::FDiv ||
           I.getOpcode() == Instruction::FRem;
  });
}

/// Whether running up would change anything.
bool ReversedLoop::runsDown() const {
  return any_of(Body.phis(), [&](PHINode &Phi) {
    if (!SE.isSCEVable(Phi.getType()))
      return false;
    auto *Evolution = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    return Evolution && Evolution->getLoop() == &L && Evolution->isAffine() &&
           SE.isKnownNegative(Evolution->getStepRecurrence(SE));
  });
}

/// In a copy of the body, or the body itself, what is for other copies goes.
void ReversedLoop::keepOnly(BasicBlock &In, ValueToValueMapTy *VMap,
                            unsigned Colour, bool IsLast) {
  auto There = [&](Instruction *I) {
    return VMap ? cast<Instruction>((*VMap)[I]) : I;
  };
  SmallVector<WeakTrackingVH, 16> Dead;
  for (Instruction &I : make_early_inc_range(Body)) {
    if (!isa<StoreInst>(I))
      continue;
    auto It = Owner.find(&I);
    bool Stays = It == Owner.end()
                     ? IsLast
                     : Groups[GroupOf[It->second]].Colour == Colour;
    if (Stays)
      continue;
    Instruction *Gone = There(&I);
    Dead.append(Gone->op_begin(), Gone->op_end());
    Gone->eraseFromParent();
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
  SmallVector<WeakTrackingVH, 8> Phis(make_pointer_range(In.phis()));
  for (WeakTrackingVH &Phi : Phis)
    if (auto *P = dyn_cast_or_null<PHINode>(static_cast<Value *>(Phi)))
      RecursivelyDeleteDeadPHINode(P);
}

/// What a copy of the loop adds up is used behind the last one; where the sums
/// stay with another copy, they are dead in this one.
void ReversedLoop::moveSums(ValueToValueMapTy &VMap, unsigned Colour,
                            BasicBlock &Behind) {
  for (auto [Phi, Mine] : Sums) {
    if (Mine != Colour)
      continue;
    auto *Sum = cast<Instruction>(Phi->getIncomingValueForBlock(&Body));
    IRBuilder<> B(&Behind, Behind.begin());
    PHINode *Total = B.CreatePHI(Phi->getType(), 1, "sum");
    Total->addIncoming(VMap[Sum], cast<Instruction>(VMap[Sum])->getParent());
    Sum->replaceUsesOutsideBlock(Total, &Body);
  }
}

/// preheader, a copy for each colour but the last, the loop
void ReversedLoop::distribute() {
  BasicBlock *Preheader = L.getLoopPreheader();
  if (&Preheader->front() != Preheader->getTerminator() ||
      !Preheader->getSinglePredecessor())
    Preheader = SplitBlock(Preheader, Preheader->getTerminator(), &DT, &LI);
  BasicBlock *Exit = L.getExitBlock(), *Top = Preheader;
  BasicBlock *Before = Preheader->getSinglePredecessor();
  SmallVector<Loop *, 4> Loops;
  std::deque<ValueToValueMapTy> Maps;
  for (unsigned Colour = 0; Colour + 1 < Colours; ++Colour) {
    ValueToValueMapTy &VMap = Maps.emplace_back();
    SmallVector<BasicBlock *, 4> Blocks;
    Loop *Copy = cloneLoopWithPreheader(Top, Before, &L, VMap, ".part", &LI,
                                        &DT, Blocks);
    VMap[Exit] = Top;
    remapInstructionsInBlocks(Blocks, VMap);
    Top = Copy->getLoopPreheader();
    Loops.push_back(Copy);
  }
  Before->getTerminator()->replaceUsesOfWith(Preheader, Top);
  for (unsigned Colour = 0; Colour != Loops.size(); ++Colour)
    moveSums(Maps[Colour], Colour, *Loops[Colour]->getExitBlock());
  // The additions of each group, where it stays.
  SmallVector<SmallVector<CellAddition, 4>, 8> Travelling;
  for (const Group &G : Groups) {
    SmallVector<CellAddition, 4> &Members = Travelling.emplace_back();
    for (unsigned K : G.Members) {
      CellAddition A = Additions[K];
      if (G.Colour < Maps.size())
        A = {cast<LoadInst>(Maps[G.Colour][A.Load]),
             cast<StoreInst>(Maps[G.Colour][A.Store])};
      Members.push_back(A);
    }
  }
  for (unsigned Colour = 0; Colour != Loops.size(); ++Colour)
    keepOnly(*Loops[Colour]->getHeader(), &Maps[Colour], Colour,
             /*IsLast=*/false);
  keepOnly(Body, nullptr, Colours - 1, /*IsLast=*/true);
  // The copies stand in the opposite order.
  for (unsigned K = 0; K != Loops.size(); ++K) {
    BasicBlock *Next =
        K ? Loops[K - 1]->getLoopPreheader() : L.getLoopPreheader();
    DT.changeImmediateDominator(Next, Loops[K]->getExitingBlock());
  }
  if (!Loops.empty())
    DT.changeImmediateDominator(Top, Before);
  Loops.push_back(&L);
  SE.forgetLoop(&L);
  for (Loop *Each : Loops)
    runUp(*Each, SE);
  for (auto [G, Members] : zip(Groups, Travelling))
    if (Members.size() > 1)
      letSumsTravel(*Loops[G.Colour], Members, SE);
}

/// What LoopVersioning says in scopes is true of this execution of the loop.
void ReversedLoop::declareScopes() const {
  SmallSetVector<Metadata *, 8> Scopes;
  for (const Instruction &I : Body)
    if (const MDNode *List = I.getMetadata(LLVMContext::MD_alias_scope))
      for (const MDOperand &Op : List->operands()) {
        const MDNode *Domain = AliasScopeNode(cast<MDNode>(Op)).getDomain();
        auto *Name = Domain && Domain->getNumOperands() > 1
                         ? dyn_cast<MDString>(Domain->getOperand(1))
                         : nullptr;
        if (Name && Name->getString() == "LVerDomain")
          Scopes.insert(Op);
      }
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  for (Metadata *Scope : Scopes)
    B.CreateNoAliasScopeDeclaration(MDNode::get(Body.getContext(), {Scope}));
}

bool ReversedLoop::improve() {
  if (!isSimple(L, SE))
    return false;
  findAdditions();
  if (!isOrderKept()) {
    IsWhole = true;
    Additions.clear();
    Owner.clear();
    if (!all_of(Body, [&](Instruction &I) {
          auto *Store = dyn_cast<StoreInst>(&I);
          return !Store || movesOn(*Store, L, SE);
        }))
      return false;
  }
  bool IsKnown = findConflicts();
  if (!IsKnown) {
    Conflicts.clear();
    if (!Apart.find(Owner, Conflicts))
      return false;
  }
  findGroups();
  constexpr unsigned MaxLoops = 8, MaxChecks = 16, Registers = 12, Any = ~0u;
  colour(!IsWhole && isCheap() ? Registers : Any);
  if (Colours > MaxLoops)
    colour(Any);
  const RuntimePointerChecking &Checking = *LAI.getRuntimePointerChecking();
  if (Colours > MaxLoops ||
      (IsKnown ? Checking.getNumberOfChecks() : Apart.checks()) > MaxChecks)
    return false;
  bool NeedsCheck =
      IsKnown ? Checking.Need || !LAI.getPSE().getPredicate().isAlwaysTrue()
              : Apart.checks() != 0;
  // The vectoriser makes its own checks where nothing is to be changed.
  if (NeedsCheck && Colours == 1 && !runsDown() &&
      none_of(Groups, [](const Group &G) { return G.Members.size() > 1; }))
    return false;
  if (!IsKnown) {
    Apart.version(LI, DT);
  } else if (NeedsCheck) {
    LoopVersioning Versioned(LAI, Checking.getChecks(), &L, &LI, &DT, &SE);
    Versioned.versionLoop();
    Versioned.annotateLoopWithNoAlias();
    declareScopes();
  }
  distribute();
  return true;
}

void verso::recordManyDependences() {
  cl::Option *Limit = cl::getRegisteredOptions().lookup("max-dependences");
  if (Limit && !Limit->getNumOccurrences())
    Limit->addOccurrence(0, Limit->ArgStr, "400");
}

static SmallVector<Loop *, 16> reversedLoops(Function &F,
                                             FunctionAnalysisManager &FAM) {
  SmallVector<Loop *, 16> Result;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (L->isInnermost() && isReversed(*L))
      Result.push_back(L);
  return Result;
}

static SmallVector<BasicBlock *, 16>
reversedHeaders(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<BasicBlock *, 16> Result;
  for (Loop *L : reversedLoops(F, FAM))
    Result.push_back(L->getHeader());
  return Result;
}

/// What reversed loops are brought into form by, again and again.
static FunctionPassManager simplification() {
  FunctionPassManager Simplify;
  Simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
  Simplify.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Simplify.addPass(SimplifyCFGPass());
  Simplify.addPass(InstCombinePass());
  // An adjoint that is cleared and then set again, as for x += y.
  Simplify.addPass(DSEPass());
  Simplify.addPass(LoopSimplifyPass());
  Simplify.addPass(LCSSAPass());
  LoopPassManager Loops;
  Loops.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  Loops.addPass(LICMPass(LICMOptions()));
  Simplify.addPass(createFunctionToLoopPassAdaptor(std::move(Loops),
                                                   /*UseMemorySSA=*/true));
  Simplify.addPass(JoinLatchesPass());
  Simplify.addPass(SimplifyCFGPass());
  Simplify.addPass(LoopSimplifyPass());
  return Simplify;
}

void verso::simplifyReversedLoops(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager Simplify = simplification();
  FAM.invalidate(F, Simplify.run(F, FAM));
  foldTwice(F);
  // Without the first comparisons others, of pointers that are loaded behind
  // them, may leave the loop.
  constexpr unsigned MostRounds = 2;
  bool AreThere = true;
  for (unsigned Round = 0; AreThere && Round != MostRounds; ++Round) {
    AreThere = false;
    for (BasicBlock *Header : reversedHeaders(F, FAM)) {
      LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
      if (!takeShadowsAsThere(*LI.getLoopFor(Header), LI,
                              FAM.getResult<DominatorTreeAnalysis>(F),
                              FAM.getResult<ScalarEvolutionAnalysis>(F)))
        continue;
      FAM.invalidate(F, PreservedAnalyses::none());
      AreThere = true;
    }
    if (AreThere)
      FAM.invalidate(F, Simplify.run(F, FAM));
  }
}

void verso::improveReversedLoops(Function &F, FunctionAnalysisManager &FAM) {
  if (!hasReversedLoops(F))
    return;
  simplifyReversedLoops(F, FAM);
  FunctionPassManager Simplify = simplification();
  bool Updated = false;
  for (Loop *L : reversedLoops(F, FAM))
    for (BasicBlock *Block : L->blocks())
      Updated |= setUpdatedCells(*Block, FAM.getResult<AAManager>(F));
  if (Updated) {
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, Simplify.run(F, FAM));
  }
  auto MayPeel = [&](Loop *L) {
    ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    return isSimple(*L, SE) && peelEdge(*L, SE);
  };
  bool Peeled = false;
  for (; any_of(reversedLoops(F, FAM), MayPeel); Peeled = true)
    FAM.invalidate(F, PreservedAnalyses::none());
  if (Peeled)
    FAM.invalidate(F, Simplify.run(F, FAM));
  bool Paired = false;
  for (BasicBlock *Header : reversedHeaders(F, FAM)) {
    Loop *L = FAM.getResult<LoopAnalysis>(F).getLoopFor(Header);
    if (!isSimple(*L, FAM.getResult<ScalarEvolutionAnalysis>(F)) ||
        !pairRows(*L, F, FAM))
      continue;
    FAM.invalidate(F, PreservedAnalyses::none());
    Paired = true;
  }
  if (Paired)
    FAM.invalidate(F, Simplify.run(F, FAM));
  for (BasicBlock *Header : reversedHeaders(F, FAM)) {
    Loop *L = FAM.getResult<LoopAnalysis>(F).getLoopFor(Header);
    if (isSimple(*L, FAM.getResult<ScalarEvolutionAnalysis>(F)) &&
        takePermutedCells(*L, F, FAM))
      FAM.invalidate(F, PreservedAnalyses::none());
  }
  bool Changed = false;
  for (Loop *L : reversedLoops(F, FAM))
    if (ReversedLoop(*L, FAM, F).improve()) {
      Changed = true;
      // It holds on to what was analysed.
      FAM.getResult<LoopAccessAnalysis>(F).clear();
    }
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
}
