//===- Pointers.cpp - pointers that are loaded, stored and cast -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer's image leads to its shadow, and where memory has a shadow, the
// shadow of a pointer that lies there stands beside it. But what is loaded as a
// pointer may be a number (runtime/NumbersAsPointers.h), if the language does
// not say that it is none. Then its shadow is no address, and tells the image.
//
//===----------------------------------------------------------------------===//

#include "analysis/AccessTypes.h"
#include "emit/Companion.h"
#include "taped/Instrumenter.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;
using namespace verso;

/// Whether \p V may be the bits of a number.
bool Instrumenter::mayBeNumber(const Value *V) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work{V};
  while (!Work.empty()) {
    const Value *Of = Work.pop_back_val();
    if (!Seen.insert(Of).second)
      continue;
    if (isa<Constant, AllocaInst>(Of))
      continue;
    if (auto *Step = dyn_cast<GEPOperator>(Of))
      Work.push_back(Step->getPointerOperand());
    else if (auto *Choice = dyn_cast<SelectInst>(Of))
      Work.append({Choice->getTrueValue(), Choice->getFalseValue()});
    else if (auto *Phi = dyn_cast<PHINode>(Of))
      append_range(Work, Phi->incoming_values());
    else if (auto *Load = dyn_cast<LoadInst>(Of);
             !Load || !isPointerForCertain(*Load))
      return true;
  }
  return false;
}

/// The shadow of a number.
static Value *isNumbers(IRBuilderBase &B, Value *Shadow) {
  return B.CreateICmpUGE(B.CreatePtrToInt(Shadow, B.getInt64Ty()),
                         B.getInt64(VERSO_NUMBER_AS_SHADOW));
}

/// The shadow of \p P; a number has none: P itself.
Value *Instrumenter::addressShadow(IRBuilderBase &B, Value *P) {
  Value *Shadow = companion(P);
  return Shadow == P || !mayBeNumber(P)
             ? Shadow
             : B.CreateSelect(isNumbers(B, Shadow), P, Shadow);
}

/// Whether \p Bits are no address as most are: a null pointer, a small integer
/// or a float beside zero, or have a tag or are all those of a number.
static Value *isDoubtful(IRBuilderBase &B, Value *P) {
  constexpr uint64_t First = UINT64_C(1) << 32;
  Value *Bits = B.CreatePtrToInt(P, B.getInt64Ty());
  return B.CreateICmpUGT(B.CreateSub(Bits, B.getInt64(First)),
                         B.getInt64(VERSO_ADDRESS_MASK - First));
}

/// if (nobody has written it, p is tracked, q is not doubtful)
///   shadow(q) = *shadow(p), else
/// handle = handleOfPair(img)
/// if (live(handle)) shadow(q) = slot(handle)
/// else if (live(img's words) || (p is tracked, q is doubtful))
///   shadow(q) = __verso_shadow_at(...)
/// else shadow(q) = *shadow(p)
/// q itself if that is null
Value *Instrumenter::loadShadow(LoadInst &I, Place At) {
  BuilderAfter B(I);
  bool MayBeNumber = !isPointerForCertain(I);
  auto Unnamed = [&](IRBuilderBase &Where) -> Value * {
    // Through a shadow structure. Untracked p gives q.
    return At.Shadow ? Where.CreateLoad(Where.getPtrTy(), At.Shadow)
                     : static_cast<Value *>(&I);
  };
  auto ByImage = [&](IRBuilderBase &Where, Value *Image) -> Value * {
    auto Doubtful = [&](IRBuilder<> &Where) {
      auto [High, Low] = splitPair(Where, Image, /*Swapped=*/true);
      Value *Any = isLive(Where, Where.CreateSub(High, Tape.base()));
      if (Registry.holdsPacked()) // It may have come in pieces.
        Any = Where.CreateOr(Any, isUpperHalf(Where, High));
      if (!MayBeNumber)
        return Any;
      Any =
          Where.CreateOr(Any, isLive(Where, Where.CreateSub(Low, Tape.base())));
      if (!At.Shadow)
        return Any;
      return Where.CreateOr(Any, isDoubtful(Where, &I));
    };
    auto Named = [&](IRBuilder<> &Where) -> Value * {
      if (MayBeNumber)
        return callClaiming(Where, "__verso_shadow_at",
                            {Tape.context(), At.Pointer, shadowOf(At), &I});
      Value *Settled = settle(Where, At.Pointer, VERSO_CELL_POINTER);
      return Where.CreateSelect(
          Where.CreateIsNull(Settled), Unnamed(Where),
          Where.CreateLoad(Where.getPtrTy(), slotOf(Where, Settled)));
    };
    Value *Handle = handleOfPair(Where, Image);
    return emitBranch(
        Where, isLive(Where, Handle), Where.getPtrTy(),
        [&](IRBuilder<> &Then) -> Value * {
          return Then.CreateLoad(Then.getPtrTy(), slotOf(Then, Handle));
        },
        [&](IRBuilder<> &Else) -> Value * {
          return emitBranch(Else, Doubtful(Else), Else.getPtrTy(), Named,
                            Unnamed);
        });
  };
  Value *Shadow;
  if (mayBePacked(I)) {
    Shadow = emitBranch(
        B, isPacked(B, At.Pointer), B.getPtrTy(),
        [&](IRBuilder<> &Then) {
          return callClaiming(Then, "__verso_packed_shadow_at",
                              {Tape.context(), At.Pointer, shadowOf(At), &I});
        },
        [&](IRBuilder<> &Else) {
          return ByImage(Else, loadImage(Else, Else.getInt64Ty(), At.Pointer));
        });
  } else if (At.Shadow && isFresh(I)) {
    Value *BySteps = isTracked(B, At);
    if (MayBeNumber)
      BySteps = B.CreateAnd(BySteps, B.CreateNot(isDoubtful(B, &I)));
    Shadow = emitBranch(
        B, B.CreateFreeze(BySteps), B.getPtrTy(), Unnamed,
        [&](IRBuilder<> &Else) {
          return ByImage(Else, loadImage(Else, Else.getInt64Ty(), At.Pointer));
        },
        /*Likely=*/true);
  } else {
    Shadow = ByImage(B, loadImage(B, B.getInt64Ty(), At.Pointer));
  }
  if (MayBeNumber && Registry.isSilent())
    Shadow = B.CreateSelect(isNumbers(B, Shadow), &I, Shadow);
  return orItself(B, Shadow, &I);
}

/// The image of \p P: a new handle, whose slot keeps the shadow, or that of the
/// number that it is.
Value *Instrumenter::pointerImage(IRBuilderBase &B, Value *P, Value *Shadow,
                                  bool MayBeNumber) {
  if (Shadow == P || isa<ConstantPointerNull>(Shadow))
    return B.getInt64(0);
  auto OfPointer = [&](IRBuilder<> &Where) {
    Value *Handle = Tape.mark(Where, VERSO_RECORD_HANDLE);
    Where.CreateStore(Shadow, slotOf(Where, Handle));
    return pairImage(Where, Where.CreateAdd(Handle, Tape.base()),
                     /*Swapped=*/true);
  };
  auto OfNumber = [&](IRBuilder<> &Where) {
    auto Bits = [&](Value *V) {
      return Where.CreatePtrToInt(V, Where.getInt64Ty());
    };
    Tape.spill(Where);
    return callRuntime(Where, RuntimeFunction::ImageOfNumber,
                       {Tape.context(), Bits(Shadow), Bits(P)});
  };
  Value *Tracked = B.CreateICmpNE(Shadow, P);
  Tape.reserve(cast<Instruction>(B.CreateFreeze(Tracked)),
               TapeWriter::MarkBytes);
  return emitIf(
      B, Tracked, B.getInt64(0),
      [&](IRBuilder<> &Then) -> Value * {
        if (!MayBeNumber)
          return OfPointer(Then);
        return emitBranch(Then, isNumbers(Then, Shadow), Then.getInt64Ty(),
                          OfNumber, OfPointer);
      },
      /*Unlikely=*/false);
}

/// shadow(p) = image(q);  *shadow(p) = shadow(q)
/// or, if q may be a number and its shadow is doubtful,
///   __verso_follow_stored(...)
void Instrumenter::storePointer(StoreInst &I, Place At) {
  BuilderAfter B(I);
  Value *Q = I.getValueOperand();
  Value *Shadow = companion(Q);
  bool MayBeNumber = !isPointerForCertain(I) && mayBeNumber(Q);
  Value *Image = pointerImage(B, Q, Shadow, MayBeNumber);
  if (mayBePacked(I))
    ifPacked(
        B, At,
        [&](IRBuilder<> &Then) {
          storePacked(Then, Image, VERSO_CELL_POINTER, At);
        },
        [&](IRBuilder<> &Else) { storeImage(Else, Image, At.Pointer); });
  else
    storeImage(B, Image, At.Pointer);
  if (!At.Shadow)
    return;
  Value *Tracked = isTracked(B, At);
  // The shadow structure follows. An untracked p is its own shadow here.
  auto Follow = [&](IRBuilderBase &Where) {
    Where.CreateStore(Where.CreateSelect(Tracked, Shadow, Q), At.Shadow);
  };
  bool MayBeZero = isa<ConstantPointerNull>(Q) && !isPointerForCertain(I);
  if (!MayBeNumber && !MayBeZero)
    return Follow(B);
  Value *Doubtful = B.CreateAnd(Tracked, isDoubtful(B, Shadow));
  verso::emitIf(B, Doubtful, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
    callClaiming(Then, "__verso_follow_stored",
                 {Tape.context(), At.Pointer, At.Shadow, Q, Shadow});
  });
  verso::emitIf(B, B.CreateNot(Doubtful), /*Unlikely=*/false, Follow);
}

/// The handle of a pointer with this image, and whether it has one.
std::pair<Value *, Value *> Instrumenter::handleOfImage(IRBuilderBase &B,
                                                        Value *Image) {
  auto [Key, Other] = splitPair(B, Image, /*Swapped=*/true);
  Value *Handle = B.CreateSub(Key, Tape.base());
  return {Handle, B.CreateAnd(B.CreateICmpULT(Handle, Tape.next(B)),
                              B.CreateICmpEQ(Other, partner(B, Key)))};
}

/// The shadow of a pointer with this image, null if it has none.
Value *Instrumenter::shadowOfImage(IRBuilderBase &B, Value *Image) {
  auto [Handle, IsLive] = handleOfImage(B, Image);
  Handle = B.CreateSelect(IsLive, Handle, B.getInt32(0));
  return B.CreateLoad(B.getPtrTy(), slotOf(B, Handle));
}

/// The shadow of a pointer that was an integer: by the same distance from that
/// of the pointer it was computed from, or what its image says.
Value *Instrumenter::shadowOfInteger(Instruction &I) {
  BuilderAfter B(I);
  Value *X = I.getOperand(0);
  if (Value *P = pointerBehindInteger(X)) {
    Value *Distance = B.CreateSub(B.CreateZExtOrTrunc(X, B.getInt64Ty()),
                                  B.CreatePtrToInt(P, B.getInt64Ty()));
    return B.CreateGEP(B.getInt8Ty(), companion(P), Distance);
  }
  Value *Image = B.CreateZExtOrTrunc(companion(X), B.getInt64Ty());
  Value *Lost =
      pairImage(B, B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST)),
                /*Swapped=*/true);
  failIf(B, B.CreateICmpEQ(Image, Lost), I,
         "a pointer with a shadow was computed from two pointers by integer "
         "arithmetic; keep the pointers");
  Value *Shadow = shadowOfImage(B, Image);
  if (Registry.isSilent() || !X->getType()->isIntegerTy(64))
    return orItself(B, Shadow, &I);
  // A number's?
  Value *Unknown = B.CreateAnd(B.CreateIsNull(Shadow), classify(B, Image).Live);
  Shadow = emitIf(B, Unknown, Shadow, [&](IRBuilder<> &Then) -> Value * {
    return callClaiming(Then, "__verso_shadow_of_bits",
                        {Tape.context(), Image, &I});
  });
  return orItself(B, Shadow, &I);
}
