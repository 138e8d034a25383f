//===- RecursionMachine.h - a circle as one function ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes what Recursion.h describes of one circle. The functions are put into
// one and taken out of SSA form by LLVM (values that cross blocks become
// variables), so that new edges need no care; what has to be saved in the frame
// at a call are the variables that are live there. In the end the variables
// become values again.
//
//   Recursion.cpp         bodies into one function
//   RecursionFrames.cpp   what lives across calls, and where
//   RecursionStates.cpp   calls and returns as transitions
//   RecursionExceptions.cpp   returns by an exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECURSION_RECURSIONMACHINE_H
#define VERSO_STRUCTURED_RECURSION_RECURSIONMACHINE_H

#include "structured/Refusal.h"
#include "structured/recursion/Circles.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

#include <functional>

namespace verso {

/// Of loads of a field that holds one value for ever.
inline constexpr llvm::StringLiteral UnchangedMark = "verso.unchanged";
/// The type of numbers in frames, as the tags of accesses name it.
inline constexpr llvm::StringLiteral NumberInFrame = "verso number";

class RecursionMachine {
public:
  RecursionMachine(const Circle &Functions, llvm::Function &First,
                   llvm::FunctionAnalysisManager &FAM, Refusals &Refused)
      : First(First), FAM(FAM), Refused(Refused), M(*First.getParent()),
        C(M.getContext()), DL(M.getDataLayout()) {
    for (llvm::Function *F : Functions)
      Members[F];
  }

  llvm::Function *
  build(const std::function<void(llvm::Function &, const Circle &)> &Prepare,
        const Circle &Functions);

private:
  /// A call of one of the functions, and where its caller goes on.
  struct Site {
    llvm::CallBase *Call;
    llvm::BasicBlock *After = nullptr;
    /// Calls in copies of blocks, that go on at the same place.
    llvm::SmallVector<llvm::CallBase *, 2> Others = {};
    llvm::AllocaInst *Result = nullptr; ///< Null if it is not used.
    llvm::SmallVector<llvm::AllocaInst *, 8> Live = {};
  };
  struct Field {
    uint64_t Offset;
    bool IsUnchanged = false;
    bool IsStoredAtCalls = true;
  };
  struct Member {
    llvm::Function *Copy = nullptr;
    llvm::BasicBlock *Head = nullptr;
    /// Where the frame is allocated, and blocks that come before that. Null if
    /// every activation gets there.
    llvm::BasicBlock *Inner = nullptr;
    llvm::SmallSetVector<llvm::BasicBlock *, 8> Outer;
    llvm::SmallVector<llvm::AllocaInst *, 8> Parameters;
    llvm::AllocaInst *Caller = nullptr; ///< The caller's frame.
    llvm::LoadInst *CallerOnEntry = nullptr;
    llvm::AllocaInst *Result = nullptr; ///< Null if there is none.
    llvm::AllocaInst *Frame = nullptr;
    llvm::CallInst *Take = nullptr; ///< The frame's allocation.
    unsigned Enter = 0;             ///< The state that a call goes to.
    llvm::SmallVector<Site, 4> Sites;
    llvm::MapVector<llvm::AllocaInst *, Field> Fields;
  };
  using Variables = llvm::SmallSetVector<llvm::AllocaInst *, 8>;
  struct State {
    llvm::BasicBlock *Block;
    Variables Needs;
  };

  void copy(llvm::Function &F, Member &Each);
  void findAddresses();
  void join();
  void separate();
  void connect();
  void adopt(Member &Each);
  void handleExceptions();
  void returnExceptions(llvm::ArrayRef<llvm::CallBase *> Calls,
                        llvm::ArrayRef<llvm::InvokeInst *> Invokes);
  llvm::SmallVector<llvm::Constant *, 2>
  clausesOf(llvm::ArrayRef<llvm::InvokeInst *> Invokes);
  llvm::SmallSetVector<llvm::BasicBlock *, 16> blocksOf(Member &Each);
  llvm::BasicBlock *leave(Member &Each);
  void raiseWithin(llvm::ArrayRef<llvm::BasicBlock *> Blocks,
                   llvm::BasicBlock *Leave);
  llvm::BasicBlock *behindPad(llvm::BasicBlock &Pad);
  llvm::Value *loadThrown(llvm::IRBuilder<> &B);
  void throwOutside(llvm::BasicBlock *Outside);
  Member *callee(const llvm::CallBase &Call);
  void findSites(llvm::Function &F, Member &Each);
  bool makesOneCall() const;
  bool isInCycle(llvm::BasicBlock *Block);
  llvm::Instruction *commonPoint(const llvm::DominatorTree &DT,
                                 llvm::ArrayRef<llvm::Instruction *> Users);
  void allocateLocals(Member &Each);
  void placeFrame(Member &Each, const llvm::DominatorTree &DT);
  void findLive();
  void layOut(Member &Each, const llvm::DominatorTree &DT);
  void access(llvm::IRBuilder<> &B, Member &Each, llvm::AllocaInst *V,
              bool Stores);
  llvm::Value *accessLeaves(llvm::IRBuilder<> &B, llvm::Value *Frame,
                            uint64_t &Offset, llvm::Type *T,
                            llvm::Value *Stored, bool IsUnchanged);
  unsigned addState(llvm::BasicBlock *Block,
                    llvm::ArrayRef<llvm::AllocaInst *> Needs);
  void connectLoops();
  void copyTails(llvm::Loop &L, llvm::ArrayRef<Site *> Sites);
  void connectCalls(Member &Each);
  void findOuter(Member &Each);
  void lowerCall(Member &Each, Site &S, llvm::CallBase &Call, unsigned Next);
  void connectReturns();
  void go(llvm::IRBuilder<> &B, llvm::Value *To, const Variables &Needs);
  void finish();
  static llvm::MDNode *tagOf(llvm::LLVMContext &C, const llvm::Type *T);
  llvm::AllocaInst *variable(llvm::Type *T, const llvm::Twine &Name);

  llvm::Function &First;
  llvm::FunctionAnalysisManager &FAM;
  Refusals &Refused;
  llvm::Module &M;
  llvm::LLVMContext &C;
  const llvm::DataLayout &DL;
  llvm::MapVector<llvm::Function *, Member> Members;
  /// Integers among the parameters that are pointers.
  llvm::SmallPtrSet<const llvm::Argument *, 4> Addresses;
  llvm::Function *F = nullptr;
  llvm::BasicBlock *Entry = nullptr, *Again = nullptr, *Dispatch = nullptr,
                   *Return = nullptr;
  llvm::AllocaInst *Next = nullptr;    ///< The state to go to.
  llvm::AllocaInst *Back = nullptr;    ///< The frame of a function's caller.
  llvm::AllocaInst *Resumed = nullptr; ///< The frame that goes on after a call.
  // Of what comes back; null where no exception can.
  llvm::AllocaInst *Throws = nullptr;   ///< Whether it is an exception.
  llvm::AllocaInst *Thrown = nullptr;   ///< Its pointer.
  llvm::AllocaInst *Selector = nullptr; ///< Which clause it fits.
  bool CatchesWithin = false; ///< Whether a caller may catch it.
  llvm::DenseMap<llvm::BasicBlock *, llvm::BasicBlock *> BehindPad;
  std::vector<State> States;
  /// Where a state is gone to, and what it needs.
  struct Transition {
    llvm::Instruction *Before;
    Variables Needs;
  };
  std::vector<Transition> Transitions;
  llvm::DenseMap<llvm::BasicBlock *, llvm::BitVector> LiveIn;
  std::vector<llvm::AllocaInst *> Tracked;
  /// Where the fields laid out so far end. The site is in front. Frames of
  /// different functions have no field at the same offset: where one is gone
  /// back to, the analyses do not know whose it is.
  uint64_t FrameEnd = 8;
};

} // namespace verso

#endif // VERSO_STRUCTURED_RECURSION_RECURSIONMACHINE_H
