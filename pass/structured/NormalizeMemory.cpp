//===- NormalizeMemory.cpp - memory in the form that is reversed ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/NormalizeMemory.h"
#include "LLVMCompat.h"
#include "analysis/Activity.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"
#include "rules/Staged.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;
using namespace verso;

/// The function of the allocator that \p Call reallocates by; null if the
/// module does not name it.
static Function *ofSameAllocator(CallBase &Call, KnownCall::Kind Kind) {
  constexpr StringLiteral Family = "alloc-family";
  Attribute Wanted = Call.getFnAttr(Family);
  for (Function &F : *Call.getModule())
    if (Wanted.isValid() && F.getFnAttribute(Family) == Wanted)
      if (std::optional<KnownCall> K = classifyCall(F); K && K->K == Kind)
        return &F;
  return nullptr;
}

/// r = realloc(p, n) becomes
///   r = malloc(n)
///   memcpy(r, p, r ? min(malloc_usable_size(p), n) : 0)
///   free(r ? p : null)
/// or the same by Rust's allocator. What cannot be expanded stays.
static void expandReallocation(CallBase &Call, const KnownCall &K) {
  Module &M = *Call.getModule();
  IRBuilder<> B(&Call);
  Type *I64 = B.getInt64Ty(), *Ptr = B.getPtrTy();
  Value *Old = Call.getArgOperand(K.Source);
  FunctionCallee Allocate, Release;
  SmallVector<Value *, 2> Fresh = {bytesOfCall(B, Call, K)};
  SmallVector<Value *, 3> Released = {Old};
  if (K.OldSize < 0) {
    Allocate = M.getOrInsertFunction("malloc", Ptr, I64);
    Release = M.getOrInsertFunction("free", B.getVoidTy(), Ptr);
  } else { // old, its size, alignment, size
    Allocate = ofSameAllocator(Call, KnownCall::Allocate);
    Release = ofSameAllocator(Call, KnownCall::Free);
    if (!Allocate || !Release)
      return;
    Fresh.push_back(Call.getArgOperand(2));
    Released.append({Call.getArgOperand(1), Call.getArgOperand(2)});
  }
  Value *New = B.CreateCall(Allocate, Fresh);
  Value *Failed = B.CreateIsNull(New);
  Value *Copied = B.CreateSelect(
      Failed, B.getInt64(0),
      B.CreateBinaryIntrinsic(Intrinsic::umin, bytesBeforeCall(B, Call, K),
                              Fresh[0]));
  MaybeAlign Aligned = K.OldSize < 0 ? Align(8) : Align(1);
  B.CreateMemCpy(New, Aligned, Old, Aligned, Copied);
  if (K.OldSize < 0) { // It takes null, so it can wait for the verso's end.
    Released[0] =
        B.CreateSelect(Failed, ConstantPointerNull::get(B.getPtrTy()), Old);
  } else {
    B.SetInsertPoint(SplitBlockAndInsertIfThen(
        B.CreateIsNotNull(New), Call.getIterator(), /*Unreachable=*/false));
  }
  B.CreateCall(Release, Released);
  B.SetInsertPoint(&Call);
  Call.replaceAllUsesWith(New);
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    B.CreateBr(Invoke->getNormalDest());
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
  }
  Call.eraseFromParent();
}

bool verso::usesWholeBlocks(const Function &F) {
  const Function *Usable = F.getParent()->getFunction("malloc_usable_size");
  return Usable && any_of(Usable->users(), [&](const User *U) {
           auto *Call = dyn_cast<CallBase>(U);
           return Call && Call->getFunction() == &F;
         });
}

/// Whether no other thread can come to know the address.
static bool isPrivate(const Value *P) {
  const Value *Object = getUnderlyingObject(P);
  return isa<AllocaInst>(Object) &&
         !compat::pointerMayBeCaptured(*Object, /*ReturnCaptures=*/true);
}

static void makeOrdinary(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Load->setAtomic(AtomicOrdering::NotAtomic);
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    Store->setAtomic(AtomicOrdering::NotAtomic);
  else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    lowerAtomicRMWInst(Update);
  else
    lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(&I));
}

static const Value *atomicAddress(const Instruction &I) {
  if (!I.isAtomic())
    return nullptr;
  if (const Value *P = getLoadStorePointerOperand(&I))
    return P;
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return Update->getPointerOperand();
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return Exchange->getPointerOperand();
  return nullptr;
}

/// Calls \p Each with the indices and the offset of every element of \p T that
/// is no structure or array.
static void forEachElement(Type *T, const DataLayout &DL, uint64_t Offset,
                           SmallVectorImpl<unsigned> &Indices,
                           function_ref<void(Type *, uint64_t)> Each) {
  auto Enter = [&](unsigned K, Type *E, uint64_t At) {
    Indices.push_back(K);
    forEachElement(E, DL, Offset + At, Indices, Each);
    Indices.pop_back();
  };
  if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(S);
    for (unsigned K = 0; K != S->getNumElements(); ++K)
      Enter(K, S->getElementType(K), Layout->getElementOffset(K));
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    for (uint64_t K = 0; K != A->getNumElements(); ++K)
      Enter(K, A->getElementType(),
            K * DL.getTypeAllocSize(A->getElementType()));
  } else {
    Each(T, Offset);
  }
}

/// load {double, i32}   =>   load double, load i32, insertvalue
static void splitAccess(Instruction &I) {
  const DataLayout &DL = I.getDataLayout();
  IRBuilder<> B(&I);
  SmallVector<unsigned, 4> Indices;
  Value *P = getLoadStorePointerOperand(&I);
  auto Address = [&](uint64_t Offset) {
    return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, Offset) : P;
  };
  Type *T = getLoadStoreType(&I);
  Align A = getLoadStoreAlignment(&I);
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Value *V = Store->getValueOperand();
    forEachElement(T, DL, 0, Indices, [&](Type *, uint64_t Offset) {
      B.CreateAlignedStore(B.CreateExtractValue(V, Indices), Address(Offset),
                           commonAlignment(A, Offset));
    });
  } else {
    Value *V = PoisonValue::get(T);
    forEachElement(T, DL, 0, Indices, [&](Type *E, uint64_t Offset) {
      V = B.CreateInsertValue(
          V,
          B.CreateAlignedLoad(E, Address(Offset), commonAlignment(A, Offset)),
          Indices);
    });
    I.replaceAllUsesWith(V);
  }
  I.eraseFromParent();
}

static void splitAccesses(Function &F) {
  SmallVector<Instruction *, 8> Accesses;
  for (Instruction &I : instructions(F))
    if (getLoadStorePointerOperand(&I) && !I.isAtomic() && !I.isVolatile() &&
        getLoadStoreType(&I)->isAggregateType())
      Accesses.push_back(&I);
  for (Instruction *I : Accesses)
    splitAccess(*I);
}

void verso::normalizeMemory(Function &F, const TargetLibraryInfo *TLI) {
  SmallVector<std::pair<CallBase *, KnownCall>, 4> Reallocations;
  SmallVector<Instruction *, 8> Atomics;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto *Stack = dyn_cast<IntrinsicInst>(&I)) {
      if (Stack->getIntrinsicID() == Intrinsic::stackrestore)
        Stack->eraseFromParent();
      continue;
    }
    if (const Value *P = atomicAddress(I); P && isPrivate(P))
      Atomics.push_back(&I);
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    CallModel M = modelCall(*Call, TLI);
    if (M.K == CallModel::Library && M.Known &&
        M.Known->K == KnownCall::Reallocate)
      Reallocations.push_back({Call, *M.Known});
  }
  splitAccesses(F);
  for (auto &[Call, K] : Reallocations)
    expandReallocation(*Call, K);
  for (Instruction *I : Atomics)
    makeOrdinary(*I);
}

/// The two of a staged call: its verso reads them.
static void moveBlocksOfStaged(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I); // They never throw.
    if (!Call || !isBlockOfStaged(*Call))
      continue;
    if (!Call->getType()->isVoidTy()) {
      IRBuilder<> B(Call);
      CallInst *Block =
          callRuntime(B, RuntimeFunction::ArenaTake, {Call->getArgOperand(0)});
      Block->addRetAttr(Attribute::NoAlias);
      Call->replaceAllUsesWith(Block);
    }
    Call->eraseFromParent();
  }
}

void verso::moveArraysIntoArena(Function &F) {
  moveBlocksOfStaged(F);
  SmallVector<AllocaInst *, 4> Arrays;
  for (Instruction &I : instructions(F))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && !A->isStaticAlloca())
      Arrays.push_back(A);
  for (AllocaInst *A : Arrays) {
    IRBuilder<> B(A);
    uint64_t Each = F.getDataLayout().getTypeAllocSize(A->getAllocatedType());
    Value *Count = B.CreateZExtOrTrunc(A->getArraySize(), B.getInt64Ty());
    CallInst *Block = callRuntime(B, RuntimeFunction::ArenaTake,
                                  {B.CreateMul(Count, B.getInt64(Each))});
    Block->addRetAttr(Attribute::NoAlias);
    Block->takeName(A);
    A->replaceAllUsesWith(Block);
    A->eraseFromParent();
  }
}

void verso::castPointersLate(Function &F) {
  SmallVector<PtrToIntInst *, 8> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<PtrToIntInst>(&I))
      Casts.push_back(Cast);
  for (PtrToIntInst *Cast : Casts) {
    SmallDenseMap<BasicBlock *, Value *> AtEnd;
    for (Use &U : make_early_inc_range(Cast->uses())) {
      auto *By = cast<Instruction>(U.getUser());
      auto *Phi = dyn_cast<PHINode>(By);
      BasicBlock *Block = Phi ? Phi->getIncomingBlock(U) : By->getParent();
      Instruction *Point = Phi ? Block->getTerminator() : By;
      if (Block == Cast->getParent() || Point->isEHPad())
        continue;
      Value *&Known = AtEnd[Block];
      if (!Phi || !Known) {
        Instruction *New = Cast->clone();
        New->insertBefore(Point->getIterator());
        U.set(New);
        if (Phi)
          Known = New;
      } else {
        U.set(Known);
      }
    }
    if (Cast->use_empty())
      Cast->eraseFromParent();
  }
}

/// inttoptr(x), where x is made of p alone   =>   p + (x - ptrtoint(p))
void verso::makeStepsOfIntegers(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Cast = dyn_cast<IntToPtrInst>(&I);
    Value *P = Cast ? pointerBehindInteger(Cast->getOperand(0)) : nullptr;
    if (!P || P->getType() != Cast->getType())
      continue;
    IRBuilder<> B(Cast);
    Value *X = B.CreateZExtOrTrunc(Cast->getOperand(0), B.getInt64Ty());
    Value *Step =
        B.CreatePtrAdd(P, B.CreateSub(X, B.CreatePtrToInt(P, B.getInt64Ty())));
    Step->takeName(Cast);
    Cast->replaceAllUsesWith(Step);
    Cast->eraseFromParent();
  }
}
