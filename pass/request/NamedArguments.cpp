//===- NamedArguments.cpp - arguments that are used by name ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/NamedArguments.h"
#include "Diagnostics.h"
#include "analysis/EarlierPointers.h"
#include "rules/KnownCalls.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

/// The function that uses \p G by its name, for a message.
static const Function *
userOf(const GlobalVariable &G,
       const SmallPtrSetImpl<const Function *> &Functions) {
  SmallVector<const User *, 8> Work(G.users());
  SmallPtrSet<const User *, 8> Seen;
  while (!Work.empty()) {
    const User *U = Work.pop_back_val();
    if (!Seen.insert(U).second)
      continue;
    if (isa<ConstantExpr>(U))
      append_range(Work, U->users());
    else if (auto *I = dyn_cast<Instruction>(U);
             I && Functions.contains(I->getFunction()))
      return I->getFunction();
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

/// Its arrays are all that it has: what is accessed somewhere in it may be any
/// of its numbers.
static bool isArray(const GlobalVariable &G) {
  Type *T = G.getValueType();
  while (auto *A = dyn_cast<ArrayType>(T))
    T = A->getElementType();
  return T->isFloatingPointTy();
}

static uint64_t sizeOf(const GlobalVariable &G) {
  return G.getDataLayout().getTypeAllocSize(G.getValueType()).getFixedValue();
}

/// The bytes of the variable that are accessed for certain, in pieces.
static SmallVector<std::pair<int64_t, int64_t>, 4>
runsOf(const NamedNumbers &N) {
  SmallVector<std::pair<int64_t, int64_t>, 4> Runs;
  for (const NumberPlace &Place : N.Places) {
    int64_t End = Place.Begin + Place.Bytes;
    if (Place.GoesOn && isArray(*N.Variable))
      End = std::max<int64_t>(End, sizeOf(*N.Variable));
    if (!Runs.empty() && Place.Begin <= Runs.back().second)
      Runs.back().second = std::max(Runs.back().second, End);
    else
      Runs.push_back({Place.Begin, End});
  }
  return Runs;
}

/// Whether a number of these is certainly, or may be, in [Begin, End) of the
/// variable.
static bool isAnyIn(const NumberAccesses &Numbers, uint64_t Begin,
                    uint64_t End) {
  return !Numbers.AreAllPlaced || any_of(Numbers.Places, [&](NumberPlace N) {
    const uint64_t From = std::max<int64_t>(N.Begin, 0);
    return From < End && (N.GoesOn || From >= Begin);
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
      Arguments.push_back({K, getUnderlyingObject(A.Primal)});
  if (Arguments.empty())
    return true;
  const auto *TLI =
      &FAM.getResult<TargetLibraryAnalysis>(*R.Call->getFunction());
  SmallVector<uint64_t, 8> Placed; // Asked for where it is needed.
  const SmallPtrSet<const Function *, 16> Functions = reachableFrom(*R.Primal);
  auto IsInside = [&](const Instruction &I) {
    return Functions.contains(I.getFunction());
  };
  for (const GlobalVariable &G : M.globals()) {
    if (G.isConstant() || isMarkedInactive(G) || !G.getValueType()->isSized())
      continue;
    const Function *By = userOf(G, Functions);
    if (!By)
      continue;
    const NumberAccesses Numbers = numbersBehind(&G, DL, IsInside);
    if (!Numbers.Any)
      continue;
    bool IsCompared = false;
    for (auto [K, Object] : Arguments) {
      RequestArgument &A = R.Arguments[K];
      if (Object == &G) {
        APInt Distance(DL.getIndexTypeSizeInBits(A.Primal->getType()), 0);
        const bool IsPlaced = A.Primal->stripAndAccumulateConstantOffsets(
                                  DL, Distance, true) == &G;
        const uint64_t Begin = IsPlaced ? Distance.getZExtValue() : 0;
        const uint64_t Most = IsPlaced ? mostExtent(A, DL, TLI) : sizeOf(G);
        if (isAnyIn(Numbers, Begin, Begin + Most)) {
          D.error(*R.Call, messageOf(G, *By, /*IsCertain=*/true), Remedy);
          return false;
        }
      } else if (!isIdentifiedObject(Object) && !Numbers.Places.empty()) {
        if (Placed.empty())
          Placed = placedExtents(*R.Primal, FAM);
        A.NamedBytes = std::max(leastExtent(A, DL, TLI), Placed[K]);
        IsCompared = true;
      }
    }
    if (IsCompared)
      R.Named.push_back({const_cast<GlobalVariable *>(&G), By, Numbers.Places});
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
      if (A.NamedBytes) {
        Value *P = Inside(K);
        for (auto [Begin, End] : runsOf(N)) {
          Value *Run = B.CreatePtrAdd(G, B.getInt64(Begin));
          Fails = B.CreateOr(Fails, leadsInto(B, Run, P, A.NamedBytes));
          Fails = B.CreateOr(Fails, leadsInto(B, P, Run, End - Begin));
        }
      }
    FailIf(Fails,
           messageOf(*N.Variable, *N.By, /*IsCertain=*/false) + "; " + Remedy);
  }
}
