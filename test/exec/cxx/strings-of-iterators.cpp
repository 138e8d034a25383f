//===- strings-of-iterators.cpp - strings made by the program's code ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of std::string are inactive, but not those that are made of a type
// of the program's: here an iterator that computes when it is read.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <iterator>
#include <string>

static constexpr int n = 6;

namespace {
struct Adding {
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = long;
  using pointer = const char *;
  using reference = char;
  double *total;
  const double *x;
  int i;
  char operator*() const {
    *total += x[i] * x[i] * (i + 1);
    return char('a' + i);
  }
  Adding &operator++() {
    ++i;
    return *this;
  }
  Adding operator++(int) {
    Adding before = *this;
    ++i;
    return before;
  }
  bool operator==(const Adding &that) const { return i == that.i; }
  bool operator!=(const Adding &that) const { return i != that.i; }
};
} // namespace

CHECK_NOINLINE static double constructed(double *x) {
  double total = 0;
  std::string s(Adding{&total, x, 0}, Adding{&total, x, n});
  return total * x[0] + double(s.size());
}

CHECK_NOINLINE static double appended(double *x) {
  double total = 0;
  std::string s("q");
  s.append(Adding{&total, x, 0}, Adding{&total, x, n});
  s.assign(Adding{&total, x, 1}, Adding{&total, x, 3});
  return total * x[0] + double(s.size());
}

int main() {
  double x[n] = {1.1, 0.7, 1.3, 0.9, 1.2, 0.8}, dx[n] = {};
  __verso_grad_void((void *)constructed, verso_dup, x, dx);
  CHECK_GRADIENT(constructed, n, x, dx, 1e-7);
  double dy[n] = {};
  __verso_grad_void((void *)appended, verso_dup, x, dy);
  CHECK_GRADIENT(appended, n, x, dy, 1e-7);
  return check_status();
}
