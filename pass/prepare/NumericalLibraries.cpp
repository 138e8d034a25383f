//===- NumericalLibraries.cpp - calls of BLAS and LAPACK ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/NumericalLibraries.h"
#include "emit/Runtime.h"
#include "prepare/EigenKernels.h"
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
  bool writesIntegers() const { return parameters().contains('w'); }
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
  case 'a':
    return T.isIntegerTy(8);
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

bool verso::isOfSignature(const FunctionType &T, StringRef Letters,
                          bool IsDouble) {
  return fits(T, {Letters, IsDouble});
}

static const Signature *namedSignature(const Function &F) {
  static const StringMap<Signature> Table = readTable();
  auto At = Table.find(F.getName());
  return At != Table.end() && F.isDeclaration() && !isMarkedInactive(F)
             ? &At->second
             : nullptr;
}

static const Signature *signatureOf(const Function &F) {
  const Signature *S = namedSignature(F);
  return S && fits(*F.getFunctionType(), *S) ? S : nullptr;
}

bool verso::isNumericalLibrary(const Function &F) {
  const Signature *S = signatureOf(F);
  return S && !S->writesIntegers();
}

/// What lies \p Offset bytes behind the beginning of a \p T.
static Type *elementAt(Type *T, uint64_t Offset, const DataLayout &DL) {
  while (T->isAggregateType()) {
    if (T->isArrayTy()) {
      T = T->getArrayElementType();
      const uint64_t Size = DL.getTypeAllocSize(T);
      Offset = Size ? Offset % Size : 0;
      continue;
    }
    const StructLayout &Layout = *DL.getStructLayout(cast<StructType>(T));
    if (Offset >= Layout.getSizeInBytes())
      return T;
    const unsigned At = Layout.getElementContainingOffset(Offset);
    Offset -= Layout.getElementOffset(At);
    T = T->getStructElementType(At);
  }
  return T;
}

/// The bits of the integers that \p P points to, of the longer ones if they are
/// several; 0 if that is not seen.
static unsigned bitsOfIntegers(const Value *P, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
  const Value *Base = P->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects);
  unsigned Bits = 0;
  for (const Value *Object : Objects) {
    Type *T = nullptr;
    if (auto *Local = dyn_cast<AllocaInst>(Object))
      T = Local->getAllocatedType();
    else if (auto *Global = dyn_cast<GlobalVariable>(Object))
      T = Global->getValueType();
    while (T && T->isArrayTy())
      T = T->getArrayElementType();
    if (T && T->isStructTy() && Object == Base && !Offset.isNegative())
      T = elementAt(T, Offset.urem(DL.getTypeAllocSize(T)), DL);
    if (T && T->isIntegerTy())
      Bits = std::max(Bits, T->getIntegerBitWidth());
  }
  return Bits;
}

/// The bits of integers that \p Call is seen to pass, of the longer ones; 0 if
/// none is seen.
static unsigned bitsOfIntegers(const CallBase &Call, const Signature &S) {
  unsigned Bits = 0;
  for (auto [K, Letter] : enumerate(S.parameters())) {
    if (Letter == 'n')
      Bits = std::max(Bits, 32u);
    else if (Letter == 'i' || Letter == 'w')
      Bits = std::max(Bits, bitsOfIntegers(Call.getArgOperand(K),
                                           Call.getModule()->getDataLayout()));
  }
  return Bits;
}

/// What is only read may have 64 bits unseen.
static bool passesIntegers(const CallBase &Call, const Signature &S) {
  const unsigned Bits = bitsOfIntegers(Call, S);
  return Bits != 64 && (Bits == 32 || !S.writesIntegers());
}

std::optional<LeftAlone> verso::whyLeftAlone(const CallBase &Call,
                                             const Function &F) {
  const Signature *S = namedSignature(F);
  if (!S)
    return std::nullopt;
  if (!fits(*F.getFunctionType(), *S) ||
      Call.getFunctionType() != F.getFunctionType())
    return LeftAlone{
        "its declaration is not the known one",
        "declare it as its library does, with integers of 32 bits"};
  if (bitsOfIntegers(Call, *S) == 64)
    return LeftAlone{"its integers have 64 bits",
                     "use the library with integers of 32 bits"};
  return LeftAlone{
      "it writes integers, and nothing shows that they have 32 bits",
      "have one of its integers be an int of the function that calls it, as "
      "in 'int n; " +
          F.getName().str() + "(..., &n, ...)', or use LAPACKE"};
}

CallBase *verso::callNumericalBody(CallBase &Call, StringRef Name,
                                   ArrayRef<Value *> Arguments) {
  Module &M = *Call.getModule();
  Function *Body = getSupportFunction(M, ("__verso_body_" + Name).str());
  adoptStagedProducts(M);
  assert(Body->arg_size() == Arguments.size() && "a body is unlike the table");
  IRBuilder<> B(&Call);
  CallInst *OfBody = B.CreateCall(Body, Arguments);
  Value *Result = OfBody;
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
  return OfBody;
}

void verso::replaceNumericalLibrary(Function &F) {
  SmallVector<std::pair<CallBase *, const Signature *>, 4> Calls;
  SmallVector<CallBase *, 4> Kernels;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    const Signature *S = Callee ? signatureOf(*Callee) : nullptr;
    if (S && passesIntegers(*Call, *S))
      Calls.push_back({Call, S});
    else if (Callee && isEigenKernel(*Callee))
      Kernels.push_back(Call);
  }
  for (auto [Call, S] : Calls) {
    const unsigned Count = S->parameters().size();
    callNumericalBody(
        *Call, Call->getCalledFunction()->getName(),
        SmallVector<Value *, 16>(Call->arg_begin(), Call->arg_begin() + Count));
  }
  for (CallBase *Call : Kernels)
    replaceEigenKernel(*Call);
}
