//===- NormalizeMathTest.cpp - math calls as scalar operations ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that normalizeMath() leaves nothing but operations, that it changes no
// bit of what the program computes, that the operations' partials are right
// behind it, and that functions of the user stay alone.
//
//===----------------------------------------------------------------------===//

#include "prepare/NormalizeMath.h"
#include "LLVMCompat.h"
#include "rules/Operation.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>
#include <complex>
#include <cstring>

using namespace llvm;
using namespace verso;

/// Every function reads doubles from %x and writes bytes to %out.
static const char *const Program = R"(
declare void @sincos(double, ptr, ptr)
declare void @sincosf(float, ptr, ptr)
declare double @modf(double, ptr)
declare float @modff(float, ptr)
declare x86_fp80 @frexpl(x86_fp80, ptr)
declare double @remquo(double, double, ptr)
declare double @lgamma_r(double, ptr)
declare <2 x float> @cexpf(<2 x float>)
declare { x86_fp80, x86_fp80 } @csinl(ptr byval({ x86_fp80, x86_fp80 }) align 16)
declare <2 x float> @__mulsc3(float, float, float, float)
declare { double, double } @cpow(double, double, double, double)
declare double @cabs(double, double)
declare float @cargf(<2 x float>)
declare { double, double } @conj(double, double)

define void @run_sincos(ptr %x, ptr %out) {
  %a = load double, ptr %x
  %cos = getelementptr double, ptr %out, i32 1
  call void @sincos(double %a, ptr %out, ptr %cos)
  %f = fptrunc double %a to float
  %fsin = getelementptr double, ptr %out, i32 2
  %fcos = getelementptr double, ptr %out, i32 3
  call void @sincosf(float %f, ptr %fsin, ptr %fcos)
  ret void
}

define void @run_modf(ptr %x, ptr %out) {
  %a = load double, ptr %x
  %p = getelementptr double, ptr %out, i32 1
  %r = call double @modf(double %a, ptr %p)
  store double %r, ptr %out
  %f = fptrunc double %a to float
  %fp = getelementptr double, ptr %out, i32 2
  %fo = getelementptr double, ptr %out, i32 3
  %fr = call float @modff(float %f, ptr %fp)
  store float %fr, ptr %fo
  ret void
}

define void @run_frexpl(ptr %x, ptr %out) {
  %a = load double, ptr %x
  %l = fpext double %a to x86_fp80
  %p = getelementptr double, ptr %out, i32 2
  %r = call x86_fp80 @frexpl(x86_fp80 %l, ptr %p)
  %d = fptrunc x86_fp80 %r to double
  store double %d, ptr %out
  ret void
}

define void @run_remquo(ptr %x, ptr %out) {
  %a = load double, ptr %x
  %py = getelementptr double, ptr %x, i32 1
  %b = load double, ptr %py
  %p = getelementptr double, ptr %out, i32 1
  %r = call double @remquo(double %a, double %b, ptr %p)
  store double %r, ptr %out
  ret void
}

define void @run_lgamma_r(ptr %x, ptr %out) {
  %a = load double, ptr %x
  %p = getelementptr double, ptr %out, i32 1
  %r = call double @lgamma_r(double %a, ptr %p)
  store double %r, ptr %out
  ret void
}

define void @run_cexpf(ptr %x, ptr %out) {
  %v = load <2 x double>, ptr %x
  %f = fptrunc <2 x double> %v to <2 x float>
  %r = call <2 x float> @cexpf(<2 x float> %f)
  store <2 x float> %r, ptr %out
  %p = getelementptr double, ptr %out, i32 1
  %e = extractelement <2 x float> %r, i32 1
  store float %e, ptr %p
  ret void
}

define void @run_csinl(ptr %x, ptr %out) {
  %z = alloca { x86_fp80, x86_fp80 }, align 16
  %im = getelementptr { x86_fp80, x86_fp80 }, ptr %z, i32 0, i32 1
  %a = load double, ptr %x
  %py = getelementptr double, ptr %x, i32 1
  %b = load double, ptr %py
  %al = fpext double %a to x86_fp80
  %bl = fpext double %b to x86_fp80
  store x86_fp80 %al, ptr %z
  store x86_fp80 %bl, ptr %im
  %r = call { x86_fp80, x86_fp80 } @csinl(ptr byval({ x86_fp80, x86_fp80 }) align 16 %z)
  %re = extractvalue { x86_fp80, x86_fp80 } %r, 0
  %ri = extractvalue { x86_fp80, x86_fp80 } %r, 1
  %d = fptrunc x86_fp80 %re to double
  %e = fptrunc x86_fp80 %ri to double
  store double %d, ptr %out
  %p = getelementptr double, ptr %out, i32 1
  store double %e, ptr %p
  ret void
}

define void @run_mulsc3(ptr %x, ptr %out) {
  %v = load <4 x double>, ptr %x, align 8
  %f = fptrunc <4 x double> %v to <4 x float>
  %a = extractelement <4 x float> %f, i32 0
  %b = extractelement <4 x float> %f, i32 1
  %c = extractelement <4 x float> %f, i32 2
  %d = extractelement <4 x float> %f, i32 3
  %r = call <2 x float> @__mulsc3(float %a, float %b, float %c, float %d)
  store <2 x float> %r, ptr %out
  ret void
}

define void @run_cpow(ptr %x, ptr %out) {
  %p1 = getelementptr double, ptr %x, i32 1
  %p2 = getelementptr double, ptr %x, i32 2
  %p3 = getelementptr double, ptr %x, i32 3
  %a = load double, ptr %x
  %b = load double, ptr %p1
  %c = load double, ptr %p2
  %d = load double, ptr %p3
  %r = call { double, double } @cpow(double %a, double %b, double %c, double %d)
  store { double, double } %r, ptr %out
  ret void
}

define void @run_moves(ptr %x, ptr %out) {
  %p1 = getelementptr double, ptr %x, i32 1
  %a = load double, ptr %x
  %b = load double, ptr %p1
  %abs = call double @cabs(double %a, double %b)
  store double %abs, ptr %out
  %v = load <2 x double>, ptr %x
  %f = fptrunc <2 x double> %v to <2 x float>
  %arg = call float @cargf(<2 x float> %f)
  %o1 = getelementptr double, ptr %out, i32 1
  store float %arg, ptr %o1
  %r = call { double, double } @conj(double %a, double %b)
  %o2 = getelementptr double, ptr %out, i32 2
  store { double, double } %r, ptr %o2
  ret void
}
)";

static std::unique_ptr<Module> parse(LLVMContext &Context, StringRef Text) {
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(Text, Error, Context);
  if (!M)
    Error.print("NormalizeMathTest", errs());
  return M;
}

static bool normalizeAll(Module &M) {
  bool Changed = false;
  SmallVector<Function *, 16> Functions(make_pointer_range(M));
  for (Function *F : Functions)
    if (!F->isDeclaration())
      Changed |= normalizeMath(*F, /*TLI=*/nullptr);
  return Changed;
}

namespace {

using Out = std::array<uint64_t, 4>;

class NormalizeMath : public ::testing::Test {
protected:
  void SetUp() override {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    Jit = cantFail(orc::LLJITBuilder().create());
    Jit->getMainJITDylib().addGenerator(
        cantFail(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            Jit->getDataLayout().getGlobalPrefix())));
  }

  void add(StringRef Dylib, bool Normalize) {
    auto Context = std::make_unique<LLVMContext>();
    std::unique_ptr<Module> M = parse(*Context, Program);
    ASSERT_TRUE(M);
    M->setDataLayout(Jit->getDataLayout());
    verso::compat::setTargetTriple(*M, Jit->getTargetTriple());
    if (Normalize) {
      EXPECT_TRUE(normalizeAll(*M));
      EXPECT_FALSE(verifyModule(*M, &errs()));
    }
    auto &D = cantFail(Jit->createJITDylib(Dylib.str()));
    D.addToLinkOrder(Jit->getMainJITDylib());
    cantFail(Jit->addIRModule(
        D, orc::ThreadSafeModule(std::move(M), std::move(Context))));
  }

  Out run(StringRef Dylib, StringRef Name, const double *X) {
    auto *F = cantFail(Jit->lookup(*Jit->getJITDylibByName(Dylib), Name))
                  .toPtr<void (*)(const double *, void *)>();
    Out Result{};
    F(X, Result.data());
    return Result;
  }

  std::unique_ptr<orc::LLJIT> Jit;
};

} // namespace

TEST_F(NormalizeMath, ChangesNoBit) {
  add("before", /*Normalize=*/false);
  add("after", /*Normalize=*/true);
  double Inf = HUGE_VAL, NaN = std::nan("");
  alignas(32) const double Points[][4] = {
      {0.5, 1.5, 0.25, -0.75}, {-3, 2, 1, 0},     {1e5, 7, 0.1, 3},
      {-0.0, 0.0, 1, 1},       {Inf, 1, 2, 3},    {-Inf, 1, 1, 1},
      {3.25, 0, 2, 0.5},       {1e-310, 1, 1, 1}, {NaN, 2, 1, 1},
      {-7.75, 2.5, 1, Inf},    {1e300, 3, 2, 2}};
  for (const char *Name :
       {"run_sincos", "run_modf", "run_frexpl", "run_remquo", "run_lgamma_r",
        "run_cexpf", "run_csinl", "run_mulsc3", "run_cpow", "run_moves"})
    for (const double *X : Points)
      EXPECT_EQ(run("before", Name, X), run("after", Name, X))
          << Name << " at " << X[0] << ", " << X[1];
}

TEST_F(NormalizeMath, LeavesOnlyOperations) {
  LLVMContext Context;
  std::unique_ptr<Module> M = parse(Context, Program);
  ASSERT_TRUE(M);
  EXPECT_TRUE(normalizeAll(*M));
  EXPECT_FALSE(normalizeAll(*M));
  for (Function &F : *M) {
    if (F.hasFnAttribute(Operation::RuleAttribute))
      continue;
    for (Instruction &I : instructions(F)) {
      if (auto *Call = dyn_cast<CallBase>(&I))
        EXPECT_TRUE(Operation::match(I, nullptr) ||
                    Operation::isTwoResultCall(*Call, nullptr))
            << F.getName().str();
      if (isa<ExtractValueInst>(I))
        EXPECT_TRUE(Operation::match(I, nullptr)) << F.getName().str();
    }
  }
  releaseMathFunctions(*M);
  EXPECT_FALSE(verifyModule(*M, &errs()));
}

/// The partials of all results of the only two-result call in Name, as the
/// matrix [result][operand], run on X.
static std::vector<double> partials(orc::LLJIT &Jit, StringRef Name,
                                    const double *X) {
  auto Context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> M = parse(*Context, Program);
  M->setDataLayout(Jit.getDataLayout());
  verso::compat::setTargetTriple(*M, Jit.getTargetTriple());
  normalizeAll(*M);
  Function *F = M->getFunction(Name);
  CallInst *Call = nullptr;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallInst>(&I))
      if (!Call && Operation::isTwoResultCall(*C, nullptr))
        Call = C;
  IRBuilder<> B(F->back().getTerminator());
  unsigned Slot = 0;
  bool BothReal =
      cast<StructType>(Call->getType())->getElementType(1)->isFloatingPointTy();
  for (unsigned Result = 0; Result != 1u + BothReal; ++Result) {
    auto *I = cast<Instruction>(B.CreateExtractValue(Call, Result));
    Operation Op = *Operation::match(*I, nullptr);
    for (unsigned K = 0; K != Op.operands().size(); ++K) {
      Value *D = B.CreateFPCast(Op.emitPartial(B, K), B.getDoubleTy());
      B.CreateStore(
          D, B.CreateConstGEP1_32(B.getDoubleTy(), F->getArg(1), Slot++));
    }
  }
  EXPECT_FALSE(verifyModule(*M, &errs()));
  static unsigned Count = 0;
  auto &Dylib =
      cantFail(Jit.createJITDylib("partials" + std::to_string(Count++)));
  Dylib.addToLinkOrder(Jit.getMainJITDylib());
  cantFail(Jit.addIRModule(
      Dylib, orc::ThreadSafeModule(std::move(M), std::move(Context))));
  auto *Run = cantFail(Jit.lookup(Dylib, Name))
                  .toPtr<void (*)(const double *, double *)>();
  std::vector<double> Out(8);
  Run(X, Out.data());
  Out.resize(Slot);
  return Out;
}

static void expectNear(const std::vector<double> &Actual,
                       const std::vector<double> &Expected, double Tolerance) {
  ASSERT_EQ(Actual.size(), Expected.size());
  for (size_t K = 0; K != Actual.size(); ++K)
    EXPECT_NEAR(Actual[K], Expected[K], Tolerance) << "partial " << K;
}

TEST_F(NormalizeMath, PartialsBehindItAreRight) {
  alignas(32) const double X[4] = {-3.5, 1.25, 0.5, 0.75};
  expectNear(partials(*Jit, "run_modf", X), {1, 0}, 0);
  expectNear(partials(*Jit, "run_frexpl", X), {0.25}, 0);
  // -3.5 = -3 * 1.25 + 0.25
  expectNear(partials(*Jit, "run_remquo", X), {1, 3}, 0);
  expectNear(partials(*Jit, "run_lgamma_r", X), {1.38887092635952890}, 1e-13);
  std::complex<double> Z(X[0], X[1]), E = std::exp(Z), C = std::cos(Z);
  expectNear(partials(*Jit, "run_cexpf", X),
             {E.real(), -E.imag(), E.imag(), E.real()}, 1e-8);
  expectNear(partials(*Jit, "run_csinl", X),
             {C.real(), -C.imag(), C.imag(), C.real()}, 1e-15);
  expectNear(partials(*Jit, "run_mulsc3", X),
             {X[2], -X[3], X[0], -X[1], X[3], X[2], X[1], X[0]}, 0);
}

TEST_F(NormalizeMath, FunctionsOfTheUserStayAlone) {
  LLVMContext Context;
  std::unique_ptr<Module> M = parse(Context, R"(
    declare double @modf(double, i32)
    declare double @modff(double, ptr)
    declare double @frexpression(double, ptr)
    define double @remquo(double %x, double %y, ptr %q) { ret double %x }
    define internal void @sincos(double %x, ptr %s, ptr %c) { ret void }
    define void @f(double %x, ptr %p) {
      %a = call double @modf(double %x, i32 1)
      %b = call double @modff(double %x, ptr %p)
      %c = call double @frexpression(double %x, ptr %p)
      %d = call double @remquo(double %x, double %x, ptr %p)
      call void @sincos(double %x, ptr %p, ptr %p)
      ret void
    })");
  ASSERT_TRUE(M);
  EXPECT_FALSE(normalizeMath(*M->getFunction("f"), nullptr));
}

TEST_F(NormalizeMath, InvokesBecomeCalls) {
  LLVMContext Context;
  std::unique_ptr<Module> M = parse(Context, R"(
    declare double @modf(double, ptr)
    declare double @sin(double)
    declare i32 @__gxx_personality_v0(...)
    define double @f(double %x, ptr %p) personality ptr @__gxx_personality_v0 {
      %a = invoke double @modf(double %x, ptr %p) to label %next unwind label %pad
    next:
      %b = invoke double @sin(double %a) to label %done unwind label %pad
    done:
      ret double %b
    pad:
      %l = landingpad { ptr, i32 } cleanup
      resume { ptr, i32 } %l
    })");
  ASSERT_TRUE(M);
  Function &F = *M->getFunction("f");
  EXPECT_TRUE(normalizeMath(F, nullptr));
  EXPECT_FALSE(verifyModule(*M, &errs()));
  for (Instruction &I : instructions(F))
    EXPECT_FALSE(isa<InvokeInst>(I));
}
