//===- RequestTest.cpp - how calls are understood -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call each, and the line that operator<< prints for what it was understood
// as; mistakes, and the part of the message that tells them apart; what is left
// when a call is taken away.
//
//===----------------------------------------------------------------------===//

#include "request/Request.h"
#include "ParsedModule.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;
using namespace verso::test;

namespace {

/// Functions to differentiate, markers, entry points.
const char *const Prelude = R"(
@verso_const = external global i32
@verso_dup = external global i32
@verso_out = external global i32
@verso_dup_n = external global i32
@verso_dupnoneed = external global i32
@verso_width = external global i32
@enzyme_dup = global i32 0
@enzyme_primal_return = external global i32
@enzyme_tape = external global i32
@_ZL11enzyme_dupp = internal global i32 0
declare double @__verso_grad(ptr, ...)
declare { double, double } @__verso_grad_pair(ptr, ...)
declare { double, double } @__verso_value_and_grad(ptr, ...)
declare void @__verso_grad_void(ptr, ...)
declare double @__verso_vjp(ptr, ...)
declare double @__verso_jvp(ptr, ...)
declare ptr @__verso_linearize(ptr, ...)
declare double @_Z17__enzyme_autodiffIdET_Pvz(ptr, ...)
declare double @mystery(double)
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define double @product(double %x, double %y) {
  %z = fmul double %x, %y
  ret double %z
}
define float @small(float %x) {
  ret float %x
}
define double @array(ptr %p, i64 %n) {
  %x = load double, ptr %p
  ret double %x
}
define void @update(ptr %p) {
  ret void
}
define double @counted(double %x, i16 %n) {
  ret double %x
}
define <2 x double> @vector(<2 x double> %v) {
  ret <2 x double> %v
}
%big = type { double, double, double }
define double @memory(ptr byval(%big) %b) {
  %x = load double, ptr %b
  ret double %x
}
define void @returned(ptr sret(%big) %r, double %x) {
  store double %x, ptr %r
  ret void
}
define double @packed(i64 %s) {
  %low = trunc i64 %s to i32
  %x = bitcast i32 %low to float
  %y = fpext float %x to double
  ret double %y
}
define double @pieces(i32 %n, double %x) {
  ret double %x
}
define { double, i32 } @tagged(double %x) {
  %r = insertvalue { double, i32 } { double poison, i32 3 }, double %x, 0
  ret { double, i32 } %r
}
define double @variadic(double %x, ...) {
  ret double %x
}
define weak double @weak(double %x) {
  ret double %x
}
define double @scalable(<vscale x 2 x double> %x) {
  ret double 0.0
}
)";

class RequestTest : public testing::Test {
protected:
  /// The requests in the body of `double @caller(double %x, ptr %p, ptr %q,
  /// i32 %n)`, which ends with `ret double %r`.
  const std::vector<Request> &collect(const Twine &Body) {
    P = std::make_unique<ParsedModule>(
        (Prelude +
         Twine("define double @caller(double %x, ptr %p, ptr %q, i32 %n) "
               "personality ptr null {\n") +
         Body + "\n}\n")
            .str());
    Requests = collectRequests(*P->M, P->Reports);
    EXPECT_TRUE(P->isValid());
    return Requests;
  }

  std::string understood(const Twine &Body) {
    collect(Body);
    for (const std::string &Message : P->Messages)
      ADD_FAILURE() << Message;
    std::string Text;
    raw_string_ostream OS(Text);
    for (const Request &R : Requests)
      OS << R << "\n";
    return StringRef(Text).rtrim().str();
  }

  /// The message about a call with these operands.
  std::string mistake(StringRef Operands) {
    EXPECT_TRUE(collect("%r = call double (ptr, ...) @__verso_grad(" +
                        Operands + ")\nret double %r")
                    .empty());
    EXPECT_TRUE(P->Reports.hadError());
    EXPECT_EQ(P->Messages.size(), 1u);
    return P->Messages.empty() ? "" : P->Messages.front();
  }

  std::unique_ptr<ParsedModule> P;
  std::vector<Request> Requests;
};

#define EXPECT_CONTAINS(TEXT, PART)                                            \
  EXPECT_PRED2(                                                                \
      [](StringRef Text, StringRef Part) { return Text.contains(Part); },      \
      TEXT, PART)

TEST_F(RequestTest, NumbersAreOutPointersAreDupIntegersAreConst) {
  EXPECT_EQ(understood("%r = call double (ptr, ...) @__verso_grad(ptr @square, "
                       "double %x)\nret double %r"),
            "grad @square(out double %x) -> double");
  EXPECT_EQ(understood("call void (ptr, ...) @__verso_grad_void(ptr @array, "
                       "ptr %p, ptr %q, i64 3)\nret double 0.0"),
            "grad @array(dup ptr %p shadow ptr %q, const i64 3) -> void");
}

TEST_F(RequestTest, MarkersAreLoadsOrAddresses) {
  EXPECT_EQ(
      understood("%c = load i32, ptr @verso_const\n"
                 "%o = load i32, ptr @verso_out\n%w = sext i32 %o to i64\n"
                 "%r = call double (ptr, ...) @__verso_grad(ptr @product, "
                 "i32 %c, double %x, i64 %w, double 2.0)\nret double %r"),
      "grad @product(const double %x, out double 2.000000e+00) -> double");
  EXPECT_EQ(understood("call void (ptr, ...) @__verso_grad_void(ptr @array, "
                       "ptr @verso_dupnoneed, ptr %p, ptr %q, i64 3)\n"
                       "ret double 0.0"),
            "grad @array(dupnoneed ptr %p shadow ptr %q, const i64 3) -> void");
}

TEST_F(RequestTest, SizedShadowHasAnExtent) {
  EXPECT_EQ(understood("%d = load i32, ptr @verso_dup_n\n"
                       "call void (ptr, ...) @__verso_grad_void(ptr @array, "
                       "i32 %d, ptr %p, ptr %q, i32 24, i64 3)\n"
                       "ret double 0.0"),
            "grad @array(dup ptr %p shadow ptr %q bytes i64 24, const i64 3) "
            "-> void");
}

TEST_F(RequestTest, EnzymesNames) {
  EXPECT_EQ(understood("%d = load i32, ptr @enzyme_dup\n"
                       "%r = call double (ptr, ...) "
                       "@_Z17__enzyme_autodiffIdET_Pvz(ptr @array, i32 %d, "
                       "ptr %p, ptr %q, i64 3)\nret double 0.0"),
            "grad @array(dup ptr %p shadow ptr %q, const i64 3) -> double");
  EXPECT_EQ(understood("%v = load i32, ptr @enzyme_primal_return\n"
                       "%r = call { double, double } (ptr, ...) "
                       "@__verso_grad_pair(ptr @square, i32 %v, double %x)\n"
                       "%s = extractvalue { double, double } %r, 1\n"
                       "ret double %s"),
            "value_and_grad @square(out double %x) -> { double, double }");
}

TEST_F(RequestTest, PromotedArgumentsAreConvertedBack) {
  EXPECT_EQ(understood("%r = call double (ptr, ...) @__verso_grad(ptr @small, "
                       "double 2.0)\nret double %r"),
            "grad @small(out float 2.000000e+00) -> double");
  EXPECT_EQ(understood("%r = call double (ptr, ...) @__verso_grad(ptr "
                       "@counted, double %x, i32 -1)\nret double %r"),
            "grad @counted(out double %x, const i16 -1) -> double");
  // A constant that is not negative has one meaning in any width.
  EXPECT_EQ(understood("call void (ptr, ...) @__verso_grad_void(ptr @array, "
                       "ptr %p, ptr %q, i32 3)\nret double 0.0"),
            "grad @array(dup ptr %p shadow ptr %q, const i64 3) -> void");
}

TEST_F(RequestTest, StructInMemory) {
  // The result is not read, so it need not fit.
  EXPECT_EQ(understood("%r = call double (ptr, ...) @__verso_grad(ptr @memory, "
                       "ptr byval(%big) %p)\nret double 0.0"),
            "grad @memory(out ptr %p) -> double");
}

TEST_F(RequestTest, StructReturnedInMemoryTakesACotangent) {
  EXPECT_EQ(understood("%r = call double (ptr, ...) @__verso_vjp(ptr "
                       "@returned, double %x, ptr byval(%big) %p)\n"
                       "ret double %r"),
            "vjp @returned(dup ptr %verso.returned shadow ptr "
            "%verso.returned.shadow bytes i64 24, out double %x) -> double");
  ASSERT_EQ(Requests.size(), 1u);
  EXPECT_EQ(Requests[0].SretParameter, 0u);
}

TEST_F(RequestTest, NumberInAnIntegerIsUnpacked) {
  collect("%r = call double (ptr, ...) @__verso_grad(ptr @packed, i64 7)\n"
          "ret double 0.0");
  ASSERT_EQ(Requests.size(), 1u);
  const Request &R = Requests[0];
  EXPECT_EQ(R.Primal->getName(), "packed.unpacked");
  ASSERT_EQ(R.Arguments.size(), 1u);
  EXPECT_EQ(R.Arguments[0].Activity, ArgumentActivity::Out);
  EXPECT_EQ(R.Arguments[0].Primal->getType(),
            StructType::get(Type::getFloatTy(P->Context),
                            Type::getInt32Ty(P->Context)));
}

TEST_F(RequestTest, PiecesOfOneStructStayTogether) {
  const char *Body =
      "%a = alloca { i32, double }\n"
      "%p0 = getelementptr { i32, double }, ptr %a, i32 0, i32 0\n"
      "%v0 = load i32, ptr %p0\n"
      "%p1 = getelementptr { i32, double }, ptr %a, i32 0, i32 1\n"
      "%v1 = load double, ptr %p1\n"
      "%m = load i32, ptr @verso_const\n"
      "%r = call double (ptr, ...) @__verso_grad(ptr @pieces, ";
  collect(Body + Twine("i32 %v0, double %v1)\nret double 0.0"));
  ASSERT_EQ(Requests.size(), 1u);
  EXPECT_EQ(Requests[0].Primal->getName(), "pieces.unpacked");
  // A marker is for all pieces.
  collect(Body + Twine("i32 %m, i32 %v0, double %v1)\nret double 0.0"));
  ASSERT_EQ(Requests.size(), 1u);
  EXPECT_EQ(Requests[0].Primal->getName(), "pieces");
  for (const RequestArgument &A : Requests[0].Arguments)
    EXPECT_EQ(A.Activity, ArgumentActivity::Const);
}

TEST_F(RequestTest, SpilledStructIsLoaded) {
  // In memory in the call, in registers in the function: x86-64 ran out.
  EXPECT_EQ(understood("%m = load i32, ptr @verso_const\n"
                       "call void (ptr, ...) @__verso_grad_void(ptr @product, "
                       "ptr byval({ double, double }) %p)\nret double 0.0"),
            "grad @product(out double %2, out double %4) -> void");
}

TEST_F(RequestTest, OneNumberOfAReturnedStructIsTheOneToDifferentiate) {
  EXPECT_EQ(understood("%r = call double (ptr, ...) @__verso_grad(ptr @tagged, "
                       "double %x)\nret double %r"),
            "grad @tagged(out double %x) cotangent { double, i32 } { double "
            "1.000000e+00, i32 0 } -> double");
}

TEST_F(RequestTest, WideForwardRequestHasAShadowForEachLane) {
  collect("%w = load i32, ptr @verso_width\n%r = call double (ptr, ...) "
          "@__verso_jvp(ptr @square, i32 %w, i32 3, double %x, double 1.0, "
          "double 2.0, double 3.0)\nret double 0.0");
  ASSERT_EQ(Requests.size(), 1u);
  EXPECT_EQ(Requests[0].Width, 3u);
  EXPECT_EQ(Requests[0].Arguments[0].Activity, ArgumentActivity::Dup);
  EXPECT_EQ(Requests[0].Arguments[0].OtherShadows.size(), 2u);
}

TEST_F(RequestTest, FunctionOperandAtO0) {
  const char *Expected = "grad @square(out double %x) -> double";
  EXPECT_EQ(understood("%a = alloca ptr\nstore ptr @square, ptr %a\n"
                       "%f = load ptr, ptr %a\n"
                       "%r = call double (ptr, ...) @__verso_grad(ptr %f, "
                       "double %x)\nret double %r"),
            Expected);
  EXPECT_EQ(understood("%c = icmp eq i32 %n, 0\n"
                       "%f = select i1 %c, ptr @square, ptr @square\n"
                       "%r = call double (ptr, ...) @__verso_grad(ptr %f, "
                       "double %x)\nret double %r"),
            Expected);
  EXPECT_CONTAINS(mistake("ptr %p, double %x"), "not a function");
}

TEST_F(RequestTest, ResultOfOneRequestIsAnOperandOfAnother) {
  collect("%a = call double (ptr, ...) @__verso_grad(ptr @square, double %x)\n"
          "%r = call double (ptr, ...) @__verso_grad(ptr @square, double %a)\n"
          "ret double %r");
  ASSERT_EQ(Requests.size(), 2u);
  Value *Replacement = ConstantFP::get(Type::getDoubleTy(P->Context), 5);
  Requests[0].Call->replaceAllUsesWith(Replacement);
  eraseRequestCall(Requests[0]);
  EXPECT_EQ(Requests[1].Arguments[0].Primal, Replacement);
}

TEST_F(RequestTest, NothingIsLeftOfAnErasedRequest) {
  collect("%m = load i32, ptr @verso_out\n"
          "%a = call double (ptr, ...) @__verso_grad(ptr @square, i32 %m, "
          "double %x)\n"
          "%b = call double (ptr, ...) @__verso_grad(ptr @square, i32 %m, "
          "double %x)\nret double %x");
  ASSERT_EQ(Requests.size(), 2u);
  eraseRequestCall(Requests[0]);
  EXPECT_TRUE(P->M->getNamedGlobal("verso_out")) << "still shared";
  eraseRequestCall(Requests[1]);
  EXPECT_FALSE(P->M->getNamedGlobal("verso_out"));
  EXPECT_FALSE(P->M->getFunction("__verso_grad"));
  EXPECT_EQ(P->M->getFunction("caller")->getInstructionCount(), 1u);
  EXPECT_TRUE(P->isValid());
}

TEST_F(RequestTest, InvokeBecomesABranch) {
  collect("%r = invoke double (ptr, ...) @__verso_grad(ptr @square, double %x)"
          "\n  to label %ok unwind label %pad\n"
          "ok:\nret double %r\n"
          "pad:\n%l = landingpad { ptr, i32 } cleanup\nret double 0.0");
  ASSERT_EQ(Requests.size(), 1u);
  eraseRequestCall(Requests[0]);
  EXPECT_TRUE(isa<BranchInst>(
      P->M->getFunction("caller")->getEntryBlock().getTerminator()));
}

TEST_F(RequestTest, MistakesAreReportedAndSkipped) {
  EXPECT_CONTAINS(mistake("ptr @mystery, double %x"), "'mystery' has no body");
  EXPECT_CONTAINS(mistake("ptr @variadic, double %x"), "variable number");
  EXPECT_CONTAINS(mistake("ptr @weak, double %x"), "weak");
  EXPECT_CONTAINS(mistake("ptr @scalable"), "scalable");
  EXPECT_CONTAINS(mistake("ptr @product, double %x"), "too few arguments");
  EXPECT_CONTAINS(mistake("ptr @square, double %x, double %x"),
                  "too many arguments");
  EXPECT_CONTAINS(mistake("ptr @array, ptr %p, i64 3"),
                  "shadow of parameter 1");
  EXPECT_CONTAINS(mistake("ptr @update, ptr %p"), "shadow of parameter 1");
  EXPECT_CONTAINS(mistake("ptr @square, i32 3"), "of type i32");
  EXPECT_CONTAINS(mistake("ptr @array, ptr %p, ptr %q, i32 %n"), "cast");
  EXPECT_CONTAINS(mistake("ptr @vector, <2 x double> zeroinitializer"),
                  "__verso_vjp");
  EXPECT_CONTAINS(mistake("ptr @product, double %x, double %x"),
                  "returns { double, double }, not the declared { double }");
}

TEST_F(RequestTest, MisfitMarkersAreReported) {
  EXPECT_CONTAINS(mistake("ptr @square, ptr @verso_dup, double %x, double %x"),
                  "verso_dup does not fit");
  EXPECT_CONTAINS(mistake("ptr @array, ptr @verso_out, ptr %p, i64 1"),
                  "verso_out does not fit");
  EXPECT_CONTAINS(mistake("ptr @array, ptr %p, ptr %q, ptr @verso_out, i64 1"),
                  "holds no real number");
  EXPECT_CONTAINS(
      mistake("ptr @array, ptr @verso_dup_n, ptr %p, ptr %q, ptr %p, i64 1"),
      "number of bytes");
  EXPECT_CONTAINS(
      mistake("ptr @square, ptr @verso_out, ptr @verso_const, double %x"),
      "two markers");
  EXPECT_CONTAINS(mistake("ptr @square, ptr @verso_width, i32 2, double %x"),
                  "forward mode");
  EXPECT_CONTAINS(mistake("ptr @square, ptr @enzyme_tape, double %x"),
                  "not supported");
  EXPECT_CONTAINS(mistake("ptr @square, double %x, ptr @verso_const"),
                  "after the last argument");
  EXPECT_CONTAINS(mistake("ptr @verso_const, ptr @square, double %x"),
                  "before the function");
}

TEST_F(RequestTest, MissingCotangent) {
  collect("%r = call double (ptr, ...) @__verso_vjp(ptr @square, double %x)\n"
          "ret double %r");
  EXPECT_CONTAINS(P->Messages.at(0), "cotangent");
}

TEST_F(RequestTest, EntryPointsAreFunctionsWithoutABody) {
  ParsedModule P("declare double @__verso_grow(ptr)\n"
                 "define double @__verso_grad(double %x) {\nret double %x\n}\n"
                 "declare void @_ZN4mine6verso_Ev()\n");
  EXPECT_FALSE(hasRequests(*P.M));
  for (const char *Name :
       {"__verso_vjp", "__verso_gradXYZ", "_Z12__verso_gradPvz",
        "_ZN5tools12__verso_gradEPvz", "_Z12__verso_gradIdJPFddEdEET_DpT0_"}) {
    ParsedModule Q(("declare double @" + Twine(Name) + "(ptr, ...)").str());
    EXPECT_TRUE(hasRequests(*Q.M)) << Name;
  }
}

} // namespace
