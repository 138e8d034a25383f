//===- StagedCalls.cpp - calls whose JVP and VJP are given ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks are arrays of numbers,
//
//   [0]             the result
//   [1 .. k]        numbers by value
//   [offset ...]    for each pointer as many as it leads to, aligned
//
// and all places in them are computed from a zero that no analysis knows: each
// number in `to` may depend on each one in `from`.
//
//===----------------------------------------------------------------------===//

#include "prepare/StagedCalls.h"
#include "Diagnostics.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "rules/Detached.h"
#include "rules/Staged.h"

#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;
using namespace verso::staged;

using Role = CustomVjp::Role;

/// Before the arguments that f is given: to, from, bytes.
static constexpr unsigned FirstRest = 3;

//===----------------------------------------------------------------------===//
// The call in stages
//===----------------------------------------------------------------------===//

namespace {

class Stages {
public:
  Stages(Function &Front, Function &Primal, const CustomVjp &Custom,
         SmallVectorImpl<Function *> &Own)
      : F(Front), Primal(Primal), Custom(Custom), Own(Own), C(F.getContext()),
        M(*F.getParent()), Pointer(PointerType::getUnqual(C)),
        Size(M.getDataLayout().getTypeStoreSize(Custom.Number)) {}
  void emit(IRBuilderBase &B);

private:
  /// The blocks, and what f is given beside numbers, in a function of ours.
  struct Inside {
    Value *To, *From, *Kept;
    SmallVector<Value *, 8> Rest, Offsets;
  };
  Role role(const Argument &A) const { return Custom.role(A); }
  bool isRest(const Argument &A) const { return role(A) == Role::None; }
  bool isRestPointer(const Argument &A) const {
    return isRest(A) && A.getType()->isPointerTy();
  }
  bool isWritten(const Argument &A) const {
    return Custom.isPointer(A) && role(A) == Role::Writes;
  }
  /// Where pointer \p K without numbers leads: to what was kept, if it was.
  Value *place(IRBuilderBase &B, const Inside &In, unsigned K,
               Value *Given) const {
    Value *Offset = In.Offsets[K + 1];
    return B.CreateSelect(B.CreateICmpSGE(Offset, B.getInt64(0)),
                          B.CreatePtrAdd(In.Kept, Offset), Given);
  }
  Value *countAt(IRBuilderBase &B, Value *Counts, unsigned K) const {
    return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Counts, K);
  }
  Value *emitCounts(IRBuilderBase &B);
  /// What takes the place of a function without a body has a name of ours.
  std::string name() const {
    return "'" + sourceName(F.getName().starts_with("verso.") ? Primal : F) +
           "'";
  }
  bool returnsNumber() const { return F.getReturnType() == Custom.Number; }
  Function *create(FunctionType *T, const Twine &Name);
  FunctionType *typeOfStage(Type *Result, Type *Third) const;
  Function *emitRun();
  Function *emitStaged();
  Function *emitDerivative(Function *Given, StringRef Suffix, bool IsVjp);
  void emitCheck(IRBuilderBase &B, ArrayRef<Value *> Count);
  void emitFailure(IRBuilderBase &B, StringRef Reason);
  /// \p Behind: how many parameters come after those of a stage.
  Inside open(Function &G, unsigned Behind = 0) const;
  Value *at(IRBuilderBase &B, Value *Block, Value *Index) const {
    return B.CreateGEP(Custom.Number, Block, Index);
  }
  Value *emitOpaqueZero(IRBuilderBase &B);
  CallInst *emitCopy(IRBuilderBase &B, Value *To, Value *From, Value *Count);
  CallInst *emitBlock(IRBuilderBase &B, Value *Bytes);
  CallInst *emitFree(IRBuilderBase &B, Value *Block);
  Value *bytes(IRBuilderBase &B, Value *Count) const {
    return B.CreateNUWMul(Count, B.getInt64(Size));
  }

  Function &F;
  Function &Primal;
  const CustomVjp &Custom;
  SmallVectorImpl<Function *> &Own;
  LLVMContext &C;
  Module &M;
  PointerType *Pointer;
  uint64_t Size;
};

} // namespace

Function *Stages::create(FunctionType *T, const Twine &Name) {
  Function *G = Function::Create(T, GlobalValue::InternalLinkage, Name, M);
  for (StringRef Kind : {"target-cpu", "target-features", "frame-pointer"})
    if (F.hasFnAttribute(Kind))
      G->addFnAttr(F.getFnAttribute(Kind));
  Own.push_back(G);
  return G;
}

Stages::Inside Stages::open(Function &G, unsigned Behind) const {
  const unsigned End = G.arg_size() - Behind;
  Inside In{G.getArg(0), G.getArg(1), G.getArg(End - 2), {}, {}};
  unsigned Next = FirstRest;
  for (const Argument &A : F.args())
    if (isRest(A))
      In.Rest.push_back(G.getArg(Next++));
  while (Next + 3 != End)
    In.Offsets.push_back(G.getArg(Next++));
  return In;
}

/// (block, from, bytes or derivatives, rest..., offsets..., kept bytes, kept,
/// block)
FunctionType *Stages::typeOfStage(Type *Result, Type *Third) const {
  SmallVector<Type *, 16> Types{Pointer, Pointer, Third};
  for (const Argument &A : F.args())
    if (isRest(A))
      Types.push_back(A.getType());
  Types.append(F.arg_size() + 2, Type::getInt64Ty(C));
  Types.append(2, Pointer);
  return FunctionType::get(Result, Types, false);
}

/// f itself, on a block of its own: nothing that it is given is anybody else's,
/// so what it writes is known. It may throw. Behind the parameters of a stage
/// it has a pointer and its count for each that f writes, whose numbers are
/// there as f may leave them, and a count for each without numbers.
Function *Stages::emitRun() {
  Type *Result = F.getReturnType();
  FunctionType *OfStage = typeOfStage(
      Result->isIntegerTy() ? Result : Type::getVoidTy(C), Type::getInt64Ty(C));
  SmallVector<Type *, 24> Types(OfStage->params());
  for (const Argument &A : F.args())
    if (isWritten(A))
      Types.append({Pointer, Type::getInt64Ty(C)});
    else if (isRestPointer(A))
      Types.push_back(Type::getInt64Ty(C));
  Function *G =
      create(FunctionType::get(OfStage->getReturnType(), Types, false),
             F.getName() + ".staged.run");
  if (Primal.doesNotThrow())
    G->setDoesNotThrow();
  G->addFnAttr(Attribute::NoInline);
  G->addFnAttr(RunAttribute);
  G->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
  IRBuilder<> B(BasicBlock::Create(C, "", G));
  Inside In = open(*G, Types.size() - OfStage->getNumParams());
  B.CreateMemCpy(In.To, Align(Size), In.From, Align(Size), G->getArg(2));
  SmallVector<Value *, 12> Arguments;
  SmallVector<std::pair<unsigned, Value *>, 6> Kept; // Argument, bytes.
  auto Rest = In.Rest.begin();
  unsigned Next = OfStage->getNumParams();
  for (const Argument &A : F.args()) {
    Value *Place = at(B, In.To, In.Offsets[A.getArgNo() + 1]);
    if (isRest(A))
      Arguments.push_back(*Rest++);
    else if (A.getType()->isPointerTy())
      Arguments.push_back(Place);
    else
      Arguments.push_back(B.CreateLoad(Custom.Number, Place));
    if (isRestPointer(A)) {
      Kept.push_back({A.getArgNo(), G->getArg(Next++)});
    } else if (isWritten(A)) {
      G->addParamAttr(Next, Attribute::ReadOnly);
      B.CreateMemCpy(Place, Align(Size), G->getArg(Next), Align(Size),
                     bytes(B, G->getArg(Next + 1)));
      Next += 2;
    }
  }
  CallInst *Call = B.CreateCall(&Primal, Arguments);
  Call->setCallingConv(Primal.getCallingConv());
  if (returnsNumber())
    B.CreateStore(Call, at(B, In.To, In.Offsets[0]));
  // What the VJP is to see of the rest: as f leaves it.
  for (auto [K, Bytes] : Kept) {
    Value *IsKept = B.CreateICmpSGE(In.Offsets[K + 1], B.getInt64(0));
    B.CreateMemCpy(place(B, In, K, Arguments[K]), Align(1), Arguments[K],
                   Align(1), B.CreateSelect(IsKept, Bytes, B.getInt64(0)));
  }
  Result->isIntegerTy() ? B.CreateRet(Call) : B.CreateRetVoid();
  return G;
}

/// The staged call: what f has left, in the last block, to the first.
Function *Stages::emitStaged() {
  Function *G = create(typeOfStage(Type::getVoidTy(C), Type::getInt64Ty(C)),
                       F.getName() + ".staged");
  G->addFnAttr(Attribute::NoInline);
  G->addFnAttr(NumbersAttribute,
               Custom.Number->isFloatTy() ? "float" : "double");
  G->addFnAttr(NameAttribute, name());
  G->setDoesNotThrow();
  if (Custom.Communicates) {
    // Nobody may leave it out where nothing comes of the copy.
    G->addFnAttr(CommunicatesAttribute);
    G->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
  } else {
    G->setMemoryEffects(MemoryEffects::argMemOnly());
    G->setWillReturn();
  }
  IRBuilder<> B(BasicBlock::Create(C, "", G));
  B.CreateMemCpy(G->getArg(0), Align(Size), G->getArg(G->arg_size() - 1),
                 Align(Size), G->getArg(2));
  B.CreateRetVoid();
  return G;
}

/// What calls the program's jvp or vjp, where the derivatives of the copy are.
Function *Stages::emitDerivative(Function *Given, StringRef Suffix,
                                 bool IsVjp) {
  if (!Given)
    return nullptr;
  Function *G = create(typeOfStage(Type::getVoidTy(C), Pointer),
                       F.getName() + ".staged" + Suffix);
  IRBuilder<> B(BasicBlock::Create(C, "", G));
  Inside In = open(*G);
  Value *Derivatives = G->getArg(2);
  SmallVector<Value *, 16> Arguments;
  auto Rest = In.Rest.begin();
  for (const Argument &A : F.args()) {
    if (isRest(A)) {
      Value *Given = *Rest++;
      Arguments.push_back(isRestPointer(A) ? place(B, In, A.getArgNo(), Given)
                                           : Given);
      continue;
    }
    Value *Offset = In.Offsets[A.getArgNo() + 1];
    Value *Before = at(B, In.From, Offset), *After = at(B, In.To, Offset);
    Value *Derivative = at(B, Derivatives, Offset);
    if (Custom.isNumber(A)) {
      Arguments.push_back(B.CreateLoad(Custom.Number, Before));
      Arguments.push_back(IsVjp ? Derivative
                                : B.CreateLoad(Custom.Number, Derivative));
      continue;
    }
    if (role(A) != Role::Writes)
      Arguments.push_back(Before);
    if (role(A) != Role::Reads)
      Arguments.push_back(After);
    Arguments.push_back(Derivative);
  }
  Value *OfResult =
      returnsNumber() ? at(B, Derivatives, In.Offsets[0]) : nullptr;
  if (IsVjp && OfResult) {
    Arguments.push_back(B.CreateLoad(Custom.Number, OfResult));
    B.CreateStore(Constant::getNullValue(Custom.Number), OfResult);
  }
  CallInst *Call = B.CreateCall(Given, Arguments);
  Call->setCallingConv(Given->getCallingConv());
  if (!IsVjp && OfResult)
    B.CreateStore(Call, OfResult);
  B.CreateRetVoid();
  return G;
}

void Stages::emitFailure(IRBuilderBase &B, StringRef Reason) {
  callRuntime(
      B, RuntimeFunction::Fail,
      {B.CreateGlobalString(Reason, "verso.reason"), emitLocation(B, name())});
  B.CreateUnreachable();
}

/// f works on copies: what it writes must be nothing else that it is given.
void Stages::emitCheck(IRBuilderBase &B, ArrayRef<Value *> Count) {
  SmallVector<Type *, 16> Types;
  SmallVector<Value *, 16> Arguments;
  SmallVector<Role, 8> Roles;
  for (Argument &A : F.args())
    if (A.getType()->isPointerTy()) {
      Value *Here = Count[A.getArgNo()];
      Types.append({Pointer, B.getInt64Ty()});
      Arguments.append({&A, isRest(A) ? Here : bytes(B, Here)});
      Roles.push_back(role(A));
    }
  if (Roles.empty())
    return;
  Function *G = create(FunctionType::get(Type::getVoidTy(C), Types, false),
                       F.getName() + ".staged.check");
  G->addFnAttr("verso_inactive");
  G->addFnAttr(Attribute::NoInline);
  G->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  G->setDoesNotThrow();
  IRBuilder<> In(BasicBlock::Create(C, "", G));
  auto At = [&](unsigned K) { return G->getArg(2 * K); };
  auto Bytes = [&](unsigned K) { return G->getArg(2 * K + 1); };
  auto FailIf = [&](Value *Condition, StringRef Reason) {
    auto *Failed = BasicBlock::Create(C, "", G);
    auto *Passed = BasicBlock::Create(C, "", G);
    In.CreateCondBr(Condition, Failed, Passed);
    In.SetInsertPoint(Failed);
    emitFailure(In, Reason);
    In.SetInsertPoint(Passed);
  };
  auto IsBefore = [&](unsigned K, unsigned L) { // The other one's end.
    Value *End =
        In.CreateAdd(In.CreatePtrToInt(At(L), In.getInt64Ty()), Bytes(L));
    return In.CreateICmpULT(In.CreatePtrToInt(At(K), In.getInt64Ty()), End);
  };
  Value *Meet = In.getFalse(), *IsUnsaid = In.getFalse();
  for (unsigned K = 0; K != Roles.size(); ++K) {
    if (Roles[K] == Role::None) {
      IsUnsaid = In.CreateOr(IsUnsaid, In.CreateAnd(In.CreateIsNotNull(At(K)),
                                                    In.CreateIsNull(Bytes(K))));
      continue;
    }
    for (unsigned L = 0; L != K; ++L)
      if (Roles[L] != Role::None &&
          (Roles[K] != Role::Reads || Roles[L] != Role::Reads))
        Meet = In.CreateOr(Meet, In.CreateAnd({IsBefore(K, L), IsBefore(L, K),
                                               In.CreateIsNotNull(Bytes(K)),
                                               In.CreateIsNotNull(Bytes(L))}));
  }
  FailIf(Meet, "arguments of a function whose VJP is given overlap, and it "
               "writes one of them; of memory that is read and written give "
               "one pointer, with the letter u");
  FailIf(IsUnsaid,
         "the function that counts for VERSO_CUSTOM_VJP does not say what a "
         "pointer with the letter - leads to; set its count to the bytes that "
         "the VJP may look at, or to VERSO_STAYS if they stay as they are");
  In.CreateRetVoid();
  B.CreateCall(G, Arguments);
}

/// Where a place in a block were known, nothing that is read elsewhere would
/// seem to come there.
Value *Stages::emitOpaqueZero(IRBuilderBase &B) {
  Function *Opaque = M.getFunction("verso.staged.zero");
  if (!Opaque) {
    Opaque =
        Function::Create(FunctionType::get(B.getInt64Ty(), false),
                         GlobalValue::InternalLinkage, "verso.staged.zero", M);
    IRBuilder<>(BasicBlock::Create(C, "", Opaque)).CreateRet(B.getInt64(0));
    Opaque->addFnAttr("verso_inactive");
    Opaque->addFnAttr(Attribute::NoInline);
    Opaque->addFnAttr(Attribute::OptimizeNone);
    Opaque->setDoesNotAccessMemory();
    Opaque->setDoesNotThrow();
    Opaque->setWillReturn();
    Own.push_back(Opaque);
  }
  return B.CreateCall(Opaque);
}

CallInst *Stages::emitCopy(IRBuilderBase &B, Value *To, Value *From,
                           Value *Count) {
  CallInst *Copy =
      B.CreateMemCpy(To, Align(Size), From, Align(Size), bytes(B, Count));
  Copy->addFnAttr(Attribute::get(
      C, NumbersAttribute, Custom.Number->isFloatTy() ? "float" : "double"));
  return Copy;
}

CallInst *Stages::emitBlock(IRBuilderBase &B, Value *Bytes) {
  CallInst *Block = B.CreateCall(
      M.getOrInsertFunction("malloc", Pointer, B.getInt64Ty()), Bytes);
  Block->addRetAttr(Attribute::NoAlias);
  Block->setDoesNotThrow();
  return Block;
}

CallInst *Stages::emitFree(IRBuilderBase &B, Value *Block) {
  CallInst *Free = B.CreateCall(
      M.getOrInsertFunction("free", Type::getVoidTy(C), Pointer), Block);
  Free->setDoesNotThrow();
  return Free;
}

/// The array that the program's function fills.
Value *Stages::emitCounts(IRBuilderBase &B) {
  auto *Row = ArrayType::get(B.getInt64Ty(), F.arg_size());
  Value *Counts = IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin())
                      .CreateAlloca(Row, nullptr, "counts");
  for (unsigned K = 0; K != F.arg_size(); ++K)
    B.CreateStore(B.getInt64(0), countAt(B, Counts, K));
  SmallVector<Value *, 12> Arguments{Counts};
  for (Argument &A : F.args())
    Arguments.push_back(&A);
  CallInst *Counting = B.CreateCall(Custom.Counts, Arguments);
  Counting->setCallingConv(Custom.Counts->getCallingConv());
  Counting->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
  if (Custom.Counts->isDeclaration()) {
    Custom.Counts->addFnAttr(CountsAttribute,
                             Twine(sizeof(uint64_t) * F.arg_size()).str());
    if (!is_contained(Own, Custom.Counts))
      Own.push_back(Custom.Counts);
  }
  return Counts;
}

void Stages::emit(IRBuilderBase &B) {
  Function *Run = emitRun(), *Staged = emitStaged();
  emitDerivative(Custom.Vjp, VjpSuffix, /*IsVjp=*/true);
  emitDerivative(Custom.Jvp, JvpSuffix, /*IsVjp=*/false);
  Value *Counts = emitCounts(B);
  // The places.
  const uint64_t Aligned = 16 / Size;
  Value *Next = B.CreateAdd(emitOpaqueZero(B), B.getInt64(0));
  SmallVector<Value *, 12> Offsets{Next}, Count;
  Next = B.CreateNUWAdd(Next, B.getInt64(1));
  for (const Argument &A : F.args())
    if (Custom.isNumber(A)) {
      Offsets.push_back(Next);
      Next = B.CreateNUWAdd(Next, B.getInt64(1));
    } else {
      Offsets.push_back(nullptr);
    }
  for (const Argument &A : F.args()) {
    unsigned K = A.getArgNo();
    Count.push_back(nullptr);
    if (Custom.isPointer(A)) {
      Next = B.CreateAnd(B.CreateNUWAdd(Next, B.getInt64(Aligned - 1)),
                         B.getInt64(-Aligned));
      Offsets[K + 1] = Next;
      Count[K] = B.CreateLoad(B.getInt64Ty(), countAt(B, Counts, K));
      Next = B.CreateNUWAdd(Next, Count[K]);
    }
  }
  // Of the rest bytes are kept, if the program says how many.
  Value *KeptBytes = B.getInt64(0);
  for (const Argument &A : F.args()) {
    Value *&Offset = Offsets[A.getArgNo() + 1];
    if (Offset)
      continue;
    Offset = B.getInt64(-1);
    if (!isRestPointer(A))
      continue;
    Value *Here =
        B.CreateLoad(B.getInt64Ty(), countAt(B, Counts, A.getArgNo()));
    Count[A.getArgNo()] = Here;
    Here = B.CreateSelect(B.CreateICmpEQ(Here, B.getInt64(-1)), B.getInt64(0),
                          Here); // VERSO_STAYS
    Offset = B.CreateSelect(B.CreateIsNotNull(Here), KeptBytes, Offset);
    KeptBytes = B.CreateAnd(
        B.CreateNUWAdd(B.CreateNUWAdd(KeptBytes, Here), B.getInt64(15)),
        B.getInt64(-16));
  }
  const bool Keeps =
      any_of(F.args(), [&](const Argument &A) { return isRestPointer(A); });
  emitCheck(B, Count);
  Value *Bytes = bytes(B, Next);
  // The verso reads all of them but one.
  CallInst *From = emitBlock(B, Bytes), *To = emitBlock(B, Bytes);
  CallInst *Left = emitBlock(B, Bytes);
  Attribute IsOfStaged = Attribute::get(C, BlockAttribute);
  From->addFnAttr(IsOfStaged);
  To->addFnAttr(IsOfStaged);
  Value *Kept = ConstantPointerNull::get(Pointer);
  if (Keeps) { // malloc may give null for nothing.
    CallInst *Block = emitBlock(B, B.CreateNUWAdd(KeptBytes, B.getInt64(16)));
    Block->addFnAttr(IsOfStaged);
    Kept = Block;
  }
  auto *Failed = BasicBlock::Create(C, "", &F);
  auto *Stage = BasicBlock::Create(C, "", &F);
  B.CreateCondBr(B.CreateOr({B.CreateIsNull(From), B.CreateIsNull(To),
                             B.CreateIsNull(Left),
                             Keeps ? B.CreateIsNull(Kept) : B.getFalse()}),
                 Failed, Stage);
  B.SetInsertPoint(Failed);
  emitFailure(B, "no memory for the copies that a function whose VJP is given "
                 "works on");
  B.SetInsertPoint(Stage);
  B.CreateMemSet(From, B.getInt8(0), Bytes, Align(Size));
  for (Argument &A : F.args())
    if (Custom.isNumber(A))
      B.CreateStore(&A, at(B, From, Offsets[A.getArgNo() + 1]));
    else if (Custom.isPointer(A) && role(A) != Role::Writes)
      emitCopy(B, at(B, From, Offsets[A.getArgNo() + 1]), &A,
               Count[A.getArgNo()]);
  SmallVector<Value *, 16> OfStages{Left, From, Bytes};
  for (Argument &A : F.args())
    if (isRest(A))
      OfStages.push_back(A.getType()->isFloatingPointTy() ? emitDetached(B, &A)
                                                          : &A);
  append_range(OfStages, Offsets);
  OfStages.push_back(KeptBytes);
  OfStages.push_back(Kept);
  OfStages.push_back(Left);
  SmallVector<Value *, 24> OfRun(OfStages.begin(), OfStages.end());
  for (Argument &A : F.args())
    if (isWritten(A))
      OfRun.append({&A, Count[A.getArgNo()]});
    else if (isRestPointer(A))
      OfRun.push_back(Count[A.getArgNo()]);
  Value *Result = B.CreateCall(Run, OfRun);
  OfStages[0] = To;
  B.CreateCall(Staged, OfStages);
  for (Argument &A : F.args())
    if (Custom.isPointer(A) && role(A) != Role::Reads)
      emitCopy(B, &A, at(B, To, Offsets[A.getArgNo() + 1]),
               Count[A.getArgNo()]);
  if (returnsNumber())
    Result = B.CreateLoad(Custom.Number, at(B, To, Offsets[0]));
  emitFree(B, Left);
  SmallVector<Value *, 3> Blocks{To, From};
  if (Keeps)
    Blocks.push_back(Kept);
  for (Value *Block : Blocks)
    emitFree(B, Block)->addFnAttr(IsOfStaged);
  F.getReturnType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Result);
}

void verso::emitStagedCall(IRBuilderBase &B, Function &Front, Function &Primal,
                           const CustomVjp &Custom,
                           SmallVectorImpl<Function *> &Own) {
  Stages(Front, Primal, Custom, Own).emit(B);
}

void verso::releaseStaged(SmallVectorImpl<Function *> &Own) {
  for (Function *G : Own) {
    G->removeFnAttr(NumbersAttribute);
    G->removeFnAttr(NameAttribute);
    G->removeFnAttr(RunAttribute);
    G->removeFnAttr(CommunicatesAttribute);
    G->removeFnAttr(CountsAttribute);
    G->removeFnAttr(Attribute::NoInline);
    G->removeFnAttr(Attribute::OptimizeNone);
    G->removeFnAttr("verso_inactive");
  }
  auto EraseUnused = [](Function *G) {
    if (!G->use_empty() || !G->hasLocalLinkage())
      return false;
    G->eraseFromParent();
    return true;
  };
  // Some are called by others.
  for (size_t Left = Own.size() + 1; Left != Own.size();) {
    Left = Own.size();
    erase_if(Own, EraseUnused);
  }
}
