//===- LostNumbers.h - the error of numbers that are lost -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VERSO_ID_LOST is one ID for all numbers whose derivative nobody knows, so a
// result that depends on it does not say on which of them. Under -verso-check
// the places where such a number is read are noted, and the error names them.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_LOSTNUMBERS_H
#define VERSO_RUNTIME_LOSTNUMBERS_H

namespace verso {

/// A number that is lost was read, in this thread, at \p Where, which stays.
void sawLost(const char *Where);

/// \p Prefix comes before the reason.
[[noreturn]] void failLost(const char *Where, const char *Prefix);

} // namespace verso

#endif // VERSO_RUNTIME_LOSTNUMBERS_H
