//===- TypedCopies.cpp - small copies whose parts are known ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/TypedCopies.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"
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
  AccessedTypes(Function &F, const Objects &O);
  /// What lies \p Offset bytes behind \p P: joins it into \p Known; false if
  /// accesses say different things.
  bool join(const Value *P, uint64_t Offset, Part &Known) const;

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
};

} // namespace

AccessedTypes::AccessedTypes(Function &F, const Objects &O)
    : O(O), DL(F.getDataLayout()) {
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

/// The field of an assignment that starts at \p Offset, and where the next one
/// starts, if none does here.
static Part declaredAt(const MDNode &Fields, uint64_t Offset, uint64_t &Next) {
  LLVMContext &C = Fields.getContext();
  Part Result{Offset, nullptr, nullptr};
  for (unsigned K = 0; K + 3 <= Fields.getNumOperands(); K += 3) {
    auto Number = [&](unsigned N) {
      return mdconst::extract<ConstantInt>(Fields.getOperand(N))
          ->getZExtValue();
    };
    uint64_t Start = Number(K), Bytes = Number(K + 1);
    if (Start > Offset)
      Next = std::min(Next, Start);
    else if (Start + Bytes > Offset)
      Next = Offset;
    if (Start != Offset)
      continue;
    auto *Tag = dyn_cast_or_null<MDNode>(Fields.getOperand(K + 2));
    if (!Tag)
      continue;
    switch (declaredKind(*Tag)) {
    case DeclaredKind::Float:
      Result.T = Bytes == 4 ? Type::getFloatTy(C) : nullptr;
      break;
    case DeclaredKind::Double:
      Result.T = Bytes == 8 ? Type::getDoubleTy(C) : nullptr;
      break;
    case DeclaredKind::Pointer:
      Result.T = Bytes == 8 ? PointerType::getUnqual(C) : nullptr;
      break;
    case DeclaredKind::Integer:
      Result.T = isPowerOf2_64(Bytes) && Bytes <= 8
                     ? IntegerType::get(C, 8 * Bytes)
                     : nullptr;
      break;
    case DeclaredKind::Other:
      break;
    }
    Result.Tag = Result.T ? Tag : nullptr;
  }
  return Result;
}

/// All parts of \p Copy; none if they are not known.
static SmallVector<Part, 8> partsOf(const MemTransferInst &Copy, uint64_t Bytes,
                                    const AccessedTypes &Types) {
  const DataLayout &DL = Copy.getDataLayout();
  const MDNode *Fields = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  SmallVector<Part, 8> Parts;
  for (uint64_t Offset = 0; Offset < Bytes;) {
    uint64_t Next = Bytes;
    Part P{Offset, nullptr, nullptr};
    if (Fields)
      P = declaredAt(*Fields, Offset, Next);
    if (!Types.join(Copy.getRawDest(), Offset, P) ||
        !Types.join(Copy.getRawSource(), Offset, P))
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

static void split(MemTransferInst &Copy, ArrayRef<Part> Parts) {
  IRBuilder<> B(&Copy);
  auto Address = [&](Value *P, uint64_t Offset) {
    return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, Offset) : P;
  };
  auto Tagged = [](Instruction *I, const Part &P) {
    if (P.Tag)
      I->setMetadata(LLVMContext::MD_tbaa, P.Tag);
    return I;
  };
  Align From = Copy.getSourceAlign().valueOrOne(),
        To = Copy.getDestAlign().valueOrOne();
  SmallVector<Value *, 8> Values;
  for (const Part &P : Parts)
    Values.push_back(
        Tagged(B.CreateAlignedLoad(P.T, Address(Copy.getRawSource(), P.Offset),
                                   commonAlignment(From, P.Offset)),
               P));
  for (auto [V, P] : zip(Values, Parts))
    Tagged(B.CreateAlignedStore(V, Address(Copy.getRawDest(), P.Offset),
                                commonAlignment(To, P.Offset)),
           P);
  Copy.eraseFromParent();
}

void verso::typeCopies(Function &F, ArrayRef<Value *> DupArguments,
                       const TargetLibraryInfo *TLI) {
  SmallVector<std::pair<MemTransferInst *, uint64_t>, 8> Copies;
  for (Instruction &I : instructions(F))
    if (auto *Copy = dyn_cast<MemTransferInst>(&I);
        Copy && !Copy->isVolatile() && !isInert(I))
      if (auto *Bytes = dyn_cast<ConstantInt>(Copy->getLength());
          Bytes && Bytes->getValue().ule(MaxBytes) && !Bytes->isZero())
        Copies.push_back({Copy, Bytes->getZExtValue()});
  if (Copies.empty())
    return;
  Objects O(F, DupArguments, TLI);
  if (!O.isComplete())
    return;
  AccessedTypes Types(F, O);
  SmallVector<std::pair<MemTransferInst *, SmallVector<Part, 8>>, 8> Known;
  for (auto [Copy, Bytes] : Copies)
    if (any_of(O.placesOf(Copy->getRawDest()), [&](const Place &Q) {
          return O[Q.Object].canHaveShadow() && !O[Q.Object].hasSibling();
        }))
      Known.push_back({Copy, partsOf(*Copy, Bytes, Types)});
  for (auto &[Copy, Parts] : Known)
    if (!Parts.empty())
      split(*Copy, Parts);
}
