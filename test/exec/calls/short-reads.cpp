//===- short-reads.cpp - functions that read less than they are asked for -===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fread, read, pread, recv and std::istream::read have written is constant;
// where they met the end before, the numbers behind it keep their derivative. So
// does one that std::from_chars could not parse.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <charconv>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

template <class... T> double __verso_jvp(void *, T...);
#define INACTIVE __attribute__((annotate("verso_inactive"), noinline))

static const double Given[2] = {10, 20};

INACTIVE static FILE *open_file() {
  FILE *f = tmpfile();
  fwrite(Given, sizeof(double), 2, f);
  fflush(f);
  rewind(f);
  return f;
}
INACTIVE static int open_socket() {
  int s[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) || write(s[0], Given, 16) != 16)
    abort();
  close(s[0]);
  return s[1];
}

// Each overwrites two of four numbers.
static void by_fread(double *t) {
  FILE *f = open_file();
  if (fread(t, sizeof(double), 4, f) != 2)
    t[0] = 0;
  fclose(f);
}
static void by_fread_of_bytes(double *t) {
  FILE *f = open_file();
  if (fread(t, 1, 32, f) != 16)
    t[0] = 0;
  fclose(f);
}
static void by_read(double *t) {
  int s = open_socket();
  if (read(s, t, 32) != 16)
    t[0] = 0;
  close(s);
  if (read(s, t, 32) >= 0) // It is closed.
    t[0] = 0;
}
static void by_pread(double *t) {
  FILE *f = open_file();
  if (pread(fileno(f), t, 32, 0) != 16)
    t[0] = 0;
  fclose(f);
}
static void by_recv(double *t) {
  int s = open_socket();
  if (recv(s, t, 32, 0) != 16)
    t[0] = 0;
  close(s);
}
static void by_stream(double *t) {
  std::istringstream in(std::string((const char *)Given, 16));
  in.read((char *)t, 32);
  if (in.gcount() != 16)
    t[0] = 0;
}
static void by_from_chars(double *t) {
  const char *text = "10 20 xy";
  std::from_chars(text, text + 8, t[0]);
  std::from_chars(text + 3, text + 8, t[1]);
  std::from_chars(text + 6, text + 8, t[2]);
  std::from_chars(text + 7, text + 8, t[3]);
}

template <void Read(double *)> static double in_local(const double *x) {
  double t[4] = {x[0], x[1], x[0] * x[1], 3 * x[0]};
  Read(t);
  return t[0] + t[1] * x[1] + 5 * t[2] + t[3];
}
template <void Read(double *)> static double in_argument(double *x) {
  double y = x[0];
  Read(x);
  return y * x[0] + x[1] + 5 * x[2] + x[3];
}

template <void Read(double *)> static void check() {
  double x[2] = {2, 3}, dx[2] = {0, 0}, unit[2] = {1, 0}, other[2] = {0, 1};
  __verso_grad((void *)in_local<Read>, &verso_dup, x, dx);
  CHECK_EQUAL(dx[0], 5 * 3 + 3);
  CHECK_EQUAL(dx[1], 20 + 5 * 2);
  CHECK_EQUAL(__verso_jvp((void *)in_local<Read>, &verso_dup, x, unit), 18);
  CHECK_EQUAL(__verso_jvp((void *)in_local<Read>, &verso_dup, x, other), 30);
  double z[4] = {1, 2, 3, 4}, dz[4] = {0, 0, 0, 0};
  __verso_grad((void *)in_argument<Read>, &verso_dup, z, dz);
  const double expected[4] = {10, 0, 5, 1};
  for (int k = 0; k != 4; ++k) {
    double w[4] = {1, 2, 3, 4}, t[4] = {0, 0, 0, 0};
    t[k] = 1;
    CHECK_EQUAL(dz[k], expected[k]);
    CHECK_EQUAL(__verso_jvp((void *)in_argument<Read>, &verso_dup, w, t),
                expected[k]);
  }
}

int main() {
  check<by_fread>();
  check<by_fread_of_bytes>();
  check<by_read>();
  check<by_pread>();
  check<by_recv>();
  check<by_stream>();
  check<by_from_chars>();
  return check_status();
}
