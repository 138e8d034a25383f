//===- Lstm.h - long short-term memory, an ADBench problem ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mean cross-entropy of a character-level network of two diagonal LSTM
// layers over a sequence of n characters of 14 bits, as a function of the
// layers' and the outer weights. Written from the formulas of ADBench
// (Microsoft, 2019).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_LSTM_H
#define VERSO_BENCHMARKS_KERNELS_LSTM_H

#include "../Harness.h"

#include <cmath>

constexpr size_t LstmLayers = 2;
constexpr size_t LstmWidth = 14;

template <typename Real> Real sigmoid(const Real &X) {
  using std::exp;
  return 1.0 / (1.0 + exp(-X));
}

/// One layer: `Weights` and `Biases` hold the forget, input, output and change
/// gates one after the other. Updates the layer's state.
template <typename Real>
void lstmLayer(const Real *Weights, const Real *Biases, Real *Hidden,
               Real *Cell, const Real *Input) {
  using std::tanh;
  constexpr size_t W = LstmWidth;
  for (size_t I = 0; I != W; ++I) {
    Real Forget = sigmoid<Real>(Input[I] * Weights[I] + Biases[I]);
    Real Ingate = sigmoid<Real>(Hidden[I] * Weights[W + I] + Biases[W + I]);
    Real Outgate =
        sigmoid<Real>(Input[I] * Weights[2 * W + I] + Biases[2 * W + I]);
    Real Change = tanh(Hidden[I] * Weights[3 * W + I] + Biases[3 * W + I]);
    Cell[I] = Cell[I] * Forget + Ingate * Change;
    Hidden[I] = Outgate * tanh(Cell[I]);
  }
}

/// The next character's logits. `Main` holds weights and biases layer by
/// layer, `Extra` the input scale, output scale and output bias, `State`
/// hidden and cell state layer by layer.
template <typename Real>
void lstmPredict(const Real *Main, const Real *Extra, Real *State,
                 const double *Character, Real *Logits) {
  constexpr size_t W = LstmWidth;
  for (size_t I = 0; I != W; ++I)
    Logits[I] = Character[I] * Extra[I];
  const Real *Input = Logits;
  for (size_t L = 0; L != LstmLayers; ++L) {
    Real *Hidden = State + 2 * W * L;
    lstmLayer<Real>(Main + 8 * W * L, Main + 8 * W * L + 4 * W, Hidden,
                    Hidden + W, Input);
    Input = Hidden;
  }
  for (size_t I = 0; I != W; ++I)
    Logits[I] = Input[I] * Extra[W + I] + Extra[2 * W + I];
}

template <typename Real>
Real lstm(const Real *Main, const Real *Extra, const double *InitialState,
          const double *Sequence, size_t Length) {
  using std::exp;
  using std::log;
  constexpr size_t W = LstmWidth;
  std::vector<Real> State(InitialState, InitialState + 2 * LstmLayers * W);
  Real Logits[W];
  Real Total = 0.0;
  for (size_t T = 0; T + 1 < Length; ++T) {
    lstmPredict<Real>(Main, Extra, State.data(), Sequence + T * W, Logits);
    Real Sum = 2.0;
    for (size_t I = 0; I != W; ++I)
      Sum += exp(Logits[I]);
    Real Normaliser = log(Sum);
    for (size_t I = 0; I != W; ++I)
      Total += Sequence[(T + 1) * W + I] * (Logits[I] - Normaliser);
  }
  return -Total / (double)(W * (Length - 1));
}

template <typename Real> struct Lstm {
  explicit Lstm(size_t N)
      : Length(N), Main(8 * LstmLayers * LstmWidth), Extra(3 * LstmWidth),
        State(2 * LstmLayers * LstmWidth), Sequence(N * LstmWidth) {
    if (fill(verso_bench::readAdbench("lstm/lstm_l2_c1024.txt")))
      return;
    verso_bench::Random Rng(11);
    forEachActive([&](Real &V) { V = Rng.uniform(0, 1); });
    for (double &V : State)
      V = Rng.uniform(0, 1);
    for (double &V : Sequence)
      V = (double)Rng.below(2);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Main)
      Visit(V);
    for (Real &V : Extra)
      Visit(V);
  }
  Real evaluate() const {
    return lstm<Real>(Main.data(), Extra.data(), State.data(), Sequence.data(),
                      Length);
  }

  size_t Length;
  std::vector<Real> Main, Extra;
  std::vector<double> State, Sequence;

private:
  /// Layers, length and width, then the main weights, the state, the extra
  /// weights and the sequence, which is read round and round.
  bool fill(const std::vector<double> &File) {
    size_t Before = 3 + Main.size() + State.size() + Extra.size();
    if (File.size() < Before + LstmWidth || File[0] != (double)LstmLayers ||
        File[2] != (double)LstmWidth)
      return false;
    const double *Next = File.data() + 3;
    for (Real &V : Main)
      V = *Next++;
    for (double &V : State)
      V = *Next++;
    for (Real &V : Extra)
      V = *Next++;
    for (size_t I = 0; I != Sequence.size(); ++I)
      Sequence[I] = Next[I % (File.size() - Before)];
    return true;
  }
};

#endif // VERSO_BENCHMARKS_KERNELS_LSTM_H
