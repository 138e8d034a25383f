//===- Harness.h - what kernels, roles and driver agree on ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a class template over its scalar type:
//
//   template <typename Real> struct Dot {
//     explicit Dot(size_t N);             // The same inputs for every Real.
//     template <typename F> void forEachActive(F Visit);  // Visit(Real &)
//     Real evaluate() const;
//   };
//   void handAdjoint(const Dot<double> &P, Dot<double> &Shadow);
//   // or, when it has to keep values from the forward to the reverse sweep,
//   void handAdjoint(const Dot<double> &P, Dot<double> &Shadow, Tape &T);
//
// and, for a kernel that has one, its JVP:
//
//   double handTangent(const Dot<double> &P, const Dot<double> &Direction);
//   // or with a Tape &, for memory of its own
//
// So double, ADOL-C's adouble and a counting scalar run the same code, and a
// second Dot<double> whose active inputs are zero is the shadow that Verso and
// the hand-written adjoint add the gradient into. A kernel whose pointers may
// be restrict has evaluateRestrict() too: the same code behind a function with
// restrict parameters, into which it is inlined.
//
// The hand-written adjoint is the yardstick. It is the reverse of the algorithm
// that the primal spells out, as somebody would write it who wants it fast: it
// may fuse sweeps, gather instead of scatter, keep or recompute, and
// reassociate sums that it introduces, so that it vectorises where the primal
// does; it allocates nothing in loops. It does not replace the algorithm by
// another one. (Newton.h is the exception, and says so.)
//
// A Variant is one way to compute the value or the gradient of one kernel at
// one size. Its run() is what is timed. As Verso's requests do, it *adds* to
// the gradient; clear() makes that zero and is not timed.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_HARNESS_H
#define VERSO_BENCHMARKS_HARNESS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace verso_bench {

class Variant {
public:
  virtual ~Variant() = default;
  virtual void run() = 0;
  virtual void clear() {}
  /// In the order of forEachActive; empty for the primal.
  virtual std::vector<double> gradient() { return {}; }
  /// For forward mode, instead of a gradient: directions, in the order of
  /// forEachActive, and the tangent of the value in each of them.
  struct Tangent {
    std::vector<double> Direction;
    double Value;
  };
  virtual std::vector<Tangent> tangents() { return {}; }
  /// Bytes of tape that the last run wrote.
  virtual double tapeBytes() { return 0; }
  /// The same and its work arrays, such as adjoints of local arrays: what
  /// tapeBytes() means for Verso, whose arena holds both.
  virtual double memoryBytes() { return tapeBytes(); }
};

/// The memory of a hand-written adjoint. It stays with the variant, so a run
/// that takes the same pieces in the same order as the last one allocates
/// nothing, and nothing is initialised.
class Tape {
public:
  /// Values that the forward sweep leaves to the reverse sweep.
  template <typename T = double> T *keep(size_t Count) {
    Kept += Count * sizeof(T);
    return (T *)take(Count * sizeof(T));
  }
  /// Everything else, such as adjoints of local arrays.
  template <typename T = double> T *scratch(size_t Count) {
    return (T *)take(Count * sizeof(T));
  }
  template <typename T = double> T *zeroed(size_t Count) {
    return (T *)std::memset(scratch<T>(Count), 0, Count * sizeof(T));
  }

  /// Values in memory of the adjoint's own; the largest amount counts.
  void keptElsewhere(size_t Bytes) { Kept = std::max(Kept, Bytes); }

  void rewind() { Next = Kept = Taken = 0; }
  size_t bytesKept() const { return Kept; }
  /// Work arrays included.
  size_t bytesTaken() const { return std::max(Kept, Taken); }

private:
  struct Piece {
    std::unique_ptr<char[]> Memory;
    size_t Size;
  };

  void *take(size_t Bytes) {
    constexpr size_t Line = 64;
    Taken += Bytes;
    if (Next == Pieces.size())
      Pieces.push_back({nullptr, 0});
    Piece &P = Pieces[Next++];
    if (P.Size < Bytes + Line)
      P = {std::unique_ptr<char[]>(new char[Bytes + Line]), Bytes + Line};
    return (void *)(((uintptr_t)P.Memory.get() + Line - 1) & ~(Line - 1));
  }

  std::vector<Piece> Pieces;
  size_t Next = 0, Kept = 0, Taken = 0;
};

/// The sum of products, in an order that lets it vectorise. For the sums that
/// an adjoint introduces.
inline double dotInAnyOrder(const double *X, const double *Y, size_t N) {
#pragma clang fp reassociate(on)
  double Sum = 0;
  for (size_t I = 0; I != N; ++I)
    Sum += X[I] * Y[I];
  return Sum;
}

/// Splitmix64: the same numbers on every system.
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}

  uint64_t bits() {
    uint64_t Z = State += UINT64_C(0x9e3779b97f4a7c15);
    Z = (Z ^ (Z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    Z = (Z ^ (Z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return Z ^ (Z >> 31);
  }
  double uniform(double Low, double High) {
    return Low + (High - Low) * (double)(bits() >> 11) * 0x1p-53;
  }
  size_t below(size_t Bound) { return bits() % Bound; }

  /// A random order of 0 ... N - 1.
  std::vector<size_t> permutation(size_t N) {
    std::vector<size_t> Order(N);
    for (size_t I = 0; I != N; ++I)
      Order[I] = I;
    for (size_t I = N; I > 1; --I)
      std::swap(Order[I - 1], Order[below(I)]);
    return Order;
  }

private:
  uint64_t State;
};

/// The numbers of a file of the ADBench data, when the environment variable
/// VERSO_ADBENCH_DATA names their directory; empty otherwise, and then the
/// kernels make up their inputs.
inline std::vector<double> readAdbench(const char *File) {
  std::vector<double> Numbers;
  const char *Directory = std::getenv("VERSO_ADBENCH_DATA");
  if (!Directory)
    return Numbers;
  std::ifstream In(std::string(Directory) + "/" + File);
  for (double Number; In >> Number;)
    Numbers.push_back(Number);
  return Numbers;
}

/// A kernel's shadow: its active inputs are all zero.
template <typename Problem> void clearActive(Problem &P) {
  P.forEachActive([](double &X) { X = 0; });
}

template <typename Problem> std::vector<double> activeValues(Problem &P) {
  std::vector<double> Values;
  P.forEachActive([&](double &X) { Values.push_back(X); });
  return Values;
}

/// A gradient that is added into a shadow by Gradient(P, Shadow).
template <typename Problem, void (*Gradient)(const Problem &, Problem &),
          size_t (*TapeBytes)() = nullptr>
class ShadowVariant final : public Variant {
public:
  explicit ShadowVariant(size_t N) : P(N), Shadow(N) { clear(); }
  void run() override { Gradient(P, Shadow); }
  void clear() override { clearActive(Shadow); }
  std::vector<double> gradient() override { return activeValues(Shadow); }
  /// In a thread of its own: a request that keeps nothing leaves the number of
  /// the thread's last one.
  double tapeBytes() override {
    size_t Bytes = 0;
    if constexpr (TapeBytes != nullptr)
      std::thread([&] {
        run();
        Bytes = TapeBytes();
      }).join();
    return (double)Bytes;
  }

private:
  Problem P, Shadow;
};

/// Tangents in Width directions at once: Jvp(P, Directions, Tangents).
template <typename Problem, size_t Width,
          void (*Jvp)(const Problem &, std::unique_ptr<Problem> *, double *)>
class ForwardVariant final : public Variant {
public:
  explicit ForwardVariant(size_t N) : P(N) {
    Random Rng(20);
    for (size_t K = 0; K != Width; ++K) {
      Directions.emplace_back(new Problem(N));
      Directions.back()->forEachActive(
          [&](double &X) { X = Rng.uniform(-1, 1); });
    }
  }
  void run() override { Jvp(P, Directions.data(), Values); }
  std::vector<Tangent> tangents() override {
    std::vector<Tangent> All;
    for (size_t K = 0; K != Width; ++K)
      All.push_back({activeValues(*Directions[K]), Values[K]});
    return All;
  }

private:
  Problem P;
  std::vector<std::unique_ptr<Problem>> Directions;
  double Values[Width] = {};
};

} // namespace verso_bench

#endif // VERSO_BENCHMARKS_HARNESS_H
