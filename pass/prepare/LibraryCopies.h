//===- LibraryCopies.h - numbers that the C++ library assigns ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::copy, and with it every assignment of a std::vector, is a loop of
// assignments to the language. Where the elements are numbers the library calls
// memmove, which moves bytes of any type; the function that does it says by its
// name what they are:
//
//   std::__copy_move<...>::__copy_m<double>(double const*, double const*,
//                                           double*)
//
// Such copies get the tag that LLVM gives a loop of assignments which it makes
// a copy of, though no other optimisation learns of it (declaredTag), and the
// tape does not: it finds what is copied at run time. Not where the program says
// no types (-O0, -fno-strict-aliasing): it may move anything as doubles.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_LIBRARYCOPIES_H
#define VERSO_PREPARE_LIBRARYCOPIES_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

/// At the start of the pipeline. Returns whether there are any.
bool describeLibraryCopies(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_LIBRARYCOPIES_H
