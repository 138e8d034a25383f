//===- JoinedHalves.cpp - words that LLVM keeps in pieces -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/JoinedHalves.h"
#include "analysis/AccessTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Analysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <set>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

namespace {

/// Bits of a value that are bits of a word, whose others are zero.
struct Piece {
  Value *Of;
  uint64_t From; ///< Bit of the value.
  uint64_t Width;
  uint64_t Shift; ///< Bit of the word.

  bool operator<(const Piece &P) const {
    return std::tie(Shift, From, Width, Of) <
           std::tie(P.Shift, P.From, P.Width, P.Of);
  }
  APInt mask() const {
    return APInt::getBitsSet(Of->getType()->getPrimitiveSizeInBits(), From,
                             From + Width);
  }
};
/// In the order of their bits.
using Pieces = SmallVector<Piece, 2>;

} // namespace

static uint64_t bitsOf(const Value *V) {
  return V->getType()->getPrimitiveSizeInBits();
}

static bool isNumberOrInteger(const Value &V) {
  const Type *T = V.getType();
  return T->isIntegerTy() || T->isFloatTy() || T->isDoubleTy();
}

/// The value that the bits of \p P, shifted and put together, come from.
static Piece originOf(Piece P, const DataLayout &DL) {
  constexpr unsigned MaxSteps = 32;
  for (unsigned Step = 0; Step != MaxSteps; ++Step) {
    Value *V, *W;
    uint64_t Shift;
    const APInt *Mask;
    if (match(P.Of, m_Trunc(m_Value(V))) ||
        (match(P.Of, m_BitCast(m_Value(V))) && isNumberOrInteger(*V))) {
      P.Of = V;
    } else if (match(P.Of, m_ZExt(m_Value(V))) &&
               P.From + P.Width <= bitsOf(V)) {
      P.Of = V;
    } else if (match(P.Of, m_LShr(m_Value(V), m_ConstantInt(Shift))) &&
               P.From + P.Width + Shift <= bitsOf(V)) {
      P.Of = V;
      P.From += Shift;
    } else if (match(P.Of, m_Shl(m_Value(V), m_ConstantInt(Shift))) &&
               P.From >= Shift) {
      P.Of = V;
      P.From -= Shift;
    } else if (match(P.Of, m_And(m_Value(V), m_APInt(Mask))) &&
               P.mask().isSubsetOf(*Mask)) {
      P.Of = V;
    } else if (match(P.Of, m_Or(m_Value(V), m_Value(W))) &&
               MaskedValueIsZero(V, P.mask(), SimplifyQuery(DL))) {
      P.Of = W;
    } else if (match(P.Of, m_Or(m_Value(V), m_Value(W))) &&
               MaskedValueIsZero(W, P.mask(), SimplifyQuery(DL))) {
      P.Of = V;
    } else {
      break;
    }
  }
  return P;
}

/// What \p V, a word, has of another value; nothing if that is all of it.
static std::optional<Piece> pieceIn(Value *V) {
  // What does not match has been bound in part.
  Value *Of = nullptr;
  uint64_t Shift = 0;
  unsigned From = 0, Width = 0;
  const APInt *Mask = nullptr;
  const uint64_t Bits = bitsOf(V);
  if (match(V, m_ZExt(m_Value(Of))))
    return Piece{Of, 0, bitsOf(Of), 0};
  if (match(V, m_Shl(m_Value(Of), m_ConstantInt(Shift)))) {
    if (Shift == 0 || Shift >= Bits)
      return std::nullopt;
    Value *Short = nullptr;
    if (match(Of, m_ZExt(m_Value(Short))))
      return Piece{Short, 0, std::min(bitsOf(Short), Bits - Shift), Shift};
    return Piece{Of, 0, Bits - Shift, Shift};
  }
  if (match(V, m_LShr(m_Value(Of), m_ConstantInt(Shift)))) {
    if (Shift == 0 || Shift >= Bits)
      return std::nullopt;
    return Piece{Of, Shift, Bits - Shift, 0};
  }
  if (match(V, m_And(m_Value(Of), m_APInt(Mask))) &&
      Mask->isShiftedMask(From, Width))
    return Piece{Of, From, Width, From};
  return std::nullopt;
}

/// What the word \p V is put together from; nothing if it is not.
static Pieces piecesOf(Value *V, const DataLayout &DL) {
  constexpr unsigned MaxPieces = 8, MaxTerms = 2 * MaxPieces;
  SmallVector<Value *, 4> Left{V};
  Pieces All;
  for (unsigned Terms = 0; !Left.empty(); ++Terms) {
    if (Terms == MaxTerms)
      return {};
    Value *Term = Left.pop_back_val(), *A, *B;
    if (match(Term, m_Or(m_Value(A), m_Value(B)))) {
      Left.append({A, B});
      continue;
    }
    std::optional<Piece> P = pieceIn(Term);
    if (!P || All.size() == MaxPieces)
      return {};
    All.push_back(originOf(*P, DL));
  }
  sort(All);
  for (unsigned K = 0; K + 1 < All.size(); ++K)
    if (All[K].Shift + All[K].Width > All[K + 1].Shift)
      return {};
  return All.size() > 1 ? All : Pieces();
}

namespace {

class Joiner {
public:
  Joiner(IntegerType *Word, const DataLayout &DL) : Word(Word), DL(DL) {}

  /// Whether there is a whole word among those that \p P is chosen from, and
  /// all can be put together where they are chosen.
  bool findsWhole(const Pieces &P) const;
  /// The word of \p P, put together before \p Where.
  Value *join(const Pieces &P, Instruction *Where);

private:
  Value *wholeOf(const Pieces &P) const;
  Instruction *lastOfLoads(const Pieces &P) const;
  static Instruction *choice(const Pieces &P);
  Pieces operand(const Pieces &P, unsigned K) const;

  IntegerType *Word;
  const DataLayout &DL;
  /// A phi wherever it is asked for, others where they are put together.
  std::map<std::pair<Pieces, Instruction *>, Value *> Joined;
};

} // namespace

/// The word that \p P are all of the pieces of.
Value *Joiner::wholeOf(const Pieces &P) const {
  uint64_t End = 0;
  for (const Piece &Part : P) {
    if (Part.Of != P[0].Of || Part.From != End || Part.Shift != End)
      return nullptr;
    End += Part.Width;
  }
  const uint64_t Bits = Word->getBitWidth();
  return bitsOf(P[0].Of) == Bits && End == Bits ? P[0].Of : nullptr;
}

/// If \p P are all of a word in memory, loaded piece by piece with no write
/// between them, the last of the loads; else null. Also where the language says
/// what the pieces are: integers in halves are no number's, as a whole either.
Instruction *Joiner::lastOfLoads(const Pieces &P) const {
  auto *First = dyn_cast<LoadInst>(P[0].Of);
  if (!First || DL.isBigEndian())
    return nullptr;
  uint64_t End = 0;
  Instruction *Last = First, *Begin = First;
  for (const Piece &Part : P) {
    auto *Load = dyn_cast<LoadInst>(Part.Of);
    if (!Load || !Load->isSimple() || !mayBeOfAnyType(*Load) ||
        Load->getParent() != First->getParent() || Part.From != 0 ||
        Part.Width != bitsOf(Load) || Part.Shift != End ||
        Load->getPointerOperand()->getPointerOffsetFrom(
            First->getPointerOperand(), DL) != int64_t(End / 8))
      return nullptr;
    End += Part.Width;
    Last = Last->comesBefore(Load) ? Load : Last;
    Begin = Load->comesBefore(Begin) ? Load : Begin;
  }
  const bool IsRead =
      none_of(make_range(Begin->getIterator(), Last->getIterator()),
              [](const Instruction &I) { return I.mayWriteToMemory(); });
  return IsRead && End == Word->getBitWidth() ? Last : nullptr;
}

/// The first of \p P, if all are chosen together: phis of one block, or selects
/// by one condition.
Instruction *Joiner::choice(const Pieces &P) {
  auto *First = dyn_cast<Instruction>(P.front().Of);
  if (!First || !isa<PHINode, SelectInst>(First))
    return nullptr;
  auto IsChosenAlike = [&](const Piece &Part) {
    auto *I = dyn_cast<Instruction>(Part.Of);
    if (!I || I->getOpcode() != First->getOpcode())
      return false;
    if (auto *Phi = dyn_cast<PHINode>(I))
      return Phi->getParent() == First->getParent() &&
             equal(Phi->blocks(), cast<PHINode>(First)->blocks());
    return I->getOperand(0) == First->getOperand(0);
  };
  return all_of(P, IsChosenAlike) ? First : nullptr;
}

Pieces Joiner::operand(const Pieces &P, unsigned K) const {
  Pieces Result;
  for (Piece Part : P) {
    Part.Of = cast<Instruction>(Part.Of)->getOperand(K);
    Result.push_back(originOf(Part, DL));
  }
  return Result;
}

bool Joiner::findsWhole(const Pieces &P) const {
  constexpr unsigned MaxReached = 256;
  SetVector<Pieces, SmallVector<Pieces, 8>, std::set<Pieces>> Reached;
  Reached.insert(P);
  bool AnyWhole = false;
  for (unsigned N = 0; N != Reached.size(); ++N) {
    const Pieces At = Reached[N];
    if (N == MaxReached)
      return false;
    if (wholeOf(At) || lastOfLoads(At)) {
      AnyWhole = true;
      continue;
    }
    const Instruction *I = choice(At);
    for (unsigned K = I ? isa<SelectInst>(I) : 0; I && K != I->getNumOperands();
         ++K)
      Reached.insert(operand(At, K));
    // There is no place between an invoke and the phi that takes its result.
    if (!I && N != 0 &&
        any_of(At, [](const Piece &Part) { return isa<InvokeInst>(Part.Of); }))
      return false;
  }
  return AnyWhole;
}

Value *Joiner::join(const Pieces &P, Instruction *Where) {
  if (Value *Whole = wholeOf(P))
    return IRBuilder<>(Where).CreateBitCast(Whole, Word);
  Instruction *Choice = choice(P), *LastLoad = lastOfLoads(P);
  auto *Phi = dyn_cast_or_null<PHINode>(Choice);
  Value *&Known = Joined[{P, Phi || LastLoad ? nullptr : Where}];
  if (Known)
    return Known;
  IRBuilder<> B(Where);
  if (LastLoad) {
    auto *First = cast<LoadInst>(P[0].Of);
    B.SetInsertPoint(LastLoad);
    return Known = B.CreateAlignedLoad(Word, First->getPointerOperand(),
                                       First->getAlign());
  }
  if (Phi) {
    B.SetInsertPoint(&Phi->getParent()->front());
    PHINode *Chosen = B.CreatePHI(Word, Phi->getNumIncomingValues());
    Known = Chosen; // Loops come back to it.
    for (auto [K, From] : enumerate(Phi->blocks())) {
      const int Earlier = Chosen->getBasicBlockIndex(From);
      Chosen->addIncoming(Earlier < 0
                              ? join(operand(P, K), From->getTerminator())
                              : Chosen->getIncomingValue(Earlier),
                          From);
    }
    return Known;
  }
  if (Choice) {
    Value *True = join(operand(P, 1), Where);
    Value *False = join(operand(P, 2), Where);
    return Known = B.CreateSelect(Choice->getOperand(0), True, False);
  }
  Known = llvm::Constant::getNullValue(Word);
  for (const Piece &Part : P) {
    if (isa<UndefValue>(Part.Of)) // Poison is one.
      continue;
    Value *V = B.CreateBitCast(Part.Of, B.getIntNTy(bitsOf(Part.Of)));
    if (Part.From)
      V = B.CreateLShr(V, Part.From);
    if (Part.From + Part.Width != bitsOf(Part.Of))
      V = B.CreateAnd(V, Part.mask().lshr(Part.From));
    V = B.CreateZExtOrTrunc(V, Word);
    Known = B.CreateOr(Known, B.CreateShl(V, Part.Shift));
  }
  return Known;
}

PreservedAnalyses JoinHalvesPass::run(Function &F, FunctionAnalysisManager &) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<WeakTrackingVH, 8> Words;
  for (Instruction &I : instructions(F))
    if (I.getOpcode() == Instruction::Or && I.getType()->isIntegerTy())
      Words.push_back(&I);
  bool Changed = false;
  for (WeakTrackingVH &Handle : Words) {
    auto *I = dyn_cast_or_null<Instruction>(Handle);
    const Pieces P = I ? piecesOf(I, DL) : Pieces();
    if (P.empty())
      continue;
    Joiner J(cast<IntegerType>(I->getType()), DL);
    if (!J.findsWhole(P))
      continue;
    I->replaceAllUsesWith(J.join(P, I));
    RecursivelyDeleteTriviallyDeadInstructions(I);
    Changed = true;
  }
  PreservedAnalyses Kept = PreservedAnalyses::none();
  Kept.preserveSet<CFGAnalyses>();
  return Changed ? Kept : PreservedAnalyses::all();
}
