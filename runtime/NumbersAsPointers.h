//===- NumbersAsPointers.h - numbers that are loaded as pointers *- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eight bytes may be loaded, passed on and stored as a pointer that are one or
// two numbers: a union or a std::variant is copied by the type of any member.
// Where the language does not say that they are a pointer, emitted code asks
// here, unless the image says so or the bits are an address without any image.
//
// A number's image tells; only raw leaves and memory of the user that nobody
// has touched are judged by their bits, since no address has any above the
// 47th: but pointers have tags there, which the shadow structure repeats, and
// marks such as -1. A zero is a null pointer too: what is stored with it is
// decided by what the shadow holds there. Subnormal numbers out of untyped
// memory are taken for addresses.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_NUMBERSASPOINTERS_H
#define VERSO_RUNTIME_NUMBERSASPOINTERS_H

#include "Request.h"

namespace verso {

/// See RuntimeABI.def.
uint32_t holdsNumber(const Request &R, char *P, const char *Shadow,
                     uint64_t Bits);
bool storesNumber(const Request &R, char *P, const char *Shadow, uint64_t Bits,
                  uint64_t ShadowOfBits);
uint64_t shadowOfNumber(Request &R, uint64_t Image, uint64_t Bits);
uint64_t imageOfNumber(const Request &R, uint64_t Shadow, uint64_t Bits);

} // namespace verso

#endif // VERSO_RUNTIME_NUMBERSASPOINTERS_H
