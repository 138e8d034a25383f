//===- Operation.h - one differentiable operation ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A typed view of an instruction that computes a real number from real numbers,
// with its partial derivatives out of Derivatives.def. Vectors are not matched:
// they are scalarised before. Calls with pointer results are not matched
// either: normalizeMath() turns them into calls that return several values.
//
// A call is known by the C library's name, in a declaration with the library's
// prototype: a body in the module always beats the table, and a program that
// declares such a name for something else has lost it, as in C.
//
// An Operation refers to the instruction and its operands and is invalid once
// they change.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_OPERATION_H
#define VERSO_RULES_OPERATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace llvm {
class TargetLibraryInfo;
} // namespace llvm

namespace verso {

namespace rules {
struct FactReal;
struct Rule;
} // namespace rules

/// One differentiable operation of the program: its real operands and the
/// partial derivatives by them.
class Operation {
public:
  /// A function with this attribute stands for the table's function of that
  /// name and returns its results as a struct. It has a body, which is not to
  /// be differentiated.
  static constexpr llvm::StringLiteral RuleAttribute = "verso-rule";

  /// The operation that I computes, or nullopt if I is not one that the table
  /// knows. I is a scalar floating-point instruction or conversion, a call of a
  /// scalar intrinsic or math library function with one result (also an integer
  /// one: lround), or the extractvalue of a call with two (isTwoResultCall).
  static std::optional<Operation> match(llvm::Instruction &I,
                                        const llvm::TargetLibraryInfo *TLI);

  /// A call in the table that returns two results (llvm.sincos, llvm.frexp,
  /// cexp, __muldc3, ...). It is no operation; each extractvalue of it is.
  static bool isTwoResultCall(const llvm::CallBase &Call,
                              const llvm::TargetLibraryInfo *TLI);

  /// The real operands; the same value may occur twice, as in x * x. Empty for
  /// conversions from integers.
  llvm::ArrayRef<llvm::Value *> operands() const { return Operands; }

  enum class Shape { Zero, One, General };
  /// The partial derivative by operand K as far as known without emitting it.
  Shape shape(unsigned K) const;

  /// The partial may be infinite or NaN where the value is finite (sqrt at 0,
  /// pow at 0, asin at 1, division, log): a zero adjoint must then give zero.
  bool isSingular(unsigned K) const;

  /// It may be infinite where the operands are finite, and the value is not or
  /// is so too (cosh, a power).
  bool mayOverflow(unsigned K) const;

  /// Whether emitScaled() knows no zeros.
  bool isPlain(unsigned K) const;

  /// Emits \p Partial, that by operand K, times \p Seed, an adjoint or a
  /// tangent (vectors, too), by B's fast-math flags: zero where a zero adjoint
  /// or tangent must give zero.
  llvm::Value *emitScaled(llvm::IRBuilderBase &B, unsigned K,
                          llvm::Value *Partial, llvm::Value *Seed) const;

  /// What emitPartial(K) refers to.
  struct Uses {
    unsigned Operands;    ///< Bit J: operands()[J], if that is no constant.
    bool Result, Sibling; ///< I, and the other result of its call.
    bool Integer;         ///< The integer operand, as in ldexp(x, n).
  };
  Uses uses(unsigned K) const;

  /// Emits d I / d operand K, in I's scalar type (operand K's if I is no real),
  /// at B's insertion point, which all of uses(K) dominate. I's fast-math flags
  /// are set on what is emitted, no others. For half and bfloat the formula is
  /// computed in float.
  llvm::Value *emitPartial(llvm::IRBuilderBase &B, unsigned K) const;

  /// \p Seed, an adjoint, before it is multiplied by \p Partial: zero where the
  /// partial is and this is cut off at a pole (rules/CutOff.h).
  llvm::Value *emitCutOff(llvm::IRBuilderBase &B, llvm::Value *Partial,
                          llvm::Value *Seed) const;

  /// The table's name: "fadd", "sin" for sinf and llvm.sin too.
  llvm::StringRef name() const;

  /// lround and its like; conversions to integers.
  bool roundsToInteger() const;

  /// A minimum or maximum: one of its operands takes all of the adjoint.
  bool chooses() const {
    return name().starts_with("fmin") || name().starts_with("fmax");
  }

private:
  Operation(llvm::Instruction &I, llvm::Instruction &Computation,
            const rules::Rule &R, unsigned Result);
  rules::FactReal facts(unsigned K) const;

  llvm::Instruction *I;
  llvm::Instruction *Computation; ///< I, or the call whose result I extracts.
  const rules::Rule *R;
  unsigned Result; ///< Which of the results I is.
  llvm::SmallVector<llvm::Value *, 4> Operands;
  llvm::Value *Integer = nullptr;
};

} // namespace verso

#endif // VERSO_RULES_OPERATION_H
