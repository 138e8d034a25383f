//===- ReadObjects.cpp - what loads read out of objects -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is stored in an object's cells, tables of constants, and what the
// caller's memory may lead to; and what a function that is read so says of the
// object (Receivers.h).
//
//===----------------------------------------------------------------------===//

#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "structured/memory/Objects.h"

#include "llvm/IR/ConstantFold.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;
using namespace verso;

/// Whether \p Memory is a table without any address: characters, say.
bool Objects::isOfNumbers(const Value *Memory) {
  auto *G = dyn_cast_or_null<GlobalVariable>(Memory);
  return G && G->isConstant() && G->hasDefinitiveInitializer() &&
         isa<ConstantData>(G->getInitializer());
}

bool Objects::leadsBehindTable(const Value *Pointer) const {
  if (none_of(placesOf(Pointer), [&](const Place &P) {
        return All[P.Object].K == Object::Table &&
               !isOfNumbers(All[P.Object].Base);
      }))
    return false;
  SmallVector<const Value *, 4> Roots;
  getUnderlyingObjects(Pointer, Roots, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(Roots, [](const Value *Root) { return !isa<Constant>(Root); });
}

/// What pointers point to that \p Reader reads from external memory: what was
/// there before, and what was stored in any external memory since. Without a
/// reader, what integers are addresses of. (VariedMemory refuses that bytes are
/// moved from external memory to external memory.)
void Objects::readFrom(const Value *Reader, const Place &P,
                       function_ref<void(Place)> Found) {
  switch (All[P.Object].K) {
  case Object::Alloca:
  case Object::Heap:
  case Object::Text:
    return;
  case Object::Dup:
  case Object::Loaded:
    Found({objectOf(Reader, Reader ? Object::Loaded : Object::Unknown), {}});
    break;
  case Object::Constant:
  case Object::Table:
    if (isOfNumbers(All[P.Object].Base))
      return;
    Found({objectOf(All[P.Object].Base, All[P.Object].K), {0, 1}});
    break;
  case Object::Global:
  case Object::Unknown:
    Found({objectOf(Reader, Object::Unknown), {0, 1}});
    break;
  }
  auto *Load = dyn_cast_or_null<LoadInst>(Reader);
  MDNode *const Type = Load ? accessTag(*Load) : nullptr;
  for (size_t K = 0; K != StoredOutside.size(); ++K)
    if (const Stored S = StoredOutside[K];
        (S.InSeveral || S.In != P.Object) &&
        (!S.AsInteger || All[S.Target.Object].Base) && mayBeSame(S.Type, Type))
      Found(S.Target);
}

/// The pointers that the constant table P.Object holds there, if they lead to
/// functions and to constant tables alone.
std::optional<Places> Objects::readTable(const LoadInst &I, Place P) const {
  constexpr unsigned MaxEntries = 256;
  auto *G = dyn_cast_or_null<GlobalVariable>(All[P.Object].Base);
  if (!I.getType()->isPointerTy() || All[P.Object].K != Object::Table || !G ||
      !G->isConstant() || !G->hasDefinitiveInitializer())
    return std::nullopt;
  int64_t Size = int64_t(DL.getTypeAllocSize(G->getValueType()));
  OffsetClass At = P.At;
  const Align Whole(DL.getPointerSize());
  if (At.Step == 1 && I.getAlign() >= Whole &&
      G->getAlign().valueOrOne() >= Whole)
    At = {0, Whole.value()};
  Places Result;
  for (int64_t Offset = At.Offset, N = 0; Offset < Size;
       Offset += int64_t(At.Step), ++N) {
    Constant *C = Offset < 0 || N == MaxEntries
                      ? nullptr
                      : ConstantFoldLoadFromConst(
                            G->getInitializer(), I.getType(),
                            APInt(DL.getIndexTypeSizeInBits(G->getType()),
                                  uint64_t(Offset)),
                            DL);
    if (!C)
      return std::nullopt;
    for (const Place &Q : placesOf(C)) {
      if (All[Q.Object].K != Object::Table)
        return std::nullopt;
      Result.push_back(Q);
    }
    if (!At.Step)
      break;
  }
  return Result;
}

/// Whether what was stored as one type may be read as the other.
bool Objects::mayBeSame(MDNode *Stored, MDNode *Read) {
  if (!Stored || !Read || Stored == Read || !TLI)
    return true;
  auto [It, IsNew] = MayBeSame.try_emplace({Stored, Read}, true);
  if (IsNew && isDeclaredTag(*Stored)) // To LLVM it may alias anything.
    It->second = declaredKind(*Read) != DeclaredKind::Pointer;
  else if (IsNew)
    It->second = compat::TypeBasedAliases(*TLI).mayBeSame(Stored, Read);
  return It->second;
}

/// What \p I reads of places there, \p P being one that it reads at.
void Objects::readAt(LoadInst &I, const Place &P,
                     function_ref<void(Place, bool AsInteger)> Found) {
  bool IsPointer = I.getType()->isPointerTy();
  uint64_t Size = DL.getTypeStoreSize(I.getType());
  MDNode *const Type = accessTag(I);
  const bool IsTable = isVirtualTable(I);
  // The language does not allow it to be part of what was stored as a pointer.
  bool IsNoPointer =
      !IsPointer && (isShort(I) || !HidesPointers) && isIntegerForCertain(I);
  // What is found may make objects, so that this one moves.
  for (unsigned K = 0; K != All[P.Object].Contents.size(); ++K) {
    const Object::Content C = All[P.Object].Contents[K];
    if (!C.Cell.overlaps(DL.getPointerSize(), P.At, Size) ||
        (IsNoPointer && !C.AsInteger) || !mayBeSame(C.Type, Type))
      continue;
    // Tables of virtual functions are constants.
    if (IsTable && (All[C.Target.Object].isLocal() ||
                    All[C.Target.Object].K == Object::Text))
      continue;
    Found(C.Target, C.AsInteger);
  }
  if (std::optional<Places> InTable = readTable(I, P))
    for (const Place &Q : *InTable)
      Found(Q, false);
  else if (IsPointer)
    readFrom(&I, P, [&](Place Q) { Found(Q, isPieces(Q)); });
  else if (!IsNoPointer && !All[P.Object].isLocal())
    readFrom(nullptr, P, [&](Place Q) { Found(Q, false); });
}

void Objects::visitLoad(LoadInst &I) {
  for (const Place &P : placesAt(I.getOperandUse(I.getPointerOperandIndex())))
    readAt(I, P, [&](Place Q, bool AsInteger) {
      addPlace(&I, Q);
      if (AsInteger && I.getType()->isPointerTy())
        ReadsInteger.insert(&I);
    });
}

Function *Objects::functionAt(const Place &P) const {
  const Object &O = All[P.Object];
  return O.K == Object::Table && P.At == OffsetClass()
             ? dyn_cast_or_null<Function>(O.Base)
             : nullptr;
}

bool Objects::isVariable(const Place &P) const {
  const Object &O = All[P.Object];
  // What is read from a table, anything that it leads to, is a place in it.
  const bool IsRead =
      (O.K == Object::Table || O.K == Object::Constant) && P.At.Step == 1;
  return O.isLocal() || O.K == Object::Dup ||
         (isa_and_nonnull<GlobalVariable>(O.Base) && !IsRead);
}

/// Whether the object at \p P leads to the function that \p What names.
bool Objects::mayBe(const Receivers::Fact &What, const Place &P) {
  if (!All[P.Object].isLocal())
    return true;
  Places At{P};
  for (const auto &[Load, Distance] : What.Way) {
    Places Read;
    for (const Place &Q : At)
      readAt(*Load, {Q.Object, Q.At.plus(Distance, 0)},
             [&](Place Found, bool) { Read.push_back(Found); });
    Work += Read.size();
    At = std::move(Read);
  }
  return any_of(At, [&](const Place &Q) {
    const Function *Callee = functionAt(Q);
    return Callee ? Callee == What.Callee : !isVariable(Q);
  });
}

/// The places of \p U, as far as they may be there where it is used.
Places Objects::placesAt(const Use &U) {
  Places Result = placesOf(U);
  for (const Receivers::Fact &What : Told.factsAt(U))
    erase_if(Result, [&](const Place &P) { return !mayBe(What, P); });
  return Result;
}
