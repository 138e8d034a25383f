//===- PartGradients.cpp - the two sweeps of parts ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/parts/PartGradients.h"
#include "LLVMCompat.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "structured/parts/CutInTwo.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

PartGradients::~PartGradients() {
  SmallVector<Function *, 8> Mine = release();
  for (Function *F : Mine)
    F->dropAllReferences();
  for (Function *F : Mine) {
    F->replaceAllUsesWith(PoisonValue::get(F->getType()));
    F->eraseFromParent();
  }
}

SmallVector<Function *, 8> PartGradients::release() {
  SmallVector<Function *, 8> Result;
  for (const Sweeps &S : Noted)
    Result.append({S.Recto, S.Verso});
  Noted.clear();
  return Result;
}

static bool isPointer(const Argument &A) { return A.getType()->isPointerTy(); }
static bool isNumber(const Argument &A) {
  return A.getType()->isFloatingPointTy();
}

/// {r, frame} f.recto(x..., shadows...);  {x'...} f.verso(frame, r')
unsigned PartGradients::sweepsOf(const Part &P,
                                 ArrayRef<PartUses::Role> Roles) {
  auto It = find_if(Noted, [&](const Sweeps &S) {
    return S.Of == &P && ArrayRef(S.Uses.Roles) == Roles;
  });
  if (It != Noted.end())
    return It - Noted.begin();
  Sweeps S{&P, {SmallVector<PartUses::Role, 8>(Roles), {}}, nullptr, nullptr};
  Function &F = *P.Body;
  LLVMContext &C = F.getContext();
  Type *Pointer = PointerType::getUnqual(C), *T = F.getReturnType();
  SmallVector<Type *, 8> Parameters(F.getFunctionType()->params());
  SmallVector<Type *, 8> OfVerso{Pointer}, Adjoints;
  for (Argument &A : F.args()) {
    if (isPointer(A))
      Parameters.push_back(Pointer);
    if (isNumber(A))
      Adjoints.push_back(A.getType());
  }
  if (holdsReal(T))
    OfVerso.push_back(T);
  Type *Result = T->isVoidTy()
                     ? Pointer
                     : StructType::get(C, ArrayRef<Type *>{T, Pointer});
  S.Recto = Function::Create(FunctionType::get(Result, Parameters, false),
                             GlobalValue::InternalLinkage,
                             F.getName() + ".recto", F.getParent());
  S.Verso = Function::Create(
      FunctionType::get(StructType::get(C, Adjoints), OfVerso, false),
      GlobalValue::InternalLinkage, F.getName() + ".verso", F.getParent());
  S.Uses.OverwrittenLater.resize(P.Its.size());
  Noted.push_back(std::move(S));
  return Noted.size() - 1;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Whether all that \p B moves is numbers of one type: the part does not know
/// of others, of which it sees no access.
static bool isOfOneType(const BulkAccess &B) {
  return !B.IsUntyped && !B.IsMarked && B.Pointers.empty() &&
         B.Others.empty() && all_of(B.Numbers, [&](const auto &Field) {
           return Field.T == B.Numbers.front().T;
         });
}

/// Whether there may be pointers where \p P leads.
static bool mayHoldPointers(const Value *P, const Function &F,
                            const Objects &O) {
  BitVector Of(O.size());
  for (const Place &Q : O.placesOf(P)) {
    Of.set(Q.Object);
    if (!O[Q.Object].Contents.empty())
      return true;
  }
  return any_of(instructions(F), [&](const Instruction &I) {
    return isa<LoadInst>(I) && I.getType()->isPointerTy() &&
           any_of(O.placesOf(cast<LoadInst>(I).getPointerOperand()),
                  [&](const Place &Q) { return Of.test(Q.Object); });
  });
}

void PartGradients::Calls::note(Function &F, const VariedMemory &V,
                                Unchanged &Memory, Refusals &Refused) {
  for (auto [G, P] : V.strangers())
    if (auto *I = dyn_cast<Instruction>(P); I && isStandIn(*I))
      return Refused.add(
          "a pointer that a function finds in memory may lead to "
          "the global variable '" +
          G->getName() + "'");
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || !isPartCall(*Call))
      continue;
    StandIns Here(*Call);
    bool IsActive = V.isActive(Call);
    for (const Use &A : Call->args())
      IsActive |= V.isActive(A);
    for (Instruction *Each : Here.All) {
      SmallVector<const Value *, 2> Pointers;
      if (const Value *P = getLoadStorePointerOperand(Each)) {
        Pointers.push_back(P);
        // What is no number ends the adjoints of those that it overwrites.
        IsActive |=
            (isa<StoreInst>(Each) || Each->getType()->isFloatingPointTy()) &&
            V.isShadowed(P);
      } else if (auto *Bulk = dyn_cast<AnyMemIntrinsic>(Each)) {
        Pointers.push_back(Bulk->getRawDest());
        if (auto *Copy = dyn_cast<AnyMemTransferInst>(Each))
          Pointers.push_back(Copy->getRawSource());
        for (const Value *P : Pointers)
          IsActive |= V.isShadowed(P);
        const BulkAccess *B = V.bulk(cast<CallBase>(Each));
        if (IsActive &&
            (!B || !isOfOneType(*B) || any_of(Pointers, [&](const Value *P) {
              return mayHoldPointers(P, F, V.objects());
            })))
          return Refused.add("it is not clear where numbers are in what a "
                             "function copies that is called in several places",
                             Call);
      }
      // Where there is no shadow the part looks for none of what is behind.
      if (auto *Load = dyn_cast<LoadInst>(Each);
          Load && Load->getType()->isPointerTy() && V.isShadowed(Load) &&
          !V.isShadowed(Load->getPointerOperand()))
        return Refused.add("a pointer to numbers that vary is found in memory "
                           "without a shadow",
                           Call);
      for (const Value *P : Pointers)
        if (V.isMarked(P) || (V.isShadowed(P) && V.takesTurns(P)))
          return Refused.add("a function that is called in several places is "
                             "given memory whose bytes are now a number, now "
                             "something else",
                             Call);
    }
    if (!IsActive)
      continue;
    SmallVector<PartUses::Role, 8> Roles;
    for (const Use &A : Call->args()) {
      PartUses::Role Here = PartUses::Constant;
      if (A->getType()->isFloatingPointTy() && V.isActive(A))
        Here = PartUses::Active;
      else if (A->getType()->isPointerTy() && V.isShadowed(A))
        Here =
            V.mayLackShadow(A) ? PartUses::PerhapsShadowed : PartUses::Shadowed;
      Roles.push_back(Here);
    }
    unsigned N = G.sweepsOf(G.All.of(*Call), Roles);
    Active[Call] = N;
    Sweeps &S = G.Noted[N];
    assert(!S.IsMade && "what is made knew nothing of this call");
    for (unsigned K = 0; K != S.Of->Its.size(); ++K) {
      const LoadInst *There = Here.Later.size() > K ? Here.Later[K] : nullptr;
      if (!There || Memory.overwriter(*There))
        S.Uses.OverwrittenLater.set(K);
    }
  }
}

void PartGradients::Calls::reverse(CallBase &Call, IRBuilderBase &B,
                                   ShadowPointers &Shadows, Adjoints &A) {
  auto It = Active.find(&Call);
  if (It == Active.end())
    return;
  const Sweeps &S = G.Noted[It->second];
  const VariedMemory &V = Shadows.memory();
  SmallVector<Value *, 8> Arguments(Call.args());
  for (Value *P : SmallVector<Value *, 8>(Call.args()))
    if (P->getType()->isPointerTy())
      Arguments.push_back(V.isShadowed(P) ? Shadows.get(P) : P);
  // It finds shadows of pointers where it finds these.
  for (Instruction *Each : StandIns(Call).All)
    if (auto *Load = dyn_cast<LoadInst>(Each);
        Load && Load->getType()->isPointerTy() &&
        V.isShadowed(Load->getPointerOperand()))
      Shadows.mirrorFor(*Load);
  IRBuilder<> Recto(&Call);
  CallInst *New = Recto.CreateCall(S.Recto, Arguments);
  New->setDebugLoc(Call.getDebugLoc());
  Value *Frame = New;
  if (!Call.getType()->isVoidTy())
    Frame = Recto.CreateExtractValue(New, 1, "frame");
  Replaced[&Call] = New;
  SmallVector<Value *, 2> OfVerso{Frame};
  if (holdsReal(Call.getType()))
    OfVerso.push_back(A.isActive(&Call)
                          ? A.take(B, &Call)
                          : Constant::getNullValue(Call.getType()));
  CallInst *Results = B.CreateCall(S.Verso, OfVerso);
  unsigned At = 0;
  for (Value *X : Call.args())
    if (X->getType()->isFloatingPointTy()) {
      if (A.isActive(X))
        A.add(B, X, B.CreateExtractValue(Results, At));
      ++At;
    }
}

void PartGradients::Calls::replaceCalls() {
  for (auto &[Call, New] : Replaced) {
    if (!Call->use_empty())
      Call->replaceAllUsesWith(IRBuilder<>(Call).CreateExtractValue(New, 0));
    Call->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

void PartGradients::makeOne(const Sweeps &S, const Request &In,
                            const Maker &Make, Refusals &Refused) {
  Function &F = *S.Of->Body;
  LLVMContext &C = F.getContext();
  Type *T = F.getReturnType();
  // The caller of the request, which is never run: what it gives are its own
  // parameters.
  SmallVector<Type *, 8> Given(S.Recto->getFunctionType()->params());
  if (holdsReal(T))
    Given.push_back(T);
  const Function &Like = *In.Call->getFunction();
  Function *Site = Function::Create(
      FunctionType::get(Type::getVoidTy(C), Given, false),
      GlobalValue::InternalLinkage, F.getName() + ".site", F.getParent());
  compileLike(*Site, Like);
  Site->setUWTableKind(Like.getUWTableKind());
  IRBuilder<> B(BasicBlock::Create(C, "", Site));
  SmallVector<Value *, 8> Own;
  for (Argument &A : drop_end(Site->args(), Given.size() - F.arg_size()))
    Own.push_back(&A);
  Request R = {};
  R.Call = B.CreateCall(&F, Own);
  R.Call->setDebugLoc(In.Call->getDebugLoc());
  B.CreateUnreachable();
  R.Kind = RequestKind::Vjp;
  R.Primal = &F;
  R.Precision = In.Precision;
  // By number, parameters of the function that is made.
  SmallVector<Value *, 8> Parameters, OfVerso;
  auto Pass = [&](Value *InRecto, Value *InVerso) {
    Parameters.push_back(InRecto);
    OfVerso.push_back(InVerso);
  };
  SmallVector<Type *, 4> Results;
  unsigned Shadow = F.arg_size();
  for (const auto &[K, Role] : enumerate(S.Uses.Roles)) {
    RequestArgument A;
    A.Primal = Site->getArg(K);
    Pass(S.Recto->getArg(K), nullptr);
    if (Role == PartUses::Active) {
      A.Activity = ArgumentActivity::Out;
      Results.push_back(F.getArg(K)->getType());
    } else if (Role == PartUses::Shadowed ||
               Role == PartUses::PerhapsShadowed) {
      A.Activity = ArgumentActivity::Dup;
      A.Shadow = Site->getArg(Shadow);
      Pass(S.Recto->getArg(Shadow), nullptr);
    }
    Shadow += isPointer(*F.getArg(K));
    R.Arguments.push_back(A);
  }
  R.ResultType = Results.empty()       ? Type::getVoidTy(C)
                 : Results.size() == 1 ? Results[0]
                                       : StructType::get(C, Results);
  if (holdsReal(T)) {
    R.Cotangent = Site->getArg(Given.size() - 1);
    Pass(nullptr, S.Verso->getArg(1));
  }
  Function *Both = Make(R, *S.Of, S.Uses, Refused);
  if (Both) {
    for (Function *G : {S.Recto, S.Verso})
      G->setAttributes(AttributeList::get(
          C, AttributeList::FunctionIndex,
          AttrBuilder(C, Both->getAttributes().getFnAttrs())));
    cutInTwo(*Both, *S.Recto, *S.Verso, Parameters, OfVerso, Refused);
  }
  Site->eraseFromParent();
  if (!Both || Refused)
    return;
  // Of numbers that are constant in all calls nobody asks for the adjoint.
  for (BasicBlock &Block : *S.Verso) {
    auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
    if (!Return)
      continue;
    B.SetInsertPoint(Return);
    Value *All = Constant::getNullValue(S.Verso->getReturnType());
    unsigned At = 0, From = 0;
    for (const auto &[K, Role] : enumerate(S.Uses.Roles)) {
      if (!isNumber(*F.getArg(K)))
        continue;
      if (Role == PartUses::Active) {
        Value *X = Return->getReturnValue();
        if (Results.size() > 1)
          X = B.CreateExtractValue(X, From++);
        All = B.CreateInsertValue(All, X, At);
      }
      ++At;
    }
    B.CreateRet(All);
    Return->eraseFromParent();
  }
}

void PartGradients::make(const Request &In, const Maker &Make,
                         Refusals &Refused) {
  // Whether a part is still to be made that calls it, or calls who does.
  auto IsCalledLater = [&](const Part *P) {
    SmallSetVector<const Part *, 8> Callers;
    for (const Sweeps &S : Noted)
      if (!S.IsMade && S.Of != P)
        Callers.insert(S.Of);
    for (unsigned K = 0; K != Callers.size(); ++K) {
      if (Callers[K]->Callees.contains(P))
        return true;
      compat::insertRange(Callers, Callers[K]->Callees);
    }
    return false;
  };
  for (bool Changed = true; Changed && !Refused;) {
    Changed = false;
    for (unsigned K = 0; K != Noted.size() && !Refused; ++K) {
      if (Noted[K].IsMade || IsCalledLater(Noted[K].Of))
        continue;
      Sweeps This = Noted[K]; // More are noted meanwhile.
      makeOne(This, In, Make, Refused);
      Noted[K].IsMade = true;
      Changed = true;
    }
  }
}
