//===- NormalizeMath.cpp - math library calls as scalar operations --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One class a call: it asks for the scalars behind the call's arguments, emits
// the scalar form, and gives the call's users what they expect.
//
//===----------------------------------------------------------------------===//

#include "prepare/NormalizeMath.h"
#include "emit/Runtime.h"
#include "rules/KnownCalls.h"
#include "rules/Operation.h"
#include "rules/RuleTable.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace verso {

using namespace rules;

//===----------------------------------------------------------------------===//
// How an ABI passes real and complex numbers
//===----------------------------------------------------------------------===//

/// The struct or array or vector of two reals behind parameter K, or its real
/// type; null if it is neither.
static Type *valueTypeOfParam(const CallBase &Call, unsigned K) {
  Type *Ty = Call.getArgOperand(K)->getType();
  return Call.isByValArgument(K) ? Call.getParamByValType(K) : Ty;
}

/// The real type that Ty consists of, and how often; {null, 0} if it is not a
/// real or two of them.
static std::pair<Type *, unsigned> realsOf(Type *Ty) {
  if (Ty->isFloatingPointTy())
    return {Ty, 1};
  Type *Real = nullptr;
  if (auto *Vector = dyn_cast<FixedVectorType>(Ty))
    Real = Vector->getNumElements() == 2 ? Vector->getElementType() : nullptr;
  else if (auto *Array = dyn_cast<ArrayType>(Ty))
    Real = Array->getNumElements() == 2 ? Array->getElementType() : nullptr;
  else if (auto *Struct = dyn_cast<StructType>(Ty))
    if (Struct->getNumElements() == 2 &&
        Struct->getElementType(0) == Struct->getElementType(1))
      Real = Struct->getElementType(0);
  if (!Real || !Real->isFloatingPointTy())
    return {nullptr, 0};
  return {Real, 2};
}

/// The type of all the reals that the call passes, if there are Count of them
/// and nothing else; else null.
static Type *realTypeOfParams(const CallBase &Call, unsigned Count) {
  Type *Common = nullptr;
  for (unsigned K = 0; K != Call.arg_size(); ++K) {
    auto [Real, N] = realsOf(valueTypeOfParam(Call, K));
    if (!Real || N > Count || (Common && Common != Real))
      return nullptr;
    Common = Real;
    Count -= N;
  }
  return Count ? nullptr : Common;
}

/// Element K of a struct, array or vector.
static Value *extractReal(IRBuilderBase &B, Value *Whole, unsigned K) {
  if (!Whole->getType()->isVectorTy())
    return B.CreateExtractValue(Whole, K);
  if (Value *Scalar = findScalarElement(Whole, K))
    return Scalar;
  return B.CreateExtractElement(Whole, uint64_t(K));
}

/// A struct, array or vector of two reals; a real as it is.
static Value *assemble(IRBuilderBase &B, Type *Ty, ArrayRef<Value *> Reals) {
  if (Ty->isFloatingPointTy())
    return Reals[0];
  Value *Whole = PoisonValue::get(Ty);
  for (unsigned K = 0; K != 2; ++K)
    Whole = Ty->isVectorTy()
                ? B.CreateInsertElement(Whole, Reals[K], uint64_t(K))
                : B.CreateInsertValue(Whole, Reals[K], K);
  return Whole;
}

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

namespace {

class MathCall {
public:
  MathCall(CallBase &Call, const TargetLibraryInfo *TLI)
      : Call(Call), Callee(*Call.getCalledFunction()), TLI(TLI), B(&Call) {}

  bool normalize();

private:
  bool normalizeComplexMove(StringRef Stem, StringRef Suffix);
  bool normalizeSinCos();
  bool normalizePointerResult(const Rule &R, StringRef Suffix);
  bool normalizeComplex(const Rule &R, StringRef Suffix);
  bool splitResults();

  SmallVector<Value *, 4> reals();
  CallInst *emitCall(FunctionCallee Target, ArrayRef<Value *> Arguments);
  Function *startFunction(const Rule &R, Type *Real, Type *Second);
  Function *pointerResultFunction(const Rule &R, Type *Real, Type *Second);
  Function *complexFunction(const Rule &R, Type *Real);
  void replaceByReals(Value *Re, Value *Im);
  void replaceBy(Value *V);

  CallBase &Call;
  Function &Callee;
  const TargetLibraryInfo *TLI;
  IRBuilder<> B;
};

} // namespace

/// The scalars that the arguments hold. A byval argument is loaded, as the call
/// would copy it here.
SmallVector<Value *, 4> MathCall::reals() {
  SmallVector<Value *, 4> Reals;
  for (unsigned K = 0; K != Call.arg_size(); ++K) {
    Value *V = Call.getArgOperand(K);
    Type *Ty = valueTypeOfParam(Call, K);
    auto [Real, Count] = realsOf(Ty);
    for (unsigned J = 0; J != Count; ++J) {
      if (Call.isByValArgument(K))
        Reals.push_back(B.CreateAlignedLoad(
            Real, B.CreateConstInBoundsGEP2_32(Ty, V, 0, J), Align()));
      else
        Reals.push_back(Count == 1 ? V : extractReal(B, V, J));
    }
  }
  return Reals;
}

CallInst *MathCall::emitCall(FunctionCallee Target,
                             ArrayRef<Value *> Arguments) {
  CallInst *New = B.CreateCall(Target, Arguments);
  if (isa<FPMathOperator>(Call) && isa<FPMathOperator>(New))
    New->copyFastMathFlags(&Call);
  if (Call.hasFnAttr(Attribute::StrictFP))
    New->addFnAttr(Attribute::StrictFP);
  return New;
}

void MathCall::replaceBy(Value *V) {
  if (isa<Instruction>(V) && !V->hasName())
    V->takeName(&Call);
  Call.replaceAllUsesWith(V);
  Call.eraseFromParent();
}

/// Users that extract an element get it; others get both together again.
void MathCall::replaceByReals(Value *Re, Value *Im) {
  for (User *U : make_early_inc_range(Call.users())) {
    auto *I = cast<Instruction>(U);
    std::optional<uint64_t> Index;
    if (auto *Extract = dyn_cast<ExtractValueInst>(I))
      Index = Extract->getIndices()[0];
    else if (auto *Element = dyn_cast<ExtractElementInst>(I))
      if (auto *C = dyn_cast<ConstantInt>(Element->getIndexOperand()))
        Index = C->getLimitedValue();
    if (!Index || *Index > 1)
      continue;
    I->replaceAllUsesWith(*Index ? Im : Re);
    I->eraseFromParent();
  }
  if (!Call.use_empty())
    Call.replaceAllUsesWith(assemble(B, Call.getType(), {Re, Im}));
  Call.eraseFromParent();
}

/// An empty internal function
///   define internal {T, S} @verso.<callee>(T ...) "verso-rule"="<rule>"
/// or the one that an earlier call has filled. It has one more parameter when S
/// is an integer: see pointerResultFunction.
Function *MathCall::startFunction(const Rule &R, Type *Real, Type *Second) {
  Module &M = *Callee.getParent();
  SmallVector<Type *, 4> Params(R.NumOperands, Real);
  if (Second->isIntegerTy())
    Params.push_back(Second);
  auto *FnTy = FunctionType::get(StructType::get(Real, Second), Params,
                                 /*isVarArg=*/false);
  std::string Name = ("verso." + Callee.getName()).str();
  if (Function *Known = M.getFunction(Name))
    if (Known->getFunctionType() == FnTy &&
        Known->hasFnAttribute(Operation::RuleAttribute))
      return Known;
  Function *F = Function::Create(FnTy, GlobalValue::InternalLinkage, Name, M);
  F->addFnAttr(Operation::RuleAttribute, R.Name);
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::WillReturn);
  compileLike(*F, *Call.getFunction());
  return F;
}

/// define internal {T, i32} @verso.remquo(T %x, T %y, i32 %before) {
///   %second = alloca i32
///   store i32 %before, ptr %second
///   %first = call T @remquo(T %x, T %y, ptr %second)
///   %1 = load i32, ptr %second
///   ret {T, i32} {%first, %1}
/// }
/// C libraries leave the integer as it was at infinities and NaNs, so what it
/// was comes with the call. modf always writes its second result.
Function *MathCall::pointerResultFunction(const Rule &R, Type *Real,
                                          Type *Second) {
  Function *F = startFunction(R, Real, Second);
  if (!F->empty())
    return F;
  IRBuilder<> Body(BasicBlock::Create(F->getContext(), "entry", F));
  Value *Slot = Body.CreateAlloca(Second, nullptr, "second");
  SmallVector<Value *, 4> Arguments(make_pointer_range(F->args()));
  if (Second->isIntegerTy())
    Body.CreateStore(Arguments.pop_back_val(), Slot);
  Arguments.push_back(Slot);
  CallInst *First = Body.CreateCall(&Callee, Arguments, "first");
  First->setCallingConv(Call.getCallingConv());
  Value *Pair = PoisonValue::get(F->getReturnType());
  Pair = Body.CreateInsertValue(Pair, First, 0);
  Pair = Body.CreateInsertValue(Pair, Body.CreateLoad(Second, Slot), 1);
  Body.CreateRet(Pair);
  return F;
}

/// define internal {T, T} @verso.cexpf(T %re, T %im) {
///   %z = call <2 x T> @cexpf(<2 x T> <%re, %im>)       or as the ABI has it
///   ret {T, T} {%z[0], %z[1]}
/// }
Function *MathCall::complexFunction(const Rule &R, Type *Real) {
  Function *F = startFunction(R, Real, Real);
  if (!F->empty())
    return F;
  IRBuilder<> Body(BasicBlock::Create(F->getContext(), "entry", F));
  SmallVector<Value *, 4> Reals(make_pointer_range(F->args())), Arguments;
  ArrayRef<Value *> Left = Reals;
  AttributeList Attributes;
  LLVMContext &Context = F->getContext();
  for (unsigned K = 0; K != Call.arg_size(); ++K) {
    Type *Ty = valueTypeOfParam(Call, K);
    unsigned Count = realsOf(Ty).second;
    Value *V = assemble(Body, Ty, Left.take_front(Count));
    Left = Left.drop_front(Count);
    if (Call.isByValArgument(K)) {
      AllocaInst *Slot = Body.CreateAlloca(Ty);
      Slot->setAlignment(
          std::max(Slot->getAlign(), Call.getParamAlign(K).valueOrOne()));
      Body.CreateAlignedStore(V, Slot, Slot->getAlign());
      AttrBuilder ByVal(Context);
      ByVal.addByValAttr(Ty).addAlignmentAttr(Slot->getAlign());
      Attributes = Attributes.addParamAttributes(Context, K, ByVal);
      V = Slot;
    }
    Arguments.push_back(V);
  }
  CallInst *Whole = Body.CreateCall(&Callee, Arguments);
  Whole->setCallingConv(Call.getCallingConv());
  Whole->setAttributes(Attributes);
  Body.CreateRet(
      assemble(Body, F->getReturnType(),
               {extractReal(Body, Whole, 0), extractReal(Body, Whole, 1)}));
  return F;
}

/// call void @sincos(T %x, ptr %s, ptr %c)
///   =>  store (llvm.sin %x), %s; store (llvm.cos %x), %c
/// which code generation joins again.
bool MathCall::normalizeSinCos() {
  Value *X = Call.getArgOperand(0);
  Value *Sin = B.CreateUnaryIntrinsic(Intrinsic::sin, X);
  Value *Cos = B.CreateUnaryIntrinsic(Intrinsic::cos, X);
  B.CreateStore(Sin, Call.getArgOperand(1));
  B.CreateStore(Cos, Call.getArgOperand(2));
  Call.eraseFromParent();
  return true;
}

/// call T @modf(T %x, ptr %p)
///   =>  %pair = call {T, T} @verso.modf(T %x)
///       store %pair[1], %p
/// and for an integer at %p, with a load of %p as the last argument.
bool MathCall::normalizePointerResult(const Rule &R, StringRef Suffix) {
  if (Call.arg_empty())
    return false;
  bool IsSinCos = R.Name == "sincos" && Call.getType()->isVoidTy();
  unsigned NumPointers = IsSinCos ? 2 : 1;
  Type *Real = Call.getArgOperand(0)->getType();
  if (!isTypeOfSuffix(Real, Suffix) || (!IsSinCos && Call.getType() != Real) ||
      Call.arg_size() != R.NumOperands + NumPointers)
    return false;
  for (auto [K, A] : enumerate(Call.args()))
    if (K < R.NumOperands ? A->getType() != Real : !A->getType()->isPointerTy())
      return false;
  if (IsSinCos)
    return normalizeSinCos();
  Type *Second = Real;
  if (R.Name != "modf")
    Second = B.getIntNTy(TLI ? TLI->getIntSize() : 32);
  Function *F = pointerResultFunction(R, Real, Second);
  SmallVector<Value *, 3> Arguments(Call.arg_begin(), Call.arg_end() - 1);
  Value *Pointer = Call.getArgOperand(R.NumOperands);
  if (Second->isIntegerTy())
    Arguments.push_back(B.CreateLoad(Second, Pointer));
  CallInst *Pair = emitCall(F, Arguments);
  B.CreateStore(B.CreateExtractValue(Pair, 1), Pointer);
  replaceBy(B.CreateExtractValue(Pair, 0));
  return true;
}

/// call <2 x T> @cexpf(<2 x T> %z)
///   =>  %pair = call {T, T} @verso.cexpf(T %z[0], T %z[1])
bool MathCall::normalizeComplex(const Rule &R, StringRef Suffix) {
  Type *Real = realTypeOfParams(Call, R.NumOperands);
  auto [RealOfResult, NumResults] = realsOf(Call.getType());
  bool IsAnyType = R.Kind == RuleKind::ComplexHelper;
  if (!Real || RealOfResult != Real || NumResults != 2 ||
      (!IsAnyType && !isTypeOfSuffix(Real, Suffix)))
    return false;
  SmallVector<Value *, 4> Scalars = reals();
  CallInst *Pair = emitCall(complexFunction(R, Real), Scalars);
  Value *Re = B.CreateExtractValue(Pair, 0);
  Value *Im = B.CreateExtractValue(Pair, 1);
  replaceByReals(Re, Im);
  return true;
}

/// The functions of one complex number that are real functions of its parts.
/// The C library defines cabs by hypot and carg by atan2.
bool MathCall::normalizeComplexMove(StringRef Stem, StringRef Suffix) {
  Type *Real = realTypeOfParams(Call, 2);
  bool IsConj = Stem == "conj";
  auto [RealOfResult, NumResults] = realsOf(Call.getType());
  if (!Real || !isTypeOfSuffix(Real, Suffix) || RealOfResult != Real ||
      NumResults != (IsConj ? 2u : 1u))
    return false;
  SmallVector<Value *, 4> Parts = reals();
  if (IsConj) {
    replaceByReals(Parts[0], B.CreateFNeg(Parts[1]));
  } else if (Stem == "creal" || Stem == "cimag") {
    replaceBy(Parts[Stem == "cimag"]);
  } else {
    bool IsAbs = Stem == "cabs";
    SmallString<16> Name(IsAbs ? "hypot" : "atan2");
    Name += Suffix;
    FunctionCallee Target = Callee.getParent()->getOrInsertFunction(
        Name, FunctionType::get(Real, {Real, Real}, /*isVarArg=*/false));
    if (!IsAbs)
      std::swap(Parts[0], Parts[1]);
    replaceBy(emitCall(Target, Parts));
  }
  return true;
}

/// Uses of the pair as a whole get a pair made from its elements. The elements
/// are taken beside the call: LLVM sinks that out of loops, and then the pair
/// as a whole would come out of them (LCSSA).
bool MathCall::splitResults() {
  SmallVector<ExtractValueInst *, 2> Sunk;
  SmallVector<Use *, 4> Whole;
  for (Use &U : Call.uses())
    if (auto *Element = dyn_cast<ExtractValueInst>(U.getUser()); !Element)
      Whole.push_back(&U);
    else if (Element->getParent() != Call.getParent())
      Sunk.push_back(Element);
  for (ExtractValueInst *Element : Sunk)
    Element->moveAfter(&Call);
  if (Whole.empty())
    return !Sunk.empty();
  B.SetInsertPoint(Call.getNextNode());
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  Value *First = B.CreateExtractValue(&Call, 0);
  Value *Second = B.CreateExtractValue(&Call, 1);
  Value *Pair = PoisonValue::get(Call.getType());
  Pair = B.CreateInsertValue(Pair, First, 0);
  Pair = B.CreateInsertValue(Pair, Second, 1);
  for (Use *U : Whole)
    U->set(Pair);
  return true;
}

bool MathCall::normalize() {
  if (Operation::isTwoResultCall(Call, TLI))
    return splitResults();
  if (Callee.isIntrinsic() || !Callee.isDeclaration() ||
      Callee.hasLocalLinkage())
    return false;
  StringRef Name = Callee.getName(), Suffix;
  for (StringRef Stem : {"cabs", "carg", "creal", "cimag", "conj"})
    if (Name.starts_with(Stem))
      if (StringRef Rest = Name.drop_front(Stem.size());
          Rest.empty() || Rest == "f" || Rest == "l" || Rest == "f128")
        return normalizeComplexMove(Stem, Rest);
  const Rule *R = findFunctionRule(Name, Suffix);
  if (!R || !R->hasTwoResults())
    return false;
  return R->Kind == RuleKind::Pair ? normalizePointerResult(*R, Suffix)
                                   : normalizeComplex(*R, Suffix);
}

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

/// Whether the call's callee is one of the C library's, by its name, that
/// computes, copies or clears and so does not throw.
static bool neverThrows(const CallBase &Call, const TargetLibraryInfo *TLI) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return false;
  if (std::optional<KnownCall> K = classifyCall(*Callee))
    return K->K == KnownCall::Copy || K->K == KnownCall::Set;
  StringRef Suffix;
  return Operation::isTwoResultCall(Call, TLI) ||
         (Callee->isDeclaration() && !Callee->isIntrinsic() &&
          findFunctionRule(Callee->getName(), Suffix));
}

bool normalizeMath(Function &F, const TargetLibraryInfo *TLI) {
  if (F.hasFnAttribute(Operation::RuleAttribute))
    return false;
  bool Changed = false;
  SmallVector<InvokeInst *, 4> Invokes;
  for (Instruction &I : instructions(F))
    if (auto *Invoke = dyn_cast<InvokeInst>(&I))
      if (neverThrows(*Invoke, TLI))
        Invokes.push_back(Invoke);
  for (InvokeInst *Invoke : Invokes) {
    changeToCall(Invoke);
    Changed = true;
  }
  SmallVector<CallBase *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Call->getCalledFunction())
        Calls.push_back(Call);
  for (CallBase *Call : Calls)
    Changed |= MathCall(*Call, TLI).normalize();
  return Changed;
}

void releaseMathFunctions(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    if (!F.hasFnAttribute(Operation::RuleAttribute))
      continue;
    if (F.use_empty())
      F.eraseFromParent();
    else
      F.removeFnAttr(Attribute::NoInline);
  }
}

} // namespace verso
