//===- Wave.h - a recursion reversed record by record -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where adjoints only go down, from what a call returns to the calls that it
// makes and to memory, but to no parameter, the verso of a recursion is a loop:
// an activation's adjoint is complete once that of its caller is reversed.
//
//   recto:  r = f.recto(x, records)       as f, and for each activation a
//   record:
//                                         what its verso needs, and where the
//                                         records of its calls are
//   verso:  records[0].seed = r'
//           for each record, callers first:
//             reverse the activation, whose result has the adjoint record.seed;
//             records of its calls: .seed = adjoints of their results
//
// Records are as large as one another and lie in the order in which activations
// began. A call that was not made has the activation's own record in the place
// of its own, whose seed has been read by then: no branch is needed. So has
// memory without a shadow.
//
// The member has one activation's both sweeps emitted into it, as any function,
// which is then cut in two: what crosses is the record.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECURSION_WAVE_H
#define VERSO_STRUCTURED_RECURSION_WAVE_H

#include "structured/Refusal.h"
#include "structured/memory/Varied.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// Whether \p Member may be one, as far as its form tells.
bool mayBeWave(llvm::Function &Member);

struct Wave {
  /// (arguments..., shadows..., cursor) -> result. The cursor is three
  /// pointers: to the next record, to the end of the room for them, and to its
  /// start.
  llvm::Function *Recto;
  /// (first record, end of the last); the first one's seed is at its start.
  llvm::Function *Verso;
  /// Whether an outer request differentiates them.
  bool IsInner;
};

/// Fills both functions; \p Recto has the member's body. \p Shadows are those
/// of its arguments.
void makeWave(const Wave &Functions, const Objects &O, const VariedMemory &V,
              const llvm::DenseMap<llvm::Value *, llvm::Value *> &Shadows,
              llvm::FunctionAnalysisManager &FAM, Refusals &Refused);

} // namespace verso

#endif // VERSO_STRUCTURED_RECURSION_WAVE_H
