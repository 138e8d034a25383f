//===- UnseenWrites.cpp - what inactive functions write unseen ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/UnseenWrites.h"
#include "LLVMCompat.h"
#include "emit/BuilderAfter.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "prepare/DeclaredParameters.h"
#include "rules/KnownCalls.h"
#include "rules/Operation.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Who writes unseen
//===----------------------------------------------------------------------===//

/// Whether some of what \p F does is out of sight.
static bool doesUnseen(const Function &F,
                       SmallPtrSetImpl<const Function *> &Seen) {
  if (!Seen.insert(&F).second || F.isIntrinsic() || isRuntimeFunction(F) ||
      F.onlyReadsMemory())
    return false;
  if (F.isDeclaration())
    return true;
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isInert(I) || Call->isInlineAsm() || Call->onlyReadsMemory() ||
        Operation::match(const_cast<CallBase &>(*Call), nullptr))
      return false;
    auto *Callee = dyn_cast<Function>(
        Call->getCalledOperand()->stripPointerCastsAndAliases());
    return !Callee || (!classifyCall(*Callee) && doesUnseen(*Callee, Seen));
  });
}

static bool writesUnseen(const Function &F) {
  SmallPtrSet<const Function *, 8> Seen;
  return isMarkedInactive(F) && !writesNoNumbers(F) && doesUnseen(F, Seen);
}

static constexpr StringLiteral Noted = "verso.unseen.writers";

void verso::noteUnseenWriters(Module &M) {
  if (any_of(M, writesUnseen))
    M.getOrInsertNamedMetadata(Noted);
}

void verso::forgetUnseenWriters(Module &M) {
  if (NamedMDNode *Note = M.getNamedMetadata(Noted))
    M.eraseNamedMetadata(Note);
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

namespace {

struct Extent {
  Value *Start;
  Value *Bytes; ///< An i64.
};

} // namespace

static constexpr uint64_t MaxBytes = 16384;

/// The object that argument \p K of \p At points into, if its size is known.
static std::optional<Extent> extentOf(CallBase &At, unsigned K) {
  const DataLayout &DL = At.getDataLayout();
  IRBuilder<> B(&At);
  Value *P = At.getArgOperand(K);
  Value *Object = getUnderlyingObject(P);
  auto Known = [&](uint64_t Bytes) -> std::optional<Extent> {
    if (!Bytes || Bytes > MaxBytes)
      return std::nullopt;
    return Extent{Object, B.getInt64(Bytes)};
  };
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return G->isConstant() || !G->getValueType()->isSized()
               ? std::nullopt
               : Known(DL.getTypeAllocSize(G->getValueType()));
  if (auto *Local = dyn_cast<AllocaInst>(Object)) {
    if (std::optional<TypeSize> Bytes = Local->getAllocationSize(DL))
      return Known(Bytes->getFixedValue());
    return Extent{
        Object,
        B.CreateMul(
            B.CreateZExtOrTrunc(Local->getArraySize(), B.getInt64Ty()),
            B.getInt64(DL.getTypeAllocSize(Local->getAllocatedType())))};
  }
  if (auto *Call = dyn_cast<CallBase>(Object))
    if (Function *F = Call->getCalledFunction())
      if (std::optional<KnownCall> K = classifyCall(*F);
          K &&
          (K->K == KnownCall::Allocate || K->K == KnownCall::AllocateZeroed)) {
        Value *Bytes = bytesOfCall(B, *Call, *K);
        if (auto *C = dyn_cast<ConstantInt>(Bytes))
          return Known(C->getZExtValue());
        return Extent{Object, Bytes};
      }
  // A reference says how much lies there at least.
  Object = P;
  bool MayBeNull = false, MayBeFreed = false;
  uint64_t Bytes = P->getPointerDereferenceableBytes(DL, MayBeNull, MayBeFreed);
  return Known(
      std::max(At.getParamDereferenceableBytes(K), MayBeNull ? 0 : Bytes));
}

static void addNumbers(Type *T, SmallPtrSetImpl<Type *> &Types) {
  if (T->isFPOrFPVectorTy())
    Types.insert(T->getScalarType());
  else if (auto *Array = dyn_cast<ArrayType>(T))
    addNumbers(Array->getElementType(), Types);
  else if (auto *Struct = dyn_cast<StructType>(T))
    for (Type *Each : Struct->elements())
      addNumbers(Each, Types);
}

/// The bytes of the numbers in \p Object, by its type and by how it is accessed
/// here; 8 if they are of several sizes or of none that is known.
static uint64_t numberSize(const Value *Object, const DataLayout &DL) {
  SmallPtrSet<Type *, 4> Types;
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    addNumbers(G->getValueType(), Types);
  if (auto *Local = dyn_cast<AllocaInst>(Object))
    addNumbers(Local->getAllocatedType(), Types);
  SmallPtrSet<const Value *, 16> Seen{Object};
  SmallVector<const Value *, 16> Work{Object};
  while (!Work.empty() && Seen.size() < 256)
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<LoadInst, StoreInst>(U))
        addNumbers(getLoadStoreType(const_cast<User *>(U)), Types);
      else if (isa<GEPOperator, PHINode, SelectInst>(U) &&
               Seen.insert(U).second)
        Work.push_back(U);
    }
  return Types.size() == 1 ? DL.getTypeAllocSize(*Types.begin()) : 8;
}

//===----------------------------------------------------------------------===//
// What the declaration says
//===----------------------------------------------------------------------===//

/// Whether argument \p K of \p F, a C++ function, is declared as a pointer to
/// numbers that are not const: "double*".
static bool isPointerToNumbers(const Function &F, unsigned K) {
  const SmallVector<std::string, 4> Each = declaredParameters(F);
  // Where a struct is passed in pieces, of a template say, or there is an
  // object or a slot for the result, numbers differ.
  if (Each.empty() || Each.size() > F.arg_size() ||
      any_of(Each, [](StringRef T) {
        return T.find_first_of("<(") != StringRef::npos;
      }))
    return false;
  unsigned Hidden = F.arg_size() - Each.size();
  if (Hidden > 1 || K < Hidden)
    return false;
  StringRef T = Each[K - Hidden];
  return T == "double*" || T == "float*" || T == "long double*";
}

/// The same pointer, loaded twice maybe.
static bool areOne(const Value *P, const Value *Q) {
  P = getUnderlyingObject(P), Q = getUnderlyingObject(Q);
  auto *Load = dyn_cast<LoadInst>(P), *Other = dyn_cast<LoadInst>(Q);
  return P == Q ||
         (Load && Other &&
          areOne(Load->getPointerOperand(), Other->getPointerOperand()));
}

/// Whether the program says by itself what of argument \p K is constant.
static bool isDetachedByUser(const CallBase &Call, unsigned K) {
  return any_of(instructions(*Call.getFunction()), [&](const Instruction &I) {
    auto *Detach = dyn_cast<CallBase>(&I);
    const Function *Callee = Detach ? Detach->getCalledFunction() : nullptr;
    return Callee && Callee->getName() == "verso_detach" &&
           areOne(Detach->getArgOperand(0), Call.getArgOperand(K));
  });
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static constexpr StringLiteral Guarded = "verso.guarded";
static constexpr StringLiteral Unguarded = "verso.unguarded";

bool verso::writesWhereNobodyKnows(const CallBase &Call) {
  return Call.hasMetadata(Unguarded);
}

static MDNode *mark(LLVMContext &C) { return MDNode::get(C, {}); }

/// Whatever memory held before is no more: other than verso_detach, of pointers
/// too.
static FunctionCallee forgetBytes(Module &M) {
  LLVMContext &C = M.getContext();
  return M.getOrInsertFunction(
      "__verso_forget_bytes",
      AttributeList::get(C, AttributeList::FunctionIndex,
                         {Attribute::NoUnwind}),
      Type::getVoidTy(C), PointerType::getUnqual(C), Type::getInt64Ty(C));
}

/// Where \p Call returns to, and where its exceptions go.
static void
atEnds(CallBase &Call,
       function_ref<void(BasicBlock &, BasicBlock::iterator)> Finish) {
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (!Invoke)
    return Finish(*Call.getParent(), std::next(Call.getIterator()));
  BasicBlock *Normal = Invoke->getNormalDest();
  if (!Normal->getSinglePredecessor())
    Normal = SplitEdge(Invoke->getParent(), Normal);
  Finish(*Normal, Normal->getFirstInsertionPt());
  BasicBlock *Pad = Invoke->getUnwindDest();
  if (!Pad->getSinglePredecessor()) {
    SmallVector<BasicBlock *, 2> Pads;
    SplitLandingPadPredecessors(Pad, Invoke->getParent(), ".guarded", ".other",
                                Pads);
    Pad = Invoke->getUnwindDest();
  }
  Finish(*Pad, Pad->getFirstInsertionPt());
}

/// copy = __verso_save_bytes(object, bytes)
/// call f(...)
/// __verso_detach_changed(object, copy, bytes, size)
/// __verso_drop_bytes(copy)
static void guard(CallBase &Call, const Extent &E) {
  Module &M = *Call.getModule();
  IRBuilder<> B(&Call);
  Type *Ptr = B.getPtrTy();
  auto NoThrow = AttributeList::get(
      M.getContext(), AttributeList::FunctionIndex, {Attribute::NoUnwind});
  Value *Copy =
      B.CreateCall(M.getOrInsertFunction("__verso_save_bytes", NoThrow, Ptr,
                                         Ptr, B.getInt64Ty()),
                   {E.Start, E.Bytes});
  Function *Compare = getSupportFunction(M, "__verso_detach_changed");
  Value *Size = B.getInt64(numberSize(E.Start, M.getDataLayout()));
  auto Finish = [&](BasicBlock &Block, BasicBlock::iterator At) {
    B.SetInsertPoint(&Block, At);
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    B.CreateCall(Compare, {E.Start, Copy, E.Bytes, Size});
    B.CreateCall(M.getOrInsertFunction("__verso_drop_bytes", NoThrow,
                                       B.getVoidTy(), Ptr),
                 Copy);
  };
  atEnds(Call, Finish);
}

void verso::guardUnseenWrites(Function &F) {
  if (!F.getParent()->getNamedMetadata(Noted))
    return;
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && !isInert(I) && !Call->onlyReadsMemory() &&
        Call->getCalledFunction() && writesUnseen(*Call->getCalledFunction()))
      Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    MapVector<Value *, Extent> Objects;
    bool IsUnknown = false;
    for (auto [K, Argument] : enumerate(Call->args()))
      if (Argument->getType()->isPointerTy() && !Call->onlyReadsMemory(K)) {
        if (std::optional<Extent> E = extentOf(*Call, K))
          Objects.insert({E->Start, *E});
        else if (!isa<ConstantPointerNull>(Argument))
          IsUnknown |= isPointerToNumbers(*Call->getCalledFunction(), K) &&
                       !isDetachedByUser(*Call, K);
      }
    // More may be known after more has been inlined.
    Call->setMetadata(Unguarded, IsUnknown ? mark(F.getContext()) : nullptr);
    if (Objects.empty() || Call->hasMetadata(Guarded))
      continue;
    Call->setMetadata(Guarded, mark(F.getContext()));
    for (auto &[Object, E] : Objects)
      guard(*Call, E);
  }
}

bool verso::isDetached(const CallBase &Call) {
  return Call.hasMetadata(Guarded);
}

/// n = read(file, p, bytes); __verso_forget_bytes(p, n)
void verso::detachLibraryWrites(Function &F) {
  SmallVector<std::pair<CallBase *, KnownCall>, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && !isInert(I) && Call->getCalledFunction() && !isDetached(*Call))
      if (std::optional<KnownCall> K = classifyCall(*Call->getCalledFunction());
          K && K->K == KnownCall::WritesBytes && K->Destination >= 0 &&
          K->Returned < 0)
        Calls.push_back({Call, *K});
  for (auto &[Call, K] : Calls) {
    if (K.Size < 0 && !K.FixedSize)
      continue;
    Call->setMetadata(Guarded, mark(F.getContext()));
    FunctionCallee Forget = forgetBytes(*F.getParent());
    atEnds(*Call, [&, Call = Call, &K = K](BasicBlock &Block,
                                           BasicBlock::iterator At) {
      IRBuilder<> B(&Block, At);
      B.SetCurrentDebugLocation(Call->getDebugLoc());
      Value *To = Call->getArgOperand(K.Destination);
      Value *Bytes = Block.isLandingPad() ? bytesOfCall(B, *Call, K)
                                          : bytesWritten(B, *Call, K);
      B.CreateCall(Forget, {To, B.CreateSelect(B.CreateIsNull(To),
                                               B.getInt64(0), Bytes)});
    });
  }
}

//===----------------------------------------------------------------------===//
// New memory
//===----------------------------------------------------------------------===//

static constexpr StringLiteral Forgets = "verso.forgets";

/// Deletes without a size are not asked for: the program may have an operator
/// delete of its own, for blocks that malloc knows nothing of.
Value *verso::bytesToForget(CallBase &Call, const KnownCall &K) {
  if (!Call.hasMetadata(Forgets))
    return nullptr;
  IRBuilder<> B(&Call);
  Value *Block = Call.getArgOperand(K.Source);
  StringRef Name = Call.getCalledFunction()->getName();
  if (Name == "free" || Name == "cfree")
    return B.CreateCall(Call.getModule()->getOrInsertFunction(
                            "malloc_usable_size", B.getInt64Ty(), B.getPtrTy()),
                        Block);
  if (!Name.starts_with("_ZdlPvm") && !Name.starts_with("_ZdaPvm") &&
      Name != "munmap" && !Name.ends_with("__rust_dealloc"))
    return nullptr;
  return B.CreateSelect(B.CreateIsNull(Block), B.getInt64(0),
                        Call.getArgOperand(1));
}

static void renewLocal(AllocaInst &Local, Function &F, bool ForTape) {
  const DataLayout &DL = F.getDataLayout();
  FunctionCallee Forget = forgetBytes(*F.getParent());
  IRBuilder<> B(F.getContext());
  SmallVector<Instruction *, 4> Starts;
  for (User *U : Local.users())
    if (auto *II = dyn_cast<IntrinsicInst>(U);
        II && II->getIntrinsicID() == Intrinsic::lifetime_start)
      Starts.push_back(II);
  if (Starts.empty() && ForTape) {
    // Behind all that stand at the function's start, if it is one of them.
    auto End = F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    Starts.push_back(Local.isStaticAlloca() && Local.comesBefore(&*End)
                         ? &*std::prev(End)
                         : &Local);
  }
  for (Instruction *Start : Starts) {
    B.SetInsertPoint(Start->getNextNode());
    Value *Bytes =
        B.CreateMul(B.CreateZExtOrTrunc(Local.getArraySize(), B.getInt64Ty()),
                    B.getInt64(DL.getTypeAllocSize(Local.getAllocatedType())));
    B.CreateCall(Forget, {&Local, Bytes});
  }
}

/// Whether \p F gets memory from a std::pmr resource: that may be over one of
/// the program's own, which nobody sees at work, and which may have written
/// there.
static bool asksResource(const Function &F) {
  return F.getName().starts_with("__verso_resource_allocate") ||
         (F.getName().starts_with("_ZNSt3pmr") &&
          F.getName().contains("do_allocate"));
}

/// A monotonic_buffer_resource gets more: new are the bytes of what is behind
/// its second and third member (libstdc++'s ABI), the address and how many.
static void renewBuffer(CallBase &Call) {
  BuilderAfter B(Call);
  Value *Resource = Call.getArgOperand(0);
  auto Member = [&](unsigned K, Type *T) {
    return B.CreateLoad(
        T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Resource, 8 * K));
  };
  B.CreateCall(forgetBytes(*Call.getModule()),
               {Member(1, B.getPtrTy()), Member(2, B.getInt64Ty())});
}

void verso::renewMemory(Function &F, bool ForTape) {
  const bool IsNoted = F.getParent()->getNamedMetadata(Noted);
  SmallVector<AllocaInst *, 8> Locals;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (isInert(I))
      continue;
    if (auto *Local = dyn_cast<AllocaInst>(&I)) {
      if (IsNoted &&
          compat::pointerMayBeCaptured(*Local, /*ReturnCaptures=*/true))
        Locals.push_back(Local);
      continue;
    }
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    std::optional<KnownCall> K =
        Callee ? classifyCall(*Callee) : std::optional<KnownCall>();
    if (!K)
      continue;
    if (Callee->getName() ==
        "_ZNSt3pmr25monotonic_buffer_resource13_M_new_bufferEmm")
      renewBuffer(*Call);
    if (!IsNoted && !asksResource(*Callee))
      continue;
    if (K->K == KnownCall::Free)
      Call->setMetadata(Forgets, mark(F.getContext()));
    if (ForTape && K->K == KnownCall::Allocate && isa<CallInst>(Call)) {
      IRBuilder<> B(Call->getNextNode());
      B.SetCurrentDebugLocation(Call->getDebugLoc());
      if (Value *Bytes = bytesOfBlock(B, *Call, *K))
        B.CreateCall(forgetBytes(*F.getParent()), {Call, Bytes});
    }
  }
  for (AllocaInst *Local : Locals)
    renewLocal(*Local, F, ForTape);
}
