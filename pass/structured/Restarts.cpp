//===- Restarts.cpp - requests that may start again -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Restarts.h"
#include "analysis/CallModel.h"
#include "emit/KeptBlocks.h"
#include "emit/Runtime.h"
#include "emit/StartAgain.h"
#include "rules/Changes.h"
#include "structured/Targets.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral BeginCatch = "__cxa_begin_catch",
                               EndCatch = "__cxa_end_catch";

/// The landing pads of \p F that it may come to while another exception is on
/// its way: in a destructor that the latter's way leads through.
static SmallPtrSet<const BasicBlock *, 4> padsWithinOthers(const Function &F) {
  SmallPtrSet<const BasicBlock *, 4> Result;
  SmallPtrSet<const BasicBlock *, 16> OnTheWay; // Blocks, at their end.
  SmallVector<const BasicBlock *, 16> Work;
  for (const BasicBlock &Block : F)
    if (Block.isLandingPad())
      Work.push_back(&Block);
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (any_of(
            *Block,
            [](const Instruction &I) { return callsNamed(I, BeginCatch); }) ||
        !OnTheWay.insert(Block).second)
      continue;
    for (const BasicBlock *Next : successors(Block))
      if (Next->isLandingPad())
        Result.insert(Next);
      else
        Work.push_back(Next);
  }
  return Result;
}

/// Whether \p F reads what functions of the math library write beside their
/// results.
static bool asksForErrors(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    return callsNamed(I, "__errno_location") ||
           any_of(I.operands(), [](const Value *V) {
             auto *G = dyn_cast<GlobalVariable>(V);
             return G && (G->getName() == "signgam" || G->getName() == "errno");
           });
  });
}

namespace {
class Effects {
public:
  Effects(const Objects &O, ArrayRef<CallBase *> Ends, bool IsFinal,
          const TargetLibraryInfo *TLI)
      : O(O), Ends(Ends), IsFinal(IsFinal), TLI(TLI),
        Nested(padsWithinOthers(*Ends[0]->getFunction())),
        AsksForErrors(asksForErrors(*Ends[0]->getFunction())) {}

  bool has(const Instruction &I) const;

private:
  bool isOwn(const Value *P) const;
  bool areOwn(const CallBase &Call) const;
  bool hasThrow(const CallBase &Call) const;
  bool hasCall(const CallBase &Call) const;

  const Objects &O;
  ArrayRef<CallBase *> Ends;
  const bool IsFinal;
  const TargetLibraryInfo *TLI;
  const SmallPtrSet<const BasicBlock *, 4> Nested;
  const bool AsksForErrors;
};
} // namespace

/// Whether \p P leads to memory that the function makes, if anywhere.
bool Effects::isOwn(const Value *P) const {
  const Places All = O.placesOf(P);
  if (All.empty()) // What is not known yet will be.
    return !IsFinal || O.leadsNowhere(P);
  auto Owns = [&](const Place &Q) {
    const Object &Its = O[Q.Object];
    auto *Call = dyn_cast_or_null<CallBase>(Its.Base);
    if (Its.isLocal())
      return !Call || (!isKept(*Call) && !callsNamed(*Call, "mmap"));
    // To give characters that may be changed is a change to a string, and
    // nobody changes a constant.
    auto *G = dyn_cast_or_null<GlobalVariable>(Its.Base);
    return Its.K == Object::Text ||
           (Its.K == Object::Table &&
            (isa_and_nonnull<Function>(Its.Base) || (G && G->isConstant())));
  };
  return IsFinal ? all_of(All, Owns) : any_of(All, Owns);
}

bool Effects::areOwn(const CallBase &Call) const {
  return all_of(Call.args(), [&](const Value *A) {
    auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(A));
    return !A->getType()->isPtrOrPtrVectorTy() || (G && G->isConstant()) ||
           isOwn(A);
  });
}

/// Whether \p P leads into an argument of its function, or into a local
/// variable; unoptimised code keeps arguments in such.
static bool isGiven(const Value *P) {
  const Value *Base = getUnderlyingObject(P);
  auto *Load = dyn_cast<LoadInst>(Base);
  auto *Kept = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return isa<Argument, AllocaInst, ConstantPointerNull>(Base) ||
         (Kept && all_of(Kept->users(), [&](const User *U) {
            auto *Store = dyn_cast<StoreInst>(U);
            return isa<LoadInst>(U) ||
                   (Store && Store->getPointerOperand() == Kept &&
                    isa<Argument>(Store->getValueOperand()));
          }));
}

/// Whether what a handler's end calls to destroy an exception changes nothing
/// that is not the exception's; whether it releases that.
static bool isQuiet(const Value &Destructor, bool &Releases,
                    const TargetLibraryInfo *TLI) {
  SmallSetVector<const Value *, 8> Called;
  Called.insert(&Destructor);
  for (unsigned K = 0; K != Called.size(); ++K) {
    if (isa<ConstantPointerNull>(Called[K]))
      continue;
    auto *F = dyn_cast<Function>(Called[K]);
    if (!F)
      return false;
    if (changesOf(*F) == Changes::First)
      continue;
    if (F->isDeclaration())
      return false;
    for (const Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!I.mayWriteToMemory() ||
          (Store && isGiven(Store->getPointerOperand())))
        continue;
      const CallModel M = Call ? modelCall(*Call, TLI) : CallModel();
      if (!Call || !M.Callee)
        return false;
      if (M.K == CallModel::Library && M.Known->K == KnownCall::Free)
        Releases = true;
      else if (all_of(Call->args(), [](const Value *A) {
                 return !A->getType()->isPointerTy() || isGiven(A);
               }))
        Called.insert(M.Callee);
      else
        return false; // It may lead out of the exception.
    }
  }
  return true;
}

/// What leaves the function changes nothing but what it throws.
bool Effects::hasThrow(const CallBase &Call) const {
  if (callsNamed(Call, "__cxa_throw")) {
    bool Releases = false;
    return !isQuiet(*Call.getArgOperand(2), Releases, TLI) ||
           (Releases && IsFinal && !O.leadsToLocalOnly(*Call.getArgOperand(0)));
  }
  const Function *F = Call.getCalledFunction();
  return !isInert(Call) && !(F && F->isDeclaration() && classifyCall(*F)) &&
         !callsNamed(Call, "__clang_call_terminate");
}

/// Whether it changes how numbers are computed.
static bool setsEnvironment(const IntrinsicInst &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::set_rounding:
  case Intrinsic::set_fpenv:
  case Intrinsic::reset_fpenv:
  case Intrinsic::set_fpmode:
  case Intrinsic::reset_fpmode:
    return true;
  default:
    return false;
  }
}

bool Effects::hasCall(const CallBase &Call) const {
  if (isInert(Call) || Call.onlyReadsMemory() || allocatesException(Call) ||
      callsNamed(Call, BeginCatch) || callsNamed(Call, EndCatch))
    return false;
  if (isRelease(Call))
    return IsFinal && !all_of(Call.args(), [&](const Value *A) {
             return !A->getType()->isPointerTy() || O.leadsToLocalOnly(*A);
           });
  if (Call.doesNotReturn())
    return hasThrow(Call);
  const CallModel M = modelCall(Call, TLI);
  switch (M.K) {
  case CallModel::Direct:
    return IsFinal;
  case CallModel::Operation: // They write errno and signgam.
    return (AsksForErrors && Call.mayWriteToMemory()) || !areOwn(Call);
  case CallModel::Library:
    switch (M.Known->K) {
    case KnownCall::Allocate:
    case KnownCall::AllocateZeroed:
      return !areOwn(Call);
    case KnownCall::Free:
    case KnownCall::Reallocate:
      return !isOwn(Call.getArgOperand(M.Known->Source));
    case KnownCall::Copy:
    case KnownCall::Set:
      return !isOwn(Call.getArgOperand(M.Known->Destination));
    case KnownCall::WritesBytes:
      return !printsToMemory(*M.Callee) || !areOwn(Call); // %n
    default:
      return true;
    }
  case CallModel::Inactive:
    if (auto *II = dyn_cast<IntrinsicInst>(&Call))
      return setsEnvironment(*II) || (Call.mayWriteToMemory() &&
                                      !Call.onlyAccessesInaccessibleMemory());
    if (!Call.getCalledFunction())
      return true;
    switch (changesOf(*Call.getCalledFunction())) {
    case Changes::Nothing:
      return false;
    case Changes::First:
      return Call.arg_empty() || !isOwn(Call.getArgOperand(0));
    case Changes::Arguments:
      return !areOwn(Call);
    case Changes::Anything:
      return true;
    }
    llvm_unreachable("all are there");
  default:
    return true;
  }
}

/// What is thrown can be caught and forgotten.
static bool throwsCpp(const Function &F) {
  return F.hasPersonalityFn() &&
         F.getPersonalityFn()->getName() == "__gxx_personality_v0";
}

bool Effects::has(const Instruction &I) const {
  if (I.isEHPad()) // Of several exceptions only one would be ended.
    return !throwsCpp(*I.getFunction()) || Nested.contains(I.getParent());
  if (auto *Bulk = dyn_cast<MemIntrinsic>(&I))
    return !isOwn(Bulk->getRawDest());
  if (auto *Call = dyn_cast<CallBase>(&I))
    return !endsChain(*Call) && !is_contained(Ends, Call) && hasCall(*Call);
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return !isOwn(Store->getPointerOperand());
  if (auto *Exchange = dyn_cast<AtomicRMWInst>(&I))
    return !isOwn(Exchange->getPointerOperand());
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return !isOwn(Exchange->getPointerOperand());
  return I.isVolatile() ||
         (I.mayWriteToMemory() && !isa<FenceInst, LoadInst>(I));
}

const Instruction *verso::effectBefore(ArrayRef<CallBase *> Ends,
                                       const Objects &O, bool IsFinal,
                                       const TargetLibraryInfo *TLI) {
  Effects E(O, Ends, IsFinal, TLI);
  SmallPtrSet<const BasicBlock *, 32> Seen;
  SmallVector<const BasicBlock *, 32> Work;
  auto FirstIn = [&](BasicBlock::const_iterator From,
                     BasicBlock::const_iterator To) -> const Instruction * {
    for (const Instruction &I : make_range(From, To))
      if (E.has(I))
        return &I;
    return nullptr;
  };
  for (const CallBase *End : Ends) {
    const BasicBlock *Block = End->getParent();
    if (const Instruction *I = FirstIn(Block->begin(), End->getIterator()))
      return I;
    append_range(Work, predecessors(Block));
  }
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    if (const Instruction *I = FirstIn(Block->begin(), Block->end()))
      return I;
    append_range(Work, predecessors(Block));
  }
  return nullptr;
}

/// Where in \p F exceptions are: one that is on its way, and how many handlers
/// it is in.
static std::pair<AllocaInst *, AllocaInst *> followExceptions(Function &F) {
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *OnItsWay = B.CreateAlloca(B.getPtrTy()),
             *Handlers = B.CreateAlloca(B.getInt64Ty());
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), OnItsWay);
  B.CreateStore(B.getInt64(0), Handlers);
  if (!throwsCpp(F))
    return {OnItsWay, Handlers};
  for (Instruction &I : instructions(F)) {
    if (auto *Pad = dyn_cast<LandingPadInst>(&I)) {
      B.SetInsertPoint(I.getParent(), I.getParent()->getFirstInsertionPt());
      B.CreateStore(B.CreateExtractValue(Pad, 0), OnItsWay);
    } else if (callsNamed(I, BeginCatch) || callsNamed(I, EndCatch)) {
      B.SetInsertPoint(&I);
      if (callsNamed(I, BeginCatch))
        B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), OnItsWay);
      Value *Number = B.CreateLoad(B.getInt64Ty(), Handlers);
      B.CreateStore(
          B.CreateAdd(Number, B.getInt64(callsNamed(I, BeginCatch) ? 1 : -1)),
          Handlers);
    }
  }
  return {OnItsWay, Handlers};
}

void verso::startAgainAt(ArrayRef<CallBase *> Ends) {
  auto [OnItsWay, Handlers] = followExceptions(*Ends[0]->getFunction());
  for (CallBase *End : Ends) {
    IRBuilder<> B(End);
    emitStartAgain(B, B.CreateLoad(B.getPtrTy(), OnItsWay),
                   B.CreateLoad(B.getInt64Ty(), Handlers));
  }
}

bool verso::likelyHasEffect(const Function &F, const TargetLibraryInfo *TLI) {
  constexpr unsigned MaxFunctions = 16;
  SmallSetVector<const Function *, 8> Called;
  Called.insert(&F);
  for (unsigned K = 0; K != Called.size() && K != MaxFunctions; ++K)
    for (const Instruction &I : instructions(*Called[K])) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call) {
        const Value *To = getLoadStorePointerOperand(&I);
        auto *G = To && I.mayWriteToMemory()
                      ? dyn_cast<GlobalVariable>(getUnderlyingObject(To))
                      : nullptr;
        if (G && !G->isConstant())
          return true;
        continue;
      }
      if (isInert(*Call) || isa<IntrinsicInst>(Call) ||
          Call->onlyReadsMemory() || Call->doesNotReturn() ||
          allocatesException(*Call))
        continue;
      const CallModel M = modelCall(*Call, TLI);
      if (M.K == CallModel::Direct)
        Called.insert(M.Callee);
      else if (M.K == CallModel::Inactive && M.Callee &&
               changesOf(*M.Callee) == Changes::Anything &&
               !callsNamed(I, BeginCatch) && !callsNamed(I, EndCatch))
        return true;
    }
  return false;
}
