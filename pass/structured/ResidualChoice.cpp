//===- ResidualChoice.cpp - which values of the recto are recorded --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "rules/Zero.h"
#include "structured/MinCut.h"
#include "structured/Residuals.h"
#include "structured/parts/PartAccesses.h"

#include "prepare/Worksharing.h"

#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// What is needed
//===----------------------------------------------------------------------===//

/// V, if it is a value of the recto that the verso cannot use as it is.
Instruction *Residuals::asResidual(Value *V) const {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Verso.contains(I->getParent()))
    return nullptr;
  if (auto *A = dyn_cast<AllocaInst>(I); A && A->isStaticAlloca())
    return nullptr;
  return I;
}

void Residuals::checkLevel(const Instruction &V, const BasicBlock &User) {
  Loop *Mine = LI.getLoopFor(V.getParent()), *Theirs = R.loopOf(&User);
  if (Mine && (!Theirs || !Mine->contains(Theirs)))
    Refused.add("internal: a value is needed outside its loop", &V);
}

void Residuals::collectNeeds() {
  for (BasicBlock *B : R.blocks())
    for (Instruction &I : *B)
      for (Value *Op : I.operands())
        if (Instruction *V = asResidual(Op)) {
          checkLevel(*V, *B);
          Needed.insert(V);
        }
}

//===----------------------------------------------------------------------===//
// What can be computed again
//===----------------------------------------------------------------------===//

static bool isCheapIntrinsic(const Instruction &I) {
  auto *II = dyn_cast<IntrinsicInst>(&I);
  if (!II)
    return false;
  switch (II->getIntrinsicID()) {
  case Intrinsic::fabs:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::copysign:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::abs:
    return true;
  default:
    return false;
  }
}

static bool isCheap(const Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I);
      Call && (isProduct(*Call) || isLimit(*Call)))
    return true;
  switch (I.getOpcode()) {
  case Instruction::FDiv:
  case Instruction::FRem:
    return false;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: {
    auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
    return C && !C->isZero() && !C->isMinusOne();
  }
  default:
    return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst,
               GetElementPtrInst, ExtractValueInst, InsertValueInst,
               ExtractElementInst, InsertElementInst>(I) ||
           isCheapIntrinsic(I);
  }
}

/// Whether nothing that is computed again for the address of \p Store needs
/// \p I, which would be read from there.
bool Residuals::isFoundWithout(const StoreInst &Store,
                               const Instruction &I) const {
  constexpr unsigned MaxValues = 64;
  SmallSetVector<const Value *, 16> Needs;
  Needs.insert(Store.getPointerOperand());
  for (unsigned N = 0; N != Needs.size(); ++N) {
    auto *Need = dyn_cast<Instruction>(Needs[N]);
    if (Need == &I || N == MaxValues)
      return false;
    if (!Need)
      continue;
    if (const StoreInst *Other = Stored.lookup(Need))
      Needs.insert(Other->getPointerOperand());
    // A phi is counted, or recorded.
    if (!isa<PHINode>(Need))
      Needs.insert(Need->op_begin(), Need->op_end());
  }
  return true;
}

/// A store of the program that keeps I whenever it is computed, in the same
/// iteration, perhaps by way of a choice; null if none does.
StoreInst *Residuals::storeOf(Instruction &I) {
  auto [It, New] = Stored.try_emplace(&I, nullptr);
  // The last iteration that was run stored it, there.
  if (!New || replayOf(I))
    return It->second;
  auto StoreBeside = [&](Instruction &V) -> StoreInst * {
    for (User *U : V.users())
      if (auto *Store = dyn_cast<StoreInst>(U);
          Store && Store->getValueOperand() == &V &&
          Store->getParent() == V.getParent() && !Shadows.isOurs(Store) &&
          !S.owns(*Store) && Memory.mayLoadAgain(*Store) &&
          isFoundWithout(*Store, I))
        return Store;
    return nullptr;
  };
  It->second = StoreBeside(I);
  BasicBlock *B = I.getParent(), *Next = B->getSingleSuccessor();
  if (It->second || !Next || Next == B ||
      LI.getLoopFor(Next) != LI.getLoopFor(B) || (LI.isLoopHeader(Next)))
    return It->second;
  for (PHINode &Phi : Next->phis())
    if (Phi.getIncomingValueForBlock(B) == &I)
      if (StoreInst *Store = StoreBeside(Phi))
        return It->second = Store;
  return nullptr;
}

/// LLVM keeps a bound for the next iteration that starts there:
///   phi [load %p, %preheader], [load %p + step * (%i + 1), %latch]
std::optional<Residuals::LoadBefore> Residuals::loadBefore(const PHINode &Phi) {
  Loop *L = LI.getLoopFor(Phi.getParent());
  if (!L || L->getHeader() != Phi.getParent() || !R.isReversed(L) ||
      replayOf(Phi) || !L->getLoopPreheader() || !L->getLoopLatch() ||
      L->getExitingBlock() != L->getLoopLatch())
    return std::nullopt;
  auto LoadFrom = [&](BasicBlock *From) -> LoadInst * {
    auto *Load = dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(From));
    return Load && !Shadows.isOurs(Load) && !Shadows.primalOf(Load) &&
                   !S.owns(*Load) && Memory.mayLoadAgain(*Load)
               ? Load
               : nullptr;
  };
  LoadInst *First = LoadFrom(L->getLoopPreheader()),
           *Next = LoadFrom(L->getLoopLatch());
  if (!First || !Next || LI.getLoopFor(Next->getParent()) != L)
    return std::nullopt;
  ScalarEvolution &SE = R.scalarEvolution();
  auto *Address =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Next->getPointerOperand()));
  auto *Step = Address && Address->isAffine() && Address->getLoop() == L
                   ? dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE))
                   : nullptr;
  if (!Step || Step->getAPInt().getSignificantBits() > 32 ||
      SE.getMinusSCEV(Address->getStart(),
                      SE.getSCEV(First->getPointerOperand())) != Step)
    return std::nullopt;
  return LoadBefore{Next, Step->getAPInt().getSExtValue()};
}

/// The outermost loop around that of Load in every iteration of which the K-th
/// iteration of Load's loop loads the same; null if there is none.
Loop *Residuals::repeats(LoadInst &Load) {
  Loop *L = LI.getLoopFor(Load.getParent());
  ScalarEvolution &SE = R.scalarEvolution();
  if (!L || !R.isReversed(L) || !SE.hasLoopInvariantBackedgeTakenCount(L) ||
      !R.backedges(L))
    return nullptr;
  const SCEV *Address = SE.getSCEV(Load.getPointerOperand());
  Loop *Result = nullptr;
  const Loop *Within = replayOf(Load);
  for (Loop *Around = L->getParentLoop(); Around && Around != Within;
       Around = Around->getParentLoop()) {
    bool Varies = SCEVExprContains(Address, [&](const SCEV *Part) {
      auto *Evolution = dyn_cast<SCEVAddRecExpr>(Part);
      auto *V = dyn_cast<SCEVUnknown>(Part);
      auto *I = V ? dyn_cast<Instruction>(V->getValue()) : nullptr;
      return (Evolution && Evolution->getLoop() != L &&
              Around->contains(Evolution->getLoop())) ||
             (I && Around->contains(I)) || isa<SCEVCouldNotCompute>(Part);
    });
    // Threads would all write the row.
    if (Varies || isShared(*Around) || !R.isReversed(Around) ||
        !Memory.isUnchangedWithin(Load, *Around))
      break;
    Result = Around;
  }
  return Result;
}

/// Quotients and roots in each iteration of counted loops in other loops: their
/// column grows with the product of the counts, and would outgrow the caches.
/// Behind a branch nothing hides how long the verso would wait for them.
bool Residuals::isWorthComputing(const Instruction &I) const {
  auto *II = dyn_cast<IntrinsicInst>(&I);
  if (I.getOpcode() != Instruction::FDiv &&
      !(II && II->getIntrinsicID() == Intrinsic::sqrt))
    return false;
  Loop *L = LI.getLoopFor(I.getParent());
  return L && L->getParentLoop() && R.isReversed(L) && L->getLoopLatch() &&
         R.dominatorTree().dominates(I.getParent(), L->getLoopLatch()) &&
         R.scalarEvolution().hasLoopInvariantBackedgeTakenCount(L);
}

/// What a value is computed from again, if that is possible and cheap.
std::optional<SmallVector<Value *, 4>> Residuals::ingredients(Instruction &I) {
  using Values = SmallVector<Value *, 4>;
  if (auto *Back = Handed.of(I))
    return Values{Back->Phi, Back->Last};
  auto FromStore = [&]() -> std::optional<Values> {
    if (StoreInst *Store = storeOf(I))
      return Values{Store->getPointerOperand()};
    return std::nullopt;
  };
  if (auto *Phi = dyn_cast<PHINode>(&I)) {
    if (const HandedBack::Row *Row = Handed.rowOf(*Phi))
      return Values{Row->End};
    if (auto V = R.induction(*Phi))
      return Values{V->Start, V->Step};
    if (auto Before = loadBefore(*Phi))
      return Values{Before->Load->getPointerOperand()};
    return FromStore();
  }
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    const LoadInst *Primal = Shadows.primalOf(Load);
    if (!Primal && (Shadows.isOurs(Load) || S.owns(*Load)))
      return std::nullopt;
    if (Memory.mayLoadAgain(Primal ? *Primal : *Load))
      return Values{Load->getPointerOperand()};
    if (Primal)
      return std::nullopt;
    if (auto Again = FromStore())
      return Again;
    if (const Snapshots::Source *From = Copied.sourceOf(*Load)) {
      Values Result{From->Start};
      for (auto [L, Step] : From->Steps)
        Result.push_back(Step);
      return Result;
    }
    if (Loop *Around = repeats(*Load)) {
      Rows[&I] = Around;
      return Values{columnsOf(placeOf(I)).Start};
    }
    return std::nullopt;
  }
  if (!isCheap(I)) {
    if (auto Again = FromStore())
      return Again;
    if (!isWorthComputing(I))
      return std::nullopt;
  }
  if (auto *Call = dyn_cast<CallBase>(&I))
    return Values(Call->arg_begin(), Call->arg_end());
  return Values(I.op_begin(), I.op_end());
}

std::string Residuals::whyRecorded(Instruction &I) {
  if (Undone && Undone->undoes(I))
    return "it is overwritten, and put back";
  if (isa<PHINode>(I))
    return "it depends on the way that the program took";
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    const LoadInst *Primal = Shadows.primalOf(Load);
    const Instruction *W = Memory.overwriter(Primal ? *Primal : *Load);
    if (W == Load)
      return "its memory is volatile";
    if (W && isStandIn(*W) && isa<ReturnInst>(W->getParent()->getTerminator()))
      return "its memory may be overwritten before the reverse of the call";
    return W ? "its memory may be overwritten at " + describeLocation(*W)
             : std::string("its address would have to be recorded");
  }
  if (!ingredients(I))
    return "it is expensive to compute";
  return "what it is computed from would have to be recorded";
}

/// An integer or a pointer, outside loops, that arguments alone tell: so the
/// optimiser sees in the verso what it is.
bool Residuals::isOfArguments(Value *V, unsigned Depth) const {
  constexpr unsigned MaxDepth = 4;
  Instruction *I = asResidual(V);
  return !I || (Depth != MaxDepth && !LI.getLoopFor(I->getParent()) &&
                I->getType()->isIntOrPtrTy() && isCheap(*I) &&
                !isa<CallBase>(I) && all_of(I->operands(), [&](Value *Op) {
                  return Op->getType()->isIntOrPtrTy() &&
                         isOfArguments(Op, Depth + 1);
                }));
}

Type *Residuals::columnType(Type *T) {
  return T->isIntegerTy(1) ? Type::getInt8Ty(T->getContext()) : T;
}

/// What is done in a loop is done eight times, for all that is known.
static uint64_t weigh(uint64_t Bytes, unsigned Depth) {
  return Bytes << (3 * std::min(Depth, 8u));
}

uint64_t Residuals::costOf(const Instruction &I) const {
  return weigh(F.getDataLayout().getTypeStoreSize(columnType(I.getType())),
               LI.getLoopDepth(I.getParent()));
}

/// The cheapest values to record; what is outside loops goes into variables.
/// And the cheapest stores to undo, of those in Undoable, and copies to make.
Residuals::Cut Residuals::minimalCut(bool AreUndone,
                                     ArrayRef<Snapshots::Group> Offered) {
  const DataLayout &DL = F.getDataLayout();
  MinCut Graph;
  SmallSetVector<Instruction *, 32> Vertices;
  MapVector<Instruction *, unsigned> Number;
  MapVector<StoreInst *, unsigned> Stores;
  std::vector<uint64_t> Costs;
  constexpr uint64_t Never = uint64_t(1) << 48;
  // The number of an iteration that is run again is known.
  auto IsGiven = [&](const Instruction &I) {
    const Loop *L = LI.getLoopFor(I.getParent());
    return L && L == replayOf(I) && isa<PHINode>(I);
  };
  auto AddVertex = [&](uint64_t Cost) {
    Costs.push_back(Cost);
    return Graph.addVertex(Cost);
  };
  DenseMap<const Instruction *, unsigned> CopyOf;
  SmallVector<unsigned, 4> Copies;
  for (const Snapshots::Group &G : Offered) {
    uint64_t Bytes = DL.getTypeStoreSize(G[0].Load->getType());
    Copies.push_back(AddVertex(weigh(Bytes, Snapshots::depthOf(G))));
    Graph.markSource(Copies.back());
    for (const Snapshots::Stream &Each : G)
      CopyOf[Each.Load] = Copies.back();
  }
  Cut Result;
  auto Add = [&](Instruction *I) {
    if (isCarried(*I)) {
      if (!isOfArguments(I))
        carryOver(*I);
      return ~0u;
    }
    auto [It, New] = Number.try_emplace(I, 0);
    if (New) {
      It->second = AddVertex(IsGiven(*I) ? Never : costOf(*I));
      Vertices.insert(I);
    }
    return It->second;
  };
  for (Instruction *I : Needed)
    if (unsigned V = Add(I); V != ~0u)
      Graph.markSink(V);
  for (unsigned K = 0; K != Vertices.size(); ++K) {
    Instruction *I = Vertices[K];
    auto From = ingredients(*I);
    if (auto It = Undoable.find(I); !From && It != Undoable.end()) {
      From = {cast<LoadInst>(I)->getPointerOperand()};
      for (StoreInst *Store : It->second) {
        auto [At, New] = Stores.try_emplace(Store, 0);
        if (AreUndone)
          continue;
        if (New) {
          At->second = AddVertex(
              weigh(Undone->cost(*Store), LI.getLoopDepth(Store->getParent())));
          Graph.markSource(At->second);
        }
        Graph.addEdge(At->second, Number[I]);
      }
    }
    if (!From) {
      if (auto It = CopyOf.find(I); It != CopyOf.end())
        Graph.addEdge(It->second, Number[I]);
      else
        Graph.markSource(Number[I]);
      if (auto *Load = dyn_cast<LoadInst>(I))
        Result.Loads.push_back(Load);
      continue;
    }
    for (Value *Op : *From)
      if (Instruction *V = asResidual(Op))
        if (unsigned N = Add(V); N != ~0u)
          Graph.addEdge(N, Number[I]);
  }
  std::vector<bool> InCut = Graph.solve();
  for (Instruction *I : Vertices)
    if (InCut[Number[I]]) {
      Result.Values.push_back(I);
      Result.Cost += Costs[Number[I]];
    }
  for (auto [Store, V] : Stores)
    if (!AreUndone && InCut[V]) {
      Result.Stores.push_back(Store);
      Result.CostOfStores += Costs[V];
    }
  for (auto [G, V] : zip(Offered, Copies))
    if (InCut[V])
      Result.Copies.push_back(&G);
  return Result;
}

/// The loads that the verso takes from rows.
SmallVector<LoadInst *, 4> Residuals::rowsNeeded(const Cut &C) {
  SmallVector<LoadInst *, 4> Result;
  SmallSetVector<Instruction *, 32> Known;
  auto Need = [&](Instruction *I) {
    if (!isCarried(*I) && !is_contained(C.Values, I))
      Known.insert(I);
  };
  for (Instruction *I : Needed)
    Need(I);
  for (unsigned K = 0; K != Known.size(); ++K) {
    auto From = ingredients(*Known[K]);
    if (Rows.contains(Known[K])) {
      if (!replayOf(*Known[K]))
        Result.push_back(cast<LoadInst>(Known[K]));
    } else if (From)
      for (Value *Op : *From)
        if (Instruction *V = asResidual(Op))
          Need(V);
  }
  return Result;
}

/// Copies memory where that is cheaper than to record what is read of it. Rows
/// are cheaper than columns, but a copy is written once.
bool Residuals::takeSnapshots(const Cut &Without) {
  SmallVector<LoadInst *, 16> Loads;
  for (LoadInst *Load : Without.Loads)
    if (!Shadows.isOurs(Load) && !Shadows.primalOf(Load) && !S.owns(*Load) &&
        !replayOf(*Load))
      Loads.push_back(Load);
  auto Offered = Copied.groupsOf(Loads);
  // One load that reads every number once: a column is as good.
  erase_if(Offered, [&](const Snapshots::Group &G) {
    return G.size() < 2 &&
           Snapshots::depthOf(G) == LI.getLoopDepth(G[0].Load->getParent());
  });
  bool Any = false;
  for (const Snapshots::Group &G : Copied.groupsOf(rowsNeeded(Without)))
    if (all_of(G,
               [&](const Snapshots::Stream &Each) {
                 return Each.Nest->contains(Rows.lookup(Each.Load));
               }) &&
        Copied.take(G)) {
      Any = true;
      for (const Snapshots::Stream &Each : G)
        Rows.erase(Each.Load);
    }
  if (!Offered.empty())
    for (const Snapshots::Group *G :
         minimalCut(/*AreUndone=*/false, Offered).Copies)
      Any |= Copied.take(*G);
  if (!Any)
    return false;
  UsesArena = true;
  for (auto [Copy, Load] : Copied.copies())
    Originals[Copy] = Load;
  return true;
}

/// Of the loads that would be recorded, those that can be repeated, wherever
/// the verso may need them, if stores are undone.
void Residuals::findUndoable() {
  constexpr size_t MostUses = 1 << 16;
  using Position = UndoneStores::Position;
  SetVector<std::pair<Instruction *, Position>> Uses;
  auto Need = [&](Value *V, Position P) {
    if (Instruction *I = asResidual(V); I && LI.getLoopFor(I->getParent()))
      Uses.insert({I, P});
  };
  Undone->forEachUse(Need);
  for (size_t K = 0; K != Uses.size(); ++K) {
    if (Uses.size() > MostUses)
      return Undoable.clear();
    auto [I, P] = Uses[K];
    auto From = ingredients(*I);
    auto *Load = dyn_cast<LoadInst>(I);
    if (!From && Load && !Shadows.isOurs(Load) && !Shadows.primalOf(Load) &&
        !S.owns(*Load)) {
      ArrayRef<StoreInst *> Stores = Undone->overwriting(*Load);
      if (Stores.empty())
        continue;
      From = {Load->getPointerOperand()};
      Undoable.insert({Load, SmallVector<StoreInst *, 4>(Stores)});
      for (StoreInst *Store : Stores)
        Need(Store->getPointerOperand(), Undone->positionOf(*Store));
    }
    if (const HandedBack::Value *Back = Handed.of(*I)) {
      // It is needed where it is handed back.
      Need(Back->Phi, Undone->endOf(*Handed.endOfIteration(*Back)));
      for (const BasicBlock *Entry : Handed.entries(*Back->Phi))
        Need(Back->Last, Undone->endOf(*Entry));
    } else if (From) {
      for (Value *Op : *From)
        Need(Op, P);
    }
  }
  // What is read where the program keeps it stays there.
  DenseMap<StoreInst *, bool> Stays;
  auto MustStay = [&](StoreInst *Store) {
    auto [It, New] = Stays.try_emplace(Store, false);
    if (New)
      It->second = any_of(Stored, [&](auto &Each) {
        return Each.second && Memory.mayMeet(*Store, *Each.second);
      });
    return It->second;
  };
  SmallPtrSet<const Instruction *, 8> Wrong;
  for (auto &[I, P] : Uses)
    if (auto It = Undoable.find(I);
        It != Undoable.end() &&
        any_of(It->second, [&, I = I, P = P](StoreInst *Store) {
          return MustStay(Store) ||
                 Undone->mayLieBetween(*cast<LoadInst>(I), *Store, P);
        }))
      Wrong.insert(I);
  Undoable.remove_if([&](auto &Each) { return Wrong.contains(Each.first); });
}

/// Undoes stores if that is cheaper than \p Without, which becomes what is left
/// to record.
void Residuals::undoStores(Cut &Without) {
  if (!Undone || !Without.Cost || (Replayed && Replayed->any()))
    return;
  findUndoable();
  if (Undoable.empty())
    return;
  Undone->logByLoop(true);
  Cut First = minimalCut();
  if (!Undone->mayLogByLoop(First.Stores)) {
    Undone->logByLoop(false);
    First = minimalCut();
  }
  if (First.Stores.empty() || !Undone->mayUndoAll(First.Stores))
    return Undoable.clear();
  // Their addresses are needed, too.
  Undoable.remove_if([&](auto &Each) {
    return any_of(Each.second, [&](StoreInst *Store) {
      return !is_contained(First.Stores, Store);
    });
  });
  auto Before = Needed;
  for (StoreInst *Store : First.Stores)
    if (Instruction *P = asResidual(Store->getPointerOperand()))
      Needed.insert(P);
  Cut With = minimalCut(/*AreUndone=*/true);
  uint64_t Same = 0;
  for (Instruction *I : With.Values)
    if (is_contained(Without.Values, I))
      Same += costOf(*I);
  // What is copied is copied twice.
  if (With.Cost + First.CostOfStores - Same > (Without.Cost - Same) / 4 * 3) {
    Needed = Before;
    return Undoable.clear();
  }
  Without = With;
  for (StoreInst *Store : First.Stores)
    Without.Overwritten.push_back(Undone->undo(*Store));
}

/// Runs iterations again, of loops in which something would be recorded.
void Residuals::replay() {
  if (!Replayed)
    return;
  Replays::Values Recorded;
  for (Instruction *I : minimalCut().Values)
    Recorded.insert(I);
  for (auto [Row, Around] : Rows)
    Recorded.insert(Row);
  if (!Replayed->choose(Recorded, Needed))
    return;
  // What was found out was true of the recto alone.
  Rows.clear();
  Stored.clear();
  Columns.clear();
  Verso.insert(R.blocks().begin(), R.blocks().end());
  Needed.clear();
  collectNeeds();
  for (auto [Copy, Original] : Replayed->accesses())
    Reloads.push_back(Copy), Originals[Copy] = Original;
}

/// Hands back what the iterations of loops hand on, unless that takes more.
void Residuals::handBack() {
  SmallSetVector<Instruction *, 32> Known;
  auto Need = [&](Value *V) {
    if (Instruction *I = asResidual(V); I && !isCarried(*I))
      Known.insert(I);
  };
  for (Instruction *I : Needed)
    Need(I);
  for (unsigned K = 0; K != Known.size(); ++K)
    if (auto From = ingredients(*Known[K]))
      for (Value *Op : *From)
        Need(Op);
  const uint64_t Without = minimalCut().Cost;
  for (Instruction *I : Known)
    if (auto *Phi = dyn_cast<PHINode>(I); Phi && !replayOf(*Phi))
      Handed.add(
          *Phi, [&](Instruction &Source) { return Known.contains(&Source); },
          [&](Instruction &Source) { return ingredients(Source).has_value(); });
  if (!Handed.empty() && minimalCut().Cost > Without)
    Handed.clear();
  for (Instruction *I : Known)
    if (Handed.of(*I))
      Rows.erase(I);
}

/// Loops around others are no vectors, and one with many columns has not enough
/// registers for their addresses: there the columns are one, of records.
void Residuals::findRecords(ArrayRef<Instruction *> Recorded) {
  constexpr unsigned MostColumns = 16;
  MapVector<Place, unsigned> Count;
  for (Instruction *I : Recorded)
    ++Count[placeOf(*I)];
  for (auto [P, N] : Count) {
    auto [L, Repeats, Branch] = P;
    if (N > (L->isInnermost() ? MostColumns : 1) && !Repeats && !isShared(*L))
      keepRecords(columnsOf(P));
  }
}

void Residuals::decide() {
  replay();
  handBack();
  Cut Best = minimalCut();
  if (takeSnapshots(Best))
    Best = minimalCut();
  undoStores(Best);
  findBranches(Best.Values);
  findRecords(Best.Values);
  for (Instruction *I : Best.Values)
    record(*I);
  for (LoadInst *Old : Best.Overwritten)
    if (LI.getLoopFor(Old->getParent()))
      record(*Old);
    else
      carryOver(*Old);
}
