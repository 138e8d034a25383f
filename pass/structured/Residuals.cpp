//===- Residuals.cpp - values of the recto in the verso -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Residuals.h"
#include "emit/Runtime.h"
#include "prepare/Worksharing.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// The recto
//===----------------------------------------------------------------------===//

/// Where the value of I stands at last.
static IRBuilder<> builderAfter(Instruction &I) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&I)) {
    BasicBlock *Normal = Invoke->getNormalDest();
    return IRBuilder<>(Normal, Normal->getFirstInsertionPt());
  }
  if (isa<PHINode>(I))
    return IRBuilder<>(I.getParent(), I.getParent()->getFirstInsertionPt());
  return IRBuilder<>(I.getParent(), std::next(I.getIterator()));
}

void Residuals::carryOver(Instruction &I) {
  AllocaInst *&Slot = Carried[&I];
  if (Slot)
    return;
  Slot = S.create(I.getType(), I.getName() + ".carried");
  if (const Loop *L = replayOf(I)) {
    // Nothing is left of the iteration before.
    IRBuilder<> Start(R.header(const_cast<Loop *>(L))->getTerminator());
    Slots::set(Start, Slot, PoisonValue::get(I.getType()));
  }
  Instruction *Again = again(&I);
  IRBuilder<> B = builderAfter(*Again);
  Slots::set(B, Slot, Again);
}

Residuals::Place Residuals::placeOf(Instruction &I) const {
  return {LI.getLoopFor(I.getParent()), Rows.lookup(&I), Branches.lookup(&I)};
}

Residuals::LoopColumns &Residuals::columnsOf(Place P) {
  LoopColumns &C = Columns[P];
  if (C.Total)
    return C;
  auto [L, Around, Branch] = P;
  C.Branch = Branch;
  Type *I64 = Type::getInt64Ty(F.getContext());
  C.Total = S.create(I64, "total");
  C.Index = S.create(I64, "index");
  if (Around) {
    C.Repeats = Around;
    BasicBlock *Before = Around->getLoopPreheader();
    IRBuilder<> B(Before->getTerminator());
    C.Start = cast<Instruction>(Slots::get(B, C.Total));
    if (BasicBlock *Again = again(Before); Again != Before) {
      B.SetInsertPoint(Again->getTerminator());
      Replayed->setAgain(*C.Start, cast<Instruction>(*Slots::get(B, C.Total)));
    }
  } else if (isa<SCEVCouldNotCompute>(
                 R.scalarEvolution().getBackedgeTakenCount(L))) {
    keepRecords(C);
  }
  return C;
}

void Residuals::keepRecords(LoopColumns &C) {
  if (!C.Stride)
    C.Stride = S.create(Type::getInt64Ty(F.getContext()), "record");
}

/// The offset of a value in the records of a loop.
uint64_t Residuals::placeInRecord(Instruction &I, Loop *L, LoopColumns &C) {
  uint64_t Bytes = F.getDataLayout().getTypeAllocSize(columnType(I.getType()));
  const BasicBlock *User = builderAfter(I).GetInsertBlock();
  uint64_t End = 0;
  for (Cell &Each : C.Cells) {
    End = std::max(End, Each.Offset + Each.Bytes);
    // What an invoke returns where the loop is left may be beside anything.
    if (Each.Bytes != Bytes || any_of(Each.Users, [&](const BasicBlock *B) {
          return B == User || !L->contains(B) || !L->contains(User) ||
                 Paths.lead(B, User, *L) || Paths.lead(User, B, *L);
        }))
      continue;
    Each.Users.push_back(User);
    return Each.Offset;
  }
  C.Cells.push_back({alignTo(End, Bytes), Bytes, {User}});
  return C.Cells.back().Offset;
}

void Residuals::sizeRecords(LoopColumns &C) {
  uint64_t End = 0, Alignment = 8;
  for (const Cell &Each : C.Cells) {
    End = std::max(End, Each.Offset + Each.Bytes);
    Alignment = std::max(Alignment, PowerOf2Ceil(Each.Bytes));
  }
  C.Columns[0].Bytes = alignTo(End, Alignment);
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Slots::set(B, C.Stride, B.getInt64(C.Columns[0].Bytes));
}

Value *Residuals::address(IRBuilderBase &B, Instruction &V) {
  LoopColumns &C = Columns[placeOf(V)];
  Value *Index = C.Branch && Verso.contains(B.GetInsertBlock())
                     ? B.CreateSub(Slots::get(B, C.Total), B.getInt64(1))
                     : Slots::get(B, C.Index);
  if (C.Stride) {
    Value *Record =
        B.CreateInBoundsPtrAdd(Slots::get(B, C.Columns[0].Base),
                               B.CreateMul(Index, Slots::get(B, C.Stride), "",
                                           /*HasNUW=*/true, /*HasNSW=*/true));
    return B.CreateInBoundsPtrAdd(Record, B.getInt64(ColumnOf[&V]));
  }
  const Column &Mine = C.Columns[ColumnOf[&V]];
  return B.CreateInBoundsGEP(Mine.T, Slots::get(B, Mine.Base), Index);
}

/// store %v, gep %column, %index
void Residuals::record(Instruction &I) {
  LoopColumns &C = columnsOf(placeOf(I));
  Type *T = columnType(I.getType());
  ColumnOf[&I] = C.Stride ? placeInRecord(I, LI.getLoopFor(I.getParent()), C)
                          : C.Columns.size();
  if (!C.Stride || C.Columns.empty())
    C.Columns.push_back(
        {T, F.getDataLayout().getTypeAllocSize(T),
         S.create(PointerType::getUnqual(F.getContext()), "column")});
  InColumns.push_back(&I);
  Instruction *Again = again(&I);
  IRBuilder<> B = builderAfter(*Again);
  Value *V = T == I.getType() ? Again : B.CreateZExt(Again, T);
  Accesses.push_back(B.CreateStore(V, address(B, I)));
}

/// Where the reverse of \p Branch, which has one predecessor, goes on to that
/// of the predecessor.
BasicBlock *Residuals::endOfBranch(const BasicBlock &Branch) const {
  auto It = find_if(
      R.blocks(), [&](const BasicBlock *B) { return R.edgeTo(B) == &Branch; });
  return It == R.blocks().end() ? nullptr : *It;
}

/// Whether it can be counted how often \p Branch is taken, which not every
/// iteration of its loop does.
bool Residuals::mayCount(BasicBlock &Branch) const {
  const Loop *L = LI.getLoopFor(&Branch);
  const BasicBlock *Before = Branch.getSinglePredecessor();
  // How often it was taken before is not known to each of several threads.
  for (const Loop *Around = L; Around; Around = Around->getParentLoop())
    if (isShared(*Around))
      return false;
  if (!L || !Before || LI.getLoopFor(Before) != L || !L->getLoopLatch() ||
      (Replayed && Replayed->around(L)) ||
      R.dominatorTree().dominates(&Branch, L->getLoopLatch()) ||
      any_of(R.leftOut(), [&](const Reversal::LeftOut &Each) {
        return Each.L->contains(L);
      }))
    return false;
  return endOfBranch(Branch);
}

/// Of \p Recorded, what gets columns of a branch.
void Residuals::findBranches(ArrayRef<Instruction *> Recorded) {
  constexpr uint64_t LeastBytes = 16;
  constexpr size_t MostUses = 1 << 16;
  if (!Handed.empty())
    return;
  MapVector<BasicBlock *, SmallVector<Instruction *, 4>> Candidates;
  SmallPtrSet<Instruction *, 32> InColumn;
  for (Instruction *I : Recorded) {
    InColumn.insert(I);
    if (!isa<InvokeInst>(I) && !Rows.contains(I))
      Candidates[I->getParent()].push_back(I);
  }
  Candidates.remove_if([&](auto &Each) {
    uint64_t Bytes = 0;
    for (Instruction *I : Each.second)
      Bytes += F.getDataLayout().getTypeStoreSize(columnType(I->getType()));
    return Bytes < LeastBytes || !mayCount(*Each.first);
  });
  if (Candidates.empty())
    return;
  // Where each is needed, for itself or for what is computed from it.
  SetVector<std::pair<Instruction *, const BasicBlock *>> Uses;
  auto Need = [&](Value *V, const BasicBlock *At) {
    if (Instruction *I = asResidual(V); I && !isCarried(*I))
      Uses.insert({I, At});
  };
  for (BasicBlock *B : R.blocks())
    for (Instruction &I : *B)
      for (Use &U : I.operands()) {
        auto *Phi = dyn_cast<PHINode>(&I);
        Need(U, Phi ? Phi->getIncomingBlock(U) : B);
      }
  for (size_t K = 0; K != Uses.size(); ++K) {
    if (Uses.size() > MostUses)
      return;
    auto [I, At] = Uses[K];
    if (!InColumn.contains(I))
      if (auto From = ingredients(*I))
        for (Value *Op : *From)
          Need(Op, At);
  }
  SmallPtrSet<const Instruction *, 8> Elsewhere;
  for (auto [I, At] : Uses) {
    const BasicBlock *Recto = R.edgeTo(At) ? R.edgeTo(At) : R.rectoOf(At);
    if (!Recto || !R.dominatorTree().dominates(I->getParent(), Recto))
      Elsewhere.insert(I);
  }
  for (auto &[Branch, Values] : Candidates)
    for (Instruction *I : Values)
      if (!Elsewhere.contains(I))
        Branches[I] = Branch;
}

/// recto:  %index = %total; %total += 1       verso, at its end:  %total -= 1
void Residuals::countTaken(LoopColumns &C) {
  IRBuilder<> Start(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Slots::set(Start, C.Total, Start.getInt64(0));
  IRBuilder<> Up(C.Branch, C.Branch->getFirstInsertionPt());
  Value *Index = Slots::get(Up, C.Total);
  Slots::set(Up, C.Index, Index);
  Slots::set(Up, C.Total, Up.CreateNUWAdd(Index, Up.getInt64(1)));
  IRBuilder<> Down(endOfBranch(*C.Branch)->getTerminator());
  Slots::set(Down, C.Total,
             Down.CreateSub(Slots::get(Down, C.Total), Down.getInt64(1)));
}

/// recto:  %index = %total; %total += 1       verso:  %index = %total -= 1
/// rows:   %index = %start + %iteration
void Residuals::countIterations(Loop *L, LoopColumns &C) {
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> Start(&*Entry.getFirstNonPHIOrDbgOrAlloca());
  Slots::set(Start, C.Total, Start.getInt64(0));
  const Loop *Replay = Replayed ? Replayed->around(L) : nullptr;
  if (Replay) {
    IRBuilder<> Again(R.header(const_cast<Loop *>(Replay))->getTerminator());
    Slots::set(Again, C.Total, Again.getInt64(0));
  }
  BasicBlock *Header = again(L->getHeader());
  IRBuilder<> Up(Header, Header->getFirstInsertionPt());
  if (C.Repeats) {
    Instruction *Counter = again<Instruction>(R.counter(L));
    Slots::set(Up, C.Index, Up.CreateNUWAdd(again(C.Start), Counter));
    IRBuilder<> Down(R.header(L), R.header(L)->begin());
    Value *K = Slots::get(Down, R.iteration(L));
    Cache Known;
    Value *Row = materialise(C.Start, cast<Instruction>(K), Known);
    Slots::set(Down, C.Index, Down.CreateNUWAdd(Row, K));
    return;
  }
  Value *Index = Slots::get(Up, C.Total);
  Slots::set(Up, C.Index, Index);
  Slots::set(Up, C.Total, Up.CreateNUWAdd(Index, Up.getInt64(1)));
  IRBuilder<> Down(R.header(L), R.header(L)->begin());
  Index = Down.CreateSub(Slots::get(Down, C.Total), Down.getInt64(1));
  Slots::set(Down, C.Index, Index);
  Slots::set(Down, C.Total, Index);
  // Where the reverse of a loop is left out its iterations are counted down at
  // once; how many a loop in it made nobody knows.
  for (const Reversal::LeftOut &Each : R.leftOut())
    if (Replay && Each.L->contains(Replay)) {
      // Nor is it replayed.
    } else if (Each.L == L) {
      IRBuilder<> B(Each.Block->getTerminator());
      Value *Made = B.CreateAdd(Slots::get(B, R.iteration(L)), B.getInt64(1));
      Slots::set(B, C.Total, B.CreateSub(Slots::get(B, C.Total), Made));
    } else if (Each.L->contains(L)) {
      Each.Branch->setCondition(ConstantInt::getFalse(F.getContext()));
    }
}

/// if (total + more > capacity) { capacity = ...; column = extend(column) ... }
void Residuals::makeRoom(LoopColumns &C) {
  UsesArena = true;
  Instruction *Before = C.RoomAt;
  Value *More = C.Room;
  IRBuilder<> B(Before);
  Value *Total = Slots::get(B, C.Total);
  Value *Wanted = B.CreateNUWAdd(C.Repeats ? again(C.Start) : Total, More);
  Value *Capacity = Slots::get(B, C.Capacity);
  Instruction *Then = SplitBlockAndInsertIfThen(
      B.CreateICmpUGT(Wanted, Capacity), Before, /*Unreachable=*/false,
      MDBuilder(F.getContext()).createUnlikelyBranchWeights());
  for (Column &Each : C.Columns) {
    B.SetInsertPoint(Then);
    Value *New = B.CreateBinaryIntrinsic(
        Intrinsic::umax, B.CreateShl(Capacity, 1),
        B.CreateBinaryIntrinsic(Intrinsic::umax, Wanted, B.getInt64(64)));
    Value *Size = B.getInt64(Each.Bytes);
    Value *Old = Slots::get(B, Each.Base);
    CallInst *Base =
        callRuntime(B, RuntimeFunction::ArenaExtend,
                    {Old, B.CreateMul(Capacity, Size), B.CreateMul(New, Size)});
    markWrittenFirst(*Base);
    Slots::set(B, Each.Base, Base);
    if (&Each == &C.Columns.back()) {
      Slots::set(B, C.Capacity, New);
      if (C.LastRoom)
        inert(B.CreateStore(New, C.LastRoom))
            ->setAtomic(AtomicOrdering::Monotonic);
    }
    Value *Moved = B.CreateICmpNE(Base, Old);
    Instruction *Copy = SplitBlockAndInsertIfThen(Moved, Then, false);
    IRBuilder<>(Copy).CreateMemCpy(Base, Align(8), Old, Align(8),
                                   IRBuilder<>(Copy).CreateMul(Total, Size));
  }
}

/// total = max(total, start + length), where rows of that length are written.
void Residuals::advance(LoopColumns &C) {
  IRBuilder<> B(C.RowAt);
  Slots::set(B, C.Total,
             B.CreateBinaryIntrinsic(Intrinsic::umax, Slots::get(B, C.Total),
                                     B.CreateNUWAdd(again(C.Start), C.Length)));
}

/// As many as are known before it is run; null if only counting tells.
Value *Residuals::iterations(Loop *L) {
  if (Replayed && Replayed->around(L))
    return Replayed->iterations(L);
  Value *Count = R.backedges(L);
  IRBuilder<> B(L->getLoopPreheader()->getTerminator());
  return Count ? B.CreateAdd(Count, B.getInt64(1)) : nullptr;
}

void Residuals::allocate(Loop *L, LoopColumns &C) {
  constexpr uint64_t MaxLocal = 4096;
  const Loop *Replay = Replayed ? Replayed->around(L) : nullptr;
  BasicBlock *Before = again(L->getLoopPreheader());
  if (C.Repeats) {
    C.RowAt = Before->getTerminator();
    C.Length = iterations(L);
  }
  Value *Iterations = R.iterationsOfNest(L, C.Repeats, Replay);
  if (Iterations) {
    Loop *Root = L->getOutermostLoop();
    auto *Known = dyn_cast<ConstantInt>(Iterations);
    for (Column &Each : C.Columns) {
      IRBuilder<> B(Root->getLoopPreheader()->getTerminator());
      Value *Base;
      if (Known && Known->getValue().ule(MaxLocal / Each.Bytes)) {
        IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
        uint64_t Count = Known->getZExtValue();
        AllocaInst *Local = Entry.CreateAlloca(
            C.Stride ? ArrayType::get(B.getInt64Ty(), Count * Each.Bytes / 8)
                     : ArrayType::get(Each.T, Count),
            nullptr, "column");
        if (C.Stride)
          Local->setAlignment(Align(64));
        Base = Local;
      } else {
        UsesArena = true;
        Base = callRuntime(B, RuntimeFunction::ArenaTake,
                           {B.CreateMul(Iterations, B.getInt64(Each.Bytes))});
        cast<CallInst>(Base)->addRetAttr(Attribute::NoAlias);
        markWrittenFirst(*cast<CallInst>(Base));
      }
      Slots::set(B, Each.Base, Base);
    }
    return;
  }
  C.Capacity = S.create(Type::getInt64Ty(F.getContext()), "capacity");
  IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Slots::set(Entry, C.Capacity, Entry.getInt64(0));
  for (Column &Each : C.Columns)
    Slots::set(Entry, Each.Base, ConstantPointerNull::get(Entry.getPtrTy()));
  IRBuilder<> B(L->getOutermostLoop()->getLoopPreheader()->getTerminator());
  Value *Likely = R.likelyIterationsOfNest(L, C.Repeats, Replay);
  if (!Likely) {
    // What it was the last time; the copies of growing columns cost more.
    C.LastRoom = new GlobalVariable(
        *F.getParent(), B.getInt64Ty(), /*isConstant=*/false,
        GlobalValue::InternalLinkage, B.getInt64(0), "verso.room");
    C.LastRoom->setMetadata("verso.room", MDNode::get(F.getContext(), {}));
    LoadInst *Last = inert(B.CreateLoad(B.getInt64Ty(), C.LastRoom));
    Last->setAtomic(AtomicOrdering::Monotonic);
    Likely = Last;
  }
  {
    UsesArena = true;
    uint64_t Bytes = 0;
    for (const Column &Each : C.Columns)
      Bytes += Each.Bytes;
    Likely = callRuntime(B, RuntimeFunction::ArenaAffords,
                         {Likely, B.getInt64(Bytes)});
    for (Column &Each : C.Columns) {
      CallInst *Base =
          callRuntime(B, RuntimeFunction::ArenaTake,
                      {B.CreateMul(Likely, B.getInt64(Each.Bytes))});
      markWrittenFirst(*Base);
      Slots::set(B, Each.Base, Base);
    }
    Slots::set(B, C.Capacity, Likely);
  }
  // As far out as it is known.
  SmallVector<Loop *, 4> Around;
  for (Loop *M = L->getParentLoop(); M && M != Replay && !C.Repeats;
       M = M->getParentLoop())
    Around.push_back(M);
  for (Loop *M : reverse(Around))
    if (Value *Count = R.iterationsOfNest(L, nullptr, Replay, M)) {
      C.RoomAt = again(M->getLoopPreheader())->getTerminator();
      C.Room = Count;
      return;
    }
  if (Value *Count = iterations(L)) {
    C.RoomAt = Before->getTerminator();
    C.Room = Count;
    return;
  }
  BasicBlock *Each = C.Branch ? C.Branch : again(L->getHeader());
  C.RoomAt = &*Each->getFirstInsertionPt();
  C.Room = Entry.getInt64(1);
}

//===----------------------------------------------------------------------===//
// The verso
//===----------------------------------------------------------------------===//

Value *Residuals::loadRecorded(IRBuilderBase &B, Instruction &I) {
  LoadInst *Load = B.CreateLoad(columnType(I.getType()), address(B, I));
  Accesses.push_back(Load);
  return Load->getType() == I.getType() ? Load
                                        : B.CreateTrunc(Load, I.getType());
}

Value *Residuals::recompute(Instruction &I, Instruction *Before, Cache &Known) {
  IRBuilder<> B(Before);
  if (Handed.of(I))
    return Slots::get(B, Handed.slotOf(I));
  if (Rows.contains(&I)) {
    if (!ColumnOf.contains(&I))
      record(I);
    return loadRecorded(B, I);
  }
  auto *Program = dyn_cast<LoadInst>(&I);
  if (auto *From = Program ? Copied.sourceOf(*Program) : nullptr) {
    Value *Address = materialise(From->Start, Before, Known);
    for (auto [L, Step] : From->Steps)
      Address = B.CreatePtrAdd(Address,
                               B.CreateMul(Slots::get(B, R.iteration(L)),
                                           materialise(Step, Before, Known)));
    // The copy is not aligned as the original is.
    LoadInst *Load =
        B.CreateAlignedLoad(I.getType(), Address, Align(1), I.getName());
    Accesses.push_back(Load);
    return Load;
  }
  if (StoreInst *Store = Stored.lookup(&I)) {
    LoadInst *Load = B.CreateAlignedLoad(
        I.getType(), materialise(Store->getPointerOperand(), Before, Known),
        Store->getAlign(), I.getName());
    if (MDNode *Tag = Store->getMetadata(LLVMContext::MD_tbaa))
      Load->setMetadata(LLVMContext::MD_tbaa, Tag);
    Reloads.push_back(Load), Originals[Load] = Store;
    return Load;
  }
  auto *Phi = dyn_cast<PHINode>(&I);
  if (auto Earlier =
          Phi && !R.induction(*Phi) ? loadBefore(*Phi) : std::nullopt) {
    Value *Address = B.CreatePtrAdd(
        materialise(Earlier->Load->getPointerOperand(), Before, Known),
        B.getInt64(-Earlier->Bytes));
    LoadInst *Load = B.CreateAlignedLoad(I.getType(), Address, Align(1));
    Reloads.push_back(Load), Originals[Load] = Earlier->Load;
    return Load;
  }
  if (Phi && Handed.rowOf(*Phi))
    return Slots::get(B, Handed.slotOfRow(*Phi));
  if (Phi) {
    Reversal::Induction V = *R.induction(*Phi);
    Value *Start = materialise(V.Start, Before, Known);
    Value *Step = materialise(V.Step, Before, Known);
    Value *K = Slots::get(B, R.iteration(LI.getLoopFor(I.getParent())));
    if (Phi->getType()->isIntegerTy())
      return B.CreateAdd(
          Start, B.CreateMul(B.CreateZExtOrTrunc(K, Phi->getType()), Step));
    return B.CreatePtrAdd(
        Start, B.CreateMul(K, B.CreateSExtOrTrunc(Step, B.getInt64Ty())));
  }
  Instruction *Copy = I.clone();
  Copy->dropUnknownNonDebugMetadata({LLVMContext::MD_tbaa});
  Copy->setDebugLoc(DebugLoc());
  for (Use &U : Copy->operands())
    U.set(materialise(U, Before, Known));
  Copy->insertBefore(Before->getIterator());
  Copy->setName(I.getName());
  if (auto *Load = dyn_cast<LoadInst>(Copy))
    Reloads.push_back(Load), Originals[Load] = &I;
  return Copy;
}

Value *Residuals::materialise(Value *V, Instruction *Before, Cache &Known) {
  Instruction *I = asResidual(V);
  if (!I)
    return V;
  if (Value *Here = Known.lookup(I))
    return Here;
  Value *Result;
  IRBuilder<> B(Before);
  if (auto It = Carried.find(I); It != Carried.end()) {
    Result = Slots::get(B, It->second);
  } else if (auto It = ColumnOf.find(I); It != ColumnOf.end()) {
    Result = loadRecorded(B, *I);
  } else {
    Result = recompute(*I, Before, Known);
  }
  Known[I] = Result;
  return Result;
}

void Residuals::replaceUses() {
  DenseMap<BasicBlock *, Cache> AtEnd;
  for (BasicBlock *B : R.blocks()) {
    Cache Known;
    SmallVector<Instruction *, 32> Instructions(make_pointer_range(*B));
    for (Instruction *I : Instructions)
      for (Use &U : I->operands())
        if (!asResidual(U)) {
        } else if (auto *Phi = dyn_cast<PHINode>(I)) {
          BasicBlock *From = Phi->getIncomingBlock(U);
          U.set(materialise(U, From->getTerminator(), AtEnd[From]));
        } else {
          U.set(materialise(U, I, Known));
        }
  }
  Handed.emit([&](Instruction &V, Instruction *Before) {
    Cache Known;
    return materialise(&V, Before, Known);
  });
}

/// What undone stores left is kept in the column from which they are undone. Of
/// the column, a run has what lies before that of the run reversed before it.
void Residuals::swapWhatIsUndone() {
  if (!Undone)
    return;
  for (const UndoneStores::LoggedByLoop &Each : Undone->loggedByLoop()) {
    LoopColumns &C = Columns[placeOf(*Each.Old)];
    Accesses.push_back(Undone->swap(Each));
    AllocaInst *End = S.create(Type::getInt64Ty(F.getContext()), "end");
    IRBuilder<> Start(R.start(), R.start()->begin());
    Slots::set(Start, End, Slots::get(Start, C.Total));
    IRBuilder<> B(Each.LogAt);
    Value *From = Slots::get(B, C.Total);
    Value *Times = B.CreateSub(Slots::get(B, End), From);
    Slots::set(B, End, From);
    Cache Known;
    Value *Cell =
        materialise(Each.Store->getPointerOperand(), Each.LogAt, Known);
    Undone->writeLog(Each, Cell, address(B, *Each.Old), Times,
                     C.Columns[C.Stride ? 0 : ColumnOf[Each.Old]].Bytes);
  }
}

void Residuals::place() {
  Verso.insert(R.blocks().begin(), R.blocks().end());
  collectNeeds();
  if (Refused)
    return;
  decide();
  for (auto &[Place, C] : Columns)
    if (C.Stride)
      sizeRecords(C);
  replaceUses();
  swapWhatIsUndone();
  // Rows that turned out not to be needed.
  Columns.remove_if(
      [](const auto &Each) { return Each.second.Columns.empty(); });
  for (auto &[Place, C] : Columns)
    if (C.Branch)
      countTaken(C);
    else
      countIterations(std::get<0>(Place), C);
  for (auto &[Place, C] : Columns)
    allocate(std::get<0>(Place), C);
  for (auto &[Place, C] : Columns)
    if (C.RoomAt)
      makeRoom(C);
  for (auto &[Place, C] : Columns)
    if (C.RowAt)
      advance(C);
}
