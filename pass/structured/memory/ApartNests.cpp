//===- ApartNests.cpp - nests whose pointers a check tells apart ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/ApartNests.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"

#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

#include <numeric>

using namespace llvm;
using namespace verso;

ApartNests::ApartNests(LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE,
                       AAResults &AA, const TargetLibraryInfo *TLI)
    : LI(LI), DT(DT), SE(SE), AA(AA), TLI(TLI),
      Later(LI, DT, SE, this->AA, TLI) {
  this->AA.enableCrossIterationMode();
  for (Loop *L : LI)
    find(*L);
  MDBuilder MDB(DT.getRoot()->getContext());
  MDNode *Domain = MDB.createAnonymousAliasScopeDomain(NestDomain);
  for (auto [N, Each] : enumerate(Nests))
    for (auto [G, Of] : enumerate(Each.Groups)) {
      for (Instruction *I : Of.Members)
        Places[I] = {unsigned(N), unsigned(G)};
      Of.Scope = MDB.createAnonymousAliasScope(Domain);
      if (Of.Rows)
        for (LoadInst *Row : Of.Rows->Loads)
          Row->setMetadata(RowMark, Of.Scope);
    }
}

bool ApartNests::hasForm(const Loop &L) const {
  constexpr size_t MaxInstructions = 2000;
  size_t Count = 0;
  for (const BasicBlock *Block : L.blocks())
    Count += Block->size();
  return Count <= MaxInstructions && L.isLoopSimplifyForm() &&
         L.getExitBlock() && L.getExitingBlock() == L.getLoopLatch() &&
         L.isSafeToClone();
}

/// {a,+,b} in more bits; equal to that in fewer as far as these go. What is not
/// negative where \p L begins is extended as LLVM extends it elsewhere in L, so
/// that two addresses of a row have a constant difference.
static const SCEV *inType(const SCEV *S, Type *T, const Loop &L,
                          ScalarEvolution &SE) {
  auto *E = dyn_cast<SCEVAddRecExpr>(S);
  if (!E)
    return SE.isLoopInvariant(S, &L) &&
                   SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_SGE, S,
                                               SE.getZero(S->getType()))
               ? SE.getZeroExtendExpr(S, T)
               : SE.getSignExtendExpr(S, T);
  SmallVector<const SCEV *, 2> Parts;
  for (const SCEV *Part : E->operands())
    Parts.push_back(inType(Part, T, L, SE));
  return SE.getAddRecExpr(Parts, E->getLoop(), SCEV::FlagAnyWrap);
}

static const SCEVIntegralCastExpr *extendedEvolution(const SCEV *S,
                                                     const Loop &L) {
  auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S);
  auto *E = Cast && !isa<SCEVTruncateExpr>(Cast)
                ? dyn_cast<SCEVAddRecExpr>(Cast->getOperand())
                : nullptr;
  return E && E->isAffine() && L.contains(E->getLoop()) &&
                 Cast->getType()->isIntegerTy(64)
             ? Cast
             : nullptr;
}

/// \p S with what it extends in 64 bits, which the test has to make sure of.
const SCEV *ApartNests::widened(Nest &N, const SCEV *S) {
  struct Rewriter : SCEVRewriteVisitor<Rewriter> {
    Rewriter(ScalarEvolution &SE, Nest &N) : SCEVRewriteVisitor(SE), N(N) {}
    const SCEV *visitCast(const SCEVIntegralCastExpr *Cast) {
      if (!extendedEvolution(Cast, *N.L))
        return Cast;
      const SCEV *&Wide = N.Wide[Cast];
      if (!Wide)
        Wide = inType(Cast->getOperand(), Cast->getType(), *N.L, SE);
      return Wide;
    }
    const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *S) {
      return visitCast(S);
    }
    const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *S) {
      return visitCast(S);
    }
    Nest &N;
  };
  return Rewriter(SE, N).visit(S);
}

/// Whether AddressRanges can tell bounds where \p L begins, as far as that is
/// seen without emitting them.
bool ApartNests::isBounded(const SCEV *Offset, const Loop &L) {
  return !SCEVExprContains(Offset, [&](const SCEV *Part) {
    if (auto *Number = dyn_cast<SCEVUnknown>(Part))
      return !SE.isLoopInvariant(Number, &L);
    auto *E = dyn_cast<SCEVAddRecExpr>(Part);
    return isa<SCEVCouldNotCompute>(Part) ||
           (E && L.contains(E->getLoop()) &&
            (!E->isAffine() ||
             isa<SCEVCouldNotCompute>(
                 SE.getSymbolicMaxBackedgeTakenCount(E->getLoop()))));
  });
}

ApartNests::Group *ApartNests::groupOf(Nest &N, Value *Base) {
  auto G = find_if(N.Groups,
                   [&](const Group &G) { return G.Base == Base && !G.Rows; });
  if (G != N.Groups.end())
    return &*G;
  N.Groups.push_back({Base, {}, {}, std::nullopt, {}, nullptr});
  return &N.Groups.back();
}

/// Whether \p I is run in every iteration of every loop of \p In around it.
bool ApartNests::isAlwaysRun(const Instruction &I, const Loop &In) const {
  const BasicBlock *Block = I.getParent();
  for (const Loop *L = LI.getLoopFor(Block);; L = L->getParentLoop()) {
    const BasicBlock *Latch = L->getLoopLatch();
    if (!Latch || !DT.dominates(Block, Latch))
      return false;
    if (L == &In)
      return true;
    Block = L->getHeader();
  }
}

/// Whether nothing is \p Such between \p From and the end of \p Block, which
/// \p From dominates.
static bool noneBetween(const Instruction &From, const BasicBlock &Block,
                        function_ref<bool(const Instruction &)> Such) {
  SmallSetVector<const BasicBlock *, 16> Between;
  Between.insert(&Block);
  for (size_t K = 0; K != Between.size(); ++K) {
    const BasicBlock *Each = Between[K];
    const bool IsFirst = Each == From.getParent();
    if (any_of(
            make_range(IsFirst ? std::next(From.getIterator()) : Each->begin(),
                       Each->end()),
            Such))
      return false;
    if (!IsFirst)
      Between.insert(pred_begin(Each), pred_end(Each));
  }
  return true;
}

static bool mayFree(const Instruction &I, const TargetLibraryInfo *TLI) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) &&
         !Call->hasFnAttr(Attribute::NoFree) && !Call->onlyReadsMemory() &&
         !Call->onlyAccessesInaccessibleMemory() &&
         modelCall(*Call, TLI).K != CallModel::Operation;
}

/// The last load of what \p Load reads, one place \p Cell, that is always made
/// before \p In; null if there is none.
LoadInst *ApartNests::loadBefore(const LoadInst &Load, const SCEV *Cell,
                                 const Loop &In) {
  auto ReadsIt = [&](Instruction &I) {
    auto *Other = dyn_cast<LoadInst>(&I);
    return Other && Other->isSimple() && Other->getType() == Load.getType() &&
           SE.getSCEV(Other->getPointerOperand()) == Cell;
  };
  for (const DomTreeNode *Node = DT.getNode(In.getLoopPreheader()); Node;
       Node = Node->getIDom())
    for (Instruction &I : reverse(*Node->getBlock()))
      if (ReadsIt(I))
        return cast<LoadInst>(&I);
  return nullptr;
}

/// \p Base, or if it is loaded from one place what is loaded there where \p N
/// begins: a pointer in a structure, which LLVM has not moved out of the nest.
/// Null if \p Base is not the same whenever it is used, or it is not certain
/// that it can be loaded there.
Value *ApartNests::sameInNest(Nest &N, const SCEVUnknown *Base) {
  if (SE.isLoopInvariant(Base, N.L))
    return Base->getValue();
  auto *Load = dyn_cast<LoadInst>(Base->getValue());
  if (!Load || !N.L->contains(Load) || !Load->isSimple())
    return nullptr;
  const SCEV *Cell = SE.getSCEV(Load->getPointerOperand());
  if (!SE.isLoopInvariant(Cell, N.L))
    return nullptr;
  auto Known = N.Cells.find(Cell);
  if (Known == N.Cells.end()) {
    BasicBlock &Begin = *N.L->getLoopPreheader();
    LoadInst *Before = loadBefore(*Load, Cell, *N.L);
    auto MayFree = [&](const Instruction &I) { return mayFree(I, TLI); };
    auto MayWrite = [](const Instruction &I) { return I.mayWriteToMemory(); };
    if (!isAlwaysRun(*Load, *N.L) &&
        !(Before && noneBetween(*Before, Begin, MayFree)) &&
        !isSafeToLoadUnconditionally(Load->getPointerOperand(), Load->getType(),
                                     Load->getAlign(), Load->getDataLayout(),
                                     Begin.getTerminator(), nullptr, &DT, TLI))
      return nullptr;
    const bool IsBefore = Before && noneBetween(*Before, Begin, MayWrite);
    Known = N.Cells.insert({Cell, IsBefore ? Before : Load}).first;
  }
  return Known->second;
}

/// Whether each of the places that \p Offset may be is come to by \p I: loops
/// of which each makes as many iterations whenever it is entered. Those around
/// \p In are in some iteration: how many they make does not matter.
bool ApartNests::isExact(const SCEV *Offset, const Instruction &I,
                         const Loop &In) const {
  const Instruction *Begin = In.getLoopPreheader()->getTerminator();
  SCEVExpander Expander = compat::scevExpander(SE, "exact");
  // Of what is not, AddressRanges tells bounds only.
  auto IsKnown = [&](const SCEV *S) {
    return SE.isLoopInvariant(S, &In) &&
           !SCEVExprContains(S,
                             [&](const SCEV *Part) {
                               auto *E = dyn_cast<SCEVAddRecExpr>(Part);
                               return E && !E->getLoop()->contains(&In);
                             }) &&
           Expander.isSafeToExpandAt(S, Begin);
  };
  while (auto *E = dyn_cast<SCEVAddRecExpr>(Offset)) {
    const Loop *L = E->getLoop();
    if (!In.contains(L))
      break;
    const SCEV *Count = SE.getBackedgeTakenCount(L);
    if (!L->contains(&I) || !E->isAffine() || isa<SCEVCouldNotCompute>(Count) ||
        !IsKnown(Count) || !IsKnown(E->getStepRecurrence(SE)))
      return false;
    Offset = E->getStart();
  }
  return IsKnown(Offset);
}

/// The rows of which \p Row is the pointer; null if the nest does not load it
/// from a table that is known where the nest begins.
ApartNests::Group *ApartNests::groupOfRows(Nest &N, LoadInst &Row) {
  if (!N.L->contains(&Row) || !Row.isSimple() ||
      Row.getPointerAddressSpace() != 0)
    return nullptr;
  const SCEV *Address = SE.getSCEV(Row.getPointerOperand());
  auto *Unknown = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  Value *Base = Unknown ? sameInNest(N, Unknown) : nullptr;
  if (!Base)
    return nullptr;
  const SCEV *Offset = widened(N, SE.removePointerBase(Address));
  if (!isBounded(Offset, *N.L))
    return nullptr;
  // Where all loops are in their first iterations, and from there.
  APInt First(64, 0);
  const SCEV *Steps = Offset;
  if (auto *C = dyn_cast<SCEVConstant>(Offset)) {
    First = C->getAPInt();
    Steps = SE.getZero(Offset->getType());
  } else if (auto *E = dyn_cast<SCEVAddRecExpr>(Offset)) {
    const SCEV *Start = E;
    while (auto *Outer = dyn_cast<SCEVAddRecExpr>(Start))
      Start = Outer->getStart();
    if (auto *C = dyn_cast<SCEVConstant>(Start))
      First = C->getAPInt();
    else if (auto *Sum = dyn_cast<SCEVAddExpr>(Start))
      if (auto *C = dyn_cast<SCEVConstant>(Sum->getOperand(0)))
        First = C->getAPInt();
    Steps = SE.getMinusSCEV(Offset, SE.getConstant(First));
  }
  const int64_t Phase = First.getSExtValue();
  const uint64_t Pointer = sizeof(void *);
  const bool IsOne = Steps->isZero();
  uint64_t Stride = IsOne ? 0 : SE.getConstantMultiple(Steps).getZExtValue();
  if (!IsOne && (Stride < Pointer || !isInt<32>(Stride)))
    return nullptr;
  auto Belongs = [&](const Group &G) {
    if (!G.Rows || G.Base != Base)
      return false;
    // One pointer is among those of any stride that come to it.
    uint64_t Common = std::gcd(Stride, G.Rows->Stride);
    int64_t Apart = Phase - int64_t(G.Rows->Phase);
    return Common ? Apart % int64_t(Common) == 0 : Apart == 0;
  };
  auto G = find_if(N.Groups, Belongs);
  if (G == N.Groups.end()) {
    N.Groups.push_back({Base, {}, {}, Table(), {}, nullptr});
    G = std::prev(N.Groups.end());
    G->Rows->Phase = Phase;
  }
  G->Rows->Stride = std::gcd(G->Rows->Stride, Stride);
  G->Rows->Pointers.At.insert(
      {Offset, SE.getConstant(Type::getInt64Ty(Row.getContext()), Pointer)});
  G->Rows->Loads.push_back(&Row);
  G->Rows->IsRead =
      G->Rows->IsRead && isAlwaysRun(Row, *N.L) && isExact(Offset, Row, *N.L);
  return &*G;
}

/// False if nothing is known of what \p I comes to.
bool ApartNests::add(Nest &N, Instruction &I) {
  constexpr unsigned MaxGroups = 16, MaxOffsets = 128;
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Store = dyn_cast<StoreInst>(&I);
  auto *Set = dyn_cast<MemSetInst>(&I);
  if (!Load && !Store && !Set) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && isa<IntrinsicInst>(Call) &&
        cast<IntrinsicInst>(Call)->isAssumeLikeIntrinsic())
      return !isa<NoAliasScopeDeclInst>(Call);
    return Call && modelCall(*Call, TLI).K == CallModel::Operation &&
           none_of(Call->args(),
                   [](const Use &U) { return U->getType()->isPointerTy(); });
  }
  if (Load ? !Load->isSimple()
      : Store
          ? !Store->isSimple()
          : Set->isVolatile() || !Set->getLength()->getType()->isIntegerTy(64))
    return false;
  const SCEV *Address =
      SE.getSCEV(Set ? Set->getRawDest() : getLoadStorePointerOperand(&I));
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base)
    return false;
  const SCEV *Offset = widened(N, SE.removePointerBase(Address));
  TypeSize Size =
      Set ? TypeSize::getFixed(0)
          : I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  if (Size.isScalable())
    return false;
  const SCEV *Bytes =
      Set ? widened(N, SE.getSCEV(Set->getLength()))
          : SE.getConstant(Type::getInt64Ty(I.getContext()), Size);
  if (!isBounded(Offset, *N.L) || !isBounded(Bytes, *N.L))
    return false;
  auto *Row = dyn_cast<LoadInst>(Base->getValue());
  Value *Same = sameInNest(N, Base);
  Group *G = Same ? groupOf(N, Same) : Row ? groupOfRows(N, *Row) : nullptr;
  if (!G)
    return false;
  G->Members.push_back(&I);
  G->What.At.insert({Offset, Bytes});
  if (Store || Set)
    G->Written.push_back({Offset, Bytes});
  (Store || Set ? G->What.IsWritten : G->What.IsRead) = true;
  return N.Groups.size() <= MaxGroups && G->What.At.size() <= MaxOffsets;
}

/// Whether the tables and cells of \p N stay as they are, if groups that are to
/// be told apart are: what is stored through their own pointers is elsewhere.
bool ApartNests::keepsPointers(const Nest &N) const {
  auto MayWrite = [&](const Value *Base, const SCEV *Offset) {
    return any_of(N.Groups, [&](const Group &G) {
      return G.Base == Base && !G.Rows && any_of(G.Written, [&](const auto &W) {
               auto *Apart = dyn_cast_or_null<SCEVConstant>(
                   Offset ? SE.getMinusSCEV(W.first, Offset) : nullptr);
               auto *Bytes = dyn_cast<SCEVConstant>(W.second);
               return !Apart || !Bytes ||
                      (Apart->getAPInt().slt(sizeof(void *)) &&
                       (Apart->getAPInt() + Bytes->getAPInt()).sgt(0));
             });
    });
  };
  for (auto [Cell, First] : N.Cells) {
    auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Cell));
    if (!Base || MayWrite(Base->getValue(), SE.removePointerBase(Cell)))
      return false;
  }
  return none_of(N.Groups, [&](const Group &G) {
    return G.Rows && MayWrite(G.Base, nullptr);
  });
}

bool ApartNests::collect(Nest &N) {
  bool StoresPointers = false;
  for (BasicBlock *Block : N.L->blocks())
    for (Instruction &I : *Block) {
      if (I.mayReadOrWriteMemory() && !add(N, I))
        return false;
      auto *Store = dyn_cast<StoreInst>(&I);
      StoresPointers |=
          Store && Store->getValueOperand()->getType()->isPointerTy();
    }
  // Shadows of pointers are stored, too.
  bool HasRows =
      any_of(N.Groups, [](const Group &G) { return G.Rows.has_value(); });
  return !(StoresPointers && (HasRows || !N.Cells.empty())) && keepsPointers(N);
}

/// The outermost nests of which all is known.
void ApartNests::find(Loop &L) {
  constexpr size_t MaxNests = 32;
  Nest N{&L, {}, {}, {}, {}, {}};
  if (!hasForm(L) || !collect(N)) {
    for (Loop *Inner : L)
      find(*Inner);
    return;
  }
  auto IsWithin = [&](const Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return I && L.contains(I);
  };
  for (unsigned P = 0; P != N.Groups.size(); ++P)
    for (unsigned Q = 0; Q != P; ++Q) {
      const Group &A = N.Groups[P], &B = N.Groups[Q];
      if ((A.What.IsWritten || B.What.IsWritten) &&
          (A.Rows || B.Rows || IsWithin(A.Base) || IsWithin(B.Base) ||
           !compat::isSoundAcrossIterations(A.Base) ||
           AA.alias(MemoryLocation::getBeforeOrAfter(A.Base),
                    MemoryLocation::getBeforeOrAfter(B.Base)) !=
               AliasResult::NoAlias))
        N.Pairs.push_back({Q, P});
    }
  for (Group &G : N.Groups)
    G.MayLast = !G.Rows && !G.What.IsWritten && !IsWithin(G.Base) &&
                Later.mayBeApart(G.Base, L);
  bool AnyLasts = any_of(N.Groups, [](const Group &G) { return G.MayLast; });
  if ((AnyLasts || !N.Pairs.empty()) && Nests.size() < MaxNests)
    Nests.push_back(std::move(N));
}

bool ApartNests::areApart(Place P, Place Q) const {
  return P.Nest == Q.Nest &&
         is_contained(Nests[P.Nest].Pairs, std::pair<unsigned, unsigned>(
                                               std::minmax(P.Group, Q.Group)));
}

void ApartNests::findRepeatable(Unchanged &Memory) {
  for (auto [I, Mine] : Places) {
    auto *Load = dyn_cast<LoadInst>(I);
    const Loop &L = *Nests[Mine.Nest].L;
    // What was hoisted since is repeated already.
    if (!Load || !L.contains(Load))
      continue;
    if (mayLast(Nests[Mine.Nest].Groups[Mine.Group], *Load))
      Nests[Mine.Nest].Repeatable.insert(Load);
    if (Memory.isUnchangedWithin(*Load, L))
      continue;
    auto IsApart = [&](Instruction *W) {
      auto Its = Places.find(W);
      auto *Store = dyn_cast<StoreInst>(W);
      return (Its != Places.end() && areApart(Mine, Its->second)) ||
             (Store &&
              (Memory.ranges().wouldBeApartWithin(*Load, *Store, L) ||
               Memory.ranges().wouldNeverBeOverwritten(*Load, *Store, L)));
    };
    if (all_of(Memory.writesIn(L, *Load), IsApart))
      Nests[Mine.Nest].Repeatable.insert(Load);
  }
}

SmallVector<unsigned, 4>
ApartNests::gaining(const Unchanged &Memory,
                    ArrayRef<Instruction *> Recorded) const {
  SmallVector<unsigned, 4> Result;
  for (unsigned N = 0; N != Nests.size(); ++N)
    if (countIn({N}, Recorded) &&
        any_of(Memory.known(), [&](const auto &Known) {
          return Known.second && Nests[N].Repeatable.contains(Known.first);
        }))
      Result.push_back(N);
  return Result;
}

size_t ApartNests::countIn(ArrayRef<unsigned> Which,
                           ArrayRef<Instruction *> Recorded) const {
  return count_if(Recorded, [&](const Instruction *I) {
    return any_of(Which, [&](unsigned N) { return Nests[N].L->contains(I); });
  });
}
