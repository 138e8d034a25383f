//===- PageChecks.cpp - notes pages before tangents are written -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/PageChecks.h"
#include "LLVMCompat.h"
#include "emit/BuilderAfter.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral MarkName = "verso.tangent_write";
static constexpr uint64_t PageBytes = UINT64_C(1) << VERSO_PAGE_SHIFT;
/// A range may have gaps of this size: more pages would be noted than written.
static constexpr uint64_t MaxStep = 512, MaxOuterStep = PageBytes;
/// How far apart writes may be that share a check.
static constexpr int64_t MaxExtent = PageBytes / 2;

namespace {

/// The mark, a call of
///   void verso.tangent_write(context, pointer, shadow, mapped, bytes, stores,
///                            zero, in one page)
class Mark {
public:
  explicit Mark(CallInst *Call) : Call(Call) {}
  Value *context() const { return Call->getArgOperand(0); }
  Value *pointer() const { return Call->getArgOperand(1); }
  Value *shadow() const { return Call->getArgOperand(2); }
  Value *isMapped() const { return Call->getArgOperand(3); }
  uint64_t bytes() const { return number(4); }
  unsigned stores() const { return unsigned(number(5)); }
  bool isZero() const { return number(6); }
  bool isInOnePage() const { return number(7); }

  CallInst *Call;

private:
  uint64_t number(unsigned K) const {
    return cast<ConstantInt>(Call->getArgOperand(K))->getZExtValue();
  }
};

/// What one check before a loop covers.
struct Range {
  const SCEV *Begin;
  const SCEV *Bytes;
};

class PageChecks {
public:
  PageChecks(Function &F, FunctionAnalysisManager &FAM)
      : F(F), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        Expander(compat::scevExpander(SE, "tangents")) {}

  void run(SmallVectorImpl<Mark> &Marks);

private:
  Value *field(Value *Context, ContextField Field);
  bool mayThrow(const Loop &L);
  bool runsAlways(const BasicBlock *Block, const Loop &L) const;
  std::optional<Range> widened(Range R, const Loop &L, uint64_t Step);
  bool moveOutOfLoops(const Mark &M);
  void emitRangeChecks();
  void checkRange(IRBuilderBase &B, const Mark &M, Value *Begin, Value *Bytes);
  void mergeInBlock(BasicBlock &Block, ArrayRef<Mark> Marks);
  void checkHere(const Mark &M);

  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  SCEVExpander Expander;
  DenseMap<const Loop *, bool> Throws;
  DenseMap<std::pair<Value *, size_t>, Value *> Fields;
  /// What is to be checked at the end of a preheader.
  struct Hoisted {
    BasicBlock *Preheader;
    Mark M;
    Range R;
  };
  SmallVector<Hoisted, 8> Checks;
};

} // namespace

void verso::markTangentWrite(IRBuilderBase &B, const TangentWrite &W) {
  Module *M = B.GetInsertBlock()->getModule();
  Type *Ptr = B.getPtrTy(), *I1 = B.getInt1Ty(), *I64 = B.getInt64Ty();
  FunctionCallee Callee = M->getOrInsertFunction(
      MarkName, B.getVoidTy(), Ptr, Ptr, Ptr, I1, I64, B.getInt32Ty(), I1, I1);
  cast<Function>(Callee.getCallee())->setDoesNotThrow();
  B.CreateCall(Callee, {W.Context, W.Pointer, W.Shadow, W.IsMapped,
                        B.getInt64(W.Bytes), B.getInt32(W.Stores),
                        B.getInt1(W.IsZero), B.getInt1(W.InOnePage)});
}

Value *verso::isCleanPage(IRBuilderBase &B, Value *Dirty, Value *Shadow) {
  Value *Page =
      B.CreateLShr(B.CreatePtrToInt(Shadow, B.getInt64Ty()), VERSO_PAGE_SHIFT);
  Value *Byte = inert(
      B.CreateLoad(B.getInt8Ty(), B.CreateGEP(B.getInt8Ty(), Dirty, Page)));
  return B.CreateIsNull(Byte);
}

/// A field of the context, read where the function begins.
Value *PageChecks::field(Value *Context, ContextField Field) {
  Value *&V = Fields[{Context, Field.Offset}];
  if (!V) {
    BasicBlock &Entry = F.getEntryBlock();
    IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    V = loadField(B, Context, Field);
  }
  return V;
}

//===----------------------------------------------------------------------===//
// Before loops
//===----------------------------------------------------------------------===//

/// An exception would end the loop before all of the range is written, which
/// may not even be there then.
bool PageChecks::mayThrow(const Loop &L) {
  auto [It, New] = Throws.try_emplace(&L, false);
  if (New)
    It->second = any_of(L.blocks(), [](const BasicBlock *Block) {
      return any_of(*Block, [](const Instruction &I) { return I.mayThrow(); });
    });
  return It->second;
}

/// In every iteration, the last one included.
bool PageChecks::runsAlways(const BasicBlock *Block, const Loop &L) const {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return DT.dominates(Block, L.getLoopLatch()) &&
         all_of(Exiting, [&](const BasicBlock *Exit) {
           return DT.dominates(Block, Exit);
         });
}

/// What all iterations of \p L write, if each of them writes \p R.
std::optional<Range> PageChecks::widened(Range R, const Loop &L,
                                         uint64_t MaxGap) {
  if (!SE.isLoopInvariant(R.Bytes, &L))
    return std::nullopt;
  if (SE.isLoopInvariant(R.Begin, &L))
    return R;
  auto *Begin = dyn_cast<SCEVAddRecExpr>(R.Begin);
  if (!Begin || Begin->getLoop() != &L || !Begin->isAffine())
    return std::nullopt;
  auto *Step = dyn_cast<SCEVConstant>(Begin->getStepRecurrence(SE));
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (!Step || isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64 ||
      Step->getAPInt().abs().ugt(MaxGap))
    return std::nullopt;
  Type *I64 = Type::getInt64Ty(F.getContext());
  const SCEV *Times = SE.getNoopOrZeroExtend(Count, I64);
  bool Up = Step->getAPInt().isStrictlyPositive();
  const SCEV *Way =
      SE.getMulExpr(Times, SE.getConstant(Step->getAPInt().abs()));
  const SCEV *First = Begin->getStart();
  return Range{Up ? First : SE.getAddExpr(First, SE.getNegativeSCEV(Way)),
               SE.getAddExpr(R.Bytes, Way)};
}

/// Leaves the check to the outermost loop for which its range is known.
bool PageChecks::moveOutOfLoops(const Mark &M) {
  const BasicBlock *Block = M.Call->getParent();
  Loop *L = LI.getLoopFor(Block);
  if (!L || !SE.isSCEVable(M.pointer()->getType()))
    return false;
  Type *I64 = Type::getInt64Ty(F.getContext());
  Range R = {SE.getSCEV(M.pointer()), SE.getConstant(I64, M.bytes())};
  BasicBlock *Out = nullptr;
  for (uint64_t Gap = MaxStep; L; L = L->getParentLoop(), Gap = MaxOuterStep) {
    BasicBlock *Preheader = L->getLoopPreheader();
    if (!Preheader || !L->getLoopLatch() || !runsAlways(Block, *L) ||
        mayThrow(*L))
      break;
    std::optional<Range> Wider = widened(R, *L, Gap);
    Instruction *End = Preheader->getTerminator();
    bool Changed;
    if (!Wider || !Expander.isSafeToExpandAt(Wider->Begin, End) ||
        !Expander.isSafeToExpandAt(Wider->Bytes, End) ||
        !L->makeLoopInvariant(M.isMapped(), Changed, End, nullptr, &SE))
      break;
    R = *Wider;
    Block = Out = Preheader;
  }
  if (!Out)
    return false;
  // One check for the members of an array of structs.
  for (Hoisted &H : Checks) {
    if (H.Preheader != Out || H.M.isMapped() != M.isMapped() ||
        H.M.context() != M.context())
      continue;
    auto *Apart = dyn_cast<SCEVConstant>(SE.getMinusSCEV(R.Begin, H.R.Begin));
    if (!Apart || Apart->getAPInt().abs().ugt(MaxExtent))
      continue;
    const SCEV *Distance = SE.getConstant(Apart->getAPInt().abs());
    if (Apart->getAPInt().isNegative()) {
      H.R.Bytes = SE.getAddExpr(H.R.Bytes, Distance);
      H.R.Begin = R.Begin;
      H.R.Bytes = SE.getUMaxExpr(H.R.Bytes, R.Bytes);
    } else {
      H.R.Bytes = SE.getUMaxExpr(H.R.Bytes, SE.getAddExpr(R.Bytes, Distance));
    }
    return true;
  }
  Checks.push_back({Out, M, R});
  return true;
}

void PageChecks::emitRangeChecks() {
  // All addresses before any check: checks are blocks that no analysis knows.
  Type *Ptr = PointerType::getUnqual(F.getContext());
  Type *I64 = Type::getInt64Ty(F.getContext());
  SmallVector<std::pair<Value *, Value *>, 8> Expanded;
  for (const Hoisted &H : Checks) {
    Instruction *End = H.Preheader->getTerminator();
    Value *Begin = Expander.expandCodeFor(H.R.Begin, Ptr, End);
    Expanded.emplace_back(Begin, Expander.expandCodeFor(H.R.Bytes, I64, End));
  }
  for (auto [H, Values] : zip(Checks, Expanded)) {
    IRBuilder<> B(H.Preheader->getTerminator());
    B.SetCurrentDebugLocation(H.M.Call->getDebugLoc());
    checkRange(B, H.M, Values.first, Values.second);
  }
}

/// if (mapped && !(all of [Begin, Begin + Bytes) is known to be noted)) note it
void PageChecks::checkRange(IRBuilderBase &B, const Mark &M, Value *Begin,
                            Value *Bytes) {
  Value *Dirty = field(M.context(), field::Dirty);
  Value *Delta = field(M.context(), field::tangentDelta(0));
  auto IsClean = [&](Value *P) {
    return isCleanPage(B, Dirty, mappedAddress(B, P, Delta));
  };
  Value *Last =
      B.CreateGEP(B.getInt8Ty(), Begin, B.CreateSub(Bytes, B.getInt64(1)));
  Value *Clean = B.CreateOr(IsClean(Begin), IsClean(Last));
  // Two pages at most: the first and the last.
  Clean = B.CreateOr(Clean, B.CreateICmpUGT(Bytes, B.getInt64(PageBytes)));
  emitIf(B, B.CreateAnd(M.isMapped(), Clean), /*Unlikely=*/false,
         [&](IRBuilder<> &Then) {
           callRuntime(Then, RuntimeFunction::TouchTangents,
                       {M.context(), Begin, Bytes});
         });
}

//===----------------------------------------------------------------------===//
// In blocks
//===----------------------------------------------------------------------===//

/// The writes of \p Block that are left. What lies close together is noted
/// before the first of them, if nothing between them may end the function.
void PageChecks::mergeInBlock(BasicBlock &Block, ArrayRef<Mark> Marks) {
  struct Group {
    Value *Base;
    int64_t Begin, End;
    SmallVector<Mark, 8> Members;
  };
  SmallVector<Group, 4> Open;
  const DataLayout &DL = F.getDataLayout();
  auto Close = [&] {
    for (Group &G : Open) {
      const Mark &First = G.Members.front();
      bool Worth = G.Members.size() > 1 &&
                   any_of(G.Members, [](const Mark &M) { return !M.isZero(); });
      if (!Worth) {
        for (const Mark &M : G.Members)
          checkHere(M);
        continue;
      }
      IRBuilder<> B(First.Call);
      Value *Begin = B.CreateConstGEP1_64(B.getInt8Ty(), G.Base, G.Begin);
      checkRange(B, First, Begin, B.getInt64(G.End - G.Begin));
    }
    Open.clear();
  };
  auto Next = Marks.begin();
  SmallVector<Instruction *, 32> Instructions(make_pointer_range(Block));
  for (Instruction *I : Instructions) {
    if (I->mayThrow())
      Close();
    if (Next == Marks.end() || I != Next->Call)
      continue;
    const Mark &M = *Next++;
    APInt Offset(DL.getIndexTypeSizeInBits(M.pointer()->getType()), 0);
    Value *Base = M.pointer()->stripAndAccumulateConstantOffsets(
        DL, Offset, /*AllowNonInbounds=*/true);
    int64_t Begin = Offset.getSExtValue(), End = Begin + int64_t(M.bytes());
    auto It = find_if(Open, [&](const Group &G) {
      return G.Base == Base && G.Members[0].isMapped() == M.isMapped() &&
             std::max(G.End, End) - std::min(G.Begin, Begin) <= MaxExtent;
    });
    if (It == Open.end()) {
      Open.push_back({Base, Begin, End, {M}});
      continue;
    }
    It->Begin = std::min(It->Begin, Begin);
    It->End = std::max(It->End, End);
    It->Members.push_back(M);
  }
  Close();
}

/// Tangents:  if (mapped && clean) note(); store
/// Zeros:     if (!(mapped && clean)) store
void PageChecks::checkHere(const Mark &M) {
  IRBuilder<> B(M.Call);
  Value *Untouched = M.isMapped();
  if (M.isInOnePage())
    Untouched =
        B.CreateAnd(Untouched, isCleanPage(B, field(M.context(), field::Dirty),
                                           M.shadow()));
  auto Call = [&](RuntimeFunction Which) {
    emitIf(B, Untouched, /*Unlikely=*/M.isInOnePage(), [&](IRBuilder<> &Then) {
      callRuntime(Then, Which,
                  {M.context(), M.pointer(), Then.getInt64(M.bytes())});
    });
  };
  if (!M.isZero())
    return Call(RuntimeFunction::TouchTangents);
  SmallVector<Instruction *, 4> Stores;
  for (Instruction *I = M.Call; Stores.size() != M.stores();)
    Stores.push_back(I = I->getNextNode());
  if (!M.isInOnePage())
    Call(RuntimeFunction::ClearTangents);
  bool AreNeeded = false;
  emitIf(B, B.CreateNot(Untouched), /*Unlikely=*/false, [&](IRBuilder<> &Then) {
    AreNeeded = true;
    for (Instruction *Store : Stores)
      Store->moveBefore(*Then.GetInsertBlock(), Then.GetInsertPoint());
  });
  if (!AreNeeded) // Always cleared.
    for (Instruction *Store : Stores)
      Store->eraseFromParent();
}

void PageChecks::run(SmallVectorImpl<Mark> &Marks) {
  erase_if(Marks, [&](const Mark &M) { return moveOutOfLoops(M); });
  emitRangeChecks();
  for (auto *Next = Marks.begin(); Next != Marks.end();) {
    BasicBlock *Block = Next->Call->getParent();
    auto *End = std::find_if(Next, Marks.end(), [&](const Mark &M) {
      return M.Call->getParent() != Block;
    });
    mergeInBlock(*Block, ArrayRef(Next, End));
    Next = End;
  }
}

void verso::placePageChecks(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<Mark, 16> Marks;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Function *Callee = Call->getCalledFunction();
          Callee && Callee->getName() == MarkName)
        Marks.emplace_back(Call);
  if (Marks.empty())
    return;
  SmallVector<CallInst *, 16> Calls;
  for (const Mark &M : Marks)
    Calls.push_back(M.Call);
  Function *Callee = Calls.front()->getCalledFunction();
  PageChecks(F, FAM).run(Marks);
  for (CallInst *Call : Calls)
    Call->eraseFromParent();
  Callee->eraseFromParent();
}
