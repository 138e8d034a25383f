//===- PartAccesses.h - what a part reads and writes ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a part (Parts.h) reads and writes through its arguments, as paths: an
// argument, or a pointer that is read at a path, and offsets from there. At a
// call of the part *stand-ins* are put: loads, stores and copies at these
// places, at offsets that nobody knows, of values that are computed from all
// that is read. So whatever analyses memory sees what the call does, and has
// nothing to know of parts. In front of the call, in this order:
//
//   loads of what the part reads; values of all of them and of the arguments
//   stores and copies of what it writes
//   loads of all places once more: what is there when the call returns, which
//   its verso may ask for
//
// Nobody emits anything for stand-ins, and they are erased before the function
// is run.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_PARTS_PARTACCESSES_H
#define VERSO_STRUCTURED_PARTS_PARTACCESSES_H

#include "structured/Refusal.h"
#include "structured/memory/OffsetClass.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include <optional>
#include <vector>

namespace verso {

class Objects;
struct Place;

class PartAccesses {
public:
  /// Of \p F, which is in the form of Flatten.h, and in which calls of other
  /// parts have stand-ins. Refused where it cannot be told, or where the
  /// function does what a part must not.
  PartAccesses(llvm::Function &F, const llvm::TargetLibraryInfo *TLI,
               Refusals &Refused);

  /// Puts stand-ins in front of \p Call, of the part, which another one takes
  /// the place of.
  void standIn(llvm::CallBase &Call) const;
  /// How many places there are, each of which is loaded when the call returns.
  unsigned size() const { return Accesses.size(); }
  /// Puts stores to those in \p Later in front of \p At, for pointers \p
  /// Arguments: what others may do before the verso runs.
  void overwriteLater(const llvm::BitVector &Later,
                      llvm::ArrayRef<llvm::Value *> Arguments,
                      llvm::Instruction &At) const;

private:
  /// Where pointers come from: an argument, or loads at these accesses.
  struct Base {
    int Argument = -1;
    llvm::SmallVector<unsigned, 1> Loaded = {};
  };
  struct Spot {
    unsigned Base;
    OffsetClass At;
    bool operator==(const Spot &) const = default;
  };
  struct Access {
    Spot Where;
    llvm::Type *T;
    llvm::MDNode *Type; ///< What the language says (!tbaa); may be null.
    bool IsRead = false, IsWritten = false;
  };
  /// A memcpy, memmove or memset; of the latter To alone.
  struct Bulk {
    llvm::Intrinsic::ID Kind;
    Spot To;
    std::optional<Spot> From;
    llvm::Constant *Value = nullptr; ///< Of a memset, where it is known.
    bool operator==(const Bulk &) const = default;
  };
  class Finder;
  class Emitter;

  std::vector<Base> Bases;
  std::vector<Access> Accesses;
  std::vector<Bulk> Bulks;
};

/// Whether \p I is a stand-in.
bool isStandIn(const llvm::Instruction &I);
/// Whether it is one for the values that a part computes.
bool isEffect(const llvm::Instruction &I);
/// The value that stands for what \p Call, of a part, returns; may be null.
const llvm::Value *effectOf(const llvm::CallBase &Call);

/// What stands for \p Call, of a part: in its block.
struct StandIns {
  explicit StandIns(llvm::CallBase &Call);
  llvm::SmallVector<llvm::Instruction *, 16> All;
  /// The loads at its return, by the number of the place.
  llvm::SmallVector<llvm::LoadInst *, 16> Later;
};

/// Erases all of \p F.
void eraseStandIns(llvm::Function &F);

} // namespace verso

#endif // VERSO_STRUCTURED_PARTS_PARTACCESSES_H
