//===- Shielded.cpp - functions that optimisers leave alone ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/Shielded.h"

#include "llvm/IR/Function.h"

using namespace llvm;
using namespace verso;

/// On functions that were made optnone; the value lists what had to go for it.
static constexpr StringLiteral Shielded = "verso-shielded";
static constexpr Attribute::AttrKind ExcludedByOptNone[] = {
    Attribute::OptimizeForSize, Attribute::MinSize};

void verso::shield(Function &F) {
  F.removeFnAttr(Attribute::AlwaysInline);
  F.addFnAttr(Attribute::NoInline);
  if (F.hasFnAttribute(Attribute::OptimizeNone))
    return;
  std::string Excluded;
  for (Attribute::AttrKind Kind : ExcludedByOptNone)
    if (F.hasFnAttribute(Kind)) {
      Excluded += (Attribute::getNameFromAttrKind(Kind) + " ").str();
      F.removeFnAttr(Kind);
    }
  F.addFnAttr(Attribute::OptimizeNone);
  F.addFnAttr(Shielded, Excluded);
}

void verso::unshield(Function &F) {
  if (!F.hasFnAttribute(Shielded))
    return;
  F.removeFnAttr(Attribute::OptimizeNone);
  for (Attribute::AttrKind Kind : ExcludedByOptNone)
    if (F.getFnAttribute(Shielded).getValueAsString().contains(
            Attribute::getNameFromAttrKind(Kind)))
      F.addFnAttr(Kind);
  F.removeFnAttr(Shielded);
}
