//===- ShadowPointers.cpp - where the adjoint of a cell is ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/ShadowPointers.h"
#include "analysis/CallModel.h"
#include "analysis/PointerDistance.h"
#include "emit/KeptBlocks.h"
#include "emit/Runtime.h"
#include "rules/Detached.h"
#include "structured/NormalizeMemory.h"
#include "structured/UntypedCopies.h"
#include "structured/parts/PartAccesses.h"
#include "structured/recursion/Recursion.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace verso;

Value *ShadowPointers::get(Value *P) {
  if (auto It = Shadows.find(P); It != Shadows.end())
    return It->second;
  if (!V.isShadowed(P))
    return Shadows[P] = P;
  if (Value *Shadow = ofFrame(P))
    return Shadows[P] = Shadow;
  if (Value *Shadow = ofMapped(P))
    return Shadows[P] = Shadow;
  if (auto *Phi = dyn_cast<PHINode>(P)) {
    // Where an invoke leaves a loop, the shadow of what it returns begins
    // behind the phi.
    auto *Invoke = dyn_cast<InvokeInst>(Phi->getIncomingValue(0));
    if (Invoke && Invoke->getNormalDest() == Phi->getParent() &&
        Phi->getNumIncomingValues() == 1)
      return Shadows[P] = get(Invoke);
    // First the phi, then what comes into it: it may be its own shadow's base.
    PHINode *Shadow =
        PHINode::Create(P->getType(), Phi->getNumIncomingValues(),
                        P->getName() + ".shadow", Phi->getIterator());
    Shadows[P] = Shadow;
    for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
      Shadow->addIncoming(get(Phi->getIncomingValue(K)),
                          Phi->getIncomingBlock(K));
    return Shadow;
  }
  Value *Shadow = create(P);
  return Shadows[P] = Shadow;
}

Value *ShadowPointers::create(Value *P) {
  if (auto *C = dyn_cast<Constant>(P))
    return ofConstant(*C);
  auto *I = dyn_cast<Instruction>(P);
  if (!I) {
    Refused.add("a pointer is made in an unknown way");
    return P;
  }
  if (auto *A = dyn_cast<AllocaInst>(I))
    return ofAlloca(*A);
  if (auto *Load = dyn_cast<LoadInst>(I))
    return ofLoad(*Load);
  if (auto *Call = dyn_cast<CallBase>(I))
    return ofCall(*Call);
  if (isa<GetElementPtrInst, SelectInst, BitCastInst, AddrSpaceCastInst,
          FreezeInst>(I)) {
    if (auto *GEP = dyn_cast<GetElementPtrInst>(I))
      checkDistances(*GEP);
    Instruction *Shadow = I->clone();
    for (Use &U : Shadow->operands())
      if (U->getType()->isPointerTy())
        U.set(get(U));
    Shadow->setName(P->getName() + ".shadow");
    Shadow->insertBefore(std::next(I->getIterator()));
    return Shadow;
  }
  Refused.add("a pointer is made in an unknown way", I);
  return P;
}

/// shadow(a) - a != shadow(b) - b: in different arrays, whose distance says
/// nothing about that of their shadows. The ends of a vector, say, are loaded
/// from two places, but are one array.
void ShadowPointers::checkDistances(GetElementPtrInst &I) {
  for (const Use &Index : I.indices()) {
    const BinaryOperator *Distance = pointerDistance(Index);
    if (!Distance || !V.mayBeForeign(*Distance))
      continue;
    auto All = [&](auto Is) {
      return all_of(Distance->operands(), [&](const Use &Each) {
        return Is(cast<PtrToIntOperator>(Each)->getPointerOperand());
      });
    };
    if (All([&](const Value *P) { return V.isWatched() && V.isMapped(P); }))
      continue; // Shadows are all at one distance.
    if (!All([&](const Value *P) { return !V.mayBeAtDistance(P); }))
      return Refused.add(
          "a pointer is computed from the distance of two arrays", &I);
    IRBuilder<> B(&I);
    Value *Offsets[2];
    for (unsigned K : {0, 1}) {
      Value *P =
          cast<PtrToIntOperator>(Distance->getOperand(K))->getPointerOperand();
      Value *Shadow = get(P);
      B.SetInsertPoint(&I);
      Offsets[K] = B.CreateSub(B.CreatePtrToInt(Shadow, B.getInt64Ty()),
                               B.CreatePtrToInt(P, B.getInt64Ty()));
    }
    if (auto *Differ =
            dyn_cast<Instruction>(B.CreateICmpNE(Offsets[0], Offsets[1])))
      Losses.push_back({Differ, "a pointer with a shadow was computed from the "
                                "distance of two arrays; keep the pointers"});
  }
}

/// pointer - global < size && shadow(pointer) - shadow(global) is another
/// distance, at the end of the block in which the pointer is made: its shadow
/// is the caller's, but accesses by the global's name have a sibling. Where the
/// request itself put the global's address there, the sibling's is beside it.
void ShadowPointers::checkStrangers() {
  const Objects &O = V.objects();
  for (auto [G, P] : V.strangers()) {
    auto *I = dyn_cast<Instruction>(P);
    BasicBlock &Block = I ? isa<InvokeInst>(I)
                                ? *cast<InvokeInst>(I)->getNormalDest()
                                : *I->getParent()
                          : F.getEntryBlock();
    bool MayBeOurs = any_of(O.placesOf(P), [&, G = G](const Place &Q) {
      return O[Q.Object].Base == G;
    });
    Value *Shadows[] = {MayBeOurs ? get(P) : nullptr,
                        MayBeOurs ? get(G) : nullptr};
    IRBuilder<> B(Block.getTerminator());
    auto Distance = [&](Value *To, Value *From) {
      return B.CreateSub(B.CreatePtrToInt(To, B.getInt64Ty()),
                         B.CreatePtrToInt(From, B.getInt64Ty()));
    };
    Value *Into = Distance(P, G->isThreadLocal() ? B.CreateThreadLocalAddress(G)
                                                 : (Value *)G);
    Value *Lost = B.CreateICmpULT(
        Into,
        B.getInt64(F.getDataLayout().getTypeAllocSize(G->getValueType())));
    if (MayBeOurs)
      Lost = B.CreateAnd(
          Lost, B.CreateICmpNE(Into, Distance(Shadows[0], Shadows[1])));
    if (auto *Condition = dyn_cast<Instruction>(Lost))
      Losses.push_back({Condition, ("a pointer leads to the global variable '" +
                                    G->getName() +
                                    "', which the function also uses by its "
                                    "name: use -verso-strategy=taped")
                                       .str()});
  }
}

/// Arguments that do not vary, and pointers that are read behind them; or
/// whatever leads to memory that may be watched.
Value *ShadowPointers::ofMapped(Value *P) {
  auto *Load = dyn_cast<LoadInst>(P);
  if (!V.isMapped(P) || !(isa<Argument, GlobalVariable, CallBase>(P) || Load))
    return nullptr;
  if (V.isWatched())
    return Watched.shadowOf(P);
  IRBuilder<> B(Load ? Load->getNextNode()
                     : &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value *Shadow = Mapped->shadowOf(B, P);
  // Behind what was emitted at the entry meanwhile.
  if (auto *I = dyn_cast<Instruction>(Shadow); I && !Load)
    I->moveAfter(Mapped->last());
  return Shadow;
}

/// Frames have their shadow behind them: what can only point to frames needs no
/// pointer of its own.
Value *ShadowPointers::ofFrame(Value *P) {
  auto *I = dyn_cast<Instruction>(P);
  Places Ps = V.objects().placesOf(P);
  if (!I || Ps.empty() || isa<GetElementPtrInst>(I))
    return nullptr;
  uint64_t Distance = 0;
  for (const Place &Q : Ps) {
    auto *Call = dyn_cast_or_null<CallBase>(V.objects()[Q.Object].Base);
    uint64_t Mine = Call && isFrame(*Call) ? shadowOfFrame(*Call) : 0;
    if (!Mine || (Distance && Distance != Mine))
      return nullptr;
    Distance = Mine;
  }
  IRBuilder<> B(isa<PHINode>(I) ? &*I->getParent()->getFirstInsertionPt()
                                : I->getNextNode());
  Value *Shadow = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), I, Distance);
  if (isa<CallBase>(I))
    Ours.insert(B.CreateMemSet(Shadow, B.getInt8(0), Distance, Align(16)));
  return Shadow;
}

Value *ShadowPointers::ofAlloca(AllocaInst &A) {
  if (!A.isStaticAlloca()) {
    Refused.add("a local array of variable size", &A);
    return &A;
  }
  auto *Shadow = cast<AllocaInst>(A.clone());
  Shadow->setName(A.getName() + ".shadow");
  // At the top: casts of arguments may already stand between the variables.
  Shadow->insertBefore(F.getEntryBlock().begin());
  uint64_t Size = A.getAllocationSize(F.getDataLayout())->getFixedValue();
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Ours.insert(B.CreateMemSet(Shadow, B.getInt8(0), Size, Shadow->getAlign()));
  return Shadow;
}

/// A sibling of a global variable, as long as the request runs.
Value *ShadowPointers::ofConstant(Constant &C) {
  const DataLayout &DL = F.getDataLayout();
  if (auto *G = dyn_cast<GlobalVariable>(&C)) {
    constexpr uint64_t MaxLocal = 4096;
    uint64_t Size = DL.getTypeAllocSize(G->getValueType());
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    if (Size > MaxLocal)
      return Allocate(B, B.getInt64(Size));
    auto *Shadow = IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin())
                       .CreateAlloca(ArrayType::get(B.getInt8Ty(), Size),
                                     nullptr, G->getName() + ".shadow");
    Shadow->setAlignment(std::max(Align(16), G->getAlign().valueOrOne()));
    Ours.insert(B.CreateMemSet(Shadow, B.getInt8(0), Size, Shadow->getAlign()));
    return Shadow;
  }
  APInt Offset(DL.getIndexTypeSizeInBits(C.getType()), 0);
  auto *GEP = dyn_cast<GEPOperator>(&C);
  if (!GEP || !GEP->accumulateConstantOffset(DL, Offset)) {
    Refused.add("a constant address is made in an unknown way");
    return &C;
  }
  auto *Base = dyn_cast<Instruction>(get(GEP->getPointerOperand()));
  if (!Base)
    return &C;
  // A sibling stands where all its uses come later.
  IRBuilder<> B(isa<AllocaInst>(Base)
                    ? &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()
                    : Base->getNextNode());
  return B.CreateGEP(B.getInt8Ty(), Base, B.getInt(Offset));
}

/// Whether \p Throw throws a pointer: handlers get it, not the exception.
static bool throwsPointer(const CallBase &Throw) {
  const Value *Type = Throw.getArgOperand(1)->stripPointerCasts();
  return Type->getName().starts_with("_ZTIP");
}

void ShadowPointers::refuseThrownPointers() {
  for (Instruction &I : instructions(F)) {
    auto *Throw = dyn_cast<CallBase>(&I);
    Value *Exception = Throw ? thrownBy(*Throw) : nullptr;
    if (Exception && throwsPointer(*Throw) &&
        any_of(Exception->users(), [&](User *U) {
          auto *Store = dyn_cast<StoreInst>(U);
          return Store && Store->getValueOperand()->getType()->isPointerTy() &&
                 V.isShadowed(Store->getValueOperand());
        }))
      Refused.add("a pointer into numbers is thrown", Throw);
  }
}

/// Every exception of the function is noted where room is made for it, with its
/// shadow. Which of them a handler got, or got a base of, if any, the addresses
/// tell, the newest first: those before it that had its place are gone.
void ShadowPointers::noteExceptions() {
  SmallVector<CallBase *, 4> Made;
  for (Instruction &I : instructions(F)) {
    auto *Each = dyn_cast<CallBase>(&I);
    if (!Each)
      continue;
    if (allocatesException(*Each))
      Made.push_back(Each);
  }
  Type *Ptr = PointerType::getUnqual(F.getContext());
  Exceptions = S.create(Ptr, "exceptions");
  IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Slots::set(Entry, Exceptions, Constant::getNullValue(Ptr));
  for (CallBase *Exception : Made) {
    Value *Shadow = V.isShadowed(Exception) ? get(Exception) : Exception;
    auto *Known = dyn_cast<Instruction>(Shadow);
    IRBuilder<> B(Known && Known != Exception ? Known->getNextNode()
                                              : Exception->getNextNode());
    Value *Note = Allocate(B, B.getInt64(sizeof(verso_exception)));
    auto Put = [&](uint64_t At, Value *X) {
      Ours.insert(B.CreateStore(
          X, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Note, At)));
    };
    Put(offsetof(verso_exception, before), Slots::get(B, Exceptions));
    Put(offsetof(verso_exception, primal), Exception);
    Put(offsetof(verso_exception, shadow), Shadow);
    Put(offsetof(verso_exception, bytes),
        B.CreateZExtOrTrunc(Exception->getArgOperand(0), B.getInt64Ty()));
    Slots::set(B, Exceptions, Note);
  }
}

Value *ShadowPointers::ofCaught(CallBase &Call) {
  if (!Exceptions)
    noteExceptions();
  IRBuilder<> B(Call.getNextNode());
  CallInst *Shadow = B.CreateCall(
      getSupportFunction(*F.getParent(), "__verso_shadow_of_caught"),
      {Slots::get(B, Exceptions), &Call}, Call.getName() + ".shadow");
  Ours.insert(Shadow);
  return Shadow;
}

Value *ShadowPointers::ofCall(CallBase &Call) {
  if (catches(Call)) {
    if (isa<CallInst>(Call))
      return ofCaught(Call);
    Refused.add("a handler that may throw", &Call);
    return &Call;
  }
  if (Call.getIntrinsicID() == Intrinsic::threadlocal_address)
    return get(Call.getArgOperand(0));
  if (isFrame(Call) || isKept(Call) ||
      calls(Call, RuntimeFunction::ArenaTake)) {
    IRBuilder<> B(Call.getNextNode());
    return Allocate(B, Call.getArgOperand(0));
  }
  CallModel M = modelCall(Call, TLI);
  if (!M.Known)
    return &Call;
  const KnownCall &K = *M.Known;
  if (K.returnsArgument() >= 0 && K.K != KnownCall::ArraysOfPlan) {
    // null, or as far into the shadow as it is into the memory
    if (isa<InvokeInst>(Call)) {
      Refused.add("a library function returns a pointer into numbers", &Call);
      return &Call;
    }
    Value *Into = Call.getArgOperand(K.returnsArgument());
    Value *Shadow = get(Into);
    IRBuilder<> B(Call.getNextNode());
    Value *Distance = B.CreateSub(B.CreatePtrToInt(&Call, B.getInt64Ty()),
                                  B.CreatePtrToInt(Into, B.getInt64Ty()));
    return B.CreateSelect(B.CreateIsNull(&Call), &Call,
                          B.CreatePtrAdd(Shadow, Distance));
  }
  BasicBlock::iterator After = std::next(Call.getIterator());
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    After = Invoke->getNormalDest()->getFirstInsertionPt();
  if (isOfText(*Call.getCalledFunction()) && Call.arg_size()) {
    // The string itself, or characters outside of it (Objects::visitText).
    Value *Text = Call.getArgOperand(0);
    bool IsString =
        Call.getRetDereferenceableBytes() >= F.getDataLayout().getPointerSize();
    if (!IsString || !Text->getType()->isPointerTy()) {
      Refused.add("a library function returns a pointer into numbers", &Call);
      return &Call;
    }
    Value *Shadow = get(Text);
    IRBuilder<> B(After->getParent(), After);
    return B.CreateSelect(B.CreateICmpEQ(&Call, Text), Shadow, &Call);
  }
  if (K.K != KnownCall::Allocate && K.K != KnownCall::AllocateZeroed) {
    Refused.add("a library function returns a pointer into numbers", &Call);
    return &Call;
  }
  IRBuilder<> B(After->getParent(), After);
  if (Function *Usable = F.getParent()->getFunction("malloc_usable_size");
      Usable && usesWholeBlocks(F))
    return Allocate(B, B.CreateCall(Usable, &Call));
  // A shadow without a block does no harm, if it is small.
  Value *Bytes = bytesOfCall(B, Call, K);
  auto *Known = dyn_cast<ConstantInt>(Bytes);
  bool IsSmall = Known && Known->getValue().ule(4096);
  return Allocate(B, IsSmall ? Bytes : bytesOfBlock(B, Call, K));
}

/// No pointers have shadows beside them in memory that may be watched.
void ShadowPointers::refuseOld(const Value *P, const Instruction &At) {
  if (V.isWatched() && V.mayBeAtDistance(P))
    Refused.add("a pointer may lead to memory that may be watched or to the "
                "function's own",
                &At);
}

void ShadowPointers::mirrorFor(LoadInst &Load) {
  for (const Place &Q : V.objects().placesOf(Load.getPointerOperand()))
    if (V.objects()[Q.Object].hasSibling())
      Mirrored.insert(Q.Object);
}

/// %shadow = load ptr, %p.shadow
/// %s = %shadow == null ? %pointer : %shadow     where the user left it out
/// Memory without a shadow is its own, and so is what its pointers point to.
Value *ShadowPointers::ofLoad(LoadInst &Load) {
  refuseOld(Load.getPointerOperand(), Load);
  Value *Address = get(Load.getPointerOperand());
  mirrorFor(Load);
  IRBuilder<> B(Load.getNextNode());
  LoadInst *Shadow = B.CreateAlignedLoad(
      Load.getType(), Address, alignmentFor(Load), Load.getName() + ".shadow");
  Ours.insert(Shadow);
  Twins[Shadow] = &Load;
  return B.CreateSelect(B.CreateIsNull(Shadow), &Load, Shadow);
}

bool ShadowPointers::isMirrored(const Value *P) const {
  return any_of(V.objects().placesOf(P),
                [&](const Place &Q) { return Mirrored.contains(Q.Object); });
}

void ShadowPointers::mirror(StoreInst &Store) {
  // Memory without a shadow is its own, where the program's pointer has to
  // stay: constants and characters, where none is stored, or what was missed.
  const Objects &O = V.objects();
  const bool MayLack = V.mayLackShadow(Store.getPointerOperand()) &&
                       V.isShadowed(Store.getValueOperand());
  if (MayLack &&
      any_of(O.placesOf(Store.getPointerOperand()), [&](const Place &Q) {
        return !O[Q.Object].hasSibling() && O[Q.Object].K != Object::Table &&
               O[Q.Object].K != Object::Text;
      }))
    return Refused.add(
        "a pointer to numbers that vary is stored in memory that "
        "may have no shadow",
        &Store);
  Value *Shadow = get(Store.getValueOperand());
  Value *Address = get(Store.getPointerOperand());
  IRBuilder<> B(Store.getNextNode());
  if (MayLack)
    Address = cellOrNowhere(B, Store, Shadow, Address);
  Ours.insert(B.CreateAlignedStore(Shadow, Address, alignmentFor(Store)));
}

/// %lacks = %address.shadow == %address
/// %cell = %lacks ? nowhere : %address.shadow
/// A pointer that needs its shadow is lost there.
Value *ShadowPointers::cellOrNowhere(IRBuilderBase &B, StoreInst &Store,
                                     Value *Shadow, Value *Cell) {
  Value *Lacks = B.CreateICmpEQ(Cell, Store.getPointerOperand());
  if (Shadow != Store.getValueOperand())
    if (auto *Lost = dyn_cast<Instruction>(B.CreateAnd(
            Lacks, B.CreateICmpNE(Shadow, Store.getValueOperand()))))
      Losses.push_back(
          {Lost, "a pointer to numbers that vary was stored in memory that "
                 "the shadow structure has no shadow for"});
  return B.CreateSelect(Lacks, nowhere(), Cell);
}

/// A place for the shadows of what has none; of the size of any number.
Value *ShadowPointers::nowhere() {
  if (!Nowhere) {
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    Nowhere =
        B.CreateAlloca(ArrayType::get(B.getInt8Ty(), 16), nullptr, "nowhere");
    Nowhere->setAlignment(Align(16));
  }
  return Nowhere;
}

/// Where a pointer was there is no adjoint yet.
void ShadowPointers::endPointer(StoreInst &Store) {
  Value *Address = get(Store.getPointerOperand());
  IRBuilder<> B(Store.getNextNode());
  if (V.mayLackShadow(Store.getPointerOperand()))
    Address = B.CreateSelect(B.CreateICmpEQ(Address, Store.getPointerOperand()),
                             nowhere(), Address);
  Type *T = Store.getValueOperand()->getType();
  Ours.insert(B.CreateAlignedStore(Constant::getNullValue(T), Address,
                                   alignmentFor(Store)));
}

/// The shadows of pointers are copied along; pointers that come from memory
/// without a shadow, or bytes, have none. The numbers of the target's shadow
/// are zero as long as the recto runs.
void ShadowPointers::mirror(const BulkAccess &Bulk) {
  if ((Bulk.Pointers.empty() && !V.takesTurns(Bulk.To) &&
       !V.isMarked(Bulk.To)) ||
      detachesNumbers(*Bulk.Call))
    return;
  if (Bulk.From)
    refuseOld(Bulk.From, *Bulk.Call);
  Value *To = get(Bulk.To);
  IRBuilder<> B(Bulk.Call->getNextNode());
  auto Mark = [&](Value *Call) { Ours.insert(cast<Instruction>(Call)); };
  if (!Bulk.From || !V.isShadowed(Bulk.From)) {
    Value *Bytes = Bulk.Bytes;
    if (V.mayLackShadow(Bulk.To))
      Bytes = B.CreateSelect(B.CreateICmpEQ(To, Bulk.To),
                             Constant::getNullValue(Bytes->getType()), Bytes);
    return Mark(B.CreateMemSet(To, B.getInt8(0), Bytes, MaybeAlign()));
  }
  for (const Place &Q : V.objects().placesOf(Bulk.From))
    if (V.objects()[Q.Object].hasSibling())
      Mirrored.insert(Q.Object);
  Value *From = get(Bulk.From);
  B.SetInsertPoint(Bulk.Call->getNextNode());
  Module &M = *F.getParent();
  Value *Bytes = B.CreateZExtOrTrunc(Bulk.Bytes, B.getInt64Ty());
  if (Bulk.IsMarked) {
    // Marks tell numbers, whose shadows are zero now, from the rest; memory
    // without a shadow is its own.
    if (V.mayLackShadow(Bulk.To))
      Bytes = B.CreateSelect(B.CreateICmpEQ(To, Bulk.To), B.getInt64(0), Bytes);
    Value *Lacking = V.mayLackShadow(Bulk.From)
                         ? B.CreateSelect(B.CreateICmpEQ(From, Bulk.From),
                                          Bytes, B.getInt64(0))
                         : B.getInt64(0);
    Mark(B.CreateMemMove(To, MaybeAlign(), From, MaybeAlign(),
                         B.CreateSub(Bytes, Lacking)));
    Mark(B.CreateMemSet(To, B.getInt8(0), Lacking, MaybeAlign()));
    return;
  }
  if (Bulk.Pointers.size() > 1 && mayMeetItself(Bulk, V.objects())) {
    SmallVector<uint64_t, 8> Fields;
    for (const BulkAccess::Field &Each : Bulk.Pointers) {
      Fields.push_back(Each.At.Offset);
      Fields.push_back(Each.At.Step);
    }
    Constant *Table = ConstantDataArray::get(M.getContext(), Fields);
    auto *All = new GlobalVariable(M, Table->getType(), /*isConstant=*/true,
                                   GlobalValue::PrivateLinkage, Table,
                                   "verso.pointers");
    Mark(
        B.CreateCall(getSupportFunction(M, "__verso_move_pointers"),
                     {To, From, Bytes, All, B.getInt64(Bulk.Pointers.size())}));
    return;
  }
  for (const BulkAccess::Field &Each : Bulk.Pointers) {
    auto At = [&](Value *P) {
      return B.CreateConstGEP1_64(B.getInt8Ty(), P, Each.At.Offset);
    };
    Mark(B.CreateCall(
        getSupportFunction(M, "__verso_copy_pointers"),
        {At(To), At(From),
         countOfField(B, Each, M.getDataLayout().getPointerSize(), Bytes),
         B.getInt64(Each.At.Step)}));
  }
}

/// recto:  %lacks = %address.shadow == %address
///         %cell = %lacks ? nowhere : %address.shadow
///         %old = load %cell;  store %value.shadow, %cell
/// verso:  note %cell, load %cell
///         store %old, %cell
void ShadowPointers::reversePointerStore(StoreInst &Store,
                                         IRBuilderBase &Verso) {
  const Objects &O = V.objects();
  Value *Pointer = Store.getPointerOperand();
  if (!V.isShadowed(Pointer) || V.isWatched() ||
      all_of(O.placesOf(Pointer), [&](const Place &Q) {
        return O[Q.Object].hasSibling() || !O[Q.Object].canHaveShadow();
      }))
    return;
  Done.insert(&Store);
  Value *Shadow = get(Store.getValueOperand());
  Value *Cell = get(Pointer);
  IRBuilder<> B(Store.getNextNode());
  if (V.mayLackShadow(Pointer))
    Cell = cellOrNowhere(B, Store, Shadow, Cell);
  LoadInst *Old = B.CreateAlignedLoad(B.getPtrTy(), Cell, alignmentFor(Store));
  Ours.insert(Old);
  Ours.insert(B.CreateAlignedStore(Shadow, Cell, alignmentFor(Store)));
  noteMoved(Verso, Store, Cell);
  Ours.insert(Verso.CreateAlignedStore(Old, Cell, alignmentFor(Store)));
}

AllocaInst *ShadowPointers::listOfMoved() {
  if (!Moved) {
    Type *Ptr = PointerType::getUnqual(F.getContext());
    Moved = S.create(Ptr, "moved");
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Slots::set(Entry, Moved, Constant::getNullValue(Ptr));
  }
  return Moved;
}

/// See UntypedCopies.h. What is local and copied to the caller from has shadows
/// beside its pointers.
void ShadowPointers::reverseUntyped(const BulkAccess &Copy,
                                    IRBuilderBase &Verso) {
  Done.insert(Copy.Call);
  for (const Place &Q : V.objects().placesOf(Copy.From))
    if (V.objects()[Q.Object].hasSibling())
      Mirrored.insert(Q.Object);
  Value *To = get(Copy.To), *From = get(Copy.From);
  IRBuilder<> B(Copy.Call);
  std::vector<uint8_t> Kinds = *kindsOfBytes(Copy, F.getParent());
  Constant *Table = ConstantDataArray::get(F.getContext(), Kinds);
  auto *Global = new GlobalVariable(
      *F.getParent(), Table->getType(),
      /*isConstant=*/true, GlobalValue::PrivateLinkage, Table, "verso.kinds");
  Global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  CallInst *Note = callRuntime(B, RuntimeFunction::CopyUntyped,
                               {Copy.To, Copy.From, To, From,
                                B.CreateZExtOrTrunc(Copy.Bytes, B.getInt64Ty()),
                                Global, B.getInt64(Kinds.size())});
  AllocaInst *List = listOfMoved();
  Slots::set(Verso, List,
             callRuntime(Verso, RuntimeFunction::ReverseUntyped,
                         {Note, Slots::get(Verso, List)}));
}

/// In the end the shadow structure follows the primal one for good: a
/// verso_moved for each pointer that is put back. A sibling does not last, so
/// memory that has one is its own shadow then; those in the arena are told by
/// their addresses.
void ShadowPointers::noteMoved(IRBuilderBase &Verso, StoreInst &Store,
                               Value *Cell) {
  Type *Ptr = Verso.getPtrTy();
  listOfMoved();
  LoadInst *Shadow = Verso.CreateAlignedLoad(Ptr, Cell, alignmentFor(Store));
  Ours.insert(Shadow);
  Value *Primal =
      Verso.CreateAlignedLoad(Ptr, Store.getPointerOperand(), Store.getAlign());
  Value *Kept = Shadow;
  const Objects &O = V.objects();
  for (const Place &Q : O.placesOf(Store.getValueOperand()))
    if (auto *Sibling = O[Q.Object].hasSibling() && O[Q.Object].Base
                            ? dyn_cast<AllocaInst>(get(O[Q.Object].Base))
                            : nullptr) {
      uint64_t Size =
          Sibling->getAllocationSize(F.getDataLayout())->getFixedValue();
      Value *Inside = Verso.CreateICmpULE(
          Verso.CreateSub(Verso.CreatePtrToInt(Shadow, Verso.getInt64Ty()),
                          Verso.CreatePtrToInt(Sibling, Verso.getInt64Ty())),
          Verso.getInt64(Size));
      Kept = Verso.CreateSelect(Inside, Primal, Kept);
    }
  CallInst *Note = callRuntime(Verso, RuntimeFunction::ArenaTake,
                               {Verso.getInt64(sizeof(verso_moved))});
  auto Put = [&](uint64_t At, Value *X) {
    Verso.CreateStore(
        X, Verso.CreateConstInBoundsGEP1_64(Verso.getInt8Ty(), Note, At));
  };
  Put(offsetof(verso_moved, before), Slots::get(Verso, Moved));
  Put(offsetof(verso_moved, cell), Cell);
  Put(offsetof(verso_moved, shadow), Kept);
  Put(offsetof(verso_moved, primal), Primal);
  Slots::set(Verso, Moved, Note);
}

void ShadowPointers::followPointers(IRBuilderBase &B, Value *Mark) {
  B.CreateCall(getSupportFunction(*F.getParent(), "__verso_follow_pointers"),
               {Slots::get(B, Moved), Mark});
}

void ShadowPointers::mirrorStores() {
  for (bool Changed = true; Changed && !Refused;) {
    Changed = false;
    SmallVector<StoreInst *, 16> Stores;
    for (Instruction &I : instructions(F))
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store && !isOurs(Store) && !isStandIn(I) &&
          (Store->getValueOperand()->getType()->isPointerTy() ||
           V.mayEndPointer(*Store)))
        Stores.push_back(Store);
    for (StoreInst *Store : Stores)
      if (isMirrored(Store->getPointerOperand()) && Done.insert(Store).second) {
        Changed = true;
        if (V.mayEndPointer(*Store))
          endPointer(*Store);
        else
          mirror(*Store);
      }
    for (const auto &[Call, Bulk] : V.bulks())
      if (isMirrored(Bulk.To) && !isStandIn(*Call) &&
          Done.insert(Call).second) {
        Changed = true;
        mirror(Bulk);
      }
  }
}
