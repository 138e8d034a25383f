//===- Counted.h - a scalar that counts its operations ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel instantiated with Counted says how many operations on real numbers
// its primal does: the denominator of "tape bytes per primal operation".
// An arithmetic operator and a call of a mathematical function count one each;
// copies, comparisons and conversions count nothing.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_COUNTED_H
#define VERSO_BENCHMARKS_COUNTED_H

#include <cmath>
#include <cstdint>

namespace verso_bench {

class Counted {
public:
  Counted(double X = 0) : X(X) {}

  static inline uint64_t Operations = 0;

  friend Counted operator+(Counted A, Counted B) { return count(A.X + B.X); }
  friend Counted operator-(Counted A, Counted B) { return count(A.X - B.X); }
  friend Counted operator*(Counted A, Counted B) { return count(A.X * B.X); }
  friend Counted operator/(Counted A, Counted B) { return count(A.X / B.X); }
  friend Counted operator-(Counted A) { return count(-A.X); }
  Counted &operator+=(Counted B) { return *this = *this + B; }
  Counted &operator-=(Counted B) { return *this = *this - B; }
  Counted &operator*=(Counted B) { return *this = *this * B; }
  friend bool operator<(Counted A, Counted B) { return A.X < B.X; }
  friend bool operator>(Counted A, Counted B) { return A.X > B.X; }
  friend bool operator<=(Counted A, Counted B) { return A.X <= B.X; }
  friend bool operator>=(Counted A, Counted B) { return A.X >= B.X; }
  friend bool operator==(Counted A, Counted B) { return A.X == B.X; }
  friend Counted sqrt(Counted A) { return count(std::sqrt(A.X)); }
  friend Counted exp(Counted A) { return count(std::exp(A.X)); }
  friend Counted log(Counted A) { return count(std::log(A.X)); }
  friend Counted sin(Counted A) { return count(std::sin(A.X)); }
  friend Counted cos(Counted A) { return count(std::cos(A.X)); }
  friend Counted pow(Counted A, double B) { return count(std::pow(A.X, B)); }
  friend Counted tanh(Counted A) { return count(std::tanh(A.X)); }
  friend Counted fabs(Counted A) { return count(std::fabs(A.X)); }

private:
  static Counted count(double X) {
    ++Operations;
    return X;
  }

  double X;
};

} // namespace verso_bench

#endif // VERSO_BENCHMARKS_COUNTED_H
