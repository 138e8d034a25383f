//===- KernelDescription.cpp - what the runtime knows of a kernel ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/KernelDescription.h"
#include "rules/Staged.h"
#include "verso/Layout.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

GlobalVariable *verso::emitKernelDescription(Function &F, Function &Reverse,
                                             ArrayRef<uint32_t> Parameters,
                                             ArrayRef<uint32_t> Accesses) {
  Module &M = *F.getParent();
  LLVMContext &C = M.getContext();
  auto Keep = [&](Constant *Value, const Twine &Name) {
    auto *G = new GlobalVariable(M, Value->getType(), /*isConstant=*/true,
                                 GlobalValue::PrivateLinkage, Value,
                                 F.getName() + Name);
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return G;
  };
  constexpr size_t WordsOfAccess =
      sizeof(verso_kernel_access) / sizeof(uint32_t);
  Constant *List = Keep(ConstantDataArray::get(C, Accesses), ".accesses");
  Constant *Kinds = Keep(ConstantDataArray::get(C, Parameters), ".parameters");
  Type *Int32 = Type::getInt32Ty(C);
  return Keep(
      ConstantStruct::getAnon(
          {&Reverse, Kinds, List, ConstantInt::get(Int32, Parameters.size()),
           ConstantInt::get(Int32, Accesses.size() / WordsOfAccess),
           ConstantInt::get(Int32, communicates(F))}),
      ".description");
}
