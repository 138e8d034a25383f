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

template <typename Real>
[[gnu::flatten]] Real
lstmRestrict(const Real *__restrict Main, const Real *__restrict Extra,
             const double *__restrict InitialState,
             const double *__restrict Sequence, size_t Length) {
  return lstm<Real>(Main, Extra, InitialState, Sequence, Length);
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
  Real evaluateRestrict() const {
    return lstmRestrict<Real>(Main.data(), Extra.data(), State.data(),
                              Sequence.data(), Length);
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

/// What the reverse sweep needs of one layer's step. The hidden state after it
/// is Out * Tanh.
struct LstmStep {
  double Forget[LstmWidth], In[LstmWidth], Out[LstmWidth], Change[LstmWidth];
  double Tanh[LstmWidth], CellBefore[LstmWidth];
};

/// As lstmLayer.
inline void lstmLayerAndKeep(const double *Weights, const double *Biases,
                             double *Hidden, double *Cell, const double *Input,
                             LstmStep &K) {
  constexpr size_t W = LstmWidth;
  for (size_t I = 0; I != W; ++I) {
    K.Forget[I] = sigmoid<double>(Input[I] * Weights[I] + Biases[I]);
    K.In[I] = sigmoid<double>(Hidden[I] * Weights[W + I] + Biases[W + I]);
    K.Out[I] =
        sigmoid<double>(Input[I] * Weights[2 * W + I] + Biases[2 * W + I]);
    K.Change[I] = std::tanh(Hidden[I] * Weights[3 * W + I] + Biases[3 * W + I]);
    K.CellBefore[I] = Cell[I];
    Cell[I] = Cell[I] * K.Forget[I] + K.In[I] * K.Change[I];
    K.Tanh[I] = std::tanh(Cell[I]);
    Hidden[I] = K.Out[I] * K.Tanh[I];
  }
}

/// DHidden and DCell are the adjoints of the layer's state, after the step and,
/// in the end, before it; DInput is set. DWeights holds weights and biases.
inline void lstmLayerAdjoint(const double *Weights, const double *HiddenBefore,
                             const double *Input, const LstmStep &K,
                             double *__restrict DWeights,
                             double *__restrict DHidden,
                             double *__restrict DCell,
                             double *__restrict DInput) {
  constexpr size_t W = LstmWidth;
  double *__restrict DBiases = DWeights + 4 * W;
  for (size_t I = 0; I != W; ++I) {
    const double Cell =
        DCell[I] + DHidden[I] * K.Out[I] * (1 - K.Tanh[I] * K.Tanh[I]);
    const double Forget =
        Cell * K.CellBefore[I] * K.Forget[I] * (1 - K.Forget[I]);
    const double In = Cell * K.Change[I] * K.In[I] * (1 - K.In[I]);
    const double Out = DHidden[I] * K.Tanh[I] * K.Out[I] * (1 - K.Out[I]);
    const double Change = Cell * K.In[I] * (1 - K.Change[I] * K.Change[I]);
    DWeights[I] += Forget * Input[I];
    DWeights[W + I] += In * HiddenBefore[I];
    DWeights[2 * W + I] += Out * Input[I];
    DWeights[3 * W + I] += Change * HiddenBefore[I];
    DBiases[I] += Forget;
    DBiases[W + I] += In;
    DBiases[2 * W + I] += Out;
    DBiases[3 * W + I] += Change;
    DInput[I] = Forget * Weights[I] + Out * Weights[2 * W + I];
    DHidden[I] = In * Weights[W + I] + Change * Weights[3 * W + I];
    DCell[I] = Cell * K.Forget[I];
  }
}

/// The steps of all layers at one character and the derivative of the loss with
/// respect to the logits.
struct LstmCharacter {
  LstmStep Layers[LstmLayers];
  double DLogits[LstmWidth];
};

inline void lstmForward(const Lstm<double> &P, LstmCharacter *Kept) {
  constexpr size_t W = LstmWidth;
  const double Mean = -1.0 / (double)(W * (P.Length - 1));
  const double *Extra = P.Extra.data();
  double State[2 * LstmLayers * W], Input[W], Exp[W];
  for (size_t I = 0; I != 2 * LstmLayers * W; ++I)
    State[I] = P.State[I];
  for (size_t T = 0; T + 1 < P.Length; ++T) {
    const double *Now = P.Sequence.data() + T * W, *Next = Now + W;
    for (size_t I = 0; I != W; ++I)
      Input[I] = Now[I] * Extra[I];
    const double *From = Input;
    for (size_t L = 0; L != LstmLayers; ++L) {
      const double *Weights = P.Main.data() + 8 * W * L;
      double *Hidden = State + 2 * W * L;
      lstmLayerAndKeep(Weights, Weights + 4 * W, Hidden, Hidden + W, From,
                       Kept[T].Layers[L]);
      From = Hidden;
    }
    double Sum = 2, Bits = 0;
    for (size_t I = 0; I != W; ++I) {
      Exp[I] = std::exp(From[I] * Extra[W + I] + Extra[2 * W + I]);
      Sum += Exp[I];
      Bits += Next[I];
    }
    for (size_t I = 0; I != W; ++I)
      Kept[T].DLogits[I] = Mean * (Next[I] - Bits / Sum * Exp[I]);
  }
}

inline void handAdjoint(const Lstm<double> &P, Lstm<double> &D,
                        verso_bench::Tape &Tape) {
  constexpr size_t W = LstmWidth;
  LstmCharacter *Kept = Tape.keep<LstmCharacter>(P.Length - 1);
  lstmForward(P, Kept);
  const double *Extra = P.Extra.data();
  double *__restrict DExtra = D.Extra.data();
  double DHidden[LstmLayers][W] = {}, DCell[LstmLayers][W] = {};
  double Before[W], Input[W], DInput[W];
  auto HiddenAfter = [&](size_t T, size_t L, double *__restrict Hidden) {
    const LstmStep &K = Kept[T].Layers[L];
    for (size_t I = 0; I != W; ++I)
      Hidden[I] = K.Out[I] * K.Tanh[I];
  };
  for (size_t T = P.Length - 1; T-- != 0;) {
    const double *Character = P.Sequence.data() + T * W;
    const double *DLogits = Kept[T].DLogits;
    HiddenAfter(T, LstmLayers - 1, Input);
    for (size_t I = 0; I != W; ++I) {
      DExtra[W + I] += DLogits[I] * Input[I];
      DExtra[2 * W + I] += DLogits[I];
      DInput[I] = DLogits[I] * Extra[W + I];
    }
    for (size_t L = LstmLayers; L-- != 0;) {
      for (size_t I = 0; I != W; ++I)
        DHidden[L][I] += DInput[I];
      if (L)
        HiddenAfter(T, L - 1, Input);
      else
        for (size_t I = 0; I != W; ++I)
          Input[I] = Character[I] * Extra[I];
      if (T)
        HiddenAfter(T - 1, L, Before);
      else
        for (size_t I = 0; I != W; ++I)
          Before[I] = P.State[2 * W * L + I];
      lstmLayerAdjoint(P.Main.data() + 8 * W * L, Before, Input,
                       Kept[T].Layers[L], D.Main.data() + 8 * W * L, DHidden[L],
                       DCell[L], DInput);
    }
    for (size_t I = 0; I != W; ++I)
      DExtra[I] += DInput[I] * Character[I];
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_LSTM_H
