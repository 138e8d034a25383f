//===- snapshots-of-layers.cpp - what a nest reads again and again --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers whose weights, inputs and outputs are pointers of one structure, in a
// loop over layers: nobody knows what the stores of later layers overwrite, so
// what a layer reads is copied when it begins. Loops that are entered on
// conditions, or not at all (sizes of zero); buffers that layers share, layers
// in place, weights that a later layer overwrites; rows that a loop chooses.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"

#include <vector>

struct Sizes {
  int layers, batch, times, inner, outer;
};

template <class Real> struct Net {
  Sizes s;
  int kind;
  const int *chosen;
  Real *memory;
};

/// out[b][t][k] = bias[k] + sum in[b][t][i] weights[k][i]
template <class Real>
void product(Real *out, const Real *in, const Real *weights, const Real *bias,
             const Sizes &s) {
  for (int b = 0; b < s.batch; ++b)
    for (int t = 0; t < s.times; ++t) {
      Real *y = out + b * s.times * s.outer + t * s.outer;
      const Real *x = in + b * s.times * s.inner + t * s.inner;
      for (int k = 0; k < s.outer; ++k) {
        Real sum = bias ? bias[k] : Real(0);
        const Real *w = weights + k * s.inner;
        for (int i = 0; i < s.inner; ++i)
          sum += x[i] * w[i];
        y[k] = sum;
      }
    }
}

/// Each time uses those before: the inner loop's length changes.
template <class Real>
void looksBack(Real *out, const Real *in, const Real *weights, const Sizes &s) {
  for (int b = 0; b < s.batch; ++b)
    for (int t = 0; t < s.times; ++t)
      for (int k = 0; k < s.inner; ++k) {
        Real sum = 0;
        for (int u = 0; u <= t; ++u)
          sum += in[(b * s.times + u) * s.inner + k] * weights[u % 3] *
                 in[(b * s.times + t) * s.inner + k];
        out[(b * s.times + t) * s.inner + k] = sum;
      }
}

/// Rows of weights that indices choose, if there are any.
template <class Real>
void chosenRows(Real *out, const Real *in, const Real *weights,
                const int *chosen, const Sizes &s, bool scales) {
  for (int b = 0; b < s.batch; ++b)
    for (int t = 0; t < s.times; ++t)
      if (chosen) {
        const Real *w = weights + chosen[t % 4] * s.inner;
        for (int i = 0; i < s.inner; ++i) {
          Real x = in[(b * s.times + t) * s.inner + i];
          if (scales)
            x = x * w[i] * w[i];
          out[(b * s.times + t) * s.inner + i] = x + w[i] * x;
        }
      }
}

template <class Real> Real run(Net<Real> *net) {
  const Sizes &s = net->s;
  const int size = s.batch * s.times * (s.inner > s.outer ? s.inner : s.outer);
  const int weights = s.inner * s.outer + s.outer;
  Real *all = net->memory, *activations = all + s.layers * weights;
  for (int l = 0; l < s.layers; ++l) {
    Real *w = all + l * weights, *bias = w + s.inner * s.outer;
    Real *in = activations + l * size, *out = in + size;
    switch (net->kind) {
    case 0: // Buffers of their own.
      product<Real>(out, in, w, l % 2 ? bias : nullptr, s);
      break;
    case 1: // Two that change places.
      in = activations + l % 2 * size, out = activations + (l + 1) % 2 * size;
      product<Real>(out, in, w, bias, s);
      break;
    case 2: // In place.
      product<Real>(activations, activations, w, bias, s);
      break;
    case 3: // Next to the last cells of what it reads.
      product<Real>(activations + 3, activations, w, bias, s);
      break;
    case 4: // Over the weights of the layer before, and of its own.
      product<Real>(l ? w - 2 : out, in, w, bias, s);
      break;
    case 5:
      looksBack<Real>(out, in, w, s);
      break;
    case 6:
      looksBack<Real>(activations, activations, w, s);
      break;
    case 7:
      chosenRows<Real>(out, in, w, l % 3 ? net->chosen : nullptr, s, l & 1);
      break;
    case 8:
      chosenRows<Real>(activations, in, w, net->chosen, s, l & 1);
      break;
    }
  }
  Real sum = 0;
  const int end = s.layers * weights + (s.layers + 1) * size;
  for (int i = 0; i < end; ++i)
    sum += all[i] * all[i] * (0.5 + 0.25 * (i % 7));
  return sum;
}

int main() {
  const int chosen[] = {1, 0, 1, 1};
  const Sizes sizes[] = {{0, 2, 2, 3, 3}, {1, 1, 1, 1, 1}, {2, 0, 3, 2, 2},
                         {2, 2, 0, 2, 2}, {2, 2, 2, 0, 2}, {2, 2, 2, 2, 0},
                         {2, 1, 3, 3, 2}, {3, 2, 3, 2, 4}, {4, 2, 4, 5, 5},
                         {3, 1, 5, 4, 4}, {5, 1, 1, 17, 9}};
  for (int kind = 0; kind != 9; ++kind)
    for (const Sizes &s : sizes) {
      const int size =
          s.batch * s.times * (s.inner > s.outer ? s.inner : s.outer);
      const int count =
          s.layers * (s.inner * s.outer + s.outer) + (s.layers + 1) * size;
      // What is read and written beyond it: 3, and rows that are chosen.
      std::vector<double> x(count + 40);
      for (int i = 0; i < count; ++i)
        x[i] = 0.4 + 0.02 * (i % 11) - 0.13 * (i % 5);
      std::vector<double> start = x, d(x.size());
      Net<double> net{s, kind, chosen, x.data()}, shadow = net;
      shadow.memory = d.data();
      __verso_grad_void((void *)run<double>, verso_dup, &net, &shadow);
      std::vector<double> exact = complex_step(
          [&](std::vector<std::complex<double>> z) {
            Net<std::complex<double>> of{s, kind, chosen, z.data()};
            return run(&of);
          },
          start);
      for (size_t i = 0; i < x.size(); ++i)
        CHECK_CLOSE(d[i], exact[i], 1e-12);
      // Memory is as the program left it.
      Net<double> again{s, kind, chosen, start.data()};
      run(&again);
      for (size_t i = 0; i < x.size(); ++i)
        CHECK(x[i] == start[i]);
    }
  return check_status();
}
