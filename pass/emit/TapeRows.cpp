//===- TapeRows.cpp - records of loops without headers --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/TapeRows.h"
#include "verso/PackedRows.h"

#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral PackName = "__verso_pack_row";
static constexpr StringLiteral SettleName = "__verso_settle_in_row";

static bool varies(const Value *V, const Loop &L) {
  auto *I = dyn_cast<Instruction>(V);
  return I && L.contains(I);
}

/// The line of Rows.def that has this shape.
static std::optional<uint32_t> rowNumber(uint32_t Shape) {
  static constexpr uint32_t Known[] = {
#define VERSO_ROW(BOTH, OPERAND, PARTIAL, SUMMAND, UNIT)                       \
  VERSO_ROW_SHAPE(BOTH, OPERAND, PARTIAL, SUMMAND, UNIT),
#include "verso/Rows.def"
  };
  const uint32_t Counts = Shape & ((1u << VERSO_ROW_NUMBER_SHIFT) - 1);
  const uint32_t *Found = find(Known, Counts);
  if (Found == std::end(Known))
    return std::nullopt;
  return Found - Known;
}

/// Whether a row may be closed wherever \p L is left.
static bool hasPlainExits(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return all_of(Exiting, [](const BasicBlock *Block) {
    return isa<BranchInst, SwitchInst, InvokeInst>(Block->getTerminator());
  });
}

/// Whether hardly anything but \p R is written in \p L.
bool TapeRows::isAlone(const Record &R, const Loop &L,
                       const BlockFrequencyInfo &Frequency) const {
  constexpr uint64_t Rare = 64;
  auto Often = [&](const Instruction *I) {
    return Frequency.getBlockFreq(I->getParent()).getFrequency();
  };
  const uint64_t Mine = Often(R.Extent.End);
  auto IsRare = [&](const Instruction *I) {
    return !L.contains(I) || Often(I) < Mine / Rare;
  };
  return all_of(Tape.Records,
                [&](const Record &Other) {
                  return &Other == &R || IsRare(Other.Extent.End);
                }) &&
         all_of(Tape.Marks,
                [&](const TapeWriter::Written &W) { return IsRare(W.End); }) &&
         all_of(Tape.Spills, [&](auto &Spill) { return IsRare(Spill.first); });
}

void TapeRows::find() {
  if (Tape.Records.empty())
    return;
  DominatorTree DT(Tape.F);
  LoopInfo Loops(DT);
  if (Loops.empty())
    return;
  BranchProbabilityInfo Likelihood(Tape.F, Loops);
  BlockFrequencyInfo Frequency(Tape.F, Likelihood, Loops);
  // Of a loop with many records none is alone.
  DenseMap<const Loop *, unsigned> Counts;
  constexpr unsigned MostInLoop = 8;
  for (const Record &R : Tape.Records)
    ++Counts[Loops.getLoopFor(R.Extent.End->getParent())];
  for (Record &R : Tape.Records) {
    const Loop *L = Loops.getLoopFor(R.Extent.End->getParent());
    if (L && L->isInnermost() && L->getLoopPreheader() &&
        Counts[L] <= MostInLoop && hasPlainExits(*L) &&
        isAlone(R, *L, Frequency))
      makeRow(R, *L);
  }
}

/// Emits, for an element at cursor c, in the place of the record:
///   store double partial_k, c + 8 k
///   store i32 operand_k, c + 8 n + 4 k
///   cursor = c + the element's bytes
void TapeRows::makeRow(Record &R, const Loop &L) {
  if (R.Operands.size() > VERSO_ROW_MAX_TERMS)
    return;
  Row New{L.getHeader(), nullptr, &R, {}, {}, 0};
  // By what varies: both, the operand, the operand of a summand.
  SmallVector<Value *, 8> Both, OfOperand, Summands, VaryingPartials;
  SmallVector<Value *, 4> Units;
  bool DirectFactors = false, DirectSummands = false;
  for (auto [Store, Partial] : zip_equal(R.Operands, R.Partials)) {
    Value *Operand = Store->getValueOperand();
    if (!varies(Operand, L)) {
      (Partial ? New.Operands : Units).push_back(Operand);
      continue;
    }
    bool IsDirect = MayBeDirect && !Tape.isNeverDirect(Operand);
    (Partial ? DirectFactors : DirectSummands) |= IsDirect;
    if (!Partial)
      Summands.push_back(Operand);
    else if (varies(Partial, L))
      Both.push_back(Operand);
    else
      OfOperand.push_back(Operand);
  }
  SmallVector<Value *, 8> OfBoth;
  for (auto [Store, Partial] : zip_equal(R.Operands, R.Partials)) {
    if (!Partial)
      continue;
    if (!varies(Store->getValueOperand(), L))
      VaryingPartials.push_back(Partial);
    else if (varies(Partial, L))
      OfBoth.push_back(Partial);
    else
      New.Partials.push_back(Partial);
  }
  New.Operands.append(Units);
  New.Shape =
      VERSO_ROW_SHAPE(Both.size(), OfOperand.size(), VaryingPartials.size(),
                      Summands.size(), Units.size()) |
      (DirectFactors || DirectSummands ? VERSO_ROW_DIRECT_FACTORS : 0) |
      (DirectSummands ? VERSO_ROW_DIRECT_SUMMANDS : 0);
  std::optional<uint32_t> Number = rowNumber(New.Shape);
  if (!Number)
    return;
  New.Shape |= *Number << VERSO_ROW_NUMBER_SHIFT;
  const uint64_t Own = OfBoth.size() + VaryingPartials.size();
  const uint64_t Words = Both.size() + OfOperand.size() + Summands.size();
  const uint64_t Bytes = 8 * Own + 4 * Words;
  // It has to pay after a few iterations; and each ID takes four bytes.
  constexpr uint64_t Few = 8;
  const uint64_t AtEnd = 8 * New.Partials.size() + 4 * New.Operands.size() + 8;
  uint64_t AsRecord = 4 * R.Operands.size() + 4;
  for (StoreInst *Store : R.OtherStores)
    AsRecord += Store->getValueOperand()->getType()->isDoubleTy() ? 8 : 4;
  if (Bytes >= AsRecord || AtEnd > Few * (AsRecord - Bytes))
    return;

  IRBuilder<> B(R.NewCursor);
  uint64_t At = 0;
  for (Value *Partial : concat<Value *>(OfBoth, VaryingPartials)) {
    B.CreateAlignedStore(Partial, TapeWriter::at(B, R.Extent.Begin, At),
                         Align(4));
    At += 8;
  }
  for (Value *Operand : concat<Value *>(Both, OfOperand, Summands)) {
    inert(B.CreateAlignedStore(Operand, TapeWriter::at(B, R.Extent.Begin, At),
                               Align(4)));
    At += 4;
  }
  R.NewCursor->setOperand(0, TapeWriter::at(B, R.Extent.Begin, At));
  for (StoreInst *Store : concat<StoreInst *>(R.Operands, R.OtherStores))
    Store->eraseFromParent();
  R.Header->eraseFromParent();
  R.Header = nullptr;
  R.Operands.clear();
  R.OtherStores.clear();

  BasicBlock &Entry = Tape.F.getEntryBlock();
  New.Start = new AllocaInst(Type::getInt64Ty(B.getContext()), 0, "verso.row",
                             Entry.begin());
  Tape.RowStarts.push_back(New.Start);
  B.SetInsertPoint(L.getLoopPreheader()->getTerminator());
  start(B, New);
  Rows.push_back(std::move(New));
}

void TapeRows::start(IRBuilderBase &B, const Row &R) const {
  inert(B.CreateStore(Tape.wideNext(B), R.Start));
}

/// Emits, at cursor c:
///   if (next != start) {
///     store double partial_k, c + 8 k
///     store i32 operand_k, c + 8 n + 4 k
///     store i32 shape, i32 header(next - start, RUN) | REPEATS
///     cursor = behind them;  start = next
///     if (next - start is enough)        ; if \p Packs
///       cursor = __verso_pack_row(cursor, next)
///   }
void TapeRows::closeBefore(Instruction *At, const Row &R, bool Packs) const {
  IRBuilder<> B(At);
  Value *Next = Tape.wideNext(B);
  Value *Count =
      B.CreateSub(Next, inert(B.CreateLoad(B.getInt64Ty(), R.Start)));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Count), At,
                                             /*Unreachable=*/false));
  B.SetCurrentDebugLocation(At->getDebugLoc());
  Value *C = inert(B.CreateLoad(B.getPtrTy(), Tape.Cursor));
  uint64_t Behind = 0;
  for (Value *Partial : R.Partials) {
    B.CreateAlignedStore(Partial, TapeWriter::at(B, C, Behind), Align(4));
    Behind += 8;
  }
  auto Put = [&](Value *Word) {
    inert(B.CreateAlignedStore(Word, TapeWriter::at(B, C, Behind), Align(4)));
    Behind += 4;
  };
  for (Value *Operand : R.Operands)
    Put(Operand);
  Put(B.getInt32(R.Shape));
  Put(B.CreateOr(
      B.CreateShl(B.CreateTrunc(Count, B.getInt32Ty()), VERSO_RECORD_KIND_BITS),
      B.getInt32(VERSO_RECORD_RUN | VERSO_RECORD_REPEATS)));
  Value *End = TapeWriter::at(B, C, Behind);
  inert(B.CreateStore(End, Tape.Cursor));
  inert(B.CreateStore(Next, R.Start));
  if (!Packs)
    return;
  Value *IsLong = B.CreateICmpUGE(Count, B.getInt64(VERSO_ROW_LEAST_PACKED));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(IsLong, &*B.GetInsertPoint(),
                                             /*Unreachable=*/false));
  B.SetCurrentDebugLocation(At->getDebugLoc());
  CallInst *Packed = B.CreateCall(
      getSupportFunction(*Tape.F.getParent(), PackName), {End, Next});
  inert(B.CreateStore(inert(Packed), Tape.Cursor));
}

static bool isCallOf(const CallInst &Call, StringRef Name) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName().starts_with(Name);
}

void verso::leaveRowsUnpacked(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call)
      continue;
    Value *Instead = nullptr;
    if (isCallOf(*Call, PackName))
      Instead = Call->getArgOperand(0);
    else if (isCallOf(*Call, SettleName))
      Instead = Constant::getNullValue(Call->getType());
    else
      continue;
    Call->replaceAllUsesWith(Instead);
    Call->eraseFromParent();
  }
}

/// The call of __verso_id_at that \p OfCursor, the first store of a spill,
/// stands before, of a double, in a block that does nothing else and has one
/// successor.
CallInst *TapeRows::findSettling(StoreInst &OfCursor) const {
  auto *Begin = cast<Instruction>(OfCursor.getValueOperand());
  auto *End = dyn_cast<BranchInst>(Begin->getParent()->getTerminator());
  if (!End || End->isConditional())
    return nullptr;
  CallInst *Found = nullptr;
  for (Instruction &I : make_range(Begin->getIterator(), End->getIterator())) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Store && (Store == &OfCursor || Tape.Spills.contains(Store) ||
                  Store->getPointerOperand() == Tape.Cursor ||
                  Store->getPointerOperand() == Tape.Next))
      continue;
    auto *Call = dyn_cast<CallInst>(&I);
    if (Call && !Found && isCallOf(*Call, "__verso_id_at")) {
      Found = Call;
      continue;
    }
    if (I.mayHaveSideEffects())
      return nullptr;
  }
  constexpr unsigned OfKind = 3;
  auto *Kind =
      Found ? dyn_cast<ConstantInt>(Found->getArgOperand(OfKind)) : nullptr;
  return Kind && Kind->equalsInt(VERSO_CELL_DOUBLE) ? Found : nullptr;
}

/// Emits, before the spill whose first store is \p OfCursor:
///   if (id = __verso_settle_in_row(context, p)) skip
///   spill;  id' = __verso_id_at(context, p, ...);  reload
/// so that the row goes on where a load finds two raw leaves for its number.
void TapeRows::settleBefore(StoreInst &OfCursor) const {
  CallInst *Call = findSettling(OfCursor);
  if (!Call)
    return;
  auto *At = cast<Instruction>(OfCursor.getValueOperand());
  BasicBlock *Here = At->getParent(), *Tail = Here->getSingleSuccessor();
  auto IsSkipped = [&](const Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return I && I->getParent() == Here && !I->comesBefore(At);
  };
  // Nothing of it may be needed elsewhere but the ID, by phis.
  auto StaysHere = [&](const Instruction &I) {
    return all_of(I.users(), [&](const User *U) {
      auto *Of = cast<Instruction>(U);
      return Of->getParent() == Here ||
             (&I == Call && isa<PHINode>(Of) && Of->getParent() == Tail);
    });
  };
  if (IsSkipped(Call->getArgOperand(0)) || IsSkipped(Call->getArgOperand(1)) ||
      !all_of(make_range(At->getIterator(), Here->end()), StaysHere))
    return;
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  CallInst *Settled =
      inert(B.CreateCall(getSupportFunction(*Tape.F.getParent(), SettleName),
                         {Call->getArgOperand(0), Call->getArgOperand(1)}));
  Tape.setNeverDirect(Settled);
  BasicBlock *Head = At->getParent(), *Rest = SplitBlock(Head, At);
  for (PHINode &Phi : Tail->phis()) {
    Value *Given = Phi.getIncomingValueForBlock(Rest);
    Phi.addIncoming(Given == Call ? Settled : Given, Head);
  }
  Head->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Head);
  B.CreateCondBr(B.CreateIsNotNull(Settled), Tail, Rest);
}

/// Where an exception leaves the loop, the row was closed before the call.
void TapeRows::closeAtExits(const Loop &L, const Row &R) const {
  const bool Packs = VERSO_ROW_MAY_BE_PACKED(R.Shape);
  SmallVector<Loop::Edge, 4> Edges;
  L.getExitEdges(Edges);
  SmallPtrSet<BasicBlock *, 4> Done;
  for (auto [From, To] : Edges) {
    if (To->isEHPad() || Done.contains(To))
      continue;
    if (all_of(predecessors(To),
               [&L = L](BasicBlock *P) { return L.contains(P); })) {
      Done.insert(To);
      closeBefore(&*To->getFirstInsertionPt(), R, Packs);
      continue;
    }
    closeBefore(SplitEdge(From, To)->getTerminator(), R, Packs);
  }
}

void TapeRows::close() {
  if (Rows.empty())
    return;
  DominatorTree DT(Tape.F);
  LoopInfo Loops(DT);
  // What is written in each row's loop: blocks are split below.
  using Event = std::pair<Instruction *, const Row *>;
  SmallVector<Event, 8> Before, After;
  SmallVector<std::pair<const Loop *, const Row *>, 8> Left;
  SmallVector<StoreInst *, 8> MaySettle;
  for (const Row &R : Rows) {
    const Loop *L = Loops.getLoopFor(R.Header);
    for (auto [OfNext, OfCursor] : Tape.Spills)
      if (L->contains(OfNext)) {
        Before.push_back({cast<Instruction>(OfCursor->getValueOperand()), &R});
        MaySettle.push_back(OfCursor);
      }
    for (Instruction *Reload : Tape.Reloads)
      if (L->contains(Reload))
        After.push_back({Reload, &R});
    auto Add = [&](const TapeWriter::Written &W) {
      if (!L->contains(W.End))
        return;
      Before.push_back({W.Begin, &R});
      After.push_back({W.End, &R});
    };
    for (const Record &Other : Tape.Records)
      if (&Other != R.Element)
        Add(Other.Extent);
    for (const TapeWriter::Written &Mark : Tape.Marks)
      Add(Mark);
    Left.push_back({L, &R});
  }
  for (auto [L, R] : Left)
    closeAtExits(*L, *R);
  for (StoreInst *OfCursor : MaySettle)
    settleBefore(*OfCursor);
  for (auto [At, R] : After) {
    IRBuilder<> B(At->getNextNode());
    start(B, *R);
  }
  for (auto [At, R] : Before)
    closeBefore(At, *R, /*Packs=*/false);
}
