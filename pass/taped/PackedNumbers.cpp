//===- PackedNumbers.cpp - numbers at any address, on the tape ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/PackedNumbers.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "emit/WholeWords.h"
#include "taped/Halves.h"
#include "taped/Instrumenter.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

//===----------------------------------------------------------------------===//
// Who holds such numbers
//===----------------------------------------------------------------------===//

static bool isNumber(const Type *T) {
  return T->isFloatingPointTy() && !isHalf(T);
}

static bool holdsNumber(Type *T) {
  if (T->isArrayTy() || T->isVectorTy())
    return holdsNumber(T->getContainedType(0));
  auto *S = dyn_cast<StructType>(T);
  return S ? any_of(S->elements(), holdsNumber) : isNumber(T);
}

/// Whether a number in \p T lies apart from where a granule begins, if T does
/// not, or in an array of them.
static bool hasPacked(Type *T, const DataLayout &DL) {
  if (T->isArrayTy())
    return hasPacked(T->getContainedType(0), DL);
  auto *S = dyn_cast<StructType>(T);
  if (!S || !S->isSized() || !holdsNumber(S))
    return false;
  const StructLayout *Layout = DL.getStructLayout(S);
  for (auto [K, E] : enumerate(S->elements()))
    if (hasPacked(E, DL) ||
        (holdsNumber(E) && Layout->getElementOffset(K) % GranuleBytes))
      return true;
  return S->isPacked() && DL.getTypeAllocSize(S) % GranuleBytes;
}

/// Whether \p I takes a number out of a register, or puts it there, to where no
/// granule begins: so are packed structs handed on that are never in memory.
static bool movesPacked(const Instruction &I) {
  const Value *Number = &I;
  const APInt *Shift;
  if (!match(&I, m_BitCast(m_Trunc(m_LShr(m_Value(), m_APInt(Shift))))) &&
      !match(&I, m_Shl(m_ZExt(m_BitCast(m_Value(Number))), m_APInt(Shift))))
    return false;
  return isNumber(Number->getType()) && Shift->urem(8) == 0 &&
         Shift->urem(8 * GranuleBytes) != 0;
}

static bool hasPacked(const Instruction &I, const DataLayout &DL) {
  if (movesPacked(I))
    return true;
  if (auto *Local = dyn_cast<AllocaInst>(&I))
    return hasPacked(Local->getAllocatedType(), DL);
  if (auto *Step = dyn_cast<GetElementPtrInst>(&I))
    return hasPacked(Step->getSourceElementType(), DL);
  if (!isa<LoadInst, StoreInst>(I))
    return false;
  // Vectors of numbers have such an alignment wherever they are. Of pointers
  // only accesses count: C++ has packed types of them where nothing is packed.
  // What is placed in bytes of a std::function says 1 and lies at 8.
  auto *Access = const_cast<Instruction *>(&I);
  const Type *T = getLoadStoreType(Access);
  return (isNumber(T) || T->isPointerTy()) &&
         getLoadStoreAlignment(Access) < GranuleBytes &&
         getKnownAlignment(getLoadStorePointerOperand(Access), DL, Access) <
             GranuleBytes;
}

bool verso::holdsPacked(const Module &M) {
  const DataLayout &DL = M.getDataLayout();
  for (const GlobalVariable &G : M.globals())
    if (hasPacked(G.getValueType(), DL))
      return true;
  for (const Function &F : M)
    if (!isGenerated(F))
      for (const Instruction &I : instructions(F))
        if (hasPacked(I, DL))
          return true;
  return false;
}

void verso::widenChoices(Function &F) {
  SmallVector<Instruction *, 8> Choices;
  auto IsOfInvoke = [](Value *V) { return isa<InvokeInst>(V); };
  for (Instruction &I : instructions(F))
    if (isa<PHINode, SelectInst>(I) && I.getType()->isIntegerTy() &&
        none_of(I.operands(), IsOfInvoke))
      if (const unsigned Bits = I.getType()->getIntegerBitWidth();
          Bits > WordBits && Bits % WordBits && Bits % 8 == 0)
        Choices.push_back(&I);
  for (Instruction *I : Choices) {
    Type *Wide = IntegerType::get(
        F.getContext(), alignTo(I->getType()->getIntegerBitWidth(), WordBits));
    IRBuilder<> B(I);
    Instruction *Wider;
    if (auto *Choice = dyn_cast<SelectInst>(I)) {
      Wider = SelectInst::Create(
          Choice->getCondition(), B.CreateZExt(Choice->getTrueValue(), Wide),
          B.CreateZExt(Choice->getFalseValue(), Wide), "", I->getIterator());
    } else {
      auto *Phi = cast<PHINode>(I);
      auto *WidePhi = PHINode::Create(Wide, Phi->getNumIncomingValues(), "",
                                      I->getIterator());
      for (auto [V, From] : zip(Phi->incoming_values(), Phi->blocks())) {
        // A switch may come by several edges.
        const int Known = WidePhi->getBasicBlockIndex(From);
        IRBuilder<> AtEnd(From->getTerminator());
        WidePhi->addIncoming(Known < 0 ? AtEnd.CreateZExt(V, Wide)
                                       : WidePhi->getIncomingValue(Known),
                             From);
      }
      B.SetInsertPoint(I->getParent()->getFirstInsertionPt());
      Wider = WidePhi;
    }
    I->replaceAllUsesWith(B.CreateTrunc(Wider, I->getType()));
    I->eraseFromParent();
  }
}

void verso::registerPacked(Module &M) {
  Function *Register = Function::Create(
      FunctionType::get(Type::getVoidTy(M.getContext()), false),
      GlobalValue::InternalLinkage, "verso.register_packed", &M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Register));
  callRuntime(B, RuntimeFunction::RegisterPacked, {});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Register, /*Priority=*/0);
}

//===----------------------------------------------------------------------===//
// What the instrumenter emits
//===----------------------------------------------------------------------===//

/// Whether what \p Access loads or stores may begin within a granule, or is a
/// long double: the images of these are always pieces here, since others have
/// no room to tell it from a double when it is moved.
bool Instrumenter::mayBePacked(const Instruction &Access) const {
  if (!Registry.holdsPacked() || !isa<LoadInst, StoreInst>(Access))
    return false;
  auto *I = const_cast<Instruction *>(&Access);
  return getLoadStoreType(I)->isX86_FP80Ty() ||
         getLoadStoreAlignment(I) < GranuleBytes;
}

Value *Instrumenter::isPacked(IRBuilderBase &B, Value *P) {
  Value *Address = B.CreatePtrToInt(P, B.getInt64Ty());
  return B.CreateIsNotNull(B.CreateAnd(Address, GranuleBytes - 1));
}

void Instrumenter::ifPacked(IRBuilderBase &B, Place At,
                            function_ref<void(IRBuilder<> &)> Then,
                            function_ref<void(IRBuilder<> &)> Else) {
  Value *Packed = isPacked(B, At.Pointer);
  verso::emitIf(B, Packed, /*Unlikely=*/false, Then);
  verso::emitIf(B, B.CreateNot(Packed), /*Unlikely=*/false, Else);
}

/// A number or pointer with this image is stored; its kind is not to be seen in
/// it. An outer request is not to take the ID for a value that moves.
void Instrumenter::storePacked(IRBuilderBase &B, Value *Image, unsigned Kind,
                               Place At) {
  Value *Slot = imageSlot(B.getInt64Ty());
  storeImage(B, Image, Slot);
  callClaiming(
      B, "__verso_store_packed_claimed",
      {Tape.context(), At.Pointer, shadowOf(At), Slot, B.getInt32(Kind)});
}
