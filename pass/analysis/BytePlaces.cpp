//===- BytePlaces.cpp - where the bytes of an integer come from -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/BytePlaces.h"
#include "analysis/MovedBytes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// The number of bytes of \p V, if it is an integer of so many that a bit is
/// left for each; else 0.
static unsigned bytesOf(const Value *V) {
  auto *T = dyn_cast<IntegerType>(V->getType());
  return T && T->getBitWidth() % 8 == 0 && T->getBitWidth() <= 512
             ? T->getBitWidth() / 8
             : 0;
}

bool BytePlaces::isMove(const Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !bytesOf(I) || !keepsBytes(*I))
    return false;
  if (isa<TruncInst, ZExtInst>(I))
    return bytesOf(I->getOperand(0));
  if (!isa<BinaryOperator>(I) || I->getOpcode() == Instruction::Or)
    return I->getOpcode() == Instruction::Or;
  const APInt *C;
  return match(I->getOperand(1), m_APInt(C)) &&
         (I->getOpcode() == Instruction::And ||
          (I->isShift() && C->ult(C->getBitWidth())));
}

/// All bytes of the word that byte \p K is in.
static uint64_t wordAround(unsigned K) {
  return maskTrailingOnes<uint64_t>(BytePlaces::WordBytes)
         << alignDown(K, BytePlaces::WordBytes);
}

uint64_t verso::usedWords(const Value *V, const DataLayout &DL) {
  if (!bytesOf(V))
    return ~UINT64_C(0);
  const KnownBits Bits = computeKnownBits(V, DL);
  uint64_t Used = 0;
  for (unsigned K = 0; K != bytesOf(V); ++K)
    if (!Bits.Zero.extractBits(8, 8 * K).isAllOnes())
      Used |= wordAround(K);
  return Used;
}

ArrayRef<PlacedBytes> BytePlaces::of(Value *V) {
  // No recursion: code that packs bits has long chains.
  SmallVector<Value *, 8> Work{V};
  while (!Work.empty()) {
    Value *Next = Work.back();
    const unsigned Before = Work.size();
    if (!Known.contains(Next) && isMove(Next))
      for (Value *Operand : cast<Instruction>(Next)->operands())
        if (!Known.contains(Operand))
          Work.push_back(Operand);
    if (Work.size() != Before)
      continue;
    Work.pop_back();
    if (!Known.contains(Next)) {
      Places P = compute(Next);
      Known.try_emplace(Next, std::move(P));
    }
  }
  return Known.find(V)->second;
}

BytePlaces::Places BytePlaces::compute(Value *V) {
  if (isa<Constant>(V))
    return {};
  const unsigned N = bytesOf(V);
  const Places Whole{{V, 0, maskTrailingOnes<uint64_t>(N)}};
  if (!isMove(V))
    return Whole;
  auto *I = cast<Instruction>(V);
  const APInt *C = nullptr;
  match(I->getOperand(I->getNumOperands() - 1), m_APInt(C));
  Places Result;
  for (Value *Operand : I->operands())
    for (PlacedBytes P : Known.find(Operand)->second) {
      if (I->isShift()) {
        int By = C->getZExtValue() / 8;
        if (I->getOpcode() == Instruction::Shl) {
          P.By += By;
          P.Bytes <<= By;
        } else {
          P.By -= By;
          P.Bytes >>= By;
        }
      } else if (I->getOpcode() == Instruction::Or && P.Of == Operand) {
        // Where it is zero the other is there, and no number of its own.
        const DataLayout &DL = I->getDataLayout();
        const Value *Other = I->getOperand(Operand == I->getOperand(0));
        P.Bytes &= usedWords(Operand, DL) | ~usedWords(Other, DL);
      } else if (I->getOpcode() == Instruction::And) {
        for (unsigned K = 0; K != N; ++K)
          if (C->extractBits(8, 8 * K).isZero())
            P.Bytes &= ~(UINT64_C(1) << K);
      }
      P.Bytes &= maskTrailingOnes<uint64_t>(N);
      auto *Same = find_if(Result, [&](const PlacedBytes &Other) {
        return Other.Of == P.Of && Other.By == P.By;
      });
      if (Same != Result.end())
        Same->Bytes |= P.Bytes;
      else if (P.Bytes)
        Result.push_back(P);
    }
  constexpr unsigned MostPlaces = 64;
  return Result.size() > MostPlaces ? Whole : Result;
}

SmallVector<CutWord, 2> BytePlaces::cutWords(Value *V) {
  const int N = bytesOf(V);
  if (!N || N % WordBytes || !isMove(V))
    return {};
  ArrayRef<PlacedBytes> All = of(V);
  const KnownBits Bits =
      computeKnownBits(V, cast<Instruction>(V)->getDataLayout());
  auto IsThere = [&](Value *Of, int Byte) {
    return any_of(All, [&](const PlacedBytes &P) {
      int Place = Byte + P.By;
      return P.Of == Of && Place >= 0 && Place < N && P.Bytes >> Place & 1;
    });
  };
  SmallVector<CutWord, 2> Cut;
  for (const PlacedBytes &P : All) {
    auto WordsOf = [&](unsigned Word) {
      uint64_t Words = 0;
      for (unsigned K = 0; K != WordBytes; ++K)
        if (int Place = int(Word * WordBytes + K) + P.By;
            Place >= 0 && Place < N && P.Bytes >> Place & 1)
          Words |= wordAround(Place);
      return Words;
    };
    for (unsigned W = 0; W < bytesOf(P.Of) / WordBytes; ++W) {
      const int First = W * WordBytes, Top = First + WordBytes - 1;
      bool IsCut = false;
      for (int Byte = First; Byte <= Top; ++Byte) {
        const int Place = Byte + P.By;
        IsCut |= Place >= 0 && Place < N && !IsThere(P.Of, Byte);
      }
      const int Above = Top + P.By;
      const bool IsPiece = Above >= 0 && Above < N && !IsThere(P.Of, Top) &&
                           Bits.Zero.extractBits(8, 8 * Above).isAllOnes();
      if (uint64_t Kept = WordsOf(W); Kept && IsCut && !IsPiece)
        Cut.push_back({P.Of, W, Kept, WordsOf(W ^ 1)});
    }
  }
  return Cut;
}
