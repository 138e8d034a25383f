//===- TapeWriter.cpp - emits writes to the tape --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/TapeWriter.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace verso;

TapeWriter::TapeWriter(Function &F, Value *Context, Instruction *Setup)
    : F(F), Context(Context) {
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  Cursor = Entry.CreateAlloca(Entry.getPtrTy(), nullptr, "verso.cursor");
  Next = Entry.CreateAlloca(Entry.getInt32Ty(), nullptr, "verso.next");
  IRBuilder<> B(Setup);
  Base = loadField(B, Context, field::Base);
  Base->setName("verso.base");
  Delta = loadField(B, Context, field::Delta);
  Delta->setName("verso.delta");
  Adj = loadField(B, Context, field::Adj);
  Adj->setName("verso.adj");
  Direct = loadField(B, Context, field::Direct);
  Direct->setName("verso.direct");
  reload(B);
}

Value *TapeWriter::next(IRBuilderBase &B) const {
  return inert(B.CreateLoad(B.getInt32Ty(), Next));
}

void TapeWriter::startSegment(Instruction *Before) {
  Segments.push_back({Before, 0});
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
///   store i32 n << 2, c + 12 n
///   cursor = c + 12 n + 4;  next = i + 1
Value *TapeWriter::recordReserved(IRBuilderBase &B, ArrayRef<Contribution> Cs) {
  uint64_t N = Cs.size(), Bytes = recordBytes(N);
  assert(N && N <= VERSO_RECORD_MAX_CONTRIBUTIONS && "record of a wrong size");
  LoadInst *C = inert(B.CreateLoad(B.getPtrTy(), Cursor));
  auto At = [&](uint64_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), C, Offset);
  };
  // A partial is a real number: an outer request differentiates it.
  for (auto [K, Term] : enumerate(Cs))
    B.CreateAlignedStore(Term.Partial, At(8 * K), Align(4));
  for (auto [K, Term] : enumerate(Cs))
    inert(B.CreateAlignedStore(Term.Id, At(8 * N + 4 * K), Align(4)));
  inert(B.CreateAlignedStore(
      B.getInt32(uint32_t(N) << 2 | VERSO_RECORD_CONTRIBUTIONS), At(12 * N),
      Align(4)));
  inert(B.CreateStore(At(Bytes), Cursor));
  Value *Id = next(B);
  inert(B.CreateStore(B.CreateAdd(Id, B.getInt32(1)), Next));
  return Id;
}

Value *TapeWriter::mark(IRBuilderBase &B, verso_record_kind Kind) {
  Value *C = inert(B.CreateLoad(B.getPtrTy(), Cursor));
  inert(B.CreateAlignedStore(B.getInt32(Kind), C, Align(4)));
  inert(
      B.CreateStore(B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), C, 4), Cursor));
  Value *Id = next(B);
  inert(B.CreateStore(B.CreateAdd(Id, B.getInt32(1)), Next));
  return Id;
}

void TapeWriter::log(IRBuilderBase &B, Value *Primal, Value *Shadow,
                     Value *Leaf, verso_cell_kind Kind, uint64_t Bytes) {
  Value *Entry = loadField(B, Context, field::Log);
  auto Put = [&](size_t At, Value *V) {
    inert(B.CreateStore(
        V, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Entry, At)));
  };
  Put(offsetof(verso_cell, primal), Primal);
  // To an outer request this is a pointer like any other.
  B.CreateStore(Shadow,
                B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Entry,
                                             offsetof(verso_cell, adjoint)));
  Put(offsetof(verso_cell, leaf), Leaf);
  Put(offsetof(verso_cell, kind), B.getInt32(Kind));
  Put(offsetof(verso_cell, bytes), B.getInt64(Bytes));
  storeField(
      B, Context, field::Log,
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Entry, sizeof(verso_cell)));
}

void TapeWriter::spill(IRBuilderBase &B) const {
  storeField(B, Context, field::Cursor,
             inert(B.CreateLoad(B.getPtrTy(), Cursor)));
  storeField(B, Context, field::Next, next(B));
}

void TapeWriter::reload(IRBuilderBase &B) const {
  inert(B.CreateStore(loadField(B, Context, field::Cursor), Cursor));
  inert(B.CreateStore(loadField(B, Context, field::Next), Next));
}

void TapeWriter::finish() {
  MDNode *Unlikely = MDBuilder(F.getContext()).createUnlikelyBranchWeights();
  for (const Segment &S : Segments) {
    if (!S.Bytes)
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
  DominatorTree DT(F);
  PromoteMemToReg({Cursor, Next}, DT);
}
