//===- Companion.cpp - types of companions --------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Companion.h"
#include "verso/Layout.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

Type *verso::companionType(Type *T) {
  LLVMContext &C = T->getContext();
  if (T->isFloatingPointTy())
    return Type::getInt32Ty(C);
  if (T->isPointerTy())
    return T;
  if (T->isIntegerTy())
    return T;
  if (auto *V = dyn_cast<VectorType>(T)) {
    Type *E = companionType(V->getElementType());
    return E ? VectorType::get(E, V->getElementCount()) : nullptr;
  }
  if (auto *A = dyn_cast<ArrayType>(T)) {
    Type *E = companionType(A->getElementType());
    return E ? ArrayType::get(E, A->getNumElements()) : nullptr;
  }
  if (auto *S = dyn_cast<StructType>(T)) {
    SmallVector<Type *, 4> Elements;
    for (Type *E : S->elements()) {
      Elements.push_back(companionType(E));
      if (!Elements.back())
        return nullptr;
    }
    return StructType::get(C, Elements);
  }
  return nullptr;
}

bool verso::canCarry(Type *T) {
  if (T->isFloatingPointTy() || T->isPointerTy())
    return true;
  if (T->isIntegerTy())
    return T->getIntegerBitWidth() >= 8;
  if (auto *V = dyn_cast<FixedVectorType>(T))
    return canCarry(V->getElementType());
  if (auto *A = dyn_cast<ArrayType>(T))
    return canCarry(A->getElementType());
  if (auto *S = dyn_cast<StructType>(T))
    return companionType(S) && any_of(S->elements(), canCarry);
  return false;
}

bool verso::canCarryPointer(Type *T) {
  if (T->isPointerTy() || T->isIntegerTy(64) || T->isIntegerTy(128))
    return true;
  if (T->isArrayTy() || T->isVectorTy())
    return canCarryPointer(T->getContainedType(0));
  auto *S = dyn_cast<StructType>(T);
  return S && any_of(S->elements(), canCarryPointer);
}

bool verso::holdsReal(Type *T) {
  if (T->isFloatingPointTy())
    return true;
  if (T->isArrayTy() || T->isVectorTy())
    return holdsReal(T->getContainedType(0));
  if (auto *S = dyn_cast<StructType>(T))
    return any_of(S->elements(), holdsReal);
  return false;
}

Constant *verso::zeroCompanion(Type *T) {
  return Constant::getNullValue(companionType(T));
}

int verso::cellKind(Type *T) {
  switch (T->getTypeID()) {
  case Type::FloatTyID:
    return VERSO_CELL_FLOAT;
  case Type::DoubleTyID:
    return VERSO_CELL_DOUBLE;
  case Type::X86_FP80TyID:
    return VERSO_CELL_X86_FP80;
  case Type::HalfTyID:
    return VERSO_CELL_HALF;
  case Type::BFloatTyID:
    return VERSO_CELL_BFLOAT;
  default:
    return -1;
  }
}

Align verso::shadowAlignment(Type *T, Align Primal, const DataLayout &DL) {
  return std::min(Primal, DL.getABITypeAlign(T->getScalarType()));
}
