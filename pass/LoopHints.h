//===- LoopHints.h - what a program demands of its loops --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `omp simd`, `unroll(full)`, `vectorize(enable)` and the like demand that the
// compiler transforms a loop, and it warns where it cannot. The demands are the
// program's, of its own loops: loops that were generated from them may be
// vectorised as any others, and nobody is warned. What such a demand permits
// stays: to add up in any order.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_LOOPHINTS_H
#define VERSO_LOOPHINTS_H

namespace llvm {
class Function;
class Loop;
} // namespace llvm

namespace verso {

/// Takes the demands away from the loops of \p F, which was generated.
void dropDemands(llvm::Function &F);

/// Whether the loop that \p L comes from was to be vectorised.
bool mayReorder(const llvm::Loop &L);
bool hasReorderableLoops(const llvm::Function &F);

} // namespace verso

#endif // VERSO_LOOPHINTS_H
