//===- Kernels.h - loops that the tape takes as a whole ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What sends a request to the tape is seldom in its loops. A loop of a function
// that is taped, which comes to cells that are known when it begins
// (LoopFootprint.h), and which structured code can reverse, becomes a function
// of its own, a *kernel*:
//
//   f.kernel(x...)                the loop, as the program has it
//   f.kernel.footprint(x..., rows)  writes down what it will come to; returns
//                                 how much it does
//   f.kernel.reverse(slots)       its vector-Jacobian product, structured
//   f.kernel.twin(context, x..., companions...) {
//     if (__verso_begin_kernel(...))    one record (runtime/Kernels.cpp)
//       f.kernel(x...);
//     else
//       the loop, instrumented
//   }
//
// The runtime decides each time: it takes memory whose cells are plain numbers,
// and loops that do enough.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPED_KERNELS_H
#define VERSO_TAPED_KERNELS_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace verso {

class Kernels {
public:
  /// A run that makes fewer operations is left to the tape.
  Kernels(llvm::FunctionAnalysisManager &FAM, unsigned LeastWork)
      : FAM(FAM), LeastWork(LeastWork) {}

  /// Moves the loops of \p F that can be kernels into functions.
  void extract(llvm::Function &F);
  bool isKernel(const llvm::Function &F) const { return Known.contains(&F); }
  /// \p Twin, of kernel \p F, with companions for \p Varied parameters, chooses
  /// between the two when it is called.
  void addChoice(llvm::Function &Twin, llvm::Function &F,
                 const llvm::BitVector &Varied);
  /// What was generated besides, since the last call.
  llvm::SmallVector<llvm::Function *, 8> takeGenerated() {
    return std::exchange(Generated, {});
  }

private:
  struct Kernel {
    llvm::Function *Footprint;
    llvm::GlobalVariable *Description; ///< A verso_kernel.
    unsigned Accesses;
  };
  bool extractOne(llvm::Function &F);
  bool describe(llvm::Function &F);

  llvm::FunctionAnalysisManager &FAM;
  const unsigned LeastWork;
  llvm::DenseMap<const llvm::Function *, Kernel> Known;
  llvm::SmallVector<llvm::Function *, 8> Generated;
};

/// Whether \p F is called by the runtime alone.
bool isReverseOfKernel(const llvm::Function &F);

} // namespace verso

#endif // VERSO_TAPED_KERNELS_H
