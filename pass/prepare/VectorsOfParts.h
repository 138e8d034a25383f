//===- VectorsOfParts.h - numbers in vectors of integers --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processors shuffle doubles by instructions for integers half as wide, and so
// do the kernels of libraries (Eigen's broadcasts by _mm_shuffle_epi32). To be
// called before vectors are taken apart: then only parts of numbers are left.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_VECTORSOFPARTS_H
#define VERSO_PREPARE_VECTORSOFPARTS_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

/// %v = load <4 x i32>, ptr %p
/// %s = shufflevector %v, 0, 1, 0, 1     =>   shufflevector (load <2 x
/// double>), bitcast %s to <2 x double>                               0, 0
///
/// wherever vectors of integers that are cast to numbers are loaded, shuffled,
/// chosen and changed in single bits (signs by xor, Eigen's complex numbers)
/// with the parts of each number side by side. No bit changes. And operations
/// on bits that are on wider integers than what is made of them.
void joinPartsOfNumbers(llvm::Function &F);

/// %v = load <4 x float>, ptr %p
/// %b = bitcast %v to <2 x i64>          =>   load i64, ptr %p + 8
/// extractelement %b, 1
///
/// LLVM loads two fields of a struct as a vector of the first one's type, and
/// takes the second, a pointer, out of its bits.
void loadPartsOfVectors(llvm::Function &F);

/// Loads and stores of vectors that LLVM makes again when vectors have been
/// taken apart (two floats that it returns as a double): each element that is
/// taken out of one is loaded by itself, each that is stored is stored so.
/// Of integers on the tape, too, which follows the bytes of each.
void accessElementsApart(llvm::Function &F, bool AlsoIntegers = false);

} // namespace verso

#endif // VERSO_PREPARE_VECTORSOFPARTS_H
