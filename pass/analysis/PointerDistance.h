//===- PointerDistance.h - distances of pointers in indices -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distance of two arrays is not that of their shadows. So whoever follows
// pointers by what they are computed from looks at the distances in it.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_POINTERDISTANCE_H
#define VERSO_ANALYSIS_POINTERDISTANCE_H

#include "llvm/IR/InstrTypes.h"

namespace verso {

/// The distance of two pointers, a subtraction of two ptrtoint, that \p Index
/// was computed from; null if there is none.
const llvm::BinaryOperator *pointerDistance(const llvm::Value *Index,
                                            unsigned Depth = 6);

} // namespace verso

#endif // VERSO_ANALYSIS_POINTERDISTANCE_H
