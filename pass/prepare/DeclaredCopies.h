//===- DeclaredCopies.h - what assignments of structures move ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang describes the assignment of a structure (!tbaa.struct), but arrays in
// it as bytes of any type, nothing at -O0, and no call of memcpy. The types of
// clang's that addresses are computed by say more:
//
//   struct R { int k; double t[3]; float g; } *p;
//   p[i] = p[j];
//
//   0 int, 8 any (24), 32 float   =>   0 int, 4 padding (4),
//                                      8 double (24), 32 float, 36 padding (4)
//
// At the start of the pipeline, where these types still are. What is added has
// tags that may alias anything (declaredTag), so that no other optimisation
// learns of it. Copies are described if both sides are of the same types, in a
// structure or an array that goes on behind them, and if their length is not a
// constant, if it is so many structures; of an assignment, which clang
// describes, if those are that are known. What is not described but begins in a
// structure of numbers of several types says so (a Mixed field of no bytes). An integer that only
// addresses declare is perhaps one (DeclaredKind::MaybeInteger): words are
// storage for any value. Not described are members of unions, characters in
// arrays, where programs keep other objects, vectors and pointers.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_DECLAREDCOPIES_H
#define VERSO_PREPARE_DECLAREDCOPIES_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

class MixedUnions;

/// Returns whether anything was described.
bool describeCopies(llvm::Function &F, const MixedUnions &Mixed);

} // namespace verso

#endif // VERSO_PREPARE_DECLAREDCOPIES_H
