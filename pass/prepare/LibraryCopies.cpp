//===- LibraryCopies.cpp - numbers that the C++ library assigns -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/LibraryCopies.h"
#include "analysis/AccessTypes.h"
#include "prepare/DeclaredParameters.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

using namespace llvm;
using namespace verso;

/// Whether \p F is one of namespace std.
static bool isOfLibrary(const Function &F) {
  return F.getName().starts_with("_ZSt") || F.getName().starts_with("_ZNSt") ||
         F.getName().starts_with("_ZNKSt");
}

/// The argument that \p P is made of, by way of a variable that holds nothing
/// else.
static const Argument *argumentOf(const Value *P) {
  P = getUnderlyingObject(P);
  auto *Load = dyn_cast<LoadInst>(P);
  auto *Variable =
      Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  if (!Variable)
    return dyn_cast<Argument>(P);
  const Value *Held = nullptr;
  for (const User *U : Variable->users())
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      if (Held || Store->getPointerOperand() != Variable)
        return nullptr;
      Held = Store->getValueOperand();
    } else if (!isa<LoadInst, LifetimeIntrinsic, DbgInfoIntrinsic>(U)) {
      return nullptr;
    }
  return dyn_cast_or_null<Argument>(Held);
}

static std::optional<DeclaredKind> numberBehind(StringRef Pointer) {
  if (!Pointer.consume_back("*"))
    return std::nullopt;
  Pointer.consume_back(" const");
  return StringSwitch<std::optional<DeclaredKind>>(Pointer)
      .Case("double", DeclaredKind::Double)
      .Case("std::complex<double>", DeclaredKind::Double)
      .Case("float", DeclaredKind::Float)
      .Case("std::complex<float>", DeclaredKind::Float)
      .Default(std::nullopt);
}

bool verso::describeLibraryCopies(Function &F) {
  if (!isOfLibrary(F) || isUntyped(F))
    return false;
  SmallVector<std::string, 4> Parameters;
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    if (!Copy || Copy->isVolatile() ||
        Copy->hasMetadata(LLVMContext::MD_tbaa) ||
        Copy->hasMetadata(LLVMContext::MD_tbaa_struct))
      continue;
    if (Parameters.empty())
      Parameters = declaredParameters(F);
    if (Parameters.size() != F.arg_size())
      return Changed;
    auto NumberAt = [&](const Value *P) -> std::optional<DeclaredKind> {
      const Argument *A = argumentOf(P);
      return A ? numberBehind(Parameters[A->getArgNo()]) : std::nullopt;
    };
    std::optional<DeclaredKind> To = NumberAt(Copy->getRawDest());
    if (!To || To != NumberAt(Copy->getRawSource()))
      continue;
    Copy->setMetadata(LLVMContext::MD_tbaa, declaredTag(F.getContext(), *To));
    Changed = true;
  }
  return Changed;
}
