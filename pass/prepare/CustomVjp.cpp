//===- CustomVjp.cpp - what VERSO_CUSTOM_VJP says --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/CustomVjp.h"
#include "Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace verso;

using Role = CustomVjp::Role;

static bool isWord(const Type *T) {
  return T->isPointerTy() || T->isFloatTy() || T->isDoubleTy() ||
         (T->isIntegerTy() && T->getIntegerBitWidth() <= 64);
}

/// The parameters of jvp or vjp: of a pointer to numbers also that of their
/// tangents or adjoints, and for an update both states; of a number its
/// tangent, or where its adjoint is added.
static SmallVector<Type *, 12> parametersOf(const Function &F,
                                            const CustomVjp &Given,
                                            Type *OfNumber, Type *Seed) {
  SmallVector<Type *, 12> Types;
  Type *Pointer = PointerType::getUnqual(F.getContext());
  for (const Argument &A : F.args()) {
    Types.push_back(A.getType());
    if (Given.isPointer(A))
      Types.append(Given.role(A) == Role::Updates ? 2 : 1, Pointer);
    else if (Given.isNumber(A))
      Types.push_back(OfNumber);
  }
  if (Seed)
    Types.push_back(Seed);
  return Types;
}

static FunctionType *typeOfVjp(const Function &F, const CustomVjp &Given) {
  Type *Result = F.getReturnType();
  return FunctionType::get(
      Type::getVoidTy(F.getContext()),
      parametersOf(F, Given, PointerType::getUnqual(F.getContext()),
                   Result->isFloatingPointTy() ? Result : nullptr),
      false);
}

static FunctionType *typeOfJvp(const Function &F, const CustomVjp &Given) {
  Type *Result = F.getReturnType();
  return FunctionType::get(
      Result->isFloatingPointTy() ? Result : Type::getVoidTy(F.getContext()),
      parametersOf(F, Given, Given.Number, nullptr), false);
}

static FunctionType *typeOfCounts(const Function &F) {
  SmallVector<Type *, 8> Types{PointerType::getUnqual(F.getContext())};
  append_range(Types, F.getFunctionType()->params());
  return FunctionType::get(Type::getVoidTy(F.getContext()), Types, false);
}

CustomVjp::Mistake CustomVjp::check(const Function &F) const {
  const std::string Name = "'" + sourceName(F) + "'";
  auto Describe = [](const Function *G) {
    return G ? "'" + sourceName(*G) + "'" : std::string("a null pointer");
  };
  if (!Number)
    return {"the second operand is no type of numbers",
            "say double or float, whichever " + Name + " works with"};
  if (Roles.size() != F.arg_size())
    return {Name + " has " + std::to_string(F.arg_size()) +
                " arguments, and there are " + std::to_string(Roles.size()) +
                " letters",
            "give a string with a letter for each: r, w, u or -"};
  constexpr unsigned MostArguments = 12;
  if (F.arg_size() > MostArguments)
    return {Name + " has more than 12 arguments",
            "pass some of them in a structure, through a pointer"};
  for (const Argument &A : F.args()) {
    char Letter = Roles[A.getArgNo()];
    if (!StringRef("rwu-").contains(Letter))
      return {std::string("'") + Letter + "' is no role of an argument",
              "r: read, w: written, u: both, -: no numbers that vary"};
    if (A.hasByValAttr() || A.hasStructRetAttr() || !isWord(A.getType()))
      return {Name + " takes or returns a structure by value",
              "give a function that is passed numbers, integers and pointers"};
    if (isNumber(A) && (role(A) != Role::Reads || A.getType() != Number))
      return {"argument " + std::to_string(A.getArgNo() + 1) + " of " + Name +
                  " cannot be '" + Letter + "'",
              "of arguments by value, those of the second operand's type can "
              "be r, all can be -"};
  }
  Type *Result = F.getReturnType();
  if (!Result->isVoidTy() && Result != Number && !Result->isIntegerTy())
    return {Name + " returns neither a number of the second operand's type nor "
                   "an integer nor nothing",
            "write a function around it that does"};
  if (!Counts || Counts->getFunctionType() != typeOfCounts(F))
    return {Describe(Counts) + " does not fit as the function that counts",
            "it has to be void (size_t *, the arguments of " + Name + ")"};
  if (Vjp && Vjp->getFunctionType() != typeOfVjp(F, *this))
    return {Describe(Vjp) + " does not fit as the VJP of " + Name,
            "it is void, and has " + Name +
                "'s arguments, behind each pointer to numbers that of their "
                "adjoints (of u: to what was written, and adjoints), behind "
                "each number that varies a pointer to its adjoint, and for a "
                "result its adjoint as the last"};
  if (Jvp && Jvp->getFunctionType() != typeOfJvp(F, *this))
    return {Describe(Jvp) + " does not fit as the JVP of " + Name,
            "it returns the tangent of the result, if there is one, and has " +
                Name +
                "'s arguments, behind each pointer to numbers that of their "
                "tangents (of u: to what was written, and tangents), behind "
                "each number that varies its tangent"};
  return {};
}
