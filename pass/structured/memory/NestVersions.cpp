//===- NestVersions.cpp - nests of which there are two versions -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ApartNests.cpp found is tested before the nest; where the test holds,
// the version runs whose accesses say what is apart.
//
//===----------------------------------------------------------------------===//

#include "LLVMCompat.h"
#include "emit/VersionLoop.h"
#include "structured/memory/ApartNests.h"
#include "structured/memory/ApartSpans.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Two versions
//===----------------------------------------------------------------------===//

/// Whether \p I, a load of \p G, is as it was in the verso if what G reads is
/// apart from all that is written. Integers of the library's own (errno) are
/// changed by functions that are not among the writes.
bool ApartNests::mayLast(const Group &G, const Instruction &I) const {
  Type *T = I.getType();
  return G.MayLast && (isa<Argument>(G.Base) || !T->isIntegerTy() ||
                       T->getIntegerBitWidth() > 32);
}

void ApartNests::emitWritten(const Nest &N, Versioned &As) {
  for (const Group &G : N.Groups) {
    As.Groups.push_back({G.Base, nullptr, nullptr});
    if (G.MayLast)
      if (auto Written = Later.emit(G.Base, *N.L))
        As.Groups.back().Apart = std::move(*Written);
  }
}

/// Whether all that has to be told apart is, before the nest; null if that
/// cannot be computed.
Value *ApartNests::emitTest(const Nest &N, Versioned &As) {
  // What is asked again and again is to take as little time as a row does.
  AddressRanges Bounds(SE, N.L->getLoopPreheader()->getTerminator(),
                       N.L->isOutermost() ? 128 : 64);
  IRBuilder<> &B = Bounds.builder();
  SCEVExpander Expander = compat::scevExpander(SE, "cell");
  for (auto [Cell, First] : N.Cells) {
    if (!Expander.isSafeToExpandAt(Cell, &*B.GetInsertPoint()))
      return nullptr;
    if (!N.L->contains(First)) {
      As.Loaded[First] = First;
      continue;
    }
    Value *At =
        Expander.expandCodeFor(Cell, Cell->getType(), B.GetInsertPoint());
    auto *Load = cast<LoadInst>(B.Insert(First->clone()));
    Load->setOperand(0, At);
    As.Loaded[First] = Load;
  }
  ApartTest T(Bounds, B.getTrue());
  SmallVector<Span, 8> Spans;
  for (auto [G, Of] : zip(N.Groups, As.Groups)) {
    std::optional<Interval> Offsets = ArgumentAccesses::offsets(G.What, Bounds);
    if (!Offsets)
      return nullptr;
    Value *Loaded = As.Loaded.lookup(G.Base);
    Value *Base = Loaded ? Loaded : G.Base;
    Of.Base = Base;
    Of.Low = Offsets->Low;
    Of.High = Offsets->High;
    if (!G.Rows) {
      Spans.push_back(T.range(Base, *Offsets));
      continue;
    }
    auto Pointers = ArgumentAccesses::offsets(G.Rows->Pointers, Bounds);
    if (!Pointers)
      return nullptr;
    const uint64_t Stride = std::max(G.Rows->Stride, sizeof(void *));
    Spans.push_back(T.rows(Base, *Pointers, Stride, G.Rows->IsRead, *Offsets));
    Value *Steps = B.CreateSub(
        Pointers->Low,
        ConstantInt::getSigned(Pointers->Low->getType(), G.Rows->Phase));
    T.add(B.CreateIsNull(
        B.CreateSRem(Steps, ConstantInt::get(Steps->getType(), Stride))));
    Of.Rows = {Pointers->Low, Pointers->High, Stride, G.Rows->IsRead};
  }
  for (auto [Cast, As64] : N.Wide) {
    std::optional<Interval> I = Bounds.interval(As64);
    if (!I)
      return nullptr;
    const SCEV *Narrow = cast<SCEVIntegralCastExpr>(Cast)->getOperand();
    unsigned Bits = SE.getTypeSizeInBits(Narrow->getType());
    bool IsSigned = isa<SCEVSignExtendExpr>(Cast);
    const unsigned Wide = Bounds.bits();
    APInt Least = IsSigned ? APInt::getSignedMinValue(Bits).sext(Wide)
                           : APInt::getZero(Wide);
    APInt Most = IsSigned ? APInt::getSignedMaxValue(Bits).sext(Wide)
                          : APInt::getMaxValue(Bits).zext(Wide);
    T.add(B.CreateICmpSGE(I->Low, B.getInt(Least)));
    T.add(B.CreateICmpSLE(I->High, B.getInt(Most)));
  }
  // What is apart from all that is written is so from what the nest writes.
  SmallVector<std::pair<unsigned, unsigned>, 16> Pairs;
  copy_if(N.Pairs, std::back_inserter(Pairs), [&](const auto &P) {
    return As.Groups[P.first].Apart.empty() &&
           As.Groups[P.second].Apart.empty();
  });
  for (auto [S, Of] : zip(Spans, As.Groups))
    for (const Interval &Written : Of.Apart)
      T.add(Bounds.areApart(S.Range, Bounds.extended(Written)));
  T.addApart(Spans, Pairs);
  for (auto [G, S, Of] : zip(N.Groups, Spans, As.Groups)) {
    if (!G.Rows)
      continue;
    if (G.What.IsWritten)
      T.addDistinct(S);
    Of.Rows->CanBeRead = S.IsRead;
  }
  return T.result();
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

/// Pointers that are the same in all of the nest are loaded before it.
void ApartNests::useCells(const Nest &N, const Versioned &As) {
  for (BasicBlock *Block : N.L->blocks())
    for (Instruction &I : *Block) {
      auto *Load = dyn_cast<LoadInst>(&I);
      auto It = Load && Load->getType()->isPointerTy()
                    ? N.Cells.find(SE.getSCEV(Load->getPointerOperand()))
                    : N.Cells.end();
      if (It == N.Cells.end())
        continue;
      SE.forgetValue(Load);
      Load->replaceAllUsesWith(As.Loaded.lookup(It->second));
    }
  if (!N.Cells.empty())
    SE.forgetLoop(N.L);
}

void verso::addScopes(Instruction &I, unsigned Kind,
                      ArrayRef<Metadata *> More) {
  I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind),
                                          MDNode::get(I.getContext(), More)));
}

void ApartNests::annotate(const Nest &N, Versioned &As) const {
  LLVMContext &C = N.L->getHeader()->getContext();
  SmallVector<Metadata *, 8> Scopes;
  IRBuilder<> B(N.L->getLoopPreheader()->getTerminator());
  for (size_t K = 0; K != N.Groups.size(); ++K) {
    Scopes.push_back(N.Groups[K].Scope);
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

void ApartNests::version(ArrayRef<unsigned> Which) {
  SmallVector<Versioned, 4> All;
  for (unsigned K : Which) {
    All.emplace_back().L = Nests[K].L;
    emitWritten(Nests[K], All.back());
  }
  for (auto [K, As] : zip(Which, All)) {
    const Nest &N = Nests[K];
    formLCSSARecursively(*N.L, DT, &LI, &SE);
    Value *Test = emitTest(N, As);
    if (!Test)
      continue;
    ValueToValueMapTy Map;
    versionLoop(*N.L, Test, ".close", Map, LI, DT, SE);
    for (const Group &G : N.Groups)
      if (G.Rows)
        for (LoadInst *Row : G.Rows->Loads)
          if (auto *Other = dyn_cast_or_null<Instruction>(Map.lookup(Row)))
            Other->setMetadata(RowMark, nullptr);
    useCells(N, As);
    useWide(N);
    annotate(N, As);
    for (auto [G, Of] : zip(N.Groups, As.Groups))
      for (Instruction *I : G.Members)
        if (!Of.Apart.empty() && mayLast(G, *I))
          I->setMetadata(UnwrittenMark, MDNode::get(I->getContext(), {}));
    Twice.push_back(std::move(As));
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
      return Name->getString() == NestDomain;
  return false;
}

void verso::dropMarksOfNests(Function &F) {
  for (Instruction &I : instructions(F))
    for (StringRef Mark : {RowMark, UnwrittenMark})
      I.setMetadata(Mark, nullptr);
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
