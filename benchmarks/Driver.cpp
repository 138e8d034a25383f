//===- Driver.cpp - times, checks and counts the kernels ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso_benchmarks [Google Benchmark's options]
//     times kernel/variant/n for n and 2n; the medians of repetitions that
//     are run in random order, each after a first call that is not timed.
//     Counters: best_tape, best_adjoint (Kernels.def) and operations on the
//     primal, tape_bytes.
// verso_benchmarks --check
//     compares the gradients of all variants of each kernel; exit status 1
//     when two differ by more than 1e-10, or when the tangent of forward mode
//     is not the gradient times the direction, to 1e-12 of the absolute terms.
// verso_benchmarks --check kernel n
//     the same for one kernel at one size.
// verso_benchmarks --list
//     prints a line "kernel variant n" for every run that there is.
// verso_benchmarks --instructions kernel variant n
//     runs the variant once in verso_bench_counted, after a first call: what
//     count.py counts with callgrind.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <malloc.h>

using namespace verso_bench;

using Factory = std::unique_ptr<Variant> (*)(size_t);

#define VERSO_BENCHMARK(CLASS, NAME, SIZE, TAPE, ADJOINT)                      \
  std::unique_ptr<Variant> makePrimal##CLASS(size_t);                          \
  std::unique_ptr<Variant> makePrimalRestrict##CLASS(size_t);                  \
  bool hasRestrict##CLASS();                                                   \
  std::unique_ptr<Variant> makeHand##CLASS(size_t);                            \
  std::unique_ptr<Variant> makeHandTangent##CLASS(size_t);                     \
  bool hasHandTangent##CLASS();                                                \
  std::unique_ptr<Variant> makeAdolc##CLASS(size_t);                           \
  std::unique_ptr<Variant> makeVerso##CLASS(size_t);                           \
  std::unique_ptr<Variant> makeVersoRestrict##CLASS(size_t);                   \
  std::unique_ptr<Variant> makeTaped##CLASS(size_t);                           \
  std::unique_ptr<Variant> makeForward##CLASS(size_t);                         \
  std::unique_ptr<Variant> makeForwardRestrict##CLASS(size_t);                 \
  uint64_t countOperations##CLASS(size_t);
#define VERSO_BENCHMARK_WIDE(CLASS)                                            \
  std::unique_ptr<Variant> makeWide4##CLASS(size_t);                           \
  std::unique_ptr<Variant> makeWide8##CLASS(size_t);                           \
  std::unique_ptr<Variant> makeWide16##CLASS(size_t);                          \
  std::unique_ptr<Variant> makeWide26##CLASS(size_t);
#include "Kernels.def"

namespace {

struct NamedFactory {
  const char *Name;
  Factory Make;
  bool (*IsPresent)() = nullptr; ///< Asked, if not every kernel has it.

  bool isPrimal() const { return !std::strncmp(Name, "primal", 6); }
};

struct KernelEntry {
  const char *Name;
  size_t Size;
  double BestTape, BestAdjoint;
  uint64_t (*CountOperations)(size_t);
  std::vector<NamedFactory> AllVariants; ///< The primal first.
  std::vector<NamedFactory> Wide = {};

  std::vector<NamedFactory> variants() const {
    std::vector<NamedFactory> Present;
    for (const NamedFactory &F : AllVariants)
      if (!F.IsPresent || F.IsPresent())
        Present.push_back(F);
    Present.insert(Present.end(), Wide.begin(), Wide.end());
    return Present;
  }

  std::vector<size_t> sizes() const {
    return Size == 1 ? std::vector<size_t>{1}
                     : std::vector<size_t>{Size, 2 * Size};
  }
};

#ifdef VERSO_BENCH_HAS_VERSO
#define VERSO_BENCH_VERSO(CLASS)                                               \
  , {"verso", makeVerso##CLASS}, {                                             \
    "verso_restrict", makeVersoRestrict##CLASS, hasRestrict##CLASS             \
  }
#else
#define VERSO_BENCH_VERSO(CLASS)
#endif
#ifdef VERSO_BENCH_HAS_TAPED
#define VERSO_BENCH_TAPED(CLASS)                                               \
  , { "taped", makeTaped##CLASS }
#else
#define VERSO_BENCH_TAPED(CLASS)
#endif

#ifdef VERSO_BENCH_HAS_FORWARD
#define VERSO_BENCH_FORWARD(CLASS)                                             \
  , {"jvp", makeForward##CLASS}, {                                             \
    "jvp_restrict", makeForwardRestrict##CLASS, hasRestrict##CLASS             \
  }
#else
#define VERSO_BENCH_FORWARD(CLASS)
#endif

std::vector<KernelEntry> Kernels = {
#define VERSO_BENCHMARK(CLASS, NAME, SIZE, TAPE, ADJOINT)                      \
  {NAME,                                                                       \
   SIZE,                                                                       \
   TAPE,                                                                       \
   ADJOINT,                                                                    \
   countOperations##CLASS,                                                     \
   {{"primal", makePrimal##CLASS},                                             \
    {"primal_restrict", makePrimalRestrict##CLASS, hasRestrict##CLASS},        \
    {"adolc", makeAdolc##CLASS},                                               \
    {"hand", makeHand##CLASS},                                                 \
    {"jvp_hand", makeHandTangent##CLASS,                                       \
     hasHandTangent##CLASS} VERSO_BENCH_VERSO(CLASS) VERSO_BENCH_TAPED(CLASS)  \
        VERSO_BENCH_FORWARD(CLASS)}},
#include "Kernels.def"
};

void addWide([[maybe_unused]] uint64_t (*CountOperations)(size_t),
             [[maybe_unused]] std::vector<NamedFactory> Wide) {
  for (KernelEntry &Kernel : Kernels)
    if (Kernel.CountOperations == CountOperations)
      Kernel.Wide = std::move(Wide);
}

void addAllWide() {
#ifdef VERSO_BENCH_HAS_FORWARD
#define VERSO_BENCHMARK(CLASS, NAME, SIZE, TAPE, ADJOINT)
#define VERSO_BENCHMARK_WIDE(CLASS)                                            \
  addWide(countOperations##CLASS, {{"jvp4", makeWide4##CLASS},                 \
                                   {"jvp8", makeWide8##CLASS},                 \
                                   {"jvp16", makeWide16##CLASS},               \
                                   {"jvp26", makeWide26##CLASS}});
#include "Kernels.def"
#endif
}

constexpr double Tolerance = 1e-10;
constexpr double TangentTolerance = 1e-12;

/// The largest difference, relative to the component; a component that is
/// less than a thousandth of the largest counts as such a thousandth, since it
/// may be the sum of larger ones that cancel.
double relativeDifference(const std::vector<double> &A,
                          const std::vector<double> &B) {
  if (A.size() != B.size())
    return HUGE_VAL;
  double Largest = 0, Worst = 0;
  for (double X : A)
    Largest = std::max(Largest, std::fabs(X));
  for (size_t I = 0; I != A.size(); ++I) {
    double Scale =
        std::max({std::fabs(A[I]), std::fabs(B[I]), 1e-3 * Largest, 1e-300});
    double Difference = std::fabs(A[I] - B[I]) / Scale;
    if (!(Difference <= Worst)) // A NaN is a difference too.
      Worst = std::isnan(Difference) ? HUGE_VAL : Difference;
  }
  return Worst;
}

/// The gradient of a second run, when buffers and tapes are warm.
std::vector<double> gradientOf(Variant &V) {
  V.run();
  V.clear();
  V.run();
  return V.gradient();
}

/// The dot-product test: how far the tangents are from gradient times
/// direction, relative to the sum of the absolute terms.
double tangentDifference(const std::vector<double> &Gradient, Variant &V) {
  double Worst = 0;
  for (const Variant::Tangent &T : V.tangents()) {
    if (T.Direction.size() != Gradient.size())
      return HUGE_VAL;
    long double Sum = 0, Scale = 1e-300;
    for (size_t I = 0; I != Gradient.size(); ++I) {
      Sum += (long double)Gradient[I] * T.Direction[I];
      Scale += std::fabs(Gradient[I] * T.Direction[I]);
    }
    double Difference = (double)(std::fabs(Sum - T.Value) / Scale);
    if (!(Difference <= Worst))
      Worst = std::isnan(Difference) ? HUGE_VAL : Difference;
  }
  return Worst;
}

bool checkKernel(const KernelEntry &Kernel, size_t N) {
  bool Good = true;
  std::vector<double> Expected;
  std::printf("%-12s n = %-8zu", Kernel.Name, N);
  for (const NamedFactory &F : Kernel.variants()) {
    if (F.isPrimal())
      continue;
    std::unique_ptr<Variant> V = F.Make(N);
    std::vector<double> Gradient = gradientOf(*V);
    if (!V->tangents().empty()) {
      double Difference = tangentDifference(Expected, *V);
      Good &= Difference <= TangentTolerance;
      std::printf("  %s %.1e%s", F.Name, Difference,
                  Difference <= TangentTolerance ? "" : " WRONG");
      continue;
    }
    if (Expected.empty()) {
      Expected = Gradient;
      std::printf(" %8zu inputs; against %s:", Expected.size(), F.Name);
      continue;
    }
    double Difference = relativeDifference(Expected, Gradient);
    Good &= Difference <= Tolerance;
    std::printf("  %s %.1e%s", F.Name, Difference,
                Difference <= Tolerance ? "" : " WRONG");
  }
  std::printf("\n");
  return Good;
}

int checkAll() {
  bool Good = true;
  for (const KernelEntry &Kernel : Kernels)
    for (size_t N : {std::max<size_t>(Kernel.Size / 8, 1), Kernel.Size})
      if (N != 1 || Kernel.Size == 1)
        Good &= checkKernel(Kernel, N);
  std::printf(Good ? "All gradients agree.\n" : "Gradients differ.\n");
  return Good ? 0 : 1;
}

int checkOne(const char *Name, size_t N) {
  for (const KernelEntry &Kernel : Kernels)
    if (!std::strcmp(Kernel.Name, Name))
      return checkKernel(Kernel, N) ? 0 : 1;
  std::fprintf(stderr, "verso_benchmarks: there is no %s\n", Name);
  return 2;
}

int listAll() {
  for (const KernelEntry &Kernel : Kernels)
    for (const NamedFactory &F : Kernel.variants())
      for (size_t N : Kernel.sizes())
        std::printf("%s %s %zu\n", Kernel.Name, F.Name, N);
  return 0;
}

} // namespace

/// What callgrind counts.
extern "C" [[gnu::noinline]] void verso_bench_counted(Variant &V) { V.run(); }

namespace {

int runOnce(const char *Name, const char *VariantName, size_t N) {
  for (const KernelEntry &Kernel : Kernels)
    for (const NamedFactory &F : Kernel.variants())
      if (!std::strcmp(Kernel.Name, Name) &&
          !std::strcmp(F.Name, VariantName)) {
        std::unique_ptr<Variant> V = F.Make(N);
        V->run();
        verso_bench_counted(*V);
        return 0;
      }
  std::fprintf(stderr, "verso_benchmarks: there is no %s by %s\n", Name,
               VariantName);
  return 2;
}

/// Only one variant lives at a time: ADOL-C records every adouble that there
/// is, also those that nobody uses.
struct TimedRun {
  const KernelEntry &Kernel;
  NamedFactory Maker;
  size_t N;

  void operator()(benchmark::State &State) const {
    std::unique_ptr<Variant> V = Maker.Make(N);
    V->run();
    for (auto _ : State)
      V->run();
    State.counters["n"] = (double)N;
    State.counters["tape_bytes"] = V->tapeBytes();
    State.counters["memory_bytes"] = V->memoryBytes();
    if (!std::strcmp(Maker.Name, "primal")) {
      State.counters["best_tape"] = Kernel.BestTape;
      State.counters["best_adjoint"] = Kernel.BestAdjoint;
      State.counters["operations"] = (double)Kernel.CountOperations(N);
    }
  }
};

void registerAll() {
  for (const KernelEntry &Kernel : Kernels)
    for (const NamedFactory &F : Kernel.variants()) {
      for (size_t N : Kernel.sizes()) {
        std::string Name =
            std::string(Kernel.Name) + "/" + F.Name + "/" + std::to_string(N);
        benchmark::RegisterBenchmark(Name.c_str(), TimedRun{Kernel, F, N})
            ->Unit(benchmark::kMicrosecond);
      }
    }
}

/// Freed memory stays with the process: page faults are no part of any
/// variant's time, so that the allocations of primal, hand-written adjoint and
/// ADOL-C are as warm as Verso's tape.
void keepFreedMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

int timeAll(int ArgC, char **ArgV) {
  // Defaults, which options on the command line override.
  std::vector<char *> Arguments = {ArgV[0]};
  std::string Defaults[] = {"--benchmark_enable_random_interleaving=true",
                            "--benchmark_repetitions=9",
                            "--benchmark_min_time=0.05",
                            "--benchmark_report_aggregates_only=true"};
  for (std::string &Default : Defaults)
    Arguments.push_back(Default.data());
  Arguments.insert(Arguments.end(), ArgV + 1, ArgV + ArgC);
  int Count = (int)Arguments.size();
  benchmark::Initialize(&Count, Arguments.data());
  if (benchmark::ReportUnrecognizedArguments(Count, Arguments.data()))
    return 2;
  registerAll();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

} // namespace

int main(int ArgC, char **ArgV) {
  keepFreedMemory();
  addAllWide();
  const std::string Mode = ArgC > 1 ? ArgV[1] : "";
  if (Mode == "--check" && ArgC == 2)
    return checkAll();
  if (Mode == "--check" && ArgC == 4)
    return checkOne(ArgV[2], std::strtoull(ArgV[3], nullptr, 10));
  if (Mode == "--list" && ArgC == 2)
    return listAll();
  if (Mode == "--instructions") {
    if (ArgC == 5)
      return runOnce(ArgV[2], ArgV[3], std::strtoull(ArgV[4], nullptr, 10));
    std::fprintf(stderr, "usage: %s --instructions kernel variant n\n",
                 ArgV[0]);
    return 2;
  }
  return timeAll(ArgC, ArgV);
}
