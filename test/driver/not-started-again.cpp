//===- not-started-again.cpp - what others see is done once ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function changes something of its caller's, or of everybody's, and then
// calls one of another file that nobody guesses. The request must not start
// again: what was changed would be changed twice.
//
//===----------------------------------------------------------------------===//
// RUN: %clangxx_verso -std=c++20 -O2 -mllvm -verso-all-twins -DOTHERS -c %s \
// RUN:   -o %t.others.o
// RUN: %clangxx_verso -std=c++20 -O0 %s %t.others.o %verso_libs -o %t && %t
// RUN: %clangxx_verso -std=c++20 -O1 %s %t.others.o %verso_libs -o %t && %t
// RUN: %clangxx_verso -std=c++20 -O2 %s %t.others.o %verso_libs -o %t && %t

#ifdef OTHERS

static double cube(double x) { return x * x * x; }
double (*others())(double) { return cube; }

#else

#include "../exec/check.h"

#include <cerrno>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <vector>

#include <verso/verso.h>

double (*others())(double);
static double square(double x) { return x * x; }
static double (*laws[2])(double) = {square};
/// A number says which.
static double law(double x) { return laws[x > 1](x); }

struct Calling {
  double x;
  ~Calling() { law(x); }
};

static double tokens(double x, std::string_view *rest) {
  rest->remove_prefix(4);
  return law(x) * double(rest->size());
}
static double traits(double x, char *text) {
  const double k = text[0];
  std::char_traits<char>::move(text, text + 1, 3);
  return law(x) * k;
}
static double moved(double x, std::runtime_error *from) {
  std::runtime_error own(std::move(*from));
  return law(x) * double(std::string(own.what()).size());
}
static double through_own(double x, double *count) {
  std::vector<double *> own{count};
  *own[0] += 1;
  return law(x) * *count;
}
static double shared(double x, std::shared_ptr<double> *given) {
  std::shared_ptr<double> own = std::move(*given);
  return own ? law(x) * *own : 0;
}
static double mapped(double x, int) {
  void *block = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const double s = law(x) * (block != MAP_FAILED);
  munmap(block, 4096);
  return s;
}
static double failed(double x, int) {
  const bool before = errno == EDOM;
  errno = 0;
  const double none = std::log(-std::abs(x));
  return law(x) * (before ? 5 : 1) + (none > 0);
}

struct Ends {
  double *count;
  ~Ends() { *count += 1; }
};
static double destroyed(double x, double *count) {
  const double k = *count;
  try {
    Calling c{x};
    if (x > 0)
      throw Ends{count};
  } catch (const Ends &) {
    return k * x;
  }
  return 0;
}

/// The same out of line, and through a reference to the library's text.
CHECK_NOINLINE static void count(double *at) { *at += 1; }
struct Counting {
  double *at;
  ~Counting() { count(at); }
};
static double destroyed_elsewhere(double x, double *at) {
  const double k = *at;
  try {
    Calling c{x};
    if (x > 0)
      throw Counting{at};
  } catch (const Counting &) {
    return k * x;
  }
  return 0;
}
struct Telling {
  std::string &to;
  ~Telling() { to += '!'; }
};
static double told(double x, std::string *to) {
  const double k = double(to->size());
  try {
    Calling c{x};
    if (x > 0)
      throw Telling{*to};
  } catch (const Telling &) {
    return k * x;
  }
  return 0;
}

VERSO_INACTIVE static int calls;
static double counted(double x, int) {
  ++calls;
  return law(x);
}

static int logged;
[[noreturn]] VERSO_INACTIVE static void fail() {
  ++logged;
  throw std::runtime_error("failed");
}
static double failing(double x, int) {
  Calling c{x};
  if (x > 0)
    fail();
  return x;
}

struct Trying {
  double x;
  ~Trying() {
    try {
      Calling c{x};
      throw 1;
    } catch (int) {
    }
  }
};
static double twice(double x, int) {
  Trying t{x};
  if (x > 0)
    throw std::out_of_range("outer");
  return x;
}

template <typename T> struct Got {
  double value, dx;
  T after;
};
template <auto f, typename T> static Got<T> run(T given) {
  double dx = 0, v = 0;
  try {
    if constexpr (std::is_same_v<T, int>)
      v = __verso_value_and_grad((void *)+[](const double *x, int n) {
        return f(*x, n);
      }, verso_dup, &(const double &)2.0, &dx, verso_const, given);
    else
      v = __verso_value_and_grad((void *)+[](const double *x, T *p) {
        return f(*x, p);
      }, verso_dup, &(const double &)2.0, &dx, verso_const, &given);
  } catch (const std::exception &) {
  }
  return {v, dx, std::move(given)};
}

int main() {
  laws[1] = others();
  auto a = run<tokens>(std::string_view("one two three"));
  CHECK(a.value == 72 && a.dx == 108 && a.after == "two three");
  struct Text {
    char c[4];
  };
  auto b = run<[](double x, Text *t) { return traits(x, t->c); }>(
      Text{{1, 2, 3, 4}});
  CHECK(b.value == 8 && b.dx == 12 && b.after.c[0] == 2);
  auto c = run<moved>(std::runtime_error("five!"));
  CHECK(c.value == 40 && c.dx == 60);
  auto d = run<through_own>(1.0);
  CHECK(d.value == 16 && d.dx == 24 && d.after == 2);
  auto e = run<shared>(std::make_shared<double>(3));
  CHECK(e.value == 24 && e.dx == 36 && !e.after);
  auto m = run<mapped>(0);
  CHECK(m.value == 8 && m.dx == 12);
  auto n = run<failed>(0);
  CHECK(n.value == 8 && n.dx == 12);
  auto o = run<destroyed>(1.0);
  CHECK(o.value == 2 && o.dx == 1 && o.after == 2);
  auto q = run<destroyed_elsewhere>(1.0);
  CHECK(q.value == 2 && q.dx == 1 && q.after == 2);
  auto r = run<told>(std::string("1"));
  CHECK(r.value == 2 && r.dx == 1 && r.after == "1!");
  auto p = run<counted>(0);
  CHECK(p.value == 8 && p.dx == 12 && calls == 1);
  run<failing>(0);
  CHECK(logged == 1);
  run<twice>(0);
  CHECK(std::uncaught_exceptions() == 0);
  return check_status();
}

#endif
