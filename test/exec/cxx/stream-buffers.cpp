//===- stream-buffers.cpp - what a header calls in a stream's buffer ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From -O1 on the public functions of a buffer are calls of the library's
// virtual ones: a buffer is set and moved in, text of wide characters ends a
// line, and what is read into numbers makes constants of them.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <locale>
#include <sstream>
#include <string>

static char Name[] = "/tmp/verso-stream-buffers-XXXXXX";

CHECK_NOINLINE static double logged(const double *x, int n) {
  char room[64];
  std::filebuf file;
  file.pubsetbuf(room, sizeof room);
  if (!file.open(Name, std::ios::out | std::ios::trunc))
    return 0;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i] * x[i];
    file.sputn("line\n", 5);
  }
  file.pubseekpos(2);
  file.sputn("**", 2);
  file.pubsync();
  return s * double(file.pubseekoff(0, std::ios::end));
}

CHECK_NOINLINE static double wide(const double *x, int n) {
  std::wostringstream out;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i] * x[0];
    out << s << L' ' << "and" << std::endl;
  }
  out.rdbuf()->sputc(L'!');
  out.rdbuf()->pubimbue(std::locale::classic());
  std::wistringstream in(out.str());
  std::wstring line;
  int lines = 0;
  while (std::getline(in, line))
    ++lines;
  return s * lines;
}

/// Its second number is that of the file.
CHECK_NOINLINE static double restored(const double *x, int n) {
  std::filebuf file;
  if (!file.open(Name, std::ios::in | std::ios::binary))
    return 0;
  double y[2] = {x[0] * x[1], x[n - 1] * x[n - 1]};
  if (file.sgetn((char *)&y[1], sizeof y[1]) != sizeof y[1])
    return 0;
  return y[0] * y[1];
}

typedef double function(const double *x, int n);

template <function f> static void check(const double *expected) {
  double x[3] = {1, 3, -2}, dx[3] = {0};
  __verso_grad((void *)f, verso_dup, x, dx, verso_const, 3);
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(dx[i], expected[i]);
    double t[3] = {0};
    t[i] = 1;
    CHECK_EQUAL(__verso_jvp((void *)f, verso_dup, x, t, verso_const, 3),
                expected[i]);
  }
}

int main() {
  if (mkstemp(Name) < 0)
    return 1;
  const double ofLogged[] = {30, 90, -60};
  check<logged>(ofLogged);
  // Four times x0 (x0 + x1 + x2)
  const double ofWide[] = {4 * (2 + 3 - 2), 4, 4};
  check<wide>(ofWide);
  const double kept = 7;
  std::ofstream(Name, std::ios::binary).write((const char *)&kept, sizeof kept);
  const double ofRestored[] = {21, 7, 0};
  check<restored>(ofRestored);
  std::remove(Name);
  return check_status();
}
