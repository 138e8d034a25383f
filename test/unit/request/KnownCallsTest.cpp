//===- KnownCallsTest.cpp - library functions and the user's marks --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/KnownCalls.h"
#include "ParsedModule.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;
using namespace verso::test;

namespace {

/// What is known of the one function that \p Text declares or defines.
std::optional<KnownCall> classify(StringRef Text) {
  ParsedModule P(Text);
  return classifyCall(*P.M->begin());
}

TEST(KnownCallsTest, NameAndSignatureMustAgree) {
  auto Read = classify("declare i64 @read(i32, ptr, i64)");
  ASSERT_TRUE(Read);
  EXPECT_EQ(Read->K, KnownCall::WritesBytes);
  EXPECT_EQ(Read->Destination, 1);
  EXPECT_EQ(Read->Size, 2);
  EXPECT_FALSE(classify("declare double @read(ptr)"));
  EXPECT_FALSE(classify("declare double @index(double, i32)"));
}

TEST(KnownCallsTest, TheProgramsOwnFunctionIsNotTheLibrarys) {
  EXPECT_FALSE(classify("define void @free(ptr %p) {\nret void\n}"));
  EXPECT_TRUE(classify(
      "define available_externally double @atof(ptr %s) {\nret double 0.0\n}"));
}

TEST(KnownCallsTest, Allocation) {
  EXPECT_EQ(classify("declare ptr @malloc(i64)")->K, KnownCall::Allocate);
  auto Calloc = classify("declare ptr @calloc(i64, i64)");
  EXPECT_EQ(Calloc->K, KnownCall::AllocateZeroed);
  EXPECT_EQ(Calloc->Count, 1);
  auto Realloc = classify("declare ptr @realloc(ptr, i64)");
  EXPECT_EQ(Realloc->K, KnownCall::Reallocate);
  EXPECT_EQ(Realloc->Source, 0);
  EXPECT_EQ(classify("declare ptr @_Znwm(i64)")->K, KnownCall::Allocate);
  EXPECT_EQ(classify("declare void @_ZdlPvm(ptr, i64)")->K, KnownCall::Free);
}

TEST(KnownCallsTest, Intrinsics) {
  auto Copy =
      classify("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)");
  EXPECT_EQ(Copy->K, KnownCall::Copy);
  EXPECT_EQ(Copy->Source, 1);
  auto Launder = classify("declare ptr @llvm.launder.invariant.group.p0(ptr)");
  EXPECT_EQ(Launder->returnsArgument(), 0);
  EXPECT_TRUE(isInactiveIntrinsic(Intrinsic::dbg_value));
  EXPECT_TRUE(isInactiveIntrinsic(Intrinsic::assume));
  EXPECT_FALSE(isInactiveIntrinsic(Intrinsic::sqrt));
  EXPECT_FALSE(isInactiveIntrinsic(Intrinsic::memcpy));
  EXPECT_FALSE(isInactiveIntrinsic(Intrinsic::not_intrinsic));
}

TEST(KnownCallsTest, SanitizersByPrefix) {
  for (StringRef Check :
       {"void @__ubsan_handle_type_mismatch_v1(ptr, i64)",
        "void @__ubsan_handle_float_cast_overflow_abort(ptr, i64)",
        "void @__asan_report_load8(i64)",
        "void @__sanitizer_annotate_contiguous_container(ptr, ptr, ptr, ptr)"})
    EXPECT_EQ(classify(("declare " + Check).str())->K, KnownCall::Inactive)
        << Check.str();
  // These do what the functions do that they stand for.
  EXPECT_EQ(classify("declare ptr @__asan_memmove(ptr, ptr, i64)")->K,
            KnownCall::Copy);
  EXPECT_EQ(classify("declare ptr @__asan_memset(ptr, i32, i64)")->K,
            KnownCall::Set);
  EXPECT_FALSE(classify("define void @__asan_mine() {\nret void\n}"));
}

TEST(KnownCallsTest, CxxByQualifiedName) {
  for (StringRef Inactive :
       {"_ZNSolsEd",                     // std::ostream::operator<<(double)
        "_ZSt20__throw_length_errorPKc", // std::__throw_length_error
        "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
        "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm",
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
        "_ZNSt3__15mutex4lockEv", "_ZNSt6chrono3_V212steady_clock3nowEv",
        "_ZNSt3pmr15memory_resourceD2Ev"}) // Base of the program's own.
    EXPECT_EQ(classify(("declare void @" + Inactive + "(ptr)").str())->K,
              KnownCall::Inactive)
        << Inactive.str();
  // std::vector<double>::push_back, a user's std-like name, math.
  EXPECT_FALSE(
      classify("declare void @_ZNSt6vectorIdSaIdEE9push_backERKd(ptr, ptr)"));
  EXPECT_FALSE(classify("declare void @_ZN4mine3std5mutex4lockEv(ptr)"));
  EXPECT_FALSE(classify("declare double @_ZSt3sind(double)"));
}

TEST(KnownCallsTest, RustByPath) {
  // <str>::to_uppercase
  const std::string Upper = "_RNvMs3_NtCslNYArtu3iFV_5alloc3stre12to_uppercase";
  EXPECT_EQ(classify("declare void @" + Upper + "(ptr, ptr, i64)")->K,
            KnownCall::Inactive);
  EXPECT_FALSE(classify("declare double @" + Upper + "(ptr, i64)"));
  EXPECT_FALSE(classify("declare void @" + Upper + "(double)"));
}

TEST(KnownCallsTest, ExactNamesComeBeforeQualifiedOnes) {
  auto Extract = classify("declare ptr @_ZNSi10_M_extractIdEERSiRT_(ptr, ptr)");
  EXPECT_EQ(Extract->K, KnownCall::WritesBytes);
  EXPECT_EQ(Extract->FixedSize, 8u);
}

TEST(KnownCallsTest, TheRuntimeIsOurs) {
  EXPECT_EQ(classify("declare void @__verso_end(ptr)")->K,
            KnownCall::VersoRuntime);
  EXPECT_EQ(classify("declare ptr @verso_adjoint_of(ptr)")->K,
            KnownCall::VersoRuntime);
}

TEST(KnownCallsTest, ScannedSizes) {
  using Sizes = SmallVector<unsigned, 8>;
  EXPECT_EQ(scannedSizes("%d %lf%*f,%Lg"), (Sizes{4, 8, 16}));
  EXPECT_EQ(scannedSizes("100%% %5s %[]abc]%hd%zu"), (Sizes{0, 0, 2, 8}));
  EXPECT_EQ(scannedSizes("no conversion"), Sizes());
  EXPECT_EQ(scannedSizes("%k"), std::nullopt);
  EXPECT_EQ(scannedSizes("%"), std::nullopt);
  EXPECT_EQ(scannedSizes("%[abc"), std::nullopt);
}

TEST(KnownCallsTest, MarksByName) {
  ParsedModule P("declare void @verso_inactive_log(ptr)\n"
                 "declare void @_ZN4mine18__verso_inactive_xEv()\n"
                 "@enzyme_inactive_data = external global double\n"
                 "declare void @not_verso_inactive()\n"
                 "declare void @attributed() \"enzyme_inactive\"\n");
  EXPECT_TRUE(isMarkedInactive(*P.M->getFunction("verso_inactive_log")));
  EXPECT_TRUE(
      isMarkedInactive(*P.M->getFunction("_ZN4mine18__verso_inactive_xEv")));
  EXPECT_TRUE(isMarkedInactive(*P.M->getNamedGlobal("enzyme_inactive_data")));
  EXPECT_FALSE(isMarkedInactive(*P.M->getFunction("not_verso_inactive")));
  EXPECT_TRUE(isMarkedInactive(*P.M->getFunction("attributed")));
}

TEST(KnownCallsTest, MarksByAnnotationAndEnzymesLists) {
  ParsedModule P(R"(
@text = private constant [15 x i8] c"verso_inactive\00", section "llvm.metadata"
@data = global double 0.0
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }]
  [{ ptr, ptr, ptr, i32, ptr } { ptr @data, ptr @text, ptr null, i32 1, ptr null }],
  section "llvm.metadata"
@__enzyme_inactivefn_1 = global ptr @f
declare void @f()
declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)
define void @g() {
  %x = alloca double
  call void @llvm.var.annotation.p0.p0(ptr %x, ptr @text, ptr null, i32 1, ptr null)
  ret void
})");
  EXPECT_FALSE(isMarkedInactive(*P.M->getNamedGlobal("data")));
  applyInactiveMarks(*P.M);
  EXPECT_TRUE(isMarkedInactive(*P.M->getNamedGlobal("data")));
  EXPECT_TRUE(isMarkedInactive(*P.M->getFunction("f")));
  EXPECT_FALSE(isMarkedInactive(*P.M->getFunction("g")));
  auto *Annotation = cast<CallBase>(
      P.M->getFunction("g")->getEntryBlock().front().getNextNode());
  EXPECT_TRUE(isInactiveAnnotation(*Annotation));
}

} // namespace
