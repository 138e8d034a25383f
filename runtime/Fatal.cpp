//===- Fatal.cpp - errors that end the program ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fatal.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

using namespace verso;

namespace {

/// A line that leaves in one piece, whatever other threads write.
class Line {
public:
  void add(const char *Format, ...) __attribute__((format(printf, 2, 3))) {
    va_list Arguments;
    va_start(Arguments, Format);
    add(Format, Arguments);
    va_end(Arguments);
  }
  void add(const char *Format, va_list Arguments) {
    int N = vsnprintf(Text + Used, sizeof(Text) - Used, Format, Arguments);
    if (N > 0)
      Used += N;
    if (Used > sizeof(Text) - 2)
      Used = sizeof(Text) - 2;
  }
  void print() {
    Text[Used++] = '\n';
    for (size_t Done = 0; Done < Used;) {
      ssize_t N = write(STDERR_FILENO, Text + Done, Used - Done);
      if (N <= 0)
        return;
      Done += N;
    }
  }

private:
  char Text[2048];
  size_t Used = 0;
};

} // namespace

void verso::fatal(const char *Where, const char *Format, ...) {
  fflush(stdout);
  Line L;
  L.add("verso: error: ");
  if (Where)
    L.add("%s: ", Where);
  va_list Arguments;
  va_start(Arguments, Format);
  L.add(Format, Arguments);
  va_end(Arguments);
  L.print();
  _exit(ExitStatus);
}

void verso::warn(const char *Where, const char *Format, ...) {
  Line L;
  L.add("verso: warning: %s: ", Where);
  va_list Arguments;
  va_start(Arguments, Format);
  L.add(Format, Arguments);
  va_end(Arguments);
  L.print();
}

void verso::note(const char *Format, ...) {
  Line L;
  L.add("verso: ");
  va_list Arguments;
  va_start(Arguments, Format);
  L.add(Format, Arguments);
  va_end(Arguments);
  L.print();
}
