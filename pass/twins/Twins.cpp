//===- Twins.cpp - the instrumented twins of functions --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "twins/Twins.h"
#include "HugeBlocks.h"
#include "analysis/CallModel.h"
#include "analysis/Unavoidable.h"
#include "emit/Companion.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "forward/ForwardInstrumenter.h"
#include "forward/LocalObjects.h"
#include "forward/PageChecks.h"
#include "prepare/CustomDerivatives.h"
#include "prepare/NormalizeBits.h"
#include "prepare/OutlineAccesses.h"
#include "prepare/PartsOfNumbers.h"
#include "prepare/Prepare.h"
#include "taped/Instrumenter.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

bool Twins::returnsCompanion(Type *T) { return canCarry(T); }

BitVector Twins::allVaried(FunctionType *T) {
  BitVector Bits(T->getNumParams());
  for (auto [K, P] : enumerate(T->params()))
    Bits[K] = canCarry(P);
  return Bits;
}

/// What a mode carries beside a value of type \p T.
static Type *typeBeside(Type *T, const TwinMode &Mode) {
  return Mode.isTaped() ? companionType(T) : tangentType(T, Mode.Width);
}

static Constant *nothingBeside(Type *T, const TwinMode &Mode) {
  return Constant::getNullValue(typeBeside(T, Mode));
}

FunctionType *Twins::twinType(FunctionType *T, const BitVector &Varied,
                              const TwinMode &Mode) {
  SmallVector<Type *, 8> Parameters{PointerType::getUnqual(T->getContext())};
  append_range(Parameters, T->params());
  for (unsigned K : Varied.set_bits())
    Parameters.push_back(typeBeside(T->getParamType(K), Mode));
  Type *R = T->getReturnType();
  if (returnsCompanion(R))
    R = StructType::get(R, typeBeside(R, Mode));
  return FunctionType::get(R, Parameters, /*isVarArg=*/false);
}

/// How values of type \p T are passed. Integers may stand for one another, but
/// not for pointers, which always have a shadow.
static void describePassing(raw_ostream &OS, const Type *T) {
  if (auto *S = dyn_cast<StructType>(T)) {
    OS << '{';
    for (const Type *Element : S->elements())
      describePassing(OS, Element);
    OS << '}';
  } else if (T->isIntegerTy() && T->getIntegerBitWidth() <= 64) {
    OS << 'i';
  } else {
    OS << *T;
  }
  OS << ' ';
}

uint32_t Twins::kindOf(FunctionType *T, const TwinMode &Mode) {
  FunctionType *OfTwin = twinType(T, allVaried(T), Mode);
  std::string Text;
  raw_string_ostream OS(Text);
  describePassing(OS, OfTwin->getReturnType());
  for (const Type *Parameter : OfTwin->params())
    describePassing(OS, Parameter);
  return VERSO_TWIN_KIND(Mode.Width, xxh3_64bits(OS.str()) & 0xffff);
}

/// Whether \p F is a request's function, whose frame tells it from the requests
/// around it (__verso_begin), or is the twin of one.
static bool asksForItsFrame(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call && Call->getIntrinsicID() == Intrinsic::frameaddress;
  });
}

/// What a twin keeps of its original's attributes: how it is compiled, not what
/// it does to memory, since it writes a tape.
static AttributeList twinAttributes(const Function &F) {
  AttrBuilder Kept(F.getContext());
  for (Attribute A : F.getAttributes().getFnAttrs()) {
    if (A.isStringAttribute()) {
      Kept.addAttribute(A);
      continue;
    }
    switch (A.getKindAsEnum()) {
    case Attribute::NoUnwind:
    case Attribute::UWTable:
    case Attribute::MustProgress:
    case Attribute::StrictFP:
    case Attribute::NoRedZone:
    case Attribute::NoImplicitFloat:
    case Attribute::SanitizeAddress:
      Kept.addAttribute(A);
      break;
    default:
      break;
    }
  }
  return AttributeList::get(F.getContext(), AttributeList::FunctionIndex, Kept);
}

/// A twin of which more numbers may vary than in a call is right, too. In each
/// twin of a large function what varies in those before it does so as well, so
/// that there are few. Pointers are left: that they are constant says what is
/// behind them.
void Twins::addToVaried(BitVector &Varied, Function &F) {
  constexpr unsigned Large = 300; // instructions
  if (F.getInstructionCount() < Large)
    return;
  auto &Known = VariedOf[&F];
  if (!is_contained(Known, Varied))
    for (const BitVector &Other : Known)
      for (unsigned K : Other.set_bits())
        if (Type *T = F.getArg(K)->getType();
            T->isIntOrIntVectorTy() || T->isFPOrFPVectorTy())
          Varied.set(K);
  if (!is_contained(Known, Varied))
    Known.push_back(Varied);
}

Function *Twins::get(Function &F, const BitVector &Varied, TwinMode Mode) {
  std::string Bits;
  for (unsigned K = 0; K != Varied.size(); ++K)
    Bits += Varied[K] ? '1' : '0';
  // To know less is right, too.
  constexpr unsigned MostQuietTwins = 2;
  if (Mode.Quiet && !Known.count({&F, Bits, Mode}) &&
      ++QuietTwins[&F] > MostQuietTwins)
    Mode.Quiet = 0;
  Function *&Twin = Known[{&F, Bits, Mode}];
  if (Twin)
    return Twin;
  Twin = Function::Create(twinType(F.getFunctionType(), Varied, Mode),
                          GlobalValue::InternalLinkage, F.getAddressSpace(),
                          F.getName() + (Mode.isTaped() ? ".twin" : ".tangent"),
                          &M);
  Twin->setAttributes(twinAttributes(F));
  if (isAccessor(F) || asksForItsFrame(F))
    Twin->addFnAttr(Attribute::NoInline);
  markGenerated(*Twin);
  if (Mode.Checked)
    markJudge(*Twin);
  Mode.Deferred |= CurrentMode.Deferred;
  Worklist.push_back({&F, Twin, Varied, Mode});
  AskedBy[Twin] = {nullptr, Current};
  return Twin;
}

SmallVector<const Instruction *, 4> Twins::callChain() const {
  SmallVector<const Instruction *, 4> Chain;
  for (Function *F = Current; F && Chain.size() < 32;) {
    auto It = AskedBy.find(F);
    if (It == AskedBy.end() || !It->second.Call)
      break;
    Chain.push_back(It->second.Call);
    F = It->second.Twin;
  }
  return Chain;
}

void Twins::fail(Instruction &I, const Twine &Message, StringRef Remedy) {
  if (isSilent())
    return;
  if (!CurrentMode.Deferred) {
    D.error(I, Message, Remedy, callChain());
    return;
  }
  IRBuilder<> B(&I);
  std::string Text = (Message + "; " + Remedy).str();
  callRuntime(B, RuntimeFunction::Fail,
              {B.CreateGlobalString(Text, "verso.reason"), emitLocation(B, I)});
}

//===----------------------------------------------------------------------===//
// Calls of twins
//===----------------------------------------------------------------------===//

bool Twins::isTwinCall(const Value *V) {
  auto *Call = dyn_cast<CallBase>(V);
  return Call && Call->hasMetadata("verso.twin");
}

/// !verso.twin is the list of the arguments that have a companion.
bool Twins::hasCompanion(const CallBase &I, unsigned Argument) {
  for (const MDOperand &Op : I.getMetadata("verso.twin")->operands())
    if (mdconst::extract<ConstantInt>(Op)->getZExtValue() == Argument)
      return true;
  return false;
}

unsigned Twins::firstCompanion(const CallBase &I) {
  return I.arg_size() - I.getMetadata("verso.twin")->getNumOperands();
}

/// For an indirect call in a twin of that mode: see Twins::Chains.
static std::vector<unsigned> chainOf(const CallBase &Call,
                                     const TwinMode &Mode) {
  std::vector<unsigned> Widths{Mode.Width};
  const Value *Callee = Call.getCalledOperand();
  while (auto *Inner = dyn_cast<CallBase>(Callee)) {
    if (!calls(*Inner, RuntimeFunction::TwinOf))
      break;
    auto *Kind = cast<ConstantInt>(Inner->getArgOperand(1));
    Widths.insert(Widths.begin(),
                  unsigned(VERSO_TWIN_WIDTH(Kind->getZExtValue())));
    Callee = Inner->getArgOperand(0);
  }
  return Widths;
}

/// `r = call f(a...)` becomes
///   p = call f.twin(null, a..., 0...)   ; the context is set by buildOne
///   r = extractvalue p, 0
void Twins::rewriteCall(CallBase &Call, Function *Callee,
                        const BitVector &Varied) {
  IRBuilder<> B(&Call);
  FunctionType *Type = twinType(Call.getFunctionType(), Varied, CurrentMode);
  Value *Address = Callee;
  if (!Address) {
    Chains.insert(chainOf(Call, CurrentMode));
    Value *Where = emitLocation(B, Call);
    Address = callRuntime(
        B, RuntimeFunction::TwinOf,
        {Call.getCalledOperand(),
         B.getInt32(kindOf(Call.getFunctionType(), CurrentMode)), Where});
  }
  FunctionCallee Twin(Type, Address);
  SmallVector<Value *, 8> Arguments{Current->getArg(0)};
  Arguments.append(Call.arg_begin(),
                   Call.arg_begin() + Call.getFunctionType()->getNumParams());
  SmallVector<Metadata *, 8> WithCompanion;
  for (unsigned K : Varied.set_bits()) {
    Arguments.push_back(
        nothingBeside(Call.getArgOperand(K)->getType(), CurrentMode));
    WithCompanion.push_back(ConstantAsMetadata::get(B.getInt32(K + 1)));
  }
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(Twin, Invoke->getNormalDest(), Invoke->getUnwindDest(),
                         Arguments);
  else
    New = B.CreateCall(Twin, Arguments);
  if (Call.doesNotThrow())
    New->setDoesNotThrow();
  if (Callee)
    setCaller(*Callee, *New);
  New->setMetadata("verso.twin", MDNode::get(M.getContext(), WithCompanion));
  if (returnsCompanion(Call.getType())) {
    if (auto *Invoke = dyn_cast<InvokeInst>(New)) {
      BasicBlock *Normal = Invoke->getNormalDest();
      B.SetInsertPoint(Normal, Normal->getFirstInsertionPt());
      B.SetCurrentDebugLocation(Call.getDebugLoc());
    }
    Call.replaceAllUsesWith(B.CreateExtractValue(New, 0));
  } else {
    Call.replaceAllUsesWith(New);
  }
  Call.eraseFromParent();
}

static MemoryTrait whatIsFresh(const TwinMode &Mode) {
  return Mode.isTaped() ? MemoryTrait::Images : MemoryTrait::MappedTangents;
}

/// Those that have a shadow: for others images are asked anyway.
static uint64_t quietBits(const BitVector &Quiet, const BitVector &Varied) {
  uint64_t Bits = 0;
  for (unsigned K : Quiet.set_bits())
    if (K < 64 && Varied.test(K))
      Bits |= UINT64_C(1) << K;
  return Bits;
}

void Twins::rewriteCalls(Function &F, const BitVector &Varied,
                         const FreshMemory *Fresh) {
  const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
  Activity A(F, Varied, {pointersTracked(), isSilent()}, &TLI);
  SmallVector<std::pair<CallBase *, BitVector>, 16> Calls;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isInert(I))
      continue;
    CallModel Model = modelCall(*Call, &TLI);
    if (Model.K != CallModel::Direct && Model.K != CallModel::Indirect &&
        Model.K != CallModel::Silent)
      continue;
    if (Call->getFunctionType()->isVarArg() &&
        (Model.K == CallModel::Indirect || Model.Callee->isVarArg()))
      continue; // The instrumenter reports it.
    BitVector Bits = allVaried(Call->getFunctionType());
    if (Model.K == CallModel::Silent)
      for (unsigned K : Bits.set_bits())
        Bits[K] = canCarryPointer(Call->getArgOperand(K)->getType()) &&
                  A.isActive(Call->getArgOperand(K));
    if (Model.K == CallModel::Direct) {
      if (Model.Callee->getFunctionType() != Call->getFunctionType())
        Model.K = CallModel::Indirect; // Called through another type.
      else
        for (unsigned K : Bits.set_bits())
          Bits[K] = A.isActive(Call->getArgOperand(K));
    }
    // Nobody may have compiled what an inactive function calls.
    if (Model.K == CallModel::Indirect && isSilent())
      continue;
    Calls.emplace_back(Call, Bits);
  }
  for (auto &[Call, Bits] : Calls) {
    CallModel Model = modelCall(*Call, &TLI);
    TwinMode Mode = CurrentMode;
    Mode.IsRoot = CurrentMode.IsRoot && Fresh && Model.K == CallModel::Direct &&
                  ((Mode.isTaped() && Fresh->isAll()) ||
                   startsFresh(*Call, whatIsFresh(Mode), Bits, Varied, &TLI));
    Mode.IsSilent |= Model.K == CallModel::Silent;
    bool Direct = Model.K != CallModel::Indirect &&
                  Model.Callee->getFunctionType() == Call->getFunctionType();
    Mode.Quiet =
        Fresh && Direct ? quietBits(Fresh->quietArguments(*Call), Bits) : 0;
    if (Direct && !isSilent() && Model.K != CallModel::Silent)
      addToVaried(Bits, *Model.Callee);
    if (!Direct) {
      Bits = allVaried(Call->getFunctionType());
      LookedUp.insert(kindOf(Call->getFunctionType(), Mode));
    }
    rewriteCall(*Call, Direct ? get(*Model.Callee, Bits, Mode) : nullptr, Bits);
  }
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Function *Twins::prepared(Function &Original, bool ForTape) {
  Function *&P = Prepared[{&Original, ForTape}];
  if (!P) {
    expandIndirectBranches(Original);
    ValueToValueMapTy Map;
    P = CloneFunction(&Original, Map);
    P->setLinkage(GlobalValue::InternalLinkage);
    P->setComdat(nullptr);
    P->setName(Original.getName() + ".prepared");
    if (ForTape && TakenKernels && !isGenerated(Original) &&
        !TakenKernels->isKernel(Original))
      TakenKernels->extract(*P);
    prepareFunction(*P, FAM, ForTape);
    if (ForTape)
      markPartsOfNumbers(*P, Original);
    if (ForTape && !isAccessor(Original))
      outlineAccesses(*P, Original);
  }
  return P;
}

/// Local variables of constant size come first in a function: behind a branch
/// they would be of variable size, and the stack no longer aligned for vectors
/// that are passed on it. In twins of twins the loads of our context's fields
/// may have come between.
static void moveVariablesToHead(Function &F) {
  auto Head = F.getEntryBlock().begin();
  for (Instruction &I : make_early_inc_range(F.getEntryBlock()))
    if (auto *Variable = dyn_cast<AllocaInst>(&I);
        Variable && Variable->isStaticAlloca()) {
      if (Head == I.getIterator())
        ++Head;
      else
        I.moveBefore(F.getEntryBlock(), Head);
    }
}

void Twins::buildOne(const Order &O) {
  Current = O.Twin;
  CurrentMode = O.Mode;
  OfGenerated = isGenerated(*O.Original);
  Function &From = *prepared(*O.Original, O.Mode.isTaped());
  ValueToValueMapTy Map;
  for (Argument &Arg : From.args()) {
    Argument *Mine = O.Twin->getArg(Arg.getArgNo() + 1);
    Mine->setName(Arg.getName());
    Map[&Arg] = Mine;
  }
  O.Twin->getArg(0)->setName("verso");
  AttributeList Attributes = O.Twin->getAttributes();
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(O.Twin, &From, Map,
                    CloneFunctionChangeType::LocalChangesOnly, Returns);
  O.Twin->setAttributes(Attributes);
  O.Twin->setCallingConv(CallingConv::C); // As its calls, see rewriteCall.
  moveVariablesToHead(*O.Twin);

  // Argument numbers of the twin: the context is never varied.
  BitVector Varied(O.Twin->arg_size());
  SmallVector<Value *, 8> Companions(O.Twin->arg_size(), nullptr);
  unsigned Companion = From.arg_size() + 1;
  for (unsigned K : O.Varied.set_bits()) {
    Varied.set(K + 1);
    Companions[K + 1] = O.Twin->getArg(Companion++);
  }
  // Instrumentation splits blocks again and again.
  if (O.Mode.isTaped())
    cutHugeBlocks(*O.Twin, /*Huge=*/4000, /*MaxSize=*/500);
  forgetSiblings(*O.Twin);
  // A sibling cannot be told from a shadow of the user's in a callee.
  if (!O.Mode.isTaped() && !O.Mode.Checked)
    markLocalObjects(*O.Twin, FAM.getResult<TargetLibraryAnalysis>(*O.Twin));
  if (O.Mode.isTaped() && sharesGranules())
    keepMovesTogether(*O.Twin);
  if (O.Mode.isTaped() && holdsPacked())
    widenChoices(*O.Twin);
  const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(*O.Twin);
  std::optional<FreshMemory> Fresh;
  // A check sets tangents of memory that the request does not know.
  if (O.Mode.isTaped() && (O.Mode.IsRoot || O.Mode.Quiet)) {
    BitVector Quiet(From.arg_size());
    for (unsigned K = 0; K != Quiet.size() && K < 64; ++K)
      Quiet[K] = O.Mode.Quiet >> K & 1;
    // Parameters are restrict there, where they do not stand beside shadows.
    Fresh.emplace(From, MemoryTrait::Images, Varied,
                  FreshMemory::Beginning{O.Mode.IsRoot, Quiet},
                  FAM.getResult<AAManager>(From), &TLI);
    Fresh->follow(Map);
  } else if (O.Mode.IsRoot && !O.Mode.Checked) {
    Fresh.emplace(*O.Twin, MemoryTrait::MappedTangents, Varied,
                  FreshMemory::Beginning{/*Everywhere=*/true, {}},
                  FAM.getResult<AAManager>(*O.Twin), &TLI);
  }
  SmallVector<const Instruction *, 4> Chain = callChain();
  if (O.Mode.Deferred ||
      (!Chain.empty() && !all_of(drop_end(Chain), [](auto *Call) {
        return isUnavoidable(*Call->getParent());
      })))
    markAvoidable(*O.Twin);
  rewriteCalls(*O.Twin, Varied, Fresh ? &*Fresh : nullptr);
  Activity A(*O.Twin, Varied, {pointersTracked(), isSilent()}, &TLI,
             Fresh && !O.Mode.isTaped() ? &*Fresh : nullptr);
  if (O.Mode.isTaped())
    Instrumenter(*O.Twin, O.Twin->getArg(0), Companions, A,
                 Fresh ? &*Fresh : nullptr, &TLI, *this, D)
        .run();
  else
    ForwardInstrumenter(*O.Twin, O.Twin->getArg(0), Companions, A, &TLI, *this,
                        D)
        .run();
  for (Instruction &I : instructions(*O.Twin))
    I.setMetadata("verso.twin", nullptr);
  FAM.invalidate(*O.Twin, PreservedAnalyses::none());
  if (!O.Mode.isTaped()) {
    placePageChecks(*O.Twin, FAM);
    FAM.invalidate(*O.Twin, PreservedAnalyses::none());
  }
  openPartials(*O.Twin);
  if (O.Mode.isTaped() && !O.Mode.IsSilent && TakenKernels &&
      TakenKernels->isKernel(*O.Original))
    TakenKernels->addChoice(*O.Twin, *O.Original, O.Varied);
  Built.push_back(O.Twin);
  if (O.Mode.isTaped())
    Taped.insert(O.Twin);
}

void Twins::takeKernels(unsigned LeastWork) {
  // Their cells are single numbers.
  if (!sharesGranules() && !MovesAddresses)
    TakenKernels.emplace(FAM, LeastWork);
}

void Twins::build() {
  while (!Worklist.empty()) {
    Order O = Worklist.back();
    Worklist.pop_back();
    buildOne(O);
  }
  Current = nullptr;
  CurrentMode = {};
}
