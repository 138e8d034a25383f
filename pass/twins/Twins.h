//===- Twins.h - the instrumented twins of functions ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The twin of  R f(T1, ..., Tn)  is
//
//   {R, companion(R)} f.twin(ptr context, T1, ..., Tn, companions...)
//
// with a companion parameter for every varied parameter: what the mode carries
// beside a value (emit/Companion.h, emit/Tangent.h). A function has a twin for
// each mode and each set of varied parameters that some call needs; the one
// with all of them is what indirect calls reach, through a table that the
// runtime keeps. Twins are declared when they are first asked for and built
// from a worklist.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TWINS_TWINS_H
#define VERSO_TWINS_TWINS_H

#include "Diagnostics.h"
#include "analysis/DeadFunctions.h"
#include "prepare/MixedUnions.h"
#include "taped/Halves.h"
#include "taped/Kernels.h"
#include "taped/MovedAddresses.h"
#include "taped/PackedNumbers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <map>
#include <set>

namespace verso {

/// What kind of twin a call needs.
struct TwinMode {
  /// 0: IDs, for the tape. Else tangents in so many directions.
  unsigned Width = 0;
  /// Whether any pointer of the request has a shadow.
  bool PointersTracked = false;
  /// Only a table leads here, so what cannot be differentiated is an error when
  /// the program runs.
  bool Deferred = false;
  /// Called by the request itself, or as if it were (startsFresh): memory is as
  /// it was when the request began, and in forward mode every varied pointer
  /// parameter has a shadow of the user's.
  bool IsRoot = false;
  /// Of -verso-check's copy of the process (markJudge). In forward mode it says
  /// which shadows it reads.
  bool Checked = false;
  /// Of a function that is marked inactive, or called by one: no number varies,
  /// so what it stores and copies loses its derivative. Pointers are followed.
  /// What cannot be differentiated is no error.
  bool IsSilent = false;

  /// On the tape, of the first parameters, a bit each: those that are quiet
  /// (FreshMemory.h).
  uint64_t Quiet = 0;

  /// Several directions, each by the operations that one alone would take: the
  /// program asked for one (DirectionLoops.h).
  bool AsOne = false;

  bool isTaped() const { return Width == 0; }
  bool operator<(const TwinMode &That) const {
    auto Key = [](const TwinMode &M) {
      return std::tuple(M.Width, M.PointersTracked, M.IsRoot, M.Checked,
                        M.IsSilent, M.AsOne, M.Quiet);
    };
    return Key(*this) < Key(That);
  }
};

class FreshMemory;

class Twins {
public:
  /// \p Check: what runs on the tape says where it reads numbers that are lost.
  Twins(llvm::Module &M, llvm::FunctionAnalysisManager &FAM, Diagnostics &D,
        bool Check)
      : M(M), FAM(FAM), D(D), Check(Check), HalfKinds(halvesIn(M)),
        HoldsPacked(verso::holdsPacked(M)), HoldsUnions(holdsMixedUnions(M)),
        MovesAddresses(verso::mayMoveAddresses(M)), Dead(findDeadFunctions(M)) {
  }

  /// The twin of \p F for these varied parameters (a bit each). The call that
  /// needs it is given by setCaller() once it stands.
  llvm::Function *get(llvm::Function &F, const llvm::BitVector &Varied,
                      TwinMode Mode);

  /// The call that first led to \p Twin, for messages; the one that get() was
  /// told may have been replaced.
  void setCaller(llvm::Function &Twin, const llvm::Instruction &Call) {
    if (auto It = AskedBy.find(&Twin); It != AskedBy.end() && !It->second.Call)
      It->second.Call = &Call;
  }

  /// The function type of a twin of a function of type \p T.
  static llvm::FunctionType *twinType(llvm::FunctionType *T,
                                      const llvm::BitVector &Varied,
                                      const TwinMode &Mode);
  static llvm::BitVector allVaried(llvm::FunctionType *T);
  /// VERSO_TWIN_KIND of the twin that a call through a pointer of type \p T, or
  /// of a function of this type, has.
  static uint32_t kindOf(llvm::FunctionType *T, const TwinMode &Mode);
  /// Whether the twin returns a pair of value and companion.
  static bool returnsCompanion(llvm::Type *ReturnType);

  /// \name Calls of twins, while a function is being instrumented.
  /// rewriteCalls turns every call of F that leads to a function into a call of
  /// its twin whose companions are all zero; the instrumenter fills them in.
  /// The result is used through extractvalue 0.
  /// @{
  void rewriteCalls(llvm::Function &F, const llvm::BitVector &Varied,
                    const FreshMemory *Fresh);
  static bool isTwinCall(const llvm::Value *V);
  static unsigned firstCompanion(const llvm::CallBase &I);
  static bool hasCompanion(const llvm::CallBase &I, unsigned Argument);
  /// @}

  /// Builds all twins that were asked for.
  void build();
  /// Gives functions whose address is taken the twins that calls through
  /// pointers look for, and emits the table of them. \p ForOtherFiles: all such
  /// functions, by tape and in one direction. To be called when every request
  /// is lowered.
  void finish(bool ForOtherFiles);
  /// Loops of functions that are taped may be kernels (taped/Kernels.h), of
  /// \p LeastWork operations at least.
  void takeKernels(unsigned LeastWork);
  /// Whether an outer request may differentiate what is built.
  void setNested(bool Value) { Nested = Value; }
  bool isNested() const { return Nested; }
  /// What was generated for them, since the last call.
  llvm::SmallVector<llvm::Function *, 8> takeGeneratedOfKernels() {
    return TakenKernels ? TakenKernels->takeGenerated()
                        : llvm::SmallVector<llvm::Function *, 8>();
  }
  /// The functions that were built so far.
  llvm::ArrayRef<llvm::Function *> built() const { return Built; }
  /// Whether \p F is a taped twin that was built.
  bool isTaped(const llvm::Function &F) const { return Taped.contains(&F); }

  llvm::FunctionAnalysisManager &analyses() { return FAM; }
  bool notesLost() const { return Check; }
  bool pointersTracked() const { return CurrentMode.PointersTracked; }
  bool isSilent() const { return CurrentMode.IsSilent; }
  /// Whether the module has two-byte numbers in memory (taped/Halves.h).
  bool holdsHalves() const { return HalfKinds != 0; }
  /// Whether it has numbers at any address (taped/PackedNumbers.h).
  bool holdsPacked() const { return HoldsPacked; }
  /// Whether there are unions in which the same bytes are numbers of two types.
  bool holdsUnions() const { return HoldsUnions; }
  /// Whether a double may be a pointer (taped/MovedAddresses.h).
  bool movesAddresses() const { return MovesAddresses; }
  /// Whether a granule may hold more than one number.
  bool sharesGranules() const { return holdsHalves() || holdsPacked(); }
  const TwinMode &mode() const { return CurrentMode; }
  /// Whether the function that is being built is the twin of code of ours, such
  /// as the twin of an inner request.
  bool isOfGenerated() const { return OfGenerated; }
  /// Reports that \p I, of the function that is being built, cannot be
  /// differentiated: now, or when the program runs if only a table leads here.
  void fail(llvm::Instruction &I, const llvm::Twine &Message,
            llvm::StringRef Remedy);
  /// The calls that led to the function that is being built.
  llvm::SmallVector<const llvm::Instruction *, 4> callChain() const;

private:
  struct Order {
    llvm::Function *Original;
    llvm::Function *Twin;
    llvm::BitVector Varied;
    TwinMode Mode;
  };
  void buildOne(const Order &O);
  llvm::Function *prepared(llvm::Function &Original, bool ForTape);
  void addToVaried(llvm::BitVector &Varied, llvm::Function &F);
  void rewriteCall(llvm::CallBase &Call, llvm::Function *Callee,
                   const llvm::BitVector &Varied);
  void fillTable(TwinMode Mode,
                 llvm::function_ref<bool(const llvm::Function &)> IsWanted);
  void fillTableForCalls();
  void addTwinsOfTwins();
  void emitTables();

  llvm::Module &M;
  llvm::FunctionAnalysisManager &FAM;
  Diagnostics &D;
  const bool Check;
  bool Nested = false;
  const unsigned HalfKinds;
  const bool HoldsPacked, HoldsUnions, MovesAddresses;
  /// Nobody calls them through a pointer.
  llvm::SmallPtrSet<const llvm::Function *, 16> Dead;
  std::optional<Kernels> TakenKernels;
  std::map<std::tuple<llvm::Function *, std::string, TwinMode>,
           llvm::Function *>
      Known;
  llvm::DenseMap<llvm::Function *, unsigned> QuietTwins; ///< How many.
  /// The parameters that vary in twins of large functions.
  llvm::DenseMap<llvm::Function *, llvm::SmallVector<llvm::BitVector, 3>>
      VariedOf;
  std::vector<Order> Worklist;
  std::vector<llvm::Function *> Built;
  llvm::DenseSet<const llvm::Function *> Taped; ///< Of those.
  std::map<std::pair<llvm::Function *, bool>, llvm::Function *> Prepared;
  std::set<uint32_t> LookedUp; ///< The kinds of twins that calls look for.
  /// Of what twins twins are called through pointers, in nested requests: the
  /// widths from the innermost request outwards.
  std::set<std::vector<unsigned>> Chains;
  /// Who asked for a twin first: the call, and the twin that contains it.
  struct Asker {
    const llvm::Instruction *Call;
    llvm::Function *Twin;
  };
  llvm::DenseMap<llvm::Function *, Asker> AskedBy;
  /// By function and width.
  llvm::MapVector<std::pair<llvm::Function *, unsigned>, llvm::Function *>
      Table;
  llvm::Function *Current = nullptr;
  TwinMode CurrentMode;
  bool OfGenerated = false;
};

} // namespace verso

#endif // VERSO_TWINS_TWINS_H
