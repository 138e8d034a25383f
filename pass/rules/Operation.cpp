//===- Operation.cpp - one differentiable operation -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the rule of an instruction and reads its formulas for it.
//
//===----------------------------------------------------------------------===//

#include "rules/Operation.h"
#include "rules/Given.h"
#include "rules/CutOff.h"
#include "rules/Overflows.h"
#include "rules/RuleTable.h"
#include "rules/Zero.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace verso {

using namespace rules;

/// Whether Ty is the type {Real, ...} of two results.
static bool isPairOf(const Type *Ty, const Type *Real, bool BothReal) {
  auto *Pair = dyn_cast<StructType>(Ty);
  return Pair && Pair->getNumElements() == 2 &&
         Pair->getElementType(0) == Real &&
         (!BothReal || Pair->getElementType(1) == Real);
}

/// Whether FnTy is the prototype of R's function for the type Real, in the form
/// in which operands and results are scalars.
static bool hasPrototype(const FunctionType &FnTy, const Rule &R,
                         const Type *Real) {
  ArrayRef<Type *> Params = FnTy.params();
  // Ours take what the second result was before: see NormalizeMath.
  if (R.Kind == RuleKind::Pair && !Params.empty() &&
      Params.back()->isIntegerTy())
    Params = Params.drop_back();
  if (FnTy.isVarArg() || !Real->isFloatingPointTy() ||
      Params.size() != R.NumOperands + R.hasInteger())
    return false;
  const Type *Returned = FnTy.getReturnType();
  switch (R.Kind) {
  case RuleKind::Instruction:
    return false;
  case RuleKind::RealInteger:
    return Returned == Real && Params[0] == Real && Params[1]->isIntegerTy();
  case RuleKind::IntegerReal:
    return Returned == Real && Params[0]->isIntegerTy() && Params[1] == Real;
  case RuleKind::Integer:
    return Returned->isIntegerTy() && Params[0] == Real;
  case RuleKind::Function:
    if (R.Name == "nexttoward") // Its second operand is a long double.
      return Returned == Real && Params[0] == Real &&
             Params[1]->isFloatingPointTy();
    return Returned == Real && all_equal(Params) && Params[0] == Real;
  case RuleKind::Pair:
  case RuleKind::Complex:
  case RuleKind::ComplexHelper:
    return isPairOf(Returned, Real, R.Kind != RuleKind::Pair) &&
           all_equal(Params) && Params[0] == Real;
  }
  llvm_unreachable("unknown kind of rule");
}

static const Rule *ruleOfIntrinsic(const Function &Callee) {
  StringRef Name = Intrinsic::getBaseName(Callee.getIntrinsicID());
  Name.consume_front("llvm.");
  bool IsConstrained = Name.consume_front("experimental.constrained.");
  const Rule *R = findIntrinsicRule(Name);
  if (!R && IsConstrained)
    R = findInstructionRule(Name);
  if (!R || !R->NumOperands)
    return R;
  // Scalars only; the other parameters are exponents, classes or metadata.
  ArrayRef<Type *> Params = Callee.getFunctionType()->params();
  return all_of(Params.take_front(R->NumOperands),
                [](const Type *Ty) { return Ty->isFloatingPointTy(); })
             ? R
             : nullptr;
}

/// A factor that nobody knows may be infinite.
static FactReal asFactor(FactReal F) {
  bool IsFinite = F.Known && std::isfinite(*F.Known);
  F.Worst = IsFinite ? Limit::Finite : Limit::Singular;
  return F;
}

/// Of product(x, y): see Zero.h. Where y is zero, x may be infinite.
static const Rule ProductRule = {
    "product",
    "none",
    RuleKind::Function,
    2,
    {{{[](const IRArguments &A) { return A.Operand[1]; },
       [](const FactArguments &A) { return A.Operand[1]; }},
      {[](const IRArguments &A) { return A.Operand[0]; },
       [](const FactArguments &A) { return asFactor(A.Operand[0]); }}}}};

/// Of weighted(x, y): see Zero.h.
static const Rule WeightedRule = {
    "weighted",
    "none",
    RuleKind::Function,
    2,
    {{{[](const IRArguments &A) { return A.Operand[1]; },
       [](const FactArguments &A) { return A.Operand[1]; }},
      {[](const IRArguments &A) { return A.Operand[0]; },
       [](const FactArguments &A) { return A.Operand[0]; }}}}};

/// Of limit(x, y): see Zero.h. Where x is zero and y not finite, nothing that
/// is computed from them varies.
static const Rule LimitRule = {
    "limit",
    "none",
    RuleKind::Function,
    2,
    {{{[](const IRArguments &A) {
         const IRReal &X = A.Operand[0], &Y = A.Operand[1];
         return select(X == 0 && isNaN(Y - Y), IRReal(0), Y);
       },
       [](const FactArguments &A) {
         const FactReal &X = A.Operand[0], &Y = A.Operand[1];
         return FactReal(X.Needs | Y.Needs, Limit::Singular, Sign::Any);
       }},
      {[](const IRArguments &A) { return A.Operand[0]; },
       [](const FactArguments &A) {
         return FactReal(A.Operand[0].Needs, Limit::Singular, Sign::Any);
       }}}}};

/// Of verso.given(x, p, r): see Given.h. Nobody knows where the
/// program's p is infinite.
static const Rule GivenRule = {
    "given",
    "none",
    RuleKind::Function,
    3,
    {{{[](const IRArguments &A) { return A.Operand[1]; },
       [](const FactArguments &A) { return asFactor(A.Operand[1]); }},
      {[](const IRArguments &) { return IRReal(0); },
       [](const FactArguments &) { return FactReal(0); }},
      {[](const IRArguments &) { return IRReal(1); },
       [](const FactArguments &) { return FactReal(1); }}}}};

/// Of x * y, and of x * y + z, where y is the root of x: all of the derivative
/// is by x. By way of the root it would take a division, and at zero infinity
/// times zero.
template <unsigned X>
static constexpr Partial OfPower = {
    [](const IRArguments &A) { return 1.5 * A.Operand[1 - X]; },
    [](const FactArguments &A) { return 1.5 * A.Operand[1 - X]; }};
static constexpr Partial OfNone = {
    [](const IRArguments &) { return IRReal(0); },
    [](const FactArguments &) { return FactReal(0); }};
static constexpr Partial OfSummand = {
    [](const IRArguments &) { return IRReal(1); },
    [](const FactArguments &) { return FactReal(1); }};
static const Rule PowerRules[] = {
    {"fmul", "none", RuleKind::Instruction, 2, {{OfPower<0>, OfNone}}},
    {"fmul", "none", RuleKind::Instruction, 2, {{OfNone, OfPower<1>}}}};
static const Rule PowerAndSumRules[] = {
    {"fma", "none", RuleKind::Function, 3, {{OfPower<0>, OfNone, OfSummand}}},
    {"fma", "none", RuleKind::Function, 3, {{OfNone, OfPower<1>, OfSummand}}}};

/// The rule for a call whose operands and results are scalars.
static const Rule *ruleOfCall(const CallBase &Call,
                              const TargetLibraryInfo *TLI) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return nullptr;
  if (Callee->isIntrinsic())
    return ruleOfIntrinsic(*Callee);
  if (isProduct(Call))
    return Call.getType()->isVectorTy() ? nullptr : &ProductRule;
  if (isWeighted(Call))
    return &WeightedRule;
  if (isLimit(Call))
    return Call.getType()->isVectorTy() ? nullptr : &LimitRule;
  if (isGiven(Call))
    return &GivenRule;
  StringRef Name = Callee->getName();
  bool IsOurs = Callee->hasFnAttribute(Operation::RuleAttribute);
  if (IsOurs)
    Name = Callee->getFnAttribute(Operation::RuleAttribute).getValueAsString();
  else if (!Callee->isDeclaration() || Callee->hasLocalLinkage())
    return nullptr;
  StringRef Suffix;
  const Rule *R = findFunctionRule(Name, Suffix);
  if (!R || Callee->arg_empty() || (R->Kind == RuleKind::Pair && !IsOurs))
    return nullptr;
  const Type *Real = R->Kind == RuleKind::IntegerReal
                         ? Callee->getReturnType()
                         : Callee->getArg(0)->getType();
  bool IsAnyType = IsOurs || R->Kind == RuleKind::ComplexHelper;
  if (!hasPrototype(*Callee->getFunctionType(), *R, Real) ||
      (!IsAnyType && !isTypeOfSuffix(Real, Suffix)))
    return nullptr;
  LibFunc Known;
  if (TLI && !IsOurs && TLI->getLibFunc(Name, Known) &&
      !TLI->getLibFunc(*Callee, Known))
    return nullptr;
  return R;
}

/// Whether \p Root is the square root of \p X.
static bool isRootOf(Value *Root, const Value *X,
                     const TargetLibraryInfo *TLI) {
  auto *Call = dyn_cast<CallBase>(Root);
  if (!Call || Call->arg_empty() || Call->getArgOperand(0) != X)
    return false;
  const Rule *R = ruleOfCall(*Call, TLI);
  return R && R->Name == "sqrt";
}

/// What is rather used for \p R, the rule of \p I.
static const Rule *ruleOfPower(Instruction &I, const Rule *R,
                               const TargetLibraryInfo *TLI) {
  bool IsSum = R->Name == "fma" || R->Name == "llvm_fmuladd";
  if (R->Name != "fmul" && !IsSum)
    return R;
  for (unsigned X : {0, 1})
    if (isRootOf(I.getOperand(1 - X), I.getOperand(X), TLI))
      return &(IsSum ? PowerAndSumRules : PowerRules)[X];
  return R;
}

std::optional<Operation> Operation::match(Instruction &I,
                                          const TargetLibraryInfo *TLI) {
  if (auto *Extract = dyn_cast<ExtractValueInst>(&I)) {
    auto *Call = dyn_cast<CallBase>(Extract->getAggregateOperand());
    const Rule *R = Call ? ruleOfCall(*Call, TLI) : nullptr;
    if (!R || !R->hasTwoResults() || Extract->getNumIndices() != 1)
      return std::nullopt;
    return Operation(I, *Call, *R, Extract->getIndices()[0]);
  }
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    const Rule *R = ruleOfCall(*Call, TLI);
    if (!R || R->hasTwoResults())
      return std::nullopt;
    return Operation(I, I, *ruleOfPower(I, R, TLI), /*Result=*/0);
  }
  if (!I.getType()->isFloatingPointTy())
    return std::nullopt;
  if (const Rule *R = findInstructionRule(I.getOpcodeName()))
    return Operation(I, I, *ruleOfPower(I, R, TLI), /*Result=*/0);
  return std::nullopt;
}

bool Operation::isTwoResultCall(const CallBase &Call,
                                const TargetLibraryInfo *TLI) {
  const Rule *R = ruleOfCall(Call, TLI);
  return R && R->hasTwoResults();
}

Operation::Operation(Instruction &I, Instruction &Computation, const Rule &R,
                     unsigned Result)
    : I(&I), Computation(&Computation), R(&R), Result(Result) {
  for (Value *V : Computation.operand_values()) {
    if (Operands.size() < R.NumOperands && V->getType()->isFloatingPointTy())
      Operands.push_back(V);
    else if (R.hasInteger() && !Integer && V->getType()->isIntegerTy())
      Integer = V;
  }
  assert(Operands.size() == R.NumOperands && "operands do not fit the rule");
}

StringRef Operation::name() const { return R->Name; }

bool Operation::roundsToInteger() const {
  return is_contained({"lround", "llround", "lrint", "llrint", "llvm_fptosi",
                       "llvm_fptoui", "llvm_to_si", "llvm_to_ui"},
                      name());
}

FactReal Operation::facts(unsigned K) const {
  const Partial &P = R->Partials[Result][K];
  if (!P.Facts)
    return 0;
  FactArguments A;
  for (auto [J, V] : enumerate(Operands)) {
    std::optional<double> Known = knownReal(V);
    A.Operand[J] = Known ? FactReal(*Known) : leafFact(needsOperand(J));
  }
  if (Integer) {
    auto *C = dyn_cast<ConstantInt>(Integer);
    A.N = FactInteger(NeedsInteger,
                      C ? C->getValue().trySExtValue() : std::nullopt);
  }
  for (unsigned J = 0; J != MaxResults; ++J)
    A.Result[J] = leafFact(needsResult(J));
  return P.Facts(A);
}

Operation::Shape Operation::shape(unsigned K) const {
  std::optional<double> Known = facts(K).Known;
  if (Known == 0.0)
    return Shape::Zero;
  return Known == 1.0 ? Shape::One : Shape::General;
}

bool Operation::isSingular(unsigned K) const {
  return facts(K).Worst == Limit::Singular;
}

bool Operation::mayOverflow(unsigned K) const {
  return facts(K).Worst == Limit::Overflows;
}

bool Operation::isPlain(unsigned K) const {
  return !(R == &ProductRule || R == &WeightedRule || R == &LimitRule) &&
         !chooses() && !isSingular(K) && !isOverflow(I);
}

Value *Operation::emitScaled(IRBuilderBase &B, unsigned K, Value *Partial,
                             Value *Seed) const {
  // Where the partial is y, a zero, the seed is of an x that may be infinite.
  if ((R == &ProductRule || R == &WeightedRule) && K == 0)
    return isOverflow(I) ? emitLimit(B, Partial, Seed, /*OfBoth=*/true)
                         : emitProduct(B, Seed, Partial);
  if (R == &LimitRule)
    return emitLimit(B, Partial, Seed, /*OfBoth=*/true,
                     isLimitOfUnseen(cast<CallBase>(*I)));
  // What is not chosen may be infinite, and its tangent.
  if (chooses())
    return emitProduct(B, Seed, Partial);
  return isSingular(K) || isOverflow(I) ? emitProduct(B, Partial, Seed)
                       : B.CreateFMul(Partial, Seed);
}

Value *Operation::emitCutOff(IRBuilderBase &B, Value *Partial,
                             Value *Seed) const {
  if (!isCutOff(I) || isa<Constant>(Partial))
    return Seed;
  return B.CreateSelect(emitIsZero(B, Partial),
                        Constant::getNullValue(Seed->getType()), Seed);
}

Operation::Uses Operation::uses(unsigned K) const {
  NeedsMask Needs = facts(K).Needs;
  return {Needs & (needsOperand(MaxOperands) - 1),
          bool(Needs & needsResult(Result)),
          bool(Needs & needsResult(1 - Result)), bool(Needs & NeedsInteger)};
}

/// For
///   %p = extractvalue { T, T } %call, 0
/// the partial may need the other result: %s = extractvalue { T, T } %call, 1.
Value *Operation::emitPartial(IRBuilderBase &B, unsigned K) const {
  Type *Ty =
      I->getType()->isFloatingPointTy() ? I->getType() : Operands[K]->getType();
  FactReal Facts = facts(K);
  if (Facts.Known == 0.0 || Facts.Known == 1.0 || Facts.Known == -1.0)
    return ConstantFP::get(Ty, *Facts.Known);

  IRBuilderBase::FastMathFlagGuard Guard(B);
  auto *FPOp = dyn_cast<FPMathOperator>(Computation);
  B.setFastMathFlags(FPOp ? FPOp->getFastMathFlags() : FastMathFlags());

  bool IsNarrow = Ty->isHalfTy() || Ty->isBFloatTy();
  Emission E{B, IsNarrow ? B.getFloatTy() : Ty};
  IRArguments A;
  for (auto [J, V] : enumerate(Operands))
    A.Operand[J] = {E, B.CreateFPCast(V, E.RealTy)};
  if (Integer)
    A.N = {E, Integer};
  for (unsigned J = 0; J != MaxResults; ++J) {
    Value *V = I;
    if (!(Facts.Needs & needsResult(J)))
      V = PoisonValue::get(Ty); // In a component that nobody takes.
    else if (J != Result)
      V = B.CreateExtractValue(Computation, J);
    A.Result[J] = {E, B.CreateFPCast(V, E.RealTy)};
  }
  Value *Partial = R->Partials[Result][K].Emit(A).in(E);
  return B.CreateFPCast(Partial, Ty);
}

} // namespace verso
