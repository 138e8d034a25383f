//===- CustomVjp.h - what VERSO_CUSTOM_VJP says ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands of the macro, read, and mistakes in them: the types of the
// functions that it names follow from f's and from the roles of its arguments.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_CUSTOMVJP_H
#define VERSO_PREPARE_CUSTOMVJP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

#include <string>

namespace verso {

/// What VERSO_CUSTOM_VJP says.
struct CustomVjp {
  /// How an argument of f takes part.
  enum class Role : char {
    Reads = 'r',
    Writes = 'w',
    Updates = 'u',
    None = '-'
  };

  llvm::Function *Counts = nullptr, *Vjp = nullptr, *Jvp = nullptr;
  llvm::StringRef Roles; ///< A letter for each argument.
  /// Whether others, outside the program, wait for what f and its derivatives
  /// do: the roles began with a '!'.
  bool Communicates = false;
  llvm::Type *Number = nullptr;

  /// Whether \p A is a pointer to numbers that vary, or such a number.
  bool isPointer(const llvm::Argument &A) const {
    return A.getType()->isPointerTy() && role(A) != Role::None;
  }
  bool isNumber(const llvm::Argument &A) const {
    return !A.getType()->isPointerTy() && role(A) != Role::None;
  }
  Role role(const llvm::Argument &A) const { return Role(Roles[A.getArgNo()]); }

  /// Nothing, or what is wrong with it for \p F, and the remedy.
  struct Mistake {
    std::string Message, Remedy;
  };
  Mistake check(const llvm::Function &F) const;
};

} // namespace verso

#endif // VERSO_PREPARE_CUSTOMVJP_H
