//===- RuleTable.cpp - the rules as records -------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every formula becomes a generic lambda without captures, which is
// instantiated once a reading.
//
//===----------------------------------------------------------------------===//

#include "rules/RuleTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Type.h"

using namespace llvm;

namespace verso::rules {

namespace {

/// A partial derivative that is a real formula.
template <typename Formula> constexpr Partial real(Formula) {
  return {[](const IRArguments &A) { return IRReal(Formula{}(A)); },
          [](const FactArguments &A) { return FactReal(Formula{}(A)); }};
}

/// The partial of one component of a holomorphic function by one component of
/// an operand: with f' = a + ib, the matrix (a, -b; b, a).
template <typename Real, bool OfIm, bool ByIm>
Real component(const Complex<Real> &D) {
  if constexpr (OfIm == ByIm)
    return D.Re;
  else if constexpr (OfIm)
    return D.Im;
  else
    return -D.Im;
}

template <bool OfIm, bool ByIm, typename Formula>
constexpr Partial holomorphic(Formula) {
  return {[](const IRArguments &A) {
            return component<IRReal, OfIm, ByIm>(Formula{}(A));
          },
          [](const FactArguments &A) {
            return component<FactReal, OfIm, ByIm>(Formula{}(A));
          }};
}

} // namespace

// What the letters of a formula stand for.
#define VERSO_REAL(formula)                                                    \
  real([](const auto &A) {                                                     \
    [[maybe_unused]] const auto &x = A.Operand[0], &y = A.Operand[1],          \
                                &r = A.Result[0], &s = A.Result[1];            \
    [[maybe_unused]] const auto &n = A.N;                                      \
    return formula;                                                            \
  })
#define VERSO_HOLOMORPHIC(of, by, formula)                                     \
  holomorphic<of, by>([](const auto &A) {                                      \
    using Real = std::decay_t<decltype(A.Operand[0])>;                         \
    [[maybe_unused]] Complex<Real> x(A.Operand[0], A.Operand[1]),              \
        y(A.Operand[2], A.Operand[3]), r(A.Result[0], A.Result[1]);            \
    return Complex<Real>(formula);                                             \
  })
#define VERSO_HOLOMORPHIC_ROW1(of, dx)                                         \
  {VERSO_HOLOMORPHIC(of, false, dx), VERSO_HOLOMORPHIC(of, true, dx)}
#define VERSO_HOLOMORPHIC_ROW2(of, dx, dy)                                     \
  {VERSO_HOLOMORPHIC(of, false, dx), VERSO_HOLOMORPHIC(of, true, dx),          \
   VERSO_HOLOMORPHIC(of, false, dy), VERSO_HOLOMORPHIC(of, true, dy)}
#define VERSO_HELPER_ROW(name, dx, dy)                                         \
  {#name,                                                                      \
   "none",                                                                     \
   RuleKind::ComplexHelper,                                                    \
   4,                                                                          \
   {VERSO_HOLOMORPHIC_ROW2(false, dx, dy),                                     \
    VERSO_HOLOMORPHIC_ROW2(true, dx, dy)}},

static constexpr Rule Table[] = {
#define VERSO_INSTRUCTION0(opcode)                                             \
  {#opcode, "none", RuleKind::Instruction, 0, {}},
#define VERSO_INSTRUCTION1(opcode, X, value, dx)                               \
  {#opcode, "none", RuleKind::Instruction, 1, {{VERSO_REAL(dx)}}},
#define VERSO_INSTRUCTION2(opcode, X, Y, value, dx, dy)                        \
  {#opcode,                                                                    \
   "none",                                                                     \
   RuleKind::Instruction,                                                      \
   2,                                                                          \
   {{VERSO_REAL(dx), VERSO_REAL(dy)}}},
#define VERSO_UNARY(name, intrinsic, X, dx)                                    \
  {#name, #intrinsic, RuleKind::Function, 1, {{VERSO_REAL(dx)}}},
#define VERSO_BINARY(name, intrinsic, X, Y, dx, dy)                            \
  {#name,                                                                      \
   #intrinsic,                                                                 \
   RuleKind::Function,                                                         \
   2,                                                                          \
   {{VERSO_REAL(dx), VERSO_REAL(dy)}}},
#define VERSO_TERNARY(name, intrinsic, X, Y, Z, dx, dy, dz)                    \
  {#name,                                                                      \
   #intrinsic,                                                                 \
   RuleKind::Function,                                                         \
   3,                                                                          \
   {{VERSO_REAL(dx), VERSO_REAL(dy), VERSO_REAL(dz)}}},
#define VERSO_UNARY_XN(name, intrinsic, X, N, dx)                              \
  {#name, #intrinsic, RuleKind::RealInteger, 1, {{VERSO_REAL(dx)}}},
#define VERSO_UNARY_NX(name, intrinsic, N, X, dx)                              \
  {#name, #intrinsic, RuleKind::IntegerReal, 1, {{VERSO_REAL(dx)}}},
#define VERSO_UNARY_PAIR(name, intrinsic, X, dr, ds)                           \
  {#name, #intrinsic, RuleKind::Pair, 1, {{VERSO_REAL(dr)}, {VERSO_REAL(ds)}}},
#define VERSO_BINARY_PAIR(name, intrinsic, X, Y, drx, dry, dsx, dsy)           \
  {#name,                                                                      \
   #intrinsic,                                                                 \
   RuleKind::Pair,                                                             \
   2,                                                                          \
   {{VERSO_REAL(drx), VERSO_REAL(dry)}, {VERSO_REAL(dsx), VERSO_REAL(dsy)}}},
#define VERSO_COMPLEX1(name, X, dx)                                            \
  {#name,                                                                      \
   "none",                                                                     \
   RuleKind::Complex,                                                          \
   2,                                                                          \
   {VERSO_HOLOMORPHIC_ROW1(false, dx), VERSO_HOLOMORPHIC_ROW1(true, dx)}},
#define VERSO_COMPLEX2(name, X, Y, dx, dy)                                     \
  {#name,                                                                      \
   "none",                                                                     \
   RuleKind::Complex,                                                          \
   4,                                                                          \
   {VERSO_HOLOMORPHIC_ROW2(false, dx, dy),                                     \
    VERSO_HOLOMORPHIC_ROW2(true, dx, dy)}},
#define VERSO_COMPLEX_HELPER(half, single, dbl, ext, quad, X, Y, dx, dy)       \
  VERSO_HELPER_ROW(half, dx, dy)                                               \
  VERSO_HELPER_ROW(single, dx, dy)                                             \
  VERSO_HELPER_ROW(dbl, dx, dy)                                                \
  VERSO_HELPER_ROW(ext, dx, dy)                                                \
  VERSO_HELPER_ROW(quad, dx, dy)
#define VERSO_INTEGER(name, intrinsic)                                         \
  {#name, #intrinsic, RuleKind::Integer, 1, {}},
#include "rules/Derivatives.def"
};

ArrayRef<Rule> ruleTable() { return Table; }

namespace {
struct FunctionName {
  const Rule *R;
  StringRef Suffix;
};
} // namespace

static StringMap<FunctionName> functionNames() {
  StringMap<FunctionName> Names;
  for (const Rule &R : Table) {
    if (R.Kind == RuleKind::Instruction || R.Name.starts_with("llvm_"))
      continue;
    if (R.Kind == RuleKind::ComplexHelper) {
      Names.insert({R.Name, {&R, ""}});
      continue;
    }
    // lgamma_r puts its suffix into the middle.
    auto [Stem, Tail] = R.Name.ends_with("_r") ? R.Name.rsplit('_')
                                               : std::pair(R.Name, StringRef());
    for (StringRef Suffix : {"", "f", "l", "f128"})
      Names.insert(
          {(Stem + Suffix + (Tail.empty() ? "" : "_r")).str(), {&R, Suffix}});
  }
  return Names;
}

const Rule *findFunctionRule(StringRef Name, StringRef &Suffix) {
  static const StringMap<FunctionName> Names = functionNames();
  auto Found = Names.find(Name);
  if (Found == Names.end())
    return nullptr;
  Suffix = Found->second.Suffix;
  return Found->second.R;
}

bool isTypeOfSuffix(const Type *Ty, StringRef Suffix) {
  if (Suffix.empty())
    return Ty->isDoubleTy();
  if (Suffix == "f")
    return Ty->isFloatTy();
  if (Suffix == "f128")
    return Ty->isFP128Ty();
  return Ty->isX86_FP80Ty() || Ty->isFP128Ty() || Ty->isPPC_FP128Ty() ||
         Ty->isDoubleTy();
}

const Rule *findIntrinsicRule(StringRef Name) {
  static const StringMap<const Rule *> Names = [] {
    StringMap<const Rule *> Names;
    for (const Rule &R : Table)
      if (R.Intrinsic != "none")
        Names.insert({R.Intrinsic, &R});
    return Names;
  }();
  return Names.lookup(Name);
}

const Rule *findInstructionRule(StringRef Opcode) {
  for (const Rule &R : Table)
    if (R.Kind == RuleKind::Instruction && R.Name == Opcode)
      return &R;
  return nullptr;
}

} // namespace verso::rules
