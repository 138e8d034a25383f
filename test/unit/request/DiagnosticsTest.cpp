//===- DiagnosticsTest.cpp - what an error says ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedModule.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;
using namespace verso::test;

namespace {

/// @inner is called in @outer, which the request in @main differentiates.
const char *const Text = R"(
declare double @__verso_grad(ptr, ...)
declare double @mystery(double)
define double @_Z5innerd.prepared(double %x) {
  %y = call double @mystery(double %x), !note !0
  ret double %y
}
define double @outer(double %x) !dbg !4 {
  %y = call double @_Z5innerd.prepared(double %x), !dbg !6
  ret double %y, !dbg !6
}
define double @main(double %x) !dbg !5 {
  %r = call double (ptr, ...) @__verso_grad(ptr @outer, double %x), !dbg !7
  ret double %r, !dbg !7
}
!0 = !{}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "f.c", directory: "/src")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "outer", file: !2, line: 2, unit: !1)
!5 = distinct !DISubprogram(name: "main", file: !2, line: 8, unit: !1)
!6 = !DILocation(line: 3, column: 4, scope: !4)
!7 = !DILocation(line: 9, column: 5, scope: !5)
)";

class DiagnosticsTest : public testing::Test {
protected:
  DiagnosticsTest() : P(Text) {}
  const Instruction &firstOf(StringRef Function) {
    return *inst_begin(*P.M->getFunction(Function));
  }
  ParsedModule P;
};

TEST_F(DiagnosticsTest, SaysWhereHowAndWhatToDo) {
  P.Reports.error(firstOf("_Z5innerd.prepared"), "cannot do it", "do this",
                  {&firstOf("outer"), &firstOf("main")});
  ASSERT_EQ(P.Messages.size(), 1u);
  EXPECT_EQ(P.Messages[0],
            "f.c:3:4: cannot do it, in 'inner(double)' at '%y = call double "
            "@mystery(double %x)', called at f.c:3:4 in 'outer', requested at "
            "f.c:9:5 in 'main'; do this");
  EXPECT_TRUE(P.Reports.hadError());
}

TEST_F(DiagnosticsTest, TheSameErrorIsReportedOnce) {
  for (int K = 0; K != 2; ++K)
    P.Reports.error(firstOf("outer"), "cannot do it", "");
  EXPECT_EQ(P.Messages.size(), 1u);
}

TEST_F(DiagnosticsTest, ARequestSpeaksForItself) {
  P.Reports.error(firstOf("main"), "mistaken", "");
  EXPECT_EQ(P.Messages.at(0), "f.c:9:5: mistaken");
}

TEST_F(DiagnosticsTest, TellsHowToGetLines) {
  P.Reports.error(firstOf("_Z5innerd.prepared"), "cannot do it", "do this");
  EXPECT_TRUE(StringRef(P.Messages.at(0)).contains("-gline-tables-only"));
}

TEST_F(DiagnosticsTest, OptionErrorsHaveNoPlace) {
  P.Reports.error("VERSO_OPTIONS: wrong");
  EXPECT_EQ(P.Messages.at(0), "VERSO_OPTIONS: wrong");
}

TEST_F(DiagnosticsTest, Locations) {
  EXPECT_EQ(describeLocation(firstOf("main")), "f.c:9:5: in 'main'");
  EXPECT_EQ(describeLocation(firstOf("_Z5innerd.prepared")),
            "in 'inner(double)'");
}

TEST_F(DiagnosticsTest, RemarksReachTheHandler) {
  P.Reports.remark(Remark::FellBackToTaped, firstOf("main"), "because");
  EXPECT_EQ(P.Messages.at(0), "f.c:9:5: because");
  EXPECT_FALSE(P.Reports.hadError());
}

} // namespace
