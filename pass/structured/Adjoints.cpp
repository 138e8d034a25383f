//===- Adjoints.cpp - reversed instructions -------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables are cleared to -0.0, not 0.0: x + -0.0 is x for every x, so that
// the first contribution to a value costs no addition.
//
//===----------------------------------------------------------------------===//

#include "structured/Adjoints.h"
#include "emit/Companion.h"
#include "emit/Fusing.h"
#include "emit/Runtime.h"
#include "rules/CutOff.h"
#include "rules/Detached.h"
#include "rules/Staged.h"
#include "rules/Zero.h"
#include "structured/Squares.h"
#include "structured/parts/Parts.h"
#include "structured/recursion/Members.h"
#include "structured/team/TeamAccesses.h"
#include "verso/Layout.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace verso;

/// What adds nothing to an adjoint of type \p T.
static Constant *nothing(Type *T) {
  if (T->isFPOrFPVectorTy())
    return ConstantFP::getNegativeZero(T);
  if (auto *S = dyn_cast<StructType>(T)) {
    SmallVector<Constant *, 4> Elements;
    for (Type *E : S->elements())
      Elements.push_back(nothing(E));
    return ConstantStruct::get(S, Elements);
  }
  if (auto *A = dyn_cast<ArrayType>(T))
    return ConstantArray::get(
        A, SmallVector<Constant *, 4>(A->getNumElements(),
                                      nothing(A->getElementType())));
  return Constant::getNullValue(T);
}

Type *verso::adjointType(Type *T) {
  return T->isHalfTy() || T->isBFloatTy() ? Type::getFloatTy(T->getContext())
                                          : T;
}

/// \p T, which may be the adjoint of another number, as one of type \p Type.
static Value *convert(IRBuilderBase &B, Value *T, Type *Type) {
  return T->getType() == Type ? T : B.CreateFPCast(T, Type);
}

Value *Adjoints::sum(IRBuilderBase &B, Value *X, Value *Y) {
  Type *T = X->getType();
  if (T->isFPOrFPVectorTy())
    return B.CreateFAdd(X, Y);
  if (!isa<StructType, ArrayType>(T) || !holdsReal(T))
    return X;
  unsigned N =
      T->isArrayTy() ? T->getArrayNumElements() : T->getStructNumElements();
  Value *Result = X;
  for (unsigned K = 0; K != N; ++K)
    Result = B.CreateInsertValue(
        Result, sum(B, B.CreateExtractValue(X, K), B.CreateExtractValue(Y, K)),
        K);
  return Result;
}

AllocaInst *Adjoints::slotOf(Value *X) {
  AllocaInst *&Slot = Variables[X];
  if (!Slot)
    Slot = S.create(adjointType(X->getType()), X->getName() + ".adjoint");
  return Slot;
}

void Adjoints::start(IRBuilderBase &B, Value *Result, Value *Seed) {
  bool IsSeeded = Result && Seed && V.isActive(Result);
  if (IsSeeded)
    slotOf(Result);
  for (auto &[X, Slot] : Variables)
    Slots::set(B, Slot, nothing(Slot->getAllocatedType()));
  if (IsSeeded)
    add(B, Result, Seed);
}

void Adjoints::add(IRBuilderBase &B, Value *X, Value *Contribution) {
  if (!V.isActive(X))
    return;
  Contribution = convert(B, Contribution, adjointType(X->getType()));
  if (Coming) {
    Value *&All = (*Coming)[X];
    All = All ? sum(B, All, Contribution) : Contribution;
  } else if (Asked) {
    if (X == Asked->To)
      Asked->Sum = Asked->Sum ? sum(B, Asked->Sum, Contribution) : Contribution;
  } else if (!Filter || Filter(X)) {
    seed(B, X, Contribution);
  }
}

void Adjoints::seed(IRBuilderBase &B, Value *X, Value *Contribution) {
  AllocaInst *Slot = slotOf(X);
  Contribution = convert(B, Contribution, Slot->getAllocatedType());
  Slots::set(B, Slot, sum(B, Slots::get(B, Slot), Contribution));
}

void Adjoints::clear(IRBuilderBase &B, Value *X) {
  AllocaInst *Slot = slotOf(X);
  Slots::set(B, Slot, nothing(Slot->getAllocatedType()));
}

Value *Adjoints::contribution(Instruction &I, Value *X, Value *T,
                              IRBuilderBase &B) {
  struct Contribution C{&I, X, convert(B, T, adjointType(I.getType()))};
  Asked = &C;
  {
    IRBuilderBase::FastMathFlagGuard Guard(B);
    reverse(I, B);
  }
  Asked = nullptr;
  return C.Sum ? convert(B, C.Sum, X->getType()) : nullptr;
}

Value *Adjoints::take(IRBuilderBase &B, Value *X) {
  return convert(B, taken(B, X), X->getType());
}

Value *Adjoints::takeSum(IRBuilderBase &B, Value *X) {
  return convert(B, taken(B, X), adjointType(X->getType()));
}

Value *Adjoints::taken(IRBuilderBase &B, Value *X) {
  if (Coming) {
    Value *T = Coming->lookup(X);
    Coming->erase(X);
    return T;
  }
  if (Asked && X == Asked->Of)
    return Asked->T;
  Value *T = Slots::get(B, slotOf(X));
  clear(B, X);
  return T;
}

FastMathFlags Adjoints::flagsOfSums(const Function &F) {
  if (!Fuses)
    Fuses = mayFuse(F);
  FastMathFlags Flags;
  Flags.setAllowContract(*Fuses);
  return Flags;
}

Value *Adjoints::isZero(IRBuilderBase &B, Value *X) {
  return emitIsZero(B, Slots::get(B, slotOf(X)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The adjoint cell of *Pointer. If the memory may lack a shadow, Lacking says
/// whether it does, and then the cell is one that nobody reads.
Value *Adjoints::cell(IRBuilderBase &B, Value *Pointer, Type *T,
                      Instruction &Access, Value *&Lacking) {
  Value *Shadow = Shadows.get(Pointer);
  Lacking = nullptr;
  if (!V.mayLackShadow(Pointer))
    return Shadow;
  if (Elsewhere) {
    IRBuilder<> Recto(&Access);
    return Recto.CreateSelect(Recto.CreateICmpEQ(Shadow, Pointer), Elsewhere,
                              Shadow);
  }
  AllocaInst *&Cell = Nowhere[T];
  if (!Cell) {
    BasicBlock &Entry = B.GetInsertBlock()->getParent()->getEntryBlock();
    Cell =
        IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(T, nullptr, "nowhere");
    IRBuilder<>(&*Entry.getFirstNonPHIOrDbgOrAlloca())
        .CreateStore(Constant::getNullValue(T), Cell);
  }
  Lacking = B.CreateICmpEQ(Shadow, Pointer);
  return B.CreateSelect(Lacking, Cell, Shadow);
}

/// The adjoint of what is loaded from marked memory, as far as it is a number.
/// Memory without a shadow has no marks that say anything.
Value *Adjoints::ofWhole(LoadInst &I, Value *T, Value *Lacking,
                         IRBuilderBase &B) {
  Value *Found = Marks->foundBy(I);
  Value *IsLost =
      B.CreateAnd(B.CreateICmpEQ(Found, B.getInt8(VERSO_FOUND_PARTS)),
                  B.CreateFCmpUNE(T, Constant::getNullValue(T->getType())));
  if (Lacking)
    IsLost = B.CreateAnd(IsLost, B.CreateNot(Lacking));
  if (auto *Condition = dyn_cast<Instruction>(IsLost))
    Losses.push_back({Condition, &I,
                      "the result depends on a number of which a part was "
                      "overwritten, or moved by itself"});
  return B.CreateSelect(B.CreateICmpEQ(Found, B.getInt8(VERSO_FOUND_WHOLE)), T,
                        nothing(T->getType()));
}

/// What a word that was moved got goes to where it was loaded.
void Adjoints::reverseMovedWord(LoadInst &I, IRBuilderBase &B) {
  Cleared = {};
  bool IsLong = I.getType()->isIntegerTy(64);
  B.CreateCall(
      getSupportFunction(*I.getModule(), IsLong ? "__verso_transpose_word_8"
                                                : "__verso_transpose_word_4"),
      {Shadows.get(I.getPointerOperand()), take(B, &I), Marks->wordOf(I)});
}

/// Adds what is in the cell to the word's adjoint.
void Adjoints::reverseMove(StoreInst &I, LoadInst &Word, IRBuilderBase &B) {
  Cleared = {};
  Type *T = Word.getType();
  Value *Cell = Shadows.get(I.getPointerOperand());
  Value *Bits = B.CreateAlignedLoad(T, Cell, MaybeAlign(1));
  B.CreateAlignedStore(Constant::getNullValue(T), Cell, MaybeAlign(1));
  AllocaInst *Slot = slotOf(&Word);
  Slots::set(B, Slot,
             B.CreateCall(getSupportFunction(*I.getModule(),
                                             T->isIntegerTy(64)
                                                 ? "__verso_add_words_8"
                                                 : "__verso_add_words_4"),
                          {Slots::get(B, Slot), Bits, Marks->wordOf(Word)}));
}

void Adjoints::reverseLoad(LoadInst &I, IRBuilderBase &B) {
  if (V.isMovedWord(I))
    return reverseMovedWord(I, B);
  // Bytes that may be a number were refused where they would become one.
  if (!V.isActive(&I) || !holdsReal(I.getType()))
    return;
  Value *T = taken(B, &I);
  Value *Lacking;
  Value *Cell = cell(B, I.getPointerOperand(), I.getType(), I, Lacking);
  if (V.isMarked(I.getPointerOperand()))
    T = ofWhole(I, T, Lacking, B);
  if (Lacking)
    T = B.CreateSelect(Lacking, nothing(T->getType()), T);
  Value *Sum = T;
  // What was cleared just before, as in x[i] += y, need not be read.
  if (Cleared != std::pair(I.getPointerOperand(), I.getType())) {
    LoadInst *Old =
        B.CreateAlignedLoad(I.getType(), Cell, ShadowPointers::alignmentFor(I));
    Accesses.push_back({Old, I.getPointerOperand()});
    // A cell that was cleared is 0.0, to which any addition would have to be
    // made for the sign of a zero.
    FastMathFlags Flags = flagsOfSums(*I.getFunction());
    Flags.setNoSignedZeros();
    B.setFastMathFlags(Flags);
    Sum = B.CreateFAdd(convert(B, Old, T->getType()), T);
  }
  Sum = convert(B, Sum, I.getType());
  StoreInst *New =
      B.CreateAlignedStore(Sum, Cell, ShadowPointers::alignmentFor(I));
  if (Sum == T)
    markOfStored(*New);
  Accesses.push_back({New, I.getPointerOperand()});
  Cleared = {};
}

static constexpr StringLiteral NoShadow =
    "a number that varies was stored in memory that the shadow structure has "
    "no shadow for";

/// What the adjoint of bytes is that were computed from the bits of a number
/// nobody knows. Shadow structures are often copies of the primal ones: what
/// looks like an integer is none (holdsInteger in runtime/SweepTypes.h).
void Adjoints::refuseLostBits(StoreInst &I, Value *Cell, IRBuilderBase &B) {
  unsigned N = I.getValueOperand()->getType()->getIntegerBitWidth();
  if (N != 32 && N != 64)
    return;
  LoadInst *Bits = B.CreateAlignedLoad(B.getIntNTy(N), Cell,
                                       ShadowPointers::alignmentFor(I));
  Accesses.push_back({Bits, I.getPointerOperand()});
  // From the smallest normal number to the NaN that arithmetic makes.
  const fltSemantics &S =
      N == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble();
  APInt Normal = APFloat::getSmallestNormalized(S).bitcastToAPInt();
  APInt Nan = APFloat::getQNaN(S, /*Negative=*/true).bitcastToAPInt();
  Value *IsNumber = B.CreateAnd(
      B.CreateICmpUGE(B.CreateAnd(Bits, B.getInt(APInt::getSignedMaxValue(N))),
                      B.getInt(Normal)),
      B.CreateICmpULE(Bits, B.getInt(Nan)));
  if (auto *Condition = dyn_cast<Instruction>(IsNumber))
    Losses.push_back({Condition, &I,
                      "the result depends on a number whose bits "
                      "went through integer arithmetic"});
}

void Adjoints::reverseStore(StoreInst &I, IRBuilderBase &B) {
  if (LoadInst *Word = V.movedWord(I))
    return reverseMove(I, *Word, B);
  Value *X = I.getValueOperand();
  if (!V.isShadowed(I.getPointerOperand()) ||
      (!X->getType()->isFloatingPointTy() && !V.clearsNumbers(I)))
    return;
  Cleared = {};
  Value *Lacking;
  Value *Cell = cell(B, I.getPointerOperand(), X->getType(), I, Lacking);
  if (V.isActive(X)) {
    LoadInst *T = B.CreateAlignedLoad(X->getType(), Cell,
                                      ShadowPointers::alignmentFor(I));
    markOfStored(*T);
    Accesses.push_back({T, I.getPointerOperand()});
    add(B, X, T);
    if (Lacking && isa<Instruction>(Lacking))
      Losses.push_back({cast<Instruction>(Lacking), &I, NoShadow});
  } else if (V.losesBits(I)) {
    refuseLostBits(I, Cell, B);
  }
  Accesses.push_back(
      {B.CreateAlignedStore(Constant::getNullValue(X->getType()), Cell,
                            ShadowPointers::alignmentFor(I)),
       I.getPointerOperand()});
  if (!Lacking)
    Cleared = {I.getPointerOperand(), X->getType()};
}

/// Of a number in everything that is copied, or overwritten where From is null.
void Adjoints::reverseField(const BulkAccess &A, const BulkAccess::Field &F,
                            Value *To, Value *From, Value *Bytes,
                            IRBuilderBase &B) {
  StringRef Suffix = F.T->isDoubleTy()     ? "double"
                     : F.T->isFloatTy()    ? "float"
                     : F.T->isX86_FP80Ty() ? "long_double"
                     : F.T->isHalfTy()     ? "half"
                     : F.T->isBFloatTy()   ? "bfloat"
                                           : "";
  if (Suffix.empty())
    return Refused.add("numbers of an unusual type are copied", A.Call);
  Module &M = *A.Call->getModule();
  uint64_t Size = M.getDataLayout().getTypeStoreSize(F.T);
  if (From && !F.At.Offset && F.At.Step == Size) {
    B.CreateCall(
        getSupportFunction(M, ("__verso_transpose_copy_" + Suffix).str()),
        {To, From, Bytes});
    return;
  }
  // Memory without a shadow is null here, and so is each of its fields.
  auto At = [&](Value *P) -> Value * {
    if (!P || !F.At.Offset)
      return P ? P : ConstantPointerNull::get(B.getPtrTy());
    return B.CreateSelect(B.CreateIsNull(P), P,
                          B.CreateConstGEP1_64(B.getInt8Ty(), P, F.At.Offset));
  };
  B.CreateCall(
      getSupportFunction(M, ("__verso_transpose_field_" + Suffix).str()),
      {At(To), At(From), countOfField(B, F, Size, Bytes),
       B.getInt64(F.At.Step)});
}

/// Of two fields the source of one may be the target of the other: all adjoints
/// are taken before the first is given.
void Adjoints::reverseFields(const BulkAccess &A, Value *To, Value *From,
                             Value *Bytes, IRBuilderBase &B) {
  // What the runtime looks at is one more.
  bool MayMeet = !A.Numbers.empty() && A.Numbers.size() + A.IsUntyped > 1 &&
                 mayMeetItself(A, V.objects());
  Value *Between = MayMeet ? Shadows.allocate(B, Bytes) : nullptr;
  if (Between) {
    for (const BulkAccess::Field &F : A.Numbers)
      reverseField(A, F, To, Between, Bytes, B);
    To = Between;
  }
  if (A.IsUntyped)
    Shadows.reverseUntyped(A, B);
  for (const BulkAccess::Field &F : A.Numbers)
    reverseField(A, F, To, From, Bytes, B);
  // The runtime's notes, which lie behind it, last as long as the request.
  if (Between && !A.IsUntyped)
    callRuntime(B, RuntimeFunction::ArenaEnd, {Between});
}

/// All words are taken before the first is given: the two may overlap.
void Adjoints::reverseWords(const BulkAccess &A, Value *To, Value *From,
                            IRBuilderBase &B) {
  auto At = [&](Value *P, const BulkAccess::Word &W) {
    return B.CreateConstGEP1_64(B.getInt8Ty(), P, W.At);
  };
  SmallVector<Value *, 8> Taken;
  for (const BulkAccess::Word &W : A.Words) {
    Type *T = B.getIntNTy(8 * W.Bytes);
    Taken.push_back(B.CreateAlignedLoad(T, At(To, W), MaybeAlign(1)));
    B.CreateAlignedStore(Constant::getNullValue(T), At(To, W), MaybeAlign(1));
  }
  Module &M = *A.Call->getModule();
  for (auto [W, Bits, Kinds] : zip(A.Words, Taken, Marks->wordsOf(A)))
    if (W.Bytes >= 4)
      B.CreateCall(getSupportFunction(M, W.Bytes == 8
                                             ? "__verso_transpose_word_8"
                                             : "__verso_transpose_word_4"),
                   {At(From, W), Bits, Kinds});
}

/// What was moved to marked memory goes where it came from, by what it was.
void Adjoints::reverseMarked(const BulkAccess &A, IRBuilderBase &B) {
  // Memory without a shadow is its own.
  auto ShadowOf = [&](Value *P) {
    Value *Shadow = Shadows.get(P);
    return V.mayLackShadow(P)
               ? B.CreateSelect(B.CreateICmpEQ(Shadow, P),
                                ConstantPointerNull::get(B.getPtrTy()), Shadow)
               : Shadow;
  };
  Value *To = ShadowOf(A.To), *From = ShadowOf(A.From);
  if (A.IsByWords)
    return reverseWords(A, To, From, B);
  callRuntime(B, RuntimeFunction::ReverseMarked, {Marks->noteOf(A), To, From});
}

/// memset: the shadow is cleared. Copies: what the target's cells hold goes to
/// the source's cells.
void Adjoints::reverseBulk(const BulkAccess &A, IRBuilderBase &B) {
  if (!V.isShadowed(A.To))
    return;
  bool Moves = A.From && V.isShadowed(A.From);
  if (A.IsMarked) {
    Cleared = {};
    return reverseMarked(A, B);
  }
  if (A.Numbers.empty() && Moves && !A.IsUntyped)
    return;
  // The caller's pointers have their shadows there.
  if (A.Numbers.empty() && !A.Pointers.empty() && detachesNumbers(*A.Call) &&
      any_of(V.objects().placesOf(A.To), [&](const Place &Q) {
        return !V.objects()[Q.Object].hasSibling();
      }))
    return;
  Cleared = {};
  Value *To = Shadows.get(A.To);
  Value *From = Moves ? Shadows.get(A.From) : nullptr;
  if (isStaged(*A.Call)) {
    // The VJP reads the blocks, which have to be there.
    SmallVector<const Value *, 3> Read{keptOfStaged(*A.Call)};
    if (isDirect(*A.Call))
      Read.push_back(foundOfStaged(*A.Call));
    else
      Read.append({A.From, A.To});
    for (const Value *Block : Read)
      if (auto *Call = dyn_cast<CallBase>(Block);
          !isa<ConstantPointerNull>(Block) &&
          (!Call || !calls(*Call, RuntimeFunction::ArenaTake)))
        return Refused.add("a call whose VJP is given is not in one piece",
                           A.Call);
    if (isDirect(*A.Call)) {
      if (!Moves)
        return; // Both are the call's own.
      if (V.mayLackShadow(A.To) || V.mayLackShadow(A.From))
        return Refused.add("a call of a library may be of constant memory",
                           A.Call);
    }
    if (!emitVjpOfStaged(B, *A.Call, {To, From}))
      return Refused.add("no VJP is given of " + nameOfStaged(*A.Call).str(),
                         A.Call);
    if (isDirect(*A.Call))
      return;
  }
  Value *Bytes = B.CreateZExtOrTrunc(A.Bytes, B.getInt64Ty());
  // Memory without a shadow is its own: nothing is done there.
  Value *ToLacks = V.mayLackShadow(A.To) ? B.CreateICmpEQ(To, A.To) : nullptr;
  if (ToLacks)
    Bytes = B.CreateSelect(ToLacks, B.getInt64(0), Bytes);
  if (Moves && V.mayLackShadow(A.From)) {
    Value *FromLacks = B.CreateICmpEQ(From, A.From);
    if (ToLacks)
      ToLacks = B.CreateAnd(ToLacks, B.CreateNot(FromLacks));
    // What comes from there is thrown away.
    Value *Nowhere =
        B.CreateSelect(FromLacks, ConstantPointerNull::get(B.getPtrTy()), From);
    From = Nowhere;
    if (ToLacks && isa<Instruction>(ToLacks))
      Losses.push_back({cast<Instruction>(ToLacks), A.Call, NoShadow});
    return reverseFields(A, To, From, Bytes, B);
  }
  if (Moves && ToLacks && isa<Instruction>(ToLacks))
    Losses.push_back({cast<Instruction>(ToLacks), A.Call, NoShadow});
  if (A.Numbers.empty() && !Moves)
    Accesses.push_back(
        {B.CreateMemSet(To, B.getInt8(0), Bytes, MaybeAlign()), A.To});
  reverseFields(A, To, From, Bytes, B);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool isMinusOne(const Value *V) {
  auto *C = dyn_cast<ConstantFP>(V);
  return C && C->isExactlyValue(-1.0);
}

void Adjoints::reverseOperation(Instruction &I, const Operation &Op,
                                IRBuilderBase &B) {
  if (!V.isActive(&I))
    return;
  Value *T = taken(B, &I);
  FastMathFlags Flags = flagsOfSums(*I.getFunction());
  if (auto *FP = dyn_cast<FPMathOperator>(&I))
    Flags |= FP->getFastMathFlags();
  B.setFastMathFlags(Flags);
  for (unsigned K = 0, E = Op.operands().size(); K != E; ++K) {
    Value *X = Op.operands()[K];
    if (!V.isActive(X) || Op.shape(K) == Operation::Shape::Zero)
      continue;
    if (K == 1 && isSquare(Op))
      continue;
    Value *Seed = K == 0 && isSquare(Op) ? emitTwice(B, T) : T;
    // A conversion: the adjoint is converted back.
    Seed = convert(B, Seed, adjointType(X->getType()));
    if (Op.shape(K) == Operation::Shape::One) {
      add(B, X, Seed);
      continue;
    }
    Value *Partial = Op.emitPartial(B, K);
    if (isMinusOne(Partial)) {
      add(B, X, B.CreateFNeg(Seed));
      continue;
    }
    Partial = convert(B, Partial, Seed->getType());
    Seed = Op.emitCutOff(B, Partial, Seed);
    auto *Call = dyn_cast<CallBase>(&I);
    bool Knows =
        Call && (isProduct(*Call) || isWeighted(*Call) || isLimit(*Call));
    if (!Knows && Infinite.isDropped(I, Op, K))
      add(B, X, emitProduct(B, Partial, Seed));
    else if (!Knows && IsInner && !isa<Constant>(Partial) &&
             !Op.isSingular(K) && Seed->getType()->isFloatingPointTy())
      add(B, X, emitWeighted(B, Partial, Seed));
    else if (!IsInner && Op.isSingular(K) && !Infinite.isSingular(I, Op, K))
      add(B, X, B.CreateFMul(Partial, Seed));
    else
      add(B, X, Op.emitScaled(B, K, Partial, Seed));
  }
}

void Adjoints::reverse(Instruction &I, IRBuilderBase &B) {
  if (isStandIn(I))
    return;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return reverseLoad(*Load, B);
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    if (Shadows.isOurs(Store))
      return;
    if (StoreBegins)
      StoreBegins(*Store, B);
    if (Store->getValueOperand()->getType()->isPointerTy())
      Shadows.reversePointerStore(*Store, B);
    return reverseStore(*Store, B);
  }
  if (auto *Call = dyn_cast<CallBase>(&I))
    if (const BulkAccess *A = V.bulk(Call))
      return reverseBulk(*A, B);
  if (auto *Call = dyn_cast<CallBase>(&I);
      Call && ReverseCall &&
      (isPartCall(*Call) || (callsMember(*Call) && V.isActive(Call)))) {
    Cleared = {}; // It may add to cells.
    return ReverseCall(*Call, B);
  }
  if (const Operation *Op = V.operation(&I))
    return reverseOperation(I, *Op, B);
  if (!V.isActive(&I) || !holdsReal(I.getType()))
    return;
  if (isa<FreezeInst>(I))
    return add(B, I.getOperand(0), taken(B, &I));
  if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Value *T = taken(B, &I);
    Value *C = Select->getCondition();
    Value *Nothing = nothing(T->getType());
    add(B, Select->getTrueValue(), B.CreateSelect(C, T, Nothing));
    return add(B, Select->getFalseValue(), B.CreateSelect(C, Nothing, T));
  }
  if (auto *E = dyn_cast<ExtractValueInst>(&I)) {
    Value *T = take(B, &I);
    return add(B, E->getAggregateOperand(),
               B.CreateInsertValue(nothing(E->getAggregateOperand()->getType()),
                                   T, E->getIndices()));
  }
  if (auto *N = dyn_cast<InsertValueInst>(&I)) {
    Value *T = take(B, &I);
    Type *Inserted = N->getInsertedValueOperand()->getType();
    if (holdsReal(Inserted))
      add(B, N->getInsertedValueOperand(),
          B.CreateExtractValue(T, N->getIndices()));
    return add(B, N->getAggregateOperand(),
               B.CreateInsertValue(T, nothing(Inserted), N->getIndices()));
  }
  if (auto *E = dyn_cast<ExtractElementInst>(&I)) {
    Value *T = take(B, &I);
    return add(B, E->getVectorOperand(),
               B.CreateInsertElement(nothing(E->getVectorOperandType()), T,
                                     E->getIndexOperand()));
  }
  if (auto *N = dyn_cast<InsertElementInst>(&I)) {
    Value *T = take(B, &I);
    add(B, N->getOperand(1), B.CreateExtractElement(T, N->getOperand(2)));
    return add(B, N->getOperand(0),
               B.CreateInsertElement(T, nothing(N->getOperand(1)->getType()),
                                     N->getOperand(2)));
  }
  Refused.add("an operation on numbers that has no reverse ('" +
                  Twine(I.getOpcodeName()) + "')",
              &I);
}

/// br %result' is zero, next, part        part: ..., br next
void Adjoints::reversePart(const Choices::Part &Part, IRBuilderBase &B,
                           function_ref<BasicBlock *()> NewBlock) {
  Cleared = {};
  BasicBlock *Then = NewBlock(), *Next = NewBlock();
  B.CreateCondBr(isZero(B, Part.back()), Next, Then);
  B.SetInsertPoint(Then);
  for (Instruction *I : llvm::reverse(Part)) {
    IRBuilderBase::FastMathFlagGuard Guard(B);
    reverse(*I, B);
  }
  B.CreateBr(Next);
  B.SetInsertPoint(Next);
  // Not a zero that iterations hand on.
  clear(B, Part.back());
  Cleared = {};
}

/// What the last of a chain is multiplied by to give the adjoints of what the
/// chain takes: computed by the recto, behind it.
Adjoints::Multiples Adjoints::multiplesOf(const Choices::Part &Chain) {
  Instruction *Last = Chain.back(), *Behind = Last->getNextNode();
  IRBuilder<> Recto(Behind);
  Multiples Result;
  Result[Last] = ConstantFP::get(adjointType(Last->getType()), 1.0);
  Coming = &Result;
  for (Instruction *I : llvm::reverse(Chain))
    if (Result.contains(I)) {
      IRBuilderBase::FastMathFlagGuard Guard(Recto);
      reverse(*I, Recto);
    }
  Coming = nullptr;
  for (Instruction *I = Last->getNextNode(); I != Behind; I = I->getNextNode())
    OfRecto.push_back(I);
  return Result;
}

/// Whether a zero may meet an infinite partial on its way through a chain, or a
/// product of partials that overflows.
bool Adjoints::isTested(const Choices::Part &Chain) {
  auto IsFactor = [&](Instruction *I) {
    const Operation *Op = V.operation(I);
    return Op && any_of(seq<unsigned>(Op->operands().size()), [&](unsigned K) {
             Operation::Uses Uses = Op->uses(K);
             return V.isActive(Op->operands()[K]) &&
                    (Uses.Operands || Uses.Result || Uses.Sibling);
           });
  };
  if (count_if(Chain, IsFactor) > 1)
    return true;
  return any_of(Chain, [&](Instruction *I) {
    const Operation *Op = V.operation(I);
    return Op && any_of(seq<unsigned>(Op->operands().size()), [&](unsigned K) {
             return V.isActive(Op->operands()[K]) &&
                    (isCutOff(I) || Infinite.isSingular(*I, *Op, K) ||
                     Infinite.isDropped(*I, *Op, K));
           });
  });
}

/// recto:  %p = what comes to %x if 1 comes to the last of the chain
/// verso:  br %last' is zero, next, then
///         then: %x' += %p * %last', br next
void Adjoints::reverseChain(const Choices::Part &Chain, IRBuilderBase &B,
                            function_ref<BasicBlock *()> NewBlock) {
  Instruction *Last = Chain.back();
  BasicBlock *Next = nullptr;
  Cleared = {};
  if (isTested(Chain)) {
    BasicBlock *Then = NewBlock();
    Next = NewBlock();
    // Zeros come seldom, and are there to stay: nothing waits for a branch.
    B.CreateCondBr(isZero(B, Last), Next, Then,
                   MDBuilder(B.getContext()).createUnlikelyBranchWeights());
    B.SetInsertPoint(Then);
  }
  Multiples Each = multiplesOf(Chain);
  Value *T = taken(B, Last);
  IRBuilderBase::FastMathFlagGuard Guard(B);
  B.setFastMathFlags(flagsOfSums(*Last->getFunction()));
  for (auto [X, P] : Each) {
    auto *C = dyn_cast<ConstantFP>(P);
    Value *Contribution = C && C->isExactlyValue(1.0)    ? T
                          : C && C->isExactlyValue(-1.0) ? B.CreateFNeg(T)
                                                         : B.CreateFMul(P, T);
    add(B, X, Contribution);
  }
  if (!Next)
    return;
  B.CreateBr(Next);
  B.SetInsertPoint(Next);
  // Not a zero that iterations hand on.
  clear(B, Last);
}

void Adjoints::reverseBlock(BasicBlock &Block, IRBuilderBase &B,
                            const Pieces &InOne,
                            function_ref<BasicBlock *()> NewBlock) {
  Cleared = {};
  DenseMap<Instruction *, const Choices::Part *> PartOf, ChainOf;
  for (const Choices::Part &Part : InOne.Parts)
    for (Instruction *I : Part)
      PartOf[I] = &Part;
  for (const Choices::Part &Chain : InOne.Chains)
    for (Instruction *I : Chain)
      ChainOf[I] = &Chain;
  // Shadow pointers are inserted on the way.
  SmallVector<Instruction *, 32> Backwards;
  for (Instruction &I : Block)
    if (!isa<PHINode>(I) && !I.isTerminator())
      Backwards.push_back(&I);
  // Where it throws, what it does to numbers is not known to have happened.
  if (auto *Invoke = dyn_cast<InvokeInst>(Block.getTerminator());
      Invoke && (V.bulk(Invoke) || V.operation(Invoke) ||
                 (V.isActive(Invoke) && holdsReal(Invoke->getType()))))
    Refused.add("an operation on numbers that may throw", Invoke);
  while (!Backwards.empty()) {
    Instruction *I = Backwards.pop_back_val();
    if (const Choices::Part *Part = PartOf.lookup(I)) {
      if (Part->back() == I)
        reversePart(*Part, B, NewBlock);
      continue;
    }
    if (const Choices::Part *Chain = ChainOf.lookup(I)) {
      if (Chain->back() == I)
        reverseChain(*Chain, B, NewBlock);
      continue;
    }
    IRBuilderBase::FastMathFlagGuard Guard(B);
    reverse(*I, B);
  }
}

void Adjoints::takePhis(BasicBlock &Block, IRBuilderBase &B) {
  for (PHINode &Phi : Block.phis())
    if (V.isActive(&Phi) && holdsReal(Phi.getType()))
      Taken[&Phi] = taken(B, &Phi);
}

void Adjoints::giveToPredecessor(BasicBlock &Block, BasicBlock &From,
                                 IRBuilderBase &B) {
  for (PHINode &Phi : Block.phis())
    if (Value *T = Taken.lookup(&Phi))
      add(B, Phi.getIncomingValueForBlock(&From), T);
}
