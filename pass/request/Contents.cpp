//===- Contents.cpp - where types and integers hold numbers ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/Contents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <map>
#include <optional>

using namespace llvm;
using namespace verso;

Contents &Contents::operator|=(const Contents &That) {
  Real |= That.Real;
  Pointer |= That.Pointer;
  Other |= That.Other;
  Scalable |= That.Scalable;
  return *this;
}

Contents verso::contentsOf(Type *T) {
  Contents C;
  if (auto *V = dyn_cast<VectorType>(T)) {
    C = contentsOf(V->getElementType());
    C.Scalable = isa<ScalableVectorType>(T);
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    if (A->getNumElements())
      C = contentsOf(A->getElementType());
  } else if (auto *S = dyn_cast<StructType>(T)) {
    for (Type *E : S->elements())
      C |= contentsOf(E);
  } else {
    C.Real = T->isFloatingPointTy();
    C.Pointer = T->isPointerTy();
    C.Other = !C.Real && !C.Pointer && !T->isVoidTy();
  }
  return C;
}

void verso::flattenType(Type *T, SmallVectorImpl<Type *> &Scalars) {
  if (auto *V = dyn_cast<FixedVectorType>(T))
    Scalars.append(V->getNumElements(), V->getElementType());
  else if (auto *A = dyn_cast<ArrayType>(T))
    for (uint64_t K = 0; K != A->getNumElements(); ++K)
      flattenType(A->getElementType(), Scalars);
  else if (auto *S = dyn_cast<StructType>(T))
    for (Type *E : S->elements())
      flattenType(E, Scalars);
  else if (!T->isVoidTy())
    Scalars.push_back(T);
}

unsigned verso::countReals(Type *T) {
  SmallVector<Type *, 8> Scalars;
  flattenType(T, Scalars);
  return count_if(Scalars, [](Type *S) { return S->isFloatingPointTy(); });
}

//===----------------------------------------------------------------------===//
// Numbers in integers
//===----------------------------------------------------------------------===//

namespace {

/// The numbers found in an integer, or in memory, by their offset in bytes.
class CarriedReals {
public:
  CarriedReals(const DataLayout &DL, Type *Whole)
      : DL(DL), Whole(Whole), Bytes(DL.getTypeStoreSize(Whole)) {}

  /// What is accessed through \p Pointer, which leads to byte \p Offset, or
  /// anywhere.
  void followMemory(Value *Pointer, std::optional<int64_t> Offset);
  /// Numbers that are accessed by a variable index lie wherever nothing else is
  /// known to; false if some may lie where nobody has seen any.
  bool fillGaps();

  /// What happens to \p V, whose lowest bit is bit \p Bit of the integer.
  void followUses(Value *V, uint64_t Bit);
  /// What \p V is made of; its lowest bit is bit \p Bit of the integer.
  void followOperands(Value *V, uint64_t Bit);
  /// The same where the integer is element \p K of the structure \p V.
  void followElement(Value *V, unsigned K);
  StructType *structType() const;

private:
  void add(uint64_t Bit, Type *T);
  void addMemory(Value *Pointer, uint64_t Offset = 0);
  void addTypeAt(Type *T, uint64_t Offset, uint64_t Start);

  void followCopy(MemTransferInst &Copy, Value *Pointer,
                  std::optional<int64_t> Offset);

  const DataLayout &DL;
  Type *Whole;
  uint64_t Bytes;
  std::map<uint64_t, Type *> Found;
  /// The type of what is accessed by a variable index.
  Type *Anywhere = nullptr;
  /// The memory is used in a way that tells nothing.
  bool IsUnclear = false;
  SmallPtrSet<Value *, 16> Seen;
};

} // namespace

void CarriedReals::add(uint64_t Bit, Type *T) {
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    uint64_t Width = DL.getTypeSizeInBits(V->getElementType());
    for (unsigned K = 0; K != V->getNumElements(); ++K)
      add(Bit + K * Width, V->getElementType());
    return;
  }
  if (T->isFloatingPointTy() && Bit % 8 == 0 &&
      Bit / 8 + DL.getTypeStoreSize(T) <= Bytes)
    Found.try_emplace(Bit / 8, T);
}

/// The numbers of \p T, which begins at \p Offset of a variable, as far as they
/// lie in what the integer covers, which begins at \p Start.
void CarriedReals::addTypeAt(Type *T, uint64_t Offset, uint64_t Start) {
  if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(S);
    for (auto [K, E] : enumerate(S->elements()))
      addTypeAt(E, Offset + Layout->getElementOffset(K), Start);
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Stride = DL.getTypeAllocSize(A->getElementType());
    for (uint64_t K = 0;
         K != A->getNumElements() && Offset + K * Stride < Start + Bytes; ++K)
      addTypeAt(A->getElementType(), Offset + K * Stride, Start);
  } else if (Offset >= Start) {
    add((Offset - Start) * 8, T);
  }
}

/// The integer is stored to, or loaded from, \p Offset bytes behind \p Pointer.
void CarriedReals::addMemory(Value *Pointer, uint64_t Offset) {
  APInt Start(DL.getIndexTypeSizeInBits(Pointer->getType()), Offset);
  auto *Slot = dyn_cast<AllocaInst>(Pointer->stripAndAccumulateConstantOffsets(
      DL, Start, /*AllowNonInbounds=*/true));
  if (!Slot)
    return;
  addTypeAt(Slot->getAllocatedType(), 0, Start.getZExtValue());
  // A struct of another size goes through a variable of the registers' types.
  for (User *U : Slot->users())
    if (auto *Copy = dyn_cast<MemTransferInst>(U))
      for (Value *End : {Copy->getRawSource(), Copy->getRawDest()})
        if (auto *Other = dyn_cast<AllocaInst>(End->stripPointerCasts()))
          addTypeAt(Other->getAllocatedType(), 0, Start.getZExtValue());
}

/// What the function that \p Call calls by name returns.
static SmallVector<Value *, 2> returnedBy(const CallBase &Call) {
  SmallVector<Value *, 2> Values;
  if (Function *Callee = Call.getCalledFunction())
    for (BasicBlock &Block : *Callee)
      if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
        Values.push_back(Return->getReturnValue());
  return Values;
}

void CarriedReals::followUses(Value *V, uint64_t Bit) {
  if (!Seen.insert(V).second)
    return;
  for (User *U : V->users()) {
    auto *Shift = dyn_cast<BinaryOperator>(U);
    auto *Amount =
        Shift ? dyn_cast<ConstantInt>(Shift->getOperand(1)) : nullptr;
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      if (Store->getValueOperand() == V && V->getType() == Whole)
        addMemory(Store->getPointerOperand());
    } else if (isa<BitCastInst>(U)) {
      add(Bit, U->getType());
    } else if (isa<TruncInst, FreezeInst>(U)) {
      followUses(U, Bit);
    } else if (Amount && Shift->getOpcode() == Instruction::LShr) {
      followUses(U, Bit + Amount->getLimitedValue(Bytes * 8));
    }
  }
}

void CarriedReals::followOperands(Value *V, uint64_t Bit) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Seen.insert(V).second)
    return;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (Load->getType() == Whole)
      addMemory(Load->getPointerOperand());
  } else if (auto *Call = dyn_cast<CallBase>(I)) {
    for (Value *Returned : returnedBy(*Call))
      if (Returned->getType() == I->getType())
        followOperands(Returned, Bit);
  } else if (isa<BitCastInst>(I)) {
    add(Bit, I->getOperand(0)->getType());
  } else if (isa<ZExtInst, FreezeInst, PHINode>(I) ||
             I->getOpcode() == Instruction::Or) {
    for (Value *Op : I->operands())
      followOperands(Op, Bit);
  } else if (auto *Select = dyn_cast<SelectInst>(I)) {
    followOperands(Select->getTrueValue(), Bit);
    followOperands(Select->getFalseValue(), Bit);
  } else if (I->getOpcode() == Instruction::Shl) {
    if (auto *Amount = dyn_cast<ConstantInt>(I->getOperand(1)))
      followOperands(I->getOperand(0),
                     Bit + Amount->getLimitedValue(Bytes * 8));
  }
}

void CarriedReals::followElement(Value *V, unsigned K) {
  if (!isa<Instruction>(V) || !Seen.insert(V).second)
    return;
  if (auto *Insert = dyn_cast<InsertValueInst>(V)) {
    if (Insert->getIndices() == ArrayRef(K))
      followOperands(Insert->getInsertedValueOperand(), 0);
    else
      followElement(Insert->getAggregateOperand(), K);
  } else if (auto *Load = dyn_cast<LoadInst>(V)) {
    const StructLayout *Layout =
        DL.getStructLayout(cast<StructType>(Load->getType()));
    addMemory(Load->getPointerOperand(), Layout->getElementOffset(K));
  } else if (auto *Select = dyn_cast<SelectInst>(V)) {
    followElement(Select->getTrueValue(), K);
    followElement(Select->getFalseValue(), K);
  } else if (isa<PHINode, FreezeInst>(V)) {
    for (Value *From : cast<Instruction>(V)->operands())
      followElement(From, K);
  } else if (auto *Call = dyn_cast<CallBase>(V)) {
    for (Value *Returned : returnedBy(*Call))
      followElement(Returned, K);
  }
}

void CarriedReals::followCopy(MemTransferInst &Copy, Value *Pointer,
                              std::optional<int64_t> Offset) {
  Value *Other =
      Copy.getRawDest() == Pointer ? Copy.getRawSource() : Copy.getRawDest();
  APInt Begin(DL.getIndexTypeSizeInBits(Other->getType()), 0);
  Value *Base = Other->stripAndAccumulateConstantOffsets(
      DL, Begin, /*AllowNonInbounds=*/true);
  if (Offset)
    *Offset -= Begin.getSExtValue();
  if (auto *Slot = dyn_cast<AllocaInst>(Base); Slot && Offset && *Offset <= 0)
    addTypeAt(Slot->getAllocatedType(), 0, -*Offset);
  if (isa<AllocaInst, Argument>(Base))
    followMemory(Base, Offset);
  else
    IsUnclear = true;
}

void CarriedReals::followMemory(Value *Pointer, std::optional<int64_t> Offset) {
  if (!Seen.insert(Pointer).second)
    return;
  auto Access = [&](Type *T) {
    if (Offset && *Offset >= 0)
      add(*Offset * 8, T);
    else if (!Offset && T->getScalarType()->isFloatingPointTy())
      Anywhere = T->getScalarType();
  };
  for (Use &U : Pointer->uses()) {
    auto *I = cast<Instruction>(U.getUser());
    if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
      APInt Step(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
      if (Offset && GEP->accumulateConstantOffset(DL, Step))
        followMemory(I, *Offset + Step.getSExtValue());
      else
        followMemory(I, std::nullopt);
    } else if (isa<LoadInst>(I)) {
      Access(I->getType());
      // Bits that are moved may be a number's.
      IsUnclear |=
          I->getType()->isIntegerTy() &&
          any_of(I->users(), [](User *By) { return isa<StoreInst>(By); });
    } else if (auto *Store = dyn_cast<StoreInst>(I)) {
      Value *Stored = Store->getValueOperand();
      IsUnclear |= Stored == Pointer;
      Access(Stored->getType());
      if (Stored->getType()->isIntegerTy() && Offset && *Offset >= 0)
        followOperands(Stored, *Offset * 8);
    } else if (auto *Copy = dyn_cast<MemTransferInst>(I)) {
      followCopy(*Copy, Pointer, Offset);
    } else if (isa<PHINode, SelectInst>(I)) {
      followMemory(I, std::nullopt);
    } else if (auto *Call = dyn_cast<CallBase>(I)) {
      Function *Callee = Call->getCalledFunction();
      if (Callee && !Callee->isDeclaration() && Call->isArgOperand(&U) &&
          Call->getArgOperandNo(&U) < Callee->arg_size())
        followMemory(Callee->getArg(Call->getArgOperandNo(&U)), Offset);
      else
        IsUnclear |= !I->isLifetimeStartOrEnd() && !isa<MemSetInst>(I);
    } else {
      IsUnclear |= !isa<ICmpInst>(I);
    }
  }
}

bool CarriedReals::fillGaps() {
  uint64_t Covered = 0;
  for (auto [Offset, T] : Found)
    Covered += DL.getTypeStoreSize(T);
  if (Covered >= Bytes)
    return true;
  if (!Anywhere)
    return !IsUnclear;
  const uint64_t Size = DL.getTypeAllocSize(Anywhere);
  auto IsFree = [&](uint64_t At) {
    return none_of(Found, [&](const auto &Known) {
      return Known.first < At + Size &&
             At < Known.first + DL.getTypeStoreSize(Known.second);
    });
  };
  for (uint64_t At = 0; At + Size <= Bytes; At += Size)
    if (IsFree(At))
      Found[At] = Anywhere;
  return true;
}

/// The numbers with bytes between them. Each lies at its natural alignment, so
/// offsets are those of the struct type without our doing.
StructType *CarriedReals::structType() const {
  if (Found.empty())
    return nullptr;
  LLVMContext &Context = Whole->getContext();
  SmallVector<Type *, 8> Elements;
  uint64_t End = 0;
  auto FillTo = [&](uint64_t Offset) {
    for (; End + 4 <= Offset && End % 4 == 0; End += 4)
      Elements.push_back(Type::getInt32Ty(Context));
    for (; End < Offset; ++End)
      Elements.push_back(Type::getInt8Ty(Context));
  };
  for (auto [Offset, T] : Found) {
    if (Offset < End || Offset % DL.getABITypeAlign(T).value() != 0)
      continue; // Another view of the same bytes.
    FillTo(Offset);
    Elements.push_back(T);
    End += DL.getTypeStoreSize(T);
  }
  FillTo(Bytes);
  return StructType::get(Context, Elements);
}

/// clang marks each scalar noundef, and no struct, which may hold padding;
/// rustc marks structs without padding, too.
static bool isScalarForCertain(const Argument &A) {
  if (!A.hasAttribute(Attribute::NoUndef))
    return false;
  const NamedMDNode *Idents =
      A.getParent()->getParent()->getNamedMetadata("llvm.ident");
  return Idents && none_of(Idents->operands(), [](const MDNode *Ident) {
           auto *Compiler = dyn_cast<MDString>(Ident->getOperand(0));
           return !Compiler || !Compiler->getString().contains("clang");
         });
}

static bool isOfBytes(const Type *T) {
  auto *A = dyn_cast_or_null<ArrayType>(T);
  return A && A->getElementType()->isIntegerTy(8);
}

bool verso::tellNumbersInBytes(Argument &A) {
  Function &F = *A.getParent();
  const unsigned K = A.getArgNo();
  for (Attribute::AttrKind Kind : {Attribute::StructRet, Attribute::ByVal}) {
    Attribute Known = F.getAttributes().getParamAttr(K, Kind);
    Type *T = Known.isValid() ? Known.getValueAsType() : nullptr;
    if (!isOfBytes(T))
      continue;
    CarriedReals Reals(F.getParent()->getDataLayout(), T);
    Reals.followMemory(&A, 0);
    StructType *Told = Reals.fillGaps() ? Reals.structType() : nullptr;
    if (!Told)
      return false;
    F.removeParamAttr(K, Kind);
    F.addParamAttr(K, Attribute::get(F.getContext(), Kind, Told));
  }
  return true;
}

StructType *verso::carriedStruct(Argument &A) {
  auto *T = dyn_cast<IntegerType>(A.getType());
  if (!T || T->getBitWidth() % 8 != 0 || isScalarForCertain(A))
    return nullptr;
  CarriedReals Reals(A.getParent()->getParent()->getDataLayout(), T);
  Reals.followUses(&A, 0);
  return Reals.structType();
}

/// What integer \p T, which \p F returns, carries, as \p Follow finds from a
/// returned value.
static StructType *
carriedByReturns(Function &F, Type *T,
                 function_ref<void(CarriedReals &, Value *)> Follow) {
  auto *Whole = dyn_cast<IntegerType>(T);
  if (!Whole || Whole->getBitWidth() % 8 != 0)
    return nullptr;
  CarriedReals Reals(F.getParent()->getDataLayout(), Whole);
  for (BasicBlock &BB : F)
    if (auto *Return = dyn_cast<ReturnInst>(BB.getTerminator()))
      Follow(Reals, Return->getReturnValue());
  return Reals.structType();
}

StructType *verso::carriedByReturn(Function &F) {
  auto *Whole = dyn_cast<StructType>(F.getReturnType());
  if (!Whole)
    return carriedByReturns(F, F.getReturnType(),
                            [](CarriedReals &Reals, Value *Returned) {
                              Reals.followOperands(Returned, 0);
                            });
  // In two registers.
  SmallVector<Type *, 8> Elements;
  bool Any = false;
  for (auto [Element, T] : enumerate(Whole->elements())) {
    StructType *Carried =
        carriedByReturns(F, T, [&](CarriedReals &Reals, Value *Returned) {
          Reals.followElement(Returned, Element);
        });
    Any |= Carried != nullptr;
    if (Carried)
      append_range(Elements, Carried->elements());
    else
      Elements.push_back(T);
  }
  if (!Any)
    return nullptr;
  const DataLayout &DL = F.getParent()->getDataLayout();
  auto Apart = [&] { return StructType::get(F.getContext(), Elements); };
  // What is left of the last register.
  while (DL.getTypeAllocSize(Apart()) < DL.getTypeAllocSize(Whole))
    Elements.push_back(Type::getInt32Ty(F.getContext()));
  return Apart();
}
