//===- EmissionTest.cpp - formulas as IR ----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves, for every line of the table and every type it comes in, that the
// operation is matched, that the emitted partials pass the verifier, and, where
// this machine has the function, that running them gives what the formula gives
// as a number. Functions that the C library here lacks are verified only.
//
//===----------------------------------------------------------------------===//

#include "LLVMCompat.h"
#include "TableRows.h"
#include "rules/Operation.h"
#include "rules/RuleTable.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <dlfcn.h>

using namespace llvm;
using namespace verso;
using namespace verso::test;
using rules::Rule;
using rules::RuleKind;

namespace {

/// How a line of the table appears in a program.
struct Appearance {
  const Rule &R;
  const TableRow &Row;
  Type *Real;
  bool IsIntrinsic;
};

/// Checks and runs one appearance after the other, in a module each.
class Emission : public ::testing::Test {
protected:
  void SetUp() override {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    Jit = cantFail(orc::LLJITBuilder().create());
    Jit->getMainJITDylib().addGenerator(
        cantFail(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            Jit->getDataLayout().getGlobalPrefix())));
  }
  void check(const Appearance &A);
  void checkType(Type *Real, StringRef Suffix);
  void run(const Appearance &A, std::unique_ptr<Module> M);

  orc::ThreadSafeContext SafeContext{std::make_unique<LLVMContext>()};
  std::unique_ptr<orc::LLJIT> Jit;
  unsigned NumChecked = 0, NumRun = 0, NumModules = 0;
};

} // namespace

static std::string symbolOf(const Appearance &A) {
  if (A.R.Kind == RuleKind::ComplexHelper)
    return A.R.Name.str();
  StringRef Suffix = A.Real->isFloatTy()      ? "f"
                     : A.Real->isX86_FP80Ty() ? "l"
                                              : "";
  return (A.R.Name + Suffix).str();
}

/// Types of the call's parameters, in the table's order.
static SmallVector<Type *, 4> paramsOf(const Appearance &A) {
  SmallVector<Type *, 4> Params(A.R.NumOperands, A.Real);
  Type *Int = Type::getInt32Ty(A.Real->getContext());
  if (A.R.Kind == RuleKind::RealInteger)
    Params.push_back(Int);
  if (A.R.Kind == RuleKind::IntegerReal)
    Params.insert(Params.begin(), Int);
  return Params;
}

static Intrinsic::ID intrinsicOf(const Rule &R) {
  return verso::compat::intrinsicNamed(("llvm." + R.Intrinsic).str());
}

/// The declaration that A calls, or null for an instruction.
static Function *declare(const Appearance &A, Module &M) {
  LLVMContext &C = M.getContext();
  Type *Int = Type::getInt32Ty(C);
  Type *Result = A.Real;
  if (A.R.hasTwoResults())
    Result = StructType::get(A.Real, A.R.Name == "frexp" ? Int : A.Real);
  else if (A.R.Kind == RuleKind::Integer)
    Result = Int;
  auto *FnTy = FunctionType::get(Result, paramsOf(A), /*isVarArg=*/false);
  if (!A.IsIntrinsic)
    return cast<Function>(M.getOrInsertFunction(symbolOf(A), FnTy).getCallee());
  Intrinsic::ID ID = intrinsicOf(A.R);
  EXPECT_NE(ID, Intrinsic::not_intrinsic) << A.R.Intrinsic.str();
  SmallVector<Type *, 2> Overloads{A.Real};
  if (A.R.hasInteger() || A.R.Name == "frexp")
    Overloads.push_back(Int);
  else if (A.R.Kind == RuleKind::Integer)
    Overloads.insert(Overloads.begin(), Int);
  return verso::compat::intrinsicDeclaration(M, ID, Overloads);
}

/// The instruction whose partials are wanted.
static Instruction *emitOperation(IRBuilder<> &B, const Appearance &A,
                                  ArrayRef<Value *> X, Value *N,
                                  unsigned Result) {
  if (A.R.Kind == RuleKind::Instruction) {
    if (A.R.Name == "fneg")
      return cast<Instruction>(B.CreateFNeg(X[0]));
    for (unsigned Op : {Instruction::FAdd, Instruction::FSub, Instruction::FMul,
                        Instruction::FDiv, Instruction::FRem})
      if (A.R.Name == Instruction::getOpcodeName(Op))
        return cast<Instruction>(
            B.CreateBinOp(Instruction::BinaryOps(Op), X[0], X[1]));
    return nullptr;
  }
  SmallVector<Value *, 4> Arguments(X);
  if (A.R.Kind == RuleKind::RealInteger)
    Arguments.push_back(N);
  if (A.R.Kind == RuleKind::IntegerReal)
    Arguments.insert(Arguments.begin(), N);
  Function *Callee = declare(A, *B.GetInsertBlock()->getModule());
  CallInst *Call = B.CreateCall(Callee, Arguments);
  if (!A.R.hasTwoResults())
    return Call;
  return cast<Instruction>(B.CreateExtractValue(Call, Result));
}

/// define void @partials(ptr %x, i32 %n, ptr %out): for every result and
/// operand, the partial as a double, to out[result * MaxOperands + operand].
static bool emitPartials(Module &M, const Appearance &A) {
  LLVMContext &C = M.getContext();
  TargetLibraryInfoImpl Library{Triple(M.getTargetTriple())};
  TargetLibraryInfo TLI(Library);
  IRBuilder<> B(C);
  auto *FnTy = FunctionType::get(
      B.getVoidTy(), {B.getPtrTy(), B.getInt32Ty(), B.getPtrTy()}, false);
  Function *F =
      Function::Create(FnTy, GlobalValue::ExternalLinkage, "partials", M);
  B.SetInsertPoint(BasicBlock::Create(C, "", F));
  SmallVector<Value *, 4> X;
  for (unsigned K = 0; K != A.R.NumOperands; ++K) {
    Value *P = B.CreateConstGEP1_32(B.getDoubleTy(), F->getArg(0), K);
    X.push_back(B.CreateFPCast(B.CreateLoad(B.getDoubleTy(), P), A.Real));
  }
  for (unsigned Result = 0; Result != 1u + A.R.hasTwoResults(); ++Result) {
    Instruction *I = emitOperation(B, A, X, F->getArg(1), Result);
    if (!I)
      return false;
    std::optional<Operation> Op = Operation::match(*I, &TLI);
    EXPECT_TRUE(Op) << A.R.Name.str();
    if (!Op)
      return false;
    EXPECT_EQ(Op->name(), A.R.Name);
    EXPECT_EQ(Op->operands(), ArrayRef<Value *>(X));
    for (unsigned K = 0; K != A.R.NumOperands; ++K) {
      Value *D = Op->emitPartial(B, K);
      bool IsConstant = Op->shape(K) != Operation::Shape::General;
      EXPECT_EQ(D->getType(), A.Real);
      EXPECT_TRUE(!IsConstant || isa<ConstantFP>(D)) << A.R.Name.str();
      Value *P = B.CreateConstGEP1_32(B.getDoubleTy(), F->getArg(2),
                                      Result * rules::MaxOperands + K);
      B.CreateStore(B.CreateFPCast(D, B.getDoubleTy()), P);
    }
  }
  B.CreateRetVoid();
  return true;
}

/// Whether everything that M calls can be called here. Code generation knows
/// no function for sincospi on Linux, nor for long double intrinsics of some.
static bool canRun(const Appearance &A, const Module &M) {
  if (A.IsIntrinsic && (!A.Real->isDoubleTy() || A.R.Intrinsic == "sincospi"))
    return false;
  if (A.Real->isHalfTy() || A.Real->isBFloatTy())
    return false;
  for (const Function &F : M)
    if (F.isDeclaration() && !F.isIntrinsic() &&
        !dlsym(RTLD_DEFAULT, F.getName().str().c_str()))
      return false;
  return true;
}

void Emission::run(const Appearance &A, std::unique_ptr<Module> M) {
  auto &Dylib =
      cantFail(Jit->createJITDylib("d" + std::to_string(NumModules++)));
  Dylib.addToLinkOrder(Jit->getMainJITDylib());
  cantFail(Jit->addIRModule(Dylib,
                            orc::ThreadSafeModule(std::move(M), SafeContext)));
  auto *Partials = cantFail(Jit->lookup(Dylib, "partials"))
                       .toPtr<void (*)(const double *, int, double *)>();
  for (Point P : pointsOf(A.Row, 10)) {
    if (A.Real->isFloatTy())
      for (double &X : P.X)
        X = float(X);
    double Out[rules::MaxResults * rules::MaxOperands] = {};
    Partials(P.X.data(), P.N, Out);
    for (unsigned Result = 0; Result != rules::MaxResults; ++Result)
      for (unsigned K = 0; K != A.R.NumOperands; ++K) {
        if (!A.Row.Partials[Result][K])
          continue;
        double Expected = partialAt(A.Row, P, Result, K);
        // A hundred units in the last place: formulas divide by 1 - x * x.
        double Tolerance = A.Real->isFloatTy() ? 0x1p-17 : 0x1p-45;
        EXPECT_NEAR(Out[Result * rules::MaxOperands + K], Expected,
                    Tolerance * (1 + std::fabs(Expected)))
            << symbolOf(A) << (A.IsIntrinsic ? " (intrinsic)" : "")
            << " result " << Result << " by operand " << K << " at " << P.X[0]
            << ", " << P.X[1] << ", " << P.N;
      }
  }
  ++NumRun;
}

void Emission::check(const Appearance &A) {
  auto M = std::make_unique<Module>("m", A.Real->getContext());
  M->setDataLayout(Jit->getDataLayout());
  verso::compat::setTargetTriple(*M, Jit->getTargetTriple());
  if (!emitPartials(*M, A))
    return;
  std::string Text;
  raw_string_ostream OS(Text);
  bool IsBroken = verifyModule(*M, &OS);
  EXPECT_FALSE(IsBroken) << A.R.Name.str() << "\n" << Text;
  ++NumChecked;
  if (!IsBroken && A.Row.Value && canRun(A, *M))
    run(A, std::move(M));
}

void Emission::checkType(Type *Real, StringRef Suffix) {
  ArrayRef<Rule> Rules = rules::ruleTable();
  ASSERT_EQ(Rules.size(), tableRows().size());
  for (auto [R, Row] : zip(Rules, tableRows())) {
    ASSERT_EQ(R.Name, Row.Name);
    bool IsMixed = R.Name == "nexttoward" || R.Name == "llvm_fptrunc_round" ||
                   R.Name == "__fpclassify";
    bool IsConversion =
        R.Kind == RuleKind::Integer && R.Name.starts_with("llvm_");
    if (IsMixed || IsConversion || R.NumOperands == 0)
      continue;
    bool HasIntrinsic =
        R.Intrinsic != "none" && (verso::compat::HasEveryIntrinsic ||
                                  intrinsicOf(R) != Intrinsic::not_intrinsic);
    if (R.Kind == RuleKind::Instruction || HasIntrinsic)
      check({R, Row, Real, /*IsIntrinsic=*/true});
    bool HasLibraryForm = R.Kind != RuleKind::Instruction &&
                          R.Kind != RuleKind::Pair &&
                          !R.Name.starts_with("llvm_");
    // A complex float or long double is no pair of scalars in this ABI.
    if (R.Kind == RuleKind::Complex && !Real->isDoubleTy())
      HasLibraryForm = false;
    char TypeLetter = Real->isFloatTy() ? 's' : Real->isDoubleTy() ? 'd' : 'x';
    if (R.Kind == RuleKind::ComplexHelper &&
        (R.Name[5] != TypeLetter || Real->isFloatTy()))
      HasLibraryForm = false;
    if (HasLibraryForm && Suffix != "none")
      check({R, Row, Real, /*IsIntrinsic=*/false});
  }
}

TEST_F(Emission, Double) {
  verso::compat::withContext(SafeContext, [&](LLVMContext *C) {
    checkType(Type::getDoubleTy(*C), "");
  });
  EXPECT_GT(NumRun, 100u);
  RecordProperty("run", int(NumRun));
}

TEST_F(Emission, Float) {
  verso::compat::withContext(SafeContext, [&](LLVMContext *C) {
    checkType(Type::getFloatTy(*C), "f");
  });
  EXPECT_GT(NumRun, 50u);
}

TEST_F(Emission, X86LongDouble) {
  verso::compat::withContext(SafeContext, [&](LLVMContext *C) {
    checkType(Type::getX86_FP80Ty(*C), "l");
  });
#ifdef __x86_64__
  EXPECT_GT(NumRun, 50u);
#endif
}

TEST_F(Emission, NarrowTypes) {
  verso::compat::withContext(SafeContext, [&](LLVMContext *C) {
    checkType(Type::getHalfTy(*C), "none");
    checkType(Type::getBFloatTy(*C), "none");
  });
  EXPECT_GT(NumChecked, 80u);
}
