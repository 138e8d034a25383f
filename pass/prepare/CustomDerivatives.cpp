//===- CustomDerivatives.cpp - derivatives that the program gives ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the start of the pipeline to where requests are lowered an array holds
//
//   {what takes f's place, what f was, fx, fy, ...}
//
// under a name of ours, so that a link for LTO keeps together what belongs
// together. While requests are lowered there are no arrays: what is in them
// would look as if its address had been taken.
//
//===----------------------------------------------------------------------===//

#include "prepare/CustomDerivatives.h"
#include "Diagnostics.h"
#include "prepare/EnzymeDerivatives.h"
#include "request/EntryPoints.h"
#include "rules/Given.h"
#include "rules/KnownCalls.h"
#include "rules/RuleTable.h"
#include "rules/Shielded.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace verso;

namespace {

/// The macros of verso.h, in the order of CustomDerivatives::Custom::Kind.
struct ArrayKind {
  StringLiteral Macro, InProgram, Kept;
};

} // namespace

static constexpr ArrayKind Kinds[] = {
    {"VERSO_DERIVATIVE", "verso_derivative_", "verso.custom.derivative"},
    {"VERSO_DIFFERENTIATE_AS", "verso_differentiate_as_",
     "verso.custom.instead"},
    {"VERSO_CUSTOM_VJP", "verso_custom_vjp_", "verso.custom.vjp"}};
static constexpr unsigned Instead = 1;

/// Behind such a name: calls of the function may have been inlined before.
static constexpr StringLiteral LateSuffix = ".late";

/// What takes the place of a function without a body.
static constexpr StringLiteral FrontPrefix = "verso.custom.of.";
static constexpr StringLiteral PartialAttribute = "verso-partial";

/// Which of Kinds an array of the program is.
static std::optional<unsigned> kindInProgram(const GlobalVariable &G) {
  if (!G.hasInitializer() || !G.getName().contains("verso_"))
    return std::nullopt;
  std::string Name = baseName(G);
  for (auto [K, Kind] : enumerate(Kinds))
    if (StringRef(Name).starts_with(Kind.InProgram))
      return K;
  return std::nullopt;
}

/// Which of Kinds an array of ours is.
static std::optional<unsigned> kindOfKept(const GlobalVariable &G) {
  for (auto [K, Kind] : enumerate(Kinds))
    if (G.hasInitializer() && G.getName().starts_with(Kind.Kept))
      return K;
  return std::nullopt;
}

bool verso::hasCustomDerivatives(const Module &M) {
  return any_of(M.globals(),
                [](const GlobalVariable &G) {
                  return kindInProgram(G) || kindOfKept(G);
                }) ||
         hasEnzymeDerivatives(M);
}

/// The functions in an array, null where there is none.
static SmallVector<Function *, 6> functionsIn(const GlobalVariable &Array) {
  SmallVector<Function *, 6> Functions;
  for (const Use &Each : Array.getInitializer()->operands())
    Functions.push_back(const_cast<Function *>(
        dyn_cast<Function>(Each->stripPointerCastsAndAliases())));
  return Functions;
}

/// What an array of ours says of a VJP, behind f in both forms.
static CustomVjp readVjp(const GlobalVariable &Array) {
  CustomVjp Given;
  SmallVector<Constant *, 8> All;
  for (const Use &Each : Array.getInitializer()->operands())
    All.push_back(cast<Constant>(Each));
  if (All.size() != 7)
    return Given;
  auto FunctionAt = [&](unsigned K) {
    return dyn_cast<Function>(All[K]->stripPointerCastsAndAliases());
  };
  Given.Counts = FunctionAt(2);
  Given.Vjp = FunctionAt(3);
  Given.Jvp = FunctionAt(4);
  getConstantStringInfo(All[5], Given.Roles);
  Given.Communicates = Given.Roles.consume_front("!");
  auto *Size = dyn_cast<ConstantExpr>(All[6]);
  auto *Bytes = Size && Size->getOpcode() == Instruction::IntToPtr
                    ? dyn_cast<ConstantInt>(Size->getOperand(0))
                    : nullptr;
  if (Bytes && Bytes->equalsInt(sizeof(double)))
    Given.Number = Type::getDoubleTy(Array.getContext());
  if (Bytes && Bytes->equalsInt(sizeof(float)))
    Given.Number = Type::getFloatTy(Array.getContext());
  return Given;
}

/// Of a static array in a block of extern "C" clang makes an alias with the
/// name that C would give it.
static void erase(GlobalVariable &Array) {
  removeFromUsedLists(*Array.getParent(), [&](Constant *C) {
    return C->stripPointerCastsAndAliases() == &Array;
  });
  Array.removeDeadConstantUsers();
  for (User *U : make_early_inc_range(Array.users()))
    if (auto *Alias = dyn_cast<GlobalAlias>(U); Alias && Alias->use_empty())
      Alias->eraseFromParent();
  if (Array.use_empty())
    Array.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// What takes f's place
//===----------------------------------------------------------------------===//

/// A function of f's type and attributes without a body that only this module
/// knows.
static Function *likeButInternal(Function &F, const Twine &Name) {
  Function *Own = Function::Create(
      F.getFunctionType(), GlobalValue::InternalLinkage, Name, *F.getParent());
  Own->copyAttributesFrom(&F);
  Own->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Own->setVisibility(GlobalValue::DefaultVisibility);
  Own->setDSOLocal(true);
  for (auto [New, Old] : zip(Own->args(), F.args())) {
    New.setName(Old.getName());
    // Its derivative is not the argument's.
    New.removeAttr(Attribute::Returned);
  }
  return Own;
}

/// callee(arguments of F)
static CallInst *passOn(IRBuilderBase &B, Function &Callee, Function &F) {
  SmallVector<Value *, 8> Arguments;
  SmallVector<AttributeSet, 8> OfArguments;
  AttributeList OfCallee = Callee.getAttributes();
  for (Argument &A : F.args()) {
    Arguments.push_back(&A);
    OfArguments.push_back(
        OfCallee.getParamAttrs(A.getArgNo())
            .removeAttribute(F.getContext(), Attribute::Returned));
  }
  CallInst *Call = B.CreateCall(&Callee, Arguments);
  Call->setCallingConv(Callee.getCallingConv());
  Call->setAttributes(AttributeList::get(F.getContext(), AttributeSet(),
                                         OfCallee.getRetAttrs(), OfArguments));
  return Call;
}

static void returnCall(IRBuilderBase &B, Function &Callee, Function &F) {
  CallInst *Call = passOn(B, Callee, F);
  Call->getType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Call);
}

/// What takes f's place, until requests are lowered. Nothing that is known of
/// what it was holds of what is to come: which arguments it looks at, what it
/// returns.
static void callUnseen(Function &Front, Function &Primal) {
  IRBuilder<> B(BasicBlock::Create(Front.getContext(), "", &Front));
  Value *Slot = B.CreateAlloca(Primal.getType());
  B.CreateStore(&Primal, Slot, /*isVolatile=*/true);
  Value *Unseen = B.CreateLoad(Primal.getType(), Slot, /*isVolatile=*/true);
  CallInst *Call = passOn(B, Primal, Front);
  Call->setCalledOperand(Unseen);
  Call->getType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Call);
}

static bool canBeReplacedInPlace(const Function &F) {
  return !F.isDeclaration() && !F.isInterposable() &&
         none_of(F, [](const BasicBlock &Block) {
           return Block.hasAddressTaken();
         });
}

/// Moves f's body into a function of its own.
static Function *moveBody(Function &F) {
  Function *Body = likeButInternal(F, F.getName() + ".primal");
  Body->splice(Body->begin(), &F);
  for (auto [New, Old] : zip(Body->args(), F.args()))
    Old.replaceAllUsesWith(&New);
  Body->setSubprogram(F.getSubprogram());
  F.setSubprogram(nullptr);
  return Body;
}

/// Lets calls by name, and requests, refer to \p Front in \p F's place; not in
/// the functions \p But.
static void redirectCalls(Function &F, Function &Front,
                          ArrayRef<Function *> But) {
  F.replaceUsesWithIf(&Front, [&](Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || is_contained(But, Call->getFunction()))
      return false;
    if (Call->isCallee(&U))
      return Call->getFunctionType() == F.getFunctionType();
    const Function *To = Call->getCalledFunction();
    return To && classifyEntryPoint(*To);
  });
}

/// What takes the place of \p F, and what \p F was. \p Others have calls of
/// their own of what it was.
static std::pair<Function *, Function *> replace(Function &F,
                                                 ArrayRef<Function *> Others) {
  Function *Front = &F, *Primal = &F;
  if (canBeReplacedInPlace(F)) {
    Primal = moveBody(F);
    F.replaceUsesWithIf(Primal, [&](Use &U) {
      auto *Call = dyn_cast<CallBase>(U.getUser());
      return Call && Call->isCallee(&U) &&
             is_contained(Others, Call->getFunction());
    });
  } else {
    Front = likeButInternal(F, FrontPrefix + F.getName());
    redirectCalls(F, *Front, Others);
  }
  callUnseen(*Front, *Primal);
  shield(*Front);
  return {Front, Primal};
}

/// Replaces an array of the program by one of ours: \p Functions, and \p Rest
/// of it.
static void keepArray(GlobalVariable &Array, StringRef Name,
                      ArrayRef<Function *> Functions, ArrayRef<Use> Rest = {}) {
  Module &M = *Array.getParent();
  auto *Pointer = PointerType::getUnqual(M.getContext());
  SmallVector<Constant *, 8> Items;
  for (Function *F : Functions)
    Items.push_back(F ? static_cast<Constant *>(F)
                      : ConstantPointerNull::get(Pointer));
  for (const Use &Other : Rest)
    Items.push_back(cast<Constant>(Other));
  auto *T = ArrayType::get(Pointer, Items.size());
  auto *Kept = new GlobalVariable(M, T, /*isConstant=*/true,
                                  GlobalValue::InternalLinkage,
                                  ConstantArray::get(T, Items), Name);
  SmallVector<DIGlobalVariableExpression *, 1> Lines;
  Array.getDebugInfo(Lines);
  for (DIGlobalVariableExpression *Line : Lines)
    Kept->addDebugInfo(Line);
  erase(Array);
  appendToCompilerUsed(M, {Kept});
}

/// Whether the optimiser has been here before: attributes that it finds, and no
/// front end says of a body, or the module of all files of a link (which has no
/// other sign than its name).
static bool isOptimised(const Module &M) {
  return M.getModuleIdentifier() == "ld-temp.o" ||
         any_of(M, [](const Function &F) {
           return !F.isDeclaration() && (F.hasFnAttribute(Attribute::NoSync) ||
                                         F.hasFnAttribute(Attribute::NoFree));
         });
}

bool verso::preserveCustomDerivatives(Module &M) {
  translateEnzymeDerivatives(M);
  SmallVector<std::pair<GlobalVariable *, unsigned>, 4> Arrays;
  DenseMap<Function *, std::pair<Function *, Function *>> Known;
  const bool WasOptimised = isOptimised(M);
  for (GlobalVariable &G : M.globals())
    if (std::optional<unsigned> Kind = kindInProgram(G))
      Arrays.push_back({&G, *Kind});
    else if (kindOfKept(G))
      if (auto Functions = functionsIn(G); Functions.size() >= 2)
        for (Function *F : ArrayRef(Functions).take_front(2))
          Known[F] = {Functions[0], Functions[1]};
  for (auto [Array, Kind] : Arrays) {
    SmallVector<Function *, 6> Functions = functionsIn(*Array);
    Function *F = Functions.empty() ? nullptr : Functions[0];
    if (!F || F->isVarArg()) { // To be reported.
      keepArray(*Array, Kinds[Kind].Kept, F);
      continue;
    }
    ArrayRef<Function *> Others = ArrayRef(Functions).drop_front();
    std::string Name = Kinds[Kind].Kept.str();
    if (WasOptimised && !F->isDeclaration() && !F->hasOptNone())
      Name += LateSuffix;
    auto [It, New] = Known.insert({F, {}});
    if (New)
      It->second =
          replace(*F, Kind == Instead ? Others : ArrayRef<Function *>());
    const Constant &All = *Array->getInitializer();
    keepArray(*Array, Name, {It->second.first, It->second.second},
              ArrayRef<Use>(All.op_begin(), All.op_end()).drop_front());
  }
  return !Arrays.empty();
}

//===----------------------------------------------------------------------===//
// What requests see
//===----------------------------------------------------------------------===//

/// Whether there are calls of an intrinsic that stands for \p F, a function of
/// the C library.
static bool isComputedByCompiler(const Function &F) {
  StringRef Suffix, Name = F.getName();
  if (!F.isDeclaration() || !rules::findFunctionRule(Name, Suffix))
    return false;
  std::string Prefix = ("llvm." + Name.drop_back(Suffix.size()) + ".").str();
  return any_of(*F.getParent(), [&](const Function &G) {
    return G.isIntrinsic() && G.getName().starts_with(Prefix) &&
           !G.use_empty() && G.getReturnType() == F.getReturnType();
  });
}

/// A function of MPI that numbers may go to other processes by, and that \p F
/// calls, directly or not; null if there is none.
static const Function *communicatesIn(const Function &F) {
  SmallPtrSet<const Function *, 16> Seen{&F};
  SmallVector<const Function *, 16> Work{&F};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val()))
      for (const Value *Op : I.operands()) {
        auto *Used = dyn_cast<Function>(Op);
        if (!Used || !Seen.insert(Used).second)
          continue;
        if (Used->isDeclaration() && Used->getName().starts_with("MPI_") &&
            !classifyCall(*Used))
          return Used;
        Work.push_back(Used);
      }
  return nullptr;
}

bool CustomDerivatives::isRight(const GlobalVariable &Array, const Custom &C) {
  auto Wrong = [&](const Twine &Message, const Twine &Remedy) {
    D.error(Array, Kinds[C.Kind].Macro + ": " + Message, Remedy);
    return false;
  };
  if (!C.Front)
    return Wrong("the first operand is no function",
                 "give the function, then what stands for its derivative");
  std::string Name = "'" + sourceName(C.Primal ? C.named() : *C.Front) + "'";
  if (C.Primal && isComputedByCompiler(C.named()))
    return Wrong("the compiler computes " + Name +
                     " itself here, and does not call it",
                 "compile with -fno-builtin-" + C.named().getName());
  if (Array.getName().contains(LateSuffix))
    return Wrong(Name + " has a body, and calls of it may have been inlined "
                        "before the plugin saw them",
                 "give -fpass-plugin for the files that say its derivative "
                 "when they are compiled, too");
  if (C.Front->isVarArg())
    return Wrong(Name + " takes any number of arguments",
                 "give a function with a fixed number");
  if (C.Kind == Custom::Vjp) {
    CustomVjp::Mistake Found = C.Given.check(*C.Front);
    if (!Found.Message.empty())
      return Wrong(Found.Message, Found.Remedy);
    const Function *Sends =
        C.Given.Communicates || !C.Primal ? nullptr : communicatesIn(*C.Primal);
    return !Sends ||
           Wrong(Name + " calls '" + sourceName(*Sends) +
                     "', for which other processes wait",
                 "begin the roles with !; a function of VERSO_CHECKPOINTED is "
                 "one of VERSO_CHECKPOINTED_AMONG then");
  }
  FunctionType *T = C.Front->getFunctionType();
  for (const Function *Other : C.Others)
    if (Other && Other->getFunctionType() != T)
      return Wrong("'" + sourceName(*Other) +
                       "' has other arguments or another result than " + Name,
                   "they have to be the function's, in its order");
  if (C.Kind == Custom::Instead)
    return (C.Others.size() == 1 && C.Others[0]) ||
           Wrong("the second operand is no function",
                 "give the function that is differentiated in place of " +
                     Name);
  if (!T->getReturnType()->isFloatingPointTy())
    return Wrong(Name + " does not return a number",
                 "use VERSO_DIFFERENTIATE_AS, which takes any function");
  size_t Numbers = count_if(
      T->params(), [](const Type *P) { return P->isFloatingPointTy(); });
  if (Numbers != C.Others.size())
    return Wrong(Name + " has " + Twine(Numbers) +
                     " numbers among its arguments, and " +
                     Twine(C.Others.size()) + " partial derivatives are given",
                 "give one for each number by value, in order; 0 where it is "
                 "zero everywhere");
  return true;
}

CustomDerivatives::CustomDerivatives(Module &M, Diagnostics &D) : M(M), D(D) {
  preserveCustomDerivatives(M);
  reportEnzymeDerivatives(M, D);
  DenseMap<Function *, SmallVector<Function *, 6>> Seen;
  SmallVector<GlobalVariable *, 4> Arrays;
  for (GlobalVariable &G : M.globals())
    if (kindOfKept(G))
      Arrays.push_back(&G);
  for (GlobalVariable *G : Arrays) {
    SmallVector<Function *, 6> All = functionsIn(*G);
    Custom C{decltype(Custom::Kind)(*kindOfKept(*G)),
             All.empty() ? nullptr : All[0],
             All.size() < 2 ? nullptr : All[1],
             {},
             {}};
    if (C.Kind == Custom::Vjp)
      C.Given = readVjp(*G);
    append_range(C.Others, drop_begin(All, std::min<size_t>(All.size(), 2)));
    // The same header in several files of a link says it several times.
    auto [It, New] = Seen.insert({C.Front, All});
    bool Right = isRight(*G, C);
    GlobalNumberState Numbers;
    auto AreCopies = [&](Function *F, Function *G) {
      return F == G ||
             (F && G && F->hasLocalLinkage() && G->hasLocalLinkage() &&
              !F->isDeclaration() && !G->isDeclaration() &&
              !FunctionComparator(F, G, &Numbers).compare());
    };
    if (Right && !New && !equal(It->second, All, AreCopies))
      D.error(*G, "'" + sourceName(C.named()) + "' has two derivatives",
              "give one");
    if (New && C.Primal) {
      Customs.push_back(C);
      if (Right)
        setFront(C);
    }
    erase(*G);
  }
}

void CustomDerivatives::setFront(const Custom &C) {
  Function &F = *C.Front;
  unshield(F);
  F.removeFnAttr(Attribute::NoInline);
  F.dropAllReferences(); // callUnseen's
  auto *Entry = BasicBlock::Create(M.getContext(), "", &F);
  auto *Plain = BasicBlock::Create(M.getContext(), "", &F);
  auto *Differentiated = BasicBlock::Create(M.getContext(), "", &F);
  IRBuilder<> B(Entry);
  Value *Which = B.CreateCall(
      M.getOrInsertFunction("verso_is_differentiated", B.getInt32Ty()));
  B.CreateCondBr(B.CreateICmpNE(Which, B.getInt32(0)), Differentiated, Plain);
  B.SetInsertPoint(Plain);
  returnCall(B, *C.Primal, F);
  B.SetInsertPoint(Differentiated);
  if (C.Kind == Custom::Instead)
    returnCall(B, *C.Others[0], F);
  else if (C.Kind == Custom::Vjp)
    emitStagedCall(B, F, *C.Primal, C.Given, Staged);
  else
    emitByPartials(B, C);
}

/// A function that calls \p F and is inactive.
Function *CustomDerivatives::inactive(Function &F, const Twine &Name) {
  Function *Own = likeButInternal(F, Name);
  Inactive.push_back(Own);
  Own->removeFnAttr(Attribute::AlwaysInline);
  Own->removeFnAttr(Attribute::OptimizeNone);
  Own->addFnAttr(Attribute::NoInline);
  Own->addFnAttr("verso_inactive");
  // Of a function without a body the header says so.
  if (F.isDeclaration())
    Own->setOnlyReadsMemory();
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Own));
  returnCall(B, F, *Own);
  return Own;
}

void CustomDerivatives::emitByPartials(IRBuilderBase &B, const Custom &C) {
  Function &F = *C.Front;
  Type *T = F.getReturnType();
  Value *Result = passOn(B, *inactive(*C.Primal, F.getName() + ".value"), F);
  unsigned Number = 0;
  for (Argument &A : F.args())
    if (A.getType()->isFloatingPointTy())
      if (Function *Of = C.Others[Number++]) {
        Function *Partial = inactive(*Of, Of->getName() + ".partial");
        Partial->addFnAttr(PartialAttribute);
        // Else a copy that notes what it writes would ask for f's derivative,
        // where it calls f.
        Partial->addFnAttr("verso_writes_no_numbers");
        Result =
            emitGiven(B, B.CreateFPCast(&A, T), passOn(B, *Partial, F), Result);
      }
  B.CreateRet(Result);
}

/// Calls of an inactive function of ours are calls of what it calls.
static void inlineCalls(ArrayRef<CallBase *> Calls) {
  for (CallBase *Call : Calls) {
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
}

void verso::openPartials(Function &F) {
  SmallVector<CallBase *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const Function *Callee = Call->getCalledFunction();
          Callee && Callee->hasFnAttribute(PartialAttribute))
        Calls.push_back(Call);
  inlineCalls(Calls);
}

//===----------------------------------------------------------------------===//
// As the program has it
//===----------------------------------------------------------------------===//

void CustomDerivatives::restore(const Custom &C) {
  Function &F = *C.Front;
  if (!C.isInPlace()) {
    F.replaceAllUsesWith(C.Primal);
    F.eraseFromParent();
    return;
  }
  Function &Body = *C.Primal;
  F.dropAllReferences();
  F.splice(F.begin(), &Body);
  for (auto [New, Old] : zip(F.args(), Body.args()))
    Old.replaceAllUsesWith(&New);
  F.setAttributes(Body.getAttributes());
  if (Body.hasPersonalityFn())
    F.setPersonalityFn(Body.getPersonalityFn());
  DISubprogram *Lines = Body.getSubprogram();
  Body.setSubprogram(nullptr);
  F.setSubprogram(Lines);
  Body.replaceAllUsesWith(&F);
  Body.eraseFromParent();
}

void CustomDerivatives::release() {
  for (const Custom &C : Customs)
    restore(C);
  releaseStaged(Staged);
  lowerGiven(M);
  for (Function *F : Inactive) {
    SmallVector<CallBase *, 8> Calls;
    for (User *U : F->users())
      if (auto *Call = dyn_cast<CallBase>(U))
        Calls.push_back(Call);
    inlineCalls(Calls);
    if (F->use_empty())
      F->eraseFromParent();
  }
}
