//===- PreserveTest.cpp - what optimisers must not take away --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// preserveRequests() before optimisers run: markers of the program's own,
// pieces of structs, functions that are marked inactive.
//
//===----------------------------------------------------------------------===//

#include "ParsedModule.h"
#include "request/EntryPoints.h"
#include "rules/KnownCalls.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;
using namespace verso::test;

namespace {

TEST(PreserveTest, LeavesModulesWithoutRequestsAlone) {
  ParsedModule P("@enzyme_dup = internal global i32 0\n"
                 "define i32 @f() {\n%m = load i32, ptr @enzyme_dup\n"
                 "ret i32 %m\n}\n");
  std::string Before = P.text();
  EXPECT_FALSE(preserveRequests(*P.M));
  EXPECT_EQ(P.text(), Before);
}

TEST(PreserveTest, StaticMarkersReadADeclaration) {
  ParsedModule P(R"(
@_ZL10enzyme_dup = internal global i32 0
declare double @__enzyme_autodiff(ptr, ...)
declare double @f(double)
define i32 @g(double %x) {
  %m = load i32, ptr @_ZL10enzyme_dup
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %m, double %x)
  %own = load i32, ptr @_ZL10enzyme_dup
  ret i32 %own
})");
  EXPECT_TRUE(preserveRequests(*P.M));
  EXPECT_TRUE(P.isValid());
  BasicBlock &BB = P.M->getFunction("g")->getEntryBlock();
  auto &Load = cast<LoadInst>(BB.front());
  auto *G = cast<GlobalVariable>(Load.getPointerOperand());
  EXPECT_TRUE(G->isDeclaration());
  EXPECT_EQ(classifyMarker(*G), Marker::Dup);
  // The program's own use of its variable stays.
  auto *Own = cast<LoadInst>(BB.getTerminator()->getOperand(0));
  EXPECT_EQ(Own->getPointerOperand()->getName(), "_ZL10enzyme_dup");
}

TEST(PreserveTest, PiecesOfAStructAreWrittenDown) {
  ParsedModule P(R"(
declare double @__verso_grad(ptr, ...)
declare double @f(double, double, double)
define void @g(double %x) {
  %a = alloca { double, double }
  %p0 = getelementptr { double, double }, ptr %a, i32 0, i32 0
  %v0 = load double, ptr %p0
  %p1 = getelementptr { double, double }, ptr %a, i32 0, i32 1
  %v1 = load double, ptr %p1
  %r = call double (ptr, ...) @__verso_grad(ptr @f, double %v0, double %v1,
                                            double %x)
  ret void
})");
  EXPECT_TRUE(preserveRequests(*P.M));
  auto &Call = *cast<CallBase>(*P.M->getFunction("__verso_grad")->user_begin());
  EXPECT_FALSE(continuesArgument(Call, 1));
  EXPECT_TRUE(continuesArgument(Call, 2));
  EXPECT_FALSE(continuesArgument(Call, 3));
  // Also when the loads are gone.
  Call.setArgOperand(2, Call.getArgOperand(3));
  EXPECT_TRUE(continuesArgument(Call, 2));
  EXPECT_TRUE(Call.hasFnAttr(Attribute::NoMerge));
}

TEST(PreserveTest, InactiveFunctionsAreOpaqueUntilRequestsAreLowered) {
  ParsedModule P(R"(
@text = private constant [15 x i8] c"verso_inactive\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }]
  [{ ptr, ptr, ptr, i32, ptr } { ptr @stop, ptr @text, ptr null, i32 1, ptr null }],
  section "llvm.metadata"
declare double @__verso_grad(ptr, ...)
define double @stop(double %x) alwaysinline optsize {
  ret double %x
}
define double @f(double %x) {
  %y = call double @stop(double %x)
  ret double %y
}
define double @g(double %x) {
  %r = call double (ptr, ...) @__verso_grad(ptr @f, double %x)
  ret double %r
})");
  preserveRequests(*P.M);
  EXPECT_TRUE(P.isValid());
  Function &Stop = *P.M->getFunction("stop");
  EXPECT_TRUE(isMarkedInactive(Stop));
  EXPECT_TRUE(Stop.hasFnAttribute(Attribute::NoInline));
  EXPECT_TRUE(Stop.hasFnAttribute(Attribute::OptimizeNone));
  applyInactiveMarks(*P.M);
  EXPECT_TRUE(P.isValid());
  EXPECT_FALSE(Stop.hasFnAttribute(Attribute::OptimizeNone));
  EXPECT_TRUE(Stop.hasFnAttribute(Attribute::OptimizeForSize));
  EXPECT_TRUE(isMarkedInactive(Stop));
}

} // namespace
