//===- Check.h - requests that check themselves -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -verso-check is the dot-product test <J v, w> = <v, J' w> at run time. J v is
// what forward mode computes, in a copy of the process that is forked before
// the function runs: so nothing is run twice that has effects, and memory is
// what it was. J' w is read off the tape.
//
//   process                             copy
//   fork ------------------------------ waits
//   recto runs
//   sends its cells ------------------> writes the direction v there
//                                       forward mode runs
//   computes J' w            <--------- sends J v, and what else it read
//   compares
//
// Structured code does not say which cells it touched. Its request runs by tape
// in a copy of the process, with the check above, and that copy tells the
// process the cells, v and J v. The seeds w are the request's own:
//
//   process                             copy                       copy's copy
//   fork ------------------------------ the request by tape <----> forward mode
//   notes its shadows <---------------- cells, v, J v
//   the structured request runs
//   compares <J v, w> with <v, J' w>, where J' w is what its shadows became
//
// What forward mode reads and the tape did not list gets a component of its
// own, so that a dependence that the tape missed is seen. The copy's standard
// output goes nowhere.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_CHECK_H
#define VERSO_RUNTIME_CHECK_H

#include "LinearMap.h"
#include "Tangents.h"

namespace verso {

/// 0: no check is due. 1: in the process. 2: in the copy.
uint32_t forkForCheck(const char *Where, uint64_t *Calls);

/// In the process. Fatal at a mismatch.
/// \p Precision: mantissa bits of the narrowest type that is computed with.
void compareWithCopy(LinearMap &Map, const char *Where, uint32_t Precision);

/// \name The same for structured code. Every fork is followed by a comparison,
/// but for those that an exception prevents.
/// @{
uint32_t forkForStructured(const char *Where, uint64_t Frame, uint64_t *Calls);
void compareStructured(const char *Where, const double *Derivatives,
                       uint32_t Count, const double *Seeds, uint32_t SeedCount);
/// @}

/// \name In the copy.
/// @{
void receiveDirection(Tangents &Memory, double *Direction, uint32_t Count);
void readInCopy(char *Shadow, verso_cell_kind Kind);
[[noreturn]] void reply(const double *Tangents, uint32_t Count);
/// An exception left the request by tape: there is nothing to judge.
[[noreturn]] void leaveCopy();
/// @}

} // namespace verso

#endif // VERSO_RUNTIME_CHECK_H
