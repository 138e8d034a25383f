//===- GradientBody.h - both sweeps of a request ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a request's function, or of a part's: recto and verso in one, and
// the versions of them that are chosen when it begins (GradientBody.cpp,
// StructuredRequest.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_GRADIENTBODY_H
#define VERSO_STRUCTURED_GRADIENTBODY_H

#include "analysis/EarlierPointers.h"
#include "request/Request.h"
#include "structured/Flatten.h"
#include "structured/GradientFunction.h"
#include "structured/LateReleases.h"
#include "structured/Refusal.h"
#include "structured/StructuredRequest.h"
#include "structured/Targets.h"
#include "structured/memory/DisjointArguments.h"
#include "structured/parts/PartGradients.h"
#include "structured/recursion/MemberGradients.h"

#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

#include <memory>
#include <vector>

namespace verso {

class Adjoints;
class KindMarks;
class MappedConstants;
class Objects;
class Residuals;
class ShadowPointers;
class Unchanged;
class UndoneStores;
class VariedMemory;

/// Emits the body of a request's function.
class GradientBody {
public:
  /// \p Restricted are the arguments that are known to be disjoint.
  GradientBody(Request &R, llvm::FunctionAnalysisManager &FAM, bool Check,
               Refusals &Refused, llvm::ArrayRef<unsigned> Restricted = {},
               RecursionBy How = {}, bool IsWatched = false)
      : R(R), FAM(FAM), Check(Check), Refused(Refused),
        IsFaster(!Restricted.empty()), How(How), IsWatched(IsWatched),
        Gradients(FAM, R.IsInner, Refused),
        OfParts(How.Split ? std::make_shared<PartGradients>(*How.Split)
                          : nullptr),
        Work(R, Restricted), W(&Work.get()),
        MayAssume(Refused.hasChoice() && !Check) {}

  ~GradientBody() { eraseSurveys(Assumed); }
  /// Makes the function of a part, \p P, whose sweeps are to be cut apart.
  static llvm::Function *
  makePart(Request &R, const Part &P, const PartUses &Uses,
           const GradientBody &For, Refusals &Refused,
           llvm::SmallVectorImpl<llvm::Function *> &Others);
  Lowered lower(llvm::SmallVectorImpl<llvm::Function *> &Others);

private:
  llvm::Function *generate();
  llvm::Function *
  withFasterVersion(llvm::Function *General,
                    llvm::SmallVectorImpl<llvm::Function *> &Others);
  llvm::Function *withApartNests(llvm::Function *General);
  bool gainsByDisjointness(const Unchanged &Memory) const;
  void differentiate();
  llvm::Value *seedOf(llvm::Value *Returned);
  void emitEnd(llvm::BasicBlock &End, llvm::Value *Returned, Adjoints &A);
  void emitComparison(llvm::IRBuilderBase &B,
                      llvm::ArrayRef<llvm::Value *> Derivatives,
                      llvm::Value *Seed);
  void failIf(llvm::Instruction &Condition, llvm::StringRef Reason,
              const llvm::Instruction *Cause = nullptr);
  void refuseLosses(const Adjoints &A, const ShadowPointers &P);
  void refuseOwnShadows(const Objects &O, const Adjoints &A);
  void refuseNamedArguments();
  void refuseEarlierPointers(const VariedMemory &V, ShadowPointers &Pointers);
  void addRuntimeCalls(ShadowPointers &Pointers, const MappedConstants &Mapped,
                       const KindMarks &Marks);
  bool readsWatchable(const Objects &O, bool OrArguments) const;
  void explain(Residuals &K);
  void markScopes(const VariedMemory &V, const Adjoints &A, const Residuals &K,
                  ShadowPointers &Shadows, const UndoneStores &Undone);
  llvm::Function *makeVersions(llvm::SmallVectorImpl<llvm::Function *> &Others);
  bool mayBeWatched() const;
  void putStandIns();

  Request &R;
  llvm::FunctionAnalysisManager &FAM;
  const bool Check;
  Refusals &Refused;
  const bool IsFaster;
  const RecursionBy How;
  /// Whether it is the version for a thread that watches (WatchedMemory.h).
  const bool IsWatched;
  MemberGradients Gradients;
  /// Of the request's parts; null if there are none.
  std::shared_ptr<PartGradients> OfParts;
  /// What it is the function of, if it is one of a part's.
  const Part *AsPart = nullptr;
  const PartUses *Uses = nullptr;
  DisjointArguments Disjoint;
  /// The numbers of the nests that are there twice.
  llvm::SmallVector<unsigned, 4> ApartAtEntry;
  /// Of those that would gain by that, and what is recorded in either.
  llvm::SmallVector<unsigned, 4> GainingNests;
  size_t RecordedInNests = 0;
  /// How many values are recorded, and kept.
  size_t Recorded = 0;
  GradientFunction Work;
  llvm::Function *const W;
  LateReleases Releases;
  llvm::SmallVector<llvm::Instruction *, 64> ProgramAccesses;
  llvm::SmallVector<EarlierPointer, 4> Earlier;
  bool UsesArena = false;
  bool ReadsWatchable = false;
  /// Whether it is taped while the thread watches memory.
  bool AsksForWatched = false;
  /// Where the tape is no choice, nothing may be left to it.
  bool MayAssume;
  std::vector<Assumption> Assumed;
};

} // namespace verso

#endif // VERSO_STRUCTURED_GRADIENTBODY_H
