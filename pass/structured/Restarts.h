//===- Restarts.h - requests that may start again ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   auto limit = limiters.at(name);       // a std::function, copied
//   ...
//   s += limit(r);
//
// Nobody knows beforehand what is called, and no survey can tell. But a
// function that has done nothing yet but compute in memory of its own may be
// called again, and nobody sees the difference: so what is called is guessed,
// and where that is wrong the request starts again by its tape
// (emit/StartAgain.h). What was allocated until then stays, once in a program's
// life.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RESTARTS_H
#define VERSO_STRUCTURED_RESTARTS_H

#include "structured/memory/Objects.h"

namespace verso {

/// What a function may do before it comes to one of its calls \p Ends that
/// others could see; null if there is nothing. \p O is of that function; if it
/// is not \p IsFinal, what other calls do has not been inlined.
const llvm::Instruction *effectBefore(llvm::ArrayRef<llvm::CallBase *> Ends,
                                      const Objects &O, bool IsFinal,
                                      const llvm::TargetLibraryInfo *TLI);

/// Whether such an effect can be seen in \p F or in what it calls: whoever
/// calls it cannot start again.
bool likelyHasEffect(const llvm::Function &F,
                     const llvm::TargetLibraryInfo *TLI);

/// Makes the request start again before each of these calls, where there is no
/// such effect.
void startAgainAt(llvm::ArrayRef<llvm::CallBase *> Ends);

} // namespace verso

#endif // VERSO_STRUCTURED_RESTARTS_H
