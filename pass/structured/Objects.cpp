//===- Objects.cpp - which objects a pointer points into ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Objects.h"
#include "analysis/CallModel.h"
#include "rules/KnownCalls.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

#include <numeric>

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// The class with its offset in [0, Step).
static OffsetClass normal(int64_t Offset, uint64_t Step) {
  if (Step) {
    int64_t S = int64_t(Step);
    Offset = ((Offset % S) + S) % S;
  }
  return {Offset, Step};
}

bool OffsetClass::overlaps(uint64_t Size, OffsetClass That,
                           uint64_t ThatSize) const {
  uint64_t G = std::gcd(Step, That.Step);
  int64_t Distance = That.Offset - Offset; // From here to there.
  if (!G)
    return Distance < 0 ? uint64_t(-Distance) < ThatSize
                        : uint64_t(Distance) < Size;
  uint64_t Ahead = normal(Distance, G).Offset;
  return Ahead < Size || G - Ahead < ThatSize;
}

bool OffsetClass::isFilledBy(uint64_t Size, OffsetClass That,
                             uint64_t ThatSize) const {
  uint64_t G = std::gcd(Step, That.Step);
  int64_t Distance = Offset - That.Offset; // From there to here.
  if (!G)
    return Distance >= 0 && Distance + Size <= ThatSize;
  return G % Size == 0 && Distance % int64_t(Size) == 0 && ThatSize % Size == 0;
}

OffsetClass OffsetClass::joined(OffsetClass That) const {
  uint64_t Distance =
      That.Offset > Offset ? That.Offset - Offset : Offset - That.Offset;
  return normal(Offset, std::gcd(std::gcd(Step, That.Step), Distance));
}

OffsetClass OffsetClass::plus(int64_t Constant, uint64_t AnyMultipleOf) const {
  return normal(Offset + Constant, std::gcd(Step, AnyMultipleOf));
}

//===----------------------------------------------------------------------===//
// Points-to
//===----------------------------------------------------------------------===//

Objects::Objects(Function &F, ArrayRef<Value *> DupArguments,
                 const TargetLibraryInfo *TLI)
    : TLI(TLI), DL(F.getDataLayout()) {
  for (Value *V : DupArguments)
    if (!ByBase.contains(V))
      addPlace(V, {objectOf(V, Object::Dup), {}});
  for (Argument &A : F.args())
    if (A.getType()->isPointerTy() && !ByBase.contains(&A))
      addPlace(&A, {objectOf(&A, Object::Constant), {}});
  do {
    Changed = false;
    for (Instruction &I : instructions(F))
      visit(I);
  } while (Changed);
}

unsigned Objects::objectOf(const Value *Base, Object::Kind K) {
  auto [It, New] = ByBase.try_emplace(Base, All.size());
  if (New)
    All.push_back({K, const_cast<Value *>(Base)});
  return It->second;
}

void Objects::addPlace(const Value *P, Place New) {
  Places &Old = Known[P];
  for (Place &O : Old) {
    if (O.Object != New.Object)
      continue;
    OffsetClass Both = O.At.joined(New.At);
    Changed |= !(Both == O.At);
    O.At = Both;
    return;
  }
  Old.push_back(New);
  Changed = true;
}

void Objects::addContent(unsigned K, OffsetClass Cell, Place Target) {
  for (Object::Content &C : All[K].Contents)
    if (C.Cell == Cell && C.Target.Object == Target.Object) {
      OffsetClass Both = C.Target.At.joined(Target.At);
      Changed |= !(Both == C.Target.At);
      C.Target.At = Both;
      return;
    }
  All[K].Contents.push_back({Cell, Target});
  Changed = true;
}

Places Objects::placesOf(const Value *P) const {
  if (auto It = Known.find(P); It != Known.end())
    return It->second;
  if (isa<ConstantPointerNull, UndefValue>(P))
    return {};
  if (auto *GEP = dyn_cast<GEPOperator>(P)) {
    Places Result = placesOf(GEP->getPointerOperand());
    for (Place &Q : Result)
      Q.At = Q.At.plus(0, 1);
    return Result;
  }
  // Constants are looked at when they are asked for.
  auto &Self = const_cast<Objects &>(*this);
  Object::Kind K = Object::Unknown;
  if (auto *G = dyn_cast<GlobalVariable>(P))
    K = G->isConstant() || isMarkedInactive(*G) ? Object::Table
                                                : Object::Global;
  else if (isa<Function>(P))
    K = Object::Table;
  if (!isa<Constant>(P))
    return {}; // Not reached yet.
  return {{Self.objectOf(P, K), {}}};
}

void Objects::addAll(const Value *P, const Places &From, int64_t Constant,
                     uint64_t AnyMultipleOf) {
  for (const Place &Q : From)
    addPlace(P, {Q.Object, Q.At.plus(Constant, AnyMultipleOf)});
}

void Objects::visitLoad(LoadInst &I) {
  uint64_t Size = DL.getTypeStoreSize(I.getType());
  for (const Place &P : placesOf(I.getPointerOperand())) {
    Object::Kind K = All[P.Object].K;
    SmallVector<Object::Content, 2> Contents = All[P.Object].Contents;
    for (const Object::Content &C : Contents)
      if (C.Cell.overlaps(Size, P.At, Size))
        addPlace(&I, C.Target);
    switch (K) {
    case Object::Alloca:
    case Object::Heap:
      break;
    case Object::Dup:
    case Object::Loaded:
      addPlace(&I, {objectOf(&I, Object::Loaded), {}});
      break;
    case Object::Constant:
    case Object::Table:
      addPlace(&I, {objectOf(All[P.Object].Base, K), {0, 1}});
      break;
    case Object::Global:
    case Object::Unknown:
      addPlace(&I, {objectOf(&I, Object::Unknown), {0, 1}});
      break;
    }
  }
}

void Objects::copyContents(const Value *To, const Value *From) {
  for (const Place &Q : placesOf(From))
    for (const Object::Content &C :
         SmallVector<Object::Content, 2>(All[Q.Object].Contents))
      for (const Place &P : placesOf(To))
        addContent(P.Object, {0, 1}, C.Target);
}

void Objects::visitCall(CallBase &I) {
  CallModel M = modelCall(I, TLI);
  int Returned = KnownCall::None;
  if (M.K == CallModel::Library || M.Known) {
    const KnownCall &K = *M.Known;
    Returned = K.returnsArgument();
    if (K.K == KnownCall::Copy) {
      copyContents(I.getArgOperand(K.Destination), I.getArgOperand(K.Source));
    } else if (K.K == KnownCall::Allocate || K.K == KnownCall::AllocateZeroed) {
      addPlace(&I, {objectOf(&I, Object::Heap), {}});
      return;
    }
  }
  if (!I.getType()->isPointerTy())
    return;
  if (Returned >= 0)
    addAll(&I, placesOf(I.getArgOperand(Returned)), 0, 1);
  else
    addPlace(&I, {objectOf(&I, Object::Unknown), {0, 1}});
}

/// What V * Scale is a multiple of for certain: LLVM likes to write the scale
/// of an index as a shift of it.
static uint64_t knownFactor(const Value &V, uint64_t Scale,
                            const DataLayout &DL) {
  if (!Scale)
    return 0;
  unsigned Zeros = computeKnownBits(&V, DL).countMinTrailingZeros();
  return Scale << std::min<unsigned>(Zeros, countl_zero(Scale));
}

void Objects::visit(Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return visitCall(*Call);
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    if (Store->getValueOperand()->getType()->isPointerTy())
      for (const Place &P : placesOf(Store->getPointerOperand()))
        for (const Place &Q : placesOf(Store->getValueOperand()))
          addContent(P.Object, P.At, Q);
    return;
  }
  if (!I.getType()->isPointerTy())
    return;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return visitLoad(*Load);
  if (isa<AllocaInst>(I))
    return addPlace(&I, {objectOf(&I, Object::Alloca), {}});
  if (auto *GEP = dyn_cast<GetElementPtrInst>(&I)) {
    unsigned Bits = DL.getIndexTypeSizeInBits(I.getType());
    SmallMapVector<Value *, APInt, 4> Variable;
    APInt Constant(Bits, 0);
    uint64_t Step = 1;
    if (cast<GEPOperator>(GEP)->collectOffset(DL, Bits, Variable, Constant)) {
      Step = 0;
      for (auto &[V, Scale] : Variable)
        Step = std::gcd(Step, knownFactor(*V, Scale.abs().getZExtValue(), DL));
    }
    return addAll(&I, placesOf(GEP->getPointerOperand()),
                  Constant.getSExtValue(), Step);
  }
  if (auto *Phi = dyn_cast<PHINode>(&I)) {
    for (Value *V : Phi->incoming_values())
      addAll(&I, placesOf(V));
    return;
  }
  if (auto *S = dyn_cast<SelectInst>(&I)) {
    addAll(&I, placesOf(S->getTrueValue()));
    return addAll(&I, placesOf(S->getFalseValue()));
  }
  if (isa<FreezeInst, BitCastInst, AddrSpaceCastInst>(I))
    return addAll(&I, placesOf(I.getOperand(0)));
  addPlace(&I, {objectOf(&I, Object::Unknown), {0, 1}});
}

bool Objects::mayOverlap(const Value *P, uint64_t PSize, const Value *Q,
                         uint64_t QSize) const {
  Places Ps = placesOf(P), Qs = placesOf(Q);
  for (const Place &A : Ps)
    for (const Place &B : Qs) {
      if (A.Object == B.Object) {
        // Two nodes that are reached by one load may overlap anyhow.
        if (All[A.Object].K > Object::Dup || A.At.overlaps(PSize, B.At, QSize))
          return true;
        continue;
      }
      bool Distinct = All[A.Object].isLocal() || All[B.Object].isLocal();
      if (!Distinct)
        return true;
    }
  return false;
}
