//===- MixedUnions.cpp - unions of numbers of several types ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/MixedUnions.h"
#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace verso;

/// Has a variable as its argument, which is in memory therefore, and returns
/// it, without the knowledge that it may be read at any time: a member is read
/// only where the program reads it. Has no body, and is gone after lowering.
static constexpr StringLiteral InMemory = "__verso_in_memory";
/// Of bytes of such a union; likewise.
static constexpr StringLiteral OfUnion = "__verso_of_union";

bool verso::isUnion(const Type &T) {
  auto *Struct = dyn_cast<StructType>(&T);
  return Struct && Struct->hasName() && Struct->getName().starts_with("union.");
}

/// The union at the start of \p T; null if there is none.
static StructType *unionAtStart(Type *T) {
  while (!isUnion(*T)) {
    auto *Struct = dyn_cast<StructType>(T);
    auto *Array = dyn_cast<ArrayType>(T);
    if (Array)
      T = Array->getElementType();
    else if (Struct && Struct->getNumElements())
      T = Struct->getElementType(0);
    else
      return nullptr;
  }
  return cast<StructType>(T);
}

namespace {

struct Number {
  uint64_t At;
  Type *T;
  bool operator==(const Number &) const = default;
};

/// The numbers that are accessed by a pointer and by all that come from it, in
/// the first Bytes bytes.
class NumbersBehind {
public:
  NumbersBehind(const DataLayout &DL, uint64_t Bytes) : DL(DL), Bytes(Bytes) {}
  void add(const Value &P, uint64_t At) {
    if (At < Bytes && Seen.size() < MaxPointers && Seen.insert({&P, At}).second)
      Work.push_back({&P, At});
  }
  void addNumbers(Type *T, uint64_t At);
  void follow() {
    while (!Work.empty()) {
      auto [P, At] = Work.pop_back_val();
      for (const Use &U : P->uses())
        followUse(U, At);
    }
  }
  /// Whether two of different types have a byte in common.
  bool areMixed() const {
    return any_of(All, [&](const Number &A) {
      return any_of(All, [&](const Number &B) {
        return A.T != B.T && A.At < B.At + DL.getTypeStoreSize(B.T) &&
               B.At < A.At + DL.getTypeStoreSize(A.T);
      });
    });
  }

private:
  /// More pointers to a union are not followed.
  static constexpr unsigned MaxPointers = 4096;
  static constexpr unsigned MaxNumbers = 64;

  void followAddress(const GEPOperator &Gep, uint64_t At);
  void followUse(const Use &U, uint64_t At);

  const DataLayout &DL;
  const uint64_t Bytes;
  SmallVector<std::pair<const Value *, uint64_t>, 16> Work;
  DenseSet<std::pair<const Value *, uint64_t>> Seen;
  SmallVector<Number, 8> All;
};

} // namespace

/// Whether clang makes \p T up, to hand on a structure in registers.
static bool isOfRegisters(const Type *T) {
  auto *Struct = dyn_cast<StructType>(T);
  return Struct && Struct->isLiteral();
}

/// A value of type \p T is at \p At. In a union within it only what is accessed
/// is.
void NumbersBehind::addNumbers(Type *T, uint64_t At) {
  if (At >= Bytes || All.size() >= MaxNumbers || !T->isSized() || isUnion(*T))
    return;
  if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout &Layout = *DL.getStructLayout(Struct);
    for (auto [K, Each] : enumerate(Struct->elements()))
      addNumbers(Each, At + Layout.getElementOffset(K));
  } else if (auto *Array = dyn_cast<ArrayType>(T)) {
    Type *Each = Array->getElementType();
    const uint64_t Size = DL.getTypeAllocSize(Each);
    for (uint64_t K = 0; K != Array->getNumElements() &&
                         At + K * Size < Bytes && All.size() < MaxNumbers;
         ++K)
      addNumbers(Each, At + K * Size);
  } else if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    addNumbers(
        ArrayType::get(Vector->getElementType(), Vector->getNumElements()), At);
  } else if (Number New{At, T};
             T->isFloatingPointTy() && !is_contained(All, New)) {
    All.push_back(New);
  }
}

void NumbersBehind::followAddress(const GEPOperator &Gep, uint64_t At) {
  Type *T = Gep.getSourceElementType();
  // No member of a union is computed like one of a structure. And what is
  // another element of an array of unions is known by itself.
  auto *First = dyn_cast<ConstantInt>(*Gep.idx_begin());
  if (isOfRegisters(T) || (isUnion(*T) && Gep.getNumIndices() > 1) || !First ||
      !First->isZero())
    return;
  // Of an array's elements the first stands for all.
  APInt Offset(DL.getIndexTypeSizeInBits(Gep.getType()), 0);
  auto AsFirst = [](Value &, APInt &Index) {
    Index = APInt(64, 0);
    return true;
  };
  if (!Gep.accumulateConstantOffset(DL, Offset, AsFirst) || Offset.isNegative())
    return;
  addNumbers(T, At);
  add(Gep, At + Offset.getZExtValue());
}

void NumbersBehind::followUse(const Use &U, uint64_t At) {
  if (auto *Gep = dyn_cast<GEPOperator>(U.getUser()))
    return followAddress(*Gep, At);
  auto *I = dyn_cast<Instruction>(U.getUser());
  if (!I)
    return;
  if (const Value *P = getLoadStorePointerOperand(I); P == U.get()) {
    if (!isOfRegisters(getLoadStoreType(I)))
      addNumbers(getLoadStoreType(I), At);
  } else if (auto *Store = dyn_cast<StoreInst>(I)) {
    // A variable of the program's, a pointer.
    if (auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand()))
      for (const User *By : Variable->users())
        if (isa<LoadInst>(By) && By->getType()->isPointerTy())
          add(*By, At);
  } else if (auto *Copy = dyn_cast<MemTransferInst>(I)) {
    for (const Value *Side : {Copy->getRawDest(), Copy->getRawSource()})
      if (auto *Variable = dyn_cast<AllocaInst>(Side);
          Variable && Side != U.get() &&
          !isOfRegisters(Variable->getAllocatedType()))
        addNumbers(Variable->getAllocatedType(), At);
  } else if (isa<PHINode, SelectInst>(I)) {
    add(*I, At);
  } else if (auto *Call = dyn_cast<CallBase>(I)) {
    const Function *Callee = Call->getCalledFunction();
    if (Callee && !Callee->isDeclaration() && Call->isArgOperand(&U) &&
        Call->getArgOperandNo(&U) < Callee->arg_size())
      add(*Callee->getArg(Call->getArgOperandNo(&U)), At);
  }
}

MixedUnions::MixedUnions(Module &M) {
  const DataLayout &DL = M.getDataLayout();
  MapVector<StructType *, SmallVector<const Value *, 8>> Pointers;
  auto Add = [&](Type *Pointee, const Value &P) {
    if (StructType *Union = unionAtStart(Pointee);
        Union && !Union->isOpaque() && Union->isSized())
      Pointers[Union].push_back(&P);
  };
  auto AddAddress = [&](const Value &P) {
    if (auto *Gep = dyn_cast<GEPOperator>(&P)) {
      Add(Gep->getResultElementType(), P);
      // `u->d`, where another line has `u[i]`.
      Add(Gep->getSourceElementType(), *Gep->getPointerOperand());
    }
  };
  for (GlobalVariable &G : M.globals())
    Add(G.getValueType(), G);
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (auto *Variable = dyn_cast<AllocaInst>(&I))
        Add(Variable->getAllocatedType(), I);
      AddAddress(I);
      for (const Value *Op : I.operands())
        if (isa<ConstantExpr>(Op))
          AddAddress(*Op);
    }
  for (auto &[Union, All] : Pointers) {
    NumbersBehind Behind(DL, DL.getTypeAllocSize(Union));
    for (const Value *P : All)
      Behind.add(*P, 0);
    // Its largest member, whether it is accessed or not.
    Behind.addNumbers(Union->getElementType(0), 0);
    Behind.follow();
    if (Behind.areMixed())
      Mixed.insert(Union);
  }
}

/// Whether \p Access is of a double where the program has a vector of floats: a
/// structure of one is handed on as that.
static bool isOfVector(const Instruction &Access) {
  const Value *P = getLoadStorePointerOperand(&Access);
  if (!P || !compat::loadStoreType(Access)->isDoubleTy())
    return false;
  auto IsVector = [](const Type *T) {
    return T->isVectorTy() && T->getScalarType()->isFloatTy();
  };
  auto *Gep = dyn_cast<GEPOperator>(P);
  if (Gep && IsVector(Gep->getResultElementType()))
    return true;
  const DataLayout &DL = Access.getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
  const Value *Base = P->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  auto *Variable = dyn_cast<AllocaInst>(Base);
  Type *T = Variable ? Variable->getAllocatedType() : nullptr;
  while (T && (T->isStructTy() || T->isArrayTy()))
    if (!DL.getGEPIndexForOffset(T, Offset))
      return false;
  return T && IsVector(T);
}

/// Whether \p Access is of a structure as it is handed on in registers.
static bool isOfRegisters(const Instruction &Access) {
  auto *Gep =
      dyn_cast_or_null<GetElementPtrInst>(getLoadStorePointerOperand(&Access));
  return Gep &&
         (isOfRegisters(Gep->getSourceElementType()) ||
          (isUnion(*Gep->getSourceElementType()) && Gep->getNumIndices() > 1));
}

/// Whether \p P, or something in it, is copied, may be by a call, or is handed
/// on in a register. All members that are accessed are known else, in
/// registers, too.
static bool isCopied(const Value &P) {
  return any_of(P.users(), [](const User *U) {
    if (isa<GetElementPtrInst>(U))
      return isCopied(*U);
    if (auto *Store = dyn_cast<StoreInst>(U))
      return isa<Argument>(Store->getValueOperand()) && isOfRegisters(*Store);
    auto *Call = dyn_cast<CallBase>(U);
    return Call && (isa<MemTransferInst>(Call) || !isa<IntrinsicInst>(Call));
  });
}

/// Whether an index into \p P is a variable: such arrays stay in memory.
static bool isIndexed(const Value &P) {
  return any_of(P.users(), [](const User *U) {
    auto *Gep = dyn_cast<GetElementPtrInst>(U);
    return Gep && (!Gep->hasAllConstantIndices() || isIndexed(*Gep));
  });
}

bool MixedUnions::isIn(const Type &T) const {
  return contains(&T) ||
         any_of(T.subtypes(), [&](const Type *Each) { return isIn(*Each); });
}

static bool hasNumbers(const Type &T) {
  return T.isFPOrFPVectorTy() || any_of(T.subtypes(), [](const Type *Each) {
           return hasNumbers(*Each);
         });
}

/// \p T with words of its size in the place of unions whose largest member has
/// numbers.
static Type *withoutUnions(Type *T, const DataLayout &DL) {
  if (auto *Array = dyn_cast<ArrayType>(T))
    return ArrayType::get(withoutUnions(Array->getElementType(), DL),
                          Array->getNumElements());
  auto *Struct = dyn_cast<StructType>(T);
  if (!Struct || Struct->isOpaque() || Struct->isScalableTy())
    return T;
  if (isUnion(*Struct)) {
    if (!hasNumbers(*Struct))
      return T;
    const uint64_t Word = std::min<uint64_t>(DL.getABITypeAlign(T).value(), 8);
    return ArrayType::get(IntegerType::get(T->getContext(), 8 * Word),
                          DL.getTypeAllocSize(T) / Word);
  }
  SmallVector<Type *, 8> Members;
  for (Type *Each : Struct->elements())
    Members.push_back(withoutUnions(Each, DL));
  return equal(Members, Struct->elements())
             ? T
             : StructType::get(T->getContext(), Members, Struct->isPacked());
}

/// What is known of the type of a variable of a union is a member's, which
/// would be that of what is copied through it.
static bool openUnions(AllocaInst &Variable) {
  const DataLayout &DL = Variable.getDataLayout();
  Type *T = Variable.getAllocatedType(), *Open = withoutUnions(T, DL);
  if (Open == T || DL.getTypeAllocSize(Open) != DL.getTypeAllocSize(T))
    return false;
  Variable.setAllocatedType(Open);
  return true;
}

/// => only the address of \p Variable, of which nothing is known, is used.
static void keep(Value &Variable, BasicBlock::iterator At) {
  Module &M = *At->getModule();
  Type *Pointer = PointerType::getUnqual(M.getContext());
  FunctionCallee Callee = M.getOrInsertFunction(InMemory, Pointer, Pointer);
  auto *Declared = cast<Function>(Callee.getCallee());
  Declared->setDoesNotAccessMemory();
  Declared->setDoesNotThrow();
  Declared->setWillReturn();
  IRBuilder<> B(At->getParent(), At);
  CallInst *Address = B.CreateCall(Callee, &Variable);
  Variable.replaceUsesWithIf(Address, [&](const Use &U) {
    return U.getUser() != Address && !isa<LifetimeIntrinsic>(U.getUser());
  });
}

/// Loads and stores of whole structures become those of their members, which
/// nobody does for memory that stays memory.
static void splitAccesses(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *P = getLoadStorePointerOperand(&I);
    auto *T = P ? dyn_cast<StructType>(getLoadStoreType(&I)) : nullptr;
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!T || (Load ? !Load->isSimple() : !Store || !Store->isSimple()))
      continue;
    IRBuilder<> B(&I);
    Value *Whole = Load ? PoisonValue::get(T) : Store->getValueOperand();
    for (unsigned K = 0; K != T->getNumElements(); ++K) {
      Value *At = B.CreateStructGEP(T, P, K);
      const Align Its =
          commonAlignment(getLoadStoreAlignment(&I),
                          DL.getStructLayout(T)->getElementOffset(K));
      if (Load)
        Whole = B.CreateInsertValue(
            Whole, B.CreateAlignedLoad(T->getElementType(K), At, Its), K);
      else
        B.CreateAlignedStore(B.CreateExtractValue(Whole, K), At, Its);
    }
    if (Load)
      Load->replaceAllUsesWith(Whole);
    I.eraseFromParent();
  }
}

/// => bits, which are cast to the type of the register. Returns whether \p F is
/// handed such a union, or returns one.
static bool openRegisters(Function &F,
                          function_ref<bool(const Instruction &)> IsOpened) {
  bool AreHanded = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Type *T = IsOpened(I) ? getLoadStoreType(&I) : nullptr;
    if (!T || !(T->isFloatTy() || T->isDoubleTy()))
      continue;
    IRBuilder<> B(&I);
    Type *Bits = B.getIntNTy(T->getPrimitiveSizeInBits());
    Value *P = getLoadStorePointerOperand(&I);
    Instruction *New;
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      AreHanded |= isa<Argument>(Store->getValueOperand());
      New =
          B.CreateAlignedStore(B.CreateBitCast(Store->getValueOperand(), Bits),
                               P, Store->getAlign());
    } else {
      AreHanded |= any_of(I.users(), [](const User *U) {
        return isa<ReturnInst, InsertValueInst>(U);
      });
      New = B.CreateAlignedLoad(Bits, P, cast<LoadInst>(I).getAlign());
      I.replaceAllUsesWith(B.CreateBitCast(New, T));
    }
    New->setMetadata(LLVMContext::MD_tbaa,
                     declaredTag(F.getContext(), DeclaredKind::Mixed));
    I.eraseFromParent();
  }
  return AreHanded;
}

/// Calls of \p F become its body: the type of a register says nothing. Not what
/// the user says something of (that it is inactive, or has a derivative), which
/// names it.
static void inlineCalls(Function &F) {
  SmallVector<CallBase *, 8> Calls;
  for (const Use &U : F.uses()) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || Call->getFunction() == &F)
      return;
    Calls.push_back(Call);
  }
  if (F.isInterposable() || F.isVarArg() || isMarkedInactive(F))
    return;
  for (CallBase *Call : Calls) {
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
}

bool MixedUnions::keepVariables(Module &M) const {
  bool Changed = false;
  SmallVector<Function *, 4> Handed;
  for (Function &F : M)
    Changed |= keepVariables(F, Handed);
  for (Function *F : Handed)
    inlineCalls(*F);
  return Changed;
}

bool MixedUnions::keepVariables(Function &F,
                                SmallVectorImpl<Function *> &Handed) const {
  // A coroutine's variables move to its frame.
  if (F.isPresplitCoroutine())
    return false;
  bool Changed = false, AnyKept = false;
  for (Argument &A : F.args())
    if (Type *T = A.getParamByValType(); T && !F.isDeclaration() && isIn(*T)) {
      keep(A, F.getEntryBlock().getFirstInsertionPt());
      AnyKept = true;
    }
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Variable = dyn_cast<AllocaInst>(&I)) {
      const bool IsKept = isIn(*Variable->getAllocatedType()) &&
                          isCopied(*Variable) && !isIndexed(*Variable);
      if (IsKept)
        keep(*Variable, std::next(Variable->getIterator()));
      AnyKept |= IsKept;
      Changed |= openUnions(*Variable);
    }
  // A union by itself is handed on right out of where it is.
  AnyKept |= any_of(instructions(F), [&](const Instruction &I) {
    return isOfRegisters(I) &&
           contains(cast<GEPOperator>(getLoadStorePointerOperand(&I))
                        ->getSourceElementType());
  });
  if (AnyKept)
    splitAccesses(F);
  const bool AnyVector = any_of(instructions(F), isOfVector);
  bool IsHanded = AnyVector && openRegisters(F, isOfVector);
  IsHanded |= AnyKept && openRegisters(F, [](const Instruction &I) {
                return isOfRegisters(I);
              });
  if (IsHanded)
    Handed.push_back(&F);
  return Changed || AnyKept || AnyVector;
}

void verso::noteMixed(MemTransferInst &Copy, Value *P, uint64_t Offset,
                      uint64_t Bytes) {
  IRBuilder<> B(&Copy);
  FunctionCallee Callee = Copy.getModule()->getOrInsertFunction(
      OfUnion, B.getVoidTy(), P->getType(), B.getInt64Ty());
  auto *Declared = cast<Function>(Callee.getCallee());
  Declared->setOnlyAccessesInaccessibleMemory();
  Declared->setDoesNotThrow();
  Declared->setWillReturn();
  B.CreateCall(Callee, {B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, Offset),
                        B.getInt64(Bytes)});
}

void verso::eachMixed(const Function &F,
                      function_ref<void(const Value *, uint64_t)> Do) {
  const Function *Declared = F.getParent()->getFunction(OfUnion);
  if (!Declared)
    return;
  for (const User *U : Declared->users())
    if (auto *Call = cast<CallInst>(U); Call->getFunction() == &F)
      Do(Call->getArgOperand(0),
         cast<ConstantInt>(Call->getArgOperand(1))->getZExtValue());
}

bool verso::holdsMixedUnions(const Module &M) {
  return M.getFunction(InMemory) || M.getFunction(OfUnion);
}

bool verso::releaseUnions(Module &M) {
  bool Any = false;
  for (StringRef Name : {InMemory, OfUnion})
    if (Function *Declared = M.getFunction(Name)) {
      for (User *U : make_early_inc_range(Declared->users())) {
        auto *Call = cast<CallInst>(U);
        if (!Call->getType()->isVoidTy())
          Call->replaceAllUsesWith(Call->getArgOperand(0));
        Call->eraseFromParent();
      }
      Declared->eraseFromParent();
      Any = true;
    }
  return Any;
}
