//===- OverwrittenParts.cpp - numbers of which a part changes -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/OverwrittenParts.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"
#include "verso/Layout.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace verso;

static constexpr uint64_t DoubleBytes = 8;

/// Whether \p P leads to a variable that is too small for a double.
static bool leadsToSmallVariable(const Value *P, const DataLayout &DL) {
  const Value *Object = getUnderlyingObject(P);
  if (auto *Local = dyn_cast<AllocaInst>(Object)) {
    std::optional<TypeSize> Size = Local->getAllocationSize(DL);
    return Size && !Size->isScalable() && Size->getFixedValue() < DoubleBytes;
  }
  auto *G = dyn_cast<GlobalVariable>(Object);
  return G && G->hasDefinitiveInitializer() &&
         DL.getTypeAllocSize(G->getValueType()) < DoubleBytes;
}

unsigned verso::overwrittenPart(const Instruction &I) {
  const DataLayout &DL = I.getDataLayout();
  if (auto *Range = dyn_cast<MemIntrinsic>(&I)) {
    auto *Bytes = dyn_cast<ConstantInt>(Range->getLength());
    return Bytes && Bytes->getValue().ult(DoubleBytes) &&
                   !leadsToSmallVariable(Range->getRawDest(), DL)
               ? Bytes->getZExtValue()
               : 0;
  }
  auto *Store = dyn_cast<StoreInst>(&I);
  auto *T = Store ? dyn_cast<IntegerType>(Store->getValueOperand()->getType())
                  : nullptr;
  if (!T || T->getBitWidth() >= 8 * DoubleBytes || T->getBitWidth() % 8 != 0)
    return 0;
  // A cast of a variable's address is believed more than the language, which
  // forbids it.
  const Value *P = Store->getPointerOperand();
  if (isIntegerForCertain(I) && !isa<AllocaInst>(getUnderlyingObject(P)))
    return 0;
  return leadsToSmallVariable(P, DL) ? 0 : T->getBitWidth() / 8;
}

bool verso::overwritesParts(const Function &F) {
  return any_of(instructions(F),
                [](const Instruction &I) { return overwrittenPart(I) != 0; });
}

void verso::emitOverwrittenPart(IRBuilderBase &B, Value *Shadow, unsigned Bytes,
                                Value *IsOurs) {
  Module &M = *B.GetInsertBlock()->getModule();
  B.CreateCall(
      getSupportFunction(M, "__verso_overwrite_part"),
      {Shadow, B.getInt32(Bytes), B.CreateZExt(IsOurs, B.getInt32Ty())});
}

void verso::emitMovedPart(IRBuilderBase &B, Value *Shadow, Value *Dot,
                          Value *IsOurs) {
  Module &M = *B.GetInsertBlock()->getModule();
  B.CreateCall(getSupportFunction(M, "__verso_move_part"),
               {Shadow, Dot, B.CreateZExt(IsOurs, B.getInt32Ty())});
}

// As integers of the same bits, element by element, where "moved" is the mark
// of zeros that moved and "all" that of overwritten granules:
//   float    bits == all || bits == moved      ? 0 : bits
//   double   both halves all, or both moved    ? 0
//          : low is marked                     ? lost
//          : bits                   which is a NaN if the upper half is marked
Value *verso::emitKnownTangent(IRBuilderBase &B, Value *Dot) {
  Type *T = Dot->getType(), *Scalar = T->getScalarType();
  if (!Scalar->isDoubleTy() && !Scalar->isFloatTy())
    return Dot;
  Type *Integer = B.getIntNTy(Scalar->getScalarSizeInBits());
  if (auto *Vector = dyn_cast<VectorType>(T))
    Integer = VectorType::get(Integer, Vector);
  auto Number = [&](uint64_t N) { return ConstantInt::get(Integer, N); };
  Value *Bits = B.CreateBitCast(Dot, Integer);
  uint64_t All = VERSO_OVERWRITTEN, Moved = VERSO_OVERWRITTEN_IN_PART;
  if (Scalar->isDoubleTy()) {
    const uint64_t Low = maskTrailingOnes<uint64_t>(32);
    Value *Mark = B.CreateAnd(Bits, Number(Low & ~UINT64_C(15)));
    Value *Lost = B.CreateBitCast(Number(VERSO_LOST_TANGENT), T);
    Dot = B.CreateSelect(B.CreateICmpEQ(Mark, Number(Moved)), Lost, Dot);
    All |= All << 32;
    Moved |= Moved << 32;
  }
  Value *IsConstant = B.CreateOr(B.CreateICmpEQ(Bits, Number(All)),
                                 B.CreateICmpEQ(Bits, Number(Moved)));
  return B.CreateSelect(IsConstant, Constant::getNullValue(T), Dot);
}
