//===- NumberAccesses.cpp - the numbers behind a pointer ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/NumberAccesses.h"
#include "LLVMCompat.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <map>

using namespace llvm;
using namespace verso;

namespace {

/// How far a pointer is from the one in question.
struct Distance {
  int64_t Bytes;
  bool IsLeast = false; ///< An index was added, whose value is not known.
};

class Walk {
public:
  Walk(const DataLayout &DL,
       function_ref<bool(const Instruction &)> IsOfInterest)
      : DL(DL), IsOfInterest(IsOfInterest) {}

  NumberAccesses follow(const Value *P) {
    reach(P, {0});
    while (!Work.empty() && Known.size() <= MaxPointers) {
      const Value *Next = Work.pop_back_val();
      const Distance From = Known.lookup(Next);
      for (const Use &U : Next->uses())
        use(U, From);
    }
    if (!Work.empty())
      somewhere();
    for (const auto &[Begin, Number] : Found)
      Result.Places.push_back({Begin, Number.first, Number.second});
    return std::move(Result);
  }

private:
  static constexpr unsigned MaxPointers = 256;

  void somewhere() {
    Result.Any = true;
    Result.AreAllPlaced = false;
  }

  void access(Type *T, Distance At) {
    if (!holdsReal(T))
      return;
    Result.Any = true;
    if (T->isFloatingPointTy()) {
      auto &[Bytes, GoesOn] = Found[At.Bytes];
      Bytes = std::max<unsigned>(Bytes, DL.getTypeStoreSize(T));
      GoesOn |= At.IsLeast;
    } else if (auto *S = dyn_cast<StructType>(T)) {
      for (auto [Member, Begin] :
           zip(S->elements(), DL.getStructLayout(S)->getMemberOffsets()))
        access(Member,
               {At.Bytes + int64_t(Begin.getKnownMinValue()), At.IsLeast});
    } else { // The first of an array or of a vector, and so on.
      access(T->getContainedType(0), {At.Bytes, true});
    }
  }

  /// A pointer that is two distances away is one somewhere behind the nearer
  /// one: of a loop, each iteration may add.
  void reach(const Value *P, Distance At) {
    auto [It, IsNew] = Known.try_emplace(P, At);
    if (!IsNew) {
      Distance &Old = It->second;
      const bool Differs = Old.Bytes != At.Bytes || Old.IsLeast != At.IsLeast;
      if (!Differs || (Old.IsLeast && Old.Bytes <= At.Bytes))
        return;
      // Steps backwards would have no end.
      if (Old.IsLeast && At.Bytes < Old.Bytes) {
        somewhere();
        return;
      }
      Old = {std::min(Old.Bytes, At.Bytes), true};
    }
    Work.push_back(P);
  }

  void use(const Use &U, Distance At) {
    const User *By = U.getUser();
    if (auto *I = dyn_cast<Instruction>(By); I && !IsOfInterest(*I))
      return;
    if (auto *Load = dyn_cast<LoadInst>(By))
      return access(Load->getType(), At);
    if (auto *Store = dyn_cast<StoreInst>(By)) {
      if (U.getOperandNo() == Store->getPointerOperandIndex())
        access(Store->getValueOperand()->getType(), At);
      else if (isa<AllocaInst>(Store->getPointerOperand()))
        for (const User *Again : Store->getPointerOperand()->users())
          if (isa<LoadInst>(Again) && Again->getType()->isPointerTy())
            reach(Again, At); // Unoptimised code keeps pointers so.
      return;
    }
    if (auto *Update = dyn_cast<AtomicRMWInst>(By))
      return access(Update->getType(), At);
    if (auto *Step = dyn_cast<GEPOperator>(By))
      return step(*Step, At);
    if (isa<PHINode, SelectInst, FreezeInst, BitCastOperator>(By))
      return reach(By, At);
    if (auto *Return = dyn_cast<ReturnInst>(By)) {
      const Function *F = Return->getFunction();
      for (const Use &OfF : F->uses())
        if (auto *Call = dyn_cast<CallBase>(OfF.getUser());
            Call && Call->isCallee(&OfF) && IsOfInterest(*Call))
          reach(Call, At);
      return somewhere();
    }
    if (auto *Call = dyn_cast<CallBase>(By))
      pass(*Call, U, At);
  }

  void step(const GEPOperator &Step, Distance At) {
    if (Step.getType()->isVectorTy())
      return somewhere();
    compat::VariableOffsets Indices;
    APInt Fixed(DL.getIndexTypeSizeInBits(Step.getType()), 0);
    if (!Step.collectOffset(DL, Fixed.getBitWidth(), Indices, Fixed))
      return somewhere();
    reach(&Step,
          {At.Bytes + Fixed.getSExtValue(), At.IsLeast || !Indices.empty()});
  }

  void pass(const CallBase &Call, const Use &U, Distance At) {
    if (!Call.isArgOperand(&U) || isInert(Call))
      return;
    if (auto *II = dyn_cast<IntrinsicInst>(&Call);
        II && II->getIntrinsicID() == Intrinsic::threadlocal_address)
      return reach(&Call, At);
    const Function *Callee = Call.getCalledFunction();
    if (!Callee) {
      if (!Call.isInlineAsm())
        somewhere();
      return;
    }
    if (isMarkedInactive(*Callee))
      return;
    if (std::optional<KnownCall> K = classifyCall(*Callee)) {
      if (K->K == KnownCall::Copy || K->K == KnownCall::Sort ||
          K->K == KnownCall::Set)
        somewhere();
      return;
    }
    // A twin that is not built yet: what it does with it nobody knows.
    if (Callee->isDeclaration()) {
      if (isGenerated(*Callee))
        somewhere();
      return;
    }
    const unsigned N = Call.getArgOperandNo(&U);
    if (N >= Callee->arg_size())
      return somewhere();
    reach(Callee->getArg(N), At);
  }

  const DataLayout &DL;
  function_ref<bool(const Instruction &)> IsOfInterest;
  DenseMap<const Value *, Distance> Known;
  SmallVector<const Value *, 16> Work;
  /// By their places: how large they are, and whether they go on.
  std::map<int64_t, std::pair<unsigned, bool>> Found;
  NumberAccesses Result;
};

} // namespace

NumberAccesses
verso::numbersBehind(const Value *P, const DataLayout &DL,
                     function_ref<bool(const Instruction &)> IsOfInterest) {
  return Walk(DL, IsOfInterest).follow(P);
}
