//===- OperandBinding.cpp - a call's operands as the parameters' values ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may differ between an operand and the parameter that it is for:
//
//   float          promoted to double by C's variadic call, or any other pair
//                  of floating-point types: converted;
//   integer        promoted to int: truncated; a constant of another width that
//                  is not negative: extended. Anything else is a mistake, since
//                  nobody knows whether a variable is signed;
//   null pointer   written as 0;
//   struct         in memory here and in registers there: loaded;
//                  in other registers: through memory, if the sizes agree.
//
//===----------------------------------------------------------------------===//

#include "request/RequestParser.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace verso;

static std::string nameOf(Type *T) {
  std::string Text;
  raw_string_ostream(Text) << *T;
  return Text;
}

/// The number of operands from \p Index on that are one source argument.
unsigned RequestParser::piecesAt(size_t Index) const {
  unsigned Pieces = 1;
  while (Index + Pieces < Operands.size() && Operands[Index + Pieces].Continues)
    ++Pieces;
  return Pieces;
}

/// The source argument that is next, as values of the parameters from
/// \p FirstParameter on.
bool RequestParser::bindValues(unsigned FirstParameter,
                               SmallVectorImpl<Value *> &Values) {
  const Operand &Op = Operands[Next];
  if (Op.ByVal && !byValType(FirstParameter)) {
    loadPieces(Op, FirstParameter, Values);
    ++Next;
    if (!Values.empty())
      return true;
    return mistake("a structure is given for parameter " +
                       describeParameter(FirstParameter),
                   "give a value of the parameter's type");
  }
  const unsigned Pieces = piecesAt(Next);
  for (unsigned K = 0; K != Pieces; ++K, ++Next) {
    const unsigned P = FirstParameter + K;
    if (P >= R.Primal->arg_size())
      return mistake("too many arguments: a structure is given where no "
                     "parameter is left",
                     "give values of the parameters' types");
    Value *V = convert(Operands[Next], R.Primal->getArg(P)->getType());
    if (!V)
      return mistake("parameter " + describeParameter(P) +
                         " is given a value "
                         "of type " +
                         nameOf(Operands[Next].V->getType()),
                     Operands[Next].V->getType()->isIntegerTy()
                         ? "cast the argument to the parameter's type; a "
                           "variadic call does not convert it"
                         : "give a value of the parameter's type; a dup "
                           "argument is a value and its shadow");
    Values.push_back(V);
  }
  return true;
}

/// The shadow that is next, in the same way; null for pieces without one.
bool RequestParser::bindShadow(ParameterRange Range,
                               SmallVectorImpl<Value *> &Values) {
  const Operand &Op = Operands[Next];
  const std::string Which = describeParameter(Range.First);
  const char *Remedy = "a dup argument is a value and its shadow; mark it "
                       "verso_const if it does not vary";
  if (Op.ByVal && !byValType(Range.First)) {
    loadPieces(Op, Range.First, Values);
    ++Next;
    return Values.size() == Range.Count ||
           mistake("the shadow of parameter " + Which +
                       " is of another type than its value",
                   Remedy);
  }
  const unsigned Pieces = piecesAt(Next);
  if (Pieces != Range.Count)
    return mistake("the shadow of parameter " + Which +
                       " is missing, or of another type than its value",
                   Remedy);
  for (unsigned K = 0; K != Pieces; ++K, ++Next) {
    Value *V =
        convert(Operands[Next], R.Primal->getArg(Range.First + K)->getType());
    if (!V)
      return mistake(
          "the shadow of parameter " + describeParameter(Range.First + K) +
              " is missing: " + "what follows the value is of type " +
              nameOf(Operands[Next].V->getType()),
          Remedy);
    Values.push_back(V);
  }
  return true;
}

/// A struct that is split over parameters, out of the memory that the call
/// passes it in. It is x86-64 that does so: each piece begins at a multiple of
/// eight bytes. Leaves Values empty if the parameters do not fit.
void RequestParser::loadPieces(const Operand &Op, unsigned FirstParameter,
                               SmallVectorImpl<Value *> &Values) {
  constexpr uint64_t Eightbyte = 8;
  const uint64_t Size = DL.getTypeAllocSize(Op.ByVal);
  SmallVector<std::pair<Type *, uint64_t>, 4> Places;
  unsigned P = FirstParameter;
  for (uint64_t Offset = 0; Offset < Size; ++P) {
    if (P == R.Primal->arg_size() || byValType(P))
      return;
    Type *T = R.Primal->getArg(P)->getType();
    const uint64_t End = Offset + DL.getTypeStoreSize(T);
    if (End > Size)
      return;
    Places.push_back({T, Offset});
    Offset = alignTo(End, Eightbyte);
  }
  for (auto [T, At] : Places)
    Values.push_back(B.CreateAlignedLoad(
        T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Op.V, At),
        commonAlignment(DL.getABITypeAlign(Op.ByVal), At)));
}

/// \p Op as a \p To, null if it cannot be one.
Value *RequestParser::convert(const Operand &Op, Type *To) {
  Type *From = Op.V->getType();
  if (From == To)
    return Op.V;
  if (From->isFloatingPointTy() && To->isFloatingPointTy())
    return B.CreateFPCast(Op.V, To);
  if (From->isIntegerTy() && To->isIntegerTy())
    return convertInteger(Op.V, To);
  auto *C = dyn_cast<Constant>(Op.V);
  if (C && C->isNullValue() && From->isIntegerTy() && To->isPointerTy())
    return ConstantPointerNull::get(cast<PointerType>(To));
  if (From->isPtrOrPtrVectorTy() || To->isPtrOrPtrVectorTy())
    return nullptr;
  if (From->isSingleValueType() && To->isSingleValueType() &&
      !From->isVectorTy() && !To->isVectorTy())
    return nullptr;
  return throughMemory(Op.V, To);
}

Value *RequestParser::convertInteger(Value *V, Type *To) {
  if (V->getType()->getIntegerBitWidth() > To->getIntegerBitWidth())
    return B.CreateTrunc(V, To);
  auto *C = dyn_cast<ConstantInt>(V);
  if (C && !C->isNegative())
    return ConstantInt::get(To, C->getZExtValue());
  return nullptr;
}

/// The same bytes as another type, null if there are more or fewer of them.
Value *RequestParser::throughMemory(Value *V, Type *To) {
  Type *From = V->getType();
  if (DL.getTypeAllocSize(From) != DL.getTypeAllocSize(To))
    return nullptr;
  IRBuilder<> Entry(&*Call.getFunction()->getEntryBlock().begin());
  AllocaInst *Slot = Entry.CreateAlloca(From);
  Slot->setAlignment(
      std::max(DL.getABITypeAlign(From), DL.getABITypeAlign(To)));
  B.CreateAlignedStore(V, Slot, Slot->getAlign());
  return B.CreateAlignedLoad(To, Slot, Slot->getAlign());
}

/// The next \p Pieces operands as one value of type \p To; null if they do not
/// make one.
Value *RequestParser::packPieces(unsigned Pieces, Type *To) {
  const Operand &Op = Operands[Next];
  if (Op.ByVal) {
    ++Next;
    return DL.getTypeAllocSize(Op.ByVal) == DL.getTypeAllocSize(To)
               ? B.CreateAlignedLoad(To, Op.V, DL.getABITypeAlign(Op.ByVal))
               : nullptr;
  }
  auto *Struct = dyn_cast<StructType>(To);
  if (!Struct || (Pieces == 1 && Struct->getNumElements() != 1)) {
    Next += Pieces;
    if (Pieces == 1 && Struct && Op.V->getType()->isIntegerTy())
      return throughMemory(Op.V, To); // An integer that carries the struct.
    return Pieces == 1 ? convert(Op, To) : nullptr;
  }
  if (Struct->getNumElements() != Pieces) {
    // Registers, of which an integer carries several.
    SmallVector<Type *, 2> Types;
    for (unsigned K = 0; K != Pieces; ++K)
      Types.push_back(Operands[Next + K].V->getType());
    auto *Registers = StructType::get(B.getContext(), Types);
    Value *Whole = PoisonValue::get(Registers);
    for (unsigned K = 0; K != Pieces; ++K, ++Next)
      Whole = B.CreateInsertValue(Whole, Operands[Next].V, K);
    return throughMemory(Whole, To);
  }
  Value *Whole = PoisonValue::get(To);
  for (unsigned K = 0; K != Pieces; ++K, ++Next) {
    Value *V = convert(Operands[Next], Struct->getElementType(K));
    if (!V)
      return nullptr;
    Whole = B.CreateInsertValue(Whole, V, K);
  }
  return Whole;
}
