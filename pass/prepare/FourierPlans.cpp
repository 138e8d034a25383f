//===- FourierPlans.cpp - plans of FFTW -----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/FourierPlans.h"
#include "emit/Runtime.h"
#include "prepare/StagedProducts.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral Body = "__verso_body_";
/// On a call that plans and was followed.
static constexpr StringLiteral FollowedMark = "verso.plan.followed";

/// "plan_dft_1d" of fftw_plan_dft_1d and fftwf_plan_dft_1d; else nothing.
static StringRef nameInLibrary(const Function &F) {
  StringRef Name = F.getName();
  if (!F.isDeclaration() ||
      !(Name.consume_front("fftw_") || Name.consume_front("fftwf_")))
    return "";
  return Name;
}

/// The name of the body \p Name for the numbers of \p F.
static std::string bodyOf(const Function &F, StringRef Name) {
  StringRef Prefix = F.getName().take_until([](char C) { return C == '_'; });
  return (Body + Prefix + "_" + Name).str();
}

/// The parameters of a function that plans, as in the table; else nothing.
static StringRef parametersOf(const Function &F) {
  static const StringMap<StringRef> Table = {
#define VERSO_FFTW_PLAN(NAME, PARAMETERS) {NAME, PARAMETERS},
#include "rules/FftwPlans.def"
  };
  const FunctionType &T = *F.getFunctionType();
  StringRef Parameters = Table.lookup(nameInLibrary(F));
  if (!T.getReturnType()->isPointerTy() || T.isVarArg() ||
      T.getNumParams() != Parameters.size())
    return "";
  for (auto [Letter, P] : zip(Parameters, T.params()))
    if (Letter == 'n' || Letter == 'f' ? !P->isIntegerTy(32)
                                       : !P->isPointerTy())
      return "";
  return Parameters;
}

namespace {

struct PlanCall {
  CallBase *Call;
  StringRef Parameters;

  static std::optional<PlanCall> match(Value *V) {
    auto *Call = dyn_cast<CallBase>(V);
    const Function *F = Call ? Call->getCalledFunction() : nullptr;
    StringRef Parameters = F ? parametersOf(*F) : "";
    if (Parameters.empty() || Call->getFunctionType() != F->getFunctionType())
      return std::nullopt;
    return PlanCall{Call, Parameters};
  }
  Value *argument(char Letter) const {
    return Call->getArgOperand(Parameters.find(Letter));
  }
  /// fftw3.h: FFTW_ESTIMATE, FFTW_WISDOM_ONLY.
  bool mayOverwrite() const {
    constexpr uint64_t Harmless = 1u << 6 | 1u << 21;
    auto *Flags = dyn_cast<ConstantInt>(argument('f'));
    return !Flags || !(Flags->getZExtValue() & Harmless);
  }
};

} // namespace

bool verso::executesPlan(const Function &F) {
  return nameInLibrary(F) == "execute" && F.arg_size() == 1;
}

static void callBody(IRBuilderBase &B, const PlanCall &Plan, StringRef Name) {
  Function *F = getSupportFunction(
      *B.GetInsertBlock()->getModule(),
      bodyOf(*Plan.Call->getCalledFunction(), Name));
  adoptStagedProducts(*F->getParent());
  B.CreateCall(F, {Plan.Call, Plan.argument('I'), Plan.argument('O')});
}

/// Whether all that is done with \p Plan is done by FFTW, of arrays in sight,
/// or is a comparison.
static bool isInSight(const CallBase &Plan) {
  return all_of(Plan.uses(), [](const Use &U) {
    if (isa<ICmpInst>(U.getUser()))
      return true;
    auto *Call = dyn_cast<CallBase>(U.getUser());
    const Function *F = Call ? Call->getCalledFunction() : nullptr;
    return F && Call->isArgOperand(&U) &&
           (!nameInLibrary(*F).empty() || F->getName().starts_with(Body)) &&
           !executesPlan(*F);
  });
}

void verso::followPlans(Function &F, bool IsFlattened) {
  SmallVector<PlanCall, 4> Plans;
  SmallVector<std::pair<CallBase *, PlanCall>, 4> Executions;
  for (Instruction &I : instructions(F)) {
    if (std::optional<PlanCall> Plan = PlanCall::match(&I))
      Plans.push_back(*Plan);
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !executesPlan(*Callee))
      continue;
    if (std::optional<PlanCall> Plan = PlanCall::match(Call->getArgOperand(0)))
      Executions.push_back({Call, *Plan});
  }
  for (auto [Call, Plan] : Executions) {
    IRBuilder<> B(Call);
    callBody(B, Plan, "execute_on");
    if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
      Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
      B.CreateBr(Invoke->getNormalDest());
    }
    Call->eraseFromParent();
  }
  for (const PlanCall &Plan : Plans) {
    if (Plan.Call->hasMetadata(FollowedMark))
      continue;
    Plan.Call->setMetadata(FollowedMark, MDNode::get(F.getContext(), {}));
    BasicBlock::iterator Next;
    if (auto *Invoke = dyn_cast<InvokeInst>(Plan.Call))
      Next = Invoke->getNormalDest()->getFirstInsertionPt();
    else
      Next = std::next(Plan.Call->getIterator());
    IRBuilder<> B(Next->getParent(), Next);
    const bool Keeps = !IsFlattened && !isInSight(*Plan.Call);
    if (Plan.mayOverwrite())
      callBody(B, Plan, "overwrite");
    if (Keeps)
      callBody(B, Plan, "keep");
  }
}

bool verso::notePlans(Module &M) {
  SmallVector<Function *, 8> Noted;
  for (Function &F : M) {
    StringRef Name = nameInLibrary(F);
    const FunctionType &T = *F.getFunctionType();
    const bool Ends = T.getReturnType()->isVoidTy() &&
                      ((Name == "destroy_plan" && T.getNumParams() == 1) ||
                       ((Name == "cleanup" || Name == "cleanup_threads") &&
                        T.getNumParams() == 0));
    if (Ends || !parametersOf(F).empty())
      Noted.push_back(&F);
  }
  bool Any = false;
  for (Function *F : Noted) {
    // Bodies call them.
    SmallVector<Use *, 8> Uses;
    for (Use &U : F->uses())
      if (auto *I = dyn_cast<Instruction>(U.getUser());
          I && !I->getFunction()->getName().starts_with(Body))
        Uses.push_back(&U);
    if (Uses.empty())
      continue;
    Any = true;
    Function *Instead =
        getSupportFunction(M, bodyOf(*F, nameInLibrary(*F)));
    for (Use *U : Uses)
      U->set(Instead);
  }
  return Any;
}
