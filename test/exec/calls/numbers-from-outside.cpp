//===- numbers-from-outside.cpp - library functions that write numbers ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that vary are overwritten by what the C and C++ libraries read, draw
// or parse: they are constant from then on, in reverse and in forward mode.
// Wide characters are copied like any bytes, so numbers among them still vary.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <charconv>
#include <cwchar>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

template <class... T> double __verso_jvp(void *, T...);
#define INACTIVE __attribute__((annotate("verso_inactive"), noinline))

INACTIVE static int open_socket() {
  int s[2];
  double d[2] = {3, 3};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) || write(s[0], d, 16) != 16)
    abort();
  close(s[0]);
  return s[1];
}
INACTIVE static FILE *open_text() {
  FILE *f = tmpfile();
  fputs("3 3\n", f);
  rewind(f);
  return f;
}

// Each overwrites both of t by 3.
static void by_recvfrom(double *t) {
  int s = open_socket();
  if (recvfrom(s, t, 16, 0, nullptr, nullptr) != 16)
    t[0] = 0;
  close(s);
}
static void by_read(double *t) {
  int s = open_socket();
  if (read(s, t, 16) != 16)
    t[0] = 0;
  close(s);
}
static void by_drand48_r(double *t) {
  drand48_data state;
  srand48_r(1, &state);
  drand48_r(&state, t);
  drand48_r(&state, t + 1);
  double first = t[0], second = t[1];
  t[0] = first < 1 ? 3 + 0 * first : 0;
  t[1] = second < 1 ? 3 + 0 * second : 0;
}
static void by_getline(double *t) {
  FILE *f = open_text();
  char *line = nullptr;
  size_t room = 0;
  if (getline(&line, &room, f) > 0) {
    char *end;
    t[0] = strtod(line, &end);
    t[1] = strtod(end, nullptr);
  }
  free(line);
  fclose(f);
}
static void by_from_chars(double *t) {
  const char *text = "3 3";
  auto [end, error] = std::from_chars(text, text + 3, t[0]);
  std::from_chars(end + 1, text + 3, t[1]);
}
static void by_stream(double *t) {
  std::istringstream in("3 3");
  in >> t[0] >> t[1];
}
template <void Overwrite(double *)> static double overwritten(double a) {
  double t[2] = {a * a, a * a * a};
  double before = t[0];
  Overwrite(t);
  return before + a * (t[0] + t[1]);
}

static double as_wide_characters(double a) {
  double t[2] = {a * a, a}, u[2] = {a, a}, v[2] = {a, a};
  wmemcpy(reinterpret_cast<wchar_t *>(u), reinterpret_cast<wchar_t *>(t), 4);
  wmemmove(reinterpret_cast<wchar_t *>(v), reinterpret_cast<wchar_t *>(u), 2);
  return u[0] * u[1] + v[0] * v[1];
}

#define CHECK_BOTH(F, EXPECTED)                                                \
  do {                                                                         \
    CHECK_EQUAL(__verso_grad((void *)F, 2.0), EXPECTED);                       \
    CHECK_EQUAL(__verso_jvp((void *)F, verso_dup, 2.0, 1.0), EXPECTED);        \
  } while (0)

int main() {
  CHECK_BOTH(overwritten<by_recvfrom>, 10);
  CHECK_BOTH(overwritten<by_read>, 10);
  CHECK_BOTH(overwritten<by_drand48_r>, 10);
  CHECK_BOTH(overwritten<by_getline>, 10);
  CHECK_BOTH(overwritten<by_from_chars>, 10);
  CHECK_BOTH(overwritten<by_stream>, 10);
  CHECK_BOTH(as_wide_characters, 24);
  return check_status();
}
