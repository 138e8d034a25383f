//===- PartAccesses.cpp - what a part reads and writes -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/parts/PartAccesses.h"
#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "structured/memory/Objects.h"
#include "structured/parts/Parts.h"
#include "structured/recursion/Recursion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral Mark = "verso.stand.in";
static constexpr StringLiteral EffectName = "verso.effect.";
static constexpr StringLiteral AnyName = "verso.any.";
/// The bundle of a call that says what stands for its result.
static constexpr StringLiteral EffectBundle = "verso.effect";

//===----------------------------------------------------------------------===//
// What a part accesses
//===----------------------------------------------------------------------===//

class PartAccesses::Finder {
public:
  Finder(Function &F, const Objects &O, const TargetLibraryInfo *TLI,
         PartAccesses &Found, Refusals &Refused)
      : F(F), O(O), TLI(TLI), Found(Found), Refused(Refused) {}

  void find() {
    for (Instruction &I : instructions(F))
      if (!Refused)
        visit(I);
  }

private:
  void visit(Instruction &I);
  void visitCall(CallBase &Call);
  void visitBulk(AnyMemIntrinsic &Bulk);
  SmallVector<Spot, 2> spotsOf(const Value *P, const Instruction &At,
                               bool IsWritten);
  unsigned baseOf(unsigned Object, const Instruction &At);
  unsigned accessOf(const Spot &Where, const Instruction &I);
  void refuse(const Twine &Why, const Instruction &At) {
    Refused.add(Why, &At);
  }

  Function &F;
  const Objects &O;
  const TargetLibraryInfo *TLI;
  PartAccesses &Found;
  Refusals &Refused;
  DenseMap<unsigned, unsigned> BaseOf;
  DenseSet<unsigned> Open; ///< Objects whose bases are being looked for.
};

/// Whether nothing comes of \p Bits but conditions and places in memory.
static bool leadsToNoNumber(const Instruction &Bits) {
  SmallPtrSet<const Instruction *, 8> Seen{&Bits};
  SmallVector<const Instruction *, 8> Work{&Bits};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<ICmpInst, SwitchInst, GetElementPtrInst>(U))
        continue;
      if (!isa<BinaryOperator, TruncInst, ZExtInst, SExtInst, PHINode,
               SelectInst, FreezeInst, MinMaxIntrinsic>(U))
        return false;
      if (Seen.insert(cast<Instruction>(U)).second)
        Work.push_back(cast<Instruction>(U));
    }
  return true;
}

/// Whether \p I moves bits that may be a number's as an integer.
static bool mayMoveNumber(const Instruction &I) {
  Type *T = compat::loadStoreType(I);
  if (!T->isIntegerTy() || isIntegerForCertain(I))
    return false;
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store)
    return !leadsToNoNumber(I);
  const Value *V = Store->getValueOperand();
  auto *Cast = dyn_cast<ZExtInst>(V);
  return !isa<ConstantInt>(V) && !(Cast && Cast->getSrcTy()->isIntegerTy(1));
}

unsigned PartAccesses::Finder::accessOf(const Spot &Where,
                                        const Instruction &I) {
  Type *T = compat::loadStoreType(I);
  MDNode *Type = I.getMetadata(LLVMContext::MD_tbaa);
  auto It = find_if(Found.Accesses, [&](const Access &A) {
    return A.Where == Where && A.T == T && A.Type == Type;
  });
  if (It == Found.Accesses.end()) {
    Found.Accesses.push_back({Where, T, Type});
    It = std::prev(Found.Accesses.end());
  }
  (isa<LoadInst>(I) ? It->IsRead : It->IsWritten) = true;
  return It - Found.Accesses.begin();
}

/// What pointers into \p Object start from.
unsigned PartAccesses::Finder::baseOf(unsigned Object, const Instruction &At) {
  if (auto It = BaseOf.find(Object); It != BaseOf.end())
    return It->second;
  Base New;
  const verso::Object &Of = O[Object];
  if (Of.K == Object::Dup) {
    New.Argument = cast<Argument>(Of.Base)->getArgNo();
  } else {
    auto *Load = cast<LoadInst>(Of.Base);
    if (!Open.insert(Object).second) {
      refuse("a chain of pointers of any length is followed", At);
      return 0;
    }
    for (const Spot &Where :
         spotsOf(Load->getPointerOperand(), *Load, /*IsWritten=*/false))
      New.Loaded.push_back(accessOf(Where, *Load));
    Open.erase(Object);
    if (New.Loaded.empty() && !Refused)
      refuse("a pointer is read of which not enough is known", *Load);
  }
  Found.Bases.push_back(std::move(New));
  return BaseOf[Object] = Found.Bases.size() - 1;
}

/// Where \p P leads to in memory of the caller; none in the function's own, and
/// in constants.
SmallVector<PartAccesses::Spot, 2>
PartAccesses::Finder::spotsOf(const Value *P, const Instruction &At,
                              bool IsWritten) {
  SmallVector<Spot, 2> Spots;
  Places Ps = O.placesOf(P);
  if (Ps.empty() && !O.leadsNowhere(P))
    refuse("a pointer of which not enough is known", At);
  for (const Place &Q : Ps) {
    const verso::Object &Of = O[Q.Object];
    if (Of.isLocal() || (Of.K == Object::Table && !IsWritten) || Refused)
      continue;
    if (Of.K != Object::Dup &&
        !(Of.K == Object::Loaded && isa_and_nonnull<LoadInst>(Of.Base))) {
      refuse(Of.K == Object::Global ? "a variable that functions share"
                                    : "a pointer of which not enough is known",
             At);
      continue;
    }
    Spot Where{baseOf(Q.Object, At), Q.At};
    if (!is_contained(Spots, Where))
      Spots.push_back(Where);
  }
  return Spots;
}

void PartAccesses::Finder::visitBulk(AnyMemIntrinsic &I) {
  if (I.isVolatile())
    return refuse("a volatile access", I);
  auto To = spotsOf(I.getRawDest(), I, /*IsWritten=*/true);
  auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
  bool StaysInside = To.empty();
  SmallVector<Spot, 2> From;
  if (Copy) {
    From = spotsOf(Copy->getRawSource(), I, /*IsWritten=*/false);
    if (From.empty() != To.empty())
      return refuse("a copy between memory of its own and others'", I);
    StaysInside &= From.empty();
  }
  if (StaysInside || Refused)
    return;
  auto *Value =
      Copy ? nullptr : dyn_cast<Constant>(cast<AnyMemSetInst>(I).getValue());
  for (const Spot &T : To) {
    auto Add = [&](std::optional<Spot> S) {
      Bulk New{I.getIntrinsicID(), T, S, Value};
      if (!is_contained(Found.Bulks, New))
        Found.Bulks.push_back(New);
    };
    if (!Copy)
      Add(std::nullopt);
    for (const Spot &S : From)
      Add(S);
  }
}

void PartAccesses::Finder::visitCall(CallBase &Call) {
  if (isPartCall(Call) || isFrame(Call) ||
      calls(Call, RuntimeFunction::ArenaTake))
    return;
  if (auto *Bulk = dyn_cast<AnyMemIntrinsic>(&Call))
    return visitBulk(*Bulk);
  if (Call.doesNotReturn()) // It throws, or ends the program.
    return;
  CallModel M = modelCall(Call, TLI);
  bool MayWrite =
      Call.mayWriteToMemory() && any_of(Call.args(), [](const Use &A) {
        return A->getType()->isPointerTy();
      });
  switch (M.K) {
  case CallModel::Operation:
    if (MayWrite)
      refuse("a function that writes through a pointer", Call);
    return;
  case CallModel::Inactive:
    if (!isa<IntrinsicInst>(Call) && !Call.doesNotAccessMemory())
      refuse("a function of the library", Call);
    return;
  case CallModel::Library:
    if (M.Known->K == KnownCall::Allocate ||
        M.Known->K == KnownCall::AllocateZeroed)
      return;
    // Its own memory, whatever it is: others' would have a spot.
    if (M.Known->K == KnownCall::Free &&
        spotsOf(Call.getArgOperand(M.Known->Source), Call, true).empty())
      return;
    [[fallthrough]];
  default:
    refuse("a function of the library", Call);
  }
}

void PartAccesses::Finder::visit(Instruction &I) {
  if (isStandIn(I) && isa<CallBase>(I) && !isa<AnyMemIntrinsic>(I))
    return;
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    auto Spots = spotsOf(Store->getPointerOperand(), I, /*IsWritten=*/true);
    const Value *V = Store->getValueOperand();
    if (!Spots.empty() &&
        (V->getType()->isPointerTy() || !O.placesOf(V).empty()))
      return refuse("a pointer is stored in memory of others", I);
    if (!Store->isSimple())
      return refuse("a volatile or atomic access", I);
    if (!Spots.empty() && mayMoveNumber(I))
      return refuse("an integer that may be a number's bits", I);
    for (const Spot &Where : Spots)
      accessOf(Where, I);
  } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (!Load->isSimple())
      return refuse("a volatile or atomic access", I);
    auto Spots = spotsOf(Load->getPointerOperand(), I, /*IsWritten=*/false);
    if (!Spots.empty() && mayMoveNumber(I))
      return refuse("an integer that may be a number's bits", I);
    for (const Spot &Where : Spots)
      accessOf(Where, I);
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    if (isa<InvokeInst>(I))
      return refuse("a call that may throw", I);
    visitCall(*Call);
  } else if (isa<BitCastInst>(I)) {
    bool ToInteger = I.getType()->isIntOrIntVectorTy();
    if (ToInteger != I.getOperand(0)->getType()->isIntOrIntVectorTy() &&
        !(ToInteger && leadsToNoNumber(I)))
      refuse("an integer that may be a number's bits", I);
  } else if (auto *Return = dyn_cast<ReturnInst>(&I)) {
    const Value *V = Return->getReturnValue();
    if (V && !O.placesOf(V).empty())
      refuse("a pointer is returned", I);
  } else if (isa<ResumeInst, LandingPadInst, AtomicRMWInst, AtomicCmpXchgInst,
                 FenceInst, VAArgInst>(I)) {
    refuse("exceptions, atomic operations or variable arguments", I);
  }
}

PartAccesses::PartAccesses(Function &F, const TargetLibraryInfo *TLI,
                           Refusals &Refused) {
  SmallVector<Value *, 8> Pointers;
  for (Argument &A : F.args())
    if (A.getType()->isPointerTy())
      Pointers.push_back(&A);
  Objects O(F, Pointers, TLI);
  if (!O.isComplete())
    Refused.add("too many pointers are stored in memory");
  else
    Finder(F, O, TLI, *this, Refused).find();
}

//===----------------------------------------------------------------------===//
// Stand-ins
//===----------------------------------------------------------------------===//

bool verso::isStandIn(const Instruction &I) { return I.hasMetadata(Mark); }

bool verso::isEffect(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->getName().starts_with(EffectName);
}

const Value *verso::effectOf(const CallBase &Call) {
  std::optional<OperandBundleUse> Bundle = Call.getOperandBundle(EffectBundle);
  return Bundle ? Bundle->Inputs[0].get() : nullptr;
}

static std::string nameOf(StringRef Prefix, const Type *T) {
  std::string Name = Prefix.str();
  raw_string_ostream(Name) << *T;
  return Name;
}

class PartAccesses::Emitter {
public:
  Emitter(const PartAccesses &What, ArrayRef<Value *> Arguments,
          Instruction &At)
      : What(What), Arguments(Arguments), B(&At), M(*At.getModule()),
        Loads(What.Accesses.size()), BaseAt(What.Bases.size()) {}

  template <typename InstT> InstT *mark(InstT *I, int Number = -1) {
    SmallVector<Metadata *, 1> Content;
    if (Number >= 0)
      Content.push_back(ConstantAsMetadata::get(B.getInt32(Number)));
    I->setMetadata(Mark, MDNode::get(B.getContext(), Content));
    return I;
  }
  Value *mark(Value *V) {
    if (auto *I = dyn_cast<Instruction>(V))
      mark(I);
    return V;
  }
  /// What nobody knows.
  Value *any(Type *T) { return call(nameOf(AnyName, T), T, {}); }
  /// What is computed from all of \p Of.
  Value *effect(Type *T, ArrayRef<Value *> Of) {
    return call(nameOf(EffectName, T), T, Of);
  }
  Value *address(const Spot &Where) {
    Value *P = base(Where.Base);
    if (Where.At.Step)
      P = mark(B.CreateGEP(ArrayType::get(B.getInt8Ty(), Where.At.Step), P,
                           any(B.getInt64Ty())));
    if (Where.At.Offset)
      P = mark(B.CreateGEP(B.getInt8Ty(), P, B.getInt64(Where.At.Offset)));
    return P;
  }
  LoadInst *load(unsigned K) {
    if (!Loads[K])
      Loads[K] = loadAgain(K, -1);
    return Loads[K];
  }
  LoadInst *loadAgain(unsigned K, int Number) {
    const Access &A = What.Accesses[K];
    LoadInst *L = mark(B.CreateLoad(A.T, address(A.Where)), Number);
    L->setMetadata(LLVMContext::MD_tbaa, A.Type);
    return L;
  }
  void store(const Access &A, Value *V) {
    StoreInst *S = mark(B.CreateStore(V, address(A.Where)));
    S->setMetadata(LLVMContext::MD_tbaa, A.Type);
  }
  void emit(const Bulk &Each) {
    Value *To = address(Each.To), *Bytes = any(B.getInt64Ty());
    if (!Each.From)
      return (void)mark(
          B.CreateMemSet(To, Each.Value ? Each.Value : any(B.getInt8Ty()),
                         Bytes, MaybeAlign()));
    Value *From = address(*Each.From);
    mark(Each.Kind == Intrinsic::memmove
             ? B.CreateMemMove(To, MaybeAlign(), From, MaybeAlign(), Bytes)
             : B.CreateMemCpy(To, MaybeAlign(), From, MaybeAlign(), Bytes));
  }

private:
  CallInst *call(const std::string &Name, Type *T, ArrayRef<Value *> Of) {
    FunctionCallee Callee =
        M.getOrInsertFunction(Name, FunctionType::get(T, /*isVarArg=*/true));
    CallInst *Call = mark(B.CreateCall(Callee, Of));
    Call->setDoesNotAccessMemory();
    Call->setDoesNotThrow();
    Call->addFnAttr(Attribute::WillReturn);
    return Call;
  }
  Value *base(unsigned K) {
    if (BaseAt[K])
      return BaseAt[K];
    const Base &Of = What.Bases[K];
    if (Of.Argument >= 0)
      return BaseAt[K] = Arguments[Of.Argument];
    Value *P = nullptr;
    for (unsigned A : Of.Loaded) {
      Value *Next = load(A);
      P = P ? mark(B.CreateSelect(any(B.getInt1Ty()), P, Next)) : Next;
    }
    return BaseAt[K] = P;
  }

  const PartAccesses &What;
  ArrayRef<Value *> Arguments;
  IRBuilder<> B;
  Module &M;
  std::vector<LoadInst *> Loads;
  std::vector<Value *> BaseAt;
};

void PartAccesses::standIn(CallBase &Call) const {
  SmallVector<Value *, 8> Arguments(Call.args());
  Emitter E(*this, Arguments, Call);
  SmallVector<Value *, 16> Numbers;
  for (Value *A : Arguments)
    if (A->getType()->isFloatingPointTy())
      Numbers.push_back(A);
  for (auto [K, A] : enumerate(Accesses))
    if (A.IsRead)
      if (LoadInst *L = E.load(K); A.T->isFloatingPointTy())
        Numbers.push_back(L);
  DenseMap<Type *, Value *> Effects;
  auto Effect = [&](Type *T) {
    Value *&V = Effects[T];
    return V ? V : V = E.effect(T, Numbers);
  };
  for (const Access &A : Accesses)
    if (A.IsWritten)
      E.store(A, A.T->isFloatingPointTy() ? Effect(A.T) : E.any(A.T));
  for (const Bulk &Each : Bulks)
    E.emit(Each);
  for (unsigned K = 0; K != Accesses.size(); ++K)
    E.loadAgain(K, K);
  if (!holdsReal(Call.getType()))
    return;
  Value *Result = E.effect(Type::getDoubleTy(Call.getContext()), Numbers);
  CallBase *New = CallBase::addOperandBundle(
      &Call, Call.getContext().getOrInsertBundleTag(EffectBundle)->second,
      OperandBundleDef(EffectBundle.str(), Result), Call.getIterator());
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

void PartAccesses::overwriteLater(const BitVector &Later,
                                  ArrayRef<Value *> Arguments,
                                  Instruction &At) const {
  Emitter E(*this, Arguments, At);
  for (unsigned K : Later.set_bits()) {
    Type *T = Accesses[K].T;
    // A pointer from nowhere would lead anywhere.
    E.store(Accesses[K],
            T->isPointerTy() ? Constant::getNullValue(T) : E.any(T));
  }
}

StandIns::StandIns(CallBase &Call) {
  for (Instruction *I = Call.getPrevNode(); I; I = I->getPrevNode()) {
    auto *Other = dyn_cast<CallBase>(I);
    if (Other && isPartCall(*Other))
      break;
    MDNode *Kind = I->getMetadata(Mark);
    if (!Kind)
      continue;
    All.push_back(I);
    if (Kind->getNumOperands()) {
      unsigned K =
          mdconst::extract<ConstantInt>(Kind->getOperand(0))->getZExtValue();
      if (Later.size() <= K)
        Later.resize(K + 1);
      Later[K] = cast<LoadInst>(I);
    }
  }
}

void verso::eraseStandIns(Function &F) {
  SmallVector<Instruction *, 64> Gone;
  SmallVector<CallBase *, 8> Bundled;
  SmallSetVector<Function *, 4> Callees;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (isStandIn(I)) {
      Gone.push_back(&I);
      if (Call && Call->getCalledFunction() && !isa<IntrinsicInst>(I))
        Callees.insert(Call->getCalledFunction());
    } else if (Call && effectOf(*Call)) {
      Bundled.push_back(Call);
    }
  }
  for (CallBase *Call : Bundled) {
    CallBase *New = CallBase::removeOperandBundle(
        Call, Call->getContext().getOrInsertBundleTag(EffectBundle)->second,
        Call->getIterator());
    New->takeName(Call);
    Call->replaceAllUsesWith(New);
    Call->eraseFromParent();
  }
  for (Instruction *I : Gone) {
    if (!I->use_empty())
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
    I->eraseFromParent();
  }
  for (Function *Callee : Callees)
    if (Callee->use_empty())
      Callee->eraseFromParent();
}
