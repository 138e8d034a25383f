//===- ApartNests.cpp - nests whose pointers a check tells apart ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/ApartNests.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"
#include "emit/VersionLoop.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral DomainName = "verso.nest";

//===----------------------------------------------------------------------===//
// Which nests
//===----------------------------------------------------------------------===//

ApartNests::ApartNests(LoopInfo &LI, ScalarEvolution &SE, AAResults &AA,
                       const TargetLibraryInfo *TLI)
    : LI(LI), SE(SE), AA(AA), TLI(TLI) {
  this->AA.enableCrossIterationMode();
  for (Loop *L : LI)
    find(*L);
  for (auto [N, Each] : enumerate(Nests))
    for (auto [G, Of] : enumerate(Each.Groups))
      for (Instruction *I : Of.Members)
        Places[I] = {unsigned(N), unsigned(G)};
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

/// False if nothing is known of what \p I comes to.
bool ApartNests::add(Nest &N, Instruction &I) {
  constexpr unsigned MaxGroups = 16, MaxOffsets = 128;
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Load && !Store) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && isa<IntrinsicInst>(Call) &&
        cast<IntrinsicInst>(Call)->isAssumeLikeIntrinsic())
      return !isa<NoAliasScopeDeclInst>(Call);
    return Call && modelCall(*Call, TLI).K == CallModel::Operation &&
           none_of(Call->args(),
                   [](const Use &U) { return U->getType()->isPointerTy(); });
  }
  if (Load ? !Load->isSimple() : !Store->isSimple())
    return false;
  const SCEV *Address = SE.getSCEV(getLoadStorePointerOperand(&I));
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base || !SE.isLoopInvariant(Base, N.L))
    return false;
  const SCEV *Offset = widened(N, SE.removePointerBase(Address));
  TypeSize Bytes = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  if (Bytes.isScalable() || !isBounded(Offset, *N.L))
    return false;
  auto G = find_if(N.Groups,
                   [&](const Group &G) { return G.Base == Base->getValue(); });
  if (G == N.Groups.end()) {
    N.Groups.push_back({Base->getValue(), {}, {}});
    G = std::prev(N.Groups.end());
  }
  G->Members.push_back(&I);
  G->What.At.insert(
      {Offset, SE.getConstant(Type::getInt64Ty(I.getContext()), Bytes)});
  (Store ? G->What.IsWritten : G->What.IsRead) = true;
  return N.Groups.size() <= MaxGroups && G->What.At.size() <= MaxOffsets;
}

bool ApartNests::collect(Nest &N) {
  for (BasicBlock *Block : N.L->blocks())
    for (Instruction &I : *Block)
      if (I.mayReadOrWriteMemory() && !add(N, I))
        return false;
  return true;
}

/// The outermost nests of which all is known.
void ApartNests::find(Loop &L) {
  constexpr size_t MaxNests = 16;
  Nest N{&L, {}, {}, {}, {}};
  if (!hasForm(L) || !collect(N)) {
    for (Loop *Inner : L)
      find(*Inner);
    return;
  }
  for (unsigned P = 0; P != N.Groups.size(); ++P)
    for (unsigned Q = 0; Q != P; ++Q) {
      const Group &A = N.Groups[P], &B = N.Groups[Q];
      if ((A.What.IsWritten || B.What.IsWritten) &&
          (!compat::isSoundAcrossIterations(A.Base) ||
           AA.alias(MemoryLocation::getBeforeOrAfter(A.Base),
                    MemoryLocation::getBeforeOrAfter(B.Base)) !=
               AliasResult::NoAlias))
        N.Pairs.push_back({Q, P});
    }
  if (!N.Pairs.empty() && Nests.size() < MaxNests)
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
    if (!Load || !L.contains(Load) || Memory.isUnchangedWithin(*Load, L))
      continue;
    auto IsApart = [&](Instruction *W) {
      auto Its = Places.find(W);
      auto *Store = dyn_cast<StoreInst>(W);
      return (Its != Places.end() && areApart(Mine, Its->second)) ||
             (Store && Memory.ranges().areApartWithin(*Load, *Store, L));
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

//===----------------------------------------------------------------------===//
// Two versions
//===----------------------------------------------------------------------===//

/// Whether all that has to be told apart is, before the nest; null if that
/// cannot be computed.
Value *ApartNests::emitTest(const Nest &N, Versioned &As) {
  AddressRanges Bounds(SE, N.L->getLoopPreheader()->getTerminator());
  IRBuilder<> &B = Bounds.builder();
  Value *Test = B.getTrue();
  SmallVector<Interval, 8> Ranges;
  for (const Group &G : N.Groups) {
    std::optional<Interval> Offsets = ArgumentAccesses::offsets(G.What, Bounds);
    if (!Offsets)
      return nullptr;
    As.Groups.push_back({G.Base, Offsets->Low, Offsets->High});
    Ranges.push_back(Bounds.addresses(G.Base, *Offsets));
    Test = B.CreateAnd(Test, Bounds.areAddresses(Ranges.back()));
  }
  for (auto [Cast, Wide] : N.Wide) {
    std::optional<Interval> I = Bounds.interval(Wide);
    if (!I)
      return nullptr;
    const SCEV *Narrow = cast<SCEVIntegralCastExpr>(Cast)->getOperand();
    unsigned Bits = SE.getTypeSizeInBits(Narrow->getType());
    bool IsSigned = isa<SCEVSignExtendExpr>(Cast);
    APInt Least = IsSigned ? APInt::getSignedMinValue(Bits).sext(128)
                           : APInt::getZero(128);
    APInt Most = IsSigned ? APInt::getSignedMaxValue(Bits).sext(128)
                          : APInt::getMaxValue(Bits).zext(128);
    Test = B.CreateAnd(Test, B.CreateICmpSGE(I->Low, B.getInt(Least)));
    Test = B.CreateAnd(Test, B.CreateICmpSLE(I->High, B.getInt(Most)));
  }
  for (auto [P, Q] : N.Pairs)
    Test = B.CreateAnd(Test, Bounds.areApart(Ranges[P], Ranges[Q]));
  return Test;
}

/// Replaces extensions by what they are where the test held.
void ApartNests::useWide(const Nest &N) {
  if (N.Wide.empty())
    return;
  SmallVector<std::pair<Instruction *, const SCEV *>, 8> Found;
  for (BasicBlock *Block : N.L->blocks())
    for (Instruction &I : *Block)
      if (I.getType()->isIntegerTy(64) && !isa<PHINode>(I))
        if (auto It = N.Wide.find(SE.getSCEV(&I)); It != N.Wide.end())
          Found.push_back({&I, It->second});
  SCEVExpander Expander = compat::scevExpander(SE, "wide");
  for (auto [I, Wide] : Found) {
    Value *V = Expander.expandCodeFor(Wide, I->getType(), I->getIterator());
    SE.forgetValue(I);
    I->replaceAllUsesWith(V);
  }
  for (auto [I, Wide] : Found)
    RecursivelyDeleteTriviallyDeadInstructions(I);
  SE.forgetLoop(N.L);
}

static void addScopes(Instruction &I, unsigned Kind,
                      ArrayRef<Metadata *> More) {
  I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind),
                                          MDNode::get(I.getContext(), More)));
}

void ApartNests::annotate(const Nest &N, Versioned &As) const {
  LLVMContext &C = N.L->getHeader()->getContext();
  MDBuilder MDB(C);
  MDNode *Domain = MDB.createAnonymousAliasScopeDomain(DomainName);
  SmallVector<Metadata *, 8> Scopes;
  IRBuilder<> B(N.L->getLoopPreheader()->getTerminator());
  for (size_t K = 0; K != N.Groups.size(); ++K) {
    Scopes.push_back(MDB.createAnonymousAliasScope(Domain));
    B.CreateNoAliasScopeDeclaration(MDNode::get(C, {Scopes.back()}));
    As.Groups[K].Scope = Scopes.back();
  }
  for (auto [K, G] : enumerate(N.Groups)) {
    SmallVector<Metadata *, 8> Others;
    for (auto [P, Q] : N.Pairs)
      if (P == K || Q == K)
        Others.push_back(Scopes[P == K ? Q : P]);
    for (Instruction *I : G.Members) {
      addScopes(*I, LLVMContext::MD_alias_scope, {Scopes[K]});
      if (!Others.empty())
        addScopes(*I, LLVMContext::MD_noalias, Others);
    }
  }
}

void ApartNests::version(ArrayRef<unsigned> Which, DominatorTree &DT) {
  for (unsigned K : Which) {
    const Nest &N = Nests[K];
    formLCSSARecursively(*N.L, DT, &LI, &SE);
    Versioned As{N.L, {}};
    Value *Test = emitTest(N, As);
    if (!Test)
      continue;
    ValueToValueMapTy Map;
    versionLoop(*N.L, Test, ".close", Map, LI, DT, SE);
    useWide(N);
    annotate(N, As);
    Twice.push_back(std::move(As));
  }
}

//===----------------------------------------------------------------------===//
// Shadows
//===----------------------------------------------------------------------===//

ApartNests::ByGroup ApartNests::reverseOf(const Versioned &Of,
                                          const Adjoints &A,
                                          const VariedMemory &V,
                                          const Reversal &Reversed) const {
  auto GroupOf = [&](const Instruction &I) -> std::optional<unsigned> {
    if (MDNode *List = I.getMetadata(LLVMContext::MD_alias_scope))
      for (auto [K, G] : enumerate(Of.Groups))
        if (is_contained(List->operands(), G.Scope) && V.isShadowed(G.Base))
          return K;
    return std::nullopt;
  };
  ByGroup Found;
  for (const Adjoints::Access &Access : A.accesses()) {
    const BasicBlock *Recto = Reversed.rectoOf(Access.I->getParent());
    if (!Recto || !Of.L->contains(Recto))
      continue;
    auto By = find_if(*Recto, [&](const Instruction &I) {
      return getLoadStorePointerOperand(&I) == Access.Pointer && GroupOf(I);
    });
    if (By != Recto->end())
      Found[*GroupOf(*By)].Accesses.push_back(Access.I);
  }
  for (const Adjoints::Loss &Loss : A.losses()) {
    auto *Store = dyn_cast<StoreInst>(Loss.At);
    auto *Lacks = dyn_cast<ICmpInst>(Loss.Condition);
    if (!Store || !Lacks || !Of.L->contains(Store) ||
        Lacks->getPredicate() != ICmpInst::ICMP_EQ ||
        Lacks->getOperand(1) != Store->getPointerOperand())
      continue;
    if (std::optional<unsigned> K = GroupOf(*Store))
      Found[*K].Fails.push_back(Lacks);
  }
  return Found;
}

/// Adds to the check that a nest begins with. False, and nothing is added, if
/// not all is known there.
bool ApartNests::addToTest(const Versioned &Of, const ByGroup &Found,
                           ShadowPointers &Shadows, Reversal &Reversed) {
  const DominatorTree &DT = Reversed.dominatorTree();
  BasicBlock *Check = Of.L->getLoopPreheader()->getSinglePredecessor();
  auto *Branch = Check ? dyn_cast<BranchInst>(Check->getTerminator()) : nullptr;
  if (!Branch || !Branch->isConditional() ||
      Branch->getSuccessor(0) != Of.L->getLoopPreheader())
    return false;
  auto IsThere = [&](const Value *V) {
    auto *I = dyn_cast_or_null<Instruction>(V);
    return I ? DT.dominates(I, Branch) : V != nullptr;
  };
  SmallVector<Value *, 8> From;
  for (const auto &[K, Group] : Found) {
    const Reached &G = Of.Groups[K];
    if (!IsThere(G.Base) || !IsThere(G.Low) || !IsThere(G.High))
      return false;
    Value *Shadow = Shadows.get(G.Base);
    if (!IsThere(Shadow))
      return false;
    From.push_back(Shadow);
  }
  // What was known when the nests were found is out of date.
  AddressRanges Bounds(Reversed.scalarEvolution(), Branch);
  IRBuilder<> &B = Bounds.builder();
  Value *Old = Branch->getCondition(), *Test = Old;
  SmallVector<Interval, 8> Ranges;
  for (auto [Shadow, Each] : zip(From, Found)) {
    const Reached &G = Of.Groups[Each.first];
    Interval I = Bounds.addresses(Shadow, {G.Low, G.High});
    Test = B.CreateAnd(Test, Bounds.areAddresses(I));
    if (!Each.second.Fails.empty())
      Test = B.CreateAnd(Test, B.CreateICmpNE(Shadow, G.Base));
    for (Interval J : Ranges)
      Test = B.CreateAnd(Test, Bounds.areApart(I, J));
    Ranges.push_back(I);
  }
  // The program's branch, and the one that reverses it.
  Test = B.CreateFreeze(Test);
  Old->replaceUsesWithIf(
      Test, [](const Use &U) { return isa<BranchInst>(U.getUser()); });
  return true;
}

void ApartNests::tellShadowsApart(const Adjoints &A, const VariedMemory &V,
                                  ShadowPointers &Shadows, Reversal &Reversed) {
  for (Versioned &Of : Twice) {
    ByGroup Found = reverseOf(Of, A, V, Reversed);
    // Where its last iteration begins to be reversed.
    const BasicBlock *Exit = Of.L->getExitBlock();
    auto Begins = find_if(Reversed.blocks(), [&](const BasicBlock *Verso) {
      return Exit && Reversed.rectoOf(Verso) == Exit && Verso->getTerminator();
    });
    if (Found.size() < 2 || Begins == Reversed.blocks().end() ||
        !addToTest(Of, Found, Shadows, Reversed))
      continue;
    LLVMContext &C = (*Begins)->getContext();
    MDBuilder MDB(C);
    MDNode *Domain = MDB.createAnonymousAliasScopeDomain(DomainName);
    IRBuilder<> B((*Begins)->getTerminator());
    SmallVector<Metadata *, 8> Scopes;
    for (size_t K = 0; K != Found.size(); ++K) {
      Scopes.push_back(MDB.createAnonymousAliasScope(Domain));
      B.CreateNoAliasScopeDeclaration(MDNode::get(C, {Scopes.back()}));
    }
    for (auto [K, Group] : enumerate(Found)) {
      SmallVector<Metadata *, 8> Others = Scopes;
      Others.erase(Others.begin() + K);
      for (Instruction *I : Group.second.Accesses) {
        addScopes(*I, LLVMContext::MD_alias_scope, {Scopes[K]});
        addScopes(*I, LLVMContext::MD_noalias, Others);
      }
      // Never; others hold on to the comparison.
      for (ICmpInst *Lacks : Group.second.Fails) {
        Lacks->setPredicate(ICmpInst::ICMP_NE);
        Lacks->setOperand(1, Lacks->getOperand(0));
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// What is left of the scopes
//===----------------------------------------------------------------------===//

static bool isOfNest(const Metadata *Scope) {
  const MDNode *Domain = AliasScopeNode(cast<MDNode>(Scope)).getDomain();
  if (!Domain)
    return false;
  for (const MDOperand &Op : Domain->operands())
    if (auto *Name = dyn_cast<MDString>(Op))
      return Name->getString() == DomainName;
  return false;
}

void verso::dropScopesOutsideNests(Function &F) {
  DenseMap<const Metadata *, const Instruction *> Declared;
  for (Instruction &I : instructions(F))
    if (auto *Scope = dyn_cast<NoAliasScopeDeclInst>(&I))
      for (const MDOperand &Op : Scope->getScopeList()->operands())
        if (isOfNest(Op)) {
          auto [It, IsNew] = Declared.insert({Op.get(), &I});
          if (!IsNew)
            It->second = nullptr;
        }
  DominatorTree DT(F);
  LoopInfo LI(DT);
  for (Instruction &I : instructions(F))
    for (unsigned Kind :
         {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias}) {
      MDNode *List = I.getMetadata(Kind);
      if (!List)
        continue;
      SmallVector<Metadata *, 8> Kept;
      for (const MDOperand &Op : List->operands()) {
        const Instruction *At = Declared.lookup(Op);
        const Loop *Around = At ? LI.getLoopFor(At->getParent()) : nullptr;
        if (!isOfNest(Op) ||
            (At && DT.dominates(At, &I) && (!Around || Around->contains(&I))))
          Kept.push_back(Op);
      }
      if (Kept.size() != List->getNumOperands())
        I.setMetadata(Kind, Kept.empty() ? nullptr
                                         : MDNode::get(F.getContext(), Kept));
    }
}
