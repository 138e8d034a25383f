//===- printing-by-bits.cpp - numbers that {fmt} prints -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// {fmt} is mostly used from its headers, so the function that logs a number
// holds all that makes text of it, from exponent and mantissa. No number comes
// back; here stand functions of its names and shape.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace fmt {
inline namespace v9 {
namespace detail {

/// About log10(2) times the exponent, as format_float<long double> has it.
template <typename T>
CHECK_NOINLINE int format_float(T value, std::string &out) {
  std::uint64_t bits;
  double narrow = double(value);
  std::memcpy(&bits, &narrow, sizeof bits);
  std::uint64_t mixed = bits * 0x9E3779B97F4A7C15u ^ bits >> 7;
  double scale = double(mixed >> 40) * 0.30103;
  for (int i = 0; i < 4; ++i)
    out.push_back(char('0' + int(scale * (i + 1)) % 10));
  return int(scale) % 3;
}

struct Argument {
  enum { Double, LongDouble } Kind;
  union {
    double Narrow;
    long double Wide;
  };
};

CHECK_NOINLINE void vformat_to(std::string &out, const Argument *a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i].Kind == Argument::Double)
      format_float(a[i].Narrow, out);
    else
      format_float(a[i].Wide, out);
}

} // namespace detail

CHECK_NOINLINE std::string vformat(const detail::Argument *a, int n) {
  std::string out;
  detail::vformat_to(out, a, n);
  return out;
}
} // namespace v9
} // namespace fmt

static double logged(const double *x, int n) {
  double sum = 0;
  std::string log;
  for (int i = 0; i < n; ++i) {
    sum += x[i] * x[i];
    fmt::detail::Argument a[2];
    a[0].Kind = fmt::detail::Argument::Double;
    a[0].Narrow = sum;
    a[1].Kind = fmt::detail::Argument::LongDouble;
    a[1].Wide = x[i];
    log += fmt::vformat(a, 2);
  }
  return sum * double(log.size());
}

int main() {
  double x[3] = {0.5, -2, 3}, dx[3] = {0}, v[3] = {1, 2, 3};
  __verso_grad((void *)logged, verso_dup, x, dx, verso_const, 3);
  for (int i = 0; i < 3; ++i)
    CHECK_CLOSE(dx[i], 48 * x[i], 1e-14);
  CHECK_CLOSE(__verso_jvp((void *)logged, verso_dup, x, v, verso_const, 3),
              48 * 5.5, 1e-14);
  return check_status();
}
