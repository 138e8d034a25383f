//===- Objects.cpp - which objects a pointer points into ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/Objects.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "analysis/CopiedNumbers.h"
#include "emit/KeptBlocks.h"
#include "emit/Runtime.h"
#include "rules/Detached.h"
#include "rules/KnownCalls.h"
#include "structured/NormalizeMemory.h"
#include "structured/memory/IndexChoices.h"
#include "structured/memory/NumberCopies.h"
#include "structured/recursion/Members.h"
#include "structured/recursion/Recursion.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

Objects::Objects(Function &F, ArrayRef<Value *> DupArguments,
                 const TargetLibraryInfo *TLI,
                 ArrayRef<Value *> LoadedArguments)
    : F(F), TLI(TLI), DL(F.getDataLayout()),
      UsesWholeBlocks(usesWholeBlocks(F)), Told(F) {
  Counters OfLoops(F, TLI);
  build(DupArguments, LoadedArguments, OfLoops);
  if (Copies.empty() || !isComplete())
    return;
  NumberCopies = copiesOfNumbers(F, *this, Copies.getArrayRef(), TLI);
  if (NumberCopies.size() == Copies.size())
    return;
  MovesPointers = true;
  forget();
  build(DupArguments, LoadedArguments, OfLoops);
}

void Objects::forget() {
  All.clear();
  Exceptions.clear();
  ByBase.clear();
  Known.clear();
  ReadsInteger.clear();
  MayBeSame.clear();
  Divisors.clear();
  HidesPointers = false;
  FrameWrites.clear();
  StoredOutside.clear();
  StoredNumber.clear();
  Sizes.clear();
  KnownOutside.reset();
  Reached.clear();
  Work = 0;
  Time = 1;
  OutsideChangedAt = 0;
  ChangedAt.clear();
  VisitedAt.clear();
  Added.clear();
  IsBuilding = true;
}

void Objects::build(ArrayRef<Value *> DupArguments,
                    ArrayRef<Value *> LoadedArguments, Counters &Counting) {
  for (Value *V : LoadedArguments)
    addPlace(V, {objectOf(V, Object::Loaded), {}});
  for (Value *V : DupArguments)
    if (!Known.contains(V))
      addPlace(V, {objectOf(V, Object::Dup), {}});
  for (Argument &A : F.args())
    if (A.getType()->isPointerTy() && !Known.contains(&A))
      addPlace(&A, {objectOf(&A, Object::Constant), {}});
  for (Instruction &I : instructions(F))
    if (auto *Bulk = dyn_cast<AnyMemIntrinsic>(&I)) {
      FrameWrites.push_back(Bulk);
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      bool IsPointer = Store->getValueOperand()->getType()->isPointerTy();
      HidesPointers |= IsPointer && isIntegerForCertain(I);
      // Where LLVM has joined two of which one is there, nobody says.
      if (!IsPointer && (isInFrame(I) || mayBeOfAnyType(I)))
        FrameWrites.push_back(Store);
    }
  do {
    Changed = false;
    for (Instruction &I : instructions(F))
      if (isComplete() && !isSettled(I)) {
        VisitedAt[&I] = Time;
        visit(I, Counting);
      }
  } while (Changed && isComplete());
  IsBuilding = false;
  Added.clear();
  // Constants are objects when they are asked for: all that may be are now.
  for (Instruction &I : instructions(F))
    for (const Value *Op : I.operands())
      if (isa<Constant>(Op) && Op->getType()->isPointerTy())
        placesOf(Op);
}

unsigned Objects::objectOf(const Value *Base, Object::Kind K) {
  auto [It, New] = ByBase.try_emplace({Base, K}, All.size());
  if (New)
    All.push_back({K, const_cast<Value *>(Base)});
  return It->second;
}

/// The links of a node are kept apart.
static constexpr unsigned MaxLinks = 4;

static bool holds(OffsetClass A, OffsetClass B) {
  // What most of them are.
  if (!A.Step)
    return !B.Step && A.Offset == B.Offset && !A.HasLeast;
  return B.Step % A.Step == 0 && A.joined(B) == A;
}

/// Adds \p New to a list of which the entries that \p IsSame tells are in one
/// object, \p At being where. \p MaxApart classes of offsets stay what they
/// are; more become one. Returns whether anything changed.
template <typename T, unsigned N, typename SameT, typename AtT>
static bool addOffset(SmallVector<T, N> &All, T New, unsigned MaxApart,
                      SameT IsSame, AtT At) {
  unsigned Apart = 0;
  OffsetClass Whole = At(New);
  for (T &Each : All) {
    if (!IsSame(Each))
      continue;
    if (holds(At(Each), At(New)))
      return false;
    Apart += !holds(At(New), At(Each));
    Whole = Whole.joined(At(Each));
  }
  if (Apart >= MaxApart)
    At(New) = Whole;
  // A least that falls would fall on and on.
  if (any_of(All, [&](T &Each) {
        return IsSame(Each) && At(Each).HasLeast &&
               At(Each).Offset > At(New).Offset;
      }))
    At(New) = At(New).withoutLeast();
  erase_if(All,
           [&](T &Each) { return IsSame(Each) && holds(At(New), At(Each)); });
  All.push_back(New);
  return true;
}

static Places joinedByObject(ArrayRef<Place> All) {
  Places Result;
  for (const Place &P : All) {
    auto *Same =
        find_if(Result, [&](const Place &Q) { return Q.Object == P.Object; });
    if (Same == Result.end())
      Result.push_back(P);
    else
      Same->At = Same->At.joined(P.At);
  }
  return Result;
}

/// What \p P is a multiple of where arrays are copied to it or from it, or set,
/// and where it is no member that is accessed as a number.
static uint64_t usedAlignment(const Value *P, const DataLayout &DL) {
  auto *GEP = dyn_cast<GEPOperator>(P);
  const bool IsMember = GEP && GEP->hasAllConstantIndices();
  uint64_t Most = 1;
  for (const Use &U : P->uses()) {
    User *By = U.getUser();
    if (auto *Bulk = dyn_cast<MemIntrinsic>(By);
        Bulk && Bulk->isArgOperand(&U) && !isa<ConstantInt>(Bulk->getLength()))
      Most = std::max(
          Most,
          Bulk->getParamAlign(Bulk->getArgOperandNo(&U)).valueOrOne().value());
    if (IsMember || getLoadStorePointerOperand(By) != P)
      continue;
    Type *T = getLoadStoreType(By);
    uint64_t Size = DL.getTypeStoreSize(T);
    if (T->isFloatingPointTy())
      Most = std::max(Most, std::min(getLoadStoreAlignment(By).value(), Size));
  }
  return Most;
}

/// Whether \p V is an integer that may be a part of an address, but not all of
/// it.
bool Objects::isShort(const Value &V) const {
  return V.getType()->isIntegerTy() &&
         V.getType()->getIntegerBitWidth() < DL.getPointerSizeInBits();
}

/// Of all addresses that the program takes to pieces there is one place.
Place Objects::piecesOf(Place P) {
  bool IsUsers = All[P.Object].K == Object::Unknown && !All[P.Object].Base;
  return {IsUsers ? P.Object : objectOf(&F, Object::Unknown), {0, 1}};
}

bool Objects::isPieces(Place P) const {
  return All[P.Object].K == Object::Unknown && All[P.Object].Base == &F;
}

void Objects::addPlace(const Value *P, Place New) {
  if (isShort(*P))
    New = piecesOf(New);
  // How many bytes there are in a vector, from its start to its end, says
  // nothing of their size; that an array of numbers is copied from there does.
  // (Objects begin where numbers begin.)
  if (New.At.Step == 1 && isa<Instruction>(P))
    if (auto A = std::min<uint64_t>(usedAlignment(P, DL), DL.getPointerSize());
        A > 1)
      New.At = {0, A};
  Places &Old = Known[P];
  Work += Old.size();
  // An index tells how many there are.
  const unsigned MaxApart =
      isa<GEPOperator>(P) ? IndexChoices::MaxChoices : MaxLinks;
  if (addOffset(
          Old, New, MaxApart,
          [&](const Place &Q) { return Q.Object == New.Object; },
          [](auto &Q) -> auto & { return Q.At; })) {
    Changed = true;
    ChangedAt[P] = ++Time;
  }
}

/// Keeps the list of what is stored in external memory.
void Objects::noteStored(unsigned K, const Object::Content &New) {
  auto [It, IsNew] = StoredNumber.try_emplace(
      std::pair(2 * New.Target.Object + New.AsInteger, New.Type),
      StoredOutside.size());
  if (IsNew)
    return StoredOutside.push_back({New.Target, New.AsInteger, New.Type, K});
  Stored &Old = StoredOutside[It->second];
  Old.Target.At = Old.Target.At.joined(New.Target.At);
  Old.InSeveral |= Old.In != K;
}

/// Whether these are known to be in a long list, which once in it are held by
/// some entry ever after. Else they are from now on.
bool Objects::wasAdded(unsigned K, const Object::Content &New) {
  constexpr unsigned Short = 8, MaxAdded = 1 << 20;
  if (All[K].Contents.size() <= Short)
    return false;
  if (Added.size() >= MaxAdded)
    Added.clear();
  return !Added
              .insert({K, New.Cell, New.Target.Object, New.Target.At,
                       New.AsInteger, New.Type})
              .second;
}

void Objects::addContent(unsigned K, Object::Content New) {
  auto &Contents = All[K].Contents;
  Work += 2 * Contents.size();
  if (wasAdded(K, New) || !canHold(K, New.Cell))
    return;
  if (All[K].isExternal())
    noteStored(K, New);
  // Copies within an object move cells on and on: of many that lead to the same
  // object, all lead to all.
  constexpr unsigned MaxCells = 32;
  auto LeadsThere = [&](const Object::Content &C) {
    return C.Target.Object == New.Target.Object &&
           C.AsInteger == New.AsInteger && C.Type == New.Type;
  };
  unsigned Cells = 0;
  for (const Object::Content &C : Contents)
    if (LeadsThere(C)) {
      if (holds(C.Cell, New.Cell) && holds(C.Target.At, New.Target.At))
        return;
      ++Cells;
    }
  if (Cells >= MaxCells) {
    for (const Object::Content &C : Contents)
      if (LeadsThere(C)) {
        New.Cell = New.Cell.joined(C.Cell);
        New.Target.At = New.Target.At.joined(C.Target.At);
      }
    erase_if(Contents, LeadsThere);
  }
  if (!addOffset(
          Contents, New, MaxLinks,
          [&](const Object::Content &C) {
            return C.Cell == New.Cell && LeadsThere(C);
          },
          [](auto &C) -> auto & { return C.Target.At; }))
    return;
  Changed = true;
  All[K].ChangedAt = ++Time;
  if (All[K].isExternal())
    OutsideChangedAt = Time;
}

/// Null, or an address where nothing is, as empty vectors of Rust have.
bool Objects::isNowhere(const Value *P) {
  auto *Cast = dyn_cast<ConstantExpr>(P);
  auto *Address = Cast && Cast->getOpcode() == Instruction::IntToPtr
                      ? dyn_cast<ConstantInt>(Cast->getOperand(0))
                      : nullptr;
  return isa<ConstantPointerNull, UndefValue>(P) ||
         (Address && Address->getValue().ult(FirstPageBytes));
}

Places Objects::placesOf(const Value *P) const {
  if (auto It = Known.find(P); It != Known.end())
    return It->second;
  if (isNowhere(P))
    return {};
  if (IsBuilding && isa<Instruction>(P))
    return {}; // Not reached yet.
  if (auto *GEP = dyn_cast<GEPOperator>(P)) {
    Places Result = placesOf(GEP->getPointerOperand());
    APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
    bool IsKnown = GEP->accumulateConstantOffset(DL, Offset);
    for (Place &Q : Result)
      Q.At = IsKnown ? Q.At.plus(Offset.getSExtValue(), 0) : Q.At.plus(0, 1);
    return Result;
  }
  if (auto *Cast = dyn_cast<PtrToIntOperator>(P))
    return isa<Constant>(P) ? placesOf(Cast->getPointerOperand()) : Places();
  if (auto *Aggregate = dyn_cast<ConstantAggregate>(P)) {
    Places Result;
    for (const Use &Element : Aggregate->operands())
      append_range(Result, placesOf(Element));
    return Result;
  }
  if (!P->getType()->isPointerTy())
    return {};
  // Constants are looked at when they are asked for.
  auto &Self = const_cast<Objects &>(*this);
  Object::Kind K = Object::Unknown;
  if (auto *G = dyn_cast<GlobalVariable>(P)) {
    Type *T = G->getValueType();
    bool HasSize = T->isSized() && DL.getTypeAllocSize(T) != 0;
    K = G->isConstant() || isMarkedInactive(*G) ? Object::Table
        : HasSize                               ? Object::Global
                                                : Object::Unknown;
  } else if (isa<Function>(P))
    K = Object::Table;
  if (!isa<Constant>(P))
    return {};
  return {{Self.objectOf(P, K), {}}};
}

void Objects::addAll(const Value *P, const Places &From, int64_t Constant,
                     uint64_t AnyMultipleOf) {
  for (const Place &Q : From)
    addPlace(P, {Q.Object, Q.At.plus(Constant, AnyMultipleOf)});
}

/// What an address may become, and be made of again.
void Objects::visitInteger(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return visitLoad(*Load);
  if (!isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst,
           ExtractValueInst, IntrinsicInst>(I))
    return;
  // A distance is none.
  if (I.getOpcode() == Instruction::Sub && !placesOf(I.getOperand(0)).empty() &&
      !placesOf(I.getOperand(1)).empty())
    return;
  bool IsSame = isa<PtrToIntInst, PHINode, SelectInst, FreezeInst>(I);
  for (const Use &U : I.operands())
    if (!U->getType()->isPointerTy() || isa<PtrToIntInst>(I))
      addAll(&I, placesOf(U), 0, IsSame ? 0 : 1);
}

void Objects::copyContents(CallBase &Copy, const Value *To, const Value *From,
                           const Value *Bytes) {
  uint64_t Extent = extentOf(Bytes, To, From);
  // A pointer that is kept as a number is one that nobody reads as a pointer.
  MDNode *const Type =
      assignedNumber(Copy) ? Copy.getMetadata(LLVMContext::MD_tbaa) : nullptr;
  for (const Place &Q : placesOf(From))
    for (const Place &P : placesOf(To)) {
      auto Copied = [&](ArrayRef<Object::Content> Contents) {
        for (const Object::Content &C : Contents)
          if (isComplete() &&
              C.Cell.overlaps(DL.getPointerSize(), Q.At, Extent))
            addContent(P.Object, {C.Cell.moved(Q.At, P.At), C.Target,
                                  C.AsInteger, Type ? Type : C.Type});
      };
      if (P.Object == Q.Object)
        Copied(SmallVector<Object::Content, 2>(All[Q.Object].Contents));
      else
        Copied(All[Q.Object].Contents);
      if (All[Q.Object].isLocal() || NumberCopies.contains(&Copy) ||
          isOfNumbers(All[Q.Object].Base))
        continue;
      Copies.insert(&Copy);
      if (MovesPointers)
        readFrom(&Copy, Q, [&](Place R) {
          addContent(P.Object, {{0, 1}, R, /*AsInteger=*/false, Type});
        });
    }
}

bool verso::catches(const CallBase &Call) {
  return callsNamed(Call, "__cxa_begin_catch") ||
         callsNamed(Call, "__cxa_get_exception_ptr");
}

Value *verso::thrownBy(const CallBase &Call) {
  return callsNamed(Call, "__cxa_throw") ||
                 callsNamed(Call, "__cxa_init_primary_exception")
             ? Call.getArgOperand(0)
             : nullptr;
}

bool verso::allocatesException(const CallBase &Call) {
  return callsNamed(Call, "__cxa_allocate_exception");
}

/// A library function or one that differentiation does not look into may write
/// pointers where \p To points to. (What it writes to the caller's memory is
/// the caller's, like all that its pointers point to.)
void Objects::writeUnknown(CallBase &I, const Value *To) {
  for (const Place &P : placesOf(To))
    if (All[P.Object].isLocal())
      addContent(P.Object, {{0, 1}, {objectOf(&I, Object::Unknown), {0, 1}}});
}

/// A string points to its characters first of all, which functions of several
/// strings may hand on from one to another. (One object for each call made the
/// analysis quadratic.) References that are returned are
/// the string or one of its characters.
void Objects::visitText(CallBase &I) {
  Place Text{objectOf(nullptr, Object::Text), {0, 1}};
  SmallVector<Places, 2> Strings;
  for (const Use &A : I.args())
    if (A->getType()->isPointerTy())
      Strings.push_back(placesOf(A));
  SmallVector<Place, 8> Characters{Text};
  for (const Places &Ps : Strings)
    for (const Place &P : Ps)
      for (const Object::Content &C : All[P.Object].Contents)
        if (C.Cell.overlaps(DL.getPointerSize(), P.At, DL.getPointerSize()))
          Characters.push_back(C.Target);
  for (const Places &Ps : Strings)
    for (const Place &P : Ps)
      if (All[P.Object].isLocal())
        for (const Place &To : Characters)
          addContent(P.Object, {P.At, To});
  if (!I.getType()->isPointerTy())
    return;
  bool HasString = I.arg_size() && I.getArgOperand(0)->getType()->isPointerTy();
  bool IsString =
      HasString && I.getRetDereferenceableBytes() >= DL.getPointerSize();
  if (HasString)
    addAll(&I, Strings[0], 0, IsString ? 0 : 1);
  if (!IsString)
    for (const Place &To : Characters)
      addPlace(&I, {To.Object, {0, 1}});
}

void Objects::visitCall(CallBase &I) {
  if (isDetachedValue(I))
    return addAll(&I, placesOf(I.getArgOperand(0)));
  if (isFrame(I) || isKept(I) || calls(I, RuntimeFunction::ArenaTake))
    return addPlace(&I, {objectOf(&I, Object::Heap), {}});
  if (auto *II = dyn_cast<IntrinsicInst>(&I);
      II && II->getIntrinsicID() == Intrinsic::threadlocal_address)
    return addAll(&I, placesOf(II->getArgOperand(0)));
  if (catches(I)) {
    // One of ours, or a base of it, or the pointer that was thrown; or one from
    // elsewhere, which does not vary.
    for (const CallBase *E : Exceptions) {
      addAll(&I, placesOf(E), 0, 1);
      for (const Place &P : Places(placesOf(E)))
        for (const Object::Content &C :
             decltype(Object::Contents)(All[P.Object].Contents))
          addPlace(&I, {C.Target.Object, {0, 1}});
    }
    return addPlace(&I, {objectOf(&I, Object::Constant), {0, 1}});
  }
  if (callsMember(I))
    return; // It stores nothing, and returns numbers.
  CallModel M = modelCall(I, TLI);
  if (M.K == CallModel::Indirect)
    return; // Nothing yet, and none is left in the end: see Targets.h.
  int Returned = KnownCall::None;
  if (const Function *F = I.getCalledFunction(); F && isMarkedInactive(*F))
    for (const auto &[K, A] : enumerate(I.args()))
      if (!I.onlyReadsMemory(K))
        writeUnknown(I, A);
  if (const Function *F = I.getCalledFunction(); F && isOfText(*F))
    return visitText(I);
  if (M.K == CallModel::Library || M.Known) {
    const KnownCall &K = *M.Known;
    if (K.K != KnownCall::ArraysOfPlan)
      Returned = K.returnsArgument();
    if (K.K == KnownCall::WritesBytes && K.Destination >= 0) {
      writeUnknown(I, I.getArgOperand(K.Destination));
    } else if (K.K == KnownCall::Copy) {
      copyContents(I, I.getArgOperand(K.Destination), I.getArgOperand(K.Source),
                   K.Size < 0 ? nullptr : I.getArgOperand(K.Size));
    } else if (K.K == KnownCall::Allocate || K.K == KnownCall::AllocateZeroed) {
      addPlace(&I, {objectOf(&I, Object::Heap), {}});
      if (allocatesException(I) && !is_contained(Exceptions, &I))
        Exceptions.push_back(&I);
      return;
    }
  }
  if (!I.getType()->isPointerTy())
    return;
  if (Returned >= 0)
    addAll(&I, placesOf(I.getArgOperand(Returned)), 0, 1);
  else
    addPlace(&I, {objectOf(&I, Object::Unknown), {0, 1}});
}

/// Whether a visit would find what the last one did. (Of integers, indices and
/// what functions say of their objects more counts than their operands.)
bool Objects::isSettled(const Instruction &I) const {
  const uint64_t Last = VisitedAt.lookup(&I);
  auto *GEP = dyn_cast<GetElementPtrInst>(&I);
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Last || I.getType()->isIntegerTy() || Told.knowsOperandOf(I) ||
      (GEP && !GEP->hasAllConstantIndices()) || (Call && catches(*Call)))
    return false;
  const bool Reads = Call || isa<LoadInst>(I);
  return none_of(I.operands(), [&](const Use &U) {
    return ChangedAt.lookup(U) > Last ||
           (Reads && U->getType()->isPointerTy() &&
            any_of(placesOf(U), [&](const Place &Q) {
              const Object &O = All[Q.Object];
              return O.ChangedAt > Last ||
                     (O.isExternal() && OutsideChangedAt > Last);
            }));
  });
}

void Objects::visit(Instruction &I, Counters &Counting) {
  if (I.getType()->isIntegerTy())
    visitDivisor(I);
  if (auto *Call = dyn_cast<CallBase>(&I))
    return visitCall(*Call);
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const Value *V = Store->getValueOperand();
    const bool AsInteger = V->getType()->isIntegerTy();
    MDNode *const Type = accessTag(*Store);
    for (const Place &Q : placesAt(Store->getOperandUse(0)))
      for (const Place &P :
           placesAt(Store->getOperandUse(Store->getPointerOperandIndex())))
        addContent(P.Object, {P.At, Q, AsInteger, Type});
    return;
  }
  if (I.getType()->isIntegerTy() && !I.getType()->isIntegerTy(1))
    return visitInteger(I);
  // An aggregate points to whatever its pointers do.
  if (I.getType()->isAggregateType() &&
      isa<InsertValueInst, ExtractValueInst, PHINode, SelectInst, FreezeInst>(
          I))
    for (const Use &U : I.operands())
      addAll(&I, placesOf(U));
  if (!I.getType()->isPointerTy())
    return;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return visitLoad(*Load);
  if (isa<AllocaInst>(I))
    return addPlace(&I, {objectOf(&I, Object::Alloca), {}});
  if (auto *GEP = dyn_cast<GEPOperator>(&I)) {
    Places From = placesAt(GEP->getOperandUse(GEP->getPointerOperandIndex()));
    const IndexChoices Index(*GEP, DL, Counting);
    if (!Index.isKnown())
      return addAll(&I, From, 0, 1);
    // Fields are kept apart rather than structures.
    if (From.size() * Index.Sums.size() > IndexChoices::MaxChoices)
      From = joinedByObject(From);
    uint64_t Step = 0;
    for (auto &[V, Scale] : Index.Rest)
      Step = std::gcd(Step, Scale.abs().getZExtValue() * divisor(V));
    const bool IsUpwards = Step && Index.restIsUpwards(*GEP, DL);
    int64_t Least = 0;
    if (IsUpwards && Index.Rest.size() == 1) {
      const auto &[V, Scale] = Index.Rest.front();
      Least = (Scale * least(*V)).getSExtValue();
    }
    for (const APInt &Sum : Index.Sums) {
      const int64_t Start = Sum.getSExtValue();
      if (!IsUpwards) {
        addAll(&I, From, Start, Step);
        continue;
      }
      Places Begin = From;
      for (Place &Q : Begin)
        Q.At = Q.At.plus(Start + Least, 0);
      addElements(&I, Begin, Step);
    }
    return;
  }
  if (auto *Phi = dyn_cast<PHINode>(&I)) {
    for (const Use &U : Phi->incoming_values())
      addAll(&I, placesAt(U));
    return;
  }
  if (auto *S = dyn_cast<SelectInst>(&I)) {
    addAll(&I, placesAt(S->getOperandUse(1)));
    return addAll(&I, placesAt(S->getOperandUse(2)));
  }
  if (isa<FreezeInst, BitCastInst, AddrSpaceCastInst>(I))
    return addAll(&I, placesOf(I.getOperand(0)));
  if (isa<IntToPtrInst, ExtractValueInst>(I))
    addAll(&I, placesOf(I.getOperand(0)), 0, 1);
  addPlace(&I, {objectOf(&I, Object::Unknown), {0, 1}});
}

bool Objects::mayOverlap(const Value *P, uint64_t PSize, const Value *Q,
                         uint64_t QSize) const {
  Places Ps = placesOf(P), Qs = placesOf(Q);
  for (const Place &A : Ps)
    for (const Place &B : Qs) {
      if (A.Object == B.Object) {
        // Two nodes that are reached by one load may overlap anyhow.
        if (All[A.Object].K > Object::Dup || A.At.overlaps(PSize, B.At, QSize))
          return true;
        continue;
      }
      bool Distinct = All[A.Object].isLocal() || All[B.Object].isLocal();
      if (!Distinct)
        return true;
    }
  return false;
}
