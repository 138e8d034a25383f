//===- Plain.cpp - a kernel's primal and hand-written adjoint -------------===//
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

template <typename Problem> class PrimalVariant final : public Variant {
public:
  explicit PrimalVariant(size_t N) : P(N) {}
  void run() override { Value = P.evaluate(); }

private:
  Problem P;
  volatile double Value = 0;
};

template <typename Problem>
constexpr bool HasAdjoint = requires(const Problem &P, Problem &D) {
  handAdjoint(P, D);
};

/// Empty when the kernel has no hand-written adjoint. A template, so that the
/// branch that is not taken is not compiled.
template <typename Problem> std::unique_ptr<Variant> makeHand(size_t N) {
  if constexpr (HasAdjoint<Problem>) {
    constexpr auto Adjoint = [](const Problem &P, Problem &D) {
      handAdjoint(P, D);
    };
    return std::make_unique<ShadowVariant<Problem, +Adjoint>>(N);
  }
  return nullptr;
}

} // namespace

std::unique_ptr<Variant> JOIN(makePrimal, VERSO_BENCH_CLASS)(size_t N) {
  return std::make_unique<PrimalVariant<VERSO_BENCH_CLASS<double>>>(N);
}

std::unique_ptr<Variant> JOIN(makeHand, VERSO_BENCH_CLASS)(size_t N) {
  return makeHand<VERSO_BENCH_CLASS<double>>(N);
}

bool JOIN(hasHand, VERSO_BENCH_CLASS)() {
  return HasAdjoint<VERSO_BENCH_CLASS<double>>;
}

uint64_t JOIN(countOperations, VERSO_BENCH_CLASS)(size_t N) {
  VERSO_BENCH_CLASS<Counted> P(N);
  Counted::Operations = 0;
  (void)P.evaluate();
  return Counted::Operations;
}
