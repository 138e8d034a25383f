//===- RuleIR.h - formulas that emit IR -------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reading of Derivatives.def in which `0.5 / r` emits an fdiv. Constants
// stay abstract until they meet a value, and then take its type; a condition
// that is known while emitting selects without a select. Everything emitted
// carries the builder's fast-math flags and nothing is emitted that traps or
// touches memory.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_RULEIR_H
#define VERSO_RULES_RULEIR_H

#include "rules/Formula.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace verso::rules {

/// Where a formula is emitted, and the type that it computes in.
struct Emission {
  llvm::IRBuilderBase &B;
  llvm::Type *RealTy;
};

class IRCondition;
class IRInteger;

/// The value of a constant that a double holds exactly.
std::optional<double> knownReal(const llvm::Value *V);

/// A value, or a constant that has no type yet.
class IRReal {
public:
  IRReal() = default;
  IRReal(double C) : Plain(C) {}
  IRReal(Number N) : Decimal(N) {}
  IRReal(Emission &E, llvm::Value *V) : E(&E), V(V) {}

  Emission *emission() const { return E; }
  /// The value in E's type.
  llvm::Value *in(Emission &E) const;

  friend IRReal operator+(const IRReal &A, const IRReal &B);
  friend IRReal operator-(const IRReal &A, const IRReal &B);
  friend IRReal operator*(const IRReal &A, const IRReal &B);
  friend IRReal operator/(const IRReal &A, const IRReal &B);
  friend IRReal operator-(const IRReal &A);
  friend IRCondition operator<(const IRReal &A, const IRReal &B);
  friend IRCondition operator>(const IRReal &A, const IRReal &B);
  friend IRCondition operator<=(const IRReal &A, const IRReal &B);
  friend IRCondition operator>=(const IRReal &A, const IRReal &B);
  friend IRCondition operator==(const IRReal &A, const IRReal &B);
  friend IRCondition operator!=(const IRReal &A, const IRReal &B);

private:
  Emission *E = nullptr;
  llvm::Value *V = nullptr;
  double Plain = 0;
  Number Decimal{nullptr};
};

/// The integer operand of a rule, or a constant.
class IRInteger {
public:
  IRInteger() = default;
  IRInteger(int C) : Plain(C) {}
  IRInteger(Emission &E, llvm::Value *V) : E(&E), V(V) {}

  Emission *emission() const { return E; }
  /// The value; a constant as i32, C's int.
  llvm::Value *in(Emission &E) const;

  friend IRInteger operator+(const IRInteger &A, int B);
  friend IRInteger operator-(const IRInteger &A, int B);
  friend IRCondition operator==(const IRInteger &A, int B);
  friend IRCondition operator>(const IRInteger &A, int B);
  friend IRReal real(const IRInteger &A);

private:
  Emission *E = nullptr;
  llvm::Value *V = nullptr;
  int Plain = 0;
};

class IRCondition {
public:
  IRCondition(Emission &E, llvm::Value *V) : E(E), V(V) {}

  friend IRCondition operator&&(const IRCondition &A, const IRCondition &B);
  friend IRCondition operator||(const IRCondition &A, const IRCondition &B);
  friend IRReal select(const IRCondition &C, const IRReal &A, const IRReal &B);

private:
  Emission &E;
  llvm::Value *V;
};

inline IRReal bounded(const IRReal &A) { return A; }
IRReal reciprocal(const IRReal &Y, const IRReal &X, const IRReal &R);

#define VERSO_PRIMITIVE1(name, how, range) IRReal name(const IRReal &X);
#define VERSO_PRIMITIVE2(name, how, range)                                     \
  IRReal name(const IRReal &X, const IRReal &Y);
#define VERSO_PRIMITIVE_XN(name, how, range)                                   \
  IRReal name(const IRReal &X, const IRInteger &N);
#define VERSO_PRIMITIVE_NX(name, how, range)                                   \
  IRReal name(const IRInteger &N, const IRReal &X);
#include "rules/Primitives.def"

} // namespace verso::rules

#endif // VERSO_RULES_RULEIR_H
