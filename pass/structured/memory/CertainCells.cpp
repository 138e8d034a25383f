//===- CertainCells.cpp - what accesses say of a copy, for certain --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/CertainCells.h"
#include "LLVMCompat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"

#include <map>
#include <numeric>

using namespace llvm;
using namespace verso;

CertainCells::CertainCells(const Objects &O, ScalarEvolution *SE)
    : O(O), SE(SE), Leaders(O.size()) {
  std::iota(Leaders.begin(), Leaders.end(), 0u);
  joinLoads();
}

unsigned CertainCells::leader(unsigned Object) const {
  while (Leaders[Object] != Object)
    Object = Leaders[Object] = Leaders[Leaders[Object]];
  return Object;
}

/// The load whose pointers lead to \p Of; null for all other objects, those
/// among them that stand for pointers which a copy moves.
static const LoadInst *loadOf(const Object &Of) {
  return Of.K == Object::Loaded ? dyn_cast_or_null<LoadInst>(Of.Base) : nullptr;
}

void CertainCells::joinLoads() {
  unsigned Comparisons = 0;
  for (bool Changed = true; Changed;) {
    Changed = false;
    // By what they are loaded from.
    std::map<unsigned, SmallVector<std::pair<OffsetClass, unsigned>, 4>> Loads;
    for (unsigned K = 0; K != O.size(); ++K)
      if (const LoadInst *Load = loadOf(O[K]))
        for (const Place &Q : O.placesOf(Load->getPointerOperand()))
          if (O[Q.Object].K != Object::Loaded || loadOf(O[Q.Object]))
            Loads[leader(Q.Object)].push_back({Q.At, K});
    for (auto &[From, All] : Loads)
      for (size_t J = 1; J < All.size(); ++J)
        for (size_t K = 0; K != J; ++K) {
          if (++Comparisons > MaxComparisons)
            return;
          unsigned A = leader(All[J].second), B = leader(All[K].second);
          if (A == B || !All[J].first.overlaps(1, All[K].first, 1))
            continue;
          Leaders[A] = B;
          Changed = true;
        }
  }
}

static constexpr uint64_t Unclear = 1;

/// The strides by which the address \p S leaves its base.
static void addStrides(ScalarEvolution &SE, const SCEV *S,
                       SmallVectorImpl<uint64_t> &Strides) {
  if (isa<SCEVConstant>(S)) {
    return;
  } else if (auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    for (const SCEV *Op : Sum->operands())
      addStrides(SE, Op, Strides);
  } else if (auto *Evolution = dyn_cast<SCEVAddRecExpr>(S);
             Evolution && Evolution->isAffine()) {
    addStrides(SE, Evolution->getStart(), Strides);
    const SCEV *Step = Evolution->getStepRecurrence(SE);
    if (auto *Constant = dyn_cast<SCEVConstant>(Step))
      Strides.push_back(Constant->getAPInt().abs().getZExtValue());
    else
      addStrides(SE, Step, Strides);
  } else if (auto *Product = dyn_cast<SCEVMulExpr>(S);
             Product && isa<SCEVConstant>(Product->getOperand(0))) {
    Strides.push_back(cast<SCEVConstant>(Product->getOperand(0))
                          ->getAPInt()
                          .abs()
                          .getZExtValue());
  } else {
    Strides.push_back(Unclear);
  }
}

/// Of what a pointer that is loaded may lead to, only the object that the load
/// begins: what was stored there, or anywhere else, is of the same type.
CertainCells::Spots CertainCells::spotsOf(const Value *P) const {
  SmallVector<const Value *, 4> Roots;
  getUnderlyingObjects(P, Roots, /*LI=*/nullptr, /*MaxLookup=*/0);
  // How far it is from a pointer of which the offset is known.
  Places OfBase;
  std::optional<std::pair<int64_t, int64_t>> Ahead;
  std::optional<SmallVector<uint64_t, 4>> Strides;
  if (SE) {
    const SCEV *Address = SE->getSCEV(const_cast<Value *>(P));
    auto *Base = dyn_cast<SCEVUnknown>(SE->getPointerBase(Address));
    ConstantRange Steps =
        Base ? SE->getSignedRange(SE->removePointerBase(Address))
             : ConstantRange::getFull(64);
    if (Base) {
      addStrides(*SE, SE->removePointerBase(Address), Strides.emplace());
      for (const Place &Q : O.placesOf(Base->getValue()))
        if (Q.At.Step)
          Strides->push_back(Q.At.Step);
    }
    constexpr int64_t Most = int64_t(1) << 40;
    if (Base && Steps.getBitWidth() == 64 && !Steps.isEmptySet() &&
        Steps.getSignedMin().sgt(-Most) && Steps.getSignedMax().slt(Most)) {
      OfBase = O.placesOf(Base->getValue());
      Ahead = {Steps.getSignedMin().getSExtValue(),
               Steps.getSignedMax().getSExtValue()};
    }
  }
  auto RangeOf = [&](const Place &Q) -> decltype(Ahead) {
    if (!Q.At.Step)
      return std::pair(Q.At.Offset, Q.At.Offset);
    decltype(Ahead) Range;
    for (const Place &R : OfBase) {
      if (R.Object != Q.Object)
        continue;
      if (R.At.Step || Range)
        return std::nullopt;
      Range = {R.At.Offset + Ahead->first, R.At.Offset + Ahead->second};
    }
    return Range;
  };
  // Of elements, also where only every second one is accessed.
  SmallVector<uint64_t, 4> Declared;
  for (auto *G = dyn_cast<GEPOperator>(P); G;
       G = dyn_cast<GEPOperator>(G->getPointerOperand())) {
    compat::VariableOffsets Scales;
    APInt Constant(64, 0);
    if (SE && G->collectOffset(SE->getDataLayout(), 64, Scales, Constant))
      for (const auto &[Index, Scale] : Scales)
        Declared.push_back(Scale.abs().getZExtValue());
  }
  Spots Ps;
  for (const Place &Q : O.placesOf(P)) {
    const Value *Base = O[Q.Object].Base;
    bool IsOfRoot = any_of(Roots, [&](const Value *Root) {
      return Root == Base || !isa<LoadInst>(Root) ||
             none_of(O.placesOf(Root),
                     [&](const Place &R) { return O[R.Object].Base == Root; });
    });
    if (!IsOfRoot)
      continue;
    Ps.push_back({{leader(Q.Object), Q.At}, RangeOf(Q)});
    if (!Q.At.Step || !Strides)
      continue;
    auto IsStep = [&](uint64_t S) { return S == Q.At.Step || S == Unclear; };
    Ps.back().IsArray = any_of(*Strides, IsStep) || any_of(Declared, IsStep);
    Ps.back().IsOutermost = all_of(*Strides, [&](uint64_t S) {
      return S == Unclear || S == Strides->front();
    });
  }
  return Ps;
}

/// Whether all places of \p Inner are among those of \p Outer.
template <typename T>
static bool areWithin(const SmallVector<T, 2> &Inner,
                      const SmallVector<T, 2> &Outer) {
  return all_of(Inner, [&](const T &P) {
    return any_of(Outer, [&](const T &Q) {
      return Q.Object == P.Object && Q.Range == P.Range &&
             Q.IsArray == P.IsArray && Q.At.joined(P.At) == Q.At;
    });
  });
}

/// Whether \p A, of which one place is \p At, says what is in \p Bytes bytes
/// at \p Asked.
bool CertainCells::saysSo(const Access &A, const Spot &At, const Spot &Asked,
                          uint64_t Bytes) {
  if (!A.T->isFloatingPointTy())
    return !At.At.Step && !Asked.At.Step;
  if (!At.Range || !Asked.Range) // One number is no array.
    return At.At.Step != 0;
  return At.Range->first < Asked.Range->second + int64_t(Bytes) &&
         Asked.Range->first < At.Range->second + int64_t(A.Size);
}

bool CertainCells::add(Access A) {
  // Those of a class that is there say nothing new.
  if (Accesses.size() == MaxAccesses || any_of(Accesses, [&](const Access &B) {
        return A.T == B.T && areWithin(A.Where, B.Where) &&
               areWithin(B.Where, A.Where);
      }))
    return false;
  Accesses.push_back(std::move(A));
  return true;
}

/// Whether \p T has numbers of another type than \p Number.
static bool hasOtherNumbers(const Type *T, const Type *Number) {
  if (auto *Array = dyn_cast<ArrayType>(T))
    return hasOtherNumbers(Array->getElementType(), Number);
  if (auto *Struct = dyn_cast<StructType>(T))
    return any_of(Struct->elements(), [&](const Type *Each) {
      return hasOtherNumbers(Each, Number);
    });
  return T->getScalarType()->isFloatingPointTy() &&
         T->getScalarType() != Number;
}

void CertainCells::noteStructure(const Value *P, const Spots &Where) {
  Type *Outermost = nullptr;
  for (auto *G = dyn_cast<GEPOperator>(P); G;
       G = dyn_cast<GEPOperator>(G->getPointerOperand()))
    if (G->getSourceElementType()->isStructTy())
      Outermost = G->getSourceElementType();
  if (Outermost)
    for (const Spot &Q : Where)
      Structures[Q.Object].insert(Outermost);
}

bool CertainCells::hasOthers(const Type *T, const Spot &At) const {
  auto Others = Numbers.find(At.Object);
  if (Others != Numbers.end() && any_of(Others->second, [&](const Cell &C) {
        return C.T != T &&
               (C.At.Step ? C.At.Step != At.At.Step
                          : C.At.overlaps(C.Size, At.At,
                                          T->getPrimitiveSizeInBits() / 8));
      }))
    return true;
  auto Known = Structures.find(At.Object);
  return Known != Structures.end() && SE &&
         any_of(Known->second, [&](Type *Each) {
           return SE->getDataLayout().getTypeAllocSize(Each) != At.At.Step &&
                  hasOtherNumbers(Each, T);
         });
}

void CertainCells::addAccess(const Value *P, Type *T, uint64_t Size) {
  Spots Where = spotsOf(P);
  noteStructure(P, Where);
  if (T->isFloatingPointTy())
    for (const Spot &Q : Where) {
      auto &All = Numbers[Q.Object];
      if (Cell New{T, Size, Q.At};
          All.size() != MaxAccesses && !is_contained(All, New))
        All.push_back(New);
    }
  add({T, Size, std::move(Where)});
}

void CertainCells::addPointer(const Value *P, uint64_t Size) {
  Pointers.push_back({nullptr, Size, spotsOf(P)});
}

void CertainCells::addMixed(const Value *P, uint64_t Bytes) {
  Mixed.push_back({nullptr, Bytes, spotsOf(P)});
}

bool CertainCells::addCopy(const Value *To, const Value *From, uint64_t Bytes) {
  bool Changed = false;
  for (const Value *P : {To, From})
    noteStructure(P, spotsOf(P));
  for (auto [P, Q] : {std::pair(To, From), std::pair(From, To)})
    for (const Cell &C : at(P, Bytes)) {
      if (!C.T->isFloatingPointTy())
        continue;
      Spots There = spotsOf(Q);
      for (Spot &Each : There) {
        const uint64_t Step = Each.At.Step;
        // What is behind the copy in a record of an array is not known by it.
        Each.IsArray &= !Step || !C.At.Step || C.At.Step >= Bytes ||
                        (Step % C.At.Step == 0 && Bytes >= Step);
        Each.At = C.At.moved({}, Each.At);
        if (!Each.At.Step)
          Each.Range = {Each.At.Offset, Each.At.Offset};
        else if (Each.Range)
          Each.Range->second += int64_t(Bytes - C.Size);
      }
      if (Copied < MaxCopied && add({C.T, C.Size, std::move(There)})) {
        ++Copied;
        Changed = true;
      }
    }
  return Changed;
}

/// Adds what \p A, of which one place is \p At, says of \p Bytes bytes at
/// \p Asked: each element, where a copy goes beyond an array. False if A may be
/// there, and may not.
bool CertainCells::addCells(const Access &A, const Spot &At, const Spot &Asked,
                            uint64_t Bytes, SmallVectorImpl<Cell> &Here) const {
  if (!At.IsArray)
    return false;
  constexpr int64_t MaxElements = 128;
  if (const auto Step = int64_t(At.At.Step);
      Step && A.T->isFloatingPointTy() && hasOthers(A.T, At) &&
      (!At.Range || (At.Range->second - At.Range->first) / Step >= MaxElements))
    return false;
  constexpr uint64_t AnyLength = uint64_t(1) << 40;
  if (At.At.Step && At.Range && !Asked.At.Step && Bytes < AnyLength) {
    const int64_t Step = int64_t(At.At.Step), Start = Asked.At.Offset;
    auto [First, Last] = *At.Range;
    First += (((At.At.Offset - First) % Step) + Step) % Step;
    if ((First > Start || Last + Step < Start + int64_t(Bytes)) &&
        (Last - First) / Step < MaxElements) {
      for (int64_t K = First; K <= Last; K += Step)
        if (K >= Start && K + A.Size <= Start + Bytes)
          Here.push_back({A.T, A.Size, {K - Start, 0}});
      return true;
    }
  }
  const OffsetClass Relative = At.At.moved(Asked.At, {});
  // What one record of an array has, all have, and a block of the heap is an
  // array. Elsewhere, wherever a copy begins in a record, there has to be a
  // number.
  constexpr uint64_t MaxNumbers = 64;
  const uint64_t Record = At.At.Step, Each = Relative.Step;
  const bool IsOfRecords = !Record && Asked.IsOutermost &&
                           (Bytes <= Each || O[At.Object].K == Object::Heap);
  if (A.T->isFloatingPointTy() && Each != Record && !IsOfRecords) {
    if (!Record || Record / Each > MaxNumbers)
      return false;
    for (uint64_t K = 1; K != Record / Each; ++K)
      if (!isNumberAt(A.T, At.Object,
                      {At.At.Offset + int64_t(K * Each), Record}))
        return false;
  }
  Here.push_back({A.T, A.Size, Relative});
  return true;
}

/// Whether a \p T is at all places of \p At.
bool CertainCells::isNumberAt(Type *T, unsigned Object, OffsetClass At) const {
  return any_of(Accesses, [&](const Access &A) {
    return A.T == T && any_of(A.Where, [&](const Spot &Q) {
             return Q.Object == Object && Q.IsArray && Q.At.Step &&
                    Q.At.withoutLeast().joined(At.withoutLeast()) ==
                        Q.At.withoutLeast();
           });
  });
}

SmallVector<CertainCells::Cell, 4>
CertainCells::at(const Value *P, uint64_t Bytes, bool *IsDoubtful) const {
  const Spots Ps = spotsOf(P);
  auto LeadsThere = [&](const Place &Q) {
    return any_of(Ps, [&](const Place &R) { return R.Object == Q.Object; });
  };
  SmallVector<SmallVector<Cell, 4>, 2> ByPlace(Ps.size());
  for (const Access &A : Accesses)
    if (all_of(A.Where, LeadsThere))
      for (const Spot &Q : A.Where)
        for (auto [R, Here] : zip(Ps, ByPlace))
          if (R.Object == Q.Object && Q.At.overlaps(A.Size, R.At, Bytes) &&
              saysSo(A, Q, R, Bytes) && !addCells(A, Q, R, Bytes, Here) &&
              IsDoubtful)
            *IsDoubtful = true;
  SmallVector<Cell, 4> Certain;
  for (const auto &Here : ByPlace)
    for (const Cell &C : Here)
      if (isMixedAt(C, Ps)) {
        if (IsDoubtful)
          *IsDoubtful = true;
      } else if (!is_contained(Certain, C) &&
                 all_of(ByPlace, [&](const auto &There) {
                   return any_of(There, [&](const Cell &D) {
                     return D.T == C.T && D.At.joined(C.At) == D.At;
                   });
                 }))
        Certain.push_back(C);
  return Certain;
}

bool CertainCells::anyMeets(ArrayRef<Access> All, const Spots &Ps,
                            uint64_t Bytes) {
  return any_of(Ps, [&](const Place &R) {
    return any_of(All, [&](const Access &A) {
      return any_of(A.Where, [&](const Place &Q) {
        return R.Object == Q.Object && Q.At.overlaps(A.Size, R.At, Bytes);
      });
    });
  });
}

bool CertainCells::isMixedAt(const Cell &C, const Spots &Ps) const {
  if (Mixed.empty())
    return false;
  Spots Here = Ps;
  for (Spot &Q : Here)
    Q.At = C.At.moved({}, Q.At);
  return anyMeets(Mixed, Here, C.Size);
}

bool CertainCells::mayHoldPointers(const Value *P, uint64_t Bytes) const {
  return anyMeets(Pointers, spotsOf(P), Bytes);
}

bool CertainCells::mayBeMixed(const Value *P, uint64_t Bytes) const {
  return !Mixed.empty() && anyMeets(Mixed, spotsOf(P), Bytes);
}
