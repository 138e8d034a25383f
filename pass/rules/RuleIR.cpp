//===- RuleIR.cpp - formulas that emit IR ---------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A primitive becomes one of
//   call T @llvm.<name>.T(T x, ...)
//   fptrunc (call double @<name>(double fpext x, ...))     half, bfloat, float
//   call double @<name>(double x, ...)
//   call x86_fp80 @<name>l(x86_fp80 x, ...)                the long double type
// where <name> of a function of ours starts with __verso_.
//
//===----------------------------------------------------------------------===//

#include "rules/RuleIR.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace verso::rules {

Value *IRReal::in(Emission &Where) const {
  if (V)
    return V;
  if (!Decimal.Digits)
    return ConstantFP::get(Where.RealTy, Plain);
  APFloat C(Where.RealTy->getFltSemantics(), Decimal.Digits);
  if (Decimal.Negative)
    C.changeSign();
  return ConstantFP::get(Where.RealTy, C);
}

/// Of two operands at least one is a value: two constants would have been
/// added by the C++ compiler.
static Emission &common(const IRReal &A, const IRReal &B) {
  Emission *E = A.emission() ? A.emission() : B.emission();
  assert(E && "a formula of constants only");
  return *E;
}

#define VERSO_ARITHMETIC(op, create)                                           \
  IRReal operator op(const IRReal &A, const IRReal &B) {                       \
    Emission &E = common(A, B);                                                \
    return {E, E.B.create(A.in(E), B.in(E))};                                  \
  }
VERSO_ARITHMETIC(+, CreateFAdd)
VERSO_ARITHMETIC(-, CreateFSub)
VERSO_ARITHMETIC(*, CreateFMul)
VERSO_ARITHMETIC(/, CreateFDiv)
#undef VERSO_ARITHMETIC

IRReal operator-(const IRReal &A) {
  if (!A.emission())
    return A.Decimal.Digits ? IRReal(-A.Decimal) : IRReal(-A.Plain);
  return {*A.E, A.E->B.CreateFNeg(A.V)};
}

#define VERSO_COMPARISON(op, create)                                           \
  IRCondition operator op(const IRReal &A, const IRReal &B) {                  \
    Emission &E = common(A, B);                                                \
    return {E, E.B.create(A.in(E), B.in(E))};                                  \
  }
VERSO_COMPARISON(<, CreateFCmpOLT)
VERSO_COMPARISON(>, CreateFCmpOGT)
VERSO_COMPARISON(<=, CreateFCmpOLE)
VERSO_COMPARISON(>=, CreateFCmpOGE)
VERSO_COMPARISON(==, CreateFCmpOEQ)
VERSO_COMPARISON(!=, CreateFCmpUNE)
#undef VERSO_COMPARISON

Value *IRInteger::in(Emission &Where) const {
  return V ? V : Where.B.getInt32(Plain);
}

IRInteger operator+(const IRInteger &A, int B) {
  Value *C = ConstantInt::getSigned(A.V->getType(), B);
  return {*A.E, A.E->B.CreateAdd(A.V, C)};
}

IRInteger operator-(const IRInteger &A, int B) { return A + -B; }

IRCondition operator==(const IRInteger &A, int B) {
  Value *C = ConstantInt::getSigned(A.V->getType(), B);
  return {*A.E, A.E->B.CreateICmpEQ(A.V, C)};
}

IRCondition operator>(const IRInteger &A, int B) {
  Value *C = ConstantInt::getSigned(A.V->getType(), B);
  return {*A.E, A.E->B.CreateICmpSGT(A.V, C)};
}

IRReal real(const IRInteger &A) {
  return {*A.E, A.E->B.CreateSIToFP(A.V, A.E->RealTy)};
}

IRCondition operator&&(const IRCondition &A, const IRCondition &B) {
  return {A.E, A.E.B.CreateAnd(A.V, B.V)};
}

IRCondition operator||(const IRCondition &A, const IRCondition &B) {
  return {A.E, A.E.B.CreateOr(A.V, B.V)};
}

IRReal select(const IRCondition &C, const IRReal &A, const IRReal &B) {
  if (auto *Known = dyn_cast<ConstantInt>(C.V))
    return Known->isOne() ? A : B;
  Emission &E = C.E;
  return {E, E.B.CreateSelect(C.V, A.in(E), B.in(E))};
}

std::optional<double> knownReal(const Value *V) {
  auto *C = dyn_cast_or_null<ConstantFP>(V);
  if (!C)
    return std::nullopt;
  APFloat Exact = C->getValueAPF();
  bool LosesInfo = false;
  Exact.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &LosesInfo);
  if (LosesInfo)
    return std::nullopt;
  return Exact.convertToDouble();
}

IRReal reciprocal(const IRReal &Y, const IRReal &X, const IRReal &R) {
  Emission &E = common(X, Y);
  Value *Numerator = X.in(E);
  std::optional<double> Known = knownReal(Numerator);
  if (!Known || !hasPlainInverse(*Known) || knownReal(Y.in(E)))
    return 1 / Y;
  if (*Known == 1)
    return R;
  APFloat Inverse(E.RealTy->getFltSemantics(), 1);
  Inverse.divide(cast<ConstantFP>(Numerator)->getValueAPF(),
                 APFloat::rmNearestTiesToEven);
  return R * IRReal(E, ConstantFP::get(E.RealTy, Inverse));
}

/// The type in which C's functions are called for a value of type Ty.
static Type *libraryType(Type *Ty, const Module &M) {
  if (Ty->getPrimitiveSizeInBits() <= 64)
    return Type::getDoubleTy(Ty->getContext());
  // A quad on x86 is no long double: it goes through the widest one.
  return Triple(M.getTargetTriple()).isX86()
             ? Type::getX86_FP80Ty(Ty->getContext())
             : Ty;
}

static Value *callLibrary(Emission &E, Twine Name,
                          ArrayRef<Value *> Arguments) {
  IRBuilderBase &B = E.B;
  Module &M = *B.GetInsertBlock()->getModule();
  Type *CallTy = libraryType(E.RealTy, M);
  SmallVector<Type *, 2> Types;
  SmallVector<Value *, 2> Values;
  for (Value *A : Arguments) {
    bool IsReal = A->getType()->isFloatingPointTy();
    Values.push_back(IsReal ? B.CreateFPCast(A, CallTy) : A);
    Types.push_back(Values.back()->getType());
  }
  auto *FnTy = FunctionType::get(CallTy, Types, /*isVarArg=*/false);
  SmallString<32> Symbol;
  (Name + (CallTy->isDoubleTy() ? "" : "l")).toVector(Symbol);
  CallInst *Call = B.CreateCall(M.getOrInsertFunction(Symbol, FnTy), Values);
  Call->setDoesNotAccessMemory();
  Call->setDoesNotThrow();
  Call->addFnAttr(Attribute::WillReturn);
  return B.CreateFPCast(Call, E.RealTy);
}

static Value *callIntrinsic(Emission &E, Intrinsic::ID ID,
                            ArrayRef<Value *> Arguments) {
  SmallVector<Type *, 2> Overloads{E.RealTy};
  if (!Arguments.back()->getType()->isFloatingPointTy())
    Overloads.push_back(Arguments.back()->getType());
  return E.B.CreateIntrinsic(ID, Overloads, Arguments);
}

#define VERSO_CALL_Intrinsic(E, name, ...)                                     \
  callIntrinsic(E, Intrinsic::name, __VA_ARGS__)
#define VERSO_CALL_Library(E, name, ...) callLibrary(E, #name, __VA_ARGS__)
#define VERSO_CALL_Runtime(E, name, ...)                                       \
  callLibrary(E, "__verso_" #name, __VA_ARGS__)

#define VERSO_PRIMITIVE1(name, how, range)                                     \
  IRReal name(const IRReal &X) {                                               \
    Emission &E = *X.emission();                                               \
    return {E, VERSO_CALL_##how(E, name, {X.in(E)})};                          \
  }
#define VERSO_PRIMITIVE2(name, how, range)                                     \
  IRReal name(const IRReal &X, const IRReal &Y) {                              \
    Emission &E = common(X, Y);                                                \
    return {E, VERSO_CALL_##how(E, name, {X.in(E), Y.in(E)})};                 \
  }
#define VERSO_PRIMITIVE_XN(name, how, range)                                   \
  IRReal name(const IRReal &X, const IRInteger &N) {                           \
    Emission &E = *N.emission();                                               \
    return {E, VERSO_CALL_##how(E, name, {X.in(E), N.in(E)})};                 \
  }
#define VERSO_PRIMITIVE_NX(name, how, range)                                   \
  IRReal name(const IRInteger &N, const IRReal &X) {                           \
    Emission &E = *X.emission();                                               \
    return {E, VERSO_CALL_##how(E, name, {N.in(E), X.in(E)})};                 \
  }
#include "rules/Primitives.def"

} // namespace verso::rules
