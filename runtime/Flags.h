//===- Flags.h - environment variables of the runtime -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags.def lists them. They are read once, when the runtime is first used; a
// value that cannot be read is a fatal error.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_FLAGS_H
#define VERSO_RUNTIME_FLAGS_H

#include <stddef.h>

namespace verso {

struct Flags {
#define VERSO_FLAG_SIZE(NAME, VARIABLE, DEFAULT) size_t NAME = DEFAULT;
#define VERSO_FLAG_BOOL(NAME, VARIABLE, DEFAULT) bool NAME = DEFAULT;
#include "Flags.def"
};

const Flags &flags();

/// "64k", "3M", "2G", "1T" or a plain number of bytes; false if it is none.
bool parseSize(const char *Text, size_t &Bytes);

} // namespace verso

#endif // VERSO_RUNTIME_FLAGS_H
