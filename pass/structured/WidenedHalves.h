//===- WidenedHalves.h - arrays of two-byte numbers -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An adjoint is a sum, and a sum of halfs or bfloats stands still as soon as a
// summand is less than half of its last bit: 256 ones are the most that a
// bfloat can hold. Arrays of such numbers that are the function's own hold
// floats instead, and so do their adjoints:
//
//   %a = call ptr @malloc(i64 %n)         %a = call ptr @malloc(i64 %n * 2)
//   store bfloat %x, ptr %a + 2 i    =>   store float (fpext %x), ptr %a + 4 i
//   load bfloat, ptr %a + 2 i             fptrunc (load float, ptr %a + 4 i)
//
// where all that becomes of the address can be seen; where not, and a loop
// reads them, a tape is needed, which has longer adjoints. No value changes.
// The shadow of an argument has the type that its user has chosen.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_WIDENEDHALVES_H
#define VERSO_STRUCTURED_WIDENEDHALVES_H

namespace llvm {
class Function;
class LoopInfo;
class TargetLibraryInfo;
} // namespace llvm

namespace verso {

class Refusals;
class VariedMemory;

/// Whether anything has changed.
bool widenHalves(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

/// Notes the first number of an array that was not widened which may be read
/// several times. \p LI is null where the function may be called several times.
void refuseSumsOfHalves(llvm::Function &F, const VariedMemory &V,
                        const llvm::LoopInfo *LI, Refusals &Refused);

} // namespace verso

#endif // VERSO_STRUCTURED_WIDENEDHALVES_H
