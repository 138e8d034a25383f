//===- OwnGlobals.cpp - static variables as local ones --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/OwnGlobals.h"
#include "LLVMCompat.h"
#include "emit/KeptBlocks.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "rules/KnownCalls.h"
#include "structured/memory/OffsetClass.h"
#include "structured/recursion/Recursion.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <set>

using namespace llvm;
using namespace verso;

static constexpr StringLiteral OwnMark = "verso.own";

namespace {

/// A scalar of a variable.
struct Leaf {
  uint64_t Offset;
  Type *T;
};
using Leaves = SmallVector<Leaf, 16>;

} // namespace

static constexpr unsigned MaxLeaves = 64;

/// False where there are too many, or others than numbers and pointers.
static bool addLeaves(Type *T, uint64_t Offset, const DataLayout &DL,
                      Leaves &All) {
  if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(S);
    for (unsigned K = 0; K != S->getNumElements(); ++K)
      if (!addLeaves(S->getElementType(K),
                     Offset + uint64_t(Layout->getElementOffset(K)), DL, All))
        return false;
    return true;
  }
  if (auto *A = dyn_cast<ArrayType>(T)) {
    if (A->getNumElements() > MaxLeaves)
      return false;
    uint64_t Size = DL.getTypeAllocSize(A->getElementType());
    for (uint64_t K = 0; K != A->getNumElements(); ++K)
      if (!addLeaves(A->getElementType(), Offset + K * Size, DL, All))
        return false;
    return true;
  }
  All.push_back({Offset, T});
  return All.size() <= MaxLeaves &&
         (T->isPointerTy() || T->isIntegerTy() || T->isFloatingPointTy());
}

static Leaves leavesOf(const GlobalVariable &G) {
  Leaves Result;
  bool IsKnown = G.getValueType()->isSized() &&
                 addLeaves(G.getValueType(), 0, G.getDataLayout(), Result);
  return IsKnown ? Result : Leaves();
}

/// Whether \p F is of flang's library, and does not call the program back.
static bool isOfFortran(const Function &F) {
  return F.isDeclaration() && F.getName().starts_with("_FortranA") &&
         !F.getName().contains("DerivedType");
}

/// Whether \p F asks MPI something: it waits for other processes only.
static bool isOfMpi(const Function &F) {
  return F.isDeclaration() && F.getName().starts_with("MPI_") &&
         classifyCall(F);
}

/// Whether \p G is an allocatable variable or a pointer of a Fortran module, or
/// one that is kept: the descriptor (ISO_Fortran_binding.h). Nothing in Fortran
/// leads to a descriptor but its name and a dummy argument.
static bool isDescriptor(const GlobalVariable &G) {
  auto *S = dyn_cast<StructType>(G.getValueType());
  if (!S || S->getNumElements() < 7 || !G.getName().starts_with("_Q") ||
      !S->getElementType(0)->isPointerTy() ||
      !S->getElementType(1)->isIntegerTy(64) ||
      !S->getElementType(2)->isIntegerTy(32))
    return false;
  return all_of(S->elements().slice(3, 4),
                [](Type *T) { return T->isIntegerTy(8); });
}

/// Whether nobody outside of the module can see what happens to it meanwhile:
/// of what is null before requests, and belongs to several files, requests see
/// what is in this module.
static bool isOwn(const GlobalVariable &G) {
  return isDescriptor(G) ||
         (G.hasInitializer() && (G.hasLocalLinkage() || isNullBefore(G)));
}

/// Whether \p U is part of what annotations say, which are no code.
static bool isOfAnnotations(const User &U) {
  if (auto *List = dyn_cast<GlobalVariable>(&U))
    return List->getName() == "llvm.global.annotations";
  return isa<ConstantAggregate>(U) &&
         all_of(U.users(), [](const User *Of) { return isOfAnnotations(*Of); });
}

namespace {

/// Walks over all that is done with a variable's address in the module.
class AddressWalk {
public:
  explicit AddressWalk(const GlobalVariable &G)
      : DL(G.getDataLayout()), Whole(G.getValueType()), All(leavesOf(G)) {}

  bool isAccessedByNameOnly(const GlobalVariable &G) {
    return any_of(All, [](const Leaf &L) { return L.T->isPointerTy(); }) &&
           visit(G, {});
  }

private:
  bool visit(const Value &Address, OffsetClass At) {
    constexpr unsigned MaxAddresses = 4096;
    if (isa<PHINode, SelectInst, LoadInst>(Address)) {
      auto [Known, IsNew] = Chosen.try_emplace(&Address, At);
      At = Known->second = Known->second.joined(At);
    }
    if (!Seen.insert({&Address, At}).second)
      return true;
    return Seen.size() < MaxAddresses &&
           all_of(Address.uses(), [&](auto &U) { return visitUse(U, At); });
  }

  /// Whether an access of a \p T there is of leaves of this type, each as a
  /// whole, or of several integers as one or as a vector.
  bool isLeaf(Type *T, OffsetClass At) const {
    if (T == Whole)
      return At == OffsetClass();
    uint64_t Size = DL.getTypeStoreSize(T);
    bool Any = false;
    for (const Leaf &L : All) {
      OffsetClass Own{int64_t(L.Offset)};
      uint64_t OwnSize = DL.getTypeStoreSize(L.T);
      if (!Own.overlaps(OwnSize, At, Size))
        continue;
      bool IsSame =
          L.T == T && At.joined(Own).withoutLeast() == At.withoutLeast();
      bool IsInside = L.T->isIntegerTy() && T->isIntOrIntVectorTy() &&
                      At.Step == 0 && At.Offset <= Own.Offset &&
                      Own.Offset + OwnSize <= At.Offset + Size;
      if (!IsSame && !IsInside)
        return false;
      Any = true;
    }
    return Any;
  }

  bool visitUse(const Use &U, OffsetClass At) {
    const User *By = U.getUser();
    if (auto *GEP = dyn_cast<GEPOperator>(By)) {
      compat::VariableOffsets Variable;
      unsigned Bits = DL.getIndexTypeSizeInBits(GEP->getType());
      APInt Constant(Bits, 0);
      if (U.getOperandNo() != 0 ||
          !GEP->collectOffset(DL, Bits, Variable, Constant))
        return false;
      At = At.plus(Constant.getSExtValue(), 0);
      for (auto &[Index, Scale] : Variable)
        At = At.plus(0, Scale.abs().getZExtValue());
      return visit(*GEP, At);
    }
    if (auto *Load = dyn_cast<LoadInst>(By))
      return Load->isSimple() && isLeaf(Load->getType(), At);
    if (auto *Store = dyn_cast<StoreInst>(By)) {
      if (U.getOperandNo() == StoreInst::getPointerOperandIndex())
        return Store->isSimple() &&
               isLeaf(Store->getValueOperand()->getType(), At);
      // At -O0, in a local variable of the program's.
      auto *Local = dyn_cast<AllocaInst>(Store->getPointerOperand());
      return Local && isAllocaPromotable(Local) &&
             all_of(Local->users(), [&](const User *V) {
               return !isa<LoadInst>(V) || visit(*V, At);
             });
    }
    if (auto *Bulk = dyn_cast<MemIntrinsic>(By))
      return !Bulk->isVolatile();
    if (isa<PHINode, SelectInst>(By))
      return visit(*By, At);
    if (auto *Call = dyn_cast<CallBase>(By)) {
      const Function *Callee = Call->getCalledFunction();
      if (Callee && isOfFortran(*Callee)) // They do not keep it.
        return true;
      return Callee && Callee->hasExactDefinition() && Call->isArgOperand(&U) &&
             Call->getArgOperandNo(&U) < Callee->arg_size() &&
             visit(*Callee->getArg(Call->getArgOperandNo(&U)), At);
    }
    return isa<ICmpInst>(By) || isOfAnnotations(*By);
  }

  const DataLayout &DL;
  const Type *Whole;
  const Leaves All;
  /// Of pointers that are chosen: all offsets so far.
  DenseMap<const Value *, OffsetClass> Chosen;
  std::set<std::pair<const Value *, OffsetClass>> Seen;
};

} // namespace

void verso::noteOwnGlobals(Module &M) {
  for (GlobalVariable &G : M.globals())
    if (isOwn(G) && !G.isConstant() && !G.isThreadLocal() &&
        !G.isExternallyInitialized() && AddressWalk(G).isAccessedByNameOnly(G))
      G.setMetadata(OwnMark, MDNode::get(M.getContext(), {}));
}

void verso::forgetOwnGlobals(Module &M) {
  for (GlobalVariable &G : M.globals())
    G.setMetadata(OwnMark, nullptr);
}

//===----------------------------------------------------------------------===//
// Who else comes to it
//===----------------------------------------------------------------------===//

static const GlobalVariable *variableOf(const Value *V) {
  return isa<Constant>(V) && V->getType()->isPointerTy()
             ? dyn_cast<GlobalVariable>(getUnderlyingObject(V, /*MaxLookup=*/0))
             : nullptr;
}

/// Whether \p Call leads to nothing of the program's, nor waits for another
/// thread.
static bool isOfLibrary(const CallBase &Call, const TargetLibraryInfo &TLI) {
  LibFunc Known;
  const Function *Callee = Call.getCalledFunction();
  return isInert(Call) || isFrame(Call) || (Callee && isOfFortran(*Callee)) ||
         (Callee && Callee->hasNoSync() &&
          Callee->hasFnAttribute(Attribute::NoCallback)) ||
         (Callee &&
          (Callee->isIntrinsic() || isRuntimeFunction(*Callee) ||
           (Callee->isDeclaration() && TLI.getLibFunc(*Callee, Known) &&
            Known != LibFunc_qsort) ||
           Callee->getName() == "verso_is_differentiated" ||
           Callee->getName() == "__verso_forget_bytes" || isOfMpi(*Callee)));
}

/// Whether \p F or a function that it calls by its name accesses \p G.
static bool reaches(const Function &F, const GlobalVariable &G) {
  SmallPtrSet<const Function *, 8> Seen{&F};
  SmallVector<const Function *, 8> Work{&F};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val()))
      for (const Use &U : I.operands()) {
        if (variableOf(U) == &G)
          return true;
        if (auto *Callee = dyn_cast<Function>(U);
            Callee && Seen.insert(Callee).second)
          Work.push_back(Callee);
      }
  return false;
}

/// By name, or through pointers as far as types allow it. (Those are direct
/// calls in the end.)
bool OwnGlobals::calleesMayUse(const GlobalVariable &G,
                               const TargetLibraryInfo &TLI) const {
  SmallVector<const Function *, 8> Targets;
  for (const Function &Target : *F.getParent())
    if (&Target != &F && !Target.isDeclaration() && Target.hasAddressTaken() &&
        reaches(Target, G))
      Targets.push_back(&Target);
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isOfLibrary(*Call, TLI))
      continue;
    if (Call->isInlineAsm())
      return true;
    if (const Function *Callee = Call->getCalledFunction()) {
      if (Callee->isDeclaration() || reaches(*Callee, G))
        return true;
    } else if (any_of(Targets, [&](const Function *Target) {
                 return Target->getFunctionType() == Call->getFunctionType();
               }))
      return true;
  }
  return false;
}

/// Where others see the variable again.
static bool isEnd(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return isa<ReturnInst, ResumeInst>(I) ||
         (Call && Call->doesNotReturn() && !isInert(*Call) &&
          !calls(*Call, RuntimeFunction::Fail));
}

unsigned OwnGlobals::ends() const { return count_if(instructions(F), isEnd); }

unsigned OwnGlobals::usesOf(const GlobalVariable &G) const {
  unsigned Result = 0;
  for (const Instruction &I : instructions(F))
    Result += count_if(I.operands(),
                       [&](const Use &U) { return variableOf(U) == &G; });
  return Result;
}

//===----------------------------------------------------------------------===//
// Making it local
//===----------------------------------------------------------------------===//

/// What the leaf \p L of \p G holds all along, null if that is not known:
/// version, rank, type and attribute of an array of numbers are those that it
/// was declared with. (An array of any class may change its type.)
static Constant *declared(const GlobalVariable &G, const Leaf &L) {
  constexpr unsigned Version = 16, Type = 21, End = 24;
  constexpr uint64_t LastNumber = 38; // CFI_type_float128_Complex
  if (!isDescriptor(G) || !G.hasDefinitiveInitializer() || L.Offset < Version ||
      L.Offset >= End)
    return nullptr;
  const DataLayout &DL = G.getDataLayout();
  auto At = [&](unsigned Offset, llvm::Type *T) {
    return ConstantFoldLoadFromConst(const_cast<Constant *>(G.getInitializer()),
                                     T, APInt(64, Offset), DL);
  };
  auto *Code = dyn_cast_or_null<ConstantInt>(
      At(Type, llvm::Type::getInt8Ty(G.getContext())));
  return Code && Code->getZExtValue() - 1 < LastNumber ? At(L.Offset, L.T)
                                                       : nullptr;
}

/// The block of the array \p G of numbers, of \p Bytes bytes; null if it is not
/// known to be one.
static Value *keptBlock(IRBuilderBase &B, GlobalVariable &G) {
  constexpr unsigned ElementBytes = 8, Attribute = 22, Dimensions = 24;
  constexpr unsigned AllocatableVariable = 2; // CFI_attribute_allocatable
  Type *Byte = B.getInt8Ty(), *Word = B.getInt64Ty();
  auto *Kind = dyn_cast_or_null<ConstantInt>(declared(G, {Attribute, Byte}));
  if (!Kind || Kind->getZExtValue() != AllocatableVariable)
    return nullptr;
  auto Load = [&](Type *T, uint64_t Offset) {
    return B.CreateAlignedLoad(
        T, B.CreateConstInBoundsGEP1_64(Byte, &G, Offset),
        commonAlignment(G.getAlign().valueOrOne(), Offset));
  };
  Value *Was = Load(B.getPtrTy(), 0), *Bytes = Load(Word, ElementBytes);
  auto *T = cast<StructType>(G.getValueType());
  if (T->getNumElements() > 7)
    for (uint64_t K = 0; K != T->getElementType(7)->getArrayNumElements(); ++K)
      Bytes = B.CreateMul(Bytes, Load(Word, Dimensions + 24 * K + 8));
  return emitKept(
      B, G, B.CreateSelect(B.CreateIsNull(Was), B.getInt64(0), Bytes), Was);
}

/// The pointer \p L of \p G, which the program says is null before, has to be.
static void emitNullCheck(IRBuilderBase &B, GlobalVariable &G, const Leaf &L) {
  Instruction *Next = &*B.GetInsertPoint();
  Value *Was = B.CreateLoad(
      L.T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &G, L.Offset));
  Instruction *Failed = SplitBlockAndInsertIfThen(
      B.CreateIsNotNull(Was), Next->getIterator(), /*Unreachable=*/true);
  B.SetInsertPoint(Next);
  IRBuilder<> Then(Failed);
  callRuntime(Then, RuntimeFunction::Fail,
              {Then.CreateGlobalString("a variable that is marked with "
                                       "VERSO_NULL_BEFORE is not null",
                                       "verso.reason"),
               emitLocation(Then, "'" + G.getName().str() + "'")});
}

/// What \p Known knows of a leaf needs no load.
static void copyLeaves(IRBuilderBase &B, const Leaves &All, Value *To,
                       Value *From, Align Alignment,
                       function_ref<Value *(const Leaf &)> Known) {
  for (const Leaf &L : All) {
    Align A = commonAlignment(Alignment, L.Offset);
    Value *V = Known(L);
    if (!V)
      V = B.CreateAlignedLoad(
          L.T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), From, L.Offset), A);
    B.CreateAlignedStore(
        V, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), To, L.Offset), A);
  }
}

void OwnGlobals::makeLocal(GlobalVariable &G) {
  const DataLayout &DL = G.getDataLayout();
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *Local = new AllocaInst(G.getValueType(), DL.getAllocaAddrSpace(),
                                     G.getName(), F.getEntryBlock().begin());
  Local->setAlignment(DL.getPreferredAlign(&G));
  for (Instruction &I : instructions(F))
    for (Use &U : I.operands()) {
      if (variableOf(U) != &G)
        continue;
      APInt Offset(DL.getIndexTypeSizeInBits(G.getType()), 0);
      U->stripAndAccumulateConstantOffsets(DL, Offset,
                                           /*AllowNonInbounds=*/true);
      // Constants dominate all: the step is made at the entry.
      IRBuilder<> Step(Local->getNextNode());
      U = Offset.isZero()
              ? Local
              : Step.CreatePtrAdd(Local, Step.getInt(Offset), "own");
    }
  Leaves All = leavesOf(G);
  auto Declared = [&](const Leaf &L) -> Value * { return declared(G, L); };
  auto Before = [&](const Leaf &L) -> Value * {
    if (isNullBefore(G) && L.T->isPointerTy()) {
      emitNullCheck(B, G, L);
      return ConstantPointerNull::get(cast<PointerType>(L.T));
    }
    Value *Block = MayKeep && L.Offset == 0 ? keptBlock(B, G) : nullptr;
    return Block ? Block : Declared(L);
  };
  const Align Alignment = G.getAlign().valueOrOne();
  copyLeaves(B, All, Local, &G, Alignment, Before);
  SmallVector<Instruction *, 4> Ending;
  for (Instruction &I : instructions(F))
    if (isEnd(I))
      Ending.push_back(&I);
  for (Instruction *I : Ending) {
    B.SetInsertPoint(I);
    copyLeaves(B, All, &G, Local, Alignment, Declared);
  }
}

void OwnGlobals::makeLocal(const TargetLibraryInfo &TLI, Refusals &Refused) {
  for (const Own &O : All)
    if (usesOf(*O.G) != O.Uses || ends() != Ends)
      return Refused.add("a function that a pointer leads to may see a static "
                         "variable that is kept as a local one");
  bool MayThrow = any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && !Call->doesNotThrow() && !Call->doesNotReturn() &&
           !isInert(I) &&
           (!isOfLibrary(*Call, TLI) || Callee->getName().starts_with("_Z"));
  });
  bool Waits = any_of(instructions(F), [](const Instruction &I) {
    return I.isAtomic() && !isInert(I);
  });
  if ((MayThrow || Waits) && !All.empty())
    return Refused.add(
        "a function that a pointer leads to throws, or waits for "
        "another thread, while a static variable is kept as a "
        "local one");
  if (MayThrow || Waits)
    return;
  for (GlobalVariable &G : F.getParent()->globals()) {
    if (!G.hasMetadata(OwnMark) ||
        any_of(All, [&](const Own &O) { return O.G == &G; }))
      continue;
    bool IsUsed = false, IsPassed = false;
    for (const Instruction &I : instructions(F))
      for (const Use &U : I.operands())
        if (variableOf(U) == &G) {
          IsUsed = true;
          IsPassed |= isa<CallBase>(I) && !isa<MemIntrinsic>(I);
        }
    if (!IsUsed || IsPassed || calleesMayUse(G, TLI))
      continue;
    makeLocal(G);
    All.push_back({&G, 0});
  }
  count();
}

void OwnGlobals::count() {
  for (Own &O : All)
    O.Uses = usesOf(*O.G);
  Ends = All.empty() ? 0 : ends();
}

void OwnGlobals::refuseUsers(const TargetLibraryInfo &TLI, Refusals &Refused) {
  for (const Own &O : All)
    if (calleesMayUse(*O.G, TLI))
      return Refused.add("a function that is called may see a static variable "
                         "that is kept as a local one");
}
