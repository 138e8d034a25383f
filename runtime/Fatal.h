//===- Fatal.h - errors that end the program --------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime meets a fault of the user, or a limit of the machine, with one
// line on stderr, "verso: error: <where>: <reason>", and exit status
// ExitStatus. What the program had printed is flushed; no other code of the
// program runs, since other threads may be in the middle of anything.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_FATAL_H
#define VERSO_RUNTIME_FATAL_H

namespace verso {

/// The exit status of a program that the runtime ends.
inline constexpr int ExitStatus = 86;

/// \p Where names the request or the call and may be null.
[[noreturn]] void fatal(const char *Where, const char *Format, ...)
    __attribute__((format(printf, 2, 3)));

/// "verso: warning: <where>: <reason>"
void warn(const char *Where, const char *Format, ...)
    __attribute__((format(printf, 2, 3)));

/// A line for VERSO_VERBOSE.
void note(const char *Format, ...) __attribute__((format(printf, 1, 2)));

} // namespace verso

#endif // VERSO_RUNTIME_FATAL_H
