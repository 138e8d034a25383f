//===- Twins.cpp - the instrumented twins of functions --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "twins/Twins.h"
#include "HugeBlocks.h"
#include "analysis/CallModel.h"
#include "emit/Companion.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "forward/ForwardInstrumenter.h"
#include "forward/LocalObjects.h"
#include "forward/PageChecks.h"
#include "prepare/NormalizeBits.h"
#include "prepare/OutlineAccesses.h"
#include "prepare/Prepare.h"
#include "taped/Instrumenter.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

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

Function *Twins::get(Function &F, const BitVector &Varied, TwinMode Mode) {
  std::string Bits;
  for (unsigned K = 0; K != Varied.size(); ++K)
    Bits += Varied[K] ? '1' : '0';
  Function *&Twin = Known[{&F, Bits, Mode}];
  if (Twin)
    return Twin;
  Twin = Function::Create(twinType(F.getFunctionType(), Varied, Mode),
                          GlobalValue::InternalLinkage, F.getAddressSpace(),
                          F.getName() + (Mode.isTaped() ? ".twin" : ".tangent"),
                          &M);
  Twin->setAttributes(twinAttributes(F));
  if (isAccessor(F))
    Twin->addFnAttr(Attribute::NoInline);
  markGenerated(*Twin);
  Mode.Deferred |= CurrentMode.Deferred;
  Widths.insert(Mode.Width);
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
    auto *Width = cast<ConstantInt>(Inner->getArgOperand(1));
    Widths.insert(Widths.begin(), unsigned(Width->getZExtValue()));
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
        {Call.getCalledOperand(), B.getInt32(CurrentMode.Width), Where});
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
    Mode.IsRoot = Fresh && Model.K == CallModel::Direct &&
                  ((Mode.isTaped() && Fresh->isAll()) ||
                   startsFresh(*Call, whatIsFresh(Mode), Bits, Varied, &TLI));
    Mode.IsSilent |= Model.K == CallModel::Silent;
    bool Direct = Model.K != CallModel::Indirect &&
                  Model.Callee->getFunctionType() == Call->getFunctionType();
    if (!Direct)
      LooksUp.insert(Mode.Width);
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
    prepareFunction(*P, FAM, ForTape);
    if (ForTape && !isAccessor(Original))
      outlineAccesses(*P);
  }
  return P;
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
  if (O.Mode.isTaped() && holdsHalves())
    keepHalvesTogether(*O.Twin);
  const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(*O.Twin);
  std::optional<FreshMemory> Fresh;
  // A check sets tangents of memory that the request does not know.
  if (O.Mode.IsRoot && O.Mode.isTaped()) {
    // Parameters are restrict there, where they do not stand beside shadows.
    Fresh.emplace(From, MemoryTrait::Images, Varied,
                  FAM.getResult<AAManager>(From), &TLI);
    Fresh->follow(Map);
  } else if (O.Mode.IsRoot && !O.Mode.Checked) {
    Fresh.emplace(*O.Twin, MemoryTrait::MappedTangents, Varied,
                  FAM.getResult<AAManager>(*O.Twin), &TLI);
  }
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
  Built.push_back(O.Twin);
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

void Twins::finish() {
  // Only now is every request lowered, in whatever functions they stand.
  std::set<unsigned> Wanted = Widths;
  Wanted.insert(0); // Other files may be taped.
  // Wide twins of whatever has its address taken cost much to compile.
  erase_if(Wanted, [&](unsigned W) { return W > 1 && !LooksUp.count(W); });
  for (unsigned Width : Wanted)
    fillTable({.Width = Width, .PointersTracked = true, .Deferred = true});
  addTwinsOfTwins();
  emitTables();
  if (holdsHalves() && !Built.empty())
    registerHalves(M, HalfKinds);
  for (auto &[Original, P] : Prepared) {
    (void)Original;
    FAM.clear(*P, P->getName());
    P->eraseFromParent();
  }
  Prepared.clear();
}

//===----------------------------------------------------------------------===//
// The table of twins, for indirect calls
//===----------------------------------------------------------------------===//

/// A function around a math function without a body whose address is taken.
static Function *wrapDeclaration(Function &F) {
  Function *W =
      Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                       F.getName() + ".wrapper", F.getParent());
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "", W));
  SmallVector<Value *, 4> Arguments;
  for (Argument &A : W->args())
    Arguments.push_back(&A);
  CallInst *Call = B.CreateCall(&F, Arguments);
  if (F.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
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

/// Whether somebody may call \p F through a pointer.
static bool escapes(const Function &F) {
  return any_of(F.uses(), [](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return !(Call && Call->isCallee(&U)) && !isBookkeeping(U.getUser());
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

void Twins::fillTable(TwinMode Mode) {
  // No request of this module needs such a twin, but one of another file may.
  // It will hardly be around a request of ours.
  bool ForOthers = !Widths.count(Mode.Width);
  SmallVector<Function *, 32> Candidates;
  // The address of a weak function may be that of another definition.
  for (Function &F : M)
    if (!F.isIntrinsic() && !F.isVarArg() && !isRuntimeFunction(F) &&
        (F.isDeclaration() ? !isMarkedInactive(F) : !F.isInterposable()) &&
        escapes(F) && !F.getName().ends_with(".prepared") &&
        !(ForOthers && makesRequests(F)))
      Candidates.push_back(&F);
  for (Function *F : Candidates) {
    if (Table.count({F, Mode.Width}))
      continue;
    Function *Body = F->isDeclaration() ? wrapDeclaration(*F) : F;
    Mode.IsSilent = isMarkedInactive(*F);
    Table[{F, Mode.Width}] = get(*Body, allVaried(F->getFunctionType()), Mode);
  }
  build();
}

/// What an inner request calls through a pointer is a twin. Inside an outer one
/// its own twin is called.
void Twins::addTwinsOfTwins() {
  SmallVector<Function *, 32> Originals;
  for (auto &Entry : Table)
    if (!is_contained(Originals, Entry.first.first))
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

/// verso.twins: (function, twin, width as a pointer) for each.
void Twins::emitTables() {
  if (Table.empty())
    return;
  LLVMContext &C = M.getContext();
  Type *Ptr = PointerType::getUnqual(C);
  SmallVector<Constant *, 32> Entries;
  for (auto &[Key, Twin] : Table) {
    Entries.push_back(Key.first);
    Entries.push_back(Twin);
    Entries.push_back(ConstantExpr::getIntToPtr(
        ConstantInt::get(Type::getInt64Ty(C), Key.second), Ptr));
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
