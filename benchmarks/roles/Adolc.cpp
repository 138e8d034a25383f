//===- Adolc.cpp - a kernel's gradient by ADOL-C --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once a kernel: CMake defines VERSO_BENCH_HEADER and
// VERSO_BENCH_CLASS. A run records the kernel anew, keeping the values that
// the reverse sweep needs, and sweeps. ADOL-C's buffers are made as large as a
// first recording says, so that its tape stays in memory and no file is
// written. All kernels share one tape, whose buffers ADOL-C gives back and
// takes anew at every recording; the driver keeps malloc from handing them back
// to the system, so that they are warm.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <adolc/adolc.h>

#include VERSO_BENCH_HEADER

using namespace verso_bench;

#define JOIN_(A, B) A##B
#define JOIN(A, B) JOIN_(A, B)

namespace {

template <typename Problem, typename DoubleProblem>
class AdolcVariant final : public Variant {
public:
  explicit AdolcVariant(size_t N) : P(N) {
    DoubleProblem Plain(N);
    Inputs = activeValues(Plain);
    Gradient.resize(Inputs.size());
    constexpr size_t Plenty = 1 << 25; // Never touched unless needed.
    record({Plenty, Plenty, Plenty, Plenty});
    size_t Stats[STAT_SIZE];
    tapestats(Tag, Stats);
    Room Needed = {Stats[NUM_OPERATIONS], Stats[NUM_LOCATIONS],
                   Stats[NUM_VALUES], Stats[TAY_STACK_SIZE]};
    Bytes = Needed.Operations + sizeof(locint) * Needed.Locations +
            sizeof(double) * (Needed.Values + Needed.Taylors);
    // Blocks are never filled to the last entry.
    Buffers = {roomy(Needed.Operations), roomy(Needed.Locations),
               roomy(Needed.Values), roomy(Needed.Taylors)};
  }

  void run() override {
    record(Buffers);
    double Seed = 1;
    reverse(Tag, 1, (int)Inputs.size(), 0, &Seed, Gradient.data());
  }
  std::vector<double> gradient() override { return Gradient; }
  double tapeBytes() override { return (double)Bytes; }

private:
  struct Room {
    size_t Operations, Locations, Values, Taylors;
  };
  static size_t roomy(size_t Entries) { return Entries + Entries / 8 + 4096; }

  void record(const Room &R) {
    trace_on(Tag, /*keep=*/1, (unsigned)R.Operations, (unsigned)R.Locations,
             (unsigned)R.Values, (unsigned)R.Taylors, /*skipFileCleanup=*/0);
    const double *Next = Inputs.data();
    P.forEachActive([&](adouble &X) { X <<= *Next++; });
    adouble Result = P.evaluate();
    double Value;
    Result >>= Value;
    trace_off();
  }

  static constexpr short Tag = 1;
  Problem P;
  std::vector<double> Inputs, Gradient;
  Room Buffers = {};
  size_t Bytes = 0;
};

} // namespace

std::unique_ptr<Variant> JOIN(makeAdolc, VERSO_BENCH_CLASS)(size_t N) {
  return std::make_unique<
      AdolcVariant<VERSO_BENCH_CLASS<adouble>, VERSO_BENCH_CLASS<double>>>(N);
}
