//===- FourierPlans.cpp - plans of FFTW -----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/FourierPlans.h"
#include "emit/Runtime.h"
#include "prepare/StagedProducts.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Dominators.h"
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
  Function *F =
      getSupportFunction(*B.GetInsertBlock()->getModule(),
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

static bool allocates(StringRef Name) {
  return Name == "malloc" || Name == "alloc_real" || Name == "alloc_complex";
}

/// What the one store to the place of \p Load has put there, if it comes before
/// it and the place is in an object that nothing else leads to.
static Value *onlyStored(const LoadInst &Load, const DominatorTree &DT) {
  const DataLayout &DL = Load.getDataLayout();
  auto IndexBits = DL.getIndexTypeSizeInBits(Load.getPointerOperandType());
  APInt At(IndexBits, 0);
  const Value *Object =
      Load.getPointerOperand()->stripAndAccumulateConstantOffsets(
          DL, At, /*AllowNonInbounds=*/true);
  if (!isa<AllocaInst>(Object) && !isNoAliasCall(Object))
    return nullptr;
  const StoreInst *Only = nullptr;
  SmallVector<std::pair<const Value *, APInt>, 8> Work{
      {Object, APInt(IndexBits, 0)}};
  while (!Work.empty()) {
    auto [P, Offset] = Work.pop_back_val();
    for (const Use &U : P->uses()) {
      const User *By = U.getUser();
      if (isa<LoadInst, ICmpInst>(By))
        continue;
      if (auto *Step = dyn_cast<GEPOperator>(By)) {
        APInt Next = Offset;
        if (!Step->accumulateConstantOffset(DL, Next))
          return nullptr;
        Work.push_back({Step, Next});
        continue;
      }
      if (auto *Store = dyn_cast<StoreInst>(By);
          Store && U.getOperandNo() == Store->getPointerOperandIndex()) {
        TypeSize Bytes =
            DL.getTypeStoreSize(Store->getValueOperand()->getType());
        const int64_t Distance = (At - Offset).getSExtValue();
        if (Bytes.isScalable())
          return nullptr;
        const int64_t End = Bytes.getFixedValue();
        if (Distance >= End || Distance <= -int64_t(DL.getPointerSize()))
          continue;
        if (Only || Distance != 0 ||
            Store->getValueOperand()->getType() != Load.getType())
          return nullptr;
        Only = Store;
        continue;
      }
      auto *Call = dyn_cast<CallBase>(By);
      const Function *F = Call ? Call->getCalledFunction() : nullptr;
      if (!F || !(F->getName() == "free" || Call->isLifetimeStartOrEnd()))
        return nullptr;
    }
  }
  return Only && DT.dominates(Only, &Load)
             ? const_cast<Value *>(Only->getValueOperand())
             : nullptr;
}

/// The one call that made \p Plan: looks into structures of the function's own.
static std::optional<PlanCall> findPlan(Value *Plan, const DominatorTree &DT) {
  SmallPtrSet<Value *, 8> Seen;
  SmallVector<Value *, 4> Work{Plan};
  std::optional<PlanCall> Found;
  while (!Work.empty()) {
    Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      append_range(Work, Phi->incoming_values());
    } else if (auto *Load = dyn_cast<LoadInst>(V)) {
      Value *Stored = onlyStored(*Load, DT);
      if (!Stored)
        return std::nullopt;
      Work.push_back(Stored);
    } else {
      std::optional<PlanCall> This = PlanCall::match(V);
      if (!This || (Found && Found->Call != This->Call))
        return std::nullopt;
      Found = This;
    }
  }
  return Found;
}

void verso::followPlans(Function &F, bool IsFlattened) {
  SmallVector<PlanCall, 4> Plans;
  SmallVector<std::pair<CallBase *, PlanCall>, 4> Executions;
  std::optional<DominatorTree> DT;
  for (Instruction &I : instructions(F)) {
    if (std::optional<PlanCall> Plan = PlanCall::match(&I))
      Plans.push_back(*Plan);
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee)
      continue;
    // So it is seen which plan an object of the program holds.
    if (allocates(nameInLibrary(*Callee)) && Call->getType()->isPointerTy())
      Call->addRetAttr(Attribute::NoAlias);
    if (!executesPlan(*Callee))
      continue;
    if (!DT)
      DT.emplace(F);
    std::optional<PlanCall> Plan = findPlan(Call->getArgOperand(0), *DT);
    if (Plan && DT->dominates(Plan->Call, Call))
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
    Function *Instead = getSupportFunction(M, bodyOf(*F, nameInLibrary(*F)));
    for (Use *U : Uses)
      U->set(Instead);
  }
  return Any;
}
