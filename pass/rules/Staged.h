//===- Staged.h - what is known of staged calls -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that prepare/StagedCalls.h makes for a call whose JVP and VJP are
// given are told by attributes.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_STAGED_H
#define VERSO_RULES_STAGED_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace verso {

namespace staged {

inline constexpr llvm::StringLiteral NumbersAttribute = "verso-staged-numbers";
inline constexpr llvm::StringLiteral NameAttribute = "verso-staged-name";
inline constexpr llvm::StringLiteral BlockAttribute = "verso-staged-block";
inline constexpr llvm::StringLiteral RunAttribute = "verso-staged-run";
inline constexpr llvm::StringLiteral CommunicatesAttribute =
    "verso-staged-communicates";
/// The call computes one block of the other, and its derivatives do so, too:
/// there is no copy (prepare/StagedProducts.h).
inline constexpr llvm::StringLiteral DirectAttribute = "verso-staged-direct";
/// Of a function without a body that counts; how many bytes it writes.
inline constexpr llvm::StringLiteral CountsAttribute = "verso-staged-counts";
inline constexpr llvm::StringLiteral JvpSuffix = ".jvp", VjpSuffix = ".vjp";

} // namespace staged

bool isStaged(const llvm::Function &F);
/// Whether \p F runs the function itself, for a staged call that follows.
bool isRunOfStaged(const llvm::Function &F);
/// How many bytes \p F, which counts for one and has no body, writes; 0 if it
/// is another function.
unsigned bytesOfCounts(const llvm::Function &F);
bool isStaged(const llvm::CallBase &Call);
/// Whether others, outside the program, wait for the derivative of what \p F
/// stands for: it is computed whenever the call was made, though nothing that
/// it reads varies, though nobody uses what it writes, though all adjoints are
/// zero. What it writes varies: it may come from others.
bool communicates(const llvm::Function &F);
bool communicates(const llvm::CallBase &Call);
/// The name of what the staged \p Call is a call of, for messages.
llvm::StringRef nameOfStaged(const llvm::CallBase &Call);
/// Where the bytes are that a staged \p Call keeps beside numbers.
const llvm::Value *keptOfStaged(const llvm::CallBase &Call);
/// `to` once more, for the derivatives of the direct \p Call, if they read it.
const llvm::Value *foundOfStaged(const llvm::CallBase &Call);
/// Whether \p Call takes or releases one of the blocks.
bool isBlockOfStaged(const llvm::CallBase &Call);
/// What \p Copy, a staged call or a copy for one, copies: numbers of this type;
/// null if it is another call.
llvm::Type *numbersOfStaged(const llvm::CallBase &Copy);

/// Whether the derivative of \p F, staged, takes the place of the copy's.
bool isDirect(const llvm::Function &F);
bool isDirect(const llvm::CallBase &Call);

/// Tangents or adjoints of the two blocks of a staged call.
struct StagedDerivatives {
  llvm::Value *OfTo, *OfFrom;
};
/// Calls what changes the derivatives of the copy that the staged \p Call
/// makes, or, where it is direct, adds to those of `to` (JVP) or `from` (VJP).
/// False: the program gives none.
bool emitJvpOfStaged(llvm::IRBuilderBase &B, const llvm::CallBase &Call,
                     const StagedDerivatives &Dots);
bool emitVjpOfStaged(llvm::IRBuilderBase &B, const llvm::CallBase &Call,
                     const StagedDerivatives &Bars);
/// The same of a call of \p F, staged, with these arguments.
bool emitVjpOfStaged(llvm::IRBuilderBase &B, const llvm::Function &F,
                     llvm::ArrayRef<llvm::Value *> Arguments,
                     const StagedDerivatives &Bars);

} // namespace verso

#endif // VERSO_RULES_STAGED_H
