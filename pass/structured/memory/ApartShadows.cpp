//===- ApartShadows.cpp - shadows that a nest's check tells apart ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/ApartNests.h"
#include "structured/memory/ApartSpans.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace verso;

/// The load from \p Table of the pointer to the row that \p Row is in, or that
/// row if it is not null; null if it is not loaded from there.
static LoadInst *rowOfTable(Value *Row, const Value *Table) {
  Value *Of = getUnderlyingObject(Row);
  if (auto *Select = dyn_cast<SelectInst>(Of))
    Of = isa<LoadInst>(Select->getFalseValue()) ? Select->getFalseValue()
                                                : Select->getTrueValue();
  auto *Load = dyn_cast<LoadInst>(Of);
  return Load && getUnderlyingObject(Load->getPointerOperand()) ==
                     getUnderlyingObject(Table)
             ? Load
             : nullptr;
}

/// \p U if it asks whether \p Shadow is \p Primal; none: whether it is null.
static void addComparison(SmallVectorImpl<ICmpInst *> &Comparisons, User *U,
                          const Value *Shadow, const Value *Primal) {
  auto *Equal = dyn_cast<ICmpInst>(U);
  if (Equal && Equal->getPredicate() == ICmpInst::ICMP_EQ &&
      Equal->getOperand(0) == Shadow &&
      (Primal ? Equal->getOperand(1) == Primal
              : isa<ConstantPointerNull>(Equal->getOperand(1))) &&
      !is_contained(Comparisons, Equal))
    Comparisons.push_back(Equal);
}

ApartNests::ByGroup ApartNests::reverseOf(const Versioned &Of,
                                          const Adjoints &A,
                                          const VariedMemory &V,
                                          ShadowPointers &Shadows,
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
    if (By == Recto->end())
      continue;
    const unsigned K = *GroupOf(*By);
    if (Of.Groups[K].Rows) {
      Value *Shadow = Shadows.get(Access.Pointer);
      LoadInst *Row = rowOfTable(Shadow, Shadows.get(Of.Groups[K].Base));
      if (!Row)
        return {};
      // Each row is asked whether it has a shadow.
      for (User *U : Access.Pointer->users())
        addComparison(Found[K].Lacks, U, Shadow, Access.Pointer);
      for (User *U : Row->users())
        addComparison(Found[K].Lacks, U, Row, nullptr);
    }
    Found[K].Accesses.push_back(Access.I);
  }
  for (const Adjoints::Loss &Loss : A.losses()) {
    auto *Store = dyn_cast<StoreInst>(Loss.At);
    auto *Lacks = dyn_cast<ICmpInst>(Loss.Condition);
    if (!Store || !Lacks || !Of.L->contains(Store) ||
        Lacks->getPredicate() != ICmpInst::ICMP_EQ ||
        Lacks->getOperand(1) != Store->getPointerOperand())
      continue;
    if (std::optional<unsigned> K = GroupOf(*Store))
      Found[*K].Lacks.push_back(Lacks);
  }
  return Found;
}

/// Adds to the check that a nest begins with. False, and nothing is added, if
/// not all is known there.
bool ApartNests::addToTest(const Versioned &Of, ByGroup &Found,
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
    if (!IsThere(G.Base) || !IsThere(G.Low) || !IsThere(G.High) ||
        (G.Rows && (!IsThere(G.Rows->Low) || !IsThere(G.Rows->High))))
      return false;
    Value *Shadow = Shadows.get(G.Base);
    if (!IsThere(Shadow))
      return false;
    From.push_back(Shadow);
  }
  // What was known when the nests were found is out of date.
  AddressRanges Bounds(Reversed.scalarEvolution(), Branch,
                       Of.Groups.front().Low->getType()->getIntegerBitWidth());
  IRBuilder<> &B = Bounds.builder();
  Value *Old = Branch->getCondition();
  ApartTest T(Bounds, Old);
  SmallVector<Span, 8> Spans;
  SmallVector<std::pair<unsigned, unsigned>, 16> Pairs;
  auto AddSpan = [&](const Span &S, unsigned Others) {
    for (unsigned K = 0; K != Others; ++K)
      Pairs.push_back({K, unsigned(Spans.size())});
    Spans.push_back(S);
  };
  for (auto [Shadow, Each] : zip(From, Found)) {
    const Reached &G = Of.Groups[Each.first];
    if (!Each.second.Lacks.empty() && !G.Rows)
      T.add(B.CreateICmpNE(Shadow, G.Base));
    AddSpan(G.Rows ? T.rows(Shadow, {G.Rows->Low, G.Rows->High}, G.Rows->Stride,
                            G.Rows->IsRead, {G.Low, G.High})
                   : T.range(Shadow, {G.Low, G.High}),
            Spans.size());
  }
  for (auto [K, Shadow, Each] : enumerate(From, Found)) {
    const Reached &G = Of.Groups[Each.first];
    if (!G.Rows)
      continue;
    // The table stays as it is, and every row has a shadow.
    AddSpan(T.range(Shadow, {G.Rows->Low, G.Rows->High}), Found.size());
    Pairs.push_back({K, unsigned(Spans.size())});
    AddSpan(T.rows(G.Base, {G.Rows->Low, G.Rows->High}, G.Rows->Stride,
                   G.Rows->CanBeRead, {G.Low, G.High}),
            0);
    // Of a table of pairs, say, both are known or none is.
    if (all_of(enumerate(Of.Groups), [&](const auto &Other) {
          return !Other.value().Rows || Other.value().Base != G.Base ||
                 Found.count(Other.index());
        }))
      Each.second.Table = Shadow;
  }
  T.addApart(Spans, Pairs);
  Value *Test = T.result();
  // The program's branch, and the one that reverses it.
  Test = B.CreateFreeze(Test);
  Old->replaceUsesWithIf(
      Test, [](const Use &U) { return isa<BranchInst>(U.getUser()); });
  return true;
}

void ApartNests::tellShadowsApart(const Adjoints &A, const VariedMemory &V,
                                  ShadowPointers &Shadows, Reversal &Reversed) {
  for (Versioned &Of : Twice) {
    ByGroup Found = reverseOf(Of, A, V, Shadows, Reversed);
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
    MDNode *Domain = MDB.createAnonymousAliasScopeDomain(NestDomain);
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
      if (Group.second.Table)
        Of.Tables.push_back({Group.second.Table, Scopes});
      // Never; others hold on to the comparison.
      for (ICmpInst *Lacks : Group.second.Lacks) {
        Lacks->setPredicate(ICmpInst::ICMP_NE);
        Lacks->setOperand(1, Lacks->getOperand(0));
      }
    }
  }
}

void ApartNests::tellTablesApart(Function &F) const {
  for (const Versioned &Of : Twice)
    for (const auto &[Table, Scopes] : Of.Tables)
      for (Instruction &I : instructions(F))
        if (auto *Load = dyn_cast<LoadInst>(&I);
            Table && Load && Load->getType()->isPointerTy() &&
            getUnderlyingObject(Load->getPointerOperand()) ==
                getUnderlyingObject(Table))
          addScopes(*Load, LLVMContext::MD_noalias, Scopes);
}
