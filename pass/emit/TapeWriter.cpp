//===- TapeWriter.cpp - emits writes to the tape --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/TapeWriter.h"
#include "emit/TapeRows.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

TapeWriter::TapeWriter(Function &F, Value *Context, Instruction *Setup)
    : F(F), Context(Context) {
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  Cursor = Entry.CreateAlloca(Entry.getPtrTy(), nullptr, "verso.cursor");
  Next = Entry.CreateAlloca(Entry.getInt64Ty(), nullptr, "verso.next");
  IRBuilder<> B(Setup);
  Base = loadField(B, Context, field::Base);
  Base->setName("verso.base");
  WideBase = B.CreateZExt(Base, B.getInt64Ty());
  Delta = loadField(B, Context, field::Delta);
  Delta->setName("verso.delta");
  Adj = loadField(B, Context, field::Adj);
  Adj->setName("verso.adj");
  Direct = loadField(B, Context, field::Direct);
  Direct->setName("verso.direct");
  reload(B);
}

Value *TapeWriter::wideNext(IRBuilderBase &B) const {
  return inert(B.CreateLoad(B.getInt64Ty(), Next));
}

Value *TapeWriter::next(IRBuilderBase &B) const {
  return B.CreateTrunc(wideNext(B), B.getInt32Ty());
}

void TapeWriter::startSegment(Instruction *Before, bool HasRoom) {
  Segments.push_back({Before, 0, HasRoom});
}

void TapeWriter::reserve(Instruction *At, uint64_t Bytes) {
  assert(!Segments.empty() && "no segment was started");
  if (Segments.back().Bytes + Bytes > VERSO_TAPE_REDZONE)
    startSegment(At);
  Segments.back().Bytes += Bytes;
}

Value *TapeWriter::record(IRBuilderBase &B, ArrayRef<Contribution> Cs) {
  reserve(inert(B.CreateLoad(B.getPtrTy(), Cursor)), recordBytes(Cs.size()));
  return recordReserved(B, Cs);
}

/// Emits, for n contributions at cursor c and number i:
///   store double partial_k, c + 8 k
///   store i32 operand_k, c + 8 n + 4 k
///   store i32 header(n, CONTRIBUTIONS), c + 12 n
///   cursor = c + 12 n + 4;  next = i + 1
/// Where a partial is 1, it comes first and is not written: a SUM. What the
/// loop repeats comes last.
Value *TapeWriter::recordReserved(IRBuilderBase &B, ArrayRef<Contribution> Cs) {
  SmallVector<Contribution, 8> Terms(Cs);
  auto *One = find_if(Terms, [](const Contribution &Term) {
    return match(Term.Partial, m_FPOne());
  });
  verso_record_kind Kind = VERSO_RECORD_CONTRIBUTIONS;
  if (One != Terms.end()) {
    std::rotate(Terms.begin(), One, One + 1);
    Kind = VERSO_RECORD_SUM;
  }
  // Of more operands there is no REPEATING_SHAPE in Sweep.c.
  constexpr unsigned MostRepeating = 3;
  auto *Repeated =
      std::find_if(Terms.begin() + Kind, Terms.end(),
                   [](const Contribution &Term) { return Term.Repeats; });
  bool Repeats = Repeated != Terms.end() && Terms.size() > 1 &&
                 Terms.size() <= MostRepeating;
  if (Repeats)
    std::rotate(Repeated, Repeated + 1, Terms.end());
  // A partial is a real number: an outer request differentiates it.
  uint64_t Own = Terms.size() - Kind;
  Record R;
  R.Extent.Begin = inert(B.CreateLoad(B.getPtrTy(), Cursor));
  for (unsigned K = 0; K != Own; ++K)
    R.OtherStores.push_back(B.CreateAlignedStore(
        Terms[Kind + K].Partial, at(B, R.Extent.Begin, 8 * K), Align(4)));
  return finishRecord(B, std::move(R), 8 * Own, Terms, Kind, Repeats);
}

/// Operands and header of a record, \p At bytes behind its begin.
Value *TapeWriter::finishRecord(IRBuilderBase &B, Record R, uint64_t At,
                                ArrayRef<Contribution> Terms,
                                verso_record_kind Kind, bool Repeats,
                                Value *Block) {
  assert(!Terms.empty() && Terms.size() <= VERSO_RECORD_MAX_CONTRIBUTIONS &&
         "record of a wrong size");
  Value *C = R.Extent.Begin;
  auto Put = [&](Value *Word) {
    StoreInst *Store =
        inert(B.CreateAlignedStore(Word, at(B, C, At), Align(4)));
    At += 4;
    return Store;
  };
  for (auto [K, Term] : enumerate(Terms)) {
    R.Operands.push_back(Put(Term.Id));
    bool IsOne = Kind == VERSO_RECORD_SUM && K == 0;
    R.Partials.push_back(IsOne ? nullptr : Term.Partial);
  }
  if (Block)
    R.OtherStores.push_back(Put(Block));
  R.Header = Put(B.getInt32(VERSO_RECORD_HEADER(Terms.size(), Kind) |
                            (Repeats ? VERSO_RECORD_REPEATS : 0)));
  Value *Id = advance(B, R.Extent, at(B, C, At));
  R.NewCursor = cast<StoreInst>(R.Extent.End->getPrevNode());
  Records.push_back(std::move(R));
  return Id;
}

/// A record ends at \p End. Returns the ID of its left-hand side.
Value *TapeWriter::advance(IRBuilderBase &B, Written &Extent, Value *End) {
  Value *Id = wideNext(B);
  Value *Following = B.CreateNUWAdd(Id, B.getInt64(1));
  Value *Narrow = B.CreateTrunc(Id, B.getInt32Ty());
  inert(B.CreateStore(End, Cursor));
  Extent.End = inert(B.CreateStore(Following, Next));
  setNeverDirect(Narrow);
  return Narrow;
}

bool TapeWriter::isNeverDirect(Value *Id) {
  // More than so many choices are not worth the time.
  constexpr unsigned MostChoices = 64;
  SmallSetVector<Value *, 16> Work;
  Work.insert(Id);
  for (unsigned K = 0; K != Work.size(); ++K) {
    Value *V = Work[K];
    if (NeverDirect.contains(V))
      continue;
    if (auto *C = dyn_cast<ConstantInt>(V); C && !C->isNegative())
      continue;
    if (Work.size() > MostChoices)
      return false;
    if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getNumIncomingValues())
      Work.insert(Phi->value_op_begin(), Phi->value_op_end());
    else if (auto *Choice = dyn_cast<SelectInst>(V))
      Work.insert(Choice->op_begin() + 1, Choice->op_end());
    else if (auto *Max = dyn_cast<MinMaxIntrinsic>(V))
      Work.insert(Max->arg_begin(), Max->arg_end());
    else if (auto *Freeze = dyn_cast<FreezeInst>(V))
      Work.insert(Freeze->getOperand(0));
    else
      return false;
  }
  NeverDirect.insert(Work.begin(), Work.end());
  return true;
}

Value *TapeWriter::recordShared(IRBuilderBase &B, ArrayRef<Contribution> Cs,
                                Instruction *Entry) {
  Value *Block = sharedBlock(Cs, Entry);
  Record R;
  R.Extent.Begin = inert(B.CreateLoad(B.getPtrTy(), Cursor));
  reserve(R.Extent.Begin, recordBytes(Cs.size()));
  return finishRecord(B, std::move(R), 0, Cs, VERSO_RECORD_SHARED,
                      /*Repeats=*/false, Block);
}

/// Emits before Entry, for n partials at cursor c:
///   o = (c - tape_begin + 31) & ~31;  h = tape_begin + o + 8 n
///   store double partial_k, tape_begin + o + 8 k
///   store i32 header((h - c) / 4, BLOCK), h
///   cursor = h + 4
/// The block's number is o / 32.
Value *TapeWriter::sharedBlock(ArrayRef<Contribution> Cs, Instruction *Entry) {
  std::vector<Value *> Key{Entry};
  for (const Contribution &Term : Cs)
    Key.push_back(Term.Partial);
  Block &New = Blocks[Key];
  if (New.Number)
    return New.Number;
  IRBuilder<> B(Entry);
  LoadInst *C = inert(B.CreateLoad(B.getPtrTy(), Cursor));
  // A segment of its own; the one that is being written goes on.
  Segments.insert(Segments.end() - 1,
                  {C, 8 * Cs.size() + VERSO_BLOCK_BYTES + 4});
  Value *Begin = loadField(B, Context, field::TapeBegin);
  Value *Used = B.CreateSub(B.CreatePtrToInt(C, B.getInt64Ty()),
                            B.CreatePtrToInt(Begin, B.getInt64Ty()));
  Value *Offset =
      B.CreateAnd(B.CreateAdd(Used, B.getInt64(VERSO_BLOCK_BYTES - 1)),
                  B.getInt64(-int64_t(VERSO_BLOCK_BYTES)));
  Value *First = B.CreateGEP(B.getInt8Ty(), Begin, Offset);
  for (auto [K, Term] : enumerate(Cs))
    New.Stores.push_back(
        B.CreateAlignedStore(Term.Partial, at(B, First, 8 * K), Align(8)));
  Value *Header = at(B, First, 8 * Cs.size());
  Value *Words = B.CreateTrunc(
      B.CreateLShr(
          B.CreateAdd(B.CreateSub(Offset, Used), B.getInt64(8 * Cs.size())), 2),
      B.getInt32Ty());
  New.Stores.push_back(inert(B.CreateAlignedStore(
      B.CreateOr(B.CreateShl(Words, VERSO_RECORD_KIND_BITS),
                 B.getInt32(VERSO_RECORD_BLOCK)),
      Header, Align(4))));
  New.Stores.push_back(inert(B.CreateStore(at(B, Header, 4), Cursor)));
  New.Begin = C;
  return New.Number =
             B.CreateTrunc(B.CreateUDiv(Offset, B.getInt64(VERSO_BLOCK_BYTES)),
                           B.getInt32Ty());
}

/// Blocks whose records became rows, which have the partials themselves.
void TapeWriter::dropUnusedBlocks() {
  SmallPtrSet<const Instruction *, 4> Dropped;
  for (auto &[Key, Unused] : Blocks) {
    if (!Unused.Number->use_empty())
      continue;
    for (StoreInst *Store : Unused.Stores)
      Store->eraseFromParent();
    Dropped.insert(Unused.Begin);
  }
  for (Segment &S : Segments)
    if (Dropped.contains(S.Before))
      S.Bytes = 0;
}

Value *TapeWriter::at(IRBuilderBase &B, Value *P, uint64_t Bytes) {
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, Bytes);
}

Value *TapeWriter::mark(IRBuilderBase &B, verso_record_kind Kind) {
  Written Mark;
  Mark.Begin = inert(B.CreateLoad(B.getPtrTy(), Cursor));
  inert(B.CreateAlignedStore(B.getInt32(VERSO_RECORD_HEADER(0, Kind)),
                             Mark.Begin, Align(4)));
  Value *Id = advance(B, Mark, at(B, Mark.Begin, 4));
  Marks.push_back(Mark);
  return Id;
}

void TapeWriter::spill(IRBuilderBase &B) {
  StoreInst *First = storeField(B, Context, field::Cursor,
                                inert(B.CreateLoad(B.getPtrTy(), Cursor)));
  Spills[storeField(B, Context, field::Next, wideNext(B))] = First;
}

void TapeWriter::reload(IRBuilderBase &B) {
  inert(B.CreateStore(loadField(B, Context, field::Cursor), Cursor));
  LoadInst *Number = loadField(B, Context, field::Next);
  Number->setMetadata(
      LLVMContext::MD_range,
      MDBuilder(F.getContext())
          .createRange(APInt(64, 0), APInt(64, UINT64_C(1) << 32)));
  Reloads.insert(inert(B.CreateStore(Number, Next)));
}

/// A spill is needed where something may have been written since the last spill
/// or reload: between, the context holds what we do.
void TapeWriter::dropSpills() {
  struct BlockState {
    bool AtBegin = true, AtEnd = true; ///< The context is up to date.
    SmallVector<Instruction *, 4> Events;
  };
  // In each block: spills, reloads, and stores to the allocas.
  MapVector<BasicBlock *, BlockState> States;
  ReversePostOrderTraversal<Function *> Order(&F);
  for (BasicBlock *Block : Order) {
    BlockState &State = States[Block];
    for (Instruction &I : *Block)
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store &&
          (Spills.contains(Store) || Store->getPointerOperand() == Cursor ||
           Store->getPointerOperand() == Next))
        State.Events.push_back(Store);
  }
  auto After = [&](bool UpToDate, ArrayRef<Instruction *> Events) {
    for (Instruction *I : Events)
      UpToDate = Spills.contains(I) || Reloads.contains(I);
    return UpToDate;
  };
  States[&F.getEntryBlock()].AtBegin = false;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto &[Block, State] : States) {
      for (BasicBlock *Before : predecessors(Block))
        if (auto It = States.find(Before); It != States.end())
          State.AtBegin &= It->second.AtEnd;
      bool AtEnd = After(State.AtBegin, State.Events);
      Changed |= AtEnd != State.AtEnd;
      State.AtEnd = AtEnd;
    }
  }
  for (auto &[Block, State] : States) {
    bool UpToDate = State.AtBegin;
    for (Instruction *I : State.Events) {
      StoreInst *OfCursor = Spills.lookup(I);
      if (OfCursor && UpToDate) {
        OfCursor->eraseFromParent();
        I->eraseFromParent();
        continue;
      }
      UpToDate = After(UpToDate, I);
    }
  }
}

/// Where a function calls others, fields that are used once a call at most are
/// loaded where they are used: in registers they would have to be saved.
void TapeWriter::sinkFields() {
  SmallPtrSet<const BasicBlock *, 8> Calling;
  for (Instruction &I : instructions(F))
    if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
      Calling.insert(I.getParent());
  if (Calling.empty())
    return;
  LoopInfo Loops{DominatorTree(F)};
  BranchProbabilityInfo Likelihood(F, Loops);
  BlockFrequencyInfo Frequency(F, Likelihood, Loops);
  constexpr uint64_t Rare = 64;
  uint64_t Once = Frequency.getEntryFreq().getFrequency();
  if (none_of(Calling, [&](const BasicBlock *Block) {
        return Frequency.getBlockFreq(Block).getFrequency() >= Once / Rare;
      }))
    return;
  auto UserBlock = [](Use &U) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(User);
    return Phi ? Phi->getIncomingBlock(U) : User->getParent();
  };
  // The widened base comes before the base that it is made of.
  for (Value *Field : {WideBase, Base, Delta, Adj, Direct}) {
    auto *I = cast<Instruction>(Field);
    MapVector<BasicBlock *, SmallVector<Use *, 4>> Users;
    for (Use &U : I->uses())
      Users[UserBlock(U)].push_back(&U);
    uint64_t Often = 0;
    for (auto &[Block, Uses] : Users)
      Often += Frequency.getBlockFreq(Block).getFrequency();
    if (Often > Once)
      continue;
    for (auto &[Block, Uses] : Users) {
      auto Where = Block->getFirstInsertionPt();
      if (Block == I->getParent() || Where == Block->end())
        continue;
      Instruction *Copy = I->clone();
      Copy->setName(I->getName());
      Copy->insertBefore(*Block, Where);
      for (Use *U : Uses)
        U->set(Copy);
    }
    if (I->use_empty())
      I->eraseFromParent();
  }
}

void TapeWriter::finish(bool MayBeDirect) {
  TapeRows Rows(*this, MayBeDirect);
  Rows.find();
  for (Record &R : Records)
    if (MayBeDirect && R.Header && !all_of(R.Operands, [&](StoreInst *Operand) {
          return isNeverDirect(Operand->getValueOperand());
        })) {
      auto *Header = cast<ConstantInt>(R.Header->getValueOperand());
      R.Header->setOperand(0, ConstantInt::get(Header->getType(),
                                               Header->getZExtValue() |
                                                   VERSO_RECORD_MAY_BE_DIRECT));
    }
  dropUnusedBlocks();
  emitChecks();
  Rows.close();
  dropSpills();
  sinkFields();
  DominatorTree DT(F);
  SmallVector<AllocaInst *, 4> Promoted{Cursor, Next};
  append_range(Promoted, RowStarts);
  PromoteMemToReg(Promoted, DT);
}

void TapeWriter::emitChecks() {
  MDNode *Unlikely = MDBuilder(F.getContext()).createUnlikelyBranchWeights();
  // From the end: what stands behind a check moves to another block.
  for (const Segment &S : reverse(Segments)) {
    if (!S.Bytes || S.HasRoom)
      continue;
    IRBuilder<> B(S.Before);
    Value *Full = B.CreateICmpUGT(inert(B.CreateLoad(B.getPtrTy(), Cursor)),
                                  loadField(B, Context, field::Limit));
    Instruction *Then = SplitBlockAndInsertIfThen(
        Full, S.Before, /*Unreachable=*/false, Unlikely);
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(S.Before->getDebugLoc());
    spill(B);
    callRuntime(B, RuntimeFunction::Grow, Context);
    reload(B);
  }
}
