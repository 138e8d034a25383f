//===- CustomDerivatives.h - derivatives that the program gives -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VERSO_DERIVATIVE(f, fx, fy) and VERSO_DIFFERENTIATE_AS(f, g) of verso.h are
// constant arrays whose names start with verso_derivative_ and
// verso_differentiate_as_. Each becomes ordinary code, so no strategy and no
// order of derivatives knows of them:
//
//   T f(T x, ..., T y) {
//     if (!verso_is_differentiated())
//       return body(x, ..., y);                         what f was
//     r = primal(x, ..., y);                            body, marked inactive
//     r = @verso.given(y, fy(x, ..., y), r);
//     return @verso.given(x, fx(x, ..., y), r);         or: return g(x, ...,
//     y);
//   }
//
//   @verso.given(x, p, r)   is r, and its derivative is p dx + dr
//   (rules/Given.h)
//
// A second derivative is that of fx, which has a body. The function that takes
// f's place is f itself, so that its address leads there too, if f has a body
// here that no other may replace. Else it is a function of ours, which is
// called where the module calls f by name.
//
// g's own calls of f are f's: it may build on it.
//
// f may write memory, as any inactive function; what it leaves is constant.
//
// VERSO_CUSTOM_VJP(f, T, roles, counts, vjp, jvp) is for functions of numbers
// behind pointers: f's call becomes a staged one (StagedCalls.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_CUSTOMDERIVATIVES_H
#define VERSO_PREPARE_CUSTOMDERIVATIVES_H

#include "prepare/StagedCalls.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <vector>

namespace verso {

class Diagnostics;

bool hasCustomDerivatives(const llvm::Module &M);

/// At the start of the pipeline: a call of f stays one. f's body may be
/// optimised and inlined into what takes its place, but nobody looks into that.
/// Returns whether there is any. May be run again.
bool preserveCustomDerivatives(llvm::Module &M);

/// While requests are lowered, what takes f's place has the body above.
class CustomDerivatives {
public:
  /// Mistakes are reported.
  CustomDerivatives(llvm::Module &M, Diagnostics &D);
  /// When all requests are lowered: everything is as the program has it.
  void release();

private:
  /// An array of the program, read.
  struct Custom {
    enum { Partials, Instead, Vjp } Kind;
    llvm::Function *Front;                         ///< What takes f's place.
    llvm::Function *Primal;                        ///< What f was.
    llvm::SmallVector<llvm::Function *, 4> Others; ///< fx, fy, ... (null:
                                                   ///< zero), or g.
    CustomVjp Given;                               ///< Of a VJP.
    bool isInPlace() const { return !Front->getName().starts_with("verso."); }
    llvm::Function &named() const { return isInPlace() ? *Front : *Primal; }
  };
  bool isRight(const llvm::GlobalVariable &Array, const Custom &C);
  void setFront(const Custom &C);
  void emitByPartials(llvm::IRBuilderBase &B, const Custom &C);
  llvm::Function *inactive(llvm::Function &F, const llvm::Twine &Name);
  void restore(const Custom &C);

  llvm::Module &M;
  Diagnostics &D;
  std::vector<Custom> Customs;
  llvm::SmallVector<llvm::Function *, 4> Inactive;
  llvm::SmallVector<llvm::Function *, 8> Staged; ///< Functions of ours.
};

/// \p F was generated for a request: an outer one sees what partial derivatives
/// are made of.
void openPartials(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_CUSTOMDERIVATIVES_H
