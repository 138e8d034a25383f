//===- Plain.cpp - a kernel's primal and derivatives by hand --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once a kernel, without the plugin: CMake defines VERSO_BENCH_HEADER
// and VERSO_BENCH_CLASS. What is timed here is the kernel as anybody would
// compile it.
//
//===----------------------------------------------------------------------===//

#include "Counted.h"
#include "Harness.h"
#include VERSO_BENCH_HEADER

using namespace verso_bench;

#define JOIN_(A, B) A##B
#define JOIN(A, B) JOIN_(A, B)

namespace {

template <typename Problem, bool Restrict>
class PrimalVariant final : public Variant {
public:
  explicit PrimalVariant(size_t N) : P(N) {}
  void run() override {
    if constexpr (Restrict)
      Value = P.evaluateRestrict();
    else
      Value = P.evaluate();
  }

private:
  Problem P;
  volatile double Value = 0;
};

template <typename Problem>
constexpr bool HasRestrict =
    requires(const Problem &P) { P.evaluateRestrict(); };

/// A template, so that the branch that is not taken is not compiled.
template <typename Problem>
std::unique_ptr<Variant> makeRestrictTwin(size_t N) {
  if constexpr (HasRestrict<Problem>)
    return std::make_unique<PrimalVariant<Problem, /*Restrict=*/true>>(N);
  return nullptr;
}

template <typename Problem> class HandVariant final : public Variant {
public:
  explicit HandVariant(size_t N) : P(N), Shadow(N) { clear(); }
  void run() override {
    T.rewind();
    if constexpr (requires { handAdjoint(P, Shadow, T); })
      handAdjoint(P, Shadow, T);
    else
      handAdjoint(P, Shadow);
  }
  void clear() override { clearActive(Shadow); }
  std::vector<double> gradient() override { return activeValues(Shadow); }
  double tapeBytes() override { return (double)T.bytesKept(); }
  double memoryBytes() override { return (double)T.bytesTaken(); }

private:
  Problem P, Shadow;
  Tape T;
};

template <typename Problem>
constexpr bool HasHandTangent = requires(const Problem &P, Tape &T) {
  handTangent(P, P, T);
} || requires(const Problem &P) { handTangent(P, P); };

template <typename Problem>
void runHandTangent(const Problem &P, std::unique_ptr<Problem> *Direction,
                    double *Tangent) {
  static Tape T;
  T.rewind();
  if constexpr (requires { handTangent(P, **Direction, T); })
    *Tangent = handTangent(P, **Direction, T);
  else
    *Tangent = handTangent(P, **Direction);
}

template <typename Problem> std::unique_ptr<Variant> makeHandTangent(size_t N) {
  if constexpr (HasHandTangent<Problem>)
    return std::make_unique<
        ForwardVariant<Problem, /*Width=*/1, runHandTangent<Problem>>>(N);
  return nullptr;
}

} // namespace

std::unique_ptr<Variant> JOIN(makePrimal, VERSO_BENCH_CLASS)(size_t N) {
  return std::make_unique<
      PrimalVariant<VERSO_BENCH_CLASS<double>, /*Restrict=*/false>>(N);
}

bool JOIN(hasRestrict, VERSO_BENCH_CLASS)() {
  return HasRestrict<VERSO_BENCH_CLASS<double>>;
}

std::unique_ptr<Variant> JOIN(makePrimalRestrict, VERSO_BENCH_CLASS)(size_t N) {
  return makeRestrictTwin<VERSO_BENCH_CLASS<double>>(N);
}

std::unique_ptr<Variant> JOIN(makeHand, VERSO_BENCH_CLASS)(size_t N) {
  return std::make_unique<HandVariant<VERSO_BENCH_CLASS<double>>>(N);
}

bool JOIN(hasHandTangent, VERSO_BENCH_CLASS)() {
  return HasHandTangent<VERSO_BENCH_CLASS<double>>;
}

std::unique_ptr<Variant> JOIN(makeHandTangent, VERSO_BENCH_CLASS)(size_t N) {
  return makeHandTangent<VERSO_BENCH_CLASS<double>>(N);
}

uint64_t JOIN(countOperations, VERSO_BENCH_CLASS)(size_t N) {
  VERSO_BENCH_CLASS<Counted> P(N);
  Counted::Operations = 0;
  (void)P.evaluate();
  return Counted::Operations;
}
