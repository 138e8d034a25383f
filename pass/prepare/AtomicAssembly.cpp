//===- AtomicAssembly.cpp - atomic operations as assembly -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/AtomicAssembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

#include <optional>

using namespace llvm;
using namespace verso;

namespace {

/// `cmpxchg $3, $0`: the name of an instruction and what it works on.
struct Statement {
  StringRef Name;
  SmallVector<StringRef, 2> Operands;
};

/// An assembly's constraints with the arguments and results that they are of.
class Operands {
public:
  Operands(CallInst &Call, const InlineAsm &Asm)
      : Results(Call.getType()), Constraints(Asm.ParseConstraints()) {
    unsigned NextArgument = 0, NextOutput = 0;
    for (const InlineAsm::ConstraintInfo &C : Constraints) {
      Arguments.push_back(C.hasArg() ? Call.getArgOperand(NextArgument++)
                                     : nullptr);
      bool Gives = C.Type == InlineAsm::isOutput && !C.isIndirect;
      Outputs.push_back(Gives ? int(NextOutput++) : -1);
    }
    NumOutputs = NextOutput;
  }

  /// The number of "$2".
  std::optional<unsigned> number(StringRef Text) const {
    unsigned N;
    if (!Text.consume_front("$") || Text.getAsInteger(10, N) ||
        N >= Constraints.size() || Constraints[N].Type == InlineAsm::isClobber)
      return std::nullopt;
    return N;
  }

  /// The address of the memory that \p Text stands for: "$0" of memory, or
  /// "($0)" of a register.
  Value *address(StringRef Text) const {
    bool InRegister = Text.consume_front("(") && Text.consume_back(")");
    std::optional<unsigned> N = number(Text);
    if (!N || Constraints[*N].isIndirect == InRegister)
      return nullptr;
    Value *P = InRegister ? before(*N) : Arguments[*N];
    return P && P->getType()->isPointerTy() ? P : nullptr;
  }

  /// What is in the register of \p Text before: an input, or the one that an
  /// output is tied to.
  Value *before(unsigned N) const {
    const InlineAsm::ConstraintInfo &C = Constraints[N];
    if (C.isIndirect)
      return nullptr;
    if (C.Type == InlineAsm::isOutput)
      return C.hasMatchingInput() ? Arguments[C.MatchingInput] : nullptr;
    return Arguments[N];
  }

  /// The result that is in the register of \p N behind the assembly; -1: none.
  int after(unsigned N) const {
    if (Constraints[N].Type == InlineAsm::isOutput)
      return Outputs[N];
    for (auto [K, C] : enumerate(Constraints))
      if (C.Type == InlineAsm::isOutput && C.MatchingInput == int(N))
        return Outputs[K];
    return -1;
  }

  /// The first constraint of the register A of that type.
  std::optional<unsigned> accumulator(InlineAsm::ConstraintPrefix Type) const {
    for (auto [K, C] : enumerate(Constraints))
      if (C.Type == Type && !C.isIndirect && !C.Codes.empty() &&
          is_contained(ArrayRef<StringRef>{"{ax}", "{eax}", "{rax}", "{al}"},
                       StringRef(C.Codes.front())))
        return K;
    return std::nullopt;
  }

  /// The type of result \p K.
  Type *typeOf(unsigned K) const {
    auto *T = dyn_cast<StructType>(Results);
    return T ? T->getElementType(K) : Results;
  }

  unsigned NumOutputs = 0;

private:
  Type *Results;
  InlineAsm::ConstraintInfoVector Constraints;
  SmallVector<Value *, 8> Arguments;
  SmallVector<int, 8> Outputs;
};

} // namespace

/// The statements of \p Text; prefixes `lock` are left out.
static SmallVector<Statement, 2> statements(StringRef Text) {
  SmallVector<Statement, 2> All;
  while (!Text.empty()) {
    size_t End = Text.find_first_of(";\n");
    StringRef Line = Text.take_front(End).trim();
    Text = End == StringRef::npos ? "" : Text.drop_front(End + 1);
    if (Line == "lock" || Line.starts_with("lock ") ||
        Line.starts_with("lock\t"))
      Line = Line.drop_front(4).ltrim();
    if (Line.empty())
      continue;
    size_t Name = Line.find_first_of(" \t");
    Statement &S = All.emplace_back();
    S.Name = Line.take_front(Name);
    if (Name != StringRef::npos)
      Line.drop_front(Name).split(S.Operands, ',');
    for (StringRef &O : S.Operands)
      O = O.trim();
  }
  return All;
}

/// \p Name without the letter that tells the size of \p T, of which values are;
/// empty where it tells another.
static StringRef withoutSize(StringRef Name, Type *T, const DataLayout &DL) {
  static constexpr StringLiteral Names[] = {"xchg", "cmpxchg", "xadd", "inc",
                                            "dec",  "add",     "sub",  "and",
                                            "or",   "xor"};
  if (is_contained(Names, Name))
    return Name;
  uint64_t Bytes = Name.empty() ? 0
                                : StringSwitch<uint64_t>(Name.take_back())
                                      .Case("b", 1)
                                      .Case("w", 2)
                                      .Case("l", 4)
                                      .Case("q", 8)
                                      .Default(0);
  bool Fits = Bytes && DL.getTypeStoreSize(T) == Bytes;
  return Fits && is_contained(Names, Name.drop_back()) ? Name.drop_back() : "";
}

static std::optional<AtomicRMWInst::BinOp> operation(StringRef Name) {
  using Op = std::optional<AtomicRMWInst::BinOp>;
  return StringSwitch<Op>(Name)
      .Case("xchg", AtomicRMWInst::Xchg)
      .Case("xadd", AtomicRMWInst::Add)
      .Case("add", AtomicRMWInst::Add)
      .Case("inc", AtomicRMWInst::Add)
      .Case("sub", AtomicRMWInst::Sub)
      .Case("dec", AtomicRMWInst::Sub)
      .Case("and", AtomicRMWInst::And)
      .Case("or", AtomicRMWInst::Or)
      .Case("xor", AtomicRMWInst::Xor)
      .Default(std::nullopt);
}

static bool isAtomicType(Type *T) {
  return T->isPointerTy() ||
         (T->isIntegerTy() &&
          is_contained({8u, 16u, 32u, 64u}, T->getIntegerBitWidth()));
}

/// Pointers are exchanged as integers, as clang has it for C11's operations.
static Value *asInteger(IRBuilder<> &B, Value *V, const DataLayout &DL) {
  return V->getType()->isPointerTy()
             ? B.CreatePtrToInt(V, DL.getIntPtrType(V->getType()))
             : V;
}

namespace {
/// Where `setz` or `sete` behind another statement puts its byte, if there is
/// one: a result or memory.
struct ZeroFlag {
  int Result = -1;
  Value *Memory = nullptr;

  bool isWanted() const { return Result >= 0 || Memory; }
  void set(IRBuilder<> &B, Value *IsZero,
           MutableArrayRef<Value *> Results) const {
    Value *Byte = B.CreateZExt(IsZero, B.getInt8Ty());
    if (Result >= 0)
      Results[Result] = Byte;
    else
      B.CreateStore(Byte, Memory);
  }
};
} // namespace

/// Nothing if the second statement is something else.
static std::optional<ZeroFlag> zeroFlag(ArrayRef<Statement> All,
                                        const Operands &Of) {
  if (All.size() == 1)
    return ZeroFlag();
  static constexpr StringLiteral Names[] = {"setz", "sete", "setzb", "seteb"};
  const Statement &S = All[1];
  if (S.Operands.size() != 1 || !is_contained(Names, S.Name))
    return std::nullopt;
  if (Value *P = Of.address(S.Operands[0]))
    return ZeroFlag{-1, P};
  std::optional<unsigned> N = Of.number(S.Operands[0]);
  int Result = N ? Of.after(*N) : -1;
  if (Result < 0 || !Of.typeOf(Result)->isIntegerTy(8))
    return std::nullopt;
  return ZeroFlag{Result};
}

/// The number that \p S exchanges with memory, adds to it and so on, and the
/// result that the old one goes to; -1: to none.
static std::pair<Value *, int> updateBy(IRBuilder<> &B, const Statement &S,
                                        StringRef Register,
                                        const Operands &Of) {
  if (S.Operands.size() == 1)
    return {B.getIntN(S.Name.ends_with("q") ? 64 : 32, 1), -1};
  std::optional<unsigned> N = Of.number(Register);
  if (!N)
    return {nullptr, -1};
  bool Gives = S.Name.starts_with("x") && !S.Name.starts_with("xor");
  return {Of.before(*N), Gives ? Of.after(*N) : -1};
}

/// Whether \p Of has results other than \p One and \p Other.
static bool hasOthers(const Operands &Of, int One, int Other) {
  for (int K = 0; K != int(Of.NumOutputs); ++K)
    if (K != One && K != Other)
      return true;
  return false;
}

/// All but `cmpxchg`. Sets \p Results.
static bool expandUpdate(IRBuilder<> &B, ArrayRef<Statement> All,
                         const Operands &Of, const DataLayout &DL,
                         MutableArrayRef<Value *> Results) {
  const Statement &S = All.front();
  if (S.Operands.empty() || S.Operands.size() > 2)
    return false;
  StringRef Memory = S.Operands.back(), Register = S.Operands.front();
  if (S.Name.starts_with("xchg") && !Of.address(Memory))
    std::swap(Memory, Register);
  Value *P = Of.address(Memory);
  auto [V, OldResult] = updateBy(B, S, Register, Of);
  std::optional<ZeroFlag> Flag = zeroFlag(All, Of);
  if (!P || !V || !isAtomicType(V->getType()) || !Flag ||
      (OldResult >= 0 && Of.typeOf(OldResult) != V->getType()) ||
      hasOthers(Of, OldResult, Flag->Result))
    return false;
  StringRef Name = withoutSize(S.Name, V->getType(), DL);
  std::optional<AtomicRMWInst::BinOp> Op = operation(Name);
  bool IsCount = Name == "inc" || Name == "dec", Exchanges = Name == "xchg";
  if (!Op || IsCount != (S.Operands.size() == 1) ||
      (V->getType()->isPointerTy() && !Exchanges) ||
      (Flag->isWanted() && Exchanges))
    return false;
  Value *Old = B.CreateAtomicRMW(*Op, P, asInteger(B, V, DL), MaybeAlign(),
                                 AtomicOrdering::SequentiallyConsistent);
  if (OldResult >= 0)
    Results[OldResult] = B.CreateBitOrPointerCast(Old, V->getType());
  if (Flag->isWanted())
    Flag->set(B, B.CreateIsNull(buildAtomicRMWValue(*Op, B, Old, V)), Results);
  return true;
}

/// `cmpxchg`. Sets \p Results.
static bool expandCompareExchange(IRBuilder<> &B, ArrayRef<Statement> All,
                                  const Operands &Of, const DataLayout &DL,
                                  MutableArrayRef<Value *> Results) {
  const Statement &S = All.front();
  if (S.Operands.size() != 2)
    return false;
  Value *P = Of.address(S.Operands[1]);
  std::optional<unsigned> N = Of.number(S.Operands[0]);
  Value *New = N ? Of.before(*N) : nullptr;
  std::optional<unsigned> In = Of.accumulator(InlineAsm::isInput),
                          Out = Of.accumulator(InlineAsm::isOutput);
  Value *Expected = In ? Of.before(*In) : Out ? Of.before(*Out) : nullptr;
  int OldResult = Out ? Of.after(*Out) : -1;
  std::optional<ZeroFlag> Flag = zeroFlag(All, Of);
  // The flag may take the register that the old value was in.
  if (Flag && Flag->Result == OldResult)
    OldResult = -1;
  if (!P || !New || !Expected || New->getType() != Expected->getType() ||
      !isAtomicType(New->getType()) || !Flag ||
      withoutSize(S.Name, New->getType(), DL) != "cmpxchg" ||
      (OldResult >= 0 && Of.typeOf(OldResult) != New->getType()) ||
      hasOthers(Of, OldResult, Flag->Result))
    return false;
  Value *Pair = B.CreateAtomicCmpXchg(P, asInteger(B, Expected, DL),
                                      asInteger(B, New, DL), MaybeAlign(),
                                      AtomicOrdering::SequentiallyConsistent,
                                      AtomicOrdering::SequentiallyConsistent);
  if (OldResult >= 0)
    Results[OldResult] =
        B.CreateBitOrPointerCast(B.CreateExtractValue(Pair, 0), New->getType());
  if (Flag->isWanted())
    Flag->set(B, B.CreateExtractValue(Pair, 1), Results);
  return true;
}

static void expand(CallInst &Call) {
  auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Asm || Asm->getDialect() != InlineAsm::AD_ATT)
    return;
  SmallVector<Statement, 2> All = statements(Asm->getAsmString());
  if (All.empty() || All.size() > 2)
    return;
  Operands Of(Call, *Asm);
  IRBuilder<> B(&Call);
  SmallVector<Value *, 2> Results(Of.NumOutputs);
  const DataLayout &DL = Call.getDataLayout();
  if (!(All[0].Name.starts_with("cmpxchg")
            ? expandCompareExchange(B, All, Of, DL, Results)
            : expandUpdate(B, All, Of, DL, Results)))
    return;
  if (auto *T = dyn_cast<StructType>(Call.getType())) {
    Value *Whole = PoisonValue::get(T);
    for (auto [K, V] : enumerate(Results))
      Whole = B.CreateInsertValue(Whole, V, K);
    Call.replaceAllUsesWith(Whole);
  } else if (!Results.empty())
    Call.replaceAllUsesWith(Results[0]);
  Call.eraseFromParent();
}

void verso::expandAtomicAssembly(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I))
      expand(*Call);
}
