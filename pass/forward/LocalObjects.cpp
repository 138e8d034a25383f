//===- LocalObjects.cpp - memory that has siblings ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/LocalObjects.h"
#include "LLVMCompat.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Of other blocks, such as mapped files, parts may be released.
bool verso::takesOfHeap(const CallBase &Call, const TargetLibraryInfo &TLI) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || isInert(Call) || !isAllocationFn(&Call, &TLI))
    return false;
  std::optional<KnownCall> K = classifyCall(*Callee);
  return K &&
         (K->K == KnownCall::Allocate || K->K == KnownCall::AllocateZeroed);
}

/// The block that a call of a library function releases, or null.
static Value *releasedBy(const CallBase &Call, const TargetLibraryInfo &TLI) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || isInert(Call))
    return nullptr;
  std::optional<KnownCall> K = classifyCall(*Callee);
  Value *Block = getFreedOperand(&Call, &TLI);
  bool IsKnown = K && K->K == KnownCall::Free && Block &&
                 Call.getArgOperand(K->Source) == Block;
  return IsKnown ? Block : nullptr;
}

/// Whether \p P and \p Q point into one object, whichever that is. \p Assumed
/// holds pairs of phis that are being compared.
static bool
pointIntoOne(const Value *P, const Value *Q,
             SmallDenseSet<std::pair<const Value *, const Value *>> &Assumed) {
  auto Base = [](const Value *V) {
    for (;;)
      if (auto *Step = dyn_cast<GetElementPtrInst>(V))
        V = Step->getPointerOperand();
      else if (auto *Freeze = dyn_cast<FreezeInst>(V))
        V = Freeze->getOperand(0);
      else
        return V;
  };
  P = Base(P);
  Q = Base(Q);
  if (P == Q)
    return true;
  auto *A = dyn_cast<PHINode>(P), *B = dyn_cast<PHINode>(Q);
  if (!A || !B || A->getParent() != B->getParent())
    return false;
  if (!Assumed.insert({A, B}).second)
    return true;
  constexpr unsigned MaxPairs = 16;
  return Assumed.size() <= MaxPairs && all_of(A->blocks(), [&](BasicBlock *In) {
           return pointIntoOne(A->getIncomingValueForBlock(In),
                               B->getIncomingValueForBlock(In), Assumed);
         });
}

/// Whether \p I is the distance of two places in one object.
static bool isWithinObject(const Instruction &I) {
  Value *P, *Q;
  SmallDenseSet<std::pair<const Value *, const Value *>> Assumed;
  return match(&I, m_Sub(m_PtrToInt(m_Value(P)), m_PtrToInt(m_Value(Q)))) &&
         pointIntoOne(P, Q, Assumed);
}

/// Whether the address that is the integer \p From, or its distance from
/// another object, says no more than how large something is: no address is made
/// of it.
static bool staysSize(const Instruction &From, const TargetLibraryInfo &TLI) {
  SmallPtrSet<const Instruction *, 8> Seen;
  SmallVector<const Instruction *, 8> Work{&From};
  while (!Work.empty()) {
    const Instruction *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    for (const Use &U : V->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      if (isWithinObject(*I))
        continue;
      if (isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst,
              MinMaxIntrinsic>(I) &&
          I->getType()->isIntegerTy()) {
        Work.push_back(I);
        continue;
      }
      auto *Call = dyn_cast<CallBase>(I);
      bool IsSize =
          isa<ICmpInst, AssumeInst>(I) ||
          (isa<MemIntrinsic>(I) && U.getOperandNo() == 2) ||
          (Call && (takesOfHeap(*Call, TLI) || releasedBy(*Call, TLI)));
      if (!IsSize)
        return false;
    }
  }
  return true;
}

bool verso::isReleaseOf(const CallBase &Call, const Value *P,
                        const TargetLibraryInfo &TLI) {
  return releasedBy(Call, TLI) == P;
}

bool verso::isAccessOrSize(const Use &U, const TargetLibraryInfo &TLI) {
  auto *I = cast<Instruction>(U.getUser());
  if (isa<PtrToIntInst>(I))
    return staysSize(*I, TLI);
  if (isa<StoreInst>(I))
    return U.getOperandNo() == StoreInst::getPointerOperandIndex();
  return isa<LoadInst, MemIntrinsic, ICmpInst>(I);
}

/// Whether the block that \p Call takes is accessed through what is made of
/// this pointer, and through nothing else. Whoever releases it is added to
/// \p Releases.
static bool staysLocal(const CallBase &Call, const TargetLibraryInfo &TLI,
                       SmallVectorImpl<CallBase *> &Releases) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Work{&Call};
  while (!Work.empty()) {
    const Value *P = Work.pop_back_val();
    if (!Seen.insert(P).second)
      continue;
    if (!P->getType()->isPointerTy())
      return false;
    for (const Use &U : P->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      auto *User = dyn_cast<CallBase>(I);
      if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(I) ||
          (User && calls(*User, RuntimeFunction::ArenaExtend)))
        Work.push_back(I);
      else if (User && isReleaseOf(*User, P, TLI))
        Releases.push_back(User);
      else if (!isAccessOrSize(U, TLI))
        return false;
    }
  }
  return true;
}

namespace {

/// The blocks of the heap that stay local, and who releases them.
class HeapBlocks {
public:
  HeapBlocks(Function &F, const TargetLibraryInfo &TLI) : TLI(TLI) {
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && takesOfHeap(*Call, TLI)) {
        SmallVector<CallBase *, 2> By;
        if (staysLocal(*Call, TLI, By)) {
          Blocks.insert(Call);
          Releases.insert(By.begin(), By.end());
        }
      }
    // Of what one call may release all have siblings or none.
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const CallBase *Release : Releases)
        Changed |= dropIfMixed(*Release);
    }
    Releases.remove_if([&](const CallBase *Release) {
      return none_of(originsOf(*Release), [&](Value *V) { return isOurs(V); });
    });
  }

  ArrayRef<CallBase *> blocks() const { return Blocks.getArrayRef(); }
  ArrayRef<CallBase *> releases() const { return Releases.getArrayRef(); }

private:
  /// What the released pointer may be, without null: blocks and anything else;
  /// null if it may be a step from one of them.
  SmallVector<Value *, 4> originsOf(const CallBase &Release) const {
    SmallVector<Value *, 4> Origins;
    SmallPtrSet<Value *, 8> Seen;
    SmallVector<Value *, 8> Work{releasedBy(Release, TLI)};
    while (!Work.empty()) {
      Value *V = Work.pop_back_val();
      if (!Seen.insert(V).second || isa<ConstantPointerNull, UndefValue>(V))
        continue;
      if (auto *Phi = dyn_cast<PHINode>(V)) {
        append_range(Work, Phi->incoming_values());
      } else if (auto *Select = dyn_cast<SelectInst>(V)) {
        Work.push_back(Select->getTrueValue());
        Work.push_back(Select->getFalseValue());
      } else if (auto *Freeze = dyn_cast<FreezeInst>(V)) {
        Work.push_back(Freeze->getOperand(0));
      } else if (auto *Step = dyn_cast<GetElementPtrInst>(V)) {
        Work.push_back(Step->getPointerOperand());
        Origins.push_back(nullptr);
      } else {
        Origins.push_back(V);
      }
    }
    return Origins;
  }

  bool isOurs(Value *Origin) const {
    auto *Call = dyn_cast_or_null<CallBase>(Origin);
    return Call && Blocks.contains(Call);
  }

  /// Returns whether there was anything to drop.
  bool dropIfMixed(const CallBase &Release) {
    SmallVector<Value *, 4> Origins = originsOf(Release);
    if (all_of(Origins, [&](Value *V) { return isOurs(V); }))
      return false;
    bool Dropped = false;
    for (Value *V : Origins)
      Dropped |= isOurs(V) && Blocks.remove(cast<CallBase>(V));
    return Dropped;
  }

  const TargetLibraryInfo &TLI;
  SmallSetVector<CallBase *, 8> Blocks, Releases;
};

} // namespace

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

static void markArenaBlocks(Function &F, const TargetLibraryInfo &TLI) {
  SmallVector<CallBase *, 1> Releases;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && takesOfArena(*Call) && !growsInPlace(*Call) &&
        staysLocal(*Call, TLI, Releases) && Releases.empty())
      giveSibling(*Call);
}

static void markHeapBlocks(Function &F, const TargetLibraryInfo &TLI) {
  HeapBlocks Heap(F, TLI);
  for (CallBase *Block : Heap.blocks())
    giveSibling(*Block);
  for (CallBase *Release : Heap.releases())
    giveSibling(*Release);
}

void verso::markLocalObjects(Function &F, const TargetLibraryInfo &TLI) {
  markArenaBlocks(F, TLI);
  markHeapBlocks(F, TLI);
  for (Instruction &I : instructions(F))
    if (auto *Local = dyn_cast<AllocaInst>(&I);
        Local &&
        none_of(Local->users(),
                [](const User *U) {
                  auto *Call = dyn_cast<CallBase>(U);
                  return Call && isInactiveAnnotation(*Call);
                }) &&
        !compat::pointerMayBeCaptured(*Local, /*ReturnCaptures=*/true))
      giveSibling(*Local);
}

//===----------------------------------------------------------------------===//
// Siblings in the heap
//===----------------------------------------------------------------------===//

/// Allocation functions to LLVM and to an outer request (KnownCalls.def).
static FunctionCallee heapFunction(Module &M, StringRef Name, Type *Result,
                                   Type *Parameter, AllocFnKind Kind) {
  LLVMContext &C = M.getContext();
  AttrBuilder Attributes(C);
  Attributes.addAttribute(Attribute::NoUnwind)
      .addAttribute(Attribute::WillReturn)
      .addAllocKindAttr(Kind)
      .addAttribute("alloc-family", "__verso_new_tangents");
  return M.getOrInsertFunction(
      Name, FunctionType::get(Result, {Parameter}, /*isVarArg=*/false),
      AttributeList::get(C, AttributeList::FunctionIndex, Attributes));
}

CallInst *verso::createHeapSibling(IRBuilderBase &B, Value *Bytes) {
  FunctionCallee New = heapFunction(
      *B.GetInsertBlock()->getModule(), "__verso_new_tangents", B.getPtrTy(),
      B.getInt64Ty(), AllocFnKind::Alloc | AllocFnKind::Zeroed);
  auto *F = cast<Function>(New.getCallee());
  F->addRetAttr(Attribute::NoAlias);
  F->addRetAttr(Attribute::NonNull);
  F->addFnAttr(Attribute::getWithAllocSizeArgs(B.getContext(), 0, {}));
  F->setOnlyAccessesInaccessibleMemory();
  return B.CreateCall(New, {Bytes});
}

void verso::releaseHeapSibling(IRBuilderBase &B, Value *Sibling) {
  FunctionCallee Delete =
      heapFunction(*B.GetInsertBlock()->getModule(), "__verso_delete_tangents",
                   B.getVoidTy(), B.getPtrTy(), AllocFnKind::Free);
  auto *F = cast<Function>(Delete.getCallee());
  F->addParamAttr(0, Attribute::AllocatedPointer);
  F->setOnlyAccessesInaccessibleMemOrArgMem();
  B.CreateCall(Delete, {Sibling});
}
