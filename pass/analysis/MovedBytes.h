//===- MovedBytes.h - integers that move bytes of numbers -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers and pointers travel through integer registers, byte by byte or whole.
// What only moves bytes moves derivatives with them; anything else loses them.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_MOVEDBYTES_H
#define VERSO_ANALYSIS_MOVEDBYTES_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class BinaryOperator;
class CallBase;
class CastInst;
class DataLayout;
class Instruction;
class Value;
} // namespace llvm

namespace verso {

class Activity;

/// Whether \p I moves whole bytes of its operands, as far as constants tell.
bool keepsBytes(const llvm::Instruction &I);

/// Whether \p Mask, of whole bytes, may be that of an address without its tags
/// or its place in a block: it keeps what is between its lowest and its highest
/// bytes, which is never done to put something together of parts.
bool keepsAddress(const llvm::APInt &Mask);

/// The X of `X & Mask` if that moves whole bytes; else null.
llvm::Value *keptInPart(llvm::Value *V, const llvm::APInt *&Mask);

/// Whether the integer \p V was, or may have been, computed of what is active
/// by an operation that does not keep bytes.
bool isComputed(const llvm::Value *V, const Activity &A);

/// Whether what is active of the integer \p V is less than a word of four
/// bytes, or put together of such parts.
bool isMadeOfParts(const llvm::Value *V, const Activity &A);

/// The bytes of the words of the integer \p V of which a part may be lost, a
/// bit each: both may be true of what \p V has there.
uint64_t partlyLost(const llvm::Value *V, const Activity &A,
                    const llvm::DataLayout &DL);

/// What an intrinsic of a processor that computes with integers does to bytes.
enum class ByteCall {
  None,  ///< It is none, or what comes of it is no number's bytes.
  Moves, ///< Takes those of its first operand, as the second says.
  Loses,
};
ByteCall byteCall(const llvm::CallBase &Call);

/// The bits of operand \p K that \p I hands on for certain.
llvm::APInt keptBits(const llvm::BinaryOperator &I, unsigned K);

/// What arithmetic leaves of integers that hold several things, as structs do
/// that are passed in registers. A mask of four bytes each: an integer of at
/// least two such words, where not all of them change. Where numbers may be
/// packed, a word is a byte.
struct KeptWords {
  llvm::APInt Of[2]; ///< The same in the result as in this operand.
  llvm::APInt Lost;  ///< Neither that nor constant, and used.
  llvm::APInt Used;  ///< Bits of the result that anything is made of.
  unsigned Opcode;
  unsigned WordBits;
  std::optional<unsigned> Shift; ///< Of a logical one by a constant.
  /// Whether the result may be used as an address.
  bool mayBeAddress() const { return keepsAddress(Used); }
  /// Whether word \p From of an operand may have an effect on word \p To.
  bool flows(unsigned From, unsigned To) const;
};
std::optional<KeptWords> keptWords(const llvm::BinaryOperator &I,
                                   unsigned WordBits = 32);

/// Whether \p I turns an integer back into a real number, by its bits or by its
/// value, that has bits of an active one which went through an operation that
/// does not keep bytes, and is used where the number is one in every run of the
/// request.
bool losesRealBits(const llvm::CastInst &I, const Activity &A);

/// The numbers of which \p I, from an integer to a number, gives a part by its
/// value, as where a union's number and its shorter integer are one register,
/// or what is computed of their bits where a tag says that they are an
/// integer's: if there was a number, its bits are lost. Empty if there is more
/// to it.
llvm::SmallVector<llvm::Value *, 2> numbersInPart(const llvm::CastInst &I);

/// Whether nothing is computed of the integer that \p I casts to a number: it
/// is the value of a part, as a rule of an integer beside bytes of a number,
/// whose derivative says nothing.
bool isOfPartAlone(const llvm::CastInst &I);

/// What the bytes of the number that \p I casts from an integer are of, if some
/// of them are of active values and others are of none; else empty.
llvm::SmallVector<llvm::Value *, 4> mixedBytes(const llvm::CastInst &I,
                                               const Activity &A);

} // namespace verso

#endif // VERSO_ANALYSIS_MOVEDBYTES_H
