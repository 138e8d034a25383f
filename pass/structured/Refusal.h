//===- Refusal.h - why a request is not structured --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything in this folder works on a copy of the program and may give up at
// any point: it says why and where, the copy is thrown away, and the request
// goes to the tape. The first reason is the one that is kept.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_REFUSAL_H
#define VERSO_STRUCTURED_REFUSAL_H

#include "Diagnostics.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Instruction.h"

#include <optional>
#include <string>

namespace verso {

struct Refusal {
  std::string Why;
  std::string Where; ///< placeOf() it, or empty.
  bool IsTooLarge = false;

  std::string text() const {
    return Where.empty() ? Why : Why + " at " + Where;
  }
};

class Refusals {
public:
  /// \p HasChoice: what is refused will be taped, not an error.
  explicit Refusals(bool HasChoice) : HasChoice(HasChoice) {}
  /// Whether it is worth refusing what could be done, but not well.
  bool hasChoice() const { return HasChoice; }
  void add(const llvm::Twine &Why, const llvm::Instruction *At = nullptr) {
    if (First)
      return;
    First = Refusal{Why.str(), "", false};
    if (At)
      First->Where = placeOf(*At);
  }
  /// \p At, of a function that would be inlined.
  void addTooLarge(const llvm::Instruction &At) {
    bool IsFirst = !First;
    add("the call tree is too large to be one function", &At);
    First->IsTooLarge |= IsFirst;
  }
  /// What was refused could be done in another way.
  void forget() { First.reset(); }
  explicit operator bool() const { return First.has_value(); }
  const Refusal &first() const { return *First; }

private:
  std::optional<Refusal> First;
  bool HasChoice;
};

} // namespace verso

#endif // VERSO_STRUCTURED_REFUSAL_H
