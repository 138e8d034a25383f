//===- GivenMemory.h - arguments that have a shadow -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the memory lies that the arguments of a request and their shadows lead
// to, for requests whose functions follow pointers of global variables
// (pass/analysis/EarlierPointers.h) or execute plans (FourierPlans.cpp). Others
// note nothing.
//
// What is known of an argument is where it begins and how much is certainly
// there. Whether memory behind that, or somewhere else, has a shadow is a
// guess, and one to the safe side:
//   - who asks may know the whole variable that it is of;
//   - malloc of the GNU C library says how large its blocks are, of argument
//     and shadow;
//   - a variable ends before its shadow begins, and the other way round;
//   - what is left of arguments goes as far as pages follow one another;
//   - pointers in such memory lead on where the shadow has another pointer at
//     the same place. In variables of unknown size nobody looks for them, nor
//     in plans.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_GIVENMEMORY_H
#define VERSO_RUNTIME_GIVENMEMORY_H

#include "AddressSpace.h"
#include "Vector.h"

#include <stdint.h>

namespace verso {

/// A piece of memory, and where its shadow is.
struct Given {
  uint64_t Begin, Shadow;
  uint64_t Bytes;       ///< So many are certainly there,
  uint64_t Most;        ///< and no more than these.
  uint64_t Pointers;    ///< In so many there may be some that lead on.
  bool IsOther = false; ///< Another one begins there, too, and is looked at.
};

class GivenMemory {
public:
  void clear() {
    Pieces.clear();
    Arguments = 0;
    IsFollowed = false;
    Begin = tick();
    for (uint64_t &Key : Harmless)
      Key = 0;
  }
  void release() {
    Pieces.release();
    Places.release();
  }
  void note(const Given &Argument) {
    if (!Argument.Begin)
      return;
    Pieces.push_back(Argument);
    Arguments = Pieces.size();
  }
  /// Whether a byte of \p Memory is certainly of an argument.
  bool containAny(Range Memory) const {
    for (size_t K = 0; K != Arguments; ++K)
      if (Memory.Begin - Pieces[K].Begin < Pieces[K].Bytes ||
          Pieces[K].Begin - Memory.Begin < Memory.End - Memory.Begin)
        return true;
    return false;
  }

  /// A time; later ones are greater.
  static uint64_t tick();
  bool isSinceBegin(uint64_t Time) const { return Time > Begin; }

  /// Whether an argument, or a pointer in one, certainly leads to \p Memory,
  /// and none of those has its shadow at \p Shadow.
  bool isOtherShadow(Range Memory, uint64_t Shadow);

  /// Where an argument, or a pointer in one, may lead to \p Memory, which is in
  /// \p Variable (empty if nobody knows it): whether \p Condition holds for a
  /// place of its shadow. Memory that none leads to is remembered by \p Key,
  /// which is not 0.
  template <class F>
  bool anyShadow(Range Memory, Range Variable, uint64_t Key, F Condition) {
    uint64_t &Known = Harmless[Key % Remembered];
    if (Known == Key || Memory.Begin == Memory.End)
      return false;
    followPointers();
    bool Any = false;
    for (size_t K = 0; K != Pieces.size(); ++K)
      if (mayLead(K, Memory, Variable)) {
        Any = true;
        const Given &G = Pieces[K];
        if (Condition(G.Shadow + (Memory.Begin - G.Begin)))
          return true;
      }
    if (!Any)
      Known = Key;
    return false;
  }

private:
  /// Whether that is certain, if pointers are no older ones.
  bool leads(const Given &Piece, Range Memory) const;
  bool mayLead(size_t Piece, Range Memory, Range Variable) const;
  void followPointers();
  void look(Given Into);
  void reach(uint64_t Begin, uint64_t Shadow);

  Vector<Given> Pieces; ///< Arguments, then what pointers lead to.
  size_t Arguments = 0;
  bool IsFollowed = false;
  uint64_t Begin = 0;      ///< Of the request.
  Vector<uint32_t> Places; ///< Of pieces, by a hash, plus one.
  static constexpr unsigned Remembered = 16;
  uint64_t Harmless[Remembered] = {};
};

/// How many bytes a block of the heap has that begins there; 0 if none does, or
/// the heap is neither the GNU C library's nor a sanitizer's.
uint64_t bytesOfBlock(uint64_t Begin);

/// Whether it is that of a plan of FFTW (FourierPlans.cpp), which hides
/// pointers to its arrays.
bool isPlanNoted(uint64_t Address);

/// Those of a request.
GivenMemory &givenTo(void *Context, bool IsForward);

} // namespace verso

#endif // VERSO_RUNTIME_GIVENMEMORY_H
