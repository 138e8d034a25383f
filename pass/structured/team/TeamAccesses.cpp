//===- TeamAccesses.cpp - which iterations meet in a cell -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/team/TeamAccesses.h"

#include "emit/Runtime.h"
#include "prepare/Worksharing.h"
#include "structured/AliasScopes.h"
#include "structured/loops/SumOrder.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// Whether the memory is the function's own: a local variable or its shadow, or
/// a column; or what an iteration finds the address of in such. Blocks of the
/// program's that lie in the arena are not, as long as the access says that it
/// is one to the program's memory or its adjoints.
bool TeamAccesses::isOwn(const Instruction &I, const Value *Pointer) const {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(Objects, [&](const Value *Object) {
    if (isa<AllocaInst>(Object))
      return true;
    if (auto *Load = dyn_cast<LoadInst>(Object))
      return L.contains(Load) && isOwn(*Load, Load->getPointerOperand());
    auto *Block = dyn_cast<CallBase>(Object);
    return Block && takesOfArena(*Block) &&
           !AliasScopes::isMarked(I, AliasScopes::Program) &&
           !AliasScopes::isMarked(I, AliasScopes::Adjoint);
  });
}

static constexpr StringLiteral OfStored = "verso.of.stored";

void verso::markOfStored(Instruction &I) {
  I.setMetadata(OfStored, MDNode::get(I.getContext(), {}));
}

/// Whether \p I hands a sum of the cell at \p Cell on: in a loop as long as
/// that is the same cell.
static bool handsOn(const Instruction &I, const SCEV *Cell, const LoopInfo &LI,
                    ScalarEvolution &SE) {
  if (!isa<PHINode>(I))
    return false;
  const Loop *Around = LI.getLoopFor(I.getParent());
  return !Around || Around->getHeader() != I.getParent() ||
         SE.isLoopInvariant(Cell, Around);
}

/// The load of the cell at \p Cell that sums, in loops as well, lead to \p Sum.
static LoadInst *addedTo(Value *Sum, const SCEV *Cell, const LoopInfo &LI,
                         ScalarEvolution &SE, SmallPtrSetImpl<Value *> &Seen) {
  auto *I = dyn_cast<Instruction>(Sum);
  if (!I || !Seen.insert(I).second)
    return nullptr;
  if (auto *Load = dyn_cast<LoadInst>(I))
    return SE.getSCEV(Load->getPointerOperand()) == Cell ? Load : nullptr;
  for (Value *Op : I->operands())
    if (handsOn(*I, Cell, LI, SE) || isAddedTo(*I, *Op))
      if (LoadInst *Load = addedTo(Op, Cell, LI, SE, Seen))
        return Load;
  return nullptr;
}

/// Whether sums, and stores to the cell, are all that is made of \p V.
static bool leadsToCell(Value &V, const SCEV *Cell, const LoopInfo &LI,
                        ScalarEvolution &SE, SmallPtrSetImpl<Value *> &Seen) {
  if (!Seen.insert(&V).second)
    return true;
  return all_of(V.users(), [&](User *U) {
    auto *I = cast<Instruction>(U);
    if (auto *Store = dyn_cast<StoreInst>(I))
      return Store->getValueOperand() == &V &&
             SE.getSCEV(Store->getPointerOperand()) == Cell;
    return (handsOn(*I, Cell, LI, SE) || isAddedTo(*I, V)) &&
           leadsToCell(*I, Cell, LI, SE, Seen);
  });
}

/// The load that \p Store adds to, if the sum is all that is made of it.
std::optional<CellAddition> TeamAccesses::additionAt(StoreInst &Store) const {
  const SCEV *Cell = SE.getSCEV(Store.getPointerOperand());
  SmallPtrSet<Value *, 8> Seen, Led;
  LoadInst *Load = addedTo(Store.getValueOperand(), Cell, LI, SE, Seen);
  if (!Load || !L.contains(Load) || !leadsToCell(*Load, Cell, LI, SE, Led))
    return std::nullopt;
  return CellAddition{Load, &Store};
}

/// Whether the iteration clears the cell, or reads it for what it stored there:
/// then it is the only one that touches it.
bool TeamAccesses::isOfStored(const StoreInst &Store) const {
  const SCEV *Cell = SE.getSCEV(const_cast<Value *>(Store.getPointerOperand()));
  return any_of(OfStoredCells, [&](Instruction *Known) {
    return Known->getParent() == Store.getParent() &&
           SE.getSCEV(getLoadStorePointerOperand(Known)) == Cell;
  });
}

bool TeamAccesses::noteAccess(Instruction &I, const Value *Pointer) {
  auto *P = const_cast<Value *>(Pointer);
  if (!isOwn(I, Pointer))
    return true;
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(SE.getSCEV(P)));
  if (!Base)
    return refuse(
        "it is not known where its iterations keep what is their own");
  Type *T = getLoadStoreType(&I);
  Own[Base->getValue()] |= I.mayWriteToMemory();
  OwnAccesses.push_back(
      {P, I.getDataLayout().getTypeStoreSize(T).getFixedValue()});
  return true;
}

/// In the verso calls are of the mathematical library, or end the program.
bool TeamAccesses::noteCall(CallBase &Call) {
  if (auto *Bulk = dyn_cast<MemIntrinsic>(&Call)) {
    auto *Transfer = dyn_cast<MemTransferInst>(Bulk);
    if (isOwn(Call, Bulk->getRawDest()) ||
        (Transfer && isOwn(Call, Transfer->getRawSource())))
      return refuse("blocks of memory are copied from or to where an iteration "
                    "keeps what is its own");
    if (isReversed(L))
      Seeing.push_back(Bulk);
    return true;
  }
  if (isa<IntrinsicInst>(Call) || Call.onlyReadsMemory() ||
      calls(Call, RuntimeFunction::Fail))
    return true;
  const Function *Callee = Call.getCalledFunction();
  bool IsLibrary = Callee && Callee->isDeclaration() &&
                   !isa<InvokeInst>(Call) &&
                   !Callee->getName().starts_with("__verso_") &&
                   !Callee->getName().starts_with("verso_");
  if (!IsLibrary)
    return refuse(Callee && Callee->getName().starts_with("__verso_arena")
                      ? "it is not known before the loop how much its "
                        "iterations record"
                      : "an iteration calls what only one thread may");
  for (Value *V : Call.args())
    if (V->getType()->isPointerTy() && isOwn(Call, V))
      return refuse("a library function is given what an iteration keeps");
  return true;
}

bool TeamAccesses::note(Instruction &I) {
  if (I.isAtomic() || I.isVolatile())
    return refuse("an iteration accesses memory that threads agree on");
  if (auto *Call = dyn_cast<CallBase>(&I))
    return noteCall(*Call);
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (isReversed(L) && !AliasScopes::isMarked(I, AliasScopes::Program))
      Seeing.push_back(Load);
    return noteAccess(I, Load->getPointerOperand());
  }
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store)
    return !I.mayWriteToMemory() ||
           refuse("an iteration writes memory in an unknown way");
  // What is behind a pointer that is loaded is the program's.
  Value *Stored = Store->getValueOperand();
  if (Stored->getType()->isPointerTy() && isOwn(I, Stored))
    return refuse("an iteration keeps the address of what is its own");
  if (isOwn(I, Store->getPointerOperand()))
    return noteAccess(I, Store->getPointerOperand());
  // The recto only stores what the program does.
  if (!isReversed(L) || AliasScopes::isMarked(I, AliasScopes::Program))
    return true;
  if (isOfStored(*Store)) {
    Seeing.push_back(Store);
    return true;
  }
  std::optional<CellAddition> A = additionAt(*Store);
  auto *Base = dyn_cast<SCEVUnknown>(
      SE.getPointerBase(SE.getSCEV(Store->getPointerOperand())));
  if (!A || !Base)
    return refuse("it is not known what cells an iteration adds to");
  Added[Base->getValue()].push_back(*A);
  return true;
}

/// An offset with the inductions of loops inside \p L at their ends; what is
/// left changes with L alone.
const SCEV *TeamAccesses::extreme(const SCEV *S, bool Most) const {
  while (true) {
    auto *Evolution = dyn_cast<SCEVAddRecExpr>(S);
    if (!Evolution || Evolution->getLoop() == &L)
      return S;
    const Loop *Inner = Evolution->getLoop();
    if (!L.contains(Inner))
      return S;
    const SCEV *Count = SE.getBackedgeTakenCount(Inner);
    if (!Evolution->isAffine() || isa<SCEVCouldNotCompute>(Count))
      return nullptr;
    const SCEV *Step = Evolution->getStepRecurrence(SE);
    Count = SE.getTruncateOrZeroExtend(Count, Evolution->getType());
    if (SE.isKnownNonNegative(Step) || SE.isKnownNonPositive(Step)) {
      bool AtEnd = SE.isKnownNonNegative(Step) == Most;
      S = AtEnd ? Evolution->evaluateAtIteration(Count, SE)
                : Evolution->getStart();
      continue;
    }
    const SCEV *Way = SE.getMulExpr(Step, Count);
    if (!SE.isLoopInvariant(Way, &L))
      return nullptr;
    const SCEV *Zero = SE.getZero(Way->getType());
    S = SE.getAddExpr(Evolution->getStart(), Most ? SE.getSMaxExpr(Zero, Way)
                                                  : SE.getSMinExpr(Zero, Way));
  }
}

std::optional<TeamAccesses::Span> TeamAccesses::spanOf(Value *Pointer,
                                                       uint64_t Bytes) const {
  const SCEV *P = SE.getSCEV(Pointer);
  const SCEV *Base = SE.getPointerBase(P);
  auto *Known = dyn_cast<SCEVUnknown>(Base);
  if (!Known || !SE.isLoopInvariant(Base, &L))
    return std::nullopt;
  const SCEV *Offset = SE.getMinusSCEV(P, Base);
  if (isa<SCEVCouldNotCompute>(Offset))
    return std::nullopt;
  const SCEV *Least = extreme(Offset, /*Most=*/false),
             *Most = extreme(Offset, /*Most=*/true);
  if (!Least || !Most)
    return std::nullopt;
  Most = SE.getAddExpr(Most, SE.getConstant(Offset->getType(), Bytes));
  const SCEV *Count = SE.getTruncateOrZeroExtend(SE.getBackedgeTakenCount(&L),
                                                 Offset->getType());
  // At the first iteration, at the last, and how far one is from the next.
  struct End {
    const SCEV *First, *Last, *Step;
  };
  auto EndOf = [&](const SCEV *S) -> std::optional<End> {
    if (SE.isLoopInvariant(S, &L))
      return End{S, S, SE.getZero(S->getType())};
    auto *Evolution = dyn_cast<SCEVAddRecExpr>(S);
    if (!Evolution || Evolution->getLoop() != &L || !Evolution->isAffine() ||
        !SE.isLoopInvariant(Evolution->getStart(), &L))
      return std::nullopt;
    return End{Evolution->getStart(), Evolution->evaluateAtIteration(Count, SE),
               Evolution->getStepRecurrence(SE)};
  };
  std::optional<End> Low = EndOf(Least), High = EndOf(Most);
  if (!Low || !High)
    return std::nullopt;
  return Span{Known->getValue(),
              Low->First,
              High->First,
              Low->Step == High->Step ? Low->Step : nullptr,
              SE.getSMinExpr(Low->First, Low->Last),
              SE.getSMaxExpr(High->First, High->Last)};
}

/// A variable of the iteration, or a column that lasts as long: what is left in
/// it matters to nobody, and only the loop uses it. (What another variable is
/// left with may matter when the loop is run again.)
bool TeamAccesses::addLocal(Value *Base) {
  auto *Variable = dyn_cast<Instruction>(Base);
  auto *Local = dyn_cast<AllocaInst>(Base);
  auto *Block = dyn_cast<CallBase>(Base);
  if (Local ? !Local->isStaticAlloca()
            : !Block || !calls(*Block, RuntimeFunction::ArenaTake) ||
                  L.contains(Block))
    return false;
  const bool IsVariable = Local && isOfIteration(*Local);
  TeamCells C{TeamCells::Local, Base};
  SmallSetVector<Instruction *, 8> Work;
  Work.insert(Variable);
  for (size_t K = 0; K != Work.size(); ++K)
    for (User *U : Work[K]->users()) {
      auto *I = cast<Instruction>(U);
      if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
        if (!L.contains(GEP) && !GEP->hasAllConstantIndices())
          return false;
        Work.insert(GEP);
        C.Addresses.insert(GEP);
        continue;
      }
      if (auto *Marker = dyn_cast<IntrinsicInst>(I);
          Marker && Marker->isLifetimeStartOrEnd())
        continue;
      if (L.contains(I) && getLoadStorePointerOperand(I) == Work[K] &&
          (IsVariable || AliasScopes::isMarked(*I, AliasScopes::Column)))
        continue;
      auto *Clear = dyn_cast<MemSetInst>(I);
      auto *By = Clear ? dyn_cast<ConstantInt>(Clear->getValue()) : nullptr;
      if (!By || !By->isZero() || L.contains(Clear) || Work[K] != Variable)
        return false;
      C.IsCleared = true;
    }
  // A pointer to it is no content of a cell.
  for (Instruction *Address : Work)
    for (User *U : Address->users())
      if (auto *Store = dyn_cast<StoreInst>(U);
          Store && Store->getValueOperand() == Address)
        return false;
  Cells.push_back(C);
  return true;
}

/// What the function has for itself: every iteration at another place.
bool TeamAccesses::addOwn(Value *Base) {
  TeamCells Together{TeamCells::Apart, Base};
  for (auto [Pointer, Bytes] : OwnAccesses) {
    if (SE.getPointerBase(SE.getSCEV(Pointer)) != SE.getSCEV(Base))
      continue;
    std::optional<Span> S = spanOf(Pointer, Bytes);
    if (!S || !S->Step || S->Step->isZero() ||
        (Together.Step && Together.Step != S->Step))
      return refuse("iterations may meet in what the function keeps");
    Together.First =
        Together.Step ? SE.getSMinExpr(Together.First, S->First) : S->First;
    Together.End =
        Together.Step ? SE.getSMaxExpr(Together.End, S->End) : S->End;
    Together.Step = S->Step;
  }
  if (!Together.Step)
    return refuse("iterations may meet in what the function keeps");
  Cells.push_back(Together);
  return true;
}

bool TeamAccesses::addAdded(Value *Base, ArrayRef<CellAddition> Additions) {
  TeamCells C{TeamCells::Moving, Base};
  for (const CellAddition &A : Additions) {
    Type *T = A.Load->getType();
    std::optional<Span> S =
        spanOf(A.Store->getPointerOperand(),
               A.Store->getDataLayout().getTypeStoreSize(T).getFixedValue());
    if ((!T->isDoubleTy() && !T->isFloatTy()) || (C.Number && C.Number != T))
      return refuse("an iteration adds to cells of several kinds");
    C.Number = T;
    if (!S || C.How == TeamCells::Atomic) {
      C.How = TeamCells::Atomic;
      C.Additions.push_back(A);
      continue;
    }
    bool IsFirst = C.Additions.empty();
    C.First = IsFirst ? S->First : SE.getSMinExpr(C.First, S->First);
    C.End = IsFirst ? S->End : SE.getSMaxExpr(C.End, S->End);
    C.LeastOffset =
        IsFirst ? S->Least : SE.getSMinExpr(C.LeastOffset, S->Least);
    C.EndOffset = IsFirst ? S->Most : SE.getSMaxExpr(C.EndOffset, S->Most);
    C.Step = IsFirst || C.Step == S->Step ? S->Step : nullptr;
    C.Additions.push_back(A);
  }
  if (C.How == TeamCells::Moving && (!C.Step || C.Step->isZero()))
    C.How = mayBeSeen(C) ? TeamCells::Atomic : TeamCells::Private;
  Cells.push_back(C);
  return true;
}

/// Whether what is added to by one pointer is never what is by the other.
bool TeamAccesses::areApart(const TeamCells &A, const TeamCells &C) const {
  auto Anywhere = [](const CellAddition &Each) {
    return MemoryLocation::getBeforeOrAfter(Each.Store->getPointerOperand(),
                                            Each.Store->getAAMetadata());
  };
  return all_of(A.Additions, [&](const CellAddition &X) {
    return all_of(C.Additions, [&](const CellAddition &Y) {
      return AA.isNoAlias(Anywhere(X), Anywhere(Y));
    });
  });
}

/// Whether an iteration may look at private cells otherwise than by adding to
/// them. Where that is asked when the loop is entered, it is noted.
bool TeamAccesses::mayBeSeen(const TeamCells &C) {
  SmallPtrSet<const Instruction *, 8> Added;
  for (const CellAddition &A : C.Additions)
    Added.insert({A.Load, A.Store});
  SmallVector<TeamCells, 4> Asked;
  for (Instruction *I : Seeing) {
    if (Added.contains(I))
      continue;
    auto *Bulk = dyn_cast<MemIntrinsic>(I);
    Value *Pointer = Bulk ? Bulk->getRawDest()
                          : const_cast<Value *>(getLoadStorePointerOperand(I));
    if (isOwn(*I, Pointer))
      continue;
    MemoryLocation There =
        MemoryLocation::getBeforeOrAfter(Pointer, I->getAAMetadata());
    if (all_of(C.Additions, [&](const CellAddition &A) {
          return AA.isNoAlias(There, MemoryLocation::getBeforeOrAfter(
                                         A.Store->getPointerOperand(),
                                         A.Store->getAAMetadata()));
        }))
      continue;
    std::optional<Span> S;
    if (!Bulk)
      S = spanOf(Pointer, I->getDataLayout()
                              .getTypeStoreSize(getLoadStoreType(I))
                              .getFixedValue());
    if (!S || S->Base == C.Base)
      return true;
    TeamCells Seen{TeamCells::Seen, S->Base};
    Seen.LeastOffset = S->Least;
    Seen.EndOffset = S->Most;
    Asked.push_back(Seen);
  }
  append_range(Cells, Asked);
  return false;
}

/// Cells that may be among those of which nothing is known are such themselves.
bool TeamAccesses::makeAtomic() {
  SmallVector<TeamCells *, 4> Work;
  for (TeamCells &C : Cells)
    if (C.How == TeamCells::Atomic)
      Work.push_back(&C);
  while (!Work.empty()) {
    TeamCells &Known = *Work.pop_back_val();
    SmallPtrSet<LoadInst *, 4> Loads;
    for (const CellAddition &A : Known.Additions) {
      if (!Loads.insert(A.Load).second)
        return refuse("an iteration adds to one cell at several places");
      if (A.Store->getAlign() <
          A.Store->getDataLayout().getABITypeAlign(A.Load->getType()))
        return refuse("an iteration adds to cells that are not aligned");
    }
    for (TeamCells &C : Cells)
      if ((C.How == TeamCells::Moving || C.How == TeamCells::Private) &&
          !areApart(Known, C)) {
        C.How = TeamCells::Atomic;
        Work.push_back(&C);
      }
  }
  return true;
}

bool TeamAccesses::find() {
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      auto *Store = dyn_cast<StoreInst>(&I);
      auto *Cleared =
          Store ? dyn_cast<Constant>(Store->getValueOperand()) : nullptr;
      if (I.hasMetadata(OfStored) || (Cleared && Cleared->isZeroValue()))
        OfStoredCells.push_back(&I);
    }
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (!note(I))
        return false;
  for (auto [Base, IsWritten] : Own)
    if (IsWritten && !addLocal(Base) && !addOwn(Base))
      return false;
  for (auto &[Base, Additions] : Added)
    if (!addAdded(Base, Additions))
      return false;
  return makeAtomic();
}
