//===- Kernels.cpp - loops that the tape takes as a whole -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/Kernels.h"
#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "analysis/Activity.h"
#include "analysis/LoopFootprint.h"
#include "emit/Runtime.h"
#include "prepare/CustomDerivatives.h"
#include "structured/StructuredRequest.h"
#include "taped/KernelDescription.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

/// Of operations, where the runtime asks for as many (runtime/Kernels.cpp).
static constexpr double LeastWorkOfCell = VERSO_KERNEL_LEAST_WORK_OF_CELL;

static constexpr StringLiteral TriedMark = "verso.tried.as.kernel",
                               ReverseMark = "verso-reverse-of-kernel";

bool verso::isReverseOfKernel(const Function &F) {
  return F.hasFnAttribute(ReverseMark);
}

//===----------------------------------------------------------------------===//
// What a kernel comes to
//===----------------------------------------------------------------------===//

namespace {

/// An access, with the parameter that it is made through.
struct KernelAccess {
  unsigned Parameter;
  unsigned Kind; ///< verso_cell_kind
  unsigned Bytes;
  unsigned IsStore; ///< Or VERSO_KERNEL_CLEARS.
};

/// What a function that is one nest comes to; it may be a copy of it.
struct KernelBody {
  std::optional<LoopFootprint> Nest;
  SmallVector<StoreInst *, 4> Results; ///< Through parameters, at the end.
  SmallVector<KernelAccess, 8> Accesses;
};

} // namespace

static std::optional<unsigned> parameterOf(const Value *Base) {
  auto *A = dyn_cast<Argument>(Base);
  return A ? std::optional<unsigned>(A->getArgNo()) : std::nullopt;
}

static unsigned kindOf(const Type *T) {
  return T->isDoubleTy()  ? VERSO_CELL_DOUBLE
         : T->isFloatTy() ? VERSO_CELL_FLOAT
                          : VERSO_CELL_RAW;
}

/// The accesses of \p F, a kernel; no nest if they are not known.
static KernelBody bodyOf(Function &F, FunctionAnalysisManager &FAM) {
  KernelBody Body;
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  if (LI.getTopLevelLoops().size() != 1)
    return Body;
  Loop &L = *LI.getTopLevelLoops().front();
  std::optional<LoopFootprint> Nest = footprintOf(
      L, VERSO_KERNEL_DIMENSIONS, FAM.getResult<ScalarEvolutionAnalysis>(F),
      FAM.getResult<DominatorTreeAnalysis>(F),
      FAM.getResult<PostDominatorTreeAnalysis>(F),
      &FAM.getResult<TargetLibraryAnalysis>(F));
  if (!Nest)
    return Body;
  const DataLayout &DL = F.getDataLayout();
  auto Add = [&](const Value *Base, Type *T, unsigned IsStore) {
    std::optional<unsigned> P = parameterOf(Base);
    if (P)
      Body.Accesses.push_back({*P, kindOf(T),
                               unsigned(DL.getTypeStoreSize(T).getFixedValue()),
                               IsStore});
    return P.has_value();
  };
  for (const LoopFootprint::Access &A : Nest->Accesses)
    if (!Add(A.Base, A.T,
             isa<MemSetInst>(A.I) ? VERSO_KERNEL_CLEARS : A.IsStore))
      return Body;
  for (Instruction &I : instructions(F)) {
    if (L.contains(&I))
      continue;
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      Type *T = Store->getValueOperand()->getType();
      // What else comes out, a pointer or the bits of a number, has a
      // companion.
      if (kindOf(T) == VERSO_CELL_RAW ||
          !Add(Store->getPointerOperand(), T, /*IsStore=*/1))
        return Body;
      Body.Results.push_back(Store);
    } else if (I.mayReadOrWriteMemory() && !I.isDebugOrPseudoInst()) {
      return Body;
    }
  }
  if (Body.Accesses.size() <= VERSO_KERNEL_MOST_ACCESSES)
    Body.Nest = std::move(Nest);
  return Body;
}

/// i64 f.footprint(x..., rows); null if a copy of \p F does not show what F
/// did.
static Function *emitFootprint(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<Type *, 8> Types(F.getFunctionType()->params());
  LLVMContext &C = F.getContext();
  Types.push_back(PointerType::getUnqual(C));
  Function *New = Function::Create(
      FunctionType::get(Type::getInt64Ty(C), Types, false),
      GlobalValue::InternalLinkage, F.getName() + ".footprint", F.getParent());
  ValueToValueMapTy Map;
  for (Argument &A : F.args())
    Map[&A] = New->getArg(A.getArgNo());
  SmallVector<ReturnInst *, 2> Returns;
  // As a function without results for the moment.
  for (BasicBlock &Block : F) {
    BasicBlock *Copy = CloneBasicBlock(&Block, Map, "", New);
    Map[&Block] = Copy;
    if (auto *Return = dyn_cast<ReturnInst>(Copy->getTerminator())) {
      ReturnInst::Create(C, ConstantInt::get(Type::getInt64Ty(C), 0), Copy);
      Return->eraseFromParent();
    }
  }
  for (Instruction &I : instructions(*New))
    RemapInstruction(&I, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  stripDebugInfo(*New);
  // That its loops end, say.
  New->setAttributes(
      AttributeList::get(C, AttributeList::FunctionIndex,
                         AttrBuilder(C, F.getAttributes().getFnAttrs())));
  markGenerated(*New);
  KernelBody Body = bodyOf(*New, FAM);
  if (!Body.Nest) {
    FAM.clear(*New, New->getName());
    New->eraseFromParent();
    return nullptr;
  }
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*New);
  Loop &Nest = *FAM.getResult<LoopAnalysis>(*New).getTopLevelLoops().front();
  Instruction *At = Nest.getLoopPreheader()->getTerminator();
  Value *Work;
  {
    SCEVExpander Expander = compat::scevExpander(SE, "footprint");
    IRBuilder<> B(At);
    Value *Rows = New->getArg(New->arg_size() - 1);
    uint64_t Field = 0;
    auto Write = [&](Value *V) {
      B.SetInsertPoint(At);
      if (V->getType()->isPointerTy())
        V = B.CreatePtrToInt(V, B.getInt64Ty());
      B.CreateStore(
          V, B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Rows, Field++));
    };
    auto Expand = [&](const SCEV *S) {
      return Expander.expandCodeFor(S, S->getType(), At->getIterator());
    };
    auto WriteRow = [&](Value *First, ArrayRef<LoopFootprint::Dimension> Dims,
                        Value *IsMade) {
      Write(First);
      for (unsigned K = 0; K != VERSO_KERNEL_DIMENSIONS; ++K) {
        Value *Step = B.getInt64(0), *Count = B.getInt64(1);
        if (K < Dims.size()) {
          Step = Expand(Dims[K].Step);
          Count = Expand(Dims[K].Count);
        }
        Write(Step);
        B.SetInsertPoint(At);
        Write(K || !IsMade ? Count
                           : B.CreateSelect(IsMade, Count, B.getInt64(0)));
      }
    };
    for (const LoopFootprint::Access &A : Body.Nest->Accesses) {
      Value *IsMade = nullptr;
      for (auto [Condition, Wanted] : A.If) {
        Value *Holds = Expand(SE.getSCEV(Condition));
        B.SetInsertPoint(At);
        // Where an outer one does not hold, it may be anything.
        Holds = B.CreateFreeze(Holds);
        if (!Wanted)
          Holds = B.CreateNot(Holds);
        IsMade = IsMade ? B.CreateAnd(IsMade, Holds) : Holds;
      }
      WriteRow(Expand(A.First), A.Dimensions, IsMade);
    }
    for (StoreInst *Store : Body.Results)
      WriteRow(Store->getPointerOperand(), {}, nullptr);
    Work = Expand(Body.Nest->Work);
    for (auto [Bytes, Size] : Body.Nest->Multiples) {
      Value *Rest = Expand(Bytes);
      B.SetInsertPoint(At);
      Rest = B.CreateURem(Rest, B.getInt64(Size));
      Work = B.CreateSelect(B.CreateIsNull(Rest), Work, B.getInt64(0));
    }
    Expander.clear();
  }
  ReturnInst::Create(C, Work, At->getIterator());
  FAM.clear(*New, New->getName());
  New->removeFnAttr(Attribute::Memory); // It writes the rows.
  for (BasicBlock *Next : successors(At->getParent()))
    Next->removePredecessor(At->getParent());
  At->eraseFromParent();
  removeUnreachableBlocks(*New);
  return New;
}

//===----------------------------------------------------------------------===//
// Its reverse
//===----------------------------------------------------------------------===//

/// Which pointers \p F compares: of each parameter the first of its class.
/// Nothing if there are others, or addresses are taken for integers.
static std::optional<SmallVector<unsigned, 8>> comparedIn(Function &F,
                                                          ScalarEvolution &SE) {
  IntEqClasses Classes(F.arg_size());
  for (Instruction &I : instructions(F)) {
    if (isa<PtrToIntInst>(I))
      return std::nullopt;
    auto *Compare = dyn_cast<ICmpInst>(&I);
    if (!Compare || !Compare->getOperand(0)->getType()->isPointerTy())
      continue;
    SmallVector<unsigned, 2> Both;
    for (Value *P : Compare->operands()) {
      auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(SE.getSCEV(P)));
      auto *A = Base ? dyn_cast<Argument>(Base->getValue()) : nullptr;
      if (!A)
        return std::nullopt;
      Both.push_back(A->getArgNo());
    }
    Classes.join(Both[0], Both[1]);
  }
  SmallVector<unsigned, 8> First;
  for (unsigned K = 0; K != F.arg_size(); ++K)
    First.push_back(Classes.findLeader(K));
  return First;
}

/// What each parameter is, verso_kernel_parameter; nothing if one of them is
/// none of these, or two things.
static std::optional<SmallVector<uint32_t, 8>>
parametersOf(Function &F, ArrayRef<KernelAccess> Accesses) {
  SmallVector<uint32_t, 8> Result;
  for (const Argument &A : F.args()) {
    Type *T = A.getType();
    Result.push_back(T->isDoubleTy()  ? VERSO_KERNEL_DOUBLE
                     : T->isFloatTy() ? VERSO_KERNEL_FLOAT
                                      : VERSO_KERNEL_WORD);
    bool IsWord =
        T->isPointerTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64);
    if (Result.back() == VERSO_KERNEL_WORD && !IsWord)
      return std::nullopt;
  }
  SmallVector<int, 8> Kinds(Result.size(), -1);
  for (const KernelAccess &A : Accesses) {
    Result[A.Parameter] = VERSO_KERNEL_CELLS;
    int &Kind = Kinds[A.Parameter];
    if (Kind >= 0 && unsigned(Kind) != A.Kind)
      return std::nullopt;
    Kind = A.Kind;
  }
  if (Result.size() > VERSO_KERNEL_MOST_PARAMETERS)
    return std::nullopt;
  return Result;
}

/// void f.reverse(slots), by structured code; null if that refuses it.
static Function *emitReverse(Function &F, ArrayRef<uint32_t> Parameters,
                             ArrayRef<KernelAccess> Accesses,
                             FunctionAnalysisManager &FAM,
                             SmallVectorImpl<Function *> &Generated) {
  LLVMContext &C = F.getContext();
  Module &M = *F.getParent();
  Type *Ptr = PointerType::getUnqual(C);
  Function *New = Function::Create(
      FunctionType::get(Type::getVoidTy(C), {Ptr}, false),
      GlobalValue::InternalLinkage, F.getName() + ".reverse", M);
  New->addFnAttr(ReverseMark);
  New->addFnAttr(Attribute::NoUnwind);
  compileLike(*New, F);
  markGenerated(*New);
  IRBuilder<> B(BasicBlock::Create(C, "", New));
  Value *Slots = New->getArg(0);
  const unsigned Count = Parameters.size();
  auto Slot = [&](unsigned K) {
    return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Slots, K);
  };
  BitVector OfNumbers(Count);
  for (const KernelAccess &A : Accesses)
    if (A.Kind != VERSO_CELL_RAW)
      OfNumbers.set(A.Parameter);
  Request R = {};
  R.Kind = RequestKind::Vjp;
  R.Primal = &F;
  R.IsOfKernel = true;
  SmallVector<Type *, 4> Results;
  SmallVector<unsigned, 4> ResultSlots;
  for (unsigned K = 0; K != Count; ++K) {
    Type *T = F.getArg(K)->getType();
    RequestArgument A;
    if (T->isIntegerTy())
      A.Primal = B.CreateTrunc(B.CreateLoad(B.getInt64Ty(), Slot(K)), T);
    else
      A.Primal = B.CreateLoad(T, Slot(K));
    if (Parameters[K] == VERSO_KERNEL_CELLS && OfNumbers[K]) {
      A.Activity = ArgumentActivity::Dup;
      A.Shadow = B.CreateLoad(Ptr, Slot(Count + K));
    } else if (T->isFloatingPointTy()) {
      A.Activity = ArgumentActivity::Out;
      Results.push_back(T);
      ResultSlots.push_back(Count + K);
    }
    R.Arguments.push_back(std::move(A));
  }
  R.ResultType = Results.empty()       ? Type::getVoidTy(C)
                 : Results.size() == 1 ? Results[0]
                                       : StructType::get(C, Results);
  Function *Mark = Function::Create(FunctionType::get(R.ResultType, false),
                                    GlobalValue::ExternalLinkage,
                                    "verso.reverse.of.kernel", M);
  CallInst *Call = B.CreateCall(Mark);
  R.Call = Call;
  for (auto [I, K] : enumerate(ResultSlots)) {
    Value *X = Results.size() == 1 ? Call : B.CreateExtractValue(Call, I);
    B.CreateStore(B.CreateFPExt(X, B.getDoubleTy()), Slot(K));
  }
  B.CreateRetVoid();
  Refusals Refused(/*HasChoice=*/true);
  SmallVector<Function *, 4> Others;
  Lowered L = lowerStructured(R, FAM, Options(), Refused, Others);
  if (!L.Called) {
    FAM.clear(*New, New->getName());
    New->eraseFromParent();
    if (Mark->use_empty())
      Mark->eraseFromParent();
    return nullptr;
  }
  assert(!L.Otherwise && "nothing is assumed of a kernel");
  Others.push_back(L.Called);
  for (Function *Other : Others)
    openPartials(*Other);
  append_range(Generated, Others);
  Generated.push_back(New);
  return New;
}

//===----------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------===//

static GlobalVariable *emitDescription(Function &F, Function &Reverse,
                                       ArrayRef<uint32_t> Parameters,
                                       ArrayRef<KernelAccess> Accesses) {
  SmallVector<uint32_t, 32> Words;
  for (const KernelAccess &A : Accesses)
    Words.append({A.Parameter, A.Kind, A.Bytes, A.IsStore});
  return emitKernelDescription(F, Reverse, Parameters, Words);
}

/// Whether \p F, a nest, is one of which all is known.
bool Kernels::describe(Function &F) {
  KernelBody Body = bodyOf(F, FAM);
  if (!Body.Nest)
    return false;
  auto Parameters = parametersOf(F, Body.Accesses);
  if (!Parameters)
    return false;
  auto First = comparedIn(F, FAM.getResult<ScalarEvolutionAnalysis>(F));
  if (!First)
    return false;
  Function *Footprint = emitFootprint(F, FAM);
  if (!Footprint)
    return false;
  Function *Reverse =
      emitReverse(F, *Parameters, Body.Accesses, FAM, Generated);
  if (!Reverse) {
    Footprint->eraseFromParent();
    return false;
  }
  for (unsigned K = 0; K != First->size(); ++K)
    (*Parameters)[K] = VERSO_KERNEL_PARAMETER((*Parameters)[K], (*First)[K]);
  Generated.push_back(Footprint);
  Known[&F] = {Footprint,
               emitDescription(F, *Reverse, *Parameters, Body.Accesses),
               unsigned(Body.Accesses.size())};
  return true;
}

/// Whether it comes to memory that the user says is constant. Where a function
/// is given its address, nobody knows that.
static bool isMarkedConstant(const LoopFootprint::Access &A) {
  const Value *Object = getUnderlyingObject(A.Base);
  auto *G = dyn_cast<GlobalVariable>(Object);
  return isConstantObject(*Object) && !(G && G->isConstant());
}

/// Whether \p L does something with numbers that is worth a record.
static bool isOfInterest(const LoopFootprint &Nest, unsigned LeastWork) {
  if (none_of(Nest.Accesses, [](const LoopFootprint::Access &A) {
        return A.T->isFloatingPointTy();
      }))
    return false;
  if (any_of(Nest.Accesses, isMarkedConstant))
    return false;
  if (!LeastWork) // All that can be kernels are wanted.
    return true;
  auto *Known = dyn_cast<SCEVConstant>(Nest.Work);
  return Nest.WorkOfCell >= LeastWorkOfCell &&
         (!Known || Known->getAPInt().uge(LeastWork));
}

/// A call in a function with debug information has a location.
static void locate(CallInst &Call, DebugLoc Where) {
  if (DISubprogram *Program = Call.getFunction()->getSubprogram())
    Call.setDebugLoc(
        Where ? Where
              : DebugLoc(DILocation::get(Call.getContext(), 0, 0, Program)));
}

/// Arithmetic on integers and addresses, for nothing.
static bool isCheap(const Instruction &I) {
  return (isa<GetElementPtrInst>(I) ||
          (isa<BinaryOperator, CastInst, ICmpInst>(I) &&
           !I.getType()->isFPOrFPVectorTy() &&
           none_of(I.operands(),
                   [](const Use &U) {
                     return U->getType()->isFPOrFPVectorTy();
                   }))) &&
         isSafeToSpeculativelyExecute(&I);
}

/// \p V, computed anew before \p At if that costs nothing: a kernel should know
/// how its arguments are related.
static Value *computedAnew(Value *V, Instruction &At, const DominatorTree &DT,
                           DenseMap<Value *, Value *> &Known, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !isCheap(*I) || Depth > 6)
    return V;
  if (Value *Copy = Known.lookup(V))
    return Copy;
  Instruction *Copy = I->clone();
  for (Use &U : Copy->operands())
    U.set(computedAnew(U.get(), At, DT, Known, Depth + 1));
  Copy->insertBefore(At.getIterator());
  return Known[V] = Copy;
}

/// The blocks of \p L, and one before them that has such arithmetic. \p Named:
/// addresses of global variables, as values that the loop is given.
static SmallVector<BasicBlock *, 16>
regionOf(Loop &L, LoopInfo &LI, DominatorTree &DT,
         SmallVectorImpl<Instruction *> &Named) {
  Instruction *Start = L.getLoopPreheader()->getTerminator();
  MapVector<Value *, Instruction *> Addresses;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      for (Use &U : I.operands()) {
        auto *C = dyn_cast<Constant>(U.get());
        if (!C || !C->getType()->isPointerTy() ||
            !isa<GlobalVariable>(getUnderlyingObject(C)))
          continue;
        Instruction *&Address = Addresses[C];
        if (!Address)
          Address = new FreezeInst(C, "", Start->getIterator());
        U.set(Address);
      }
  for (auto &[C, Address] : Addresses)
    Named.push_back(Address);
  BasicBlock *Before = SplitEdge(L.getLoopPreheader(), L.getHeader(), &DT, &LI);
  DenseMap<Value *, Value *> Known;
  SmallVector<BasicBlock *, 16> Region{Before};
  append_range(Region, L.blocks());
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      for (Use &U : I.operands())
        if (auto *Op = dyn_cast<Instruction>(U.get());
            Op && !L.contains(Op) && Op->getParent() != Before)
          U.set(computedAnew(Op, *Before->getTerminator(), DT, Known, 0));
  return Region;
}

/// Tries the outermost loop that has not been tried; false if there is none.
bool Kernels::extractOne(Function &F) {
  FunctionPassManager Form;
  Form.addPass(LoopSimplifyPass());
  Form.addPass(LCSSAPass());
  Form.run(F, FAM);
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  Loop *Found = nullptr;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Instruction *End =
        L->getLoopLatch() ? L->getLoopLatch()->getTerminator() : nullptr;
    if (!End || End->hasMetadata(TriedMark))
      continue;
    std::optional<LoopFootprint> Nest = footprintOf(
        *L, VERSO_KERNEL_DIMENSIONS, FAM.getResult<ScalarEvolutionAnalysis>(F),
        DT, FAM.getResult<PostDominatorTreeAnalysis>(F),
        &FAM.getResult<TargetLibraryAnalysis>(F));
    End->setMetadata(TriedMark, MDNode::get(F.getContext(), {}));
    if (Nest && isOfInterest(*Nest, LeastWork)) {
      Found = L;
      break;
    }
  }
  if (!Found)
    return false;
  DebugLoc Where = Found->getStartLoc();
  SmallVector<Instruction *, 4> Named;
  SmallVector<BasicBlock *, 16> Region = regionOf(*Found, LI, DT, Named);
  auto NameAgain = [&] {
    for (Instruction *Address : Named) {
      Address->replaceAllUsesWith(Address->getOperand(0));
      Address->eraseFromParent();
    }
    FAM.invalidate(F, PreservedAnalyses::none());
  };
  CodeExtractor Extractor(Region, &DT, /*AggregateArgs=*/false, nullptr,
                          nullptr, nullptr, /*AllowVarArgs=*/false,
                          /*AllowAlloca=*/false, nullptr, "kernel");
  CodeExtractorAnalysisCache Cache(F);
  Function *Kernel =
      Extractor.isEligible() ? Extractor.extractCodeRegion(Cache) : nullptr;
  NameAgain();
  if (!Kernel)
    return true;
  Kernel->addFnAttr(Attribute::NoUnwind);
  auto *Call = dyn_cast<CallInst>(Kernel->user_back());
  if (Call)
    locate(*Call, Where);
  if (Call && Kernel->hasOneUse() && Kernel->getReturnType()->isVoidTy() &&
      describe(*Kernel)) {
    Call->setDoesNotThrow();
    Diagnostics(F.getContext())
        .remark(Remark::LoopIsKernel, *Call,
                "one record of the tape for each run of this loop");
    return true;
  }
  InlineFunctionInfo Info;
  if (Call && InlineFunction(*Call, Info).isSuccess()) {
    FAM.clear(*Kernel, Kernel->getName());
    Kernel->eraseFromParent();
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  FunctionPassManager Promote;
  Promote.addPass(SROAPass(SROAOptions::PreserveCFG));
  Promote.run(F, FAM);
  return true;
}

void Kernels::extract(Function &F) {
  constexpr unsigned Most = 64;
  for (unsigned Tried = 0; Tried != Most && extractOne(F); ++Tried)
    ;
  FAM.invalidate(F, PreservedAnalyses::none());
}

//===----------------------------------------------------------------------===//
// Its twin
//===----------------------------------------------------------------------===//

void Kernels::addChoice(Function &Twin, Function &F, const BitVector &Varied) {
  const Kernel &K = Known.find(&F)->second;
  LLVMContext &C = Twin.getContext();
  BasicBlock *Taped = &Twin.getEntryBlock();
  BasicBlock *Entry = BasicBlock::Create(C, "", &Twin, Taped);
  for (Instruction &I : make_early_inc_range(*Taped))
    if (auto *Variable = dyn_cast<AllocaInst>(&I);
        Variable && Variable->isStaticAlloca())
      I.moveBefore(*Entry, Entry->end());
  IRBuilder<> B(Entry);
  const unsigned Count = F.arg_size();
  constexpr unsigned RowWords = sizeof(verso_kernel_row) / sizeof(uint64_t);
  auto Room = [&](unsigned Words) {
    return B.CreateAlloca(ArrayType::get(B.getInt64Ty(), std::max(Words, 1u)));
  };
  Value *Arguments = Room(Count), *Companions = Room(Count),
        *Rows = Room(K.Accesses * RowWords);
  auto Put = [&](Value *Array, unsigned At, Value *V) {
    inert(B.CreateStore(
        V, B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Array, At)));
  };
  SmallVector<Value *, 8> Own;
  Value *HoldsBits = B.getFalse(); // Of a number, in an integer.
  unsigned Companion = Count + 1;
  for (unsigned P = 0; P != Count; ++P) {
    Value *A = Twin.getArg(P + 1), *Beside = B.getInt64(0);
    Own.push_back(A);
    if (Varied[P]) {
      Value *Mine = Twin.getArg(Companion++);
      if (A->getType()->isPointerTy())
        Beside = B.CreateSub(B.CreatePtrToInt(Mine, B.getInt64Ty()),
                             B.CreatePtrToInt(A, B.getInt64Ty()));
      else if (A->getType()->isFloatingPointTy())
        Beside = B.CreateZExt(Mine, B.getInt64Ty());
      else
        HoldsBits = B.CreateOr(HoldsBits, B.CreateIsNotNull(Mine));
    }
    Put(Companions, P, Beside);
    if (A->getType()->isIntegerTy())
      A = B.CreateZExt(A, B.getInt64Ty());
    Put(Arguments, P, A);
  }
  SmallVector<Value *, 8> WithRows(Own);
  WithRows.push_back(Rows);
  CallInst *Footprint = inert(B.CreateCall(K.Footprint, WithRows));
  locate(*Footprint, {});
  Value *Work = B.CreateSelect(HoldsBits, B.getInt64(0), Footprint);
  Value *IsRecorded =
      callRuntime(B, RuntimeFunction::BeginKernel,
                  {Twin.getArg(0), K.Description, Arguments, Companions, Rows,
                   Work, B.getInt64(LeastWork)});
  BasicBlock *AsItIs = BasicBlock::Create(C, "kernel", &Twin, Taped);
  B.CreateCondBr(B.CreateIsNotNull(IsRecorded), AsItIs, Taped);
  B.SetInsertPoint(AsItIs);
  locate(*B.CreateCall(&F, Own), {});
  B.CreateRetVoid();
}
