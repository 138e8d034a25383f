//===- NumericalLibraries.cpp - calls of BLAS -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/NumericalLibraries.h"
#include "emit/Runtime.h"
#include "prepare/StagedProducts.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

namespace {

struct Signature {
  StringRef Letters; ///< As in the table.
  bool IsDouble;

  char result() const { return Letters.front(); }
  StringRef parameters() const { return Letters.drop_front(2).drop_back(); }
};

StringMap<Signature> readTable() {
  StringMap<Signature> Table;
  auto Add = [&](StringRef Name, StringRef Letters) {
    auto [Before, After] = Name.split('?');
    Table[(Before + "s" + After).str()] = {Letters, /*IsDouble=*/false};
    Table[(Before + "d" + After).str()] = {Letters, /*IsDouble=*/true};
  };
#define VERSO_NUMERICAL(NAME, LETTERS) Add(NAME, LETTERS);
#include "rules/NumericalLibraries.def"
  return Table;
}

} // namespace

static bool isOfKind(const Type &T, char Letter, bool IsDouble) {
  switch (Letter) {
  case 'v':
    return T.isVoidTy();
  case 'r':
    return IsDouble ? T.isDoubleTy() : T.isFloatTy();
  case 'n':
    return T.isIntegerTy(32);
  case 'l':
    return T.isIntegerTy(64);
  default:
    return T.isPointerTy() && T.getPointerAddressSpace() == 0;
  }
}

/// Whether \p T is the type of a declaration of \p S.
static bool fits(const FunctionType &T, const Signature &S) {
  const StringRef Letters = S.parameters();
  const bool IsIntOfSubroutine =
      S.result() == 'v' && T.getReturnType()->isIntegerTy(32);
  if (T.isVarArg() || T.getNumParams() < Letters.size() ||
      !(IsIntOfSubroutine ||
        isOfKind(*T.getReturnType(), S.result(), S.IsDouble)))
    return false;
  const unsigned Lengths = T.getNumParams() - Letters.size();
  if (Lengths && Lengths != Letters.count('c'))
    return false;
  for (unsigned K = 0; K != T.getNumParams(); ++K) {
    const Type &P = *T.getParamType(K);
    if (K < Letters.size() ? !isOfKind(P, Letters[K], S.IsDouble)
                           : !P.isIntegerTy(32) && !P.isIntegerTy(64))
      return false;
  }
  return true;
}

static const Signature *signatureOf(const Function &F) {
  static const StringMap<Signature> Table = readTable();
  auto At = Table.find(F.getName());
  return At != Table.end() && F.isDeclaration() && !isMarkedInactive(F) &&
                 fits(*F.getFunctionType(), At->second)
             ? &At->second
             : nullptr;
}

bool verso::isNumericalLibrary(const Function &F) { return signatureOf(F); }

/// Whether \p P points to integers of 64 bits.
static bool pointsToLongIntegers(const Value *P) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects);
  return any_of(Objects, [](const Value *Object) {
    Type *T = nullptr;
    if (auto *Local = dyn_cast<AllocaInst>(Object))
      T = Local->getAllocatedType();
    else if (auto *Global = dyn_cast<GlobalVariable>(Object))
      T = Global->getValueType();
    while (T && T->isArrayTy())
      T = T->getArrayElementType();
    return T && T->isIntegerTy(64);
  });
}

static bool passesLongIntegers(const CallBase &Call, const Signature &S) {
  return any_of(enumerate(S.parameters()), [&](auto Parameter) {
    return Parameter.value() == 'i' &&
           pointsToLongIntegers(Call.getArgOperand(Parameter.index()));
  });
}

static void callBody(CallBase &Call, const Signature &S) {
  Function *Body = getSupportFunction(
      *Call.getModule(),
      ("__verso_body_" + Call.getCalledFunction()->getName()).str());
  adoptStagedProducts(*Call.getModule());
  const unsigned Count = S.parameters().size();
  assert(Body->arg_size() == Count && "a body is unlike the table");
  IRBuilder<> B(&Call);
  SmallVector<Value *, 16> Arguments(Call.arg_begin(),
                                     Call.arg_begin() + Count);
  Value *Result = B.CreateCall(Body, Arguments);
  if (Result->getType() != Call.getType())
    Result = Constant::getNullValue(Call.getType());
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Result);
  // A body does not throw.
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
    B.CreateBr(Invoke->getNormalDest());
  }
  Call.eraseFromParent();
}

void verso::replaceNumericalLibrary(Function &F) {
  SmallVector<std::pair<CallBase *, const Signature *>, 4> Calls;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    const Signature *S = Callee ? signatureOf(*Callee) : nullptr;
    if (S && !passesLongIntegers(*Call, *S))
      Calls.push_back({Call, S});
  }
  for (auto [Call, S] : Calls)
    callBody(*Call, *S);
}
