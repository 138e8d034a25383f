//===- WidenedHalves.cpp - arrays of two-byte numbers ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/WidenedHalves.h"
#include "analysis/CallModel.h"
#include "structured/Refusal.h"
#include "structured/memory/Varied.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Alignment.h"

using namespace llvm;
using namespace verso;

static bool isNarrow(const Type *T) {
  const Type *Element = T->getScalarType();
  return (Element->isHalfTy() || Element->isBFloatTy()) &&
         (!T->isVectorTy() || isa<FixedVectorType>(T));
}

/// \p T with floats in it, or bytes, twice as many; null if it has other
/// members.
static Type *widened(Type *T) {
  if (isNarrow(T))
    return T->getWithNewType(Type::getFloatTy(T->getContext()));
  if (auto *A = dyn_cast<ArrayType>(T)) {
    if (A->getElementType()->isIntegerTy(8))
      return ArrayType::get(A->getElementType(), 2 * A->getNumElements());
    Type *Element = widened(A->getElementType());
    return Element ? ArrayType::get(Element, A->getNumElements()) : nullptr;
  }
  auto *S = dyn_cast<StructType>(T);
  if (!S || S->isOpaque() || !S->getNumElements())
    return nullptr;
  SmallVector<Type *, 4> Elements;
  for (Type *E : S->elements())
    Elements.push_back(widened(E));
  return is_contained(Elements, nullptr)
             ? nullptr
             : StructType::get(T->getContext(), Elements, S->isPacked());
}

/// Where an index counts bytes.
static bool isOfBytes(const Type *T) {
  while (auto *A = dyn_cast<ArrayType>(T))
    T = A->getElementType();
  auto *S = dyn_cast<StructType>(T);
  return T->isIntegerTy(8) || (S && any_of(S->elements(), isOfBytes));
}

namespace {

/// Arrays of the function's own that are copied to one another, or between
/// which is chosen, and all that is made of their addresses.
class NarrowArrays {
public:
  NarrowArrays(const TargetLibraryInfo *TLI) : TLI(TLI) {}

  /// Whether every access is of two-byte numbers.
  bool find(Instruction &Base);
  ArrayRef<Instruction *> bases() const { return Bases.getArrayRef(); }
  void widen();

private:
  bool findUse(const Use &U);
  bool add(Value *P);
  void widenBase(Instruction &Base);
  void widenPointer(GetElementPtrInst &GEP);
  void widenLoad(LoadInst &Load);
  void widenStore(StoreInst &Store);
  static void twice(Instruction &I, unsigned Operand);

  const TargetLibraryInfo *TLI;
  SmallSetVector<Instruction *, 2> Bases;
  SmallSetVector<Instruction *, 16> Pointers;
  SmallSetVector<Instruction *, 16> Accesses;
  /// Operands that are numbers of bytes.
  SmallSetVector<std::pair<Instruction *, unsigned>, 4> Sizes;
};

} // namespace

/// Whether \p I makes an array whose size can be doubled.
static bool isArray(const Instruction &I, const TargetLibraryInfo *TLI) {
  if (auto *Local = dyn_cast<AllocaInst>(&I))
    return widened(Local->getAllocatedType());
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || !isNoAliasCall(Call)) // Not a file, say.
    return false;
  CallModel M = modelCall(*Call, TLI);
  return M.Known && M.Known->Size >= 0 &&
         (M.Known->K == KnownCall::Allocate ||
          M.Known->K == KnownCall::AllocateZeroed);
}

/// Notes \p P, which is to lead to arrays, too; whether it does.
bool NarrowArrays::add(Value *P) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  for (const Value *Object : Objects) {
    if (isa<ConstantPointerNull, UndefValue>(Object))
      continue;
    auto *Base = dyn_cast<Instruction>(Object);
    if (!Base || !isArray(*Base, TLI))
      return false;
    Bases.insert(const_cast<Instruction *>(Base));
    Pointers.insert(const_cast<Instruction *>(Base));
  }
  return true;
}

/// Notes what \p U does with an address; whether that can be widened.
bool NarrowArrays::findUse(const Use &U) {
  auto *I = cast<Instruction>(U.getUser());
  if (isa<PHINode, SelectInst>(I)) {
    Pointers.insert(I);
    return add(I);
  }
  if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
    Type *T = GEP->getSourceElementType();
    Pointers.insert(I);
    return U.getOperandNo() == 0 && !GEP->getType()->isVectorTy() &&
           (T->isIntegerTy(8) || (widened(T) && !isOfBytes(T)));
  }
  if (isa<LoadInst, StoreInst>(I)) {
    Accesses.insert(I);
    auto *Load = dyn_cast<LoadInst>(I);
    bool IsSimple = Load ? Load->isSimple() : cast<StoreInst>(I)->isSimple();
    return IsSimple && &U == &I->getOperandUse(Load ? 0 : 1) &&
           isNarrow(getLoadStoreType(I));
  }
  if (isa<ICmpInst>(I))
    return add(I->getOperand(!U.getOperandNo()));
  if (I->isLifetimeStartOrEnd())
    return true;
  if (auto *Bulk = dyn_cast<MemIntrinsic>(I)) {
    Sizes.insert({I, 2});
    if (auto *Copy = dyn_cast<MemTransferInst>(I))
      return !Copy->isVolatile() && add(Copy->getRawDest()) &&
             add(Copy->getRawSource());
    auto *Byte = dyn_cast<ConstantInt>(cast<MemSetInst>(Bulk)->getValue());
    return Byte && Byte->isZero() && !Bulk->isVolatile();
  }
  auto *Call = dyn_cast<CallBase>(I);
  CallModel M = Call ? modelCall(*Call, TLI) : CallModel();
  if (!M.Known || M.Known->K != KnownCall::Free ||
      M.Known->Source != int(U.getOperandNo()))
    return false;
  if (Call->arg_size() > 1 && Call->getArgOperand(1)->getType()->isIntegerTy())
    Sizes.insert({I, 1});
  return true;
}

bool NarrowArrays::find(Instruction &Base) {
  if (!add(&Base))
    return false;
  for (unsigned K = 0; K != Pointers.size(); ++K)
    for (const Use &U : Pointers[K]->uses())
      if (!findUse(U))
        return false;
  return !Accesses.empty();
}

void NarrowArrays::twice(Instruction &I, unsigned Operand) {
  IRBuilder<> B(&I);
  I.setOperand(Operand, B.CreateShl(I.getOperand(Operand), 1));
}

void NarrowArrays::widenBase(Instruction &Base) {
  if (auto *Local = dyn_cast<AllocaInst>(&Base)) {
    Local->setAllocatedType(widened(Local->getAllocatedType()));
    Local->setAlignment(std::max(Local->getAlign(), Align(sizeof(float))));
  } else {
    auto &Call = cast<CallBase>(Base);
    twice(Call, modelCall(Call, TLI).Known->Size);
  }
}

void NarrowArrays::widenPointer(GetElementPtrInst &GEP) {
  Type *T = GEP.getSourceElementType();
  if (T->isIntegerTy(8)) {
    twice(GEP, 1);
    return;
  }
  GEP.setSourceElementType(widened(T));
  Type *Result = widened(GEP.getResultElementType());
  GEP.setResultElementType(Result ? Result : GEP.getResultElementType());
}

/// A load that is converted to a float anyway is one.
void NarrowArrays::widenLoad(LoadInst &Load) {
  IRBuilder<> B(&Load);
  LoadInst *Wide =
      B.CreateAlignedLoad(widened(Load.getType()), Load.getPointerOperand(),
                          Load.getAlign(), Load.getName());
  Wide->setAAMetadata(Load.getAAMetadata());
  for (User *U : make_early_inc_range(Load.users()))
    if (auto *Ext = dyn_cast<FPExtInst>(U)) {
      Ext->replaceAllUsesWith(B.CreateFPCast(Wide, Ext->getType()));
      Ext->eraseFromParent();
    }
  if (!Load.use_empty())
    Load.replaceAllUsesWith(B.CreateFPTrunc(Wide, Load.getType()));
  Load.eraseFromParent();
}

void NarrowArrays::widenStore(StoreInst &Store) {
  IRBuilder<> B(&Store);
  Value *X = Store.getValueOperand();
  StoreInst *Wide =
      B.CreateAlignedStore(B.CreateFPExt(X, widened(X->getType())),
                           Store.getPointerOperand(), Store.getAlign());
  Wide->setAAMetadata(Store.getAAMetadata());
  Store.eraseFromParent();
}

void NarrowArrays::widen() {
  for (Instruction *Base : Bases)
    widenBase(*Base);
  for (auto [I, Operand] : Sizes) {
    twice(*I, Operand);
    I->setMetadata(LLVMContext::MD_tbaa_struct, nullptr); // Offsets of fields.
  }
  for (Instruction *P : Pointers)
    if (auto *GEP = dyn_cast<GetElementPtrInst>(P))
      widenPointer(*GEP);
  for (Instruction *I : Accesses)
    if (auto *Load = dyn_cast<LoadInst>(I))
      widenLoad(*Load);
    else
      widenStore(*cast<StoreInst>(I));
}

bool verso::widenHalves(Function &F, const TargetLibraryInfo *TLI) {
  SmallVector<Instruction *, 8> Bases;
  for (Instruction &I : instructions(F))
    if (isArray(I, TLI))
      Bases.push_back(&I);
  bool Changed = false;
  SmallPtrSet<Instruction *, 8> Done;
  for (Instruction *Base : Bases) {
    NarrowArrays Arrays(TLI);
    if (Done.contains(Base) || !Arrays.find(*Base))
      continue;
    Arrays.widen();
    Done.insert(Arrays.bases().begin(), Arrays.bases().end());
    Changed = true;
  }
  return Changed;
}

void verso::refuseSumsOfHalves(Function &F, const VariedMemory &V,
                               const LoopInfo *LI, Refusals &Refused) {
  const Objects &O = V.objects();
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !isNarrow(Load->getType()) || !V.isActive(Load) ||
        (LI && !LI->getLoopFor(Load->getParent())))
      continue;
    for (const Place &P : O.placesOf(Load->getPointerOperand()))
      if (!LI || O[P.Object].hasSibling())
        return Refused.add("adjoints of two-byte numbers would be summed in "
                           "two bytes",
                           Load);
  }
}
