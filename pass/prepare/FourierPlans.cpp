//===- FourierPlans.cpp - plans of FFTW -----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/FourierPlans.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "prepare/StagedProducts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
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

/// Whether \p Call executes a plan, of arrays that it is given.
static bool executesOn(const CallBase &Call, const Function &F) {
  StringRef Name = nameInLibrary(F);
  const FunctionType &T = *F.getFunctionType();
  return (Name == "execute_dft" || Name == "execute_dft_r2c" ||
          Name == "execute_dft_c2r" || Name == "execute_r2r") &&
         &T == Call.getFunctionType() && T.getReturnType()->isVoidTy() &&
         T.getNumParams() == 3 &&
         all_of(T.params(), [](Type *P) { return P->isPointerTy(); });
}

/// Calls the body \p Name for the numbers of \p Of.
static void callBody(IRBuilderBase &B, const Function &Of, StringRef Name,
                     ArrayRef<Value *> Arguments) {
  Function *F =
      getSupportFunction(*B.GetInsertBlock()->getModule(), bodyOf(Of, Name));
  adoptStagedProducts(*F->getParent());
  B.CreateCall(F, Arguments);
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

/// The memory that \p Plan is loaded from, if that may be the program's: if it
/// has a shadow, a plan of its own belongs there. Null if it is loaded from
/// none.
static Value *holderOf(Value *Plan, unsigned MaxChoices = 4) {
  if (auto *Load = dyn_cast<LoadInst>(Plan)) {
    Value *Holder = Load->getPointerOperand();
    return isa<AllocaInst>(getUnderlyingObject(Holder)) ? nullptr : Holder;
  }
  auto *Phi = dyn_cast<PHINode>(Plan);
  auto *Choice = dyn_cast<SelectInst>(Plan);
  if (!MaxChoices || !(Phi || Choice))
    return nullptr;
  SmallVector<Value *, 4> Holders;
  for (Value *V : Phi ? SmallVector<Value *, 4>(Phi->incoming_values())
                      : SmallVector<Value *, 4>{Choice->getTrueValue(),
                                                Choice->getFalseValue()})
    Holders.push_back(holderOf(V, MaxChoices - 1));
  if (none_of(Holders, [](Value *V) { return V; }))
    return nullptr;
  for (Value *&V : Holders)
    if (!V)
      V = ConstantPointerNull::get(cast<PointerType>(Plan->getType()));
  if (Choice)
    return IRBuilder<>(Choice).CreateSelect(Choice->getCondition(), Holders[0],
                                            Holders[1]);
  auto *Of =
      PHINode::Create(Phi->getType(), Holders.size(), "", Phi->getIterator());
  for (auto [V, From] : zip(Holders, Phi->blocks()))
    Of->addIncoming(V, From);
  return Of;
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

namespace {

/// The arrays of plans: through structures of the function's own, and of
/// whichever plan is chosen.
class ArraysInSight {
public:
  explicit ArraysInSight(Function &F) : DT(F) {}
  /// Whether all calls that may have made \p Plan are seen.
  bool areOf(Value *Plan);
  /// Then its array \p Letter, I or O.
  Value *get(Value *Plan, char Letter);

private:
  DominatorTree DT;
  DenseMap<std::pair<Value *, char>, Value *> Known;
};

} // namespace

bool ArraysInSight::areOf(Value *Plan) {
  SmallPtrSet<Value *, 8> Seen;
  SmallVector<Value *, 4> Work{Plan};
  bool Any = false;
  while (!Work.empty()) {
    Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      append_range(Work, Phi->incoming_values());
    } else if (auto *Choice = dyn_cast<SelectInst>(V)) {
      Work.append({Choice->getTrueValue(), Choice->getFalseValue()});
    } else if (auto *Load = dyn_cast<LoadInst>(V)) {
      Value *Stored = onlyStored(*Load, DT);
      if (!Stored)
        return false;
      Work.push_back(Stored);
    } else if (!isa<ConstantPointerNull>(V)) {
      if (!PlanCall::match(V))
        return false;
      Any = true;
    }
  }
  return Any;
}

Value *ArraysInSight::get(Value *Plan, char Letter) {
  if (Value *Array = Known.lookup({Plan, Letter}))
    return Array;
  Value *Array = Plan; // Null: it is executed in vain.
  if (auto *Phi = dyn_cast<PHINode>(Plan)) {
    auto *Of = PHINode::Create(Phi->getType(), Phi->getNumIncomingValues(), "",
                               Phi->getIterator());
    Known[{Plan, Letter}] = Of; // It may be asked for on the way.
    for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
      Of->addIncoming(get(Phi->getIncomingValue(K), Letter),
                      Phi->getIncomingBlock(K));
    return Of;
  }
  if (auto *Choice = dyn_cast<SelectInst>(Plan))
    Array = IRBuilder<>(Choice).CreateSelect(
        Choice->getCondition(), get(Choice->getTrueValue(), Letter),
        get(Choice->getFalseValue(), Letter));
  else if (auto *Load = dyn_cast<LoadInst>(Plan))
    Array = get(onlyStored(*Load, DT), Letter);
  else if (std::optional<PlanCall> Call = PlanCall::match(Plan))
    Array = Call->argument(Letter);
  Known[{Plan, Letter}] = Array;
  return Array;
}

void verso::followPlans(Function &F, bool IsFlattened) {
  SmallVector<PlanCall, 4> Plans;
  SmallVector<CallBase *, 4> Executions;
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
    if (executesPlan(*Callee) || executesOn(*Call, *Callee))
      Executions.push_back(Call);
  }
  std::optional<ArraysInSight> Arrays;
  for (CallBase *Call : Executions) {
    const Function &Callee = *Call->getCalledFunction();
    Value *Plan = Call->getArgOperand(0);
    if (!Arrays)
      Arrays.emplace(F);
    IRBuilder<> B(Call);
    if (!executesPlan(Callee)) {
      callBody(B, Callee, nameInLibrary(Callee),
               {Plan, Call->getArgOperand(1), Call->getArgOperand(2),
                emitLocation(B, *Call)});
    } else if (Arrays->areOf(Plan)) {
      callBody(B, Callee, "execute_on",
               {Plan, Arrays->get(Plan, 'I'), Arrays->get(Plan, 'O'),
                emitLocation(B, *Call)});
    } else {
      if (IsFlattened)
        continue;
      Value *Holder = holderOf(Plan);
      if (!Holder)
        Holder = ConstantPointerNull::get(B.getPtrTy());
      callBody(B, Callee, "execute_from",
               {Plan, Holder, emitLocation(B, *Call)});
    }
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
    Value *const Arguments[] = {Plan.Call, Plan.argument('I'),
                                Plan.argument('O')};
    const Function &Of = *Plan.Call->getCalledFunction();
    if (Plan.mayOverwrite())
      callBody(B, Of, "overwrite", Arguments);
    if (Keeps)
      callBody(B, Of, "keep", Arguments);
  }
}

/// The variable that \p Array is in, as far as is seen: where it begins, or a
/// pointer into it, and how many bytes it has, 0 if that is not known.
static std::pair<Value *, uint64_t> variableOf(Value *Array,
                                               const DataLayout &DL) {
  Value *Object = getUnderlyingObject(Array);
  const Value *Named = Object;
  if (auto *II = dyn_cast<IntrinsicInst>(Object);
      II && II->getIntrinsicID() == Intrinsic::threadlocal_address)
    Named = II->getArgOperand(0);
  if (auto *G = dyn_cast<GlobalVariable>(Named))
    return {Object, DL.getTypeAllocSize(G->getValueType())};
  if (auto *Local = dyn_cast<AllocaInst>(Named))
    if (std::optional<TypeSize> Size = Local->getAllocationSize(DL);
        Size && !Size->isScalable())
      return {Object, Size->getFixedValue()};
  return {Object, 0};
}

/// The runtime may learn in which variables a plan's arrays are.
static void noteVariables(const PlanCall &Plan) {
  BasicBlock::iterator Next;
  if (auto *Invoke = dyn_cast<InvokeInst>(Plan.Call)) {
    BasicBlock *Normal = Invoke->getNormalDest();
    if (!Normal->getSinglePredecessor())
      return;
    Next = Normal->getFirstInsertionPt();
  } else {
    Next = std::next(Plan.Call->getIterator());
  }
  IRBuilder<> B(Next->getParent(), Next);
  B.SetCurrentDebugLocation(Plan.Call->getDebugLoc());
  Module &M = *Plan.Call->getModule();
  auto [In, InBytes] = variableOf(Plan.argument('I'), M.getDataLayout());
  auto [Out, OutBytes] = variableOf(Plan.argument('O'), M.getDataLayout());
  B.CreateCall(getSupportFunction(M, (Body + "fftw_variables").str()),
               {Plan.Call, In, B.getInt64(InBytes), Out, B.getInt64(OutBytes)});
}

/// Whether \p U is what a body calls, or hands to the runtime.
static bool isOfBody(const User *U) {
  if (auto *I = dyn_cast<Instruction>(U))
    return I->getFunction()->getName().starts_with(Body);
  if (auto *G = dyn_cast<GlobalVariable>(U))
    return G->getName().starts_with("functionsOf");
  return any_of(U->users(), isOfBody);
}

/// Whoever takes the address of \p F has that of a function around \p Instead,
/// the same in all files.
static Function *addressOf(const Function &F, Function *Instead) {
  Module &M = *Instead->getParent();
  const std::string Name = ("__verso_noted_" + F.getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  Function *Noted = Function::Create(F.getFunctionType(),
                                     GlobalValue::LinkOnceODRLinkage, Name, M);
  Noted->setComdat(M.getOrInsertComdat(Name));
  markGenerated(*Noted);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Noted));
  SmallVector<Value *, 12> Arguments;
  for (Argument &A : Noted->args())
    Arguments.push_back(&A);
  CallInst *Result = B.CreateCall(Instead, Arguments);
  if (Noted->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Result);
  return Noted;
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
    SmallVector<PlanCall, 8> Plans;
    bool IsUsed = false, HasAddress = false;
    for (Use &U : F->uses()) {
      if (isOfBody(U.getUser()))
        continue;
      IsUsed = true;
      auto *Call = dyn_cast<CallBase>(U.getUser());
      if (!Call || !Call->isCallee(&U))
        HasAddress = true;
      else if (std::optional<PlanCall> Plan = PlanCall::match(Call))
        Plans.push_back(*Plan);
    }
    if (!IsUsed)
      continue;
    Any = true;
    for (const PlanCall &Plan : Plans)
      noteVariables(Plan);
    Function *Instead = getSupportFunction(M, bodyOf(*F, nameInLibrary(*F)));
    Function *Address = HasAddress ? addressOf(*F, Instead) : nullptr;
    auto IsCallee = [](const Use &U) {
      auto *Call = dyn_cast<CallBase>(U.getUser());
      return Call && Call->isCallee(&U);
    };
    F->replaceUsesWithIf(
        Instead, [&](Use &U) { return IsCallee(U) && !isOfBody(U.getUser()); });
    if (Address)
      F->replaceUsesWithIf(Address,
                           [&](Use &U) { return !isOfBody(U.getUser()); });
  }
  return Any;
}
