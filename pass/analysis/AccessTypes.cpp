//===- AccessTypes.cpp - what the language says of an access --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/AccessTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace verso;

static StringRef nameOf(const MDNode &Type) {
  auto *Name =
      Type.getNumOperands() ? dyn_cast<MDString>(Type.getOperand(0)) : nullptr;
  return Name ? Name->getString() : "";
}

static bool hasKnownRoot(const MDNode *Type) {
  constexpr unsigned MaxDepth = 16;
  for (unsigned Depth = 0; Type && Depth != MaxDepth; ++Depth) {
    if (Type->getNumOperands() < 2)
      return nameOf(*Type).contains("C++ TBAA") || nameOf(*Type) == FrameTypes;
    Type = dyn_cast_or_null<MDNode>(Type->getOperand(1));
  }
  return false;
}

/// The name of the type that an access with this tag has; none if it is not
/// known.
static StringRef accessedType(const MDNode *Tag) {
  if (!Tag || Tag->getNumOperands() < 3)
    return "";
  auto *Accessed = dyn_cast_or_null<MDNode>(Tag->getOperand(1));
  return Accessed && hasKnownRoot(Accessed) ? nameOf(*Accessed) : "";
}

static StringRef accessedType(const Instruction &I) {
  // Volatile accesses are made whatever the language says of them.
  return I.isVolatile() ? ""
                        : accessedType(I.getMetadata(LLVMContext::MD_tbaa));
}

static bool isPointerName(StringRef Name) {
  // "p1 int" is a pointer to int.
  return Name.contains("pointer") ||
         (Name.size() > 1 && Name[0] == 'p' && isDigit(Name[1]));
}

static bool isIntegerName(StringRef Name) {
  return !Name.empty() && !isPointerName(Name) && !Name.contains("char") &&
         !Name.contains("float") && !Name.contains("double");
}

bool verso::isIntegerForCertain(const Instruction &I) {
  return isIntegerName(accessedType(I));
}

bool verso::isPointerForCertain(const Instruction &I) {
  return isPointerName(accessedType(I));
}

DeclaredKind verso::declaredKind(const MDNode &Tag) {
  StringRef Name = accessedType(&Tag);
  if (Name == "float")
    return DeclaredKind::Float;
  if (Name == "double")
    return DeclaredKind::Double;
  if (isPointerName(Name))
    return DeclaredKind::Pointer;
  return isIntegerName(Name) ? DeclaredKind::Integer : DeclaredKind::Other;
}
