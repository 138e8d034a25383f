//===- text.cpp - numbers that are found by names -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strings that the library puts together (functions without a body) are moved
// into nodes that hold numbers, too: short ones with their characters, whose
// number is not known.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <map>
#include <string>
#include <vector>

/// Sums by name, of names short and long.
CHECK_NOINLINE static double named(const double *x, int n) {
  std::map<std::string, double> sums;
  for (int i = 0; i < n; ++i) {
    sums["k" + std::to_string(i % 3)] += x[i] * x[i];
    sums[std::string(std::size_t(20 + i % 2), 'x')] += x[i];
  }
  double total = 0;
  for (auto &[name, sum] : sums)
    total += sum * sum * double(name.size());
  return total;
}

struct Parameter {
  std::string name;
  double value;
};

/// Structures that hold a name, in a vector that grows, and are found by it.
CHECK_NOINLINE static double listed(const double *x, int n) {
  std::vector<Parameter> all;
  std::string prefix = "parameter";
  for (int i = 0; i < n; ++i) {
    std::string name = prefix;
    name += char('a' + i);
    if (i % 2)
      name.insert(0, "a long name of a ");
    all.push_back({name, x[i] * x[i]});
  }
  double total = 0;
  for (auto &p : all)
    for (auto &q : all)
      if (p.name.back() <= q.name.back())
        total += p.value * q.value * double(p.name.size());
  return total;
}

/// Characters that go from one string to another, and are rewritten there.
CHECK_NOINLINE static double handed_on(const double *x, int n) {
  std::string first(std::size_t(30 + n), 'a'), second = "b" + first, third;
  double total = 1;
  for (int i = 0; i < n; ++i) {
    if (i % 2)
      first.swap(second);
    else
      std::swap(second, third);
    char &c = i % 3 ? first[1] : third[0];
    if (first.size() > 1)
      c = char('a' + i);
    total = first[0] > 'b' || third[1] > 'c' ? total * x[i]
                                             : total + x[i] * x[i];
    second = i == 3 ? std::move(first) : second;
    if (i == 4)
      first = third;
  }
  return total * total;
}

static double named_6(double *x) { return named(x, 6); }
static double listed_6(double *x) { return listed(x, 6); }
static double handed_on_6(double *x) { return handed_on(x, 6); }

int main() {
  double x[6] = {0.5, 1, 0.25, -1, 1.5, 0.75}, a[6] = {}, b[6] = {}, c[6] = {};
  __verso_grad_void((void *)named, verso_dup, x, a, verso_const, 6);
  CHECK_GRADIENT(named_6, 6, x, a, 1e-7);
  __verso_grad_void((void *)listed, verso_dup, x, b, verso_const, 6);
  CHECK_GRADIENT(listed_6, 6, x, b, 1e-7);
  __verso_grad_void((void *)handed_on, verso_dup, x, c, verso_const, 6);
  CHECK_GRADIENT(handed_on_6, 6, x, c, 1e-7);
  return check_status();
}
