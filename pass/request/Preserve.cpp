//===- Preserve.cpp - what optimisers would take from a request -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nine things are made to last from the start of the pipeline to the place
// where requests are lowered:
//   - markers that the program defines itself read an external declaration;
//   - operands that are pieces of one struct carry the attribute
//     "verso-continues";
//   - requests in two branches are not merged into one;
//   - integers that are loaded where addresses say that numbers are may be
//     such numbers;
//   - what copies move is described by the types of their addresses
//     (prepare/DeclaredCopies.h);
//   - variables of unions of several numbers stay in memory
//     (prepare/MixedUnions.h);
//   - functions that the user marked inactive are neither inlined nor looked
//     into: an optimiser would see that `stop_gradient(x)` is x;
//   - variables that the user marked inactive are read as constants;
//   - functions that change a string are not inlined where a request may come:
//     its characters may lie in the string itself, and nobody could say of a
//     store to one of them that it leaves the rest of an array of records
//     alone.
//
//===----------------------------------------------------------------------===//

#include "KeptLoops.h"
#include "prepare/DeclaredCopies.h"
#include "prepare/InactiveVariables.h"
#include "prepare/LibraryCopies.h"
#include "prepare/LinearBits.h"
#include "prepare/MixedUnions.h"
#include "request/EntryPoints.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral ContinuesAttribute = "verso-continues";
static constexpr StringLiteral PreservedAttribute = "verso-preserved";

/// The field of a register-sized struct that \p V was loaded from, and that
/// struct: `load (gep {double, double}, %s, 0, N)`. clang splits a struct over
/// operands in this shape; the struct type that it invents has no name.
static std::optional<std::pair<const Value *, uint64_t>>
loadedField(const Value *V) {
  const auto *Load = dyn_cast<LoadInst>(V);
  const auto *Gep =
      Load ? dyn_cast<GetElementPtrInst>(Load->getPointerOperand()) : nullptr;
  if (!Gep || Gep->getNumIndices() != 2)
    return std::nullopt;
  const auto *Struct = dyn_cast<StructType>(Gep->getSourceElementType());
  const auto *Field = dyn_cast<ConstantInt>(Gep->getOperand(2));
  if (!Struct || !Struct->isLiteral() || !Field)
    return std::nullopt;
  return std::pair(Gep->getPointerOperand(), Field->getZExtValue());
}

/// Whether \p V is all of a variable, as clang loads what is one operand; a
/// struct of one member as that member.
static bool isWholeVariable(const Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  const Value *P = Load ? Load->getPointerOperand() : nullptr;
  while (auto *Gep = dyn_cast_or_null<GetElementPtrInst>(P)) {
    const auto *Struct = dyn_cast<StructType>(Gep->getSourceElementType());
    if (!Gep->hasAllZeroIndices() || (Struct && Struct->isLiteral()))
      return false;
    P = Gep->getPointerOperand();
  }
  return isa_and_nonnull<AllocaInst>(P);
}

/// The guess for code that was optimised before it came to us. clang marks each
/// scalar noundef, and never a piece of a struct, which may hold padding. The
/// second of two pieces begins at the eighth byte.
static bool looksContinued(const CallBase &Call, unsigned ArgNo) {
  auto IsPiece = [&](unsigned K) {
    const Value *V = Call.getArgOperand(K);
    return !Call.paramHasAttr(K, Attribute::NoUndef) &&
           !Call.isByValArgument(K) &&
           !Call.paramHasAttr(K, Attribute::StructRet) &&
           !markerVariable(const_cast<Value *>(V));
  };
  bool ByClang = any_of(seq<unsigned>(0, Call.arg_size()), [&](unsigned K) {
    return Call.paramHasAttr(K, Attribute::NoUndef);
  });
  if (!ByClang || !IsPiece(ArgNo) || !IsPiece(ArgNo - 1))
    return false;
  const DataLayout &DL = Call.getModule()->getDataLayout();
  Type *First = Call.getArgOperand(ArgNo - 1)->getType();
  Type *Second = Call.getArgOperand(ArgNo)->getType();
  return alignTo(DL.getTypeStoreSize(First), DL.getABITypeAlign(Second)) == 8 &&
         (ArgNo < 2 || !continuesArgument(Call, ArgNo - 1));
}

bool verso::continuesArgument(const CallBase &Call, unsigned ArgNo) {
  if (ArgNo == 0)
    return false;
  if (Call.hasFnAttr(PreservedAttribute))
    return Call.getParamAttr(ArgNo, ContinuesAttribute).isValid();
  const Value *Second = Call.getArgOperand(ArgNo);
  const Value *First = Call.getArgOperand(ArgNo - 1);
  if (isWholeVariable(First) || isWholeVariable(Second))
    return false;
  auto Here = loadedField(Second);
  auto Before = loadedField(First);
  if (Here || Before)
    return Here && Before && Here->first == Before->first &&
           Here->second == Before->second + 1;
  return looksContinued(Call, ArgNo);
}

/// Whether \p V is used by requests and by nothing else.
static bool servesRequests(const Value &V) {
  return all_of(V.uses(), [](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    auto *Callee =
        Call ? dyn_cast<Function>(Call->getCalledOperand()) : nullptr;
    return Callee && classifyEntryPoint(*Callee);
  });
}

/// Lets every load of a marker that the program defines read an external
/// declaration instead, which no optimiser can fold.
static bool externaliseMarkers(Module &M) {
  bool Changed = false;
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (G.isDeclaration() || !G.getValueType()->isIntegerTy() ||
        !classifyMarker(G))
      continue;
    SmallVector<Use *, 8> Loads;
    for (Use &U : G.uses())
      if (isa<LoadInst>(U.getUser()) && servesRequests(*U.getUser()))
        Loads.push_back(&U);
    if (Loads.empty())
      continue;
    // The name's suffix keeps it apart from the program's own variable.
    auto *External = new GlobalVariable(
        M, G.getValueType(), /*isConstant=*/false, GlobalValue::ExternalLinkage,
        /*Initializer=*/nullptr, baseName(G) + ".0");
    for (Use *U : Loads)
      U->set(External);
    Changed = true;
  }
  return Changed;
}

/// Writes down which operands belong together, and keeps the call apart from
/// others: `c ? grad(f, x) : grad(g, x)` must not become grad(c ? f : g, x).
static bool annotateOperands(CallBase &Call) {
  if (Call.hasFnAttr(PreservedAttribute))
    return false;
  LLVMContext &Context = Call.getContext();
  SmallVector<unsigned, 4> Continued;
  for (unsigned K = 1; K < Call.arg_size(); ++K)
    if (continuesArgument(Call, K))
      Continued.push_back(K);
  for (unsigned K : Continued)
    Call.addParamAttr(K, Attribute::get(Context, ContinuesAttribute));
  Call.addFnAttr(Attribute::get(Context, PreservedAttribute));
  Call.addFnAttr(Attribute::NoMerge);
  return true;
}

/// Loops with requests of forward mode are not unrolled before directions are
/// merged (forward/DirectionLoops.h).
static constexpr StringLiteral NotYetUnrolled = "verso.not.yet.unrolled",
                               Unroll = "llvm.loop.unroll.disable";

static void delayUnrolling(ArrayRef<CallBase *> Calls) {
  SmallMapVector<Function *, SmallVector<CallBase *, 4>, 4> ByCaller;
  for (CallBase *Call : Calls)
    ByCaller[Call->getFunction()].push_back(Call);
  for (auto &[F, Own] : ByCaller) {
    DominatorTree DT(*F);
    LoopInfo LI(DT);
    for (CallBase *Call : Own)
      if (Loop *L = LI.getLoopFor(Call->getParent());
          L && hasUnrollTransformation(L) == TM_Unspecified) {
        addStringMetadataToLoop(L, NotYetUnrolled.data(), 1);
        addStringMetadataToLoop(L, Unroll.data(), 1);
      }
  }
}

void verso::allowUnrolling(Loop &L) {
  MDNode *ID = L.getLoopID();
  if (!ID || !findStringMetadataForLoop(&L, NotYetUnrolled))
    return;
  L.setLoopID(makePostTransformationMetadata(ID->getContext(), ID,
                                             {NotYetUnrolled, Unroll}, {}));
}

/// What may be called through pointers, as requests do, and all that this
/// names.
static DenseSet<const Function *> reachedThroughPointers(Module &M) {
  DenseSet<const Function *> Reached;
  SmallVector<const Function *, 16> Work;
  auto Add = [&](const Function &F) {
    if (!F.isDeclaration() && Reached.insert(&F).second)
      Work.push_back(&F);
  };
  for (Function &F : M)
    if (F.hasAddressTaken())
      Add(F);
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val()))
      for (const Use &U : I.operands())
        if (auto *F = dyn_cast<Function>(U->stripPointerCasts()))
          Add(*F);
  return Reached;
}

/// Whether \p F may change the string that is its first argument; not, whether
/// somebody may through the reference that it returns.
static bool changesText(const Function &F) {
  Type *Result = F.getReturnType();
  bool IsAccess =
      Result->isPointerTy() && F.getAttributes().getRetDereferenceableBytes() <
                                   F.getDataLayout().getPointerSize();
  return isOfText(F) && !IsAccess && !F.getName().starts_with("_ZNK");
}

static bool keepTextCalls(Module &M) {
  SmallVector<const Function *, 8> Texts;
  for (Function &F : M)
    if (!F.isDeclaration() && changesText(F))
      Texts.push_back(&F);
  if (Texts.empty())
    return false;
  DenseSet<const Function *> Reached = reachedThroughPointers(M);
  bool Changed = false;
  for (const Function *F : Texts)
    for (const User *U : F->users())
      if (auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledFunction() == F &&
          Reached.contains(Call->getFunction()) &&
          !isOfText(*Call->getFunction())) {
        const_cast<CallBase *>(Call)->setIsNoInline();
        Changed = true;
      }
  return Changed;
}

/// Whether a library has it, as libstdc++ has text and streams, and the C
/// library what its headers define in line as well: those stay calls.
static bool isOfLibrary(const Function &F) {
  const StringRef Name = F.getName();
  auto Starts = [&](StringRef Prefix) { return Name.starts_with(Prefix); };
  auto Contains = [&](StringRef Part) { return Name.contains(Part); };
  const StringRef Standard[] = {"_ZNSt", "_ZNKSt", "_ZSt"};
  const StringRef Parts[] = {"basic_", "char_traits", "locale", "ctype"};
  const StringRef Short[] = {"_ZNSs", "_ZNKSs", "_ZNSo", "_ZNSi", "_ZNSd"};
  return !(Name.starts_with("_Z") || Name.starts_with("_R")) ||
         (any_of(Standard, Starts) && any_of(Parts, Contains)) ||
         any_of(Short, Starts);
}

/// Copies of functions that are defined elsewhere are dropped before requests
/// are lowered. Those that a request leads to become definitions that may be
/// repeated: that of a template, of which another file's prevails, say.
static bool keepImportedCallees(Module &M) {
  SmallPtrSet<Function *, 16> Seen;
  SmallVector<Function *, 16> Work;
  auto Visit = [&](Value *V) {
    auto *Named = dyn_cast<Function>(V->stripPointerCasts());
    if (Named && !Named->isDeclaration() && Seen.insert(Named).second)
      Work.push_back(Named);
  };
  for (Function &F : M)
    if (classifyEntryPoint(F))
      for (User *U : F.users())
        if (auto *Call = dyn_cast<CallBase>(U))
          for_each(Call->args(), Visit);
  bool Changed = false;
  while (!Work.empty()) {
    Function *F = Work.pop_back_val();
    if (F->hasAvailableExternallyLinkage() && !isOfLibrary(*F)) {
      F->setLinkage(GlobalValue::LinkOnceODRLinkage);
      Changed = true;
    }
    for (Instruction &I : instructions(*F))
      for_each(I.operands(), Visit);
  }
  return Changed;
}

bool verso::dropImportedRequests(Module &M) {
  bool Changed = false;
  for (Function &F : M) {
    auto IsOfElsewhere = [](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      return Callee && classifyEntryPoint(*Callee) &&
             any_of(Call->args(), [](const Use &A) {
               auto *Named = dyn_cast<Function>(A->stripPointerCasts());
               return Named && Named->isDeclaration();
             });
    };
    if (!F.hasAvailableExternallyLinkage() ||
        none_of(instructions(F), IsOfElsewhere))
      continue;
    F.deleteBody();
    Changed = true;
  }
  return keepImportedCallees(M) || Changed;
}

bool verso::preserveRequests(Module &M) {
  if (!hasRequests(M))
    return false;
  bool Changed = externaliseMarkers(M);
  keepLoops(M);
  SmallVector<CallBase *, 8> Forward;
  Changed |= shieldInactiveFunctions(M);
  Changed |= detachInactiveVariables(M);
  Changed |= keepTextCalls(M);
  const MixedUnions Mixed(M);
  for (Function &F : M) {
    Changed |= openNumbers(F);
    Changed |= describeLibraryCopies(F);
    Changed |= describeCopies(F, Mixed);
  }
  Changed |= Mixed.keepVariables(M);
  for (Function &F : M)
    if (classifyEntryPoint(F))
      for (User *U : F.users())
        if (auto *Call = dyn_cast<CallBase>(U)) {
          Changed |= annotateOperands(*Call);
          if (classifyEntryPoint(F)->Kind == RequestKind::Jvp)
            Forward.push_back(Call);
        }
  delayUnrolling(Forward);
  return Changed;
}
