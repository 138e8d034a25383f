//===- AccessTypes.cpp - what the language says of an access --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/AccessTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

static StringRef nameOf(const MDNode &Type) {
  auto *Name =
      Type.getNumOperands() ? dyn_cast<MDString>(Type.getOperand(0)) : nullptr;
  return Name ? Name->getString() : "";
}

/// The root of the types of numbers in code without types.
static constexpr char NumberTypes[] = "verso number";

/// Of C and C++: what aliases everything.
static constexpr StringLiteral AnyType = "omnipotent char";

/// The roots of the types of declared bytes begin so. Each has one of its own:
/// to LLVM, types of two roots may alias.
static constexpr StringLiteral DeclaredTypes = "verso declared ";

static bool hasKnownRoot(const MDNode *Type) {
  constexpr unsigned MaxDepth = 16;
  for (unsigned Depth = 0; Type && Depth != MaxDepth; ++Depth) {
    if (Type->getNumOperands() < 2)
      return nameOf(*Type).contains("C++ TBAA") ||
             nameOf(*Type) == FrameTypes || nameOf(*Type) == NumberTypes ||
             nameOf(*Type).starts_with(DeclaredTypes);
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

bool verso::isInFrame(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  auto *Accessed = Tag && Tag->getNumOperands() > 2
                       ? dyn_cast<MDNode>(Tag->getOperand(1))
                       : nullptr;
  auto *Root = Accessed && Accessed->getNumOperands() > 1
                   ? dyn_cast<MDNode>(Accessed->getOperand(1))
                   : nullptr;
  return Root && nameOf(*Root) == FrameTypes;
}

bool verso::isPointerName(StringRef Name) {
  // "p1 int" is a pointer to int.
  return Name.contains("pointer") ||
         (Name.size() > 1 && Name[0] == 'p' && isDigit(Name[1]));
}

/// All that Clang has, of any width: LLVM moves small ones as integers.
static bool isNumberName(StringRef Name) {
  return Name.contains_insensitive("float") || Name.contains("double") ||
         Name == "half" || Name == "__fp16" || Name == "__bf16" ||
         Name == "__ibm128";
}

static bool isIntegerName(StringRef Name) {
  return !Name.empty() && !isPointerName(Name) && !Name.contains("char") &&
         !isNumberName(Name);
}

void verso::markAsNumber(LoadInst &Load) {
  const Type *T = Load.getType()->getScalarType();
  if (Load.hasMetadata(LLVMContext::MD_tbaa) ||
      !(T->isFloatTy() || T->isDoubleTy()))
    return;
  MDBuilder B(Load.getContext());
  MDNode *Number = B.createTBAAScalarTypeNode(
      T->isFloatTy() ? "float" : "double", B.createTBAARoot(NumberTypes));
  Load.setMetadata(LLVMContext::MD_tbaa,
                   B.createTBAAStructTagNode(Number, Number, 0));
}

void verso::markAsAnyType(Instruction &I) {
  MDBuilder B(I.getContext());
  MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa), *Any = nullptr;
  if (!Tag)
    Any = B.createTBAAScalarTypeNode(AnyType, B.createTBAARoot(NumberTypes));
  // {name, parent, offset} up to the root.
  for (auto *T = Tag ? dyn_cast_or_null<MDNode>(Tag->getOperand(1)) : nullptr;
       T && T->getNumOperands() > 1 && !Any;
       T = dyn_cast_or_null<MDNode>(T->getOperand(1)))
    if (nameOf(*T) == AnyType)
      Any = T;
  if (Any)
    I.setMetadata(LLVMContext::MD_tbaa, B.createTBAAStructTagNode(Any, Any, 0));
}

/// Whether \p I has a type of the program's, not markAsNumber()'s,
/// markAsAnyType()'s or declaredTag()'s.
static bool hasType(const Instruction &I) {
  MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  auto *Type = Tag ? dyn_cast_or_null<MDNode>(Tag->getOperand(0)) : nullptr;
  auto *Root = Type && Type->getNumOperands() > 1
                   ? dyn_cast_or_null<MDNode>(Type->getOperand(1))
                   : nullptr;
  return Tag && !(Root && (nameOf(*Root) == NumberTypes ||
                           nameOf(*Root).starts_with(DeclaredTypes)));
}

bool verso::isUntyped(const Function &F) {
  return none_of(instructions(F), hasType);
}

static constexpr char ModuleMark[] = "verso.types";

void verso::noteTypes(Module &M) {
  if (!all_of(M, isUntyped))
    M.getOrInsertNamedMetadata(ModuleMark);
}

void verso::forgetTypes(Module &M) {
  if (NamedMDNode *Mark = M.getNamedMetadata(ModuleMark))
    M.eraseNamedMetadata(Mark);
}

bool verso::hasTypes(const Module &M) { return M.getNamedMetadata(ModuleMark); }

bool verso::isIntegerForCertain(const Instruction &I) {
  return isIntegerName(accessedType(I));
}

bool verso::isPointerForCertain(const Instruction &I) {
  return isPointerName(accessedType(I));
}

MDNode *verso::accessTag(const Instruction &I) {
  StringRef Name = accessedType(I);
  if (Name.empty() || Name.contains("char"))
    return nullptr;
  auto *Type = cast<MDNode>(I.getMetadata(LLVMContext::MD_tbaa)->getOperand(1));
  return MDBuilder(I.getContext()).createTBAAStructTagNode(Type, Type, 0);
}

StringRef verso::classPointedTo(const Instruction &I) {
  StringRef Name = accessedType(I);
  return Name.consume_front("p1 _ZTS") ? Name : "";
}

bool verso::isVirtualTable(const Instruction &I) {
  return accessedType(I) == "vtable pointer";
}

bool verso::isNoNumber(const Instruction &I) {
  return isPointerForCertain(I) || isVirtualTable(I) || isIntegerForCertain(I);
}

static constexpr char LoadsNumber[] = "verso.number";

void verso::markLoadsOfNumbers(Function &F) {
  for (Instruction &I : instructions(F))
    if (isa<LoadInst>(I) && I.getType()->isFPOrFPVectorTy())
      I.setMetadata(LoadsNumber, MDNode::get(F.getContext(), {}));
}

bool verso::loadsNumberForCertain(const LoadInst &Load) {
  return Load.hasMetadata(LoadsNumber);
}

/// Not the name of an integer: what is accessed by it is of any type.
static constexpr StringLiteral MaybeIntegerType = "int or char",
                               PaddingType = "padding or char",
                               MixedType = "numbers or char";

DeclaredKind verso::declaredKind(const MDNode &Tag) {
  StringRef Name = accessedType(&Tag);
  if (Name == MaybeIntegerType)
    return DeclaredKind::MaybeInteger;
  if (Name == PaddingType)
    return DeclaredKind::Padding;
  if (Name == MixedType)
    return DeclaredKind::Mixed;
  if (Name == "float")
    return DeclaredKind::Float;
  if (Name == "double")
    return DeclaredKind::Double;
  if (isPointerName(Name))
    return DeclaredKind::Pointer;
  return isIntegerName(Name) ? DeclaredKind::Integer : DeclaredKind::Other;
}

bool verso::isDeclaredTag(const MDNode &Tag) {
  auto *Type = dyn_cast_or_null<MDNode>(Tag.getOperand(0));
  auto *Root = Type && Type->getNumOperands() > 1
                   ? dyn_cast_or_null<MDNode>(Type->getOperand(1))
                   : nullptr;
  return Root && nameOf(*Root).starts_with(DeclaredTypes);
}

bool verso::isOfMixedUnion(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  return Tag && declaredKind(*Tag) == DeclaredKind::Mixed;
}

MDNode *verso::declaredTag(LLVMContext &C, DeclaredKind Kind) {
  StringRef Name = Kind == DeclaredKind::Float          ? "float"
                   : Kind == DeclaredKind::Double       ? "double"
                   : Kind == DeclaredKind::MaybeInteger ? MaybeIntegerType
                   : Kind == DeclaredKind::Padding      ? PaddingType
                   : Kind == DeclaredKind::Mixed        ? MixedType
                                                        : AnyType;
  MDBuilder B(C);
  MDNode *Type = B.createTBAAScalarTypeNode(
      Name, B.createTBAARoot((DeclaredTypes + Name).str()));
  return B.createTBAAStructTagNode(Type, Type, 0);
}

bool verso::isOfAnyType(const Instruction &I) {
  return accessedType(I).contains("char");
}

bool verso::mayBeOfAnyType(const Instruction &I) {
  return !hasType(I) || isOfAnyType(I);
}
