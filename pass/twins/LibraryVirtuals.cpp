//===- LibraryVirtuals.cpp - virtual functions of the C++ library ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "twins/LibraryVirtuals.h"

#include "llvm/IR/DerivedTypes.h"

using namespace llvm;
using namespace verso;

static Type *typeOf(char Letter, LLVMContext &C) {
  switch (Letter) {
  case 'v':
    return Type::getVoidTy(C);
  case 'p':
    return PointerType::getUnqual(C);
  case 'b':
    return Type::getInt1Ty(C);
  case 'c':
    return Type::getInt8Ty(C);
  case 'i':
    return Type::getInt32Ty(C);
  case 'l':
    return Type::getInt64Ty(C);
  case 'q':
    return StructType::get(Type::getInt64Ty(C), Type::getInt64Ty(C));
  default:
    llvm_unreachable("not a letter of a signature in LibraryVirtuals.def");
  }
}

static FunctionType *typeOf(StringRef Signature, LLVMContext &C) {
  SmallVector<Type *, 4> Parameters;
  for (char Letter : Signature.drop_front(2).drop_back())
    Parameters.push_back(typeOf(Letter, C));
  return FunctionType::get(typeOf(Signature.front(), C), Parameters,
                           /*isVarArg=*/false);
}

void verso::declareLibraryVirtuals(
    Module &M, function_ref<bool(FunctionType *)> IsCalled,
    SmallPtrSetImpl<const Function *> &Declared) {
  static constexpr std::pair<StringLiteral, StringLiteral> Virtuals[] = {
#define VERSO_LIBRARY_VIRTUAL(NAME, SIGNATURE) {NAME, SIGNATURE},
#include "rules/LibraryVirtuals.def"
  };
  if (none_of(M, [](const Function &F) {
        return F.getName().starts_with("_ZN") || F.getName().starts_with("_ZS");
      }))
    return;
  for (auto &[Name, Signature] : Virtuals) {
    FunctionType *T = typeOf(Signature, M.getContext());
    if (!IsCalled(T))
      continue;
    GlobalValue *Known = M.getNamedValue(Name);
    auto *F =
        Known ? dyn_cast<Function>(Known)
              : Function::Create(T, GlobalValue::ExternalWeakLinkage, Name, M);
    if (F && F->isDeclaration() && F->getFunctionType() == T)
      Declared.insert(F);
  }
}
