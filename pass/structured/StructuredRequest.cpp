//===- StructuredRequest.cpp - a request by reversed control flow ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/StructuredRequest.h"
#include "Diagnostics.h"
#include "emit/Runtime.h"
#include "prepare/Worksharing.h"
#include "request/RequestResult.h"
#include "structured/EntryChoice.h"
#include "structured/Flatten.h"
#include "structured/GradientBody.h"
#include "structured/StaticGuards.h"
#include "structured/Versions.h"
#include "structured/parts/Parts.h"
#include "structured/recursion/Members.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// \p General with two versions of the nests that gain by that.
Function *GradientBody::withApartNests(Function *General) {
  Refusals None(Refused.hasChoice());
  GradientBody Other(R, FAM, Check, None, {}, How, IsWatched);
  Other.ApartAtEntry = GainingNests;
  Other.OfParts = OfParts;
  Other.AsPart = AsPart;
  Other.Uses = Uses;
  Other.MayAssume = !Assumed.empty();
  Other.AsksForWatched = AsksForWatched;
  Function *Faster = Other.generate();
  if (!Faster || Other.RecordedInNests >= RecordedInNests) {
    if (Faster)
      Faster->eraseFromParent();
    return General;
  }
  std::swap(Assumed, Other.Assumed);
  size_t Saved = RecordedInNests - Other.RecordedInNests;
  Diagnostics(General->getContext())
      .remark(Remark::ResidualRecorded, *R.Call,
              Twine(Saved) + (Saved == 1 ? " value is" : " values are") +
                  " recorded only if pointers in loops overlap");
  Faster->takeName(General);
  General->eraseFromParent();
  return Faster;
}

/// disjoint(arguments) ? faster(arguments) : general(arguments)
Function *GradientBody::withFasterVersion(Function *General,
                                          SmallVectorImpl<Function *> &Others) {
  Refusals None(Refused.hasChoice());
  GradientBody Other(R, FAM, Check, None, Disjoint.Arguments, How, IsWatched);
  Other.MayAssume = !Assumed.empty();
  Other.AsksForWatched = AsksForWatched;
  Function *Faster = Other.generate();
  if (!Faster || Other.Recorded >= Recorded) {
    if (Faster)
      Faster->eraseFromParent();
    return General;
  }
  append_range(Assumed, Other.Assumed);
  Other.Assumed.clear();
  size_t Saved = Recorded - Other.Recorded;
  Diagnostics(General->getContext())
      .remark(Remark::ResidualRecorded, *R.Call,
              Twine(Saved) + (Saved == 1 ? " value is" : " values are") +
                  " recorded only if arguments overlap");
  markOrdinary(*Disjoint.Test);
  Others.append({Disjoint.Test, General, Faster});
  auto CallOf = [](Function *F) {
    return [F](IRBuilderBase &B, ArrayRef<Value *> Arguments) -> Value * {
      return B.CreateCall(F, Arguments);
    };
  };
  Function *F = emitVersions(*General, CallOf(Disjoint.Test), CallOf(Faster),
                             CallOf(General));
  Faster->setName(F->getName() + ".disjoint.arguments");
  General->setName(F->getName() + ".any.arguments");
  return F;
}

/// The request as it is chosen if nothing is assumed; null if it was refused.
Function *GradientBody::makeVersions(SmallVectorImpl<Function *> &Others) {
  Function *F = generate();
  if (F && !GainingNests.empty() &&
      (Disjoint.Arguments.empty() || Disjoint.IsUnlikely))
    F = withApartNests(F);
  if (F && !Disjoint.Arguments.empty())
    F = withFasterVersion(F, Others);
  if (Disjoint.Test && Disjoint.Test->use_empty())
    Disjoint.Test->eraseFromParent();
  return F;
}

Function *GradientBody::makePart(Request &R, const Part &P,
                                 const PartUses &Uses, const GradientBody &For,
                                 Refusals &Refused,
                                 SmallVectorImpl<Function *> &Others) {
  GradientBody S(R, For.FAM, /*Check=*/false, Refused, {}, For.How);
  S.OfParts = For.OfParts;
  S.AsPart = &P;
  S.Uses = &Uses;
  S.MayAssume = false;
  return S.makeVersions(Others);
}

/// Whether there may be a version for a thread that watches memory: numbers
/// that have a shadow as well would have two adjoints.
bool GradientBody::mayBeWatched() const {
  return Refused.hasChoice() && !Check && !R.IsInner && !R.IsOfKernel &&
         R.Call->getModule()->getFunction("verso_watch") &&
         none_of(enumerate(R.Arguments), [&](const auto &Each) {
           const auto &[K, A] = Each;
           return A.Activity != ArgumentActivity::Const &&
                  A.Primal->getType()->isPointerTy();
         });
}

Lowered GradientBody::lower(SmallVectorImpl<Function *> &Others) {
  Function *F = makeVersions(Others);
  Lowered Result;
  if (F && OfParts) {
    OfParts->make(
        R,
        [&](Request &Each, const Part &P, const PartUses &Uses, Refusals &Own) {
          return makePart(Each, P, Uses, *this, Own, Others);
        },
        Refused);
    if (Refused) {
      F->eraseFromParent();
      return Result;
    }
  }
  Refusals OfWatched(Refused.hasChoice());
  std::optional<GradientBody> Other;
  if ((!F || AsksForWatched) && mayBeWatched()) {
    RecursionBy Ways = How; // Members and parts are made for one version.
    Ways.Kept = nullptr;
    Ways.Split = nullptr;
    Other.emplace(R, FAM, Check, OfWatched, ArrayRef<unsigned>(), Ways,
                  /*IsWatched=*/true);
  }
  EntryChoice Choice(R, Work, Others);
  if (Function *Watched = Other ? Other->makeVersions(Others) : nullptr) {
    Refused.forget();
    Choice.addWatched(*Watched, Other->Assumed);
    Other->Assumed.clear();
    append_range(Others, Other->Gradients.release());
  } else if (AsksForWatched) {
    Choice.refuseWatched(OfWatched);
  } else if (OfWatched && OptimizationRemarkEmitter(R.Call->getFunction())
                              .allowExtraAnalysis("verso")) {
    Diagnostics(R.Call->getContext())
        .remark(Remark::RecursionAsLoop, *R.Call,
                "while memory is watched it is not structured either: " +
                    OfWatched.first().text());
  }
  if (F && (!Assumed.empty() || AsksForWatched))
    Choice.addOrdinary(*F, Assumed, AsksForWatched);
  if (Function *First = Choice.first()) {
    F = First;
    Choice.finish(Result);
  }
  if (F) {
    replaceByCall(R, F, Work.passed());
    append_range(Others, Gradients.release());
    if (OfParts)
      append_range(Others, OfParts->release());
  }
  Result.Called = F;
  return Result;
}

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

Lowered verso::lowerStructured(Request &R, FunctionAnalysisManager &FAM,
                               const Options &Chosen, Refusals &Refused,
                               SmallVectorImpl<Function *> &Others) {
  const bool Check = Chosen.Check;
  auto Explain = [&](const Refusals &Own, StringRef What) {
    if (!Own || !OptimizationRemarkEmitter(R.Call->getFunction())
                     .allowExtraAnalysis("verso"))
      return;
    const Refusal &Why = Own.first();
    Diagnostics(R.Call->getContext())
        .remark(Remark::RecursionAsLoop, *R.Call, What + ": " + Why.text());
  };
  // Where the call tree is too large, functions that only release memory stay
  // calls; members, which write nothing, call none.
  auto Lower = [&](RecursionBy How, Refusals &Own) {
    Lowered L = GradientBody(R, FAM, Check, Own, {}, How).lower(Others);
    if (L.Called || How.Kept || !Own || !Own.first().IsTooLarge)
      return L;
    Own.forget();
    How.KeepsReleases = true;
    return GradientBody(R, FAM, Check, Own, {}, How).lower(Others);
  };
  // Functions that are called in several places stay calls; where the tree is
  // too large, others as well. Outer requests, watched memory and threads that
  // share a loop know nothing of these.
  const Module &M = *R.Call->getModule();
  const bool MaySplit = Chosen.Parts != Options::Never && !R.IsInner &&
                        !R.IsOfKernel && !M.getFunction("verso_watch") &&
                        none_of(M, sharesLoops);
  auto LowerSplit = [&](Parts::Which W) {
    RecursionBy By;
    Parts Split(FAM, [&](Function &G, Refusals &Own) {
      flatten(G, FAM, {}, By, /*MayKeep=*/false, Own);
    });
    By.Split = &Split;
    if (!MaySplit || !Split.choose(R, W))
      return Lowered();
    Refusals Own(Refused.hasChoice());
    Lowered L = Lower(By, Own);
    if (L.Called) {
      Split.explain(*cast<Instruction>(*L.Called->user_begin()));
      append_range(Others, Split.release());
    } else {
      Explain(Own, "functions that are called in several places are inlined");
    }
    return L;
  };
  const bool IsRecursive = Circles(FAM).reachesRecursion(*R.Primal);
  if (Chosen.Parts == Options::Always || !IsRecursive)
    if (Lowered L = LowerSplit(
            Chosen.Parts == Options::Always ? Parts::All : Parts::Repeated);
        L.Called)
      return L;
  // Recursive functions that can be reversed by themselves are.
  if (IsRecursive) {
    Refusals Own(Refused.hasChoice());
    Members Kept(FAM, Own);
    if (Lowered L = Lower({&Kept}, Own); L.Called) {
      append_range(Others, Kept.eraseUnused());
      return L;
    }
    Explain(Own, "recursive functions are not reversed by themselves");
  }
  Lowered L = Lower({}, Refused);
  if (L.Called)
    return L;
  // The first call of a function with static variables may be another matter.
  if (Refused.hasChoice() && !Check && readsGuards(*R.Primal)) {
    RecursionBy How;
    How.IsInitialised = true;
    Refusals Own(/*HasChoice=*/true);
    if (Lowered Other = Lower(How, Own); Other.Called) {
      Refused.forget();
      return Other;
    }
    Explain(Own, "when static variables are initialised it is not structured "
                 "either");
  }
  if (Refused.first().IsTooLarge)
    if (Lowered Other = LowerSplit(Parts::Large); Other.Called) {
      Refused.forget();
      return Other;
    }
  // Virtual functions may have been inlined into one another without an end.
  LikelyTargets Likely(*R.Primal);
  if (!Circles(FAM, &Likely).reachesRecursion(*R.Primal))
    return L;
  Refusals Own(Refused.hasChoice());
  L = Lower({nullptr, true}, Own);
  if (L.Called)
    Refused.forget();
  else
    Explain(Own,
            "functions that call one another through pointers are no loop");
  return L;
}
