//===- OperationTest.cpp - what is an operation, and facts about it -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves which instructions are matched and which must not be, and what is
// known of a partial without emitting it: its shape, whether it is singular,
// what it uses; and that fast-math flags come from the operation alone.
//
//===----------------------------------------------------------------------===//

#include "rules/Operation.h"
#include "LLVMCompat.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace verso;

namespace {

/// Parses a body of `double @f(double %x, double %y, i32 %n, ptr %p)`.
class OperationTest : public ::testing::Test {
protected:
  Instruction *parse(StringRef Body, StringRef Declarations = "");
  Operation match(StringRef Body, StringRef Declarations = "");
  bool matches(StringRef Body, StringRef Declarations = "");

  LLVMContext Context;
  std::unique_ptr<Module> M;
};

} // namespace

/// The instruction that %r names.
Instruction *OperationTest::parse(StringRef Body, StringRef Declarations) {
  std::string Text = (Declarations +
                      "\ndefine void @f(double %x, double %y, float %u, i32 "
                      "%n, <2 x double> %v) {\n" +
                      Body + "\n  ret void\n}\n")
                         .str();
  SMDiagnostic Error;
  M = parseAssemblyString(Text, Error, Context);
  if (!M) {
    Error.print("OperationTest", errs());
    return nullptr;
  }
  for (Instruction &I : instructions(*M->getFunction("f")))
    if (I.getName() == "r")
      return &I;
  return nullptr;
}

bool OperationTest::matches(StringRef Body, StringRef Declarations) {
  Instruction *I = parse(Body, Declarations);
  EXPECT_TRUE(I) << Body.str();
  return I && Operation::match(*I, /*TLI=*/nullptr);
}

Operation OperationTest::match(StringRef Body, StringRef Declarations) {
  Instruction *I = parse(Body, Declarations);
  return *Operation::match(*I, /*TLI=*/nullptr);
}

using Shape = Operation::Shape;

TEST_F(OperationTest, ShapesAreKnownWithoutEmitting) {
  EXPECT_EQ(match("%r = fadd double %x, %y").shape(0), Shape::One);
  EXPECT_EQ(match("%r = fsub double %x, %y").shape(1), Shape::General);
  EXPECT_EQ(match("%r = fmul double %x, %y").shape(0), Shape::General);
  EXPECT_EQ(match("%r = fmul double %x, 1.0").shape(0), Shape::One);
  EXPECT_EQ(match("%r = fpext float %u to double").shape(0), Shape::One);
  EXPECT_EQ(match("%r = fptrunc double %x to float").shape(0), Shape::One);
  EXPECT_EQ(match("%r = call double @llvm.floor.f64(double %x)").shape(0),
            Shape::Zero);
  EXPECT_EQ(match("%r = call double @llvm.copysign.f64(double %x, double %y)")
                .shape(1),
            Shape::Zero);
  EXPECT_EQ(match("%r = call double @nexttoward(double %x, x86_fp80 0xK0)",
                  "declare double @nexttoward(double, x86_fp80)")
                .shape(0),
            Shape::One);
  EXPECT_EQ(
      match("%r = call i64 @lround(double %x)", "declare i64 @lround(double)")
          .shape(0),
      Shape::Zero);
  EXPECT_TRUE(match("%r = sitofp i32 %n to double").operands().empty());
}

TEST_F(OperationTest, SingularPartialsAreToldFromFiniteOnes) {
  auto IsSingular = [&](StringRef Name) {
    return match(("%r = call double @" + Name + "(double %x)").str(),
                 ("declare double @" + Name + "(double)").str())
        .isSingular(0);
  };
  for (StringRef Name : {"sqrt", "cbrt", "log", "log1p", "asin", "acos",
                         "acosh", "atanh", "lgamma", "tgamma", "y0"})
    EXPECT_TRUE(IsSingular(Name)) << Name.str();
  for (StringRef Name : {"sin", "exp", "tan", "tanh", "atan", "asinh", "erf",
                         "floor", "j0", "j1", "fabs", "expm1"})
    EXPECT_FALSE(IsSingular(Name)) << Name.str();
  EXPECT_TRUE(match("%r = fdiv double %x, %y").isSingular(0));
  EXPECT_TRUE(match("%r = fdiv double %x, %y").isSingular(1));
  EXPECT_FALSE(match("%r = fdiv double %x, 3.0").isSingular(0));
  EXPECT_TRUE(match("%r = fdiv double %x, 0.0").isSingular(0));
  EXPECT_TRUE(match("%r = fdiv double 3.0, %y").isSingular(1));
  StringRef Pow = "declare double @pow(double, double)";
  EXPECT_TRUE(
      match("%r = call double @pow(double %x, double %y)", Pow).isSingular(0));
  EXPECT_FALSE(
      match("%r = call double @pow(double %x, double 2.5)", Pow).isSingular(0));
  EXPECT_TRUE(
      match("%r = call double @pow(double %x, double 0.5)", Pow).isSingular(0));
  StringRef Hypot = "declare double @hypot(double, double)";
  EXPECT_FALSE(match("%r = call double @hypot(double %x, double %y)", Hypot)
                   .isSingular(0));
}

TEST_F(OperationTest, UsesNameWhatAPartialRefersTo) {
  auto Exp = match("%r = call double @llvm.exp.f64(double %x)").uses(0);
  EXPECT_EQ(Exp.Operands, 0u);
  EXPECT_TRUE(Exp.Result);
  auto Sin = match("%r = call double @llvm.sin.f64(double %x)").uses(0);
  EXPECT_EQ(Sin.Operands, 1u);
  EXPECT_FALSE(Sin.Result);
  auto Mul = match("%r = fmul double %x, %y").uses(0);
  EXPECT_EQ(Mul.Operands, 2u);
  EXPECT_EQ(match("%r = fmul double %x, 3.0").uses(0).Operands, 0u);
  auto Floor = match("%r = call double @llvm.floor.f64(double %x)").uses(0);
  EXPECT_TRUE(Floor.Operands == 0 && !Floor.Result);
  auto Powi =
      match("%r = call double @llvm.powi.f64.i32(double %x, i32 3)").uses(0);
  EXPECT_TRUE(Powi.Operands == 1 && !Powi.Result && !Powi.Integer);
  if (!verso::compat::HasEveryIntrinsic)
    return;
  auto SinCos = match("%p = call {double, double} @llvm.sincos.f64(double %x)\n"
                      "%r = extractvalue {double, double} %p, 1")
                    .uses(0);
  EXPECT_TRUE(!SinCos.Result && SinCos.Sibling && SinCos.Operands == 0);
}

TEST_F(OperationTest, ConstantOverNumberUsesTheQuotientOnly) {
  auto IsQuotientOnly = [&](StringRef Body) {
    auto Uses = match(Body).uses(1);
    return Uses.Result && !Uses.Operands;
  };
  EXPECT_TRUE(IsQuotientOnly("%r = fdiv double 3.0, %y"));
  EXPECT_TRUE(IsQuotientOnly("%r = fdiv float -0.5, %u"));
  // The inverse is not known, or may overflow.
  EXPECT_FALSE(IsQuotientOnly("%r = fdiv double %x, %y"));
  EXPECT_FALSE(IsQuotientOnly("%r = fdiv double 0.0, %y"));
  EXPECT_FALSE(IsQuotientOnly("%r = fdiv double 1.0e40, %y"));
  EXPECT_FALSE(IsQuotientOnly("%r = fdiv double 0x7FF0000000000000, %y"));
}

TEST_F(OperationTest, NumberTimesItsRootIsAPower) {
  StringRef Root = "%s = call double @llvm.sqrt.f64(double %x)\n";
  for (StringRef Product :
       {"%r = fmul double %x, %s", "%r = fmul double %s, %x",
        "%r = call double @llvm.fmuladd.f64(double %x, double %s, double %y)",
        "%r = call double @llvm.fma.f64(double %s, double %x, double %y)"}) {
    Operation Op = match((Root + Product).str());
    unsigned S = Op.operands()[0]->getName() == "s" ? 0 : 1;
    EXPECT_EQ(Op.shape(S), Shape::Zero) << Product.str();
    EXPECT_EQ(Op.shape(1 - S), Shape::General);
    EXPECT_EQ(Op.uses(1 - S).Operands, 1u << S);
    EXPECT_FALSE(Op.isSingular(1 - S));
    if (Op.operands().size() == 3)
      EXPECT_EQ(Op.shape(2), Shape::One);
  }
  // Of another number.
  EXPECT_EQ(match((Root + "%r = fmul double %y, %s").str()).shape(1),
            Shape::General);
}

TEST_F(OperationTest, OtherThingsAreNotMatched) {
  EXPECT_FALSE(matches("%r = fadd <2 x double> %v, %v"));
  EXPECT_FALSE(matches("%r = call <2 x double> @llvm.sin(<2 x double> %v)",
                       "declare <2 x double> @llvm.sin(<2 x double>)"));
  EXPECT_FALSE(matches("%r = select i1 true, double %x, double %y"));
  EXPECT_FALSE(matches("%r = fcmp olt double %x, %y"));
  EXPECT_FALSE(matches("%r = fptosi double %x to i32"));
  // Another prototype or precision than the library's.
  EXPECT_FALSE(matches("%r = call i32 @sin(i32 %n)", "declare i32 @sin(i32)"));
  EXPECT_FALSE(
      matches("%r = call float @sin(float %u)", "declare float @sin(float)"));
  EXPECT_FALSE(matches("%r = call double @sinf(double %x)",
                       "declare double @sinf(double)"));
  EXPECT_FALSE(matches("%r = call double @y1(double %x, double %y)",
                       "declare double @y1(double, double)"));
  EXPECT_FALSE(matches("%r = call double @modf(double %x, ptr null)",
                       "declare double @modf(double, ptr)"));
  // The names of intrinsics in the table are no C functions.
  EXPECT_FALSE(
      matches("%r = call double @fmuladd(double %x, double %x, double %y)",
              "declare double @fmuladd(double, double, double)"));
  EXPECT_FALSE(matches("%r = call double @fneg(double %x)",
                       "declare double @fneg(double)"));
  // A body beats the table.
  EXPECT_FALSE(matches("%r = call double @sin(double %x)",
                       "define double @sin(double %x) { ret double %x }"));
  // A call of two results is not one operation.
  EXPECT_FALSE(matches("%r = call {double, double} @cexp(double %x, double %y)",
                       "declare {double, double} @cexp(double, double)"));
}

TEST_F(OperationTest, ConstrainedIntrinsicsAreTheirOperation) {
  Operation Add = match(
      "%r = call double @llvm.experimental.constrained.fadd.f64(double %x, "
      "double %y, metadata !\"round.dynamic\", metadata !\"fpexcept.strict\")");
  EXPECT_EQ(Add.name(), "fadd");
  EXPECT_EQ(Add.operands().size(), 2u);
  Operation Sin = match(
      "%r = call double @llvm.experimental.constrained.sin.f64(double %x, "
      "metadata !\"round.dynamic\", metadata !\"fpexcept.strict\")");
  EXPECT_EQ(Sin.name(), "sin");
  EXPECT_EQ(Sin.operands().size(), 1u);
  Operation Compare = match(
      "%r = call i1 @llvm.experimental.constrained.fcmp.f64(double %x, double "
      "%y, metadata !\"olt\", metadata !\"fpexcept.strict\")");
  EXPECT_EQ(Compare.shape(0), Shape::Zero);
}

TEST_F(OperationTest, FastMathFlagsAreTheOperations) {
  for (bool IsFast : {false, true}) {
    Instruction *I = parse(
        IsFast ? "%r = call nnan contract double @llvm.atan.f64(double %x)"
               : "%r = call double @llvm.atan.f64(double %x)");
    IRBuilder<> B(I->getNextNode());
    FastMathFlags Others;
    Others.setAllowReassoc();
    B.setFastMathFlags(Others);
    auto *D = cast<Instruction>(
        Operation::match(*I, /*TLI=*/nullptr)->emitPartial(B, 0));
    EXPECT_EQ(D->hasNoNaNs(), IsFast);
    EXPECT_EQ(D->hasAllowContract(), IsFast);
    EXPECT_FALSE(D->hasAllowReassoc());
    EXPECT_TRUE(B.getFastMathFlags().allowReassoc());
    EXPECT_FALSE(verifyModule(*M, &errs()));
  }
}

TEST_F(OperationTest, ConstantsHaveTheOperationsPrecision) {
  Instruction *I = parse("%w = fpext double %x to x86_fp80\n"
                         "%r = call x86_fp80 @llvm.exp2.f80(x86_fp80 %w)");
  IRBuilder<> B(I->getNextNode());
  auto *D = cast<Instruction>(
      Operation::match(*I, /*TLI=*/nullptr)->emitPartial(B, 0));
  APFloat Ln2(APFloat::x87DoubleExtended(),
              "0.69314718055994530941723212145817656807");
  EXPECT_TRUE(cast<ConstantFP>(D->getOperand(0))->isExactlyValue(Ln2));
}
