//===- Parts.cpp - functions of a call tree that stay calls ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/parts/Parts.h"
#include "Diagnostics.h"
#include "analysis/CallModel.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral PartAttribute = "verso-part";

bool verso::isPartCall(const CallBase &Call) {
  return Call.hasFnAttr(PartAttribute);
}

Parts::~Parts() { (void)release(); }

SmallVector<Function *, 2> Parts::release() {
  SmallVector<Function *, 8> Mine;
  for (auto &[F, Each] : Kept)
    if (Each.Made)
      Mine.push_back(Each.Made->Body);
  Kept.clear();
  // Those that others call, and whom these call.
  SmallSetVector<Function *, 8> Used;
  for (Function *F : Mine)
    if (any_of(F->users(), [&](User *U) {
          auto *I = dyn_cast<Instruction>(U);
          return !I || !is_contained(Mine, I->getFunction());
        }))
      Used.insert(F);
  for (unsigned K = 0; K != Used.size(); ++K)
    for (Instruction &I : instructions(*Used[K]))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Function *Callee = Call->getCalledFunction();
            is_contained(Mine, Callee))
          Used.insert(Callee);
  erase_if(Mine, [&](Function *F) { return Used.contains(F); });
  for (Function *F : Mine)
    F->dropAllReferences();
  for (Function *F : Mine) {
    FAM.clear(*F, F->getName());
    F->eraseFromParent();
  }
  for (Function *F : Used)
    stripDebugInfo(*F);
  return SmallVector<Function *, 2>(Used.begin(), Used.end());
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Numbers whose adjoints are of their own type, and integers.
static bool isNumber(const Type *T) {
  return T->isFloatTy() || T->isDoubleTy() || T->isX86_FP80Ty();
}
static bool isValue(const Type *T) { return isNumber(T) || T->isIntegerTy(); }

static bool fits(const Function &F) {
  const Type *T = F.getReturnType();
  auto *S = dyn_cast<StructType>(T);
  bool ReturnsNumbers = S && all_of(S->elements(), isNumber);
  return !F.isVarArg() && !F.hasFnAttribute(Attribute::StrictFP) &&
         !F.hasFnAttribute(Attribute::Naked) && !F.isPresplitCoroutine() &&
         (T->isVoidTy() || isValue(T) || ReturnsNumbers) &&
         all_of(F.args(), [](const Argument &A) {
           return (isValue(A.getType()) || A.getType()->isPointerTy()) &&
                  !A.hasPassPointeeByValueCopyAttr() &&
                  !A.hasSwiftErrorAttr() && !A.hasNestAttr();
         });
}

/// Whether PartAccesses.h may be able to tell what \p I does.
static bool isPlain(const Instruction &I) {
  if (isa<InvokeInst, CallBrInst, ResumeInst, LandingPadInst, AtomicRMWInst,
          AtomicCmpXchgInst, FenceInst, VAArgInst, IndirectBrInst>(I))
    return false;
  auto *Store = dyn_cast<StoreInst>(&I);
  return !Store || !Store->getValueOperand()->getType()->isPointerTy() ||
         isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
}

const Parts::Size &Parts::sizeOf(Function &F) {
  std::unique_ptr<Size> &Known = Sizes[&F];
  if (Known)
    return *Known;
  auto New = std::make_unique<Size>();
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  New->IsPlain = !Who.isRecursive(F);
  for (Instruction &I : instructions(F)) {
    ++New->Inlined;
    New->IsPlain &= isPlain(I);
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(I))
      continue;
    CallModel M = modelCall(*Call, TLI);
    // What a request of the C++ header is given to call.
    auto *Asked = dyn_cast<Argument>(Call->getCalledOperand());
    if (Function *Callee = Asked ? GivenFor.lookup(Asked) : nullptr)
      ++New->Callees[Callee];
    else if (M.K == CallModel::Direct)
      ++New->Callees[M.Callee];
    else if (M.K != CallModel::Operation && M.K != CallModel::Inactive &&
             M.K != CallModel::Library)
      New->IsPlain = false;
  }
  if (!Who.isRecursive(F))
    for (auto [Callee, Places] : New->Callees) {
      const Size &Of = sizeOf(*Callee);
      New->Inlined += Places * Of.Inlined;
      New->IsPlain &= Of.IsPlain;
    }
  return *(Sizes[&F] = std::move(New));
}

bool Parts::choose(const Request &R, Which W) {
  Function &F = *R.Primal;
  for (const auto &[K, A] : enumerate(R.Arguments))
    if (Value *V = A.Primal; auto *Callee = dyn_cast_or_null<Function>(V))
      if (!Callee->isDeclaration() && !isMarkedInactive(*Callee))
        GivenFor[F.getArg(K)] = Callee;
  SmallSetVector<Function *, 16> Order; // Who is called comes first.
  std::function<void(Function &)> Visit = [&](Function &G) {
    if (Order.contains(&G) || Who.isRecursive(G))
      return;
    for (auto [Callee, Places] : sizeOf(G).Callees)
      Visit(*Callee);
    Order.insert(&G);
  };
  Visit(F);
  // What a call costs, of a part and of its verso, is little beside a loop.
  auto IsLarge = [&](Function &G) {
    constexpr uint64_t LeastOfLoops = 100, LeastOfOthers = 400;
    uint64_t Size = sizeOf(G).Inlined;
    return Size >= LeastOfOthers ||
           (Size >= LeastOfLoops && !FAM.getResult<LoopAnalysis>(G).empty());
  };
  DenseMap<Function *, uint64_t> Copies;
  for (Function *G : reverse(Order)) {
    const Size &Of = sizeOf(*G);
    uint64_t Mine = G == &F ? 1 : Copies.lookup(G);
    if (G != &F && Of.IsPlain && fits(*G) && (W != Repeated || Mine >= 2) &&
        (W == All || IsLarge(*G))) {
      Kept[G];
      Mine = 1;
    }
    for (auto [Callee, Places] : Of.Callees)
      Copies[Callee] += Places * Mine;
  }
  if (W != Repeated || Kept.empty())
    return !Kept.empty();
  DenseMap<Function *, uint64_t> Bodies;
  uint64_t After = 0;
  for (Function *G : Order) {
    uint64_t &Size = Bodies[G];
    Size = sizeOf(*G).Inlined;
    for (auto [Callee, Places] : sizeOf(*G).Callees)
      Size -= Places * (sizeOf(*Callee).Inlined -
                        (Kept.contains(Callee) ? 0 : Bodies.lookup(Callee)));
    if (G == &F || Kept.contains(G))
      After += Size;
  }
  // A smaller tree is compiled within seconds, and inlined code is faster by a
  // tenth or two: what several calls need is recorded once.
  constexpr uint64_t LeastTree = 4000;
  const uint64_t Before = sizeOf(F).Inlined;
  return Before >= LeastTree && Before >= 2 * After;
}

void Parts::explain(const Instruction &At) const {
  constexpr unsigned MostNames = 8;
  std::string Names;
  unsigned Count = 0;
  for (const auto &[F, Each] : Kept)
    if (Each.Made && Count++ < MostNames)
      Names += (Names.empty() ? "'" : ", '") + sourceName(*F) + "'";
  if (Count > MostNames)
    Names += " and " + std::to_string(Count - MostNames) + " more";
  if (Count)
    Diagnostics(At.getContext())
        .remark(Remark::ReversedOnce, At,
                "reversed once for all calls: " + Names);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Variables that functions share, also such as are marked inactive (what they
/// hold is overwritten all the same), become parameters of \p F, which another
/// function takes the place of.
static Function *passVariables(Function &F,
                               SmallVectorImpl<GlobalVariable *> &Variables) {
  SmallSetVector<GlobalVariable *, 4> Named;
  for (Instruction &I : instructions(F)) {
    SmallVector<Value *, 8> Work(I.operand_values());
    while (!Work.empty()) {
      Value *V = Work.pop_back_val();
      auto *G = dyn_cast<GlobalVariable>(V);
      if (G && !G->isConstant() && !G->isThreadLocal())
        Named.insert(G);
      else if (auto *C = dyn_cast<Constant>(V); C && !isa<GlobalValue>(C))
        append_range(Work, C->operand_values());
    }
  }
  if (Named.empty())
    return &F;
  Variables.assign(Named.begin(), Named.end());
  SmallVector<Constant *, 4> Constants(Named.begin(), Named.end());
  convertUsersOfConstantsToInstructions(Constants, &F);
  SmallVector<Type *, 8> Types(F.getFunctionType()->params());
  for (GlobalVariable *G : Variables)
    Types.push_back(G->getType());
  Function *New =
      Function::Create(FunctionType::get(F.getReturnType(), Types, false),
                       F.getLinkage(), "", F.getParent());
  New->takeName(&F);
  New->copyAttributesFrom(&F);
  New->removeFnAttr(Attribute::Memory); // It did not know these arguments.
  New->splice(New->begin(), &F);
  for (Argument &A : F.args()) {
    Argument *Mine = New->getArg(A.getArgNo());
    A.replaceAllUsesWith(Mine);
    Mine->takeName(&A);
  }
  for (const auto &[K, G] : enumerate(Variables)) {
    Argument *Mine = New->getArg(F.arg_size() + K);
    Mine->setName(G->getName());
    G->replaceUsesWithIf(Mine, [&](Use &U) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      return I && I->getFunction() == New;
    });
  }
  New->setSubprogram(F.getSubprogram());
  F.setSubprogram(nullptr);
  return New;
}

std::unique_ptr<Part> Parts::make(Function &F) {
  ValueToValueMapTy Values;
  Function *Body = CloneFunction(&F, Values);
  Body->setName(F.getName() + ".part");
  Body->setLinkage(GlobalValue::InternalLinkage);
  Body->setComdat(nullptr);
  Body->removeFnAttr(Attribute::OptimizeNone);
  Body->removeFnAttr(Attribute::NoInline);
  Refusals Own(/*HasChoice=*/true);
  Flatten(*Body, Own);
  std::unique_ptr<Part> Made;
  SmallVector<GlobalVariable *, 2> Variables;
  if (!Own) {
    Function *Old = Body;
    Body = passVariables(*Old, Variables);
    if (Body != Old) {
      FAM.clear(*Old, Old->getName());
      Old->eraseFromParent();
    }
    standIn(*Body);
    PartAccesses Its(*Body, &FAM.getResult<TargetLibraryAnalysis>(*Body), Own);
    eraseStandIns(*Body);
    if (!Own)
      Made = std::make_unique<Part>(
          Part{Body, Variables, std::move(Its), /*MayThrow=*/false, {}});
    for (Instruction &I : instructions(*Body))
      if (auto *Call = dyn_cast<CallBase>(&I); Made && Call) {
        if (isPartCall(*Call))
          Made->Callees.insert(&of(*Call));
        Made->MayThrow |=
            isPartCall(*Call) ? of(*Call).MayThrow : !Call->doesNotThrow();
      }
  }
  FAM.clear(*Body, Body->getName());
  if (!Made)
    Body->eraseFromParent();
  return Made;
}

bool Parts::keep(CallBase &Call) {
  Function *F = Call.getCalledFunction();
  auto It = Kept.find(F);
  if (It == Kept.end() || isMarkedInactive(*F) ||
      Call.getFunctionType() != F->getFunctionType())
    return false;
  if (!It->second.WasTried) {
    It->second.WasTried = true;
    std::unique_ptr<Part> Made = make(*F);
    Kept[F].Made = std::move(Made);
  }
  const Part *Made = Kept[F].Made.get();
  if (!Made)
    return false;
  CallBase *Now = &Call;
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (Invoke && Made->MayThrow)
    return false;
  if (Invoke)
    Now = changeToCall(Invoke);
  SmallVector<Value *, 8> Arguments(Now->args());
  append_range(Arguments, Made->Variables);
  CallInst *New = IRBuilder<>(Now).CreateCall(Made->Body, Arguments);
  New->setCallingConv(Made->Body->getCallingConv());
  New->setDebugLoc(Now->getDebugLoc());
  New->addFnAttr(Attribute::get(New->getContext(), PartAttribute));
  Now->replaceAllUsesWith(New);
  Now->eraseFromParent();
  Called[Made->Body] = Made;
  return true;
}

const Part &Parts::of(const CallBase &Call) const {
  return *Called.find(Call.getCalledFunction())->second;
}

void Parts::standIn(Function &F) const {
  SmallVector<CallBase *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && isPartCall(*Call))
      Calls.push_back(Call);
  for (CallBase *Call : Calls)
    of(*Call).Its.standIn(*Call);
}
