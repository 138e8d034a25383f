//===- OpenMPCalls.cpp - calls of the OpenMP runtime ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/team/OpenMPCalls.h"

#include "emit/Runtime.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

static FunctionCallee declare(IRBuilderBase &B, StringRef Name, Type *Result,
                              ArrayRef<Type *> Types, bool IsVariadic = false) {
  return B.GetInsertBlock()->getModule()->getOrInsertFunction(
      Name, FunctionType::get(Result, Types, IsVariadic));
}

/// What \p Name, a function of the program's side of OpenMP, answers.
static Value *ask(IRBuilderBase &B, StringRef Name) {
  return B.CreateZExt(B.CreateCall(declare(B, Name, B.getInt32Ty(), {})),
                      B.getInt64Ty());
}

/// An ident_t: nowhere.
static GlobalVariable *place(Module &M) {
  constexpr StringLiteral Name = "verso.team.place";
  if (GlobalVariable *Known = M.getGlobalVariable(Name, /*AllowLocal=*/true))
    return Known;
  IRBuilder<> B(M.getContext());
  constexpr StringLiteral Nowhere = ";unknown;unknown;0;0;;";
  constexpr unsigned OfCompiler = 2;
  GlobalVariable *Text =
      B.CreateGlobalString(Nowhere, "verso.team.nowhere", 0, &M);
  auto *T = StructType::get(B.getInt32Ty(), B.getInt32Ty(), B.getInt32Ty(),
                            B.getInt32Ty(), B.getPtrTy());
  auto *Place = new GlobalVariable(
      M, T, /*isConstant=*/true, GlobalValue::PrivateLinkage,
      ConstantStruct::get(T, {B.getInt32(0), B.getInt32(OfCompiler),
                              B.getInt32(0), B.getInt32(Nowhere.size()), Text}),
      Name);
  Place->setAlignment(Align(8));
  return Place;
}

Value *verso::openmp::emitMostThreads(IRBuilderBase &B) {
  return ask(B, "omp_get_max_threads");
}

void verso::openmp::emitBarrier(IRBuilderBase &B) {
  Value *Place = place(*B.GetInsertBlock()->getModule());
  Value *Thread = B.CreateCall(
      declare(B, "__kmpc_global_thread_num", B.getInt32Ty(), {B.getPtrTy()}),
      {Place});
  B.CreateCall(declare(B, "__kmpc_barrier", B.getVoidTy(),
                       {B.getPtrTy(), B.getInt32Ty()}),
               {Place, Thread});
}

/// void entry(global thread, bound thread, used): what a thread of the team
/// starts with. The fields of what is used are the arguments of \p Call, but
/// for what a thread is told, behind the number of threads.
static Function *emitEntry(const CallInst &Call, Function &Body,
                           StructType *Used, const openmp::Told &T) {
  Module &M = *Body.getParent();
  IRBuilder<> B(M.getContext());
  Type *P = B.getPtrTy();
  Function *Entry = Function::Create(
      FunctionType::get(B.getVoidTy(), {P, P, P}, false),
      GlobalValue::InternalLinkage, Body.getName() + ".entry", &M);
  compileLike(*Entry, Body);
  Entry->addFnAttr(Attribute::NoUnwind);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", Entry));
  unsigned Next = 0;
  auto Field = [&] {
    unsigned K = Next++;
    return B.CreateLoad(Used->getElementType(K),
                        B.CreateStructGEP(Used, Entry->getArg(2), K));
  };
  Value *Own = ask(B, "omp_get_thread_num");
  Value *All = B.CreateBinaryIntrinsic(Intrinsic::umin,
                                       ask(B, "omp_get_num_threads"), Field());
  SmallVector<Value *, 16> Arguments;
  for (Value *V : Call.args())
    Arguments.push_back(V == T.Thread ? Own : V == T.Team ? All : Field());
  B.CreateCall(&Body, Arguments);
  B.CreateRetVoid();
  return Entry;
}

void verso::openmp::startTeam(CallInst &Call, Function &Body, const Told &T) {
  Function &F = *Call.getFunction();
  SmallVector<Type *, 16> Types = {T.Threads->getType()};
  SmallVector<Value *, 16> Values = {T.Threads};
  for (Value *V : Call.args())
    if (V != T.Thread && V != T.Team) {
      Types.push_back(V->getType());
      Values.push_back(V);
    }
  auto *Used = StructType::get(F.getContext(), Types);
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *Place = B.CreateAlloca(Used, nullptr, "team.used");
  B.SetInsertPoint(&Call);
  for (auto [K, V] : enumerate(Values))
    B.CreateStore(V, B.CreateStructGEP(Used, Place, K));
  Instruction *Forks, *Alone;
  SplitBlockAndInsertIfThenElse(B.CreateICmpUGT(T.Threads, B.getInt64(1)),
                                Call.getIterator(), &Forks, &Alone);
  B.SetInsertPoint(Forks);
  B.CreateCall(declare(B, "__kmpc_fork_call", B.getVoidTy(),
                       {B.getPtrTy(), B.getInt32Ty(), B.getPtrTy()},
                       /*IsVariadic=*/true),
               {place(*F.getParent()), B.getInt32(1),
                emitEntry(Call, Body, Used, T), Place});
  Call.moveBefore(*Alone->getParent(), Alone->getIterator());
}
