//===- LostBits.h - integers made of numbers' bits --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that is made of an integer has no derivative that anybody knows
// where the integer was computed of a number's bits. Whether it was, the way
// that the program took tells: beside the integers stands a bit, chosen as they
// are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_LOSTBITS_H
#define VERSO_EMIT_LOSTBITS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

#include <functional>

namespace verso {

class LostBits {
public:
  /// Emits whether a number has a derivative in a direction (of a vector, each of
  /// its elements); null: it has none.
  using HasDerivative = std::function<llvm::Value *(
      llvm::IRBuilderBase &, llvm::Value *Number, unsigned Direction)>;

  /// Whether \p I, from an integer to a number, takes bits that are lost of
  /// numbers with a derivative. Known when fill() is called.
  llvm::Value *at(llvm::IRBuilderBase &B, llvm::CastInst &I,
                  unsigned Direction = 0);

  /// When every value has its companion.
  void fill(const HasDerivative &Asks);

private:
  struct Place {
    llvm::Instruction *Flag;
    llvm::CastInst *Cast;
    unsigned Direction;
  };
  llvm::Value *of(llvm::Value *V, bool IsLost);
  llvm::Value *ofNumber(llvm::IRBuilderBase &B, llvm::Value *Number);
  llvm::Value *emit(llvm::Instruction &I, bool IsLost);

  llvm::SmallVector<Place, 4> Places;
  /// Of integers, as lost ones and as bytes; of the direction at hand.
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> Known;
  const HasDerivative *Asks = nullptr;
  unsigned Direction = 0;
  unsigned Depth = 0;
};

} // namespace verso

#endif // VERSO_EMIT_LOSTBITS_H
