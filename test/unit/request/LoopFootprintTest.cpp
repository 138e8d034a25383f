//===- LoopFootprintTest.cpp - the cells that a nest comes to -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/LoopFootprint.h"
#include "ParsedModule.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;
using namespace verso;
using namespace verso::test;

namespace {

/// The footprint of the first outermost loop of @f.
struct Footprint {
  explicit Footprint(StringRef Text) : M(Text), F(*M.M->getFunction("f")) {
    Loop &L = *LI.getTopLevelLoops().front();
    Found = footprintOf(L, /*MostDimensions=*/4, SE, DT, PDT, &TLI);
  }
  /// Steps and counts of access \p K, the innermost loop's first.
  std::string dimensions(unsigned K) {
    std::string Text;
    raw_string_ostream OS(Text);
    for (const LoopFootprint::Dimension &D : Found->Accesses[K].Dimensions)
      OS << *D.Step << " x " << *D.Count << "; ";
    return Text;
  }

  ParsedModule M;
  Function &F;
  TargetLibraryInfoImpl Library{Triple("x86_64-unknown-linux-gnu")};
  TargetLibraryInfo TLI{Library};
  AssumptionCache AC{F};
  DominatorTree DT{F};
  PostDominatorTree PDT{F};
  LoopInfo LI{DT};
  ScalarEvolution SE{F, TLI, AC, DT, LI};
  std::optional<LoopFootprint> Found;
};

/// for (i < n) for (k < 3) { BODY }, with pointers x, y and a number a.
std::string nest(const std::string &Body) {
  return "declare double @llvm.fabs.f64(double)\n"
         "declare void @unknown()\n"
         "define void @f(ptr %x, ptr %y, i64 %n, i1 %c, double %a) {\n"
         "entry:\n  br label %outer\n"
         "outer:\n  %i = phi i64 [ 0, %entry ], [ %i1, %latch ]\n"
         "  br label %inner\n"
         "inner:\n  %k = phi i64 [ 0, %outer ], [ %k1, %next ]\n" +
         Body +
         "  br label %next\n"
         "next:\n  %k1 = add nuw nsw i64 %k, 1\n"
         "  %ek = icmp eq i64 %k1, 3\n"
         "  br i1 %ek, label %latch, label %inner\n"
         "latch:\n  %i1 = add nuw nsw i64 %i, 1\n"
         "  %ei = icmp eq i64 %i1, %n\n"
         "  br i1 %ei, label %exit, label %outer\n"
         "exit:\n  ret void\n}\n";
}

TEST(LoopFootprintTest, StepsAndCounts) {
  Footprint P(nest("  %s = mul nuw nsw i64 %i, 5\n"
                   "  %at = add nuw nsw i64 %s, %k\n"
                   "  %p = getelementptr inbounds double, ptr %x, i64 %at\n"
                   "  %q = getelementptr inbounds double, ptr %y, i64 %k\n"
                   "  %v = load double, ptr %p\n"
                   "  %w = fmul double %v, %a\n"
                   "  store double %w, ptr %q\n"));
  ASSERT_TRUE(P.Found);
  ASSERT_EQ(P.Found->Accesses.size(), 2u);
  EXPECT_EQ(P.dimensions(0), "8 x 3; 40 x %n; ");
  EXPECT_EQ(P.dimensions(1), "8 x 3; ");
  EXPECT_FALSE(P.Found->Accesses[0].IsStore);
  EXPECT_TRUE(P.Found->Accesses[1].IsStore);
  EXPECT_EQ(P.Found->Accesses[0].Base, P.F.getArg(0));
  auto *Work = dyn_cast<SCEVMulExpr>(P.Found->Work);
  ASSERT_TRUE(Work);
  EXPECT_EQ(cast<SCEVConstant>(Work->getOperand(0))->getAPInt(), 3);
}

TEST(LoopFootprintTest, ConditionsThatDoNotChange) {
  Footprint P(nest("  br i1 %c, label %then, label %rest\n"
                   "then:\n"
                   "  %p = getelementptr inbounds double, ptr %x, i64 %k\n"
                   "  store double %a, ptr %p\n  br label %rest\n"
                   "rest:\n"));
  ASSERT_TRUE(P.Found);
  ASSERT_EQ(P.Found->Accesses[0].If.size(), 1u);
  EXPECT_EQ(P.Found->Accesses[0].If[0].first, P.F.getArg(3));
  EXPECT_TRUE(P.Found->Accesses[0].If[0].second);
}

TEST(LoopFootprintTest, ConditionsThatDo) {
  Footprint P(nest("  %odd = trunc i64 %k to i1\n"
                   "  br i1 %odd, label %then, label %rest\n"
                   "then:\n"
                   "  %p = getelementptr inbounds double, ptr %x, i64 %k\n"
                   "  store double %a, ptr %p\n  br label %rest\n"
                   "rest:\n"));
  EXPECT_FALSE(P.Found);
}

TEST(LoopFootprintTest, AddressesOutOfMemory) {
  Footprint P(nest("  %g = getelementptr inbounds ptr, ptr %x, i64 %k\n"
                   "  %p = load ptr, ptr %g\n"
                   "  store double %a, ptr %p\n"));
  EXPECT_FALSE(P.Found);
}

TEST(LoopFootprintTest, CallsThatDoAnything) {
  EXPECT_FALSE(Footprint(nest("  call void @unknown()\n")).Found);
  EXPECT_TRUE(
      Footprint(nest("  %v = call double @llvm.fabs.f64(double %a)\n")).Found);
}

TEST(LoopFootprintTest, WhatIsUsedAgain) {
  // Each of n cells three times; what depends on both loops once.
  Footprint Again(nest("  %p = getelementptr inbounds double, ptr %x, i64 %i\n"
                       "  %v = load double, ptr %p\n"
                       "  %w = fmul double %v, %a\n"));
  ASSERT_TRUE(Again.Found);
  EXPECT_DOUBLE_EQ(Again.Found->WorkOfCell, 3);
  // Neighbours count once, numbers of another array do not.
  Footprint Once(nest("  %s = mul nuw nsw i64 %i, 3\n"
                      "  %at = add nuw nsw i64 %s, %k\n"
                      "  %p = getelementptr inbounds double, ptr %x, i64 %at\n"
                      "  %n1 = getelementptr inbounds double, ptr %p, i64 1\n"
                      "  %q = getelementptr inbounds double, ptr %y, i64 %at\n"
                      "  %v = load double, ptr %p\n"
                      "  %u = load double, ptr %n1\n"
                      "  %t = load double, ptr %q\n"
                      "  %w = fmul double %v, %u\n"
                      "  %z = fmul double %w, %t\n"));
  ASSERT_TRUE(Once.Found);
  EXPECT_DOUBLE_EQ(Once.Found->WorkOfCell, 1);
}

} // namespace
