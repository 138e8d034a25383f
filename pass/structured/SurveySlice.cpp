//===- SurveySlice.cpp - what a survey has to look at ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/SurveySlice.h"
#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "analysis/CopiedNumbers.h"
#include "structured/Targets.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

bool verso::asksForSuccess(const Instruction &I) {
  auto *Compare = dyn_cast<ICmpInst>(&I);
  return Compare && Compare->isEquality() &&
         isNoAliasCall(Compare->getOperand(0)->stripPointerCasts()) &&
         isa<ConstantPointerNull>(Compare->getOperand(1));
}

/// Whether \p P leads to memory that the function makes, and to nothing else.
static bool leadsToOwn(const Value *P, const Objects &O) {
  const Places All = O.isComplete() ? O.placesOf(P) : Places();
  return !All.empty() &&
         all_of(All, [&](const Place &Q) { return O[Q.Object].isLocal(); });
}

bool verso::isOfRun(const Value &V, function_ref<const Objects &()> O) {
  constexpr unsigned MaxValues = 512;
  SmallSetVector<const Value *, 16> From;
  From.insert(&V);
  bool IsOwn = false;
  for (unsigned K = 0; K != From.size() && K != MaxValues; ++K) {
    auto *I = dyn_cast<Instruction>(From[K]);
    if (!I)
      continue;
    auto *Call = dyn_cast<CallBase>(I);
    const bool IsPlain = isa<IntrinsicInst>(I) && Call->doesNotAccessMemory();
    if (Call && !IsPlain && !isNoAliasCall(Call))
      return false;
    auto *Load = dyn_cast<LoadInst>(I);
    if (Load && Load->getType()->isFPOrFPVectorTy() &&
        !leadsToOwn(Load->getPointerOperand(), O()))
      return false;
    IsOwn |= isa<AllocaInst>(I) || (Call && !IsPlain);
    if (!Call || IsPlain)
      From.insert(I->op_begin(), I->op_end());
  }
  return IsOwn && From.size() <= MaxValues;
}

Slice::Slice(Function &F, ArrayRef<CallBase *> Calls,
             FunctionAnalysisManager &FAM)
    : F(F), TLI(&FAM.getResult<TargetLibraryAnalysis>(F)),
      Ends(Calls.begin(), Calls.end()), PDT(F), DT(F), LI(DT) {
  using Traversal = ReversePostOrderTraversal<const Function *>;
  Traversal Order(&F);
  IsIrreducible = containsIrreducibleCFG<const BasicBlock *, const Traversal,
                                         const LoopInfo>(Order, LI);
  findDeciders();
  find();
}

void Slice::find() {
  Needed.clear();
  NeededBy.clear();
  Presumed.clear();
  Exact.clear();
  Current = nullptr;
  for (const CallBase *End : Ends) {
    needWayTo(*End->getParent());
    if (auto *Callee = dyn_cast<Instruction>(End->getCalledOperand()))
      need(*Callee);
  }
  unsigned K = 0;
  do
    for (; K != Needed.size(); ++K)
      needAllOf(*Needed[K]);
  while (needWhatChooses());
}

void Slice::needAllOf(const Instruction &I) {
  Current = &I;
  needWayTo(*I.getParent());
  if (isa<InvokeInst>(I) || asksForSuccess(I)) // Only where it goes on.
    return;
  for (const Value *Op : I.operands())
    if (auto *Other = dyn_cast<Instruction>(Op))
      need(*Other);
  if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Phi->getNumIncomingValues() > 1)
    for (const BasicBlock *From : Phi->blocks()) {
      needExactly(*From->getTerminator());
      needWayTo(*From);
    }
}

/// The blocks from which \p Phi may be come to by that way from \p Terminator,
/// before either is come to again, and not past \p Join.
static SmallPtrSet<const BasicBlock *, 4> edgesBy(const BasicBlock &Way,
                                                  const Instruction &Terminator,
                                                  const PHINode &Phi,
                                                  const BasicBlock *Join) {
  SmallPtrSet<const BasicBlock *, 4> Result;
  if (&Way == Phi.getParent()) {
    Result.insert(Terminator.getParent());
    return Result;
  }
  SmallPtrSet<const BasicBlock *, 32> Seen{&Way};
  SmallVector<const BasicBlock *, 32> Work{&Way};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (Block == Terminator.getParent() || Block == Join)
      continue;
    for (const BasicBlock *Next : successors(Block))
      if (Next == Phi.getParent())
        Result.insert(Block);
      else if (Seen.insert(Next).second)
        Work.push_back(Next);
  }
  return Result;
}

/// Whether the way that \p Terminator goes may choose a value of \p Phi: where
/// both ways lead through one block first, the choice is made behind that.
bool Slice::mayChoose(const Instruction &Terminator, const PHINode &Phi) const {
  auto Edges = [&](unsigned Way, const BasicBlock *Join) {
    return edgesBy(*Terminator.getSuccessor(Way), Terminator, Phi, Join);
  };
  const BasicBlock *Here = Terminator.getParent();
  const Loop *Around = LI.getLoopFor(Here);
  for (const BasicBlock *Join :
       {Presumed.lookup(&Terminator).Join, after(*Here),
        static_cast<const BasicBlock *>(Around ? Around->getHeader()
                                               : nullptr)})
    if (Join && Join != Phi.getParent() && Edges(0, Join).empty() &&
        Edges(1, Join).empty())
      return false;
  const auto One = Edges(0, nullptr), Other = Edges(1, nullptr);
  if (One.empty() || Other.empty())
    return false;
  SmallPtrSet<const Value *, 4> Values;
  for (const auto &Each : {One, Other})
    for (const BasicBlock *From : Each)
      Values.insert(Phi.getIncomingValueForBlock(From));
  return Values.size() > 1;
}

/// No branch is presumed that chooses a value. Returns whether there were any.
bool Slice::needWhatChooses() {
  for (const Instruction *I : Needed)
    if (auto *Phi = dyn_cast<PHINode>(I))
      for (const auto &[Terminator, P] : Presumed)
        if (mayChoose(*Terminator, *Phi)) {
          Current = Phi;
          needExactly(*Terminator);
          return true;
        }
  return false;
}

void Slice::need(const Instruction &I) {
  if (Needed.insert(&I))
    NeededBy[&I] = Current;
}

void Slice::needExactly(const Instruction &Terminator) {
  Exact.try_emplace(&Terminator, Current);
  Presumed.erase(&Terminator);
  need(Terminator);
}

void Slice::needWayTo(const BasicBlock &Block) {
  auto It = Deciders.find(&Block);
  if (It == Deciders.end())
    return;
  for (const Instruction *Terminator : It->second) {
    if (Needed.contains(Terminator) || Presumed.contains(Terminator))
      continue;
    if (Presumption P = presume(*Terminator); P.Way) {
      Presumed[Terminator] = P;
      needWayTo(*Terminator->getParent());
    } else {
      need(*Terminator);
    }
  }
}

/// The blocks that are come to from \p From on, without coming to \p Ends.
static SmallPtrSet<const BasicBlock *, 32>
blocksFrom(const BasicBlock &From, ArrayRef<const BasicBlock *> Ends) {
  SmallPtrSet<const BasicBlock *, 32> Seen;
  SmallVector<const BasicBlock *, 32> Work{&From};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!is_contained(Ends, Block) && Seen.insert(Block).second)
      append_range(Work, successors(Block));
  }
  return Seen;
}

SmallVector<const BasicBlock *, 4>
Slice::headersAround(const BasicBlock &Block) const {
  SmallVector<const BasicBlock *, 4> Result;
  for (const Loop *L = LI.getLoopFor(&Block); L; L = L->getParentLoop())
    Result.push_back(L->getHeader());
  return Result;
}

/// A branch to where no call is that is looked for, such as one that throws, is
/// not taken. Nor is one past some code: that code is looked at whether F comes
/// to it or not, and must not lead away from what is behind it, nor to the next
/// iteration. A loop is gone through once; who needs what changes from iteration
/// to iteration has a phi, and needs the branch itself.
Presumption Slice::presume(const Instruction &Terminator) {
  auto *Branch = dyn_cast<BranchInst>(&Terminator);
  if (!Branch || !Branch->isConditional() || IsIrreducible ||
      (!Unknowable.contains(Branch) &&
       !isOfRun(*Branch->getCondition(),
                [&]() -> const Objects & { return objects(); })))
    return {};
  const BasicBlock *Here = Branch->getParent(), *Next = Branch->getSuccessor(0),
                   *Other = Branch->getSuccessor(1);
  auto LeadsToEnd = [&](const BasicBlock *From) {
    const auto Blocks = blocksFrom(*From, {});
    return any_of(Ends, [&](const CallBase *End) {
      return Blocks.contains(End->getParent());
    });
  };
  const Loop *Around = LI.getLoopFor(Here);
  if (Around && Around->contains(Next) != Around->contains(Other)) {
    if (Around->contains(Other))
      std::swap(Next, Other);
    if (Next == Around->getHeader())
      return {Other};
    const BasicBlock *Latch = Around->getLoopLatch();
    return Latch && Latch != Here && Around->isLoopExiting(Latch) &&
                   !LeadsToEnd(Other)
               ? Presumption{Next}
               : Presumption{};
  }
  for (auto [Way, Dead] : {std::pair(Next, Other), std::pair(Other, Next)})
    if (!LeadsToEnd(Dead))
      return {Way};
  SmallVector<const BasicBlock *, 4> Begun = headersAround(*Here);
  Begun.push_back(Here);
  auto LeadsTo = [&](const BasicBlock *From, const BasicBlock *To) {
    return blocksFrom(*From, Begun).contains(To);
  };
  if (LeadsTo(Next, Other))
    return {Next, Other};
  return LeadsTo(Other, Next) ? Presumption{Other, Next} : Presumption{};
}

/// Control dependence: a block that comes after one successor in any case, but
/// not after the terminator.
void Slice::findDeciders() {
  for (BasicBlock &Block : F) {
    if (Block.getTerminator()->getNumSuccessors() < 2 || !PDT.getNode(&Block))
      continue;
    const auto *End = PDT.getNode(&Block)->getIDom();
    for (BasicBlock *Next : successors(&Block))
      for (const auto *N = PDT.getNode(Next); N && N != End; N = N->getIDom())
        if (N->getBlock())
          Deciders[N->getBlock()].insert(Block.getTerminator());
  }
}

const BasicBlock *Slice::after(const BasicBlock &Block) const {
  const auto *N = PDT.getNode(&Block);
  return N && N->getIDom() ? N->getIDom()->getBlock() : nullptr;
}

/// What costs next to nothing and has no effect.
bool Slice::isPlain(const Instruction &I) const {
  auto IsReal = [](const Value *V) { return V->getType()->isFPOrFPVectorTy(); };
  if (IsReal(&I) || any_of(I.operands(), IsReal))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple();
  if (isa<BranchInst, SwitchInst, InvokeInst, PHINode, SelectInst>(I))
    return true;
  if (auto *Call = dyn_cast<CallBase>(&I))
    return isa<MinMaxIntrinsic>(Call);
  return !I.isTerminator() && !I.mayHaveSideEffects() &&
         !I.mayReadFromMemory() && !isa<AllocaInst>(I) && !I.isEHPad();
}

/// Whether \p I only writes to memory that did not exist when the function
/// began: nothing that was there led to it.
static bool writesFreshMemory(const Instruction &I, const Objects &O) {
  const Value *To = nullptr;
  if (auto *Store = dyn_cast<StoreInst>(&I))
    To = Store->getPointerOperand();
  else if (auto *Bulk = dyn_cast<MemIntrinsic>(&I))
    To = Bulk->getDest();
  if (!To)
    return false;
  SmallVector<const Value *, 4> Roots;
  getUnderlyingObjects(To, Roots, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(Roots,
                [](const Value *Root) {
                  return isa<AllocaInst>(Root) || isNoAliasCall(Root);
                }) ||
         leadsToOwn(To, O);
}

/// Whether \p Load reads what nobody writes: a table of virtual functions.
static bool readsTable(const LoadInst &Load) {
  if (Load.hasMetadata(LLVMContext::MD_invariant_load))
    return true;
  auto *Table = dyn_cast<LoadInst>(
      Load.getPointerOperand()->stripInBoundsConstantOffsets());
  const MDNode *Tag =
      Table ? Table->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return Tag && Tag->isTBAAVtableAccess();
}

/// Where control flow goes at \p I, of the slice, if something fails that does
/// not fail in a survey; null where that is not clear.
static SmallVector<const BasicBlock *, 2> afterFailure(const Instruction &I) {
  SmallVector<const BasicBlock *, 2> Result;
  if (auto *Invoke = dyn_cast<InvokeInst>(&I))
    Result.push_back(Invoke->getUnwindDest());
  if (asksForSuccess(I))
    for (const User *U : I.users()) {
      auto *Branch = dyn_cast<BranchInst>(U);
      bool IsNull = cast<ICmpInst>(I).getPredicate() == CmpInst::ICMP_EQ;
      Result.push_back(Branch ? Branch->getSuccessor(IsNull ? 0 : 1) : nullptr);
    }
  return Result;
}

static std::string withPlace(const Twine &What, const Instruction &I) {
  return (What + (I.getDebugLoc() ? " at " + placeOf(I) : "")).str();
}

/// Whether what \p Bulk is said to write has no pointers in it, or none of the
/// type that \p Read is the tag of; or nothing is said.
static bool writesOthers(const MemIntrinsic &Bulk, MDNode *Read,
                         compat::TypeBasedAliases &Types) {
  const MDNode *Fields = Bulk.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!Fields)
    return !Bulk.hasMetadata(LLVMContext::MD_tbaa);
  for (unsigned K = 2; K < Fields->getNumOperands(); K += 3) {
    auto *Tag = dyn_cast_or_null<MDNode>(Fields->getOperand(K));
    if (!Tag)
      return false;
    switch (declaredKind(*Tag)) {
    case DeclaredKind::Float:
    case DeclaredKind::Double:
    case DeclaredKind::Integer:
    case DeclaredKind::MaybeInteger:
    case DeclaredKind::Padding:
      break;
    case DeclaredKind::Pointer:
      if (isDeclaredTag(*Tag) || Types.mayBeSame(Tag, Read))
        return false;
      break;
    case DeclaredKind::Mixed:
    case DeclaredKind::Other:
      return false;
    }
  }
  return true;
}

/// Whether nothing says that \p I writes pointers such as \p Load reads: bytes
/// and values of no type, numbers, smaller integers. That it does so all the
/// same is looked at when the program runs.
static bool hardlyWrites(const Instruction &I, const LoadInst &Load,
                         compat::TypeBasedAliases &Types) {
  if (!Load.getType()->isPointerTy())
    return false; // Integers are written by all of these.
  const DataLayout &DL = I.getDataLayout();
  auto *Read = Load.getMetadata(LLVMContext::MD_tbaa);
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Type *T = Store->getValueOperand()->getType();
    return T->isFPOrFPVectorTy() ||
           (Read && !I.hasMetadata(LLVMContext::MD_tbaa)) ||
           (T->isIntegerTy() &&
            TypeSize::isKnownLT(DL.getTypeStoreSize(T),
                                DL.getTypeStoreSize(Load.getType())));
  }
  // Without types bytes may be those of any assignment.
  auto *Bulk = dyn_cast<MemIntrinsic>(&I);
  if (!Bulk || !Read)
    return false;
  // Which class an object is of constructors say, as a rule.
  return isVirtualTable(Load) || writesOthers(*Bulk, Read, Types);
}

/// Takes a branch for one that cannot be asked that needs \p I, which a survey
/// does not have. Returns whether there is any.
bool Slice::presumeWhatNeeds(const Instruction &I) {
  SmallSetVector<const Instruction *, 16> Needing;
  Needing.insert(&I);
  for (unsigned K = 0; K != Needing.size(); ++K) {
    const Instruction *Each = Needing[K], *Chosen = Exact.lookup(Each);
    for (const Instruction *By : {NeededBy.lookup(Each), Chosen})
      if (By)
        Needing.insert(By);
    if (!isa<BranchInst>(Each) || Chosen || !Unknowable.insert(Each).second)
      continue;
    if (presume(*Each).Way)
      return true;
    Unknowable.erase(Each);
  }
  return false;
}

std::string Slice::obstacle(FunctionAnalysisManager &FAM) {
  for (;;) {
    MayBeChanged = IsEarly = false;
    const Instruction *Culprit = nullptr;
    std::string Why = obstacleAt(Culprit, FAM);
    if (!Culprit || !presumeWhatNeeds(*Culprit))
      return Why;
    find();
  }
}

/// \p Culprit: what a survey cannot have.
std::string Slice::obstacleAt(const Instruction *&Culprit,
                              FunctionAnalysisManager &FAM) {
  constexpr unsigned MostComparisons = 1u << 18;
  for (const Instruction *I : Needed)
    if (!isPlain(*I)) {
      Culprit = I;
      return withPlace("which one depends on what is computed", *I);
    }
  for (const Instruction *I : Needed)
    for (const BasicBlock *Failed : afterFailure(*I))
      if (!Failed || any_of(Ends, [&](const CallBase *End) {
            return isPotentiallyReachable(Failed, End->getParent());
          }))
        return withPlace("which is called after a failure as well", *I);
  AAResults &AA = FAM.getResult<AAManager>(F);
  // Only memory is had as a rule; a pool of the program's may well be empty.
  for (const Instruction *I : Needed)
    if (asksForSuccess(*I)) {
      auto *Call = cast<CallBase>(I->getOperand(0)->stripPointerCasts());
      if (modelCall(*Call, TLI).K != CallModel::Library)
        return withPlace("which is called only if a function succeeds", *I);
    }
  SmallVector<const LoadInst *, 8> Loads;
  for (const Instruction *I : Needed)
    if (auto *Load = dyn_cast<LoadInst>(I); Load && !readsTable(*Load))
      Loads.push_back(Load);
  const Objects &O = objects();
  compat::TypeBasedAliases Types(*TLI);
  auto MayBeSame = [&](const Instruction &Store, const LoadInst &Load) {
    MDNode *Stored = Store.getMetadata(LLVMContext::MD_tbaa),
           *Read = Load.getMetadata(LLVMContext::MD_tbaa);
    return !Stored || !Read || Types.mayBeSame(Stored, Read);
  };
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && (endsChain(*Call) || Ends.contains(Call)))
      continue;
    CallModel M = Call ? modelCall(*Call, TLI) : CallModel{};
    bool IsKnown = Call && (M.K == CallModel::Operation || M.Known);
    bool Manages = Call && M.K == CallModel::Library && M.Known &&
                   (M.Known->K == KnownCall::Allocate ||
                    M.Known->K == KnownCall::AllocateZeroed ||
                    M.Known->K == KnownCall::Free);
    // It may set errno, which no object of the program's is in.
    bool IsMath = Call && M.K == CallModel::Operation &&
                  none_of(Call->args(), [](const Value *A) {
                    return A->getType()->isPtrOrPtrVectorTy();
                  });
    bool MayWrite =
        I.mayWriteToMemory() && !Manages && !IsMath && !writesFreshMemory(I, O);
    const bool Assigns = isa<MemTransferInst>(I) && assignedNumber(I);
    // What ends the program may guard what is read behind it.
    bool MayEnd =
        Call && !IsKnown && !isGuaranteedToTransferExecutionToSuccessor(&I);
    if (!MayWrite && !MayEnd)
      continue;
    for (const LoadInst *Load : Loads) {
      if (++Comparisons > MostComparisons)
        return "the function is too large to look for it beforehand";
      // At one address are objects of several classes, one at a time.
      if ((!MayEnd &&
           ((Assigns && isNoNumber(*Load)) || !MayBeSame(I, *Load) ||
            !isModSet(AA.getModRefInfo(&I, MemoryLocation::get(Load))))) ||
          !isPotentiallyReachable(&I, Load, nullptr, &DT))
        continue;
      if (!MayWrite) {
        IsEarly = true;
        continue;
      }
      if (!MayEnd && hardlyWrites(I, *Load, Types)) {
        MayBeChanged = true;
        continue;
      }
      Culprit = Load;
      return withPlace("which may be changed before", I);
    }
  }
  return "";
}
