//===- TwinTable.cpp - the twins that calls through pointers find ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call through a pointer asks the runtime for the twin of what it leads to.
// The module registers those of its functions that one of its calls may reach,
// by their type, and callbacks of other files; if it is told to, all. A
// function that is called as another type than its own is a run-time error.
//
//===----------------------------------------------------------------------===//

#include "analysis/CallModel.h"
#include "emit/Runtime.h"
#include "prepare/OpenMP.h"
#include "prepare/Prepare.h"
#include "rules/KnownCalls.h"
#include "twins/LibraryVirtuals.h"
#include "twins/Twins.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace verso;

/// A function around one without a body whose address is taken; null if it has
/// no rule: another file may have the body, and its twin.
static Function *wrapDeclaration(Function &F, const TargetLibraryInfo &TLI) {
  Function *W =
      Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                       F.getName() + ".wrapper", F.getParent());
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "", W));
  SmallVector<Value *, 4> Arguments;
  for (Argument &A : W->args())
    Arguments.push_back(&A);
  CallInst *Call = B.CreateCall(&F, Arguments);
  if (modelCall(*Call, &TLI).K == CallModel::Unsupported && !hasBodyOfOurs(F)) {
    W->eraseFromParent();
    return nullptr;
  }
  if (F.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  return W;
}

/// Whether \p F resumes and destroys libstdc++'s std::noop_coroutine(). It has
/// no parameter, but is called with the frame as every function of a frame is.
static bool isNoopCoroutine(const Function &F) {
  return F.arg_empty() && F.getReturnType()->isVoidTy() &&
         F.getName().contains("noop_coroutine_promise") &&
         F.getName().ends_with("__dummy_resume_destroyEv");
}

/// The type by which \p F is called through pointers.
static FunctionType *typeOfCalls(const Function &F) {
  LLVMContext &C = F.getContext();
  return isNoopCoroutine(F)
             ? FunctionType::get(Type::getVoidTy(C), PointerType::getUnqual(C),
                                 /*isVarArg=*/false)
             : F.getFunctionType();
}

/// A function of that type that does nothing.
static Function *makeNoop(const Function &F, Module &M) {
  Function *W = Function::Create(typeOfCalls(F), GlobalValue::InternalLinkage,
                                 F.getName() + ".wrapper", M);
  IRBuilder<>(BasicBlock::Create(F.getContext(), "", W)).CreateRetVoid();
  return W;
}

/// Whether \p U leads to nothing but the module's lists of constructors and the
/// like.
static bool isBookkeeping(const User *U) {
  if (auto *G = dyn_cast<GlobalVariable>(U))
    return G->getName().starts_with("llvm.");
  return isa<Constant>(U) && !isa<GlobalValue>(U) &&
         all_of(U->users(), isBookkeeping);
}

/// Whether somebody may call \p F through a pointer. What OpenMP is given is
/// called by name in differentiated code.
static bool escapes(const Function &F) {
  return any_of(F.uses(), [](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return !(Call && Call->isCallee(&U)) && !isGivenToTeam(U) &&
           !isBookkeeping(U.getUser());
  });
}

/// Whether \p F is given to a function of another file, that of a library
/// excepted: a callback.
static bool isHandedOut(const Function &F) {
  return any_of(F.uses(), [](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    const Function *To = Call ? Call->getCalledFunction() : nullptr;
    return To && To->isDeclaration() && !To->isIntrinsic() &&
           Call->isArgOperand(&U) && !isRuntimeFunction(*To) &&
           !isGivenToTeam(U) && !classifyCall(*To);
  });
}

/// Whether \p F runs requests of its own, directly or through functions of this
/// module.
static bool makesRequests(const Function &F) {
  SmallPtrSet<const Function *, 16> Seen{&F};
  SmallVector<const Function *, 16> Work{&F};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val()))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (const Function *Callee = Call->getCalledFunction();
            Callee && Seen.insert(Callee).second) {
          if (isGenerated(*Callee))
            return true;
          Work.push_back(Callee);
        }
  return false;
}

/// Whether \p Address, which this function has as an argument or by its name,
/// may come to differentiated code: it is stored, returned or chosen, or
/// differentiated code or another file has it.
static bool mayBeDifferentiated(const Value &Address,
                                SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(&Address).second)
    return false;
  return any_of(Address.uses(), [&](const Use &U) {
    if (isBookkeeping(U.getUser()))
      return false;
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I || isGenerated(*I->getFunction()) ||
        I->getFunction()->getName().ends_with(".prepared"))
      return true;
    if (auto *Store = dyn_cast<StoreInst>(I)) { // As without optimisation.
      auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand());
      return !Variable || any_of(Variable->users(), [&](const User *Other) {
        if (isa<StoreInst>(Other))
          return Other->getOperand(1) != Variable;
        auto *Load = dyn_cast<LoadInst>(Other);
        return !Load || mayBeDifferentiated(*Load, Seen);
      });
    }
    auto *Call = dyn_cast<CallBase>(I);
    if (!Call)
      return !isa<ICmpInst>(I);
    if (Call->isCallee(&U))
      return false;
    const Function *To = Call->getCalledFunction();
    if (!To || !Call->isArgOperand(&U) ||
        Call->getArgOperandNo(&U) >= To->arg_size())
      return true;
    return To->isDeclaration() ||
           mayBeDifferentiated(*To->getArg(Call->getArgOperandNo(&U)), Seen);
  });
}

/// A gradient that is handed to an optimiser is called through a pointer, but
/// not by what it is the gradient of: a twin of it would be one of all twins.
static bool isForOptimiser(const Function &F) {
  SmallPtrSet<const Value *, 8> Seen;
  return makesRequests(F) && !mayBeDifferentiated(F, Seen);
}

void Twins::fillTable(TwinMode Mode,
                      function_ref<bool(const Function &)> IsWanted) {
  SmallVector<Function *, 32> Candidates;
  // The address of a weak function may be that of another definition.
  for (Function &F : M)
    if (!F.isIntrinsic() && !F.isVarArg() && !isRuntimeFunction(F) &&
        (F.isDeclaration() ? !isMarkedInactive(F) : !F.isInterposable()) &&
        !Table.count({&F, Mode.Width}) && !Dead.contains(&F) && IsWanted(F) &&
        !F.getName().ends_with(".prepared") && !isReverseOfKernel(F))
      Candidates.push_back(&F);
  for (Function *F : Candidates) {
    Function *Body = F;
    if (F->isDeclaration())
      Body = wrapDeclaration(*F, FAM.getResult<TargetLibraryAnalysis>(*F));
    else if (isNoopCoroutine(*F))
      Body = makeNoop(*F, M);
    if (!Body)
      continue;
    Mode.IsSilent = isMarkedInactive(*F);
    Table[{F, Mode.Width}] = get(*Body, allVaried(typeOfCalls(*F)), Mode);
  }
  build();
}

void Twins::fillTableForCalls() {
  // What the twins in the table call through pointers is looked up in turn.
  for (size_t Size = 0;; Size = Table.size()) {
    std::set<unsigned> Widths;
    for (uint32_t Kind : LookedUp)
      Widths.insert(VERSO_TWIN_WIDTH(Kind));
    for (unsigned Width : Widths) {
      TwinMode Mode = {
          .Width = Width, .PointersTracked = true, .Deferred = true};
      auto IsCalled = [&](FunctionType *T) {
        return LookedUp.count(kindOf(T, Mode)) != 0;
      };
      SmallPtrSet<const Function *, 32> OfLibrary;
      declareLibraryVirtuals(M, IsCalled, OfLibrary);
      fillTable(Mode, [&](const Function &F) {
        return IsCalled(typeOfCalls(F)) &&
               (OfLibrary.contains(&F) || (escapes(F) && !isForOptimiser(F)));
      });
    }
    if (Table.size() == Size)
      return;
  }
}

/// What an inner request calls through a pointer is a twin. Inside an outer one
/// its own twin is called. What makes requests itself has none: each of its
/// twins would ask for one of the next, without an end.
void Twins::addTwinsOfTwins() {
  SmallVector<Function *, 32> Originals;
  for (auto &Entry : Table)
    if (!is_contained(Originals, Entry.first.first) &&
        !makesRequests(*Entry.first.first))
      Originals.push_back(Entry.first.first);
  for (std::set<std::vector<unsigned>> Done; Done != Chains;) {
    Done = Chains;
    for (ArrayRef<unsigned> Chain : Done)
      for (Function *F : Originals) {
        Function *Inner = Table.lookup({F, Chain.front()});
        for (unsigned Outer : Chain.drop_front()) {
          if (!Inner)
            break;
          build(); // A twin is made of a body.
          Function *OfTwin = Table.lookup({Inner, Outer});
          if (!OfTwin)
            OfTwin = get(
                *Inner, allVaried(Inner->getFunctionType()),
                {.Width = Outer, .PointersTracked = true, .Deferred = true});
          Table[{Inner, Outer}] = OfTwin;
          Inner = OfTwin;
          build(); // The next twin is a clone of this one.
        }
      }
  }
}

/// verso.twins: (function, twin, kind as a pointer) for each.
void Twins::emitTables() {
  if (Table.empty())
    return;
  LLVMContext &C = M.getContext();
  Type *Ptr = PointerType::getUnqual(C);
  SmallVector<Constant *, 32> Entries;
  for (auto &[Key, Twin] : Table) {
    Entries.push_back(Key.first);
    Entries.push_back(Twin);
    uint32_t Kind = kindOf(typeOfCalls(*Key.first), {.Width = Key.second});
    Entries.push_back(ConstantExpr::getIntToPtr(
        ConstantInt::get(Type::getInt64Ty(C), Kind), Ptr));
  }
  ArrayType *T = ArrayType::get(Ptr, Entries.size());
  auto *Array =
      new GlobalVariable(M, T, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                         ConstantArray::get(T, Entries), "verso.twins");
  Function *Register = Function::Create(
      FunctionType::get(Type::getVoidTy(C), false),
      GlobalValue::InternalLinkage, "verso.register_twins", &M);
  IRBuilder<> B(BasicBlock::Create(C, "", Register));
  callRuntime(B, RuntimeFunction::RegisterTwins,
              {Array, B.getInt64(Table.size())});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Register, /*Priority=*/0);
}

void Twins::finish(bool ForOtherFiles) {
  auto IsForOthers = [&](const Function &F) {
    if (!ForOtherFiles)
      return isHandedOut(F);
    return escapes(F) || (!F.isDeclaration() && F.hasExternalLinkage());
  };
  // Our functions will hardly be around a request of another file.
  for (unsigned Width : {0, 1})
    fillTable(
        {.Width = Width, .PointersTracked = true, .Deferred = true},
        [&](const Function &F) { return IsForOthers(F) && !makesRequests(F); });
  // Only now is every request lowered, in whatever functions they stand.
  fillTableForCalls();
  addTwinsOfTwins();
  emitTables();
  if (holdsHalves() && !Built.empty())
    registerHalves(M, HalfKinds);
  if (holdsPacked() && !Built.empty())
    registerPacked(M);
  for (auto &[Original, P] : Prepared) {
    (void)Original;
    FAM.clear(*P, P->getName());
    P->eraseFromParent();
  }
  Prepared.clear();
}
