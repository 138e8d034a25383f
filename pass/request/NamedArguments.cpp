//===- NamedArguments.cpp - arguments that are used by name ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/NamedArguments.h"
#include "Diagnostics.h"
#include "analysis/EarlierPointers.h"
#include "analysis/PlacedAccesses.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

using Functions = SmallSetVector<const Function *, 16>;

/// What \p F may call: also, through pointers, functions of this file of which
/// somebody takes the address, if their type is that of the call.
static Functions mayCall(const Function &F) {
  Functions All;
  auto Add = [&](const Function &Each) {
    for (const Function *G : reachableFrom(Each))
      All.insert(G);
  };
  Add(F);
  SmallPtrSet<const FunctionType *, 8> Called;
  for (unsigned K = 0; K != All.size(); ++K)
    for (const Instruction &I : instructions(*All[K])) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && Call->isIndirectCall() && !isInert(I) &&
          Called.insert(Call->getFunctionType()).second)
        for (const Function &G : *F.getParent())
          if (G.getFunctionType() == Call->getFunctionType() &&
              !G.isDeclaration() && !All.contains(&G) && G.hasAddressTaken())
            Add(G);
    }
  return All;
}

/// Which of them uses \p G by its name, for a message.
static const Function *userOf(const GlobalVariable &G, const Functions &Of) {
  SmallVector<const User *, 8> Work(G.users());
  SmallPtrSet<const User *, 8> Seen;
  while (!Work.empty()) {
    const User *U = Work.pop_back_val();
    if (!Seen.insert(U).second)
      continue;
    if (auto *I = dyn_cast<Instruction>(U)) {
      if (Of.contains(I->getFunction()))
        return I->getFunction();
    } else if (auto *H = dyn_cast<GlobalVariable>(U); !H || H->isConstant()) {
      append_range(Work, U->users());
    }
  }
  return nullptr;
}

static std::string messageOf(const GlobalVariable &G, const Function &By,
                             bool IsCertain) {
  return "the global variable '" + demangle(G.getName()) + "' is" +
         (IsCertain ? "" : ", or holds,") + " an argument with a shadow and '" +
         sourceName(By) + "' also uses it by name";
}

static constexpr char Remedy[] =
    "pass it to that function too, or give the request a copy";

static int64_t sizeOf(const GlobalVariable &G) {
  return G.getDataLayout().getTypeAllocSize(G.getValueType()).getFixedValue();
}

/// Whether an object of type \p T may have numbers in these of its bytes.
static bool anyNumber(Type *T, ByteRange In, const DataLayout &DL) {
  const int64_t Size = DL.getTypeAllocSize(T).getKnownMinValue();
  if (In.Begin >= Size || In.End <= 0)
    return false;
  if (auto *S = dyn_cast<StructType>(T))
    return any_of(zip(S->elements(), DL.getStructLayout(S)->getMemberOffsets()),
                  [&](const auto &Each) {
                    const int64_t At = std::get<1>(Each).getKnownMinValue();
                    return anyNumber(std::get<0>(Each),
                                     {In.Begin - At, In.End - At}, DL);
                  });
  if (!holdsReal(T))
    return false;
  auto *A = dyn_cast<ArrayType>(T);
  if (!A || !isa<StructType, ArrayType>(A->getElementType()))
    return true;
  const int64_t Each = DL.getTypeAllocSize(A->getElementType()).getFixedValue();
  if (In.End - In.Begin >= Each || In.Begin < 0)
    return true;
  const int64_t From = In.Begin % Each, To = From + (In.End - In.Begin);
  return anyNumber(A->getElementType(), {From, To}, DL) ||
         (To > Each && anyNumber(A->getElementType(), {0, To - Each}, DL));
}

/// Languages that say nothing of their variables declare bytes.
static bool isUntyped(const GlobalVariable &G) {
  auto *A = dyn_cast<ArrayType>(G.getValueType());
  return A && A->getElementType()->isIntegerTy(8);
}

/// The array that is a member of \p T, or of its members, and has the byte at
/// \p At: what an index is added to there stays in it. Of records: not those,
/// if \p OfNumbers.
static std::optional<ByteRange> arrayAt(Type *T, int64_t At, int64_t Begin,
                                        bool OfNumbers, const DataLayout &DL) {
  const int64_t Size = DL.getTypeAllocSize(T).getKnownMinValue();
  if (At < 0 || At >= Size)
    return std::nullopt;
  Type *Member = nullptr;
  int64_t Offset = 0;
  if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(S);
    const unsigned K = Layout->getElementContainingOffset(At);
    Member = S->getElementType(K);
    Offset = Layout->getElementOffset(K).getFixedValue();
  } else if (T->isArrayTy()) {
    Type *Element = T;
    while (auto *A = dyn_cast<ArrayType>(Element))
      Element = A->getElementType();
    if (!OfNumbers || Element->isFloatingPointTy())
      return ByteRange{Begin, Begin + Size};
    const int64_t Each = DL.getTypeAllocSize(Element).getFixedValue();
    Member = Element;
    Offset = Each ? At / Each * Each : 0;
  }
  if (!Member)
    return std::nullopt;
  return arrayAt(Member, At - Offset, Begin + Offset, OfNumbers, DL);
}

/// The bytes of \p G where numbers are accessed, and those before them in the
/// same array: nobody knows how far an argument goes on that begins there.
static SmallVector<ByteRange, 4> rangesOf(const PlacedAccesses &Accesses,
                                          const GlobalVariable &G) {
  const DataLayout &DL = G.getDataLayout();
  Type *T = G.getValueType();
  const ByteRange Whole = {0, sizeOf(G)};
  const bool IsUntyped = isUntyped(G);
  auto MayBeNumber = [&](ByteRange R) {
    return IsUntyped || anyNumber(T, R, DL);
  };
  SmallVector<ByteRange, 4> Ranges;
  if (!Accesses.AreAll && MayBeNumber(Whole)) {
    Ranges.push_back(Whole);
    return Ranges;
  }
  SmallVector<ByteRange, 8> All;
  for (const PlacedAccess &P : Accesses.Places) {
    ByteRange R = {std::max<int64_t>(P.Begin, 0), std::min(P.End, Whole.End)};
    if (P.Begin == INT64_MIN || P.End == INT64_MAX)
      R = arrayAt(T, P.Fixed, 0, /*OfNumbers=*/false, DL).value_or(R);
    if (R.Begin >= R.End || !(P.IsNumber || MayBeNumber(R)))
      continue;
    if (auto Around = arrayAt(T, R.Begin, 0, /*OfNumbers=*/true, DL))
      R.Begin = Around->Begin;
    All.push_back(R);
  }
  llvm::sort(All, [](ByteRange X, ByteRange Y) { return X.Begin < Y.Begin; });
  for (ByteRange R : All)
    appendRange(Ranges, R);
  return Ranges;
}

/// Whether something may be accessed in [Begin, End) of the variable, whatever
/// its type.
static bool isAnyIn(const PlacedAccesses &Accesses, int64_t Begin,
                    int64_t End) {
  return !Accesses.AreAll || any_of(Accesses.Places, [&](PlacedAccess P) {
    return P.Begin < End && P.End > Begin;
  });
}

bool verso::findNamedArguments(Request &R, FunctionAnalysisManager &FAM,
                               Diagnostics &D) {
  const Module &M = *R.Primal->getParent();
  const DataLayout &DL = M.getDataLayout();
  SmallVector<std::pair<unsigned, const Value *>, 8> Arguments;
  for (auto [K, A] : enumerate(R.Arguments))
    if (A.Activity != ArgumentActivity::Const && A.Primal &&
        A.Primal->getType()->isPointerTy() && A.Shadow)
      if (const Value *Object = getUnderlyingObject(A.Primal);
          !isIdentifiedObject(Object) || isa<GlobalVariable>(Object))
        Arguments.push_back({K, Object});
  if (Arguments.empty())
    return true;
  const auto *TLI =
      &FAM.getResult<TargetLibraryAnalysis>(*R.Call->getFunction());
  SmallVector<uint64_t, 8> Placed; // Asked for where it is needed.
  const Functions Called = mayCall(*R.Primal);
  for (const GlobalVariable &G : M.globals()) {
    if (G.isConstant() || isMarkedInactive(G) || !G.getValueType()->isSized())
      continue;
    const Function *By = userOf(G, Called);
    if (!By)
      continue;
    const PlacedAccesses Accesses =
        accessesBehind(&G, DL, [&](const Instruction &I) {
          return Called.contains(I.getFunction());
        });
    const SmallVector<ByteRange, 4> Ranges = rangesOf(Accesses, G);
    bool IsCompared = false;
    for (auto [K, Object] : Arguments) {
      RequestArgument &A = R.Arguments[K];
      if (Object == &G) {
        APInt Distance(DL.getIndexTypeSizeInBits(A.Primal->getType()), 0);
        const bool IsPlaced = A.Primal->stripAndAccumulateConstantOffsets(
                                  DL, Distance, true) == &G;
        const int64_t Begin = IsPlaced ? Distance.getSExtValue() : 0;
        const uint64_t Most = std::min<uint64_t>(
            IsPlaced ? mostExtent(A, DL, TLI) : UINT64_MAX, sizeOf(G));
        if (isAnyIn(Accesses, Begin, Begin + int64_t(Most))) {
          D.error(*R.Call, messageOf(G, *By, /*IsCertain=*/true), Remedy);
          return false;
        }
      } else if (!isa<GlobalVariable>(Object) && !Ranges.empty()) {
        if (Placed.empty())
          Placed = placedExtents(*R.Primal, FAM);
        A.NamedBytes = std::max(leastExtent(A, DL, TLI), Placed[K]);
        IsCompared = true;
      }
    }
    if (IsCompared)
      R.Named.push_back({const_cast<GlobalVariable *>(&G), By, Ranges});
  }
  return true;
}

void verso::compareNamedArguments(
    const Request &R, IRBuilderBase &B, function_ref<Value *(unsigned)> Inside,
    function_ref<void(Value *, StringRef)> FailIf) {
  for (const NamedNumbers &N : R.Named) {
    Value *G = N.Variable->isThreadLocal()
                   ? B.CreateThreadLocalAddress(N.Variable)
                   : static_cast<Value *>(N.Variable);
    Value *Fails = B.getFalse();
    for (auto [K, A] : enumerate(R.Arguments))
      if (A.NamedBytes)
        for (ByteRange Range : N.Ranges)
          Fails =
              B.CreateOr(Fails, overlap(B, G, Range, Inside(K), A.NamedBytes));
    FailIf(Fails,
           messageOf(*N.Variable, *N.By, /*IsCertain=*/false) + "; " + Remedy);
  }
}
