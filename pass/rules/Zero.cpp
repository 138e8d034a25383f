//===- Zero.cpp - what a zero adjoint or tangent decides ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// runtime/Sweep.c declares the forms for double by these names.
//
//===----------------------------------------------------------------------===//

#include "rules/Zero.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral ProductName = "verso.product.";
static constexpr StringLiteral WeightedName = "verso.weighted.";
static constexpr StringLiteral LimitName = "verso.limit.";
static constexpr StringLiteral Both = "both.", Unseen = "unseen.";
static constexpr StringLiteral ZeroName = "verso.is.zero.";

/// verso.product.double, verso.product.v4double
static std::string nameFor(StringRef Prefix, Type *T) {
  std::string Name = Prefix.str();
  raw_string_ostream Out(Name);
  if (auto *V = dyn_cast<FixedVectorType>(T))
    Out << 'v' << V->getNumElements();
  Out << *T->getScalarType();
  return Name;
}

static CallInst *callOpaque(IRBuilderBase &B, StringRef Prefix, Type *Result,
                            ArrayRef<Value *> Arguments) {
  Type *T = Arguments[0]->getType();
  SmallVector<Type *, 2> Types(Arguments.size(), T);
  Module *M = B.GetInsertBlock()->getModule();
  FunctionCallee Callee = M->getOrInsertFunction(
      nameFor(Prefix, T), FunctionType::get(Result, Types, false));
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setSpeculatable();
  return B.CreateCall(Callee, Arguments);
}

static bool callsOpaque(const CallBase &Call, StringRef Prefix) {
  const Function *F = Call.getCalledFunction();
  return F && F->isDeclaration() && F->getName().starts_with(Prefix);
}

Value *verso::emitProduct(IRBuilderBase &B, Value *Partial, Value *Seed) {
  if (auto *C = dyn_cast<ConstantFP>(Seed); C && !C->isZero())
    return B.CreateFMul(Partial, Seed);
  return callOpaque(B, ProductName, Seed->getType(), {Partial, Seed});
}

bool verso::isProduct(const CallBase &Call) {
  return callsOpaque(Call, ProductName);
}

Value *verso::emitWeighted(IRBuilderBase &B, Value *Partial, Value *Seed) {
  assert(Seed->getType()->isFloatingPointTy() && "a real number");
  return callOpaque(B, WeightedName, Seed->getType(), {Partial, Seed});
}

bool verso::isWeighted(const CallBase &Call) {
  return callsOpaque(Call, WeightedName);
}

/// That s is not finite has to be seen, whatever flags promise.
Value *verso::emitLimit(IRBuilderBase &B, Value *Partial, Value *Seed,
                        bool OfBoth, bool OfUnseen) {
  IRBuilderBase::FastMathFlagGuard Guard(B);
  FastMathFlags Flags = B.getFastMathFlags();
  Flags.setNoNaNs(false);
  Flags.setNoInfs(false);
  B.setFastMathFlags(Flags);
  std::string Name = LimitName.str();
  if (OfBoth)
    Name += Both;
  if (OfUnseen)
    Name += Unseen;
  return callOpaque(B, Name, Seed->getType(), {Partial, Seed});
}

static bool isOfBoth(const CallBase &Limit) {
  return callsOpaque(Limit, LimitName) &&
         Limit.getCalledFunction()->getName().contains(Both);
}

bool verso::isLimitOfUnseen(const CallBase &Limit) {
  return callsOpaque(Limit, LimitName) &&
         Limit.getCalledFunction()->getName().contains(Unseen);
}

bool verso::isLimit(const CallBase &Call) {
  return callsOpaque(Call, LimitName);
}

/// The payload's first bit: it survives conversions to narrower types.
static APFloat poleOf(Type *T) {
  const fltSemantics &Semantics = T->getFltSemantics();
  APInt Payload =
      APInt::getOneBitSet(APFloat::getSizeInBits(Semantics),
                          APFloat::semanticsPrecision(Semantics) - 3);
  return APFloat::getQNaN(Semantics, /*Negative=*/false, &Payload);
}

Value *verso::emitPole(IRBuilderBase &B, Value *Tangent) {
  IRBuilderBase::FastMathFlagGuard Guard(B);
  B.clearFastMathFlags();
  Type *T = Tangent->getType();
  Value *IsInfinite =
      B.CreateFCmpOEQ(B.CreateUnaryIntrinsic(Intrinsic::fabs, Tangent),
                      ConstantFP::getInfinity(T));
  Value *Factor =
      B.CreateSelect(IsInfinite, ConstantFP::get(T, poleOf(T->getScalarType())),
                     ConstantFP::get(T, 1));
  // Where an outer request finds an infinite tangent of this one, too.
  return emitProduct(B, Factor, Tangent);
}

/// Of either sign.
static Value *isPole(IRBuilderBase &B, Value *Tangent) {
  Type *T = Tangent->getType(), *Scalar = T->getScalarType();
  APInt Least = poleOf(Scalar).bitcastToAPInt();
  Type *Bits = T->getWithNewType(B.getIntNTy(Least.getBitWidth()));
  Value *Magnitude = B.CreateAnd(
      B.CreateBitCast(Tangent, Bits),
      ConstantInt::get(Bits, APInt::getSignedMaxValue(Least.getBitWidth())));
  return B.CreateICmpUGE(Magnitude, ConstantInt::get(Bits, Least));
}

Value *verso::emitIsZero(IRBuilderBase &B, Value *X) {
  assert(X->getType()->isFloatingPointTy() && "a real number");
  return callOpaque(B, ZeroName, B.getInt1Ty(), {X});
}

bool verso::isZeroTest(const CallBase &Call) {
  return callsOpaque(Call, ZeroName);
}

static SmallVector<CallInst *, 16> callsIn(Function &F,
                                           bool (*Of)(const CallBase &)) {
  SmallVector<CallInst *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Of(*Call))
      Calls.push_back(Call);
  return Calls;
}

void verso::takeProductsApart(Function &F) {
  auto IsOfTwo = [](const CallBase &Call) {
    return isProduct(Call) || isLimit(Call);
  };
  for (CallInst *Call : callsIn(F, IsOfTwo)) {
    auto *T = dyn_cast<FixedVectorType>(Call->getType());
    if (!T)
      continue;
    IRBuilder<> B(Call);
    B.setFastMathFlags(Call->getFastMathFlags());
    Value *Whole = PoisonValue::get(T);
    for (unsigned K = 0; K != T->getNumElements(); ++K) {
      Value *Partial = B.CreateExtractElement(Call->getArgOperand(0), K);
      Value *Seed = B.CreateExtractElement(Call->getArgOperand(1), K);
      Value *Each = isLimit(*Call)
                        ? emitLimit(B, Partial, Seed, isOfBoth(*Call),
                                    isLimitOfUnseen(*Call))
                        : emitProduct(B, Partial, Seed);
      Whole = B.CreateInsertElement(Whole, Each, K);
    }
    Call->replaceAllUsesWith(Whole);
    Call->eraseFromParent();
  }
}

void verso::denyZeroTests(Function &F) {
  for (CallInst *Call : callsIn(F, isZeroTest)) {
    Call->replaceAllUsesWith(ConstantInt::getFalse(F.getContext()));
    Call->eraseFromParent();
  }
}

/// The choice is ours: under nnan it would be poison where it is needed.
static Value *lowered(CallInst &Call) {
  IRBuilder<> B(&Call);
  Value *Seed = Call.getArgOperand(Call.arg_size() - 1);
  Value *Zero = Constant::getNullValue(Seed->getType());
  if (isZeroTest(Call))
    return B.CreateFCmpOEQ(Seed, Zero);
  Value *Product = B.CreateFMulFMF(Call.getArgOperand(0), Seed, &Call);
  if (isWeighted(Call))
    return Product;
  Value *Tested = isLimit(Call) ? Call.getArgOperand(0) : Seed;
  Value *IsZero = B.CreateFCmpOEQ(Tested, Zero);
  if (isLimitOfUnseen(Call))
    IsZero = B.CreateAnd(IsZero, B.CreateNot(isPole(B, Seed)));
  if (isOfBoth(Call))
    IsZero = B.CreateOr(IsZero, B.CreateFCmpOEQ(Seed, Zero));
  return B.CreateSelect(IsZero, Zero, Product);
}

SmallSetVector<Function *, 16> verso::lowerZeros(Module &M) {
  SmallSetVector<Function *, 16> Changed;
  for (Function &F : make_early_inc_range(M)) {
    auto IsNamed = [&](StringRef Prefix) {
      return F.getName().starts_with(Prefix);
    };
    if (!F.isDeclaration() || !(IsNamed(ProductName) || IsNamed(WeightedName) ||
                                IsNamed(LimitName) || IsNamed(ZeroName)))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      Changed.insert(Call->getFunction());
      Call->replaceAllUsesWith(lowered(*Call));
      Call->eraseFromParent();
    }
    F.eraseFromParent();
  }
  return Changed;
}
