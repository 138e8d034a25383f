//===- RuleTable.h - the rules as records -----------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives.def as constant records: a rule's names, its shape, and each of
// its partial derivatives in the two readings that the pass uses. What program
// text a rule applies to is Operation's business.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_RULETABLE_H
#define VERSO_RULES_RULETABLE_H

#include "rules/RuleIR.h"
#include "rules/RuleNeeds.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace verso::rules {

using IRArguments = Arguments<IRReal, IRInteger>;
using FactArguments = Arguments<FactReal, FactInteger>;

/// One partial derivative. Both are null where the derivative is zero because
/// the result is no real number.
struct Partial {
  IRReal (*Emit)(const IRArguments &) = nullptr;
  FactReal (*Facts)(const FactArguments &) = nullptr;
};

enum class RuleKind {
  Instruction,   ///< Real operands; the name is an opcode's.
  Function,      ///< Real operands, one real result.
  RealInteger,   ///< Operands (real, integer).
  IntegerReal,   ///< Operands (integer, real).
  Pair,          ///< Two results, of which the second may be an integer.
  Complex,       ///< Two results, two operands a complex parameter.
  ComplexHelper, ///< The same, known by this exact name only.
  Integer,       ///< An integer result.
};

struct Rule {
  llvm::StringRef Name;
  llvm::StringRef Intrinsic; ///< Without "llvm."; "none" if there is none.
  RuleKind Kind;
  unsigned NumOperands;
  Partial Partials[MaxResults][MaxOperands]; ///< [result][operand]

  bool hasTwoResults() const {
    return Kind == RuleKind::Pair || Kind == RuleKind::Complex ||
           Kind == RuleKind::ComplexHelper;
  }
  bool hasInteger() const {
    return Kind == RuleKind::RealInteger || Kind == RuleKind::IntegerReal;
  }
};

/// The whole table.
llvm::ArrayRef<Rule> ruleTable();

/// The rule of a C library function, of whatever precision, or null. Suffix is
/// what the name has after the rule's: "", "f", "l" or "f128".
const Rule *findFunctionRule(llvm::StringRef Name, llvm::StringRef &Suffix);

/// Whether C library functions with this suffix compute in the type Ty.
bool isTypeOfSuffix(const llvm::Type *Ty, llvm::StringRef Suffix);

/// The rule of the intrinsic llvm.<Name>, or of an instruction's opcode.
const Rule *findIntrinsicRule(llvm::StringRef Name);
const Rule *findInstructionRule(llvm::StringRef Opcode);

} // namespace verso::rules

#endif // VERSO_RULES_RULETABLE_H
