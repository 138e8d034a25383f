//===- TypedCopies.cpp - small copies whose parts are known ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/TypedCopies.h"
#include "analysis/AccessTypes.h"
#include "analysis/CopiedNumbers.h"
#include "emit/Runtime.h"
#include "prepare/MixedUnions.h"
#include "structured/memory/CertainCells.h"
#include "structured/memory/NumberCopies.h"
#include "structured/memory/Objects.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

using namespace llvm;
using namespace verso;

namespace {

constexpr uint64_t MaxBytes = 256;

/// One number, pointer or integer of a copy.
struct Part {
  uint64_t Offset;
  Type *T;
  MDNode *Tag;
};

/// What the function accesses, by object. Integers that may be bytes of
/// something else are of no type.
class AccessedTypes {
public:
  AccessedTypes(Function &F, const Objects &O, ScalarEvolution &SE);
  /// What lies \p Offset bytes behind \p P: joins it into \p Known; false if
  /// accesses say different things.
  bool join(const Value *P, uint64_t Offset, Part &Known) const;
  /// Whether that is certain (CertainCells.h); \p IsMember: not by an array of
  /// which several elements are in so many \p Bytes.
  bool isCertain(const Value *P, const Part &Known, bool IsMember,
                 uint64_t Bytes) const;
  /// Whether what is declared to be an integer is one.
  const bool HasIntegers;

private:
  struct Cell {
    Type *T; ///< Null: not known.
    uint64_t Size;
    OffsetClass At;
    MDNode *Tag;
    bool operator==(const Cell &) const = default;
  };
  const Objects &O;
  const DataLayout &DL;
  DenseMap<unsigned, SmallVector<Cell, 4>> ByObject;
  CertainCells Certain;
};

} // namespace

AccessedTypes::AccessedTypes(Function &F, const Objects &O, ScalarEvolution &SE)
    : HasIntegers(!readsIntegersAsNumbers(F, O)), O(O), DL(F.getDataLayout()),
      Certain(O, &SE) {
  eachMixed(
      F, [&](const Value *P, uint64_t Bytes) { Certain.addMixed(P, Bytes); });
  for (Instruction &I : instructions(F)) {
    const Value *P = getLoadStorePointerOperand(&I);
    if (!P)
      continue;
    Type *T = getLoadStoreType(&I);
    uint64_t Size = DL.getTypeStoreSize(T);
    MDNode *Tag = nullptr;
    if (T->isIntegerTy() && isIntegerForCertain(I))
      Tag = I.getMetadata(LLVMContext::MD_tbaa);
    else if (!T->isFloatTy() && !T->isDoubleTy() && !T->isPointerTy())
      T = nullptr;
    if (T)
      Certain.addAccess(P, T, Size);
    for (const Place &Q : O.placesOf(P)) {
      auto &Cells = ByObject[Q.Object];
      Cell New{T, Size, Q.At, Tag};
      if (!is_contained(Cells, New))
        Cells.push_back(New);
    }
  }
}

bool AccessedTypes::join(const Value *P, uint64_t Offset, Part &Known) const {
  for (const Place &Q : O.placesOf(P)) {
    auto It = ByObject.find(Q.Object);
    if (It == ByObject.end())
      continue;
    OffsetClass Here = Q.At.plus(Offset, 0);
    for (const Cell &C : It->second) {
      if (!C.At.overlaps(C.Size, Here, 1))
        continue;
      if (!C.T || (Known.T && Known.T != C.T))
        return false;
      Known.T = C.T;
      if (!Known.Tag)
        Known.Tag = C.Tag;
    }
    if (!Known.T)
      continue;
    uint64_t Size = DL.getTypeStoreSize(Known.T);
    for (const Cell &C : It->second)
      if (C.At.overlaps(C.Size, Here, Size) &&
          (C.T != Known.T || !C.At.isFilledBy(C.Size, Here, Size)))
        return false;
  }
  return true;
}

bool AccessedTypes::isCertain(const Value *P, const Part &Known, bool IsMember,
                              uint64_t Bytes) const {
  const OffsetClass Here{int64_t(Known.Offset), 0};
  uint64_t Size = DL.getTypeStoreSize(Known.T);
  return any_of(Certain.at(P, Known.Offset + Size),
                [&](const CertainCells::Cell &C) {
                  return C.T == Known.T && C.At.joined(Here) == C.At &&
                         (!IsMember || !C.At.Step || C.At.Step >= Bytes);
                });
}

/// The field of an assignment that starts at \p Offset, or its element there;
/// and where the next one starts, if none does here.
static Part declaredAt(const MDNode &Fields, uint64_t Offset, uint64_t &Next) {
  LLVMContext &C = Fields.getContext();
  Part Result{Offset, nullptr, nullptr};
  for (unsigned K = 0; K + 3 <= Fields.getNumOperands(); K += 3) {
    auto Number = [&](unsigned N) {
      return mdconst::extract<ConstantInt>(Fields.getOperand(N))
          ->getZExtValue();
    };
    uint64_t Start = Number(K), Bytes = Number(K + 1);
    auto *Tag = dyn_cast_or_null<MDNode>(Fields.getOperand(K + 2));
    if (Tag && declaredKind(*Tag) == DeclaredKind::Padding)
      continue;
    if (Start > Offset)
      Next = std::min(Next, Start);
    else if (Start + Bytes > Offset)
      Next = Offset;
    if (!Tag)
      continue;
    const DeclaredKind Kind = declaredKind(*Tag);
    // Of numbers a field may be an array.
    const uint64_t Each = Kind == DeclaredKind::Float    ? 4
                          : Kind == DeclaredKind::Double ? 8
                                                         : Bytes;
    if (Start > Offset || Offset - Start + Each > Bytes ||
        (Offset - Start) % Each)
      continue;
    switch (Kind) {
    case DeclaredKind::Float:
      Result.T = Type::getFloatTy(C);
      break;
    case DeclaredKind::Double:
      Result.T = Type::getDoubleTy(C);
      break;
    case DeclaredKind::Pointer:
      Result.T = Bytes == 8 ? PointerType::getUnqual(C) : nullptr;
      break;
    case DeclaredKind::Integer:
      Result.T = isPowerOf2_64(Bytes) && Bytes <= 8
                     ? IntegerType::get(C, 8 * Bytes)
                     : nullptr;
      break;
    case DeclaredKind::MaybeInteger:
    case DeclaredKind::Mixed:
    case DeclaredKind::Padding:
    case DeclaredKind::Other:
      break;
    }
    Result.Tag = Result.T ? Tag : nullptr;
  }
  return Result;
}

/// Whether \p Is holds for the declaration of any of \p Bytes bytes at
/// \p Offset.
template <typename I>
static bool anyDeclared(const MDNode &Fields, uint64_t Offset, uint64_t Bytes,
                        I Is) {
  for (unsigned K = 0; K + 3 <= Fields.getNumOperands(); K += 3) {
    auto Number = [&](unsigned N) {
      return mdconst::extract<ConstantInt>(Fields.getOperand(N))
          ->getZExtValue();
    };
    auto *Tag = dyn_cast_or_null<MDNode>(Fields.getOperand(K + 2));
    if (Tag && Is(declaredKind(*Tag)) && Number(K) < Offset + Bytes &&
        Offset < Number(K) + Number(K + 1))
      return true;
  }
  return false;
}

static uint64_t endOfFields(const MDNode &Fields) {
  uint64_t End = 0;
  for (unsigned K = 0; K + 3 <= Fields.getNumOperands(); K += 3)
    End = std::max(
        End,
        mdconst::extract<ConstantInt>(Fields.getOperand(K))->getZExtValue() +
            mdconst::extract<ConstantInt>(Fields.getOperand(K + 1))
                ->getZExtValue());
  return End;
}

/// Where \p Bulk, a copy, reads; null if it writes zeros.
static Value *sourceOf(const MemIntrinsic &Bulk) {
  auto *Copy = dyn_cast<MemTransferInst>(&Bulk);
  return Copy ? Copy->getRawSource() : nullptr;
}

/// All parts of \p Bulk; none if they are not known.
static SmallVector<Part, 8> partsOf(const MemIntrinsic &Bulk, uint64_t Bytes,
                                    const AccessedTypes &Types) {
  const DataLayout &DL = Bulk.getDataLayout();
  SmallVector<const Value *, 2> Sides{Bulk.getRawDest()};
  if (const Value *Source = sourceOf(Bulk))
    Sides.push_back(Source);
  const MDNode *Fields = Bulk.getMetadata(LLVMContext::MD_tbaa_struct);
  // Of several structures the first is described.
  const uint64_t Period = Fields ? copiedRecord(Bulk).Period : 0;
  if (Fields && !Period && Bytes >= 2 * endOfFields(*Fields))
    return {};
  SmallVector<Part, 8> Parts;
  for (uint64_t Offset = 0; Offset < Bytes;) {
    uint64_t Next = Bytes;
    Part P{Offset, nullptr, nullptr};
    auto AnyDeclared = [&](uint64_t Size, auto Is) {
      return Fields &&
             anyDeclared(*Fields, Period ? Offset % Period : Offset, Size, Is);
    };
    // An access does not say what else a union is.
    if (AnyDeclared(1, [](auto Kind) { return Kind == DeclaredKind::Mixed; }))
      return {};
    if (Fields) {
      const uint64_t Before = Period ? Offset - Offset % Period : 0;
      Next -= Before;
      P = declaredAt(*Fields, Offset - Before, Next);
      P.Offset = Offset;
      Next += Before;
      if (P.T && P.T->isIntegerTy() && !Types.HasIntegers) {
        P.T = nullptr;
        Next = Offset;
      }
    }
    // Accesses that contradict what is declared are of other objects.
    auto Joins = [&](const Value *Side) { return Types.join(Side, Offset, P); };
    // And so are arrays that would go on over what is declared as something.
    auto IsCertain = [&](const Value *Side) {
      return Types.isCertain(
          Side, P,
          AnyDeclared(DL.getTypeStoreSize(P.T),
                      [](auto Kind) { return Kind != DeclaredKind::Other; }),
          Period ? Period : Bytes);
    };
    if (!P.T && (!all_of(Sides, Joins) || (P.T && none_of(Sides, IsCertain))))
      return {};
    uint64_t Size = P.T ? DL.getTypeStoreSize(P.T).getFixedValue() : 0;
    if (Offset + Size > Bytes)
      return {};
    if (P.T)
      Parts.push_back(P);
    else if (!Fields || Next == Offset)
      return {};
    Offset = P.T ? Offset + Size : Next;
  }
  return Parts;
}

static void split(MemIntrinsic &Bulk, ArrayRef<Part> Parts) {
  IRBuilder<> B(&Bulk);
  auto Address = [&](Value *P, uint64_t Offset) {
    return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, Offset) : P;
  };
  auto Tagged = [](Instruction *I, const Part &P) {
    if (P.Tag)
      I->setMetadata(LLVMContext::MD_tbaa, P.Tag);
    return I;
  };
  Value *Source = sourceOf(Bulk);
  Align From, To = Bulk.getDestAlign().valueOrOne();
  if (Source)
    From = cast<MemTransferInst>(Bulk).getSourceAlign().valueOrOne();
  SmallVector<Value *, 8> Values;
  for (const Part &P : Parts)
    Values.push_back(
        Source ? Tagged(B.CreateAlignedLoad(P.T, Address(Source, P.Offset),
                                            commonAlignment(From, P.Offset)),
                        P)
               : (Value *)Constant::getNullValue(P.T));
  for (auto [V, P] : zip(Values, Parts))
    Tagged(B.CreateAlignedStore(V, Address(Bulk.getRawDest(), P.Offset),
                                commonAlignment(To, P.Offset)),
           P);
  Bulk.eraseFromParent();
}

/// Whether \p Bulk is a copy, or writes zeros.
static bool hasParts(const MemIntrinsic &Bulk) {
  auto *Set = dyn_cast<MemSetInst>(&Bulk);
  auto *Value = Set ? dyn_cast<ConstantInt>(Set->getValue()) : nullptr;
  return !Set || (Value && Value->isZero());
}

void verso::typeCopies(Function &F, ArrayRef<Value *> DupArguments,
                       ScalarEvolution &SE, const TargetLibraryInfo *TLI) {
  SmallVector<std::pair<MemIntrinsic *, uint64_t>, 8> Copies;
  for (Instruction &I : instructions(F))
    if (auto *Copy = dyn_cast<MemIntrinsic>(&I);
        Copy && hasParts(*Copy) && !Copy->isVolatile() && !isInert(I))
      if (auto *Bytes = dyn_cast<ConstantInt>(Copy->getLength());
          Bytes && Bytes->getValue().ule(MaxBytes) && !Bytes->isZero())
        Copies.push_back({Copy, Bytes->getZExtValue()});
  if (Copies.empty())
    return;
  Objects O(F, DupArguments, TLI);
  if (!O.isComplete())
    return;
  AccessedTypes Types(F, O, SE);
  SmallVector<std::pair<MemIntrinsic *, SmallVector<Part, 8>>, 8> Known;
  for (auto [Copy, Bytes] : Copies)
    if (any_of(O.placesOf(Copy->getRawDest()), [&](const Place &Q) {
          return O[Q.Object].canHaveShadow() && !O[Q.Object].hasSibling();
        }))
      Known.push_back({Copy, partsOf(*Copy, Bytes, Types)});
  auto IsPointer = [](const Part &P) { return P.T->isPointerTy(); };
  for (auto &[Copy, Parts] : Known)
    if (!Parts.empty() && (sourceOf(*Copy) || any_of(Parts, IsPointer)))
      split(*Copy, Parts);
}
