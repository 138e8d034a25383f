//===- StagedRecords.cpp - calls with a given VJP on the tape -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/StagedRecords.h"
#include "emit/Runtime.h"
#include "rules/Staged.h"
#include "taped/KernelDescription.h"

#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

/// The two blocks are its first arguments, the third their bytes.
enum { To, From, Bytes };
/// How many bytes are kept beside numbers, and where: before the last one.
static unsigned keptBytesOf(const Function &F) { return F.arg_size() - 3; }
static unsigned keptOf(const Function &F) { return F.arg_size() - 2; }

/// void f.staged.reverse(slots); null if the program gives no VJP.
static Function *emitReverse(const CallBase &Call) {
  Function &F = *Call.getCalledFunction();
  Module &M = *F.getParent();
  LLVMContext &C = M.getContext();
  Function *New = Function::Create(
      FunctionType::get(Type::getVoidTy(C), {PointerType::getUnqual(C)}, false),
      GlobalValue::InternalLinkage, F.getName() + ".reverse", M);
  IRBuilder<> B(BasicBlock::Create(C, "", New));
  const unsigned Count = F.arg_size();
  auto Load = [&](unsigned K, Type *T) {
    return B.CreateLoad(
        T, B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), New->getArg(0), K));
  };
  SmallVector<Value *, 16> Arguments;
  for (const Argument &A : F.args())
    Arguments.push_back(Load(A.getArgNo(), A.getType()));
  const bool IsDirect = isDirect(F);
  if (IsDirect) // The record's copy of what was found.
    Arguments.back() = Arguments[To];
  StagedDerivatives Bars{Load(Count + To, B.getPtrTy()),
                         Load(Count + From, B.getPtrTy())};
  if (!emitVjpOfStaged(B, F, Arguments, Bars)) {
    New->eraseFromParent();
    return nullptr;
  }
  if (!IsDirect)
    B.CreateCall(getSupportFunction(M, numbersOfStaged(Call)->isFloatTy()
                                           ? "__verso_transpose_copy_float"
                                           : "__verso_transpose_copy_double"),
                 {Bars.OfTo, Bars.OfFrom, Arguments[Bytes]});
  B.CreateRetVoid();
  return New;
}

static Constant *descriptionOf(const CallBase &Call) {
  Function &F = *Call.getCalledFunction();
  if (auto *Known = F.getParent()->getGlobalVariable(
          (F.getName() + ".description").str(), /*AllowInternal=*/true))
    return Known;
  Function *Reverse = emitReverse(Call);
  if (!Reverse)
    return nullptr;
  const bool OfFloats = numbersOfStaged(Call)->isFloatTy();
  const uint32_t Kind = OfFloats ? VERSO_CELL_FLOAT : VERSO_CELL_DOUBLE;
  const uint32_t Size = OfFloats ? 4 : 8;
  SmallVector<uint32_t, 32> Parameters;
  for (unsigned K = 0; K != F.arg_size(); ++K)
    Parameters.push_back(VERSO_KERNEL_PARAMETER(
        K < Bytes || K == keptOf(F) ? VERSO_KERNEL_CELLS : VERSO_KERNEL_WORD,
        K));
  return emitKernelDescription(F, *Reverse, Parameters,
                               {From, Kind, Size, /*IsStore=*/0, //
                                To, Kind, Size, /*IsStore=*/1,   //
                                keptOf(F), VERSO_CELL_RAW, 1, /*IsStore=*/0});
}

Value *verso::emitStagedRecord(IRBuilderBase &B, CallBase &Call,
                               Value *Context) {
  Constant *Description = descriptionOf(Call);
  if (!Description)
    return nullptr;
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  IRBuilder<> AtEntry(&Entry, Entry.begin());
  constexpr unsigned RowWords = sizeof(verso_kernel_row) / sizeof(uint64_t);
  auto Room = [&](unsigned Words) {
    return AtEntry.CreateAlloca(ArrayType::get(B.getInt64Ty(), Words));
  };
  auto Put = [&](Value *Array, unsigned At, Value *V) {
    inert(B.CreateStore(
        V, B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Array, At)));
  };
  const unsigned Count = Call.arg_size();
  Value *Arguments = Room(Count), *Companions = Room(Count),
        *Rows = Room(3 * RowWords);
  for (const auto &[K, A] : enumerate(Call.args())) {
    Value *Word = A;
    if (Word->getType()->isIntegerTy())
      Word = B.CreateZExt(Word, B.getInt64Ty());
    Put(Arguments, K, Word);
    Put(Companions, K, B.getInt64(0));
  }
  // All cells, one after the other.
  const uint64_t Size = numbersOfStaged(Call)->isFloatTy() ? 4 : 8;
  unsigned At = 0;
  auto PutRow = [&](unsigned Block, uint64_t Step, Value *Cells) {
    Put(Rows, At++, Call.getArgOperand(Block));
    for (unsigned D = 0; D != VERSO_KERNEL_DIMENSIONS; ++D) {
      Put(Rows, At++, B.getInt64(D ? 0 : Step));
      Put(Rows, At++, D ? B.getInt64(1) : Cells);
    }
  };
  const Function &F = *Call.getCalledFunction();
  Value *Cells = B.CreateUDiv(Call.getArgOperand(Bytes), B.getInt64(Size));
  PutRow(From, Size, Cells);
  PutRow(To, Size, Cells);
  PutRow(keptOf(F), 1, Call.getArgOperand(keptBytesOf(F)));
  // Where an outer request records this, it would have to look into the record.
  Value *IsPlain =
      B.CreateIsNull(B.CreateCall(Call.getModule()->getOrInsertFunction(
          "verso_is_differentiated", B.getInt32Ty())));
  Value *IsRecorded =
      callRuntime(B, RuntimeFunction::BeginKernel,
                  {Context, Description, Arguments, Companions, Rows,
                   B.getInt64(1), B.getInt64(VERSO_KERNEL_MUST)});
  return B.CreateAnd(IsPlain, B.CreateIsNotNull(IsRecorded));
}
