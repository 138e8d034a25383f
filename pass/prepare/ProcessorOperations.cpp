//===- ProcessorOperations.cpp - x86's own, in LLVM's words ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the instructions compute: Intel 64 and IA-32 Architectures Software
// Developer's Manual, volume 2.
//
//===----------------------------------------------------------------------===//

#include "prepare/ProcessorOperations.h"
#include "prepare/Rounded.h"
#include "rules/Detached.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <numeric>

using namespace llvm;
using namespace verso;

namespace {

/// Emits one operation on whole vectors of real numbers. A null result: it is
/// not known.
class Emitter {
public:
  explicit Emitter(CallInst &Call)
      : Call(Call), B(&Call), T(Call.getType()),
        V(dyn_cast<FixedVectorType>(T)) {
    if (isa<FPMathOperator>(Call))
      B.setFastMathFlags(Call.getFastMathFlags());
  }

  Value *intrinsic(StringRef Name);
  Value *assembly(const InlineAsm &Asm);

private:
  Value *arg(unsigned K) const { return Call.getArgOperand(K); }
  std::optional<uint64_t> immediate(unsigned K) const;
  Value *estimate(bool IsOfRoot, bool IsScalar);
  Value *arithmetic(StringRef Name, ArrayRef<Value *> X);
  Value *fused(StringRef Name, ArrayRef<Value *> X);
  Value *alternate(Value *Even, Value *Odd);
  Value *horizontal(bool IsSum);
  Value *round(Value *X, uint64_t How);
  Value *dotProduct(uint64_t How);
  Value *maskOf(Value *SignedMask);
  Value *gather();
  Value *comparison(uint64_t How, bool IsScalar);
  Value *permutation(StringRef Op);
  Value *insertion(uint64_t How);
  Value *conversion(StringRef Name);
  Value *toHalves();
  unsigned count() const { return V->getNumElements(); }
  /// Numbers in 128 bits: what horizontal operations keep to.
  unsigned perLane() const { return 128 / T->getScalarSizeInBits(); }

  CallInst &Call;
  IRBuilder<> B;
  Type *T;
  FixedVectorType *V; ///< The same; null if it is none.
};

} // namespace

std::optional<uint64_t> Emitter::immediate(unsigned K) const {
  auto *C = dyn_cast<ConstantInt>(arg(K));
  return C ? std::optional(C->getZExtValue()) : std::nullopt;
}

/// Some bits of 1 / x, or of 1 / sqrt(x): the derivative is that of the
/// function itself, of which libraries make it by a step of Newton's method.
Value *Emitter::estimate(bool IsOfRoot, bool IsScalar) {
  SmallVector<Value *, 3> Detached(Call.args());
  for (Value *&X : Detached)
    X = emitDetached(B, X);
  Value *Bits = B.CreateCall(Call.getCalledFunction(), Detached);
  Type *E = T->getScalarType();
  Value *Result = arg(0);
  for (unsigned K = 0; K != (IsScalar ? 1 : count()); ++K) {
    Value *X = B.CreateExtractElement(arg(0), K);
    if (IsOfRoot)
      X = B.CreateUnaryIntrinsic(Intrinsic::sqrt, X);
    Value *Each = B.CreateBitCast(B.CreateExtractElement(Bits, K),
                                  B.getIntNTy(E->getScalarSizeInBits()));
    Each = roundTo(B, B.CreateFDiv(ConstantFP::get(E, 1), X), Each);
    Result = B.CreateInsertElement(Result, Each, K);
  }
  if (Call.arg_size() != 3)
    return Result;
  auto *Chosen = FixedVectorType::get(B.getInt1Ty(),
                                      arg(2)->getType()->getIntegerBitWidth());
  SmallVector<int, 16> First(count());
  std::iota(First.begin(), First.end(), 0);
  Value *Mask = B.CreateShuffleVector(B.CreateBitCast(arg(2), Chosen), First);
  return B.CreateSelect(Mask, Result, arg(1));
}

/// min and max choose the second operand if the two are equal, or one is NaN.
Value *Emitter::arithmetic(StringRef Name, ArrayRef<Value *> X) {
  if (Name == "sqrt")
    return X.size() == 1 ? B.CreateUnaryIntrinsic(Intrinsic::sqrt, X[0])
                         : nullptr;
  if (X.size() != 2)
    return nullptr;
  if (Name == "min")
    return B.CreateSelect(B.CreateFCmpOLT(X[0], X[1]), X[0], X[1]);
  if (Name == "max")
    return B.CreateSelect(B.CreateFCmpOGT(X[0], X[1]), X[0], X[1]);
  auto Op = StringSwitch<unsigned>(Name)
                .Case("add", Instruction::FAdd)
                .Case("sub", Instruction::FSub)
                .Case("mul", Instruction::FMul)
                .Case("div", Instruction::FDiv)
                .Default(0);
  return Op ? B.CreateBinOp(Instruction::BinaryOps(Op), X[0], X[1]) : nullptr;
}

/// a * b + c, with the signs that fmadd, fmsub, fnmadd and fnmsub have.
Value *Emitter::fused(StringRef Name, ArrayRef<Value *> X) {
  auto Fma = [&](Value *A, Value *C) {
    return B.CreateIntrinsic(Intrinsic::fma, {T}, {A, X[1], C});
  };
  bool IsNegated = Name.consume_front("fn");
  if (!IsNegated && !Name.consume_front("f"))
    return nullptr;
  Value *A = IsNegated ? B.CreateFNeg(X[0]) : X[0];
  if (Name == "madd")
    return Fma(A, X[2]);
  Value *Minus = B.CreateFNeg(X[2]);
  if (Name == "msub")
    return Fma(A, Minus);
  if (!V)
    return nullptr;
  if (Name == "maddsub")
    return alternate(Fma(A, Minus), Fma(A, X[2]));
  if (Name == "msubadd")
    return alternate(Fma(A, X[2]), Fma(A, Minus));
  return nullptr;
}

Value *Emitter::alternate(Value *Even, Value *Odd) {
  SmallVector<int, 16> Mask;
  for (unsigned K = 0; K != count(); ++K)
    Mask.push_back(K % 2 ? count() + K : K);
  return B.CreateShuffleVector(Even, Odd, Mask);
}

/// The sums, or differences, of neighbours: in each 128 bits those of the first
/// operand, then those of the second.
Value *Emitter::horizontal(bool IsSum) {
  SmallVector<int, 16> First, Second;
  for (unsigned Lane = 0; Lane != count(); Lane += perLane())
    for (unsigned Operand : {0u, count()})
      for (unsigned K = 0; K != perLane(); K += 2) {
        First.push_back(Operand + Lane + K);
        Second.push_back(Operand + Lane + K + 1);
      }
  Value *X = B.CreateShuffleVector(arg(0), arg(1), First);
  Value *Y = B.CreateShuffleVector(arg(0), arg(1), Second);
  return IsSum ? B.CreateFAdd(X, Y) : B.CreateFSub(X, Y);
}

/// Bit 3 of \p How only says which exceptions are raised.
Value *Emitter::round(Value *X, uint64_t How) {
  static constexpr Intrinsic::ID Kinds[] = {
      Intrinsic::roundeven, Intrinsic::floor, Intrinsic::ceil, Intrinsic::trunc,
      Intrinsic::rint,      Intrinsic::rint,  Intrinsic::rint, Intrinsic::rint};
  return How < 16 ? B.CreateUnaryIntrinsic(Kinds[How & 7], X) : nullptr;
}

/// The upper half of \p How says which products are added, the lower one where
/// the sum goes.
Value *Emitter::dotProduct(uint64_t How) {
  Value *Zero = Constant::getNullValue(T);
  Value *Products = B.CreateFMul(arg(0), arg(1));
  auto Selected = [&](Value *X, uint64_t Bits) {
    SmallVector<int, 16> Mask;
    for (unsigned K = 0; K != count(); ++K)
      Mask.push_back(Bits >> K % perLane() & 1 ? K : count() + K);
    return B.CreateShuffleVector(X, Zero, Mask);
  };
  auto AddPairs = [&](Value *X, unsigned Step) {
    SmallVector<int, 16> Mask;
    for (unsigned K = 0; K != count(); ++K)
      Mask.push_back(K ^ Step);
    return B.CreateFAdd(X, B.CreateShuffleVector(X, Mask));
  };
  Value *Sum = Selected(Products, How >> 4);
  for (unsigned Step = 1; Step < perLane(); Step *= 2)
    Sum = AddPairs(Sum, Step);
  return Selected(Sum, How);
}

/// Where the sign bit is set.
Value *Emitter::maskOf(Value *SignedMask) {
  auto *V = cast<FixedVectorType>(SignedMask->getType());
  VectorType *Bits = VectorType::getInteger(V);
  return B.CreateICmpSLT(B.CreateBitCast(SignedMask, Bits),
                         Constant::getNullValue(Bits));
}

/// What lies at base + index * scale, where the mask's sign is set, else what
/// the first operand has. Where there are fewer indices than elements, zeros.
Value *Emitter::gather() {
  auto *Indices = dyn_cast<FixedVectorType>(arg(2)->getType());
  auto Scale = immediate(4);
  if (!V || !Indices || !Scale || arg(3)->getType() != T)
    return nullptr;
  const unsigned N = std::min(count(), Indices->getNumElements());
  auto First = [&](Value *X) {
    SmallVector<int, 8> Mask(N);
    std::iota(Mask.begin(), Mask.end(), 0);
    return B.CreateShuffleVector(X, Mask);
  };
  Value *Offsets = B.CreateMul(
      B.CreateSExt(First(arg(2)), FixedVectorType::get(B.getInt64Ty(), N)),
      B.CreateVectorSplat(N, B.getInt64(*Scale)));
  Value *Places = B.CreateGEP(B.getInt8Ty(), arg(1), Offsets);
  Value *Found =
      B.CreateMaskedGather(FixedVectorType::get(V->getElementType(), N), Places,
                           Align(1), First(maskOf(arg(3))), First(arg(0)));
  SmallVector<int, 8> Mask;
  for (unsigned K = 0; K != count(); ++K)
    Mask.push_back(K < N ? K : N);
  return B.CreateShuffleVector(Found, Constant::getNullValue(Found->getType()),
                               Mask);
}

/// Elements that variables choose, from all or from the same 128 bits.
Value *Emitter::permutation(StringRef Op) {
  auto *Indices = dyn_cast<FixedVectorType>(arg(1)->getType());
  if (!V || arg(0)->getType() != T || !Indices ||
      Indices->getNumElements() != count())
    return nullptr;
  const bool IsOfLane = Op == "vpermilvar";
  const unsigned Range = IsOfLane ? perLane() : count();
  Value *Result = PoisonValue::get(T);
  for (unsigned K = 0; K != count(); ++K) {
    Value *Index = B.CreateExtractElement(arg(1), K);
    if (IsOfLane && Range == 2) // Bit 1 of it.
      Index = B.CreateLShr(Index, 1);
    Index = B.CreateAnd(Index, Range - 1);
    if (IsOfLane)
      Index = B.CreateAdd(
          Index, ConstantInt::get(Index->getType(), K / Range * Range));
    Result =
        B.CreateInsertElement(Result, B.CreateExtractElement(arg(0), Index), K);
  }
  return Result;
}

/// insertps: one element of the second operand, and zeros.
Value *Emitter::insertion(uint64_t How) {
  SmallVector<int, 4> Mask{0, 1, 2, 3};
  Mask[How >> 4 & 3] = 4 + (How >> 6 & 3);
  Value *X = B.CreateShuffleVector(arg(0), arg(1), Mask);
  for (unsigned K = 0; K != 4; ++K)
    Mask[K] = How >> K & 1 ? 4 + K : K;
  return B.CreateShuffleVector(X, Constant::getNullValue(T), Mask);
}

/// Between float and double; of what is left the first half, and zeros, or
/// what the first operand has.
Value *Emitter::conversion(StringRef Name) {
  if (Name == "avx.cvt.pd2.ps.256")
    return B.CreateFPTrunc(arg(0), T);
  if (Name == "sse2.cvtpd2ps") {
    Value *X = B.CreateFPTrunc(arg(0), FixedVectorType::get(B.getFloatTy(), 2));
    return B.CreateShuffleVector(X, Constant::getNullValue(X->getType()),
                                 {0, 1, 2, 3});
  }
  if (Name != "sse2.cvtsd2ss" && Name != "sse2.cvtss2sd")
    return nullptr;
  Value *X = B.CreateExtractElement(arg(1), uint64_t(0));
  return B.CreateInsertElement(arg(0), B.CreateFPCast(X, T->getScalarType()),
                               uint64_t(0));
}

/// The bits of halves, and zeros; rounded to the nearest, or as is set (which
/// is the nearest for all that differentiates).
Value *Emitter::toHalves() {
  auto How = immediate(1);
  auto *From = dyn_cast<FixedVectorType>(arg(0)->getType());
  if (!How || (*How & ~8) % 4 != 0 || !From)
    return nullptr;
  unsigned N = From->getNumElements();
  Value *X = B.CreateFPTrunc(arg(0), FixedVectorType::get(B.getHalfTy(), N));
  X = B.CreateBitCast(X, FixedVectorType::get(B.getInt16Ty(), N));
  SmallVector<int, 8> Mask;
  for (unsigned K = 0; K != count(); ++K)
    Mask.push_back(K);
  return B.CreateShuffleVector(X, Constant::getNullValue(X->getType()), Mask);
}

/// All bits of an element are ones where it compares so: that the comparison
/// may signal, bit 4 of How, has no effect on it.
Value *Emitter::comparison(uint64_t How, bool IsScalar) {
  static constexpr CmpInst::Predicate Predicates[] = {
      CmpInst::FCMP_OEQ, CmpInst::FCMP_OLT,   CmpInst::FCMP_OLE,
      CmpInst::FCMP_UNO, CmpInst::FCMP_UNE,   CmpInst::FCMP_UGE,
      CmpInst::FCMP_UGT, CmpInst::FCMP_ORD,   CmpInst::FCMP_UEQ,
      CmpInst::FCMP_ULT, CmpInst::FCMP_ULE,   CmpInst::FCMP_FALSE,
      CmpInst::FCMP_ONE, CmpInst::FCMP_OGE,   CmpInst::FCMP_OGT,
      CmpInst::FCMP_TRUE};
  Value *Holds = B.CreateFCmp(Predicates[How % std::size(Predicates)], arg(0),
                              arg(1));
  Value *Bits = B.CreateSExt(Holds, VectorType::getInteger(V));
  Value *Mask = B.CreateBitCast(Bits, T);
  return IsScalar ? B.CreateInsertElement(
                        arg(0), B.CreateExtractElement(Mask, uint64_t(0)),
                        uint64_t(0))
                  : Mask;
}

/// \p Name is what follows "llvm.x86.": the extension, the operation, the type
/// (ps, pd of vectors, ss, sd of the first element) and perhaps the width.
Value *Emitter::intrinsic(StringRef Name) {
  SmallVector<StringRef, 5> Words;
  Name.split(Words, '.');
  if (V && Name.starts_with("vcvtps2ph."))
    return toHalves();
  if (Value *Converted = conversion(Name))
    return Converted;
  if (Words.size() < 2)
    return nullptr;
  StringRef Op = Words[1], Type = Words.size() > 2 ? Words[2] : "";
  if (Op == "blendvps" || Op == "blendvpd" || Op == "dpps" || Op == "dppd") {
    Type = Op.take_back(2);
    Op = Op.drop_back(2);
  }
  if (Op == "maskstore" && Type.starts_with("p")) {
    Value *Data = arg(2);
    return B.CreateMaskedStore(Data, arg(0), Align(1), maskOf(arg(1)));
  }
  if (Op == "gather" && Call.arg_size() == 5)
    return gather();
  if ((Op == "permps" || Op == "permd" || Op == "vpermilvar") &&
      Words[0] != "avx512" && Call.arg_size() == 2)
    return permutation(Op);
  if (Op == "ldu" && V) // Any address will do.
    return B.CreateAlignedLoad(T, arg(0), Align(1));
  if (!V || !T->isFPOrFPVectorTy())
    return nullptr;
  if (auto How = Op == "insertps" ? immediate(2) : std::nullopt)
    return insertion(*How);
  const bool IsScalar = Type == "ss" || Type == "sd";
  if (auto How = Op == "cmp" && Words[0] != "avx512" && Call.arg_size() == 3
                     ? immediate(2)
                     : std::nullopt)
    return comparison(*How, IsScalar);
  if (isEstimate(Call))
    return estimate(Op.starts_with("rsqrt"), IsScalar);
  if (Op == "maskload")
    return B.CreateMaskedLoad(T, arg(0), Align(1), maskOf(arg(1)),
                              Constant::getNullValue(T));
  // The last argument says how to round, or which exceptions to suppress; the
  // current way is 4, and what does not round may say 8.
  unsigned Count = Call.arg_size();
  if (Words[0] == "avx512") {
    bool Rounds = Op != "min" && Op != "max";
    auto How = immediate(Count - 1);
    if (!How || (*How != 4 && (Rounds || *How != 8)))
      return nullptr;
    --Count;
  }
  SmallVector<Value *, 4> X(Call.arg_begin(), Call.arg_begin() + Count);
  if (!IsScalar && Type != "ps" && Type != "pd")
    return nullptr;
  Value *Result = nullptr;
  if (Op == "round" && Count == 2u + IsScalar) {
    if (auto How = immediate(Count - 1))
      Result = round(X[Count - 2], *How);
  } else if (any_of(X, [&](Value *Each) { return Each->getType() != T; }) &&
             Op != "dp") {
    return nullptr;
  } else if (IsScalar) {
    Result = arithmetic(Op, X);
  } else if (Op == "addsub" && Count == 2) {
    return alternate(B.CreateFSub(X[0], X[1]), B.CreateFAdd(X[0], X[1]));
  } else if ((Op == "hadd" || Op == "hsub") && Count == 2) {
    return horizontal(Op == "hadd");
  } else if ((Op == "blendv" || Op == "blend") && Count == 3) {
    return B.CreateSelect(maskOf(X[2]), X[1], X[0]);
  } else if (Op == "dp" && Count == 3) {
    auto How = immediate(2);
    return How ? dotProduct(*How) : nullptr;
  } else if (Op.consume_front("vf") && Count == 3) {
    return fused(("f" + Op).str(), X);
  } else {
    return arithmetic(Op, X);
  }
  // The rest is the first operand's.
  return Result && IsScalar
             ? B.CreateInsertElement(
                   X[0], B.CreateExtractElement(Result, uint64_t(0)),
                   uint64_t(0))
             : Result;
}

/// One instruction without memory: "vfmadd231pd $1, $2, $0", in AT&T's order.
/// The operands of the instruction from the last one, which is the target, on.
Value *Emitter::assembly(const InlineAsm &Asm) {
  if (!T->isFPOrFPVectorTy() || Asm.getDialect() != InlineAsm::AD_ATT)
    return nullptr;
  StringRef Name, Rest;
  std::tie(Name, Rest) = getToken(StringRef(Asm.getAsmString()));
  SmallVector<StringRef, 3> Words;
  Rest.split(Words, ',');
  InlineAsm::ConstraintInfoVector Constraints = Asm.ParseConstraints();
  SmallVector<Value *, 4> ValueOf;
  unsigned NextArgument = 0;
  for (const InlineAsm::ConstraintInfo &C : Constraints) {
    if (C.Type == InlineAsm::isClobber)
      continue;
    bool IsRegister =
        C.Codes.size() == 1 &&
        (C.Codes[0] == "x" || C.Codes[0] == "v" || isDigit(C.Codes[0][0]));
    if (C.isIndirect || !IsRegister ||
        (C.Type == InlineAsm::isOutput) != ValueOf.empty())
      return nullptr;
    ValueOf.push_back(C.Type == InlineAsm::isOutput ? nullptr
                                                    : arg(NextArgument++));
  }
  // What the target holds before.
  if (ValueOf.empty())
    return nullptr;
  if (int Tied = Constraints[0].MatchingInput; Tied >= 0)
    ValueOf[0] = ValueOf[Tied];
  SmallVector<Value *, 3> Operands;
  for (StringRef Word : reverse(Words)) {
    unsigned K;
    Word = Word.trim();
    if (!Word.consume_front("$") || Word.getAsInteger(10, K) ||
        K >= ValueOf.size())
      return nullptr;
    if (K && ValueOf[K]->getType() != T)
      return nullptr;
    Operands.push_back(ValueOf[K]);
    if (Operands.size() == 1 && K != 0)
      return nullptr;
  }
  Type *Number = T->getScalarType();
  if (!Name.consume_back(Number->isDoubleTy()  ? "d"
                         : Number->isFloatTy() ? "s"
                                               : "?") ||
      !Name.consume_back(V ? "p" : "s"))
    return nullptr;
  auto AllKnown = [&](ArrayRef<Value *> X) {
    return all_of(X, [](Value *Each) { return Each != nullptr; });
  };
  if (Name.starts_with("vf") && Operands.size() == 3 && AllKnown(Operands)) {
    auto [A, M, C] = std::tuple(Operands[0], Operands[1], Operands[2]);
    if (Name.consume_back("231"))
      return fused(Name.drop_front(), {M, C, A});
    if (Name.consume_back("213"))
      return fused(Name.drop_front(), {M, A, C});
    if (Name.consume_back("132"))
      return fused(Name.drop_front(), {A, C, M});
    return nullptr;
  }
  // Of three operands the first is written only.
  ArrayRef<Value *> X = Operands;
  bool WritesOnly = Name.consume_front("v") || Name == "sqrt";
  if (WritesOnly)
    X = X.drop_front();
  return AllKnown(X) ? arithmetic(Name, X) : nullptr;
}

bool verso::isEstimate(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  SmallVector<StringRef, 5> Words;
  StringRef Name = F ? F->getName() : "";
  Name.split(Words, '.');
  if (!Name.starts_with("llvm.x86.") || Words.size() < 5)
    return false;
  StringRef Op = Words[3];
  // With 14 or 28 bits there is a mask: what is not chosen is the second's.
  const bool HasMask = Op.consume_back("14") || Op.consume_back("28");
  return (Op == "rcp" || Op == "rsqrt") &&
         Call.arg_size() == (HasMask ? 3 : 1) &&
         (Words[4].starts_with("p") || (Words[4] == "ss" && !HasMask));
}

void verso::expandProcessorOperations(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call)
      continue;
    Value *Result = nullptr;
    Function *Callee = Call->getCalledFunction();
    StringRef Name = Callee ? Callee->getName() : "";
    if (Name.consume_front("llvm.x86."))
      Result = Emitter(*Call).intrinsic(Name);
    else if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand()))
      Result = Emitter(*Call).assembly(*Asm);
    if (!Result)
      continue;
    if (!Call->getType()->isVoidTy())
      Call->replaceAllUsesWith(Result);
    Call->eraseFromParent();
  }
}
