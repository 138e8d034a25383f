//===- RequestParser.cpp - from a call's operands to a Request ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk and the user's mistakes. How an operand becomes a value of the
// parameter's type is in OperandBinding.cpp.
//
//===----------------------------------------------------------------------===//

#include "request/RequestParser.h"
#include "request/FunctionOperand.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace verso;

RequestParser::RequestParser(CallBase &Call, RequestKind Kind, Diagnostics &D)
    : Call(Call), D(D), DL(Call.getModule()->getDataLayout()), B(&Call) {
  R.Call = &Call;
  R.Kind = Kind;
  R.DeliversValue = Kind == RequestKind::ValueAndGrad;
}

/// Reports \p Message, which continues "'__verso_grad' of 'f': ".
bool RequestParser::mistake(const Twine &Message, const Twine &Remedy) {
  std::string Which =
      "'" + baseName(*cast<Function>(Call.getCalledOperand())) + "'";
  if (R.Primal)
    Which += " of '" + sourceName(*R.Primal) + "'";
  D.error(Call, Which + ": " + Message, Remedy);
  return false;
}

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

std::optional<Request> RequestParser::parse() {
  readOperands();
  if (!parseFunction() || !checkFunction() || !parseArguments() ||
      !parseCotangent() || !checkReturn() || !checkResult())
    return std::nullopt;
  if (!Bundles.empty() || Returned != R.Primal->getReturnType())
    unpackArguments(R, Bundles, Returned);
  return std::move(R);
}

void RequestParser::readOperands() {
  R.ResultType = Call.getType();
  for (unsigned K = 0; K != Call.arg_size(); ++K) {
    Value *V = Call.getArgOperand(K);
    if (Call.paramHasAttr(K, Attribute::StructRet)) {
      R.ResultPointer = V;
      R.ResultType = Call.getParamStructRetType(K);
      continue;
    }
    Operands.push_back(
        {V, K, Call.isByValArgument(K) ? Call.getParamByValType(K) : nullptr,
         markerVariable(V), continuesArgument(Call, K)});
  }
}

bool RequestParser::parseFunction() {
  if (!readMarkers())
    return false;
  if (Pending)
    return mistake("a marker stands before the function",
                   "give the function first, then its arguments");
  if (atEnd())
    return mistake("there is no function", "give the function to differentiate "
                                           "as the first argument");
  R.Primal = findFunction(Operands[Next++].V);
  if (R.Primal)
    return true;
  return mistake("the first argument is not a function that is known when the "
                 "program is compiled",
                 "name the function in the call, or make the function that "
                 "passes it on a template or static");
}

bool RequestParser::checkFunction() {
  Function &F = *R.Primal;
  std::string Name = sourceName(F);
  if (F.isDeclaration())
    return mistake("'" + Name + "' has no body here",
                   "define it in this file or a header, or compile and link "
                   "with -flto; a function of the C library can be called in a "
                   "function of your own");
  if (F.isInterposable())
    return mistake("'" + Name +
                       "' is weak: another definition may take its "
                       "place when the program is linked",
                   "differentiate a function that is not weak");
  if (F.isVarArg())
    return mistake("'" + Name + "' takes a variable number of arguments",
                   "differentiate a function with a fixed signature");
  Contents All = contentsOf(F.getReturnType());
  for (Argument &A : F.args()) {
    All |= contentsOf(A.getType());
    if (A.hasInAllocaAttr() || A.hasPreallocatedAttr())
      return mistake("parameter " + Twine(A.getArgNo() + 1) +
                         " is passed in a way of this platform that Verso does "
                         "not know (inalloca)",
                     "pass it by pointer");
  }
  if (All.Scalable)
    return mistake("vectors of scalable length are not supported",
                   "use vectors of fixed length");
  return true;
}

bool RequestParser::parseArguments() {
  const unsigned Count = R.Primal->arg_size();
  R.Arguments.resize(Count);
  while (Parameter != Count) {
    const bool IsTold = tellNumbersInBytes(*R.Primal->getArg(Parameter));
    if (isSret(Parameter)) {
      if (!IsTold && R.Kind != RequestKind::Grad &&
          R.Kind != RequestKind::ValueAndGrad)
        return mistake("nothing tells where the structure that the function "
                       "returns in memory has real numbers",
                       "return it through a verso_dup argument");
      R.SretParameter = Parameter++;
      continue;
    }
    if (!readMarkers())
      return false;
    if (atEnd())
      return mistake("too few arguments: there is nothing for parameter " +
                         describeParameter(Parameter),
                     "give every parameter of the function, and a shadow after "
                     "each verso_dup argument");
    if (!parseArgument())
      return false;
  }
  if (!readMarkers())
    return false;
  if (Pending)
    return mistake("a marker stands after the last argument",
                   "a marker precedes the argument that it is for");
  return true;
}

/// The seed of vjp, the last argument.
bool RequestParser::parseCotangent() {
  if (R.SretParameter && !addSret())
    return false;
  Returned = R.Primal->getReturnType();
  if (StructType *Carried = carriedByReturn(*R.Primal))
    Returned = Carried;
  if (R.Kind == RequestKind::Vjp && countReals(Returned)) {
    if (atEnd())
      return mistake("the cotangent of the returned value is missing",
                     "give it as the last argument");
    unsigned Pieces = piecesAt(Next);
    R.Cotangent = packPieces(Pieces, Returned);
    if (!R.Cotangent)
      return mistake(
          "the last argument, the cotangent, is not of the type that "
          "the function returns",
          "give a value of that type");
  }
  if (atEnd())
    return true;
  return mistake("too many arguments: " + Twine(Operands.size() - Next) +
                     " more than '" + sourceName(*R.Primal) +
                     "' has parameters",
                 "a const or out argument has no shadow; the marker "
                 "verso_dup is needed where a shadow is given, unless the "
                 "argument is a pointer");
}

/// A gradient needs one number to be the gradient of.
bool RequestParser::checkReturn() {
  const bool IsGrad =
      R.Kind == RequestKind::Grad || R.Kind == RequestKind::ValueAndGrad;
  if (!isReverse() || R.Kind == RequestKind::Linearize)
    return true;
  const unsigned Reals = countReals(Returned);
  const bool AnyDup = any_of(R.Arguments, [](const RequestArgument &A) {
    return A.Activity == ArgumentActivity::Dup ||
           A.Activity == ArgumentActivity::DupNoNeed;
  });
  if (Reals == 0 && R.Kind == RequestKind::ValueAndGrad)
    return mistake("the function returns no real number",
                   "use __verso_grad or __verso_vjp");
  if (Reals == 0 && !AnyDup)
    return mistake("the function returns no real number and has no dup "
                   "argument: there is nothing to differentiate",
                   "give outputs as verso_dup arguments with their shadows");
  if (IsGrad && Reals > 1)
    return mistake("the function returns " + Twine(Reals) + " numbers",
                   "use __verso_vjp and give the cotangent of the returned "
                   "value as the last argument");
  if (IsGrad && Reals == 1 && !Returned->isFloatingPointTy()) {
    // {double, i32}: the one number is what is differentiated.
    SmallVector<Constant *, 4> Seeds;
    auto *Struct = dyn_cast<StructType>(Returned);
    for (Type *T : Struct ? Struct->elements() : ArrayRef<Type *>())
      Seeds.push_back(T->isFloatingPointTy() ? ConstantFP::get(T, 1)
                                             : Constant::getNullValue(T));
    if (!Struct || none_of(Struct->elements(),
                           [](Type *T) { return T->isFloatingPointTy(); }))
      return mistake("the function returns a structure",
                     "use __verso_vjp, or return a number");
    R.Cotangent = ConstantStruct::get(Struct, Seeds);
  }
  if (IsGrad && Reals == 1 && !R.ReturnVaries)
    R.Cotangent = Constant::getNullValue(Returned);
  return true;
}

/// Whether packed, which holds integers where the ABI packed numbers, is as
/// large as the numbers are, but for the end of its last register.
static bool isPackedFormOf(const DataLayout &DL, Type *Packed,
                           ArrayRef<Type *> Scalars) {
  if (Scalars.size() < 2 || !contentsOf(Packed).Other)
    return false;
  auto *Loose = StructType::get(Packed->getContext(), Scalars);
  return alignTo(DL.getTypeAllocSize(Loose), DL.getABITypeAlign(Packed)) ==
         DL.getTypeAllocSize(Packed);
}

/// What is returned must fit the declared result, if anybody reads that.
/// The value if it is wanted, and a tangent of it in each direction.
bool RequestParser::checkTangents() {
  SmallVector<Type *, 8> Want, Have;
  Type *T = R.SretParameter ? R.Primal->getParamStructRetType(*R.SretParameter)
                            : Returned;
  const unsigned Tangents = R.ReturnVaries ? R.Width : 0;
  for (unsigned K = 0; K != Tangents + R.DeliversValue; ++K)
    flattenType(T, Want);
  flattenType(R.ResultType, Have);
  auto IsReal = [](Type *X) { return X->isFloatingPointTy(); };
  auto SameKind = [&](Type *X, Type *Y) { return IsReal(X) == IsReal(Y); };
  if (equal(Want, Have, SameKind) || isPackedFormOf(DL, R.ResultType, Want) ||
      DL.getTypeAllocSize(R.ResultType) ==
          (Tangents + R.DeliversValue) * DL.getTypeAllocSize(T))
    return true;
  return mistake(
      "the request returns " + Twine(Want.size()) +
          " numbers, not the declared " + Twine(Have.size()),
      "declare the entry point as returning " +
          Twine(R.DeliversValue ? "a struct of the value and " : "") +
          (R.Width == 1 ? "the tangent of the returned value"
                        : "as many tangents as verso_width says"));
}

bool RequestParser::checkResult() {
  if (R.ResultType->isVoidTy() || (!R.ResultPointer && Call.use_empty()))
    return true;
  if (R.Kind == RequestKind::Jvp)
    return checkTangents();
  if (R.Kind == RequestKind::Linearize)
    return R.ResultType->isPointerTy() ||
           mistake("the result is declared as another type than a pointer",
                   "declare it as verso_tape *");
  SmallVector<Type *, 8> Want, Have;
  if (R.DeliversValue)
    flattenType(Returned, Want);
  for (auto [K, A] : enumerate(R.Arguments)) {
    auto *In = find_if(Bundles, [K = K](const Bundle &B) {
      return K >= B.Range.First && K < B.Range.First + B.Range.Count;
    });
    if (In != Bundles.end()) {
      if (K == In->Range.First)
        flattenType(In->Struct, Want);
    } else if (A.Activity == ArgumentActivity::Out) {
      Type *InMemory = byValType(K);
      flattenType(InMemory ? InMemory : A.Primal->getType(), Want);
    }
  }
  flattenType(R.ResultType, Have);
  auto IsReal = [](Type *T) { return T->isFloatingPointTy(); };
  if (Want.empty())
    return mistake("there is no out argument, so there is no derivative to "
                   "return, but the result is used",
                   "declare the entry point as returning void; derivatives of "
                   "dup arguments are added to their shadows");
  if (equal(Want, Have,
            [&](Type *X, Type *Y) { return IsReal(X) == IsReal(Y); }) ||
      isPackedFormOf(DL, R.ResultType, Want))
    return true;
  std::string Types;
  raw_string_ostream(Types)
      << *(Want.size() == 1 ? Want[0] : StructType::get(B.getContext(), Want))
      << ", not the declared " << *StructType::get(B.getContext(), Have);
  return mistake("the request returns " + Types,
                 "declare the entry point as returning a struct of " +
                     Twine(R.DeliversValue ? "the value and " : "") +
                     "the derivatives of the out arguments, in order, or mark "
                     "arguments verso_const");
}

//===----------------------------------------------------------------------===//
// Markers
//===----------------------------------------------------------------------===//

/// Reads all markers that stand here; an activity is left in Pending.
bool RequestParser::readMarkers() {
  for (; !atEnd() && Operands[Next].MarkerVariable; ++Next) {
    const GlobalVariable &G = *Operands[Next].MarkerVariable;
    const Marker M = *classifyMarker(G);
    switch (M) {
    case Marker::Width:
      ++Next;
      if (!parseWidth())
        return false;
      break;
    case Marker::WithValue:
      if (R.Kind == RequestKind::Vjp || R.Kind == RequestKind::Linearize)
        return mistake("'" + baseName(G) + "' has no meaning here",
                       "use __verso_value_and_grad for value and gradient");
      R.DeliversValue = true;
      if (R.Kind == RequestKind::Grad)
        R.Kind = RequestKind::ValueAndGrad;
      break;
    case Marker::ConstReturn:
      R.ReturnVaries = false;
      break;
    case Marker::DupReturn:
      if (isReverse())
        return mistake("'" + baseName(G) + "' has no meaning in reverse mode",
                       "leave it out: what is returned is differentiated");
      break;
    case Marker::OwnShadows:
      MayBeOwnShadows = true;
      break;
    case Marker::Permissive:
      break;
    case Marker::Unsupported:
      return mistake("the marker '" + baseName(G) + "' is not supported",
                     "use verso_const, verso_dup, verso_out, verso_dupnoneed");
    default:
      if (Pending)
        return mistake("two markers stand before one argument",
                       "the second is '" + baseName(G) + "'; remove one");
      Pending = M;
    }
  }
  return true;
}

/// Leaves Next at the number, which the caller steps over.
bool RequestParser::parseWidth() {
  auto *K = atEnd() ? nullptr : dyn_cast<ConstantInt>(Operands[Next].V);
  if (!K || K->isNegative() || K->isZero() || K->getValue().ugt(4096))
    return mistake("verso_width is not followed by a constant from 1 to 4096",
                   "write the number itself");
  if (any_of(R.Arguments, [](const RequestArgument &A) { return A.Primal; }))
    return mistake("verso_width stands after an argument",
                   "give it right after the function");
  R.Width = K->getZExtValue();
  if (R.Width != 1 && isReverse())
    return mistake("verso_width is for forward mode",
                   "make one request for each seed, or use __verso_jvp");
  return true;
}

//===----------------------------------------------------------------------===//
// Source arguments
//===----------------------------------------------------------------------===//

bool RequestParser::parseArgument() {
  const Operand First = Operands[Next];
  SmallVector<Value *, 4> Values;
  if (!bindValues(Parameter, Values))
    return false;
  ParameterRange Range{Parameter, unsigned(Values.size())};
  for (auto [K, V] : enumerate(Values))
    R.Arguments[Range.First + K].Primal = V;
  if (!chooseActivity(Range, First))
    return false;
  const Contents Held = heldBy(Range);
  for (unsigned K = Range.First; K != Range.First + Range.Count; ++K) {
    const Contents Piece = heldBy({K, 1});
    bool Follows = Activity == ArgumentActivity::Out || Piece.Pointer ||
                   (!isReverse() && Piece.Real);
    R.Arguments[K].Activity = Follows ? Activity : ArgumentActivity::Const;
  }
  if (Activity == ArgumentActivity::Out && Held.Other &&
      !byValType(Range.First))
    noteBundle(Range);
  if (Activity == ArgumentActivity::Dup ||
      Activity == ArgumentActivity::DupNoNeed)
    if (!parseShadows(Range))
      return false;
  if (Pending == Marker::DupSized && !parseExtent(Range))
    return false;
  Pending.reset();
  Parameter += Range.Count;
  return true;
}

/// Sets Activity from the marker, or from what the argument holds.
bool RequestParser::chooseActivity(ParameterRange Range, const Operand &First) {
  const Contents Held = heldBy(Range);
  const bool IsFunction = First.V->getType()->isPointerTy() && !First.ByVal &&
                          findFunction(First.V);
  if (!Pending) {
    if (Held.Pointer && !IsFunction)
      Activity = ArgumentActivity::Dup;
    else if (Held.Real)
      Activity = isReverse() ? ArgumentActivity::Out : ArgumentActivity::Dup;
    else
      Activity = ArgumentActivity::Const;
    return checkActivity(Range, Held);
  }
  switch (*Pending) {
  case Marker::Const:
    Activity = ArgumentActivity::Const;
    break;
  case Marker::Out:
    Activity = ArgumentActivity::Out;
    break;
  case Marker::DupNoNeed:
    Activity = ArgumentActivity::DupNoNeed;
    break;
  default:
    Activity = ArgumentActivity::Dup;
    break;
  }
  return checkActivity(Range, Held);
}

bool RequestParser::checkActivity(ParameterRange Range, const Contents &Held) {
  const std::string Which = describeParameter(Range.First);
  if (Activity == ArgumentActivity::Const)
    return true;
  if (Activity == ArgumentActivity::Out) {
    if (!isReverse())
      return mistake(
          "verso_out has no meaning in forward mode, for parameter " + Which,
          "use verso_dup and give the tangent after the value");
    if (Held.Pointer)
      return mistake("verso_out does not fit parameter " + Which +
                         ", which holds a pointer",
                     "use verso_dup and give the shadow after the value");
    if (R.Kind == RequestKind::Linearize && byValType(Range.First))
      return mistake("parameter " + Which +
                         " is a structure that is passed in memory; the "
                         "linear map would outlive it",
                     "pass a pointer to it and to its shadow (verso_dup)");
    if (!Held.Real)
      return mistake("verso_out does not fit parameter " + Which +
                         ", which holds no real number",
                     "use verso_const");
    return true;
  }
  if (Pending == Marker::DupSized &&
      (Range.Count != 1 || !Held.Pointer || byValType(Range.First)))
    return mistake("verso_dup_n does not fit parameter " + Which +
                       ", which is not a pointer",
                   "use verso_dup_n for pointers: value, shadow, bytes");
  if (!Held.Pointer && !Held.Real)
    return mistake("verso_dup does not fit parameter " + Which +
                       ", which holds neither a pointer nor a real number",
                   "use verso_const");
  if (!Held.Pointer && isReverse() && !byValType(Range.First))
    return mistake("verso_dup does not fit parameter " + Which +
                       ", which is passed by value",
                   "use verso_out: the derivative is returned");
  if (Held.Pointer && Held.Real && isReverse() && !byValType(Range.First))
    return mistake("parameter " + Which +
                       " is a structure of numbers and "
                       "pointers, passed by value: the "
                       "derivative of its numbers would be "
                       "lost",
                   "pass the structure and its shadow by pointer, or use "
                   "verso_const");
  return true;
}

bool RequestParser::parseShadows(ParameterRange Range) {
  for (unsigned W = 0; W != R.Width; ++W) {
    if (atEnd() || Operands[Next].MarkerVariable)
      return mistake("the shadow of parameter " +
                         describeParameter(Range.First) + " is missing",
                     "a dup argument is a value and its shadow; mark it "
                     "verso_const if it does not vary");
    const bool ByValue = Operands[Next].ByVal;
    SmallVector<Value *, 4> Shadows;
    if (!bindShadow(Range, Shadows))
      return false;
    if (ByValue && isReverse() && byValType(Range.First) && heldBy(Range).Real)
      return mistake("the shadow of parameter " +
                         describeParameter(Range.First) +
                         " is passed by value: the derivative of its numbers "
                         "would be lost",
                     "give a pointer to the shadow, or use verso_out");
    for (auto [K, V] : enumerate(Shadows)) {
      RequestArgument &A = R.Arguments[Range.First + K];
      if (A.Activity == ArgumentActivity::Const)
        continue;
      if (isa<ConstantPointerNull>(V) && !isa<ConstantPointerNull>(A.Primal))
        return mistake("the shadow of parameter " +
                           describeParameter(Range.First + K) +
                           " is a null pointer",
                       "give memory that is as large as what the argument "
                       "points to, or mark it verso_const");
      // (Forward, the tangent of what is only read may be the value.)
      if ((isReverse() || MayBeOwnShadows) &&
          A.Primal->getType()->isPointerTy() &&
          A.Primal->stripPointerCasts() == V->stripPointerCasts() &&
          !isa<Function, ConstantPointerNull, UndefValue>(V)) {
        if (MayBeOwnShadows) {
          A.Activity = ArgumentActivity::Const;
          continue;
        }
        return mistake("the shadow of parameter " +
                           describeParameter(Range.First + K) +
                           " is the argument itself: derivatives would be "
                           "added to the values",
                       "give memory of its own, or mark it verso_const");
      }
      if (W == 0)
        A.Shadow = V;
      else
        A.OtherShadows.push_back(V);
    }
  }
  return true;
}

bool RequestParser::parseExtent(ParameterRange Range) {
  Value *V =
      atEnd() || Operands[Next].MarkerVariable ? nullptr : Operands[Next].V;
  if (!V || !V->getType()->isIntegerTy())
    return mistake("the number of bytes of parameter " +
                       describeParameter(Range.First) + " is missing",
                   "verso_dup_n takes value, shadow, bytes");
  ++Next;
  R.Arguments[Range.First].Extent = B.CreateSExtOrTrunc(V, B.getInt64Ty());
  return true;
}

/// Numbers and other things together become one parameter of a wrapper.
void RequestParser::noteBundle(ParameterRange Range) {
  SmallVector<Type *, 4> Elements;
  for (unsigned K = Range.First; K != Range.First + Range.Count; ++K) {
    Argument &A = *R.Primal->getArg(K);
    StructType *Carried = carriedStruct(A);
    Elements.push_back(Carried ? Carried : A.getType());
  }
  auto *Single = Range.Count == 1 ? dyn_cast<StructType>(Elements[0]) : nullptr;
  if (Single && Single == R.Primal->getArg(Range.First)->getType())
    return; // A struct already.
  Bundles.push_back(
      {Range, Single ? Single : StructType::get(B.getContext(), Elements)});
}

/// A function that returns in memory writes to a slot of ours.
bool RequestParser::addSret() {
  const unsigned K = *R.SretParameter;
  Type *T = R.Primal->getParamStructRetType(K);
  RequestArgument &A = R.Arguments[K];
  IRBuilder<> Entry(&*Call.getFunction()->getEntryBlock().begin());
  auto MakeSlot = [&](const Twine &Name) {
    AllocaInst *Slot = Entry.CreateAlloca(T, nullptr, Name);
    Slot->setAlignment(std::max(DL.getABITypeAlign(T),
                                R.Primal->getParamAlign(K).valueOrOne()));
    return Slot;
  };
  A.Primal = MakeSlot("verso.returned");
  const uint64_t Size = DL.getTypeAllocSize(T);
  A.Extent = B.getInt64(Size);
  if (!contentsOf(T).Real) {
    SmallVector<Type *, 8> Scalars;
    flattenType(T, Scalars);
    return R.Kind != RequestKind::Jvp || !R.ReturnVaries ||
           none_of(Scalars, [](Type *S) { return S->isPointerTy(); }) ||
           mistake("the function returns a structure of pointers (a vector, "
                   "say), and nobody would own the memory of its tangents",
                   "let it write into an argument (verso_dup)");
  }
  if (R.Kind == RequestKind::Grad || R.Kind == RequestKind::ValueAndGrad)
    return mistake("the function returns a structure",
                   "use __verso_vjp and give the cotangent of the returned "
                   "value as the last argument");
  if (R.Kind == RequestKind::Linearize)
    return mistake("the function returns a structure in memory",
                   "return it through a verso_dup argument");
  A.Activity = ArgumentActivity::Dup;
  AllocaInst *Shadow = MakeSlot("verso.returned.shadow");
  A.Shadow = Shadow;
  if (R.Kind == RequestKind::Jvp) {
    B.CreateMemSet(Shadow, B.getInt8(0), Size, Shadow->getAlign());
    for (unsigned W = 1; W < R.Width; ++W) {
      AllocaInst *Other = MakeSlot("verso.returned.shadow");
      B.CreateMemSet(Other, B.getInt8(0), Size, Other->getAlign());
      A.OtherShadows.push_back(Other);
    }
    return true;
  }
  if (atEnd() || !Operands[Next].V->getType()->isPointerTy())
    return mistake("the cotangent of the returned structure is missing",
                   "give it as the last argument");
  const Operand &Op = Operands[Next++];
  B.CreateMemCpy(Shadow, Shadow->getAlign(), Op.V, Call.getParamAlign(Op.ArgNo),
                 Size);
  return true;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool RequestParser::isSret(unsigned K) const {
  return R.Primal->hasParamAttribute(K, Attribute::StructRet);
}

Type *RequestParser::byValType(unsigned K) const {
  return R.Primal->getParamByValType(K);
}

Contents RequestParser::heldBy(ParameterRange Range) const {
  Contents Held;
  for (unsigned K = Range.First; K != Range.First + Range.Count; ++K) {
    Argument &A = *R.Primal->getArg(K);
    Type *InMemory = byValType(K);
    Held |= contentsOf(InMemory ? InMemory : A.getType());
    if (carriedStruct(A))
      Held.Real = true;
  }
  return Held;
}

/// "2 (double)": an index as the ABI counts, without the returned structure.
std::string RequestParser::describeParameter(unsigned K) const {
  unsigned Number = K + 1 - (R.SretParameter && *R.SretParameter < K ? 1 : 0);
  std::string Text;
  raw_string_ostream OS(Text);
  OS << Number << " (";
  if (Type *InMemory = byValType(K))
    OS << *InMemory << " by value";
  else
    OS << *R.Primal->getArg(K)->getType();
  OS << ")";
  return Text;
}
