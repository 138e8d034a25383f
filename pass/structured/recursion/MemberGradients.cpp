//===- MemberGradients.cpp - reversed members -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/recursion/MemberGradients.h"
#include "LLVMCompat.h"
#include "emit/Runtime.h"
#include "structured/AliasScopes.h"
#include "structured/WidenedHalves.h"
#include "structured/recursion/Members.h"
#include "structured/recursion/OneWalk.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace verso;

using Role = MemberGradients::Role;

MemberGradients::~MemberGradients() {
  SmallVector<Function *, 4> All = release();
  for (Function *F : All)
    F->dropAllReferences();
  for (Function *F : All) {
    FAM.clear(*F, F->getName());
    F->eraseFromParent();
  }
}

SmallVector<Function *, 4> MemberGradients::release() {
  SmallVector<Function *, 4> Result;
  for (auto &[Member, F] : Both)
    Result.push_back(F);
  for (auto &[Member, W] : Waves)
    Result.append({W.Recto, W.Verso});
  Both.clear();
  Waves.clear();
  return Result;
}

//===----------------------------------------------------------------------===//
// What parameters are
//===----------------------------------------------------------------------===//

static Role merged(Role A, Role B) {
  if (A == Role::None || A == B)
    return B;
  bool IsNumber = A == Role::Active || B == Role::Active;
  return IsNumber ? Role::Active : Role::PerhapsShadowed;
}

/// Notes the active calls in F; returns whether anything changed.
bool MemberGradients::note(Function &F, const VariedMemory &V) {
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || !callsMember(*Call) || !V.isActive(Call))
      continue;
    Roles &R = Reached[Call->getCalledFunction()];
    R.resize(Call->arg_size(), Role::None);
    for (const auto &[K, A] : enumerate(Call->args())) {
      Role Here = V.isActive(A) ? Role::Active : Role::Inactive;
      if (A->getType()->isPointerTy() && V.isShadowed(A))
        Here = V.mayLackShadow(A) ? Role::PerhapsShadowed : Role::Shadowed;
      Role New = merged(R[K], Here);
      Changed |= New != R[K];
      R[K] = New;
    }
  }
  return Changed;
}

void MemberGradients::sortArguments(Function &F, const Roles &R,
                                    SmallVectorImpl<Value *> &Dups,
                                    SmallVectorImpl<Value *> &Loaded,
                                    SmallVectorImpl<Value *> &Varied) {
  for (const auto &[K, Each] : enumerate(R))
    if (Each == Role::Active)
      Varied.push_back(F.getArg(K));
    else if (Each == Role::Shadowed)
      Dups.push_back(F.getArg(K));
    else if (Each == Role::PerhapsShadowed)
      Loaded.push_back(F.getArg(K));
}

/// Whether F writes numbers of that type alone, and each by itself, to where
/// Call may read.
static bool areOfType(Function &F, const VariedMemory &V, const CallBase &Call,
                      const Type *T) {
  const Objects &O = V.objects();
  auto MayRead = [&](const Value *P) {
    Places Ps = O.placesOf(P);
    return any_of(Call.args(), [&](const Use &A) {
      return any_of(O.placesOf(A), [&](const Place &Q) {
        return any_of(Ps, [&](const Place &R) {
          return Q.Object == R.Object ||
                 (O[Q.Object].isExternal() && O[R.Object].isExternal());
        });
      });
    });
  };
  for (const auto &[Copy, B] : V.bulks())
    if (B.From && V.isShadowed(B.To) && MayRead(B.To))
      return false;
  for (const Instruction &I : instructions(F))
    if (const Value *P = getLoadStorePointerOperand(&I)) {
      const Type *Here = compat::loadStoreType(I);
      if (Here->isFloatingPointTy() && Here != T && V.isShadowed(P) &&
          MayRead(P))
        return false;
    }
  return true;
}

/// What a call reads has to be there when it is reversed, and has to be memory
/// of which a pointer tells all that the callee has to know.
void MemberGradients::checkMemory(Function &F, const VariedMemory &V,
                                  Unchanged &Memory) {
  const Objects &O = V.objects();
  for (unsigned K = 0; K != O.size(); ++K)
    if (O[K].K == Object::Global)
      return Refused.add("a recursive function may read a global variable");
  SmallPtrSet<Type *, 2> Types;
  for (auto &[Member, R] : Reached)
    for (Instruction &I : instructions(*Member))
      if (isa<LoadInst>(I) && I.getType()->isFloatingPointTy())
        Types.insert(I.getType());
  if (Types.size() > 1)
    return Refused.add("recursive functions read numbers of several types");
  bool StoresOutside = false;
  for (unsigned K = 0; K != O.size(); ++K)
    StoresOutside |= O[K].isExternal() && !O[K].Contents.empty();
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || !callsMember(*Call))
      continue;
    for (const Use &A : Call->args())
      if (A->getType()->isPointerTy())
        Read.push_back(A);
    bool Follows = followsPointers(*Call->getCalledFunction());
    for (const Use &A : Call->args())
      if (A->getType()->isPointerTy())
        for (const Place &P : O.placesOf(A))
          if (O[P.Object].K == Object::Unknown ||
              (Follows && (!O[P.Object].Contents.empty() ||
                           (O[P.Object].isExternal() && StoresOutside))))
            return Refused.add(
                "a recursive function is given a pointer of which "
                "not enough is known",
                &I);
    if (!areOfType(F, V, *Call, Types.empty() ? nullptr : *Types.begin()))
      return Refused.add("it is not clear where the numbers are that a "
                         "recursive function reads",
                         &I);
    if (V.isActive(Call) && Memory.mayChangeWhatItReads(*Call, Follows))
      return Refused.add("memory that a recursive function reads may be "
                         "overwritten later",
                         &I);
  }
}

//===----------------------------------------------------------------------===//
// Both sweeps
//===----------------------------------------------------------------------===//

static bool hasShadow(Role R) {
  return R == Role::Shadowed || R == Role::PerhapsShadowed;
}

/// (arguments..., shadows...)
SmallVector<Type *, 8> MemberGradients::parameters(Function &Member) const {
  SmallVector<Type *, 8> Result(Member.getFunctionType()->params());
  for (const auto &[K, Each] : enumerate(Reached.find(&Member)->second))
    if (hasShadow(Each))
      Result.push_back(Member.getArg(K)->getType());
  return Result;
}

SmallVector<Value *, 8>
MemberGradients::arguments(CallBase &Call, ShadowPointers &Shadows) const {
  SmallVector<Value *, 8> Result(Call.args());
  for (const auto &[K, Each] :
       enumerate(Reached.find(Call.getCalledFunction())->second))
    if (hasShadow(Each))
      Result.push_back(Shadows.get(Call.getArgOperand(K)));
  return Result;
}

/// {r, x'...} (arguments..., shadows..., r')
void MemberGradients::declare(Function &Member) {
  SmallVector<Type *, 8> Parameters = parameters(Member);
  Parameters.push_back(Member.getReturnType());
  SmallVector<Type *, 4> Results{Member.getReturnType()};
  for (const auto &[K, Each] : enumerate(Reached.find(&Member)->second))
    if (Each == Role::Active)
      Results.push_back(adjointType(Member.getArg(K)->getType()));
  Both[&Member] = Function::Create(
      FunctionType::get(StructType::get(Member.getContext(), Results),
                        Parameters, false),
      GlobalValue::InternalLinkage, Member.getName() + ".both",
      Member.getParent());
}

/// F gets the body of a member; returns the shadows of its parameters.
DenseMap<Value *, Value *> MemberGradients::cloneInto(Function &F,
                                                      Function &Member) const {
  ValueToValueMapTy Values;
  for (Argument &A : Member.args()) {
    Values[&A] = F.getArg(A.getArgNo());
    F.getArg(A.getArgNo())->setName(A.getName());
  }
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(&F, &Member, Values,
                    CloneFunctionChangeType::LocalChangesOnly, Returns);
  AttrBuilder Attributes(F.getContext(), Member.getAttributes().getFnAttrs());
  F.setAttributes(AttributeList::get(F.getContext(),
                                     AttributeList::FunctionIndex, Attributes));
  F.removeFnAttr("verso-member");
  F.removeFnAttr(Attribute::Memory);
  F.setCallingConv(CallingConv::C);
  markGenerated(F);
  DenseMap<Value *, Value *> ShadowOf;
  unsigned Next = Member.arg_size();
  for (const auto &[K, Each] : enumerate(Reached.find(&Member)->second))
    if (hasShadow(Each)) {
      ShadowOf[F.getArg(K)] = F.getArg(Next++);
      ShadowOf[F.getArg(K)]->setName(F.getArg(K)->getName() + ".shadow");
    }
  return ShadowOf;
}

void MemberGradients::walkOnce(Function &Member, Refusals &Refused) {
  Function &F = *Both[&Member];
  const Roles &R = Reached[&Member];
  DenseMap<Value *, Value *> ShadowOf = cloneInto(F, Member);
  OneWalk::prepare(F);
  SmallVector<Value *, 8> Dups, Loaded, VariedArguments;
  sortArguments(F, R, Dups, Loaded, VariedArguments);
  Value *Seed = F.getArg(F.arg_size() - 1);
  Seed->setName("seed");
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  Objects O(F, Dups, TLI, Loaded);
  VariedMemory V(F, O, VariedArguments, /*ReturnIsSeeded=*/true,
                 /*MayMap=*/false, /*IsWatched=*/false, FAM, Refused);
  refuseSumsOfHalves(F, V, /*LI=*/nullptr, Refused);
  if (Refused)
    return;
  Slots S(F);
  // Members have no memory of their own.
  auto Allocate = [&](IRBuilderBase &, Value *) -> Value * {
    llvm_unreachable("a member allocates memory");
  };
  SmallVector<Instruction *, 32> Program;
  for (Instruction &I : instructions(F))
    if (isa<LoadInst>(I))
      Program.push_back(&I);
  ShadowPointers Shadows(F, V, ShadowOf, Allocate, /*Mapped=*/nullptr, TLI, S,
                         Refused);
  Adjoints A(V, Shadows, S, Refused);
  A.setInner(IsInner);
  OneWalk Walk(F, V, Shadows, A, *this, Seed, Refused);
  Walk.emit();
  if (Refused)
    return;
  for (BasicBlock &Block : F) {
    auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
    if (!Return)
      continue;
    IRBuilder<> B(Return);
    Value *All = B.CreateInsertValue(PoisonValue::get(F.getReturnType()),
                                     Return->getReturnValue(), 0);
    unsigned At = 1;
    for (const auto &[K, Each] : enumerate(R))
      if (Each == Role::Active) {
        Argument *X = F.getArg(K);
        All = B.CreateInsertValue(
            All,
            V.isActive(X) ? A.takeSum(B, X)
                          : Constant::getNullValue(adjointType(X->getType())),
            At++);
      }
    B.CreateRet(All);
    Return->eraseFromParent();
  }
  IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  A.start(Entry, nullptr, nullptr);
  AliasScopes Scopes(F.getContext(), O);
  for (const Adjoints::Access &Access : A.accesses())
    Scopes.mark(*Access.I, AliasScopes::Adjoint);
  for (Instruction *I : Program)
    Scopes.mark(*I, AliasScopes::Program);
  Walk.replaceCalls();
  S.promote();
  stripDebugInfo(F);
}

void MemberGradients::keepRecords(Function &Member) {
  Module &M = *Member.getParent();
  Type *Pointer = PointerType::getUnqual(M.getContext());
  SmallVector<Type *, 8> Parameters = parameters(Member);
  Parameters.push_back(Pointer);
  Wave &W = Waves[&Member];
  W.IsInner = IsInner;
  W.Recto = Function::Create(
      FunctionType::get(Member.getReturnType(), Parameters, false),
      GlobalValue::InternalLinkage, Member.getName() + ".recto", &M);
  W.Verso = Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()),
                                               {Pointer, Pointer}, false),
                             GlobalValue::InternalLinkage,
                             Member.getName() + ".verso", &M);
  DenseMap<Value *, Value *> ShadowOf = cloneInto(*W.Recto, Member);
  W.Verso->setAttributes(W.Recto->getAttributes());
  Function &F = *W.Recto;
  SmallVector<Value *, 8> Dups, Loaded, VariedArguments;
  sortArguments(F, Reached[&Member], Dups, Loaded, VariedArguments);
  Objects O(F, Dups, &FAM.getResult<TargetLibraryAnalysis>(F), Loaded);
  VariedMemory V(F, O, VariedArguments, /*ReturnIsSeeded=*/true,
                 /*MayMap=*/false, /*IsWatched=*/false, FAM, Refused);
  refuseSumsOfHalves(F, V, /*LI=*/nullptr, Refused);
  if (!Refused)
    makeWave(W, O, V, ShadowOf, FAM, Refused);
  if (Refused)
    return;
  FAM.clear(F, F.getName());
  for (Function *G : {W.Recto, W.Verso})
    stripDebugInfo(*G);
}

void MemberGradients::build(Function &F, const VariedMemory &V,
                            Unchanged &Memory) {
  note(F, V);
  for (bool Changed = true; Changed && !Refused;) {
    Changed = false;
    for (unsigned K = 0; K != Reached.size() && !Refused; ++K) {
      Function &Member = *(Reached.begin() + K)->first;
      SmallVector<Value *, 8> Dups, Loaded, VariedArguments;
      sortArguments(Member, (Reached.begin() + K)->second, Dups, Loaded,
                    VariedArguments);
      Objects O(Member, Dups, &FAM.getResult<TargetLibraryAnalysis>(Member),
                Loaded);
      VariedMemory Inner(Member, O, VariedArguments, /*ReturnIsSeeded=*/true,
                         /*MayMap=*/false, /*IsWatched=*/false, FAM, Refused);
      Changed |= note(Member, Inner);
    }
  }
  if (!Refused)
    checkMemory(F, V, Memory);
  if (Refused)
    return;
  for (auto &[Member, R] : Reached)
    declare(*Member);
  for (auto &[Member, R] : Reached) {
    Refusals Own(/*HasChoice=*/true);
    walkOnce(*Member, Own);
    if (!Own)
      continue;
    if (is_contained(R, Role::Active) || !mayBeWave(*Member))
      return Refused.add(Own.first().Why);
    FAM.clear(*Both[Member], Both[Member]->getName());
    Both[Member]->deleteBody();
    keepRecords(*Member);
    if (Refused)
      return;
  }
  for (auto &[Member, W] : Waves) {
    Function *None = Both[Member];
    if (!None->use_empty())
      return Refused.add("a recursive function calls one that keeps records");
    None->eraseFromParent();
    Both.erase(Member);
  }
}

/// One walk:  {r, x'...} = f.both(x..., shadows..., r')
/// Records:   recto: start = room for records;  cursor = {start, end, start}
///                   r = f.recto(x..., shadows..., cursor)
///            verso: start->seed = r';  f.verso(start, cursor.next)
void MemberGradients::reverse(CallBase &Call, IRBuilderBase &B,
                              ShadowPointers &Shadows, Adjoints &A) {
  Value *Seed = A.take(B, &Call);
  auto It = Waves.find(Call.getCalledFunction());
  if (It == Waves.end())
    return addResults(B, Call, emitCall(B, Call, Shadows, Seed), A);
  constexpr uint64_t FirstRoom = 1 << 12;
  SmallVector<Value *, 8> Arguments = arguments(Call, Shadows);
  if (!Cursor) {
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    Cursor =
        IRBuilder<>(&Entry, Entry.begin())
            .CreateAlloca(ArrayType::get(B.getPtrTy(), 3), nullptr, "cursor");
  }
  IRBuilder<> Recto(&Call);
  auto Field = [&](unsigned K) {
    return Recto.CreateConstInBoundsGEP1_64(B.getPtrTy(), Cursor, K);
  };
  Value *Start = callRuntime(Recto, RuntimeFunction::ArenaTake,
                             {Recto.getInt64(FirstRoom)});
  // The cursor is no place where the program keeps a value.
  auto Set = [&](unsigned K, Value *X) {
    Shadows.markOurs(Recto.CreateStore(X, Field(K)));
  };
  Set(0, Start);
  Set(1, Recto.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Start, FirstRoom));
  Set(2, Start);
  Arguments.push_back(Cursor);
  Replaced[&Call] = Recto.CreateCall(It->second.Recto, Arguments);
  LoadInst *Next = Recto.CreateLoad(B.getPtrTy(), Field(0));
  LoadInst *End = Recto.CreateLoad(B.getPtrTy(), Field(1));
  Shadows.markOurs(Next);
  Shadows.markOurs(End);
  // What is left goes back.
  callRuntime(Recto, RuntimeFunction::ArenaExtend,
              {Start, Recto.CreatePtrDiff(B.getInt8Ty(), End, Start),
               Recto.CreatePtrDiff(B.getInt8Ty(), Next, Start)});
  B.CreateStore(Seed, Start);
  B.CreateCall(It->second.Verso, {Start, Next});
}

void MemberGradients::replaceCalls() {
  for (auto &[Call, New] : Replaced) {
    Call->replaceAllUsesWith(New);
    Call->eraseFromParent();
  }
}

CallInst *MemberGradients::emitCall(IRBuilderBase &B, CallBase &Call,
                                    ShadowPointers &Shadows,
                                    Value *Seed) const {
  auto It = Both.find(Call.getCalledFunction());
  if (It == Both.end())
    return nullptr;
  SmallVector<Value *, 8> Arguments = arguments(Call, Shadows);
  Arguments.push_back(Seed);
  return B.CreateCall(It->second, Arguments);
}

void MemberGradients::addResults(IRBuilderBase &B, CallBase &Call,
                                 CallInst *Results, Adjoints &A) const {
  unsigned At = 1;
  for (const auto &[K, Each] :
       enumerate(Reached.find(Call.getCalledFunction())->second))
    if (Each == Role::Active) {
      Value *X = Call.getArgOperand(K);
      if (A.isActive(X))
        A.add(B, X, B.CreateExtractValue(Results, At));
      ++At;
    }
}
