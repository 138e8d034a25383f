//===- Worksharing.cpp - loops that OpenMP shares among threads -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is a function that __kmpc_fork_call is given. A shared loop stands
// between a call that asks for the thread's bounds and the one that says that
// the loop is over; where iterations are handed out in chunks, it is the loop
// over one chunk.
//
//===----------------------------------------------------------------------===//

#include "prepare/Worksharing.h"

#include "LLVMCompat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace verso;

/// On loops, on the calls that ask for their bounds, and on their regions.
static constexpr StringLiteral Mark = "verso.shared";
/// On local variables.
static constexpr StringLiteral OfIteration = "verso.of.iteration";

namespace {

class Region {
public:
  Region(Function &F, FunctionAnalysisManager &FAM)
      : LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)), F(F) {}
  bool mark();

private:
  void findLoops();
  void addLoops(CallInst &Bounds, ArrayRef<CallInst *> Ends);
  bool isInLoop(const Instruction &I) const;
  bool beginsInLoop(const AllocaInst &Local) const;
  bool isNotHandedOn(const AllocaInst &Local) const;
  bool hasOnlyLoops() const;
  bool areAlone(const Loop &L);
  void markLocals();

  LoopInfo &LI;
  DominatorTree &DT;
  Function &F;
  SmallVector<std::pair<Loop *, CallInst *>, 2> Loops;
  /// What the loops call.
  SmallSetVector<Function *, 8> Callees;
};

} // namespace

static StringRef calledName(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->isDeclaration() ? Callee->getName() : "";
}

static bool asksForBounds(const Instruction &I) {
  StringRef Name = calledName(I);
  return Name.starts_with("__kmpc_for_static_init_") ||
         Name.starts_with("__kmpc_dispatch_init_");
}

/// What a region may ask of the OpenMP runtime outside its shared loops.
static bool isOfLoops(StringRef Name) {
  return any_of(ArrayRef<StringRef>{"__kmpc_for_static_", "__kmpc_dispatch_",
                                    "__kmpc_barrier",
                                    "__kmpc_global_thread_num", "__kmpc_reduce",
                                    "__kmpc_end_reduce"},
                [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

/// Shared are the iterations of a chunk, and whole loops.
void Region::addLoops(CallInst &Bounds, ArrayRef<CallInst *> Ends) {
  constexpr uint64_t StaticChunks = 33;
  StringRef Name = calledName(Bounds);
  auto *Schedule = dyn_cast<ConstantInt>(Bounds.getArgOperand(2));
  if (!Schedule)
    return;
  bool InChunks = Name.starts_with("__kmpc_dispatch_") ||
                  Schedule->getZExtValue() == StaticChunks;
  for (Loop *Around : LI) {
    const BasicBlock *Header = Around->getHeader();
    if (!DT.properlyDominates(Bounds.getParent(), Header) ||
        any_of(Ends, [&](CallInst *End) {
          return DT.dominates(&Bounds, End) &&
                 DT.dominates(End->getParent(), Header) &&
                 !Around->contains(End);
        }))
      continue;
    if (InChunks)
      for (Loop *Chunk : *Around)
        Loops.push_back({Chunk, &Bounds});
    else
      Loops.push_back({Around, &Bounds});
  }
}

void Region::findLoops() {
  SmallVector<CallInst *, 4> Starts, Ends;
  for (Instruction &I : instructions(F)) {
    StringRef Name = calledName(I);
    if (asksForBounds(I))
      Starts.push_back(cast<CallInst>(&I));
    else if (Name.starts_with("__kmpc_for_static_fini") ||
             Name.starts_with("__kmpc_dispatch_fini") ||
             Name == "__kmpc_dispatch_deinit")
      Ends.push_back(cast<CallInst>(&I));
  }
  for (CallInst *Bounds : Starts)
    addLoops(*Bounds, Ends);
}

bool Region::isInLoop(const Instruction &I) const {
  return any_of(Loops,
                [&](const auto &Known) { return Known.first->contains(&I); });
}

static bool isOfThread(const Value *V) {
  auto *G = dyn_cast<GlobalVariable>(V);
  return G && G->isThreadLocal();
}

/// Whether a function without a body here computes with real numbers. Of others
/// nobody knows whether they tell one thread from another, or have it wait.
static bool computes(const CallBase &Call) {
  const FunctionType *T = Call.getFunctionType();
  return T->getReturnType()->isFPOrFPVectorTy() ||
         any_of(T->params(), [](Type *P) { return P->isFPOrFPVectorTy(); });
}

/// Whether a call outside of loops may do more than compute.
static bool mayAskOrAllocate(const CallBase &Call) {
  const FunctionType *T = Call.getFunctionType();
  bool IsGiven = any_of(T->params(), [](Type *P) { return P->isPointerTy(); });
  return !isa<IntrinsicInst>(Call) && !isOfLoops(calledName(Call)) &&
         (calledName(Call).empty() || !computes(Call) || IsGiven);
}

/// Whether a variable's life begins in a shared loop.
bool Region::beginsInLoop(const AllocaInst &Local) const {
  return any_of(Local.users(), [&](const User *U) {
    auto *Marker = dyn_cast<IntrinsicInst>(U);
    return Marker && Marker->getIntrinsicID() == Intrinsic::lifetime_start &&
           isInLoop(*Marker);
  });
}

/// Whether no iteration sees what another one left in a variable of the region.
/// Where the life of one begins elsewhere, that is so of numbers that are
/// loaded and stored alone: they become registers, and are seen to be handed
/// on.
bool Region::isNotHandedOn(const AllocaInst &Local) const {
  auto IsInside = [&](const User *U) {
    return isInLoop(*cast<Instruction>(U));
  };
  if (!Local.isStaticAlloca())
    return false;
  SmallVector<const Value *, 8> Addresses = {&Local};
  bool IsUsedInside = false;
  for (size_t K = 0; K != Addresses.size(); ++K)
    for (const User *U : Addresses[K]->users()) {
      IsUsedInside |= IsInside(U);
      if (isa<GetElementPtrInst>(U))
        Addresses.push_back(U);
    }
  if (!IsUsedInside)
    return true;
  if (beginsInLoop(Local))
    return !compat::pointerMayBeCaptured(Local, /*ReturnCaptures=*/true);
  return Local.getAllocatedType()->isSingleValueType() &&
         all_of(Local.users(), [&](const User *U) {
           return !IsInside(U) || getLoadStorePointerOperand(U) == &Local;
         });
}

/// Nothing else in the region is each thread's own.
bool Region::hasOnlyLoops() const {
  for (Instruction &I : instructions(F)) {
    if (calledName(I).starts_with("omp_") || any_of(I.operands(), isOfThread))
      return false;
    bool IsInside = isInLoop(I);
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && !IsInside && mayAskOrAllocate(*Call))
      return false;
    auto *Local = dyn_cast<AllocaInst>(&I);
    if (Local && !isNotHandedOn(*Local))
      return false;
  }
  return true;
}

/// Whether \p I is nothing that threads do together, or know themselves by.
/// Functions that it calls are added to \p Callees.
static bool isAlone(Instruction &I, SmallSetVector<Function *, 8> &Callees) {
  if (I.isAtomic() || I.isVolatile() || any_of(I.operands(), isOfThread))
    return false;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return true;
  Function *Callee = Call->getCalledFunction();
  if (!Callee)
    return false;
  if (!Callee->isDeclaration())
    Callees.insert(Callee);
  else if (!isa<IntrinsicInst>(I) && !computes(*Call) && !Call->doesNotReturn())
    return false;
  return none_of(
      ArrayRef<StringRef>{"omp_", "__kmpc_", "GOMP_", "pthread_",
                          "__cxa_guard"},
      [&](StringRef Prefix) { return Callee->getName().starts_with(Prefix); });
}

bool Region::areAlone(const Loop &L) {
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (!isAlone(I, Callees))
        return false;
  for (size_t K = 0; K != Callees.size(); ++K)
    for (Instruction &I : instructions(*Callees[K]))
      if (!isAlone(I, Callees))
        return false;
  return true;
}

/// Local variables of iterations, and of functions that they call.
void Region::markLocals() {
  auto Mark = [](AllocaInst &Local) {
    Local.setMetadata(OfIteration, MDNode::get(Local.getContext(), {}));
  };
  for (Instruction &I : instructions(F))
    if (auto *Local = dyn_cast<AllocaInst>(&I); Local && beginsInLoop(*Local))
      Mark(*Local);
  for (Function *Callee : Callees)
    for (Instruction &I : instructions(*Callee))
      if (auto *Local = dyn_cast<AllocaInst>(&I))
        Mark(*Local);
}

static MDNode *markOf(const Loop &L) {
  LLVMContext &C = L.getHeader()->getContext();
  std::string Where = "<unknown>";
  if (DebugLoc At = L.getStartLoc())
    Where = (At->getFilename() + ":" + Twine(At->getLine()) + ":" +
             Twine(At->getColumn()))
                .str();
  return MDNode::get(C, {MDString::get(C, Mark), MDString::get(C, Where)});
}

bool Region::mark() {
  findLoops();
  if (Loops.empty() || !hasOnlyLoops())
    return false;
  for (auto [L, Bounds] : Loops) {
    if (!areAlone(*L))
      return false;
  }
  LLVMContext &C = F.getContext();
  for (auto [L, Bounds] : Loops) {
    L->setLoopID(
        makePostTransformationMetadata(C, L->getLoopID(), {}, {markOf(*L)}));
  }
  for (Instruction &I : instructions(F))
    if (isOfLoops(calledName(I)))
      I.setMetadata(Mark, MDNode::get(C, {}));
  markLocals();
  F.addFnAttr(Mark);
  return true;
}

void verso::markWorksharing(Module &M, FunctionAnalysisManager &FAM) {
  SmallSetVector<Function *, 8> Regions;
  for (StringRef Fork : {"__kmpc_fork_call", "__kmpc_fork_call_if"})
    if (Function *F = M.getFunction(Fork))
      for (User *U : F->users())
        if (auto *Call = dyn_cast<CallInst>(U))
          if (auto *Body = dyn_cast<Function>(Call->getArgOperand(2));
              Body && !Body->isDeclaration())
            Regions.insert(Body);
  for (Function *F : Regions)
    Region(*F, FAM).mark();
}

bool verso::sharesLoops(const Function &F) { return F.hasFnAttribute(Mark); }

bool verso::isOfSharedLoop(const CallInst &Bounds) {
  return Bounds.hasMetadata(Mark);
}

bool verso::isOfIteration(const AllocaInst &Local) {
  return Local.hasMetadata(OfIteration);
}

bool verso::isShared(const Loop &L) {
  return findOptionMDForLoop(&L, Mark) != nullptr;
}

bool verso::isShared(const Instruction &Latch) {
  MDNode *Loop = Latch.getMetadata(LLVMContext::MD_loop);
  return Loop && findOptionMDForLoopID(Loop, Mark);
}

void verso::markLike(Instruction &Latch, const Loop &L) {
  MDNode *Shared = findOptionMDForLoop(&L, Mark);
  if (!Shared)
    return;
  Latch.setMetadata(LLVMContext::MD_loop,
                    makePostTransformationMetadata(
                        Latch.getContext(),
                        Latch.getMetadata(LLVMContext::MD_loop), {}, {Shared}));
}

std::string verso::whereShared(const Loop &L) {
  MDNode *Shared = findOptionMDForLoop(&L, Mark);
  return Shared ? cast<MDString>(Shared->getOperand(1))->getString().str() : "";
}
