//===- CallModel.cpp - what a call means for differentiation --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/CallModel.h"
#include "emit/Companion.h"
#include "emit/KeptBlocks.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "prepare/FourierPlans.h"
#include "prepare/NumericalLibraries.h"
#include "prepare/ProcessorOperations.h"
#include "prepare/UnseenWrites.h"
#include "rules/Detached.h"
#include "rules/Operation.h"
#include "rules/Zero.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

bool verso::callsNamed(const Instruction &I, StringRef Name) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->getName() == Name;
}

static bool touchesReals(const CallBase &Call) {
  return holdsReal(Call.getType()) || any_of(Call.args(), [](const Use &U) {
           return holdsReal(U->getType()) || U->getType()->isPointerTy();
         });
}

static CallModel modelAssembly(const CallBase &Call) {
  const auto &Asm = *cast<InlineAsm>(Call.getCalledOperand());
  // A barrier, which gives nothing.
  bool IsBarrier = Asm.getAsmString().empty() && Call.getType()->isVoidTy();
  if (IsBarrier || !touchesReals(Call))
    return {CallModel::Inactive};
  return {CallModel::Unsupported, nullptr, std::nullopt,
          "cannot differentiate inline assembly",
          "write it in C, or put it into a function marked verso_inactive"};
}

static CallModel modelKnown(Function &F, const KnownCall &K) {
  bool IsInactive =
      K.K == KnownCall::Inactive || K.K == KnownCall::VersoRuntime;
  return {IsInactive ? CallModel::Inactive : CallModel::Library, &F, K};
}

/// x86's comparisons, and conversions of numbers to integers; not to the bits
/// of a half.
static bool comparesOnProcessor(const CallBase &Call, const Function &F) {
  StringRef Name = F.getName();
  return Name.starts_with("llvm.x86.") && Call.doesNotAccessMemory() &&
         Call.getType()->isIntOrIntVectorTy() && !Name.contains("2ph") &&
         any_of(ArrayRef{"cmp", "com", "cvt", "movmsk", "vtest", "fpclass"},
                [&](StringRef Kind) { return Name.contains(Kind); });
}

static CallModel modelIntrinsic(const CallBase &Call, Function &F) {
  if (isInactiveIntrinsic(F.getIntrinsicID()))
    return {CallModel::Inactive};
  if (std::optional<KnownCall> K = classifyCall(F))
    return modelKnown(F, *K);
  if (!touchesReals(Call) || comparesOnProcessor(Call, F) || isEstimate(Call))
    return {CallModel::Inactive};
  if (F.getIntrinsicID() == Intrinsic::init_trampoline ||
      F.getIntrinsicID() == Intrinsic::adjust_trampoline)
    return {CallModel::Unsupported, &F, std::nullopt,
            "cannot differentiate an internal procedure that uses variables "
            "around it where it is handed to a recursive one, or kept",
            "make it a procedure of its own, which is given what it uses"};
  return {CallModel::Unsupported, &F, std::nullopt,
          "cannot differentiate the intrinsic '" + F.getName().str() + "'",
          "rewrite the expression, or report it: it has no rule yet"};
}

/// Whether a store through \p P may reach memory of the caller that holds
/// numbers.
static bool mayLeadToNumbers(const Value *P) {
  const Value *Object = getUnderlyingObject(P);
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return holdsReal(G->getValueType()) || G->getValueType()->isPointerTy();
  return !isa<AllocaInst>(Object);
}

static bool mayWriteNumbers(const Function &F,
                            SmallPtrSetImpl<const Function *> &Seen);

static bool mayWriteNumbers(const CallBase &Call,
                            SmallPtrSetImpl<const Function *> &Seen) {
  if (Call.isInlineAsm())
    return false;
  auto *F = dyn_cast<Function>(
      Call.getCalledOperand()->stripPointerCastsAndAliases());
  if (!F)
    return true;
  std::optional<KnownCall> K = classifyCall(*F);
  if (!K) // Without a body, nobody knows.
    return !F->isDeclaration() && !isRuntimeFunction(*F) &&
           mayWriteNumbers(*F, Seen);
  return K->FirstScanned >= 0 || K->K == KnownCall::Sort ||
         K->K == KnownCall::Reallocate ||
         (K->Destination >= 0 &&
          mayLeadToNumbers(Call.getArgOperand(K->Destination)));
}

/// Whether \p F may overwrite numbers of its caller, by what is seen of it.
static bool mayWriteNumbers(const Function &F,
                            SmallPtrSetImpl<const Function *> &Seen) {
  return Seen.insert(&F).second && any_of(instructions(F), [&](auto &I) {
           if (isInert(I))
             return false;
           if (auto *Call = dyn_cast<CallBase>(&I))
             return mayWriteNumbers(*Call, Seen);
           if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
             return mayLeadToNumbers(I.getOperand(0));
           return isa<StoreInst>(I) && mayLeadToNumbers(I.getOperand(1));
         });
}

/// A call of a function that the user marked.
static CallModel modelMarked(const CallBase &Call, Function &F) {
  if (writesWhereNobodyKnows(Call))
    return {CallModel::Unsupported, &F, std::nullopt,
            "the inactive function '" + demangle(F.getName()) +
                "' may overwrite numbers that a pointer leads to, and it is "
                "not known how many",
            "call verso_detach(pointer, bytes) behind it, or declare them "
            "const if it only reads"};
  SmallPtrSet<const Function *, 8> Seen;
  bool IsSilent = !F.isDeclaration() && !F.isVarArg() && !writesNoNumbers(F) &&
                  F.getFunctionType() == Call.getFunctionType() &&
                  mayWriteNumbers(F, Seen);
  return {IsSilent ? CallModel::Silent : CallModel::Inactive, &F};
}

/// With UBSan's check, what never returns is not declared so.
static bool doesNotReturn(const CallBase &Call) {
  auto *Next = dyn_cast_or_null<CallInst>(Call.getNextNode());
  const Function *Check = Next ? Next->getCalledFunction() : nullptr;
  return Call.doesNotReturn() ||
         (Check &&
          Check->getName().starts_with("__ubsan_handle_builtin_unreachable"));
}

bool verso::isLongJump(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return Call.hasFnAttr(Attribute::ReturnsTwice) ||
         (F && F->getName().contains("longjmp"));
}

/// Nothing comes of what never returns; of a panic of Rust comes a message. A
/// long jump goes on elsewhere.
static bool endsProgram(const CallBase &Call, const Function &F) {
  return doesNotReturn(Call) && !isLongJump(Call) &&
         (Call.doesNotThrow() || F.getName().starts_with("_R"));
}

static constexpr StringLiteral Release = "verso-release";

bool verso::isRelease(const CallBase &Call) {
  return Call.getAttributes().hasFnAttr(Release);
}

void verso::markAsRelease(CallBase &Call) {
  Call.addFnAttr(Attribute::get(Call.getContext(), Release));
}

CallModel verso::modelCall(const CallBase &Call, const TargetLibraryInfo *TLI) {
  if (isRelease(Call))
    return {CallModel::Inactive, Call.getCalledFunction()};
  if (Call.hasMetadata("verso.twin"))
    return {CallModel::Twin};
  if (isInert(Call) || isMappedAddress(Call) || isZeroTest(Call) ||
      isDetachedValue(Call) || isKept(Call))
    return {CallModel::Inactive};
  if (Call.isInlineAsm())
    return modelAssembly(Call);
  if (Operation::match(const_cast<CallBase &>(Call), TLI) ||
      Operation::isTwoResultCall(Call, TLI))
    return {CallModel::Operation};
  const Value *Callee = Call.getCalledOperand();
  auto *F = const_cast<Function *>(
      dyn_cast<Function>(Callee->stripPointerCastsAndAliases()));
  if (!F)
    return {CallModel::Indirect};
  if (calls(Call, RuntimeFunction::Keep))
    return {CallModel::Unsupported, F, std::nullopt,
            "__verso_linearize inside a differentiated function",
            "use __verso_vjp or __verso_jvp there"};
  if (!isInert(Call) && (calls(Call, RuntimeFunction::LoadHalf) ||
                         calls(Call, RuntimeFunction::StoreHalf)))
    return {CallModel::Unsupported, F, std::nullopt,
            "a request over two-byte numbers in memory inside a differentiated "
            "function",
            "use float in memory there"};
  if (isRuntimeFunction(*F))
    return {CallModel::Inactive};
  if (isMarkedInactive(*F))
    return modelMarked(Call, *F);
  if (F->isIntrinsic())
    return modelIntrinsic(Call, *F);
  if (std::optional<KnownCall> K = classifyCall(*F))
    return modelKnown(*F, *K);
  std::string Name = demangle(F->getName());
  auto *Named = dyn_cast<GlobalValue>(Callee->stripPointerCasts());
  if (!F->isDeclaration() &&
      (F->isInterposable() || (Named && Named->isInterposable())))
    return {CallModel::Unsupported, F, std::nullopt,
            "cannot differentiate the call of '" + Name +
                "': it is weak, and another definition may take its place when "
                "the program is linked",
            "make it not weak, or mark it verso_inactive if it carries no "
            "derivative"};
  if (!F->isDeclaration())
    return {CallModel::Direct, F};
  if (Call.hasFnAttr(Attribute::ReturnsTwice))
    return {CallModel::Unsupported, F, std::nullopt,
            "cannot differentiate the call of '" + Name +
                "', which may return twice",
            "use setjmp, return a status, or throw an exception"};
  if (endsProgram(Call, *F))
    return {CallModel::Inactive, F};
  const bool OfFortran = StringRef(Name).starts_with("mpi_");
  if (OfFortran || StringRef(Name).starts_with("MPI_"))
    return {CallModel::Unsupported, F, std::nullopt,
            "cannot differentiate the call of '" + Name +
                "': it may communicate numbers",
            std::string(OfFortran
                            ? "compile verso/mpi_fortran.c, and all files with "
                              "-flto, and link with the plugin"
                            : "include <verso/mpi.h> in the place of <mpi.h> "
                              "here") +
                "; of what that does not know (one-sided communication, files, "
                "collective functions that begin and end, mpi_f08) put it into "
                "a function marked verso_inactive if it moves no numbers that "
                "vary"};
  if (executesPlan(*F))
    return {CallModel::Unsupported, F, std::nullopt,
            "the arrays of a plan that '" + Name +
                "' executes are not in sight",
            "make the plan in the differentiated function, or call the "
            "function that is given arrays, as fftw_execute_dft"};
  if (std::optional<LeftAlone> Left = whyLeftAlone(Call, *F))
    return {CallModel::Unsupported, F, std::nullopt,
            "cannot differentiate the call of '" + Name + "': " + Left->Why,
            Left->Remedy};
  return {CallModel::Unsupported, F, std::nullopt,
          "cannot differentiate the call of '" + Name +
              "': it has no body here and no rule",
          "make its body visible (same file, header, or -flto), mark it "
          "verso_inactive if it carries no derivative, or say its derivative "
          "by VERSO_DERIVATIVE, VERSO_DIFFERENTIATE_AS or VERSO_CUSTOM_VJP"};
}

CallModel verso::modelRewrittenCall(const CallBase &Call,
                                    const TargetLibraryInfo *TLI) {
  CallModel M = modelCall(Call, TLI);
  if (M.K == CallModel::Direct) {
    M.Why = "cannot differentiate this call of a variadic function";
    M.Remedy = "pass the numbers as an array, or mark it verso_inactive if it "
               "carries no derivative";
  } else if (M.K == CallModel::Indirect) {
    M.Why =
        "cannot differentiate a call of a variadic function through a pointer";
    M.Remedy = "call the function by its name or pass the numbers as an array; "
               "if the pointer has no prototype, give it one";
  } else {
    return M;
  }
  M.K = CallModel::Unsupported;
  return M;
}
