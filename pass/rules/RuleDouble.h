//===- RuleDouble.h - formulas as numbers -----------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reading of Derivatives.def in which `0.5 / r` is a number: for tests. No
// LLVM in it. Functions of ours come from runtime/Special.c.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_RULEDOUBLE_H
#define VERSO_RULES_RULEDOUBLE_H

#include "rules/Formula.h"
#include <cmath>

extern "C" {
double __verso_digamma(double X);
double __verso_polygamma(int N, double X);
double __verso_sinpi(double X);
double __verso_cospi(double X);
}

/// Outside of rules, whose functions would hide the C library's.
namespace verso::numbers {

inline double digamma(double X) { return __verso_digamma(X); }
inline double polygamma(int N, double X) { return __verso_polygamma(N, X); }
inline double sinpi(double X) { return __verso_sinpi(X); }
inline double cospi(double X) { return __verso_cospi(X); }
inline double powi(double X, int N) { return std::pow(X, N); }

// Calls by unqualified name: ours above, else the C library's.
#define VERSO_PRIMITIVE1(name, how, range)                                     \
  inline double call_##name(double X) { return name(X); }
#define VERSO_PRIMITIVE2(name, how, range)                                     \
  inline double call_##name(double X, double Y) { return name(X, Y); }
#define VERSO_PRIMITIVE_XN(name, how, range)                                   \
  inline double call_##name(double X, int N) { return name(X, N); }
#define VERSO_PRIMITIVE_NX(name, how, range)                                   \
  inline double call_##name(int N, double X) { return name(N, X); }
#include "rules/Primitives.def"

} // namespace verso::numbers

namespace verso::rules {

struct Truth {
  bool V;
  friend Truth operator&&(Truth A, Truth B) { return {A.V && B.V}; }
  friend Truth operator||(Truth A, Truth B) { return {A.V || B.V}; }
};

/// A double that is found by argument-dependent lookup.
struct Sample {
  double V = 0;

  Sample() = default;
  Sample(double V) : V(V) {}
  Sample(Number N) : V(N) {}

  friend Sample operator-(Sample A) { return -A.V; }
  friend Sample operator+(Sample A, Sample B) { return A.V + B.V; }
  friend Sample operator-(Sample A, Sample B) { return A.V - B.V; }
  friend Sample operator*(Sample A, Sample B) { return A.V * B.V; }
  friend Sample operator/(Sample A, Sample B) { return A.V / B.V; }
  friend Truth operator<(Sample A, Sample B) { return {A.V < B.V}; }
  friend Truth operator>(Sample A, Sample B) { return {A.V > B.V}; }
  friend Truth operator<=(Sample A, Sample B) { return {A.V <= B.V}; }
  friend Truth operator>=(Sample A, Sample B) { return {A.V >= B.V}; }
  friend Truth operator==(Sample A, Sample B) { return {A.V == B.V}; }
  friend Truth operator!=(Sample A, Sample B) { return {A.V != B.V}; }
};

struct SampleInteger {
  int V = 0;

  SampleInteger() = default;
  SampleInteger(int V) : V(V) {}

  friend SampleInteger operator+(SampleInteger A, int B) { return A.V + B; }
  friend SampleInteger operator-(SampleInteger A, int B) { return A.V - B; }
  friend Truth operator==(SampleInteger A, int B) { return {A.V == B}; }
  friend Truth operator>(SampleInteger A, int B) { return {A.V > B}; }
  friend Sample real(SampleInteger A) { return double(A.V); }
};

inline Sample select(Truth C, Sample A, Sample B) { return C.V ? A : B; }
inline Sample bounded(Sample A) { return A; }
inline Sample reciprocal(Sample Y, Sample, Sample) { return 1 / Y; }

#define VERSO_PRIMITIVE1(name, how, range)                                     \
  inline Sample name(Sample X) { return numbers::call_##name(X.V); }
#define VERSO_PRIMITIVE2(name, how, range)                                     \
  inline Sample name(Sample X, Sample Y) {                                     \
    return numbers::call_##name(X.V, Y.V);                                     \
  }
#define VERSO_PRIMITIVE_XN(name, how, range)                                   \
  inline Sample name(Sample X, SampleInteger N) {                              \
    return numbers::call_##name(X.V, N.V);                                     \
  }
#define VERSO_PRIMITIVE_NX(name, how, range)                                   \
  inline Sample name(SampleInteger N, Sample X) {                              \
    return numbers::call_##name(N.V, X.V);                                     \
  }
#include "rules/Primitives.def"

} // namespace verso::rules

#endif // VERSO_RULES_RULEDOUBLE_H
