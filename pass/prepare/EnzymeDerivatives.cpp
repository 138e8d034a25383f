//===- EnzymeDerivatives.cpp - derivatives given in Enzyme's way ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/EnzymeDerivatives.h"
#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "request/EntryPoints.h"
#include "rules/KnownCalls.h"
#include "rules/Operation.h"
#include "rules/RuleTable.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace verso;

namespace {

/// What one array, or annotation, says.
struct Given {
  enum { Like, Derivative, Gradient } Kind;
  GlobalVariable *Array = nullptr; ///< Null for an annotation.
  Function *F = nullptr, *Augmented = nullptr, *Rule = nullptr;
  StringRef Name = {}; ///< Of the function that F is like.
  std::string Message = {}, Remedy = {};
};

} // namespace

static constexpr StringLiteral Prefixes[] = {"__enzyme_function_like",
                                             "__enzyme_register_derivative",
                                             "__enzyme_register_gradient"};
static constexpr StringLiteral LikeAnnotation = "enzyme_function_like=";
/// The annotation of a function was translated; it stays.
static constexpr StringLiteral KnownAttribute = "verso-known-derivative";

static std::optional<unsigned> kindOf(const GlobalVariable &G) {
  if (!G.hasInitializer() || !G.getName().contains("__enzyme_"))
    return std::nullopt;
  std::string Name = baseName(G);
  for (auto [K, Prefix] : enumerate(Prefixes))
    if (StringRef(Name).starts_with(Prefix))
      return K;
  return std::nullopt;
}

bool verso::hasEnzymeDerivatives(const Module &M) {
  bool Any = any_of(M.globals(), [](auto &G) { return bool(kindOf(G)); });
  forEachAnnotation(M, [&](const Constant &, StringRef Text) {
    Any |= Text.starts_with(LikeAnnotation);
  });
  return Any;
}

//===----------------------------------------------------------------------===//
// Whether it can be understood
//===----------------------------------------------------------------------===//

/// The numbers that a value of \p T consists of.
static unsigned countNumbers(Type *T) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    unsigned Sum = 0;
    for (Type *Element : Struct->elements())
      Sum += countNumbers(Element);
    return Sum;
  }
  if (auto *Array = dyn_cast<ArrayType>(T))
    return Array->getNumElements() * countNumbers(Array->getElementType());
  if (auto *Vector = dyn_cast<FixedVectorType>(T))
    return Vector->getNumElements();
  return T->isFloatingPointTy();
}

static unsigned countArguments(const Function &F) {
  return count_if(F.args(),
                  [](auto &A) { return A.getType()->isFloatingPointTy(); });
}

/// What \p F returns; by a pointer, the first argument, where the ABI has it
/// so.
static Type *resultOf(const Function &F) {
  Type *ByPointer = F.arg_empty() ? nullptr : F.getParamStructRetType(0);
  return ByPointer ? ByPointer : F.getReturnType();
}

/// The types of a rule's arguments, but for what the ABI adds.
static ArrayRef<Type *> argumentsOf(const Function &F) {
  auto All = F.getFunctionType()->params();
  return !F.arg_empty() && F.getParamStructRetType(0) ? All.drop_front() : All;
}

/// Whether a value of type \p First is the first thing in what is returned as
/// \p Whole, as the ABI has it.
static bool beginsWith(Type *Whole, Type *First) {
  if (Whole == First)
    return true;
  if (auto *Struct = dyn_cast<StructType>(Whole))
    return Struct->getNumElements() &&
           beginsWith(Struct->getElementType(0), First);
  if (auto *Vector = dyn_cast<FixedVectorType>(Whole))
    return Vector->getElementType() == First;
  return Whole->isIntegerTy() && First->isIntegerTy() &&
         Whole->getIntegerBitWidth() > First->getIntegerBitWidth();
}

/// \p G's derivatives, or a message.
static Given check(Given G) {
  auto Wrong = [&](const Twine &Message, const Twine &Remedy) {
    G.Message = Message.str();
    G.Remedy = Remedy.str();
    return G;
  };
  if (!G.F)
    return Wrong("the first operand is no function",
                 "give the function, then what stands for its derivative");
  std::string Name = "'" + sourceName(*G.F) + "'";
  if (any_of(G.F->args(), [](auto &A) { return A.getType()->isPointerTy(); }))
    return Wrong(Name + " has pointers, and the rule does not say how many "
                        "numbers they lead to",
                 "use VERSO_CUSTOM_VJP of verso/verso.h, which does");
  if (G.F->isVarArg() || !G.F->getReturnType()->isFloatingPointTy() ||
      any_of(G.F->args(), [](auto &A) {
        return !A.getType()->isFloatingPointTy() && !A.getType()->isIntegerTy();
      }))
    return Wrong(Name + " is not a function of numbers that returns one",
                 "use VERSO_CUSTOM_VJP or VERSO_DIFFERENTIATE_AS of "
                 "verso/verso.h");
  if (G.Kind == Given::Like) {
    StringRef Suffix;
    const rules::Rule *R = rules::findFunctionRule(G.Name, Suffix);
    return R && R->Kind == rules::RuleKind::Function &&
                   R->NumOperands == G.F->arg_size() &&
                   countArguments(*G.F) == G.F->arg_size()
               ? G
               : Wrong("no function '" + G.Name + "' of the arguments of " +
                           Name + " is known",
                       "give the name of a function of the C library's math.h");
  }
  if (!G.Rule)
    return Wrong("what stands for the derivative is no function",
                 "give a function");
  SmallVector<Type *, 8> Wanted;
  for (Type *T : G.F->getFunctionType()->params()) {
    Wanted.push_back(T);
    if (G.Kind == Given::Derivative && T->isFloatingPointTy())
      Wanted.push_back(T);
  }
  unsigned Results = countNumbers(resultOf(*G.Rule));
  if (G.Kind == Given::Derivative)
    return ArrayRef(Wanted) == argumentsOf(*G.Rule) &&
                   (Results == 1 || Results == 2)
               ? G
               : Wrong("'" + sourceName(*G.Rule) + "' does not fit " + Name,
                       "it has a tangent behind each number, and returns one");
  if (!G.Augmented)
    return Wrong("the second operand is no function", "give a function");
  if (ArrayRef(Wanted) != argumentsOf(*G.Augmented))
    return Wrong("'" + sourceName(*G.Augmented) +
                     "' has other arguments than " + Name,
                 "they have to be the function's, in its order");
  Wanted.push_back(G.F->getReturnType());
  if (Type *Tape = resultOf(*G.Augmented); !Tape->isVoidTy()) {
    auto Given = argumentsOf(*G.Rule);
    if (Given.empty() || !beginsWith(Tape, Given.back()))
      return Wrong("'" + sourceName(*G.Rule) + "' does not take what '" +
                       sourceName(*G.Augmented) + "' returns first",
                   "it is the last argument");
    Wanted.push_back(Given.back());
  }
  return ArrayRef(Wanted) == argumentsOf(*G.Rule) &&
                 Results == countArguments(*G.F)
             ? G
             : Wrong("'" + sourceName(*G.Rule) + "' does not fit " + Name,
                     "its arguments are those of the function, the adjoint of "
                     "the result, and what the second operand returns, if it "
                     "does; it returns an adjoint for each number");
}

/// What the module says, the gradients of a function before its tangent.
static SmallVector<Given, 4> collect(Module &M) {
  SmallVector<Given, 4> All;
  for (GlobalVariable &G : M.globals())
    if (std::optional<unsigned> Kind = kindOf(G)) {
      SmallVector<Value *, 4> Items;
      if (isa<ConstantAggregate>(G.getInitializer()))
        for (Value *Item : G.getInitializer()->operands())
          Items.push_back(Item->stripPointerCastsAndAliases());
      Items.resize(3);
      Given Each{decltype(Given::Kind)(*Kind), &G};
      Each.F = dyn_cast_or_null<Function>(Items[0]);
      if (Each.Kind == Given::Like) {
        if (Items[1])
          getConstantStringInfo(Items[1], Each.Name);
      } else {
        bool IsGradient = Each.Kind == Given::Gradient;
        if (IsGradient)
          Each.Augmented = dyn_cast_or_null<Function>(Items[1]);
        Each.Rule = dyn_cast_or_null<Function>(Items[IsGradient ? 2 : 1]);
      }
      All.push_back(check(Each));
    }
  forEachAnnotation(M, [&](Constant &Of, StringRef Text) {
    if (Text.consume_front(LikeAnnotation)) {
      Given Each{Given::Like};
      Each.F = dyn_cast<Function>(&Of);
      Each.Name = Text;
      if (Each.F && Each.F->hasFnAttribute(KnownAttribute))
        return;
      All.push_back(check(Each));
    }
  });
  stable_sort(All,
              [](const Given &A, const Given &B) { return A.Kind > B.Kind; });
  return All;
}

//===----------------------------------------------------------------------===//
// Partial derivatives
//===----------------------------------------------------------------------===//

/// The number \p Which of those that \p V consists of, and counts down.
static Value *numberIn(IRBuilderBase &B, Value *V, unsigned &Which) {
  Type *T = V->getType();
  if (T->isFloatingPointTy())
    return Which-- ? nullptr : V;
  if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    unsigned N = Vector->getNumElements();
    if (Which < N)
      return B.CreateExtractElement(V, Which);
    Which -= N;
    return nullptr;
  }
  unsigned Elements = T->isStructTy()  ? T->getStructNumElements()
                      : T->isArrayTy() ? T->getArrayNumElements()
                                       : 0;
  for (unsigned K = 0; K != Elements; ++K)
    if (Value *Found = numberIn(B, B.CreateExtractValue(V, K), Which))
      return Found;
  return nullptr;
}

/// What beginsWith() says.
static Value *firstIn(IRBuilderBase &B, Value *Whole, Type *First) {
  if (Whole->getType() == First)
    return Whole;
  if (Whole->getType()->isStructTy())
    return firstIn(B, B.CreateExtractValue(Whole, 0), First);
  return Whole->getType()->isVectorTy()
             ? B.CreateExtractElement(Whole, uint64_t(0))
             : B.CreateTrunc(Whole, First);
}

/// What \p F returns for \p Arguments, also by a pointer.
static Value *call(IRBuilderBase &B, Function &F, ArrayRef<Value *> Arguments) {
  SmallVector<Value *, 8> All(Arguments);
  Type *ByPointer = F.arg_empty() ? nullptr : F.getParamStructRetType(0);
  if (ByPointer)
    All.insert(All.begin(), B.CreateAlloca(ByPointer));
  CallInst *Call = B.CreateCall(&F, All);
  Call->setAttributes(F.getAttributes());
  Call->setCallingConv(F.getCallingConv());
  return ByPointer ? static_cast<Value *>(B.CreateLoad(ByPointer, All[0]))
                   : Call;
}

/// The derivative of the function by its number \p K, at \p Arguments.
static Value *emitPartial(IRBuilderBase &B, const Given &G, unsigned K,
                          ArrayRef<Value *> Arguments) {
  Type *T = G.F->getReturnType();
  if (G.Kind == Given::Like) {
    StringRef Suffix;
    Module &M = *G.F->getParent();
    std::string Name = rules::findFunctionRule(G.Name, Suffix)->Name.str();
    Name += T->isFloatTy() ? "f" : T->isX86_FP80Ty() ? "l" : "";
    FunctionCallee Like = M.getOrInsertFunction(Name, G.F->getFunctionType());
    TargetLibraryInfoImpl Impl(compat::targetTriple(M));
    TargetLibraryInfo TLI(Impl);
    auto Op = Operation::match(*B.CreateCall(Like, Arguments), &TLI);
    return Op ? Op->emitPartial(B, K) : nullptr;
  }
  SmallVector<Value *, 8> All;
  unsigned Number = 0;
  for (Value *A : Arguments) {
    All.push_back(A);
    if (G.Kind == Given::Derivative && A->getType()->isFloatingPointTy())
      All.push_back(ConstantFP::get(A->getType(), Number++ == K));
  }
  if (G.Kind == Given::Derivative) {
    // The value comes first where both are returned.
    Value *Result = call(B, *G.Rule, All);
    unsigned Last = countNumbers(Result->getType()) - 1;
    return numberIn(B, Result, Last);
  }
  Value *Kept = call(B, *G.Augmented, All);
  All.push_back(ConstantFP::get(T, 1));
  if (!Kept->getType()->isVoidTy())
    All.push_back(firstIn(B, Kept, argumentsOf(*G.Rule).back()));
  return numberIn(B, call(B, *G.Rule, All), K);
}

void verso::translateEnzymeDerivatives(Module &M) {
  SmallPtrSet<Function *, 8> Known;
  for (Given &G : collect(M)) {
    if (!G.Message.empty())
      continue;
    auto *Pointer = PointerType::getUnqual(M.getContext());
    SmallVector<Constant *, 8> Items{G.F};
    unsigned Numbers = Known.insert(G.F).second ? countArguments(*G.F) : 0;
    for (unsigned K = 0; K != Numbers; ++K) {
      auto *Partial =
          Function::Create(G.F->getFunctionType(), Function::InternalLinkage,
                           "verso.enzyme.partial." + G.F->getName(), M);
      Items.push_back(Partial);
      Partial->addFnAttr(Attribute::NoInline);
      IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Partial));
      SmallVector<Value *, 8> Arguments;
      for (Argument &A : Partial->args())
        Arguments.push_back(&A);
      Value *Of = emitPartial(B, G, K, Arguments);
      B.CreateRet(B.CreateFPCast(Of, G.F->getReturnType()));
    }
    if (Numbers) {
      auto *T = ArrayType::get(Pointer, Items.size());
      auto *Ours = new GlobalVariable(
          M, T, /*isConstant=*/true, GlobalValue::InternalLinkage,
          ConstantArray::get(T, Items), "verso_derivative_enzyme");
      SmallVector<DIGlobalVariableExpression *, 1> Lines;
      if (G.Array)
        G.Array->getDebugInfo(Lines);
      for (DIGlobalVariableExpression *Line : Lines)
        Ours->addDebugInfo(Line);
    }
    if (!G.Array) {
      G.F->addFnAttr(KnownAttribute);
    } else {
      // It would be one more use of the function.
      removeFromUsedLists(
          M, [&](Constant *C) { return C->stripPointerCasts() == G.Array; });
      G.Array->removeDeadConstantUsers();
      if (G.Array->use_empty())
        G.Array->eraseFromParent();
      else
        G.Array->setName("verso.enzyme.known");
    }
  }
}

void verso::reportEnzymeDerivatives(Module &M, Diagnostics &D) {
  for (const Given &G : collect(M))
    if (!G.Message.empty() && G.Array)
      D.error(*G.Array, Prefixes[G.Kind] + ": " + G.Message, G.Remedy);
    else if (!G.Message.empty())
      D.error("enzyme_function_like: " + G.Message + "; " + G.Remedy);
  forEachAnnotation(M, [&](Constant &Of, StringRef Text) {
    if (auto *G = dyn_cast<GlobalVariable>(&Of); G && Text == "enzyme_shadow")
      D.error(*G, "enzyme_shadow: global variables have no shadows",
              "give a pointer to the variable and to its shadow as an argument "
              "(verso_dup), or use verso_watch");
  });
}
